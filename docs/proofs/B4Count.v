(** * Counting segments of the backward pass for B4

    docs/proofs/b4.md, section 2, "weights", "what a segment touches" and "counting": stores of four kinds of vertices that are all different,
    (3); (2) but for W; and the cutting lemma for segments that do no more than [F]. Weights are in units of 1/K. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times LoomisWhitney Cutting Tracing Lines Stores Attention Backward BackwardFacts BackwardPairs BackwardSegments.
From Pebble Require ForwardCount.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** What is last in its line has no next. *)
Lemma last_no_next (P L : finType) (line : P -> L) (rank : P -> nat) n (x y : accumulator P n) :
  last_in line rank x.1 -> ~~ adds line rank x y.
Proof.
move=> /forallP /(_ y.1) /implyP last_x; apply/negP => /andP[/and3P[/eqP eq_line lt_y _] _].
by move: lt_y; rewrite ltnNge last_x // eq_line.
Qed.

Section B4Count.

Variables (Nq Nk d dv : nat) (allowed : 'I_Nq -> 'I_Nk -> bool).

Notation pair := (pair allowed).
Notation query := (query allowed).
Notation key := (key allowed).
Notation G := (backward d dv allowed).
Notation gradient := (gradient d dv allowed).
Notation gradient_vert := (@gradient_vert _ _ d dv allowed).
Notation gradient_follows := (@gradient_follows _ _ d dv allowed).
Notation gradient_chain := (@gradient_chain _ _ d dv allowed).

(** The number of accumulators. *)
Definition accumulators := #|key| * dv + #|key| * d + #|query| * d.

Lemma gradient_ends c : exists2 x, gradient_chain x = c & forall y, ~~ gradient_follows x y.
Proof.
case: c => [[[j e]|[j k]]|[i k]].
- have [p /andP[/eqP <- last_p]] := last_of_key j.
  by exists (inl (inl (p, e))) => // -[[y|y]|y] //; apply: last_no_next.
- have [p /andP[/eqP <- last_p]] := last_of_key j.
  by exists (inl (inr (p, k))) => // -[[y|y]|y] //; apply: last_no_next.
have [p /andP[/eqP <- last_p]] := AttentionFacts.last_pair_of i.
by exists (inr (p, k)) => // -[[y|y]|y] //; apply: last_no_next.
Qed.

Lemma card_ends : accumulators <= #|[set x | [forall y, ~~ gradient_follows x y]]|.
Proof.
have -> : accumulators = #|[finType of key * 'I_dv + key * 'I_d + query * 'I_d]|.
  by rewrite /accumulators !card_sum !card_prod !card_ord.
rewrite -cardsT; apply: leq_trans (leq_imset_card gradient_chain _); apply/subset_leq_card/subsetP => c _.
by have [x <- none] := gradient_ends c; apply: imset_f; rewrite inE; apply/forallP.
Qed.

Variables (M : nat) (ms : seq (move G)) (g_when : gradient -> nat) (s_when : pair * 'I_d -> nat) (p_when : pair * 'I_dv -> nat).
Hypothesis legal_ms : pebbling M ms.
Hypothesis g_traced : traced ms gradient_vert gradient_follows g_when.
Hypothesis s_traced : traced ms (@S_vert _ _ d dv allowed) (@sums _ d) s_when.
Hypothesis p_traced : traced ms (@dP_vert _ _ d dv allowed) (@sums _ dv) p_when.

(** Pairs that pay: a vertex of S or P is ever stored, or of dP or dS. *)
Definition P_stored (p : pair) := ever_stored ms (P p : vertex G) || [exists k, ever_stored ms (S p k : vertex G)].
Definition D_stored (p : pair) := ever_stored ms (dS p : vertex G) || [exists e, ever_stored ms (dP p e : vertex G)].

Notation reload := (reload ms gradient_vert gradient_follows g_when).
Notation begun_g := (begun gradient_follows g_when).

