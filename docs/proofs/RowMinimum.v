(** * Rows of parameters: printed numbers as theorems

    docs/proofs/t3.md, 2.6: what a row of T3 or T4 says at least, whatever the number of pairs of which a vertex of S or P is ever stored. A test by
    computation, as those of Certificate.v. That W bounds f is a tree of boxes, which T3Certificate.v and T4Certificate.v look at. *)

From Coq Require Import NArith ZArith Lia.
From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Attention AttentionCompulsory ForwardCount T3 T4 Certificate.
From Pebble Require T3Certificate T4Certificate.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** All in [K]-ths. *)
Record row := Row { row_K : N; row_mu : N; row_tau : N; row_gamma : N; row_delta : N; row_beta : N; row_W : N }.

(** W bounds f. *)
Definition t3_holds (r : row) := t3_row (N.to_nat (row_K r)) (N.to_nat (row_mu r)) (N.to_nat (row_tau r)) (N.to_nat (row_gamma r))
  (N.to_nat (row_delta r)) (N.to_nat (row_beta r)) (N.to_nat (row_W r)).
Definition t4_holds (r : row) := t4_row (N.to_nat (row_K r)) (N.to_nat (row_mu r)) (N.to_nat (row_tau r)) (N.to_nat (row_gamma r))
  (N.to_nat (row_delta r)) (N.to_nat (row_beta r)) (N.to_nat (row_W r)).

Theorem t3_proved (bits : N) boxes r : T3Certificate.certificate (Z.of_N bits) (Z.of_N (row_K r)) (Z.of_N (row_mu r)) (Z.of_N (row_tau r)) (Z.of_N (row_gamma r))
  (Z.of_N (row_delta r)) (Z.of_N (row_beta r)) (Z.of_N (row_W r)) boxes = true -> t3_holds r.
Proof. by move/T3Certificate.certified; rewrite /t3_holds /t3_row !N_nat_Z. Qed.

Theorem t4_proved (bits : N) boxes r : T4Certificate.certificate (Z.of_N bits) (Z.of_N (row_K r)) (Z.of_N (row_mu r)) (Z.of_N (row_tau r)) (Z.of_N (row_gamma r))
  (Z.of_N (row_delta r)) (Z.of_N (row_beta r)) (Z.of_N (row_W r)) boxes = true -> t4_holds r.
Proof. by move/T4Certificate.certified; rewrite /t4_holds /t4_row !N_nat_Z. Qed.

(** ** The test *)

Section Test.
Local Open Scope Z_scope.

(** All work is [A], or [D] less for each stored pair, and a segment does [F] at most; each of the cuts costs [step], and each stored pair [K].
    So [need] at least is paid: with no stored pair, and with as many as leave [few] to [many - 1] cuts, of which the ends are the least. *)
Definition minimum_test (A D F K step z need : Z) :=
  let few := (A - D * z - 1) / F in let many := (A - 1) / F in
  [&& 0 <? F, 0 <? few, need <=? many * step &
      (few =? many) || ((D * need <=? D * few * step + K * (A - (few + 1) * F)) &&
                        (D * need <=? D * (many - 1) * step + K * (A - many * F)))].

Definition row_test (r : row) (pairs queries d dv : N) (stats : bool) (M words : N) :=
  let K := Z.of_N (row_K r) in let z := Z.of_N pairs in let q := Z.of_N queries in let d := Z.of_N d in let dv := Z.of_N dv in
  let M := Z.of_N M in let delta := Z.of_N (row_delta r) in let gamma := Z.of_N (row_gamma r) in
  [&& 0 <? d, 0 <? dv, 0 <? K, gamma <=? 2 * K, K * M <=? Z.of_N (row_mu r) * d ^ 2 &
      minimum_test (z * (Z.of_N (row_beta r) * d + (K + delta) * dv)) (delta * dv) (Z.of_N (row_W r) * d ^ 3) K
        (Z.of_N (row_tau r) * d ^ 2 - K * (M + 2)) z
        (K * (Z.of_N words - 1) + gamma * z + K * (q * dv) - K * (M + 2) - K * (if stats then q else 0))].

