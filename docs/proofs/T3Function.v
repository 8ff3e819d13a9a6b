(** * The function of T3

    docs/proofs/t3.md, (1) and (2), in rational numbers: that W bounds f. Roots are written as squares. Parameters are whole numbers of
    [K]-ths. Then the same for a segment's whole numbers. *)

From Coq Require Import QArith Lqa Lia.
Local Open Scope Q_scope.

(** Every parameter is a whole number of [K]-ths. *)
Definition part (K n : Z) : Q := inject_Z n / inject_Z K.

Definition t3_bounded (K mu tau gamma delta beta W : Z) : Prop :=
  forall cs cn c x u v a b : Q,
  0 <= cs -> 0 <= cn -> 0 <= c -> 0 <= x -> 0 <= u -> 0 <= v ->
  cs + cn + part K gamma * c + 2 * x + u + v <= part K tau ->
  cs + cn + part K gamma * c + 2 * x + u + v + (u + cn - part K mu) <= part K tau ->
  cn <= part K mu ->
  0 <= a -> a ^ 2 <= (cs + cn + c) * x ^ 2 ->
  0 <= b -> b ^ 2 <= (cs + (1 + part K delta) ^ 2 * (cn + x ^ 2)) * (u * v) ->
  part K beta * a + b <= part K W.

(** A factor that is not negative. *)
Lemma scaled (w a b a' b' : Q) : 0 <= w -> a <= b -> a' == a * w -> b' == b * w -> a' <= b'.
Proof. intros hw hab -> ->. now apply Qmult_le_compat_r. Qed.

Lemma inverse_nonneg (a : Q) : 0 < a -> 0 <= / a.
Proof. intros ha. apply Qinv_le_0_compat. now apply Qlt_le_weak. Qed.

Lemma over_nonneg (n a : Q) : 0 <= n -> 0 < a -> 0 <= n / a.
Proof. intros hn ha. apply Qmult_le_0_compat; [exact hn|now apply inverse_nonneg]. Qed.

Lemma mult_pos (a b : Q) : 0 < a -> 0 < b -> 0 < a * b.
Proof. intros ha hb. now apply Qmult_lt_0_compat. Qed.

Lemma pos_nonzero (a : Q) : 0 < a -> ~ a == 0.
Proof. intros ha e. rewrite e in ha. exact (Qlt_irrefl 0 ha). Qed.

Lemma square_nonneg (a : Q) : 0 <= a ^ 2.
Proof. setoid_replace (a ^ 2) with (a * a) by ring. nra. Qed.

Lemma square_pos (a : Q) : 0 < a -> 0 < a ^ 2.
Proof. intros ha. setoid_replace (a ^ 2) with (a * a) by ring. now apply mult_pos. Qed.

Lemma cube_pos (a : Q) : 0 < a -> 0 < a ^ 3.
Proof. intros ha. setoid_replace (a ^ 3) with (a * (a * a)) by ring. repeat apply mult_pos; assumption. Qed.

Lemma square_of_sum (a b : Q) : 4 * (a * b) <= (a + b) ^ 2.
Proof. assert (h := square_nonneg (a - b)). setoid_replace ((a + b) ^ 2) with (4 * (a * b) + (a - b) ^ 2) by ring. lra. Qed.

(** What a segment touches and does, in words and events. *)
Section Scaled.

Variables K mu tau gamma delta beta W : Z.
Variables d dv cs cn c q k v u s w R S : Q.
Variable k_ : Q.
Hypothesis k_is : inject_Z K = k_.
Hypotheses (K_gt0 : 0 < k_) (d_gt0 : 0 < d) (dv_gt0 : 0 < dv).
Hypotheses (cs_ge0 : 0 <= cs) (cn_ge0 : 0 <= cn) (c_ge0 : 0 <= c) (q_ge0 : 0 <= q) (k_ge0 : 0 <= k) (v_ge0 : 0 <= v) (u_ge0 : 0 <= u).
Hypotheses (s_ge0 : 0 <= s) (w_ge0 : 0 <= w) (R_ge0 : 0 <= R) (S_ge0 : 0 <= S).
Hypothesis few : k_ * dv * (cs + cn + q + k + v + u) + inject_Z gamma * c <= inject_Z tau * d ^ 2 * dv.
Hypothesis twice : k_ * dv * (cs + cn + q + k + v + u + u + cn) + inject_Z gamma * c <= inject_Z tau * d ^ 2 * dv + inject_Z mu * d ^ 2 * dv.
Hypothesis kept : k_ * cn <= inject_Z mu * d ^ 2.
Hypothesis s_work : s ^ 2 <= (dv * (cs + cn) + c) * q * (k * dv).
Hypothesis w_work : w ^ 2 <= (k_ ^ 2 * cs + (k_ + inject_Z delta) ^ 2 * (cn + R * S)) * u * v.
Hypotheses (le_R : d * R <= q) (le_S : d * S <= k).

Lemma t3_scaled : t3_bounded K mu tau gamma delta beta W -> inject_Z beta * s + dv * w <= inject_Z W * d ^ 3 * dv.
Proof.
intros bounded.
assert (hK := pos_nonzero _ K_gt0). assert (hd := pos_nonzero _ d_gt0). assert (hdv := pos_nonzero _ dv_gt0).
assert (d2 := square_pos _ d_gt0).
assert (d3 := cube_pos _ d_gt0).
assert (kd2 : 0 < k_ * dv * d ^ 2) by (repeat apply mult_pos; assumption).
assert (square := square_of_sum q k).
assert (rect : d ^ 2 * (R * S) <= q * k).
{ assert (h1 : d * R * (d * S) <= q * k).
  { apply Qle_trans with (q * (d * S)); [apply Qmult_le_compat_r; [exact le_R|nra]|].
    rewrite (Qmult_comm q), (Qmult_comm q). apply Qmult_le_compat_r; assumption. }
  setoid_replace (d ^ 2 * (R * S)) with (d * R * (d * S)) by ring. exact h1. }
assert (h := bounded (cs / d ^ 2) (cn / d ^ 2) (c / (dv * d ^ 2)) ((q + k) / (2 * d ^ 2)) (u / d ^ 2) (v / d ^ 2) (s / (dv * d ^ 3)) (w / (k_ * d ^ 3))).
assert (goal : part K beta * (s / (dv * d ^ 3)) + w / (k_ * d ^ 3) <= part K W).
{ apply h; clear h; try (apply over_nonneg; [lra|repeat apply mult_pos; try assumption; lra]).
  - apply (scaled (/ (k_ * dv * d ^ 2)) _ _ _ _ (inverse_nonneg _ kd2) few); unfold part; try rewrite k_is; field; auto.
  - apply (scaled (/ (k_ * dv * d ^ 2)) (k_ * dv * (cs + cn + q + k + v + u + u + cn) + inject_Z gamma * c - inject_Z mu * d ^ 2 * dv) (inject_Z tau * d ^ 2 * dv) _ _ (inverse_nonneg _ kd2)); [lra| |]; unfold part; try rewrite k_is; field; auto.
  - apply (scaled (/ (k_ * d ^ 2)) _ _ _ _ (inverse_nonneg _ (mult_pos _ _ K_gt0 d2)) kept); unfold part; try rewrite k_is; field; auto.
  - assert (h1 : 0 <= (dv * (cs + cn) + c) * dv) by (apply Qmult_le_0_compat; [nra|lra]).
    apply (scaled (/ (4 * (dv ^ 2 * (d ^ 2) ^ 3))) (4 * s ^ 2) ((dv * (cs + cn) + c) * dv * (q + k) ^ 2)).
    + apply inverse_nonneg. repeat apply mult_pos; try apply cube_pos; try apply square_pos; assumption || lra.
    + apply Qle_trans with ((dv * (cs + cn) + c) * dv * (4 * (q * k))); [lra|].
      rewrite !(Qmult_comm ((dv * (cs + cn) + c) * dv)). apply Qmult_le_compat_r; assumption.
    + field; auto.
    + field; auto.
  - assert (uv : 0 <= u * v) by now apply Qmult_le_0_compat.
    set (e := (k_ + inject_Z delta) ^ 2) in *. assert (he : 0 <= e) by apply square_nonneg.
    apply (scaled (/ (4 * (k_ ^ 2 * (d ^ 2) ^ 3))) (4 * (w ^ 2)) (4 * (k_ ^ 2 * cs + e * cn) * (u * v) + e * (q + k) ^ 2 * (u * v) / d ^ 2)).
    + apply inverse_nonneg. repeat apply mult_pos; try apply cube_pos; try apply square_pos; assumption || lra.
    + assert (h2 : 4 * (e * (R * S)) * (u * v) <= e * (q + k) ^ 2 * (u * v) / d ^ 2).
      { apply (scaled (/ d ^ 2) (e * (4 * (d ^ 2 * (R * S))) * (u * v)) (e * (q + k) ^ 2 * (u * v)) _ _ (inverse_nonneg _ d2)).
        - apply Qmult_le_compat_r; [|exact uv]. rewrite !(Qmult_comm e). apply Qmult_le_compat_r; [lra|exact he].
        - field; auto.
        - field; auto. }
      lra.
    + field; auto.
    + unfold e, part; try rewrite k_is; field; auto. }
assert (w0 : 0 <= k_ * (d ^ 3 * dv)) by (apply Qlt_le_weak; repeat apply mult_pos; assumption).
apply (scaled (k_ * (d ^ 3 * dv)) _ _ _ _ w0 goal); unfold part; try rewrite k_is; field; auto.
Qed.

End Scaled.

(** In whole numbers. *)
Ltac to_rationals h := rewrite Zle_Qle in h; repeat rewrite ?inject_Z_plus, ?inject_Z_mult in h.

Lemma inject_pos (n : Z) : (0 < n)%Z -> 0 < inject_Z n.
Proof. intros h. now rewrite (Zlt_Qlt 0 n) in h. Qed.

Lemma inject_nonneg (n : Z) : (0 <= n)%Z -> 0 <= inject_Z n.
Proof. intros h. now rewrite (Zle_Qle 0 n) in h. Qed.

Lemma square_product (a : Q) : a ^ 2 == a * a.
Proof. ring. Qed.

Lemma cube_product (a : Q) : a ^ 3 == a * a * a.
Proof. ring. Qed.

Lemma t3_whole (K mu tau gamma delta beta W d dv cs cn c q k v u s w R S : Z) :
  (0 < K -> 0 < d -> 0 < dv -> 0 <= cs -> 0 <= cn -> 0 <= c -> 0 <= q -> 0 <= k -> 0 <= v -> 0 <= u -> 0 <= s -> 0 <= w -> 0 <= R -> 0 <= S ->
  K * dv * (cs + cn + q + k + v + u) + gamma * c <= tau * (d * d) * dv ->
  K * dv * (cs + cn + q + k + v + u + u + cn) + gamma * c <= tau * (d * d) * dv + mu * (d * d) * dv ->
  K * cn <= mu * (d * d) ->
  s * s <= (dv * (cs + cn) + c) * q * (k * dv) ->
  w * w <= (K * K * cs + (K + delta) * (K + delta) * (cn + R * S)) * u * v ->
  d * R <= q -> d * S <= k ->
  t3_bounded K mu tau gamma delta beta W -> beta * s + dv * w <= W * (d * d * d) * dv)%Z.
Proof.
intros K0 d0 dv0 cs0 cn0 c0 q0 k0 v0 u0 s0 w0 R0 S0 few twice kept s_work w_work le_R le_S bounded.
to_rationals few. to_rationals twice. to_rationals kept. to_rationals s_work. to_rationals w_work. to_rationals le_R. to_rationals le_S.
rewrite Zle_Qle; repeat rewrite ?inject_Z_plus, ?inject_Z_mult.
rewrite <- cube_product.
apply (t3_scaled K mu tau gamma delta beta W (inject_Z d) (inject_Z dv) (inject_Z cs) (inject_Z cn) (inject_Z c) (inject_Z q) (inject_Z k) (inject_Z v)
  (inject_Z u) (inject_Z s) (inject_Z w) (inject_Z R) (inject_Z S) (inject_Z K));
  try (apply inject_pos; assumption); try (apply inject_nonneg; assumption); try assumption; try reflexivity; rewrite ?square_product; assumption.
Qed.
