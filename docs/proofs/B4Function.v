(** * The function of B4

    docs/proofs/b4.md, (1) and (2), in rational numbers: that W bounds f. Roots are written as squares, and q, k have a root y of q k that
    is rational: f is continuous, and such q and k are dense. Parameters are whole numbers of [K]-ths. Then the same for words. *)

From Coq Require Import QArith Lqa Lia.
From Pebble Require Import T3Function.
Local Open Scope Q_scope.

(** [a] is at most the root of E(Y) z; [hh] is I, and [ij] is min(q, o) min(k, v) or less. *)
Definition b4_root (Y0 Y1 ps pn rs rn ss sn hh ov ij z a : Q) : Prop :=
  a ^ 2 <= (Y0 ^ 2 * ss + Y1 ^ 2 * sn + Y1 ^ 2 * (ps + pn + hh)) * z /\
  a ^ 2 <= (Y0 ^ 2 * ss + Y1 ^ 2 * sn + (Y0 ^ 2 * rs + Y1 ^ 2 * (rn + ov))) * z /\
  a ^ 2 <= (Y0 ^ 2 * ss + Y1 ^ 2 * sn + (Y1 ^ 2 * (ps + pn) + Y0 ^ 2 * rs + Y1 ^ 2 * rn + Y1 ^ 2 * ij)) * z.

(** What each product can come to: [s] that on S is at most what is in front of which w_S stands, in f0 with [plain]; [b] is dP, [c] dV, [e] dK, [g] dQ;
    [t] is the root in the third member of S. The amount eta is h/y, and [i], [j] are at most min(q, o) and min(k, v). *)
Definition b4_within (plain : bool) (V0 V1 K0 K1 Q0 Q1 q k o v uV uK uQ ps pn p rs rn r ss sn y h i j s t b c e g : Q) : Prop :=
  s ^ 2 <= (ps + pn + p) * y ^ 2 /\ t ^ 2 <= (ps + pn + p) * (y - h) ^ 2 /\ s <= t + y * h /\
  (plain = false -> s <= ps + pn + p) /\
  b ^ 2 <= (rs + rn + r) * (o * v) /\ (plain = false -> b <= rs + rn + r) /\
  c ^ 2 <= (V0 ^ 2 * ps + V1 ^ 2 * (pn + h ^ 2)) * (uV * o) /\
  (plain = false -> c <= V0 * ps + V1 * pn + V1 * (q * uV)) /\
  (plain = false -> c <= V0 * ps + V1 * pn + V1 * (k * o)) /\
  b4_root K0 K1 ps pn rs rn ss sn (h ^ 2) (o * v) (i * j) (uK * q) e /\
  (plain = false -> e <= K1 * (ps + pn) + K0 * (rs + ss) + K1 * (rn + sn) + K1 * (i * uK)) /\
  b4_root Q0 Q1 ps pn rs rn ss sn (h ^ 2) (o * v) (i * j) (uQ * k) g /\
  (plain = false -> g <= Q1 * (ps + pn) + Q0 * (rs + ss) + Q1 * (rn + sn) + Q1 * (k * uQ)).

(** (2) of the page, but for the maximum. *)
Definition b4_touched (K gS gP : Z) (q k o v uV uK uQ ps pn p rs rn r ss sn : Q) : Q :=
  q + k + o + v + (uV + uK + uQ) + (ps + pn) + (rs + rn) + (ss + sn) + part K gS * p + part K gP * r.

