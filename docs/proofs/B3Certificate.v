(** * A certificate for W: B3

    docs/proofs/b3.md, section 4: that W bounds f, by branch and bound. A tree of boxes of q, k and o, halved at the middle. A leaf has a price of a word
    and shares of the members of the minima; what these leave is computed at the eight corners. *)

From Coq Require Import QArith Qminmax Lqa Lia.
From Pebble Require Import T3Function B3Function Multipliers B3Multipliers BoxTest.
Local Open Scope Q_scope.

(** ** The test, in whole numbers of [s]-ths; shares of E are 1,024ths *)

Inductive tree := Leaf (l a1 a2 fK fQ e1 e2 e3 alpha : Z) | Plain (l e1 e2 e3 : Z) | Empty |
  SplitQ (lower upper : tree) | SplitK (lower upper : tree) | SplitO (lower upper : tree).

(** What is chosen for a corner. *)
Record corner := Corner { zq : Z; zk : Z; zo : Z; zV : Z; zK : Z; zQ : Z; zleft : Z; zroot : Z }.

(** What holds for all of a box: [begun] is γ times the price, and [mV], [mK] and [mQ] are the squares of the weights without their shares. *)
Record prices := Prices { price : Z; by_q : Z; by_k : Z; share_K : Z; share_Q : Z; first : Z; second : Z; third : Z; mixed : Z;
  begun : Z; mV : Z; mK : Z; mQ : Z }.

Section Check.
Local Open Scope Z_scope.

Variables s tau gamma wS wP wV wK wQ W : Z.
Variable plain : bool.
Notation u := 1024.
Definition up_u (n : Z) := - Z.shiftr (- n) 10.

(** wS², computed once. *)
Variable wSS : Z.

Definition of_leaf (l a1 a2 fK fQ e1 e2 e3 alpha : Z) :=
  let square n := n * n in
  Prices l a1 a2 fK fQ e1 e2 e3 alpha (gamma * l / s) (square (wV - a1 - a2)) (square (wK - fK)) (square (wQ - fQ)).

Definition prices_test (m : prices) := (0 <? price m) && (0 <=? by_q m) && (0 <=? by_k m) && (0 <=? share_K m) && (0 <=? share_Q m) &&
  (0 <=? first m) && (0 <=? second m) && (0 <=? third m) && (0 <=? u - first m - second m - third m) && (0 <=? mixed m) && (mixed m <=? u) &&
  (negb plain || ((by_q m =? 0) && (by_k m =? 0) && (share_K m =? 0) && (share_Q m =? 0))) && (begun m * s <=? gamma * price m) &&
  ((wV - by_q m - by_k m) * (wV - by_q m - by_k m) =? mV m) && ((wK - share_K m) * (wK - share_K m) =? mK m) &&
  ((wQ - share_Q m) * (wQ - share_Q m) =? mQ m).

(** 1,024 ϱ. *)
Definition nearer (m : prices) q o := mixed m * q + (u - mixed m) * o.

Definition for_V (m : prices) q o := up (mV m * o) (4 * (s * price m - by_q m * q)).
Definition for_K (m : prices) q o := up (u * (mK m * q)) (4 * (u * (s * price m) - share_K m * nearer m q o)).
Definition for_Q (m : prices) k := up (mQ m * k) (4 * (s * price m - share_Q m * k)).

Definition corner_at (m : prices) q k o A BK BQ :=
  let left := Z.min (begun m) (price m - A - by_q m - by_k m - share_K m - share_Q m - up_u ((u - second m) * (BK + BQ))) in
  Corner q k o A BK BQ left (up wSS (4 * left)).

Definition corner_test (m : prices) (most : Z) (c : corner) :=
  let l := price m in let B := zK c + zQ c in let near := nearer m (zq c) (zo c) in
  let V := s * l - by_q m * zq c in let K := u * (s * l) - share_K m * near in let Q := s * l - share_Q m * zk c in
  (0 <=? zq c) && (0 <=? zk c) && (0 <=? zo c) && (0 <=? zV c) && (0 <=? zK c) && (0 <=? zQ c) && (0 <=? zleft c) && (0 <=? zroot c) &&
  (0 <=? V) && (mV m * zo c <=? 4 * (zV c * V)) && (0 <=? K) && (u * (mK m * zq c) <=? 4 * (zK c * K)) && (0 <=? Q) && (mQ m * zk c <=? 4 * (zQ c * Q)) &&
  (zleft c <=? begun m) && (u * (zleft c + zV c + by_q m + by_k m + share_K m + share_Q m) + (u - second m) * B <=? u * l) &&
  (wSS <=? 4 * (zleft c * zroot c)) && (B <=? most) &&
  (u * (u * (s * (l * (tau - zq c - zk c - zo c)))) +
    zk c * (u * ((u * (zroot c + zV c) + first m * B) * zq c + u * (by_k m * zo c)) + third m * B * near) <=? u * (u * (s * (s * W)))).

