(** * The compulsory bound where keys have two parts

    docs/proofs/forward.md, compulsory, for the computations of docs/latent-attention.md. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Compulsory LoomisWhitney Attention AttentionFacts AttentionCompulsory Latent LatentFacts.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section TwoPartsCompulsory.

Variables (Nq Nk tokens own r dv words : nat) (stats : bool).
Variables (score_word : 'I_own -> 'I_words) (value_word : 'I_dv -> 'I_words) (token : 'I_Nk -> 'I_tokens).
Variable allowed : 'I_Nq -> 'I_Nk -> bool.

Notation pair := (pair allowed).
Notation query := (query allowed).
Notation key := (key allowed).
Notation used := (used_token token allowed).
Notation G := (two_parts r stats score_word value_word token allowed).
Notation leads := (connect (@edge G)).

(** Every word of a key is read. *)
Hypothesis read : forall w, (exists k, score_word k = w) \/ (exists e, value_word e = w).
Hypothesis dv_gt0 : 0 < dv.
Let e0 := Ordinal dv_gt0.

Lemma part_leads (p : pair) e : leads (PartialOf p e) (OutputOf (row p) e).
Proof.
have [n le_n] := ubnP (Nk - place p); elim: n p le_n => // n IH p le_n.
case: (pickP (next_pair p)) => [q next_q|none].
  have /and3P[/eqP row_q lt_q _] := next_q; have lt_Nk : place q < Nk by apply: ltn_ord.
  rewrite row_q; apply: connect_trans (connect1 _) (IH q _); first by rewrite /= next_q eqxx.
  by move: (place p) (place q) le_n lt_q lt_Nk; clear; lia.
by apply: connect1; rewrite /= !eqxx !andbT; apply: next_or_last => q; rewrite none.
Qed.

(** A chain of scores leads to the weight at its end. *)
Lemma chain_leads n (score : 'I_n -> vertex G) weight : (forall k : 'I_n, k.+1 = n -> edge (score k) weight) ->
  (forall k k' : 'I_n, k.+1 = k' -> edge (score k) (score k')) -> forall k, leads (score k) weight.
Proof.
move=> to_weight to_score k; have [m le_m] := ubnP (n - k); elim: m k le_m => // m IH k le_m.
case: (eqVneq k.+1 n) => [last_k|ne_k]; first by apply: connect1; apply: to_weight.
have lt_k : k.+1 < n by rewrite ltn_neqAle ne_k ltn_ord.
apply: connect_trans (connect1 (to_score k (Ordinal lt_k) erefl)) (IH (Ordinal lt_k) _).
by move: (ltn_ord k) le_m; clear; rewrite /=; lia.
Qed.

Lemma weight_leads (p : pair) : leads (WeightOf p) (OutputOf (row p) e0).
Proof. by apply: connect_trans (connect1 _) (part_leads p e0); rewrite /= eqxx. Qed.

Lemma own_leads (p : pair) k : leads (ScoreOwn p k) (OutputOf (row p) e0).
Proof.
apply: connect_trans (weight_leads p); apply: (chain_leads (score := fun k => ScoreOwn p k : vertex G)) => [k0 eq_k|k0 k1 eq_k].
  by rewrite /= eq_k !eqxx.
by rewrite /= eq_k !eqxx.
Qed.

Lemma rotary_leads (p : pair) k : leads (ScoreRotary p k) (OutputOf (row p) e0).
Proof.
apply: connect_trans (weight_leads p); apply: (chain_leads (score := fun k => ScoreRotary p k : vertex G)) => [k0 eq_k|k0 k1 eq_k].
  by rewrite /= eq_k !eqxx.
by rewrite /= eq_k !eqxx.
Qed.

(** What leads to an output is needed, if it is an input. *)
Lemma needed (v : vertex G) i e : input v -> leads v (OutputOf i e) -> v \in needed_inputs G.
Proof.
move=> in_v leads_v; rewrite inE in_v; apply/existsP; exists (OutputOf i e); rewrite leads_v andbT /=.
have [p /andP[row_p last_p]] := last_pair_of i.
by apply/forallPn; exists (PartialOf p e); rewrite negbK /= last_p row_p eqxx.
Qed.

