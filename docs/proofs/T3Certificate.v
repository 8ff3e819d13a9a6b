(** * A certificate for W

    docs/bounds-t3.md: that W bounds f, by branch and bound. A tree of boxes of x and u; a leaf has a price [l] of a word and a [t] between 1
    and 2. All are whole numbers of [s]-ths, and so are the parameters. *)

From Coq Require Import QArith Lqa Lia.
From Pebble Require Import T3Function.
Local Open Scope Q_scope.

(** ** A box with its multipliers *)

Lemma mean_inverse (a b w : Q) : 0 < a -> 0 < b -> 0 <= w <= 1 -> / ((1 - w) * a + w * b) <= (1 - w) * / a + w * / b.
Proof.
intros ha hb hw. assert (hm : 0 < (1 - w) * a + w * b) by nra.
assert (e : (1 - w) * / a + w * / b == / ((1 - w) * a + w * b) + w * (1 - w) * (a - b) ^ 2 * / (a * b * ((1 - w) * a + w * b))).
{ field. repeat split; apply pos_nonzero; assumption. }
rewrite e. assert (h : 0 <= w * (1 - w) * (a - b) ^ 2 * / (a * b * ((1 - w) * a + w * b))); [|lra].
apply Qmult_le_0_compat; [apply Qmult_le_0_compat; [nra|apply square_nonneg]|apply inverse_nonneg; repeat apply mult_pos; assumption].
Qed.

Lemma mean_square (a b w : Q) : 0 <= w <= 1 -> ((1 - w) * a + w * b) ^ 2 <= (1 - w) * a ^ 2 + w * b ^ 2.
Proof.
intros hw. setoid_replace ((1 - w) * a ^ 2 + w * b ^ 2) with (((1 - w) * a + w * b) ^ 2 + w * (1 - w) * (a - b) ^ 2) by ring.
assert (h : 0 <= w * (1 - w) * (a - b) ^ 2) by (apply Qmult_le_0_compat; [nra|apply square_nonneg]). lra.
Qed.

(** The place of a point of an interval. *)
Lemma place (a b y : Q) : a < b -> a <= y <= b -> exists w, 0 <= w <= 1 /\ y == (1 - w) * a + w * b.
Proof.
intros hab hy. exists ((y - a) / (b - a)). assert (h : 0 < b - a) by lra. split; [split|].
- apply over_nonneg; lra.
- apply (scaled (/ (b - a)) (y - a) (b - a)); [apply inverse_nonneg; lra|lra|reflexivity|field; now apply pos_nonzero].
- field; now apply pos_nonzero.
Qed.

Section Box.

Variables mu tau gamma D beta W l t x0 x1 u0 u1 m0 m1 : Q.
Hypotheses (l_gt0 : 0 < l) (t_12 : 1 <= t <= 2) (x0_ge0 : 0 <= x0) (u0_ge0 : 0 <= u0) (x01 : x0 < x1) (u01 : u0 < u1).
Hypotheses (m0_gt0 : 0 < m0) (m1_gt0 : 0 < m1).

(** What is left of the price, times 4 l, at either end of the interval of u. *)
Hypotheses (m0_s : m0 <= 4 * l ^ 2 - u0) (m0_n : m0 <= 4 * t * l ^ 2 - D ^ 2 * u0) (m0_c : m0 <= 4 * gamma * l ^ 2).
Hypotheses (m1_s : m1 <= 4 * l ^ 2 - u1) (m1_n : m1 <= 4 * t * l ^ 2 - D ^ 2 * u1) (m1_c : m1 <= 4 * gamma * l ^ 2).

Definition corner (x u m : Q) := l * (tau + (t - 1) * mu - 2 * x - t * u) + beta ^ 2 * x ^ 2 * l * / m + D ^ 2 * x ^ 2 * u * / (4 * l).

Hypotheses (c00 : corner x0 u0 m0 <= W) (c10 : corner x1 u0 m0 <= W) (c01 : corner x0 u1 m1 <= W) (c11 : corner x1 u1 m1 <= W).

