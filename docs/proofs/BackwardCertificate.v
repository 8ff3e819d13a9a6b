(** * Printed numbers as theorems: the backward pass

    As Certificate.v: for each bound a test by computation with binary numbers. *)

From Coq Require Import NArith ZArith Lia.
From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Numbers Attention Backward T2Maximum Certificate BackwardCompulsory B1 B2.
From Pebble Require AttentionCompulsory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** ** Statements *)

(** The backward pass of attention without a mask costs [words] or more with [M] words of fast memory. *)
Definition backward_costs (Nq Nk d dv M words : N) : Prop :=
  forall ms : seq (move (backward (N.to_nat d) (N.to_nat dv) (@all_pairs (N.to_nat Nq) (N.to_nat Nk)))),
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

(** The same under every mask with so many allowed pairs, of so many queries and so many keys. *)
Definition masked_backward_costs (pairs queries keys d dv M words : N) : Prop :=
  forall Nq Nk (allowed : 'I_Nq -> 'I_Nk -> bool),
  #|pair allowed| = N.to_nat pairs -> #|query allowed| = N.to_nat queries -> #|key allowed| = N.to_nat keys ->
  forall ms : seq (move (backward (N.to_nat d) (N.to_nat dv) allowed)),
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

(** ** Tests *)

Section Tests.
Local Open Scope N_scope.

(** The most events of a segment with which [h] cuts leave some of [W]. *)
Definition most (W h : N) := (W - 1) / h.

Definition omega_number (d dv : N) := N.min (4 * d) (2 * (d + dv)).
Definition kappa_number (d dv : N) :=
  if dv <=? d then 2 * (d + dv) else N.min ((2 * d ^ 2 + d * dv + dv ^ 2) / d) ((2 * d + dv) ^ 2 / (2 * d)).
Definition beta_number (d dv : N) := omega_number d dv * dv + 2 * kappa_number d dv * d.

(** That (T - b)² + min(4 beta b, 2 kappa √b (T - b)) < 4 (F + 1) for all b: with √b <= (s + b/s)/2 at s = p/q the second form is a
    parabola. It is below, or it falls from b = s² on, where it is below, and up to there the first form is. *)
Definition peak_test (k T p q F : N) := k ^ 2 * (q ^ 2 * T + p ^ 2) ^ 2 <? 16 * (k * q - p) * p * q ^ 2 * (F + 1).
Definition crossing_test (k beta T p q F : N) :=
  let t := T * q ^ 2 - p ^ 2 in
  [&& p ^ 2 <=? T * q ^ 2, T ^ 2 <? 4 * (F + 1), t ^ 2 + 4 * beta * p ^ 2 * q ^ 2 <? 4 * (F + 1) * q ^ 4,
      2 * (k * q - p) * t <=? k * q * (p ^ 2 + q ^ 2 * T) & t * (2 * k * p * q + t) <? 4 * (F + 1) * q ^ 4].

Definition b1_test (pairs d dv M h T p q words : N) :=
  let W := pairs * beta_number d dv in
  let F := most W h in
  let k := kappa_number d dv in
  [&& 0 <? d, 0 <? p, 0 <? q, p <=? k * q, peak_test k T p q F || crossing_test k (beta_number d dv) T p q F &
      cut_test F W M h T words 0].

(** As in T2: [p/q] is at least the place of the greatest value of w²(T - 2w + w²/d²), and not much more. *)
Definition b2_test (pairs d dv M h T p q words : N) :=
  let W := pairs * (3 * d + 2 * dv) in
  let F := most W h in
  let m := N.min d dv in
  [&& 0 <? d, 0 <? dv,
      if m ^ 2 <=? T then T ^ 4 <? 12 * m ^ 2 * (F + 1) ^ 2 else
      [&& 0 <? q, 8 * p <=? 5 * (T * q), 8 * p ^ 2 + 4 * m ^ 2 * T * q ^ 2 <=? 12 * m ^ 2 * p * q &
          2 * p ^ 2 * (T * q) <? 3 * q ^ 3 * (F + 1) ^ 2 + 2 * p ^ 3] &
      cut_test F W M h T (words + 2 * pairs) 0].

Definition backward_compulsory_test (queries keys d dv words : N) :=
  (0 <? d) && (words <=? 2 * (queries + keys) * (d + dv) + queries).

