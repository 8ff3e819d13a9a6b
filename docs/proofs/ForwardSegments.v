(** * Segments of the forward pass

    docs/proofs/t3.md, section 2, but for the number W: what a segment touches, what it does, and what follows if that is never more than [F].
    T3 and T4 share it. Weights are in units of 1/(K dv), and shares of 1/dv: of each pair [dv] causal chains are counted. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times LoomisWhitney WeightedLoomisWhitney Cutting Tracing Lines Stores CausalChains Attention AttentionFacts T1.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Lemma card_copies (T : finType) (A : {set T}) n : #|A| * n = #|setX A [set: 'I_n]|.
Proof. by rewrite cardsX cardsT card_ord. Qed.

Section ForwardSegments.

Variables (Nq Nk d dv : nat) (stats : bool) (allowed : 'I_Nq -> 'I_Nk -> bool).

Notation pair := (pair allowed).
Notation query := (query allowed).
Notation key := (key allowed).
Notation G := (attention d dv stats allowed).
Notation u_step := (u_step dv allowed).
Notation partial := (@u_vert _ _ d dv stats allowed).
Notation adds := (@u_follows _ _ dv allowed).
Notation accumulator := (@u_chain _ _ dv allowed).

Fact pair_at (p q : pair) : (row p, column p) = (row q, column q) -> p = q.
Proof.
move=> eq_p; have eq_col : column p = column q := congr1 snd eq_p.
by apply: pair_eq; [exact: (congr1 fst eq_p : row p = row q)|rewrite /place eq_col].
Qed.

Fact u_at (x y : u_step) : (row x.1, column x.1, x.2) = (row y.1, column y.1, y.2) -> x = y.
Proof.
move=> eq_t; rewrite (surjective_pairing x) (surjective_pairing y) (congr1 snd eq_t : x.2 = y.2); congr (_, _).
by apply: pair_at; exact: (congr1 fst eq_t : (row x.1, column x.1) = (row y.1, column y.1)).
Qed.

(** Different events of U on a pair share its P and its S. *)
Definition s_vert (y : u_step * 'I_d) : vertex G := Score dv y.1.1 y.2.
Hypothesis d_gt0 : 0 < d.

Fact weight_no_input p : ~~ input (Weight d dv p : vertex G).
Proof.
have lt_d : d.-1 < d by rewrite prednK.
by apply/forallPn; exists (Score _ p (Ordinal lt_d)); rewrite negbK /= eqxx /= prednK.
Qed.

Fact score_no_input p k : ~~ input (Score dv p k : vertex G).
Proof. by apply/forallPn; exists (Query _ (row p) k); rewrite negbK /= !eqxx. Qed.

Fact s_edge x y : sums x y -> edge (s_vert x) (s_vert y).
Proof.
move=> fol; apply/andP; split; last exact: (sums_index fol).
by rewrite (sums_same fol).
Qed.

Theorem forward_chains M (ms : seq (move G)) : pebbling M ms -> exists (u_when : u_step -> nat) (s_when : u_step * 'I_d -> nat),
  [/\ traced ms partial adds u_when, traced ms s_vert (@sums _ d) s_when &
      forall a b x k, a <= u_when x < b -> ~~ at_hand ms a b (Weight d dv x.1 : vertex G) ->
      (forall k, ~~ at_hand ms a b (s_vert (x, k))) -> a <= s_when (x, k) < b].
Proof.
move=> legal_ms; have legal := legal_ms; apply: (causal_chains (u_left := @u_left _ _ dv allowed)) legal_ms _ _ _ _ _ _ _ _.
- exact: u_follows_left.
- exact: u_follows_fun.
- exact: u_no_input.
- by move=> x; apply: weight_no_input.
- by move=> y; apply: score_no_input.
- exact: u_follows_edge.
- by move=> x; rewrite /= eqxx.
- exact: s_edge.
- by move=> x k last_k; rewrite /= eqxx; apply/eqP.
- by move=> x; exact: (u_last_step legal).
Qed.

(** A pair is stored if a vertex of its S or P ever is. *)
Section Pebbling.

Variables (M : nat) (ms : seq (move G)) (u_when : u_step -> nat) (s_when : u_step * 'I_d -> nat).
Hypothesis legal_ms : pebbling M ms.
Hypothesis u_traced : traced ms partial adds u_when.
Hypothesis s_traced : traced ms s_vert (@sums _ d) s_when.
Hypothesis causal_when : forall a b x k, a <= u_when x < b -> ~~ at_hand ms a b (Weight d dv x.1 : vertex G) ->
  (forall k, ~~ at_hand ms a b (s_vert (x, k))) -> a <= s_when (x, k) < b.

Definition first_s : 'I_d := Ordinal d_gt0.

Definition stored_pair (p : pair) := ever_stored ms (Weight d dv p : vertex G) || [exists k, ever_stored ms (Score dv p k : vertex G)].

Section Segment.

Variables a b : nat.

Definition hand := [set v | at_hand ms a b v].

Lemma in_hand v : at_hand ms a b v -> v \in hand.
Proof. by rewrite inE. Qed.

Lemma not_hand v : v \notin hand -> ~~ at_hand ms a b v.
Proof. by rewrite inE. Qed.

(** A causal chain lies in the segment if its event of U does and its pair is not charged. *)
Lemma causal x k : a <= u_when x < b -> x.1 \notin charged hand -> a <= s_when (x, k) < b.
Proof.
move=> in_x; rewrite [_ \in charged _]inE negb_or => /andP[no_p /existsPn no_s].
exact: (causal_when k in_x (not_hand no_p) (fun k' => not_hand (no_s k'))).
Qed.

(** A chain of S is charged, or begins in the segment. *)
Lemma s_known x k : a <= s_when (x, k) < b -> (x.1 \in charged hand) || (a <= s_when (x, first_s) < b).
Proof.
move=> in_s; have := sum_known legal_ms s_edge d_gt0 s_traced in_s; case=> [[k' hand_k]|in_y]; apply/orP; [left|by right].
rewrite inE; apply/orP; right; apply/existsP; exists k'; exact: (in_hand hand_k).
Qed.

Lemma s_query x k : a <= s_when (x, k) < b -> (row x.1, k) \in query_words hand.
Proof.
move=> in_s; rewrite inE /=; apply: (input_in_words legal_ms in_hand in_s); first by apply/forallP => -[].
by apply: (computed_red legal_ms (s_traced (x, k)).1); rewrite /= !eqxx.
Qed.

Lemma s_key x k : a <= s_when (x, k) < b -> (column x.1, k) \in key_words hand.
Proof.
move=> in_s; rewrite inE /=; apply: (input_in_words legal_ms in_hand in_s); first by apply/forallP => -[].
by apply: (computed_red legal_ms (s_traced (x, k)).1); rewrite /= !eqxx.
Qed.

Lemma u_value x : a <= u_when x < b -> (column x.1, x.2) \in value_words hand.
Proof.
move=> in_x; rewrite inE /=; apply: (input_in_words legal_ms in_hand in_x); first by apply/forallP => -[].
by apply: (computed_red legal_ms (u_traced x).1); rewrite /= !eqxx.
Qed.

Lemma u_served x : a <= u_when x < b -> (row x.1, column x.1) \in served hand.
Proof.
move=> in_x; rewrite inE; case: (boolP (x.1 \in charged hand)) => [ch|no_ch]; first by rewrite imset_f.
apply/orP; right; rewrite inE /=; apply/andP; split; rewrite inE; apply/forallP => k.
  by have := s_query (causal k in_x no_ch); rewrite inE.
by have := s_key (causal k in_x no_ch); rewrite inE.
Qed.

(** What a segment touches: charged pairs that are stored or not, causal chains that begin there on other pairs, chains of U at work. *)
Definition stored_charged := [set p in charged hand | stored_pair p].
Definition kept_charged := [set p in charged hand | ~~ stored_pair p].
Definition fresh := [set x : u_step | (x.1 \notin charged hand) && (a <= s_when (x, first_s) < b)].
Definition at_work := working accumulator u_when a b.

Lemma card_charged : #|charged hand| = #|stored_charged| + #|kept_charged|.
Proof.
rewrite -(cardsID [set p | stored_pair p]); congr (_ + _); apply: eq_card => p; rewrite !inE //.
by rewrite andbC.
Qed.

Lemma kept_red : kept_charged \subset charged (red_at ms a).
Proof.
apply/subsetP => p; rewrite inE => /andP[ch]; rewrite negb_or => /andP[no_p /existsPn no_s].
move: ch; rewrite inE => /orP[|/existsP[k]]; rewrite inE => hand_v; rewrite inE; apply/orP; [left|right].
  exact: (hand_red legal_ms (weight_no_input p) no_p hand_v).
by apply/existsP; exists k; apply: (hand_red legal_ms (score_no_input p k) (no_s k) hand_v).
Qed.

Lemma handed_outputs : handed ms partial accumulator a b \subset output_words hand.
Proof.
apply/subsetP => c /imsetP[x]; rewrite inE => hand_x ->; rewrite inE; apply/existsP; exists x.1.
by rewrite eqxx in_hand.
Qed.

Lemma entering_outputs : entering ms partial accumulator a \subset output_words (red_at ms a).
Proof.
apply/subsetP => c /imsetP[x]; rewrite inE => red_x ->; rewrite inE; apply/existsP; exists x.1.
by rewrite eqxx.
Qed.

Notation reload := (reload ms partial adds u_when).
Notation begun := (begun adds u_when).

(** (4) of the page: [u0] chains of U are red at the start. *)
Lemma segment_amounts : exists u0, [/\ u0 <= #|at_work|, u0 + #|kept_charged| <= #|red_at ms a| &
  #|stored_charged| + #|kept_charged| + #|query_words hand| + #|key_words hand| + #|value_words hand| + 2 * #|at_work| <=
  u0 + #|red_at ms a| + \sum_(a <= t < b) ((loaded ms t : bool) + reload t + 2 * begun t)].
Proof.
have [H sub_H le_work] := working_weight legal_ms (@u_vert_inj _ _ d dv stats allowed) (@u_follows_edge _ _ d dv stats allowed)
  (@u_follows_chain _ _ dv allowed) u_traced a b.
exists #|at_work :&: entering ms partial accumulator a|; split.
- exact: subset_leq_card (subsetIl _ _).
- have := subset_leq_card (subset_trans (subsetIr at_work _) entering_outputs); have := subset_leq_card kept_red.
  by have := card_kinds (red_at ms a); clear; lia.
have := subset_leq_card (subset_trans sub_H handed_outputs); have := card_kinds hand; have := card_at_hand ms a b.
have -> : \sum_(a <= t < b) ((loaded ms t : bool) + reload t + 2 * begun t) =
    \sum_(a <= t < b) (loaded ms t : bool) + \sum_(a <= t < b) reload t + 2 * \sum_(a <= t < b) begun t.
  by rewrite [2 * _]big_distrr -!big_split.
by rewrite card_charged; move: le_work; rewrite -/at_work -/hand; clear; lia.
Qed.

(** Work on S: every pair and index at most [dv] times if the pair is charged, else once for every causal chain begun there. *)
Lemma known_chains : #|[set x : u_step | (x.1 \in charged hand) || (x \in fresh)]| <= dv * #|charged hand| + #|fresh|.
Proof.
apply: (@leq_trans #|setX (charged hand) [set: 'I_dv] :|: fresh|).
  by apply/subset_leq_card/subsetP => x; rewrite !inE andbT.
by apply: leq_trans (leq_card_setU _ _) _; rewrite -card_copies mulnC.
Qed.

Definition s_events := #|[set y | a <= s_when y < b]|.

Lemma s_pair y : a <= s_when y < b -> y.1 \in [set x : u_step | (x.1 \in charged hand) || (x \in fresh)].
Proof.
case: y => x k /s_known known; rewrite inE /=; case: (boolP (x.1 \in charged hand)) known => //= no_ch in_first.
by rewrite inE no_ch.
Qed.

Lemma s_count : s_events ^ 2 <= (dv * #|charged hand| + #|fresh|) * #|query_words hand| * (#|key_words hand| * dv).
Proof.
pose place (x : u_step) := (row x.1, (column x.1, x.2)).
have place_inj : injective place.
  move=> x y eq_t; apply: u_at; have eq_row : row x.1 = row y.1 := congr1 fst eq_t.
  by rewrite eq_row (congr1 (fun t => t.2.1) eq_t : column x.1 = column y.1) (congr1 (fun t => t.2.2) eq_t : x.2 = y.2).
pose point (y : u_step * 'I_d) := (place y.1, y.2).
have point_inj : injective point.
  move=> [x k] [y k'] eq_p; have /place_inj -> : place x = place y := congr1 fst eq_p.
  by have -> : k = k' := congr1 snd eq_p.
rewrite /s_events -(card_imset _ point_inj).
apply: (@leq_trans (#|place @: [set x : u_step | (x.1 \in charged hand) || (x \in fresh)]| * #|query_words hand| *
    #|[set z : (key * 'I_dv) * 'I_d | (z.1.1, z.2) \in key_words hand]|)); last first.
  apply: leq_mul; first by rewrite leq_mul2r (card_imset _ place_inj) known_chains orbT.
  rewrite card_copies.
  pose swap (z : (key * 'I_dv) * 'I_d) := ((z.1.1, z.2), z.1.2).
  have swap_inj : injective swap by move=> [[j e] k] [[j' e'] k'] [-> -> ->].
  rewrite -(card_imset _ swap_inj); apply/subset_leq_card/subsetP => _ /imsetP[z in_z ->].
  by rewrite in_setX in_setT andbT; move: in_z; rewrite in_set.
apply: loomis_whitney => i je k /imsetP[y]; rewrite inE => in_y eq_t.
- apply/imsetP; exists y.1; first exact: (s_pair in_y).
  by have : (i, je) = place y.1 := congr1 fst eq_t.
- have -> : i = row y.1.1 := congr1 (fun t => t.1.1) eq_t; have -> : k = y.2 := congr1 snd eq_t.
  by case: y in_y {eq_t} => x k' /s_query.
- have -> : je = (column y.1.1, y.1.2) := congr1 (fun t => t.1.2) eq_t; have -> : k = y.2 := congr1 snd eq_t.
  by rewrite inE; case: y in_y {eq_t} => x k' /s_key.
Qed.

(** Work on S for one index of the sum. *)
Definition s_events_at k := #|[set x | a <= s_when (x, k) < b]|.
Definition rows_at k := [set i | (i, k) \in query_words hand].
Definition columns_at k := [set j | (j, k) \in key_words hand].

Lemma s_events_sum : s_events = \sum_k s_events_at k.
Proof.
rewrite /s_events /s_events_at -sum1_card (eq_bigl (fun y => a <= s_when y < b)) => [|y]; last by rewrite inE.
rewrite (eq_bigl (fun y : u_step * 'I_d => true && (a <= s_when (y.1, y.2) < b))) => [|[x k]] //.
rewrite -(pair_big_dep xpredT (fun x k => a <= s_when (x, k) < b) (fun _ _ => 1)) /=.
rewrite (exchange_big_dep xpredT) //=; apply: eq_bigr => k _; rewrite -sum1_card; apply: eq_bigl => x; by rewrite inE.
Qed.

Lemma s_events_known k : s_events_at k <= dv * #|charged hand| + #|fresh|.
Proof.
apply: leq_trans known_chains; apply/subset_leq_card/subsetP => x in_x; apply: (@s_pair (x, k)).
by rewrite inE in in_x.
Qed.

Lemma s_events_square k : s_events_at k <= dv * (#|rows_at k| * #|columns_at k|).
Proof.
pose place (x : u_step) := ((row x.1, column x.1), x.2).
have place_inj : injective place by move=> x y /u_at.
rewrite -cardsX mulnC card_copies /s_events_at -(card_imset _ place_inj).
apply/subset_leq_card/subsetP => z /imsetP[x]; rewrite inE => in_x ->.
by rewrite !inE /= andbT; have := s_query in_x; have := s_key in_x; rewrite !inE => -> ->.
Qed.

Lemma rows_sum : \sum_k #|rows_at k| = #|query_words hand|.
Proof.
rewrite -sum1_card (eq_bigl (fun y : query * 'I_d => true && ((y.1, y.2) \in query_words hand))) => [|[i k]] //.
rewrite -(pair_big_dep xpredT (fun i k => (i, k) \in query_words hand) (fun _ _ => 1)) /=.
rewrite (exchange_big_dep xpredT) //=; apply: eq_bigr => k _; rewrite -sum1_card; apply: eq_bigl => x; by rewrite inE.
Qed.

Lemma columns_sum : \sum_k #|columns_at k| = #|key_words hand|.
Proof.
rewrite -sum1_card (eq_bigl (fun y : key * 'I_d => true && ((y.1, y.2) \in key_words hand))) => [|[i k]] //.
rewrite -(pair_big_dep xpredT (fun i k => (i, k) \in key_words hand) (fun _ _ => 1)) /=.
rewrite (exchange_big_dep xpredT) //=; apply: eq_bigr => k _; rewrite -sum1_card; apply: eq_bigl => x; by rewrite inE.
Qed.

Lemma whole_rows_at k : #|whole_queries hand| <= #|rows_at k|.
Proof. by apply/subset_leq_card/subsetP => i; rewrite in_set => /forallP /(_ k) whole; rewrite 2!in_set. Qed.

Lemma whole_columns_at k : #|whole_keys hand| <= #|columns_at k|.
Proof. by apply/subset_leq_card/subsetP => j; rewrite in_set => /forallP /(_ k) whole; rewrite 2!in_set. Qed.

(** Work on U: an event weighs [K] on a stored pair, [K + delta] on another. *)
Section Weight.

Variables K delta : nat.

Definition weight p := if stored_pair p then K else K + delta.
Definition weight_at (ij : query * key) := if [exists p, ((row p, column p) == ij) && stored_pair p] then K else K + delta.

Lemma weight_atE p : weight_at (row p, column p) = weight p.
Proof.
rewrite /weight_at /weight; case: existsP => [[q /andP[/eqP /pair_at <- ->]] //|none].
by case: (boolP (stored_pair p)) => // st; case: none; exists p; rewrite st andbT; exact: eqxx.
Qed.

Definition u_events := \sum_(x | a <= u_when x < b) weight x.1.

Definition squares := K ^ 2 * #|stored_charged| + (K + delta) ^ 2 * #|kept_charged|.

Lemma squares_charged : \sum_(ij in places (charged hand)) weight_at ij ^ 2 <= squares.
Proof.
have inj : {in charged hand &, injective (fun p : pair => (row p, column p))}.
  by move=> p q _ _ /pair_at.
rewrite big_imset //= (bigID stored_pair) /= /squares; apply: leq_add.
  rewrite -sum1_card big_distrr /= (eq_bigl (fun p => p \in stored_charged)) => [|p]; last by rewrite [RHS]in_set.
  by apply: leq_sum => p; rewrite in_set => /andP[_ st]; rewrite weight_atE /weight st muln1.
rewrite -sum1_card big_distrr /= (eq_bigl (fun p => p \in kept_charged)) => [|p]; last by rewrite [RHS]in_set.
by apply: leq_sum => p; rewrite in_set => /andP[_ st]; rewrite weight_atE /weight (negbTE st) muln1.
Qed.

Lemma squares_served : \sum_(ij in served hand) weight_at ij ^ 2 <= squares + (K + delta) ^ 2 * (#|whole_queries hand| * #|whole_keys hand|).
Proof.
rewrite (bigID (mem (places (charged hand)))) /=; apply: leq_add.
  apply: leq_trans squares_charged; rewrite [X in X <= _]big_mkcond [X in _ <= X]big_mkcond /=; apply: leq_sum => ij _.
  by case: (ij \in places _); case: (ij \in served _).
rewrite -cardsX -sum1_card big_distrr /= [X in X <= _]big_mkcond [X in _ <= X]big_mkcond /=; apply: leq_sum => ij _.
rewrite in_setU; case: (ij \in places _); rewrite ?andbF //= andbT; case: (ij \in _) => //.
by rewrite muln1 leq_exp2r // /weight_at; case: ifP; rewrite ?leq_addr.
Qed.

Lemma u_within (S : {set query * key}) :
  (\sum_(x | (a <= u_when x < b) && ((row x.1, column x.1) \in S)) weight x.1) ^ 2 <=
  (\sum_(ij in S) weight_at ij ^ 2) * #|at_work| * #|value_words hand|.
Proof.
pose triple (x : u_step) := (row x.1, column x.1, x.2).
have triple_inj : injective triple by move=> x y /u_at.
pose D := triple @: [set x | (a <= u_when x < b) && ((row x.1, column x.1) \in S)].
have -> : \sum_(x | (a <= u_when x < b) && ((row x.1, column x.1) \in S)) weight x.1 = \sum_(t in D) weight_at t.1.
  rewrite big_imset /=; last by move=> x y _ _ /triple_inj.
  by apply: eq_big => [x|x _]; [rewrite inE|rewrite weight_atE].
apply: weighted_loomis_whitney => i j e /imsetP[x]; rewrite inE => /andP[in_x in_S] eq_t.
all: have eq_i : i = row x.1 := congr1 (fun t => t.1.1) eq_t.
all: have eq_j : j = column x.1 := congr1 (fun t => t.1.2) eq_t.
all: have eq_e : e = x.2 := congr1 snd eq_t.
- by rewrite eq_i eq_j.
- by rewrite eq_i eq_e; apply/imsetP; exists x; rewrite ?inE.
- by rewrite eq_j eq_e; apply: u_value.
Qed.

Lemma u_count : u_events ^ 2 <= (squares + (K + delta) ^ 2 * (#|whole_queries hand| * #|whole_keys hand|)) * #|at_work| * #|value_words hand|.
Proof.
have -> : u_events = \sum_(x | (a <= u_when x < b) && ((row x.1, column x.1) \in served hand)) weight x.1.
  by apply: eq_bigl => x; case: (boolP (a <= u_when x < b)) => //= /u_served ->.
apply: leq_trans (u_within _) _; do 2![apply: leq_mul => //]; exact: squares_served.
Qed.

(** Or those on pairs that are not charged one by one. *)
Lemma u_count_apart : exists2 n, n ^ 2 <= squares * #|at_work| * #|value_words hand| & u_events <= n + (K + delta) * #|fresh|.
Proof.
exists (\sum_(x | (a <= u_when x < b) && ((row x.1, column x.1) \in places (charged hand))) weight x.1).
  apply: leq_trans (u_within _) _; do 2![apply: leq_mul => //]; exact: squares_charged.
rewrite /u_events (bigID (fun x => (row x.1, column x.1) \in places (charged hand))) /= leq_add2l.
rewrite -sum1_card big_distrr /= [X in X <= _]big_mkcond [X in _ <= X]big_mkcond /=; apply: leq_sum => x _.
case: ifP => // /andP[in_x not_in]; have no_ch : x.1 \notin charged hand by apply: contra not_in => ch; rewrite imset_f.
have -> : x \in fresh by rewrite inE no_ch /=; apply: causal.
by rewrite muln1 /weight; case: ifP; rewrite ?leq_addr.
Qed.

End Weight.

End Segment.

End Pebbling.
End ForwardSegments.