Lemma between_x u m x : 0 < m -> 0 <= u -> x0 <= x <= x1 -> corner x0 u m <= W -> corner x1 u m <= W -> corner x u m <= W.
Proof.
intros hm hu hx h0 h1. destruct (place _ _ _ x01 hx) as [w [hw ex]].
assert (k0 : 0 <= beta ^ 2 * l * / m + D ^ 2 * u * / (4 * l)).
{ assert (i1 := inverse_nonneg _ hm). assert (i2 : 0 <= / (4 * l)) by (apply inverse_nonneg; lra).
  assert (b2 := square_nonneg beta). assert (d2 := square_nonneg D).
  assert (0 <= beta ^ 2 * l * / m) by (apply (Qmult_le_0_compat (beta ^ 2 * l)); [apply Qmult_le_0_compat; lra|exact i1]).
  assert (0 <= D ^ 2 * u * / (4 * l)) by (apply (Qmult_le_0_compat (D ^ 2 * u)); [apply Qmult_le_0_compat; lra|exact i2]). lra. }
assert (sq := mean_square x0 x1 w hw). rewrite <- ex in sq.
assert (e : forall y, corner y u m == l * (tau + (t - 1) * mu - t * u) - 2 * l * y + (beta ^ 2 * l * / m + D ^ 2 * u * / (4 * l)) * y ^ 2).
{ intros y. unfold corner. ring. }
rewrite e in *. set (k := beta ^ 2 * l * / m + D ^ 2 * u * / (4 * l)) in *. set (c := l * (tau + (t - 1) * mu - t * u)) in *.
assert (kx : x ^ 2 * k <= ((1 - w) * x0 ^ 2 + w * x1 ^ 2) * k) by (apply Qmult_le_compat_r; assumption).
apply Qle_trans with ((1 - w) * (c - 2 * l * x0 + k * x0 ^ 2) + w * (c - 2 * l * x1 + k * x1 ^ 2)); [rewrite ex at 1; lra|].
assert ((1 - w) * (c - 2 * l * x0 + k * x0 ^ 2) <= (1 - w) * W) by (rewrite !(Qmult_comm (1 - w)); apply Qmult_le_compat_r; lra).
assert (w * (c - 2 * l * x1 + k * x1 ^ 2) <= w * W) by (rewrite !(Qmult_comm w); apply Qmult_le_compat_r; lra). lra.
Qed.

Lemma box_bounds x u : x0 <= x <= x1 -> u0 <= u <= u1 -> exists m, 0 < m /\ m <= 4 * l ^ 2 - u /\ m <= 4 * t * l ^ 2 - D ^ 2 * u /\ m <= 4 * gamma * l ^ 2 /\
  corner x u m <= W.
Proof.
intros hx hu. destruct (place _ _ _ u01 hu) as [w [hw eu]]. exists ((1 - w) * m0 + w * m1).
assert (a0 : corner x u0 m0 <= W) by (apply between_x; assumption || lra).
assert (a1 : corner x u1 m1 <= W) by (apply between_x; assumption || lra).
assert (n0 : 0 <= 1 - w) by lra. assert (n1 : 0 <= w) by lra.
assert (mix : forall a b a' b', a <= a' -> b <= b' -> (1 - w) * a + w * b <= (1 - w) * a' + w * b').
{ intros a b a' b' ha hb. assert (a * (1 - w) <= a' * (1 - w)) by now apply Qmult_le_compat_r. assert (b * w <= b' * w) by now apply Qmult_le_compat_r. lra. }
split; [nra|split; [|split; [|split]]].
- assert (h := mix _ _ _ _ m0_s m1_s). rewrite eu. lra.
- assert (h := mix _ _ _ _ m0_n m1_n). rewrite eu. lra.
- assert (h := mix _ _ _ _ m0_c m1_c). lra.
- assert (h := mix _ _ _ _ a0 a1). assert (i := mean_inverse m0 m1 w m0_gt0 m1_gt0 hw).
  assert (p : 0 <= beta ^ 2 * x ^ 2 * l).
  { apply Qmult_le_0_compat; [apply Qmult_le_0_compat; apply square_nonneg|lra]. }
  assert (pi : / ((1 - w) * m0 + w * m1) * (beta ^ 2 * x ^ 2 * l) <= ((1 - w) * / m0 + w * / m1) * (beta ^ 2 * x ^ 2 * l)) by now apply Qmult_le_compat_r.
  unfold corner in *. rewrite eu. lra.
