(** * The function of T4

    docs/proofs/t4.md, section 1, in rational numbers: that W bounds f. Then the same for a segment's whole numbers. *)

From Coq Require Import QArith Lqa Lia.
From Pebble Require Import T3Function.
Local Open Scope Q_scope.

(** [a] is at most the first minimum, [r] being the root times x - h; [b] at most the second one, [e] being its second root. *)
Definition t4_bounded (K mu tau gamma delta beta W : Z) : Prop :=
  forall cs cn c x u v h a r b e : Q,
  0 <= cs -> 0 <= cn -> 0 <= c -> 0 <= x -> 0 <= u -> 0 <= v -> 0 <= h -> h <= x ->
  cs + cn + part K gamma * c + 2 * x + u + v <= part K tau ->
  cs + cn + part K gamma * c + 2 * x + u + v + (u + cn - part K mu) <= part K tau ->
  cn <= part K mu ->
  0 <= a -> a <= cs + cn + c -> 0 <= r -> r ^ 2 <= (cs + cn + c) * (x - h) ^ 2 -> a <= r + x * h ->
  0 <= b -> b ^ 2 <= (cs + (1 + part K delta) ^ 2 * (cn + h ^ 2)) * (u * v) ->
  0 <= e -> e ^ 2 <= (cs + (1 + part K delta) ^ 2 * cn) * (u * v) -> b <= e + (1 + part K delta) * c ->
  part K beta * a + b <= part K W.

Section Scaled.

Variables K mu tau gamma delta beta W : Z.
Variables d dv cs cn c q k v u s t w n R S k_ : Q.
Hypothesis k_is : inject_Z K = k_.
Hypotheses (K_gt0 : 0 < k_) (d_gt0 : 0 < d) (dv_gt0 : 0 < dv) (le_dv : dv <= d) (delta_ge0 : 0 <= inject_Z delta).
Hypotheses (cs_ge0 : 0 <= cs) (cn_ge0 : 0 <= cn) (c_ge0 : 0 <= c) (q_ge0 : 0 <= q) (k_ge0 : 0 <= k) (v_ge0 : 0 <= v) (u_ge0 : 0 <= u).
Hypotheses (s_ge0 : 0 <= s) (t_ge0 : 0 <= t) (w_ge0 : 0 <= w) (n_ge0 : 0 <= n) (R_ge0 : 0 <= R) (S_ge0 : 0 <= S).
Hypothesis few : k_ * dv * (cs + cn + q + k + v + u) + inject_Z gamma * c <= inject_Z tau * d ^ 2 * dv.
Hypothesis twice : k_ * dv * (cs + cn + q + k + v + u + u + cn) + inject_Z gamma * c <= inject_Z tau * d ^ 2 * dv + inject_Z mu * d ^ 2 * dv.
Hypothesis kept : k_ * cn <= inject_Z mu * d ^ 2.
Hypothesis s_capped : s <= d * (dv * (cs + cn) + c).
Hypothesis t_work : t ^ 2 <= 4 * (dv * (cs + cn) + c) * dv * (q + k - d * (R + S)) ^ 2.
Hypothesis s_work : 4 * s <= t + dv * (R + S) * (q + k).
Hypothesis w_work : w ^ 2 <= (k_ ^ 2 * cs + (k_ + inject_Z delta) ^ 2 * (cn + R * S)) * u * v.
Hypothesis n_work : n ^ 2 <= (k_ ^ 2 * cs + (k_ + inject_Z delta) ^ 2 * cn) * u * v.
Hypothesis w_apart : w <= n + (k_ + inject_Z delta) * c.
Hypotheses (le_R : d * R <= q) (le_S : d * S <= k).

Lemma t4_scaled : t4_bounded K mu tau gamma delta beta W -> inject_Z beta * s + dv * w <= inject_Z W * d ^ 3 * dv.
Proof.
intros bounded.
assert (hK := pos_nonzero _ K_gt0). assert (hd := pos_nonzero _ d_gt0). assert (hdv := pos_nonzero _ dv_gt0).
assert (d2 := square_pos _ d_gt0). assert (d3 := cube_pos _ d_gt0).
assert (kd2 : 0 < k_ * dv * d ^ 2) by (repeat apply mult_pos; assumption).
assert (kd3 : 0 < k_ * dv * d ^ 3) by (repeat apply mult_pos; assumption).
assert (square := square_of_sum R S).
assert (d6 : 0 < (d ^ 2) ^ 3) by (apply cube_pos; exact d2).
assert (p16 : 0 < 16 * (dv ^ 2 * (d ^ 2) ^ 3)) by (assert (dv2 := square_pos _ dv_gt0); assert (x := mult_pos _ _ dv2 d6); lra).
assert (p4 : 0 < 4 * (dv * d ^ 3)) by (assert (x := mult_pos _ _ dv_gt0 d3); lra).
assert (pk : 0 < k_ ^ 2 * (d ^ 2) ^ 3) by (apply mult_pos; [apply square_pos; exact K_gt0|exact d6]).
assert (h := bounded (cs / d ^ 2) (cn / d ^ 2) (c / (dv * d ^ 2)) ((q + k) / (2 * d ^ 2)) (u / d ^ 2) (v / d ^ 2) ((R + S) / (2 * d))
  (s / (dv * d ^ 3)) (t / (4 * dv * d ^ 3)) (w / (k_ * d ^ 3)) (n / (k_ * d ^ 3))).
assert (goal : part K beta * (s / (dv * d ^ 3)) + w / (k_ * d ^ 3) <= part K W).
{ apply h; clear h; try (apply over_nonneg; [lra|repeat apply mult_pos; try assumption; lra]).
  - apply (scaled (/ (2 * d ^ 2)) (d * R + d * S) (q + k)); [apply inverse_nonneg; lra|lra| |]; field; auto.
  - apply (scaled (/ (k_ * dv * d ^ 2)) _ _ _ _ (inverse_nonneg _ kd2) few); unfold part; try rewrite k_is; field; auto.
  - apply (scaled (/ (k_ * dv * d ^ 2)) (k_ * dv * (cs + cn + q + k + v + u + u + cn) + inject_Z gamma * c - inject_Z mu * d ^ 2 * dv) (inject_Z tau * d ^ 2 * dv) _ _ (inverse_nonneg _ kd2)); [lra| |]; unfold part; try rewrite k_is; field; auto.
  - apply (scaled (/ (k_ * d ^ 2)) _ _ _ _ (inverse_nonneg _ (mult_pos _ _ K_gt0 d2)) kept); unfold part; try rewrite k_is; field; auto.
  - apply (scaled (/ (dv * d ^ 3)) _ _ _ _ (inverse_nonneg _ (mult_pos _ _ dv_gt0 d3)) s_capped); field; auto.
  - apply (scaled (/ (16 * (dv ^ 2 * (d ^ 2) ^ 3))) _ _ _ _ (inverse_nonneg _ p16) t_work); field; auto.
  - apply (scaled (/ (4 * (dv * d ^ 3))) _ _ _ _ (inverse_nonneg _ p4) s_work); field; auto.
  - assert (uv : 0 <= u * v) by now apply Qmult_le_0_compat.
    set (e := (k_ + inject_Z delta) ^ 2) in *. assert (he : 0 <= e) by apply square_nonneg.
    apply (scaled (/ (4 * (k_ ^ 2 * (d ^ 2) ^ 3))) (4 * (w ^ 2)) (4 * (k_ ^ 2 * cs + e * cn) * (u * v) + e * (R + S) ^ 2 * (u * v))).
    + apply inverse_nonneg. repeat apply mult_pos; try apply cube_pos; try apply square_pos; assumption || lra.
    + assert (h2 : e * (4 * (R * S)) * (u * v) <= e * (R + S) ^ 2 * (u * v)).
      { apply Qmult_le_compat_r; [|exact uv]. rewrite !(Qmult_comm e). apply Qmult_le_compat_r; [lra|exact he]. }
      lra.
    + field; auto.
    + unfold e, part; try rewrite k_is; field; auto.
  - apply (scaled (/ (k_ ^ 2 * (d ^ 2) ^ 3)) _ _ _ _ (inverse_nonneg _ pk) n_work); unfold part; try rewrite k_is; field; auto.
  - assert (hc : 0 <= (k_ + inject_Z delta) * c) by (apply Qmult_le_0_compat; lra).
    apply (scaled (/ (k_ * dv * d ^ 3)) (dv * w) (dv * n + d * ((k_ + inject_Z delta) * c)) _ _ (inverse_nonneg _ kd3)).
    + apply Qle_trans with (dv * (n + (k_ + inject_Z delta) * c)).
      * rewrite !(Qmult_comm dv). apply Qmult_le_compat_r; lra.
      * assert (h3 : dv * ((k_ + inject_Z delta) * c) <= d * ((k_ + inject_Z delta) * c)) by (apply Qmult_le_compat_r; lra). lra.
    + field; auto.
    + unfold part; try rewrite k_is; field; auto. }
assert (w0 : 0 <= k_ * (d ^ 3 * dv)) by (apply Qlt_le_weak; repeat apply mult_pos; assumption).
apply (scaled (k_ * (d ^ 3 * dv)) _ _ _ _ w0 goal); unfold part; try rewrite k_is; field; auto.
Qed.

End Scaled.

Ltac injected := match goal with
  | |- 0 < inject_Z _ => apply inject_pos; assumption
  | |- 0 <= inject_Z _ => apply inject_nonneg; assumption
  end.

Lemma t4_whole (K mu tau gamma delta beta W d dv cs cn c q k v u s t w n R S : Z) :
  (0 < K -> 0 < d -> 0 < dv -> 0 <= delta -> dv <= d ->
  0 <= cs -> 0 <= cn -> 0 <= c -> 0 <= q -> 0 <= k -> 0 <= v -> 0 <= u -> 0 <= s -> 0 <= t -> 0 <= w -> 0 <= n -> 0 <= R -> 0 <= S ->
  K * dv * (cs + cn + q + k + v + u) + gamma * c <= tau * (d * d) * dv ->
  K * dv * (cs + cn + q + k + v + u + u + cn) + gamma * c <= tau * (d * d) * dv + mu * (d * d) * dv ->
  K * cn <= mu * (d * d) ->
  s <= d * (dv * (cs + cn) + c) ->
  t * t <= 4 * (dv * (cs + cn) + c) * dv * ((q + k + - (d * (R + S))) * (q + k + - (d * (R + S)))) ->
  4 * s <= t + dv * (R + S) * (q + k) ->
  w * w <= (K * K * cs + (K + delta) * (K + delta) * (cn + R * S)) * u * v ->
  n * n <= (K * K * cs + (K + delta) * (K + delta) * cn) * u * v ->
  w <= n + (K + delta) * c ->
  d * R <= q -> d * S <= k ->
  t4_bounded K mu tau gamma delta beta W -> beta * s + dv * w <= W * (d * d * d) * dv)%Z.
Proof.
intros K0 d0 dv0 delta0 le_dv cs0 cn0 c0 q0 k0 v0 u0 s0 t0 w0 n0 R0 S0 few twice kept capped t_work s_work w_work n_work apart le_R le_S bounded.
to_rationals le_dv. to_rationals few. to_rationals twice. to_rationals kept. to_rationals capped. to_rationals t_work. to_rationals s_work.
to_rationals w_work. to_rationals n_work. to_rationals apart. to_rationals le_R. to_rationals le_S.
repeat rewrite ?inject_Z_opp, ?inject_Z_plus, ?inject_Z_mult in t_work.
rewrite Zle_Qle; repeat rewrite ?inject_Z_plus, ?inject_Z_mult.
rewrite <- cube_product.
apply (t4_scaled K mu tau gamma delta beta W (inject_Z d) (inject_Z dv) (inject_Z cs) (inject_Z cn) (inject_Z c) (inject_Z q) (inject_Z k) (inject_Z v)
  (inject_Z u) (inject_Z s) (inject_Z t) (inject_Z w) (inject_Z n) (inject_Z R) (inject_Z S) (inject_Z K));
  try injected; try assumption; try reflexivity; rewrite ?square_product; assumption.
Qed.
