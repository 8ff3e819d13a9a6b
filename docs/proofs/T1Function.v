(** * The most events of a segment of T1

    docs/proofs/forward.md, T1: what [T] words allow, from charged pairs, whole rows of Q and K, and words of the output and of V. *)

From Coq Require PeanoNat.
From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Numbers.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** F1: the whole part of (T/3)^(3/2) up to 3 dv^2, of dv (sqrt(T + dv^2) - dv)^2 beyond. *)
Definition up_sqrt n := if Nat.sqrt n ^ 2 == n then Nat.sqrt n else (Nat.sqrt n).+1.
Definition t1_box dv T :=
  if T <= 3 * dv ^ 2 then box T else dv * (T + 2 * dv ^ 2) - up_sqrt (4 * dv ^ 4 * (T + dv ^ 2)).
(** F2: the whole part of T^2/(16 d), or of dv T^2/(4 (d + dv)^2). *)
Definition t1_wide d dv T :=
  if d <= dv then T ^ 2 %/ (16 * d) else dv * T ^ 2 %/ (4 * (d + dv) ^ 2).
Definition t1_events d dv T := maxn (t1_box dv T) (t1_wide d dv T).

Lemma up_sqrt_le n m : n <= m ^ 2 -> up_sqrt n <= m.
Proof.
rewrite /up_sqrt => le_nm.
have := PeanoNat.Nat.sqrt_spec' n; move: (Nat.sqrt n) => r [/leP le_r /leP lt_r].
case: eqP => [eq_n|neq].
  by rewrite -(leq_exp2r _ _ (ltn0Sn 1)) eq_n.
have lt_rn : r ^ 2 < n by rewrite ltn_neqAle; apply/andP; split; [apply/eqP | rewrite -mulnn].
by rewrite -(ltn_exp2r _ _ (ltn0Sn 1)); apply: leq_trans lt_rn le_nm.
Qed.

(** E^2 <= B w^2/4 and E <= dv B: a pair has only [dv] events. *)
Lemma few_box_events dv T B w E : 4 * E ^ 2 <= B * w ^ 2 -> E <= dv * B -> B + w <= T -> E <= t1_box dv T.
Proof.
rewrite /t1_box => le_lw le_E le_T; case: (leqP T (3 * dv ^ 2)) => small.
  apply: sqr_le_sqrt; rewrite leq_divRL // mulnC.
  apply: (@leq_trans ((B + w) ^ 3)); last by rewrite leq_exp2r.
  rewrite -(leq_pmul2l (m := 4)) //; apply: leq_trans (third_cube B w).
  by move: le_lw; clear; lia.
have le_BT : B <= T by move: le_T; clear; lia.
have le_wT : w <= T - B by move: le_T; clear; lia.
have le_bt : dv * B <= dv * T by rewrite leq_mul2l le_BT orbT.
pose Z := dv * T - E.
have eq_Z : E + Z = dv * T by rewrite /Z subnKC //; apply: leq_trans le_E le_bt.
suff root : 4 * dv ^ 3 * E <= Z ^ 2.
  have le_up : up_sqrt (4 * dv ^ 4 * (T + dv ^ 2)) <= Z + 2 * dv ^ 3.
    apply: up_sqrt_le; have -> : 4 * dv ^ 4 * (T + dv ^ 2) = 4 * dv ^ 3 * (dv * T) + 4 * dv ^ 6 by lia.
    by rewrite -eq_Z; move: root; clear; lia.
  have -> : dv * (T + 2 * dv ^ 2) = E + (Z + 2 * dv ^ 3) by rewrite addnA eq_Z; lia.
  by rewrite leq_subRL; [rewrite addnC leq_add2l | apply: leq_trans le_up _; rewrite leq_addl].
case: (leqP (3 * E) (dv * T)) => third.
  have le_Z : 2 * (dv * T) <= 3 * Z by move: third eq_Z; clear; lia.
  have sq : (2 * (dv * T)) ^ 2 <= (3 * Z) ^ 2 by rewrite leq_exp2r.
  have big : 3 * dv ^ 2 * (dv ^ 2 * T) <= T * (dv ^ 2 * T) by rewrite leq_mul2r (ltnW small) orbT.
  have e3 : dv ^ 3 * (3 * E) <= dv ^ 3 * (dv * T) by rewrite leq_mul2l third orbT.
  by rewrite !expnS !expn0 !muln1 in sq big e3 *; move: sq big e3; clear; lia.
have E_gt0 : 0 < E by move: third; clear; case: E => //; lia.
rewrite -(leq_pmul2l E_gt0).
pose y := dv * T - dv * B; pose del := dv * B - E.
have eq_b : dv * B = E + del by rewrite /del subnKC.
have eq_y : Z = y + del by move: eq_Z eq_b (subnKC le_bt); rewrite -/y; clear; lia.
have le_y : dv * w <= y by rewrite /y -mulnBr leq_mul2l le_wT orbT.
have s1 : dv ^ 3 * (4 * E ^ 2) <= dv ^ 3 * (B * w ^ 2) by rewrite leq_mul2l le_lw orbT.
have s2 : dv ^ 3 * (B * w ^ 2) <= (E + del) * y ^ 2.
  have -> : dv ^ 3 * (B * w ^ 2) = (dv * B) * (dv * w) ^ 2 by lia.
  by rewrite eq_b leq_mul2l leq_exp2r // le_y orbT.