Qed.

End Box.

(** ** What a price proves *)

Lemma twice_root (y p q : Q) : 0 <= p -> 0 <= q -> y ^ 2 <= 4 * (p * q) -> y <= p + q.
Proof.
intros hp hq hy. destruct (Qlt_le_dec (p + q) y) as [lt|le]; [|exact le].
assert (s := square_of_sum p q). assert (e : y ^ 2 == (p + q) ^ 2 + (y - (p + q)) * (y + (p + q))) by ring.
assert (0 < (y - (p + q)) * (y + (p + q))) by (apply mult_pos; lra). lra.
Qed.

Lemma price_bounds mu tau gamma D beta l t m cs cn c x u v a b : 0 < l -> 1 <= t <= 2 -> 0 < m -> 0 <= beta ->
  m <= 4 * l ^ 2 - u -> m <= 4 * t * l ^ 2 - D ^ 2 * u -> m <= 4 * gamma * l ^ 2 ->
  0 <= cs -> 0 <= cn -> 0 <= c -> 0 <= x -> 0 <= u -> 0 <= v ->
  cs + cn + gamma * c + 2 * x + u + v <= tau -> cs + cn + gamma * c + 2 * x + u + v + (u + cn - mu) <= tau ->
  a ^ 2 <= (cs + cn + c) * x ^ 2 -> b ^ 2 <= (cs + D ^ 2 * (cn + x ^ 2)) * (u * v) ->
  beta * a + b <= corner mu tau D beta l t x u m.
Proof.
intros l0 t12 m0 b0 ms mn mc cs0 cn0 c0 x0 u0 v0 few twice ha hb.
assert (i0 : 0 <= / (4 * l)) by (apply inverse_nonneg; lra). assert (j0 := inverse_nonneg _ m0).
assert (hl := pos_nonzero _ l0). assert (hm := pos_nonzero _ m0).
assert (C0 : 0 <= cs + cn + c) by lra. assert (x2 := square_nonneg x). assert (D2 := square_nonneg D). assert (be2 := square_nonneg beta).
assert (Y0 : 0 <= cs + D ^ 2 * (cn + x ^ 2)) by (assert (0 <= D ^ 2 * (cn + x ^ 2)) by (apply Qmult_le_0_compat; lra); lra).
assert (wa : beta * a <= beta ^ 2 * x ^ 2 * l * / m + m * / (4 * l) * (cs + cn + c)).
{ apply twice_root.
  - apply Qmult_le_0_compat; [|exact j0]. apply Qmult_le_0_compat; [apply Qmult_le_0_compat; assumption|lra].
  - apply Qmult_le_0_compat; [apply (Qmult_le_0_compat m); [lra|exact i0]|exact C0].
  - apply (scaled (beta ^ 2) (a ^ 2) ((cs + cn + c) * x ^ 2)); [exact be2|exact ha|ring|field; auto]. }
assert (wb : b <= l * v + (cs + D ^ 2 * (cn + x ^ 2)) * u * / (4 * l)).
{ apply twice_root.
  - apply Qmult_le_0_compat; lra.
  - apply (Qmult_le_0_compat (_ * u)); [apply Qmult_le_0_compat; assumption|exact i0].
  - apply (scaled 1 (b ^ 2) ((cs + D ^ 2 * (cn + x ^ 2)) * (u * v))); [lra|exact hb|ring|field; auto]. }
