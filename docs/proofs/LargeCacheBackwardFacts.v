(** * Facts at a moment of the backward pass

    docs/proofs/large-cache.md, the backward pass: what is needed again at a moment, where queries of [R] have been touched and keys of
    [C] not, or the other way round. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Segments Compulsory LoomisWhitney Tracing Lines Again Moments Attention Backward BackwardFacts BackwardCompulsory.
From Pebble Require AttentionFacts.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** What is newly red is one vertex. *)
Lemma newly_red (G : dag) (ms : seq (move G)) s u v : u \in red_at ms s.+1 -> ~~ been_red ms s u ->
  v \in red_at ms s.+1 -> ~~ been_red ms s v -> u = v.
Proof.
have new x : x \in red_at ms s.+1 -> ~~ been_red ms s x -> loaded ms s = Some x \/ computed ms s = Some x.
  case/red_atS => [is_red|load_x|comp_x] not_old; [|by left|by right].
  by case/negP: not_old; apply/been_redP; exists s.
move=> red_u new_u red_v new_v; have := new v red_v new_v; have := new u red_u new_u.
rewrite /loaded /computed; case: (move_at ms s) => [[x|x|x|x|x p]|] [] // [eq_u] [] // [eq_v]; by rewrite -eq_u -eq_v.
Qed.

Lemma been_redS (G : dag) (ms : seq (move G)) s v : been_red ms s.+1 v -> been_red ms s v \/ v \in red_at ms s.+1.
Proof.
case/been_redP=> t; rewrite leq_eqVlt => /orP[/eqP -> |]; first by right.
by rewrite ltnS => le_t is_red; left; apply/been_redP; exists t.
Qed.

(** Traced steps along a line come in its order, and between two of them the accumulator is needed again. *)
Section Accumulator.

Variables (G : dag) (M : nat) (ms : seq (move G)) (X : finType) (vert : X -> vertex G) (follows : rel X) (when : X -> nat).
Hypothesis legal_ms : pebbling M ms.
Hypothesis traced_when : traced ms vert follows when.
Hypothesis follows_edge : forall x y, follows x y -> edge (vert x) (vert y).
Hypothesis no_input : forall x, ~~ input (vert x).

