(** * Boxes in whole numbers

    What certificates of T3 and T4 compute at a box of x and u. All numbers are whole numbers of [s]-ths, [s] being a power of two, so that products are
    soon divided by it; what is divided is rounded to the safe side. *)

From Coq Require Import QArith Lqa Lia.
From Pebble Require Import T3Function Multipliers.
Local Open Scope Q_scope.

Section Test.
Local Open Scope Z_scope.

Variables bits mu tau gamma delta beta W : Z.
Let s := 2 ^ bits.

Definition up (a b : Z) := - ((- a) / b).

(** Over [s]. *)
Definition down_s (a : Z) := Z.shiftr a bits.
Definition up_s (a : Z) := - Z.shiftr (- a) bits.

(** (1 + Δ)², computed once. *)
Variable D2 : Z.

(** Price, t, the shares σ and ζ, ξ, e₁ and e₂. *)
Record multipliers := Multipliers { price : Z; held : Z; capped : Z; resident : Z; paid : Z; first : Z; second : Z }.

Definition shares_test (m : multipliers) :=
  (0 <? price m) && (s <=? held m) && (held m <=? 2 * s) && (0 <=? capped m) && (capped m <=? s) && (0 <=? resident m) && (resident m <=? s) &&
  (0 <=? paid m) && (paid m <=? s) && (0 <=? first m) && (0 <=? second m) &&
  (resident m * resident m <=? paid m * first m) && ((s - resident m) * (s - resident m) <=? (s - paid m) * second m).

(** What is left of the prices of the three kinds of pairs, but for what depends on [u]; then what is left at [u]. *)
Definition left_of (m : multipliers) :=
  let cap := up_s (beta * capped m) in
  (price m - cap, down_s (held m * price m) - cap, down_s (gamma * price m) - up_s ((s - resident m) * (s + delta)) - cap).
Definition left_at (m : multipliers) (left : Z * Z * Z) (u : Z) :=
  let E := up ((first m + second m) * u) (4 * price m) in
  let '(stored, never, begun) := left in Z.min (stored - E) (Z.min (never - up_s (D2 * E)) begun).

(** The square of a root is rounded up, and then divided. *)
Definition slope_at (m : multipliers) (whole root L u y2 : Z) :=
  whole + up (root * root) (4 * L) + up_s (up_s (D2 * up (first m * u) (4 * price m)) * up_s (y2 * y2)).

Definition corner_test (m : multipliers) (x u k : Z) :=
  price m * (tau * s + (held m - s) * mu - 2 * x * s - held m * u) + k * (x * x) <=? W * (s * s).

Definition edge_test (m : multipliers) (x0 x1 u0 u1 L0 L1 y1 y2 : Z) :=
  let rest := up_s (beta * (s - capped m)) in let whole := up_s (rest * y1) in let root := up_s (rest * (s - y1)) in
  let k0 := slope_at m whole root L0 u0 y2 in let k1 := slope_at m whole root L1 u1 y2 in
  corner_test m x0 u0 k0 && corner_test m x1 u0 k0 && corner_test m x0 u1 k1 && corner_test m x1 u1 k1.

Definition sides_test (x0 x1 u0 u1 L0 L1 : Z) := (0 <=? x0) && (x0 <? x1) && (0 <=? u0) && (u0 <? u1) && (0 <? L0) && (0 <? L1).
Definition row_sound := (0 <=? bits) && (0 <=? gamma) && (0 <=? delta) && (0 <=? beta) && ((s + delta) * (s + delta) <=? D2 * s).

End Test.

Ltac to_props h := unfold sides_test, shares_test, row_sound in h; rewrite ?Bool.andb_true_iff in h; decompose [and] h; clear h;
  repeat match goal with h : (_ <? _)%Z = true |- _ => apply Z.ltb_lt in h | h : (_ <=? _)%Z = true |- _ => apply Z.leb_le in h end.

Lemma up_spec a b : (0 < b)%Z -> (a <= b * up a b)%Z.
Proof. intros h. unfold up. assert (e := Z.mul_div_le (- a) b h). lia. Qed.

Lemma row_scale bits gamma delta beta D2 : row_sound bits gamma delta beta D2 = true -> (0 <= bits)%Z.
Proof. intros h. to_props h. assumption. Qed.

Section Sound.

