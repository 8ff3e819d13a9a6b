(** * The fast Fourier transform

    docs/proofs/forward.md, FFT: 2^r points, r levels above the inputs; a vertex has two predecessors, its own point and the one that differs in
    one bit. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Cutting Tracing.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** The number of one-bits of all numbers below [T]. *)
Fixpoint ones_upto fuel n := if fuel is f.+1 then odd n + ones_upto f n./2 else 0.
Definition ones n := ones_upto n n.
Definition all_ones T := \sum_(i < T) ones i.

(** The most vertices that [T] vertices of a butterfly dominate. *)
Definition dominates T := 2 * all_ones T.

Lemma ones_upto0 f : ones_upto f 0 = 0.
Proof. by elim: f => //= f ->. Qed.

Lemma ones_stable f g n : n <= f -> n <= g -> ones_upto f n = ones_upto g n.
Proof.
elim: f g n => [|f IH] [|g] n //; try by rewrite leqn0 => /eqP -> *; rewrite !ones_upto0.
  by move=> _; rewrite leqn0 => /eqP ->; rewrite !ones_upto0.
by move=> le_f le_g /=; congr (_ + _); apply: IH; lia.
Qed.

Lemma ones_half n : ones n = odd n + ones n./2.
Proof. by case: n => // n; rewrite {1}/ones [LHS]/=; congr (_ + _); apply: ones_stable; lia. Qed.

Lemma all_onesS c : all_ones c.+1 = all_ones c + ones c.
Proof. by rewrite /all_ones big_ord_recr. Qed.

Lemma ones_double c : ones c.*2 = ones c.
Proof. by rewrite ones_half odd_double doubleK. Qed.

Lemma ones_doubleS c : ones c.*2.+1 = (ones c).+1.
Proof. by rewrite ones_half /= odd_double uphalf_double. Qed.

Lemma all_ones_double c : all_ones c.*2 = 2 * all_ones c + c.
Proof.
elim: c => [|c IH]; first by rewrite /all_ones !big_ord0.
by rewrite doubleS !all_onesS IH ones_double ones_doubleS; move: (all_ones c) (ones c); clear; lia.
Qed.

Lemma all_ones_doubleS c : all_ones c.*2.+1 = all_ones c + all_ones c.+1 + c.
Proof. by rewrite !all_onesS all_ones_double ones_double; move: (all_ones c) (ones c); clear; lia. Qed.

(** Two sets together dominate at least so much more. *)
Lemma all_ones_add a b : a <= b -> all_ones a + all_ones b + a <= all_ones (a + b).
Proof.
have [n le_n] := ubnP (a + b); elim: n a b le_n => // n IH a b le_n le_ab.
case: (posnP a) => [->|a_gt0]; first by rewrite {1}/all_ones big_ord0 add0n addn0.
have half m : m = m./2.*2.+1 \/ m = m./2.*2 by have := odd_double_half m; case: odd => /= eq_m; [left|right]; lia.
have [eq_a|eq_a] := half a; have [eq_b|eq_b] := half b; move: le_n le_ab a_gt0; rewrite eq_a eq_b {eq_a eq_b}; move: (a./2) (b./2) => {a b} c d le_n le_ab a_gt0.
- have -> : c.*2.+1 + d.*2.+1 = (c + d).+1.*2 by lia.
  rewrite all_ones_double !all_ones_doubleS.
  case: (leqP d c) => [le_dc|lt_cd].
    have -> : d = c by lia.
    have -> : (c + c).+1 = c.*2.+1 by lia.
    by rewrite all_ones_doubleS; move: (all_ones _) (all_ones _) => x y; clear; lia.
  have := IH c.+1 d; have := IH c d.+1; rewrite addnS addSn.
  by move: (all_ones c) (all_ones d) (all_ones c.+1) (all_ones d.+1) (all_ones (c + d).+1); lia.