Variables (P L : finType) (line : P -> L) (rank : P -> nat) (n : nat) (f : P * 'I_n -> X).
Hypothesis rank_inj : forall p q, line p = line q -> rank p = rank q -> p = q.
Hypothesis adds_follows : forall x y, adds line rank x y -> follows (f x) (f y).

Lemma next_when p q k : next_in line rank p q -> when (f (p, k)) < when (f (q, k)) /\
  forall s, when (f (p, k)) < s < when (f (q, k)) -> computed ms s <> Some (vert (f (p, k))).
Proof.
move=> next_q; have fol : adds line rank (p, k) (q, k) by rewrite /adds /= next_q eqxx.
exact: (traced_when (f (p, k))).2 _ (adds_follows fol).
Qed.

Lemma line_order p q k : line p = line q -> rank p < rank q -> when (f (p, k)) < when (f (q, k)).
Proof.
have [m le_m] := ubnP (rank q); elim: m q le_m => // m IH q le_m eq_line lt_pq.
have [r next_r] := previous_in eq_line lt_pq; have /and3P[/eqP line_r lt_r /forallP none] := next_r.
have [lt_when _] := next_when k next_r.
have le_pr : rank p <= rank r.
  by rewrite leqNgt; apply/negP => lt_rp; have := none p; rewrite eq_line line_r eqxx lt_rp lt_pq.
move: le_pr; rewrite leq_eqVlt => /orP[/eqP eq_rank|lt_pr].
  by rewrite (rank_inj _ eq_rank) // eq_line line_r.
apply: ltn_trans lt_when; apply: IH => //; last by rewrite eq_line line_r.
by apply: leq_trans lt_r _; rewrite -ltnS.
Qed.

Lemma held_again s p1 p2 k : line p1 = line p2 -> when (f (p1, k)) < s -> s <= when (f (p2, k)) ->
  exists2 p, line p = line p1 & vert (f (p, k)) \in again_old ms s.
Proof.
move=> eq_line lt_1 le_2; pose done p := (line p == line p1) && (when (f (p, k)) < s).
have done_1 : done p1 by rewrite /done eqxx.
case: (arg_maxnP rank done_1) => p /andP[/eqP line_p lt_p] greatest; exists p => //.
have eq_2 : line p2 = line p by rewrite line_p.
case: (pickP (next_in line rank p)) => [q next_q|none]; last first.
  have /forallP/(_ p2) := next_or_last_in (fun q => negbT (none q)); rewrite eq_2 eqxx /= leq_eqVlt.
  case/orP => [/eqP eq_rank|lt_rank].
    by move: lt_p; rewrite -(rank_inj eq_2 eq_rank) ltnNge le_2.
  by have := line_order k eq_2 lt_rank; rewrite ltnNge (leq_trans (ltnW lt_p) le_2).
have /and3P[/eqP line_q lt_pq _] := next_q; have [lt_when last_p] := next_when k next_q.
have le_q : s <= when (f (q, k)).
  rewrite leqNgt; apply/negP => lt_q; have := greatest q; rewrite /done -line_q line_p eqxx lt_q => /(_ isT) /=.
  by move: lt_pq; clear; lia.
have is_red : vert (f (p, k)) \in red_at ms (when (f (q, k))).
  apply: (computed_red legal_ms (traced_when (f (q, k))).1); apply: follows_edge; apply: adds_follows.
  by rewrite /adds /= next_q eqxx.
have le_size : when (f (q, k)) <= size ms by apply: ltnW; apply: (traced_size traced_when).
rewrite inE (negbTE (no_input _)) andbT.
case: (red_since le_q is_red) => [hand|[u /andP[le_u lt_u] comp_u]]; first exact: again_between le_size hand.
by case: (last_p u) => //; rewrite lt_u andbT; apply: leq_trans lt_p le_u.
Qed.

End Accumulator.

(** Words of two kinds in the same lines. *)
Definition both (X A B : finType) (a : {set X * A}) (b : {set X * B}) : {set X * (A + B)} :=
  [set z | match z.2 with inl k => (z.1, k) \in a | inr e => (z.1, e) \in b end].

Lemma card_both (X A B : finType) (a : {set X * A}) (b : {set X * B}) : #|both a b| <= #|a| + #|b|.
Proof.
pose h (z : X * (A + B)) : X * A + X * B := match z.2 with inl k => inl (z.1, k) | inr e => inr (z.1, e) end.
have h_inj : injective h by move=> [x [k|e]] [y [l|f]] //= [-> ->].
rewrite -(card_imset _ h_inj) card_sum_set; apply: leq_add; apply/subset_leq_card/subsetP => x; rewrite inE => /imsetP[[y [k|e]]];
  by rewrite inE /= => in_a //; rewrite /h /= => -[->].
Qed.

Section Moment.

Variables (Nq Nk d dv : nat) (allowed : 'I_Nq -> 'I_Nk -> bool).

Notation pair := (pair allowed).
Notation query := (query allowed).
Notation key := (key allowed).
Notation G := (backward d dv allowed).
Notation vert := (@gradient_vert Nq Nk d dv allowed).

Variables (M : nat) (ms : seq (move G)) (when : gradient d dv allowed -> nat).
Hypothesis legal_ms : pebbling M ms.
Hypothesis traced_when : traced ms vert (@gradient_follows Nq Nk d dv allowed) when.
Hypothesis d_gt0 : 0 < d.

Variables (R : {set query}) (C : {set key}).
Hypothesis sees : forall i j, i \in R -> j \in C -> allowed (val i) (val j).

Lemma pair_at i j : i \in R -> j \in C -> exists2 p : pair, row p = i & column p = j.
Proof. by move=> in_R in_C; exists (Sub (val i, val j) (sees in_R in_C)); apply: val_inj. Qed.

Definition touched_query s i := [forall k, been_red ms s (Q i k : vertex G)] && [forall e, been_red ms s (dO i e : vertex G)].
Definition touched_key s j := [forall k, been_red ms s (K j k : vertex G)] && [forall e, been_red ms s (V j e : vertex G)].

Lemma S_leads p k : connect (@edge G) (S p k) (dS p).
Proof.
have [|l last_l leads_l] := @chain_leads _ (@edge G) d (fun k => S p k) k; first by move=> l l' /= ->; rewrite !eqxx.
apply: connect_trans leads_l (connect_trans (connect1 (_ : edge _ (P p : vertex G))) (connect1 _)); by rewrite /= ?last_l !eqxx.
Qed.

Lemma dP_leads p e : connect (@edge G) (dP p e) (dS p).
Proof.
have [|l last_l leads_l] := @chain_leads _ (@edge G) dv (fun e => dP p e) e; first by move=> l l' /= ->; rewrite !eqxx.
apply: connect_trans leads_l (connect1 _); by rewrite /= last_l !eqxx.
Qed.

(** An event on a pair comes when both its query and its key have been touched. *)
Lemma event_touched s t p : t <= s -> (dS p : vertex G) \in red_at ms t -> touched_query s (row p) /\ touched_key s (column p).
Proof.
move=> le_t is_red; have read v w : edge v w -> connect (@edge G) w (dS p) -> been_red ms s v.
  move=> edge_v leads_w; have [u le_u red_u] := leads_red legal_ms (connect_trans (connect1 edge_v) leads_w) is_red.
  by apply/been_redP; exists u => //; apply: leq_trans le_t.
by split; apply/andP; split; apply/forallP => k; [apply: read (S_leads p k)|apply: read (dP_leads p k)|
  apply: read (S_leads p k)|apply: read (dP_leads p k)]; rewrite /= !eqxx.
Qed.

Lemma dS_red_K p k : (dS p : vertex G) \in red_at ms (when (inl (inr (p, k)))).
Proof. by apply: (computed_red legal_ms (traced_when (inl (inr (p, k)))).1); rewrite /= eqxx. Qed.

Lemma dS_red_Q p k : (dS p : vertex G) \in red_at ms (when (inr (p, k))).
Proof. by apply: (computed_red legal_ms (traced_when (inr (p, k))).1); rewrite /= eqxx. Qed.

Variable s : nat.
Let W := again_old ms s.

Definition charges : {set pair} := of_kind (@as_S _ _ d dv allowed) W :|: of_kind (@as_dP _ _ d dv allowed) W :|: of_kind (@as_dS _ _ d dv allowed) W.
Definition charged_places := [set (row p, column p) | p in charges].
Definition query_lines := both (of_kind (@as_Q _ _ d dv allowed) W) (of_kind (@as_dO _ _ d dv allowed) W).
Definition key_lines := both (of_kind (@as_K _ _ d dv allowed) W) (of_kind (@as_V _ _ d dv allowed) W).

Lemma no_input_again v : ~~ input v -> v \in again ms s -> v \in W.
Proof. by move=> not_in; rewrite !inE => ->; rewrite (negbTE not_in). Qed.

Lemma S_again p : p \in of_kind (@as_S _ _ d dv allowed) (again ms s) -> p \in charges.
Proof.
rewrite inE => /imsetP[v in_v eq_v]; rewrite 2!in_setU; apply/orP; left; apply/orP; left.
case: v in_v eq_v => // [q k|q] in_v [eq_p].
  apply: (@in_kind _ _ _ _ _ _ _ _ (S q k)); last by rewrite eq_p.
  by apply: no_input_again in_v; apply/forallPn; exists (Q (row q) k); rewrite negbK /= !eqxx.
apply: (@in_kind _ _ _ _ _ _ _ _ (P q)); last by rewrite eq_p.
by apply: no_input_again in_v; apply/forallPn; exists (RowSum (row q)); rewrite negbK /= eqxx.
Qed.

Lemma dP_again p : p \in of_kind (@as_dP _ _ d dv allowed) (again ms s) -> p \in charges.
Proof.
rewrite inE => /imsetP[v in_v eq_v]; rewrite 2!in_setU; apply/orP; left; apply/orP; right.
case: v in_v eq_v => // q e in_v [eq_p]; apply: (@in_kind _ _ _ _ _ _ _ _ (dP q e)); last by rewrite eq_p.
by apply: no_input_again in_v; apply/forallPn; exists (dO (row q) e); rewrite negbK /= !eqxx.
Qed.

Lemma dS_again p : p \in of_kind (@as_dS _ _ d dv allowed) (again ms s) -> p \in charges.
Proof.
rewrite inE => /imsetP[v in_v eq_v]; rewrite 2!in_setU; apply/orP; right.
case: v in_v eq_v => // q in_v [eq_p]; apply: (@in_kind _ _ _ _ _ _ _ _ (dS q)); last by rewrite eq_p.
by apply: no_input_again in_v; apply/forallPn; exists (P q); rewrite negbK /= eqxx.
Qed.

(** (P) *)
Lemma charged_or_again p t : s <= t < size ms -> (dS p : vertex G) \in red_at ms t -> (row p, column p) \in charged_places \/
  [/\ forall k, (Q (row p) k : vertex G) \in again ms s, forall e, (dO (row p) e : vertex G) \in again ms s,
      forall k, (K (column p) k : vertex G) \in again ms s & forall e, (V (column p) e : vertex G) \in again ms s].
Proof.
move=> in_t red_t; have hand v : at_hand ms s (size ms) v -> v \in again ms s by rewrite inE.
have red_p : is_red ms s (size ms) (dS p : vertex G) by exists t.
have := dS_served (segment_closed legal_ms hand _) red_p; case/orP => [/dS_again ch|/andP[/orP[/S_again ch|/andP[q_whole k_whole]]]].
- by left; apply: imset_f.
- by left; apply: imset_f.
case/orP => [/dP_again ch|/andP[o_whole v_whole]]; first by left; apply: imset_f.
move: q_whole k_whole o_whole v_whole; rewrite !inE => /forallP q_whole /forallP k_whole /forallP o_whole /forallP v_whole.
right; split=> k.
- by have := q_whole k; rewrite inE => /imsetP[v in_v]; case: v in_v => // i' k' in_v [-> ->].
- by have := o_whole k; rewrite inE => /imsetP[v in_v]; case: v in_v => // i' k' in_v [-> ->].
- by have := k_whole k; rewrite inE => /imsetP[v in_v]; case: v in_v => // i' k' in_v [-> ->].
by have := v_whole k; rewrite inE => /imsetP[v in_v]; case: v in_v => // i' k' in_v [-> ->].
Qed.

Lemma old_again v : been_red ms s v -> v \in again ms s -> v \in W.
Proof. by move=> old_v again_v; rewrite inE again_v old_v implybT. Qed.

Lemma query_whole (p : pair) : touched_query s (row p) -> (forall k, (Q (row p) k : vertex G) \in again ms s) ->
  (forall e, (dO (row p) e : vertex G) \in again ms s) -> forall z, (row p, z) \in query_lines.
Proof.
case/andP=> /forallP old_q /forallP old_o all_q all_o [k|e]; rewrite inE /=.
  by apply: (@in_kind _ _ _ _ _ _ _ _ (Q (row p) k)) => //; apply: old_again.
by apply: (@in_kind _ _ _ _ _ _ _ _ (dO (row p) e)) => //; apply: old_again.
Qed.

Lemma key_whole (p : pair) : touched_key s (column p) -> (forall k, (K (column p) k : vertex G) \in again ms s) ->
  (forall e, (V (column p) e : vertex G) \in again ms s) -> forall z, (column p, z) \in key_lines.
Proof.
case/andP=> /forallP old_k /forallP old_v all_k all_v [k|e]; rewrite inE /=.
  by apply: (@in_kind _ _ _ _ _ _ _ _ (K (column p) k)) => //; apply: old_again.
by apply: (@in_kind _ _ _ _ _ _ _ _ (V (column p) e)) => //; apply: old_again.
Qed.

Lemma card_again : #|query_lines| + #|key_lines| + #|charged_places| + #|of_kind (@as_dQ _ _ d dv allowed) W| +
  #|of_kind (@as_dK _ _ d dv allowed) W| <= #|W|.
Proof.
apply: leq_trans (card_kinds W); have := card_both (of_kind (@as_Q _ _ d dv allowed) W) (of_kind (@as_dO _ _ d dv allowed) W).
have := card_both (of_kind (@as_K _ _ d dv allowed) W) (of_kind (@as_V _ _ d dv allowed) W).
have : #|charged_places| <= #|charges| by apply: leq_imset_card.
have : #|charges| <= #|of_kind (@as_S _ _ d dv allowed) W| + #|of_kind (@as_dP _ _ d dv allowed) W| + #|of_kind (@as_dS _ _ d dv allowed) W|.
  by apply: leq_trans (leq_card_setU _ _) _; rewrite leq_add2r; apply: leq_card_setU.
by rewrite /query_lines /key_lines; clear; lia.
Qed.

(** What has not been touched, and what has. *)
Definition far_queries := [set i in R | ~~ touched_query s i].
Definition far_keys := [set j in C | ~~ touched_key s j].

Lemma to_come (p : pair) t : (dS p : vertex G) \in red_at ms t ->
  ~~ touched_query s (row p) || ~~ touched_key s (column p) -> s <= t.
Proof.
move=> red_t far; rewrite leqNgt; apply/negP => lt_t; have [tq tk] := event_touched (ltnW lt_t) red_t.
by move: far; rewrite tq tk.
Qed.

Lemma when_in x : s <= when x -> s <= when x < size ms.
Proof. by move=> ->; apply: (traced_size traced_when). Qed.

(** The keys are behind. *)
Lemma keys_late tau tau' : 0 < #|far_keys| <= d + dv -> #|far_queries| < tau <= #|R| -> tau' <= minn (d + dv) #|R| ->
  (#|R| - tau + 1) * #|far_keys| + minn (d * (#|R| - tau' + 1)) ((#|C| - #|far_keys|) * tau') <= #|W|.
Proof.
case/andP=> far_gt0 far_le /andP[few tau_R]; rewrite leq_min => /andP[tau'_d tau'_R].
pose T := [set i in R | touched_query s i]; pose k0 := Ordinal d_gt0.
pose begun i k := [exists p : pair, [&& row p == i, column p \in C & when (inr (p, k)) < s]].
have sub_T : T \subset R by apply/subsetP => i; rewrite inE => /andP[].
have sub_U : far_keys \subset C by apply/subsetP => j; rewrite inE => /andP[].
have eq_far : R :\: T = far_queries by apply/setP => i; rewrite !inE; case: (i \in R); rewrite /= ?andbT ?andbF.
have card_Z : #|[finType of 'I_d + 'I_dv]| = d + dv by rewrite card_sum !card_ord.
have := @one_side _ _ [finType of 'I_d + 'I_dv] [finType of 'I_d + 'I_dv] [finType of 'I_d] R T C far_keys begun query_lines key_lines charged_places
  (of_kind (@as_dQ _ _ d dv allowed) W) tau tau' sub_T sub_U.
rewrite card_Z card_ord eq_far => /(_ far_le tau'_d few tau_R tau'_R) count.
apply: leq_trans (leq_trans (leq_addr _ _) card_again); apply: count.
- move=> i j; rewrite !inE => /andP[in_R touched_i] /andP[in_C far_j].
  have [p row_p col_p] := pair_at in_R in_C; have red_p := dS_red_Q p k0.
  have le_s := to_come red_p; rewrite col_p far_j orbT in le_s.
  have [|[all_q all_o _ _]] := charged_or_again (when_in (le_s isT)) red_p; first by rewrite row_p col_p; right.
  by left; rewrite -row_p; apply: query_whole => //; rewrite row_p.
- move=> i j k in_R; rewrite !inE => /andP[not_far in_C] not_begun.
  have touched_j : touched_key s j by move: not_far; rewrite in_C /= negbK.
  have [p row_p col_p] := pair_at in_R in_C; have red_p := dS_red_Q p k.
  have le_s : s <= when (inr (p, k)).
    by rewrite leqNgt; apply: contra not_begun => lt_s; apply/existsP; exists p; rewrite row_p eqxx col_p in_C.
  have [|[_ _ all_k all_v]] := charged_or_again (when_in le_s) red_p; first by rewrite row_p col_p; right.
  by left; rewrite -col_p; apply: key_whole => //; rewrite col_p.
move=> i k in_R /existsP[p /and3P[/eqP row_p in_C lt_s]]; have [j] := card_gt0P far_gt0.
rewrite inE => /andP[in_C' far_j]; have [p' row_p' col_p'] := pair_at in_R in_C'.
have le_s := to_come (dS_red_Q p' k); rewrite col_p' far_j orbT in le_s.
have [|q row_q in_q] := @held_again G M ms _ _ _ when legal_ms traced_when (@gradient_edge _ _ d dv allowed) (@gradient_no_input _ _ d dv allowed)
  _ _ (@row _ _ allowed) (@place _ _ allowed) d (fun x => inr x) (@row_rank _ _ allowed) (fun x y a => a) s p p' k _ lt_s (le_s isT).
  by rewrite row_p row_p'.
by apply: in_kind in_q _; rewrite /= row_q row_p.
Qed.

(** The queries are behind. *)
Lemma queries_late sigma sigma' : 0 < #|far_queries| <= d + dv -> #|far_keys| < sigma <= #|C| -> sigma' <= minn (d + dv) #|C| ->
  (#|C| - sigma + 1) * #|far_queries| + minn (d * (#|C| - sigma' + 1)) ((#|R| - #|far_queries|) * sigma') <= #|W|.
Proof.
case/andP=> far_gt0 far_le /andP[few sigma_C]; rewrite leq_min => /andP[sigma'_d sigma'_C].
pose T := [set j in C | touched_key s j]; pose k0 := Ordinal d_gt0.
pose begun j k := [exists p : pair, [&& column p == j, row p \in R & when (inl (inr (p, k))) < s]].
pose swap (z : query * key) := (z.2, z.1).
have swap_inj : injective swap by move=> [? ?] [? ?] [-> ->].
have swapped i j : (i, j) \in charged_places -> (j, i) \in swap @: charged_places.
  by move=> ch; apply/imsetP; exists (i, j).
have sub_T : T \subset C by apply/subsetP => j; rewrite inE => /andP[].
have sub_U : far_queries \subset R by apply/subsetP => i; rewrite inE => /andP[].
have eq_far : C :\: T = far_keys by apply/setP => j; rewrite !inE; case: (j \in C); rewrite /= ?andbT ?andbF.
have card_Z : #|[finType of 'I_d + 'I_dv]| = d + dv by rewrite card_sum !card_ord.
have := @one_side _ _ [finType of 'I_d + 'I_dv] [finType of 'I_d + 'I_dv] [finType of 'I_d] C T R far_queries begun key_lines query_lines (swap @: charged_places)
  (of_kind (@as_dK _ _ d dv allowed) W) sigma sigma' sub_T sub_U.
rewrite card_Z card_ord eq_far card_imset // => /(_ far_le sigma'_d few sigma_C sigma'_C) count.
have all_words : #|key_lines| + #|query_lines| + #|charged_places| + #|of_kind (@as_dK _ _ d dv allowed) W| <= #|W|.
  have := card_again; move: #|query_lines| #|key_lines| #|charged_places| => x y z.
  by move: #|of_kind (@as_dQ _ _ d dv allowed) W| #|of_kind (@as_dK _ _ d dv allowed) W| => u v; clear; lia.
apply: leq_trans all_words; apply: count.
- move=> j i; rewrite !inE => /andP[in_C touched_j] /andP[in_R far_i].
  have [p row_p col_p] := pair_at in_R in_C; have red_p := dS_red_K p k0.
  have le_s := to_come red_p; rewrite row_p far_i in le_s.
  have [|[_ _ all_k all_v]] := charged_or_again (when_in (le_s isT)) red_p; first by rewrite row_p col_p; right; apply: swapped.
  by left; rewrite -col_p; apply: key_whole => //; rewrite col_p.
- move=> j i k in_C; rewrite !inE => /andP[not_far in_R] not_begun.
  have touched_i : touched_query s i by move: not_far; rewrite in_R /= negbK.
  have [p row_p col_p] := pair_at in_R in_C; have red_p := dS_red_K p k.
  have le_s : s <= when (inl (inr (p, k))).
    by rewrite leqNgt; apply: contra not_begun => lt_s; apply/existsP; exists p; rewrite col_p eqxx row_p in_R.
  have [|[all_q all_o _ _]] := charged_or_again (when_in le_s) red_p; first by rewrite row_p col_p; right; apply: swapped.
  by left; rewrite -row_p; apply: query_whole => //; rewrite row_p.
move=> j k in_C /existsP[p /and3P[/eqP col_p in_R lt_s]]; have [i] := card_gt0P far_gt0.
rewrite inE => /andP[in_R' far_i]; have [p' row_p' col_p'] := pair_at in_R' in_C.
have le_s := to_come (dS_red_K p' k); rewrite row_p' far_i in le_s.
have [|q col_q in_q] := @held_again G M ms _ _ _ when legal_ms traced_when (@gradient_edge _ _ d dv allowed) (@gradient_no_input _ _ d dv allowed)
  _ _ (@column _ _ allowed) (@height _ _ allowed) d (fun x => inl (inr x)) (@column_rank _ _ allowed) (fun x y a => a) s p p' k _ lt_s (le_s isT).
  by rewrite col_p col_p'.
by apply: in_kind in_q _; rewrite /= col_q col_p.
Qed.

End Moment.
