(** * What a segment does, by the function of B4

    docs/proofs/b4.md, section 2: a segment whose words, pairs and work are these whole numbers does at most W D³. *)

From Coq Require Import ZArith QArith Lqa.
From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import LoomisWhitney T3Function B4Function B4Near.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope nat_scope.

(** Whole numbers as rational ones. *)
Notation rational n := (inject_Z (Z.of_nat n)).

Lemma rationalD a b : rational (a + b) = (rational a + rational b)%Q.
Proof. by rewrite -inject_Z_plus -Nat2Z.inj_add. Qed.

Lemma rationalM a b : rational (a * b) = (rational a * rational b)%Q.
Proof. by rewrite -inject_Z_mult -Nat2Z.inj_mul. Qed.

Lemma rational2 a : rational (a ^ 2) = (rational a ^ 2)%Q.
Proof. by rewrite -mulnn rationalM. Qed.

Lemma rational3 a : rational (a ^ 3) = (rational a ^ 3)%Q.
Proof. by rewrite expnS -mulnn !rationalM. Qed.

Lemma rationalB a b : b <= a -> (rational (a - b)%N == rational a - rational b)%Q.
Proof. by move=> le_b; have := rationalD (a - b) b; rewrite subnK // => ->; ring. Qed.

Definition rationalE := (rationalD, rationalM, rational2, rational3).

Lemma rational_le a b : a <= b <-> (rational a <= rational b)%Q.
Proof. by rewrite -Zle_Qle; split; lia. Qed.

Lemma rational_ge0 a : (0 <= rational a)%Q.
Proof. by rewrite -[0%Q]/(rational 0); apply/rational_le. Qed.

Lemma rational_gt0 a : 0 < a -> (0 < rational a)%Q.
Proof. by move=> a_gt0; apply: inject_pos; move: a_gt0; clear; lia. Qed.

(** Ratios whose square is as near to k/q as one likes, and no more. *)
Lemma ratio_near q k n : 0 < q -> 0 < k -> exists g1 g2,
  [/\ 0 < g1, 0 < g2, g1 ^ 2 * q <= g2 ^ 2 * k & n.+1 * (g2 ^ 2 * k) <= n.+3 * (g1 ^ 2 * q)].
Proof.
move=> q_gt0 k_gt0; pose z := n.+3; pose g := Nat.sqrt (q * k * z ^ 2).
have [le_g lt_g] : g * g <= q * k * z ^ 2 /\ q * k * z ^ 2 < (g + 1) * (g + 1).
  by have := PeanoNat.Nat.sqrt_spec (q * k * z ^ 2) (PeanoNat.Nat.le_0_l _); rewrite -/g; move: g; clear; lia.
have g_gt0 : 0 < g.
  rewrite lt0n; apply/eqP => g0; have : 0 < q * k * z ^ 2 by rewrite !muln_gt0 q_gt0 k_gt0.
  by move: lt_g; rewrite g0; clear; lia.
exists g, (q * z); split=> //; first by rewrite muln_gt0 q_gt0.
  by have := leq_mul le_g (leqnn q); clear; lia.
have le_gz : g <= q * k * z.
  apply: sqr_le; rewrite -mulnn; apply: leq_trans le_g _.
  by rewrite expnMn leq_mul2r -mulnn leq_pmull ?muln_gt0 ?q_gt0 ?orbT.
have le_gg : n.+1 * (q * k * z) <= g * g by move: lt_g le_gz; rewrite /z -mulnn; move: (q * k) => x; clear; lia.
by have := leq_mul le_gg (leqnn (q * z)); rewrite -/z; clear; lia.
Qed.

(** What is at most [b], but for a factor near 1, is. *)
Lemma near_one a b : (forall n, n.+1 ^ 4 * a <= n.+3 ^ 4 * b) -> a <= b.
Proof.
move=> near; rewrite leqNgt; apply/negP => lt_b; have := near (8 * a).
pose z := (8 * a).+3; have le_z : z ^ 4 <= (8 * a).+1 ^ 4 + 8 * z ^ 3 by rewrite /z !expnS !expn0; clear; nia.
have := leq_mul le_z (leqnn a); rewrite mulnDl -/z => h1 h2.
have h3 : z ^ 3 * (z * a) <= z ^ 3 * (z * b + 8 * a) by move: h1 h2; rewrite (expnS z 3); clear; lia.
by move: h3; rewrite leq_pmul2l ?expn_gt0 // /z; move: lt_b; clear; nia.
Qed.

(** W bounds f. *)
Definition b4_row (plain : bool) (K mu tau gS gP wS wP V0 V1 K0 K1 Q0 Q1 W : nat) :=
  b4_bounded plain (Z.of_nat K) (Z.of_nat mu) (Z.of_nat tau) (Z.of_nat gS) (Z.of_nat gP) (Z.of_nat wS) (Z.of_nat wP)
    (Z.of_nat V0) (Z.of_nat V1) (Z.of_nat K0) (Z.of_nat K1) (Z.of_nat Q0) (Z.of_nat Q1) (Z.of_nat W).

