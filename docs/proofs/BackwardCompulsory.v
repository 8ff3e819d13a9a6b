(** * The compulsory bound of the backward pass *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Compulsory Lines Attention Backward BackwardFacts.
From Pebble Require AttentionCompulsory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section BackwardCompulsory.

Variables (Nq Nk d dv : nat) (allowed : 'I_Nq -> 'I_Nk -> bool).

Local Notation pair := (pair allowed).
Local Notation query := (query allowed).
Local Notation key := (key allowed).
Local Notation G := (backward d dv allowed).
Local Notation leads := (connect (@edge G)).

Hypothesis d_gt0 : 0 < d.

(** What dS is made from leads to an output: dQ. *)
Definition counts (v : vertex G) := exists2 p : pair, leads v (dS p) & True.

Lemma counts_step u v : edge u v -> counts v -> counts u.
Proof. by move=> edge_uv [p path_v _]; exists p => //; apply: connect_trans (connect1 edge_uv) path_v. Qed.

Lemma counts_dP p e : counts (dP p e).
Proof.
have [e'|l last_l path_l] := @chain_leads _ (@edge G) dv (fun e => dP p e) e.
  by move=> e'' /= ->; rewrite !eqxx.
by exists p => //; apply: connect_trans path_l (connect1 _); rewrite /= last_l !eqxx.
Qed.

Lemma counts_S p k : counts (S p k).
Proof.
have [k'|l last_l path_l] := @chain_leads _ (@edge G) d (fun k => S p k) k.
  by move=> k'' /= ->; rewrite !eqxx.
exists p => //; apply: connect_trans path_l (connect_trans (connect1 _) (connect1 _)); last first.
  by rewrite /=; instantiate (1 := P p); rewrite /= eqxx.
by rewrite /= last_l !eqxx.
Qed.

Lemma counts_D i e : counts (D i e).
Proof.
have [p row_p] := AttentionCompulsory.pair_of_query i.
have [e'|l last_l path_l] := @chain_leads _ (@edge G) dv (fun e => D i e) e.
  by move=> e'' /= ->; rewrite !eqxx.
by exists p => //; apply: connect_trans path_l (connect1 _); rewrite /= last_l row_p !eqxx.
Qed.

Lemma counts_output v : counts v -> [exists o, [&& output o, ~~ input o & leads v o]].
Proof.
move=> [p path_p _]; pose k := Ordinal d_gt0.
have [q r next|q [_ last_q path_q]] := leads_to_last (line := @row _ _ allowed) (rank := @place _ _ allowed)
  (e := @edge G) (f := fun q => dQ q k) p; first by rewrite /= eqxx andbT.
apply/existsP; exists (dQ q k); rewrite (@gradient_no_input _ _ _ _ allowed (inr (q, k))) andbC /=.
rewrite (connect_trans path_p) //; apply: connect_trans (connect1 _) path_q.
by rewrite /= eqxx.
Qed.

(** Q, K, V, dO, O and the row sums are needed. *)
Lemma needed_words :
  #|query| * d + #|key| * d + #|key| * dv + #|query| * dv + #|query| * dv + #|query| <= #|needed_inputs G|.
Proof.
pose f (x : query * 'I_d + key * 'I_d + key * 'I_dv + query * 'I_dv + query * 'I_dv + query) : vertex G :=
  match x with
  | inl (inl (inl (inl (inl y)))) => Q y.1 y.2
  | inl (inl (inl (inl (inr y)))) => K y.1 y.2
  | inl (inl (inl (inr y))) => V y.1 y.2
  | inl (inl (inr y)) => dO y.1 y.2
  | inl (inr y) => O y.1 y.2
  | inr y => RowSum y
  end.
have f_inj : injective f.
  by move=> [[[[[[i k]|[i k]]|[i k]]|[i k]]|[i k]]|i] [[[[[[j l]|[j l]]|[j l]]|[j l]]|[j l]]|j] //= [] => [-> ->|-> ->|-> ->|-> ->|-> ->|->].
have -> : #|query| * d + #|key| * d + #|key| * dv + #|query| * dv + #|query| * dv + #|query| =
    #|[finType of query * 'I_d + key * 'I_d + key * 'I_dv + query * 'I_dv + query * 'I_dv + query]|.
  by rewrite !card_sum !card_prod !card_ord.
rewrite -cardsT -(card_imset _ f_inj); apply/subset_leq_card/subsetP => v /imsetP[x _ ->]; rewrite inE.
apply/andP; split; first by case: x => [[[[[[i k]|[i k]]|[i k]]|[i k]]|[i k]]|i]; apply/forallP => -[].
apply: counts_output; case: x => [[[[[[i k]|[j k]]|[j e]]|[i e]]|[i e]]|i] /=.
- have [p row_p] := AttentionCompulsory.pair_of_query i.
  by apply: counts_step (counts_S p k); rewrite /= row_p !eqxx.
- have [p column_p] := AttentionCompulsory.pair_of_key j.
  by apply: counts_step (counts_S p k); rewrite /= column_p !eqxx.
- have [p column_p] := AttentionCompulsory.pair_of_key j.
  by apply: counts_step (counts_dP p e); rewrite /= column_p !eqxx.
- by apply: counts_step (counts_D i e); rewrite /= !eqxx.
- by apply: counts_step (counts_D i e); rewrite /= !eqxx.
have [p row_p] := AttentionCompulsory.pair_of_query i.
apply: (@counts_step _ (P p)); first by rewrite /= row_p eqxx.
by exists p => //; apply: connect1; rewrite /= eqxx.
Qed.

(** They are loaded; dV, dK and dQ are stored. *)
Theorem backward_compulsory M (ms : seq (move G)) : pebbling M ms ->
  #|query| * d + #|key| * d + #|key| * dv + #|query| * dv + #|query| * dv + #|query| +
  (#|key| * dv + #|key| * d + #|query| * d) <= io ms.
Proof.
move=> legal_ms; rewrite io_loads_stores; apply: leq_add; last exact: backward_stores legal_ms.
exact: leq_trans needed_words (loads_inputs legal_ms).
Qed.

End BackwardCompulsory.
