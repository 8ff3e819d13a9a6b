(** * B4

    docs/proofs/b4.md, sections 1 and 2: for every row of parameters, whole numbers of [K]-ths, whose W bounds f0 ([plain]), or f where d = dv. With
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

(** (2), from the weight of a segment: [n] words of inputs and pairs at hand, [kept] of them on pairs that do not pay. *)
Lemma B4_weight K M mu tau D2 u0 u r moved weight n kept charge : K * M <= mu * D2 -> u0 <= u -> u0 + kept <= r -> r <= M ->
  n + 2 * u <= u0 + r + moved -> K * moved + charge <= weight -> K * r + weight <= tau * D2 ->
  K * (n + u) + charge <= tau * D2 /\ K * (n + u) + charge + K * (u + kept) <= tau * D2 + mu * D2.
Proof.
move=> le_M le_u0 le_kept le_r le_n le_weight le_T.
have h0 := leq_mul (leqnn K) le_u0; have h1 := leq_mul (leqnn K) le_n; have h2 := leq_mul (leqnn K) le_kept; have h3 := leq_mul (leqnn K) le_r.
by split; move: h0 h1 h2 h3 le_M le_weight le_T; clear; lia.
Qed.

(** A product that weighs nothing is not counted. *)
Lemma root_of_weight (w n p q k p' : nat) : n ^ 2 <= (p + p') * q * k -> ((0 < w) * n) ^ 2 <= (p + (0 < w) * p') * (q * k).
Proof. by rewrite mulnA; case: w => [|w]; rewrite ?mul1n. Qed.

Lemma all_of_weight (w n d p p' : nat) : n <= d * (p + p') -> (0 < w) * n <= d * (p + (0 < w) * p').
Proof. by case: w => [|w]; rewrite ?mul1n. Qed.

(** A second member, in words: [A] lines are whole. *)
Lemma by_words D n amount c w A u q : D = n -> D * A <= q -> c <= n * amount + w * (A * u) -> D * c <= D ^ 2 * amount + w * (q * u).
Proof.
move=> <- le_A le_c; have h1 := leq_mul (leqnn D) le_c; have h2 := leq_mul (leqnn w) (leq_mul le_A (leqnn u)).
by move: h1 h2; clear; lia.
Qed.

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

Section Row.

Variables (plain : bool) (K mu tau gS gP wS wP V0 V1 K0 K1 Q0 Q1 W : nat).
Hypotheses (d_gt0 : 0 < d) (dv_gt0 : 0 < dv) (K_gt0 : 0 < K) (le_V : V0 <= V1) (le_K : K0 <= K1) (le_Q : Q0 <= Q1).
Hypothesis square : plain = false -> d = dv.
Hypothesis bounded : b4_row plain K mu tau gS gP wS wP V0 V1 K0 K1 Q0 Q1 W.
Hypothesis le_M : K * M <= mu * D ^ 2.

Lemma B4_segment a b :
  K * #|red_at ms a| + \sum_(a <= t < b) move_weight ms g_when s_when p_when K ((0 < wS) * gS) ((0 < wP) * gP) t <= tau * D ^ 2 ->
  segment_work ms g_when s_when p_when wS wP V0 V1 K0 K1 Q0 Q1 a b <= W * D ^ 3.
Proof.
move=> le_T; have D_gt0 : 0 < D by rewrite leq_min d_gt0.
have [u0 [le_u0 le_red le_moved]] := B4_touched legal_ms g_traced a b.
have le_weight := segment_weight g_when s_traced p_traced K ((0 < wS) * gS) ((0 < wP) * gP) a b.
have le_M' := leq_mul (leqnn K) (card_red legal_ms a); have eq_work := card_at_work g_when a b.
rewrite (card_split_light (P_stored ms) (S_pairs ms a b)) (card_split_light (D_stored ms) (dP_pairs ms a b))
  (card_split_light (D_stored ms) (dS_pairs ms a b)) eq_work in le_moved; rewrite eq_work in le_u0.
have lines (X : finType) n (A : {set X * 'I_n}) (B : {set X}) : D <= n -> B \subset whole A -> D * #|B| <= #|A|.
  by move=> le_n sub; apply: leq_trans (card_whole A); apply: leq_mul => //; apply: subset_leq_card.
have le_q := lines _ _ (Q_words ms a b) _ (geq_minl d dv) (subxx _); have le_k := lines _ _ (K_words ms a b) _ (geq_minl d dv) (subxx _).
have le_rQ := lines _ _ (Q_words ms a b) (both_rows ms a b) (geq_minl d dv) (subsetIl _ _).
have le_rO := lines _ _ (dO_words ms a b) (both_rows ms a b) (geq_minr d dv) (subsetIr _ _).
have le_cK := lines _ _ (K_words ms a b) (both_columns ms a b) (geq_minl d dv) (subsetIl _ _).
have le_cV := lines _ _ (V_words ms a b) (both_columns ms a b) (geq_minr d dv) (subsetIr _ _).
have S_root' := S_root legal_ms s_traced a b; have S_all := S_by_pairs legal_ms s_traced a b.
have dP_root' := dP_root legal_ms p_traced a b; have dP_all := dP_by_pairs legal_ms p_traced a b.
have V_root := dV_root legal_ms g_traced a b (P_stored ms) le_V; have V_chains := dV_by_chains legal_ms g_traced a b (P_stored ms) le_V.
have V_by_words := dV_by_words legal_ms g_traced a b (P_stored ms) le_V.
have K_root := dK_root legal_ms g_traced a b (D_stored ms) K0 K1; have K_chains := dK_by_chains legal_ms g_traced a b (D_stored ms) le_K.
have Q_root := dQ_root legal_ms g_traced a b (D_stored ms) Q0 Q1.
have Q_chains := dQ_by_chains legal_ms g_traced a b (D_stored ms) le_Q.
rewrite /amount in V_root V_chains V_by_words K_chains Q_chains.
rewrite (card_split_light (P_stored ms) (S_pairs ms a b)) in S_root' S_all K_chains Q_chains.
rewrite (card_split_light (D_stored ms) (dP_pairs ms a b)) in dP_root' dP_all.
have same : plain = false -> D = d /\ D = dv by move=> /square eq_d; rewrite -eq_d minnn.
have of_weight (w n : nat) : w * ((0 < w) * n) = w * n by case: w => [|w]; rewrite ?mul0n ?mul1n.
rewrite /segment_work -(of_weight wS) -(of_weight wP).
have weighed := B4_weight (n := #|Q_words ms a b| + #|K_words ms a b| + #|dO_words ms a b| + #|V_words ms a b| +
    (#|[set p in S_pairs ms a b | P_stored ms p]| + #|[set p in S_pairs ms a b | ~~ P_stored ms p]| +
    (#|[set p in dP_pairs ms a b | D_stored ms p]| + #|[set p in dP_pairs ms a b | ~~ D_stored ms p]|) +
    (#|[set p in dS_pairs ms a b | D_stored ms p]| + #|[set p in dS_pairs ms a b | ~~ D_stored ms p]|)))
  (kept := #|[set p in S_pairs ms a b | ~~ P_stored ms p]| + #|[set p in dP_pairs ms a b | ~~ D_stored ms p]| +
    #|[set p in dS_pairs ms a b | ~~ D_stored ms p]|)
  (charge := (0 < wS) * gS * #|S_fresh ms s_when a b| + (0 < wP) * gP * #|dP_fresh ms p_when a b|) le_M le_u0 _ (card_red legal_ms a) le_moved _ le_T.
rewrite !addnA in le_red le_weight weighed; have {}weighed := weighed le_red le_weight.
apply: (@b4_segment plain K mu tau gS gP wS wP V0 V1 K0 K1 Q0 Q1 W D #|Q_words ms a b| #|K_words ms a b| #|dO_words ms a b| #|V_words ms a b|
  #|dV_work g_when a b| #|dK_work g_when a b| #|dQ_work g_when a b|
  #|[set p in S_pairs ms a b | P_stored ms p]| #|[set p in S_pairs ms a b | ~~ P_stored ms p]| ((0 < wS) * #|S_fresh ms s_when a b|)
  #|[set p in dP_pairs ms a b | D_stored ms p]| #|[set p in dP_pairs ms a b | ~~ D_stored ms p]| ((0 < wP) * #|dP_fresh ms p_when a b|)
  #|[set p in dS_pairs ms a b | D_stored ms p]| #|[set p in dS_pairs ms a b | ~~ D_stored ms p]|
  #|whole_Q ms a b| #|whole_K ms a b| #|both_rows ms a b| #|both_columns ms a b|) => //.
- by have [few _] := weighed; move: few; clear; lia.
- by have [_ twice] := weighed; move: twice; clear; lia.
- exact: root_of_weight S_root'.
- by move=> /same[-> _]; apply: all_of_weight.
- move=> g1 g2 _ _; case: (wS) => [|w]; first by exists 0; rewrite ?muln0.
  have [t le_t le_e] := S_by_index a b g1 g2; rewrite (card_split_light (P_stored ms) (S_pairs ms a b)) in le_t.
  by exists t; rewrite mul1n.
- exact: root_of_weight dP_root'.
- by move=> /same[_ ->]; apply: all_of_weight.
- by apply: leq_trans V_root _; rewrite -mulnA leq_mul2r; apply/orP; right; clear; lia.
- by move=> /same[_ eq_D]; exact: by_words eq_D le_q V_chains.
- by move=> /same[_ eq_D]; exact: by_words eq_D le_k V_by_words.
- exact: dS_roots le_K K_root.
- by move=> /same[-> _]; apply: leq_trans K_chains _; clear; lia.
- exact: dS_roots le_Q Q_root.
move=> /same[eq_D _]; apply: by_words eq_D le_cK _; apply: leq_trans Q_chains _; clear; lia.
Qed.

End Row.
End Pebbling.

Theorem B4 (plain : bool) K mu tau gS gP wS wP V0 V1 K0 K1 Q0 Q1 W M (ms : seq (move G)) :
  pebbling M ms -> 0 < d -> 0 < dv -> 0 < K -> gS <= 2 * K -> gP <= 2 * K -> V0 <= V1 -> K0 <= K1 -> Q0 <= Q1 -> (plain = false -> d = dv) ->
  b4_row plain K mu tau gS gP wS wP V0 V1 K0 K1 Q0 Q1 W -> K * M <= mu * D ^ 2 ->
  exists x y, [/\ x <= #|pair|, y <= #|pair| & forall h, 0 < h ->
    h * (W * D ^ 3) + x * (V1 - V0) * dv + y * (K1 - K0 + (Q1 - Q0)) * d < #|pair| * ((wS + K1 + Q1) * d + (wP + V1) * dv) ->
    K * (M + 2) + h * (tau * D ^ 2) + K * (x + y) <
      K * io ms + ((0 < wS) * gS + (0 < wP) * gP) * #|pair| + K * (#|query| * d + #|key| * (d + dv)) + h * (K * (M + 2))].
Proof.
move=> legal_ms d_gt0 dv_gt0 K_gt0 gS_le gP_le le_V le_K le_Q square bounded le_M.
have [g_when [s_when [p_when [g_traced s_traced p_traced]]]] := backward_chains d_gt0 legal_ms.
exists #|[set p | P_stored ms p]|, #|[set p | D_stored ms p]|; split=> [||h h_gt0 many]; [exact: max_card|exact: max_card|].
have le_charge (w g : nat) : g <= 2 * K -> (0 < w) * g <= 2 * K by case: w => [|w]; rewrite ?mul0n ?mul1n.
have seg := B4_segment legal_ms g_traced s_traced p_traced d_gt0 dv_gt0 K_gt0 le_V le_K le_Q square bounded le_M.
have := B4_cut legal_ms g_traced s_traced p_traced (le_charge wS _ gS_le) (le_charge wP _ gP_le) le_V le_K le_Q seg h_gt0.
rewrite /relief /all_work addnA => /(_ many).
have -> : @accumulators Nq Nk d dv allowed = #|query| * d + #|key| * (d + dv) by rewrite /accumulators; clear; lia.
rewrite -(ltn_add2r h); apply: leq_trans; move: h_gt0; clear; lia.
Qed.

End B4.
