(** * Multipliers for a box: B3

    docs/proofs/b3.md, section 4, as Multipliers.v: a price of a word and shares of the members of the minima bound the work at a point. What is chosen
    at the eight corners of a box of q, k and o serves all points between them. *)

From Coq Require Import QArith Qminmax Lqa.
From Pebble Require Import T3Function B3Function Multipliers.
Local Open Scope Q_scope.

(** ** Products of what rises and falls *)

Lemma mix_rising w a0 a1 b0 b1 : 0 <= w <= 1 -> a0 <= a1 -> b0 <= b1 -> mix w a0 a1 * mix w b0 b1 <= mix w (a0 * b0) (a1 * b1).
Proof.
intros hw ha hb. assert (h : 0 <= w * (1 - w) * ((a1 - a0) * (b1 - b0))) by (repeat apply Qmult_le_0_compat; lra).
assert (e : mix w (a0 * b0) (a1 * b1) == mix w a0 a1 * mix w b0 b1 + w * (1 - w) * ((a1 - a0) * (b1 - b0))) by (unfold mix; ring). lra.
Qed.

Lemma mix_falling w a0 a1 b0 b1 : 0 <= w <= 1 -> a0 <= a1 -> b1 <= b0 -> mix w (a0 * b0) (a1 * b1) <= mix w a0 a1 * mix w b0 b1.
Proof.
intros hw ha hb. assert (h : 0 <= w * (1 - w) * ((a1 - a0) * (b0 - b1))) by (repeat apply Qmult_le_0_compat; lra).
assert (e : mix w a0 a1 * mix w b0 b1 == mix w (a0 * b0) (a1 * b1) + w * (1 - w) * ((a1 - a0) * (b0 - b1))) by (unfold mix; ring). lra.
Qed.

Lemma mix_nonneg w a b : 0 <= w <= 1 -> 0 <= a -> 0 <= b -> 0 <= mix w a b.
Proof. intros hw ha hb. apply Qle_trans with (mix w 0 0); [unfold mix; lra|now apply mix_le]. Qed.

Lemma times_le (a b a' b' : Q) : 0 <= a -> 0 <= b -> a <= a' -> b <= b' -> a * b <= a' * b'.
Proof. intros. now apply B3Function.product_le. Qed.

Lemma mix_rising_3 w a0 a1 b0 b1 c0 c1 : 0 <= w <= 1 -> 0 <= a0 -> 0 <= b0 -> 0 <= c0 -> a0 <= a1 -> b0 <= b1 -> c0 <= c1 ->
  mix w a0 a1 * (mix w b0 b1 * mix w c0 c1) <= mix w (a0 * (b0 * c0)) (a1 * (b1 * c1)).
Proof.
intros hw a00 b00 c00 ha hb hc. apply Qle_trans with (mix w a0 a1 * mix w (b0 * c0) (b1 * c1)).
- apply product_le; [apply mix_nonneg; lra|now apply mix_rising].
- apply mix_rising; [exact hw|exact ha|now apply times_le].
Qed.

(** ** The eight corners *)

(** Words of Q, K and dO, and what is chosen for them: A, B for dK and dQ, L_p, and what a pair of Q and K costs on S. *)
Record state := State { at_q : Q; at_k : Q; at_o : Q; of_V : Q; of_K : Q; of_Q : Q; left : Q; root : Q }.

Definition between (w : Q) (x y : state) := State (mix w (at_q x) (at_q y)) (mix w (at_k x) (at_k y)) (mix w (at_o x) (at_o y))
  (mix w (of_V x) (of_V y)) (mix w (of_K x) (of_K y)) (mix w (of_Q x) (of_Q y)) (mix w (left x) (left y)) (mix w (root x) (root y)).

Record ordered (x y : state) : Prop := Ordered { q_rises : at_q x <= at_q y; k_rises : at_k x <= at_k y; o_rises : at_o x <= at_o y;
  V_rises : of_V x <= of_V y; K_rises : of_K x <= of_K y; Q_rises : of_Q x <= of_Q y; left_falls : left y <= left x; root_rises : root x <= root y }.