(** W bounds f, or f0 with [plain]. *)
Definition b4_bounded (plain : bool) (K mu tau gS gP wS wP V0 V1 K0 K1 Q0 Q1 W : Z) : Prop :=
  forall q k o v uV uK uQ ps pn p rs rn r ss sn y h i j s t b c e g : Q,
  0 <= q -> 0 <= k -> 0 <= o -> 0 <= v -> 0 <= uV -> 0 <= uK -> 0 <= uQ ->
  0 <= ps -> 0 <= pn -> 0 <= p -> 0 <= rs -> 0 <= rn -> 0 <= r -> 0 <= ss -> 0 <= sn ->
  0 <= y -> y ^ 2 == q * k -> 0 <= h -> h <= y -> 0 <= i -> i <= q -> i <= o -> 0 <= j -> j <= k -> j <= v ->
  b4_touched K gS gP q k o v uV uK uQ ps pn p rs rn r ss sn <= part K tau ->
  b4_touched K gS gP q k o v uV uK uQ ps pn p rs rn r ss sn + (uV + uK + uQ + pn + rn + sn - part K mu) <= part K tau ->
  0 <= s -> 0 <= t -> 0 <= b -> 0 <= c -> 0 <= e -> 0 <= g ->
  b4_within plain (part K V0) (part K V1) (part K K0) (part K K1) (part K Q0) (part K Q1)
    q k o v uV uK uQ ps pn p rs rn r ss sn y h i j s t b c e g ->
  part K wS * s + part K wP * b + c + e + g <= part K W.

(** [b4_root] in words. *)
Definition b4_root_words (D Y0 Y1 ps pn rs rn ss sn hh ov ij z a : Q) : Prop :=
  a ^ 2 <= (Y0 ^ 2 * ss + Y1 ^ 2 * sn + Y1 ^ 2 * (ps + pn + hh)) * z /\
  D ^ 2 * a ^ 2 <= (D ^ 2 * (Y0 ^ 2 * ss + Y1 ^ 2 * sn + Y0 ^ 2 * rs + Y1 ^ 2 * rn) + Y1 ^ 2 * ov) * z /\
  a ^ 2 <= (Y0 ^ 2 * ss + Y1 ^ 2 * sn + (Y1 ^ 2 * (ps + pn) + Y0 ^ 2 * rs + Y1 ^ 2 * rn + Y1 ^ 2 * ij)) * z.

Section Scaled.

Variables (plain : bool) (K mu tau gS gP wS wP V0 V1 K0 K1 Q0 Q1 W : Z).
Variables D q k o v uV uK uQ ps pn p rs rn r ss sn y h i j s t b c e g k_ : Q.
Hypothesis k_is : inject_Z K = k_.
Hypotheses (K_gt0 : 0 < k_) (D_gt0 : 0 < D).
Hypotheses (q_ge0 : 0 <= q) (k_ge0 : 0 <= k) (o_ge0 : 0 <= o) (v_ge0 : 0 <= v) (uV_ge0 : 0 <= uV) (uK_ge0 : 0 <= uK) (uQ_ge0 : 0 <= uQ).
Hypotheses (ps_ge0 : 0 <= ps) (pn_ge0 : 0 <= pn) (p_ge0 : 0 <= p) (rs_ge0 : 0 <= rs) (rn_ge0 : 0 <= rn) (r_ge0 : 0 <= r).
Hypotheses (ss_ge0 : 0 <= ss) (sn_ge0 : 0 <= sn) (y_ge0 : 0 <= y) (h_ge0 : 0 <= h) (i_ge0 : 0 <= i) (j_ge0 : 0 <= j).
Hypotheses (s_ge0 : 0 <= s) (t_ge0 : 0 <= t) (b_ge0 : 0 <= b) (c_ge0 : 0 <= c) (e_ge0 : 0 <= e) (g_ge0 : 0 <= g).
Hypotheses (y_is : y ^ 2 == q * k) (le_h : D * h <= y) (le_iq : D * i <= q) (le_io : D * i <= o) (le_jk : D * j <= k) (le_jv : D * j <= v).
Let touched := k_ * (q + k + o + v + (uV + uK + uQ) + (ps + pn) + (rs + rn) + (ss + sn)) + inject_Z gS * p + inject_Z gP * r.
Hypothesis few : touched <= inject_Z tau * D ^ 2.
Hypothesis twice : touched + k_ * (uV + uK + uQ + pn + rn + sn) <= inject_Z tau * D ^ 2 + inject_Z mu * D ^ 2.
Hypothesis s_square : s ^ 2 <= (ps + pn + p) * y ^ 2.
Hypotheses (t_square : t ^ 2 <= (ps + pn + p) * (y - D * h) ^ 2) (s_rows : s <= t + y * h).
Hypothesis s_pairs : plain = false -> s <= D * (ps + pn + p).
Hypothesis b_square : b ^ 2 <= (rs + rn + r) * (o * v).
Hypothesis b_pairs : plain = false -> b <= D * (rs + rn + r).
Hypothesis c_square : c ^ 2 <= (inject_Z V0 ^ 2 * ps + inject_Z V1 ^ 2 * (pn + h ^ 2)) * (uV * o).
Hypothesis c_chains : plain = false -> D * c <= D ^ 2 * (inject_Z V0 * ps + inject_Z V1 * pn) + inject_Z V1 * (q * uV).
Hypothesis c_words : plain = false -> D * c <= D ^ 2 * (inject_Z V0 * ps + inject_Z V1 * pn) + inject_Z V1 * (k * o).
Hypothesis e_root : b4_root_words D (inject_Z K0) (inject_Z K1) ps pn rs rn ss sn (h ^ 2) (o * v) (i * j) (uK * q) e.
Hypothesis e_chains : plain = false ->
  e <= D * (inject_Z K1 * (ps + pn) + inject_Z K0 * (rs + ss) + inject_Z K1 * (rn + sn)) + inject_Z K1 * (i * uK).
