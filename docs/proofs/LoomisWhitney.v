(** * The discrete inequality of Loomis and Whitney

    The square of the number of triples is at most the product of the sizes of their three projections. *)

From mathcomp Require Import all_ssreflect zify.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Lemma sqr_le a b : a ^ 2 <= b ^ 2 -> a <= b.
Proof. by rewrite leq_exp2r. Qed.

(** 4 x y <= (x + y)^2 *)
Lemma am_gm x y : 4 * (x * y) <= (x + y) ^ 2.
Proof. exact: nat_AGM2. Qed.

Lemma am_gm_sqr e x y : e ^ 2 <= x * y -> 2 * e <= x + y.
Proof.
move=> le_e; apply: sqr_le; apply: leq_trans (am_gm x y).
by rewrite expnMn leq_mul2l.
Qed.

Section Cauchy.

Variables (X : finType) (K : nat) (e a b : X -> nat).

(** Cauchy and Schwarz, in whole numbers. *)
Lemma sum_sqr : (forall x, e x ^ 2 <= K * (a x * b x)) ->
  (\sum_x e x) ^ 2 <= K * ((\sum_x a x) * (\sum_x b x)).
Proof.
move=> le_e.
have pairwise x y : 2 * (e x * e y) <= K * (a x * b y + a y * b x).
  rewrite mulnDr; apply: am_gm_sqr; rewrite expnMn.
  apply: leq_trans (leq_mul (le_e x) (le_e y)) _; apply: eq_leq.
  by lia.
rewrite -(leq_pmul2l (m := 2)) // -mulnn big_distrlr /= big_distrr /=.
under eq_bigr do rewrite big_distrr /=.
apply: (@leq_trans (\sum_x \sum_y K * (a x * b y + a y * b x))).
  by apply: leq_sum => x _; apply: leq_sum => y _; apply: pairwise.
apply: eq_leq.
under eq_bigr do under eq_bigr do rewrite mulnDr.
under eq_bigr do rewrite big_split /=.
rewrite big_split /= [X in _ + X]exchange_big /= addnn -mul2n; congr (2 * _).
rewrite big_distrlr /= big_distrr /=; apply: eq_bigr => x _.
by rewrite big_distrr.
Qed.

End Cauchy.

Section LoomisWhitney.

Variables (X Y Z : finType) (D : {set X * Y * Z}).
Variables (A : {set X * Y}) (B : {set X * Z}) (C : {set Y * Z}).
Hypothesis on_A : forall x y z, (x, y, z) \in D -> (x, y) \in A.
Hypothesis on_B : forall x y z, (x, y, z) \in D -> (x, z) \in B.
Hypothesis on_C : forall x y z, (x, y, z) \in D -> (y, z) \in C.

Let slice x := [set yz : Y * Z | (x, yz.1, yz.2) \in D].
Let row (W : finType) (R : {set X * W}) x := [set w | (x, w) \in R].

Lemma card_rows (W : finType) (R : {set X * W}) : #|R| = \sum_x #|row R x|.
Proof.
rewrite -sum1_card (reindex (fun p : X * W => (p.1, p.2))) /=; last first.
  by exists id => -[].
rewrite -(pair_big_dep xpredT (fun x w => (x, w) \in R) (fun _ _ => 1)) /=.
by apply: eq_bigr => x _; rewrite -sum1_card; apply: eq_bigl => w; rewrite inE.
Qed.

Lemma card_slices : #|D| = \sum_x #|slice x|.
Proof.
have inj : injective (fun t : X * Y * Z => (t.1.1, (t.1.2, t.2))).
  by move=> [[x y] z] [[x' y'] z'] [-> -> ->].
rewrite -(card_imset _ inj) card_rows; apply: eq_bigr => x _; apply: eq_card => -[y z].
rewrite !inE; apply/imsetP/idP => [[[[x' y'] z'] in_D [-> -> ->]] //|in_D].
by exists (x, y, z).
Qed.

Theorem loomis_whitney : #|D| ^ 2 <= #|A| * #|B| * #|C|.
Proof.
rewrite card_slices (card_rows A) (card_rows B) [X in _ <= X]mulnC; apply: sum_sqr => x.
rewrite -mulnn; apply: leq_mul.
  apply/subset_leq_card/subsetP => -[y z]; rewrite inE /=; exact: on_C.
rewrite -cardsX; apply/subset_leq_card/subsetP => -[y z]; rewrite !inE /= => in_D.
by rewrite (on_A in_D) (on_B in_D).
Qed.

End LoomisWhitney.

(** A set of a sum of types has the elements of either kind. *)
Lemma card_sum_set (X Y : finType) (R : {set X + Y}) :
  #|R| = #|[set x | inl x \in R]| + #|[set y | inr y \in R]|.
Proof.
rewrite -!sum1_card big_sumType /=.
by congr (_ + _); apply: eq_bigl => x; rewrite inE.
Qed.

(** Whole rows: if every row of [R] has all its [d] elements in [A], then there are [d] times as many. *)
Lemma card_whole_rows (X : finType) d (R : {set X}) (A : {set X * 'I_d}) :
  (forall x k, x \in R -> (x, k) \in A) -> d * #|R| <= #|A|.
Proof.
move=> whole; rewrite -{1}(card_ord d) -cardsT mulnC -cardsX.
by apply/subset_leq_card/subsetP => -[x k]; rewrite !inE /= andbT; apply: whole.
Qed.
