(** * Tracing

    docs/proofs/forward.md, tracing: steps of chains, each followed by the next one; of every step one computation, the last one before
    that of the next step. Whatever is recomputed, a chain with a traced event in a segment was begun in it, or entered
    through a vertex that is at hand. Then the cutting lemma for traced events. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Segments.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Tracing.

Variables (G : dag) (M : nat) (ms : seq (move G)).
Hypothesis legal_ms : pebbling M ms.

Notation red_at := (red_at ms).
Notation loaded := (loaded ms).
Notation computed := (computed ms).
Notation at_hand := (at_hand ms).

(** The last computation before a time. *)
Lemma last_computed t v : (exists2 s, s < t & computed s = Some v) ->
  exists s, [/\ s < t, computed s = Some v & forall u, s < u < t -> computed u <> Some v].
Proof.
move=> [s0 lt_s0 comp_s0].
have ex : exists s, (s < t) && (computed s == Some v) by exists s0; rewrite lt_s0 comp_s0 /=.
have bound s : (s < t) && (computed s == Some v) -> s <= t by case/andP=> /ltnW.
case: (ex_maxnP ex bound) => s /andP[lt_s /eqP comp_s] greatest.
exists s; split=> // u /andP[lt_su lt_ut] comp_u.
by have := greatest u; rewrite lt_ut comp_u eqxx leqNgt lt_su => /(_ isT).
Qed.

(** A chain of vertices none of which is at hand in [a, b) but the last of which is red then was made there from its start. *)
Lemma made_between a t v : ~~ at_hand a t v -> a <= t -> v \in red_at t ->
  exists2 s, a <= s < t & computed s = Some v.
Proof. by move=> not_hand le_at is_red; case: (red_since le_at is_red) => //; rewrite (negbTE not_hand). Qed.

Section Chains.

Variables (X : finType) (vert : X -> vertex G) (follows : rel X) (left : X -> nat).
(** [follows x y]: the step [y] comes right after [x]; [left x] steps or more are left after [x]. *)
Hypothesis no_input : forall x, ~~ input (vert x).
Hypothesis follows_left : forall x y, follows x y -> left y < left x.
Hypothesis follows_edge : forall x y, follows x y -> edge (vert x) (vert y).
Hypothesis follows_fun : forall x y z, follows x y -> follows x z -> y = z.

Definition traced (when : X -> nat) := forall x, computed (when x) = Some (vert x) /\
  forall y, follows x y -> when x < when y /\ forall s, when x < s < when y -> computed s <> Some (vert x).

(** The trace that ends in given computations of the last steps. *)
Lemma trace_from (ends : X -> nat) : (forall x, (forall y, ~~ follows x y) -> computed (ends x) = Some (vert x)) ->
  exists2 when, traced when & forall x, (forall y, ~~ follows x y) -> when x = ends x.
Proof.
move=> comp_ends.
pose good (when : X -> nat) x := (computed (when x) = Some (vert x) /\
  forall y, follows x y -> when x < when y /\ forall s, when x < s < when y -> computed s <> Some (vert x)) /\
  ((forall y, ~~ follows x y) -> when x = ends x).
suff all_n n : exists when, forall x, left x < n -> good when x.
  case: (all_n (\max_x left x).+1) => when all_good.
  have all_x x : good when x by apply: all_good; rewrite ltnS; apply: leq_bigmax.
  by exists when => x; case: (all_x x).
elim: n => [|n [when IH]]; first by exists (fun=> 0).
have new x : left x = n -> exists t, (computed t = Some (vert x) /\
    forall y, follows x y -> t < when y /\ forall s, t < s < when y -> computed s <> Some (vert x)) /\
    ((forall y, ~~ follows x y) -> t = ends x).
  move=> left_x; case: (pickP (follows x)) => [y fol|none]; last first.
    exists (ends x); split=> //; split; last by move=> y; rewrite none.
    by apply: comp_ends => y; rewrite none.
  have [[comp_y _] _] : good when y by apply: IH; rewrite -left_x; apply: follows_left.
  have is_red := computed_red legal_ms comp_y (follows_edge fol).
  have [t [lt_t comp_t last_t]] := last_computed (red_computed legal_ms (no_input x) is_red).
  exists t; split; last by move=> /(_ y); rewrite fol.
  by split=> // z /(follows_fun fol) <-.
have [new_when new_good] : exists f : X -> nat, forall x, left x = n -> (computed (f x) = Some (vert x) /\
    forall y, follows x y -> f x < when y /\ forall s, f x < s < when y -> computed s <> Some (vert x)) /\
    ((forall y, ~~ follows x y) -> f x = ends x).
  have : forall x, exists t, left x = n -> (computed t = Some (vert x) /\
      forall y, follows x y -> t < when y /\ forall s, t < s < when y -> computed s <> Some (vert x)) /\
      ((forall y, ~~ follows x y) -> t = ends x).
    by move=> x; case: (eqVneq (left x) n) => [/new[t good_t]|/eqP ne_n]; [exists t|exists 0].
  by move/fin_all_exists.
exists (fun x => if left x == n then new_when x else when x) => x; rewrite ltnS leq_eqVlt /good.
case: eqP => [left_x _|_ /= lt_n].
  have [[comp_x next_x] ends_x] := new_good x left_x; split=> //; split=> // y fol.
  rewrite [left y == n]ltn_eqF; first exact: next_x.
  by rewrite -left_x; apply: follows_left.
have [[comp_x next_x] ends_x] := IH x lt_n; split=> //; split=> // y fol.
rewrite [left y == n]ltn_eqF; first exact: next_x.
exact: ltn_trans (follows_left fol) lt_n.
Qed.

(** A trace, as soon as the last steps are computed at all. *)
Lemma trace : (forall x, (forall y, ~~ follows x y) -> exists t, computed t = Some (vert x)) ->
  exists when, traced when.
Proof.
move=> comp_last.
have : forall x, exists t, (forall y, ~~ follows x y) -> computed t = Some (vert x).
  move=> x; case: (pickP (follows x)) => [y fol|none]; first by exists 0 => /(_ y); rewrite fol.
  by have [y|t comp_t] := comp_last x; [rewrite none|exists t].
by move/fin_all_exists => [ends /trace_from[when traced_when _]]; exists when.
Qed.

(** Steps of one chain, as told by a colour that [follows] keeps. *)
Variables (when : X -> nat) (C : eqType) (chain : X -> C).
Hypothesis traced_when : traced when.
Hypothesis follows_chain : forall x y, follows x y -> chain x = chain y.

Definition first x := [forall y, ~~ follows y x].

Lemma traced_size x : when x < size ms.
Proof. by case: (traced_when x) => /computed_size. Qed.

(** Begun or entered. *)
Lemma begun_or_entered a b x : a <= when x < b -> exists y, chain y = chain x /\
  (at_hand a b (vert y) \/ first y /\ a <= when y < b).
Proof.
have [n le_n] := ubnP (when x); elim: n x le_n => // n IH x le_n /andP[le_a lt_b].
case: (boolP (first x)) => [first_x|/forallPn[z]].
  by exists x; split=> //; right; rewrite le_a lt_b.
rewrite negbK => fol; have [comp_z /(_ x fol)[lt_zx last_z]] := traced_when z.
case: (leqP a (when z)) => [le_az|lt_za].
  case: (IH z) => [||y [chain_y hand_y]]; first by lia.
    by rewrite le_az (ltn_trans lt_zx).
  by exists y; split=> //; rewrite chain_y; apply: follows_chain.
exists z; split; first exact: follows_chain.
left; have is_red := computed_red legal_ms (traced_when x).1 (follows_edge fol).
case: (red_since le_a is_red) => [|[s /andP[le_as lt_sx] comp_s]].
  by apply: at_handW; apply: ltnW.
by case: (last_z s) => //; rewrite lt_sx (leq_trans lt_za).
Qed.

(** The words of a segment: red at its start, or loaded in it, or the first of a chain that is begun in it. *)
Definition segment_words a b : {set vertex G} :=
  [set v | at_hand a b v] :|: vert @: [set x | first x && (a <= when x < b)].

Lemma at_hand_words a b v : at_hand a b v -> v \in segment_words a b.
Proof. by move=> hand; rewrite !inE hand. Qed.

Lemma input_words a b t v : input v -> v \in red_at t -> a <= t < b -> v \in segment_words a b.
Proof.
move=> in_v is_red /andP[le_at lt_tb]; apply: at_hand_words; apply: at_handW (ltnW lt_tb) _.
exact: (input_at_hand legal_ms).
Qed.

(** Inputs that a traced event reads. *)
Lemma operand_words a b x v : input v -> edge v (vert x) -> a <= when x < b -> v \in segment_words a b.
Proof. by move=> in_v edge_v; apply: input_words => //; apply: (computed_red legal_ms (traced_when x).1). Qed.

Lemma chain_words a b x : a <= when x < b -> exists2 y, chain y = chain x & vert y \in segment_words a b.
Proof.
move=> /begun_or_entered[y [chain_y hand_y]]; exists y => //; rewrite !inE.
case: hand_y => [-> //|first_y]; apply/orP; right; apply/imsetP; exists y => //.
by rewrite inE; apply/andP.
Qed.

(** What counts as a move: loads, and beginnings of chains. *)
Definition new t := if loaded t is Some v then Some v else if [exists x, first x && (when x == t)] then computed t else None.

Lemma segment_words_held a b : segment_words a b \subset held red_at new a b.
Proof.
apply/subsetP => v; rewrite inE inE => /orP[/orP[|/hasP[t]]|/imsetP[x]]; first exact: held_red.
  by rewrite mem_index_iota => in_t /eqP load_t; apply: held_new in_t _; rewrite /new load_t.
rewrite inE => /andP[first_x in_x] ->; apply: held_new in_x _; rewrite /new; have := (traced_when x).1.
have -> : [exists y, first y && (when y == when x)] by apply/existsP; exists x; rewrite first_x eqxx.
by rewrite /Times.loaded /Times.computed; case: (move_at ms (when x)) => [[]|].
Qed.

Lemma sum_new : \sum_(0 <= t < size ms) (new t : bool) <= loads ms + #|[set x | first x]|.
Proof.
apply: (@leq_trans (\sum_(0 <= t < size ms) ((loaded t : bool) + [exists x, first x && (when x == t)]))).
  by apply: leq_sum => t _; rewrite /new; case: (loaded t) => //; case: existsP => // _; case: (computed t).
rewrite big_split /= big_mkord leq_add2l big_mkord.
have -> : \sum_(t < size ms) [exists x, first x && (when x == t)] =
    #|[set t : 'I_(size ms) | [exists x, first x && (when x == t)]]|.
  by rewrite -sum1_card [RHS]big_mkcond; apply: eq_bigr => t _; rewrite inE; case: existsP.
apply: leq_trans (leq_imset_card (fun x => Ordinal (traced_size x)) _).
apply/subset_leq_card/subsetP => t; rewrite inE => /existsP[x /andP[first_x /eqP when_x]].
by apply/imsetP; exists x; [rewrite inE|apply: val_inj; rewrite /= when_x].
Qed.

(** What weights of some [X] at times [when] come to in a segment. *)
Lemma sum_events (Y : finType) (times weight : Y -> nat) a b :
  \sum_(a <= t < b) \sum_(y | times y == t) weight y = \sum_(y | a <= times y < b) weight y.
Proof.
rewrite (exchange_big_dep xpredT) //= [RHS]big_mkcond /=; apply: eq_bigr => y _.
rewrite big_mkcond; case: ifP => in_ab.
  rewrite (bigD1_seq (times y)) ?iota_uniq ?mem_index_iota //= eqxx big1 ?addn0 // => t ne_t.
  by rewrite eq_sym (negbTE ne_t).
rewrite big1_seq // => t; rewrite mem_index_iota => /andP[_ in_t].
by case: eqP => // when_y; rewrite when_y in_t in in_ab.
Qed.

(** The cutting lemma: if a segment with [T] words has events of weight [F] at most, but for what is struck out. *)
Lemma cut_struck_events (events : nat -> nat) (struck : nat -> nat -> nat) T F h : injective vert ->
  (forall a b c, a <= b <= c -> struck a b + struck b c <= struck a c) ->
  (forall a b, #|segment_words a b| <= T -> \sum_(a <= t < b) events t <= F + struck a b) ->
  0 < h -> h * F + struck 0 (size ms) < \sum_(0 <= t < size ms) events t ->
  M + 1 + h * T <= loads ms + #|[set x | first x]| + h * M.
Proof.
move=> _ super bounded h_gt0 many; apply: (@leq_trans (\sum_(0 <= t < size ms) (new t : bool) + h * M)).
  apply: (cut_held (red := red_at) (events := events) (struck := struck) (F := F)) => // [|t|a b le_T]; [exact: red_at0|exact: card_red|].
  by apply: bounded; apply: leq_trans le_T; apply: subset_leq_card (segment_words_held a b).
by rewrite leq_add2r; exact: sum_new.
Qed.

(** Where the events are the traced steps. *)
Lemma cut_events (weight : X -> nat) T F h : injective vert ->
  (forall a b, #|segment_words a b| <= T -> \sum_(x | a <= when x < b) weight x <= F) ->
  0 < h -> h * F < \sum_x weight x ->
  M + 1 + h * T <= loads ms + #|[set x | first x]| + h * M.
Proof.
move=> vert_inj bounded h_gt0 many.
apply: (@cut_struck_events (fun t => \sum_(x | when x == t) weight x) (fun _ _ => 0) T F) => // [a b le_T|].
  by rewrite sum_events addn0; apply: bounded.
rewrite sum_events addn0; apply: leq_trans many _; apply: eq_leq.
by apply: eq_bigl => x; rewrite traced_size.
Qed.

End Chains.
End Tracing.