have le_ZE : Z <= 2 * E by move: third eq_Z; clear; lia.
have s3 : (E + del) * y ^ 2 <= E * Z ^ 2.
  rewrite eq_y; have le_yE : y <= 2 * E by move: le_ZE; rewrite eq_y; clear; lia.
  have : del * y * y <= del * y * (2 * E) by rewrite leq_mul2l le_yE orbT.
  by clear; lia.
by move: s1 s2 s3; clear; lia.
Qed.

(** E <= B w/(4 d) and E <= dv B^2/(4 d^2). *)
Lemma few_wide_events d dv T B w E : 0 < d -> 4 * (d * E) <= B * w -> 4 * (d ^ 2 * E) <= dv * B ^ 2 -> B + w <= T ->
  E <= t1_wide d dv T.
Proof.
rewrite /t1_wide => d_gt0 le_lw le_E le_T.
have le_T2 : (B + w) ^ 2 <= T ^ 2 by rewrite leq_exp2r.
case: (leqP d dv) => [_|lt_d].
  rewrite leq_divRL ?muln_gt0 //; apply: leq_trans le_T2; apply: leq_trans (nat_AGM2 B w).
  by move: le_lw; clear; lia.
rewrite leq_divRL; last by rewrite muln_gt0 expn_gt0 addn_gt0 d_gt0.
apply: (@leq_trans (dv * (B + w) ^ 2)); last by rewrite leq_mul2l le_T2 orbT.
case: (posnP B) => [B0|B_gt0].
  have : d * E = 0 by move: le_lw; rewrite B0; clear; lia.
  by move/eqP; rewrite muln_eq0 => /orP[/eqP d0|/eqP ->]; [move: d_gt0; rewrite d0 | rewrite mul0n].
case: (posnP dv) => [dv0|dv_gt0].
  have : d ^ 2 * E = 0 by move: le_E; rewrite dv0; clear; lia.
  move/eqP; rewrite muln_eq0 expn_eq0 /= => /orP[/andP[/eqP d0 _]|/eqP ->]; last by rewrite mul0n.
  by move: d_gt0; rewrite d0.
pose q := 4 * E; have -> : E * (4 * (d + dv) ^ 2) = q * (d + dv) ^ 2 by rewrite /q; lia.
have {}le_lw : d * q <= B * w by rewrite /q; move: le_lw; clear; lia.
have {}le_E : d ^ 2 * q <= dv * B ^ 2 by rewrite /q; move: le_E; clear; lia.
suff squares : q * d ^ 2 + q * dv ^ 2 <= dv * B ^ 2 + dv * w ^ 2.
  have : dv * (d * q) <= dv * (B * w) by rewrite leq_mul2l le_lw orbT.
  by move: squares; clear; lia.
have yy_gt0 : 0 < dv * B ^ 2 by rewrite muln_gt0 dv_gt0 expn_gt0 B_gt0.
have [y eq_y] : exists y, dv * B ^ 2 = y by exists (dv * B ^ 2).
rewrite eq_y in le_E yy_gt0 *; rewrite -(leq_pmul2l yy_gt0).
have lw2 : (d * q) ^ 2 <= (B * w) ^ 2 by rewrite leq_exp2r.
have {}lw2 : dv ^ 2 * (d * q) ^ 2 <= y * (dv * w ^ 2).
  have -> : y * (dv * w ^ 2) = dv ^ 2 * (B * w) ^ 2 by rewrite -eq_y; lia.
  by rewrite leq_mul2l lw2 orbT.
rewrite mulnDr [X in _ <= X]mulnDr; apply: (@leq_trans (y * y + dv ^ 2 * (d * q) ^ 2)); last by rewrite leq_add2l.
have [del eq_del] : exists del, y = d ^ 2 * q + del by exists (y - d ^ 2 * q); rewrite subnKC.
have le_dd : dv ^ 2 <= d ^ 2 by rewrite leq_exp2r // ltnW.
have : del * q * dv ^ 2 <= del * q * d ^ 2 by rewrite leq_mul2l le_dd orbT.
rewrite eq_del; clear; lia.
Qed.

(** [c] charged pairs, [r] whole rows of Q and [s] of K, [u] entries of the output and [v] of V at hand. *)
Lemma t1_count d dv T c r s u v n : 0 < d -> n ^ 2 <= (c + r * s) * u * v -> n <= dv * (c + r * s) ->
  c + d * (r + s) + u + v <= T -> n <= t1_events d dv T.