assert (price : m * / (4 * l) * (cs + cn + c) + (cs + D ^ 2 * cn) * u * / (4 * l) <= l * (cs + t * cn + gamma * c)).
{ apply (scaled (/ (4 * l)) (m * (cs + cn + c) + (cs + D ^ 2 * cn) * u) (4 * l ^ 2 * (cs + t * cn + gamma * c))); [exact i0| |ring|field; auto].
  assert (p1 : m * cs <= (4 * l ^ 2 - u) * cs) by now apply Qmult_le_compat_r.
  assert (p2 : m * cn <= (4 * t * l ^ 2 - D ^ 2 * u) * cn) by now apply Qmult_le_compat_r.
  assert (p3 : m * c <= (4 * gamma * l ^ 2) * c) by now apply Qmult_le_compat_r. lra. }
assert (room : l * (cs + t * cn + gamma * c + v) <= l * (tau + (t - 1) * mu - 2 * x - t * u)).
{ rewrite !(Qmult_comm l). apply Qmult_le_compat_r; [|lra].
  assert (q1 : (cs + cn + gamma * c + 2 * x + u + v) * (2 - t) <= tau * (2 - t)) by (apply Qmult_le_compat_r; lra).
  assert (q2 : (cs + cn + gamma * c + 2 * x + u + v + (u + cn - mu)) * (t - 1) <= tau * (t - 1)) by (apply Qmult_le_compat_r; lra). lra. }
unfold corner. lra.
Qed.

(** ** The tree, in whole numbers *)

Inductive tree :=
  | Leaf (l t : Z)
  | Empty
  | SplitX (y : Z) (lower upper : tree)
  | SplitU (y : Z) (lower upper : tree).

Section Check.
Local Open Scope Z_scope.

Variables s mu tau gamma delta beta W : Z.

Let D := s + delta.

Definition left (l t u : Z) := Z.min (4 * l * l * s - u * s * s) (Z.min (4 * t * l * l - D * D * u) (4 * gamma * l * l)).
Definition corner_test (l t x u m : Z) :=
  4 * l * l * m * s * (tau * s + (t - s) * mu - 2 * x * s - t * u) + 4 * beta * beta * x * x * l * l * s * s + D * D * x * x * u * m
  <=? 4 * W * l * m * s * s * s.
Definition leaf_test (l t x0 x1 u0 u1 : Z) :=
  let m0 := left l t u0 in let m1 := left l t u1 in
  (0 <? l) && (s <=? t) && (t <=? 2 * s) && (0 <=? x0) && (0 <=? u0) && (x0 <? x1) && (u0 <? u1) && (0 <? m0) && (0 <? m1) &&
  corner_test l t x0 u0 m0 && corner_test l t x1 u0 m0 && corner_test l t x0 u1 m1 && corner_test l t x1 u1 m1.
Fixpoint check (boxes : tree) (x0 x1 u0 u1 : Z) : bool :=
  match boxes with
  | Leaf l t => leaf_test l t x0 x1 u0 u1
  | Empty => tau <? 2 * x0 + u0
  | SplitX y lower upper => check lower x0 y u0 u1 && check upper y x1 u0 u1
  | SplitU y lower upper => check lower x0 x1 u0 y && check upper x0 x1 y u1
  end.
(** The first box holds all x and u. *)
Definition certificate (boxes : tree) := (0 <? s) && (0 <=? beta) && check boxes 0 tau 0 tau.

End Check.

Section Sound.

Variables s mu tau gamma delta beta W : Z.
Hypothesis s_gt0 : (0 < s)%Z.
Let k := inject_Z s.
Notation q := (part s).
Notation factor := (q (s + delta)).

Let k_gt0 : 0 < k.
Proof. now apply inject_pos. Qed.

Lemma part_le n m : (n <= m)%Z -> q n <= q m.
Proof. intros h. rewrite Zle_Qle in h. apply Qmult_le_compat_r; [exact h|now apply inverse_nonneg]. Qed.

Lemma part_lt n m : (n < m)%Z -> q n < q m.
Proof. intros h. rewrite Zlt_Qlt in h. apply Qmult_lt_compat_r; [now apply Qinv_lt_0_compat|exact h]. Qed.

