(** * Counting segments of the forward pass

    docs/proofs/t3.md, 2.2 and 2.5: the weights of all moves, the stores, and the cutting lemma for segments that do no more than [F]. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times LoomisWhitney Cutting Tracing Lines Stores Attention AttentionFacts T1 ForwardSegments.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** Sums over times, and over what happens at them. *)
Lemma sum_times (X : finType) (when w : X -> nat) a b :
  \sum_(a <= t < b) \sum_(x | when x == t) w x = \sum_(x | a <= when x < b) w x.
Proof.
rewrite (exchange_big_dep xpredT) //= [RHS]big_mkcond /=; apply: eq_bigr => x _.
rewrite big_mkcond; case: ifP => in_ab.
  rewrite (bigD1_seq (when x)) ?iota_uniq ?mem_index_iota //= eqxx big1 ?addn0 // => t ne_t.
  by rewrite eq_sym (negbTE ne_t).
rewrite big1_seq // => t; rewrite mem_index_iota => /andP[_ in_t].
by case: eqP => // when_x; rewrite when_x in_t in in_ab.
Qed.

Lemma card_times_sum (X : finType) (when : X -> nat) a b : \sum_(a <= t < b) #|[set x | when x == t]| = #|[set x | a <= when x < b]|.
Proof.
rewrite -sum1_card (eq_bigl (fun x => a <= when x < b)) => [|x]; last by rewrite inE.
rewrite -sum_times; apply: eq_bigr => t _; rewrite -sum1_card; apply: eq_bigl => x; by rewrite inE.
Qed.

Section ForwardCount.

Variables (Nq Nk d dv : nat) (stats : bool) (allowed : 'I_Nq -> 'I_Nk -> bool).

Notation pair := (pair allowed).
Notation query := (query allowed).
Notation G := (attention d dv stats allowed).
Notation u_step := (u_step dv allowed).
Notation partial := (@u_vert _ _ d dv stats allowed).
Notation adds := (@u_follows _ _ dv allowed).

Notation s_vert := (@s_vert _ _ d dv stats allowed).

Hypothesis d_gt0 : 0 < d.

