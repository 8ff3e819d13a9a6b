(** * A certificate for W: T4

    docs/proofs/t4.md, section 3: as T3Certificate.v, with boxes of x, η and u, η being the part of x in whole rows. A leaf has the price, t, the
    shares σ and ζ, and ξ, in 2^-20ths. *)

From Coq Require Import QArith Lqa Lia.
From Pebble Require Import T3Function T4Function Multipliers BoxTest.
Local Open Scope Q_scope.

Inductive tree := Leaf (l t sg zt xi : Z) | Empty | SplitX (lower upper : tree) | SplitY (lower upper : tree) | SplitU (lower upper : tree).

Section Check.
Local Open Scope Z_scope.

Variables bits mu tau gamma delta beta W D2 : Z.
Let s := 2 ^ bits.
Notation told n := (Z.shiftl n (bits - 20)).

Definition of_leaf (l t sg zt xi : Z) :=
  let zt := told zt in let xi := told xi in
  Multipliers (told l) (told t) (told sg) zt xi (up (zt * zt) xi) (up ((s - zt) * (s - zt)) (s - xi)).

Definition leaf_test (m : multipliers) (x0 x1 y0 y1 u0 u1 : Z) :=
  let left := left_of bits gamma delta beta m in let L0 := left_at bits D2 m left u0 in let L1 := left_at bits D2 m left u1 in
  shares_test bits m && sides_test x0 x1 u0 u1 L0 L1 && (0 <=? y0) && (y0 <? y1) && (y1 <=? s) &&
  edge_test bits mu tau beta W D2 m x0 x1 u0 u1 L0 L1 y0 y0 && edge_test bits mu tau beta W D2 m x0 x1 u0 u1 L0 L1 y1 y1.

Fixpoint check (boxes : tree) (x0 x1 y0 y1 u0 u1 : Z) : bool :=
  match boxes with
  | Leaf l t sg zt xi => leaf_test (of_leaf l t sg zt xi) x0 x1 y0 y1 u0 u1
  | Empty => tau <? 2 * x0 + u0
  | SplitX lower upper => let x := (x0 + x1) / 2 in check lower x0 x y0 y1 u0 u1 && check upper x x1 y0 y1 u0 u1
  | SplitY lower upper => let y := (y0 + y1) / 2 in check lower x0 x1 y0 y u0 u1 && check upper x0 x1 y y1 u0 u1
  | SplitU lower upper => let u := (u0 + u1) / 2 in check lower x0 x1 y0 y1 u0 u && check upper x0 x1 y0 y1 u u1
  end.

(** The first box holds all x, η and u. *)
Definition rounded_certificate (boxes : tree) := row_sound bits gamma delta beta D2 && check boxes 0 (tau / 2 + 1) 0 s 0 tau.

End Check.

(** Parameters are [K]-ths. *)
Definition certificate (bits K mu tau gamma delta beta W : Z) (boxes : tree) := (
  let s := 2 ^ bits in let ceiling n := up (n * s) K in
  (0 <? K) && (0 <=? delta) && rounded_certificate bits (ceiling mu) (ceiling tau) (gamma * s / K) (ceiling delta) (ceiling beta) (W * s / K)
    (up ((s + ceiling delta) * (s + ceiling delta)) s) boxes)%Z.

Section Sound.

Variables bits mu tau gamma delta beta W D2 : Z.
Hypothesis row : row_sound bits gamma delta beta D2 = true.
Notation s := (2 ^ bits)%Z.
Notation q := (part s).

Let b0 := row_scale _ _ _ _ _ row.
Let s_gt0 : (0 < s)%Z.
Proof. now apply Z.pow_pos_nonneg. Qed.

Definition proved (x y u : Q) := exists m L, shares_test bits m = true /\ 0 < L /\ fits bits gamma delta beta m L u /\
  worth bits mu tau delta beta m L x u (y * x) (y * x) <= q W.

Lemma leaf_proves m x0 x1 y0 y1 u0 u1 x y u : leaf_test bits mu tau gamma delta beta W D2 m x0 x1 y0 y1 u0 u1 = true ->
  q x0 <= x <= q x1 -> q y0 <= y <= q y1 -> q u0 <= u <= q u1 -> proved x y u.
