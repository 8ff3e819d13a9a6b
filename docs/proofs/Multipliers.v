(** * Multipliers for a box

    docs/proofs/t3.md and docs/proofs/t4.md, the certificate: a price [l] of a word, a [t] between 1 and 2, and shares bound the work on a box. T3 and T4 at once:
    [h1] is what lies in whole rows where work on S is counted, and [h2] where work on U is. *)

From Coq Require Import QArith Lqa Lia.
From Pebble Require Import T3Function.
Local Open Scope Q_scope.

(** ** At a point *)

Lemma twice_root (y p q : Q) : 0 <= p -> 0 <= q -> y ^ 2 <= 4 * (p * q) -> y <= p + q.
Proof.
intros hp hq hy. destruct (Qlt_le_dec (p + q) y) as [lt|le]; [|exact le].
assert (s := square_of_sum p q). assert (e : y ^ 2 == (p + q) ^ 2 + (y - (p + q)) * (y + (p + q))) by ring.
assert (0 < (y - (p + q)) * (y + (p + q))) by (apply mult_pos; lra). lra.
Qed.

Lemma product_le (w a b : Q) : 0 <= w -> a <= b -> w * a <= w * b.
Proof. intros hw hab. rewrite !(Qmult_comm w). now apply Qmult_le_compat_r. Qed.

Ltac nonneg := repeat first [apply square_nonneg | assumption | apply Qmult_le_0_compat | lra].

Section Point.

Variables mu tau gamma D beta : Q.
Variables l t L sg zt xi e1 e2 : Q.
Hypotheses (l_gt0 : 0 < l) (t_12 : 1 <= t <= 2) (L_gt0 : 0 < L) (beta_ge0 : 0 <= beta) (D_ge0 : 0 <= D).
Hypotheses (sg_01 : 0 <= sg <= 1) (zt_01 : 0 <= zt <= 1) (xi_01 : 0 <= xi <= 1) (e1_ge0 : 0 <= e1) (e2_ge0 : 0 <= e2).
Hypotheses (first_share : zt ^ 2 <= xi * e1) (second_share : (1 - zt) ^ 2 <= (1 - xi) * e2).
Variables cs cn c x u v h1 h2 a r b e : Q.
Hypotheses (cs_ge0 : 0 <= cs) (cn_ge0 : 0 <= cn) (c_ge0 : 0 <= c) (x_ge0 : 0 <= x) (u_ge0 : 0 <= u) (v_ge0 : 0 <= v).
Hypothesis few : cs + cn + gamma * c + 2 * x + u + v <= tau.
Hypothesis twice : cs + cn + gamma * c + 2 * x + u + v + (u + cn - mu) <= tau.
Hypotheses (a_capped : sg * a <= sg * (cs + cn + c)) (a_parts : a <= r + x * h1) (r_work : r ^ 2 <= (cs + cn + c) * (x - h1) ^ 2).
Hypotheses (b_work : b ^ 2 <= (cs + D ^ 2 * (cn + h2 ^ 2)) * (u * v)) (b_apart : (1 - zt) * b <= (1 - zt) * (e + D * c)).
Hypothesis e_work : e ^ 2 <= (cs + D ^ 2 * cn) * (u * v).

(** What a word of each kind of pair costs is covered by its price. *)
Hypotheses (left_s : L + beta * sg + (e1 + e2) * u / (4 * l) <= l) (left_n : L + beta * sg + D ^ 2 * ((e1 + e2) * u / (4 * l)) <= t * l).
Hypothesis left_c : L + beta * sg + (1 - zt) * D <= gamma * l.

Definition rectangle := beta * (1 - sg) * (x * h1) + beta ^ 2 * (1 - sg) ^ 2 * (x - h1) ^ 2 / (4 * L) + D ^ 2 * (e1 * u / (4 * l)) * h2 ^ 2.