Lemma between_ordered w x y x' y' : 0 <= w <= 1 -> ordered x x' -> ordered y y' -> ordered (between w x y) (between w x' y').
Proof. intros hw [] []. constructor; now apply mix_le. Qed.

Section Leaf.

Variables tau gamma wS cV cK cQ W l a1 a2 fK fQ e1 e2 e3 alpha most : Q.
Hypotheses (a1_ge0 : 0 <= a1) (a2_ge0 : 0 <= a2) (fK_ge0 : 0 <= fK) (fQ_ge0 : 0 <= fQ).
Hypotheses (e1_ge0 : 0 <= e1) (e3_ge0 : 0 <= e3) (alpha_01 : 0 <= alpha <= 1).

(** ϱ, at least min(q, o), and B. *)
Definition near (x : state) := alpha * at_q x + (1 - alpha) * at_o x.
Definition for_E (x : state) := of_K x + of_Q x.

Record holds (x : state) : Prop := Holds {
  q_ge0 : 0 <= at_q x; k_ge0 : 0 <= at_k x; o_ge0 : 0 <= at_o x;
  V_ge0 : 0 <= of_V x; K_ge0 : 0 <= of_K x; Q_ge0 : 0 <= of_Q x; left_ge0 : 0 <= left x; root_ge0 : 0 <= root x;
  chains_V : a1 * at_q x <= l; by_V : cV ^ 2 * at_o x <= 4 * (of_V x * (l - a1 * at_q x));
  chains_K : fK * near x <= l; by_K : cK ^ 2 * at_q x <= 4 * (of_K x * (l - fK * near x));
  chains_Q : fQ * at_k x <= l; by_Q : cQ ^ 2 * at_k x <= 4 * (of_Q x * (l - fQ * at_k x));
  begun_S : left x <= gamma * l;
  left_S : left x + of_V x + a1 + a2 + (1 - e2) * for_E x + fK + fQ <= l;
  by_S : wS ^ 2 <= 4 * (left x * root x);
  most_E : for_E x <= most;
  le_W : l * (tau - at_q x - at_k x - at_o x) + (root x + of_V x + e1 * for_E x) * (at_q x * at_k x) + a2 * (at_k x * at_o x) +
    e3 * (for_E x * (near x * at_k x)) <= W }.

Lemma near_between w x y : near (between w x y) == mix w (near x) (near y).
Proof. unfold near, between, mix. simpl. ring. Qed.

Lemma for_E_between w x y : for_E (between w x y) == mix w (for_E x) (for_E y).
Proof. unfold for_E, between, mix. simpl. ring. Qed.

Lemma near_rises x y : ordered x y -> near x <= near y.
Proof.
intros o. unfold near. assert (h1 := product_le alpha _ _ (proj1 alpha_01) (q_rises _ _ o)).
assert (h2 := product_le (1 - alpha) _ _ ltac:(lra) (o_rises _ _ o)). lra.
Qed.

Lemma near_ge0 x : holds x -> 0 <= near x.
Proof. intros h. destruct h. unfold near. assert (0 <= alpha * at_q x) by (apply Qmult_le_0_compat; lra). assert (0 <= (1 - alpha) * at_o x) by (apply Qmult_le_0_compat; lra). lra. Qed.

(** A square that a product covers. *)
Lemma covered w c z0 z1 r0 r1 p0 p1 : 0 <= w <= 1 -> r0 <= r1 -> p1 <= p0 -> c * z0 <= 4 * (r0 * p0) -> c * z1 <= 4 * (r1 * p1) ->
  c * mix w z0 z1 <= 4 * (mix w r0 r1 * mix w p0 p1).