Definition order_test (x y : corner) := (zq x <=? zq y) && (zk x <=? zk y) && (zo x <=? zo y) && (zV x <=? zV y) && (zK x <=? zK y) && (zQ x <=? zQ y) &&
  (zleft y <=? zleft x) && (zroot x <=? zroot y).

(** What is left for pairs of dP, and for V, at the upper corner. *)
Definition rest_test (m : prices) (most q o : Z) :=
  let l := price m in let fourth := u - first m - second m - third m in
  let R := Z.min (begun m) (l - share_K m - share_Q m - up_u ((u - first m) * most)) in
  let paid := most * (u * (second m * o) + fourth * nearer m q o) in
  let V := l - up paid (u * (u * s)) in
  (0 <=? R) && (0 <=? V) && (R <=? begun m) && (u * (R + share_K m + share_Q m) + (u - first m) * most <=? u * l) &&
  (most + share_K m + share_Q m <=? l) && (u * (u * (s * V)) + paid <=? u * (u * (s * l))) && (wP * wP * o <=? 4 * (s * (R * V))).

Definition leaf_test (m : prices) (q0 q1 k0 k1 o0 o1 : Z) :=
  let V00 := for_V m q0 o0 in let V10 := for_V m q1 o0 in let V01 := for_V m q0 o1 in let V11 := for_V m q1 o1 in
  let K00 := for_K m q0 o0 in let K10 := for_K m q1 o0 in let K01 := for_K m q0 o1 in let K11 := for_K m q1 o1 in
  let Q0 := for_Q m k0 in let Q1 := for_Q m k1 in let most := K11 + Q1 in
  let c000 := corner_at m q0 k0 o0 V00 K00 Q0 in let c100 := corner_at m q1 k0 o0 V10 K10 Q0 in
  let c010 := corner_at m q0 k1 o0 V00 K00 Q1 in let c110 := corner_at m q1 k1 o0 V10 K10 Q1 in
  let c001 := corner_at m q0 k0 o1 V01 K01 Q0 in let c101 := corner_at m q1 k0 o1 V11 K11 Q0 in
  let c011 := corner_at m q0 k1 o1 V01 K01 Q1 in let c111 := corner_at m q1 k1 o1 V11 K11 Q1 in
  (q0 <? q1) && (k0 <? k1) && (o0 <? o1) && prices_test m && rest_test m most q1 o1 &&
  (corner_test m most c000 && corner_test m most c100 && corner_test m most c010 && corner_test m most c110 &&
   corner_test m most c001 && corner_test m most c101 && corner_test m most c011 && corner_test m most c111) &&
  (order_test c000 c100 && order_test c010 c110 && order_test c001 c101 && order_test c011 c111) &&
  (order_test c000 c010 && order_test c100 c110 && order_test c001 c011 && order_test c101 c111) &&
  (order_test c000 c001 && order_test c100 c101 && order_test c010 c011 && order_test c110 c111).

(** A leaf tells its shares of weights in 2^[shift] s-ths. *)
Variable shift : Z.
Notation told n := (Z.shiftl n shift).

Fixpoint check (boxes : tree) (q0 q1 k0 k1 o0 o1 : Z) : bool :=
  match boxes with
  | Leaf l a1 a2 fK fQ e1 e2 e3 alpha => leaf_test (of_leaf l (told a1) (told a2) (told fK) (told fQ) e1 e2 e3 alpha) q0 q1 k0 k1 o0 o1
  | Plain l e1 e2 e3 => leaf_test (of_leaf l 0 0 0 0 e1 e2 e3 512) q0 q1 k0 k1 o0 o1
  | Empty => tau <? q0 + k0 + o0
  | SplitQ lower upper => let q := (q0 + q1) / 2 in check lower q0 q k0 k1 o0 o1 && check upper q q1 k0 k1 o0 o1
  | SplitK lower upper => let k := (k0 + k1) / 2 in check lower q0 q1 k0 k o0 o1 && check upper q0 q1 k k1 o0 o1
  | SplitO lower upper => let o := (o0 + o1) / 2 in check lower q0 q1 k0 k1 o0 o && check upper q0 q1 k0 k1 o o1
  end.

