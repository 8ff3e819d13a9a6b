(** * Leaving pairs out of the backward pass

    docs/proofs/forward.md, under a mask; docs/proofs/backward.md. As LeavingOut.v: what is left of the allowed pairs is the image of the whole. A step
    of a sum over keys, or over queries, goes to the last step at or before it that is left. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Compulsory Images LoomisWhitney Lines Attention Backward BackwardFacts BackwardCompulsory.
From Pebble Require AttentionFacts AttentionCompulsory LeavingOut.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** ** Some pairs of a line *)

Section Lines.

Variables (P P' L L' : finType) (line : P -> L) (rank : P -> nat) (line' : P' -> L') (rank' : P' -> nat) (all : P' -> P) (all_line : L' -> L).
Hypothesis rank_inj : forall p q, line p = line q -> rank p = rank q -> p = q.
Hypothesis rank_inj' : forall p q, line' p = line' q -> rank' p = rank' q -> p = q.
Hypothesis line_all : forall p, line (all p) = all_line (line' p).
Hypothesis rank_all : forall p, rank (all p) = rank' p.
Hypothesis all_line_inj : injective all_line.

(** The last pair of a line, at or before a pair, that is left. *)
Definition is_latest (p : P) (p' : P') := [&& all_line (line' p') == line p, rank' p' <= rank p &
  [forall q, (line' q == line' p') && (rank' q <= rank p) ==> (rank' q <= rank' p')]].
Definition latest p := [pick p' | is_latest p p'].

Lemma latestP p p' : reflect (latest p = Some p') (is_latest p p').
Proof.
apply: (iffP idP) => [last_p|]; last by rewrite /latest; case: pickP => // q last_q [<-].
rewrite /latest; case: pickP => [q last_q|/(_ p')]; last by rewrite last_p.
case/and3P: last_p => /eqP line_p le_p /forallP greatest_p; case/and3P: last_q => /eqP line_q le_q /forallP greatest_q.
have eq_line : line' q = line' p' by apply: all_line_inj; rewrite line_p.
congr Some; apply: rank_inj' => //; apply/eqP; rewrite eqn_leq.
by move: (greatest_p q) (greatest_q p'); rewrite eq_line eqxx le_p le_q /= => -> ->.
Qed.

(** A pair that is not left: the one before it has the same image. *)
Lemma latest_before p p' : latest p = Some p' -> p <> all p' -> exists2 q, next_in line rank q p & latest q = Some p'.
Proof.
move/latestP=> /and3P[/eqP line_p le_p /forallP greatest] ne_p.
have lt_p : rank' p' < rank p.
  rewrite ltn_neqAle le_p andbT; apply/eqP => eq_rank; case: ne_p; apply: rank_inj; first by rewrite line_all line_p.
  by rewrite rank_all.
have [||q next_q] := @previous_in _ _ line rank p (all p'); [by rewrite line_all|by rewrite rank_all|].
exists q => //; case/and3P: next_q => /eqP line_q lt_q /forallP between; apply/latestP.
have le_q : rank' p' <= rank q.
  rewrite leqNgt; apply/negP => lt_q'; have := between (all p').
  by rewrite line_all line_p line_q eqxx rank_all lt_q' lt_p.
rewrite /is_latest line_q line_p eqxx le_q; apply/forallP => r; apply/implyP => /andP[line_r le_r].
by have := greatest r; rewrite line_r (leq_trans le_r (ltnW lt_q)).
Qed.

(** A pair that is left: the one before it goes to the one before it that is left. *)
Lemma latest_next p' q' : next_in line' rank' q' p' -> exists2 q, next_in line rank q (all p') & latest q = Some q'.
Proof.
case/and3P=> /eqP line_q lt_q /forallP between.
have [||q next_q] := @previous_in _ _ line rank (all p') (all q'); [by rewrite !line_all line_q|by rewrite !rank_all|].
exists q => //; case/and3P: next_q => /eqP line_q' lt_q' /forallP between'; rewrite rank_all in lt_q'.
apply/latestP; rewrite /is_latest line_q' line_all -line_q eqxx /=; apply/andP; split.
  rewrite leqNgt; apply/negP => lt_qq; have := between' (all q').
  by rewrite !line_all line_q line_q' line_all eqxx !rank_all lt_qq lt_q.
apply/forallP => r; apply/implyP => /andP[line_r le_r]; rewrite leqNgt; apply/negP => lt_r.
by have := between r; rewrite line_r lt_r (leq_ltn_trans le_r lt_q').
Qed.

(** The last pair goes to the last one that is left. *)
Lemma latest_last p' : last_in line' rank' p' -> exists2 p, last_in line rank p & latest p = Some p'.
Proof.
move=> /forallP last_p'; have [p /andP[/eqP line_p last_p]] := last_in_of line rank (all p').
exists p => //; apply/latestP; rewrite /is_latest line_p line_all eqxx /=; apply/andP; split.
  by move: (forallP last_p (all p')); rewrite line_p eqxx rank_all.
by apply/forallP => q; apply/implyP => /andP[line_q _]; move: (last_p' q); rewrite line_q.
Qed.

Lemma latest_line p p' : latest p = Some p' -> line p = all_line (line' p').
Proof. by move/latestP=> /and3P[/eqP ->]. Qed.

End Lines.

(** ** The image *)

Section LeavingOut.

Variables (Nq Nk d dv : nat) (allowed sub : 'I_Nq -> 'I_Nk -> bool).
Hypothesis sub_allowed : forall i j, sub i j -> allowed i j.

Local Notation whole := (backward d dv allowed).
Local Notation part := (backward d dv sub).
Local Notation all_pair := (LeavingOut.all_pair sub_allowed).
Local Notation all_query := (LeavingOut.all_query sub_allowed).
Local Notation all_key := (LeavingOut.all_key sub_allowed).
Local Notation left_pair := (@LeavingOut.left_pair Nq Nk allowed sub).
Local Notation left_query := (@LeavingOut.left_query Nq Nk allowed sub).
Local Notation left_key := (@LeavingOut.left_key Nq Nk allowed sub).

Fact all_key_inj : injective all_key. Proof. by move=> i j eq_ij; apply: val_inj; have := congr1 val eq_ij. Qed.

Definition latest_in_row := latest (@row _ _ allowed) (@place _ _ allowed) (@row _ _ sub) (@place _ _ sub) all_query.
Definition latest_in_column := latest (@column _ _ allowed) (@height _ _ allowed) (@column _ _ sub) (@height _ _ sub) all_key.

Definition left_vertex (v : vertex whole) : option (vertex part) :=
  match v with
  | Q i k => omap (fun i' => Q i' k) (left_query i)
  | K j k => omap (fun j' => K j' k) (left_key j)
  | V j e => omap (fun j' => V j' e) (left_key j)
  | dO i e => omap (fun i' => dO i' e) (left_query i)
  | O i e => omap (fun i' => O i' e) (left_query i)
  | RowSum i => omap (fun i' => RowSum i') (left_query i)
  | S p k => omap (fun p' => S p' k) (left_pair p)
  | P p => omap (fun p' => P p') (left_pair p)
  | D i e => omap (fun i' => D i' e) (left_query i)
  | dP p e => omap (fun p' => dP p' e) (left_pair p)
  | dS p => omap (fun p' => dS p') (left_pair p)
  | dV p e => omap (fun p' => dV p' e) (latest_in_column p)
  | dK p k => omap (fun p' => dK p' k) (latest_in_column p)
  | dQ p k => omap (fun p' => dQ p' k) (latest_in_row p)
  end.

Let in_row_before := @latest_before _ _ _ _ _ _ _ _ _ _ (@row_rank _ _ allowed) (@row_rank _ _ sub) (LeavingOut.row_all sub_allowed)
  (LeavingOut.place_all sub_allowed) (@LeavingOut.all_query_inj _ _ _ _ sub_allowed).
Let in_row_next := @latest_next _ _ _ _ _ _ _ _ _ _ (@row_rank _ _ sub) (LeavingOut.row_all sub_allowed)
  (LeavingOut.place_all sub_allowed) (@LeavingOut.all_query_inj _ _ _ _ sub_allowed).
Let in_row_last := @latest_last _ _ _ _ _ _ _ _ _ _ (@row_rank _ _ sub) (LeavingOut.row_all sub_allowed)
  (LeavingOut.place_all sub_allowed) (@LeavingOut.all_query_inj _ _ _ _ sub_allowed).

Fact height_all p : height (all_pair p) = height p. Proof. by []. Qed.

Let in_column_before := @latest_before _ _ _ _ _ _ _ _ _ _ (@column_rank _ _ allowed) (@column_rank _ _ sub)
  (LeavingOut.column_all sub_allowed) height_all all_key_inj.
Let in_column_next := @latest_next _ _ _ _ _ _ _ _ _ _ (@column_rank _ _ sub) (LeavingOut.column_all sub_allowed) height_all all_key_inj.
Let in_column_last := @latest_last _ _ _ _ _ _ _ _ _ _ (@column_rank _ _ sub) (LeavingOut.column_all sub_allowed) height_all all_key_inj.


(** Inputs are what they look like. *)
Fact made_inputs (mask : 'I_Nq -> 'I_Nk -> bool) (v : vertex (backward d dv mask)) :
  input v = match v with Q _ _ | K _ _ | V _ _ | dO _ _ | O _ _ | RowSum _ => true | _ => false end.
Proof.
case: v => [i k|j k|j e|i e|i e|i|p k|p|i e|p e|p|p e|p k|p k]; try (by apply/forallP => -[]); apply/negbTE/forallPn.
- by exists (Q (row p) k); rewrite negbK /= !eqxx.
- by exists (RowSum (row p)); rewrite negbK /= eqxx.
- by exists (dO i e); rewrite negbK /= !eqxx.
- by exists (dO (row p) e); rewrite negbK /= !eqxx.
- by exists (P p); rewrite negbK /= eqxx.
- by exists (P p); rewrite negbK /= eqxx.
- by exists (dS p); rewrite negbK /= eqxx.
by exists (dS p); rewrite negbK /= eqxx.
Qed.

Local Notation pair_some := (LeavingOut.left_pair_some sub_allowed).
Local Notation query_some := (LeavingOut.left_query_some sub_allowed).
Local Notation left_all := (LeavingOut.left_pair_all, LeavingOut.left_query_all, LeavingOut.left_key_all).
Local Notation lines_all := (LeavingOut.row_all, LeavingOut.column_all).

Lemma left_image : image left_vertex.
Proof.
split=> [v v'|v'|v v' not_in].
- rewrite !made_inputs; case: v => [i k|j k|j e|i e|i e|i|p k|p|i e|p e|p|p e|p k|p k] // _ /=.
  + by case: (left_query i) => //= i' [<-].
  + by case: (left_key j) => //= j' [<-].
  + by case: (left_key j) => //= j' [<-].
  + by case: (left_query i) => //= i' [<-].
  + by case: (left_query i) => //= i' [<-].
  by case: (left_query i) => //= i' [<-].
- case: v' => //= [p' e|p' k|p' k] last_p'.
  + by have [p last_p late_p] := in_column_last last_p'; exists (dV p e) => //=; rewrite /latest_in_column late_p.
  + by have [p last_p late_p] := in_column_last last_p'; exists (dK p k) => //=; rewrite /latest_in_column late_p.
  by have [p last_p late_p] := in_row_last last_p'; exists (dQ p k) => //=; rewrite /latest_in_row late_p.
rewrite made_inputs in not_in; case: v not_in => [i k|j k|j e|i e|i e|i|p k|p|i e|p e|p|p e|p k|p k] // _ /=.
- case E: (left_pair p) => [p'|] //= [<-]; right; rewrite (pair_some E) made_inputs; split=> //.
  case=> //= [i k' /andP[/eqP -> /eqP ->]|j k' /andP[/eqP -> /eqP ->]|q k' /andP[/eqP -> next_k]].
  + by exists (Q (all_query (row p')) k); rewrite /= ?lines_all ?eqxx // ?left_all.
  + by exists (K (all_key (column p')) k); rewrite /= ?lines_all ?eqxx // ?left_all.
  by exists (S (all_pair p') k'); rewrite /= ?eqxx // ?left_all.
- case E: (left_pair p) => [p'|] //= [<-]; right; rewrite (pair_some E) made_inputs; split=> //.
  case=> //= [i /eqP ->|q k /andP[/eqP -> last_k]].
    by exists (RowSum (all_query (row p'))); rewrite /= ?lines_all ?eqxx // ?left_all.
  by exists (S (all_pair p') k); rewrite /= ?eqxx // ?left_all.
- case E: (left_query i) => [i'|] //= [<-]; right; rewrite (query_some E) made_inputs; split=> //.
  case=> //= [i0 e' /andP[/eqP -> /eqP ->]|i0 e' /andP[/eqP -> /eqP ->]|i0 e' /andP[/eqP -> next_e]].
  + by exists (dO (all_query i') e); rewrite /= ?eqxx // ?left_all.
  + by exists (O (all_query i') e); rewrite /= ?eqxx // ?left_all.
  by exists (D (all_query i') e'); rewrite /= ?eqxx // ?left_all.
- case E: (left_pair p) => [p'|] //= [<-]; right; rewrite (pair_some E) made_inputs; split=> //.
  case=> //= [j e' /andP[/eqP -> /eqP ->]|i e' /andP[/eqP -> /eqP ->]|q e' /andP[/eqP -> next_e]].
  + by exists (V (all_key (column p')) e); rewrite /= ?lines_all ?eqxx // ?left_all.
  + by exists (dO (all_query (row p')) e); rewrite /= ?lines_all ?eqxx // ?left_all.
  by exists (dP (all_pair p') e'); rewrite /= ?eqxx // ?left_all.
- case E: (left_pair p) => [p'|] //= [<-]; right; rewrite (pair_some E) made_inputs; split=> //.
  case=> //= [q /eqP ->|i e /andP[/eqP -> last_e]|q e /andP[/eqP -> last_e]].
  + by exists (P (all_pair p')); rewrite /= ?eqxx // ?left_all.
  + by exists (D (all_query (row p')) e); rewrite /= ?lines_all ?eqxx // ?left_all.
  by exists (dP (all_pair p') e); rewrite /= ?eqxx // ?left_all.
- case E: (latest_in_column p) => [p'|] //= [<-]; case: (eqVneq p (all_pair p')) => [eq_p|/eqP ne_p]; last first.
    by left; have [q next_q late_q] := in_column_before E ne_p; exists (dV q e); rewrite /= ?eqxx ?andbT // /latest_in_column late_q.
  right; rewrite eq_p made_inputs; split=> //.
  case=> //= [i e' /andP[/eqP -> /eqP ->]|q /eqP ->|q e' /andP[next_q /eqP ->]].
  + by exists (dO (all_query (row p')) e); rewrite /= ?lines_all ?eqxx // ?left_all.
  + by exists (P (all_pair p')); rewrite /= ?eqxx // ?left_all.
  by have [r next_r late_r] := in_column_next next_q; exists (dV r e); rewrite /= ?eqxx ?andbT // /latest_in_column late_r.
- case E: (latest_in_column p) => [p'|] //= [<-]; case: (eqVneq p (all_pair p')) => [eq_p|/eqP ne_p]; last first.
    by left; have [q next_q late_q] := in_column_before E ne_p; exists (dK q k); rewrite /= ?eqxx ?andbT // /latest_in_column late_q.
  right; rewrite eq_p made_inputs; split=> //.
  case=> //= [i k' /andP[/eqP -> /eqP ->]|q /eqP ->|q k' /andP[next_q /eqP ->]].
  + by exists (Q (all_query (row p')) k); rewrite /= ?lines_all ?eqxx // ?left_all.
  + by exists (dS (all_pair p')); rewrite /= ?eqxx // ?left_all.
  by have [r next_r late_r] := in_column_next next_q; exists (dK r k); rewrite /= ?eqxx ?andbT // /latest_in_column late_r.
case E: (latest_in_row p) => [p'|] //= [<-]; case: (eqVneq p (all_pair p')) => [eq_p|/eqP ne_p]; last first.
  by left; have [q next_q late_q] := in_row_before E ne_p; exists (dQ q k); rewrite /= ?eqxx ?andbT // /latest_in_row late_q.
right; rewrite eq_p made_inputs; split=> //.
case=> //= [j k' /andP[/eqP -> /eqP ->]|q /eqP ->|q k' /andP[next_q /eqP ->]].
- by exists (K (all_key (column p')) k); rewrite /= ?lines_all ?eqxx // ?left_all.
- by exists (dS (all_pair p')); rewrite /= ?eqxx // ?left_all.
by have [r next_r late_r] := in_row_next next_q; exists (dQ r k); rewrite /= ?eqxx ?andbT // /latest_in_row late_r.
Qed.

End LeavingOut.
