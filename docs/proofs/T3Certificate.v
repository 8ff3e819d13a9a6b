(** * A certificate for W: T3

    docs/proofs/t3.md, section 4: that W bounds f, by branch and bound. A tree of boxes of x and u, halved at the middle; a leaf has a price of a word
    and a t between 1 and 2, in 2^-20ths. *)

From Coq Require Import QArith Lqa Lia.
From Pebble Require Import T3Function Multipliers BoxTest.
Local Open Scope Q_scope.

Inductive tree := Leaf (l t : Z) | Empty | SplitX (lower upper : tree) | SplitU (lower upper : tree).

Section Check.
Local Open Scope Z_scope.

Variables bits mu tau gamma delta beta W D2 : Z.
Let s := 2 ^ bits.
Notation told n := (Z.shiftl n (bits - 20)).

(** No share of the members that T3 lacks. *)
Definition of_leaf (l t : Z) := Multipliers (told l) (told t) 0 s s s 0.

Definition leaf_test (m : multipliers) (x0 x1 u0 u1 : Z) :=
  let left := left_of bits gamma delta beta m in let L0 := left_at bits D2 m left u0 in let L1 := left_at bits D2 m left u1 in
  shares_test bits m && sides_test x0 x1 u0 u1 L0 L1 && edge_test bits mu tau beta W D2 m x0 x1 u0 u1 L0 L1 0 s.

Fixpoint check (boxes : tree) (x0 x1 u0 u1 : Z) : bool :=
  match boxes with
  | Leaf l t => leaf_test (of_leaf l t) x0 x1 u0 u1
  | Empty => tau <? 2 * x0 + u0
  | SplitX lower upper => let x := (x0 + x1) / 2 in check lower x0 x u0 u1 && check upper x x1 u0 u1
  | SplitU lower upper => let u := (u0 + u1) / 2 in check lower x0 x1 u0 u && check upper x0 x1 u u1
  end.

(** The first box holds all x and u. *)
Definition rounded_certificate (boxes : tree) := row_sound bits gamma delta beta D2 && check boxes 0 (tau / 2 + 1) 0 tau.

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

Definition proved (x u : Q) := exists l t L, shares_test bits (of_leaf bits l t) = true /\ 0 < L /\ fits bits gamma delta beta (of_leaf bits l t) L u /\
  worth bits mu tau delta beta (of_leaf bits l t) L x u 0 x <= q W.

Lemma leaf_proves l t x0 x1 u0 u1 x u : leaf_test bits mu tau gamma delta beta W D2 (of_leaf bits l t) x0 x1 u0 u1 = true ->
  q x0 <= x <= q x1 -> q u0 <= u <= q u1 -> proved x u.
Proof.
unfold leaf_test. set (m := of_leaf bits l t). set (L0 := left_at bits D2 m (left_of bits gamma delta beta m) u0). set (L1 := left_at bits D2 m (left_of bits gamma delta beta m) u1).
rewrite !Bool.andb_true_iff. intros [[shares sides] test] hx hu. assert (h := sides). to_props h.
destruct (place (q u0) (q u1) u) as [w [hw eu]]; [now apply part_lt|exact hu|].
destruct (edge bits mu tau gamma delta beta W D2 b0 m shares row x0 x1 u0 u1 0 s L0 L1 x w) as [n [hn hW]]; try assumption; [lia|].
exists l, t, (mix w (q L0) (q L1)). fold m. split; [exact shares|].
assert (L_gt0 : 0 < mix w (q L0) (q L1)) by (apply mix_pos; [exact hw| |]; now apply part_pos). split; [exact L_gt0|split].
- destruct (fits_mix bits gamma delta beta b0 m shares w (q L0) (q L1) (q u0) (q u1) hw) as [a [b c]]; try (apply left_fits; assumption || lia).
  unfold fits. rewrite eu. auto.
- assert (e := worth_le bits mu tau delta beta W b0 m shares (mix w (q L0) (q L1)) x (mix w (q u0) (q u1)) (q 0) (q s) n L_gt0 hn hW).
  unfold worth, rectangle in *. rewrite part_0, part_1, Qmult_0_l, Qmult_1_l in e by exact b0. rewrite eu. exact e.
Qed.

Lemma check_proves boxes : forall x0 x1 u0 u1 x u, check bits mu tau gamma delta beta W D2 boxes x0 x1 u0 u1 = true ->
  q x0 <= x <= q x1 -> q u0 <= u <= q u1 -> 2 * x + u <= q tau -> proved x u.
Proof.
induction boxes as [l t| |lower IHl upper IHu|lower IHl upper IHu]; cbn [check]; intros x0 x1 u0 u1 x u h hx hu room.
- exact (leaf_proves _ _ _ _ _ _ _ _ h hx hu).
- apply Z.ltb_lt in h. apply (part_lt bits b0) in h. rewrite part_plus, part_double in h by exact b0. lra.
- apply andb_prop in h. destruct h as [h1 h2]. destruct (Qlt_le_dec (q ((x0 + x1) / 2)) x).
  + apply (IHu _ _ _ _ _ _ h2); try assumption. lra.
  + apply (IHl _ _ _ _ _ _ h1); try assumption. lra.
