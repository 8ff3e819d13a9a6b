(** * Keys of two parts by names

    As in Names.v: Qc[i,e] is [0; i; e], Qr [1; i; r], the own words of a key and of its value [2; j; w], Kr [3; t; r], S1 [4; i; j; e],
    S2 [5; i; j; r], P [6; i; j], U[i,e,j] is [7; i; e; j], l [8; i; j] and O [9; i; e]. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Attention Names Latent.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section LatentNames.

Variables (Nq Nk tokens own r dv words shift : nat) (stats : bool) (mask : nat -> nat -> bool) (token_name : nat -> nat).
Variables (score_word : 'I_own -> 'I_words) (value_word : 'I_dv -> 'I_words) (token : 'I_Nk -> 'I_tokens).
Hypothesis score_wordE : forall k, val (score_word k) = val k.
Hypothesis value_wordE : forall e, val (value_word e) = shift + val e.
Hypothesis tokenE : forall j, val (token j) = token_name (val j).

Local Notation allowed := (@allowed Nq Nk mask).
Local Notation G := (two_parts r stats score_word value_word token allowed).
Local Notation pairs := (pairs Nq Nk mask).
Local Notation queries := (queries Nq Nk mask).
Local Notation keys := (keys Nq Nk mask).

Definition two_part_name (v : vertex G) : seq nat :=
  match v with
  | QueryOwn i k => [:: 0; val (val i); val k]
  | QueryRotary i k => [:: 1; val (val i); val k]
  | KeyOwn j w => [:: 2; val (val j); val w]
  | KeyRotary t k => [:: 3; val (val t); val k]
  | ScoreOwn p k => [:: 4; val (val (row p)); place p; val k]
  | ScoreRotary p k => [:: 5; val (val (row p)); place p; val k]
  | WeightOf p => [:: 6; val (val (row p)); place p]
  | PartialOf p e => [:: 7; val (val (row p)); val e; place p]
  | RowSumOf p => [:: 8; val (val (row p)); place p]
  | OutputOf i e => [:: 9; val (val i); val e]
  end.

Definition token_names := [seq t <- iota 0 tokens | has (fun j => token_name j == t) keys].

Definition two_part_names : seq (seq nat) :=
  [seq [:: 0; i; k] | i <- queries, k <- iota 0 own] ++ [seq [:: 1; i; k] | i <- queries, k <- iota 0 r] ++
  [seq [:: 2; j; w] | j <- keys, w <- iota 0 words] ++ [seq [:: 3; t; k] | t <- token_names, k <- iota 0 r] ++
  [seq [:: 4; p.1; p.2; k] | p <- pairs, k <- iota 0 own] ++ [seq [:: 5; p.1; p.2; k] | p <- pairs, k <- iota 0 r] ++
  [seq [:: 6; p.1; p.2] | p <- pairs] ++ [seq [:: 7; p.1; e; p.2] | p <- pairs, e <- iota 0 dv] ++
  [seq [:: 8; p.1; p.2] | p <- pairs] ++ [seq [:: 9; i; e] | i <- queries, e <- iota 0 dv].

Definition two_part_name_edge (u v : seq nat) : bool :=
  match u, v with
  | [:: 0; i; k], [:: 4; i'; _; k'] => (i == i') && (k == k')
  | [:: 2; j; w], [:: 4; _; j'; k] => (j == j') && (w == k)
  | [:: 4; i; j; k], [:: 4; i'; j'; k'] => [&& i == i', j == j' & k.+1 == k']
  | [:: 4; i; j; k], [:: 6; i'; j'] => [&& i == i', j == j' & k.+1 == own]
  | [:: 1; i; k], [:: 5; i'; _; k'] => (i == i') && (k == k')
  | [:: 3; t; k], [:: 5; _; j; k'] => (t == token_name j) && (k == k')
  | [:: 5; i; j; k], [:: 5; i'; j'; k'] => [&& i == i', j == j' & k.+1 == k']
  | [:: 5; i; j; k], [:: 6; i'; j'] => [&& i == i', j == j' & k.+1 == r]
  | [:: 6; i; j], [:: 8; i'; j'] => (i == i') && (j == j')
  | [:: 8; i; j], [:: 8; i'; j'] => (i == i') && is_next mask i j j'
  | [:: 6; i; j], [:: 7; i'; _; j'] => (i == i') && (j == j')
  | [:: 2; j; w], [:: 7; _; e; j'] => (j == j') && (w == shift + e)
  | [:: 7; i; e; j], [:: 7; i'; e'; j'] => [&& i == i', is_next mask i j j' & e == e']
  | [:: 7; i; e; j], [:: 9; i'; e'] => [&& is_last Nk mask i j, i == i' & e == e']
  | [:: 8; i; j], [:: 9; i'; _] => is_last Nk mask i j && (i == i')
  | _, _ => false
  end.

Definition two_part_name_output (v : seq nat) : bool :=
  match v with [:: 9; _; _] => true | [:: 8; i; j] => stats && is_last Nk mask i j | _ => false end.

Lemma two_part_name_edgeP u v : edge u v = two_part_name_edge (two_part_name u) (two_part_name v).
Proof.
case: u v => [i k|i k|j w|t k|p k|p k|p|p e|p|i e] [i' k'|i' k'|j' w'|t' k'|p' k'|p' k'|p'|p' e'|p'|i' e'] //=;
  by rewrite ?next_pairE ?last_pairE ?pair_eqE -?val_eqE /= -?val_eqE ?score_wordE ?value_wordE ?tokenE // -?andbA.
Qed.

Lemma two_part_name_outputP v : output v = two_part_name_output (two_part_name v).
Proof. by case: v => // p; rewrite /= last_pairE. Qed.

Lemma two_part_name_inj : injective two_part_name.
Proof.
move=> [i k|i k|j w|t k|p k|p k|p|p e|p|i e] [i' k'|i' k'|j' w'|t' k'|p' k'|p' k'|p'|p' e'|p'|i' e'] // eq_names.
- by case: eq_names => /val_inj/val_inj -> /val_inj ->.
- by case: eq_names => /val_inj/val_inj -> /val_inj ->.
- by case: eq_names => /val_inj/val_inj -> /val_inj ->.
- by case: eq_names => /val_inj/val_inj -> /val_inj ->.
- have := congr1 (nth 0 ^~ 1) eq_names; have := congr1 (nth 0 ^~ 2) eq_names; have := congr1 (nth 0 ^~ 3) eq_names.
  by move=> /= /val_inj -> eq_place eq_row; rewrite (pair_inj eq_row eq_place).
- have := congr1 (nth 0 ^~ 1) eq_names; have := congr1 (nth 0 ^~ 2) eq_names; have := congr1 (nth 0 ^~ 3) eq_names.
  by move=> /= /val_inj -> eq_place eq_row; rewrite (pair_inj eq_row eq_place).
- have := congr1 (nth 0 ^~ 1) eq_names; have := congr1 (nth 0 ^~ 2) eq_names.
  by move=> /= eq_place eq_row; rewrite (pair_inj eq_row eq_place).
- have := congr1 (nth 0 ^~ 1) eq_names; have := congr1 (nth 0 ^~ 2) eq_names; have := congr1 (nth 0 ^~ 3) eq_names.
  by move=> /= eq_place /val_inj -> eq_row; rewrite (pair_inj eq_row eq_place).
- have := congr1 (nth 0 ^~ 1) eq_names; have := congr1 (nth 0 ^~ 2) eq_names.
  by move=> /= eq_place eq_row; rewrite (pair_inj eq_row eq_place).
by case: eq_names => /val_inj/val_inj -> /val_inj ->.
Qed.

Lemma in_tokens t : reflect (exists q : used_token token allowed, val (val q) = t) (t \in token_names).
Proof.
rewrite mem_filter mem_iota add0n /=; apply: (iffP andP) => [[/hasP[j /in_keys[q <-]]]|[q <-]].
  rewrite -tokenE => /eqP <- lt_t.
  have used : [exists j' : key allowed, token (val j') == token (val q)] by apply/existsP; exists q.
  by exists (Sub (token (val q)) used).
split; last exact: ltn_ord; have [j /eqP eq_t] := existsP (valP q).
by apply/hasP; exists (val (val j)); [apply/in_keys; exists j|rewrite -tokenE eq_t].
Qed.

(** All ten kinds, in the order of [two_part_names]. *)
Lemma two_part_namesP x : reflect (exists v, two_part_name v = x) (x \in two_part_names).
Proof.
rewrite /two_part_names !mem_cat; apply: (iffP idP) => [|[v <-]].
  case/orP => [|/orP[|/orP[|/orP[|/orP[|/orP[|/orP[|/orP[|/orP[|]]]]]]]]].
  - by case/allpairsP=> -[i k] /= [/in_queries[q <-] /in_range[z <-] ->]; exists (QueryOwn q z).
  - by case/allpairsP=> -[i k] /= [/in_queries[q <-] /in_range[z <-] ->]; exists (QueryRotary q z).
  - by case/allpairsP=> -[j w] /= [/in_keys[q <-] /in_range[z <-] ->]; exists (KeyOwn q z).
  - by case/allpairsP=> -[t k] /= [/in_tokens[q <-] /in_range[z <-] ->]; exists (KeyRotary q z).
  - by case/allpairsP=> -[p k] /= [/in_pairs[q <-] /in_range[z <-] ->]; exists (ScoreOwn q z).
  - by case/allpairsP=> -[p k] /= [/in_pairs[q <-] /in_range[z <-] ->]; exists (ScoreRotary q z).
  - by case/mapP=> p /in_pairs[q <-] ->; exists (WeightOf q).
  - by case/allpairsP=> -[p e] /= [/in_pairs[q <-] /in_range[z <-] ->]; exists (PartialOf q z).
  - by case/mapP=> p /in_pairs[q <-] ->; exists (RowSumOf q).
  by case/allpairsP=> -[i e] /= [/in_queries[q <-] /in_range[z <-] ->]; exists (OutputOf q z).
have range n (z : 'I_n) : val z \in iota 0 n by apply/in_range; exists z.
have the_pair (p : pair allowed) : (val (val (row p)), place p) \in pairs by apply/in_pairs; exists p.
have the_query (q : query allowed) : val (val q) \in queries by apply/in_queries; exists q.
have the_key (q : key allowed) : val (val q) \in keys by apply/in_keys; exists q.
have the_token (q : used_token token allowed) : val (val q) \in token_names by apply/in_tokens; exists q.
case: v => [i k|i k|j w|t k|p k|p k|p|p e|p|i e].
- by rewrite (allpairs_f (fun i k => [:: 0; i; k])).
- by rewrite (allpairs_f (fun i k => [:: 1; i; k])) ?orbT.
- by rewrite (allpairs_f (fun i k => [:: 2; i; k])) ?orbT.
- by rewrite (allpairs_f (fun i k => [:: 3; i; k])) ?orbT.
- by rewrite (allpairs_f (fun p k => [:: 4; p.1; p.2; k]) (the_pair p) (range _ k)) ?orbT.
- by rewrite (allpairs_f (fun p k => [:: 5; p.1; p.2; k]) (the_pair p) (range _ k)) ?orbT.
- by rewrite (map_f (fun p => [:: 6; p.1; p.2]) (the_pair p)) ?orbT.
- by rewrite (allpairs_f (fun p e => [:: 7; p.1; e; p.2]) (the_pair p) (range _ e)) ?orbT.
- by rewrite (map_f (fun p => [:: 8; p.1; p.2]) (the_pair p)) ?orbT.
by rewrite (allpairs_f (fun i e => [:: 9; i; e])) ?orbT.
Qed.

Definition two_parts_named : named G :=
  Named two_part_name_inj two_part_namesP two_part_name_edgeP two_part_name_outputP.

End LatentNames.

(** Latent attention. *)
Definition latent_named Nq Nk r dv stats mask : named (latent r dv stats (@allowed Nq Nk mask)) :=
  @two_parts_named Nq Nk Nk dv r dv dv 0 stats mask id id id id (fun=> erefl) (fun=> erefl) (fun=> erefl).

(** Heads that share rotary words: query i of head h is [h * Nq + i], key j is [h * n.+1 + j], and its token [j]. *)
Definition token_of_key heads n (j : 'I_(heads * n.+1)) : 'I_n.+1 := Ordinal (ltn_pmod j (ltn0Sn n)).
Definition shared_rope_named heads Nq n own r dv stats mask :
    named (shared_rope own r dv stats (@token_of_key heads n) (@allowed (heads * Nq) (heads * n.+1) mask)) :=
  @two_parts_named (heads * Nq) (heads * n.+1) n.+1 own r dv (own + dv) own stats mask (fun j => j %% n.+1) (@lshift own dv) (@rshift own dv)
    (@token_of_key heads n) (fun=> erefl) (fun=> erefl) (fun=> erefl).