Hypothesis g_root : b4_root_words D (inject_Z Q0) (inject_Z Q1) ps pn rs rn ss sn (h ^ 2) (o * v) (i * j) (uQ * k) g.
Hypothesis g_chains : plain = false ->
  D * g <= D ^ 2 * (inject_Z Q1 * (ps + pn) + inject_Z Q0 * (rs + ss) + inject_Z Q1 * (rn + sn)) + inject_Z Q1 * (k * uQ).

Let hK := pos_nonzero _ K_gt0.
Let hD := pos_nonzero _ D_gt0.
Let D2 := square_pos _ D_gt0.
Let D3 := cube_pos _ D_gt0.

Lemma root_scaled (Y0 Y1 : Z) z a :
  b4_root_words D (inject_Z Y0) (inject_Z Y1) ps pn rs rn ss sn (h ^ 2) (o * v) (i * j) z a ->
  b4_root (part K Y0) (part K Y1) (ps / D ^ 2) (pn / D ^ 2) (rs / D ^ 2) (rn / D ^ 2) (ss / D ^ 2) (sn / D ^ 2) ((h / D) ^ 2)
    (o / D ^ 2 * (v / D ^ 2)) (i / D * (j / D)) (z / D ^ 4) (a / (k_ * D ^ 3)).
Proof.
assert (p1 : 0 < k_ ^ 2 * (D ^ 2) ^ 3) by (apply mult_pos; [apply square_pos; exact K_gt0|apply cube_pos; exact D2]).
assert (p2 : 0 < k_ ^ 2 * (D ^ 2) ^ 3 * D ^ 2) by (apply mult_pos; assumption).
intros [h1 [h2 h3]]; repeat split.
- apply (scaled (/ (k_ ^ 2 * (D ^ 2) ^ 3)) _ _ _ _ (inverse_nonneg _ p1) h1); unfold part; try rewrite k_is; field; auto.
- apply (scaled (/ (k_ ^ 2 * (D ^ 2) ^ 3 * D ^ 2)) _ _ _ _ (inverse_nonneg _ p2) h2); unfold part; try rewrite k_is; field; auto.
- apply (scaled (/ (k_ ^ 2 * (D ^ 2) ^ 3)) _ _ _ _ (inverse_nonneg _ p1) h3); unfold part; try rewrite k_is; field; auto.
Qed.

Ltac over w w_gt0 fact := apply (scaled (/ w) _ _ _ _ (inverse_nonneg _ w_gt0) fact); unfold touched, b4_touched, part; try rewrite k_is; field; auto.

Lemma b4_scaled : b4_bounded plain K mu tau gS gP wS wP V0 V1 K0 K1 Q0 Q1 W ->
  inject_Z wS * s + inject_Z wP * b + c + e + g <= inject_Z W * D ^ 3.