- apply andb_prop in h. destruct h as [h1 h2]. destruct (Qlt_le_dec (q ((u0 + u1) / 2)) u).
  + apply (IHu _ _ _ _ _ _ h2); try assumption. lra.
  + apply (IHl _ _ _ _ _ _ h1); try assumption. lra.
Qed.

End Sound.

Section Certified.

Variables bits mu tau gamma delta beta W D2 : Z.
Notation s := (2 ^ bits)%Z.

Lemma rounded_certified boxes : rounded_certificate bits mu tau gamma delta beta W D2 boxes = true -> t3_bounded s mu tau gamma delta beta W.
Proof.
unfold rounded_certificate. rewrite Bool.andb_true_iff. intros [row h]. assert (b0 := row_scale _ _ _ _ _ row).
intros cs cn c x u v a b cs0 cn0 c0 x0 u0 v0 few twice kept a0 ha b0' hb.
assert (s_gt0 : (0 < s)%Z) by now apply Z.pow_pos_nonneg.
destruct (row_parts bits gamma delta beta D2 b0 row) as [g0 [D0 be0]].
assert (gc : 0 <= part s gamma * c) by now apply Qmult_le_0_compat.
assert (half : part s tau <= 2 * part s (tau / 2 + 1)).
{ rewrite <- part_double by exact b0. apply part_le; [exact b0|]. assert (e' := Z.mul_succ_div_gt tau 2). lia. }
destruct (check_proves bits mu tau gamma delta beta W D2 row boxes _ _ _ _ x u h) as [l [t [L [shares [L0 [fit le_W]]]]]];
  try (rewrite part_0 by exact b0; lra); [lra|].
apply Qle_trans with (2 := le_W).
assert (D_is : 1 + part s delta == part s (s + delta)) by (rewrite part_plus, part_1 by exact b0; reflexivity). rewrite D_is in hb.
set (m := of_leaf bits l t) in *.
assert (capped_is : part s (capped m) == 0) by (apply part_0; exact b0). assert (resident_is : part s (resident m) == 1) by (apply part_1; exact b0).
apply (worth_bounds bits mu tau gamma delta beta D2 b0 m shares row L cs cn c x u v 0 x a a b 0); try assumption; rewrite ?capped_is, ?resident_is.
- lra.
- lra.
- setoid_replace (x - 0) with x by ring. exact ha.
- lra.
- assert (0 <= (cs + part s (s + delta) ^ 2 * cn) * (u * v)); [|simpl; lra].
  assert (0 <= part s (s + delta) ^ 2 * cn) by nonneg. assert (0 <= u * v) by now apply Qmult_le_0_compat. apply Qmult_le_0_compat; lra.
Qed.

End Certified.

(** A row rounded to the safe side. *)
Section Rounded.

Variables (s K mu tau gamma delta beta W mu' tau' gamma' delta' beta' W' : Z).
Hypotheses (le_mu : part K mu <= part s mu') (le_tau : part K tau <= part s tau') (le_gamma : part s gamma' <= part K gamma).
Hypotheses (le_delta : part K delta <= part s delta') (le_beta : part K beta <= part s beta') (le_W : part s W' <= part K W).
Hypothesis delta_ge0 : 0 <= part K delta.

Lemma t3_bounded_le : t3_bounded s mu' tau' gamma' delta' beta' W' -> t3_bounded K mu tau gamma delta beta W.
Proof.
intros bounded cs cn c x u v a b cs0 cn0 c0 x0 u0 v0 few twice kept a0 ha b0 hb.
assert (gc : part s gamma' * c <= part K gamma * c) by now apply Qmult_le_compat_r.
assert (ba : part K beta * a <= part s beta' * a) by now apply Qmult_le_compat_r.
apply Qle_trans with (2 := le_W). apply Qle_trans with (part s beta' * a + b); [lra|].
apply (bounded cs cn c x u v a b); try assumption; try lra.
apply Qle_trans with (1 := hb). apply Qmult_le_compat_r; [|now apply Qmult_le_0_compat].
assert (e := square_le _ _ (one_more _ delta_ge0) (plus_one _ _ le_delta)).
assert (p := Qmult_le_compat_r _ _ (cn + x ^ 2) e). assert (x2 := square_nonneg x). lra.
Qed.

End Rounded.

Theorem certified (bits K mu tau gamma delta beta W : Z) boxes : certificate bits K mu tau gamma delta beta W boxes = true ->
  t3_bounded K mu tau gamma delta beta W.
Proof.
unfold certificate. rewrite !Bool.andb_true_iff. intros [[K0 delta0] h]. apply Z.ltb_lt in K0. apply Z.leb_le in delta0.
assert (s0 : (0 < 2 ^ bits)%Z).
{ unfold rounded_certificate in h. rewrite Bool.andb_true_iff in h. apply Z.pow_pos_nonneg; [lia|]. exact (row_scale _ _ _ _ _ (proj1 h)). }
apply rounded_certified in h. revert h. apply t3_bounded_le; try (now apply rounded_up); try (now apply rounded_down).
apply over_nonneg; [now apply inject_nonneg|now apply inject_pos].
Qed.
