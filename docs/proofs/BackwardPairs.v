(** * Weights on pairs

    What the proofs of B3 and B4 (docs/proofs/b3.md and docs/proofs/b4.md, "what a segment does") need to know of pairs: an event weighs
    [w0] on some pairs and [w1] on the others; Loomis and Whitney for such weights; and counting pair by pair, or chain by chain. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times LoomisWhitney WeightedLoomisWhitney Tracing Lines Attention Backward BackwardFacts.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** ** Weights *)

Section Weights.

Variables (P : finType) (light : pred P).

Definition wt (w0 w1 : nat) p := if light p then w0 else w1.

(** The weight of all of [A]. *)
Definition amount w0 w1 (A : {set P}) := w0 * #|[set p in A | light p]| + w1 * #|[set p in A | ~~ light p]|.

Lemma sum_amount w0 w1 (A : {set P}) : \sum_(p in A) wt w0 w1 p = amount w0 w1 A.
Proof.
rewrite (bigID light) /= /amount; congr (_ + _).
  rewrite -sum1_card big_distrr /=; apply: eq_big => [p|p /andP[_ st]]; first by rewrite inE.
  by rewrite /wt st muln1.
rewrite -sum1_card big_distrr /=; apply: eq_big => [p|p /andP[_ st]]; first by rewrite inE.
by rewrite /wt (negbTE st) muln1.
Qed.

Lemma sum_squares w0 w1 (A : {set P}) : \sum_(p in A) wt w0 w1 p ^ 2 = amount (w0 ^ 2) (w1 ^ 2) A.
Proof. by rewrite -sum_amount; apply: eq_bigr => p _; rewrite /wt; case: (light p). Qed.

Lemma card_split_light (A : {set P}) : #|A| = #|[set p in A | light p]| + #|[set p in A | ~~ light p]|.
Proof.
rewrite -(cardsID [set p | light p]); congr (_ + _); apply: eq_card => p; rewrite !inE //.
by rewrite andbC.
Qed.

Lemma amount_same w (A : {set P}) : amount w w A = w * #|A|.
Proof. by rewrite /amount -mulnDr -card_split_light. Qed.

Lemma wt_le w0 w1 p : w0 <= w1 -> wt w0 w1 p <= w1.
Proof. by rewrite /wt; case: (light p). Qed.

Lemma wt_sqr_le w0 w1 p : w0 <= w1 -> wt w0 w1 p ^ 2 <= w1 ^ 2.
Proof. by move=> le_w; rewrite leq_exp2r // wt_le. Qed.

End Weights.

(** What is in one of two sets weighs no more than both. *)
Lemma sum_or (P : finType) (A B C : pred P) (w : P -> nat) : (forall p, C p -> A p || B p) ->
  \sum_(p | C p) w p <= \sum_(p | A p) w p + \sum_(p | B p) w p.
Proof.
move=> sub; rewrite [X in X <= _]big_mkcond [X in _ <= X + _]big_mkcond [X in _ <= _ + X]big_mkcond -big_split /=.
apply: leq_sum => p _; case: (boolP (C p)) => // /sub /orP[->|->]; first exact: leq_addr.
exact: leq_addl.
Qed.

Lemma sum_le_card (P : finType) (A : pred P) (B : {set P}) (w : P -> nat) w1 : (forall p, A p -> p \in B) -> (forall p, w p <= w1) ->
  \sum_(p | A p) w p <= w1 * #|B|.
Proof.
move=> sub le_w; rewrite -sum1_card big_distrr /= [X in X <= _]big_mkcond [X in _ <= X]big_mkcond /=.
by apply: leq_sum => p _; case: (boolP (A p)) => // /sub ->; rewrite muln1.
Qed.

(** ** Events on pairs *)

Section Pairs.

Variables (Nq Nk : nat) (allowed : 'I_Nq -> 'I_Nk -> bool).

Local Notation pair := (pair allowed).
Local Notation query := (query allowed).
Local Notation key := (key allowed).

Lemma place_inj : injective (fun p : pair => (row p, column p)).
Proof.
move=> p q eq_p; apply: row_rank; first exact: (congr1 fst eq_p : row p = row q).
by rewrite /place (congr1 snd eq_p : column p = column q).
Qed.

(** Pairs in a rectangle. *)
Lemma card_rectangle (I : {set query}) (J : {set key}) : #|[set p : pair | (row p \in I) && (column p \in J)]| <= #|I| * #|J|.
Proof.
rewrite -cardsX -(card_imset _ place_inj); apply/subset_leq_card/subsetP => _ /imsetP[p in_p ->].
by move: in_p; rewrite !inE.
Qed.