Proof.
intros bounded.
assert (kD2 : 0 < k_ * D ^ 2) by (apply mult_pos; assumption).
assert (kD3 : 0 < k_ * D ^ 3) by (apply mult_pos; assumption).
assert (kD4 : 0 < k_ * D ^ 4) by (setoid_replace (D ^ 4) with (D * D ^ 3) by ring; repeat apply mult_pos; assumption).
assert (D4 : 0 < D ^ 4) by (setoid_replace (D ^ 4) with (D * D ^ 3) by ring; apply mult_pos; assumption).
assert (D6 : 0 < (D ^ 2) ^ 3) by (apply cube_pos; exact D2).
assert (k2D6 : 0 < k_ ^ 2 * (D ^ 2) ^ 3) by (apply mult_pos; [apply square_pos; exact K_gt0|exact D6]).
assert (goal : part K wS * (s / D ^ 3) + part K wP * (b / D ^ 3) + c / (k_ * D ^ 3) + e / (k_ * D ^ 3) + g / (k_ * D ^ 3) <= part K W).
{ apply (bounded (q / D ^ 2) (k / D ^ 2) (o / D ^ 2) (v / D ^ 2) (uV / D ^ 2) (uK / D ^ 2) (uQ / D ^ 2) (ps / D ^ 2) (pn / D ^ 2) (p / D ^ 2)
    (rs / D ^ 2) (rn / D ^ 2) (r / D ^ 2) (ss / D ^ 2) (sn / D ^ 2) (y / D ^ 2) (h / D) (i / D) (j / D) (s / D ^ 3) (t / D ^ 3));
  try (apply over_nonneg; assumption).
  - setoid_replace ((y / D ^ 2) ^ 2) with (y ^ 2 / D ^ 4) by (field; auto). rewrite y_is. field; auto.
  - over (D ^ 2) D2 le_h.
  - over (D ^ 2) D2 le_iq.
  - over (D ^ 2) D2 le_io.
  - over (D ^ 2) D2 le_jk.
  - over (D ^ 2) D2 le_jv.
  - over (k_ * D ^ 2) kD2 few.
  - assert (twice' : touched + k_ * (uV + uK + uQ + pn + rn + sn) - inject_Z mu * D ^ 2 <= inject_Z tau * D ^ 2) by lra.
    over (k_ * D ^ 2) kD2 twice'.
  - unfold b4_within. split; [|split; [|split; [|split; [|split; [|split; [|split; [|split; [|split; [|split; [|split; [|split]]]]]]]]]]].
    + over ((D ^ 2) ^ 3) D6 s_square.
    + over ((D ^ 2) ^ 3) D6 t_square.
    + over (D ^ 3) D3 s_rows.
    + intros sq. over (D ^ 3) D3 (s_pairs sq).
    + over ((D ^ 2) ^ 3) D6 b_square.
    + intros sq. over (D ^ 3) D3 (b_pairs sq).
    + over (k_ ^ 2 * (D ^ 2) ^ 3) k2D6 c_square.
    + intros sq. over (k_ * D ^ 4) kD4 (c_chains sq).
    + intros sq. over (k_ * D ^ 4) kD4 (c_words sq).
    + assert (root := root_scaled _ _ _ _ e_root). unfold b4_root in *.
      setoid_replace (uK / D ^ 2 * (q / D ^ 2)) with (uK * q / D ^ 4) by (field; auto). exact root.
    + intros sq. over (k_ * D ^ 3) kD3 (e_chains sq).
    + assert (root := root_scaled _ _ _ _ g_root). unfold b4_root in *.
      setoid_replace (uQ / D ^ 2 * (k / D ^ 2)) with (uQ * k / D ^ 4) by (field; auto). exact root.
    + intros sq. over (k_ * D ^ 4) kD4 (g_chains sq). }
assert (w0 : 0 <= k_ * D ^ 3) by (apply Qlt_le_weak; exact kD3).
apply (scaled (k_ * D ^ 3) _ _ _ _ w0 goal); unfold part; try rewrite k_is; field; auto.
Qed.

End Scaled.
