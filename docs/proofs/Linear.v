(** * L: linear attention

    docs/proofs/linear.md. The sum over the keys is a state of d x dv words, a chain of steps, one for each key; a query reads the
    state after some key: after its own where attention is causal (the recurrent form), after the last one where it is not
    (the product from the right). *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times LoomisWhitney Tracing Numbers.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Computation.

Variables Nq Nk d dv : nat.
Variable reads : 'I_Nq -> 'I_Nk. (* [reads i]: the last key whose state the query [i] reads *)

Inductive linear_vertex :=
  | Q of 'I_Nq & 'I_d
  | K of 'I_Nk & 'I_d
  | V of 'I_Nk & 'I_dv
  | H of 'I_Nk & 'I_d & 'I_dv (* [H n k e]: the state's word k, e after the keys 0 to n *)
  | O of 'I_Nq & 'I_d & 'I_dv. (* [O i k e]: the output's word i, e, its first k+1 terms *)

Definition linear_edge u v :=
  match u, v with
  | K n k, H n' k' _ => (n == n') && (k == k')
  | V n e, H n' _ e' => (n == n') && (e == e')
  | H n k e, H n' k' e' => [&& n.+1 == n' :> nat, k == k' & e == e']
  | Q i k, O i' k' _ => (i == i') && (k == k')
  | H n k e, O i k' e' => [&& n == reads i, k == k' & e == e']
  | O i k e, O i' k' e' => [&& i == i', k.+1 == k' :> nat & e == e']
  | _, _ => false
  end.

Definition linear_output v := if v is O _ k _ then k.+1 == d else false.

(** That the vertices are finitely many. *)
Definition code v : 'I_Nq * 'I_d + 'I_Nk * 'I_d + 'I_Nk * 'I_dv + ('I_Nk * 'I_d * 'I_dv + 'I_Nq * 'I_d * 'I_dv) :=
  match v with
  | Q i k => inl (inl (inl (i, k))) | K n k => inl (inl (inr (n, k))) | V n e => inl (inr (n, e))
  | H n k e => inr (inl (n, k, e)) | O i k e => inr (inr (i, k, e))
  end.
Definition decode c :=
  match c with
  | inl (inl (inl (i, k))) => Q i k | inl (inl (inr (n, k))) => K n k | inl (inr (n, e)) => V n e
  | inr (inl (n, k, e)) => H n k e | inr (inr (i, k, e)) => O i k e
  end.
Lemma codeK : cancel code decode. Proof. by case. Qed.
Definition linear_vertex_eqMixin := CanEqMixin codeK.
Canonical linear_vertex_eqType := EqType linear_vertex linear_vertex_eqMixin.
Definition linear_vertex_choiceMixin := CanChoiceMixin codeK.
Canonical linear_vertex_choiceType := ChoiceType linear_vertex linear_vertex_choiceMixin.
Definition linear_vertex_countMixin := CanCountMixin codeK.
Canonical linear_vertex_countType := CountType linear_vertex linear_vertex_countMixin.
Definition linear_vertex_finMixin := CanFinMixin codeK.
Canonical linear_vertex_finType := FinType linear_vertex linear_vertex_finMixin.

Definition linear := Dag linear_edge linear_output.

End Computation.

Arguments Q {Nq Nk d dv}.
Arguments K {Nq Nk d dv}.
Arguments V {Nq Nk d dv}.
Arguments H {Nq Nk d dv}.
Arguments O {Nq Nk d dv}.

Section Steps.

Variables (Nq Nk d dv : nat) (reads : 'I_Nq -> 'I_Nk).

(** The traced chains: the words of the state, and those of the output. *)
Definition step : finType := [finType of 'I_Nk * 'I_d * 'I_dv + 'I_Nq * 'I_d * 'I_dv].

Definition vert (x : step) : vertex (linear d dv reads) :=
  match x with inl (n, k, e) => H n k e | inr (i, k, e) => O i k e end.