Lemma query_own_needed i k : (QueryOwn i k : vertex G) \in needed_inputs G.
Proof.
have [p row_p] := pair_of_query i; apply: (@needed _ (row p) e0); first by apply/forallP => -[].
by apply: connect_trans (connect1 _) (own_leads p k); rewrite /= row_p !eqxx.
Qed.

Lemma query_rotary_needed i k : (QueryRotary i k : vertex G) \in needed_inputs G.
Proof.
have [p row_p] := pair_of_query i; apply: (@needed _ (row p) e0); first by apply/forallP => -[].
by apply: connect_trans (connect1 _) (rotary_leads p k); rewrite /= row_p !eqxx.
Qed.

Lemma key_own_needed j w : (KeyOwn j w : vertex G) \in needed_inputs G.
Proof.
have [p column_p] := pair_of_key j; have in_v : input (KeyOwn j w : vertex G) by apply/forallP => -[].
case: (read w) => [[k eq_w]|[e eq_w]].
  apply: (@needed _ (row p) e0 in_v); apply: connect_trans (connect1 _) (own_leads p k).
  by rewrite /= column_p eq_w !eqxx.
apply: (@needed _ (row p) e in_v); apply: connect_trans (connect1 _) (part_leads p e).
by rewrite /= column_p eq_w !eqxx.
Qed.

Lemma key_rotary_needed t k : (KeyRotary t k : vertex G) \in needed_inputs G.
Proof.
have [j /eqP eq_t] := existsP (valP t); have [p column_p] := pair_of_key j.
apply: (@needed _ (row p) e0); first by apply/forallP => -[].
by apply: connect_trans (connect1 _) (rotary_leads p k); rewrite /= -eq_t -column_p !eqxx.
Qed.

(** All words of queries and keys are loaded, O is stored, and the row sums if they are outputs. *)
Theorem two_parts_compulsory M (ms : seq (move G)) : pebbling M ms ->
  #|query| * (own + r) + #|key| * words + #|used| * r + #|query| * dv + stats * #|query| <= io ms.
Proof.
move=> legal_ms; rewrite io_loads_stores -addnA.
apply: leq_add; last exact: two_part_stores legal_ms.
apply: leq_trans (loads_inputs legal_ms).
pose f (x : query * 'I_own + query * 'I_r + (key * 'I_words + used * 'I_r)) : vertex G :=
  match x with
  | inl (inl y) => QueryOwn y.1 y.2 | inl (inr y) => QueryRotary y.1 y.2
  | inr (inl y) => KeyOwn y.1 y.2 | inr (inr y) => KeyRotary y.1 y.2
  end.
have f_inj : injective f.
  by move=> [[[i k]|[i k]]|[[i k]|[i k]]] [[[i' k']|[i' k']]|[[i' k']|[i' k']]] //= [-> ->].
have -> : #|query| * (own + r) + #|key| * words + #|used| * r =
    #|[finType of query * 'I_own + query * 'I_r + (key * 'I_words + used * 'I_r)]|.
  by rewrite !card_sum !card_prod !card_ord mulnDr addnA.
rewrite -cardsT -(card_imset _ f_inj); apply/subset_leq_card/subsetP => v /imsetP[x _ ->].
by case: x => [[[i k]|[i k]]|[[j w]|[t k]]];
  [apply: query_own_needed|apply: query_rotary_needed|apply: key_own_needed|apply: key_rotary_needed].
Qed.

End TwoPartsCompulsory.

(** Latent attention. *)
Theorem latent_compulsory Nq Nk r dv stats (allowed : 'I_Nq -> 'I_Nk -> bool) M (ms : seq (move (latent r dv stats allowed))) :
  0 < dv -> pebbling M ms ->
  #|query allowed| * (dv + r) + #|key allowed| * (dv + r) + #|query allowed| * dv + stats * #|query allowed| <= io ms.
Proof.
move=> dv_gt0 legal_ms; have read (w : 'I_dv) : (exists k : 'I_dv, id k = w) \/ (exists e : 'I_dv, id e = w) by left; exists w.
apply: leq_trans (two_parts_compulsory read dv_gt0 legal_ms).
have inj : injective (fun j : key allowed => token_of id j) by move=> i j eq_ij; apply: val_inj; have := congr1 val eq_ij.
have le_used : #|key allowed| <= #|used_token id allowed| by rewrite -(card_imset _ inj); apply: max_card.
by have := leq_mul le_used (leqnn r); clear; lia.
Qed.