Proof.
unfold leaf_test. set (L0 := left_at bits D2 m (left_of bits gamma delta beta m) u0). set (L1 := left_at bits D2 m (left_of bits gamma delta beta m) u1).
rewrite !Bool.andb_true_iff. intros [[[[[[shares sides] y00] y01] y1s] test0] test1] hx hy hu. assert (h := sides). to_props h.
destruct (place (q u0) (q u1) u) as [w [hw eu]]; [now apply part_lt|exact hu|].
destruct (place (q y0) (q y1) y) as [z [hz ey]]; [now apply part_lt|exact hy|].
destruct (edge bits mu tau gamma delta beta W D2 b0 m shares row x0 x1 u0 u1 y0 y0 L0 L1 x w) as [n0 [hn0 hW0]]; try assumption; [lia|].
destruct (edge bits mu tau gamma delta beta W D2 b0 m shares row x0 x1 u0 u1 y1 y1 L0 L1 x w) as [n1 [hn1 hW1]]; try assumption; [lia|].
assert (L_gt0 : 0 < mix w (q L0) (q L1)) by (apply mix_pos; [exact hw| |]; now apply part_pos).
exists m, (mix w (q L0) (q L1)). split; [exact shares|split; [exact L_gt0|split]].
- destruct (fits_mix bits gamma delta beta b0 m shares w (q L0) (q L1) (q u0) (q u1) hw) as [a [b c]]; try (apply left_fits; assumption || lia).
  unfold fits. rewrite eu. auto.
- assert (f0 : 0 <= q (first m) * mix w (q u0) (q u1) / (4 * q (price m))).
  { apply over_nonneg; [|assert (p := price_part bits b0 m shares); lra]. destruct (shares_parts bits b0 m shares) as [_ [_ [_ [_ [e10 _]]]]].
    apply Qmult_le_0_compat; [exact e10|]. rewrite <- eu. apply Qle_trans with (q u0); [now apply part_nonneg|apply hu]. }
  assert (between := slope_between_y (q beta * (1 - q (capped m))) (q (s + delta)) _ _ (q y0) (q y1) z L_gt0 f0 hz).
  assert (le_W : worth bits mu tau delta beta m (mix w (q L0) (q L1)) x (mix w (q u0) (q u1)) (mix z (q y0) (q y1) * x) (mix z (q y0) (q y1) * x) <= q W).
  { apply (worth_le bits mu tau delta beta W b0 m shares _ _ _ _ _ (mix z n0 n1) L_gt0).
    - apply Qle_trans with (1 := between). now apply mix_le.
    - assert (e : corner (q mu) (q tau) (q (price m)) (q (held m)) x (mix w (q u0) (q u1)) (mix z n0 n1) ==
        mix z (corner (q mu) (q tau) (q (price m)) (q (held m)) x (mix w (q u0) (q u1)) n0) (corner (q mu) (q tau) (q (price m)) (q (held m)) x (mix w (q u0) (q u1)) n1)).
      { unfold corner, mix. ring. }
      rewrite e. now apply mix_below. }
  unfold worth, rectangle in *. rewrite eu, ey. exact le_W.
Qed.

Lemma check_proves boxes : forall x0 x1 y0 y1 u0 u1 x y u, check bits mu tau gamma delta beta W D2 boxes x0 x1 y0 y1 u0 u1 = true ->
  q x0 <= x <= q x1 -> q y0 <= y <= q y1 -> q u0 <= u <= q u1 -> 2 * x + u <= q tau -> proved x y u.
Proof.
induction boxes as [l t sg zt xi| |lower IHl upper IHu|lower IHl upper IHu|lower IHl upper IHu]; cbn [check];
  intros x0 x1 y0 y1 u0 u1 x y u h hx hy hu room.
- exact (leaf_proves _ _ _ _ _ _ _ _ _ _ h hx hy hu).
- apply Z.ltb_lt in h. apply (part_lt bits b0) in h. rewrite part_plus, part_double in h by exact b0. lra.
- apply andb_prop in h. destruct h as [h1 h2]. destruct (Qlt_le_dec (q ((x0 + x1) / 2)) x).
  + apply (IHu _ _ _ _ _ _ _ _ _ h2); try assumption. lra.
  + apply (IHl _ _ _ _ _ _ _ _ _ h1); try assumption. lra.
- apply andb_prop in h. destruct h as [h1 h2]. destruct (Qlt_le_dec (q ((y0 + y1) / 2)) y).
  + apply (IHu _ _ _ _ _ _ _ _ _ h2); try assumption. lra.
  + apply (IHl _ _ _ _ _ _ _ _ _ h1); try assumption. lra.
- apply andb_prop in h. destruct h as [h1 h2]. destruct (Qlt_le_dec (q ((u0 + u1) / 2)) u).
  + apply (IHu _ _ _ _ _ _ _ _ _ h2); try assumption. lra.
  + apply (IHl _ _ _ _ _ _ _ _ _ h1); try assumption. lra.
Qed.

End Sound.

(** The part of x in whole rows. *)
Lemma part_of (x h : Q) : 0 <= h -> h <= x -> exists y, 0 <= y <= 1 /\ h == y * x.
Proof.
intros h0 le. destruct (Qlt_le_dec 0 x) as [x0|x0].
- exists (h / x). split; [split|].
  + apply over_nonneg; assumption.
  + apply (scaled (/ x) h x); [now apply inverse_nonneg|exact le|reflexivity|field; now apply pos_nonzero].
  + field. now apply pos_nonzero.
- exists 0. split; lra.
Qed.

Section Certified.

Variables bits mu tau gamma delta beta W D2 : Z.
Notation s := (2 ^ bits)%Z.

