(** * What the proofs for attention share

    Pairs in their rows, the words of each kind in a segment, and what an uncharged pair needs. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Segments LoomisWhitney Tracing Attention.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Facts.

Variables (Nq Nk d dv : nat) (stats : bool) (allowed : 'I_Nq -> 'I_Nk -> bool).

Notation pair := (pair allowed).
Notation query := (query allowed).
Notation key := (key allowed).
Notation G := (attention d dv stats allowed).

Lemma pair_eq (p q : pair) : row p = row q -> place p = place q -> p = q.
Proof.
move=> eq_row eq_place; apply: val_inj; move: (congr1 val eq_row) eq_place; rewrite /place /=.
by case: (val p) (val q) => [i j] [i' j'] /= -> /val_inj ->.
Qed.

Lemma next_pair_fun (p q r : pair) : next_pair p q -> next_pair p r -> q = r.
Proof.
move=> /and3P[/eqP row_q lt_q /forallP next_q] /and3P[/eqP row_r lt_r /forallP next_r].
apply: pair_eq; first by rewrite -row_q.
have := next_q r; have := next_r q; rewrite -row_q -row_r eqxx lt_q lt_r /= -!leqNgt => le1 le2.
by apply/eqP; rewrite eqn_leq le1 le2.
Qed.

Lemma next_or_last (p : pair) : (forall q, ~~ next_pair p q) -> last_pair p.
Proof.
move=> none; apply/forallP => r; apply/implyP => row_r; rewrite leqNgt; apply/negP => lt_r.
pose later q := (row q == row p) && (place p < place q).
have later_r : later r by rewrite /later row_r lt_r.
case: (arg_minnP (@place _ _ allowed) later_r) => q /andP[/eqP row_q lt_q] least.
case/negP: (none q); apply/and3P; split; [by rewrite row_q|by []|].
apply/forallP => s; apply/implyP => row_s; apply/negP => /andP[lt_s lt_sq].
by have := least s; rewrite /later row_s lt_s leqNgt lt_sq => /(_ isT).
Qed.

Lemma last_pair_of (i : query) : exists p : pair, (row p == i) && last_pair p.
Proof.
have [j in_ij] := existsP (valP i).
pose in_row (p : pair) := row p == i.
have row_ij : in_row (Sub (val i, j) in_ij) by apply/eqP/val_inj.
case: (arg_maxnP (@place _ _ allowed) row_ij) => p /eqP row_p greatest; exists p.
by rewrite row_p eqxx; apply/forallP => r; apply/implyP => /eqP row_r; by have := greatest r; rewrite /in_row row_r row_p eqxx => /(_ isT).
Qed.

Lemma previous_pair (p r : pair) : row r = row p -> place r < place p -> exists q, next_pair q p.
Proof.
move=> row_r lt_r; pose earlier q := (row q == row p) && (place q < place p).
have earlier_r : earlier r by rewrite /earlier row_r eqxx lt_r.
case: (arg_maxnP (@place _ _ allowed) earlier_r) => q /andP[/eqP row_q lt_q] greatest.
exists q; apply/and3P; split; [by rewrite row_q|by []|].
apply/forallP => s; apply/implyP => row_s; apply/negP => /andP[lt_s lt_sp].
by have := greatest s; rewrite /earlier (eqP row_s) row_q eqxx lt_sp /= leqNgt lt_s => /(_ isT).
Qed.

(** The words of each kind in a set of vertices; a pair is charged if its score or weight is begun there. *)
Section Kinds.

Variable W : {set vertex G}.

Definition query_words := [set x : query * 'I_d | Query _ x.1 x.2 \in W].
Definition key_words := [set x : key * 'I_d | Key _ x.1 x.2 \in W].
Definition value_words := [set x : key * 'I_dv | Value _ x.1 x.2 \in W].
Definition charged := [set p : pair | (Weight _ _ p \in W) || [exists k, Score _ p k \in W]].
Definition output_words := [set x : query * 'I_dv | [exists p, (row p == x.1) && (Partial _ p x.2 \in W)]].

Lemma card_kinds :
  #|query_words| + #|key_words| + #|value_words| + #|charged| + #|output_words| <= #|W|.
Proof.
rewrite -[#|W|](card_imset _ (can_inj (@codeK _ _ d dv allowed))) 5!card_sum_set.
apply: leq_trans (leq_addr _ _); apply: leq_add.
  apply: leq_add; last first.
    apply: leq_trans (leq_imset_card (fun x => match x with inl y => y.1 | inr p => p end) _).
    apply/subset_leq_card/subsetP => p; rewrite [_ \in charged]inE => /orP[in_W|/existsP[k in_W]].
      by apply/imsetP; exists (inr p) => //; rewrite !inE; apply/imsetP; exists (Weight _ _ p).
    by apply/imsetP; exists (inl (p, k)) => //; rewrite !inE; apply/imsetP; exists (Score _ p k).
  apply: leq_add; first apply: leq_add; apply/subset_leq_card/subsetP => -[i k].
  - by rewrite [_ \in query_words]inE => in_W; rewrite !inE; apply/imsetP; exists (Query _ i k).
  - by rewrite [_ \in key_words]inE => in_W; rewrite !inE; apply/imsetP; exists (Key _ i k).
  - by rewrite [_ \in value_words]inE => in_W; rewrite !inE; apply/imsetP; exists (Value _ i k).
apply: leq_trans (leq_imset_card (fun x : pair * 'I_dv => (row x.1, x.2)) _).
apply/subset_leq_card/subsetP => -[i e]; rewrite [_ \in output_words]inE => /existsP[p /andP[/eqP row_p in_W]].
apply/imsetP; exists (p, e); last by rewrite /= row_p.
by rewrite !inE; apply/imsetP; exists (Partial _ p e).
Qed.

(** Whole rows of Q, and of K. *)
Definition whole_queries := [set i : query | [forall k, Query _ i k \in W]].
Definition whole_keys := [set j : key | [forall k, Key _ j k \in W]].

Lemma card_whole_queries : d * #|whole_queries| <= #|query_words|.
Proof. by apply: card_whole_rows => i k; rewrite !inE => /forallP. Qed.

Lemma card_whole_keys : d * #|whole_keys| <= #|key_words|.
Proof. by apply: card_whole_rows => j k; rewrite !inE => /forallP. Qed.

Definition places (A : {set pair}) := [set (row p, column p) | p in A].
Definition served := places charged :|: setX whole_queries whole_keys.

Lemma card_served : #|served| <= #|charged| + #|whole_queries| * #|whole_keys|.
Proof.
apply: leq_trans (leq_card_setU _ _) _; rewrite cardsX leq_add2r; exact: leq_imset_card.
Qed.

End Kinds.

(** What is added up over keys, and O; and a segment, whatever the order of these sums. *)
Definition summed (v : vertex G) := match v with Partial _ _ | RowSum _ | Output _ _ => true | _ => false end.

Section Segment.

Variables (W : {set vertex G}) (red made : vertex G -> Prop).
Hypothesis in_segment : closed summed W red made.

(** A weight that is red is that of a charged pair, or of one whose rows of Q and K were read. *)
Lemma weight_served p : red (Weight d dv p : vertex G) -> (row p, column p) \in served W.
Proof.
move=> red_P; rewrite inE; case: (boolP (p \in charged W)) => [ch|]; first by rewrite imset_f.
rewrite [_ \in charged W]inE negb_or => /andP[no_weight /existsPn no_score]; apply/orP; right.
have made_P := red_made in_segment no_weight red_P.
have made_S : forall k, made (Score dv p k : vertex G).
  apply: (chain_made in_segment) => // [k k' /= ->|k last_k]; first by rewrite !eqxx.
  by apply: (made_red in_segment made_P); rewrite //= eqxx last_k eqxx.
rewrite inE /=; apply/andP; split; rewrite inE; apply/forallP => k.
  by apply: (input_in in_segment); [apply/forallP => -[]|apply: (made_red in_segment (made_S k)); rewrite //= !eqxx].
by apply: (input_in in_segment); [apply/forallP => -[]|apply: (made_red in_segment (made_S k)); rewrite //= !eqxx].
Qed.

End Segment.

(** Outputs to store. *)
Lemma attention_made : #|query| * dv + stats * #|query| <= #|[set v : vertex G | output v && ~~ input v]|.
Proof.
have last_inj (p q : pair) : last_pair p -> last_pair q -> row p = row q -> p = q.
  move=> /forallP last_p /forallP last_q eq_row; apply: pair_eq => //; apply/eqP; rewrite eqn_leq.
  by move: (last_q p) (last_p q); rewrite eq_row eqxx /= => -> ->.
pose last_in i := xchoose (last_pair_of i).
have last_inP i : (row (last_in i) == i) && last_pair (last_in i) by exact: (xchooseP (last_pair_of i)).
pose f (x : query * 'I_dv + query) : vertex G :=
  match x with inl y => Output _ y.1 y.2 | inr i => RowSum _ _ (last_in i) end.
have f_inj : injective f.
  move=> [[i e]|i] [[i' e']|i'] //= [] => [-> -> //|eq_last].
  by have /andP[/eqP <- _] := last_inP i; have /andP[/eqP <- _] := last_inP i'; rewrite eq_last.
have -> : #|query| * dv + stats * #|query| = #|[set x : query * 'I_dv + query | if x is inr _ then stats else true]|.
  rewrite card_sum_set; congr (_ + _).
    by rewrite -[dv in LHS]card_ord -card_prod -cardsT; apply: eq_card => x; rewrite !inE.
  case: stats; rewrite ?mul1n ?mul0n -?cardsT; first by apply: eq_card => x; rewrite !inE.
  by apply/esym/eqP; rewrite cards_eq0; apply/eqP/setP => x; rewrite !inE.
rewrite -(card_imset _ f_inj); apply/subset_leq_card/subsetP => v /imsetP[[[i e]|i]]; rewrite inE => st ->.
  rewrite inE /=; apply/forallPn; have /andP[row_p last_p] := last_inP i.
  by exists (Partial _ (last_in i) e); rewrite negbK /= last_p row_p eqxx.
rewrite inE /= st; have /andP[_ ->] := last_inP i; apply/forallPn.
by exists (Weight _ _ (last_in i)); rewrite negbK /= eqxx.
Qed.

Lemma attention_stores M (ms : seq (move G)) : pebbling M ms -> #|query| * dv + stats * #|query| <= stores ms.
Proof. by move/stores_outputs; apply: leq_trans attention_made. Qed.

End Facts.
