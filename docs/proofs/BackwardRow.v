(** * Rows of parameters of the backward pass: printed numbers as theorems

    docs/proofs/b3.md, section 3: what a row of B3 says, with the number of cuts. A test by computation, as those of BackwardCertificate.v. That W
    bounds f is a tree of boxes, which B3Certificate.v looks at. *)

From Coq Require Import NArith ZArith Lia.
From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Attention Backward B3 Certificate BackwardCertificate.
From Pebble Require B3Certificate.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** All in [K]-ths; [plain] if W bounds f0, for any dv. *)
Record b3_parameters := B3Row { row_K : N; row_tau : N; row_gamma : N; row_S : N; row_dP : N; row_dV : N; row_dK : N; row_dQ : N; row_W : N; row_plain : bool }.

(** W bounds f, or f0. *)
Definition b3_holds (r : b3_parameters) := b3_row (N.to_nat (row_K r)) (N.to_nat (row_tau r)) (N.to_nat (row_gamma r)) (N.to_nat (row_S r))
  (N.to_nat (row_dP r)) (N.to_nat (row_dV r)) (N.to_nat (row_dK r)) (N.to_nat (row_dQ r)) (N.to_nat (row_W r)) (row_plain r).

Theorem b3_proved (bits : N) boxes r : B3Certificate.certificate (Z.of_N bits) (Z.of_N (row_K r)) (Z.of_N (row_tau r)) (Z.of_N (row_gamma r))
  (Z.of_N (row_S r)) (Z.of_N (row_dP r)) (Z.of_N (row_dV r)) (Z.of_N (row_dK r)) (Z.of_N (row_dQ r)) (Z.of_N (row_W r)) (row_plain r) boxes = true -> b3_holds r.
Proof. by move/B3Certificate.certified; rewrite /b3_holds /b3_row !N_nat_Z. Qed.

(** ** The test *)

Section Test.
Local Open Scope N_scope.

Definition charged_number (r : b3_parameters) := (if 0 <? row_S r then 1 else 0) + (if 0 <? row_dP r then 1 else 0).