Variables (M : nat) (ms : seq (move G)) (u_when : u_step -> nat) (s_when : u_step * 'I_d -> nat).
Hypothesis legal_ms : pebbling M ms.
Hypothesis u_traced : traced ms partial adds u_when.
Hypothesis s_traced : traced ms s_vert (@sums _ d) s_when.
Notation stored_pair := (@stored_pair _ _ d dv stats allowed ms).
Notation first_s := (first_s d_gt0).
Notation fresh := (@fresh _ _ d dv stats allowed d_gt0 ms s_when).
Notation s_events := (@s_events _ _ d dv allowed s_when).
Notation u_events := (@u_events _ _ d dv stats allowed ms u_when).
Notation weight := (@weight _ _ d dv stats allowed ms).
Notation reload := (reload ms partial adds u_when).
Notation begun := (begun adds u_when).

Definition ever_stored_pairs := [set p | stored_pair p].

(** Stores of four kinds of vertices that are all different. *)
Lemma forward_stores : \sum_(0 <= t < size ms) reload t + #|ever_stored_pairs| + #|query| * dv + stats * #|query| <= stores ms.
Proof.
apply: leq_trans (stores_ever ms); rewrite -[X in _ <= X](card_imset _ (can_inj (@codeK _ _ d dv allowed))).
have in_E v : ever_stored ms (v : vertex G) -> @code _ _ d dv allowed v \in @code _ _ d dv allowed @: [set v | ever_stored ms (v : vertex G)].
  by move=> st; apply: imset_f; rewrite inE.
move: (_ @: _) in_E => E in_E; pose E1 := [set x | inl x \in E]; pose E2 := [set x | inl x \in E1].
have split_E : #|E| = #|E2| + #|[set y | inr y \in E1]| + #|[set y | inr y \in E]| by rewrite (card_sum_set E) (card_sum_set E1).
have split_E2 := card_sum_set E2; rewrite split_E.
have partials : \sum_(0 <= t < size ms) reload t <= #|[set y | inr y \in E1]|.
  apply: leq_trans (reload_stores legal_ms u_when (@u_no_input _ _ d dv stats allowed) (@u_follows_fun _ _ dv allowed)) _.
  by apply/subset_leq_card/subsetP => -[p e]; rewrite in_set => /andP[_ st]; rewrite 2!in_set; exact: (in_E _ st).
have pairs : #|ever_stored_pairs| <= #|[set y | inr y \in E2]|.
  apply: leq_trans (leq_imset_card (fun x => match x with inl y => y.1 | inr p => p end) _).
  apply/subset_leq_card/subsetP => p; rewrite in_set => /orP[st|/existsP[k st]]; apply/imsetP.
    by exists (inr p) => //; rewrite 3!in_set; exact: (in_E _ st).
  by exists (inl (p, k)) => //; rewrite 3!in_set; exact: (in_E _ st).
have outputs : #|query| * dv + stats * #|query| <= #|[set y | inr y \in E]|.
  pose last_in (i : query) : pair := xchoose (@last_pair_of _ _ allowed i).
  have last_inP i : (row (last_in i) == i) && last_pair (last_in i) by exact: (xchooseP (@last_pair_of _ _ allowed i)).
  have last_inj : injective last_in.
    by move=> i j eq_last; have /andP[/eqP <- _] := last_inP i; have /andP[/eqP <- _] := last_inP j; rewrite eq_last.
  have out_stored v : output (v : vertex G) -> ~~ input (v : vertex G) -> ever_stored ms (v : vertex G).
    by move=> out_v not_in; have [t lt_t st_t] := output_stored legal_ms out_v not_in; apply/existsP; exists (Ordinal lt_t); rewrite st_t.
  rewrite card_sum_set addnC; apply: leq_add.
    have stats_out i : stats -> output (RowSum d dv (last_in i) : vertex G) by move=> st; rewrite /= st; have /andP[_ ->] := last_inP i.
    move: stats_out; case: {1 3}stats => stats_out; last by rewrite mul0n.
    rewrite mul1n -(card_imset _ last_inj); apply/subset_leq_card/subsetP => p /imsetP[i _ ->]; rewrite 2!in_set.
    have /andP[_ last_i] := last_inP i; apply: (in_E (RowSum _ _ (last_in i))); apply: out_stored; first exact: stats_out.
    by apply/forallPn; exists (Weight _ _ (last_in i)); rewrite negbK /= eqxx.
  rewrite -[dv in X in X <= _]card_ord -card_prod -cardsT; apply/subset_leq_card/subsetP => -[i e] _; rewrite 2!in_set.
  apply: (in_E (Output _ i e)); apply: out_stored => //; have /andP[row_i last_i] := last_inP i.
  by apply/forallPn; exists (Partial _ (last_in i) e); rewrite negbK /= last_i row_i eqxx.
move: partials pairs outputs split_E2; clear; lia.
Qed.

Section Count.

Variables K delta beta gamma T F : nat.
Hypothesis gamma_le : gamma <= 2 * K.

(** What a move weighs, and what is done at a time. *)
Definition starts t := #|[set x | s_when (x, first_s) == t]|.
Definition move_weight t := K * dv * ((loaded ms t : bool) + reload t + 2 * begun t) + gamma * starts t.
Definition work_at t := beta * #|[set y | s_when y == t]| + dv * \sum_(x | u_when x == t) weight K delta x.1.

Lemma starts_le t : starts t <= dv.
Proof.
rewrite /starts; set S := [set x | _]; case: (set_0Vmem S) => [->|[x0]]; first by rewrite cards0.
rewrite inE => /eqP when_x0; rewrite -[X in _ <= X]card_ord -(card_in_imset (f := snd) (D := S)) ?max_card //.
move=> x y; rewrite !inE => /eqP when_x /eqP when_y eq_e.
have same z : s_when (z, first_s) = t -> z.1 = x0.1.
  by move=> when_z; have := (s_traced (z, first_s)).1; rewrite when_z -when_x0 (s_traced (x0, first_s)).1 => -[].
by rewrite (surjective_pairing x) (surjective_pairing y) eq_e (same x when_x) (same y when_y).
Qed.

Lemma move_weight_le t : move_weight t <= 2 * K * dv.
Proof.
have le_gamma : gamma * starts t <= 2 * K * dv by apply: leq_mul => //; apply: starts_le.
have reload_load : reload t -> loaded ms t : bool.
  by case/existsP=> x /andP[/eqP -> _].
have begun_partial : begun t -> exists x, computed ms t = Some (partial x).
  by case/existsP=> x /andP[_ /eqP <-]; exists x; rewrite (u_traced x).1.
have start_score : 0 < starts t -> exists y, computed ms t = Some (s_vert y).
  by case/card_gt0P=> x; rewrite inE => /eqP <-; exists (x, first_s); rewrite (s_traced _).1.
have no_both v : loaded ms t -> computed ms t = Some v -> False.
  by rewrite /loaded /computed; case: (move_at ms t) => [[]|].
rewrite /move_weight; case: (posnP (starts t)) => [->|gt0].
  rewrite muln0 addn0 (_ : 2 * K * dv = K * dv * 2) ?leq_mul2l; last by clear; lia.
  apply/orP; right.
  case: (boolP (begun t)) begun_partial => [_ /(_ isT)[x comp_x]|_ _]; last first.
    by case: (reload t); case: (loaded ms t : bool).
  have -> : (loaded ms t : bool) = false by apply/negP => load_t; apply: no_both comp_x.
  by case: (reload t) reload_load => // /(_ isT) load_t; case: (no_both (partial x) load_t).
have [y comp_y] := start_score gt0.
have -> : begun t = false.
  case E: (begun t) => //; have [x comp_x] := begun_partial E; rewrite comp_y in comp_x; discriminate comp_x.
have -> : (loaded ms t : bool) = false by apply/negP => load_t; apply: no_both comp_y.
have -> : reload t = false by case E: (reload t) => //; case: (no_both _ (reload_load E) comp_y).
by rewrite muln0.
Qed.

Lemma sum_work a b : \sum_(a <= t < b) work_at t = beta * s_events a b + dv * u_events a b K delta.
Proof. by rewrite /work_at big_split /= -!big_distrr /= card_times_sum (sum_times u_when (fun x => weight K delta x.1)). Qed.

Lemma fresh_weight a b : K * dv * (\sum_(a <= t < b) ((loaded ms t : bool) + reload t + 2 * begun t)) + gamma * #|fresh a b| <=
  \sum_(a <= t < b) move_weight t.
Proof.
rewrite /move_weight [X in _ <= X]big_split /= -!big_distrr /= leq_add2l leq_mul2l; apply/orP; right.
rewrite /starts (card_times_sum (fun x => s_when (x, first_s))); apply/subset_leq_card/subsetP => x.
by rewrite [_ \in fresh _ _]in_set in_set => /andP[].
Qed.

Lemma total_work : beta * s_events 0 (size ms) + dv * u_events 0 (size ms) K delta + dv * (delta * dv * #|ever_stored_pairs|) =
  #|pair| * dv * (beta * d + (K + delta) * dv).
Proof.
have -> : s_events 0 (size ms) = #|pair| * dv * d.
  rewrite /s_events (_ : [set y | _] = setT) ?cardsT ?card_prod ?card_ord //.
  by apply/setP => y; rewrite !inE (traced_size s_traced).
have -> : u_events 0 (size ms) K delta = \sum_(p : pair) dv * weight K delta p.
  rewrite /u_events (eq_bigl (fun x : u_step => true && true)) => [|x]; last by rewrite (traced_size u_traced).
  rewrite -(pair_big_dep xpredT (fun _ _ => true) (fun (p : pair) (_ : 'I_dv) => weight K delta p)) /=.
  by apply: eq_bigr => p _; rewrite sum_nat_const card_ord.
rewrite -big_distrr /=; have sum_weight : \sum_(p : pair) weight K delta p + delta * #|ever_stored_pairs| = (K + delta) * #|pair|.
  rewrite -[#|pair|]sum1_card -sum1_card !big_distrr /= [X in _ + X = _]big_mkcond -big_split /=; apply: eq_bigr => p _.
  by rewrite inE /weight; case: (stored_pair p); rewrite !muln1 ?addn0.
move: (\sum_p _) #|ever_stored_pairs| #|pair| sum_weight => w e z sum_weight.
by have := congr1 (muln (dv * dv)) sum_weight; clear; lia.
Qed.

Lemma sum_move_weights : \sum_(0 <= t < size ms) move_weight t + K * dv * (#|ever_stored_pairs| + stats * #|query|) <=
  K * dv * io ms + gamma * (#|pair| * dv) + K * dv * (#|query| * dv).
Proof.
have sum_starts : \sum_(0 <= t < size ms) starts t <= #|pair| * dv.
  rewrite /starts (card_times_sum (fun x => s_when (x, first_s))).
  apply: leq_trans (max_card _) _; by rewrite card_prod card_ord.
have sum_begun : \sum_(0 <= t < size ms) begun t <= #|query| * dv.
  apply: leq_trans (@u_card_first _ _ dv allowed); rewrite -sum1_card.
  apply: (@leq_trans (\sum_(0 <= t < size ms) \sum_(x : u_step | u_when x == t) first adds x)).
    apply: leq_sum => t _; case: (boolP (begun t)) => // /existsP[x /andP[first_x when_x]].
    by rewrite (bigD1 x) //= first_x.
  rewrite sum_times big_mkcond [X in _ <= X]big_mkcond /=; apply: leq_sum => x _; rewrite inE.
  by case: ifP; case: (first adds x).
have -> : \sum_(0 <= t < size ms) move_weight t =
    K * dv * (\sum_(0 <= t < size ms) (loaded ms t : bool) + \sum_(0 <= t < size ms) reload t + 2 * \sum_(0 <= t < size ms) begun t) +
    gamma * \sum_(0 <= t < size ms) starts t.
  by rewrite [2 * _]big_distrr -!big_split [K * dv * _]big_distrr [gamma * _]big_distrr -big_split.
have := forward_stores; rewrite io_loads_stores.
have -> : \sum_(0 <= t < size ms) (loaded ms t : bool) = loads ms by rewrite /loads big_mkord.
move: sum_begun sum_starts.
move: (\sum_(0 <= t < size ms) starts t) (\sum_(0 <= t < size ms) reload t) (\sum_(0 <= t < size ms) begun t) => A R B.
move: (loads ms) (stores ms) #|ever_stored_pairs| (#|query| * dv) (stats * #|query|) (#|pair| * dv) => l st e q' o z leB leA le_st.
have h1 := leq_mul (leqnn (K * dv)) leB; have h2 := leq_mul (leqnn (K * dv)) le_st; have h3 := leq_mul (leqnn gamma) leA.
move: h1 h2 h3; clear; lia.
Qed.

(** The cutting lemma, for segments of weight [T] that do [F] at most. *)
Theorem count_segments h :
  (forall a b, K * dv * #|red_at ms a| + \sum_(a <= t < b) move_weight t <= T -> beta * s_events a b + dv * u_events a b K delta <= F) ->
  0 < h -> h * F + dv * (delta * dv * #|ever_stored_pairs|) < #|pair| * dv * (beta * d + (K + delta) * dv) ->
  K * dv * (M + 2) + h * (T + 1) + K * dv * (#|ever_stored_pairs| + stats * #|query|) <=
  K * dv * io ms + gamma * (#|pair| * dv) + K * dv * (#|query| * dv) + h * (K * dv * (M + 2)).
Proof.
move=> bounded h_gt0; rewrite -total_work ltn_add2r => many.
have le_red a : K * dv * #|red_at ms a| <= K * dv * M by rewrite leq_mul2l (card_red legal_ms) orbT.
have seg a b : a <= b <= size ms -> K * dv * #|red_at ms a| + \sum_(a <= t < b) move_weight t <= T -> \sum_(a <= t < b) work_at t <= F.
  by move=> _ le_T; rewrite sum_work; apply: bounded.
have := cut move_weight_le le_red seg (h := h); rewrite red_at0 cards0 muln0 sum_work => /(_ erefl h_gt0 many).
have := sum_move_weights; move: (\sum_(0 <= t < size ms) move_weight t) => w.
by clear; lia.
Qed.

End Count.

(** Of a row of parameters, [K]-ths, with segments of weight τd² that do Wd³ at most: whatever the number [s] of pairs of which a vertex of S or
    P is ever stored, so many words for every [h] that leaves work undone. *)
Definition row_bound (K tau gamma delta beta W M d dv stats pairs queries words : nat) :=
  exists2 s, s <= pairs & forall h, 0 < h -> h * (W * d ^ 3) + delta * dv * s < pairs * (beta * d + (K + delta) * dv) ->
    K * (M + 2) + h * (tau * d ^ 2) + K * (s + stats * queries) < K * words + gamma * pairs + K * (queries * dv) + h * (K * (M + 2)).

Theorem row_counts K tau gamma delta beta W : 0 < dv -> gamma <= 2 * K ->
  (forall a b, K * dv * #|red_at ms a| + \sum_(a <= t < b) move_weight K gamma t <= tau * d ^ 2 * dv ->
    beta * s_events a b + dv * u_events a b K delta <= W * d ^ 3 * dv) ->
  row_bound K tau gamma delta beta W M d dv stats #|pair| #|query| (io ms).
Proof.
move=> dv_gt0 gamma_le seg; exists #|ever_stored_pairs| => [|h h_gt0 many]; first exact: max_card.
have many' : h * (W * d ^ 3 * dv) + dv * (delta * dv * #|ever_stored_pairs|) < #|pair| * dv * (beta * d + (K + delta) * dv).
  by move: many; rewrite -(ltn_pmul2r dv_gt0); clear; lia.
have := count_segments gamma_le seg h_gt0 many'.
move: #|ever_stored_pairs| #|pair| #|query| (io ms) => s z r w le; rewrite -(ltn_pmul2r dv_gt0); move: le h_gt0 dv_gt0; clear; nia.
Qed.

End ForwardCount.
