(** * Loomis and Whitney, with a weight for each pair

    The sum over triples of f(x,y) is at most the root of the sum of the squares of f, times those of the two other projections' sizes. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import LoomisWhitney.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Weighted.

Variables (X Y Z : finType) (D : {set X * Y * Z}) (w : X * Y -> nat).
Variables (A : {set X * Y}) (B : {set X * Z}) (C : {set Y * Z}).
Hypothesis on_A : forall x y z, (x, y, z) \in D -> (x, y) \in A.
Hypothesis on_B : forall x y z, (x, y, z) \in D -> (x, z) \in B.
Hypothesis on_C : forall x y z, (x, y, z) \in D -> (y, z) \in C.

Theorem weighted_loomis_whitney : (\sum_(t in D) w t.1) ^ 2 <= (\sum_(p in A) w p ^ 2) * #|B| * #|C|.
Proof.
pose e x := \sum_(yz : Y * Z) ((x, yz.1, yz.2) \in D) * w (x, yz.1).
pose a x := \sum_y ((x, y) \in A) * w (x, y) ^ 2.
pose b x := \sum_z ((x, z) \in B : nat).
have -> : \sum_(t in D) w t.1 = \sum_x e x.
  rewrite /e pair_bigA [LHS]big_mkcond /=.
  rewrite (reindex (fun p : X * (Y * Z) => (p.1, p.2.1, p.2.2))) /=; last first.
    by exists (fun t : X * Y * Z => (t.1.1, (t.1.2, t.2))) => [[x [y z]]|[[x y] z]].
  by apply: eq_bigr => -[x [y z]] _ /=; case: (_ \in D); rewrite ?mul1n ?mul0n.
have -> : \sum_(p in A) w p ^ 2 = \sum_x a x.
  rewrite /a pair_bigA [LHS]big_mkcond /=; apply: eq_bigr => -[x y] _ /=.
  by case: (_ \in A); rewrite ?mul1n ?mul0n.
have -> : #|B| = \sum_x b x.
  rewrite /b pair_bigA -sum1_card [LHS]big_mkcond /=; apply: eq_bigr => -[x y] _ /=.
  by case: (_ \in B).
rewrite [X in _ <= X]mulnC; apply: sum_sqr => x.
pose on_yz (yz : Y * Z) := (((x, yz.1) \in A) * w (x, yz.1) ^ 2) * ((x, yz.2) \in B).
have sum_on : \sum_yz on_yz yz = a x * b x.
  by rewrite /a /b big_distrlr /= pair_bigA.
have -> : #|C| = \sum_yz (yz \in C : nat) by rewrite -sum1_card [LHS]big_mkcond /=; apply: eq_bigr => yz _; case: (_ \in C).
rewrite -sum_on -[X in _ <= X]mul1n; apply: sum_sqr => -[y z] /=; rewrite /on_yz /= mul1n.
case: (boolP ((x, y, z) \in D)) => [in_D|_]; last by rewrite mul0n.
by rewrite (on_A in_D) (on_B in_D) (on_C in_D) !mul1n muln1.
Qed.

End Weighted.