End Tests.

(** ** The tests are right *)

Section Parabola.
Local Open Scope Z_scope.

(** [y] is at most 2 kappa √b t. *)
Lemma below_tangent k b t p q y : 0 <= k -> 0 <= b -> 0 <= t -> 0 < p -> 0 < q -> 0 <= y ->
  y * y <= 4 * (k * k) * b * (t * t) -> y * (p * q) <= k * t * (p * p + b * (q * q)).
Proof.
move=> k_ge0 b_ge0 t_ge0 p_gt0 q_gt0 y_ge0 le_y.
have pq_gt0 : 0 < p * q by apply: Z.mul_pos_pos.
have right_ge0 : 0 <= k * t * (p * p + b * (q * q)).
  have := Z.mul_nonneg_nonneg b (q * q); have := Z.mul_nonneg_nonneg k t; have := Z.square_nonneg p; have := Z.square_nonneg q.
  by move=> h1 h2 h3 h4; apply: Z.mul_nonneg_nonneg; lia.
apply: Z.square_le_simpl_nonneg => //.
have h1 : 0 <= (4 * (k * k) * b * (t * t) - y * y) * ((p * q) * (p * q)).
  by apply: Z.mul_nonneg_nonneg; [lia|apply: Z.square_nonneg].
have := Z.square_nonneg (k * t * (p * p - b * (q * q))).
by move: h1; clear; lia.
Qed.

Lemma peak_value k b t p q y F : 0 <= k -> 0 <= b -> 0 <= t -> 0 < p -> 0 < q -> 0 <= y -> p <= k * q -> 0 <= F ->
  y * y <= 4 * (k * k) * b * (t * t) ->
  k * k * ((q * q * (b + t) + p * p) * (q * q * (b + t) + p * p)) < 16 * (k * q - p) * p * (q * q) * (F + 1) ->
  t * t + y < 4 * (F + 1).
Proof.
move=> k_ge0 b_ge0 t_ge0 p_gt0 q_gt0 y_ge0 le_p F_ge0 le_y test.
have tangent := below_tangent k_ge0 b_ge0 t_ge0 p_gt0 q_gt0 y_ge0 le_y.
set c := k * q - p in test *; have c_ge0 : 0 <= c by rewrite /c; lia.
set U := k * (p * p + q * q * (b + t)).
have le_U : (t * t + y) * (p * q) <= t * (U - q * c * t) by move: tangent; rewrite /U /c; clear; lia.
have sq : 4 * (q * c) * (t * (U - q * c * t)) <= U * U by have := Z.square_nonneg (U - 2 * (q * c) * t); clear; lia.
have qc_ge0 : 0 <= q * c by apply: Z.mul_nonneg_nonneg; lia.
have step : 4 * (q * c) * ((t * t + y) * (p * q)) <= U * U.
  by apply: Z.le_trans sq; apply: Z.mul_le_mono_nonneg_l => //; lia.
have lt : 4 * (q * c) * ((t * t + y) * (p * q)) < 4 * (q * c) * (p * q) * (4 * (F + 1)).
  by apply: Z.le_lt_trans step _; move: test; rewrite /U; clear; lia.
have cc : 0 <= 4 * (q * c) * (p * q) by apply: Z.mul_nonneg_nonneg; [lia|apply: Z.mul_nonneg_nonneg; lia].
case: (Z_lt_le_dec (t * t + y) (4 * (F + 1))) => // ge.
have := Z.mul_nonneg_nonneg _ _ cc (proj2 (Z.le_0_sub _ _) ge).
by move: lt; clear; lia.
Qed.

Lemma crossing_value k beta b t p q x y F : 0 <= k -> 0 <= beta -> 0 <= b -> 0 <= t -> 0 < p -> 0 < q -> 0 <= y -> p <= k * q ->
  x <= 4 * beta * b -> x <= y -> y * y <= 4 * (k * k) * b * (t * t) -> p * p <= (b + t) * (q * q) ->
  let T := b + t in let s := T * (q * q) - p * p in
  T * T < 4 * (F + 1) -> s * s + 4 * beta * (p * p) * (q * q) < 4 * (F + 1) * (q * q * q * q) ->
  2 * (k * q - p) * s <= k * q * (p * p + q * q * T) -> s * (2 * k * p * q + s) < 4 * (F + 1) * (q * q * q * q) ->
  t * t + x < 4 * (F + 1).
