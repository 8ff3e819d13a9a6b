(** * Leaving pairs out, and parts of a mask

    docs/proofs/forward.md, under a mask. Any part of the allowed pairs is a computation of its own, and the image of the whole: a step of a chain
    over keys goes to the last step at or before it that is left. Parts with no query and no key in common add up, and queries and
    keys of no part cost their words besides. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Compulsory Images LoomisWhitney Attention AttentionFacts AttentionCompulsory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section LeavingOut.

Variables (Nq Nk d dv : nat) (stats : bool) (allowed sub : 'I_Nq -> 'I_Nk -> bool).
Hypothesis sub_allowed : forall i j, sub i j -> allowed i j.

Local Notation whole := (attention d dv stats allowed).
Local Notation part := (attention d dv stats sub).

(** The pairs, queries and keys that are left, among all. *)
Definition all_pair (p : pair sub) : pair allowed := Sub (val p) (sub_allowed (valP p)).

Fact all_query_allowed (i : query sub) : [exists j, allowed (val i) j].
Proof. by have [j in_ij] := existsP (valP i); apply/existsP; exists j; apply: sub_allowed. Qed.
Fact all_key_allowed (j : key sub) : [exists i, allowed i (val j)].
Proof. by have [i in_ij] := existsP (valP j); apply/existsP; exists i; apply: sub_allowed. Qed.

Definition all_query (i : query sub) : query allowed := Sub (val i) (all_query_allowed i).
Definition all_key (j : key sub) : key allowed := Sub (val j) (all_key_allowed j).

Fact row_all p : row (all_pair p) = all_query (row p). Proof. exact: val_inj. Qed.
Fact column_all p : column (all_pair p) = all_key (column p). Proof. exact: val_inj. Qed.
Fact place_all p : place (all_pair p) = place p. Proof. by []. Qed.
Fact all_query_inj : injective all_query. Proof. by move=> i j eq_ij; apply: val_inj; have := congr1 val eq_ij. Qed.

Definition left_pair (p : pair allowed) : option (pair sub) := insub (val p).
Definition left_query (i : query allowed) : option (query sub) := insub (val i).
Definition left_key (j : key allowed) : option (key sub) := insub (val j).

Fact left_pair_all p : left_pair (all_pair p) = Some p. Proof. exact: valK. Qed.
Fact left_query_all i : left_query (all_query i) = Some i. Proof. exact: valK. Qed.
Fact left_key_all j : left_key (all_key j) = Some j. Proof. exact: valK. Qed.

Fact left_pair_some p p' : left_pair p = Some p' -> p = all_pair p'.
Proof. by rewrite /left_pair; case: insubP => // u _ val_u [<-]; apply: val_inj. Qed.
Fact left_query_some i i' : left_query i = Some i' -> i = all_query i'.
Proof. by rewrite /left_query; case: insubP => // u _ val_u [<-]; apply: val_inj. Qed.
Fact left_key_some j j' : left_key j = Some j' -> j = all_key j'.
Proof. by rewrite /left_key; case: insubP => // u _ val_u [<-]; apply: val_inj. Qed.

(** The last pair of a row, at or before a pair, that is left. *)
Definition is_latest (p : pair allowed) (p' : pair sub) := [&& all_query (row p') == row p, place p' <= place p &
  [forall q : pair sub, (row q == row p') && (place q <= place p) ==> (place q <= place p')]].
Definition latest p := [pick p' | is_latest p p'].