(** The first box holds all q, k and o. *)
Definition rounded_certificate (boxes : tree) := (0 <? s) && (0 <=? gamma) && (wS * wS <=? wSS) && check boxes 0 tau 0 tau 0 tau.

End Check.

(** Parameters are [K]-ths. *)
Definition certificate (bits K tau gamma wS wP wV wK wQ W : Z) (plain : bool) (boxes : tree) := (
  let s := 2 ^ bits in let ceiling n := up (n * s) K in
  (0 <? K) && rounded_certificate s (ceiling tau) (gamma * s / K) (ceiling wS) (ceiling wP) (ceiling wV) (ceiling wK) (ceiling wQ) (W * s / K) plain
    (ceiling wS * ceiling wS) (bits - 10) boxes)%Z.

(** ** The test is right *)

Ltac whole h := rewrite Zle_Qle in h; unfold Z.sub in h; repeat rewrite ?inject_Z_plus, ?inject_Z_mult, ?inject_Z_opp in h.
Ltac parts := unfold part, Z.sub; repeat rewrite ?inject_Z_plus, ?inject_Z_mult, ?inject_Z_opp.
Ltac tests h := rewrite ?Bool.andb_true_iff in h; decompose [and] h; clear h;
  repeat match goal with h : (_ <? _)%Z = true |- _ => apply Z.ltb_lt in h | h : (_ <=? _)%Z = true |- _ => apply Z.leb_le in h
                       | h : (_ =? _)%Z = true |- _ => apply Z.eqb_eq in h end.

Section Sound.

Variables s tau gamma wS wP wV wK wQ W wSS : Z.
Variable plain : bool.
Hypotheses (s_gt0 : (0 < s)%Z) (wSS_is : (wS * wS <= wSS)%Z).
Notation u := 1024%Z.
Notation r := (part s).
Notation share := (part u).
Let k := inject_Z s.
Let n := inject_Z u.

Let k_gt0 : 0 < k.
Proof. now apply inject_pos. Qed.
Let n_gt0 : 0 < n.
Proof. now apply inject_pos. Qed.
Let hk := pos_nonzero _ k_gt0.
Let hn := pos_nonzero _ n_gt0.

Lemma units_le K a b : (0 < K)%Z -> (a <= b)%Z -> part K a <= part K b.
Proof. intros hK h. rewrite Zle_Qle in h. apply Qmult_le_compat_r; [exact h|]. apply inverse_nonneg. now apply inject_pos. Qed.

Lemma units_lt a b : (a < b)%Z -> r a < r b.
Proof. intros h. rewrite Zlt_Qlt in h. apply Qmult_lt_compat_r; [now apply Qinv_lt_0_compat|exact h]. Qed.

Lemma units_0 K : part K 0 == 0.
Proof. unfold part, Qdiv. apply Qmult_0_l. Qed.

Lemma units_nonneg K a : (0 < K)%Z -> (0 <= a)%Z -> 0 <= part K a.
Proof. intros hK h. rewrite <- (units_0 K). now apply units_le. Qed.

Lemma units_plus a b : r (a + b) == r a + r b.
Proof. unfold part. rewrite inject_Z_plus. field. exact hk. Qed.

Definition real (c : corner) := State (r (zq c)) (r (zk c)) (r (zo c)) (r (zV c)) (r (zK c)) (r (zQ c)) (r (zleft c)) (r (zroot c)).

Variable m : prices.
Hypothesis right : prices_test s gamma wV wK wQ plain m = true.

Notation l := (r (price m)).
Notation a1 := (r (by_q m)).
Notation a2 := (r (by_k m)).
Notation fK := (r (share_K m)).
Notation fQ := (r (share_Q m)).
Notation cV := (r wV - a1 - a2).
Notation cK := (r wK - fK).
Notation cQ := (r wQ - fQ).
Notation e1 := (share (first m)).
Notation e2 := (share (second m)).
Notation e3 := (share (third m)).
Notation alpha := (share (mixed m)).
Notation holds := (holds (r tau) (r gamma) (r wS) cV cK cQ (r W) l a1 a2 fK fQ e1 e2 e3 alpha).