Proof.
move=> k_ge0 beta_ge0 b_ge0 t_ge0 p_gt0 q_gt0 y_ge0 le_p le_x le_xy le_y le_pT T s test1 test2 test3 test4.
have qq : 0 < q * q by apply: Z.mul_pos_pos.
have q4 : 0 < q * q * (q * q) by apply: Z.mul_pos_pos.
case: (Z_lt_le_dec (p * p) (b * (q * q))) => [lt_b|ge_b].
  (* beyond s² the parabola falls *)
  have tangent := below_tangent k_ge0 b_ge0 t_ge0 p_gt0 q_gt0 y_ge0 le_y.
  have pq : 0 < p * q by apply: Z.mul_pos_pos.
  set c := k * q - p in test3 *; have c_ge0 : 0 <= c by rewrite /c; lia.
  set U := k * (p * p + q * q * T).
  set z := b * (q * q) - p * p. (* t q² = s - z *)
  have eq_t : t * (q * q) = s - z by rewrite /s /z /T; clear; lia.
  have z_ge0 : 0 <= z by rewrite /z; lia.
  have le_U : (t * t + y) * (p * q) <= t * (U - q * c * t) by move: tangent; rewrite /U /c /T; clear; lia.
  have le1 : (t * t + x) * (p * q) * (q * q * (q * q)) <= (s - z) * (U * (q * q) - q * c * (s - z)).
    rewrite -eq_t; have h : 0 <= (t * (U - q * c * t) - (t * t + x) * (p * q)) * (q * q * (q * q)).
      apply: Z.mul_nonneg_nonneg; last lia.
      by have := Z.mul_nonneg_nonneg (y - x) (p * q); move: le_U; clear -pq le_xy; lia.
    by move: h; clear; lia.
  have le2 : (s - z) * (U * (q * q) - q * c * (s - z)) <= s * (U * (q * q) - q * c * s).
    have h1 : 0 <= z * (U * (q * q) - 2 * (q * c) * s).
      apply: Z.mul_nonneg_nonneg => //.
      by have := Z.mul_nonneg_nonneg q (k * q * (p * p + q * q * T) - 2 * c * s); rewrite /U; clear -q_gt0 test3; lia.
    have h2 : 0 <= q * c * (z * z) by apply: Z.mul_nonneg_nonneg; [apply: Z.mul_nonneg_nonneg; lia|apply: Z.square_nonneg].
    by move: h1 h2; clear; lia.
  have le3 : s * (U * (q * q) - q * c * s) = p * q * (s * (2 * k * p * q + s)) by rewrite /U /c /s; clear; ring.
  have lt : p * q * ((t * t + x) * (q * q * (q * q))) < p * q * (4 * (F + 1) * (q * q * (q * q))).
    apply: (Z.le_lt_trans _ (p * q * (s * (2 * k * p * q + s)))); first by move: le1 le2; rewrite le3; clear; lia.
    by apply: (proj1 (Z.mul_lt_mono_pos_l _ _ _ pq)); move: test4; clear; lia.
  by apply: (proj2 (Z.mul_lt_mono_pos_r _ _ _ q4)); apply: (proj2 (Z.mul_lt_mono_pos_l _ _ _ pq)).
(* up to s² it is convex *)
case: (Z_le_gt_dec (b + 4 * beta) (2 * T)) => [le_T|gt_T].
  have := Z.mul_nonneg_nonneg b (2 * T - b - 4 * beta); move: le_x test1; rewrite /T; clear -b_ge0 le_T; rewrite /T; lia.
have h1 : 0 <= (p * p - b * (q * q)) * (p * p + (b + 4 * beta - 2 * T) * (q * q)).
  apply: Z.mul_nonneg_nonneg; first lia.
  by have := Z.mul_nonneg_nonneg (b + 4 * beta - 2 * T) (q * q); have := Z.square_nonneg p; clear -gt_T qq; lia.
have lt : (t * t + x) * (q * q * (q * q)) < 4 * (F + 1) * (q * q * (q * q)).
  have := Z.mul_nonneg_nonneg (4 * beta * b - x) (q * q * (q * q)).
  by move: h1 test2; rewrite /s /T; clear -le_x q4; lia.
