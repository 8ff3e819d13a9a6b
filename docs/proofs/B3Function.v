(** * The function of B3

    docs/proofs/b3.md, section 1, (1) and (2), in rational numbers: that W bounds f, or f0 with [plain]. Roots are written as squares. Parameters
    are whole numbers of [K]-ths. Then the same for a segment's whole numbers. *)

From Coq Require Import QArith Qminmax Lqa Lia.
From Pebble Require Import T3Function.
Local Open Scope Q_scope.

(** E of the page, the pairs whose dS can be red. *)
Definition b3_pairs (q k o v p r s : Q) : Q := s + Qmin (p + q * k) (Qmin (r + o * v) (p + r + Qmin q o * Qmin k v)).

(** What each product can come to: [aS] is at most the page's term with w_S, and so on. *)
Definition b3_within (plain : bool) (q k o v uV uK uQ p p' r r' s aS aP aV aK aQ : Q) : Prop :=
  (aS ^ 2 <= (p + p') * (q * k) /\ aP ^ 2 <= (r + r') * (o * v)) /\
  (aV ^ 2 <= (p + q * k) * (uV * o) /\ aK ^ 2 <= b3_pairs q k o v p r s * (uK * q) /\ aQ ^ 2 <= b3_pairs q k o v p r s * (uQ * k)) /\
  (plain = false -> aV <= Qmin (p + q * uV) (p + k * o) /\ aK <= p + r + s + Qmin q o * uK /\ aQ <= p + r + s + k * uQ).

(** What it touches, (2) of the page. *)
Definition b3_weight (K gamma : Z) (q k o v uV uK uQ p p' r r' s : Q) : Q :=
  q + k + o + v + uV + uK + uQ + p + r + s + part K gamma * (p' + r').

Definition b3_bounded (K tau gamma wS wP wV wK wQ W : Z) (plain : bool) : Prop :=
  forall q k o v uV uK uQ p p' r r' s aS aP aV aK aQ : Q,
  0 <= q -> 0 <= k -> 0 <= o -> 0 <= v -> 0 <= uV -> 0 <= uK -> 0 <= uQ -> 0 <= p -> 0 <= p' -> 0 <= r -> 0 <= r' -> 0 <= s ->
  b3_weight K gamma q k o v uV uK uQ p p' r r' s <= part K tau ->
  0 <= aS -> 0 <= aP -> 0 <= aV -> 0 <= aK -> 0 <= aQ ->
  b3_within plain q k o v uV uK uQ p p' r r' s aS aP aV aK aQ ->
  part K wS * aS + part K wP * aP + part K wV * aV + part K wK * aK + part K wQ * aQ <= part K W.

Lemma product_le (a b c e : Q) : 0 <= a -> 0 <= c -> a <= b -> c <= e -> a * c <= b * e.
Proof.
intros ha hc hab hce. apply Qle_trans with (b * c); [now apply Qmult_le_compat_r|].
rewrite !(Qmult_comm b). apply Qmult_le_compat_r; [exact hce|lra].
Qed.

(** What a segment touches and does, in words and events; [E] pairs whose dS can be red, whole rows of Q, K, dO and V, and those of both. *)
Section Scaled.

Variables K tau gamma wS wP wV wK wQ W : Z.
Variable plain : bool.
Variables D q k o v uV uK uQ p p' r r' s nS nP nV nK nQ E RQ RK RO RV R C k_ : Q.
Hypothesis k_is : inject_Z K = k_.
Hypotheses (K_gt0 : 0 < k_) (D_gt0 : 0 < D).
Hypotheses (q_ge0 : 0 <= q) (k_ge0 : 0 <= k) (o_ge0 : 0 <= o) (v_ge0 : 0 <= v) (uV_ge0 : 0 <= uV) (uK_ge0 : 0 <= uK) (uQ_ge0 : 0 <= uQ).
Hypotheses (p_ge0 : 0 <= p) (p'_ge0 : 0 <= p') (r_ge0 : 0 <= r) (r'_ge0 : 0 <= r') (s_ge0 : 0 <= s).
Hypotheses (nS_ge0 : 0 <= nS) (nP_ge0 : 0 <= nP) (nV_ge0 : 0 <= nV) (nK_ge0 : 0 <= nK) (nQ_ge0 : 0 <= nQ).
Hypotheses (RQ_ge0 : 0 <= RQ) (RK_ge0 : 0 <= RK) (RO_ge0 : 0 <= RO) (RV_ge0 : 0 <= RV) (R_ge0 : 0 <= R) (C_ge0 : 0 <= C).
Hypothesis few : k_ * (q + k + o + v + uV + uK + uQ + p + r + s) + inject_Z gamma * (p' + r') <= inject_Z tau * (D * D).
Hypotheses (S_work : nS * nS <= (p + p') * q * k) (P_work : nP * nP <= (r + r') * o * v).
Hypotheses (V_work : nV * nV <= (p + RQ * RK) * uV * o) (K_work : nK * nK <= E * uK * q) (Q_work : nQ * nQ <= E * uQ * k).
Hypotheses (E_S : E <= s + (p + RQ * RK)) (E_P : E <= s + (r + RO * RV)) (E_both : E <= s + (p + r + R * C)).
Hypotheses (le_RQ : D * RQ <= q) (le_RK : D * RK <= k) (le_RO : D * RO <= o) (le_RV : D * RV <= v).
Hypotheses (R_q : D * R <= q) (R_o : D * R <= o) (C_k : D * C <= k) (C_v : D * C <= v).
Hypothesis second : plain = false -> nV <= D * p + RQ * uV /\ nV <= D * p + RK * o /\
  nK <= D * (s + (p + r)) + R * uK /\ nQ <= D * (s + (p + r)) + C * uQ.

Let D2 := D ^ 2.
Let D2_gt0 : 0 < D2. Proof. now apply square_pos. Qed.
Let D_nonzero : ~ D == 0. Proof. now apply pos_nonzero. Qed.

(** Rows in units of D, and what is at hand in units of D². *)
Let row_le (x y : Q) : D * x <= y -> x / D <= y / D2.
Proof. intros h. apply (scaled (/ D2) _ _ _ _ (inverse_nonneg _ D2_gt0) h); unfold D2; field; auto. Qed.

Let row_ge0 (x : Q) : 0 <= x -> 0 <= x / D.
Proof. intros h. now apply over_nonneg. Qed.

Let rectangle (x y x' y' : Q) : 0 <= x -> 0 <= y -> x / D <= x' -> y / D <= y' -> x * y / D2 <= x' * y'.
Proof.
intros x0 y0 hx hy. setoid_replace (x * y / D2) with (x / D * (y / D)) by (unfold D2; field; auto).
apply product_le; auto.
Qed.

Let pairs_le : E / D2 <= b3_pairs (q / D2) (k / D2) (o / D2) (v / D2) (p / D2) (r / D2) (s / D2).
Proof.
unfold b3_pairs. assert (i0 := inverse_nonneg _ D2_gt0). assert (n2 := pos_nonzero _ D2_gt0).
assert (h1 := rectangle _ _ _ _ RQ_ge0 RK_ge0 (row_le _ _ le_RQ) (row_le _ _ le_RK)).
assert (h2 := rectangle _ _ _ _ RO_ge0 RV_ge0 (row_le _ _ le_RO) (row_le _ _ le_RV)).
assert (h3 := rectangle _ _ _ _ R_ge0 C_ge0 (Q.min_glb _ _ _ (row_le _ _ R_q) (row_le _ _ R_o)) (Q.min_glb _ _ _ (row_le _ _ C_k) (row_le _ _ C_v))).
assert (e1 : E / D2 <= s / D2 + (p / D2 + RQ * RK / D2)) by (apply (scaled (/ D2) _ _ _ _ i0 E_S); field; auto).
assert (e2 : E / D2 <= s / D2 + (r / D2 + RO * RV / D2)) by (apply (scaled (/ D2) _ _ _ _ i0 E_P); field; auto).
assert (e3 : E / D2 <= s / D2 + (p / D2 + r / D2 + R * C / D2)) by (apply (scaled (/ D2) _ _ _ _ i0 E_both); field; auto).
assert (h : E / D2 - s / D2 <= Qmin (p / D2 + q / D2 * (k / D2)) (Qmin (r / D2 + o / D2 * (v / D2))
  (p / D2 + r / D2 + Qmin (q / D2) (o / D2) * Qmin (k / D2) (v / D2)))).
{ repeat apply Q.min_glb; lra. }
lra.
Qed.

(** A square, cube by cube. *)
Let root_le (n A a x y : Q) : 0 <= x -> 0 <= y -> n * n <= A * x * y -> A / D2 <= a -> (n / D ^ 3) ^ 2 <= a * (x / D2 * (y / D2)).
Proof.
intros x0 y0 h hA. apply Qle_trans with (A / D2 * (x / D2 * (y / D2))).
- assert (d6 : 0 < D2 ^ 3) by now apply cube_pos.
  apply (scaled (/ D2 ^ 3) _ _ _ _ (inverse_nonneg _ d6) h); unfold D2; field; auto.
- apply Qmult_le_compat_r; [exact hA|]. apply Qmult_le_0_compat; now apply over_nonneg.
Qed.

(** Events, of which [D] on each of [A] pairs, and on whole rows. *)
Let lines_le (n A x y a b : Q) : 0 <= x -> 0 <= y -> n <= D * A + x * y -> A / D2 <= a -> x / D <= b -> n / D ^ 3 <= a + b * (y / D2).
Proof.
intros x0 y0 h hA hx. assert (d3 := cube_pos _ D_gt0).
assert (h1 : n / D ^ 3 <= A / D2 + x / D * (y / D2)).
{ apply (scaled (/ D ^ 3) _ _ _ _ (inverse_nonneg _ d3) h); unfold D2; field; auto. }
assert (h2 : x / D * (y / D2) <= b * (y / D2)) by (apply Qmult_le_compat_r; [exact hx|now apply over_nonneg]).
lra.
Qed.

Let within : b3_within plain (q / D2) (k / D2) (o / D2) (v / D2) (uV / D2) (uK / D2) (uQ / D2) (p / D2) (p' / D2) (r / D2) (r' / D2) (s / D2)
  (nS / D ^ 3) (nP / D ^ 3) (nV / D ^ 3) (nK / D ^ 3) (nQ / D ^ 3).
Proof.
assert (n2 := pos_nonzero _ D2_gt0).
assert (h1 := rectangle _ _ _ _ RQ_ge0 RK_ge0 (row_le _ _ le_RQ) (row_le _ _ le_RK)).
split; [split|split; [split; [|split]|]].
- apply root_le with (p + p'); auto. apply Qle_lteq. right. field; auto.
- apply root_le with (r + r'); auto. apply Qle_lteq. right. field; auto.
- apply root_le with (p + RQ * RK); auto. setoid_replace ((p + RQ * RK) / D2) with (p / D2 + RQ * RK / D2) by (field; auto). lra.
- apply root_le with E; auto.
- apply root_le with E; auto.
- intros not_plain. destruct (second not_plain) as [V1 [V2 [K2 Q2]]]. repeat split.
  + apply Q.min_glb.
    * apply (lines_le nV p RQ uV); auto; lra.
    * apply (lines_le nV p RK o); auto; lra.
  + apply (lines_le nK (s + (p + r)) R uK); auto; [apply Qle_lteq; right; field; auto|]. apply Q.min_glb; auto.
  + apply (lines_le nQ (s + (p + r)) C uQ); auto. apply Qle_lteq; right; field; auto.
Qed.

Lemma b3_scaled : b3_bounded K tau gamma wS wP wV wK wQ W plain ->
  inject_Z wS * nS + inject_Z wP * nP + inject_Z wV * nV + inject_Z wK * nK + inject_Z wQ * nQ <= inject_Z W * (D * D * D).
Proof.
intros bounded. assert (hK := pos_nonzero _ K_gt0). assert (n2 := pos_nonzero _ D2_gt0). assert (d3 := cube_pos _ D_gt0).
assert (goal : part K wS * (nS / D ^ 3) + part K wP * (nP / D ^ 3) + part K wV * (nV / D ^ 3) + part K wK * (nK / D ^ 3) +
  part K wQ * (nQ / D ^ 3) <= part K W).
{ apply (bounded (q / D2) (k / D2) (o / D2) (v / D2) (uV / D2) (uK / D2) (uQ / D2) (p / D2) (p' / D2) (r / D2) (r' / D2) (s / D2));
    try (apply over_nonneg; assumption); [|exact within].
  assert (kd : 0 < k_ * D2) by now apply mult_pos.
  apply (scaled (/ (k_ * D2)) _ _ _ _ (inverse_nonneg _ kd) few); unfold b3_weight, part, D2; try rewrite k_is; field; auto. }
assert (w0 : 0 <= k_ * D ^ 3) by (apply Qlt_le_weak; now apply mult_pos).
apply (scaled (k_ * D ^ 3) _ _ _ _ w0 goal); unfold part; try rewrite k_is; field; auto.
Qed.

End Scaled.

(** In whole numbers. *)
Lemma b3_whole (K tau gamma wS wP wV wK wQ W D q k o v uV uK uQ p p' r r' s nS nP nV nK nQ E RQ RK RO RV R C : Z) (plain : bool) :
  (0 < K -> 0 < D -> 0 <= q -> 0 <= k -> 0 <= o -> 0 <= v -> 0 <= uV -> 0 <= uK -> 0 <= uQ -> 0 <= p -> 0 <= p' -> 0 <= r -> 0 <= r' -> 0 <= s ->
  0 <= nS -> 0 <= nP -> 0 <= nV -> 0 <= nK -> 0 <= nQ -> 0 <= RQ -> 0 <= RK -> 0 <= RO -> 0 <= RV -> 0 <= R -> 0 <= C ->
  K * (q + k + o + v + uV + uK + uQ + p + r + s) + gamma * (p' + r') <= tau * (D * D) ->
  nS * nS <= (p + p') * q * k -> nP * nP <= (r + r') * o * v ->
  nV * nV <= (p + RQ * RK) * uV * o -> nK * nK <= E * uK * q -> nQ * nQ <= E * uQ * k ->
  E <= s + (p + RQ * RK) -> E <= s + (r + RO * RV) -> E <= s + (p + r + R * C) ->
  D * RQ <= q -> D * RK <= k -> D * RO <= o -> D * RV <= v -> D * R <= q -> D * R <= o -> D * C <= k -> D * C <= v ->
  (plain = false -> nV <= D * p + RQ * uV /\ nV <= D * p + RK * o /\ nK <= D * (s + (p + r)) + R * uK /\ nQ <= D * (s + (p + r)) + C * uQ) ->
  b3_bounded K tau gamma wS wP wV wK wQ W plain -> wS * nS + wP * nP + wV * nV + wK * nK + wQ * nQ <= W * (D * D * D))%Z.
Proof.
intros K0 D0 q0 k0 o0 v0 uV0 uK0 uQ0 p0 p'0 r0 r'0 s0 nS0 nP0 nV0 nK0 nQ0 RQ0 RK0 RO0 RV0 R0 C0.
intros few hS hP hV hK hQ E1 E2 E3 le1 le2 le3 le4 le5 le6 le7 le8 second bounded.
to_rationals few. to_rationals hS. to_rationals hP. to_rationals hV. to_rationals hK. to_rationals hQ. to_rationals E1. to_rationals E2.
to_rationals E3. to_rationals le1. to_rationals le2. to_rationals le3. to_rationals le4. to_rationals le5. to_rationals le6. to_rationals le7.
to_rationals le8. rewrite Zle_Qle; repeat rewrite ?inject_Z_plus, ?inject_Z_mult.
apply (b3_scaled K tau gamma wS wP wV wK wQ W plain (inject_Z D) (inject_Z q) (inject_Z k) (inject_Z o) (inject_Z v) (inject_Z uV) (inject_Z uK)
  (inject_Z uQ) (inject_Z p) (inject_Z p') (inject_Z r) (inject_Z r') (inject_Z s) (inject_Z nS) (inject_Z nP) (inject_Z nV) (inject_Z nK)
  (inject_Z nQ) (inject_Z E) (inject_Z RQ) (inject_Z RK) (inject_Z RO) (inject_Z RV) (inject_Z R) (inject_Z C) (inject_Z K));
  try (apply inject_pos; assumption); try (apply inject_nonneg; assumption); try assumption; try reflexivity.
intros not_plain. destruct (second not_plain) as [V1 [V2 [K2 Q2]]].
to_rationals V1. to_rationals V2. to_rationals K2. to_rationals Q2. repeat split; assumption.
Qed.
