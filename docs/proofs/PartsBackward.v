(** * Parts of a mask in the backward pass

    docs/proofs/forward.md, under a mask; docs/proofs/backward.md. Parts with no query and no key in common add up, and queries and keys of no part cost
    their words besides. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Compulsory Images LoomisWhitney Attention Backward BackwardFacts BackwardCompulsory LeavingOutBackward.
From Pebble Require AttentionFacts AttentionCompulsory LeavingOut.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Parts.

Variables (Nq Nk d dv : nat) (allowed : 'I_Nq -> 'I_Nk -> bool).
Variables (I : finType) (sub : I -> 'I_Nq -> 'I_Nk -> bool).
Hypothesis sub_allowed : forall k i j, sub k i j -> allowed i j.
Hypothesis rows_apart : forall k l i j j', sub k i j -> sub l i j' -> k = l.
Hypothesis columns_apart : forall k l i i' j, sub k i j -> sub l i' j -> k = l.

Local Notation whole := (backward d dv allowed).
Local Notation left_in k := (@left_vertex Nq Nk d dv allowed (sub k) (@sub_allowed k)).
Local Notation lone_queries := (@LeavingOut.lone_queries Nq Nk allowed I sub).
Local Notation lone_keys := (@LeavingOut.lone_keys Nq Nk allowed I sub).

(** The query or the key that tells which part a vertex is in. *)
Fact query_in k i : @LeavingOut.left_query Nq Nk allowed (sub k) i -> exists j, sub k (val i) j.
Proof. by case E: (LeavingOut.left_query _ i) => [i'|] // _; apply: (LeavingOut.left_query_sub (@sub_allowed) E). Qed.
Fact key_in k j : @LeavingOut.left_key Nq Nk allowed (sub k) j -> exists i, sub k i (val j).
Proof. by case E: (LeavingOut.left_key _ j) => [j'|] // _; apply: (LeavingOut.left_key_sub (@sub_allowed) E). Qed.
Fact pair_in k p : @LeavingOut.left_pair Nq Nk allowed (sub k) p -> sub k (val p).1 (val p).2.
Proof. by case E: (LeavingOut.left_pair _ p) => [p'|] // _; apply: (LeavingOut.left_pair_sub (@sub_allowed) E). Qed.
Fact row_in k p : latest_in_row (@sub_allowed k) p -> exists j, sub k (val (row p)) j.
Proof.
case E: (latest_in_row _ p) => [p'|] // _; exists (val p').2.
by rewrite (latest_line (@row_rank _ _ (sub k)) (@LeavingOut.all_query_inj _ _ _ _ (@sub_allowed k)) E); apply: (valP p').
Qed.
Fact column_in k p : latest_in_column (@sub_allowed k) p -> exists i, sub k i (val (column p)).
Proof.
case E: (latest_in_column _ p) => [p'|] // _; exists (val p').1.
by rewrite (latest_line (@column_rank _ _ (sub k)) (@all_key_inj _ _ _ _ (@sub_allowed k)) E); apply: (valP p').
Qed.

Lemma left_apart k l v : left_in k v -> left_in l v -> k = l.
Proof.
have in_query (i : query allowed) : (exists j, sub k (val i) j) -> (exists j, sub l (val i) j) -> k = l.
  by move=> [j in_k] [j' in_l]; apply: rows_apart in_k in_l.
have in_key (j : key allowed) : (exists i, sub k i (val j)) -> (exists i, sub l i (val j)) -> k = l.
  by move=> [i in_k] [i' in_l]; apply: columns_apart in_k in_l.
have in_pair (p : pair allowed) : sub k (val p).1 (val p).2 -> sub l (val p).1 (val p).2 -> k = l by apply: rows_apart.
have some A B (f : A -> B) (x : option A) : omap f x = x :> bool by case: x.
case: v => [i w|j w|j w|i w|i w|i|p w|p|i w|p w|p|p w|p w|p w] /=; rewrite !some.
- by move=> /query_in in_k /query_in; apply: in_query.
- by move=> /key_in in_k /key_in; apply: in_key.
- by move=> /key_in in_k /key_in; apply: in_key.
- by move=> /query_in in_k /query_in; apply: in_query.
- by move=> /query_in in_k /query_in; apply: in_query.
- by move=> /query_in in_k /query_in; apply: in_query.
- by move=> /pair_in in_k /pair_in; apply: in_pair.
- by move=> /pair_in in_k /pair_in; apply: in_pair.
- by move=> /query_in in_k /query_in; apply: in_query.
- by move=> /pair_in in_k /pair_in; apply: in_pair.
- by move=> /pair_in in_k /pair_in; apply: in_pair.
- by move=> /column_in in_k /column_in; apply: in_key.
- by move=> /column_in in_k /column_in; apply: in_key.
by move=> /row_in in_k /row_in; apply: in_query.
Qed.

(** Queries and keys of no part cost their words. *)
Lemma lone_words : 0 < d ->
  #|lone_queries| * (2 * (d + dv) + 1) + #|lone_keys| * (2 * (d + dv)) <= #|@in_no_part I whole _ (fun k => left_in k)|.
Proof.
move=> d_gt0; pose last_row (i : query allowed) := xchoose (AttentionFacts.last_pair_of i).
pose last_column (j : key allowed) := xchoose (last_of_key j).
have row_last i : (row (last_row i) == i) && last_pair (last_row i) := xchooseP (AttentionFacts.last_pair_of i).
have column_last j : (column (last_column j) == j) && last_in_column (last_column j) := xchooseP (last_of_key j).
pose word_of_query := [finType of 'I_d + 'I_dv + 'I_dv + unit + 'I_d].
pose word_of_key := [finType of 'I_d + 'I_dv + 'I_dv + 'I_d].
pose f (x : query allowed * word_of_query + key allowed * word_of_key) : vertex whole :=
  match x with
  | inl (i, inl (inl (inl (inl k)))) => Q i k
  | inl (i, inl (inl (inl (inr e)))) => dO i e
  | inl (i, inl (inl (inr e))) => O i e
  | inl (i, inl (inr _)) => RowSum i
  | inl (i, inr k) => dQ (last_row i) k
  | inr (j, inl (inl (inl k))) => K j k
  | inr (j, inl (inl (inr e))) => V j e
  | inr (j, inl (inr e)) => dV (last_column j) e
  | inr (j, inr k) => dK (last_column j) k
  end.
have row_inj i i' : last_row i = last_row i' -> i = i'.
  by move=> eq_last; have /andP[/eqP <- _] := row_last i; have /andP[/eqP <- _] := row_last i'; rewrite eq_last.
have column_inj j j' : last_column j = last_column j' -> j = j'.
  by move=> eq_last; have /andP[/eqP <- _] := column_last j; have /andP[/eqP <- _] := column_last j'; rewrite eq_last.
have f_inj : injective f.
  move=> [[i [[[[k|e]|e]|[]]|k]]|[j [[[k|e]|e]|k]]] [[i' [[[[k'|e']|e']|[]]|k']]|[j' [[[k'|e']|e']|k']]] //=.
  - by case=> -> ->.
  - by case=> -> ->.
  - by case=> -> ->.
  - by case=> ->.
  - by case=> /row_inj -> ->.
  - by case=> -> ->.
  - by case=> -> ->.
  - by case=> /column_inj -> ->.
  by case=> /column_inj -> ->.
have -> : #|lone_queries| * (2 * (d + dv) + 1) + #|lone_keys| * (2 * (d + dv)) =
    #|[set x : query allowed * word_of_query + key allowed * word_of_key | match x with inl y => y.1 \in lone_queries | inr y => y.1 \in lone_keys end]|.
  rewrite card_sum_set; congr (_ + _).
    have -> : 2 * (d + dv) + 1 = #|[set: word_of_query]| by rewrite cardsT !card_sum !card_ord card_unit; clear; lia.
    by rewrite -cardsX; apply: eq_card => -[x y]; rewrite !inE andbT.
  have -> : 2 * (d + dv) = #|[set: word_of_key]| by rewrite cardsT !card_sum !card_ord; clear; lia.
  by rewrite -cardsX; apply: eq_card => -[x y]; rewrite !inE andbT.
have needed (v : vertex whole) : input v -> counts v -> v \in needed_inputs whole.
  by move=> in_v counts_v; rewrite inE in_v; apply: (counts_output d_gt0 counts_v).
have no_query i k : i \in lone_queries -> left_in k (RowSum i) = None.
  rewrite inE => /forallP/(_ k)/forallP none /=; case E: (LeavingOut.left_query _ i) => [i'|] //.
  by have [j] := LeavingOut.left_query_sub (@sub_allowed) E; rewrite (negbTE (none j)).
have no_key j k : j \in lone_keys -> LeavingOut.left_key (sub k) j = None.
  rewrite inE => /forallP/(_ k)/forallP none /=; case E: (LeavingOut.left_key _ j) => [j'|] //.
  by have [i] := LeavingOut.left_key_sub (@sub_allowed) E; rewrite (negbTE (none i)).
rewrite -(card_imset _ f_inj); apply/subset_leq_card/subsetP => v /imsetP[x in_x ->].
suff [costly alone] : ((f x \in needed_inputs whole) || (f x \in made_outputs whole)) /\ forall k, ~~ left_in k (f x).
  by rewrite inE in_setU costly; apply/existsPn.
case: x in_x => [[i w]|[j w]]; rewrite inE /= => lone.
  have [p row_p] := AttentionCompulsory.pair_of_query i.
  have none k : LeavingOut.left_query (sub k) i = None.
    by have := no_query i k lone; rewrite /=; case: (LeavingOut.left_query _ i).
  have no_row k : latest_in_row (@sub_allowed k) (last_row i) = None.
    case E: (latest_in_row _ _) => [p'|] //; have := @row_in k (last_row i); rewrite E => /(_ isT)[j in_k].
    have /andP[/eqP row_i _] := row_last i; rewrite row_i in in_k.
    by move: lone; rewrite inE => /forallP/(_ k)/forallP/(_ j); rewrite in_k.
  case: w => [[[[k|e]|e]|[]]|k]; split=> [|l]; rewrite /= ?none ?no_row //.
  - apply/orP; left; apply: needed; rewrite ?made_inputs //.
    by apply: counts_step (counts_S _ p k); rewrite /= row_p !eqxx.
  - apply/orP; left; apply: needed; rewrite ?made_inputs //.
    by apply: counts_step (counts_D _ i e); rewrite /= !eqxx.
  - apply/orP; left; apply: needed; rewrite ?made_inputs //.
    by apply: counts_step (counts_D _ i e); rewrite /= !eqxx.
  - apply/orP; left; apply: needed; rewrite ?made_inputs //.
    apply: (@counts_step _ _ _ _ _ _ (P p)); first by rewrite /= row_p eqxx.
    by exists p => //; apply: connect1; rewrite /= eqxx.
  by apply/orP; right; rewrite inE made_inputs andbT /=; have /andP[] := row_last i.
have [p column_p] := AttentionCompulsory.pair_of_key j.
have none k : LeavingOut.left_key (sub k) j = None := no_key j k lone.
have no_column k : latest_in_column (@sub_allowed k) (last_column j) = None.
  case E: (latest_in_column _ _) => [p'|] //; have := @column_in k (last_column j); rewrite E => /(_ isT)[i in_k].
  have /andP[/eqP column_j _] := column_last j; rewrite column_j in in_k.
  by move: lone; rewrite inE => /forallP/(_ k)/forallP/(_ i); rewrite in_k.
case: w => [[[k|e]|e]|k]; split=> [|l]; rewrite /= ?none ?no_column //.
- apply/orP; left; apply: needed; rewrite ?made_inputs //.
  by apply: counts_step (counts_S _ p k); rewrite /= column_p !eqxx.
- apply/orP; left; apply: needed; rewrite ?made_inputs //.
  by apply: counts_step (counts_dP _ p e); rewrite /= column_p !eqxx.
- by apply/orP; right; rewrite inE made_inputs andbT /=; have /andP[] := column_last j.
by apply/orP; right; rewrite inE made_inputs andbT /=; have /andP[] := column_last j.
Qed.

Theorem backward_mask_parts M (ms : seq (move whole)) (words : I -> nat) : 0 < d ->
  (forall k (ms' : seq (move (backward d dv (sub k)))), pebbling M ms' -> words k <= io ms') -> pebbling M ms ->
  \sum_k words k + (#|lone_queries| * (2 * (d + dv) + 1) + #|lone_keys| * (2 * (d + dv))) <= io ms.
Proof.
move=> d_gt0 costs legal_ms.
have := parts_bound (fun k => left_image d dv (@sub_allowed k)) left_apart costs legal_ms.
by apply: leq_trans; rewrite leq_add2l; apply: lone_words.
Qed.

End Parts.