Definition follows (x y : step) :=
  match x, y with
  | inl (n, k, e), inl (n', k', e') => [&& n.+1 == n' :> nat, k == k' & e == e']
  | inr (i, k, e), inr (i', k', e') => [&& i == i', k.+1 == k' :> nat & e == e']
  | _, _ => false
  end.

Definition left (x : step) := match x with inl (n, _, _) => Nk - n | inr (_, k, _) => d - k end.

Definition chain (x : step) : 'I_d * 'I_dv + 'I_Nq * 'I_dv :=
  match x with inl (_, k, e) => inl (k, e) | inr (i, _, e) => inr (i, e) end.

Fact vert_inj : injective vert.
Proof. by move=> [[[n k] e]|[[i k] e]] [[[n' k'] e']|[[i' k'] e']] //= [-> -> ->]. Qed.

Fact no_input x : ~~ input (vert x).
Proof.
apply/forallPn; case: x => [[[n k] e]|[[i k] e]].
  by exists (K n k); rewrite negbK /= !eqxx.
by exists (Q i k); rewrite negbK /= !eqxx.
Qed.

Fact follows_left x y : follows x y -> left y < left x.
Proof.
case: x y => [[[n k] e]|[[i k] e]] [[[n' k'] e']|[[i' k'] e']] //=.
  by case/and3P=> /eqP eq_n _ _; have := ltn_ord n'; lia.
by case/and3P=> _ /eqP eq_k _; have := ltn_ord k'; lia.
Qed.

Fact follows_edge x y : follows x y -> edge (vert x) (vert y).
Proof. by case: x y => [[[n k] e]|[[i k] e]] [[[n' k'] e']|[[i' k'] e']]. Qed.

Fact follows_fun x y z : follows x y -> follows x z -> y = z.
Proof.
case: x y z => [[[n k] e]|[[i k] e]] [[[n1 k1] e1]|[[i1 k1] e1]] [[[n2 k2] e2]|[[i2 k2] e2]] //=.
  case/and3P=> /eqP eq1 /eqP <- /eqP <- /and3P[/eqP eq2 /eqP <- /eqP <-].
  by congr (inl (_, _, _)); apply: val_inj; rewrite /= -eq1 -eq2.
case/and3P=> /eqP <- /eqP eq1 /eqP <- /and3P[/eqP <- /eqP eq2 /eqP <-].
by congr (inr (_, _, _)); apply: val_inj; rewrite /= -eq1 -eq2.
Qed.

Fact follows_chain x y : follows x y -> chain x = chain y.
Proof.
case: x y => [[[n k] e]|[[i k] e]] [[[n' k'] e']|[[i' k'] e']] //=.
  by case/and3P=> _ /eqP -> /eqP ->.
by case/and3P=> /eqP -> _ /eqP ->.
Qed.

Fact card_first : #|[set x : step | first follows x]| <= d * dv + Nq * dv.
Proof.
have -> : d * dv + Nq * dv = #|[finType of 'I_d * 'I_dv + 'I_Nq * 'I_dv]|.
  by rewrite card_sum !card_prod !card_ord.
have zero x : first follows x -> match x with inl (n, _, _) => n = 0 :> nat | inr (_, k, _) => k = 0 :> nat end.
  case: x => [[[[[|n] lt_n] k] e]|[[i [[|k] lt_k]] e]] //.
    by move/forallP/(_ (inl (Ordinal (ltnW lt_n), k, e))); rewrite /= !eqxx.
  by move/forallP/(_ (inr (i, Ordinal (ltnW lt_k), e))); rewrite /= !eqxx.
have inj : {in [set x | first follows x] &, injective chain}.
  move=> x y; rewrite !inE => /zero zero_x /zero zero_y.
  case: x y zero_x zero_y => [[[n k] e]|[[i k] e]] [[[n' k'] e']|[[i' k'] e']] //= eq0 eq0' [-> ->].
    by congr (inl (_, _, _)); apply: val_inj; rewrite /= eq0 eq0'.
  by congr (inr (_, _, _)); apply: val_inj; rewrite /= eq0 eq0'.
by rewrite -(card_in_imset inj); apply: max_card.
Qed.

End Steps.

Section Bound.