Lemma rounded_certified boxes : rounded_certificate bits mu tau gamma delta beta W D2 boxes = true -> t4_bounded s mu tau gamma delta beta W.
Proof.
unfold rounded_certificate. rewrite Bool.andb_true_iff. intros [row h]. assert (b0 := row_scale _ _ _ _ _ row).
intros cs cn c x u v whole a r b e cs0 cn0 c0 x0 u0 v0 whole0 le_whole few twice kept a0 le_a r0 hr le_r b0' hb e0 he le_b.
destruct (part_of x whole whole0 le_whole) as [y [hy ey]].
assert (s_gt0 : (0 < s)%Z) by now apply Z.pow_pos_nonneg.
destruct (row_parts bits gamma delta beta D2 b0 row) as [g0 [D0 be0]].
assert (gc : 0 <= part s gamma * c) by now apply Qmult_le_0_compat.
assert (half : part s tau <= 2 * part s (tau / 2 + 1)).
{ rewrite <- part_double by exact b0. apply part_le; [exact b0|]. assert (e' := Z.mul_succ_div_gt tau 2). lia. }
destruct (check_proves bits mu tau gamma delta beta W D2 row boxes _ _ _ _ _ _ x y u h) as [m [L [shares [L0 [fit le_W]]]]];
  try (rewrite part_0 by exact b0; rewrite ?part_1 by exact b0; lra); [lra|].
apply Qle_trans with (2 := le_W).
assert (D_is : 1 + part s delta == part s (s + delta)) by (rewrite part_plus, part_1 by exact b0; reflexivity). rewrite D_is in hb, he, le_b.
destruct (shares_parts bits b0 m shares) as [_ [sg01 [zt01 _]]].
apply (worth_bounds bits mu tau gamma delta beta D2 b0 m shares row L cs cn c x u v (y * x) (y * x) a r b e); try assumption; rewrite <- ?ey.
- apply product_le; [apply sg01|exact le_a].
- exact le_r.
- exact hr.
- exact hb.
- apply product_le; [lra|exact le_b].
Qed.

End Certified.

(** A row rounded to the safe side. *)
Section Rounded.

Variables (s K mu tau gamma delta beta W mu' tau' gamma' delta' beta' W' : Z).
Hypotheses (le_mu : part K mu <= part s mu') (le_tau : part K tau <= part s tau') (le_gamma : part s gamma' <= part K gamma).
Hypotheses (le_delta : part K delta <= part s delta') (le_beta : part K beta <= part s beta') (le_W : part s W' <= part K W).
Hypothesis delta_ge0 : 0 <= part K delta.

Lemma t4_bounded_le : t4_bounded s mu' tau' gamma' delta' beta' W' -> t4_bounded K mu tau gamma delta beta W.
Proof.
intros bounded cs cn c x u v h a r b e cs0 cn0 c0 x0 u0 v0 h0 le_h few twice kept a0 le_a r0 hr le_r b0 hb e0 he le_b.
assert (gc : part s gamma' * c <= part K gamma * c) by now apply Qmult_le_compat_r.
assert (ba : part K beta * a <= part s beta' * a) by now apply Qmult_le_compat_r.
assert (dc : part K delta * c <= part s delta' * c) by now apply Qmult_le_compat_r.
assert (sq := square_le _ _ (one_more _ delta_ge0) (plus_one _ _ le_delta)). assert (h2 := square_nonneg h).
assert (uv : 0 <= u * v) by now apply Qmult_le_0_compat.
apply Qle_trans with (2 := le_W). apply Qle_trans with (part s beta' * a + b); [lra|].
apply (bounded cs cn c x u v h a r b e); try assumption; try lra.
- apply Qle_trans with (1 := hb). apply Qmult_le_compat_r; [|exact uv]. assert (p := Qmult_le_compat_r _ _ (cn + h ^ 2) sq). lra.
- apply Qle_trans with (1 := he). apply Qmult_le_compat_r; [|exact uv]. assert (p := Qmult_le_compat_r _ _ cn sq). lra.
Qed.

End Rounded.


Theorem certified (bits K mu tau gamma delta beta W : Z) boxes : certificate bits K mu tau gamma delta beta W boxes = true ->
  t4_bounded K mu tau gamma delta beta W.
Proof.
unfold certificate. rewrite !Bool.andb_true_iff. intros [[K0 delta0] h]. apply Z.ltb_lt in K0. apply Z.leb_le in delta0.
assert (s0 : (0 < 2 ^ bits)%Z).
{ unfold rounded_certificate in h. rewrite Bool.andb_true_iff in h. apply Z.pow_pos_nonneg; [lia|]. exact (row_scale _ _ _ _ _ (proj1 h)). }
apply rounded_certified in h. revert h. apply t4_bounded_le; try (now apply rounded_up); try (now apply rounded_down).
apply over_nonneg; [now apply inject_nonneg|now apply inject_pos].
Qed.