(** [b4_root_words], in whole numbers. *)
Definition root_words (D Y0 Y1 ps pn rs rn ss sn hh ov ij z a : nat) :=
  [/\ a ^ 2 <= (Y0 ^ 2 * ss + Y1 ^ 2 * sn + Y1 ^ 2 * (ps + pn + hh)) * z,
      D ^ 2 * a ^ 2 <= (D ^ 2 * (Y0 ^ 2 * ss + Y1 ^ 2 * sn + Y0 ^ 2 * rs + Y1 ^ 2 * rn) + Y1 ^ 2 * ov) * z &
      a ^ 2 <= (Y0 ^ 2 * ss + Y1 ^ 2 * sn + (Y1 ^ 2 * (ps + pn) + Y0 ^ 2 * rs + Y1 ^ 2 * rn + Y1 ^ 2 * ij)) * z].

Lemma root_rational D Y0 Y1 ps pn rs rn ss sn hh o v i j z z' a : root_words D Y0 Y1 ps pn rs rn ss sn hh (o * v) (i * j) (z * z') a ->
  b4_root_words (rational D) (rational Y0) (rational Y1) (rational ps) (rational pn) (rational rs) (rational rn) (rational ss) (rational sn)
    (rational hh) (rational o * rational v) (rational i * rational j) (rational z * rational z') (rational a).
Proof. by case=> /rational_le h1 /rational_le h2 /rational_le h3; move: h1 h2 h3; rewrite !rationalE. Qed.

Section Segment.

Variables (plain : bool) (K mu tau gS gP wS wP V0 V1 K0 K1 Q0 Q1 W : nat).
Variables D q k o v uV uK uQ ps pn p rs rn r ss sn A B i j s b c e g : nat.
Hypotheses (K_gt0 : 0 < K) (D_gt0 : 0 < D).
Hypotheses (le_A : D * A <= q) (le_B : D * B <= k) (le_iq : D * i <= q) (le_io : D * i <= o) (le_jk : D * j <= k) (le_jv : D * j <= v).
Local Notation touched := (K * (q + k + o + v + (uV + uK + uQ) + (ps + pn) + (rs + rn) + (ss + sn)) + gS * p + gP * r).
Hypothesis few : touched <= tau * D ^ 2.
Hypothesis twice : touched + K * (uV + uK + uQ + pn + rn + sn) <= tau * D ^ 2 + mu * D ^ 2.
Hypothesis s_square : s ^ 2 <= (ps + pn + p) * (q * k).
Hypothesis s_pairs : plain = false -> s <= D * (ps + pn + p).
Hypothesis s_rows : forall g1 g2, 0 < g1 -> 0 < g2 -> exists2 t,
  t ^ 2 <= 4 * (g1 ^ 2 * g2 ^ 2) * (ps + pn + p) * (g1 ^ 2 * q + g2 ^ 2 * k - D * (g1 ^ 2 * A + g2 ^ 2 * B)) ^ 2 &
  4 * (g1 ^ 2 * g2 ^ 2) * s <= t + (g1 ^ 2 * A + g2 ^ 2 * B) * (g1 ^ 2 * q + g2 ^ 2 * k).
Hypothesis b_square : b ^ 2 <= (rs + rn + r) * (o * v).
Hypothesis b_pairs : plain = false -> b <= D * (rs + rn + r).
Hypothesis c_square : c ^ 2 <= (V0 ^ 2 * ps + V1 ^ 2 * (pn + A * B)) * (uV * o).
Hypothesis c_chains : plain = false -> D * c <= D ^ 2 * (V0 * ps + V1 * pn) + V1 * (q * uV).
Hypothesis c_words : plain = false -> D * c <= D ^ 2 * (V0 * ps + V1 * pn) + V1 * (k * o).
Hypothesis e_root : root_words D K0 K1 ps pn rs rn ss sn (A * B) (o * v) (i * j) (uK * q) e.
Hypothesis e_chains : plain = false -> e <= D * (K1 * (ps + pn) + K0 * (rs + ss) + K1 * (rn + sn)) + K1 * (i * uK).
Hypothesis g_root : root_words D Q0 Q1 ps pn rs rn ss sn (A * B) (o * v) (i * j) (uQ * k) g.
Hypothesis g_chains : plain = false -> D * g <= D ^ 2 * (Q1 * (ps + pn) + Q0 * (rs + ss) + Q1 * (rn + sn)) + Q1 * (k * uQ).

Local Notation work := (wS * s + wP * b + c + e + g).

(** What is a fact of whole numbers; and what of the rest does not depend on the point. *)
Ltac whole := rewrite -?rationalE; apply/rational_le; solve [assumption | auto].
Ltac of_segment := first
  [ exact: rational_ge0 | apply: rational_gt0; assumption | whole | intro; whole | exact: (root_rational e_root) | exact: (root_rational g_root)
  | reflexivity ].

Lemma nothing_near : q * k = 0 -> b4_row plain K mu tau gS gP wS wP V0 V1 K0 K1 Q0 Q1 W -> work <= W * D ^ 3.
Proof.
move=> qk0 bounded; have AB0 : A * B = 0.
  move/eqP: qk0; rewrite muln_eq0 => /orP[/eqP q0|/eqP k0].
    by move: le_A; rewrite q0 leqn0 muln_eq0 (gtn_eqF D_gt0) => /eqP ->.
  by move: le_B; rewrite k0 leqn0 muln_eq0 (gtn_eqF D_gt0) => /eqP ->; rewrite muln0.
have s0 : s = 0 by move: s_square; rewrite qk0 muln0 leqn0 expn_eq0 => /andP[/eqP -> _].
apply/rational_le; rewrite !rationalE.
suff : (1 ^ 2 * (rational wS * rational s + rational wP * rational b + rational c + rational e + rational g) <= rational W * rational D ^ 3)%Q.
  by rewrite Qmult_1_l.
eapply (@b4_near plain (Z.of_nat K) (Z.of_nat mu) (Z.of_nat tau) (Z.of_nat gS) (Z.of_nat gP) (Z.of_nat wS) (Z.of_nat wP)
  (Z.of_nat V0) (Z.of_nat V1) (Z.of_nat K0) (Z.of_nat K1) (Z.of_nat Q0) (Z.of_nat Q1) (Z.of_nat W) (rational D) (rational q) (rational k)
  (rational o) (rational v) (rational uV) (rational uK) (rational uQ) (rational ps) (rational pn) (rational p) (rational rs) (rational rn)
  (rational r) (rational ss) (rational sn) (rational (A * B)) (rational i) (rational j) (rational s) (rational b) (rational c) (rational e)
  (rational g) (rational K)) with
  (n := 1%Q) (q' := rational q) (k' := rational k) (y := 0%Q) (h := 0%Q) (t := 0%Q); try of_segment; try exact: bounded.
all: try (clear; lra).
- by rewrite -rationalM qk0.
- by rewrite AB0; exact: (Qle_refl 0).
by rewrite s0; exact: (Qle_refl 0).
Qed.

Theorem b4_segment : b4_row plain K mu tau gS gP wS wP V0 V1 K0 K1 Q0 Q1 W -> work <= W * D ^ 3.
Proof.
move=> bounded; case: (posnP (q * k)) => [qk0|]; first exact: nothing_near.
rewrite muln_gt0 => /andP[q_gt0 k_gt0]; apply: near_one => n.
have [g1 [g2 [g1_gt0 g2_gt0 less near]]] := ratio_near n q_gt0 k_gt0.
have [t t_square s_sum] := s_rows g1_gt0 g2_gt0.
have z_gt0 := rational_gt0 (ltn0Sn n.+2); pose z := rational n.+3.
have z4 : (0 < (z ^ 2) ^ 2)%Q by do 2!apply: square_pos.
have z_ne0 := pos_nonzero z z_gt0; have le_inv := inverse_nonneg z z_gt0.
have le_n : (rational n.+1 <= z)%Q by apply/rational_le; clear; lia.
have ratio : (((rational n.+1 / z) ^ 2) ^ 2 * (rational wS * rational s + rational wP * rational b + rational c + rational e + rational g)
    <= rational W * rational D ^ 3)%Q.
  eapply (@b4_ratio plain (Z.of_nat K) (Z.of_nat mu) (Z.of_nat tau) (Z.of_nat gS) (Z.of_nat gP) (Z.of_nat wS) (Z.of_nat wP)
  (Z.of_nat V0) (Z.of_nat V1) (Z.of_nat K0) (Z.of_nat K1) (Z.of_nat Q0) (Z.of_nat Q1) (Z.of_nat W) (rational D) (rational q) (rational k)
  (rational o) (rational v) (rational uV) (rational uK) (rational uQ) (rational ps) (rational pn) (rational p) (rational rs) (rational rn)
  (rational r) (rational ss) (rational sn) (rational (A * B)) (rational i) (rational j) (rational s) (rational b) (rational c) (rational e)
  (rational g) (rational K)) with
    (m := (rational n.+1 / z)%Q) (g1 := rational g1) (g2 := rational g2) (A := rational A) (B := rational B) (t := rational t);
    try of_segment; try exact: bounded.
  - by apply: (scaled _ _ _ _ _ le_inv le_n); rewrite /z; [reflexivity|field].
  - by rewrite rationalM.
  - have := proj1 (rational_le _ _) near; rewrite !rationalE -/z => near'.
    by apply: (scaled _ _ _ _ _ le_inv near'); field.
  - have le_whole : D * (g1 ^ 2 * A + g2 ^ 2 * B) <= g1 ^ 2 * q + g2 ^ 2 * k.
      by have := leq_mul (leqnn (g1 ^ 2)) le_A; have := leq_mul (leqnn (g2 ^ 2)) le_B; clear; lia.
    by have := proj1 (rational_le _ _) t_square; rewrite !rationalE (rationalB le_whole) !rationalE; exact: id.
  - by have := proj1 (rational_le _ _) s_sum; rewrite !rationalE; exact: id.
apply/rational_le; rewrite !(expnM _ 2 2) !rationalE -/z.
apply: (scaled _ _ _ _ _ (Qlt_le_weak _ _ z4) ratio); [|ring].
by field.
Qed.

End Segment.