Proof.
intros hw hr hp h0 h1. assert (p := mix_falling w r0 r1 p0 p1 hw hr hp). assert (m := mix_le w _ _ _ _ hw h0 h1).
assert (e0 : c * mix w z0 z1 == mix w (c * z0) (c * z1)) by (unfold mix; ring).
assert (e1' : mix w (4 * (r0 * p0)) (4 * (r1 * p1)) == 4 * mix w (r0 * p0) (r1 * p1)) by (unfold mix; ring). lra.
Qed.

Lemma holds_between w x y : 0 <= w <= 1 -> ordered x y -> holds x -> holds y -> holds (between w x y).
Proof.
intros hw xy hx hy. assert (nr := near_rises x y xy). assert (n0 := near_ge0 x hx).
assert (eE := for_E_between w x y). assert (eN := near_between w x y).
assert (E0 : 0 <= for_E x) by (destruct hx; unfold for_E; lra). assert (Er : for_E x <= for_E y) by (destruct xy; unfold for_E; lra).
constructor; rewrite ?eE, ?eN; simpl.
1-8: destruct hx, hy; now apply mix_nonneg.
- assert (h := mix_below w _ _ _ hw (chains_V _ hx) (chains_V _ hy)). unfold mix in *. lra.
- assert (r := product_le a1 _ _ a1_ge0 (q_rises _ _ xy)).
  setoid_replace (l - a1 * mix w (at_q x) (at_q y)) with (mix w (l - a1 * at_q x) (l - a1 * at_q y)) by (unfold mix; ring).
  apply covered; [exact hw|exact (V_rises _ _ xy)|lra|exact (by_V _ hx)|exact (by_V _ hy)].
- assert (h := mix_below w _ _ _ hw (chains_K _ hx) (chains_K _ hy)). unfold mix in *. lra.
- assert (r := product_le fK _ _ fK_ge0 nr).
  setoid_replace (l - fK * mix w (near x) (near y)) with (mix w (l - fK * near x) (l - fK * near y)) by (unfold mix; ring).
  apply covered; [exact hw|exact (K_rises _ _ xy)|lra|exact (by_K _ hx)|exact (by_K _ hy)].
- assert (h := mix_below w _ _ _ hw (chains_Q _ hx) (chains_Q _ hy)). unfold mix in *. lra.
- assert (r := product_le fQ _ _ fQ_ge0 (k_rises _ _ xy)).
  setoid_replace (l - fQ * mix w (at_k x) (at_k y)) with (mix w (l - fQ * at_k x) (l - fQ * at_k y)) by (unfold mix; ring).
  apply covered; [exact hw|exact (Q_rises _ _ xy)|lra|exact (by_Q _ hx)|exact (by_Q _ hy)].
- apply mix_below; [exact hw|exact (begun_S _ hx)|exact (begun_S _ hy)].
- assert (h := mix_below w _ _ _ hw (left_S _ hx) (left_S _ hy)). unfold mix in *. lra.
- assert (h := covered w (wS ^ 2) 1 1 (root x) (root y) (left x) (left y) hw (root_rises _ _ xy) (left_falls _ _ xy)).
  assert (e : wS ^ 2 * mix w 1 1 == wS ^ 2) by (unfold mix; ring). rewrite e in h.
  rewrite (Qmult_comm (mix w (left x) (left y))). assert (hx' := by_S _ hx). assert (hy' := by_S _ hy). apply h; lra.
- apply mix_below; [exact hw|exact (most_E _ hx)|exact (most_E _ hy)].
- assert (m := mix_below w _ _ _ hw (le_W _ hx) (le_W _ hy)). destruct xy. destruct hx. destruct hy.
  assert (er := product_le e1 _ _ e1_ge0 Er). assert (ee := Qmult_le_0_compat _ _ e1_ge0 E0).
  set (c0 := root x + of_V x + e1 * for_E x) in *. set (c1 := root y + of_V y + e1 * for_E y) in *.
  assert (p1 : mix w c0 c1 * (mix w (at_q x) (at_q y) * mix w (at_k x) (at_k y)) <= mix w (c0 * (at_q x * at_k x)) (c1 * (at_q y * at_k y))).
  { apply mix_rising_3; try assumption; unfold c0, c1; lra. }
  assert (p2 : a2 * (mix w (at_k x) (at_k y) * mix w (at_o x) (at_o y)) <= a2 * mix w (at_k x * at_o x) (at_k y * at_o y)).
  { apply product_le; [exact a2_ge0|now apply mix_rising]. }
  assert (p3 : e3 * (mix w (for_E x) (for_E y) * (mix w (near x) (near y) * mix w (at_k x) (at_k y))) <=
    e3 * mix w (for_E x * (near x * at_k x)) (for_E y * (near y * at_k y))).
  { apply product_le; [exact e3_ge0|]. now apply mix_rising_3. }
  assert (e : mix w (root x) (root y) + mix w (of_V x) (of_V y) + e1 * mix w (for_E x) (for_E y) == mix w c0 c1) by (unfold mix, c0, c1; ring).
  rewrite e. apply Qle_trans with (2 := m).
  apply Qle_trans with (l * (tau - mix w (at_q x) (at_q y) - mix w (at_k x) (at_k y) - mix w (at_o x) (at_o y)) +
    mix w (c0 * (at_q x * at_k x)) (c1 * (at_q y * at_k y)) + a2 * mix w (at_k x * at_o x) (at_k y * at_o y) +
    e3 * mix w (for_E x * (near x * at_k x)) (for_E y * (near y * at_k y))).
  + clear - p1 p2 p3. lra.
  + apply Qle_lteq. right. unfold mix. ring.
Qed.

(** Corners in the order of q, k and o; [true] is the upper end. *)
Lemma cube (c : bool -> bool -> bool -> state) wq wk wo : 0 <= wq <= 1 -> 0 <= wk <= 1 -> 0 <= wo <= 1 ->
  (forall i j m, holds (c i j m)) -> (forall j m, ordered (c false j m) (c true j m)) -> (forall i m, ordered (c i false m) (c i true m)) ->
  (forall i j, ordered (c i j false) (c i j true)) ->
  holds (between wo (between wk (between wq (c false false false) (c true false false)) (between wq (c false true false) (c true true false)))
    (between wk (between wq (c false false true) (c true false true)) (between wq (c false true true) (c true true true)))).
Proof. intros. repeat (apply holds_between; auto using between_ordered). Qed.

(** ** At a point *)

Section Point.

Variables wP R V near_most o_most : Q.
Hypotheses (l_gt0 : 0 < l) (R_ge0 : 0 <= R) (V_ge0 : 0 <= V) (e2_ge0 : 0 <= e2) (e4_ge0 : 0 <= 1 - e1 - e2 - e3).
Hypotheses (begun_P : R <= gamma * l) (left_P : R + (1 - e1) * most + fK + fQ <= l) (left_s : most + fK + fQ <= l).
Hypotheses (left_v : V + most * (e2 * o_most + (1 - e1 - e2 - e3) * near_most) <= l) (by_P : wP ^ 2 * o_most <= 4 * (R * V)).

Variable x : state.
Hypotheses (at_x : holds x) (le_near : near x <= near_most) (le_o : at_o x <= o_most).

Variables v uV uK uQ p p' r r' s aS aP aV aK aQ : Q.
Hypotheses (v_ge0 : 0 <= v) (uV_ge0 : 0 <= uV) (uK_ge0 : 0 <= uK) (uQ_ge0 : 0 <= uQ) (p_ge0 : 0 <= p) (p'_ge0 : 0 <= p').
Hypotheses (r_ge0 : 0 <= r) (r'_ge0 : 0 <= r') (s_ge0 : 0 <= s).
Notation q := (at_q x).
Notation k := (at_k x).
Notation o := (at_o x).
Hypothesis few : q + k + o + v + uV + uK + uQ + p + r + s + gamma * (p' + r') <= tau.
Notation E := (b3_pairs q k o v p r s).
Hypotheses (S_work : aS ^ 2 <= (p + p') * (q * k)) (P_work : aP ^ 2 <= (r + r') * (o * v)).
Hypotheses (V_work : aV ^ 2 <= (p + q * k) * (uV * o)) (K_work : aK ^ 2 <= E * (uK * q)) (Q_work : aQ ^ 2 <= E * (uQ * k)).
Hypotheses (V_chains : a1 * aV <= a1 * (p + q * uV)) (V_words : a2 * aV <= a2 * (p + k * o)).
Hypotheses (K_chains : fK * aK <= fK * (p + r + s + Qmin q o * uK)) (Q_chains : fQ * aQ <= fQ * (p + r + s + k * uQ)).

(** A square times a weight, by two prices. *)
Lemma priced (c y z m n pr b : Q) : 0 <= m -> 0 <= n -> 0 <= z -> 0 <= b -> 0 <= pr -> y ^ 2 <= m * (n * z) -> c ^ 2 * z <= 4 * (b * pr) -> c * y <= b * m + pr * n.
Proof.
intros m0 n0 z0 b0 pr0 hy hc. apply twice_root; try (apply Qmult_le_0_compat; assumption).
apply Qle_trans with (m * n * (c ^ 2 * z)).
- apply (scaled (c ^ 2) (y ^ 2) (m * (n * z))); [apply square_nonneg|exact hy|ring|ring].
- apply Qle_trans with (m * n * (4 * (b * pr))); [|apply Qle_lteq; right; ring].
  apply product_le; [now apply Qmult_le_0_compat|exact hc].
Qed.

Lemma pairs_le : E <= s + (1 - e2) * p + (1 - e1) * r + e1 * (q * k) + e2 * (o * v) + e3 * (near x * k) + (1 - e1 - e2 - e3) * (near x * v).
Proof.
destruct at_x. unfold b3_pairs. set (n := Qmin q o * Qmin k v). set (M := Qmin _ (Qmin _ _)).
assert (m1 : M <= p + q * k) by apply Q.le_min_l. assert (m23 : M <= Qmin (r + o * v) (p + r + n)) by apply Q.le_min_r.
assert (m2 : M <= r + o * v) by (apply Qle_trans with (1 := m23), Q.le_min_l).
assert (m3 : M <= p + r + n) by (apply Qle_trans with (1 := m23), Q.le_min_r).
assert (least : Qmin q o <= near x).
{ assert (h1 := product_le alpha _ _ (proj1 alpha_01) (Q.le_min_l q o)). assert (h2 := product_le (1 - alpha) _ _ ltac:(lra) (Q.le_min_r q o)). unfold near. lra. }
assert (l0 : 0 <= Qmin q o) by now apply Q.min_glb. assert (l1 : 0 <= Qmin k v) by now apply Q.min_glb.
assert (n1 : n <= near x * k) by (apply times_le; auto; apply Q.le_min_l).
assert (n2 : n <= near x * v) by (apply times_le; auto; apply Q.le_min_r).
assert (q1 := product_le e1 _ _ e1_ge0 m1). assert (q2 := product_le e2 _ _ e2_ge0 m2).
assert (q3 := product_le e3 _ _ e3_ge0 (Qle_trans _ _ _ m3 (proj2 (Qplus_le_r _ _ (p + r)) n1))).
assert (q4 := product_le (1 - e1 - e2 - e3) _ _ e4_ge0 (Qle_trans _ _ _ m3 (proj2 (Qplus_le_r _ _ (p + r)) n2))).
clear - q1 q2 q3 q4. lra.
Qed.

Lemma pairs_nonneg : 0 <= E.
Proof.
destruct at_x. unfold b3_pairs. assert (0 <= q * k) by now apply Qmult_le_0_compat. assert (0 <= o * v) by now apply Qmult_le_0_compat.
assert (0 <= Qmin q o * Qmin k v) by (apply Qmult_le_0_compat; now apply Q.min_glb).
assert (0 <= Qmin (p + q * k) (Qmin (r + o * v) (p + r + Qmin q o * Qmin k v))) by (repeat apply Q.min_glb; lra). lra.
Qed.

Lemma point_bounds : wS * aS + wP * aP + (cV + a1 + a2) * aV + (cK + fK) * aK + (cQ + fQ) * aQ <= W.
Proof.
assert (E0 := pairs_nonneg). assert (Ele := pairs_le). destruct at_x as [].
assert (qk : 0 <= q * k) by now apply Qmult_le_0_compat.
assert (n0 := near_ge0 x at_x). assert (l0 : 0 <= l) by lra.
assert (least : Qmin q o <= near x).
{ assert (h1 := product_le alpha _ _ (proj1 alpha_01) (Q.le_min_l q o)). assert (h2 := product_le (1 - alpha) _ _ ltac:(lra) (Q.le_min_r q o)). unfold near. lra. }
assert (pS : wS * aS <= left x * (p + p') + root x * (q * k)).
{ apply (priced wS aS 1); try assumption; try lra. }
assert (pP : wP * aP <= R * (r + r') + V * v).
{ apply (priced wP aP o); try assumption; try lra.
  apply Qle_trans with (2 := by_P). apply product_le; [apply square_nonneg|exact le_o]. }
assert (pV : cV * aV <= of_V x * (p + q * k) + (l - a1 * q) * uV) by (apply (priced cV aV o); try assumption; lra).
assert (pK : cK * aK <= of_K x * E + (l - fK * near x) * uK) by (apply (priced cK aK q); try assumption; lra).
assert (pQ : cQ * aQ <= of_Q x * E + (l - fQ * k) * uQ) by (apply (priced cQ aQ k); try assumption; lra).
assert (chK : fK * (Qmin q o * uK) <= fK * (near x * uK)) by (apply product_le; [exact fK_ge0|now apply Qmult_le_compat_r]).
assert (B0 : 0 <= for_E x) by (unfold for_E; lra).
assert (hE := product_le _ _ _ B0 Ele).
set (B := for_E x) in *. assert (eB : of_K x * E + of_Q x * E == B * E) by (unfold B, for_E; ring).
(* what each amount costs *)
assert (cp : (left x + of_V x + a1 + a2 + (1 - e2) * B + fK + fQ) * p <= l * p) by now apply Qmult_le_compat_r.
assert (cp' : left x * p' <= gamma * l * p') by now apply Qmult_le_compat_r.
assert (e10 : 0 <= 1 - e1) by lra.
assert (cr : (R + (1 - e1) * B + fK + fQ) * r <= l * r).
{ apply Qmult_le_compat_r; [|exact r_ge0]. assert (h := product_le (1 - e1) _ _ e10 most_E0). lra. }
assert (cr' : R * r' <= gamma * l * r') by now apply Qmult_le_compat_r.
assert (cs : (B + fK + fQ) * s <= l * s) by (apply Qmult_le_compat_r; [lra|exact s_ge0]).
assert (cv : (V + B * (e2 * o + (1 - e1 - e2 - e3) * near x)) * v <= l * v).
{ apply Qmult_le_compat_r; [|exact v_ge0]. apply Qle_trans with (2 := left_v).
  assert (h1 := product_le e2 _ _ e2_ge0 le_o). assert (h2 := product_le _ _ _ e4_ge0 le_near).
  assert (h3 : 0 <= e2 * o) by now apply Qmult_le_0_compat. assert (h4 : 0 <= (1 - e1 - e2 - e3) * near x) by now apply Qmult_le_0_compat.
  assert (h := times_le B (e2 * o + (1 - e1 - e2 - e3) * near x) most (e2 * o_most + (1 - e1 - e2 - e3) * near_most)
    B0 ltac:(lra) most_E0 ltac:(lra)). lra. }
assert (room := product_le _ _ _ l0 few).
clear - pS pP pV pK pQ chK hE eB cp cp' cr cr' cs cv room V_chains V_words K_chains Q_chains le_W0.
set (e := Qmin q o * uK) in *.
lra.
Qed.

End Point.

End Leaf.