Lemma latestP p p' : reflect (latest p = Some p') (is_latest p p').
Proof.
apply: (iffP idP) => [last_p|]; last by rewrite /latest; case: pickP => // q last_q [<-].
rewrite /latest; case: pickP => [q last_q|/(_ p')]; last by rewrite last_p.
case/and3P: last_p => /eqP row_p le_p /forallP greatest_p; case/and3P: last_q => /eqP row_q le_q /forallP greatest_q.
have eq_row : row q = row p' by apply: all_query_inj; rewrite row_p.
congr Some; apply: pair_eq => //; apply/eqP; rewrite eqn_leq.
by move: (greatest_p q) (greatest_q p'); rewrite eq_row eqxx le_p le_q /= => -> ->.
Qed.

Lemma latest_all p : latest (all_pair p) = Some p.
Proof.
apply/latestP; rewrite /is_latest row_all eqxx leqnn /=; apply/forallP => q; apply/implyP.
by case/andP.
Qed.

(** There is none only if the row has none so early. *)
Lemma latest_row p q : row p = all_query (row q) -> place q <= place p -> exists p', latest p = Some p'.
Proof.
move=> row_p le_q; pose early (r : pair sub) := (row r == row q) && (place r <= place p).
have early_q : early q by rewrite /early eqxx.
case: (@arg_maxnP _ q early (@place _ _ sub) early_q) => p' /andP[/eqP row_p' le_p'] greatest.
exists p'; apply/latestP; rewrite /is_latest row_p' row_p eqxx le_p' /=; apply/forallP => r; apply/implyP.
exact: greatest.
Qed.

Definition left_vertex (v : vertex whole) : option (vertex part) :=
  match v with
  | Query i k => omap (fun i' => Query dv i' k) (left_query i)
  | Key j k => omap (fun j' => Key dv j' k) (left_key j)
  | Value j e => omap (fun j' => Value d j' e) (left_key j)
  | Score p k => omap (fun p' => Score dv p' k) (left_pair p)
  | Weight p => omap (fun p' => Weight d dv p') (left_pair p)
  | Partial p e => omap (fun p' => Partial d p' e) (latest p)
  | RowSum p => omap (fun p' => RowSum d dv p') (latest p)
  | Output i e => omap (fun i' => Output d i' e) (left_query i)
  end.

(** A pair that is not left: the one before it has the same image. *)
Lemma latest_before p p' : latest p = Some p' -> p <> all_pair p' -> exists2 q, next_pair q p & latest q = Some p'.
Proof.
move/latestP=> /and3P[/eqP row_p le_p /forallP greatest] ne_p.
have lt_p : place p' < place p.
  rewrite ltn_neqAle le_p andbT; apply/eqP => eq_place; case: ne_p; apply: pair_eq; first by rewrite row_all row_p.
  by rewrite place_all.
have [|q next_q] := @previous_pair _ _ allowed p (all_pair p') _ lt_p; first by rewrite row_all.
exists q => //; case/and3P: next_q => /eqP row_q lt_q /forallP between; apply/latestP.
have le_q : place p' <= place q.
  rewrite leqNgt; apply/negP => lt_q'; have := between (all_pair p').
  by rewrite row_all row_p row_q eqxx place_all lt_q' lt_p.
rewrite /is_latest row_q row_p eqxx le_q; apply/forallP => r; apply/implyP => /andP[row_r le_r].
by have := greatest r; rewrite row_r (leq_trans le_r (ltnW lt_q)).
Qed.

(** A pair that is left: the one before it goes to the one before it that is left. *)
Lemma latest_next p' q' : next_pair q' p' -> exists2 q, next_pair q (all_pair p') & latest q = Some q'.
Proof.
case/and3P=> /eqP row_q lt_q /forallP between.
have [|q next_q] := @previous_pair _ _ allowed (all_pair p') (all_pair q') _ lt_q; first by rewrite !row_all row_q.
exists q => //; case/and3P: next_q => /eqP row_q' lt_q' /forallP between'; rewrite place_all in lt_q'.
apply/latestP; rewrite /is_latest row_q' row_all -row_q eqxx /=; apply/andP; split.
  rewrite leqNgt; apply/negP => lt_qq; have := between' (all_pair q').
  by rewrite !row_all row_q row_q' row_all eqxx !place_all lt_qq lt_q.
apply/forallP => r; apply/implyP => /andP[row_r le_r]; rewrite leqNgt; apply/negP => lt_r.
by have := between r; rewrite row_r lt_r (leq_ltn_trans le_r lt_q').
Qed.

(** The last pair goes to the last one that is left. *)
Lemma latest_last p' : last_pair p' -> exists2 p, last_pair p && (row p == all_query (row p')) & latest p = Some p'.
Proof.
move=> /forallP last_p'; have [p /andP[/eqP row_p last_p]] := last_pair_of (all_query (row p')).
exists p; first by rewrite last_p row_p eqxx.
apply/latestP; rewrite /is_latest row_p eqxx /=; apply/andP; split.
  by move: (forallP last_p (all_pair p')); rewrite row_all row_p eqxx place_all.
apply/forallP => q; apply/implyP => /andP[row_q _]; by move: (last_p' q); rewrite row_q.
Qed.

Lemma left_image : image left_vertex.
Proof.
split=> [v v' /forallP in_v|v'|v v' not_in].
- case: v in_v => [i k|j k|j e|p k|p|p e|p|i e] in_v /=.
  + by case: (left_query i) => //= i' [<-]; apply/forallP => -[].
  + by case: (left_key j) => //= j' [<-]; apply/forallP => -[].
  + by case: (left_key j) => //= j' [<-]; apply/forallP => -[].
  + by have := in_v (Query dv (row p) k); rewrite /= !eqxx.
  + case E: (left_pair p) => [p'|] //= [<-]; apply/forallP => -[] //= q k; apply/negP => /andP[_ last_k].
    by have := in_v (Score dv p k); rewrite /= eqxx last_k.
  + by have := in_v (Weight d dv p); rewrite /= eqxx.
  + by have := in_v (Weight d dv p); rewrite /= eqxx.
  by have [p /andP[row_p last_p]] := last_pair_of i; have := in_v (Partial d p e); rewrite /= last_p row_p eqxx.
- case: v' => //= [p' /andP[st last_p']|i e _].
    have [p /andP[last_p _] late_p] := latest_last last_p'.
    by exists (RowSum d dv p); rewrite /= ?st // late_p.
  by exists (Output d (all_query i) e); rewrite //= left_query_all.
case: v not_in => [i k|j k|j e|p k|p|p e|p|i e] not_in /=.
- by case/negP: not_in; apply/forallP => -[].
- by case/negP: not_in; apply/forallP => -[].
- by case/negP: not_in; apply/forallP => -[].
- case E: (left_pair p) => [p'|] //= [<-]; right; rewrite (left_pair_some E); split.
    by apply/forallPn; exists (Query dv (row p') k); rewrite negbK /= !eqxx.
  case=> //= [i k' /andP[/eqP -> /eqP ->]|j k' /andP[/eqP -> /eqP ->]|q k' /andP[/eqP -> next_k]].
  + by exists (Query dv (all_query (row p')) k); rewrite /= ?row_all ?eqxx // left_query_all.
  + by exists (Key dv (all_key (column p')) k); rewrite /= ?column_all ?eqxx // left_key_all.
  by exists (Score dv (all_pair p') k'); rewrite /= ?eqxx // left_pair_all.
- case E: (left_pair p) => [p'|] //= [<-]; right; rewrite (left_pair_some E) in not_in *; split.
    move: not_in => /forallPn[u]; rewrite negbK; case: u => //= q k /andP[_ last_k].
    by apply/forallPn; exists (Score dv p' k); rewrite negbK /= eqxx last_k.
  case=> //= q k /andP[/eqP -> last_k].
  by exists (Score dv (all_pair p') k); rewrite /= ?eqxx // left_pair_all.
- case E: (latest p) => [p'|] //= [<-]; case: (eqVneq p (all_pair p')) => [eq_p|/eqP ne_p]; last first.
    by left; have [q next_q late_q] := latest_before E ne_p; exists (Partial d q e); rewrite /= ?next_q ?eqxx // late_q.
  right; rewrite eq_p; split; first by apply/forallPn; exists (Weight d dv p'); rewrite negbK /= eqxx.
  case=> //= [j e' /andP[/eqP -> /eqP ->]|q /eqP ->|q e' /andP[next_q /eqP ->]].
  + by exists (Value d (all_key (column p')) e); rewrite /= ?column_all ?eqxx // left_key_all.
  + by exists (Weight d dv (all_pair p')); rewrite /= ?eqxx // left_pair_all.
  by have [r next_r late_r] := latest_next next_q; exists (Partial d r e); rewrite /= ?next_r ?eqxx // late_r.
- case E: (latest p) => [p'|] //= [<-]; case: (eqVneq p (all_pair p')) => [eq_p|/eqP ne_p]; last first.
    by left; have [q next_q late_q] := latest_before E ne_p; exists (RowSum d dv q); rewrite /= ?next_q // late_q.
  right; rewrite eq_p; split; first by apply/forallPn; exists (Weight d dv p'); rewrite negbK /= eqxx.
  case=> //= [q /eqP ->|q next_q].
    by exists (Weight d dv (all_pair p')); rewrite /= ?eqxx // left_pair_all.
  by have [r next_r late_r] := latest_next next_q; exists (RowSum d dv r); rewrite /= ?next_r // late_r.
case E: (left_query i) => [i'|] //= [<-]; right; rewrite (left_query_some E); split.
  have [p /andP[row_p last_p]] := last_pair_of i'; apply/forallPn; exists (Partial d p e).
  by rewrite negbK /= last_p row_p eqxx.
case=> //= [q e' /and3P[last_q /eqP <- /eqP ->]|q /andP[last_q /eqP <-]].
  have [p /andP[last_p row_p] late_p] := latest_last last_q.
  by exists (Partial d p e); rewrite /= ?last_p ?row_p ?eqxx // late_p.
have [p /andP[last_p row_p] late_p] := latest_last last_q.
by exists (RowSum d dv p); rewrite /= ?last_p ?row_p // late_p.
Qed.

End LeavingOut.

(** ** Parts of a mask *)

Section Parts.

Variables (Nq Nk d dv : nat) (stats : bool) (allowed : 'I_Nq -> 'I_Nk -> bool).
Variables (I : finType) (sub : I -> 'I_Nq -> 'I_Nk -> bool).
Hypothesis sub_allowed : forall k i j, sub k i j -> allowed i j.
Hypothesis rows_apart : forall k l i j j', sub k i j -> sub l i j' -> k = l.
Hypothesis columns_apart : forall k l i i' j, sub k i j -> sub l i' j -> k = l.

Local Notation whole := (attention d dv stats allowed).
Local Notation left_in k := (@left_vertex Nq Nk d dv stats allowed (sub k) (@sub_allowed k)).

(** Queries and keys that are in no part. *)
Definition lone_queries := [set i : query allowed | [forall k, forall j, ~~ sub k (val i) j]].
Definition lone_keys := [set j : key allowed | [forall k, forall i, ~~ sub k i (val j)]].

Fact left_query_sub k i i' : @left_query Nq Nk allowed (sub k) i = Some i' -> exists j, sub k (val i) j.
Proof. by move/(left_query_some (@sub_allowed k)) => ->; apply/existsP/(valP i'). Qed.
Fact left_key_sub k j j' : @left_key Nq Nk allowed (sub k) j = Some j' -> exists i, sub k i (val j).
Proof. by move/(left_key_some (@sub_allowed k)) => ->; apply/existsP/(valP j'). Qed.
Fact left_pair_sub k p p' : @left_pair Nq Nk allowed (sub k) p = Some p' -> sub k (val p).1 (val p).2.
Proof. by move/(left_pair_some (@sub_allowed k)) => ->; apply: (valP p'). Qed.
Fact latest_sub k p p' : latest (@sub_allowed k) p = Some p' -> sub k (val (row p)) (val p').2.
Proof. by move/latestP => /and3P[/eqP <- _ _]; apply: (valP p'). Qed.

Fact left_apart k l v : left_in k v -> left_in l v -> k = l.
Proof.
case: v => [i c|j c|j e|p c|p|p e|p|i e] /=.
- case E: (left_query _) => [i'|] // _; case F: (left_query _) => [i''|] // _.
  have [j in_k] := left_query_sub E; have [j' in_l] := left_query_sub F; exact: rows_apart in_k in_l.
- case E: (left_key _) => [i'|] // _; case F: (left_key _) => [i''|] // _.
  have [i in_k] := left_key_sub E; have [i0 in_l] := left_key_sub F; exact: columns_apart in_k in_l.
- case E: (left_key _) => [i'|] // _; case F: (left_key _) => [i''|] // _.
  have [i in_k] := left_key_sub E; have [i0 in_l] := left_key_sub F; exact: columns_apart in_k in_l.
- case E: (left_pair _) => [i'|] // _; case F: (left_pair _) => [i''|] // _.
  exact: rows_apart (left_pair_sub E) (left_pair_sub F).
- case E: (left_pair _) => [i'|] // _; case F: (left_pair _) => [i''|] // _.
  exact: rows_apart (left_pair_sub E) (left_pair_sub F).
- case E: (latest _ _) => [i'|] // _; case F: (latest _ _) => [i''|] // _.
  exact: rows_apart (latest_sub E) (latest_sub F).
- case E: (latest _ _) => [i'|] // _; case F: (latest _ _) => [i''|] // _.
  exact: rows_apart (latest_sub E) (latest_sub F).
case E: (left_query _) => [i'|] // _; case F: (left_query _) => [i''|] // _.
have [j in_k] := left_query_sub E; have [j' in_l] := left_query_sub F; exact: rows_apart in_k in_l.
Qed.

(** Queries and keys of no part cost their words. *)
Lemma lone_words : 0 < dv ->
  #|lone_queries| * (d + dv + stats) + #|lone_keys| * (d + dv) <= #|@in_no_part I whole _ (fun k => left_in k)|.
Proof.
move=> dv_gt0; pose last_in (i : query allowed) := xchoose (last_pair_of i).
have last_inP i : (row (last_in i) == i) && last_pair (last_in i) := xchooseP (last_pair_of i).
pose f (x : query allowed * 'I_d + query allowed * 'I_dv + query allowed + (key allowed * 'I_d + key allowed * 'I_dv)) : vertex whole :=
  match x with
  | inl (inl (inl y)) => Query _ y.1 y.2 | inl (inl (inr y)) => Output _ y.1 y.2 | inl (inr i) => RowSum _ _ (last_in i)
  | inr (inl y) => Key _ y.1 y.2 | inr (inr y) => Value _ y.1 y.2
  end.
have f_inj : injective f.
  move=> [[[[i k]|[i k]]|i]|[[i k]|[i k]]] [[[[i' k']|[i' k']]|i']|[[i' k']|[i' k']]] //= [] => [-> -> //|-> -> //|eq_last|-> -> //|-> -> //].
  by have /andP[/eqP <- _] := last_inP i; have /andP[/eqP <- _] := last_inP i'; rewrite eq_last.
pose kinds := [set x : query allowed * 'I_d + query allowed * 'I_dv + query allowed + (key allowed * 'I_d + key allowed * 'I_dv) |
  match x with
  | inl (inl (inl y)) => y.1 \in lone_queries | inl (inl (inr y)) => y.1 \in lone_queries | inl (inr i) => stats && (i \in lone_queries)
  | inr (inl y) => y.1 \in lone_keys | inr (inr y) => y.1 \in lone_keys
  end].
have -> : #|lone_queries| * (d + dv + stats) + #|lone_keys| * (d + dv) = #|kinds|.
  rewrite 4!card_sum_set !mulnDr -[d in LHS]card_ord -[dv in LHS]card_ord -!cardsT -!cardsX.
  congr (_ + _ + _ + (_ + _)); try by apply: eq_card => -[x y]; rewrite !inE andbT.
  rewrite /kinds; case: (stats); rewrite ?muln1 ?muln0; first by apply: eq_card => i; rewrite !inE.
  by apply/esym/eqP; rewrite cards_eq0; apply/eqP/setP => x; rewrite !inE.
have no_query i k j : i \in lone_queries -> sub k (val i) j = false.
  by rewrite inE => /forallP/(_ k)/forallP/(_ j)/negbTE.
have no_key j k i : j \in lone_keys -> sub k i (val j) = false.
  by rewrite inE => /forallP/(_ k)/forallP/(_ i)/negbTE.
have query_out i k : i \in lone_queries -> @left_query Nq Nk allowed (sub k) i = None.
  by move=> lone; case E: (left_query (sub k) i) => [i'|] //; have [j] := left_query_sub E; rewrite no_query.
have key_out j k : j \in lone_keys -> @left_key Nq Nk allowed (sub k) j = None.
  by move=> lone; case E: (left_key (sub k) j) => [j'|] //; have [i] := left_key_sub E; rewrite no_key.
rewrite -(card_imset _ f_inj); apply/subset_leq_card/subsetP => v /imsetP[x in_x ->].
suff [costly alone] : (f x \in needed_inputs whole) || (f x \in made_outputs whole) /\ forall l, ~~ left_in l (f x).
  by rewrite inE in_setU costly; apply/existsPn.
case: x in_x => [[[[i k]|[i e]]|i]|[[j k]|[j e]]]; rewrite [_ \in kinds]inE => lone; split=> [|l].
- by apply/orP; left; apply: query_needed.
- by rewrite /= query_out.
- by apply/orP; right; rewrite inE; apply: output_made.
- by rewrite /= query_out.
- case/andP: lone => st lone; have /andP[/eqP row_i last_i] := last_inP i.
  apply/orP; right; rewrite inE /= st last_i /=.
  by apply/forallPn; exists (Weight d dv (last_in i)); rewrite negbK /= eqxx.
- case/andP: lone => st lone; have /andP[/eqP row_i last_i] := last_inP i.
  by rewrite /=; case E: (latest _ _) => [p'|] //=; have := latest_sub E; rewrite row_i no_query.
- by apply/orP; left; apply: key_needed.
- by rewrite /= key_out.
- by apply/orP; left; apply: value_needed.
by rewrite /= key_out.
Qed.

Theorem mask_parts M (ms : seq (move whole)) (words : I -> nat) : 0 < dv ->
  (forall k (ms' : seq (move (attention d dv stats (sub k)))), pebbling M ms' -> words k <= io ms') -> pebbling M ms ->
  \sum_k words k + (#|lone_queries| * (d + dv + stats) + #|lone_keys| * (d + dv)) <= io ms.
Proof.
move=> dv_gt0 costs legal_ms.
have := parts_bound (fun k => left_image d dv stats (@sub_allowed k)) left_apart costs legal_ms.
by apply: leq_trans; rewrite leq_add2l; apply: lone_words.
Qed.

End Parts.
