(** * Facts at a moment

    docs/proofs/large-cache.md, the facts (U), (V), (P), (Q) and (K): what is needed again at a moment [s] of a pebbling of the
    forward pass, where the queries [R] see all keys of [early] and of [late], and the early keys come first. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Segments Compulsory LoomisWhitney Tracing Attention AttentionFacts AttentionCompulsory T1 Again Moments.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Moment.

Variables (Nq Nk d dv : nat) (stats : bool) (allowed : 'I_Nq -> 'I_Nk -> bool).

Notation pair := (pair allowed).
Notation query := (query allowed).
Notation key := (key allowed).
Notation G := (attention d dv stats allowed).
Notation vert := (@u_vert Nq Nk d dv stats allowed).

Variables (M : nat) (ms : seq (move G)) (when : u_step dv allowed -> nat).
Hypothesis legal_ms : pebbling M ms.
Hypothesis traced_when : traced ms vert (@u_follows Nq Nk dv allowed) when.
Hypothesis d_gt0 : 0 < d.

Variables (R : {set query}) (early late : {set key}).
Hypothesis sees : forall i j, i \in R -> j \in early :|: late -> allowed (val i) (val j).
Hypothesis early_late : forall j j', j \in early -> j' \in late -> val j < val j'.

(** Steps of a chain are traced in the order of their keys. *)
Lemma when_row (p q : pair) e : row p = row q -> place p < place q -> when (p, e) < when (q, e).
Proof.
have [n le_n] := ubnP (place q); elim: n q le_n => // n IH q le_n eq_row lt_pq.
have [r next_r] := previous_pair eq_row lt_pq; have /and3P[/eqP row_r lt_r /forallP none] := next_r.
have fol : u_follows (r, e) (q, e) by rewrite /u_follows /= next_r eqxx.
have [_ /(_ _ fol)[lt_when _]] := traced_when (r, e).
have le_pr : place p <= place r.
  by rewrite leqNgt; apply/negP => lt_rp; have := none p; rewrite eq_row row_r eqxx lt_rp lt_pq.
move: le_pr; rewrite leq_eqVlt => /orP[/eqP eq_place|lt_pr].
  by rewrite (pair_eq _ eq_place) // eq_row row_r.
apply: ltn_trans lt_when; apply: IH => //; last by rewrite eq_row row_r.
by apply: leq_trans lt_r _; rewrite -ltnS.
Qed.

Lemma pair_at i j : i \in R -> j \in early :|: late -> exists2 p : pair, row p = i & column p = j.
Proof. by move=> in_R in_C; exists (Sub (val i, val j) (sees in_R in_C)); apply: val_inj. Qed.

Lemma step_before (p q : pair) e : row p = row q -> column p \in early -> column q \in late -> when (p, e) < when (q, e).
Proof. by move=> eq_row in_early in_late; apply: when_row => //; apply: early_late. Qed.

(** A chain is begun when some early step is over, and advanced when all are. *)
Definition begun s i e := [exists p : pair, [&& row p == i, column p \in early & when (p, e) < s]].
Definition advanced s i e := [forall p : pair, (row p == i) && (column p \in early) ==> (when (p, e) < s)].

Lemma begunW s t i e : s <= t -> begun s i e -> begun t i e.
Proof.
move=> le_st /existsP[p /and3P[row_p in_early lt_s]]; apply/existsP; exists p.
by rewrite row_p in_early (leq_trans lt_s le_st).
Qed.

Lemma advancedW s t i e : s <= t -> advanced s i e -> advanced t i e.
Proof.
move=> le_st /forallP adv; apply/forallP => p; apply/implyP => in_p.
exact: leq_trans (implyP (adv p) in_p) le_st.
Qed.

Lemma to_come s i e (p : pair) : ~~ advanced s i e -> row p = i -> column p \in late -> s <= when (p, e).
Proof.
case/forallPn=> q; rewrite negb_imply => /andP[/andP[/eqP row_q in_early]]; rewrite -leqNgt => le_s row_p in_late.
by apply: leq_trans le_s (ltnW (step_before _ _ in_early in_late)); rewrite row_q row_p.
Qed.

Variable s : nat.
Let W := again_old ms s.

Lemma no_input_again v : ~~ input v -> v \in again ms s -> v \in W.
Proof. by move=> not_in; rewrite !inE => ->; rewrite (negbTE not_in). Qed.

Lemma input_again v t : s <= t -> input v -> been_red ms s v -> t <= size ms -> v \in red_at ms t -> v \in W.
Proof.
move=> le_t in_v old_v lt_t is_red; rewrite !inE old_v implybT andbT.
by have := again_between lt_t (input_at_hand legal_ms le_t in_v is_red); rewrite inE.
Qed.

Lemma when_le x : when x <= size ms.
Proof. exact: ltnW (traced_size traced_when x). Qed.

(** (U) *)
Lemma tied_output i e : i \in R -> 0 < #|late| -> begun s i e -> ~~ advanced s i e -> (i, e) \in output_words W.
Proof.
move=> in_R /card_gt0P[j in_late] /existsP[p1 /and3P[/eqP row_1 _ lt_1]] not_adv.
have [|p2 row_2 col_2] := @pair_at i j in_R; first by rewrite inE in_late orbT.
have le_2 : s <= when (p2, e) by apply: to_come not_adv row_2 _; rewrite col_2.
pose done p := (row p == i) && (when (p, e) < s).
have done_1 : done p1 by rewrite /done row_1 eqxx.
case: (arg_maxnP (@place _ _ allowed) done_1) => p /andP[/eqP row_p lt_p] greatest.
case: (pickP (next_pair p)) => [q next_q|none]; last first.
  have eq_row : row p2 = row p by rewrite row_2 row_p.
  have /forallP/(_ p2) := next_or_last (fun q => negbT (none q)); rewrite eq_row eqxx /= leq_eqVlt.
  case/orP => [/eqP eq_place|lt_place].
    by move: lt_p; rewrite -(pair_eq eq_row eq_place) ltnNge le_2.
  by have := when_row e eq_row lt_place; rewrite ltnNge (leq_trans (ltnW lt_p) le_2).
have /and3P[/eqP row_q lt_pq _] := next_q.
have le_q : s <= when (q, e).
  rewrite leqNgt; apply/negP => lt_q; have := greatest q; rewrite /done -row_q row_p eqxx lt_q => /(_ isT) /=.
  by move: lt_pq; clear; lia.
have fol : u_follows (p, e) (q, e) by rewrite /u_follows /= next_q eqxx.
have [_ /(_ _ fol)[lt_pq' last_p]] := traced_when (p, e).
rewrite inE; apply/existsP; exists p; rewrite row_p eqxx /=.
apply: no_input_again; first exact: (@u_no_input _ _ d dv stats allowed (p, e)).
have is_red : vert (p, e) \in red_at ms (when (q, e)).
  by apply: (computed_red legal_ms (traced_when (q, e)).1); rewrite /= next_q eqxx.
case: (red_since le_q is_red) => [hand|[u /andP[le_u lt_u] comp_u]]; first exact: again_between (when_le _) hand.
by case: (last_p u) => //; rewrite lt_u andbT; apply: leq_trans lt_p le_u.
Qed.

(** (V) *)
Lemma tied_value i e j : i \in R -> j \in early -> ~~ begun s i e -> been_red ms s (Value d j e : vertex G) ->
  (j, e) \in value_words W.
Proof.
move=> in_R in_early not_begun old_v; have [|p row_p col_p] := @pair_at i j in_R; first by rewrite inE in_early.
have le_s : s <= when (p, e).
  by rewrite leqNgt; apply: contra not_begun => lt_s; apply/existsP; exists p; rewrite row_p eqxx col_p in_early.
rewrite inE; apply: input_again le_s _ old_v (when_le _) _; first by apply/forallP => -[].
by apply: (computed_red legal_ms (traced_when (p, e)).1); rewrite /= col_p !eqxx.
Qed.

(** (P) *)
Lemma charged_or_again (p : pair) e : s <= when (p, e) -> (row p, column p) \in places (charged W) \/
  (forall k, (Query _ (row p) k : vertex G) \in again ms s) /\ (forall k, (Key _ (column p) k : vertex G) \in again ms s).
Proof.
move=> le_s; have is_red : (Weight d dv p : vertex G) \in red_at ms (when (p, e)).
  by apply: (computed_red legal_ms (traced_when (p, e)).1); rewrite /= eqxx.
have in_s : s <= when (p, e) < size ms by rewrite le_s (traced_size traced_when).
have hand v : at_hand ms s (size ms) v -> v \in again ms s by rewrite inE.
have := weight_served (segment_closed legal_ms hand _) (ex_intro2 _ _ (when (p, e)) in_s is_red); rewrite inE => /orP[/imsetP[q ch eq_pq]|]; last first.
  by rewrite !inE /= => /andP[/forallP all_q /forallP all_k]; right; split=> k; [have := all_q k|have := all_k k].
left; apply/imsetP; exists q => //; move: ch; rewrite [_ \in charged (again _ _)]inE [_ \in charged W]inE => /orP[in_W|/existsP[k in_W]]; apply/orP.
  left; have lt_d : d.-1 < d by rewrite prednK.
  have [l last_l] : exists l : 'I_d, l.+1 = d by exists (Ordinal lt_d); rewrite /= prednK.
  have not_in : ~~ input (Weight d dv q : vertex G).
    by apply/forallPn; exists (Score _ q l); rewrite negbK /= last_l !eqxx.
  exact: no_input_again in_W.
right; apply/existsP; exists k; have not_in : ~~ input (Score dv q k : vertex G).
  by apply/forallPn; exists (Query _ (row q) k); rewrite negbK /= !eqxx.
exact: no_input_again in_W.
Qed.

(** What a step that is over was made from has been red. *)
Lemma read_before (p : pair) e v : when (p, e) <= s -> connect (@edge G) v (Weight d dv p) -> been_red ms s v.
Proof.
move=> le_s leads; have is_red : (Weight d dv p : vertex G) \in red_at ms (when (p, e)).
  by apply: (computed_red legal_ms (traced_when (p, e)).1); rewrite /= eqxx.
have [t le_t red_t] := leads_red legal_ms leads is_red.
by apply/been_redP; exists t => //; apply: leq_trans le_s.
Qed.

(** (Q) *)
Lemma tied_query i : i \in R -> (exists e, begun s i e) -> (exists e, ~~ advanced s i e) ->
  (forall k, (i, k) \in query_words W) \/ (forall j, j \in late -> (i, j) \in places (charged W)).
Proof.
move=> in_R [e /existsP[q /and3P[/eqP row_q _ lt_q]]] [e' not_adv].
case: (boolP [forall j, (j \in late) ==> ((i, j) \in places (charged W))]) => [/forallP all_j|/forallPn[j]].
  by right=> j in_late; apply: (implyP (all_j j)).
rewrite negb_imply => /andP[in_late not_charged]; left=> k.
have [|p row_p col_p] := @pair_at i j in_R; first by rewrite inE in_late orbT.
have le_s : s <= when (p, e') by apply: to_come not_adv row_p _; rewrite col_p.
have [|[all_q _]] := charged_or_again le_s; first by rewrite row_p col_p (negbTE not_charged).
have old_q : been_red ms s (Query dv i k : vertex G).
  apply: read_before (ltnW lt_q) _; apply: connect_trans (connect1 _) (score_leads dv stats q k).
  by rewrite /= row_q !eqxx.
by have := all_q k; rewrite row_p !inE old_q implybT andbT.
Qed.

(** (K) *)
Lemma tied_key i j e : i \in R -> j \in early -> ~~ begun s i e -> (forall k, been_red ms s (Key dv j k : vertex G)) ->
  (forall k, (j, k) \in key_words W) \/ (i, j) \in places (charged W).
Proof.
move=> in_R in_early not_begun old_k; have [|p row_p col_p] := @pair_at i j in_R; first by rewrite inE in_early.
have le_s : s <= when (p, e).
  by rewrite leqNgt; apply: contra not_begun => lt_s; apply/existsP; exists p; rewrite row_p eqxx col_p in_early.
have [|[_ all_k]] := charged_or_again le_s; first by rewrite row_p col_p; right.
by left=> k; have := all_k k; rewrite col_p !inE (old_k k) implybT andbT.
Qed.

(** All that is needed again, by kinds. *)
Lemma card_again : #|query_words W| + #|key_words W| + #|value_words W| + #|output_words W| +
  #|[set x in places (charged W) | x.2 \in late]| + #|[set x in places (charged W) | x.2 \in early]| <= #|W|.
Proof.
apply: leq_trans (card_kinds W); have le_places : #|places (charged W)| <= #|charged W| by apply: leq_imset_card.
have : #|[set x in places (charged W) | x.2 \in late]| + #|[set x in places (charged W) | x.2 \in early]| <= #|places (charged W)|.
  rewrite -cardsUI [X in _ + #|pred_of_set X|](_ : _ = set0); last first.
    apply/setP => x; rewrite !inE; apply/negP => /andP[/andP[_ in_late] /andP[_ in_early]].
    by have := early_late in_early in_late; rewrite ltnn.
  by rewrite cards0 addn0; apply/subset_leq_card/subsetP => x; rewrite !inE => /orP[] /andP[].
by move: le_places; clear; lia.
Qed.

End Moment.
