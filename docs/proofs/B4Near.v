(** * The function of B4 where the root of q k is no rational number

    docs/proofs/b4.md, section 2, end of "what a segment does": near the q, k and I of a segment there are others, no greater, where the root is
    rational; there the segment's work, but for a factor [n] squared that is as near to 1 as one likes, is at most f. *)

From Coq Require Import QArith Lqa Lia.
From Pebble Require Import T3Function B4Function.
Local Open Scope Q_scope.

Section Factor.

Variable n : Q.
Hypotheses (n_gt0 : 0 < n) (n_le1 : n <= 1).

Lemma square_le1 : n ^ 2 <= 1.
Proof. setoid_replace (n ^ 2) with (n * n) by ring. nra. Qed.

Lemma shrunk (a : Q) : 0 <= a -> n ^ 2 * a <= a.
Proof. intros ha. assert (h := square_le1). assert (h' := square_nonneg n). set (m := n ^ 2) in *. nra. Qed.

Lemma shrunk_nonneg (a : Q) : 0 <= a -> 0 <= n ^ 2 * a.
Proof. intros ha. apply Qmult_le_0_compat; [apply square_nonneg|exact ha]. Qed.

Lemma shrunk_twice (a b : Q) : 0 <= a -> n * a <= b -> n ^ 2 * a <= b.
Proof. intros ha hb. setoid_replace (n ^ 2 * a) with (n * (n * a)) by ring. assert (0 <= n * a) by nra. nra. Qed.

(** A sum of which one part shrinks. *)
Lemma shrunk_part (a b x x' : Q) : 0 <= a -> 0 <= b -> n ^ 2 * x <= x' -> n ^ 2 * (a + b * x) <= a + b * x'.
Proof.
intros ha hb hx. assert (h := shrunk a ha). assert (h' : b * (n ^ 2 * x) <= b * x') by (rewrite !(Qmult_comm b); now apply Qmult_le_compat_r).
lra.
Qed.

(** A root of a product of factors that shrink. *)
Lemma shrunk_root (a f z f' z' : Q) : a ^ 2 <= f * z -> 0 <= f -> 0 <= z -> n ^ 2 * f <= f' -> n ^ 2 * z <= z' -> (n ^ 2 * a) ^ 2 <= f' * z'.
Proof.
intros ha hf hz hf' hz'. assert (m0 := square_nonneg n). assert (m2 := square_nonneg (n ^ 2)).
apply Qle_trans with (n ^ 2 * f * (n ^ 2 * z)).
- setoid_replace ((n ^ 2 * a) ^ 2) with ((n ^ 2) ^ 2 * a ^ 2) by ring.
  setoid_replace (n ^ 2 * f * (n ^ 2 * z)) with ((n ^ 2) ^ 2 * (f * z)) by ring.
  rewrite !(Qmult_comm ((n ^ 2) ^ 2)). now apply Qmult_le_compat_r.
- apply Qle_trans with (f' * (n ^ 2 * z)).
  + apply Qmult_le_compat_r; [exact hf'|now apply shrunk_nonneg].
  + assert (0 <= f') by (assert (x := shrunk_nonneg f hf); lra). rewrite !(Qmult_comm f'). now apply Qmult_le_compat_r.
Qed.

Lemma shrunk_b4_root (D Y0 Y1 ps pn rs rn ss sn hh ov ij z a hh' ij' z' : Q) :
  0 <= ps -> 0 <= pn -> 0 <= rs -> 0 <= rn -> 0 <= ss -> 0 <= sn -> 0 <= hh -> 0 <= ov -> 0 <= ij -> 0 <= z ->
  n ^ 2 * hh <= hh' -> n ^ 2 * ij <= ij' -> n ^ 2 * z <= z' ->
  b4_root_words D Y0 Y1 ps pn rs rn ss sn hh ov ij z a -> b4_root_words D Y0 Y1 ps pn rs rn ss sn hh' ov ij' z' (n ^ 2 * a).
Proof.
intros hps hpn hrs hrn hss hsn hhh hov hij hz le_h le_ij le_z [h1 [h2 h3]].
assert (y0 := square_nonneg Y0). assert (y1 := square_nonneg Y1). assert (d0 := square_nonneg D).
unfold b4_root_words. set (w0 := Y0 ^ 2) in *. set (w1 := Y1 ^ 2) in *. set (d2 := D ^ 2) in *.
assert (ass : 0 <= w0 * ss) by now apply Qmult_le_0_compat. assert (asn : 0 <= w1 * sn) by now apply Qmult_le_0_compat.
assert (aps : 0 <= w1 * (ps + pn)) by (apply Qmult_le_0_compat; lra).
assert (ars : 0 <= w0 * rs) by now apply Qmult_le_0_compat. assert (arn : 0 <= w1 * rn) by now apply Qmult_le_0_compat.
assert (ahh : 0 <= w1 * hh) by now apply Qmult_le_0_compat. assert (aij : 0 <= w1 * ij) by now apply Qmult_le_0_compat.
assert (aov : 0 <= w1 * ov) by now apply Qmult_le_0_compat.
repeat split.
- apply (shrunk_root _ _ _ _ _ h1); [lra|exact hz| |exact le_z].
  assert (part := shrunk_part (w0 * ss + w1 * sn + w1 * (ps + pn)) w1 hh hh' ltac:(lra) y1 le_h). lra.
- assert (f0 : 0 <= d2 * (w0 * ss + w1 * sn + w0 * rs + w1 * rn)) by (apply Qmult_le_0_compat; lra).
  setoid_replace (d2 * (n ^ 2 * a) ^ 2) with ((n ^ 2) ^ 2 * (d2 * a ^ 2)) by ring.
  apply Qle_trans with (n ^ 2 * (d2 * (w0 * ss + w1 * sn + w0 * rs + w1 * rn) + w1 * ov) * (n ^ 2 * z)).
  + setoid_replace (n ^ 2 * (d2 * (w0 * ss + w1 * sn + w0 * rs + w1 * rn) + w1 * ov) * (n ^ 2 * z))
      with ((n ^ 2) ^ 2 * ((d2 * (w0 * ss + w1 * sn + w0 * rs + w1 * rn) + w1 * ov) * z)) by ring.
    rewrite !(Qmult_comm ((n ^ 2) ^ 2)). apply Qmult_le_compat_r; [exact h2|apply square_nonneg].
  + apply Qle_trans with ((d2 * (w0 * ss + w1 * sn + w0 * rs + w1 * rn) + w1 * ov) * (n ^ 2 * z)).
    * apply Qmult_le_compat_r; [apply shrunk; lra|now apply shrunk_nonneg].
    * rewrite !(Qmult_comm (d2 * _ + _)). apply Qmult_le_compat_r; [exact le_z|lra].
- apply (shrunk_root _ _ _ _ _ h3); [lra|exact hz| |exact le_z].
  assert (part := shrunk_part (w0 * ss + w1 * sn + (w1 * (ps + pn) + w0 * rs + w1 * rn)) w1 ij ij' ltac:(lra) y1 le_ij). lra.
Qed.

End Factor.

Section Near.

Variables (plain : bool) (K mu tau gS gP wS wP V0 V1 K0 K1 Q0 Q1 W : Z).
Variables D q k o v uV uK uQ ps pn p rs rn r ss sn hh i j s b c e g k_ : Q.
Hypothesis k_is : inject_Z K = k_.
Hypotheses (K_gt0 : 0 < k_) (D_gt0 : 0 < D).
Hypotheses (q_ge0 : 0 <= q) (k_ge0 : 0 <= k) (o_ge0 : 0 <= o) (v_ge0 : 0 <= v) (uV_ge0 : 0 <= uV) (uK_ge0 : 0 <= uK) (uQ_ge0 : 0 <= uQ).
Hypotheses (ps_ge0 : 0 <= ps) (pn_ge0 : 0 <= pn) (p_ge0 : 0 <= p) (rs_ge0 : 0 <= rs) (rn_ge0 : 0 <= rn) (r_ge0 : 0 <= r).
Hypotheses (ss_ge0 : 0 <= ss) (sn_ge0 : 0 <= sn) (hh_ge0 : 0 <= hh) (i_ge0 : 0 <= i) (j_ge0 : 0 <= j).
Hypotheses (s_ge0 : 0 <= s) (b_ge0 : 0 <= b) (c_ge0 : 0 <= c) (e_ge0 : 0 <= e) (g_ge0 : 0 <= g).
Hypotheses (V0_ge0 : 0 <= inject_Z V0) (V1_ge0 : 0 <= inject_Z V1) (K0_ge0 : 0 <= inject_Z K0) (K1_ge0 : 0 <= inject_Z K1).
Hypotheses (Q0_ge0 : 0 <= inject_Z Q0) (Q1_ge0 : 0 <= inject_Z Q1).
Hypotheses (le_iq : D * i <= q) (le_io : D * i <= o) (le_jk : D * j <= k) (le_jv : D * j <= v).
Let touched := k_ * (q + k + o + v + (uV + uK + uQ) + (ps + pn) + (rs + rn) + (ss + sn)) + inject_Z gS * p + inject_Z gP * r.
Hypothesis few : touched <= inject_Z tau * D ^ 2.
Hypothesis twice : touched + k_ * (uV + uK + uQ + pn + rn + sn) <= inject_Z tau * D ^ 2 + inject_Z mu * D ^ 2.
Hypothesis s_square : s ^ 2 <= (ps + pn + p) * (q * k).
Hypothesis s_pairs : plain = false -> s <= D * (ps + pn + p).
Hypothesis b_square : b ^ 2 <= (rs + rn + r) * (o * v).
Hypothesis b_pairs : plain = false -> b <= D * (rs + rn + r).
Hypothesis c_square : c ^ 2 <= (inject_Z V0 ^ 2 * ps + inject_Z V1 ^ 2 * (pn + hh)) * (uV * o).
Hypothesis c_chains : plain = false -> D * c <= D ^ 2 * (inject_Z V0 * ps + inject_Z V1 * pn) + inject_Z V1 * (q * uV).
Hypothesis c_words : plain = false -> D * c <= D ^ 2 * (inject_Z V0 * ps + inject_Z V1 * pn) + inject_Z V1 * (k * o).
Hypothesis e_root : b4_root_words D (inject_Z K0) (inject_Z K1) ps pn rs rn ss sn hh (o * v) (i * j) (uK * q) e.
Hypothesis e_chains : plain = false ->
  e <= D * (inject_Z K1 * (ps + pn) + inject_Z K0 * (rs + ss) + inject_Z K1 * (rn + sn)) + inject_Z K1 * (i * uK).
Hypothesis g_root : b4_root_words D (inject_Z Q0) (inject_Z Q1) ps pn rs rn ss sn hh (o * v) (i * j) (uQ * k) g.
Hypothesis g_chains : plain = false ->
  D * g <= D ^ 2 * (inject_Z Q1 * (ps + pn) + inject_Z Q0 * (rs + ss) + inject_Z Q1 * (rn + sn)) + inject_Z Q1 * (k * uQ).

(** The other point. *)
Section Point.

Variables n q' k' y h t : Q.
Hypotheses (n_gt0 : 0 < n) (n_le1 : n <= 1) (y_ge0 : 0 <= y) (h_ge0 : 0 <= h) (t_ge0 : 0 <= t).
Hypotheses (q_less : q' <= q) (q_near : n * q <= q') (k_less : k' <= k) (k_near : n * k <= k') (y_is : y ^ 2 == q' * k').
Hypotheses (le_h : D * h <= y) (h_near : n * hh <= h ^ 2).
Hypotheses (t_square : t ^ 2 <= (ps + pn + p) * (y - D * h) ^ 2) (s_rows : n ^ 2 * s <= t + y * h).

Lemma b4_near : b4_bounded plain K mu tau gS gP wS wP V0 V1 K0 K1 Q0 Q1 W ->
  n ^ 2 * (inject_Z wS * s + inject_Z wP * b + c + e + g) <= inject_Z W * D ^ 3.
Proof.
intros bounded.
assert (m0 := square_nonneg n). assert (m1 := square_le1 n n_gt0 n_le1).
assert (sh := shrunk n n_gt0 n_le1). assert (sh0 := shrunk_nonneg n). assert (tw := shrunk_twice n n_gt0 n_le1).
assert (nq := tw _ _ q_ge0 q_near). assert (nk := tw _ _ k_ge0 k_near). assert (nh := tw _ _ hh_ge0 h_near).
assert (nq0 := sh0 _ q_ge0). assert (nk0 := sh0 _ k_ge0).
assert (into : forall x z z' : Q, 0 <= x -> n ^ 2 * z <= z' -> n ^ 2 * (x * z) <= x * z').
{ intros x z z' hx hz. setoid_replace (n ^ 2 * (x * z)) with (n ^ 2 * z * x) by ring. rewrite (Qmult_comm x).
  now apply Qmult_le_compat_r. }
assert (into' : forall x z z' : Q, 0 <= x -> n ^ 2 * z <= z' -> n ^ 2 * (z * x) <= z' * x).
{ intros x z z' hx hz. rewrite (Qmult_comm z), (Qmult_comm z'). now apply into. }
assert (ni : n * i * (n * j) == n ^ 2 * (i * j)) by ring.
assert (less : forall x, 0 <= x -> n * x <= x) by (intros x hx; nra).
setoid_replace (n ^ 2 * (inject_Z wS * s + inject_Z wP * b + c + e + g))
  with (inject_Z wS * (n ^ 2 * s) + inject_Z wP * (n ^ 2 * b) + n ^ 2 * c + n ^ 2 * e + n ^ 2 * g) by ring.
assert (vp : 0 <= inject_Z V0 * ps + inject_Z V1 * pn) by (apply (Qplus_le_compat 0 _ 0); now apply Qmult_le_0_compat).
assert (D2 : 0 <= D ^ 2) by apply square_nonneg.
assert (vD : 0 <= D ^ 2 * (inject_Z V0 * ps + inject_Z V1 * pn)) by now apply Qmult_le_0_compat.
assert (oldroot : 0 <= i * j) by now apply Qmult_le_0_compat. assert (ov : 0 <= o * v) by now apply Qmult_le_0_compat.
apply (b4_scaled plain K mu tau gS gP wS wP V0 V1 K0 K1 Q0 Q1 W D q' k' o v uV uK uQ ps pn p rs rn r ss sn y h (n * i) (n * j)
  (n ^ 2 * s) t (n ^ 2 * b) (n ^ 2 * c) (n ^ 2 * e) (n ^ 2 * g) k_); try assumption; try (apply sh0; assumption); try lra.
- apply Qmult_le_0_compat; lra.
- apply Qmult_le_0_compat; lra.
- setoid_replace (D * (n * i)) with (n * (D * i)) by ring. apply Qle_trans with (n * q); [|exact q_near].
  rewrite !(Qmult_comm n). apply Qmult_le_compat_r; [exact le_iq|lra].
- apply Qle_trans with (D * i); [|exact le_io]. rewrite !(Qmult_comm D). apply Qmult_le_compat_r; [now apply less|lra].
- setoid_replace (D * (n * j)) with (n * (D * j)) by ring. apply Qle_trans with (n * k); [|exact k_near].
  rewrite !(Qmult_comm n). apply Qmult_le_compat_r; [exact le_jk|lra].
- apply Qle_trans with (D * j); [|exact le_jv]. rewrite !(Qmult_comm D). apply Qmult_le_compat_r; [now apply less|lra].
- assert (sum : k_ * (q' + k') <= k_ * (q + k)) by (rewrite !(Qmult_comm k_); apply Qmult_le_compat_r; lra). unfold touched in few. lra.
- assert (sum : k_ * (q' + k') <= k_ * (q + k)) by (rewrite !(Qmult_comm k_); apply Qmult_le_compat_r; lra). unfold touched in twice. lra.
- rewrite y_is. apply Qle_trans with (((ps + pn + p) * q') * k'); [|lra].
  apply (shrunk_root n s ((ps + pn + p) * q) k); try assumption.
  + lra.
  + apply Qmult_le_0_compat; lra.
  + apply into; [lra|exact nq].
- intros sq. apply Qle_trans with s; [now apply sh|now apply s_pairs].
- apply (shrunk_root n b (rs + rn + r) (o * v)); try assumption; [lra|apply sh; lra|now apply sh].
- intros sq. apply Qle_trans with b; [now apply sh|now apply b_pairs].
- assert (uo : 0 <= uV * o) by now apply Qmult_le_0_compat.
  assert (p1 : 0 <= inject_Z V0 ^ 2 * ps) by (apply Qmult_le_0_compat; [apply square_nonneg|assumption]).
  assert (p2 : 0 <= inject_Z V1 ^ 2 * pn) by (apply Qmult_le_0_compat; [apply square_nonneg|assumption]).
  assert (p3 : 0 <= inject_Z V1 ^ 2 * hh) by (apply Qmult_le_0_compat; [apply square_nonneg|assumption]).
  apply (shrunk_root n c _ _ _ _ c_square); [lra|exact uo| |now apply sh].
  assert (x := shrunk_part n n_gt0 n_le1 (inject_Z V0 ^ 2 * ps + inject_Z V1 ^ 2 * pn) (inject_Z V1 ^ 2) hh (h ^ 2) ltac:(lra) (square_nonneg _) nh). lra.
- intros sq. assert (x := into D _ _ (Qlt_le_weak _ _ D_gt0) (Qle_refl (n ^ 2 * c))). assert (z := c_chains sq).
  assert (z' : n ^ 2 * (D * c) <= n ^ 2 * (D ^ 2 * (inject_Z V0 * ps + inject_Z V1 * pn) + inject_Z V1 * (q * uV)))
    by (rewrite !(Qmult_comm (n ^ 2)); now apply Qmult_le_compat_r).
  assert (x' := shrunk_part n n_gt0 n_le1 _ (inject_Z V1) _ _ vD V1_ge0 (into' uV q q' uV_ge0 nq)). lra.
- intros sq. assert (z := c_words sq).
  assert (z' : n ^ 2 * (D * c) <= n ^ 2 * (D ^ 2 * (inject_Z V0 * ps + inject_Z V1 * pn) + inject_Z V1 * (k * o)))
    by (rewrite !(Qmult_comm (n ^ 2)); now apply Qmult_le_compat_r).
  assert (x' := shrunk_part n n_gt0 n_le1 _ (inject_Z V1) _ _ vD V1_ge0 (into' o k k' o_ge0 nk)). lra.
- apply (shrunk_b4_root n n_gt0 n_le1 _ _ _ _ _ _ _ _ _ hh (o * v) (i * j) (uK * q)); try assumption.
  + now apply Qmult_le_0_compat.
  + rewrite ni. apply Qle_refl.
  + now apply into.
- intros sq. assert (z := e_chains sq).
  assert (f0 : 0 <= D * (inject_Z K1 * (ps + pn) + inject_Z K0 * (rs + ss) + inject_Z K1 * (rn + sn))).
  { apply Qmult_le_0_compat; [lra|]. apply (Qplus_le_compat 0 _ 0); [apply (Qplus_le_compat 0 _ 0)|]; apply Qmult_le_0_compat; lra. }
  assert (z' : n ^ 2 * e <= n ^ 2 * (D * (inject_Z K1 * (ps + pn) + inject_Z K0 * (rs + ss) + inject_Z K1 * (rn + sn)) + inject_Z K1 * (i * uK)))
    by (rewrite !(Qmult_comm (n ^ 2)); now apply Qmult_le_compat_r).
  assert (ii : n ^ 2 * i <= n * i) by (apply tw; [assumption|apply Qle_refl]).
  assert (x' := shrunk_part n n_gt0 n_le1 _ (inject_Z K1) _ _ f0 K1_ge0 (into' uK i (n * i) uK_ge0 ii)). lra.
- apply (shrunk_b4_root n n_gt0 n_le1 _ _ _ _ _ _ _ _ _ hh (o * v) (i * j) (uQ * k)); try assumption.
  + now apply Qmult_le_0_compat.
  + rewrite ni. apply Qle_refl.
  + now apply into.
- intros sq. assert (z := g_chains sq).
  assert (f0 : 0 <= D ^ 2 * (inject_Z Q1 * (ps + pn) + inject_Z Q0 * (rs + ss) + inject_Z Q1 * (rn + sn))).
  { apply Qmult_le_0_compat; [lra|]. apply (Qplus_le_compat 0 _ 0); [apply (Qplus_le_compat 0 _ 0)|]; apply Qmult_le_0_compat; lra. }
  assert (z' : n ^ 2 * (D * g) <= n ^ 2 * (D ^ 2 * (inject_Z Q1 * (ps + pn) + inject_Z Q0 * (rs + ss) + inject_Z Q1 * (rn + sn)) + inject_Z Q1 * (k * uQ)))
    by (rewrite !(Qmult_comm (n ^ 2)); now apply Qmult_le_compat_r).
  assert (x' := shrunk_part n n_gt0 n_le1 _ (inject_Z Q1) _ _ f0 Q1_ge0 (into' uQ k k' uQ_ge0 nk)). lra.
Qed.

End Point.

(** A point for every ratio g1/g2 whose square is nearly k/q, and no more: that is what [m] says. With it rows weigh g1 squared, keys g2
    squared; [A] rows and [B] keys are whole. *)
Section Ratio.

Variables m g1 g2 A B t : Q.
Hypotheses (m_gt0 : 0 < m) (m_le1 : m <= 1) (g1_gt0 : 0 < g1) (g2_gt0 : 0 < g2) (A_ge0 : 0 <= A) (B_ge0 : 0 <= B) (t_ge0 : 0 <= t).
Hypotheses (hh_is : hh == A * B) (le_A : D * A <= q) (le_B : D * B <= k).
Hypotheses (ratio_less : g1 ^ 2 * q <= g2 ^ 2 * k) (ratio_near : m * (g2 ^ 2 * k) <= g1 ^ 2 * q).
Let words := g1 ^ 2 * q + g2 ^ 2 * k.
Let whole := g1 ^ 2 * A + g2 ^ 2 * B.
Hypothesis t_square : t ^ 2 <= 4 * (g1 ^ 2 * g2 ^ 2) * (ps + pn + p) * (words - D * whole) ^ 2.
Hypothesis s_rows : 4 * (g1 ^ 2 * g2 ^ 2) * s <= t + whole * words.

Lemma b4_ratio : b4_bounded plain K mu tau gS gP wS wP V0 V1 K0 K1 Q0 Q1 W ->
  (m ^ 2) ^ 2 * (inject_Z wS * s + inject_Z wP * b + c + e + g) <= inject_Z W * D ^ 3.
Proof.
assert (n1 := pos_nonzero _ g1_gt0). assert (n2 := pos_nonzero _ g2_gt0).
assert (p1 := square_pos _ g1_gt0). assert (p2 := square_pos _ g2_gt0). assert (pm := square_pos _ m_gt0).
assert (p12 : 0 < 2 * (g1 * g2)) by (apply mult_pos; [lra|now apply mult_pos]).
assert (p1212 : 0 < 4 * (g1 ^ 2 * g2 ^ 2)) by (apply mult_pos; [lra|now apply mult_pos]).
assert (a0 : 0 <= g1 ^ 2 * q) by (apply Qmult_le_0_compat; lra). assert (b0 : 0 <= g2 ^ 2 * k) by (apply Qmult_le_0_compat; lra).
assert (w0 : 0 <= words) by (unfold words; lra).
assert (h0 : 0 <= whole) by (unfold whole; apply (Qplus_le_compat 0 _ 0); apply Qmult_le_0_compat; lra).
assert (le_whole : D * whole <= words).
{ setoid_replace (D * whole) with (g1 ^ 2 * (D * A) + g2 ^ 2 * (D * B)) by (unfold whole; ring). unfold words.
  apply Qplus_le_compat; rewrite !(Qmult_comm (_ ^ 2)); apply Qmult_le_compat_r; lra. }
assert (times_m : forall x, 0 <= x -> m * x <= x) by (intros x hx; assert (y := Qmult_le_compat_r m 1 x m_le1 hx); lra).
assert (mm : m ^ 2 <= m) by (setoid_replace (m ^ 2) with (m * m) by ring; apply times_m; lra).
assert (into_m : forall x z, x <= z -> m * x <= m * z) by (intros x z hx; rewrite !(Qmult_comm m); apply Qmult_le_compat_r; lra).
assert (ma := times_m _ a0). assert (mb := times_m _ b0). assert (mma := into_m _ _ ma). assert (mmb := into_m _ _ ratio_near).
assert (mab := into_m _ _ ratio_less).
assert (q_side : m * words <= 2 * (g1 ^ 2 * q)) by (unfold words; lra).
assert (q_side' : 2 * (m ^ 2 * (g1 ^ 2 * q)) <= m * words) by (unfold words; setoid_replace (m ^ 2) with (m * m) by ring; lra).
assert (k_side : m * words <= 2 * (g2 ^ 2 * k)) by (unfold words; lra).
assert (k_side' : 2 * (m ^ 2 * (g2 ^ 2 * k)) <= m * words).
{ unfold words; setoid_replace (m ^ 2) with (m * m) by ring. assert (x := into_m _ _ mb). lra. }
assert (two1 : 0 < 2 * g1 ^ 2) by (apply mult_pos; lra). assert (two2 : 0 < 2 * g2 ^ 2) by (apply mult_pos; lra).
apply (b4_near (m ^ 2) (m * words / (2 * g1 ^ 2)) (m * words / (2 * g2 ^ 2)) (m * words / (2 * (g1 * g2))) (m * whole / (2 * (g1 * g2)))
  (m * t / (4 * (g1 ^ 2 * g2 ^ 2)))).
- exact pm.
- lra.
- apply over_nonneg; [apply Qmult_le_0_compat; lra|exact p12].
- apply over_nonneg; [apply Qmult_le_0_compat; lra|exact p12].
- apply over_nonneg; [apply Qmult_le_0_compat; lra|exact p1212].
- apply (scaled _ _ _ _ _ (inverse_nonneg _ two1) q_side); field; auto.
- apply (scaled _ _ _ _ _ (inverse_nonneg _ two1) q_side'); field; auto.
- apply (scaled _ _ _ _ _ (inverse_nonneg _ two2) k_side); field; auto.
- apply (scaled _ _ _ _ _ (inverse_nonneg _ two2) k_side'); field; auto.
- field; auto.
- assert (x := into_m _ _ le_whole). apply (scaled _ _ _ _ _ (inverse_nonneg _ p12) x); field; auto.
- assert (x := square_of_sum (g1 ^ 2 * A) (g2 ^ 2 * B)).
  assert (x' : m ^ 2 * (4 * (g1 ^ 2 * A * (g2 ^ 2 * B))) <= m ^ 2 * whole ^ 2) by (unfold whole; rewrite !(Qmult_comm (m ^ 2)); apply Qmult_le_compat_r; lra).
  rewrite hh_is. apply (scaled _ _ _ _ _ (inverse_nonneg _ p1212) x'); field; auto.
- assert (x : m ^ 2 * t ^ 2 <= m ^ 2 * (4 * (g1 ^ 2 * g2 ^ 2) * (ps + pn + p) * (words - D * whole) ^ 2))
    by (rewrite !(Qmult_comm (m ^ 2)); apply Qmult_le_compat_r; lra).
  assert (p16 : 0 < (4 * (g1 ^ 2 * g2 ^ 2)) ^ 2) by now apply square_pos.
  apply (scaled _ _ _ _ _ (inverse_nonneg _ p16) x); field; auto.
- assert (mt := Qmult_le_compat_r _ _ t mm t_ge0).
  assert (pm1 : (m ^ 2) ^ 2 <= m ^ 2) by (setoid_replace ((m ^ 2) ^ 2) with (m ^ 2 * m ^ 2) by ring; apply (shrunk m m_gt0 m_le1); lra).
  assert (s0 : 0 <= 4 * (g1 ^ 2 * g2 ^ 2) * s) by (apply Qmult_le_0_compat; lra).
  assert (x := Qmult_le_compat_r _ _ _ pm1 s0).
  assert (x' : m ^ 2 * (4 * (g1 ^ 2 * g2 ^ 2) * s) <= m ^ 2 * (t + whole * words)) by (rewrite !(Qmult_comm (m ^ 2)); apply Qmult_le_compat_r; lra).
  assert (final : (m ^ 2) ^ 2 * (4 * (g1 ^ 2 * g2 ^ 2) * s) <= m * t + m ^ 2 * (whole * words)) by lra.
  apply (scaled _ _ _ _ _ (inverse_nonneg _ p1212) final); field; auto.
Qed.

End Ratio.

End Near.