(** Wherever [s] pairs are stored. *)
Lemma minimum (A D F K step z need s : Z) : minimum_test A D F K step z need -> 0 <= D -> 0 <= K -> 0 <= s <= z ->
  exists h, 0 < h /\ h * F + D * s < A /\ need <= h * step + K * s.
Proof.
rewrite /minimum_test => /and4P[/Z.ltb_lt F_gt0 /Z.ltb_lt few_gt0 /Z.leb_le le_many ends] D_ge0 K_ge0 le_s.
have [low high] : (A - D * s - 1) / F * F <= A - D * s - 1 < ((A - D * s - 1) / F + 1) * F.
  have := Z.mul_div_le (A - D * s - 1) F F_gt0; have := Z.mul_succ_div_gt (A - D * s - 1) F F_gt0; lia.
have le_few : (A - D * z - 1) / F <= (A - D * s - 1) / F by apply: Z.div_le_mono; nia.
have ge_many : (A - D * s - 1) / F <= (A - 1) / F by apply: Z.div_le_mono; nia.
exists ((A - D * s - 1) / F); split; first lia; split; first lia.
case: (Z.eq_dec ((A - D * s - 1) / F) ((A - 1) / F)) => [->|less]; first nia.
have D_gt0 : 0 < D.
  case: (Z.eq_dec D 0) less => [->|]; last by lia.
  by rewrite Z.mul_0_l Z.sub_0_r.
move: ((A - D * s - 1) / F) ((A - D * z - 1) / F) ((A - 1) / F) low high le_few ge_many ends less le_many few_gt0.
move=> h few many low high le_few ge_many ends less le_many few_gt0.
have {}ends : D * need <= h * (D * step - K * F) + K * (A - F).
  case/orP: ends => [/Z.eqb_eq eq_few|/andP[/Z.leb_le at_few /Z.leb_le at_many]]; first by lia.
  case: (Z_le_gt_dec 0 (D * step - K * F)) => sign.
    have : 0 <= (h - few) * (D * step - K * F) by apply: Z.mul_nonneg_nonneg; lia.
    by move: at_few; clear; lia.
  have : 0 <= (many - 1 - h) * (K * F - D * step) by apply: Z.mul_nonneg_nonneg; lia.
  by move: at_many; clear; lia.
have paid : K * (A - (h + 1) * F) <= K * (D * s) by apply: Z.mul_le_mono_nonneg_l; lia.
apply/(Z.mul_le_mono_pos_l _ _ _ D_gt0); move: ends paid; clear; lia.
Qed.

End Test.

(** ** The test is right *)

Section Row.

Variables (r : row) (pairs queries d dv : N) (stats : bool) (M words : N).
Hypothesis test : row_test r pairs queries d dv stats M words.

Lemma row_words n : row_bound (N.to_nat (row_K r)) (N.to_nat (row_tau r)) (N.to_nat (row_gamma r)) (N.to_nat (row_delta r)) (N.to_nat (row_beta r))
  (N.to_nat (row_W r)) (N.to_nat M) (N.to_nat d) (N.to_nat dv) stats (N.to_nat pairs) (N.to_nat queries) n -> (words <= N.of_nat n)%num.
Proof.
case/and5P: test => _ _ /Z.ltb_lt K_gt0 _ /andP[_ least] [s le_s bound].
have [|||h [h_gt0 [many le_need]]] := minimum (s := Z.of_nat s) least; try by clear -le_s; lia.
have {}bound := bound (Z.to_nat h).
have h_gt0' : 0 < Z.to_nat h by clear -h_gt0; lia.
have {}many : Z.to_nat h * (N.to_nat (row_W r) * N.to_nat d ^ 3) + N.to_nat (row_delta r) * N.to_nat dv * s <
    N.to_nat pairs * (N.to_nat (row_beta r) * N.to_nat d + (N.to_nat (row_K r) + N.to_nat (row_delta r)) * N.to_nat dv).
  by clear -many h_gt0; lia.
