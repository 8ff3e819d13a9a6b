(** * Stores of accumulators

    docs/proofs/t3.md, 2.2 and 2.3: an accumulator that is loaded has been stored. So of the loads of a traced chain's element that its next
    event needs, the last one weighs 2, as does the chain's beginning; and a chain at work in a segment costs 2 there, but for those
    that are red at its start. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Segments Tracing.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Stores.

Variables (G : dag) (M : nat) (ms : seq (move G)).
Hypothesis legal_ms : pebbling M ms.

Notation red_at := (red_at ms).
Notation loaded := (loaded ms).
Notation computed := (computed ms).

Definition ever_stored v := [exists t : 'I_(size ms), stored ms t == Some v].

Lemma blue_stored t v : ~~ input v -> v \in blue_at ms t -> ever_stored v.
Proof.
move=> not_in; elim: t => [|t IH]; first by rewrite blue_at0 inE (negbTE not_in).
case/blue_atS => [/IH //|st_t]; have lt_t : t < size ms.
  by move: st_t; rewrite /stored; case E: (move_at ms t) => [m|] // _; apply: move_at_size E.
by apply/existsP; exists (Ordinal lt_t); rewrite st_t.
Qed.

Lemma loaded_stored t v : ~~ input v -> loaded t = Some v -> ever_stored v.
Proof. by move=> not_in /(loaded_blue legal_ms); apply: blue_stored. Qed.

(** What is never stored is at hand only if it is red at the start. *)
Lemma hand_red a b v : ~~ input v -> ~~ ever_stored v -> at_hand ms a b v -> v \in red_at a.
Proof.
move=> not_in not_stored /orP[//|/hasP[t _ /eqP /(loaded_stored not_in)]]; by rewrite (negbTE not_stored).
Qed.

Lemma stores_ever : #|[set v | ever_stored v]| <= stores ms.
Proof.
apply: card_times => v; rewrite inE => /existsP[t /eqP st_t]; by exists t.
Qed.

Lemma card_at_hand a b : #|[set v | at_hand ms a b v]| <= #|red_at a| + \sum_(a <= t < b) (loaded t : bool).
Proof.
apply: (@leq_trans (#|red_at a :|: [set v | has (fun t => loaded t == Some v) (index_iota a b)]|)).
  by apply/subset_leq_card/subsetP => v; rewrite !inE.
apply: leq_trans (leq_card_setU _ _) _; rewrite leq_add2l; apply: card_taken => v.
by rewrite inE => /hasP[t]; rewrite mem_index_iota => in_t /eqP load_t; exists t.
Qed.

Section Chains.

Variables (X C : finType) (vert : X -> vertex G) (follows : rel X) (chain : X -> C) (when : X -> nat).
Hypothesis vert_inj : injective vert.
Hypothesis no_input : forall x, ~~ input (vert x).
Hypothesis follows_edge : forall x y, follows x y -> edge (vert x) (vert y).
Hypothesis follows_fun : forall x y z, follows x y -> follows x z -> y = z.
Hypothesis follows_chain : forall x y, follows x y -> chain x = chain y.
Hypothesis traced_when : traced ms vert follows when.

Lemma same_step x y : when x = when y -> x = y.
Proof. by move=> eq_t; apply: vert_inj; have := (traced_when x).1; rewrite eq_t (traced_when y).1 => -[]. Qed.

(** The last load of [x] between its event and the next one. *)
Definition reload_of x t := (loaded t == Some (vert x)) && [exists y, [&& follows x y, when x < t < when y &
  ~~ has (fun s => loaded s == Some (vert x)) (iota t.+1 (when y - t.+1))]].
Definition reload t := [exists x, reload_of x t].
Definition begun t := [exists x, first follows x && (when x == t)].

Lemma reload_unique x t u : reload_of x t -> reload_of x u -> t = u.
Proof.
suff not_lt s r : reload_of x s -> reload_of x r -> ~~ (s < r).
  by move=> rt ru; apply/eqP; rewrite eqn_leq leqNgt (not_lt _ _ ru rt) leqNgt (not_lt _ _ rt ru).
case/andP=> _ /existsP[y /and3P[fol_y _ none]] /andP[load_r /existsP[z /and3P[fol_z /andP[_ lt_r] _]]].
rewrite -(follows_fun fol_y fol_z) in lt_r.
apply: contra none => lt_sr; apply/hasP; exists r => //; rewrite mem_iota; move: lt_sr lt_r; clear; lia.
Qed.

Lemma reload_stores : \sum_(0 <= t < size ms) reload t <= #|[set x | [exists y, follows x y] && ever_stored (vert x)]|.
Proof.
rewrite big_mkord; pose A := [set t : 'I_(size ms) | reload t].
have -> : \sum_(t < size ms) reload t = #|A|.
  by rewrite -sum1_card [RHS]big_mkcond; apply: eq_bigr => t _; rewrite inE; case: (reload t).
pose f (t : 'I_(size ms)) := [pick x | reload_of x t].
have fP (t : 'I_(size ms)) : t \in A -> exists2 x, f t = Some x & reload_of x t.
  by rewrite inE /f => /existsP[x re_x]; case: pickP => [y re_y|/(_ x)]; [exists y|rewrite re_x].
have f_inj : {in A &, injective f}.
  move=> t u /fP[x -> re_t] /fP[y -> re_u] [eq_x]; rewrite -eq_x in re_u.
  by apply: val_inj; apply: reload_unique re_t re_u.
rewrite -(card_in_imset f_inj) -[X in _ <= X](card_imset _ (@Some_inj _)); apply/subset_leq_card/subsetP => _ /imsetP[t in_A ->].
have [x -> /andP[/eqP load_t /existsP[y /and3P[fol_y _ _]]]] := fP t in_A.
apply/imsetP; exists x => //; rewrite inE; apply/andP; split; first by apply/existsP; exists y.
by apply: loaded_stored load_t; apply: no_input.
Qed.

(** Chains at work in a segment, with a vertex that is red at its start, or at hand. *)
Definition working a b := chain @: [set x | a <= when x < b].
Definition entering a := chain @: [set x | vert x \in red_at a].
Definition handed a b := chain @: [set x | at_hand ms a b (vert x)].

(** The first event of a chain at work. *)
Lemma entered a b x : a <= when x < b -> exists y, [/\ chain y = chain x, a <= when y < b &
  first follows y \/ exists z, [/\ follows z y, when z < a & vert z \in red_at (when y)]].
Proof.
have [n le_n] := ubnP (when x); elim: n x le_n => // n IH x le_n in_ab.
case: (boolP (first follows x)) => [first_x|/forallPn[z]]; first by exists x; split=> //; left.
rewrite negbK => fol; have [comp_z /(_ x fol)[lt_zx _]] := traced_when z.
case: (leqP a (when z)) => [le_az|lt_za].
  case: (IH z) => [||y [chain_y in_y hand_y]]; [by move: lt_zx le_n; clear; lia| |].
    by rewrite le_az (ltn_trans lt_zx) //; case/andP: in_ab.
  by exists y; split=> //; rewrite chain_y; apply: follows_chain.
exists x; split=> //; right; exists z; split=> //.
exact: (computed_red legal_ms (traced_when x).1 (follows_edge fol)).
Qed.

Lemma working_weight a b : exists2 H : {set C}, H \subset handed a b &
  2 * #|working a b| <= #|working a b :&: entering a| + #|H| + \sum_(a <= t < b) reload t + 2 * \sum_(a <= t < b) begun t.
Proof.
pose B := chain @: [set x | first follows x && (a <= when x < b)].
pose C0 := working a b :&: entering a; pose C1 := (working a b :\: C0) :\: B.
have le_B : #|B| <= \sum_(a <= t < b) begun t.
  pose f t := omap chain [pick x | first follows x && (when x == t)].
  apply: (@leq_trans (\sum_(a <= t < b) (f t : bool))).
    apply: card_taken => c /imsetP[x]; rewrite inE => /andP[first_x in_x] ->; exists (when x) => //.
    rewrite /f; case: pickP => [y /andP[_ /eqP /same_step ->] //|/(_ x)]; by rewrite first_x eqxx.
  apply: leq_sum => t _; rewrite /f; case: pickP => [x good|] //=.
  by have -> : begun t by apply/existsP; exists x.
have C1P c : c \in C1 -> exists x, [/\ chain x = c, at_hand ms a b (vert x) & exists2 t, a <= t < b & reload_of x t].
  rewrite !inE => /and3P[not_B not_C0 /imsetP[x]]; rewrite inE => in_x eq_c.
  have [y [chain_y in_y [first_y|[z [fol lt_z is_red]]]]] := entered in_x.
    by case/negP: not_B; apply/imsetP; exists y; rewrite ?inE ?first_y ?chain_y.
  have chain_z : chain z = c by rewrite (follows_chain fol) chain_y eq_c.
  have in_work : c \in working a b by apply/imsetP; exists x; rewrite ?inE.
  have not_red : vert z \notin red_at a.
    by apply: contra not_C0 => red_z; rewrite in_work; apply/imsetP; exists z; rewrite ?inE.
  have /andP[le_ay lt_yb] := in_y.
  have some_load : exists t, (a <= t < when y) && (loaded t == Some (vert z)).
    case: (red_since le_ay is_red) => [/orP[|/hasP[t]]|[s /andP[le_s lt_s] comp_s]].
    - by rewrite (negbTE not_red).
    - by rewrite mem_index_iota => in_t load_t; exists t; rewrite in_t.
    - have [_ /(_ y fol)[_ none]] := traced_when z.
      by case: (none s) => //; rewrite lt_s (leq_trans lt_z).
  have bound t : (a <= t < when y) && (loaded t == Some (vert z)) -> t <= when y by case/andP=> /andP[_ /ltnW].
  case: (ex_maxnP some_load bound) => t /andP[/andP[le_t lt_t] load_t] greatest.
  exists z; split=> //.
    apply/orP; right; apply/hasP; exists t => //; by rewrite mem_index_iota le_t (ltn_trans lt_t).
  exists t; first by rewrite le_t (ltn_trans lt_t).
  rewrite /reload_of load_t; apply/existsP; exists y; rewrite fol (leq_trans lt_z le_t) lt_t /=.
  apply/hasPn => s; rewrite mem_iota => /andP[lt_ts lt_s]; apply/negP => load_s.
  have := greatest s; rewrite load_s andbT; move: le_t lt_t lt_ts lt_s; clear; lia.
have le_C1 : #|C1| <= \sum_(a <= t < b) reload t.
  pose f t := if reload t then omap chain [pick x | loaded t == Some (vert x)] else None.
  apply: (@leq_trans (\sum_(a <= t < b) (f t : bool))); last first.
    by apply: leq_sum => t _; rewrite /f; case: (reload t) => //; case: pickP.
  apply: card_taken => c /C1P[x [chain_x _ [t in_t re_t]]]; exists t => //.
  have -> : f t = omap chain [pick x | loaded t == Some (vert x)].
    by rewrite /f; have -> : reload t by apply/existsP; exists x.
  have /andP[/eqP load_t _] := re_t; rewrite load_t.
  case: pickP => [y /eqP[/vert_inj <-]|/(_ x)]; last by rewrite eqxx.
  by rewrite /= chain_x.
exists (C0 :|: C1).
  apply/subsetP => c /setUP[/setIP[_ /imsetP[x]]|/C1P[x [<- hand_x _]]]; last by apply/imsetP; exists x; rewrite ?inE.
  by rewrite inE => is_red ->; apply/imsetP; exists x; rewrite ?inE // /at_hand is_red.
have sub : #|working a b| <= #|C0| + #|C1| + #|B|.
  apply: leq_trans (_ : #|C0 :|: C1 :|: B| <= _).
    by apply/subset_leq_card/subsetP => c; rewrite !inE => in_w; rewrite in_w /=; case: (c \in entering a); case: (c \in B).
  by apply: leq_trans (leq_card_setU _ _) _; rewrite leq_add2r leq_card_setU.
have apart : #|C0 :|: C1| = #|C0| + #|C1|.
  rewrite cardsU; have -> : C0 :&: C1 = set0; last by rewrite cards0 subn0.
  by apply/setP => c; rewrite !inE; case: (c \in working a b); case: (c \in entering a); rewrite ?andbF.
rewrite apart -/C0; move: sub le_B le_C1; clear; lia.
Qed.

End Chains.
End Stores.

(** Chains that begin in a segment. *)
Section Begun.

Variables (G : dag) (M : nat) (ms : seq (move G)).
Variables (X C : finType) (vert : X -> vertex G) (follows : rel X) (chain : X -> C) (when : X -> nat).
Hypothesis vert_inj : injective vert.
Hypothesis traced_when : traced ms vert follows when.

Lemma begun_chains a b : #|chain @: [set x | first follows x && (a <= when x < b)]| <= \sum_(a <= t < b) begun follows when t.
Proof.
pose f t := omap chain [pick x | first follows x && (when x == t)].
apply: (@leq_trans (\sum_(a <= t < b) (f t : bool))).
  apply: card_taken => c /imsetP[x]; rewrite inE => /andP[first_x in_x] ->; exists (when x) => //.
  rewrite /f; case: pickP => [y /andP[_ /eqP /(same_step vert_inj traced_when) ->] //|/(_ x)]; by rewrite first_x eqxx.
apply: leq_sum => t _; rewrite /f; case: pickP => [x good|] //=.
by have -> : begun follows when t by apply/existsP; exists x.
Qed.

Lemma sum_begun : \sum_(0 <= t < size ms) begun follows when t <= #|[set x | first follows x]|.
Proof.
apply: (@leq_trans (\sum_(0 <= t < size ms) \sum_(x | when x == t) first follows x)).
  apply: leq_sum => t _; case: (boolP (begun follows when t)) => // /existsP[x /andP[first_x when_x]].
  by rewrite (bigD1 x) //= first_x.
rewrite sum_events -sum1_card [X in X <= _]big_mkcond [X in _ <= X]big_mkcond /=; apply: leq_sum => x _; rewrite inE.
by case: ifP; case: (first follows x).
Qed.

End Begun.