Lemma B4_stores : \sum_(0 <= t < size ms) reload t + #|[set p | P_stored p]| + #|[set p | D_stored p]| + accumulators <= stores ms.
Proof.
apply: leq_trans (stores_ever ms).
pose f (v : vertex G) : gradient + (pair + pair) + unit :=
  match v with
  | dV p e => inl (inl (inl (inl (p, e))))
  | dK p k => inl (inl (inl (inr (p, k))))
  | dQ p k => inl (inl (inr (p, k)))
  | S p _ => inl (inr (inl p))
  | P p => inl (inr (inl p))
  | dP p _ => inl (inr (inr p))
  | dS p => inl (inr (inr p))
  | _ => inr tt
  end.
apply: leq_trans (leq_imset_card f _).
have in_E v : ever_stored ms v -> f v \in f @: [set v | ever_stored ms v] by move=> st; apply: imset_f; rewrite inE.
move: (f @: _) in_E => E in_E.
rewrite (card_sum_set E) (card_sum_set [set x | inl x \in E]) (card_sum_set [set y | inr y \in [set x | inl x \in E]]).
set Eg := [set x | inl x \in [set x | inl x \in E]]; set Ep := [set x | inl x \in _]; set Ed := [set y | inr y \in _].
have stored_p : #|[set p | P_stored p]| <= #|Ep|.
  apply/subset_leq_card/subsetP => p; rewrite !inE => /orP[/in_E //|/existsP[k /in_E]]; exact: id.
have stored_d : #|[set p | D_stored p]| <= #|Ed|.
  apply/subset_leq_card/subsetP => p; rewrite !inE => /orP[/in_E //|/existsP[k /in_E]]; exact: id.
have f_gradient x : f (gradient_vert x) = inl (inl x) by case: x => [[[p e]|[p e]]|[p e]].
have in_Eg x : ever_stored ms (gradient_vert x) -> x \in Eg by move=> /in_E; rewrite f_gradient !inE.
have stored_g : \sum_(0 <= t < size ms) reload t + accumulators <= #|Eg|.
  rewrite -(cardsID [set x | [exists y, gradient_follows x y]] Eg); apply: leq_add.
    apply: leq_trans (reload_stores legal_ms g_when (@gradient_no_input _ _ d dv allowed) (@gradient_fun _ _ d dv allowed)) _.
    by apply/subset_leq_card/subsetP => x; rewrite in_setI !in_set => /andP[-> /in_Eg]; rewrite !inE andbT.
  apply: leq_trans card_ends _; apply/subset_leq_card/subsetP => x; rewrite in_set => /forallP none.
  rewrite in_setD in_set; apply/andP; split; first by apply/existsPn.
  apply: in_Eg; have [t lt_t st_t] := output_stored legal_ms (gradient_output none) (gradient_no_input x).
  by apply/existsP; exists (Ordinal lt_t); rewrite st_t.
by move: stored_p stored_d stored_g; clear; lia.
Qed.

(** ** What a segment touches *)

Section Touched.

Variables a b : nat.

Notation kept st A := #|[set p in A | ~~ st p]|.
Notation S_pairs := (S_pairs ms a b).
Notation dP_pairs := (dP_pairs ms a b).
Notation dS_pairs := (dS_pairs ms a b).
Notation at_work := (@at_work _ _ d dv allowed g_when a b).

(** A pair at hand that does not pay is red at the start. *)
Let red_kind v x : ~~ input v -> ~~ ever_stored ms v -> at_hand ms a b v -> kind_of v = x -> x \in @kind_of _ _ d dv allowed @: red_at ms a.
Proof. by move=> not_in not_st hand_v <-; apply: imset_f; exact: (hand_red legal_ms not_in not_st hand_v). Qed.

Lemma B4_kept : #|at_work :&: entering ms gradient_vert gradient_chain a| + kept P_stored S_pairs + kept D_stored dP_pairs +
  kept D_stored dS_pairs <= #|red_at ms a|.
Proof.
have le_S : kept P_stored S_pairs <= #|of_kind (@as_S _ _ d dv allowed) (red_at ms a)|.
  apply/subset_leq_card/subsetP => p; rewrite 3!inE negb_or => /andP[/imsetP[v in_v eq_v] /andP[no_P /existsPn no_S]].
  rewrite inE in in_v; case: v in_v eq_v => // q => [k|] hand_v [eq_p]; rewrite eq_p in no_P no_S *.
    by apply: (red_kind _ (no_S k) hand_v) => //; apply/forallPn; exists (Q (row q) k); rewrite negbK /= !eqxx.
  by apply: (red_kind _ no_P hand_v) => //; apply/forallPn; exists (RowSum (row q)); rewrite negbK /= eqxx.
have le_dP : kept D_stored dP_pairs <= #|of_kind (@as_dP _ _ d dv allowed) (red_at ms a)|.
  apply/subset_leq_card/subsetP => p; rewrite 3!inE negb_or => /andP[/imsetP[v in_v eq_v] /andP[_ /existsPn no_dP]].
  rewrite inE in in_v; case: v in_v eq_v => // q e hand_v [eq_p]; rewrite eq_p in no_dP *.
  by apply: (red_kind _ (no_dP e) hand_v) => //; apply/forallPn; exists (dO (row q) e); rewrite negbK /= !eqxx.
have le_dS : kept D_stored dS_pairs <= #|of_kind (@as_dS _ _ d dv allowed) (red_at ms a)|.
  apply/subset_leq_card/subsetP => p; rewrite 3!inE negb_or => /andP[/imsetP[v in_v eq_v] /andP[no_dS _]].
  rewrite inE in in_v; case: v in_v eq_v => // q hand_v [eq_p]; rewrite eq_p in no_dS *.
  by apply: (red_kind _ no_dS hand_v) => //; apply/forallPn; exists (P q); rewrite negbK /= eqxx.
have le_g : #|at_work :&: entering ms gradient_vert gradient_chain a| <= #|of_kind (@as_dV _ _ d dv allowed) (red_at ms a)| +
    #|of_kind (@as_dK _ _ d dv allowed) (red_at ms a)| + #|of_kind (@as_dQ _ _ d dv allowed) (red_at ms a)|.
  apply: leq_trans (subset_leq_card (subsetIr _ _)) _.
  have -> : #|entering ms gradient_vert gradient_chain a| = #|[set c | c \in entering ms gradient_vert gradient_chain a]|.
    by apply: eq_card => c; rewrite inE.
  by rewrite !card_sum_pred; apply: leq_add; first apply: leq_add; apply/subset_leq_card/subsetP => c; rewrite inE => /imsetP[x];
    rewrite inE => red_x chain_x; apply: (in_kind red_x); rewrite kind_chain -chain_x.
have := card_kinds (red_at ms a); move: le_S le_dP le_dS le_g; clear; lia.
Qed.

(** (2): [u0] accumulators enter through a vertex that is red at the start. *)
Lemma B4_touched : exists u0, [/\ u0 <= #|at_work|,
  u0 + kept P_stored S_pairs + kept D_stored dP_pairs + kept D_stored dS_pairs <= #|red_at ms a| &
  #|Q_words ms a b| + #|K_words ms a b| + #|dO_words ms a b| + #|V_words ms a b| + (#|S_pairs| + #|dP_pairs| + #|dS_pairs|) + 2 * #|at_work| <=
  u0 + #|red_at ms a| + \sum_(a <= t < b) ((loaded ms t : bool) + reload t + 2 * begun_g t)].
Proof.
have [H sub_H le_work] := working_weight legal_ms (@gradient_vert_inj _ _ d dv allowed) (@gradient_edge _ _ d dv allowed)
  (@gradient_same _ _ d dv allowed) g_traced a b.
exists #|at_work :&: entering ms gradient_vert gradient_chain a|; split; [exact: subset_leq_card (subsetIl _ _)|exact: B4_kept|].
have -> : \sum_(a <= t < b) ((loaded ms t : bool) + reload t + 2 * begun_g t) =
    \sum_(a <= t < b) (loaded ms t : bool) + \sum_(a <= t < b) reload t + 2 * \sum_(a <= t < b) begun_g t.
  by rewrite [2 * _]big_distrr -!big_split.
have := subset_leq_card sub_H; have := card_hand ms a b.
by move: le_work; rewrite -/at_work; clear; lia.
Qed.

End Touched.

(** ** Weights of moves, and work *)

Section Count.

Variables K gS gP wS wP V0 V1 K0 K1 Q0 Q1 T F : nat.
Hypotheses (gS_le : gS <= 2 * K) (gP_le : gP <= 2 * K) (le_V : V0 <= V1) (le_K : K0 <= K1) (le_Q : Q0 <= Q1).

Notation begun_S := (begun (@sums pair d) s_when).
Notation begun_dP := (begun (@sums pair dv) p_when).

Definition move_weight t := K * ((loaded ms t : bool) + reload t + 2 * begun_g t) + gS * begun_S t + gP * begun_dP t.

Lemma move_weight_le t : move_weight t <= 2 * K.
Proof.
have at_g : begun_g t -> exists x, computed ms t = Some (gradient_vert x).
  by case/existsP=> x /andP[_ /eqP <-]; exists x; rewrite (g_traced x).1.
have at_S : begun_S t -> exists y : pair * 'I_d, computed ms t = Some (S y.1 y.2 : vertex G).
  by case/existsP=> y /andP[_ /eqP <-]; exists y; rewrite (s_traced y).1.
have at_dP : begun_dP t -> exists y : pair * 'I_dv, computed ms t = Some (dP y.1 y.2 : vertex G).
  by case/existsP=> y /andP[_ /eqP <-]; exists y; rewrite (p_traced y).1.
have at_load : (loaded ms t : bool) -> computed ms t = None by rewrite /loaded /computed; case: (move_at ms t) => [[]|].
have at_reload : reload t -> (loaded ms t : bool) by case/existsP=> x /andP[/eqP -> _].
have no_gS x (y : pair * 'I_d) : gradient_vert x <> S y.1 y.2 by case: x => [[z|z]|z].
have no_gP x (y : pair * 'I_dv) : gradient_vert x <> dP y.1 y.2 by case: x => [[z|z]|z].
rewrite /move_weight; case load_t: (loaded ms t : bool).
  have none := at_load load_t.
  have -> : begun_g t = false by apply: contraTF isT => /at_g[x]; rewrite none.
  have -> : begun_S t = false by apply: contraTF isT => /at_S[x]; rewrite none.
  have -> : begun_dP t = false by apply: contraTF isT => /at_dP[x]; rewrite none.
  by case: (reload t); clear; lia.
have -> : reload t = false by apply/negbTE; apply: contraFN load_t.
case begun_t: (begun_g t).
  have [x comp_x] := at_g begun_t.
  have -> : begun_S t = false by apply: contraTF isT => /at_S[y]; rewrite comp_x => -[/no_gS].
  have -> : begun_dP t = false by apply: contraTF isT => /at_dP[y]; rewrite comp_x => -[/no_gP].
  by clear; lia.
case begun_t': (begun_S t); last by case: (begun_dP t); move: gP_le; clear; lia.
have [y comp_y] := at_S begun_t'.
have -> : begun_dP t = false by apply: contraTF isT => /at_dP[z]; rewrite comp_y.
by move: gS_le; clear; lia.
Qed.

Lemma segment_weight a b : K * (\sum_(a <= t < b) ((loaded ms t : bool) + reload t + 2 * begun_g t)) +
  gS * #|S_fresh ms s_when a b| + gP * #|dP_fresh ms p_when a b| <= \sum_(a <= t < b) move_weight t.
Proof.
have -> : \sum_(a <= t < b) move_weight t = K * (\sum_(a <= t < b) ((loaded ms t : bool) + reload t + 2 * begun_g t)) +
    gS * (\sum_(a <= t < b) begun_S t) + gP * (\sum_(a <= t < b) begun_dP t) by rewrite !big_distrr -!big_split.
by apply: leq_add; first rewrite leq_add2l; rewrite leq_mul2l; apply/orP; right; [apply: card_S_fresh|apply: card_dP_fresh].
Qed.

Definition gradient_weight (x : gradient) :=
  match x with
  | inl (inl y) => wt P_stored V0 V1 y.1
  | inl (inr y) => wt D_stored K0 K1 y.1
  | inr y => wt D_stored Q0 Q1 y.1
  end.
Definition work_at t := wS * #|[set y | s_when y == t]| + wP * #|[set y | p_when y == t]| + \sum_(x | g_when x == t) gradient_weight x.
Definition segment_work a b := wS * #|S_events s_when a b| + wP * #|dP_events p_when a b| + dV_done g_when a b P_stored V0 V1 +
  dK_done g_when a b D_stored K0 K1 + dQ_done g_when a b D_stored Q0 Q1.

Lemma sum_work a b : \sum_(a <= t < b) work_at t = segment_work a b.
Proof.
rewrite /work_at !big_split /= -!big_distrr /= !ForwardCount.card_times_sum ForwardCount.sum_times.
rewrite /segment_work -!addnA; congr (_ + (_ + _)); rewrite big_sumType big_sumType /= -addnA.
by congr (_ + (_ + _)); apply: eq_bigl => x; rewrite inE.
Qed.

(** What all pairs would weigh if none were stored. *)
Definition all_work := #|pair| * ((wS + K1 + Q1) * d + (wP + V1) * dv).
Definition relief := #|[set p | P_stored p]| * (V1 - V0) * dv + #|[set p | D_stored p]| * (K1 - K0 + (Q1 - Q0)) * d.

Lemma weight_pairs n (st : pred pair) w0 w1 : w0 <= w1 ->
  \sum_(x : pair * 'I_n) wt st w0 w1 x.1 + #|[set p | st p]| * (w1 - w0) * n = #|pair| * w1 * n.
Proof.
move=> le_w; have -> : \sum_(x : pair * 'I_n) wt st w0 w1 x.1 = \sum_(p : pair) n * wt st w0 w1 p.
  rewrite -(pair_bigA _ (fun (p : pair) (_ : 'I_n) => wt st w0 w1 p)) /=.
  by apply: eq_bigr => p _; rewrite sum_nat_const card_ord.
rewrite -big_distrr /=; have sum_weight : \sum_(p : pair) wt st w0 w1 p + #|[set p | st p]| * (w1 - w0) = #|pair| * w1.
  rewrite -[#|pair|]sum1_card -sum1_card !big_distrl /= [X in _ + X = _]big_mkcond -big_split /=; apply: eq_bigr => p _.
  by rewrite inE /wt !mul1n; case: (st p); rewrite ?addn0 // subnKC.
by rewrite mulnC -mulnDl sum_weight.
Qed.

Lemma total_work : segment_work 0 (size ms) + relief = all_work.
Proof.
have all_events n (when : pair * 'I_n -> nat) : (forall y, when y < size ms) -> #|[set y | 0 <= when y < size ms]| = #|pair| * n.
  move=> small; rewrite (_ : [set y | _] = setT) ?cardsT ?card_prod ?card_ord //.
  by apply/setP => y; rewrite !inE small.
rewrite /segment_work /S_events /dP_events !all_events; try exact: traced_size.
have done n (E : {set pair * 'I_n}) (w : pair -> nat) : (forall x, x \in E) -> \sum_(x in E) w x.1 = \sum_(x : pair * 'I_n) w x.1.
  by move=> all_E; apply: eq_bigl => x; rewrite all_E.
rewrite /dV_done /dK_done /dQ_done !done => [|x|x|x]; try by rewrite inE (traced_size g_traced).
have := weight_pairs dv P_stored le_V; have := weight_pairs d D_stored le_K; have := weight_pairs d D_stored le_Q.
rewrite /relief /all_work; move: (\sum_x _) (\sum_x _) (\sum_x _) => e3 e2 e1.
rewrite !(mulnDl _ _ d) mulnDr !mulnDl.
by move: #|pair| #|[set p | P_stored p]| #|[set p | D_stored p]| => z x y; clear; lia.
Qed.

(** (3) *)
Lemma sum_move_weights : \sum_(0 <= t < size ms) move_weight t + K * (#|[set p | P_stored p]| + #|[set p | D_stored p]|) <=
  K * io ms + (gS + gP) * #|pair| + K * accumulators.
Proof.
have le_S : \sum_(0 <= t < size ms) begun_S t <= #|pair| := leq_trans (sum_begun ms _ s_when) (@card_sums pair d).
have le_dP : \sum_(0 <= t < size ms) begun_dP t <= #|pair| := leq_trans (sum_begun ms _ p_when) (@card_sums pair dv).
have le_g : \sum_(0 <= t < size ms) begun_g t <= accumulators := leq_trans (sum_begun ms _ g_when) (@card_first_gradient _ _ d dv allowed).
have -> : \sum_(0 <= t < size ms) move_weight t = K * (\sum_(0 <= t < size ms) (loaded ms t : bool) + \sum_(0 <= t < size ms) reload t +
    2 * \sum_(0 <= t < size ms) begun_g t) + gS * (\sum_(0 <= t < size ms) begun_S t) + gP * (\sum_(0 <= t < size ms) begun_dP t).
  by rewrite [2 * _]big_distrr -!big_split [K * _]big_distrr [gS * _]big_distrr [gP * _]big_distrr -!big_split.
have := B4_stores; rewrite io_loads_stores.
have -> : \sum_(0 <= t < size ms) (loaded ms t : bool) = loads ms by rewrite /loads big_mkord.
move: le_S le_dP le_g; move: (\sum_(0 <= t < size ms) reload t) (\sum_(0 <= t < size ms) begun_g t) => R B.
move: (\sum_(0 <= t < size ms) begun_S t) (\sum_(0 <= t < size ms) begun_dP t) (loads ms) (stores ms) accumulators => A A' l st acc.
move: #|[set p | P_stored p]| #|[set p | D_stored p]| #|pair| => x y z le_A le_A' le_B le_st.
have h1 := leq_mul (leqnn K) le_B; have h2 := leq_mul (leqnn K) le_st; have h3 := leq_mul (leqnn gS) le_A; have h4 := leq_mul (leqnn gP) le_A'.
move: h1 h2 h3 h4; clear; lia.
Qed.

(** The cutting lemma, for segments of weight [T] that do [F] at most. *)
Theorem B4_cut h : (forall a b, K * #|red_at ms a| + \sum_(a <= t < b) move_weight t <= T -> segment_work a b <= F) ->
  0 < h -> h * F + relief < all_work ->
  K * (M + 2) + h * (T + 1) + K * (#|[set p | P_stored p]| + #|[set p | D_stored p]|) <=
  K * io ms + (gS + gP) * #|pair| + K * accumulators + h * (K * (M + 2)).
Proof.
move=> bounded h_gt0; rewrite -total_work ltn_add2r => many.
have le_red a : K * #|red_at ms a| <= K * M by rewrite leq_mul2l (card_red legal_ms) orbT.
have seg a b : a <= b <= size ms -> K * #|red_at ms a| + \sum_(a <= t < b) move_weight t <= T -> \sum_(a <= t < b) work_at t <= F.
  by move=> _ le_T; rewrite sum_work; apply: bounded.
have := cut move_weight_le le_red seg (h := h); rewrite red_at0 cards0 muln0 sum_work => /(_ erefl h_gt0 many).
have := sum_move_weights; move: (\sum_(0 <= t < size ms) move_weight t) => w.
by clear; lia.
Qed.

End Count.
End B4Count.