Variables bits mu tau gamma delta beta W D2 : Z.
Hypothesis bits_ge0 : (0 <= bits)%Z.
Notation s := (2 ^ bits)%Z.
Let s_gt0 : (0 < s)%Z.
Proof. now apply Z.pow_pos_nonneg. Qed.
Let k := inject_Z s.
Notation q := (part s).
Notation D := (q (s + delta)).

Let k_gt0 : 0 < k.
Proof. now apply inject_pos. Qed.

Lemma part_le n m : (n <= m)%Z -> q n <= q m.
Proof. intros h. rewrite Zle_Qle in h. apply Qmult_le_compat_r; [exact h|now apply inverse_nonneg]. Qed.

Lemma part_lt n m : (n < m)%Z -> q n < q m.
Proof. intros h. rewrite Zlt_Qlt in h. apply Qmult_lt_compat_r; [now apply Qinv_lt_0_compat|exact h]. Qed.

Lemma part_0 : q 0 == 0.
Proof. unfold part. field. apply pos_nonzero. exact k_gt0. Qed.

Lemma part_1 : q s == 1.
Proof. unfold part. field. now apply pos_nonzero. Qed.

Lemma part_plus n m : q (n + m) == q n + q m.
Proof. unfold part. rewrite inject_Z_plus. field. now apply pos_nonzero. Qed.

Lemma part_minus n m : q (n - m) == q n - q m.
Proof. unfold part, Z.sub. rewrite inject_Z_plus, inject_Z_opp. field. now apply pos_nonzero. Qed.

Lemma part_nonneg n : (0 <= n)%Z -> 0 <= q n.
Proof. intros h. rewrite <- part_0. now apply part_le. Qed.

Lemma part_pos n : (0 < n)%Z -> 0 < q n.
Proof. intros h. rewrite <- part_0. now apply part_lt. Qed.

Lemma part_double n : q (2 * n) == 2 * q n.
Proof. unfold part. rewrite inject_Z_mult. field. now apply pos_nonzero. Qed.

Ltac whole h := rewrite Zle_Qle in h; unfold Z.sub in h; repeat rewrite ?inject_Z_plus, ?inject_Z_mult, ?inject_Z_opp in h.
Ltac parts := unfold part, Z.sub; repeat rewrite ?inject_Z_plus, ?inject_Z_mult, ?inject_Z_opp; fold k.

(** Products, rounded up and down, and quotients. *)
Lemma up_product a b : q a * q b <= q (up_s bits (a * b)).
Proof.
assert (h := up_spec (a * b) s s_gt0). unfold up in h. rewrite <- Z.shiftr_div_pow2 in h by exact bits_ge0. fold (up_s bits (a * b)) in h.
whole h. fold k in h. assert (hk := pos_nonzero _ k_gt0).
apply (scaled (/ (k * k)) _ _ _ _ (inverse_nonneg _ (mult_pos _ _ k_gt0 k_gt0)) h); parts; field; auto.
Qed.

Lemma down_product a b : q (down_s bits (a * b)) <= q a * q b.
Proof.
assert (h := Z.mul_div_le (a * b) s s_gt0). rewrite <- Z.shiftr_div_pow2 in h by exact bits_ge0. fold (down_s bits (a * b)) in h.
whole h. fold k in h. assert (hk := pos_nonzero _ k_gt0).
apply (scaled (/ (k * k)) _ _ _ _ (inverse_nonneg _ (mult_pos _ _ k_gt0 k_gt0)) h); parts; field; auto.
Qed.

Lemma up_quotient a b c : (0 < c)%Z -> q a * q b / (4 * q c) <= q (up (a * b) (4 * c)).
Proof.
intros c0. assert (h := up_spec (a * b) (4 * c) ltac:(lia)). whole h. assert (hk := pos_nonzero _ k_gt0). assert (hc := inject_pos _ c0).
assert (nc := pos_nonzero _ hc).
apply (scaled (/ (4 * inject_Z c * k)) (inject_Z a * inject_Z b) (4 * inject_Z c * inject_Z (up (a * b) (4 * c)))); [|exact h| |]; try (parts; field; auto).
apply inverse_nonneg. repeat apply mult_pos; assumption || lra.
Qed.

Variable m : multipliers.
Hypothesis shares : shares_test bits m = true.
Hypothesis row : row_sound bits gamma delta beta D2 = true.