Proof.
move=> d_gt0 le_n le_dv le_T; rewrite leq_max.
have le_rs : 4 * (r * s) <= (r + s) ^ 2 := nat_AGM2 r s.
have le_uv : 4 * (u * v) <= (u + v) ^ 2 := nat_AGM2 u v.
rewrite -mulnA in le_n; rewrite -addnA in le_T.
move: (r * s) (u * v) (r + s) (u + v) le_rs le_uv le_n le_dv le_T => p q {}s w {u v r} le_p le_q le_n le_dv le_T.
have le_4n : 4 * n ^ 2 <= (c + p) * w ^ 2.
  apply: (@leq_trans ((c + p) * (4 * q))); last by rewrite leq_mul2l le_q orbT.
  by move: le_n; clear; lia.
case: (leqP s (4 * d)) => le_s; apply/orP; [left|right].
  have le_cp : c + p <= c + d * s by rewrite leq_add2l; move: (leq_mul le_s (leqnn s)); clear -le_p; lia.
  apply: few_box_events le_T.
    by apply: leq_trans le_4n _; rewrite leq_mul2r le_cp orbT.
  by apply: leq_trans le_dv _; rewrite leq_mul2l le_cp orbT.
have le_B : 4 * (d ^ 2 * (c + p)) <= (c + d * s) ^ 2.
  have : d ^ 2 * (4 * p) <= d ^ 2 * s ^ 2 by rewrite leq_mul2l le_p orbT.
  have : 4 * d * (c * d) <= s * (c * d) by rewrite leq_mul2r (ltnW le_s) orbT.
  clear; lia.
apply: (few_wide_events d_gt0 _ _ le_T).
  rewrite -(leq_exp2r _ _ (ltn0Sn 1)).
  have m1 : 4 * d ^ 2 * (4 * n ^ 2) <= 4 * d ^ 2 * ((c + p) * w ^ 2) by rewrite leq_mul2l le_4n orbT.
  have m2 : 4 * (d ^ 2 * (c + p)) * w ^ 2 <= (c + d * s) ^ 2 * w ^ 2 by rewrite leq_mul2r le_B orbT.
  by rewrite !expnMn; move: m1 m2; clear; lia.
have m1 : 4 * d ^ 2 * n <= 4 * d ^ 2 * (dv * (c + p)) by rewrite leq_mul2l le_dv orbT.
have m2 : dv * (4 * (d ^ 2 * (c + p))) <= dv * (c + d * s) ^ 2 by rewrite leq_mul2l le_B orbT.
by move: m1 m2; clear; lia.
Qed.

(** ** What decides that [F] is at least the greatest number of events *)

Lemma up_sqrt_ge n : n <= up_sqrt n ^ 2.
Proof.
rewrite /up_sqrt; case: eqP => [->//|_].
by have [_ /leP lt_n] := PeanoNat.Nat.sqrt_spec' n; rewrite -mulnn ltnW.
Qed.

Lemma t1_box_le dv T F : (if T <= 3 * dv ^ 2 then T ^ 3 < 27 * (F + 1) ^ 2
    else (dv * (T + 2 * dv ^ 2) <= F) || (dv ^ 2 * T ^ 2 + (F + 1) ^ 2 < 2 * dv * (T + 2 * dv ^ 2) * (F + 1))) -> t1_box dv T <= F.
Proof.
rewrite /t1_box; case: ifP => _; first exact: box_le.
have := up_sqrt_ge (4 * dv ^ 4 * (T + dv ^ 2)); move: (up_sqrt _) => r le_r.
rewrite leq_subLR; case: (leqP (dv * (T + 2 * dv ^ 2)) F) => [le_A _|lt_A /= lt_F].
  by apply: leq_trans le_A (leq_addl _ _).
have [x eq_A] : exists x, dv * (T + 2 * dv ^ 2) = F + 1 + x by exists (dv * (T + 2 * dv ^ 2) - (F + 1)); rewrite subnKC // addn1.
have lt_x : x ^ 2 < r ^ 2.
  apply: leq_trans le_r; have sq : (dv * (T + 2 * dv ^ 2)) ^ 2 = dv ^ 2 * T ^ 2 + 4 * dv ^ 4 * (T + dv ^ 2) by clear; lia.
  move: lt_F sq; rewrite -[2 * dv * _]mulnA eq_A; clear; lia.
by rewrite eq_A; rewrite ltn_exp2r // in lt_x; move: lt_x; clear; lia.
Qed.

Lemma t1_wide_le d dv T F : 0 < d -> (if d <= dv then T ^ 2 < 16 * d * (F + 1) else dv * T ^ 2 < 4 * (d + dv) ^ 2 * (F + 1)) ->
  t1_wide d dv T <= F.
Proof.
rewrite /t1_wide => d_gt0; case: ifP => _ lt_F; rewrite -ltnS ltn_divLR; try by rewrite [F.+1 * _]mulnC -[F.+1]addn1.
  by rewrite muln_gt0.
by rewrite muln_gt0 expn_gt0 addn_gt0 d_gt0.
Qed.