Variables (Nq Nk d dv : nat) (reads : 'I_Nq -> 'I_Nk) (M : nat) (ms : seq (move (linear d dv reads))).
Hypothesis legal_ms : pebbling M ms.
(** Every state is read in the end, so that all of them are computed. *)
Hypothesis last_read : exists i, (reads i).+1 = Nk.

Fact output_step i e (k : 'I_d) : k.+1 = d -> exists t, computed ms t = Some (O i k e : vertex (linear d dv reads)).
Proof.
move=> last_k; apply: (output_computed legal_ms); first by rewrite /= last_k.
exact: (@no_input _ _ _ _ reads (inr (i, k, e))).
Qed.

(** The output's terms are computed, each before the next. *)
Fact term_computed i e (k : 'I_d) : exists t, computed ms t = Some (O i k e : vertex (linear d dv reads)).
Proof.
have [r le_r] := ubnP (d - k); elim: r k le_r => // r IH k le_r.
case: (eqVneq k.+1 d) => [/output_step //|ne_k].
have lt_k : k.+1 < d by rewrite ltn_neqAle ne_k ltn_ord.
have [|t comp_t] := IH (Ordinal lt_k); first by rewrite /=; lia.
have := computed_red legal_ms comp_t (p := O i k e); rewrite /= !eqxx => /(_ isT) is_red.
have [s _ comp_s] := red_computed legal_ms (@no_input _ _ _ _ reads (inr (i, k, e))) is_red.
by exists s.
Qed.

Fact last_step (x : step Nq Nk d dv) : (forall y, ~~ follows x y) -> exists t, computed ms t = Some (vert reads x).
Proof.
case: x => [[[n k] e]|[[i k] e]] last_x; last exact: term_computed.
have last_n : n.+1 = Nk.
  apply/eqP; case: eqP => // /eqP ne_n; have lt_n : n.+1 < Nk by rewrite ltn_neqAle ne_n ltn_ord.
  by have := last_x (inl (Ordinal lt_n, k, e)); rewrite /= !eqxx.
have [i read_i] := last_read; have [t comp_t] := term_computed i e k.
have eq_n : n = reads i by apply: val_inj; apply: succn_inj; rewrite last_n read_i.
have := computed_red legal_ms comp_t (p := H n k e); rewrite /= eq_n !eqxx => /(_ isT) is_red.
have [s _ comp_s] := red_computed legal_ms (@no_input _ _ _ _ reads (inl (reads i, k, e))) is_red.
by exists s.
Qed.

Fact outputs : 0 < d -> Nq * dv <= stores ms.
Proof.
move=> d_gt0; apply: leq_trans (stores_outputs legal_ms).
have lt_d : d.-1 < d by rewrite prednK.
have -> : Nq * dv = #|[finType of 'I_Nq * 'I_dv]| by rewrite card_prod !card_ord.
have inj : injective (fun x : 'I_Nq * 'I_dv => O x.1 (Ordinal lt_d) x.2 : vertex (linear d dv reads)).
  by move=> [i e] [i' e'] [-> ->].
rewrite -cardsT -(card_imset _ inj); apply/subset_leq_card/subsetP => _ /imsetP[x _ ->].
by rewrite inE /= prednK // eqxx (@no_input _ _ _ _ reads (inr (x.1, Ordinal lt_d, x.2))).
Qed.

Variable when : step Nq Nk d dv -> nat.
Hypothesis traced_when : traced ms (@vert Nq Nk d dv reads) (@follows Nq Nk d dv) when.

Let words := segment_words ms (@vert Nq Nk d dv reads) (@follows Nq Nk d dv) when.

(** The words of each kind in a set of vertices; of chains, those that have one in it. *)
Implicit Types W : {set vertex (linear d dv reads)}.
Let word (v : linear_vertex Nq Nk d dv) : vertex (linear d dv reads) := v.
Definition query_words W := [set p : 'I_Nq * 'I_d | word (Q p.1 p.2) \in W].
Definition key_words W := [set p : 'I_Nk * 'I_d | word (K p.1 p.2) \in W].
Definition value_words W := [set p : 'I_Nk * 'I_dv | word (V p.1 p.2) \in W].
Definition states W := [set p : 'I_d * 'I_dv | [exists n, word (H n p.1 p.2) \in W]].
Definition sums W := [set p : 'I_Nq * 'I_dv | [exists k, word (O p.1 k p.2) \in W]].

Lemma card_kinds W :
  #|states W| + (#|key_words W| + #|value_words W| + (#|query_words W| + #|sums W|)) <= #|W|.
Proof.
pose C := @code Nq Nk d dv @: W.
have -> : #|W| = #|[set x | inl (inl (inl x)) \in C]| + #|[set x | inl (inl (inr x)) \in C]| +
    #|[set x | inl (inr x) \in C]| + (#|[set x | inr (inl x) \in C]| + #|[set x | inr (inr x) \in C]|).
  rewrite -(card_imset _ (can_inj (@codeK Nq Nk d dv))) -/C (card_sum_set C).
  rewrite (card_sum_set [set x | inl x \in C]) (card_sum_set [set x | inl x \in [set x | inl x \in C]]).
  rewrite (card_sum_set [set x | inr x \in C]).
  by congr (_ + _ + _ + (_ + _)); apply: eq_card => x; rewrite !inE.
have le_q : #|query_words W| <= #|[set x | inl (inl (inl x)) \in C]|.
  by apply/subset_leq_card/subsetP => -[i k]; rewrite !inE => in_W; apply/imsetP; exists (Q i k).
have le_k : #|key_words W| <= #|[set x | inl (inl (inr x)) \in C]|.
  by apply/subset_leq_card/subsetP => -[n k]; rewrite !inE => in_W; apply/imsetP; exists (K n k).
have le_v : #|value_words W| <= #|[set x | inl (inr x) \in C]|.
  by apply/subset_leq_card/subsetP => -[n e]; rewrite !inE => in_W; apply/imsetP; exists (V n e).
have le_h : #|states W| <= #|[set x | inr (inl x) \in C]|.
  apply: leq_trans (leq_imset_card (fun x : 'I_Nk * 'I_d * 'I_dv => (x.1.2, x.2)) _).
  apply/subset_leq_card/subsetP => -[k e]; rewrite inE => /existsP[n in_W].
  by apply/imsetP; exists (n, k, e) => //; rewrite inE; apply/imsetP; exists (H n k e).
have le_o : #|sums W| <= #|[set x | inr (inr x) \in C]|.
  apply: leq_trans (leq_imset_card (fun x : 'I_Nq * 'I_d * 'I_dv => (x.1.1, x.2)) _).
  apply/subset_leq_card/subsetP => -[i e]; rewrite inE => /existsP[k in_W].
  by apply/imsetP; exists (i, k, e) => //; rewrite inE; apply/imsetP; exists (O i k e).
by clear -le_q le_k le_v le_h le_o; lia.
Qed.

(** A state none of whose chain is among the words of a segment is made there from its start: the first keys and values are
    all there. *)
Lemma made_anew a b t n k e : (k, e) \notin states (words a b) -> a <= t < b ->
  (H n k e : vertex (linear d dv reads)) \in red_at ms t ->
  forall n' : 'I_Nk, n' <= n -> (n', k) \in key_words (words a b) /\ (n', e) \in value_words (words a b).
Proof.
move=> not_there; have [r le_r] := ubnP (n : nat); elim: r n t le_r => // r IH n t le_r /andP[le_at lt_tb] is_red n' le_n'.
have not_hand : ~~ at_hand ms a t (H n k e).
  apply: contra not_there => hand; rewrite inE; apply/existsP; exists n => /=.
  exact: (at_hand_words (@vert Nq Nk d dv reads) (@follows Nq Nk d dv) when (at_handW (ltnW lt_tb) hand)).
have [s /andP[le_as lt_st] comp_s] := made_between not_hand le_at is_red.
have in_ab : a <= s < b by rewrite le_as (ltn_trans lt_st).
have read v : edge v (H n k e : vertex (linear d dv reads)) -> v \in red_at ms s.
  by move=> ed; apply: (computed_red legal_ms comp_s).
case: (eqVneq n' n) => [->|ne_n].
  split; rewrite inE.
    have red_k : (K n k : vertex (linear d dv reads)) \in red_at ms s by apply: read; rewrite /= !eqxx.
    have in_k : input (K n k : vertex (linear d dv reads)) by apply/forallP => -[].
    exact: (input_words legal_ms (@vert Nq Nk d dv reads) (@follows Nq Nk d dv) when in_k red_k in_ab).
  have red_v : (V n e : vertex (linear d dv reads)) \in red_at ms s by apply: read; rewrite /= !eqxx.
  have in_v : input (V n e : vertex (linear d dv reads)) by apply/forallP => -[].
  exact: (input_words legal_ms (@vert Nq Nk d dv reads) (@follows Nq Nk d dv) when in_v red_v in_ab).
have lt_n' : n' < n by rewrite ltn_neqAle ne_n.
case: n is_red le_r le_n' not_hand comp_s read ne_n lt_n' => [[|m] lt_m] //= _ le_r _ _ _ read _ lt_n'.
have lt_m' : m < Nk by apply: ltnW.
apply: (IH (Ordinal lt_m') s) => //.
by apply: read; rewrite /= !eqxx.
Qed.

(** So the segment has as many words as twice those keys. *)
Lemma few_anew a b t n k e : (k, e) \notin states (words a b) -> a <= t < b ->
  (H n k e : vertex (linear d dv reads)) \in red_at ms t -> 2 * n.+1 <= #|words a b|.
Proof.
move=> not_there in_ab is_red; have all_there := made_anew not_there in_ab is_red.
have le_n (m : 'I_n.+1) : m < Nk by have := ltn_ord m; have := ltn_ord n; lia.
pose key (m : 'I_n.+1) := Ordinal (le_n m).
have key_inj : injective key by move=> m m' /(congr1 val) /= eq_m; apply: val_inj.
have le_key m : key m <= n by rewrite /= -ltnS.
have keys : n.+1 <= #|key_words (words a b)|.
  have inj : injective (fun m => (key m, k)) by move=> m m' [eq_m]; apply: val_inj.
  rewrite -{1}(card_ord n.+1) -cardsT -(card_imset _ inj); apply/subset_leq_card/subsetP => _ /imsetP[m _ ->].
  by case: (all_there _ (le_key m)).
have values : n.+1 <= #|value_words (words a b)|.
  have inj : injective (fun m => (key m, e)) by move=> m m' [eq_m]; apply: val_inj.
  rewrite -{1}(card_ord n.+1) -cardsT -(card_imset _ inj); apply/subset_leq_card/subsetP => _ /imsetP[m _ ->].
  by case: (all_there _ (le_key m)).
have := card_kinds (words a b); clear -keys values; lia.
Qed.

(** Counted are all sums that make the state, and those that read it after so many keys that no segment makes it anew. *)
Definition counted T (x : step Nq Nk d dv) := if x is inr (i, _, _) then T < 2 * (reads i).+1 else true.

Lemma segment_events a b T : #|words a b| <= T -> #|[set x | (a <= when x < b) && counted T x]| <= box T.
Proof.
move=> le_T; pose W := words a b; rewrite card_sum_set.
set made := #|[set x | inl x \in _]|; set reading := #|[set y | inr y \in _]|.
have few : #|states W| + (#|key_words W| + #|value_words W| + (#|query_words W| + #|sums W|)) <= T.
  exact: leq_trans (card_kinds W) le_T.
have operand v x : a <= when x < b -> input (v : vertex (linear d dv reads)) -> edge v (vert reads x) ->
    v \in words a b.
  by move=> in_ab in_v ed; apply: (operand_words legal_ms traced_when in_v ed in_ab).
have entered x : a <= when x < b -> exists2 y, chain y = chain x & vert reads y \in words a b.
  exact: (chain_words legal_ms (@follows_edge _ _ _ _ reads) traced_when (@follows_chain Nq Nk d dv)).
have le_made : made ^ 2 <= #|key_words W| * #|value_words W| * #|states W|.
  apply: loomis_whitney => n k e; rewrite [_ \in [set x | _]]inE [_ \in [set x | _]]inE andbT => in_ab.
  - by rewrite inE; apply: operand in_ab _ _; [apply/forallP => -[]|rewrite /= !eqxx].
  - by rewrite inE; apply: operand in_ab _ _; [apply/forallP => -[]|rewrite /= !eqxx].
  - have [[[[n' k'] e']|[[i k'] e']] // [eq_k eq_e] in_W] := entered _ in_ab.
    by rewrite inE; apply/existsP; exists n'; rewrite -eq_k -eq_e.
have le_reading : reading ^ 2 <= #|query_words W| * #|sums W| * #|states W|.
  apply: loomis_whitney => i k e; rewrite [_ \in [set y | _]]inE [_ \in [set x | _]]inE => /andP[in_ab /= enough].
  - by rewrite inE; apply: operand in_ab _ _; [apply/forallP => -[]|rewrite /= !eqxx].
  - have [[[[n' k'] e']|[[i' k'] e']] // [eq_i eq_e] in_W] := entered _ in_ab.
    by rewrite inE; apply/existsP; exists k'; rewrite -eq_i -eq_e.
  - apply: contraLR enough => not_there; rewrite -leqNgt; apply: leq_trans le_T.
    have comp := (traced_when (inr (i, k, e))).1.
    have is_red : (H (reads i) k e : vertex (linear d dv reads)) \in red_at ms (when (inr (i, k, e))).
      by apply: (computed_red legal_ms comp); rewrite /= !eqxx.
    exact: few_anew not_there in_ab is_red.
apply: sqr_le_sqrt; rewrite leq_divRL // mulnC.
move: le_made le_reading few; move: made reading #|key_words W| #|value_words W| #|query_words W| #|sums W| #|states W|.
clear=> x y k v q o h le_x le_y few.
have le_2x : (2 * x) ^ 2 <= h * (k + v) ^ 2.
  by have := leq_mul (leqnn h) (nat_AGM2 k v); rewrite expnMn; lia.
have le_2y : (2 * y) ^ 2 <= h * (q + o) ^ 2.
  by have := leq_mul (leqnn h) (nat_AGM2 q o); rewrite expnMn; lia.
have le_xy : 4 * (x + y) ^ 2 <= h * (k + v + (q + o)) ^ 2.
  have cross : 2 * x * (2 * y) <= h * ((k + v) * (q + o)).
    by apply: sqr_le; rewrite expnMn; apply: leq_trans (leq_mul le_2x le_2y) _; apply: eq_leq; lia.
  by move: le_2x le_2y cross; move: (k + v) (q + o) => s t; clear; rewrite !sqrnD; lia.
have le_sum : h + (k + v + (q + o)) <= T by move: few; clear; lia.
have cube : (h + (k + v + (q + o))) ^ 3 <= T ^ 3 by rewrite leq_exp2r.
have := third_cube h (k + v + (q + o)); move: (k + v + (q + o)) le_xy cube => s.
by move: ((h + s) ^ 3) (T ^ 3) ((x + y) ^ 2) (h * s ^ 2) => a' b' c' d'; clear; lia.
Qed.

End Bound.

(** The bound, for what every query may read. *)
Theorem linear_bound Nq Nk d dv (reads : 'I_Nq -> 'I_Nk) M h T (ms : seq (move (linear d dv reads))) :
  (exists i, (reads i).+1 = Nk) -> pebbling M ms -> 0 < d -> 0 < h ->
  h * box T < d * dv * (Nk + #|[set i | T < 2 * (reads i).+1]|) ->
  M + 1 + h * T <= io ms + d * dv + h * M.
Proof.
move=> last_read legal_ms d_gt0 h_gt0 many.
have [when traced_when] := trace legal_ms (@no_input _ _ _ _ reads) (@follows_left Nq Nk d dv)
  (@follows_edge _ _ _ _ reads) (@follows_fun Nq Nk d dv) (last_step legal_ms last_read).
have seg a b : #|segment_words ms (@vert Nq Nk d dv reads) (@follows Nq Nk d dv) when a b| <= T ->
    \sum_(x | a <= when x < b) (counted reads T x : nat) <= box T.
  move/(segment_events legal_ms traced_when); apply: leq_trans; apply: eq_leq.
  by rewrite -sum1dep_card [RHS]big_mkcondr /=; apply: eq_bigr => x _; case: (counted _ _ _).
have := cut_events legal_ms traced_when (@vert_inj _ _ _ _ reads) seg h_gt0.
have -> : \sum_(x : step Nq Nk d dv) (counted reads T x : nat) = d * dv * (Nk + #|[set i | T < 2 * (reads i).+1]|).
  rewrite big_sumType /= sum1_card !card_prod !card_ord; set late := [set i | _].
  have -> : \sum_(y : 'I_Nq * 'I_d * 'I_dv) (counted reads T (inr y) : nat) = #|setX (setX late [set: 'I_d]) [set: 'I_dv]|.
    rewrite -sum1_card [RHS]big_mkcond; apply: eq_bigr => -[[i k] e] _; rewrite !inE /= !andbT.
    by case: (T < _).
  rewrite !cardsX !cardsT !card_ord mulnDr; congr (_ + _); last by rewrite -mulnA mulnC.
  by rewrite -mulnA mulnC.
move=> /(_ many).
rewrite io_loads_stores; have := outputs legal_ms d_gt0; have := @card_first Nq Nk d dv.
by clear; lia.
Qed.

(** Tokens that read a state after so many keys. *)
Lemma late_reads N T : N - T./2 <= #|[set i : 'I_N | T < 2 * i.+1]|.
Proof.
case: (leqP N T./2) => [|lt_T]; first by rewrite -subn_eq0 => /eqP ->.
have le_i (m : 'I_(N - T./2)) : T./2 + m < N by have := ltn_ord m; lia.
have inj : injective (fun m => Ordinal (le_i m)).
  by move=> m m' /(congr1 val) /= /addnI eq_m; apply: val_inj.
rewrite -{1}(card_ord (N - T./2)) -cardsT -(card_imset _ inj); apply/subset_leq_card/subsetP => _ /imsetP[m _ ->].
rewrite inE /=; have := odd_double_half T; case: odd; lia.
Qed.

(** The recurrent form: every token reads the state after itself. *)
Theorem L_recurrent N d dv M h T (ms : seq (move (linear d dv (fun i : 'I_N => i)))) :
  pebbling M ms -> 0 < N -> 0 < d -> 0 < h -> h * box T < d * dv * (N + (N - T./2)) ->
  M + 1 + h * T <= io ms + d * dv + h * M.
Proof.
move=> legal_ms N_gt0 d_gt0 h_gt0 many; apply: linear_bound legal_ms d_gt0 h_gt0 _.
  have lt_N : N.-1 < N by rewrite prednK.
  by exists (Ordinal lt_N); rewrite /= prednK.
by apply: leq_trans many _; rewrite leq_mul2l leq_add2l late_reads orbT.
Qed.

(** The product from the right: every query reads the last state. *)
Theorem L_right Nq Nk d dv M h T (last : 'I_Nk) (ms : seq (move (linear d dv (fun _ : 'I_Nq => last)))) :
  last.+1 = Nk -> pebbling M ms -> 0 < Nq -> 0 < d -> 0 < h -> T < 2 * Nk -> h * box T < d * dv * (Nk + Nq) ->
  M + 1 + h * T <= io ms + d * dv + h * M.
Proof.
move=> last_k legal_ms Nq_gt0 d_gt0 h_gt0 many_keys many; apply: linear_bound legal_ms d_gt0 h_gt0 _.
  by exists (Ordinal Nq_gt0).
apply: leq_trans many _; rewrite leq_mul2l leq_add2l; apply/orP; right.
rewrite -{1}(card_ord Nq) -cardsT; apply/subset_leq_card/subsetP => i _.
by rewrite inE last_k.
Qed.
