(** * Segments of the backward pass

    docs/proofs/b3.md, section 2, "what a segment touches" and "what a segment does", with the weights of docs/proofs/b4.md: an event of dV
    weighs [V0] on the pairs that [stP] holds of and [V1] on the others, one of dK or dQ [Y0] or [Y1], by [stD]. For B3 both are the same. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Segments LoomisWhitney Tracing Lines Stores Attention Backward BackwardFacts BackwardPairs.
From Pebble Require B2.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section BackwardSegments.

Variables (Nq Nk d dv : nat) (allowed : 'I_Nq -> 'I_Nk -> bool).

Notation pair := (pair allowed).
Notation query := (query allowed).
Notation key := (key allowed).
Notation G := (backward d dv allowed).
Notation gradient := (gradient d dv allowed).
Notation gradient_vert := (@gradient_vert _ _ d dv allowed).
Notation gradient_follows := (@gradient_follows _ _ d dv allowed).
Notation gradient_chain := (@gradient_chain _ _ d dv allowed).

(** The chains of S and of dP. *)
Definition S_vert (y : pair * 'I_d) : vertex G := S y.1 y.2.
Definition dP_vert (y : pair * 'I_dv) : vertex G := dP y.1 y.2.

Theorem backward_chains M (ms : seq (move G)) : 0 < d -> pebbling M ms -> exists g_when s_when p_when,
  [/\ traced ms gradient_vert gradient_follows g_when, traced ms S_vert (@sums _ d) s_when & traced ms dP_vert (@sums _ dv) p_when].
Proof.
move=> d_gt0 legal_ms.
have [when traced_when] := trace legal_ms (@B2.no_input _ _ d dv allowed) (@B2.follows_left _ _ d dv allowed)
  (@B2.follows_edge _ _ d dv allowed) (@B2.follows_fun _ _ d dv allowed) (fun x => B2.last_step d_gt0 legal_ms (x := x)).
exists (fun x => when (inl (inl x))), (fun x => when (inl (inr x))), (fun x => when (inr x)); split.
- by move=> x; have [comp_x next_x] := traced_when (inl (inl x)); split=> // y; apply: (next_x (inl (inl y))).
- by move=> x; have [comp_x next_x] := traced_when (inl (inr x)); split=> // y; apply: (next_x (inl (inr y))).
by move=> x; have [comp_x next_x] := traced_when (inr x); split=> // y; apply: (next_x (inr y)).
Qed.

Section Segment.

Variables (M : nat) (ms : seq (move G)) (g_when : gradient -> nat) (s_when : pair * 'I_d -> nat) (p_when : pair * 'I_dv -> nat).
Hypothesis legal_ms : pebbling M ms.
Hypothesis g_traced : traced ms gradient_vert gradient_follows g_when.
Hypothesis s_traced : traced ms S_vert (@sums _ d) s_when.
Hypothesis p_traced : traced ms dP_vert (@sums _ dv) p_when.
Variables a b : nat.

(** ** What it touches *)

Definition hand := [set v | at_hand ms a b v].

Local Notation words f := (of_kind (f Nq Nk d dv allowed) hand).

(** Words of the inputs; pairs with a vertex of S or P, of dP, of dS. *)
Definition Q_words : {set query * 'I_d} := words as_Q.
Definition K_words : {set key * 'I_d} := words as_K.
Definition V_words : {set key * 'I_dv} := words as_V.
Definition dO_words : {set query * 'I_dv} := words as_dO.
Definition S_pairs : {set pair} := words as_S.
Definition dP_pairs : {set pair} := words as_dP.
Definition dS_pairs : {set pair} := words as_dS.

(** Whole rows. *)
Definition whole_Q := whole Q_words.
Definition whole_K := whole K_words.
Definition whole_V := whole V_words.
Definition whole_dO := whole dO_words.

(** Accumulators at work. *)
Definition at_work := working gradient_chain g_when a b.
Definition dV_work : {set key * 'I_dv} := [set c | inl (inl c) \in at_work].
Definition dK_work : {set key * 'I_d} := [set c | inl (inr c) \in at_work].
Definition dQ_work : {set query * 'I_d} := [set c | inr c \in at_work].

(** Pairs whose chain of S begins in the segment and that have no vertex of S or P at hand; the same for dP. *)
Definition S_fresh := [set p | (p \notin S_pairs) && [exists k, first (@sums _ d) (p, k) && (a <= s_when (p, k) < b)]].
Definition dP_fresh := [set p | (p \notin dP_pairs) && [exists e, first (@sums _ dv) (p, e) && (a <= p_when (p, e) < b)]].

Let hand_words v : at_hand ms a b v -> v \in hand. Proof. by rewrite inE. Qed.

(** Inputs that a computation in the segment reads. *)
Let operand v u t : a <= t < b -> computed ms t = Some u -> edge v u -> input v -> v \in hand.
Proof.
move=> in_t comp_t edge_v in_v; apply: (input_in_words legal_ms hand_words in_t in_v).
exact: (computed_red legal_ms comp_t edge_v).
Qed.

Let in_segment : closed (@summed _ _ d dv allowed) hand (is_red ms a b) (is_made ms a b) := segment_closed legal_ms hand_words _.

Fact S_vert_inj : injective S_vert. Proof. by move=> [p k] [q k'] [-> ->]. Qed.
Fact dP_vert_inj : injective dP_vert. Proof. by move=> [p e] [q e'] [-> ->]. Qed.

Fact S_edge x y : sums x y -> edge (S_vert x) (S_vert y). Proof. exact: id. Qed.
Fact dP_edge x y : sums x y -> edge (dP_vert x) (dP_vert y). Proof. exact: id. Qed.

Lemma card_at_work : #|at_work| = #|dV_work| + #|dK_work| + #|dQ_work|.
Proof.
have -> : #|at_work| = #|[set c | c \in at_work]| by apply: eq_card => c; rewrite inE.
by rewrite !card_sum_pred.
Qed.

(** All these are different; [handed] are the accumulators with an element at hand. *)
Lemma card_hand : #|Q_words| + #|K_words| + #|V_words| + #|dO_words| + (#|S_pairs| + #|dP_pairs| + #|dS_pairs|) +
  #|handed ms gradient_vert gradient_chain a b| <= #|red_at ms a| + \sum_(a <= t < b) (loaded ms t : bool).
Proof.
apply: leq_trans (card_at_hand ms a b); rewrite -/hand; apply: leq_trans (card_kinds hand); rewrite leq_add2l.
have -> : #|handed ms gradient_vert gradient_chain a b| = #|[set c | c \in handed ms gradient_vert gradient_chain a b]|.
  by apply: eq_card => c; rewrite inE.
by rewrite !card_sum_pred; apply: leq_add; first apply: leq_add; apply/subset_leq_card/subsetP => c; rewrite inE => /imsetP[x];
  rewrite inE => hand_x chain_x; apply: (in_kind (hand_words hand_x)); rewrite kind_chain -chain_x.
Qed.

Lemma work_begun : #|at_work| <= #|handed ms gradient_vert gradient_chain a b| + \sum_(a <= t < b) begun gradient_follows g_when t.
Proof.
pose B := gradient_chain @: [set x | first gradient_follows x && (a <= g_when x < b)].
apply: (@leq_trans #|handed ms gradient_vert gradient_chain a b :|: B|).
  apply/subset_leq_card/subsetP => c /imsetP[x]; rewrite inE => in_x ->; rewrite inE.
  have [y [<- [hand_y|first_y]]] := begun_or_entered legal_ms (@gradient_edge _ _ d dv allowed) g_traced (@gradient_same _ _ d dv allowed) in_x.
    by apply/orP; left; apply/imsetP; exists y; rewrite ?inE.
  by apply/orP; right; apply/imsetP; exists y; rewrite // inE; apply/andP.
apply: leq_trans (leq_card_setU _ _) _; rewrite leq_add2l; apply: (begun_chains _ (@gradient_vert_inj _ _ d dv allowed) g_traced).
Qed.

Lemma card_S_fresh : #|S_fresh| <= \sum_(a <= t < b) begun (@sums _ d) s_when t.
Proof.
apply: leq_trans (begun_chains fst S_vert_inj s_traced a b); apply/subset_leq_card/subsetP => p.
by rewrite inE => /andP[_ /existsP[k begun_p]]; apply/imsetP; exists (p, k); rewrite ?inE.
Qed.

Lemma card_dP_fresh : #|dP_fresh| <= \sum_(a <= t < b) begun (@sums _ dv) p_when t.
Proof.
apply: leq_trans (begun_chains fst dP_vert_inj p_traced a b); apply/subset_leq_card/subsetP => p.
by rewrite inE => /andP[_ /existsP[e begun_p]]; apply/imsetP; exists (p, e); rewrite ?inE.
Qed.

(** ** S and dP *)

Definition S_events := [set y : pair * 'I_d | a <= s_when y < b].
Definition dP_events := [set y : pair * 'I_dv | a <= p_when y < b].

Lemma S_event y : y \in S_events -> [/\ y.1 \in S_pairs :|: S_fresh, (row y.1, y.2) \in Q_words & (column y.1, y.2) \in K_words].
Proof.
rewrite inE => in_y; split.
- have [z [/= <- [hand_z|[first_z in_z]]]] := begun_or_entered legal_ms S_edge s_traced (@sums_same _ d) in_y.
    by rewrite in_setU; apply/orP; left; apply: (in_kind (hand_words hand_z)).
  rewrite in_setU [z.1 \in S_fresh]in_set; case: (z.1 \in S_pairs) => //=; apply/existsP; exists z.2.
  by rewrite -surjective_pairing first_z in_z.
- apply: (@in_kind _ _ _ _ _ _ _ _ (Q (row y.1) y.2)) => //.
  by apply: (operand in_y (s_traced y).1); [rewrite /= !eqxx|apply/forallP => -[]].
apply: (@in_kind _ _ _ _ _ _ _ _ (K (column y.1) y.2)) => //.
by apply: (operand in_y (s_traced y).1); [rewrite /= !eqxx|apply/forallP => -[]].
Qed.

Lemma dP_event y : y \in dP_events -> [/\ y.1 \in dP_pairs :|: dP_fresh, (row y.1, y.2) \in dO_words & (column y.1, y.2) \in V_words].
Proof.
rewrite inE => in_y; split.
- have [z [/= <- [hand_z|[first_z in_z]]]] := begun_or_entered legal_ms dP_edge p_traced (@sums_same _ dv) in_y.
    by rewrite in_setU; apply/orP; left; apply: (in_kind (hand_words hand_z)).
  rewrite in_setU [z.1 \in dP_fresh]in_set; case: (z.1 \in dP_pairs) => //=; apply/existsP; exists z.2.
  by rewrite -surjective_pairing first_z in_z.
- apply: (@in_kind _ _ _ _ _ _ _ _ (dO (row y.1) y.2)) => //.
  by apply: (operand in_y (p_traced y).1); [rewrite /= !eqxx|apply/forallP => -[]].
apply: (@in_kind _ _ _ _ _ _ _ _ (V (column y.1) y.2)) => //.
by apply: (operand in_y (p_traced y).1); [rewrite /= !eqxx|apply/forallP => -[]].
Qed.

Lemma S_root : #|S_events| ^ 2 <= (#|S_pairs| + #|S_fresh|) * #|Q_words| * #|K_words|.
Proof.
apply: leq_trans (leq_mul (leq_mul (leq_card_setU _ _) (leqnn _)) (leqnn _)).
have := @weighted_pairs _ _ allowed _ S_events (S_pairs :|: S_fresh) Q_words K_words (fun=> 1) S_event.
by rewrite !sum1_card.
Qed.

Lemma dP_root : #|dP_events| ^ 2 <= (#|dP_pairs| + #|dP_fresh|) * #|dO_words| * #|V_words|.
Proof.
apply: leq_trans (leq_mul (leq_mul (leq_card_setU _ _) (leqnn _)) (leqnn _)).
have := @weighted_pairs _ _ allowed _ dP_events (dP_pairs :|: dP_fresh) dO_words V_words (fun=> 1) dP_event.
by rewrite !sum1_card.
Qed.

Lemma S_by_pairs : #|S_events| <= d * (#|S_pairs| + #|S_fresh|).
Proof.
apply: leq_trans (leq_mul (leqnn d) (leq_card_setU _ _)).
apply: (@leq_trans #|setX (S_pairs :|: S_fresh) [set: 'I_d]|); last by rewrite cardsX cardsT card_ord mulnC.
by apply/subset_leq_card/subsetP => -[p k] /S_event[known _ _]; rewrite in_setX known in_setT.
Qed.

Lemma dP_by_pairs : #|dP_events| <= dv * (#|dP_pairs| + #|dP_fresh|).
Proof.
apply: leq_trans (leq_mul (leqnn dv) (leq_card_setU _ _)).
apply: (@leq_trans #|setX (dP_pairs :|: dP_fresh) [set: 'I_dv]|); last by rewrite cardsX cardsT card_ord mulnC.
by apply/subset_leq_card/subsetP => -[p k] /dP_event[known _ _]; rewrite in_setX known in_setT.
Qed.

(** What the events of the gradients need. *)
Let is_red_operand x v : a <= g_when x < b -> edge v (gradient_vert x) -> is_red ms a b v.
Proof. by move=> in_x edge_v; exists (g_when x) => //; apply: (computed_red legal_ms (g_traced x).1). Qed.

Let working_chain x : a <= g_when x < b -> gradient_chain x \in at_work.
Proof. by move=> in_x; apply: imset_f; rewrite inE. Qed.

Lemma dV_here x : x \in dV_events g_when a b ->
  [/\ served_S hand x.1, (row x.1, x.2) \in dO_words & (column x.1, x.2) \in dV_work].
Proof.
rewrite inE => in_x; split.
- by apply: (P_served in_segment); apply: is_red_operand in_x _; rewrite /= eqxx.
- apply: (@in_kind _ _ _ _ _ _ _ _ (dO (row x.1) x.2)) => //.
  by apply: (operand in_x (g_traced _).1); [rewrite /= !eqxx|apply/forallP => -[]].
by rewrite inE; apply: (working_chain in_x).
Qed.

Lemma dK_here x : x \in dK_events g_when a b ->
  [/\ served_dS hand x.1, (row x.1, x.2) \in Q_words & (column x.1, x.2) \in dK_work].
Proof.
rewrite inE => in_x; split.
- by apply: (dS_served in_segment); apply: is_red_operand in_x _; rewrite /= eqxx.
- apply: (@in_kind _ _ _ _ _ _ _ _ (Q (row x.1) x.2)) => //.
  by apply: (operand in_x (g_traced _).1); [rewrite /= !eqxx|apply/forallP => -[]].
by rewrite inE; apply: (working_chain in_x).
Qed.

Lemma dQ_here x : x \in dQ_events g_when a b ->
  [/\ served_dS hand x.1, (row x.1, x.2) \in dQ_work & (column x.1, x.2) \in K_words].
Proof.
rewrite inE => in_x; split.
- by apply: (dS_served in_segment); apply: is_red_operand in_x _; rewrite /= eqxx.
- by rewrite inE; apply: (working_chain in_x).
apply: (@in_kind _ _ _ _ _ _ _ _ (K (column x.1) x.2)) => //.
by apply: (operand in_x (g_traced _).1); [rewrite /= !eqxx|apply/forallP => -[]].
Qed.

(** ** dV *)

Section dV.

Variables (stP : pred pair) (V0 V1 : nat).
Hypothesis le_V : V0 <= V1.

Definition dV_done := \sum_(x in dV_events g_when a b) wt stP V0 V1 x.1.

Lemma dV_root : dV_done ^ 2 <= (amount stP (V0 ^ 2) (V1 ^ 2) S_pairs + V1 ^ 2 * (#|whole_Q| * #|whole_K|)) * #|dV_work| * #|dO_words|.
Proof.
have le_done : dV_done ^ 2 <= (\sum_(p in [set p | served_S hand p]) wt stP V0 V1 p ^ 2) * #|dO_words| * #|dV_work|.
  by apply: weighted_pairs => x /dV_here[served in_dO in_dV]; split; rewrite // inE.
apply: leq_trans le_done _; rewrite mulnAC; do 2![apply: leq_mul => //]; rewrite (eq_bigl (fun p => served_S hand p)) => [|p]; last by rewrite inE.
apply: leq_trans (sum_or (A := mem S_pairs) (B := fun p => (row p \in whole_Q) && (column p \in whole_K)) _ _) _ => [p //|].
rewrite sum_squares leq_add2l; apply: leq_trans (leq_mul (leqnn _) (card_rectangle _ _)).
by apply: sum_le_card => p; [rewrite inE|apply: wt_sqr_le].
Qed.

Lemma dV_by_chains : dV_done <= dv * amount stP V0 V1 S_pairs + V1 * (#|whole_Q| * #|dV_work|).
Proof.
rewrite /dV_done (bigID (fun x => x.1 \in S_pairs)) /=; apply: leq_add.
  by rewrite -sum_amount; apply: (pair_by_pair _ (mem S_pairs)).
apply: (by_columns (A := fun p => p \notin S_pairs)) => [p|x /dV_here[served _ in_dV] not_S]; first exact: wt_le.
by move: served; rewrite /served_S (negbTE not_S) => /andP[].
Qed.

Lemma dV_by_words : dV_done <= dv * amount stP V0 V1 S_pairs + V1 * (#|whole_K| * #|dO_words|).
Proof.
rewrite /dV_done (bigID (fun x => x.1 \in S_pairs)) /=; apply: leq_add.
  by rewrite -sum_amount; apply: (pair_by_pair _ (mem S_pairs)).
apply: (by_rows (A := fun p => p \notin S_pairs)) => [p|x /dV_here[served in_dO _] not_S]; first exact: wt_le.
by move: served; rewrite /served_S (negbTE not_S) => /andP[].
Qed.

End dV.

(** ** dK and dQ *)

(** Rows and columns of the pairs that both S and dP are whole for. *)
Definition both_rows := whole_Q :&: whole_dO.
Definition both_columns := whole_K :&: whole_V.

(** dS is red on pairs with a vertex of S, dP or dS at hand, and on those. *)
Definition apart p := (p \in dS_pairs) || ((p \in S_pairs) || (p \in dP_pairs)).
Definition in_both p := (row p \in both_rows) && (column p \in both_columns).

Lemma served_both p : served_dS hand p -> apart p || in_both p.
Proof.
rewrite /served_dS /served_S /served_dP /apart /in_both !in_setI -/S_pairs -/dP_pairs -/dS_pairs.
case: (p \in dS_pairs) => //=; case: (p \in S_pairs) => //=; case: (p \in dP_pairs) => //=.
by case/andP=> /andP[-> ->] /andP[-> ->].
Qed.

Section dS.

Variables (stD : pred pair) (Y0 Y1 : nat).
Hypothesis le_Y : Y0 <= Y1.

(** The squares of the weights of the pairs whose dS can be red in the segment: E. *)
Definition dS_squares := \sum_(p | served_dS hand p) wt stD Y0 Y1 p ^ 2.

Notation squares A := (amount stD (Y0 ^ 2) (Y1 ^ 2) A).

Lemma squares_S : dS_squares <= squares dS_pairs + Y1 ^ 2 * (#|S_pairs| + #|whole_Q| * #|whole_K|).
Proof.
apply: leq_trans (sum_or (A := mem dS_pairs) (B := served_S hand) _ _) _.
  by move=> p /orP[in_dS|/andP[-> _]]; apply/orP; [left|right].
rewrite sum_squares leq_add2l.
apply: leq_trans (sum_le_card (B := S_pairs :|: [set p | (row p \in whole_Q) && (column p \in whole_K)]) _ _) _.
- by move=> p /orP[in_S|in_lines]; rewrite in_setU; apply/orP; [left|right; rewrite in_set].
- by move=> p; apply: wt_sqr_le.
rewrite leq_mul2l; apply/orP; right; apply: leq_trans (leq_card_setU _ _) _; rewrite leq_add2l; exact: card_rectangle.
Qed.

Lemma squares_dP : dS_squares <= squares dS_pairs + (squares dP_pairs + Y1 ^ 2 * (#|whole_dO| * #|whole_V|)).
Proof.
apply: leq_trans (sum_or (A := mem dS_pairs) (B := served_dP hand) _ _) _.
  by move=> p /orP[in_dS|/andP[_ ->]]; apply/orP; [left|right].
rewrite sum_squares leq_add2l.
apply: leq_trans (sum_or (A := mem dP_pairs) (B := fun p => (row p \in whole_dO) && (column p \in whole_V)) _ _) _ => [p //|].
rewrite sum_squares leq_add2l; apply: leq_trans (leq_mul (leqnn _) (card_rectangle _ _)).
by apply: sum_le_card => p; [rewrite inE|apply: wt_sqr_le].
Qed.

Lemma squares_both : dS_squares <= squares dS_pairs + (Y1 ^ 2 * #|S_pairs| + squares dP_pairs + Y1 ^ 2 * (#|both_rows| * #|both_columns|)).
Proof.
apply: leq_trans (sum_or (A := mem dS_pairs) (B := fun p => ((p \in S_pairs) || (p \in dP_pairs)) || in_both p) _ _) _ => [p|].
  by move=> /served_both; rewrite /apart -!orbA.
rewrite sum_squares leq_add2l.
apply: leq_trans (sum_or (A := fun p => (p \in S_pairs) || (p \in dP_pairs)) (B := in_both) _ _) _ => [p //|].
apply: leq_add; last first.
  apply: leq_trans (leq_mul (leqnn _) (card_rectangle _ _)).
  by apply: sum_le_card => p; [rewrite inE|apply: wt_sqr_le].
apply: leq_trans (sum_or (A := mem S_pairs) (B := mem dP_pairs) _ _) _ => [p //|].
rewrite [X in _ + X <= _]sum_squares leq_add2r; by apply: sum_le_card => p //; apply: wt_sqr_le.
Qed.

Definition dK_done := \sum_(x in dK_events g_when a b) wt stD Y0 Y1 x.1.
Definition dQ_done := \sum_(x in dQ_events g_when a b) wt stD Y0 Y1 x.1.

Lemma dK_root : dK_done ^ 2 <= dS_squares * #|dK_work| * #|Q_words|.
Proof.
have le_done : dK_done ^ 2 <= (\sum_(p in [set p | served_dS hand p]) wt stD Y0 Y1 p ^ 2) * #|Q_words| * #|dK_work|.
  by apply: weighted_pairs => x /dK_here[served in_B in_C]; split; rewrite // inE.
apply: leq_trans le_done _; rewrite mulnAC; do 2![apply: leq_mul => //]; apply: eq_leq; apply: eq_bigl => p; by rewrite inE.
Qed.

Lemma dQ_root : dQ_done ^ 2 <= dS_squares * #|dQ_work| * #|K_words|.
Proof.
have le_done : dQ_done ^ 2 <= (\sum_(p in [set p | served_dS hand p]) wt stD Y0 Y1 p ^ 2) * #|dQ_work| * #|K_words|.
  by apply: weighted_pairs => x /dQ_here[served in_B in_C]; split; rewrite // inE.
apply: leq_trans le_done _; do 2![apply: leq_mul => //]; apply: eq_leq; apply: eq_bigl => p; by rewrite inE.
Qed.

Notation weights A := (amount stD Y0 Y1 A).

Lemma apart_weights : \sum_(p | apart p) wt stD Y0 Y1 p <= weights dS_pairs + (Y1 * #|S_pairs| + weights dP_pairs).
Proof.
apply: leq_trans (sum_or (A := mem dS_pairs) (B := fun p => (p \in S_pairs) || (p \in dP_pairs)) _ _) _ => [p //|].
rewrite sum_amount leq_add2l; apply: leq_trans (sum_or (A := mem S_pairs) (B := mem dP_pairs) _ _) _ => [p //|].
rewrite [X in _ + X <= _]sum_amount leq_add2r; by apply: sum_le_card => p //; apply: wt_le.
Qed.

Lemma dK_by_chains : dK_done <= d * (weights dS_pairs + (Y1 * #|S_pairs| + weights dP_pairs)) + Y1 * (#|both_rows| * #|dK_work|).
Proof.
rewrite /dK_done (bigID (fun x => apart x.1)) /=; apply: leq_add.
  apply: leq_trans (pair_by_pair _ apart _) _; rewrite leq_mul2l apart_weights orbT //.
apply: (by_columns (A := fun p => ~~ apart p)) => [p|x /dK_here[served _ in_dK] not_apart]; first exact: wt_le.
by have := served_both served; rewrite (negbTE not_apart) => /andP[].
Qed.

Lemma dQ_by_chains : dQ_done <= d * (weights dS_pairs + (Y1 * #|S_pairs| + weights dP_pairs)) + Y1 * (#|both_columns| * #|dQ_work|).
Proof.
rewrite /dQ_done (bigID (fun x => apart x.1)) /=; apply: leq_add.
  apply: leq_trans (pair_by_pair _ apart _) _; rewrite leq_mul2l apart_weights orbT //.
apply: (by_rows (A := fun p => ~~ apart p)) => [p|x /dQ_here[served in_dQ _] not_apart]; first exact: wt_le.
by have := served_both served; rewrite (negbTE not_apart) => /andP[].
Qed.

End dS.

End Segment.

End BackwardSegments.