(** Loomis and Whitney, with a weight for each pair. *)
Lemma weighted_pairs n (E : {set pair * 'I_n}) (A : {set pair}) (B : {set query * 'I_n}) (C : {set key * 'I_n}) (w : pair -> nat) :
  (forall x, x \in E -> [/\ x.1 \in A, (row x.1, x.2) \in B & (column x.1, x.2) \in C]) ->
  (\sum_(x in E) w x.1) ^ 2 <= (\sum_(p in A) w p ^ 2) * #|B| * #|C|.
Proof.
move=> inside; pose w' ij := \sum_(p : pair | (row p, column p) == ij) w p.
have w'E p : w' (row p, column p) = w p.
  by rewrite /w' (big_pred1 p) // => q; rewrite /= (inj_eq place_inj).
pose triple (x : pair * 'I_n) := (row x.1, column x.1, x.2).
have triple_inj : injective triple.
  move=> [p e] [q e'] eq_t; have -> : e = e' := congr1 snd eq_t.
  by congr (_, _); apply: place_inj; apply: (congr1 fst eq_t).
have -> : \sum_(x in E) w x.1 = \sum_(t in triple @: E) w' t.1.
  rewrite big_imset /=; last by move=> x y _ _ /triple_inj.
  by apply: eq_bigr => x _; rewrite w'E.
have -> : \sum_(p in A) w p ^ 2 = \sum_(ij in (fun p : pair => (row p, column p)) @: A) w' ij ^ 2.
  rewrite big_imset /=; last by move=> p q _ _ /place_inj.
  by apply: eq_bigr => p _; rewrite w'E.
apply: weighted_loomis_whitney => i j e /imsetP[x /inside[in_A in_B in_C] eq_t].
- by rewrite (congr1 fst eq_t : (i, j) = (row x.1, column x.1)); apply/imsetP; exists x.1.
- by rewrite (congr1 (fun t => (t.1.1, t.2)) eq_t : (i, e) = (row x.1, x.2)).
by rewrite (congr1 (fun t => (t.1.2, t.2)) eq_t : (j, e) = (column x.1, x.2)).
Qed.

(** Pair by pair: no more than [n] events on each. *)
Lemma pair_by_pair n (E : {set pair * 'I_n}) (A : pred pair) (w : pair -> nat) :
  \sum_(x in E | A x.1) w x.1 <= n * \sum_(p | A p) w p.
Proof.
apply: (@leq_trans (\sum_(x : pair * 'I_n | A x.1 && true) w x.1)).
  rewrite [X in X <= _]big_mkcond [X in _ <= X]big_mkcond /=; apply: leq_sum => x _.
  by case: (x \in E); case: (A x.1).
rewrite -(pair_big_dep A (fun _ (_ : 'I_n) => true) (fun p _ => w p)) /= big_distrr /=; apply: leq_sum => p _.
by rewrite sum_nat_const card_ord.
Qed.

(** Chain by chain: of those of [C] that run along the columns, no more events than rows; and the other way. *)
Lemma by_columns n (E : {set pair * 'I_n}) (A : pred pair) (I : {set query}) (C : {set key * 'I_n}) w w1 : (forall p, w p <= w1) ->
  (forall x, x \in E -> A x.1 -> row x.1 \in I /\ (column x.1, x.2) \in C) -> \sum_(x in E | A x.1) w x.1 <= w1 * (#|I| * #|C|).
Proof.
move=> le_w inside; apply: (@leq_trans (\sum_(x in [set x in E | A x.1]) w1)).
  by rewrite [X in _ <= X](eq_bigl (fun x => (x \in E) && A x.1)) => [|x]; [apply: leq_sum => x _; apply: le_w|rewrite inE].
rewrite sum_nat_const mulnC leq_mul2l; apply/orP; right; rewrite -cardsX.
pose f (x : pair * 'I_n) := (row x.1, (column x.1, x.2)).
have f_inj : injective f.
  move=> [p e] [q e'] eq_t; have -> : e = e' := congr1 (fun t => t.2.2) eq_t.
  by congr (_, _); apply: place_inj; apply: (congr1 (fun t => (t.1, t.2.1)) eq_t).
rewrite -(card_imset _ f_inj); apply/subset_leq_card/subsetP => z /imsetP[x]; rewrite inE => /andP[in_E in_A] ->.
by have [in_I in_C] := inside x in_E in_A; rewrite in_setX in_I in_C.
Qed.

Lemma by_rows n (E : {set pair * 'I_n}) (A : pred pair) (J : {set key}) (B : {set query * 'I_n}) w w1 : (forall p, w p <= w1) ->
  (forall x, x \in E -> A x.1 -> column x.1 \in J /\ (row x.1, x.2) \in B) -> \sum_(x in E | A x.1) w x.1 <= w1 * (#|J| * #|B|).
Proof.
move=> le_w inside; apply: (@leq_trans (\sum_(x in [set x in E | A x.1]) w1)).
  by rewrite [X in _ <= X](eq_bigl (fun x => (x \in E) && A x.1)) => [|x]; [apply: leq_sum => x _; apply: le_w|rewrite inE].
rewrite sum_nat_const mulnC leq_mul2l; apply/orP; right; rewrite -cardsX.
pose f (x : pair * 'I_n) := (column x.1, (row x.1, x.2)).
have f_inj : injective f.
  move=> [p e] [q e'] eq_t; have -> : e = e' := congr1 (fun t => t.2.2) eq_t.
  by congr (_, _); apply: place_inj; apply: (congr1 (fun t => (t.2.1, t.1)) eq_t).
rewrite -(card_imset _ f_inj); apply/subset_leq_card/subsetP => z /imsetP[x]; rewrite inE => /andP[in_E in_A] ->.
by have [in_J in_B] := inside x in_E in_A; rewrite in_setX in_J in_B.
Qed.

End Pairs.
