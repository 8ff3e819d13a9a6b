(** * The compulsory bound of the forward pass *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Compulsory LoomisWhitney Attention AttentionFacts.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section AttentionCompulsory.

Variables (Nq Nk d dv : nat) (stats : bool) (allowed : 'I_Nq -> 'I_Nk -> bool).

Notation pair := (pair allowed).
Notation query := (query allowed).
Notation key := (key allowed).
Notation G := (attention d dv stats allowed).
Notation leads := (connect (@edge G)).

Lemma partial_leads (p : pair) e : leads (Partial d p e) (Output _ (row p) e).
Proof.
have [n le_n] := ubnP (Nk - place p); elim: n p le_n => // n IH p le_n.
case: (pickP (next_pair p)) => [q next_q|none].
  have /and3P[/eqP row_q lt_q _] := next_q; have lt_Nk : place q < Nk by apply: ltn_ord.
  rewrite row_q; apply: connect_trans (connect1 _) (IH q _); first by rewrite /= next_q eqxx.
  by move: (place p) (place q) le_n lt_q lt_Nk; clear; lia.
by apply: connect1; rewrite /= !eqxx !andbT; apply: next_or_last => q; rewrite none.
Qed.

Lemma score_leads (p : pair) k : leads (Score dv p k) (Weight _ _ p).
Proof.
have [n le_n] := ubnP (d - k); elim: n k le_n => // n IH k le_n.
case: (eqVneq k.+1 d) => [last_k|ne_k]; first by apply: connect1; rewrite /= eqxx last_k eqxx.
have lt_k : k.+1 < d by rewrite ltn_neqAle ne_k ltn_ord.
apply: connect_trans (connect1 _) (IH (Ordinal lt_k) _); first by rewrite /= !eqxx.
by move: (ltn_ord k) le_n; clear; rewrite /=; lia.
Qed.

Lemma score_output (p : pair) k e : leads (Score dv p k) (Output _ (row p) e).
Proof.
apply: connect_trans (score_leads p k) (connect_trans (connect1 _) (partial_leads p e)).
by rewrite /= eqxx.
Qed.

Lemma pair_of_query (i : query) : exists p : pair, row p = i.
Proof. by have [j in_ij] := existsP (valP i); exists (Sub (val i, j) in_ij); apply: val_inj. Qed.

Lemma pair_of_key (j : key) : exists p : pair, column p = j.
Proof. by have [i in_ij] := existsP (valP j); exists (Sub (i, val j) in_ij); apply: val_inj. Qed.

Lemma output_made i e : output (Output d i e : vertex G) && ~~ input (Output d i e : vertex G).
Proof.
have [p /andP[row_p last_p]] := last_pair_of i; rewrite /=; apply/forallPn.
by exists (Partial d p e); rewrite negbK /= last_p row_p eqxx.
Qed.

(** Q, K and V are needed. *)
Section Needed.

Hypothesis dv_gt0 : 0 < dv.
Let e0 := Ordinal dv_gt0.

Lemma query_needed i k : (Query dv i k : vertex G) \in needed_inputs G.
Proof.
rewrite inE; apply/andP; split; first by apply/forallP => -[].
have [p row_p] := pair_of_query i; apply/existsP; exists (Output _ (row p) e0).
rewrite andbA output_made; apply: connect_trans (connect1 _) (score_output p k e0).
by rewrite /= row_p !eqxx.
Qed.

Lemma key_needed j k : (Key dv j k : vertex G) \in needed_inputs G.
Proof.
rewrite inE; apply/andP; split; first by apply/forallP => -[].
have [p column_p] := pair_of_key j; apply/existsP; exists (Output _ (row p) e0).
rewrite andbA output_made; apply: connect_trans (connect1 _) (score_output p k e0).
by rewrite /= column_p !eqxx.
Qed.

Lemma value_needed j e : (Value d j e : vertex G) \in needed_inputs G.
Proof.
rewrite inE; apply/andP; split; first by apply/forallP => -[].
have [p column_p] := pair_of_key j; apply/existsP; exists (Output _ (row p) e).
rewrite andbA output_made; apply: connect_trans (connect1 _) (partial_leads p e).
by rewrite /= column_p !eqxx.
Qed.

End Needed.

Lemma needed_words : 0 < d -> 0 < dv -> #|query| * d + #|key| * d + #|key| * dv <= #|needed_inputs G|.
Proof.
move=> d_gt0 dv_gt0.
pose f (x : query * 'I_d + key * 'I_d + key * 'I_dv) : vertex G :=
  match x with inl (inl y) => Query _ y.1 y.2 | inl (inr y) => Key _ y.1 y.2 | inr y => Value _ y.1 y.2 end.
have f_inj : injective f by move=> [[[i k]|[i k]]|[i k]] [[[i' k']|[i' k']]|[i' k']] //= [-> ->].
have -> : #|query| * d + #|key| * d + #|key| * dv = #|[finType of query * 'I_d + key * 'I_d + key * 'I_dv]|.
  by rewrite !card_sum !card_prod !card_ord.
rewrite -cardsT -(card_imset _ f_inj); apply/subset_leq_card/subsetP => v /imsetP[x _ ->].
by case: x => [[[i k]|[j k]]|[j e]]; [apply: query_needed|apply: key_needed|apply: value_needed].
Qed.

(** Q, K and V are loaded, O is stored, and the row sums if they are outputs. *)
Theorem attention_compulsory M (ms : seq (move G)) : 0 < d -> 0 < dv -> pebbling M ms ->
  #|query| * d + #|key| * d + #|key| * dv + #|query| * dv + stats * #|query| <= io ms.
Proof.
move=> d_gt0 dv_gt0 legal_ms; rewrite io_loads_stores -addnA.
apply: leq_add; last exact: attention_stores legal_ms.
exact: leq_trans (needed_words d_gt0 dv_gt0) (loads_inputs legal_ms).
Qed.

End AttentionCompulsory.

(** Without a mask. *)
Section AllPairs.

Variables Nq Nk : nat.

Lemma card_all_pairs : #|pair (@all_pairs Nq Nk)| = Nq * Nk.
Proof. by rewrite card_sig -[Nq in RHS]card_ord -[Nk in RHS]card_ord -card_prod; apply: eq_card. Qed.

Lemma card_all_queries : 0 < Nk -> #|query (@all_pairs Nq Nk)| = Nq.
Proof.
move=> Nk_gt0; rewrite card_sig -[RHS]card_ord; apply: eq_card => i; rewrite !inE.
by apply/existsP; exists (Ordinal Nk_gt0).
Qed.

Lemma card_all_keys : 0 < Nq -> #|key (@all_pairs Nq Nk)| = Nk.
Proof.
move=> Nq_gt0; rewrite card_sig -[RHS]card_ord; apply: eq_card => j; rewrite !inE.
by apply/existsP; exists (Ordinal Nq_gt0).
Qed.

End AllPairs.
