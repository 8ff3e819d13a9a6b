(** * What the proofs for the backward pass share

    The words of each kind in a segment, what a pair without a charge needs, and the accumulators of dV, dK and dQ. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Segments LoomisWhitney Tracing Lines Attention Backward.
From Pebble Require AttentionFacts AttentionCompulsory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** The lines all of whose entries are in a set. *)
Definition whole (X : finType) n (A : {set X * 'I_n}) := [set x | [forall k, (x, k) \in A]].

Lemma card_whole (X : finType) n (A : {set X * 'I_n}) : n * #|whole A| <= #|A|.
Proof. by apply: card_whole_rows => x k; rewrite inE => /forallP. Qed.

Section Facts.

Variables (Nq Nk d dv : nat) (allowed : 'I_Nq -> 'I_Nk -> bool).

Local Notation pair := (pair allowed).
Local Notation query := (query allowed).
Local Notation key := (key allowed).
Local Notation G := (backward d dv allowed).

Lemma row_rank (p q : pair) : row p = row q -> place p = place q -> p = q.
Proof. exact: AttentionFacts.pair_eq. Qed.

Lemma column_rank (p q : pair) : column p = column q -> height p = height q -> p = q.
Proof. by move=> eq_column /val_inj/val_inj eq_row; apply: row_rank; rewrite // /place eq_column. Qed.

(** ** Kinds of words *)

Definition kind := [finType of (query * 'I_d + key * 'I_d + key * 'I_dv + query * 'I_dv) + (pair + pair + pair) +
  (key * 'I_dv + key * 'I_d + query * 'I_d) + unit].

Definition as_Q (x : query * 'I_d) : kind := inl (inl (inl (inl (inl (inl x))))).
Definition as_K (x : key * 'I_d) : kind := inl (inl (inl (inl (inl (inr x))))).
Definition as_V (x : key * 'I_dv) : kind := inl (inl (inl (inl (inr x)))).
Definition as_dO (x : query * 'I_dv) : kind := inl (inl (inl (inr x))).
Definition as_S (p : pair) : kind := inl (inl (inr (inl (inl p)))).
Definition as_dP (p : pair) : kind := inl (inl (inr (inl (inr p)))).
Definition as_dS (p : pair) : kind := inl (inl (inr (inr p))).
Definition as_dV (x : key * 'I_dv) : kind := inl (inr (inl (inl x))).
Definition as_dK (x : key * 'I_d) : kind := inl (inr (inl (inr x))).
Definition as_dQ (x : query * 'I_d) : kind := inl (inr (inr x)).

(** Of an accumulator it does not matter how far it is. *)
Definition kind_of (v : vertex G) : kind :=
  match v with
  | Q i k => as_Q (i, k)
  | K j k => as_K (j, k)
  | V j e => as_V (j, e)
  | dO i e => as_dO (i, e)
  | S p _ => as_S p
  | P p => as_S p
  | dP p _ => as_dP p
  | dS p => as_dS p
  | dV p e => as_dV (column p, e)
  | dK p k => as_dK (column p, k)
  | dQ p k => as_dQ (row p, k)
  | _ => inr tt
  end.

(** What there is of a kind among words. *)
Definition of_kind (X : finType) (f : X -> kind) (W : {set vertex G}) := [set x | f x \in kind_of @: W].

Lemma in_kind (X : finType) (f : X -> kind) (W : {set vertex G}) v x : v \in W -> kind_of v = f x -> x \in of_kind f W.
Proof. by move=> in_W eq_v; rewrite inE -eq_v imset_f. Qed.

Lemma card_sum_pred (X Y : finType) (p : pred (X + Y)) : #|[set x | p x]| = #|[set x | p (inl x)]| + #|[set y | p (inr y)]|.
Proof. by rewrite card_sum_set; congr (_ + _); apply: eq_card => x; rewrite !inE. Qed.

Lemma card_kinds W : #|of_kind as_Q W| + #|of_kind as_K W| + #|of_kind as_V W| + #|of_kind as_dO W| +
  (#|of_kind as_S W| + #|of_kind as_dP W| + #|of_kind as_dS W|) +
  (#|of_kind as_dV W| + #|of_kind as_dK W| + #|of_kind as_dQ W|) <= #|W|.
Proof.
apply: leq_trans (leq_imset_card kind_of W).
have -> : #|kind_of @: W| = #|[set x | x \in kind_of @: W]| by apply: eq_card => x; rewrite inE.
by rewrite !card_sum_pred -!addnA !leq_add2l leq_addr.
Qed.

(** ** What is red in a segment *)

(** A pair is served if it has a charge, or whole lines. *)
Definition served_S W (p : pair) :=
  (p \in of_kind as_S W) || (row p \in whole (of_kind as_Q W)) && (column p \in whole (of_kind as_K W)).
Definition served_dP W (p : pair) :=
  (p \in of_kind as_dP W) || (row p \in whole (of_kind as_dO W)) && (column p \in whole (of_kind as_V W)).

(** What is added up over queries or keys; and a segment, whatever the order of these sums. *)
Definition summed (v : vertex G) := match v with dV _ _ | dK _ _ | dQ _ _ => true | _ => false end.

Section Segment.

Variables (W : {set vertex G}) (red made : vertex G -> Prop).
Hypothesis in_segment : closed summed W red made.

Lemma P_served p : red (P p : vertex G) -> served_S W p.
Proof.
move=> red_P; rewrite /served_S; case: (boolP (p \in of_kind as_S W)) => //= no_S.
have made_P : made (P p : vertex G) by apply: (red_made in_segment) red_P; apply: contra no_S => /in_kind; apply.
have made_S : forall k, made (S p k : vertex G).
  apply: (chain_made in_segment) => // [k k' /= ->|k|k last_k]; first by rewrite !eqxx.
    by apply: contra no_S => /in_kind; apply.
  by apply: (made_red in_segment made_P); rewrite //= last_k !eqxx.
apply/andP; split; rewrite inE; apply/forallP => k.
  apply: (@in_kind _ _ _ (Q (row p) k)) => //; apply: (input_in in_segment); first by apply/forallP => -[].
  by apply: (made_red in_segment (made_S k)); rewrite //= !eqxx.
apply: (@in_kind _ _ _ (K (column p) k)) => //; apply: (input_in in_segment); first by apply/forallP => -[].
by apply: (made_red in_segment (made_S k)); rewrite //= !eqxx.
Qed.

Lemma dP_served p : (forall e : 'I_dv, e.+1 = dv -> red (dP p e : vertex G)) -> served_dP W p.
Proof.
move=> red_dP; rewrite /served_dP; case: (boolP (p \in of_kind as_dP W)) => //= no_dP.
have made_dP : forall e, made (dP p e : vertex G).
  apply: (chain_made in_segment) => // [e e' /= ->|e]; first by rewrite !eqxx.
  by apply: contra no_dP => /in_kind; apply.
apply/andP; split; rewrite inE; apply/forallP => e.
  apply: (@in_kind _ _ _ (dO (row p) e)) => //; apply: (input_in in_segment); first by apply/forallP => -[].
  by apply: (made_red in_segment (made_dP e)); rewrite //= !eqxx.
apply: (@in_kind _ _ _ (V (column p) e)) => //; apply: (input_in in_segment); first by apply/forallP => -[].
by apply: (made_red in_segment (made_dP e)); rewrite //= !eqxx.
Qed.

Lemma dS_served p : red (dS p : vertex G) -> (p \in of_kind as_dS W) || served_S W p && served_dP W p.
Proof.
move=> red_dS; case: (boolP (p \in of_kind as_dS W)) => //= no_dS.
have made_dS : made (dS p : vertex G) by apply: (red_made in_segment) red_dS; apply: contra no_dS => /in_kind; apply.
rewrite P_served; last by apply: (made_red in_segment made_dS); rewrite //= eqxx.
by apply: dP_served => e last_e; apply: (made_red in_segment made_dS); rewrite //= last_e !eqxx.
Qed.

End Segment.

(** ** The accumulators *)

Definition gradient := [finType of accumulator pair dv + accumulator pair d + accumulator pair d].
Definition gradient_vert (x : gradient) : vertex G :=
  match x with inl (inl y) => dV y.1 y.2 | inl (inr y) => dK y.1 y.2 | inr y => dQ y.1 y.2 end.
Definition gradient_follows (x y : gradient) :=
  match x, y with
  | inl (inl x), inl (inl y) => adds (@column _ _ allowed) (@height _ _ _) x y
  | inl (inr x), inl (inr y) => adds (@column _ _ allowed) (@height _ _ _) x y
  | inr x, inr y => adds (@row _ _ allowed) (@place _ _ _) x y
  | _, _ => false
  end.
Definition gradient_left (x : gradient) :=
  match x with
  | inl (inl y) => adds_left (@height _ _ allowed) y
  | inl (inr y) => adds_left (@height _ _ allowed) y
  | inr y => adds_left (@place _ _ allowed) y
  end.
Definition gradient_chain (x : gradient) : key * 'I_dv + key * 'I_d + query * 'I_d :=
  match x with
  | inl (inl y) => inl (inl (column y.1, y.2))
  | inl (inr y) => inl (inr (column y.1, y.2))
  | inr y => inr (row y.1, y.2)
  end.

Definition chain_kind (c : key * 'I_dv + key * 'I_d + query * 'I_d) : kind :=
  match c with inl (inl x) => as_dV x | inl (inr x) => as_dK x | inr x => as_dQ x end.

Lemma kind_chain x : kind_of (gradient_vert x) = chain_kind (gradient_chain x).
Proof. by case: x => [[x|x]|x]. Qed.

Fact gradient_vert_inj : injective gradient_vert.
Proof. by move=> [[[p e]|[p k]]|[p k]] [[[q e']|[q k']]|[q k']] //= [-> ->]. Qed.

Fact gradient_no_input x : ~~ input (gradient_vert x).
Proof.
apply/forallPn; case: x => [[x|x]|x]; [exists (P x.1)|exists (dS x.1)|exists (dS x.1)];
  by rewrite negbK /= eqxx.
Qed.

Fact gradient_less x y : gradient_follows x y -> gradient_left y < gradient_left x.
Proof. by case: x y => [[x|x]|x] [[y|y]|y] //=; apply: adds_less. Qed.

Fact gradient_edge x y : gradient_follows x y -> edge (gradient_vert x) (gradient_vert y).
Proof. by case: x y => [[x|x]|x] [[y|y]|y]. Qed.

Fact gradient_fun x y z : gradient_follows x y -> gradient_follows x z -> y = z.
Proof.
case: x y z => [[x|x]|x] [[y|y]|y] [[z|z]|z] //= fy fz.
- by rewrite (adds_fun column_rank fy fz).
- by rewrite (adds_fun column_rank fy fz).
by rewrite (adds_fun row_rank fy fz).
Qed.

Fact gradient_same x y : gradient_follows x y -> gradient_chain x = gradient_chain y.
Proof.
case: x y => [[x|x]|x] [[y|y]|y] //= /adds_same; rewrite /adds_to; first by move=> eq_c; congr (inl (inl _)).
  by move=> eq_c; congr (inl (inr _)).
by move=> eq_c; congr (inr _).
Qed.

Fact gradient_output x : (forall y, ~~ gradient_follows x y) -> output (gradient_vert x).
Proof.
case: x => [[x|x]|x] none /=.
- by apply: (adds_last (n := dv)) => y; apply: (none (inl (inl y))).
- by apply: (adds_last (n := d)) => y; apply: (none (inl (inr y))).
by apply: (adds_last (n := d)) => y; apply: (none (inr y)).
Qed.

Fact gradient_last M (ms : seq (move G)) x : pebbling M ms -> (forall y, ~~ gradient_follows x y) ->
  exists t, computed ms t = Some (gradient_vert x).
Proof. by move=> legal_ms /gradient_output out; apply: (output_computed legal_ms) => //; apply: gradient_no_input. Qed.

Fact card_first_gradient : #|[set x | first gradient_follows x]| <= #|key| * dv + #|key| * d + #|query| * d.
Proof.
rewrite !card_sum_pred; apply: leq_add; first apply: leq_add.
- apply: leq_trans (card_accumulators column_rank dv); apply/subset_leq_card/subsetP => x; rewrite !inE => /forallP none.
  by apply/forallP => y; apply: (none (inl (inl y))).
- apply: leq_trans (card_accumulators column_rank d); apply/subset_leq_card/subsetP => x; rewrite !inE => /forallP none.
  by apply/forallP => y; apply: (none (inl (inr y))).
apply: leq_trans (card_accumulators row_rank d); apply/subset_leq_card/subsetP => x; rewrite !inE => /forallP none.
by apply/forallP => y; apply: (none (inr y)).
Qed.

(** What the events of a segment need, if every accumulator that has one has a word there. *)
Section Events.

Variables (when : gradient -> nat) (a b : nat) (W : {set vertex G}) (red made : vertex G -> Prop).
Hypothesis in_segment : closed summed W red made.
Hypothesis made_when : forall x, a <= when x < b -> made (gradient_vert x).
Hypothesis chain_at_hand : forall x, a <= when x < b ->
  exists2 y, gradient_chain y = gradient_chain x & gradient_vert y \in W.

Let needs x v : a <= when x < b -> edge v (gradient_vert x) -> ~~ summed v -> red v.
Proof. by move=> in_ab; apply: (made_red in_segment (made_when in_ab)). Qed.

Let needs_input x v : a <= when x < b -> edge v (gradient_vert x) -> ~~ summed v -> input v -> v \in W.
Proof. by move=> in_ab edge_v tied in_v; apply: (input_in in_segment in_v); apply: needs edge_v tied. Qed.

Definition dV_events := [set x : pair * 'I_dv | a <= when (inl (inl x)) < b].
Definition dK_events := [set x : pair * 'I_d | a <= when (inl (inr x)) < b].
Definition dQ_events := [set x : pair * 'I_d | a <= when (inr x) < b].

(** dS is charged, or S and dP are served. *)
Definition served_dS p := (p \in of_kind as_dS W) || served_S W p && served_dP W p.

Lemma dV_event x : x \in dV_events ->
  [/\ served_S W x.1, (row x.1, x.2) \in of_kind as_dO W & (column x.1, x.2) \in of_kind as_dV W].
Proof.
rewrite inE => in_ab; split.
- by apply: (P_served in_segment); apply: needs in_ab _ _; rewrite //= eqxx.
- apply: (@in_kind _ _ _ (dO (row x.1) x.2)) => //; apply: needs_input in_ab _ _ _ => //; first by rewrite /= !eqxx.
  by apply/forallP => -[].
have [y chain_y in_W] := chain_at_hand in_ab.
by apply: in_kind in_W _; rewrite kind_chain chain_y.
Qed.

Lemma dK_event x : x \in dK_events ->
  [/\ served_dS x.1, (row x.1, x.2) \in of_kind as_Q W & (column x.1, x.2) \in of_kind as_dK W].
Proof.
rewrite inE => in_ab; split.
- by apply: (dS_served in_segment); apply: needs in_ab _ _; rewrite //= eqxx.
- apply: (@in_kind _ _ _ (Q (row x.1) x.2)) => //; apply: needs_input in_ab _ _ _ => //; first by rewrite /= !eqxx.
  by apply/forallP => -[].
have [y chain_y in_W] := chain_at_hand in_ab.
by apply: in_kind in_W _; rewrite kind_chain chain_y.
Qed.

Lemma dQ_event x : x \in dQ_events ->
  [/\ served_dS x.1, (row x.1, x.2) \in of_kind as_dQ W & (column x.1, x.2) \in of_kind as_K W].
Proof.
rewrite inE => in_ab; split.
- by apply: (dS_served in_segment); apply: needs in_ab _ _; rewrite //= eqxx.
- have [y chain_y in_W] := chain_at_hand in_ab.
  by apply: in_kind in_W _; rewrite kind_chain chain_y.
apply: (@in_kind _ _ _ (K (column x.1) x.2)) => //; apply: needs_input in_ab _ _ _ => //; first by rewrite /= !eqxx.
by apply/forallP => -[].
Qed.

End Events.

(** Loomis and Whitney for events of pairs. *)
Lemma pair_events n (E : {set pair * 'I_n}) (A : {set query * key}) (B : {set query * 'I_n}) (C : {set key * 'I_n}) :
  (forall x, x \in E -> [/\ (row x.1, column x.1) \in A, (row x.1, x.2) \in B & (column x.1, x.2) \in C]) ->
  #|E| ^ 2 <= #|A| * #|B| * #|C|.
Proof.
move=> inside; pose triple (x : pair * 'I_n) := (row x.1, column x.1, x.2).
have triple_inj : injective triple.
  move=> x y eq_t; have eq_row : row x.1 = row y.1 := congr1 (fun t => t.1.1) eq_t.
  have eq_e : x.2 = y.2 := congr1 snd eq_t.
  rewrite (surjective_pairing x) (surjective_pairing y) eq_e; congr (_, _); apply: row_rank => //.
  by rewrite /place (congr1 (fun t => t.1.2) eq_t : column x.1 = column y.1).
rewrite -(card_imset _ triple_inj); apply: loomis_whitney => i j k /imsetP[x /inside[in_A in_B in_C] eq_t].
- by rewrite (congr1 fst eq_t : (i, j) = (row x.1, column x.1)).
- by rewrite (congr1 (fun t => (t.1.1, t.2)) eq_t : (i, k) = (row x.1, x.2)).
by rewrite (congr1 (fun t => (t.1.2, t.2)) eq_t : (j, k) = (column x.1, x.2)).
Qed.

(** The rows and columns of events, index by index. *)
Lemma card_columns (X : finType) n (R : {set X * 'I_n}) : #|R| = \sum_(k < n) #|[set x | (x, k) \in R]|.
Proof.
have swap_inj : injective (fun x : X * 'I_n => (x.2, x.1)) by move=> [? ?] [? ?] [-> ->].
rewrite -(card_imset _ swap_inj) card_rows; apply: eq_bigr => k _; apply: eq_card => x; rewrite !inE.
by apply/imsetP/idP => [[[y l] in_R [-> ->]] //|in_R]; exists (x, k).
Qed.

Lemma sum_lines n (E : {set pair * 'I_n}) (B : {set query * 'I_n}) (C : {set key * 'I_n}) :
  (forall x, x \in E -> (row x.1, x.2) \in B /\ (column x.1, x.2) \in C) ->
  #|E| <= \sum_(k < n) #|[set i | (i, k) \in B]| * #|[set j | (j, k) \in C]|.
Proof.
move=> inside; rewrite card_columns; apply: leq_sum => k _; rewrite -cardsX.
have inj : injective (fun p : pair => (row p, column p)).
  move=> p q eq_pq; apply: row_rank; first exact: (congr1 fst eq_pq).
  by rewrite /place (congr1 snd eq_pq : column p = column q).
rewrite -(card_imset _ inj); apply/subset_leq_card/subsetP => _ /imsetP[p in_E ->]; rewrite !inE /=.
by move: in_E; rewrite inE => /inside[-> ->].
Qed.

Lemma last_of_key (j : key) : exists p : pair, (column p == j) && last_in_column p.
Proof. by have [p <-] := AttentionCompulsory.pair_of_key j; apply: last_in_of. Qed.

(** The gradients are stored. *)
Lemma backward_stores M (ms : seq (move G)) : pebbling M ms -> #|key| * dv + #|key| * d + #|query| * d <= stores ms.
Proof.
move=> legal_ms; apply: leq_trans (stores_outputs legal_ms).
pose last_row i := xchoose (AttentionFacts.last_pair_of (i : query)).
pose last_column j := xchoose (last_of_key j).
have row_last i : (row (last_row i) == i) && last_pair (last_row i) by exact: (xchooseP (AttentionFacts.last_pair_of i)).
have column_last j : (column (last_column j) == j) && last_in_column (last_column j) by exact: (xchooseP (last_of_key j)).
pose f (x : key * 'I_dv + key * 'I_d + query * 'I_d) : gradient :=
  match x with
  | inl (inl y) => inl (inl (last_column y.1, y.2))
  | inl (inr y) => inl (inr (last_column y.1, y.2))
  | inr y => inr (last_row y.1, y.2)
  end.
have f_inj : injective f.
  apply: (can_inj (g := gradient_chain)) => -[[[j e]|[j k]]|[i k]] /=.
  - by have /andP[/eqP -> _] := column_last j.
  - by have /andP[/eqP -> _] := column_last j.
  by have /andP[/eqP -> _] := row_last i.
have -> : #|key| * dv + #|key| * d + #|query| * d = #|[finType of key * 'I_dv + key * 'I_d + query * 'I_d]|.
  by rewrite !card_sum !card_prod !card_ord.
rewrite -cardsT -(card_imset _ (inj_comp gradient_vert_inj f_inj)).
apply/subset_leq_card/subsetP => _ /imsetP[x _ ->]; rewrite inE gradient_no_input andbT.
case: x => [[[j e]|[j k]]|[i k]] /=.
- by have /andP[] := column_last j.
- by have /andP[] := column_last j.
by have /andP[] := row_last i.
Qed.

End Facts.