- have -> : c.*2.+1 + d.*2 = (c + d).*2.+1 by lia.
  rewrite all_ones_double !all_ones_doubleS; have := IH c d; have := IH c.+1 d; rewrite addSn.
  by move: (all_ones c) (all_ones d) (all_ones c.+1) (all_ones (c + d).+1) (all_ones (c + d)); lia.
- have -> : c.*2 + d.*2.+1 = (c + d).*2.+1 by lia.
  rewrite all_ones_double !all_ones_doubleS; have := IH c d; have := IH c d.+1; rewrite addnS.
  by move: (all_ones c) (all_ones d) (all_ones d.+1) (all_ones (c + d).+1) (all_ones (c + d)); lia.
- rewrite -doubleD !all_ones_double; have := IH c d.
  by move: (all_ones c) (all_ones d) (all_ones (c + d)); lia.
Qed.

Lemma dominates_add a b : dominates a + dominates b + 2 * minn a b <= dominates (a + b).
Proof.
rewrite /dominates; case: (leqP a b) => [/all_ones_add|/ltnW/all_ones_add]; rewrite 1?[b + a]addnC; lia.
Qed.

Lemma leq_dominates a b : a <= b -> dominates a <= dominates b.
Proof. by move/subnKC => <-; have := dominates_add a (b - a); lia. Qed.

Section Butterfly.

Variable r : nat.