(** Where every move weighs 1, the whole part of a segment's words counts. *)
Definition b3_test (r : b3_parameters) (pairs d dv M h words : N) :=
  let K := row_K r in let D := N.min d dv in let T := row_tau r * (D * D) in let a := charged_number r in
  [&& 0 <? d, 0 <? dv, 0 <? K, row_gamma r <=? K, 0 <? h, row_plain r || (d =? dv),
      h * (row_W r * (D * D * D)) <? pairs * ((row_S r + row_dK r + row_dQ r) * d + (row_dP r + row_dV r) * dv) &
      if (row_gamma r =? K) || (a =? 0) then words + a * pairs + h * (M + 1) <=? M + 1 + h * (T / K + 1)
      else K * words + row_gamma r * a * pairs + h * (K * (M + 1)) <? K + K * (M + 1) + h * (T + 1)].

End Test.

Lemma chargedE r : N.to_nat (charged_number r) = charged (N.to_nat (row_S r)) (N.to_nat (row_dP r)).
Proof.
have one (n : N) : N.to_nat (if (0 <? n)%num then 1 else 0)%num = (0 < N.to_nat n).
  by case: N.ltb_spec => h; symmetry; [have -> : 0 < N.to_nat n by lia|have -> : (0 < N.to_nat n) = false by lia].
by rewrite /charged_number N2Nat.inj_add !one.
Qed.

Theorem b3_masked_backward r (bounded : b3_holds r) pairs queries keys d dv M h words :
  b3_test r pairs d dv M h words -> masked_backward_costs pairs queries keys d dv M words.
Proof.
case/and5P=> /N.ltb_lt d_gt0 /N.ltb_lt dv_gt0 /N.ltb_lt K_gt0 /N.leb_le le_gamma /and4P[/N.ltb_lt h_gt0 fits /N.ltb_lt many enough].
move=> Nq Nk allowed eq_pairs _ _ ms legal_ms; apply: le_io.
have {}d_gt0 : 0 < N.to_nat d by clear -d_gt0; lia.
have {}dv_gt0 : 0 < N.to_nat dv by clear -dv_gt0; lia.
have {}h_gt0 : 0 < N.to_nat h by clear -h_gt0; lia.
have K_gt0' : 0 < N.to_nat (row_K r) by clear -K_gt0; lia.
have {}le_gamma : N.to_nat (row_gamma r) <= N.to_nat (row_K r) by clear -le_gamma; lia.
have square : row_plain r = false -> N.to_nat d = N.to_nat dv by move: fits; case: (row_plain r) => // /N.eqb_eq ->.
have eq_D : N.to_nat (N.min d dv) = minn (N.to_nat d) (N.to_nat dv) by clear; lia.
have eq_D2 : N.to_nat (N.min d dv * N.min d dv) = minn (N.to_nat d) (N.to_nat dv) ^ 2 by rewrite N2Nat.inj_mul eq_D -mulnn.
have eq_D3 : N.to_nat (N.min d dv * N.min d dv * N.min d dv) = minn (N.to_nat d) (N.to_nat dv) ^ 3.
  by rewrite N2Nat.inj_mul eq_D2 eq_D [in RHS]expnSr.
have {}many : N.to_nat h * (N.to_nat (row_W r) * minn (N.to_nat d) (N.to_nat dv) ^ 3) < N.to_nat pairs *
    ((N.to_nat (row_S r) + N.to_nat (row_dK r) + N.to_nat (row_dQ r)) * N.to_nat d + (N.to_nat (row_dP r) + N.to_nat (row_dV r)) * N.to_nat dv).
  by rewrite -eq_D3; move: many; move: (N.min d dv * N.min d dv * N.min d dv)%num => c; clear; lia.
have eq_a := chargedE r; move: enough; case: ifP => [whole /N.leb_le|_ /N.ltb_lt].
  have {}whole : N.to_nat (row_gamma r) = N.to_nat (row_K r) \/ N.to_nat (row_S r) = 0 /\ N.to_nat (row_dP r) = 0.
    case/orP: whole => [/N.eqb_eq ->|/N.eqb_eq none]; [by left|right].
    by move: eq_a; rewrite none /charged; case: (N.to_nat (row_S r)) => [|?]; case: (N.to_nat (row_dP r)).
  have := B3_whole d_gt0 dv_gt0 K_gt0' square bounded whole legal_ms h_gt0.
  rewrite eq_pairs => /(_ many); rewrite -eq_D2 -eq_a.
  have -> : N.to_nat (row_tau r) * N.to_nat (N.min d dv * N.min d dv)%num %/ N.to_nat (row_K r) =
      N.to_nat (row_tau r * (N.min d dv * N.min d dv) / row_K r)%num by rewrite to_nat_div [in RHS]N2Nat.inj_mul.
  by move: (_ / row_K r)%num (charged_number r) => X a; clear; lia.
have := B3 d_gt0 dv_gt0 K_gt0' le_gamma square bounded legal_ms h_gt0.
rewrite eq_pairs => /(_ many); rewrite -eq_D2 -eq_a.
move: (N.min d dv * N.min d dv)%num (charged_number r) (row_K r) (row_tau r) (row_gamma r) K_gt0 => D2 a K tau gamma K_gt0.
have -> : N.to_nat tau * N.to_nat D2 = N.to_nat (tau * D2) by clear; lia.
move: (tau * D2)%num => T bound test; clear -bound test K_gt0.
have {}bound : (K * (M + 1) + h * (T + 1) <= K * N.of_nat (io ms) + gamma * a * pairs + h * (K * (M + 1)))%num by move: bound; clear; lia.
have : (K * words < K * (N.of_nat (io ms) + 1))%num by move: bound test; clear; lia.
by move=> /(proj2 (N.mul_lt_mono_pos_l _ _ _ K_gt0)); clear; lia.
Qed.

Theorem b3_backward r (bounded : b3_holds r) (Nq Nk d dv M h words : N) : (0 <? Nq)%num && (0 <? Nk)%num &&
  b3_test r (Nq * Nk) d dv M h words -> backward_costs Nq Nk d dv M words.
Proof.
case/andP=> /andP[/N.ltb_lt Nq_gt0 /N.ltb_lt Nk_gt0] test; apply: unmasked_backward => //.
by apply: b3_masked_backward bounded _ _ _ _ _ _ _ _ test.
Qed.
