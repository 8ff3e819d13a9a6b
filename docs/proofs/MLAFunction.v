(** * The function of MLA

    docs/proofs/latent.md, MLA: f = √(cuk) + γρ/dv where c + u + k + aγ + bρ ≤ T, γ ≤ k and ρ ≤ u is less than every F which the two
    cases γ = 0 or ρ = 0, and γ = k and ρ = u are less than; and when the second one is. In rational numbers, roots written as
    squares. *)

From Coq Require Import QArith Lqa Lia.
From Pebble Require Import T3Function.
Local Open Scope Q_scope.

Lemma square_mono (x y : Q) : 0 <= x -> x <= y -> x ^ 2 <= y ^ 2.
Proof. intros hx hy. rewrite !square_product. nra. Qed.

Lemma square_less (x y : Q) : 0 <= y -> x ^ 2 < y ^ 2 -> x < y.
Proof. intros hy. rewrite !square_product. intros h. destruct (Qlt_le_dec x y) as [|hle]; [assumption|]. nra. Qed.

Lemma square_le (x y : Q) : 0 <= y -> x ^ 2 <= y ^ 2 -> x <= y.
Proof. intros hy. rewrite !square_product. intros h. destruct (Qlt_le_dec y x) as [hlt|]; [|assumption]. nra. Qed.