Lemma part_0 : q 0 == 0.
Proof. unfold part. field. apply pos_nonzero. exact k_gt0. Qed.

Definition cubed (m : Z) := inject_Z m / k ^ 3.

Lemma cubed_pos m : (0 < m)%Z -> 0 < cubed m.
Proof. intros h. apply mult_pos; [now apply inject_pos|]. apply Qinv_lt_0_compat. now apply cube_pos. Qed.

Ltac whole h := rewrite Zle_Qle in h; unfold Z.sub in h; repeat rewrite ?inject_Z_plus, ?inject_Z_mult, ?inject_Z_opp in h.
Ltac parts := unfold part, cubed, k, Z.sub; repeat rewrite ?inject_Z_plus, ?inject_Z_mult, ?inject_Z_opp.

Lemma left_parts l t u : cubed (left s gamma delta l t u) <= 4 * q l ^ 2 - q u /\
  cubed (left s gamma delta l t u) <= 4 * q t * q l ^ 2 - factor ^ 2 * q u /\ cubed (left s gamma delta l t u) <= 4 * q gamma * q l ^ 2.
Proof.
assert (k3 : 0 <= / k ^ 3) by (apply inverse_nonneg; now apply cube_pos). assert (hk := pos_nonzero _ k_gt0).
set (m := left s gamma delta l t u).
assert (h1 : (m <= 4 * l * l * s - u * s * s)%Z) by (unfold m, left; lia).
assert (h2 : (m <= 4 * t * l * l - (s + delta) * (s + delta) * u)%Z) by (unfold m, left; lia).
assert (h3 : (m <= 4 * gamma * l * l)%Z) by (unfold m, left; lia).
whole h1. whole h2. whole h3. fold k in h1, h2, h3.
split; [|split].
- apply (scaled (/ k ^ 3) _ _ _ _ k3 h1); parts; fold k; field; auto.
- apply (scaled (/ k ^ 3) _ _ _ _ k3 h2); parts; fold k; field; auto.
- apply (scaled (/ k ^ 3) _ _ _ _ k3 h3); parts; fold k; field; auto.
Qed.

Lemma corner_parts l t x u m : (0 < l)%Z -> (0 < m)%Z -> corner_test s mu tau delta beta W l t x u m = true ->
  corner (q mu) (q tau) factor (q beta) (q l) (q t) (q x) (q u) (cubed m) <= q W.
Proof.
intros l0 m0 h. apply Z.leb_le in h. whole h. fold k in h.
assert (hk := pos_nonzero _ k_gt0). assert (l1 := inject_pos _ l0). assert (m1 := inject_pos _ m0).
assert (hl := pos_nonzero _ l1). assert (hm := pos_nonzero _ m1).
assert (w0 : 0 <= / (4 * inject_Z l * inject_Z m * k ^ 4)).
{ apply inverse_nonneg. setoid_replace (k ^ 4) with (k * k ^ 3) by ring. repeat apply mult_pos; try apply cube_pos; assumption || lra. }
apply (scaled _ _ _ _ _ w0 h); unfold corner; parts; fold k; field; auto.
Qed.

Definition proved x u := exists l t m, 0 < l /\ 1 <= t <= 2 /\ 0 < m /\ m <= 4 * l ^ 2 - u /\ m <= 4 * t * l ^ 2 - factor ^ 2 * u /\
  m <= 4 * q gamma * l ^ 2 /\ corner (q mu) (q tau) factor (q beta) l t x u m <= q W.

Lemma leaf_proves l t x0 x1 u0 u1 x u : leaf_test s mu tau gamma delta beta W l t x0 x1 u0 u1 = true ->
  q x0 <= x <= q x1 -> q u0 <= u <= q u1 -> proved x u.