Definition point : finType := [finType of {ffun 'I_r -> bool}].

(** [agree l x y]: the points differ in no bit but [l]. *)
Definition agree (l : nat) (x y : point) := [forall i : 'I_r, (i != l :> nat) ==> (x i == y i)].

Definition fft_edge (u v : 'I_r.+1 * point) := (u.1.+1 == v.1) && agree u.1 u.2 v.2.
Definition fft := @Dag [finType of 'I_r.+1 * point] fft_edge (fun v => v.1 == r :> nat).

Lemma input_level (v : vertex fft) : input v = (v.1 == 0 :> nat).
Proof.
case: v => [[[|l] lt_l] x] /=; first by apply/forallP => -[[l' ?] y]; rewrite /= /fft_edge.
have lt_l' : l < r.+1 by apply: ltnW.
apply/negbTE/forallPn; exists (Ordinal lt_l', x); rewrite negbK /= /fft_edge /= eqxx /=.
by apply/forallP => i; rewrite eqxx implybT.
Qed.

Variable B : {set vertex fft}.

(** Every path from an input to the vertex meets [B]. *)
Fixpoint dominated l (x : point) :=
  ((inord l, x) \in B) || (if l is l'.+1 then [forall y, agree l' y x ==> dominated l' y] else false).

Lemma dominated_in l x : (inord l, x) \in B -> dominated l x.
Proof. by case: l => [|l] /= ->. Qed.

(** The butterfly of [l] levels in which a point lies: points with the same bits from [l] on. *)
Definition same (l : nat) (c x : point) := [forall i : 'I_r, (l <= i) ==> (x i == c i)].
Definition top l c := [set x | same l c x && dominated l x].
Definition inside l c (v : vertex fft) := (v.1 <= l) && same l c v.2.
Definition there l c := [set v in B | inside l c v].
Definition made l c := [set v : vertex fft | [&& inside l c v, dominated v.1 v.2 & v \notin B]].

Definition set_bit (l : nat) (b : bool) (x : point) : point := [ffun i : 'I_r => if i == l :> nat then b else x i].

Lemma agree_set_bit l b x : agree l (set_bit l b x) x.
Proof. by apply/forallP => i; rewrite ffunE; case: (i == l :> nat) => /=; rewrite ?eqxx. Qed.

Lemma same_set_bit l b c x : same l.+1 c x -> same l (set_bit l b c) (set_bit l b x).
Proof.
move/forallP=> same_x; apply/forallP => i; rewrite !ffunE; apply/implyP => le_li.
by case: (eqVneq (i : nat) l) => // ne_il; apply: (implyP (same_x i)); rewrite ltn_neqAle eq_sym ne_il.
Qed.

(** A point of the larger butterfly lies in one of the two smaller ones. *)
Lemma same_split (l : 'I_r) c x : same l.+1 c x = same l (set_bit l false c) x || same l (set_bit l true c) x.
Proof.
apply/idP/orP => [same_x|half].
  have : same l (set_bit l (x l) c) x.
    apply/forallP => i; rewrite ffunE; apply/implyP => le_li; case: (eqVneq (i : nat) l) => [/val_inj -> //|ne_il].
    by apply: (implyP (forallP same_x i)); rewrite ltn_neqAle eq_sym ne_il.
  by case: (x l) => ?; [right|left].
apply/forallP => i; apply/implyP => lt_li.
by case: half => /forallP/(_ i)/implyP/(_ (ltnW lt_li)); rewrite ffunE gtn_eqF.
Qed.

Lemma same_half (l : 'I_r) b c x : same l (set_bit l b c) x -> x l = b.
Proof. by move/forallP/(_ l)/implyP/(_ (leqnn _)); rewrite ffunE eqxx => /eqP. Qed.

(** The vertices of the last level that are dominated without being in [B]. *)
Definition fresh l c := [set x | [&& same l.+1 c x, dominated l.+1 x & (inord l.+1, x) \notin B]].

Lemma card_fresh (l : 'I_r) c b : #|fresh l c| <= 2 * #|top l (set_bit l b c)|.
Proof.
have -> : 2 * #|top l (set_bit l b c)| = #|setX [set: bool] (top l (set_bit l b c))|.
  by rewrite cardsX cardsT card_bool.
have inj : injective (fun x : point => (x l, set_bit l b x)).
  move=> x y [eq_l eq_xy]; apply/ffunP => i.
  by have := congr1 (fun f : point => f i) eq_xy; rewrite !ffunE; case: (eqVneq (i : nat) l) => [/val_inj ->|].
rewrite -(card_imset _ inj); apply/subset_leq_card/subsetP => _ /imsetP[x in_x ->].
move: in_x; rewrite !inE /= => /and3P[same_x /orP[in_B|/forallP all_dom] not_B]; first by rewrite in_B in not_B.
rewrite same_set_bit //=; apply: (implyP (all_dom _)); exact: agree_set_bit.
Qed.

Lemma few_dominated l c : l <= r -> #|top l c| <= #|there l c| /\ #|made l c| <= dominates #|there l c|.
Proof.
elim: l c => [|l IH] c le_l.
  split.
    have inj : injective (fun x : point => (inord 0, x) : vertex fft) by move=> x y [].
    rewrite -(card_imset _ inj); apply/subset_leq_card/subsetP => _ /imsetP[x in_x ->].
    by move: in_x; rewrite !inE /= orbF => /andP[same_x ->]; rewrite /inside /= inordK.
  rewrite (_ : made 0 c = set0) ?cards0 //; apply/setP => -[l x]; rewrite !inE /inside /=.
  apply/negbTE/and3P => -[/andP[]]; rewrite leqn0 => /eqP eq_l _; rewrite eq_l /= orbF.
  have -> : inord 0 = l by apply: val_inj; rewrite /= inordK // eq_l.
  by move=> ->.
pose k := Ordinal le_l; have le_lr := ltnW le_l.
pose c0 := set_bit l false c; pose c1 := set_bit l true c.
have [top0 made0] := IH c0 le_lr; have [top1 made1] := IH c1 le_lr.
pose last := [set x | same l.+1 c x && ((inord l.+1, x) \in B)].
have last_level : ((inord l.+1 : 'I_r.+1) : nat) = l.+1 by rewrite inordK.
have parts : #|there l c0| + #|there l c1| + #|last| <= #|there l.+1 c|.
  have inj : injective (fun x : point => (inord l.+1, x) : vertex fft) by move=> x y [].
  rewrite -(card_imset last inj) -[X in X + _]cardsUI.
  have -> : there l c0 :&: there l c1 = set0.
    apply/setP => v; rewrite !inE; apply/negbTE/negP => /andP[/and3P[_ _ h0] /and3P[_ _ h1]].
    by have := @same_half k false c v.2 h0; rewrite (@same_half k true c v.2 h1).
  rewrite cards0 addn0 -cardsUI [X in _ + #|pred_of_set X|](_ : _ = set0) ?cards0 ?addn0.
    apply/subset_leq_card/subsetP => v; rewrite !inE => /orP[/orP[]|].
    - by case/and3P=> -> le_v h; rewrite /inside (leqW le_v) /= (@same_split k) h.
    - by case/and3P=> -> le_v h; rewrite /inside (leqW le_v) /= (@same_split k) h orbT.
    by case/imsetP=> x; rewrite inE => /andP[h in_B] ->; rewrite in_B /inside /= last_level leqnn.
  apply/setP => v; rewrite !inE; apply/negbTE/negP => /andP[in_half /imsetP[x _ eq_v]].
  by case/orP: in_half => /and3P[_]; rewrite eq_v /= last_level ltnn.
have fresh0 := @card_fresh k c false; have fresh1 := @card_fresh k c true.
split.
  have : #|top l.+1 c| <= #|last| + #|fresh l c|.
    apply: leq_trans (leq_card_setU _ _); apply/subset_leq_card/subsetP => x; rewrite !inE => /andP[-> ->] /=.
    by case: (_ \in B).
  move: fresh0 fresh1 top0 top1 parts; rewrite -/c0 -/c1 /=; clear; lia.
have : #|made l.+1 c| <= #|made l c0| + #|made l c1| + #|fresh l c|.
  have inj : injective (fun x : point => (inord l.+1, x) : vertex fft) by move=> x y [].
  rewrite -(card_imset (fresh l c) inj).
  apply: leq_trans (leq_trans (leq_card_setU _ _) (leq_add (leq_card_setU _ _) (leqnn _))).
  apply/subset_leq_card/subsetP => -[m x]; rewrite !inE /inside /= => /and3P[/andP[le_m h] dom_x not_B].
  rewrite dom_x not_B !andbT; case: (ltngtP m l.+1) le_m => // [lt_m _|eq_m _].
    by rewrite -ltnS lt_m /= -(@same_split k) h.
  apply/orP; right; apply/imsetP; exists x; last by congr (_, _); apply: val_inj; rewrite /= last_level.
  have eq_in : inord l.+1 = m by apply: val_inj; rewrite /= last_level.
  have dom_l : dominated l.+1 x by rewrite -eq_m.
  by rewrite inE; apply/and3P; split=> //; rewrite eq_in.
move: (dominates_add #|there l c0| #|there l c1|) (leq_dominates parts) fresh0 fresh1 top0 top1 made0 made1.
have : dominates (#|there l c0| + #|there l c1|) <= dominates (#|there l c0| + #|there l c1| + #|last|).
  by apply: leq_dominates; apply: leq_addr.
by rewrite -/c0 -/c1 /=; clear; lia.
Qed.

Lemma card_dominated (D : {set vertex fft}) : (forall v, v \in D -> dominated v.1 v.2 && (v \notin B)) ->
  #|D| <= dominates #|B|.
Proof.
move=> all_dom; have [_ le_made] := @few_dominated r [ffun=> false] (leqnn r).
apply: leq_trans (leq_trans le_made (leq_dominates _)).
  apply/subset_leq_card/subsetP => v /all_dom; rewrite inE => ->; rewrite andbT.
  by rewrite /inside -ltnS ltn_ord /=; apply/forallP => i; rewrite leqNgt ltn_ord.
by apply/subset_leq_card/subsetP => v; rewrite inE => /andP[].
Qed.

End Butterfly.

Section Bound.

Variables (r M : nat) (ms : seq (move (fft r))).
Hypothesis legal_ms : pebbling M ms.

(** What is computed for the first time at [t]. *)
Definition first_computed t := [set v | (computed ms t == Some v) && ~~ has (fun s => computed ms s == Some v) (iota 0 t)].

Definition first_in a b := [set v | [exists t : 'I_(size ms), (a <= t < b) && (v \in first_computed t)]].

Lemma first_computed_le1 t : #|first_computed t| <= 1.
Proof.
case E: (computed ms t) => [v|].
  by rewrite -(cards1 v); apply/subset_leq_card/subsetP => u; rewrite !inE E => /andP[/eqP[->]].
by rewrite (_ : first_computed t = set0) ?cards0 //; apply/setP => v; rewrite !inE E.
Qed.

Lemma card_at_hand a b : a <= b ->
  #|[set v | at_hand ms a b v]| <= #|red_at ms a| + \sum_(a <= t < b) (loaded ms t : bool).
Proof.
elim: b => [|b IH].
  rewrite leqn0 => /eqP ->; rewrite big_geq // addn0; apply/subset_leq_card/subsetP => v.
  by rewrite !inE /at_hand /= orbF.
rewrite leq_eqVlt => /orP[/eqP ->|].
  rewrite big_geq // addn0; apply/subset_leq_card/subsetP => v.
  by rewrite !inE /at_hand /index_iota subnn /= orbF.
rewrite ltnS => le_ab; rewrite big_nat_recr //= addnA.
apply: (@leq_trans (#|[set v | at_hand ms a b v]| + #|[set v | loaded ms b == Some v]|)).
  apply: leq_trans (leq_card_setU _ _); apply/subset_leq_card/subsetP => v; rewrite !inE /at_hand.
  by rewrite /index_iota subSn // -addn1 iotaD has_cat subnKC //= orbF orbA.
apply: leq_add; first exact: IH.
case: (loaded ms b) => [v|]; last by rewrite /= leqn0 cards_eq0; apply/eqP/setP => v; rewrite !inE.
by rewrite /= -[X in _ <= X](cards1 v); apply/subset_leq_card/subsetP => u; rewrite !inE => /eqP[->].
Qed.

(** What is computed in a segment is dominated by what is at hand in it without being computed there for the first time. *)
Lemma computed_dominated a b t v : a <= t < b -> computed ms t = Some v ->
  dominated ([set v | at_hand ms a b v] :\: first_in a b) v.1 v.2.
Proof.
set B := _ :\: _; have [n le_n] := ubnP t; elim: n t v le_n => // n IH t [l x] le_n /andP[le_at lt_tb] comp_t.
have := computed_input legal_ms comp_t; rewrite input_level /=.
case: l comp_t => [[|l] lt_l] //= comp_t _; apply/orP; right; apply/forallP => y; apply/implyP => agree_y.
have lt_l' : l < r.+1 by apply: ltnW.
have red_p : ((Ordinal lt_l', y) : vertex (fft r)) \in red_at ms t.
  by apply: (computed_red legal_ms comp_t); rewrite /= /fft_edge /= eqxx.
have eq_l : inord l = Ordinal lt_l' by apply: val_inj; rewrite /= inordK.
have again s : s < t -> a <= s -> computed ms s = Some (Ordinal lt_l', y) -> dominated B l y.
  move=> lt_st le_as comp_s.
  by apply: (IH s (Ordinal lt_l', y)) => //; [lia|rewrite le_as (ltn_trans lt_st)].
case: (boolP (at_hand ms a t (Ordinal lt_l', y))) => [hand|not_hand]; last first.
  by have [s /andP[le_as lt_st] comp_s] := made_between not_hand le_at red_p; apply: again comp_s.
case: (boolP ((Ordinal lt_l', y) \in first_in a b)) => [|not_first]; last first.
  have : (Ordinal lt_l', y) \in B by rewrite inE not_first inE; apply: at_handW hand; apply: ltnW.
  by rewrite -eq_l; apply: dominated_in.
rewrite inE => /existsP[s /andP[/andP[le_as _]]]; rewrite inE => /andP[/eqP comp_s /hasPn not_before].
have not_in : ~~ input ((Ordinal lt_l', y) : vertex (fft r)) by apply: (computed_input legal_ms comp_s).
have [u lt_ut comp_u] := red_computed legal_ms not_in red_p.
case: (ltnP s t) => [lt_st|le_ts]; first exact: again comp_s.
have : u \in iota 0 s by rewrite mem_iota add0n (leq_trans lt_ut).
by move/not_before; rewrite comp_u eqxx.
Qed.

Lemma card_first_in a b : a <= b -> #|first_in a b| <= dominates #|[set v | at_hand ms a b v]|.
Proof.
move=> le_ab; set A := [set v | _].
apply: leq_trans (@card_dominated r (A :\: first_in a b) _ _) (leq_dominates _); last first.
  by apply/subset_leq_card/subsetP => v; rewrite inE => /andP[].
move=> v in_first; rewrite inE in_first andbT.
move: in_first; rewrite inE => /existsP[t /andP[in_ab]]; rewrite inE => /andP[/eqP comp_t _].
exact: computed_dominated in_ab comp_t.
Qed.

(** All vertices that are no inputs are computed at last. *)
Lemma all_computed (v : vertex (fft r)) : ~~ input v -> exists t, computed ms t = Some v.
Proof.
have [n le_n] := ubnP (r - v.1); elim: n v le_n => // n IH v le_n not_in.
case: (boolP (output v)) => [out_v|not_out]; first exact: (output_computed legal_ms).
have lt_v : v.1.+1 < r.+1 by rewrite ltnS ltn_neqAle not_out -ltnS ltn_ord.
have [||t comp_t] := IH (Ordinal lt_v, v.2); first by move: not_out lt_v le_n; rewrite /=; lia.
  by rewrite input_level.
have edge_v : edge v ((Ordinal lt_v, v.2) : vertex (fft r)).
  by rewrite /= /fft_edge /= eqxx; apply/forallP => i; rewrite eqxx implybT.
by have [s _ comp_s] := red_computed legal_ms not_in (computed_red legal_ms comp_t edge_v); exists s.
Qed.

Lemma first_time v s t : v \in first_computed s -> v \in first_computed t -> s = t.
Proof.
rewrite !inE => /andP[comp_s /hasPn new_s] /andP[comp_t /hasPn new_t].
case: (ltngtP s t) => // [lt_st|lt_ts].
  by have /new_t := (etrans (mem_iota 0 t s) lt_st : s \in iota 0 t); rewrite comp_s.
by have /new_s := (etrans (mem_iota 0 s t) lt_ts : t \in iota 0 s); rewrite comp_t.
Qed.

Lemma sum_first_le a b : b <= size ms -> \sum_(a <= t < b) #|first_computed t| <= #|first_in a b|.
Proof.
move=> le_b; under eq_bigr do rewrite -sum1_card big_mkcond /=.
rewrite exchange_big /= -sum1_card [X in _ <= X]big_mkcond /=; apply: leq_sum => v _.
case: (boolP (has (fun t => v \in first_computed t) (index_iota a b))) => [/hasP[t]|/hasPn none].
  rewrite mem_index_iota => /andP[le_at lt_tb] first_t.
  rewrite (bigD1_seq t) ?iota_uniq ?mem_index_iota ?le_at //= first_t big1 ?addn0.
    case: ifPn => //; rewrite inE => /existsPn/(_ (Ordinal (leq_trans lt_tb le_b))).
    by rewrite /= le_at lt_tb first_t.
  by move=> s ne_st; case: ifP => // /(first_time first_t) eq_ts; rewrite eq_ts eqxx in ne_st.
by rewrite big1_seq // => t /andP[_ /none /negbTE ->].
Qed.

Lemma sum_first : #|[set v : vertex (fft r) | ~~ input v]| <= \sum_(0 <= t < size ms) #|first_computed t|.
Proof.
under eq_bigr do rewrite -sum1_card big_mkcond /=.
rewrite exchange_big /= -sum1_card big_mkcond /=; apply: leq_sum => v _.
case: ifP => //; rewrite inE => /all_computed[t0 comp_t0].
have ex : exists t, computed ms t == Some v by exists t0; rewrite comp_t0.
case: (ex_minnP ex) => t comp_t least.
have lt_t : t < size ms by apply: computed_size (eqP comp_t).
rewrite (bigD1_seq t) ?iota_uniq ?mem_index_iota //= inE comp_t.
case: hasP => // -[s]; rewrite mem_iota add0n => /= lt_st /least.
by rewrite leqNgt lt_st.
Qed.

End Bound.

Theorem fft_bound r M h T (ms : seq (move (fft r))) :
  pebbling M ms -> 0 < h -> h * dominates T < 2 ^ r * r ->
  M + 1 + h * T + 2 ^ r <= io ms + h * M.
Proof.
move=> legal_ms h_gt0 many.
have r_gt0 : 0 < r by rewrite lt0n; apply/eqP => r0; move: many; rewrite r0 muln0.
have card_point : #|point r| = 2 ^ r by rewrite card_ffun card_bool card_ord.
have one_load t : (loaded ms t : nat) <= 1 by case: (loaded ms t).
have seg a b : a <= b <= size ms -> #|red_at ms a| + \sum_(a <= t < b) (loaded ms t : bool) <= T ->
    \sum_(a <= t < b) #|first_computed ms t| <= dominates T.
  move=> /andP[le_ab le_b] few; apply: (leq_trans (sum_first_le a le_b)).
  apply: leq_trans (card_first_in legal_ms le_ab) (leq_dominates _).
  exact: leq_trans (card_at_hand ms le_ab) few.
have := @cut (size ms) M 1 T (dominates T) _ (fun t => #|first_computed ms t|) (fun a => #|red_at ms a|)
  one_load (card_red legal_ms) seg h.
rewrite red_at0 cards0 => /(_ erefl h_gt0).
have steps : 2 ^ r * r <= \sum_(0 <= t < size ms) #|first_computed ms t|.
  apply: leq_trans (sum_first legal_ms).
  have -> : 2 ^ r * r = #|[finType of 'I_r * point r]| by rewrite card_prod card_ord card_point mulnC.
  have inj : injective (fun p : 'I_r * point r => (lift ord0 p.1, p.2) : vertex (fft r)).
    move=> [l x] [l' x'] eq_p; have := congr1 (@fst 'I_r.+1 (point r)) eq_p; have := congr1 (@snd 'I_r.+1 (point r)) eq_p.
    by rewrite /= => -> /lift_inj ->.
  rewrite -cardsT -(card_imset _ inj); apply/subset_leq_card/subsetP => _ /imsetP[p _ ->].
  by rewrite inE input_level.
move=> /(_ (leq_trans many steps)).
have outputs : 2 ^ r <= stores ms.
  apply: leq_trans (stores_outputs legal_ms).
  have inj : injective (fun x : point r => (ord_max, x) : vertex (fft r)) by move=> x y [].
  rewrite -card_point -cardsT -(card_imset _ inj); apply/subset_leq_card/subsetP => _ /imsetP[x _ ->].
  by rewrite inE input_level /= eqxx -lt0n.
rewrite io_loads_stores /loads big_mkord.
by move: outputs; clear; nia.
Qed.
