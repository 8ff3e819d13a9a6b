(** * The product of two matrices

    docs/proofs/forward.md, matrix multiplication: C = A·B with A of shape (m, k) and B of shape (k, n), a vertex for each multiply-add, every
    entry of C a chain of [k] of them in some order of its own: first the product [order i j 0], and so on. *)

From mathcomp Require Import all_ssreflect fingroup perm zify.
From Pebble Require Import Game Times Compulsory LoomisWhitney Tracing Numbers.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Computation.

Variables (m n k : nat) (order : 'I_m -> 'I_n -> {perm 'I_k}).

Inductive matmul_vertex :=
  | A of 'I_m & 'I_k (* A[i,l] *)
  | B of 'I_k & 'I_n (* B[l,j] *)
  | C of 'I_m & 'I_n & 'I_k. (* C[i,j,l], the sum of l+1 products *)

Definition matmul_edge u v :=
  match u, v with
  | A i l, C i' j' l' => (i == i') && (l == order i' j' l')
  | B l j, C i' j' l' => (l == order i' j' l') && (j == j')
  | C i j l, C i' j' l' => [&& i == i', j == j' & l.+1 == l' :> nat]
  | _, _ => false
  end.

Definition matmul_output v := if v is C _ _ l then l.+1 == k else false.

(** That the vertices are finitely many. *)
Definition code v : ('I_m * 'I_k + 'I_k * 'I_n) + 'I_m * 'I_n * 'I_k :=
  match v with A i l => inl (inl (i, l)) | B l j => inl (inr (l, j)) | C i j l => inr (i, j, l) end.
Definition decode c :=
  match c with inl (inl (i, l)) => A i l | inl (inr (l, j)) => B l j | inr (i, j, l) => C i j l end.
Lemma codeK : cancel code decode. Proof. by case. Qed.
Definition matmul_vertex_eqMixin := CanEqMixin codeK.
Canonical matmul_vertex_eqType := EqType matmul_vertex matmul_vertex_eqMixin.
Definition matmul_vertex_choiceMixin := CanChoiceMixin codeK.
Canonical matmul_vertex_choiceType := ChoiceType matmul_vertex matmul_vertex_choiceMixin.
Definition matmul_vertex_countMixin := CanCountMixin codeK.
Canonical matmul_vertex_countType := CountType matmul_vertex matmul_vertex_countMixin.
Definition matmul_vertex_finMixin := CanFinMixin codeK.
Canonical matmul_vertex_finType := FinType matmul_vertex matmul_vertex_finMixin.

Definition matmul := Dag matmul_edge matmul_output.

End Computation.

Arguments A {m n k}.
Arguments B {m n k}.
Arguments C {m n k}.

Section Steps.

Variables (m n k : nat) (order : 'I_m -> 'I_n -> {perm 'I_k}).

Notation matmul := (matmul order).

(** The traced chains: all multiply-adds. *)
Definition step : finType := [finType of 'I_m * 'I_n * 'I_k].
Definition vert (x : step) : vertex matmul := C x.1.1 x.1.2 x.2.
Definition follows (x y : step) := (x.1 == y.1) && (x.2.+1 == y.2 :> nat).
Definition left (x : step) := k - x.2.

Fact vert_inj : injective vert.
Proof. by move=> [[i j] l] [[i' j'] l'] [-> -> ->]. Qed.

Fact no_input x : ~~ input (vert x).
Proof. by apply/forallPn; exists (A x.1.1 (order x.1.1 x.1.2 x.2)); rewrite negbK /= !eqxx. Qed.

Fact follows_left x y : follows x y -> left y < left x.
Proof. by case: x y => [p l] [p' l'] /andP[_ /eqP /= eq_l]; have := ltn_ord l'; rewrite /left /=; lia. Qed.

Fact follows_edge x y : follows x y -> edge (vert x) (vert y).
Proof. by case/andP=> /eqP eq_xy /eqP eq_l; rewrite /= eq_xy !eqxx eq_l /=. Qed.

Fact follows_fun x y z : follows x y -> follows x z -> y = z.
Proof.
move: x y z => [x l] [y l'] [z l''] /andP[/= /eqP <- /eqP eq1] /andP[/= /eqP <- /eqP eq2].
by congr (_, _); apply: val_inj; rewrite /= -eq1.
Qed.

Fact card_first : #|[set x : step | first follows x]| <= m * n.
Proof.
have -> : m * n = #|[finType of 'I_m * 'I_n]| by rewrite card_prod !card_ord.
have inj : {in [set x | first follows x] &, injective (fun x : step => x.1)}.
  have zero x : first follows x -> x.2 = 0 :> nat.
    move: x => [x [[|l] lt_l]] // /forallP /(_ (x, Ordinal (ltnW lt_l))).
    by rewrite /follows /= !eqxx.
  move=> [x l] [y l']; rewrite !inE => /zero /= l0 /zero /= l0' ->.
  by congr (_, _); apply: val_inj; rewrite /= l0 l0'.
by rewrite -(card_in_imset inj); apply: max_card.
Qed.

End Steps.

Section Bound.

Variables (m n k : nat) (order : 'I_m -> 'I_n -> {perm 'I_k}) (M : nat).

Notation matmul := (matmul order).

Variable ms : seq (move matmul).
Hypothesis legal_ms : pebbling M ms.

Fact last_step (x : step m n k) : (forall y, ~~ follows x y) -> exists t, computed ms t = Some (vert order x).
Proof.
move=> last_x; apply: (output_computed legal_ms); last exact: no_input.
rewrite /=; case: eqP => // ne_k; have lt_k : x.2.+1 < k by rewrite ltn_neqAle ltn_ord andbT; apply/eqP.
by have := last_x (x.1, Ordinal lt_k); rewrite /follows /= !eqxx.
Qed.

Fact outputs : 0 < k -> m * n <= stores ms.
Proof.
move=> k_gt0; apply: leq_trans (stores_outputs legal_ms).
have lt_k : k.-1 < k by rewrite prednK.
have -> : m * n = #|[finType of 'I_m * 'I_n]| by rewrite card_prod !card_ord.
have inj : injective (fun x : 'I_m * 'I_n => C x.1 x.2 (Ordinal lt_k)) by move=> [i j] [i' j'] [-> ->].
rewrite -cardsT -(card_imset _ inj); apply/subset_leq_card/subsetP => _ /imsetP[x _ ->].
by rewrite inE /= prednK // eqxx (no_input order (x, Ordinal lt_k)).
Qed.

Variable when : step m n k -> nat.
Hypothesis traced_when : traced ms (@vert m n k order) (@follows m n k) when.

Let words := segment_words ms (@vert m n k order) (@follows m n k) when.

(** The words of each factor in a set of vertices, and the entries of the product that have one in it. *)
Definition left_words (W : {set vertex matmul}) := [set p : 'I_m * 'I_k | A p.1 p.2 \in W].
Definition right_words (W : {set vertex matmul}) := [set p : 'I_n * 'I_k | B p.2 p.1 \in W].
Definition entries (W : {set vertex matmul}) := [set p : 'I_m * 'I_n | [exists l, C p.1 p.2 l \in W]].

Lemma card_kinds W : #|entries W| + #|left_words W| + #|right_words W| <= #|W|.
Proof.
rewrite -[#|W|](card_imset _ (can_inj (@codeK m n k))) 2!card_sum_set -addnA addnC; apply: leq_add.
  apply: leq_add.
    by apply/subset_leq_card/subsetP => -[i l]; rewrite !inE => in_W; apply/imsetP; exists (A i l).
  have swap_inj : injective (fun p : 'I_n * 'I_k => (p.2, p.1)) by move=> [? ?] [? ?] [-> ->].
  rewrite -[X in X <= _](card_imset _ swap_inj); apply/subset_leq_card/subsetP => lj /imsetP[[j l]].
  by rewrite [_ \in right_words W]inE => /= in_W ->; rewrite !inE; apply/imsetP; exists (B l j).
apply: leq_trans (leq_imset_card (fun x : step m n k => x.1) _).
apply/subset_leq_card/subsetP => -[i j]; rewrite inE => /existsP[l in_W].
by apply/imsetP; exists (i, j, l) => //; rewrite inE; apply/imsetP; exists (C i j l).
Qed.

(** The multiply-adds of a segment against its words of each kind. *)
Lemma segment_triples a b :
  #|[set x | a <= when x < b]| ^ 2 <= #|entries (words a b)| * #|left_words (words a b)| * #|right_words (words a b)|.
Proof.
pose W := words a b; pose triple (x : step m n k) := (x.1.1, x.1.2, order x.1.1 x.1.2 x.2).
have triple_inj : injective triple.
  move=> [[i j] l] [[i' j'] l'] eq_t; have eq_i : i = i' := congr1 (fun t => t.1.1) eq_t.
  have eq_j : j = j' := congr1 (fun t => t.1.2) eq_t; have := congr1 snd eq_t.
  by rewrite /triple /= eq_i eq_j => /perm_inj ->.
rewrite -(card_imset _ triple_inj).
apply: (@loomis_whitney _ _ _ _ (entries W) (left_words W) (right_words W)) => i j l /imsetP[x];
  rewrite inE => in_ab eq_t.
- have [[p l'] /= chain_p in_W] := chain_words legal_ms (@follows_edge m n k order) traced_when (chain := fst)
    (fun x y f => eqP (proj1 (andP f))) in_ab.
  rewrite (congr1 fst eq_t : (i, j) = (x.1.1, x.1.2)) inE; apply/existsP; exists l'.
  by move: in_W; rewrite /vert /= chain_p.
- rewrite (congr1 (fun t => (t.1.1, t.2)) eq_t : (i, l) = (x.1.1, order x.1.1 x.1.2 x.2)) inE.
  apply: (operand_words legal_ms traced_when) in_ab; last by rewrite /= !eqxx.
  by apply/forallP => -[].
- rewrite (congr1 (fun t => (t.1.2, t.2)) eq_t : (j, l) = (x.1.2, order x.1.1 x.1.2 x.2)) inE.
  apply: (operand_words legal_ms traced_when) in_ab; last by rewrite /= !eqxx.
  by apply/forallP => -[].
Qed.

(** A segment with [T] words does at most [box T] multiply-adds. *)
Lemma segment_events a b T : #|words a b| <= T -> #|[set x | a <= when x < b]| <= box T.
Proof.
move=> le_T; apply: sqr_le_sqrt; rewrite leq_divRL // mulnC.
apply: leq_trans (am_gm3 (leq_trans (card_kinds (words a b)) le_T)); rewrite leq_mul2l /=.
exact: segment_triples.
Qed.

End Bound.

Theorem matmul_bound m n k (order : 'I_m -> 'I_n -> {perm 'I_k}) M h T (ms : seq (move (matmul order))) :
  pebbling M ms -> 0 < h -> h * box T < m * n * k ->
  M + 1 + h * T <= io ms + h * M.
Proof.
move=> legal_ms h_gt0 many.
have k_gt0 : 0 < k by rewrite lt0n; apply/eqP => k0; move: many; rewrite k0 muln0.
have [when traced_when] := trace legal_ms (@no_input m n k order) (@follows_left m n k) (@follows_edge m n k order)
  (@follows_fun m n k) (last_step legal_ms).
have seg a b : #|segment_words ms (@vert m n k order) (@follows m n k) when a b| <= T -> \sum_(x | a <= when x < b) 1 <= box T.
  by move/(segment_events legal_ms traced_when); rewrite -sum1dep_card.
have := cut_events legal_ms traced_when (@vert_inj m n k order) seg h_gt0.
rewrite sum1_card !card_prod !card_ord => /(_ many).
rewrite io_loads_stores; have := outputs legal_ms k_gt0; have := @card_first m n k.
by clear; lia.
Qed.

(** Every entry of A and B loaded, every entry of C stored. *)
Theorem matmul_compulsory m n k (order : 'I_m -> 'I_n -> {perm 'I_k}) M (ms : seq (move (matmul order))) :
  0 < m -> 0 < n -> 0 < k -> pebbling M ms -> m * k + k * n + m * n <= io ms.
Proof.
move=> m_gt0 n_gt0 k_gt0 legal_ms.
apply: leq_trans (compulsory legal_ms); apply: leq_add; last first.
  have lt_k : k.-1 < k by rewrite prednK.
  have -> : m * n = #|[finType of 'I_m * 'I_n]| by rewrite card_prod !card_ord.
  have inj : injective (fun x : 'I_m * 'I_n => C x.1 x.2 (Ordinal lt_k)) by move=> [i j] [i' j'] [-> ->].
  rewrite -cardsT -(card_imset _ inj); apply/subset_leq_card/subsetP => _ /imsetP[x _ ->].
  by rewrite inE /= prednK // eqxx (no_input order (x, Ordinal lt_k)).
have path_to_last i j (l : 'I_k) : exists o : vertex (matmul order),
    [&& output o, ~~ input o & connect (@edge (matmul order)) (C i j l) o].
  have [r le_r] := ubnP (k - l); elim: r l le_r => // r IH l le_r.
  case: (eqVneq l.+1 k) => [last_l|ne_k].
    by exists (C i j l); rewrite /= last_l eqxx connect0 (no_input order (i, j, l)).
  have lt_k : l.+1 < k by have := ltn_ord l; lia.
  have [|o /and3P[out_o not_in path_o]] := IH (Ordinal lt_k); first by rewrite /=; lia.
  exists o; rewrite out_o not_in; apply: connect_trans path_o; apply: connect1.
  by rewrite /= !eqxx.
have -> : m * k + k * n = #|[finType of 'I_m * 'I_k + 'I_k * 'I_n]| by rewrite card_sum !card_prod !card_ord.
pose f (x : 'I_m * 'I_k + 'I_k * 'I_n) : vertex (matmul order) :=
  match x with inl p => A p.1 p.2 | inr p => B p.1 p.2 end.
have inj : injective f by move=> [[i l]|[l j]] [[i' l']|[l' j']] //= [-> ->].
rewrite -cardsT -(card_imset _ inj); apply/subset_leq_card/subsetP => _ /imsetP[x _ ->].
rewrite inE; apply/andP; split; first by case: x => -[i l]; apply/forallP => -[].
have [o ed] : exists c, edge (f x) (C c.1.1 c.1.2 c.2 : vertex (matmul order)).
  case: x => -[i l] /=.
    by exists (i, Ordinal n_gt0, ((order i (Ordinal n_gt0))^-1)%g l); rewrite /= permKV !eqxx.
  by exists (Ordinal m_gt0, l, ((order (Ordinal m_gt0) l)^-1)%g i); rewrite /= permKV !eqxx.
have [o' /and3P[out_o not_in path_o]] := path_to_last o.1.1 o.1.2 o.2.
apply/existsP; exists o'; rewrite out_o not_in; apply: connect_trans path_o; exact: connect1.
Qed.