Proof.
unfold leaf_test. rewrite !Bool.andb_true_iff. intros h hx hu. decompose [and] h; clear h.
repeat match goal with h : (_ <? _)%Z = true |- _ => apply Z.ltb_lt in h | h : (_ <=? _)%Z = true |- _ => apply Z.leb_le in h end.
destruct (left_parts l t u0) as [a0 [b0 c0]]. destruct (left_parts l t u1) as [a1 [b1 c1]].
assert (x00 : 0 <= q x0) by (rewrite <- part_0; now apply part_le). assert (u00 : 0 <= q u0) by (rewrite <- part_0; now apply part_le).
assert (one : q s == 1) by (unfold part; field; now apply pos_nonzero).
assert (t1 : 1 <= q t) by (rewrite <- one; now apply part_le).
assert (t2 : q t <= 2).
{ apply Qle_trans with (q (2 * s)); [now apply part_le|]. unfold part. rewrite inject_Z_mult. fold k. apply Qle_lteq. right. field. now apply pos_nonzero. }
assert (l0 : 0 < q l) by (rewrite <- part_0; now apply part_lt).
destruct (box_bounds (q mu) (q tau) (q gamma) factor (q beta) (q W) (q l) (q t) (q x0) (q x1) (q u0) (q u1)
  (cubed (left s gamma delta l t u0)) (cubed (left s gamma delta l t u1))) with (x := x) (u := u) as [m hm];
  try assumption; try (now apply part_lt); try (now apply cubed_pos); try (apply corner_parts; assumption); try (split; assumption).
exists (q l), (q t), m. tauto.
Qed.

Lemma check_proves boxes : forall x0 x1 u0 u1 x u, check s mu tau gamma delta beta W boxes x0 x1 u0 u1 = true ->
  q x0 <= x <= q x1 -> q u0 <= u <= q u1 -> 2 * x + u <= q tau -> proved x u.
Proof.
induction boxes as [l t| |y lower IHl upper IHu|y lower IHl upper IHu]; simpl; intros x0 x1 u0 u1 x u h hx hu room.
- exact (leaf_proves _ _ _ _ _ _ _ _ h hx hu).
- apply Z.ltb_lt in h. apply part_lt in h.
  assert (e : q (2 * x0 + u0) == 2 * q x0 + q u0) by (unfold part; rewrite inject_Z_plus, inject_Z_mult; field; now apply pos_nonzero).
  rewrite e in h. lra.
- apply andb_prop in h. destruct h as [h1 h2]. destruct (Qlt_le_dec (q y) x).
  + apply (IHu y x1 u0 u1); try assumption. lra.
  + apply (IHl x0 y u0 u1); try assumption. lra.
- apply andb_prop in h. destruct h as [h1 h2]. destruct (Qlt_le_dec (q y) u).
  + apply (IHu x0 x1 y u1); try assumption. lra.
  + apply (IHl x0 x1 u0 y); try assumption. lra.
Qed.

Theorem certified boxes : certificate s mu tau gamma delta beta W boxes = true -> (0 <= gamma)%Z -> t3_bounded s mu tau gamma delta beta W.
Proof.
unfold certificate. rewrite !Bool.andb_true_iff. intros [[_ b0] h] g0. apply Z.leb_le in b0.
intros cs cn c x u v a b cs0 cn0 c0 x0 u0 v0 few twice kept a0 ha bb0 hb.
assert (gc : 0 <= q gamma * c) by (apply Qmult_le_0_compat; [rewrite <- part_0; now apply part_le|exact c0]).
destruct (check_proves boxes 0 tau 0 tau x u h) as [l [t [m hm]]]; try (rewrite part_0; lra); [lra|].
decompose [and] hm.
assert (f : 1 + q delta == factor) by (unfold part; rewrite inject_Z_plus; field; now apply pos_nonzero).
rewrite f in hb.
apply Qle_trans with (corner (q mu) (q tau) factor (q beta) l t x u m); [|assumption].
apply price_bounds with (gamma := q gamma) (cs := cs) (cn := cn) (c := c) (v := v); try assumption; try (split; assumption).
rewrite <- part_0. now apply part_le.
Qed.

End Sound.