Lemma prices_parts : 0 < l /\ 0 <= a1 /\ 0 <= a2 /\ 0 <= fK /\ 0 <= fQ /\ 0 <= e1 /\ 0 <= e2 /\ 0 <= e3 /\ 0 <= 1 - e1 - e2 - e3 /\ 0 <= alpha <= 1.
Proof.
assert (h := right). unfold prices_test in h. tests h. rewrite <- (units_0 s) at 1. split; [now apply units_lt|].
assert (one : share u == 1) by (unfold part; apply Qmult_inv_r; exact hn).
repeat split; try (apply units_nonneg; [assumption || reflexivity|assumption]).
- assert (e : 1 - e1 - e2 - e3 == share (u - first m - second m - third m)) by (parts; field; exact hn).
  rewrite e. apply units_nonneg; [reflexivity|assumption].
- rewrite <- one. apply units_le; [reflexivity|assumption].
Qed.

Lemma plain_shares : plain = true -> a1 == 0 /\ a2 == 0 /\ fK == 0 /\ fQ == 0.
Proof.
intros pl. assert (h := right). unfold prices_test in h. rewrite pl in h. cbn [negb orb] in h. tests h.
repeat match goal with e : _ = 0%Z |- _ => rewrite e; clear e end. rewrite units_0. repeat split; reflexivity.
Qed.

Lemma begun_le : r (begun m) <= r gamma * l.
Proof.
assert (h := right). unfold prices_test in h. tests h. match goal with h : (begun m * s <= _)%Z |- _ => whole h; fold k in h;
  apply (scaled (/ (k * k)) _ _ _ _ (inverse_nonneg _ (mult_pos _ _ k_gt0 k_gt0)) h) end; parts; fold k; field; exact hk.
Qed.

(** Squares of weights. *)
Lemma squares : (mV m = (wV - by_q m - by_k m) * (wV - by_q m - by_k m) /\ mK m = (wK - share_K m) * (wK - share_K m) /\
  mQ m = (wQ - share_Q m) * (wQ - share_Q m))%Z.
Proof. assert (h := right). unfold prices_test in h. tests h. auto. Qed.

Let i1 := inverse_nonneg _ k_gt0.
Let i2 := inverse_nonneg _ (mult_pos _ _ k_gt0 k_gt0).
Let i3 := inverse_nonneg _ (mult_pos _ _ k_gt0 (mult_pos _ _ k_gt0 k_gt0)).
Let j1 := inverse_nonneg _ (mult_pos _ _ n_gt0 k_gt0).
Let j2 := inverse_nonneg _ (mult_pos _ _ n_gt0 (mult_pos _ _ k_gt0 k_gt0)).
Let j3 := inverse_nonneg _ (mult_pos _ _ n_gt0 (mult_pos _ _ k_gt0 (mult_pos _ _ k_gt0 k_gt0))).
Let jj2 := inverse_nonneg _ (mult_pos _ _ n_gt0 (mult_pos _ _ n_gt0 (mult_pos _ _ k_gt0 k_gt0))).
Let jj3 := inverse_nonneg _ (mult_pos _ _ n_gt0 (mult_pos _ _ n_gt0 (mult_pos _ _ k_gt0 (mult_pos _ _ k_gt0 k_gt0)))).

Ltac from i h := whole h; fold k in h; fold n in h; apply (scaled _ _ _ _ _ i h); unfold near, for_E, real; cbn [at_q at_k at_o of_V of_K of_Q left root];
  parts; fold k; fold n; change (inject_Z 4) with 4; change (inject_Z 0) with 0; field; auto.

