(** * Heads that share rotary words

    docs/proofs/latent.md: T1 for all heads at once, and the compulsory words. Several
    heads are one mask with all their queries and keys, each query allowed keys of its own head; keys of one head are different tokens. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Compulsory LoomisWhitney Tracing Attention AttentionFacts T1Function T1.
From Pebble Require Import Latent LatentFacts LatentCompulsory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section SharedRope.

Variables (Nq Nk tokens heads own r dv : nat) (stats : bool) (token : 'I_Nk -> 'I_tokens) (allowed : 'I_Nq -> 'I_Nk -> bool).
Variables (query_head : 'I_Nq -> 'I_heads) (key_head : 'I_Nk -> 'I_heads).

(** What makes the mask one of several heads. *)
Definition mask_of_heads := (forall i j, allowed i j -> query_head i = key_head j) /\
  (forall j j', key_head j = key_head j' -> token j = token j' -> j = j').
Hypothesis of_heads : mask_of_heads.

(** The mask of one head. *)
Definition head_mask h i j := allowed i j && (query_head i == h).

Notation pair := (pair allowed).
Notation query := (query allowed).
Notation key := (key allowed).
Notation used := (used_token token allowed).
Notation G := (shared_rope own r dv stats token allowed).
Notation step := (u_step dv allowed).
Notation vert := (@part_vert Nq Nk tokens own r dv (own + dv) stats (@lshift own dv) (@rshift own dv) token allowed).

Section Kinds.

Variable W : {set vertex G}.

Definition score_words := [set x : key * 'I_own | (KeyOwn x.1 (lshift dv x.2) : vertex G) \in W].
Definition value_words_of := [set x : key * 'I_dv | (KeyOwn x.1 (rshift own x.2) : vertex G) \in W].

Lemma card_key_words : #|score_words| + #|value_words_of| <= #|key_own_words W|.
Proof.
pose f (x : key * 'I_own + key * 'I_dv) : key * 'I_(own + dv) := match x with inl y => (y.1, lshift dv y.2) | inr y => (y.1, rshift own y.2) end.
have f_inj : injective f.
  move=> [[i k]|[i k]] [[i' k']|[i' k']] /= eq_f; have eq_i := congr1 fst eq_f; have := congr1 (fun x => val x.2) eq_f; rewrite /= in eq_i *; rewrite eq_i.
  - by move=> /val_inj eq_k; rewrite eq_k.
  - by move=> eq_k; have := ltn_ord k; rewrite eq_k ltnNge leq_addr.
  - by move=> eq_k; have := ltn_ord k'; rewrite -eq_k ltnNge leq_addr.
  by move=> /addnI/val_inj eq_k; rewrite eq_k.
pose both := [set x : key * 'I_own + key * 'I_dv | f x \in key_own_words W].
have -> : #|score_words| + #|value_words_of| = #|both|.
  by rewrite card_sum_set; congr (_ + _); apply: eq_card => -[j k]; rewrite !inE.
by rewrite -(card_imset _ f_inj); apply/subset_leq_card/subsetP => y /imsetP[x in_x ->]; rewrite inE in in_x.
Qed.

(** The whole keys that a query may see, and those of the head that has most. *)
Definition columns_of (h : 'I_heads) := [set j in whole_columns W | key_head (val j) == h].
Definition most := \max_h #|columns_of h|.

Lemma card_columns_own : own * #|whole_columns W| <= #|score_words|.
Proof. by apply: card_whole_rows => j k; rewrite !inE => /andP[/forallP]. Qed.

Lemma card_columns_rotary h : r * #|columns_of h| <= #|key_rotary_words W|.
Proof.
have inj : {in columns_of h &, injective (fun j : key => token_of token j)}.
  move=> i j; rewrite !inE => /andP[_ /eqP head_i] /andP[_ /eqP head_j] eq_ij; apply: val_inj.
  by apply: (of_heads.2); [rewrite head_i head_j|have := congr1 val eq_ij].
rewrite -(card_in_imset inj); apply: card_whole_rows => t k /imsetP[j in_j ->].
by move: in_j; rewrite !inE => /andP[/andP[_ /forallP]].
Qed.

(** The greatest number of keys of a head, counted with all their words. *)
Lemma most_words : own * most + r * most <= #|score_words| + #|key_rotary_words W|.
Proof.
have le_own : own * most <= #|score_words|.
  apply: leq_trans card_columns_own; rewrite leq_mul2l; apply/orP; right; apply/bigmax_leqP => h _.
  by apply/subset_leq_card/subsetP => j; rewrite inE => /andP[].
apply: leq_add le_own _; rewrite /most; case: (posnP heads) => [no_head|some_head].
  by rewrite big1 ?muln0 // => h _; have := leq_ltn_trans (leq0n h) (ltn_ord h); move: (no_head); clear; lia.
have [|h ->] := eq_bigmax (fun h : 'I_heads => #|columns_of h|); first by rewrite card_ord.
exact: card_columns_rotary.
Qed.

(** Pairs that were charged, and pairs of a whole query and a whole key of its head. *)
Definition served_pairs := places (charged_pairs W) :|: [set x : query * key | (x.1 \in whole_rows W) && (x.2 \in columns_of (query_head (val x.1)))].

Lemma card_served_pairs : #|served_pairs| <= #|charged_pairs W| + #|whole_rows W| * most.
Proof.
apply: leq_trans (leq_card_setU _ _) (leq_add (leq_imset_card _ _) _).
rewrite card_rows -sum_nat_const [X in _ <= X]big_mkcond /=; apply: leq_sum => i _; case: ifP => in_W.
  apply: leq_trans (leq_bigmax (query_head (val i))); apply/subset_leq_card/subsetP => j.
  by rewrite inE inE => /andP[].
by rewrite leqn0 cards_eq0; apply/eqP/setP => j; rewrite inE inE in_set0 /= in_W.
Qed.

End Kinds.

Section Segment.

Variables (M : nat) (ms : seq (move G)) (when : step -> nat) (a b : nat) (W : {set vertex G}).
Hypothesis legal_ms : pebbling M ms.
Hypothesis computed_when : forall x, computed ms (when x) = Some (vert x).
Hypothesis hand_words : forall v, at_hand ms a b v -> v \in W.
Hypothesis chain_at_hand : forall x, a <= when x < b -> exists2 y, u_chain y = u_chain x & vert y \in W.

Lemma rope_served x : a <= when x < b -> (row x.1, column x.1) \in served_pairs W.
Proof.
move=> in_ab; have edge_x : edge (WeightOf x.1 : vertex G) (vert x) by rewrite /= eqxx.
rewrite in_setU; case: (two_part_served legal_ms hand_words in_ab (computed_red legal_ms (computed_when x) edge_x)) => [ch|[row_in column_in]].
  by apply/orP; left; apply: imset_f.
by apply/orP; right; rewrite inE row_in inE column_in /=; apply/eqP/esym/(of_heads.1)/(valP x.1).
Qed.

Lemma rope_events : #|[set x | a <= when x < b]| ^ 2 <= #|served_pairs W| * #|partial_words W| * #|value_words_of W|.
Proof.
rewrite -(card_imset _ (@triple_inj _ _ _ _)).
apply: loomis_whitney => i j e /imsetP[x]; rewrite inE => in_ab eq_t;
  rewrite ?(congr1 (fun t => t.1.1) eq_t : i = row x.1) ?(congr1 (fun t => t.1.2) eq_t : j = column x.1) ?(congr1 snd eq_t : e = x.2).
- exact: rope_served.
- have [y chain_y in_W] := chain_at_hand in_ab; rewrite inE; apply/existsP; exists y.1.
  rewrite (congr1 fst chain_y : row y.1 = row x.1) eqxx /=.
  by rewrite -(congr1 snd chain_y : y.2 = x.2).
rewrite inE; apply: (input_in_words legal_ms hand_words in_ab); first by apply/forallP => -[].
by apply: (computed_red legal_ms (computed_when x)); rewrite /= !eqxx.
Qed.

Lemma few_rope_events T : 0 < own + r -> #|W| <= T -> #|[set x | a <= when x < b]| <= t1_events (own + r) dv T.
Proof.
move=> d_gt0 le_T; have le_served := card_served_pairs W.
apply: (@t1_count _ _ _ #|charged_pairs W| #|whole_rows W| (most W) #|partial_words W| #|value_words_of W| _ d_gt0).
- by apply: leq_trans rope_events _; rewrite -!mulnA leq_mul2r le_served orbT.
- apply: (@leq_trans (dv * #|served_pairs W|)); last by rewrite leq_mul2l le_served orbT.
  by apply: card_by_pairs => x; rewrite inE; exact: rope_served.
have := card_two_parts W; have := card_whole_rows_own W; have := card_key_words W; have := most_words W; move: le_T.
move: #|W| #|query_own_words W| #|query_rotary_words W| #|key_own_words W| #|key_rotary_words W| #|charged_pairs W| #|partial_words W|.
by move: #|whole_rows W| (most W) #|score_words W| #|value_words_of W|; clear; lia.
Qed.

End Segment.

Theorem T1_shared M h T (ms : seq (move G)) :
  pebbling M ms -> 0 < own + r -> 0 < h -> h * t1_events (own + r) dv T < #|pair| * dv ->
  M + 1 + h * T + stats * #|query| <= io ms + h * M.
Proof.
move=> legal_ms d_gt0 h_gt0 many.
have [when traced_when] := trace legal_ms (@part_no_input _ _ _ own r dv (own + dv) stats (@lshift own dv) (@rshift own dv) token allowed)
  (@u_follows_left Nq Nk dv allowed) (@part_follows_edge _ _ _ own r dv (own + dv) stats (@lshift own dv) (@rshift own dv) token allowed)
  (@u_follows_fun Nq Nk dv allowed) (fun x => part_last_step legal_ms).
have seg a b : #|segment_words ms vert (@u_follows Nq Nk dv allowed) when a b| <= T -> \sum_(x | a <= when x < b) 1 <= t1_events (own + r) dv T.
  move=> le_T; rewrite sum1dep_card; apply: (few_rope_events legal_ms _ _ _ d_gt0 le_T) => [x|v|x].
  - exact: (traced_when x).1.
  - exact: at_hand_words.
  exact: (chain_words legal_ms (@part_follows_edge _ _ _ own r dv (own + dv) stats (@lshift own dv) (@rshift own dv) token allowed) traced_when
    (@u_follows_chain Nq Nk dv allowed)).
have := cut_events legal_ms traced_when (@part_vert_inj _ _ _ own r dv (own + dv) stats (@lshift own dv) (@rshift own dv) token allowed) seg h_gt0.
rewrite sum1_card card_prod card_ord => /(_ many).
have le_stores : #|query| * dv + stats * #|query| <= stores ms := two_part_stores legal_ms.
by have := @u_card_first Nq Nk dv allowed; move: le_stores; rewrite io_loads_stores; clear; lia.
Qed.

(** All words are needed. *)
Theorem shared_rope_compulsory M (ms : seq (move G)) : 0 < dv -> pebbling M ms ->
  #|query| * (own + r) + #|key| * (own + dv) + #|used| * r + #|query| * dv + stats * #|query| <= io ms.
Proof.
move=> dv_gt0; apply: two_parts_compulsory => // w; case: (splitP w) => [k eq_k|e eq_e]; [left; exists k|right; exists e].
  by apply: val_inj.
by apply: val_inj.
Qed.

End SharedRope.
