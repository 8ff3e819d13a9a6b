(** * Cutting

    The numeric half of the cutting lemma (docs/proofs/forward.md): times [0 .. n-1], each with a weight [g] of moves and a number [e]
    of events; [r a] words are red at the time [a]. A segment in which no more than [T] words are at hand has at most [F] events,
    but for [s a b] that are struck out; what is struck in segments one after the other, is struck in all of them together. *)

From mathcomp Require Import all_ssreflect zify.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Cutting.

Variables (n M D T F : nat) (g e r : nat -> nat) (s : nat -> nat -> nat).
Hypothesis le_g : forall t, g t <= D. (* no time weighs more than [D] *)
Hypothesis le_r : forall t, r t <= M.
Hypothesis segment : forall a b, a <= b <= n ->
  r a + \sum_(a <= t < b) g t <= T -> \sum_(a <= t < b) e t <= F + s a b.
Hypothesis struck : forall a b c, a <= b <= c -> s a b + s b c <= s a c.

(** The longest segment that begins at [a] and has at most [T] words. *)
Lemma longest a : a <= n -> r a <= T -> T < r a + \sum_(a <= t < n) g t ->
  exists2 b, a <= b < n & r a + \sum_(a <= t < b) g t <= T < r a + \sum_(a <= t < b.+1) g t.
Proof.
move=> le_an le_rT gt_T.
have ex : exists b, T < r a + \sum_(a <= t < b) g t by exists n.
case: (ex_minnP ex) => [[|b] gt_b least].
  by move: gt_b; rewrite big_geq // addn0 ltnNge le_rT.
have le_ab : a <= b.
  by case: ltnP => // lt_ba; move: gt_b; rewrite big_geq // addn0 ltnNge le_rT.
exists b; first by rewrite le_ab /=; apply: least.
by rewrite gt_b andbT leqNgt; apply/negP => /least; rewrite ltnn.
Qed.

Lemma cut_from h a : a <= n -> M <= T -> h * F + F + s a n < \sum_(a <= t < n) e t ->
  T + h * (T + 1) < r a + \sum_(a <= t < n) g t + h * (M + D).
Proof.
elim: h a => [|h IH] a le_an le_MT gt_e.
  rewrite !mul0n !addn0 ltnNge; apply/negP => /(@segment a n); rewrite le_an leqnn => /(_ isT).
  by rewrite leqNgt; move: gt_e; rewrite mul0n add0n => ->.
have gt_T : T < r a + \sum_(a <= t < n) g t.
  rewrite ltnNge; apply/negP => /(@segment a n); rewrite le_an leqnn => /(_ isT).
  by move: gt_e; lia.
have [b /andP[le_ab lt_bn] /andP[le_b gt_b]] := longest le_an (leq_trans (le_r a) le_MT) gt_T.
have le_e : \sum_(a <= t < b) e t <= F + s a b by apply: segment; rewrite // le_ab ltnW.
have le_s : s a b + s b n <= s a n by apply: struck; rewrite le_ab ltnW.
have split_e := @big_cat_nat _ _ addn_monoid b a n xpredT e le_ab (ltnW lt_bn).
have split_g := @big_cat_nat _ _ addn_monoid b a n xpredT g le_ab (ltnW lt_bn).
rewrite /= in split_e split_g.
have {IH} := IH b (ltnW lt_bn) le_MT.
rewrite big_nat_recr //= in gt_b.
have := le_g b; have := le_r b; rewrite split_g; move: gt_e; rewrite split_e mulSn.
move: (\sum_(b <= t < n) e t) (\sum_(a <= t < b) e t) le_e => eb ea le_e.
move: (\sum_(b <= t < n) g t) (\sum_(a <= t < b) g t) gt_b => gb ga gt_b.
move: (g b) (r b) (r a) gt_b => gt rb ra gt_b gt_e le_rb le_gt later.
have {}later : T + h * (T + 1) < rb + gb + h * (M + D) by apply: later; clear -gt_e le_e le_s; lia.
by move: later gt_b le_rb le_gt; clear; nia.
Qed.

(** For every [h >= 1]; with [D = 1] this is (★), written without subtraction. *)
Lemma cut_struck h : r 0 = 0 -> 0 < h -> h * F + s 0 n < \sum_(0 <= t < n) e t ->
  M + D + h * (T + 1) <= \sum_(0 <= t < n) g t + h * (M + D).
Proof.
case: h => // h r0 _ gt_e; case: (leqP M T) => [le_MT|lt_TM].
  have := @cut_from h 0 (leq0n n) le_MT; rewrite -mulSnr => /(_ gt_e); rewrite r0 add0n.
  move: (\sum_(0 <= t < n) g t) => G; clear; lia.
have gt_T : T < \sum_(0 <= t < n) g t.
  rewrite ltnNge; apply/negP => le_T; have := @segment 0 n; rewrite r0 add0n leqnn => /(_ isT le_T).
  by move: gt_e; lia.
move: (\sum_(0 <= t < n) g t) gt_T => G; clear -lt_TM; nia.
Qed.

End Cutting.

(** Nothing is struck out. *)
Lemma cut n M D T F (g e r : nat -> nat) (le_g : forall t, g t <= D) (le_r : forall t, r t <= M)
  (segment : forall a b, a <= b <= n -> r a + \sum_(a <= t < b) g t <= T -> \sum_(a <= t < b) e t <= F) h :
  r 0 = 0 -> 0 < h -> h * F < \sum_(0 <= t < n) e t ->
  M + D + h * (T + 1) <= \sum_(0 <= t < n) g t + h * (M + D).
Proof.
move=> r0 h_gt0 many.
apply: (@cut_struck n M D T F g e r (fun _ _ => 0)) => // [a b in_n le_T|]; last by rewrite addn0.
by rewrite addn0; apply: segment.
Qed.