Lemma point_bounds : beta * a + b <= l * (tau + (t - 1) * mu - 2 * x - t * u) + rectangle.
Proof.
assert (hl := pos_nonzero _ l_gt0). assert (hL := pos_nonzero _ L_gt0).
assert (i0 : 0 <= / (4 * l)) by (apply inverse_nonneg; lra). assert (j0 : 0 <= / (4 * L)) by (apply inverse_nonneg; lra).
assert (D2 := square_nonneg D). assert (h22 := square_nonneg h2). assert (b2 := square_nonneg beta).
assert (Y0 : 0 <= cs + D ^ 2 * cn) by (assert (0 <= D ^ 2 * cn) by (apply Qmult_le_0_compat; lra); lra).
assert (Y1 : 0 <= cs + D ^ 2 * (cn + h2 ^ 2)) by (assert (0 <= D ^ 2 * (cn + h2 ^ 2)) by (apply Qmult_le_0_compat; lra); lra).
assert (uv : 0 <= u * v) by now apply Qmult_le_0_compat.
set (C := cs + cn + c) in *. assert (C0 : 0 <= C) by (unfold C; lra).
assert (wr : beta * (1 - sg) * r <= L * C + beta ^ 2 * (1 - sg) ^ 2 * (x - h1) ^ 2 / (4 * L)).
{ apply twice_root.
  - nonneg.
  - apply (Qmult_le_0_compat (_ * _)); [nonneg|exact j0].
  - apply (scaled ((beta * (1 - sg)) ^ 2) (r ^ 2) (C * (x - h1) ^ 2)); [apply square_nonneg|exact r_work|ring|field; auto]. }
assert (wa : beta * a <= beta * sg * C + beta * (1 - sg) * (x * h1) + (L * C + beta ^ 2 * (1 - sg) ^ 2 * (x - h1) ^ 2 / (4 * L))).
{ assert (p1 := product_le beta _ _ beta_ge0 a_capped).
  assert (p2 : beta * (1 - sg) * a <= beta * (1 - sg) * (r + x * h1)) by (apply product_le; [apply Qmult_le_0_compat; lra|exact a_parts]). lra. }
assert (wb : zt * b <= xi * l * v + e1 * (cs + D ^ 2 * (cn + h2 ^ 2)) * u / (4 * l)).
{ apply twice_root.
  - nonneg.
  - apply (Qmult_le_0_compat (_ * u)); [nonneg|exact i0].
  - apply Qle_trans with (xi * e1 * ((cs + D ^ 2 * (cn + h2 ^ 2)) * (u * v))).
    + apply Qle_trans with (zt ^ 2 * ((cs + D ^ 2 * (cn + h2 ^ 2)) * (u * v))).
      * setoid_replace ((zt * b) ^ 2) with (zt ^ 2 * b ^ 2) by ring. apply product_le; [apply square_nonneg|exact b_work].
      * apply Qmult_le_compat_r; [exact first_share|now apply Qmult_le_0_compat].
    + apply Qle_lteq; right; field; auto. }
assert (we : (1 - zt) * e <= (1 - xi) * l * v + e2 * (cs + D ^ 2 * cn) * u / (4 * l)).
{ apply twice_root.
  - nonneg.
  - apply (Qmult_le_0_compat (_ * u)); [nonneg|exact i0].
  - apply Qle_trans with ((1 - xi) * e2 * ((cs + D ^ 2 * cn) * (u * v))).
    + apply Qle_trans with ((1 - zt) ^ 2 * ((cs + D ^ 2 * cn) * (u * v))).
      * setoid_replace (((1 - zt) * e) ^ 2) with ((1 - zt) ^ 2 * e ^ 2) by ring. apply product_le; [apply square_nonneg|exact e_work].
      * apply Qmult_le_compat_r; [exact second_share|now apply Qmult_le_0_compat].
    + apply Qle_lteq; right; field; auto. }
assert (price : cs * (L + beta * sg + (e1 + e2) * u / (4 * l)) + cn * (L + beta * sg + D ^ 2 * ((e1 + e2) * u / (4 * l))) +
    c * (L + beta * sg + (1 - zt) * D) <= l * (cs + t * cn + gamma * c)).
{ assert (p1 := product_le cs _ _ cs_ge0 left_s). assert (p2 := product_le cn _ _ cn_ge0 left_n). assert (p3 := product_le c _ _ c_ge0 left_c). lra. }
assert (room : l * (cs + t * cn + gamma * c + v) <= l * (tau + (t - 1) * mu - 2 * x - t * u)).
{ apply product_le; [lra|].
  assert (q1 : (cs + cn + gamma * c + 2 * x + u + v) * (2 - t) <= tau * (2 - t)) by (apply Qmult_le_compat_r; lra).
  assert (q2 : (cs + cn + gamma * c + 2 * x + u + v + (u + cn - mu)) * (t - 1) <= tau * (t - 1)) by (apply Qmult_le_compat_r; lra). lra. }
