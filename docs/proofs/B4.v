(** * B4

    docs/bounds-b4.md, sections 1 and 2: for every row of parameters, whole numbers of [K]-ths, whose W bounds f0 ([plain]), or f where d = dv. With
    [h] cuts, which is the page's n - 1, and [x] pairs that are P-stored, [y] that are D-stored. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times LoomisWhitney Cutting Tracing Lines Stores Attention Backward BackwardFacts BackwardPairs BackwardSegments.
From Pebble Require Import B4Function B4Segment B4Count.
From Pebble Require T4.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope nat_scope.

(** The rows whole in a set are among those with a given word. *)
Lemma whole_at (X : finType) n (A : {set X * 'I_n}) k : #|whole A| <= #|[set x | (x, k) \in A]|.
Proof. by apply/subset_leq_card/subsetP => x; rewrite !inE => /forallP. Qed.

Section B4.

Variables (Nq Nk d dv : nat) (allowed : 'I_Nq -> 'I_Nk -> bool).

Notation pair := (pair allowed).
Notation query := (query allowed).
Notation key := (key allowed).
Notation G := (backward d dv allowed).
Notation gradient := (gradient d dv allowed).
Notation D := (minn d dv).

Section Pebbling.

Variables (M : nat) (ms : seq (move G)) (g_when : gradient -> nat) (s_when : pair * 'I_d -> nat) (p_when : pair * 'I_dv -> nat).
Hypothesis legal_ms : pebbling M ms.
Hypothesis g_traced : traced ms (@gradient_vert _ _ d dv allowed) (@gradient_follows _ _ d dv allowed) g_when.
Hypothesis s_traced : traced ms (@S_vert _ _ d dv allowed) (@sums _ d) s_when.
Hypothesis p_traced : traced ms (@dP_vert _ _ d dv allowed) (@sums _ dv) p_when.

Section Segment.

Variables a b : nat.

Notation q := #|Q_words ms a b|.
Notation k := #|K_words ms a b|.
Notation A := #|whole_Q ms a b|.
Notation B := #|whole_K ms a b|.

(** Work on S, index by index, if rows weigh g1 squared and keys g2 squared: [t] is what exceeds that on whole rows. *)
Lemma S_by_index (g1 g2 : nat) : exists2 t,
  t ^ 2 <= 4 * (g1 ^ 2 * g2 ^ 2) * (#|S_pairs ms a b| + #|S_fresh ms s_when a b|) * (g1 ^ 2 * q + g2 ^ 2 * k - D * (g1 ^ 2 * A + g2 ^ 2 * B)) ^ 2 &
  4 * (g1 ^ 2 * g2 ^ 2) * #|S_events s_when a b| <= t + (g1 ^ 2 * A + g2 ^ 2 * B) * (g1 ^ 2 * q + g2 ^ 2 * k).
Proof.
pose C := #|S_pairs ms a b| + #|S_fresh ms s_when a b|; pose g := g1 ^ 2 * g2 ^ 2.
pose R l := [set i | (i, l) \in Q_words ms a b]; pose L l := [set j | (j, l) \in K_words ms a b].
pose e l := #|[set p | (p, l) \in S_events s_when a b]|.
pose m l := g1 ^ 2 * #|R l| + g2 ^ 2 * #|L l|; pose H := g1 ^ 2 * A + g2 ^ 2 * B.
have le_H l : H <= m l by apply: leq_add; rewrite leq_mul2l; apply/orP; right; apply: whole_at.
have sum_m : \sum_l m l = g1 ^ 2 * q + g2 ^ 2 * k by rewrite /m big_split -!big_distrr -!card_columns.
have sum_e : #|S_events s_when a b| = \sum_l e l by rewrite card_columns.
have le_C l : e l <= C.
  apply: leq_trans (leq_card_setU _ _); apply/subset_leq_card/subsetP => p; rewrite inE.
  by case/(S_event legal_ms s_traced).
have le_e l : e l <= #|R l| * #|L l|.
  apply: leq_trans (card_rectangle (allowed := allowed) (R l) (L l)); apply/subset_leq_card/subsetP => p.
  by rewrite inE => /(S_event legal_ms s_traced)[_ in_R in_L]; rewrite inE [_ \in R l]inE [_ \in L l]inE in_R in_L.
have le_m l : 4 * (g * e l) <= 1 * m l ^ 2.
  rewrite mul1n; apply: leq_trans (nat_AGM2 _ _); rewrite leq_mul2l /=.
  by apply: leq_trans (leq_mul (leqnn g) (le_e l)) _; rewrite /g mulnACA.
pose t := \sum_l (4 * (g * e l) - 1 * H * m l).
have sum_H : \sum_l (m l - H) = g1 ^ 2 * q + g2 ^ 2 * k - d * H.
  have : \sum_l (m l - H) + \sum_(l < d) H = \sum_l m l by rewrite -big_split; apply: eq_bigr => l _; exact: subnK (le_H l).
  by rewrite sum_nat_const card_ord sum_m => <-; rewrite addnK.
exists t; last first.
  rewrite -sum_m sum_e /t -/H -/g -mulnA !big_distrr /= -big_split /=; apply: leq_sum => l _.
  by rewrite mul1n; move: (4 * (g * e l)) (H * m l) => x y; clear; lia.
apply: (@leq_trans (4 * (g * C) * 1 * (g1 ^ 2 * q + g2 ^ 2 * k - d * H) ^ 2)).
  rewrite -sum_H -mulnn; apply: sum_sqr => l; rewrite mulnn; apply: T4.index_work => //.
  by rewrite leq_mul2l le_C orbT.
rewrite muln1 mulnA leq_mul2l leq_exp2r //; apply/orP; right; apply: leq_sub2l; rewrite leq_mul2r geq_minl orbT //.
Qed.

(** The squares in E(Y), by its three members. *)
Lemma dS_roots st Y0 Y1 z z' n : Y0 <= Y1 -> n ^ 2 <= dS_squares ms a b st Y0 Y1 * z * z' ->
  root_words D Y0 Y1 #|[set p in S_pairs ms a b | P_stored ms p]| #|[set p in S_pairs ms a b | ~~ P_stored ms p]|
    #|[set p in dP_pairs ms a b | st p]| #|[set p in dP_pairs ms a b | ~~ st p]|
    #|[set p in dS_pairs ms a b | st p]| #|[set p in dS_pairs ms a b | ~~ st p]| (A * B) (#|dO_words ms a b| * #|V_words ms a b|)
    (#|both_rows ms a b| * #|both_columns ms a b|) (z * z') n.
Proof.
move=> le_Y le_n; have h1 := squares_S ms a b st le_Y; have h2 := squares_dP ms a b st le_Y; have h3 := squares_both ms a b st le_Y.
rewrite /amount (card_split_light (P_stored ms) (S_pairs ms a b)) in h1 h3; rewrite /amount in h2.
have le_ov : D ^ 2 * (#|whole_dO ms a b| * #|whole_V ms a b|) <= #|dO_words ms a b| * #|V_words ms a b|.
  by rewrite -mulnn mulnACA; apply: leq_mul; apply: leq_trans (card_whole _); rewrite leq_mul2r geq_minr orbT.
rewrite -mulnA in le_n; split; try (apply: leq_trans le_n _; rewrite leq_mul2r; apply/orP; right).
- by apply: leq_trans h1 _; clear; lia.
- apply: leq_trans (leq_mul (leqnn _) le_n) _; rewrite mulnA leq_mul2r; apply/orP; right.
  apply: leq_trans (leq_mul (leqnn _) h2) _; have := leq_mul (leqnn (Y1 ^ 2)) le_ov; clear; lia.
by apply: leq_trans h3 _; clear; lia.
Qed.

End Segment.
End Pebbling.
End B4.
