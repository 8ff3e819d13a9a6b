(** * Inequalities between whole numbers

    What segments can do at most. *)

From Coq Require PeanoNat.
From mathcomp Require Import all_ssreflect zify.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** The most triples that [T] words allow: the whole part of (T/3)^(3/2). *)
Definition box T := Nat.sqrt (T ^ 3 %/ 27).

Lemma sqr_le_sqrt a b : a ^ 2 <= b -> a <= Nat.sqrt b.
Proof. by rewrite -mulnn => le_ab; apply/leP/PeanoNat.Nat.sqrt_le_square; apply/leP. Qed.

(** What decides that [F] is at least a whole root. *)
Lemma sqrt_div_le (a b F : nat) : 0 < b -> a < b * (F + 1) ^ 2 -> Nat.sqrt (a %/ b) <= F.
Proof.
move=> b_gt0 lt_F; rewrite -ltnS; apply/ltP/PeanoNat.Nat.sqrt_lt_square/ltP.
by rewrite ltn_divLR //; move: lt_F; rewrite addn1 -mulnn mulnC.
Qed.

Lemma box_le (T F : nat) : T ^ 3 < 27 * (F + 1) ^ 2 -> box T <= F.
Proof. by rewrite /box => lt_F; apply: sqrt_div_le. Qed.

(** The greatest value of B (T - B)^2 is at B = T/3. *)
Lemma third_cube a s : 27 * (a * s ^ 2) <= 4 * (a + s) ^ 3.
Proof. by have := leq_mul (leqnn (4 * s + a)) (nat_Cauchy s (2 * a)); rewrite !expnS !expn0 !muln1; lia. Qed.

Lemma am_gm3 a b c T : a + b + c <= T -> 27 * (a * b * c) <= T ^ 3.
Proof.
move=> le_T; apply: (@leq_trans ((a + b + c) ^ 3)); last by rewrite leq_exp2r.
rewrite -(leq_pmul2l (m := 4)) //; apply: leq_trans (_ : 27 * (a * (b + c) ^ 2) <= _).
  by have := leq_mul (leqnn (27 * a)) (nat_AGM2 b c); lia.
by rewrite -addnA; apply: third_cube.
Qed.