assert (split1 : e1 * (cs + D ^ 2 * (cn + h2 ^ 2)) * u / (4 * l) == (cs + D ^ 2 * cn) * (e1 * u / (4 * l)) + D ^ 2 * (e1 * u / (4 * l)) * h2 ^ 2) by (field; auto).
assert (split2 : e2 * (cs + D ^ 2 * cn) * u / (4 * l) == (cs + D ^ 2 * cn) * (e2 * u / (4 * l))) by (field; auto).
assert (split3 : (e1 + e2) * u / (4 * l) == e1 * u / (4 * l) + e2 * u / (4 * l)) by (field; auto).
rewrite split1 in wb. rewrite split2 in we. rewrite split3 in price. unfold rectangle, C in *.
set (f1 := e1 * u / (4 * l)) in *. set (f2 := e2 * u / (4 * l)) in *. set (g := beta ^ 2 * (1 - sg) ^ 2 * (x - h1) ^ 2 / (4 * L)) in *. lra.
Qed.

End Point.

(** ** From corners to a box *)

Definition mix (w a b : Q) := (1 - w) * a + w * b.

Lemma mix_le w a b a' b' : 0 <= w <= 1 -> a <= a' -> b <= b' -> mix w a b <= mix w a' b'.
Proof.
intros hw ha hb. unfold mix. assert (p1 : (1 - w) * a <= (1 - w) * a') by (apply product_le; lra).
assert (p2 : w * b <= w * b') by (apply product_le; lra). lra.
Qed.

Lemma mix_below w a b m : 0 <= w <= 1 -> a <= m -> b <= m -> mix w a b <= m.
Proof. intros hw ha hb. apply Qle_trans with (mix w m m); [now apply mix_le|]. unfold mix. lra. Qed.

Lemma mix_pos w a b : 0 <= w <= 1 -> 0 < a -> 0 < b -> 0 < mix w a b.
Proof. intros hw ha hb. unfold mix. nra. Qed.

Lemma mix_inverse (a b w : Q) : 0 < a -> 0 < b -> 0 <= w <= 1 -> / mix w a b <= mix w (/ a) (/ b).
Proof.
intros ha hb hw. assert (hm := mix_pos w a b hw ha hb). unfold mix in *.
assert (e : (1 - w) * / a + w * / b == / ((1 - w) * a + w * b) + w * (1 - w) * (a - b) ^ 2 * / (a * b * ((1 - w) * a + w * b))).
{ field. repeat split; apply pos_nonzero; assumption. }
rewrite e. assert (h : 0 <= w * (1 - w) * (a - b) ^ 2 * / (a * b * ((1 - w) * a + w * b))); [|lra].
apply Qmult_le_0_compat; [apply Qmult_le_0_compat; [nra|apply square_nonneg]|apply inverse_nonneg; repeat apply mult_pos; assumption].
Qed.

Lemma mix_square (a b w : Q) : 0 <= w <= 1 -> mix w a b ^ 2 <= mix w (a ^ 2) (b ^ 2).
Proof.
intros hw. unfold mix. setoid_replace ((1 - w) * a ^ 2 + w * b ^ 2) with (((1 - w) * a + w * b) ^ 2 + w * (1 - w) * (a - b) ^ 2) by ring.
assert (h : 0 <= w * (1 - w) * (a - b) ^ 2) by (apply Qmult_le_0_compat; [nra|apply square_nonneg]). lra.
Qed.

(** The place of a point of an interval. *)
Lemma place (a b y : Q) : a < b -> a <= y <= b -> exists w, 0 <= w <= 1 /\ y == mix w a b.
Proof.
intros hab hy. exists ((y - a) / (b - a)). assert (h : 0 < b - a) by lra. unfold mix. split; [split|].
- apply over_nonneg; lra.
- apply (scaled (/ (b - a)) (y - a) (b - a)); [apply inverse_nonneg; lra|lra|reflexivity|field; now apply pos_nonzero].
- field; now apply pos_nonzero.
Qed.

(** [k] is at least what the rectangle of one unit costs. *)
Definition corner (mu tau l t x u k : Q) := l * (tau + (t - 1) * mu - 2 * x - t * u) + k * x ^ 2.

Section Corner.

Variables mu tau l t W : Q.
Notation corner := (corner mu tau l t).

Lemma corner_mix w x u0 u1 k0 k1 : corner x (mix w u0 u1) (mix w k0 k1) == mix w (corner x u0 k0) (corner x u1 k1).
Proof. unfold corner, mix. ring. Qed.

Lemma corner_between_x x0 x1 x u k : x0 < x1 -> x0 <= x <= x1 -> 0 <= k -> corner x0 u k <= W -> corner x1 u k <= W -> corner x u k <= W.
Proof.
intros x01 hx hk h0 h1. destruct (place _ _ _ x01 hx) as [w [hw ex]].
apply Qle_trans with (mix w (corner x0 u k) (corner x1 u k)); [|now apply mix_below].
assert (sq := product_le k _ _ hk (mix_square x0 x1 w hw)). rewrite <- ex in sq. unfold corner, mix in *. rewrite ex at 1. lra.
Qed.

Lemma corner_le x u k k' : k <= k' -> corner x u k <= corner x u k'.
Proof.
intros h. unfold corner. assert (p : x ^ 2 * k <= x ^ 2 * k') by (apply product_le; [apply square_nonneg|exact h]). lra.
Qed.

End Corner.

(** What the rectangle of one unit costs, [y1] and [y2] of it being in whole rows; [rest] is β(1 - σ), [f] is e₁u/(4λ). *)
Definition slope (rest D L f y1 y2 : Q) := rest * y1 + (rest * (1 - y1)) ^ 2 / (4 * L) + D ^ 2 * f * y2 ^ 2.

Lemma slope_nonneg rest D L f y1 y2 : 0 <= rest -> 0 < L -> 0 <= f -> 0 <= y1 -> 0 <= slope rest D L f y1 y2.
Proof.
intros hr hL hf hy. unfold slope. assert (p1 : 0 <= rest * y1) by now apply Qmult_le_0_compat.
assert (p2 : 0 <= (rest * (1 - y1)) ^ 2 / (4 * L)) by (apply over_nonneg; [apply square_nonneg|lra]).
assert (p3 : 0 <= D ^ 2 * f * y2 ^ 2) by nonneg. lra.
Qed.

Lemma slope_between_u rest D L0 L1 f0 f1 y1 y2 w : 0 < L0 -> 0 < L1 -> 0 <= w <= 1 ->
  slope rest D (mix w L0 L1) (mix w f0 f1) y1 y2 <= mix w (slope rest D L0 f0 y1 y2) (slope rest D L1 f1 y1 y2).
Proof.
intros h0 h1 hw. assert (hm := mix_pos w _ _ hw h0 h1).
assert (n0 := pos_nonzero _ h0). assert (n1 := pos_nonzero _ h1). assert (nm := pos_nonzero _ hm).
assert (p := product_le ((rest * (1 - y1)) ^ 2) _ _ (square_nonneg _) (mix_inverse L0 L1 w h0 h1 hw)). unfold slope.
set (k := (rest * (1 - y1)) ^ 2) in *. set (m := mix w L0 L1) in *.
assert (em : k / (4 * m) == k * / m * (1 # 4)) by (field; auto). assert (e0 : k / (4 * L0) == k * / L0 * (1 # 4)) by (field; auto).
assert (ee1 : k / (4 * L1) == k * / L1 * (1 # 4)) by (field; auto). rewrite em. unfold mix in *. rewrite e0, ee1. lra.
Qed.

Lemma slope_between_y rest D L f y0 y1 w : 0 < L -> 0 <= f -> 0 <= w <= 1 ->
  slope rest D L f (mix w y0 y1) (mix w y0 y1) <= mix w (slope rest D L f y0 y0) (slope rest D L f y1 y1).
Proof.
intros hL hf hw. assert (i : 0 <= / (4 * L)) by (apply inverse_nonneg; lra).
assert (p1 := product_le (/ (4 * L)) _ _ i (mix_square (rest * (1 - y0)) (rest * (1 - y1)) w hw)).
assert (k : 0 <= D ^ 2 * f) by (apply Qmult_le_0_compat; [apply square_nonneg|exact hf]).
assert (p2 := product_le (D ^ 2 * f) _ _ k (mix_square y0 y1 w hw)). unfold slope, Qdiv.
assert (e : rest * (1 - mix w y0 y1) == mix w (rest * (1 - y0)) (rest * (1 - y1))) by (unfold mix; ring).
rewrite e. set (square1 := mix w (rest * (1 - y0)) (rest * (1 - y1)) ^ 2) in *. set (square2 := mix w y0 y1 ^ 2) in *.
unfold mix in *. lra.
Qed.