Lemma corner_holds most c : corner_test s tau W wSS m most c = true -> holds (r most) (real c).
Proof.
intros h. assert (sq := squares). destruct sq as [eV [eK eQ]]. unfold corner_test, nearer in h. rewrite eV, eK, eQ in h.
repeat (apply andb_prop in h; let x := fresh "t" in destruct h as [h x]; apply Z.leb_le in x). apply Z.leb_le in h.
constructor; try (apply units_nonneg; assumption).
- apply Qle_minus_iff. from i2 t9.
- from i3 t8.
- apply Qle_minus_iff. from j2 t7.
- from j3 t6.
- apply Qle_minus_iff. from i2 t5.
- from i3 t4.
- apply Qle_trans with (2 := begun_le). now apply units_le.
- from j1 t2.
- assert (t1' := Z.le_trans _ _ _ wSS_is t1). from i2 t1'.
- from i1 t0.
- from jj3 t.
Qed.

(** What is left for pairs of dP, and for words of V. *)
Lemma rest_holds most q o : rest_test s wP m most q o = true -> exists R V, 0 <= R /\ 0 <= V /\ R <= r gamma * l /\
  R + (1 - e1) * r most + fK + fQ <= l /\ r most + fK + fQ <= l /\
  V + r most * (e2 * r o + (1 - e1 - e2 - e3) * (alpha * r q + (1 - alpha) * r o)) <= l /\ r wP ^ 2 * r o <= 4 * (R * V).
Proof.
unfold rest_test, nearer. set (R := Z.min _ _). set (V := Z.sub (price m) (up _ _)). intros h.
repeat (apply andb_prop in h; let x := fresh "t" in destruct h as [h x]; apply Z.leb_le in x). apply Z.leb_le in h.
exists (r R), (r V). repeat split.
- now apply units_nonneg.
- now apply units_nonneg.
- apply Qle_trans with (2 := begun_le). now apply units_le.
- from j1 t2.
- from i1 t1.
- from jj2 t0.
- from i3 t.
Qed.

Definition bounded_at (q k o : Q) := forall v uV uK uQ p p' r r' x aS aP aV aK aQ : Q,
  0 <= v -> 0 <= uV -> 0 <= uK -> 0 <= uQ -> 0 <= p -> 0 <= p' -> 0 <= r -> 0 <= r' -> 0 <= x ->
  b3_weight s gamma q k o v uV uK uQ p p' r r' x <= part s tau ->
  b3_within plain q k o v uV uK uQ p p' r r' x aS aP aV aK aQ ->
  part s wS * aS + part s wP * aP + part s wV * aV + part s wK * aK + part s wQ * aQ <= part s W.

Lemma share_le a b c : (plain = true -> a == 0) -> (plain = false -> b <= c) -> 0 <= a -> a * b <= a * c.
Proof.
intros z le a0. destruct plain.
- rewrite (z eq_refl). lra.
- apply product_le; auto.
Qed.

Lemma point (x : state) most q1 o1 : rest_test s wP m most q1 o1 = true -> holds (r most) x -> at_q x <= r q1 -> at_o x <= r o1 ->
  bounded_at (at_q x) (at_k x) (at_o x).
Proof.
intros rest hx le_q le_o v uV uK uQ p p' d d' y aS aP aV aK aQ v0 uV0 uK0 uQ0 p0 p'0 d0 d'0 y0 few [[hS hP] [[hV [hK hQ]] second]].
destruct (rest_holds _ _ _ rest) as [R [V [R0 [V0 [leR [leftP [leftS [leftV byP]]]]]]]].
destruct prices_parts as [l0 [a10 [a20 [fK0 [fQ0 [e10 [e20 [e30 [e40 alpha01]]]]]]]]].
assert (pl := plain_shares).
assert (le_near : near alpha x <= alpha * r q1 + (1 - alpha) * r o1).
{ unfold near. assert (h1 := product_le alpha _ _ (proj1 alpha01) le_q). assert (h2 := product_le (1 - alpha) _ _ ltac:(lra) le_o). lra. }
assert (h := point_bounds (r tau) (r gamma) (r wS) cV cK cQ (r W) l a1 a2 fK fQ e1 e2 e3 alpha (r most) fK0 e10 e30 alpha01
  (r wP) R V _ (r o1) l0 R0 V0 e20 e40 leR leftP leftS leftV byP x hx le_near le_o v uV uK uQ p p' d d' y aS aP aV aK aQ).
apply Qle_trans with (r wS * aS + r wP * aP + (cV + a1 + a2) * aV + (cK + fK) * aK + (cQ + fQ) * aQ); [apply Qle_lteq; right; ring|].
apply h; try assumption.
- apply share_le; [intros t; apply (pl t)|intros t; destruct (second t) as [t1 _]; apply Qle_trans with (1 := t1), Q.le_min_l|exact a10].
- apply share_le; [intros t; apply (pl t)|intros t; destruct (second t) as [t1 _]; apply Qle_trans with (1 := t1), Q.le_min_r|exact a20].
- apply share_le; [intros t; apply (pl t)|intros t; apply (second t)|exact fK0].
- apply share_le; [intros t; apply (pl t)|intros t; apply (second t)|exact fQ0].
Qed.

Lemma order_holds x y : order_test x y = true -> ordered (real x) (real y).
Proof.
intros h. unfold order_test in h. repeat (apply andb_prop in h; let x := fresh "t" in destruct h as [h x]; apply Z.leb_le in x). apply Z.leb_le in h.
constructor; now apply units_le.
Qed.

Lemma holds_at most x y z x' y' z' A B C L J : x == x' -> y == y' -> z == z' -> holds most (State x y z A B C L J) -> holds most (State x' y' z' A B C L J).
Proof. intros ex ey ez h. destruct h. constructor; unfold near, for_E in *; cbn [at_q at_k at_o of_V of_K of_Q left root] in *; rewrite <- ?ex, <- ?ey, <- ?ez; assumption. Qed.

(** The corners of a box, whatever is chosen for them. *)
Lemma corners_prove (c : bool -> bool -> bool -> corner) most q0 q1 k0 k1 o0 o1 x y z : (q0 < q1)%Z -> (k0 < k1)%Z -> (o0 < o1)%Z ->
  (forall i j n, zq (c i j n) = if i then q1 else q0) -> (forall i j n, zk (c i j n) = if j then k1 else k0) ->
  (forall i j n, zo (c i j n) = if n then o1 else o0) -> rest_test s wP m most q1 o1 = true ->
  (forall i j n, corner_test s tau W wSS m most (c i j n) = true) -> (forall j n, order_test (c false j n) (c true j n) = true) ->
  (forall i n, order_test (c i false n) (c i true n) = true) -> (forall i j, order_test (c i j false) (c i j true) = true) ->
  r q0 <= x <= r q1 -> r k0 <= y <= r k1 -> r o0 <= z <= r o1 -> bounded_at x y z.
Proof.
intros lt_q lt_k lt_o at_q' at_k' at_o' rest corners order_q order_k order_o hx hy hz.
destruct (place (r q0) (r q1) x) as [wq [hwq ex]]; [now apply units_lt|exact hx|].
destruct (place (r k0) (r k1) y) as [wk [hwk ey]]; [now apply units_lt|exact hy|].
destruct (place (r o0) (r o1) z) as [wo [hwo ez]]; [now apply units_lt|exact hz|].
destruct prices_parts as [_ [a10 [a20 [fK0 [fQ0 [e10 [_ [e30 [_ alpha01]]]]]]]]].
assert (h := cube (r tau) (r gamma) (r wS) cV cK cQ (r W) l a1 a2 fK fQ e1 e2 e3 alpha (r most) a10 a20 fK0 fQ0 e10 e30 alpha01
  (fun i j n => real (c i j n)) wq wk wo hwq hwk hwo (fun i j n => corner_holds _ _ (corners i j n)) (fun j n => order_holds _ _ (order_q j n))
  (fun i n => order_holds _ _ (order_k i n)) (fun i j => order_holds _ _ (order_o i j))).
match type of h with B3Multipliers.holds _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ ?there => set (t := there) in * end.
assert (eq : at_q t == x) by (unfold t, between, real; cbn [at_q]; rewrite !at_q', ex; unfold mix; ring).
assert (ek : at_k t == y) by (unfold t, between, real; cbn [at_k]; rewrite !at_k', ey; unfold mix; ring).
assert (eo : at_o t == z) by (unfold t, between, real; cbn [at_o]; rewrite !at_o', ez; unfold mix; ring).
clearbody t. destruct t as [tq tk to A B C L J]. cbn [at_q at_k at_o] in eq, ek, eo.
apply (point (State x y z A B C L J) most q1 o1 rest); cbn [at_q at_o]; [|apply hx|apply hz].
now apply (holds_at _ tq tk to).
Qed.

Lemma leaf_proves q0 q1 k0 k1 o0 o1 x y z : leaf_test s tau gamma wP wV wK wQ W plain wSS m q0 q1 k0 k1 o0 o1 = true ->
  r q0 <= x <= r q1 -> r k0 <= y <= r k1 -> r o0 <= z <= r o1 -> bounded_at x y z.
Proof.
unfold leaf_test. cbv zeta. set (most := Z.add (for_K s m q1 o1) (for_Q s m k1)).
set (c0 := corner_at _ _ q0 k0 o0 _ _ _). set (c1 := corner_at _ _ q1 k0 o0 _ _ _). set (c2 := corner_at _ _ q0 k1 o0 _ _ _).
set (c3 := corner_at _ _ q1 k1 o0 _ _ _). set (c4 := corner_at _ _ q0 k0 o1 _ _ _). set (c5 := corner_at _ _ q1 k0 o1 _ _ _).
set (c6 := corner_at _ _ q0 k1 o1 _ _ _). set (c7 := corner_at _ _ q1 k1 o1 _ _ _).
set (c := fun i j n : bool => if n then if j then if i then c7 else c6 else if i then c5 else c4 else if j then if i then c3 else c2 else if i then c1 else c0).
rewrite !Bool.andb_true_iff, !Z.ltb_lt. intros h hx hy hz. decompose [and] h. clear h.
apply (corners_prove c most q0 q1 k0 k1 o0 o1); try assumption.
1-3: intros [|] [|] [|]; reflexivity.
- intros [|] [|] [|]; unfold c; cbv iota beta; match goal with h : ?t = true |- ?t = true => exact h end.
- intros [|] [|]; unfold c; cbv iota beta; match goal with h : ?t = true |- ?t = true => exact h end.
- intros [|] [|]; unfold c; cbv iota beta; match goal with h : ?t = true |- ?t = true => exact h end.
- intros [|] [|]; unfold c; cbv iota beta; match goal with h : ?t = true |- ?t = true => exact h end.
Qed.

End Sound.

Section Tree.

Variables s tau gamma wS wP wV wK wQ W wSS shift : Z.
Variable plain : bool.
Hypotheses (s_gt0 : (0 < s)%Z) (wSS_is : (wS * wS <= wSS)%Z).
Notation q := (part s).
Notation bounded_at := (bounded_at s tau gamma wS wP wV wK wQ W plain).

Lemma box_proves m q0 q1 k0 k1 o0 o1 x y z : leaf_test s tau gamma wP wV wK wQ W plain wSS m q0 q1 k0 k1 o0 o1 = true ->
  q q0 <= x <= q q1 -> q k0 <= y <= q k1 -> q o0 <= z <= q o1 -> bounded_at x y z.
Proof.
intros h. apply leaf_proves with (wSS := wSS) (m := m); try assumption. unfold leaf_test in h. cbv zeta in h. rewrite !Bool.andb_true_iff in h. apply h.
Qed.

Lemma check_proves boxes : forall q0 q1 k0 k1 o0 o1 x y z, check s tau gamma wP wV wK wQ W plain wSS shift boxes q0 q1 k0 k1 o0 o1 = true ->
  q q0 <= x <= q q1 -> q k0 <= y <= q k1 -> q o0 <= z <= q o1 -> x + y + z <= q tau -> bounded_at x y z.
Proof.
induction boxes as [l a1 a2 fK fQ e1 e2 e3 alpha|l e1 e2 e3| |lower IHl upper IHu|lower IHl upper IHu|lower IHl upper IHu]; cbn [check];
  intros q0 q1 k0 k1 o0 o1 x y z h hx hy hz room.
- exact (box_proves _ _ _ _ _ _ _ _ _ _ h hx hy hz).
- exact (box_proves _ _ _ _ _ _ _ _ _ _ h hx hy hz).
- apply Z.ltb_lt in h. apply (units_lt s s_gt0) in h. rewrite !units_plus in h by exact s_gt0. lra.
- apply andb_prop in h. destruct h as [h1 h2]. destruct (Qlt_le_dec (q ((q0 + q1) / 2)) x).
  + apply (IHu _ _ _ _ _ _ _ _ _ h2); try assumption. lra.
  + apply (IHl _ _ _ _ _ _ _ _ _ h1); try assumption. lra.
- apply andb_prop in h. destruct h as [h1 h2]. destruct (Qlt_le_dec (q ((k0 + k1) / 2)) y).
  + apply (IHu _ _ _ _ _ _ _ _ _ h2); try assumption. lra.
  + apply (IHl _ _ _ _ _ _ _ _ _ h1); try assumption. lra.
- apply andb_prop in h. destruct h as [h1 h2]. destruct (Qlt_le_dec (q ((o0 + o1) / 2)) z).
  + apply (IHu _ _ _ _ _ _ _ _ _ h2); try assumption. lra.
  + apply (IHl _ _ _ _ _ _ _ _ _ h1); try assumption. lra.
Qed.

End Tree.

Lemma rounded_certified s tau gamma wS wP wV wK wQ W plain wSS shift boxes :
  rounded_certificate s tau gamma wS wP wV wK wQ W plain wSS shift boxes = true -> b3_bounded s tau gamma wS wP wV wK wQ W plain.
Proof.
unfold rounded_certificate. rewrite !Bool.andb_true_iff. intros [[[s0 g0] sq] h]. apply Z.ltb_lt in s0. apply Z.leb_le in g0. apply Z.leb_le in sq.
intros x y z v uV uK uQ p p' r r' n aS aP aV aK aQ x0 y0 z0 v0 uV0 uK0 uQ0 p0 p'0 r0 r'0 n0 few _ _ _ _ _ within.
assert (g : 0 <= part s gamma * (p' + r')) by (apply Qmult_le_0_compat; [now apply units_nonneg|lra]).
assert (few' := few). unfold b3_weight in few'.
apply (check_proves s tau gamma wS wP wV wK wQ W wSS shift plain s0 sq boxes _ _ _ _ _ _ x y z h) with (v := v) (uV := uV) (uK := uK) (uQ := uQ) (p := p)
  (p' := p') (r := r) (r' := r') (x := n); try assumption; try (rewrite units_0); lra.
Qed.

(** A row rounded to the safe side. *)
Lemma b3_bounded_le s K tau gamma wS wP wV wK wQ W tau' gamma' wS' wP' wV' wK' wQ' W' plain : part K tau <= part s tau' -> part s gamma' <= part K gamma ->
  part K wS <= part s wS' -> part K wP <= part s wP' -> part K wV <= part s wV' -> part K wK <= part s wK' -> part K wQ <= part s wQ' ->
  part s W' <= part K W -> b3_bounded s tau' gamma' wS' wP' wV' wK' wQ' W' plain -> b3_bounded K tau gamma wS wP wV wK wQ W plain.
Proof.
intros le_tau le_gamma le_S le_P le_V le_K le_Q le_W bounded.
intros x y z v uV uK uQ p p' r r' n aS aP aV aK aQ x0 y0 z0 v0 uV0 uK0 uQ0 p0 p'0 r0 r'0 n0 few S0 P0 V0 K0 Q0 within.
assert (g : part s gamma' * (p' + r') <= part K gamma * (p' + r')) by (apply Qmult_le_compat_r; [exact le_gamma|lra]).
assert (h1 := Qmult_le_compat_r _ _ _ le_S S0). assert (h2 := Qmult_le_compat_r _ _ _ le_P P0). assert (h3 := Qmult_le_compat_r _ _ _ le_V V0).
assert (h4 := Qmult_le_compat_r _ _ _ le_K K0). assert (h5 := Qmult_le_compat_r _ _ _ le_Q Q0).
apply Qle_trans with (2 := le_W).
apply Qle_trans with (part s wS' * aS + part s wP' * aP + part s wV' * aV + part s wK' * aK + part s wQ' * aQ); [lra|].
apply (bounded x y z v uV uK uQ p p' r r' n); try assumption. unfold b3_weight in *. lra.
Qed.

Theorem certified (bits K tau gamma wS wP wV wK wQ W : Z) plain boxes : certificate bits K tau gamma wS wP wV wK wQ W plain boxes = true ->
  b3_bounded K tau gamma wS wP wV wK wQ W plain.
Proof.
unfold certificate. rewrite !Bool.andb_true_iff. intros [K0 h]. apply Z.ltb_lt in K0.
assert (s0 : (0 < 2 ^ bits)%Z) by (unfold rounded_certificate in h; rewrite !Bool.andb_true_iff in h; apply Z.ltb_lt; apply h).
apply rounded_certified in h. revert h. apply b3_bounded_le; try (now apply rounded_up); now apply rounded_down.
Qed.
