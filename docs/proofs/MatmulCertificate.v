(** * Printed numbers as theorems: the product of two matrices, one of them with a short side

    As Certificate.v, where the statement is ([matmul_costs]) and what is said of the other bounds. *)

From Coq Require Import NArith Lia.
From mathcomp Require Import all_ssreflect fingroup perm zify.
From Pebble Require Import Game Numbers Matmul MatmulShort Certificate.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Tests.
Local Open Scope N_scope.

Definition short_number (s M T : N) := N.sqrt (T ^ 3 * M / (27 * s ^ 2)).
Definition short_test (m n k M s h T words : N) :=
  let F := short_number s M T in
  [&& 0 <? s, s ^ 2 <=? M, (s =? m) || (s =? n) || (s =? k), 0 <? h, T ^ 3 * M <? 27 * s ^ 2 * (F + 1) ^ 2,
      h * F <? m * n * k &
      M * words + M * (h * (M + 1)) <? M * (M + 1 + h * T) + h + (M - s ^ 2) * (m * n * k / s) + M].

End Tests.

Theorem matmul_short_side m n k M s h T words : short_test m n k M s h T words -> matmul_costs m n k M words.
Proof.
case/and5P=> /N.ltb_lt s_gt0 /N.leb_le le_s side /N.ltb_lt h_gt0 /and3P[/N.ltb_lt lt_F /N.ltb_lt many /N.ltb_lt lt_words].
move=> order ms legal_ms; apply: le_io.
have s_gt0' : 0 < N.to_nat s by lia.
have h_gt0' : 0 < N.to_nat h by lia.
have le_s' : N.to_nat s ^ 2 <= N.to_nat M by lia.
have side' : N.to_nat s \in [:: N.to_nat m; N.to_nat n; N.to_nat k].
  by rewrite !inE; case/orP: side => [/orP[]|] /N.eqb_eq ->; rewrite eqxx ?orbT.
have le_F : short_events (N.to_nat s) (N.to_nat M) (N.to_nat T) <= N.to_nat (short_number s M T).
  move: (short_number s M T) lt_F => F lt_F; apply: sqrt_div_le; first by rewrite muln_gt0 expn_gt0 s_gt0'.
  by clear -lt_F; lia.
have many' : N.to_nat h * N.to_nat (short_number s M T) < N.to_nat m * N.to_nat n * N.to_nat k.
  by move: (short_number s M T) many; clear; lia.
have := matmul_short legal_ms s_gt0' le_s' side' h_gt0' (fewer le_F many').
have le_e : N.to_nat (m * n * k / s) <= N.to_nat m * N.to_nat n * N.to_nat k %/ N.to_nat s.
  rewrite leq_divRL //; have := N.mul_div_le (m * n * k) s; move: (m * n * k / s)%num => e; clear -s_gt0; lia.
move: le_e; move: (_ %/ _) (m * n * k / s)%num lt_words => e' e lt_words le_e.
have -> : N.to_nat M - N.to_nat s ^ 2 = N.to_nat (M - s ^ 2) by clear; lia.
move: (M - s ^ 2)%num lt_words => c lt_words; have := leq_mul (leqnn (N.to_nat c)) le_e.
have M_gt0 : 0 < N.to_nat M by clear -s_gt0 le_s; nia.
move: (io ms) => words' le_c le_words; rewrite -ltnS -(ltn_pmul2l M_gt0) mulnS.
by clear -lt_words le_words le_c; lia.
Qed.