(** [z] words more of [y], at the price of [a] each and for a gain of [g] each: at most all that [y] allows, or none at all. *)
Lemma more_or_none (x Q a g c y z e F : Q) : 0 <= x -> 0 <= a -> 0 <= g -> 0 <= c -> 0 <= z -> z <= y -> 0 <= e ->
  c + y + a * z <= Q -> e ^ 2 <= x * (c * y) ->
  (forall e', 0 <= e' -> e' ^ 2 <= x * ((1#2) * Q) ^ 2 -> e' < F) ->
  (forall c' y' e', 0 <= c' -> 0 <= y' -> 0 <= e' -> c' + (1 + a) * y' <= Q -> e' ^ 2 <= x * (c' * y') -> e' + y' * g < F) ->
  e + z * g < F.
Proof.
intros hx ha hg hc hz hzy he few work none all.
assert (az := Qmult_le_0_compat a z ha hz).
destruct (Qlt_le_dec (Q - (2 + a) * z) 0) as [many|some].
{ (* more than c = y = z allows: y may be as small as z *)
  assert (h0 : c * y <= (Q - a * z - y) * y) by (apply Qmult_le_compat_r; lra).
  assert (h1 : 0 <= (y - z) * (y + z + a * z - Q)) by (apply Qmult_le_0_compat; lra).
  apply (all (Q - (1 + a) * z) z); try assumption; [lra|lra|].
  assert (h : x * (c * y) <= x * ((Q - (1 + a) * z) * z)) by (rewrite !(Qmult_comm x); apply Qmult_le_compat_r; [lra|exact hx]).
  lra. }
assert (m0 : 0 <= (1#2) * (c + y)) by lra.
assert (Q0 : 0 <= Q) by lra.
destruct (Qlt_le_dec 0 ((1#2) * (c + y))) as [m_pos|m_zero].
2:{ (* nothing at all *)
  assert (hy : y == 0) by lra. assert (hz' : z == 0) by lra.
  assert (h : e < F); [|rewrite hz'; lra].
  apply none; [exact he|]. apply Qle_trans with 0.
  - rewrite hy in work. lra.
  - apply Qmult_le_0_compat; [exact hx|apply square_nonneg]. }
set (m := (1#2) * (c + y)) in *.
assert (hm := pos_nonzero _ m_pos).
(* e = k m where k² <= x *)
set (k := e / m). assert (k0 : 0 <= k) by now apply over_nonneg.
assert (ek : e == k * m) by (unfold k; field; exact hm).
assert (kx : k ^ 2 <= x).
{ assert (h : c * y <= m ^ 2) by (assert (h := square_of_sum c y); unfold m; rewrite !square_product in *; nra).
  assert (h1 : e ^ 2 <= x * m ^ 2) by nra.
  apply (scaled (/ m ^ 2) _ _ _ _ (inverse_nonneg _ (square_pos _ m_pos)) h1); unfold k; field; exact hm. }
set (s := Q / (2 + a)). assert (a2 : 0 < 2 + a) by lra. assert (ha2 := pos_nonzero _ a2).
assert (s0 : 0 <= s) by now apply over_nonneg.
assert (sQ : s * (2 + a) == Q) by (unfold s; field; exact ha2).
assert (hs : z <= s) by nra.
assert (low : k * ((1#2) * Q) < F).
{ apply none; [nra|]. rewrite !square_product in *. assert (h := square_nonneg ((1#2) * Q)). rewrite square_product in h. nra. }
assert (high : k * s + s * g < F).
{ apply (all s s); [assumption..|nra|nra|]. rewrite !square_product in *. assert (h : 0 <= s * s) by nra. nra. }
assert (me : m <= (1#2) * (Q - a * z)) by (unfold m; lra).
assert (e_le : e <= k * ((1#2) * (Q - a * z))) by (rewrite ek; nra).
(* what is left is linear in z between 0 and s *)
destruct (Qlt_le_dec 0 s) as [s_pos|s_zero].
- assert (hs0 := pos_nonzero _ s_pos).
  assert (h : (e + z * g) * s < F * s); [|apply (Qmult_lt_r _ _ _ s_pos); exact h].
  assert (h1 : (e + z * g) * s <= (s - z) * (k * ((1#2) * Q)) + z * (k * s + s * g)).
  { rewrite <- sQ. assert (h : e * s <= k * ((1#2) * (Q - a * z)) * s) by nra. rewrite <- sQ in h. nra. }
  destruct (Qlt_le_dec z s) as [z_less|z_s].
  + assert (h2 : (s - z) * (k * ((1#2) * Q)) < (s - z) * F) by (rewrite !(Qmult_comm (s - z)); apply Qmult_lt_r; lra).
    assert (h3 : z * (k * s + s * g) <= z * F) by (rewrite !(Qmult_comm z); apply Qmult_le_compat_r; lra).
    nra.
  + assert (z == s) by lra. rewrite H in h1. nra.
- assert (z == 0) by lra. rewrite H. rewrite H in e_le. nra.
Qed.

(** Either case. *)
Lemma two_cases (T a b w F : Q) : 0 <= a -> 0 <= b -> 0 <= w ->
  (forall c u k e, 0 <= c -> 0 <= u -> 0 <= k -> 0 <= e -> c + u + k <= T -> e ^ 2 <= c * u * k -> e < F) ->
  (forall c u k e, 0 <= c -> 0 <= u -> 0 <= k -> 0 <= e -> c + (1 + b) * u + (1 + a) * k <= T -> e ^ 2 <= c * u * k -> e + u * k * w < F) ->
  forall c u k y z e, 0 <= c -> 0 <= u -> 0 <= k -> 0 <= y -> y <= k -> 0 <= z -> z <= u -> 0 <= e ->
  c + u + k + a * y + b * z <= T -> e ^ 2 <= c * u * k -> e + y * z * w < F.
Proof.
intros ha hb hw one both c u k y z e hc hu hk hy hyk hz hzu he few work.
assert (ay := Qmult_le_0_compat a y ha hy). assert (bz := Qmult_le_0_compat b z hb hz).
setoid_replace (y * z * w) with (y * (z * w)) by ring.
apply (more_or_none u (T - u - b * z) a (z * w) c k y e F); try assumption.
- now apply Qmult_le_0_compat.
- lra.
- lra.
- intros e' he' work'. apply (one ((1#2) * (T - u - b * z)) u ((1#2) * (T - u - b * z)) e'); try assumption; lra.
- intros c' k' e' hc' hk' he' few' work'.
  assert (ak := Qmult_le_0_compat a k' ha hk').
  setoid_replace (k' * (z * w)) with (z * (k' * w)) by ring.
  apply (more_or_none k' (T - (1 + a) * k') b (k' * w) c' u z e' F); try assumption.
  + now apply Qmult_le_0_compat.
  + lra.
  + lra.
  + intros e'' he'' work''. set (h := (1#2) * (T - (1 + a) * k')) in *.
    assert (h0 : 0 <= h) by (unfold h; lra). apply (one h h k' e''); try assumption; [unfold h; lra|].
    setoid_replace (h * h * k') with (k' * h ^ 2) by ring. exact work''.
  + intros c'' u' e'' hc'' hu' he'' few'' work''.
    setoid_replace (u' * (k' * w)) with (u' * k' * w) by ring. apply (both c''); try assumption; [lra|].
    setoid_replace (c'' * u' * k') with (k' * (c'' * u')) by ring. exact work''.
Qed.

(** The first case. *)
Lemma box_case (T F c u k e : Q) : 0 <= F -> T ^ 3 < 27 * F ^ 2 -> 0 <= c -> 0 <= u -> 0 <= k ->
  c + u + k <= T -> e ^ 2 <= c * u * k -> e < F.
Proof.
intros hF less hc hu hk few work. apply square_less; [exact hF|].
assert (h : 27 * (c * u * k) <= T ^ 3); [|lra].
set (S := c + u + k) in *. assert (S0 : 0 <= S) by (unfold S; lra).
assert (h1 : 27 * (c * u * k) <= S ^ 3).
{ assert (h2 : 4 * (u * k) <= (u + k) ^ 2) by apply square_of_sum.
  assert (h3 : c * (4 * (u * k)) <= c * (u + k) ^ 2) by (rewrite !(Qmult_comm c); now apply Qmult_le_compat_r).
  assert (h4 : 0 <= (c + 4 * (u + k)) * (2 * c - (u + k)) ^ 2) by (apply Qmult_le_0_compat; [lra|apply square_nonneg]).
  unfold S. lra. }
assert (h2 : S ^ 3 <= T ^ 3); [|lra].
assert (h3 := square_mono S T S0 few).
setoid_replace (S ^ 3) with (S ^ 2 * S) by ring. setoid_replace (T ^ 3) with (T ^ 2 * T) by ring.
apply Qle_trans with (T ^ 2 * S); [now apply Qmult_le_compat_r|].
rewrite !(Qmult_comm (T ^ 2)). apply Qmult_le_compat_r; [exact few|apply square_nonneg].
Qed.

(** In the second one e is a quartic of a number t between 0 and 1, which is greatest at v. *)
Lemma quartic (v t : Q) : 0 <= v -> 3 * v ^ 2 < 1 -> 0 <= t -> t ^ 2 <= 1 ->
  4 * v * (1 - v ^ 2) * (t * (1 - t ^ 2)) + (1 - 3 * v ^ 2) * (1 - t ^ 2) ^ 2 <= (1 - v ^ 2) ^ 2 * (1 + v ^ 2).
Proof.
intros hv hv1 ht ht1. assert (v2 := square_nonneg v).
assert (vt : 0 <= v * t) by now apply Qmult_le_0_compat.
assert (h : 0 <= (t - v) ^ 2 * ((1 - 3 * v ^ 2) * (1 - t ^ 2) + 2 * (v * t) * (1 + v ^ 2) + (1 + v ^ 2) ^ 2)).
{ apply Qmult_le_0_compat; [apply square_nonneg|].
  assert (h1 : 0 <= (1 - 3 * v ^ 2) * (1 - t ^ 2)) by (apply Qmult_le_0_compat; lra).
  assert (h2 : 0 <= 2 * (v * t) * (1 + v ^ 2)) by (apply Qmult_le_0_compat; lra).
  assert (h3 := square_nonneg (1 + v ^ 2)). lra. }
lra.
Qed.

(** [v] is at least where the quartic is greatest. *)
Lemma whole_case (T a b w v F c u k e : Q) : 0 < T -> 0 <= a -> 0 <= b -> 0 < w -> 0 < v -> 3 * v ^ 2 < 1 ->
  (1 + a) * (1 + b) * (1 - 3 * v ^ 2) ^ 2 <= 4 * w ^ 2 * T * v ^ 2 * (1 - v ^ 2) ^ 2 ->
  w * T ^ 2 * (1 - v ^ 2) ^ 2 * (1 + v ^ 2) < 4 * ((1 + a) * (1 + b)) * F * (1 - 3 * v ^ 2) ->
  0 <= c -> 0 <= u -> 0 <= k -> 0 <= e -> c + (1 + b) * u + (1 + a) * k <= T -> e ^ 2 <= c * u * k -> e + u * k * w < F.
Proof.
intros hT ha hb hw hv hv1 place less hc hu hk he few work.
set (beta := (1 + a) * (1 + b)) in *. assert (hbeta : 0 < beta) by (apply mult_pos; lra).
set (s := 1 - 3 * v ^ 2) in *. assert (hs : 0 < s) by (unfold s; lra).
assert (v2 := square_nonneg v). assert (hr : 0 < 1 - v ^ 2) by lra.
set (B := w * T ^ 2 / (4 * beta)).
assert (b4 : 0 < 4 * beta) by lra.
assert (hB : 0 < B) by (unfold B; apply mult_pos; [apply mult_pos; [exact hw|now apply square_pos]|now apply Qinv_lt_0_compat]).
set (A := 4 * B * v * (1 - v ^ 2) / s).
assert (hA : 0 < A) by (unfold A; apply mult_pos; [apply mult_pos; [apply mult_pos; [lra|exact hv]|exact hr]|now apply Qinv_lt_0_compat]).
assert (nT := pos_nonzero _ hT). assert (ns := pos_nonzero _ hs). assert (nb := pos_nonzero _ hbeta). assert (nA := pos_nonzero _ hA).
set (W := (1 + b) * u + (1 + a) * k). assert (W0 : 0 <= W).
{ assert (h1 : 0 <= (1 + b) * u) by (apply Qmult_le_0_compat; lra).
  assert (h2 : 0 <= (1 + a) * k) by (apply Qmult_le_0_compat; lra). unfold W. lra. }
set (y := W / T). assert (y0 : 0 <= y) by now apply over_nonneg.
assert (Wy : W == y * T) by (unfold y; field; exact nT).
assert (y1 : y <= 1) by (apply (Qmult_lt_0_le_reg_r _ _ T hT); rewrite <- Wy; unfold W; lra).
assert (uk : 4 * beta * (u * k) <= W ^ 2).
{ assert (h := square_of_sum ((1 + b) * u) ((1 + a) * k)). unfold W, beta. lra. }
assert (gain : u * k * w <= B * y ^ 2).
{ apply (scaled (w / (4 * beta)) _ _ _ _ (over_nonneg _ _ (Qlt_le_weak _ _ hw) b4) uk); [field; exact nb|].
  rewrite Wy. unfold B. field. exact nb. }
(* e² <= A² (1 - y) y² *)
assert (few' : c <= T * (1 - y)) by (rewrite Qmult_comm; setoid_replace ((1 - y) * T) with (T - y * T) by ring; rewrite <- Wy; unfold W; lra).
assert (work' : 4 * beta * e ^ 2 <= T ^ 3 * ((1 - y) * y ^ 2)).
{ apply Qle_trans with (c * W ^ 2).
  - apply Qle_trans with (c * (4 * beta * (u * k))); [|rewrite !(Qmult_comm c); now apply Qmult_le_compat_r].
    assert (h : 4 * beta * e ^ 2 <= 4 * beta * (c * u * k)) by (rewrite !(Qmult_comm (4 * beta)); apply Qmult_le_compat_r; lra). lra.
  - apply Qle_trans with (T * (1 - y) * W ^ 2); [apply Qmult_le_compat_r; [exact few'|apply square_nonneg]|].
    rewrite Wy. apply Qle_lteq. right. ring. }
assert (root : T ^ 3 <= 4 * beta * A ^ 2).
{ apply (scaled (T ^ 3 / (beta * s ^ 2)) _ _ _ _ (over_nonneg _ _ (Qlt_le_weak _ _ (cube_pos _ hT)) (mult_pos _ _ hbeta (square_pos _ hs))) place).
  - field. split; assumption.
  - unfold A, B. field. split; assumption. }
assert (work2 : e ^ 2 <= A ^ 2 * ((1 - y) * y ^ 2)).
{ apply (scaled (/ (4 * beta)) (4 * beta * e ^ 2) (4 * beta * A ^ 2 * ((1 - y) * y ^ 2)) _ _ (inverse_nonneg _ b4)); [|field; exact nb|field; exact nb].
  apply Qle_trans with (1 := work'). apply Qmult_le_compat_r; [exact root|].
  apply Qmult_le_0_compat; [lra|apply square_nonneg]. }
assert (top : B * ((1 - v ^ 2) ^ 2 * (1 + v ^ 2) / s) < F).
{ assert (h : 0 < 4 * beta * s) by (apply mult_pos; assumption).
  apply (Qmult_lt_r _ _ (4 * beta * s) h). setoid_replace (F * (4 * beta * s)) with (4 * beta * F * s) by ring.
  setoid_replace (B * ((1 - v ^ 2) ^ 2 * (1 + v ^ 2) / s) * (4 * beta * s)) with (w * T ^ 2 * (1 - v ^ 2) ^ 2 * (1 + v ^ 2)); [exact less|].
  unfold B. field. split; assumption. }
assert (peak : forall t, 0 <= t -> t ^ 2 <= 1 -> A * (t * (1 - t ^ 2)) + B * (1 - t ^ 2) ^ 2 < F).
{ intros t ht ht1. apply Qle_lt_trans with (2 := top).
  assert (Bs : 0 <= B / s) by (apply over_nonneg; [lra|exact hs]).
  apply (scaled (B / s) _ _ _ _ Bs (quartic v t (Qlt_le_weak _ _ hv) hv1 ht ht1)); fold s; unfold A; field; exact ns. }
destruct (Qlt_le_dec 0 y) as [y_pos|y_zero].
- assert (ny := pos_nonzero _ y_pos). set (t := e / (A * y)).
  assert (Ay := mult_pos _ _ hA y_pos). assert (t0 : 0 <= t) by now apply over_nonneg.
  assert (et : e == A * (t * y)) by (unfold t; field; split; assumption).
  assert (t1 : t ^ 2 <= 1 - y).
  { apply (scaled (/ (A * y) ^ 2) _ _ _ _ (inverse_nonneg _ (square_pos _ Ay)) work2); unfold t; field; split; assumption. }
  assert (le_y : y <= 1 - t ^ 2) by lra.
  apply Qle_lt_trans with (2 := peak t t0 ltac:(lra)).
  assert (y2 := square_mono _ _ y0 le_y).
  assert (h1 : B * y ^ 2 <= B * (1 - t ^ 2) ^ 2) by (rewrite !(Qmult_comm B); apply Qmult_le_compat_r; lra).
  assert (h2 : A * (t * y) <= A * (t * (1 - t ^ 2))).
  { rewrite !(Qmult_comm A). apply Qmult_le_compat_r; [|lra]. rewrite !(Qmult_comm t). now apply Qmult_le_compat_r. }
  rewrite et. lra.
- assert (hy : y == 0) by lra. rewrite hy in work2, gain.
  assert (e <= 0) by (apply square_le; [lra|]; lra).
  assert (h : 0 < F); [|lra]. assert (h := peak 0 ltac:(lra) ltac:(lra)).
  assert (0 <= B * (1 - 0 ^ 2) ^ 2) by (apply Qmult_le_0_compat; [lra|apply square_nonneg]). lra.
Qed.

(** What a segment touches and does, in words and events: [e] events of charged pairs, and [g] chains with each of [C] keys. *)
Section Scaled.

Variables T dv r p q F c u k C R g e : Q.
Hypotheses (T_ge0 : 0 <= T) (dv_gt0 : 0 < dv) (r_ge0 : 0 <= r) (p_gt0 : 0 < p) (q_gt0 : 0 < q) (F_ge0 : 0 <= F).
Hypotheses (c_ge0 : 0 <= c) (u_ge0 : 0 <= u) (k_ge0 : 0 <= k) (C_ge0 : 0 <= C) (R_ge0 : 0 <= R) (g_ge0 : 0 <= g) (e_ge0 : 0 <= e).
Hypothesis before_root : 3 * p ^ 2 < q ^ 2.
Hypothesis box : T ^ 3 < 27 * F ^ 2.
Hypothesis place : (dv + r) * (dv + r + dv) * (q ^ 2 - 3 * p ^ 2) ^ 2 * q ^ 2 <= 4 * T * p ^ 2 * (q ^ 2 - p ^ 2) ^ 2.
Hypothesis less : T ^ 2 * dv * (q ^ 2 - p ^ 2) ^ 2 * (q ^ 2 + p ^ 2) < 4 * ((dv + r) * (dv + r + dv)) * F * q ^ 4 * (q ^ 2 - 3 * p ^ 2).
Hypothesis few : c + u + k + (dv + r) * R + r * C <= T.
Hypotheses (work : e ^ 2 <= c * u * k) (le_C : dv * C <= k) (le_g : g <= u) (le_R : g <= dv * R).

Lemma mla_scaled : e + C * g < F.
Proof.
assert (ndv := pos_nonzero _ dv_gt0). assert (nq := pos_nonzero _ q_gt0).
assert (q2 := square_pos _ q_gt0). assert (p2 := square_pos _ p_gt0). assert (dv2 := square_pos _ dv_gt0).
assert (inv := Qinv_lt_0_compat _ dv_gt0).
assert (T_gt0 : 0 < T).
{ destruct (Qlt_le_dec 0 T) as [|hT]; [assumption|exfalso].
  assert (hT0 : T == 0) by lra. rewrite hT0 in place.
  assert (0 < (dv + r) * (dv + r + dv) * (q ^ 2 - 3 * p ^ 2) ^ 2 * q ^ 2).
  { apply mult_pos; [apply mult_pos; [apply mult_pos; lra|apply square_pos; lra]|exact q2]. }
  lra. }
set (w := / dv) in *. set (a := r * w). set (b := 1 + a).
assert (ha : 0 <= a) by (apply Qmult_le_0_compat; lra).
assert (aw : a * dv == r) by (unfold a, w; field; exact ndv).
setoid_replace (C * g) with (dv * C * g * w) by (unfold w; field; exact ndv).
set (v := p / q).
assert (hv : 0 < v) by (apply mult_pos; [exact p_gt0|now apply Qinv_lt_0_compat]).
assert (vq : v ^ 2 * q ^ 2 == p ^ 2) by (unfold v; field; exact nq).
assert (hv1 : 3 * v ^ 2 < 1).
{ apply (Qmult_lt_r _ _ (q ^ 2) q2). setoid_replace (3 * v ^ 2 * q ^ 2) with (3 * (v ^ 2 * q ^ 2)) by ring. rewrite vq. lra. }
apply (two_cases T a b w F) with (c := c) (u := u) (k := k); try assumption; try lra; unfold b.
- lra.
- intros c' u' k' e' hc' hu' hk' he' few' work'. now apply (box_case T F c' u' k' e').
- intros c' u' k' e' hc' hu' hk' he' few' work'.
  apply (whole_case T a (1 + a) w v F c' u' k' e'); try assumption.
  + lra.
  + assert (h := mult_pos _ _ dv2 (mult_pos _ _ q2 (mult_pos _ _ q2 q2))).
    apply (scaled _ _ _ _ _ (inverse_nonneg _ h) place); unfold a, w, v; field; split; assumption.
  + assert (h := mult_pos _ _ dv2 (mult_pos _ _ q2 (mult_pos _ _ q2 q2))).
    apply (Qmult_lt_r _ _ _ h).
    setoid_replace (w * T ^ 2 * (1 - v ^ 2) ^ 2 * (1 + v ^ 2) * (dv ^ 2 * (q ^ 2 * (q ^ 2 * q ^ 2)))) with
      (T ^ 2 * dv * (q ^ 2 - p ^ 2) ^ 2 * (q ^ 2 + p ^ 2)) by (unfold w, v; field; split; assumption).
    setoid_replace (4 * ((1 + a) * (1 + (1 + a))) * F * (1 - 3 * v ^ 2) * (dv ^ 2 * (q ^ 2 * (q ^ 2 * q ^ 2)))) with
      (4 * ((dv + r) * (dv + r + dv)) * F * q ^ 4 * (q ^ 2 - 3 * p ^ 2)) by (unfold a, w, v; field; split; assumption).
    exact less.
- apply Qmult_le_0_compat; lra.
- assert (h : (1 + a) * g <= (1 + a) * (dv * R)) by (rewrite !(Qmult_comm (1 + a)); apply Qmult_le_compat_r; lra).
  assert (h1 : (1 + a) * (dv * R) == (dv + r) * R) by (rewrite <- aw; ring).
  assert (h2 : a * (dv * C) == r * C) by (rewrite <- aw; ring).
  lra.
Qed.

End Scaled.

Lemma mla_whole (T dv r p q F c u k C R g e : Z) :
  (0 <= T -> 0 < dv -> 0 <= r -> 0 < p -> 0 < q -> 0 <= F -> 0 <= c -> 0 <= u -> 0 <= k -> 0 <= C -> 0 <= R -> 0 <= g -> 0 <= e ->
  3 * (p * p) < q * q -> T * T * T < 27 * (F * F) ->
  (dv + r) * (dv + r + dv) * ((q * q - 3 * (p * p)) * (q * q - 3 * (p * p))) * (q * q) <= 4 * T * (p * p) * ((q * q - p * p) * (q * q - p * p)) ->
  T * T * dv * ((q * q - p * p) * (q * q - p * p)) * (q * q + p * p) <
    4 * ((dv + r) * (dv + r + dv)) * F * (q * q * (q * q)) * (q * q - 3 * (p * p)) ->
  c + u + k + (dv + r) * R + r * C <= T -> e * e <= c * u * k -> dv * C <= k -> g <= u -> g <= dv * R -> e + C * g < F)%Z.
Proof.
intros T0 dv0 r0 p0 q0 F0 c0 u0 k0 C0 R0 g0 e0 root box place less few work le_C le_g le_R.
unfold Z.sub in place, less.
to_rationals place. to_rationals few. to_rationals work. to_rationals le_C. to_rationals le_g. to_rationals le_R.
rewrite Zlt_Qlt in root, box, less.
repeat rewrite ?inject_Z_plus, ?inject_Z_mult, ?inject_Z_opp in root.
repeat rewrite ?inject_Z_plus, ?inject_Z_mult, ?inject_Z_opp in box.
repeat rewrite ?inject_Z_plus, ?inject_Z_mult, ?inject_Z_opp in less.
repeat rewrite ?inject_Z_plus, ?inject_Z_mult, ?inject_Z_opp in place.
rewrite Zlt_Qlt; repeat rewrite ?inject_Z_plus, ?inject_Z_mult.
apply (mla_scaled (inject_Z T) (inject_Z dv) (inject_Z r) (inject_Z p) (inject_Z q) (inject_Z F) (inject_Z c) (inject_Z u) (inject_Z k)
  (inject_Z C) (inject_Z R)); try (apply inject_pos; assumption); try (apply inject_nonneg; assumption); try assumption;
  change (inject_Z 3) with 3 in *; change (inject_Z 4) with 4 in *; change (inject_Z 27) with 27 in *; lra.
Qed.