Notation l := (q (price m)).
Notation t := (q (held m)).
Notation sg := (q (capped m)).
Notation zt := (q (resident m)).
Notation xi := (q (paid m)).
Notation e1 := (q (first m)).
Notation e2 := (q (second m)).

Lemma price_pos : (0 < price m)%Z.
Proof. assert (h := shares). to_props h. assumption. Qed.

Lemma price_part : 0 < l.
Proof. apply part_pos. exact price_pos. Qed.

(** What is told is what [point_bounds] asks for. *)
Lemma shares_parts : 1 <= t <= 2 /\ 0 <= sg <= 1 /\ 0 <= zt <= 1 /\ 0 <= xi <= 1 /\ 0 <= e1 /\ 0 <= e2 /\ zt ^ 2 <= xi * e1 /\
  (1 - zt) ^ 2 <= (1 - xi) * e2.
Proof.
assert (h := shares). to_props h. assert (hk := pos_nonzero _ k_gt0).
assert (i : 0 <= / (k * k)) by (apply inverse_nonneg; now apply mult_pos).
assert (one : forall n, (n <= s)%Z -> q n <= 1) by (intros n hn; rewrite <- part_1; now apply part_le).
repeat split; try (apply part_nonneg; assumption); try (apply one; assumption).
- rewrite <- part_1. now apply part_le.
- rewrite <- (Qmult_1_r 2), <- part_1, <- part_double. now apply part_le.
- match goal with h : (resident m * resident m <= _)%Z |- _ => whole h; apply (scaled (/ (k * k)) _ _ _ _ i h); parts; field; auto end.
- rewrite <- part_1, <- !part_minus.
  match goal with h : ((s - resident m) * (s - resident m) <= _)%Z |- _ => whole h; apply (scaled (/ (k * k)) _ _ _ _ i h); parts; field; auto end.
Qed.

Lemma D_square : D ^ 2 <= q D2.
Proof.
assert (h := row). to_props h. assert (hk := pos_nonzero _ k_gt0). assert (i : 0 <= / (k * k)) by (apply inverse_nonneg; now apply mult_pos).
match goal with h : ((s + delta) * (s + delta) <= _)%Z |- _ => whole h; apply (scaled (/ (k * k)) _ _ _ _ i h); parts; field; auto end.
Qed.

Lemma row_parts : 0 <= q gamma /\ 0 <= D /\ 0 <= q beta.
Proof. assert (h := row). to_props h. repeat split; apply part_nonneg; lia. Qed.

Definition fits (L u : Q) := L + q beta * sg + (e1 + e2) * u / (4 * l) <= l /\ L + q beta * sg + D ^ 2 * ((e1 + e2) * u / (4 * l)) <= t * l /\
  L + q beta * sg + (1 - zt) * D <= q gamma * l.

Lemma left_fits u : (0 <= u)%Z -> fits (q (left_at bits D2 m (left_of bits gamma delta beta m) u)) (q u).
Proof.
intros u0. unfold left_at, left_of. set (E := up ((first m + second m) * u) (4 * price m)).
assert (hE : (e1 + e2) * q u / (4 * l) <= q E) by (rewrite <- part_plus; apply up_quotient; exact price_pos).
set (cap := up_s bits (beta * capped m)). assert (hcap : q beta * sg <= q cap) by apply up_product.
assert (hD2 := D_square).
assert (E0 : 0 <= (e1 + e2) * q u / (4 * l)).
{ assert (h := shares_parts). apply over_nonneg; [|assert (p := price_part); lra]. apply Qmult_le_0_compat; [lra|now apply part_nonneg]. }
assert (hDE : D ^ 2 * ((e1 + e2) * q u / (4 * l)) <= q (up_s bits (D2 * E))).
{ apply Qle_trans with (q D2 * q E); [|apply up_product]. apply Qle_trans with (D ^ 2 * q E).
  - apply product_le; [apply square_nonneg|exact hE].
  - apply Qmult_le_compat_r; [exact hD2|lra]. }
