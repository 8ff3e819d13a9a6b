(** * Causal chains

    docs/proofs/t3.md, 2.1: behind every traced event of a chain, [u_vert x], the last computation of the vertex [p_vert x] that it needs, and behind
    that those of a sum of [d] terms, [s_vert (x, k)]. The vertices of different events may be the same. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Tracing Lines.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** Events of U, each with its P and its S. *)
Section Tree.

Variables (U : finType) (d : nat) (u_follows : rel U) (u_left : U -> nat).

Definition causal_step := [finType of U + (U + U * 'I_d)].
Definition causal_follows (x y : causal_step) :=
  match x, y with
  | inl x, inl y => u_follows x y
  | inr (inl x), inl y => x == y
  | inr (inr x), inr (inl y) => (x.1 == y) && (x.2.+1 == d)
  | inr (inr x), inr (inr y) => sums x y
  | _, _ => false
  end.
Definition causal_left (x : causal_step) :=
  match x with inl x => u_left x | inr (inl x) => (u_left x).+1 | inr (inr y) => (u_left y.1).+2 + (d - y.2) end.

Hypothesis u_follows_left : forall x y, u_follows x y -> u_left y < u_left x.
Hypothesis u_follows_fun : forall x y z, u_follows x y -> u_follows x z -> y = z.

Fact causal_follows_left x y : causal_follows x y -> causal_left y < causal_left x.
Proof.
case: x y => [x|[x|x]] [y|[y|y]] //=; first exact: u_follows_left.
- by move/eqP ->.
- by case/andP=> /eqP -> _; rewrite addSn ltnS leq_addr.
- by move=> fol; rewrite (sums_same fol) ltn_add2l; apply: (sums_less fol).
Qed.

Fact causal_follows_fun x y z : causal_follows x y -> causal_follows x z -> y = z.
Proof.
case: x y z => [x|[x|x]] [y|[y|y]] [z|[z|z]] //=.
- by move=> fy fz; rewrite (u_follows_fun fy fz).
- by move=> /eqP <- /eqP <-.
- by move=> /andP[/eqP <- _] /andP[/eqP <- _].
- by move=> /andP[_ /eqP eq_d] /andP[_ /eqP eq_k]; move: (ltn_ord z.2); rewrite -eq_k eq_d ltnn.
- by move=> /andP[_ /eqP eq_k] /andP[_ /eqP eq_d]; move: (ltn_ord y.2); rewrite -eq_k eq_d ltnn.
- by move=> fy fz; rewrite (sums_fun fy fz).
Qed.

Fact causal_ends y : (forall z, ~~ causal_follows (inr (inr y)) z) -> False.
Proof.
move=> none; have := none (inr (inl y.1)); rewrite /= eqxx /= => ne_d.
by have := @sums_last _ _ y (fun z => none (inr (inr z))); move/eqP: ne_d.
Qed.

Fact sums_next (x : U) (k : 'I_d) (lt_k : k.+1 < d) : sums (x, k) (x, Ordinal lt_k).
Proof. by rewrite /sums /= !eqxx. Qed.

Fact sums_index (x y : U * 'I_d) : sums x y -> x.2.+1 == y.2 :> nat.
Proof. by case/andP. Qed.

Fact sums_first (d_gt0 : 0 < d) (y : U * 'I_d) : first (@sums _ d) y -> y = (y.1, Ordinal d_gt0).
Proof.
case: y => x [[|k] lt_k] /forallP first_y; first by congr (_, _); apply: val_inj.
by have := first_y (x, Ordinal (ltnW lt_k)); rewrite /sums /= !eqxx.
Qed.

Variables (G : dag) (M : nat) (ms : seq (move G)) (u_vert p_vert : U -> vertex G) (s_vert : U * 'I_d -> vertex G).
Hypothesis legal_ms : pebbling M ms.
Hypothesis u_no_input : forall x, ~~ input (u_vert x).
Hypothesis p_no_input : forall x, ~~ input (p_vert x).
Hypothesis s_no_input : forall y, ~~ input (s_vert y).
Hypothesis u_edge : forall x y, u_follows x y -> edge (u_vert x) (u_vert y).
Hypothesis p_edge : forall x, edge (p_vert x) (u_vert x).
Hypothesis s_edge : forall x y, sums x y -> edge (s_vert x) (s_vert y).
Hypothesis s_last_edge : forall x (k : 'I_d), k.+1 = d -> edge (s_vert (x, k)) (p_vert x).
Hypothesis u_ends : forall x, (forall y, ~~ u_follows x y) -> exists t, computed ms t = Some (u_vert x).

Definition causal_vert (x : causal_step) :=
  match x with inl x => u_vert x | inr (inl x) => p_vert x | inr (inr y) => s_vert y end.

Fact causal_no_input x : ~~ input (causal_vert x).
Proof. by case: x => [x|[x|y]] /=. Qed.

Fact causal_edge x y : causal_follows x y -> edge (causal_vert x) (causal_vert y).
Proof.
case: x y => [x|[x|x]] [y|[y|y]] //=; [exact: u_edge|by move/eqP <-| |exact: s_edge].
by case: x => [x k] /andP[/eqP /= <- /eqP eq_d]; apply: s_last_edge.
Qed.

Theorem causal_chains : exists (u_when : U -> nat) (s_when : U * 'I_d -> nat),
  [/\ traced ms u_vert u_follows u_when, traced ms s_vert (@sums _ d) s_when &
      forall a b x k, a <= u_when x < b -> ~~ at_hand ms a b (p_vert x) -> (forall k, ~~ at_hand ms a b (s_vert (x, k))) ->
      a <= s_when (x, k) < b].
Proof.
have [|when traced_when] := trace legal_ms causal_no_input causal_follows_left causal_edge causal_follows_fun.
  move=> [x|[x|y]] none; last by case: (causal_ends none).
    by apply: u_ends => y; apply: (none (inl y)).
  by have := none (inl x); rewrite /= eqxx.
pose s_when y := when (inr (inr y)); exists (fun x => when (inl x)), s_when; split.
- by move=> x; have [comp_x next_x] := traced_when (inl x); split=> // y; apply: (next_x (inl y)).
- by move=> x; have [comp_x next_x] := traced_when (inr (inr x)); split=> // y; apply: (next_x (inr (inr y))).
move=> a b x k in_x no_p no_s.
have pulled y z : causal_follows y z -> a <= when z < b -> ~~ at_hand ms a b (causal_vert y) -> a <= when y < b.
  move=> fol /andP[le_a lt_b] not_hand; have [_ /(_ z fol)[lt_yz last_y]] := traced_when y.
  rewrite (ltn_trans lt_yz lt_b) andbT leqNgt; apply/negP => lt_ya.
  have is_red := computed_red legal_ms (traced_when z).1 (causal_edge fol).
  case: (red_since le_a is_red) => [hand_y|[s /andP[le_s lt_s] comp_s]].
    by case/negP: not_hand; apply: at_handW hand_y; apply: ltnW.
  by case: (last_y s) => //; rewrite (leq_trans lt_ya le_s).
have in_p : a <= when (inr (inl x)) < b by apply: (pulled _ (inl x)) => //=.
have [n le_n] := ubnP (d - k); elim: n k le_n => // n IH k le_n.
case: (eqVneq k.+1 d) => [last_k|ne_k].
  by apply: (pulled _ (inr (inl x))) => //=; rewrite ?eqxx ?last_k /=.
have lt_k : k.+1 < d by rewrite ltn_neqAle ne_k ltn_ord.
apply: (pulled _ (inr (inr (x, Ordinal lt_k)))); [exact: sums_next| |exact: no_s].
by apply: IH; move: (ltn_ord k) le_n; clear; rewrite /=; lia.
Qed.

(** A sum with an event in a segment has a vertex at hand, or begins there. *)
Lemma sum_known (s_when : U * 'I_d -> nat) (d_gt0 : 0 < d) a b x k : traced ms s_vert (@sums _ d) s_when -> a <= s_when (x, k) < b ->
  (exists k', at_hand ms a b (s_vert (x, k'))) \/ a <= s_when (x, Ordinal d_gt0) < b.
Proof.
move=> s_traced in_s; have [[x' k'] [/= -> hand_y]] := begun_or_entered legal_ms s_edge s_traced (@sums_same _ d) in_s.
by case: hand_y => [hand_y|[/(sums_first d_gt0) -> in_y]]; [left; exists k'|right].
Qed.

End Tree.