have {bound} := bound h_gt0' many; have -> : nat_of_bool stats * N.to_nat queries = N.to_nat (if stats then queries else 0)%num by case: stats => //=; lia.
have {}le_need : (Z.of_N (row_K r) * (Z.of_N words - 1) + Z.of_N (row_gamma r) * Z.of_N pairs + Z.of_N (row_K r) * (Z.of_N queries * Z.of_N dv) -
    Z.of_N (row_K r) * (Z.of_N M + 2) - Z.of_N (row_K r) * Z.of_N (if stats then queries else 0)%num <=
    h * (Z.of_N (row_tau r) * Z.of_N d ^ 2 - Z.of_N (row_K r) * (Z.of_N M + 2)) + Z.of_N (row_K r) * Z.of_nat s)%Z.
  by move: le_need; case: stats.
move: (if stats then queries else 0)%num le_need => out le_need le_words.
suff : (Z.of_N words - 1 < Z.of_nat n)%Z by clear; lia.
by apply/(Z.mul_lt_mono_pos_l _ _ _ K_gt0); move: le_need le_words; clear -h_gt0; lia.
Qed.

Lemma row_sizes : [/\ 0 < N.to_nat d, 0 < N.to_nat dv, 0 < N.to_nat (row_K r), N.to_nat (row_gamma r) <= 2 * N.to_nat (row_K r) &
  N.to_nat (row_K r) * N.to_nat M <= N.to_nat (row_mu r) * N.to_nat d ^ 2].
Proof. by case/and5P: test => /Z.ltb_lt ? /Z.ltb_lt ? /Z.ltb_lt ? /Z.leb_le ? /andP[/Z.leb_le ? _]; split; clear test; lia. Qed.

Lemma t3_any keys : t3_holds r -> masked_forward_costs pairs queries keys d dv stats M words.
Proof.
move=> bounded Nq Nk allowed eq_pairs eq_queries _ ms legal_ms; apply: row_words.
have [d_gt0 dv_gt0 K_gt0 le_gamma le_M] := row_sizes.
by have := T3 legal_ms d_gt0 dv_gt0 K_gt0 le_gamma bounded le_M; rewrite eq_pairs eq_queries.
Qed.

Lemma t4_any keys : t4_holds r -> (dv <=? d)%num -> masked_forward_costs pairs queries keys d dv stats M words.
Proof.
move=> bounded /N.leb_le le_dv Nq Nk allowed eq_pairs eq_queries _ ms legal_ms; apply: row_words.
have [d_gt0 dv_gt0 K_gt0 le_gamma le_M] := row_sizes.
have le_dv' : N.to_nat dv <= N.to_nat d by clear -le_dv; lia.
by have := T4 legal_ms d_gt0 dv_gt0 le_dv' K_gt0 le_gamma bounded le_M; rewrite eq_pairs eq_queries.
Qed.

End Row.

(** ** From tests to statements *)

Theorem t3_masked r (bounded : t3_holds r) pairs queries keys d dv stats M words :
  row_test r pairs queries d dv stats M words -> masked_forward_costs pairs queries keys d dv stats M words.
Proof. by move=> test; apply: t3_any test _ bounded. Qed.

Theorem t4_masked r (bounded : t4_holds r) pairs queries keys d dv stats M words :
  (dv <=? d)%num && row_test r pairs queries d dv stats M words -> masked_forward_costs pairs queries keys d dv stats M words.
Proof. by case/andP=> le_dv test; apply: t4_any test _ bounded le_dv. Qed.

Theorem t3_forward r (bounded : t3_holds r) (Nq Nk d dv : N) stats M words :
  (0 <? Nq)%num && (0 <? Nk)%num && row_test r (Nq * Nk) Nq d dv stats M words -> forward_costs Nq Nk d dv stats M words.
Proof. by case/andP=> /andP[/N.ltb_lt Nq_gt0 /N.ltb_lt Nk_gt0] test; apply: unmasked => //; apply: t3_masked bounded _ _ _ _ _ _ _ _ test. Qed.

Theorem t4_forward r (bounded : t4_holds r) (Nq Nk d dv : N) stats M words :
  (0 <? Nq)%num && (0 <? Nk)%num && ((dv <=? d)%num && row_test r (Nq * Nk) Nq d dv stats M words) -> forward_costs Nq Nk d dv stats M words.
Proof. by case/andP=> /andP[/N.ltb_lt Nq_gt0 /N.ltb_lt Nk_gt0] test; apply: unmasked => //; apply: t4_masked bounded _ _ _ _ _ _ _ _ test. Qed.