set (begun := up_s bits ((s - resident m) * (s + delta))).
assert (hc : (1 - zt) * D <= q begun) by (rewrite <- part_1, <- part_minus; apply up_product).
assert (ht : q (down_s bits (held m * price m)) <= t * l) by apply down_product.
assert (hg : q (down_s bits (gamma * price m)) <= q gamma * l) by apply down_product.
set (n := Z.min (price m - cap - E) _).
assert (h1 : (n <= price m - cap - E)%Z) by (unfold n; lia).
assert (h2 : (n <= down_s bits (held m * price m) - cap - up_s bits (D2 * E))%Z) by (unfold n; lia).
assert (h3 : (n <= down_s bits (gamma * price m) - begun - cap)%Z) by (unfold n; lia).
apply part_le in h1. apply part_le in h2. apply part_le in h3. rewrite !part_minus in h1, h2, h3. unfold fits.
split; [lra|split; lra].
Qed.

Lemma fits_mix w L0 L1 u0 u1 : 0 <= w <= 1 -> fits L0 u0 -> fits L1 u1 -> fits (mix w L0 L1) (mix w u0 u1).
Proof.
intros hw [a0 [b0 c0]] [a1 [b1 c1]]. assert (hl := pos_nonzero _ price_part).
set (g := (e1 + e2) / (4 * l)).
assert (e : forall u, (e1 + e2) * u / (4 * l) == g * u) by (intros u; unfold g; field; auto).
unfold fits. rewrite !e in *.
assert (p := mix_le w _ _ _ _ hw a0 a1). assert (p' := mix_le w _ _ _ _ hw b0 b1). assert (p'' := mix_le w _ _ _ _ hw c0 c1).
unfold mix in *. split; [lra|split; lra].
Qed.

Notation rest := (q beta * (1 - sg)).
Notation f u := (e1 * u / (4 * l)).

Lemma slope_le L u y1 y2 : (0 < L)%Z -> (0 <= u)%Z -> (0 <= y1 <= s)%Z ->
  let rest' := up_s bits (beta * (s - capped m)) in
  slope rest D (q L) (f (q u)) (q y1) (q y2) <= q (slope_at bits D2 m (up_s bits (rest' * y1)) (up_s bits (rest' * (s - y1))) L u y2).
Proof.
intros L0 u0 hy rest'. assert (h := shares_parts). assert (r := row_parts). unfold slope_at, slope.
assert (y0 : 0 <= q y1) by (apply part_nonneg; lia). assert (ys : q y1 <= 1) by (rewrite <- part_1; apply part_le; lia).
assert (hr : rest <= q rest') by (rewrite <- part_1, <- part_minus; apply up_product).
assert (r0 : 0 <= rest) by (apply Qmult_le_0_compat; lra).
set (root := up_s bits (rest' * (s - y1))).
assert (hroot : rest * (1 - q y1) <= q root).
{ apply Qle_trans with (q rest' * q (s - y1)); [|apply up_product]. rewrite part_minus, part_1. apply Qmult_le_compat_r; [exact hr|lra]. }
assert (root0 : 0 <= rest * (1 - q y1)) by (apply Qmult_le_0_compat; lra).
assert (p1 : rest * q y1 <= q (up_s bits (rest' * y1))).
{ apply Qle_trans with (q rest' * q y1); [|apply up_product]. now apply Qmult_le_compat_r. }
assert (p2 : (rest * (1 - q y1)) ^ 2 / (4 * q L) <= q (up (root * root) (4 * L))).
{ apply Qle_trans with (q root * q root / (4 * q L)); [|now apply up_quotient].
  apply Qmult_le_compat_r; [|apply inverse_nonneg; assert (h0 := part_pos _ L0); lra].
  rewrite square_product. apply Qle_trans with (rest * (1 - q y1) * q root); [now apply product_le|]. apply Qmult_le_compat_r; [exact hroot|lra]. }
assert (hD2 := D_square).
set (F := up (first m * u) (4 * price m)). assert (hF : f (q u) <= q F) by (apply up_quotient; exact price_pos).
assert (f0 : 0 <= f (q u)).
{ apply over_nonneg; [|assert (p := price_part); lra]. apply Qmult_le_0_compat; [lra|now apply part_nonneg]. }
assert (DF : D ^ 2 * f (q u) <= q (up_s bits (D2 * F))).
{ apply Qle_trans with (q D2 * q F); [|apply up_product]. apply Qle_trans with (D ^ 2 * q F); [now apply product_le; [apply square_nonneg|]|].
  apply Qmult_le_compat_r; [exact hD2|lra]. }
assert (DF0 : 0 <= D ^ 2 * f (q u)) by nonneg.
assert (p3 : D ^ 2 * f (q u) * q y2 ^ 2 <= q (up_s bits (up_s bits (D2 * F) * up_s bits (y2 * y2)))).
{ apply Qle_trans with (q (up_s bits (D2 * F)) * q (up_s bits (y2 * y2))); [|apply up_product].
  assert (hy2 : q y2 ^ 2 <= q (up_s bits (y2 * y2))) by (rewrite square_product; apply up_product).
  apply Qle_trans with (D ^ 2 * f (q u) * q (up_s bits (y2 * y2))); [now apply product_le|]. apply Qmult_le_compat_r; [exact DF|].
  apply Qle_trans with (2 := hy2). apply square_nonneg. }
set (a := up_s bits (rest' * y1)) in *. set (b := up (root * root) (4 * L)) in *. set (c := up_s bits (up_s bits (D2 * F) * _)) in *.
rewrite (part_plus (a + b)), (part_plus a). lra.
Qed.

Notation corner := (corner (q mu) (q tau) l t).

Lemma corner_le_W x u n : corner_test bits mu tau W m x u n = true -> corner (q x) (q u) (q n) <= q W.
Proof.
intros h. apply Z.leb_le in h. whole h. fold k in h. assert (hk := pos_nonzero _ k_gt0).
assert (w0 : 0 <= / (k * k * k)) by (apply inverse_nonneg; repeat apply mult_pos; assumption).
apply (scaled _ _ _ _ _ w0 h); unfold Multipliers.corner; parts; field; auto.
Qed.

(** The work on what [f] bounds, in the terms of [point_bounds]. *)
Definition worth (L x u h1 h2 : Q) := l * (q tau + (t - 1) * q mu - 2 * x - t * u) + rectangle D (q beta) l L sg e1 x u h1 h2.

Lemma worth_le L x u y1 y2 n : 0 < L -> slope rest D L (f u) y1 y2 <= n -> corner x u n <= q W -> worth L x u (y1 * x) (y2 * x) <= q W.
Proof.
intros hL hn hW. apply Qle_trans with (corner x u n); [|exact hW]. apply Qle_trans with (corner x u (slope rest D L (f u) y1 y2)); [|now apply corner_le].
apply Qle_lteq. right. unfold worth, rectangle, Multipliers.corner, slope. field. split; apply pos_nonzero; (exact hL || exact price_part).
Qed.

Lemma worth_bounds L cs cn c x u v h1 h2 a r b e : 0 < L -> fits L u -> 0 <= cs -> 0 <= cn -> 0 <= c -> 0 <= x -> 0 <= u -> 0 <= v ->
  cs + cn + q gamma * c + 2 * x + u + v <= q tau -> cs + cn + q gamma * c + 2 * x + u + v + (u + cn - q mu) <= q tau ->
  sg * a <= sg * (cs + cn + c) -> a <= r + x * h1 -> r ^ 2 <= (cs + cn + c) * (x - h1) ^ 2 ->
  b ^ 2 <= (cs + D ^ 2 * (cn + h2 ^ 2)) * (u * v) -> (1 - zt) * b <= (1 - zt) * (e + D * c) -> e ^ 2 <= (cs + D ^ 2 * cn) * (u * v) ->
  q beta * a + b <= worth L x u h1 h2.
Proof.
intros hL [left_s [left_n left_c]]. intros. destruct shares_parts as [t12 [sg01 [zt01 [xi01 [e10 [e20 [first_share second_share]]]]]]].
destruct row_parts as [g0 [D0 b0]]. assert (l0 := price_part).
apply (point_bounds (q mu) (q tau) (q gamma) D (q beta) l t L sg zt xi e1 e2) with (cs := cs) (cn := cn) (c := c) (v := v) (r := r) (e := e);
  assumption.
Qed.

(** Along an interval of u, for fixed parts in whole rows. *)
Lemma edge x0 x1 u0 u1 y1 y2 L0 L1 x w : sides_test x0 x1 u0 u1 L0 L1 = true -> (0 <= y1 <= s)%Z ->
  edge_test bits mu tau beta W D2 m x0 x1 u0 u1 L0 L1 y1 y2 = true -> q x0 <= x <= q x1 -> 0 <= w <= 1 ->
  exists n, slope rest D (mix w (q L0) (q L1)) (f (mix w (q u0) (q u1))) (q y1) (q y2) <= n /\ corner x (mix w (q u0) (q u1)) n <= q W.
Proof.
intros sides hy test hx hw. to_props sides. unfold edge_test in test.
set (k0 := slope_at _ _ _ _ _ L0 u0 y2) in *. set (k1 := slope_at _ _ _ _ _ L1 u1 y2) in *.
rewrite !Bool.andb_true_iff in test. destruct test as [[[c00 c10] c01] c11].
assert (h0 := slope_le L0 u0 y1 y2 ltac:(assumption) ltac:(assumption) hy). assert (h1 := slope_le L1 u1 y1 y2 ltac:(assumption) ltac:(lia) hy).
cbv zeta in h0, h1. fold k0 in h0. fold k1 in h1. assert (h := shares_parts). assert (r := row_parts). assert (lp := price_part).
assert (low : forall L u, (0 < L)%Z -> (0 <= u)%Z -> 0 <= slope rest D (q L) (f (q u)) (q y1) (q y2)).
{ intros L u hL hu. apply slope_nonneg.
  - apply Qmult_le_0_compat; lra.
  - now apply part_pos.
  - apply over_nonneg; [|lra]. apply Qmult_le_0_compat; [lra|now apply part_nonneg].
  - apply part_nonneg; lia. }
assert (l0 := low L0 u0 ltac:(assumption) ltac:(assumption)). assert (l1 := low L1 u1 ltac:(assumption) ltac:(lia)).
exists (mix w (q k0) (q k1)). split.
- apply Qle_trans with (mix w (slope rest D (q L0) (f (q u0)) (q y1) (q y2)) (slope rest D (q L1) (f (q u1)) (q y1) (q y2))); [|now apply mix_le].
  assert (e : f (mix w (q u0) (q u1)) == mix w (f (q u0)) (f (q u1))) by (unfold mix; field; now apply pos_nonzero).
  apply Qle_trans with (slope rest D (mix w (q L0) (q L1)) (mix w (f (q u0)) (f (q u1))) (q y1) (q y2)).
  + unfold slope. rewrite e. apply Qle_refl.
  + apply slope_between_u; [now apply part_pos|now apply part_pos|exact hw].
- rewrite corner_mix. assert (x01 : q x0 < q x1) by now apply part_lt.
  apply mix_below; [exact hw| |]; apply (corner_between_x _ _ _ _ _ (q x0) (q x1)); try assumption; try (now apply corner_le_W); lra.
Qed.

End Sound.

(** ** Parameters as they are given, rounded to the safe side *)

Lemma rounded_up s K n : (0 < s)%Z -> (0 < K)%Z -> part K n <= part s (up (n * s) K).
Proof.
intros s0 K0. assert (h := up_spec (n * s) K K0). rewrite Zle_Qle, !inject_Z_mult in h. assert (ps := inject_pos _ s0). assert (pK := inject_pos _ K0).
assert (ns := pos_nonzero _ ps). assert (nK := pos_nonzero _ pK).
apply (scaled (/ (inject_Z s * inject_Z K)) _ _ _ _ (inverse_nonneg _ (mult_pos _ _ ps pK)) h); unfold part; field; auto.
Qed.

Lemma rounded_down s K n : (0 < s)%Z -> (0 < K)%Z -> part s (n * s / K) <= part K n.
Proof.
intros s0 K0. assert (h := Z.mul_div_le (n * s) K K0). rewrite Zle_Qle, !inject_Z_mult in h. assert (ps := inject_pos _ s0). assert (pK := inject_pos _ K0).
assert (ns := pos_nonzero _ ps). assert (nK := pos_nonzero _ pK).
apply (scaled (/ (inject_Z s * inject_Z K)) _ _ _ _ (inverse_nonneg _ (mult_pos _ _ ps pK)) h); unfold part; field; auto.
Qed.

Lemma square_le (a b : Q) : 0 <= a -> a <= b -> a ^ 2 <= b ^ 2.
Proof. intros ha hab. rewrite !square_product. nra. Qed.

Lemma one_more (a : Q) : 0 <= a -> 0 <= 1 + a.
Proof. intros. lra. Qed.

Lemma plus_one (a b : Q) : a <= b -> 1 + a <= 1 + b.
Proof. intros. lra. Qed.
