(** * The greatest number of events in T2 and B2

    Whole numbers p and q > 0 such that p/q is at least the place of the greatest value of w²(T - 2w + 4w²/K), and at most 5T/8; that
    value is then at most (p/q)²(T - p/q)/2. Written with w = n/2. K is 27d² in T2 and 4d² in B2. *)

From Coq Require Import ZArith Lia.
Local Open Scope Z_scope.
Lemma greatest_quartic (p t N : Z) : 0 <= N <= t -> 0 <= p -> 8 * p <= 5 * t -> t <= 3 * p ->
  8 * p ^ 2 * N ^ 2 * (t - N) + N ^ 4 * (3 * p - t) <= 16 * p ^ 4 * (t - p).
Proof.
intros hN hp hpt htp.
assert (h0 : 0 <= (t - N) * (3 * p - t)) by (apply Z.mul_nonneg_nonneg; lia).
assert (h00 : (3 * p - t) * t <= 4 * p * (t - p)).
{ assert (0 <= t * (5 * t - 8 * p)) by (apply Z.mul_nonneg_nonneg; lia).
  assert (0 <= p * (5 * t - 8 * p)) by (apply Z.mul_nonneg_nonneg; lia). nia. }
assert (h1 : (3 * p - t) * N <= 4 * p * (t - p)) by nia.
assert (h2 : 0 <= N * (4 * p * (t - p) - (3 * p - t) * N)) by (apply Z.mul_nonneg_nonneg; lia).
assert (h4 : 0 <= 4 * p * p * (t - p)) by (repeat apply Z.mul_nonneg_nonneg; lia).
assert (h3 : 0 <= (N - 2 * p) * (N - 2 * p) * (4 * p * (t - p) * (N + p) - (3 * p - t) * N * N)).
{ apply Z.mul_nonneg_nonneg; [apply Z.square_nonneg|]. clear -h2 h4. nia. }
clear -h3. lia.
Qed.
Lemma greatest_square (K T n p q : Z) : 0 < K -> 0 < q -> 0 <= p -> 0 <= n <= T -> 8 * p <= 5 * (T * q) ->
  8 * p ^ 2 + K * T * q ^ 2 <= 3 * K * p * q ->
  q ^ 3 * (n ^ 2 * (K * (T - n) + n ^ 2)) <= 2 * K * (p ^ 2 * (T * q - p)).
Proof.
intros hd hq hp hn hpt hmax.
assert (heq : 0 < K * q) by (apply Z.mul_pos_pos; lia).
assert (htp : T * q <= 3 * p).
{ apply (Zmult_le_reg_r _ _ (K * q)); [lia|]. assert (h := Z.square_nonneg p). clear -h hmax. lia. }
destruct (Z_le_lt_eq_dec 0 p hp) as [p_gt0|p0]; cycle 1.
{ assert (T = 0) by (clear -htp p0 hq hn; nia). assert (n = 0) by (clear -H hn; lia). subst. clear; lia. }
assert (hN : 0 <= n * q <= T * q) by (clear -hn hq; nia).
assert (quartic := greatest_quartic p (T * q) (n * q) hN hp hpt htp).
apply (Zmult_le_reg_r _ _ (8 * p ^ 2)); [assert (h := Z.pow_pos_nonneg p 2 p_gt0 ltac:(discriminate)); clear -h; lia|].
assert (h1 : 0 <= (q ^ 3 * n ^ 4) * (K * q * (3 * p - T * q) - 8 * p ^ 2)).
{ apply Z.mul_nonneg_nonneg; [apply Z.mul_nonneg_nonneg; apply Z.pow_nonneg; clear -hq hn; lia|].
  clear -hmax; lia. }
assert (h2 : 0 <= K * (16 * p ^ 4 * (T * q - p) - (8 * p ^ 2 * (n * q) ^ 2 * (T * q - n * q) + (n * q) ^ 4 * (3 * p - T * q)))).
{ apply Z.mul_nonneg_nonneg; [clear -hd; lia|apply Z.le_0_sub; exact quartic]. }
apply Z.le_0_sub.
match goal with |- 0 <= ?x => replace x with (
 (q ^ 3 * n ^ 4) * (K * q * (3 * p - T * q) - 8 * p ^ 2) + K * (16 * p ^ 4 * (T * q - p) - (8 * p ^ 2 * (n * q) ^ 2 * (T * q - n * q) + (n * q) ^ 4 * (3 * p - T * q)))) by ring end.
apply Z.add_nonneg_nonneg; assumption.
Qed.