by apply: (proj2 (Z.mul_lt_mono_pos_r _ _ _ q4)).
Qed.

End Parabola.

Lemma to_nat_div (a b : N) : N.to_nat (a / b) = N.to_nat a %/ N.to_nat b.
Proof.
case: (N.eq_dec b 0) => [->|b_ne0]; first by case: a.
have lt_r := N.mod_lt a b b_ne0; rewrite [in RHS](N.div_mod' a b).
move: (a / b)%num (a mod b)%num lt_r => q r lt_r; have b_gt0 : 0 < N.to_nat b by clear -b_ne0; lia.
have -> : N.to_nat (b * q + r) = N.to_nat q * N.to_nat b + N.to_nat r by clear; lia.
by rewrite divnMDl // divn_small ?addn0 //; clear -lt_r; lia.
Qed.

Lemma omegaE (d dv : N) : N.to_nat (omega_number d dv) = omega (N.to_nat d) (N.to_nat dv).
Proof. rewrite /omega_number /omega; lia. Qed.

Lemma kappaE (d dv : N) : N.to_nat (kappa_number d dv) = kappa (N.to_nat d) (N.to_nat dv).
Proof.
have div_min (a b : N) : N.to_nat (N.min a b) = minn (N.to_nat a) (N.to_nat b) by lia.
rewrite /kappa_number /kappa; case: ifP => [/N.leb_le le_dv|gt_dv].
  have -> : (N.to_nat dv <= N.to_nat d) = true by lia.
  by lia.
have -> : (N.to_nat dv <= N.to_nat d) = false by move: gt_dv => /N.leb_gt; lia.
by rewrite div_min !to_nat_div; congr (minn (_ %/ _) (_ %/ _)); lia.
Qed.

Lemma betaE (d dv : N) : N.to_nat (beta_number d dv) = beta (N.to_nat d) (N.to_nat dv).
Proof. by rewrite /beta_number /beta -omegaE -kappaE; move: (omega_number d dv) (kappa_number d dv); clear; lia. Qed.

Lemma b1_events_le (d dv T p q F : N) : (0 <? p)%num -> (0 <? q)%num -> (p <=? kappa_number d dv * q)%num ->
  peak_test (kappa_number d dv) T p q F || crossing_test (kappa_number d dv) (beta_number d dv) T p q F ->
  b1_events (N.to_nat d) (N.to_nat dv) (N.to_nat T) <= N.to_nat F.
Proof.
move=> /N.ltb_lt p_gt0 /N.ltb_lt q_gt0 /N.leb_le le_p test; apply/bigmax_leqP => -[b le_b] _ /=.
rewrite -ltnS ltn_divLR // -kappaE -betaE.
move: (kappa_number d dv) (beta_number d dv) test le_p => k beta test le_p.
rewrite ltnS in le_b; move: (subnKC le_b); move: (N.to_nat T - b) => t eq_T.
set y := Nat.sqrt _; have le_y : y * y <= 4 * N.to_nat k ^ 2 * b * t ^ 2.
  by apply/leP; apply: (proj1 (PeanoNat.Nat.sqrt_spec _ _)); apply: PeanoNat.Nat.le_0_l.
set x := minn _ y; have le_x : x <= 4 * N.to_nat beta * b := geq_minl _ _; have le_xy : x <= y := geq_minr _ _.
move: y x le_y le_x le_xy => y x le_y le_x le_xy.
have le_yZ : (Z.of_nat y * Z.of_nat y <= 4 * (Z.of_N k * Z.of_N k) * Z.of_nat b * (Z.of_nat t * Z.of_nat t))%Z.
  by move: le_y; rewrite -!mulnn; clear; lia.
have eq_TZ : Z.of_N T = (Z.of_nat b + Z.of_nat t)%Z by move: eq_T; clear; lia.
have le_pZ : (Z.of_N p <= Z.of_N k * Z.of_N q)%Z by move: le_p; clear; lia.
case/orP: test => [/N.ltb_lt test|].
  have := @peak_value (Z.of_N k) (Z.of_nat b) (Z.of_nat t) (Z.of_N p) (Z.of_N q) (Z.of_nat y) (Z.of_N F).
  have {}test : (Z.of_N k * Z.of_N k * ((Z.of_N q * Z.of_N q * (Z.of_nat b + Z.of_nat t) + Z.of_N p * Z.of_N p) *
      (Z.of_N q * Z.of_N q * (Z.of_nat b + Z.of_nat t) + Z.of_N p * Z.of_N p)) <
      16 * (Z.of_N k * Z.of_N q - Z.of_N p) * Z.of_N p * (Z.of_N q * Z.of_N q) * (Z.of_N F + 1))%Z.
    by rewrite -eq_TZ; move: test le_p; clear; lia.
  by move=> /(_ _ _ _ _ _ _ le_pZ _ le_yZ test) value; move: value le_xy p_gt0 q_gt0; clear; lia.
rewrite /crossing_test; set s := (T * q ^ 2 - p ^ 2)%num.
case/and5P=> /N.leb_le le_pT /N.ltb_lt test1 /N.ltb_lt test2 /N.leb_le test3 /N.ltb_lt test4.
have eq_s : Z.of_N s = ((Z.of_nat b + Z.of_nat t) * (Z.of_N q * Z.of_N q) - Z.of_N p * Z.of_N p)%Z.
  by rewrite -eq_TZ /s; move: le_pT; clear; lia.
have eq_c : Z.of_N (k * q - p) = (Z.of_N k * Z.of_N q - Z.of_N p)%Z by move: le_p; clear; lia.
have := @crossing_value (Z.of_N k) (Z.of_N beta) (Z.of_nat b) (Z.of_nat t) (Z.of_N p) (Z.of_N q) (Z.of_nat x) (Z.of_nat y) (Z.of_N F).
cbv zeta; rewrite -eq_s -eq_c -eq_TZ; move: s (k * q - p)%num test2 test3 test4 eq_s eq_c => s c test2 test3 test4 eq_s eq_c.
have le_xZ : (Z.of_nat x <= 4 * Z.of_N beta * Z.of_nat b)%Z by move: le_x; clear; lia.
have le_xyZ : (Z.of_nat x <= Z.of_nat y)%Z by move: le_xy; clear; lia.
have le_pTZ : (Z.of_N p * Z.of_N p <= Z.of_N T * (Z.of_N q * Z.of_N q))%Z by move: le_pT; clear; lia.
move=> /(_ _ _ _ _ _ _ _ le_pZ le_xZ le_xyZ le_yZ le_pTZ) value.
have {}value : (Z.of_nat t * Z.of_nat t + Z.of_nat x < 4 * (Z.of_N F + 1))%Z.
  apply: value; try by [move: p_gt0 q_gt0; clear; lia].
  - by move: test1; clear; lia.
  - by move: test2; clear; lia.
  - by move: test3; clear; lia.
  by move: test4; clear; lia.
by move: value; rewrite -mulnn; clear; lia.
Qed.

(** ** From tests to statements *)

Lemma le_most (h F W words M T : N) : cut_test F W M h T words 0 ->
  [/\ 0 < N.to_nat h, N.to_nat h * N.to_nat F < N.to_nat W &
      N.to_nat words + N.to_nat h * N.to_nat M <= N.to_nat M + 1 + N.to_nat h * N.to_nat T].
Proof. by case/cut_testP=> h_gt0 many le_words; split=> //; rewrite addn0 in le_words. Qed.

Lemma b1_testP pairs d dv M h T p q words : b1_test pairs d dv M h T p q words ->
  [/\ 0 < N.to_nat h, N.to_nat h * b1_events (N.to_nat d) (N.to_nat dv) (N.to_nat T) < N.to_nat pairs * beta (N.to_nat d) (N.to_nat dv) &
      N.to_nat words + N.to_nat h * N.to_nat M <= N.to_nat M + 1 + N.to_nat h * N.to_nat T].
Proof.
case/and5P=> _ p_gt0 q_gt0 le_p /andP[test /le_most[h_gt0 many le_words]].
by rewrite N2Nat.inj_mul betaE in many; split=> //; exact: fewer (b1_events_le p_gt0 q_gt0 le_p test) many.
Qed.

Theorem b1_masked_backward pairs queries keys d dv M h T p q words :
  b1_test pairs d dv M h T p q words -> masked_backward_costs pairs queries keys d dv M words.
Proof.
case/b1_testP=> h_gt0 many le_words Nq Nk allowed eq_pairs _ _ ms legal_ms; apply: le_io.
have := B1 legal_ms h_gt0; rewrite eq_pairs => /(_ _ many).
by move: le_words; clear; lia.
Qed.

Lemma b2_events_le (m T F : nat) : 0 < m -> (forall n, n <= T -> b2_square m T n < 12 * m ^ 2 * (F + 1) ^ 2) ->
  b2_events m T <= F.
Proof.
move=> m_gt0 below; apply: sqrt_div_le; first by rewrite !muln_gt0 m_gt0.
have F_gt0 : 0 < 12 * m ^ 2 * (F + 1) ^ 2 by rewrite !muln_gt0 m_gt0 addn1.
rewrite -ltnS -(prednK F_gt0) ltnS; apply/bigmax_leqP => n _.
by rewrite -ltnS (prednK F_gt0); apply: below; rewrite -ltnS.
Qed.

(** A segment of many words. *)
Lemma b2_large_le (m T F : nat) : 0 < m -> m ^ 2 <= T -> T ^ 4 < 12 * m ^ 2 * (F + 1) ^ 2 -> b2_events m T <= F.
Proof.
move=> m_gt0 le_m lt_F; apply: b2_events_le => // n le_n; apply: leq_ltn_trans lt_F.
have [x eq_T] : exists x, T = n + x by exists (T - n); rewrite subnKC.
rewrite /b2_square eq_T addKn in le_m *; have := leq_mul (leqnn (n ^ 2 * x)) le_m; clear; lia.
Qed.

Lemma b2_small_le (m T p q F : nat) : 0 < m -> 0 < q -> 8 * p <= 5 * (T * q) ->
  8 * p ^ 2 + 4 * m ^ 2 * T * q ^ 2 <= 12 * m ^ 2 * p * q ->
  2 * p ^ 2 * (T * q) < 3 * q ^ 3 * (F + 1) ^ 2 + 2 * p ^ 3 -> b2_events m T <= F.
Proof.
move=> m_gt0 q_gt0 le_p le_max lt_F; apply: b2_events_le => // n le_n.
have q3_gt0 : 0 < q ^ 3 by rewrite expn_gt0 q_gt0.
have m2_gt0 : 0 < m ^ 2 by rewrite expn_gt0 m_gt0.
rewrite -(ltn_pmul2l q3_gt0) /b2_square.
have {le_max} test : q ^ 3 * (n ^ 2 * (4 * m ^ 2 * (T - n) + n ^ 2)) + 8 * m ^ 2 * p ^ 3 <= 8 * m ^ 2 * (p ^ 2 * (T * q)).
  have := @greatest_square (4 * Z.of_nat m ^ 2) (Z.of_nat T) (Z.of_nat n) (Z.of_nat p) (Z.of_nat q).
  have h1 : (0 < 4 * Z.of_nat m ^ 2)%Z by clear -m2_gt0; lia.
  have h2 : (0 < Z.of_nat q)%Z by clear -q_gt0; lia.
  have h3 : (0 <= Z.of_nat p)%Z by clear; lia.
  have h4 : (0 <= Z.of_nat n <= Z.of_nat T)%Z by clear -le_n; lia.
  have h5 : (8 * Z.of_nat p <= 5 * (Z.of_nat T * Z.of_nat q))%Z by clear -le_p; lia.
  have h6 : (8 * Z.of_nat p ^ 2 + 4 * Z.of_nat m ^ 2 * Z.of_nat T * Z.of_nat q ^ 2 <=
    3 * (4 * Z.of_nat m ^ 2) * Z.of_nat p * Z.of_nat q)%Z by clear -le_max; lia.
  move=> /(_ h1 h2 h3 h4 h5 h6) test; clear -test le_n.
  by rewrite -(subnKC le_n) in test *; move: (T - n) test => x test; rewrite addKn; lia.
move: test; move: (n ^ 2 * _) => sq test.
have : 4 * m ^ 2 * (2 * p ^ 2 * (T * q)) < 4 * m ^ 2 * (3 * q ^ 3 * (F + 1) ^ 2 + 2 * p ^ 3).
  by rewrite ltn_pmul2l // muln_gt0.
by move: test; clear; lia.
Qed.

Theorem b2_masked_backward pairs queries keys d dv M h T p q words :
  b2_test pairs d dv M h T p q words -> masked_backward_costs pairs queries keys d dv M words.
Proof.
case/and4P=> /N.ltb_lt d_gt0 /N.ltb_lt dv_gt0 test /le_most[h_gt0 many le_words].
move=> Nq Nk allowed eq_pairs _ _ ms legal_ms; apply: le_io.
have le_F : b2_events (minn (N.to_nat d) (N.to_nat dv)) (N.to_nat T) <= N.to_nat (most (pairs * (3 * d + 2 * dv)) h).
  have <- : N.to_nat (N.min d dv) = minn (N.to_nat d) (N.to_nat dv) by clear; lia.
  have m_gt0 : 0 < N.to_nat (N.min d dv) by move: d_gt0 dv_gt0; clear; lia.
  move: (N.min d dv) (most _ h) m_gt0 test => m F m_gt0; case: ifP.
    by move=> /N.leb_le large /N.ltb_lt lt_F; apply: b2_large_le; lia.
  move=> _ /and4P[/N.ltb_lt q_gt0 /N.leb_le le_p /N.leb_le le_max /N.ltb_lt lt_F].
  by apply: (@b2_small_le _ _ (N.to_nat p) (N.to_nat q)); lia.
have d_gt0' : 0 < N.to_nat d by lia.
have dv_gt0' : 0 < N.to_nat dv by lia.
have := B2 legal_ms d_gt0' dv_gt0' h_gt0; rewrite eq_pairs => /(_ (N.to_nat T)).
have eq_W : N.to_nat (pairs * (3 * d + 2 * dv)) = N.to_nat pairs * (3 * N.to_nat d + 2 * N.to_nat dv) by clear; lia.
rewrite eq_W in many; move=> /(_ (fewer le_F many)).
by move: le_words; clear; lia.
Qed.

Theorem compulsory_masked_backward pairs queries keys d dv M words :
  backward_compulsory_test queries keys d dv words -> masked_backward_costs pairs queries keys d dv M words.
Proof.
case/andP=> /N.ltb_lt d_gt0 /N.leb_le le_words.
move=> Nq Nk allowed _ eq_queries eq_keys ms legal_ms; apply: le_io.
have d_gt0' : 0 < N.to_nat d by lia.
have := backward_compulsory d_gt0' legal_ms; rewrite eq_queries eq_keys.
by move: le_words; clear; lia.
Qed.

(** Without a mask. *)
Lemma unmasked_backward (Nq Nk d dv M words : N) : (0 < Nq)%num -> (0 < Nk)%num ->
  masked_backward_costs (Nq * Nk) Nq Nk d dv M words -> backward_costs Nq Nk d dv M words.
Proof.
move=> Nq_gt0 Nk_gt0 costs; apply: costs.
- by rewrite AttentionCompulsory.card_all_pairs N2Nat.inj_mul.
- by apply: AttentionCompulsory.card_all_queries; lia.
- by apply: AttentionCompulsory.card_all_keys; lia.
Qed.

Theorem b1_backward (Nq Nk d dv M h T p q words : N) : (0 <? Nq)%num && (0 <? Nk)%num &&
  b1_test (Nq * Nk) d dv M h T p q words -> backward_costs Nq Nk d dv M words.
Proof.
by case/andP=> /andP[/N.ltb_lt Nq_gt0 /N.ltb_lt Nk_gt0] test; apply: unmasked_backward => //; apply: b1_masked_backward test.
Qed.

Theorem b2_backward (Nq Nk d dv M h T p q words : N) : (0 <? Nq)%num && (0 <? Nk)%num &&
  b2_test (Nq * Nk) d dv M h T p q words -> backward_costs Nq Nk d dv M words.
Proof.
by case/andP=> /andP[/N.ltb_lt Nq_gt0 /N.ltb_lt Nk_gt0] test; apply: unmasked_backward => //; apply: b2_masked_backward test.
Qed.

Theorem compulsory_backward (Nq Nk d dv M words : N) : (0 <? Nq)%num && (0 <? Nk)%num &&
  backward_compulsory_test Nq Nk d dv words -> backward_costs Nq Nk d dv M words.
Proof.
case/andP=> /andP[/N.ltb_lt Nq_gt0 /N.ltb_lt Nk_gt0] test; apply: unmasked_backward => //.
exact: compulsory_masked_backward test.
Qed.
