(** * What happens when

    A legal pebbling seen as times [t < size ms]: which vertices are red before move [t], what it loads, stores or computes.
    Everything else is proved from the lemmas of this file. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Times.

Variables (G : dag) (M : nat) (ms : seq (move G)).
Hypothesis legal_ms : pebbling M ms.

Notation V := (vertex G).

Definition state_at t := foldl (@next G) (start G) (take t ms).
Definition red_at t := red (state_at t).
Definition blue_at t := blue (state_at t).
Definition move_at t := ohead (drop t ms).
Definition loaded t := if move_at t is Some (Load v) then Some v else None.
Definition stored t := if move_at t is Some (Store v) then Some v else None.
Definition computed t :=
  match move_at t with Some (Compute v) => Some v | Some (Slide v _) => Some v | _ => None end.

Lemma red_at0 : red_at 0 = set0.
Proof. by rewrite /red_at /state_at take0. Qed.

Lemma blue_at0 : blue_at 0 = [set v | input v].
Proof. by rewrite /blue_at /state_at take0. Qed.

Lemma state_atS t :
  state_at t.+1 = if move_at t is Some m then next (state_at t) m else state_at t.
Proof.
rewrite /state_at /move_at; case: (ltnP t (size ms)) => [lt_t|ge_t]; last first.
  by rewrite drop_oversize // !take_oversize // ltnW.
case: ms lt_t => // m0 ms' lt_t.
by rewrite (drop_nth m0) // (take_nth m0) // -cats1 foldl_cat.
Qed.

Lemma move_at_size t m : move_at t = Some m -> t < size ms.
Proof. by rewrite /move_at; case: ltnP => // ge_t; rewrite drop_oversize. Qed.

Lemma all_legal_at s ns t m : all_legal M s ns -> ohead (drop t ns) = Some m ->
  legal M (foldl (@next G) s (take t ns)) m.
Proof.
elim: ns s t => [|n ns IH] s [|t] //= /andP[legal_n legal_ns].
  by move=> [<-].
exact: IH.
Qed.

Lemma legal_at t m : move_at t = Some m -> legal M (state_at t) m.
Proof. by move: legal_ms => /andP[legal_all _]; apply: all_legal_at. Qed.

Lemma card_red t : #|red_at t| <= M.
Proof.
elim: t => [|t IH]; first by rewrite red_at0 cards0.
rewrite /red_at state_atS; case E: (move_at t) => [m|] //.
by move: (legal_at E) => /andP[].
Qed.

Lemma computed_size t v : computed t = Some v -> t < size ms.
Proof. by rewrite /computed; case E: (move_at t) => [m|] // _; apply: move_at_size E. Qed.

Lemma loaded_size t v : loaded t = Some v -> t < size ms.
Proof. by rewrite /loaded; case E: (move_at t) => [m|] // _; apply: move_at_size E. Qed.

Lemma computed_computable t v : computed t = Some v -> computable (state_at t) v.
Proof.
rewrite /computed; case E: (move_at t) => [[u|u|u|u|u p]|] //= [<-]; move: (legal_at E).
  by case/andP.
by case/andP=> /and3P[].
Qed.

(** What is computed is no input, and had its predecessors red. *)
Lemma computed_input t v : computed t = Some v -> ~~ input v.
Proof. by move=> /computed_computable /andP[]. Qed.

Lemma computed_red t v p : computed t = Some v -> edge p v -> p \in red_at t.
Proof. by move=> /computed_computable /andP[_ /forallP /(_ p) /implyP]; apply. Qed.

Lemma loaded_blue t v : loaded t = Some v -> v \in blue_at t.
Proof.
by rewrite /loaded; case E: (move_at t) => [[u|u|u|u|u p]|] // [<-]; move: (legal_at E) => /andP[].
Qed.

Lemma stored_red t v : stored t = Some v -> v \in red_at t.
Proof.
by rewrite /stored; case E: (move_at t) => [[u|u|u|u|u p]|] // [<-]; move: (legal_at E) => /andP[].
Qed.

Lemma red_atS t v : v \in red_at t.+1 -> [\/ v \in red_at t, loaded t = Some v | computed t = Some v].
Proof.
rewrite /red_at state_atS /loaded /computed; case: (move_at t) => [[u|u|u|u|u p]|] /=.
- by case/setU1P => [->|]; [constructor 2|constructor 1].
- by constructor 1.
- by case/setU1P => [->|]; [constructor 3|constructor 1].
- by case/setD1P => _; constructor 1.
- by case/setU1P => [->|/setD1P[_]]; [constructor 3|constructor 1].
- by constructor 1.
Qed.

Lemma blue_atS t v : v \in blue_at t.+1 -> v \in blue_at t \/ stored t = Some v.
Proof.
rewrite /blue_at state_atS /stored; case: (move_at t) => [[u|u|u|u|u p]|] /=; try by left.
by case/setU1P => [->|]; [right|left].
Qed.

Lemma output_blue v : output v -> v \in blue_at (size ms).
Proof.
move: legal_ms => /andP[_ /forallP /(_ v) /implyP out_v] /out_v.
by rewrite /blue_at /state_at take_size.
Qed.

(** A vertex that is no input is neither red nor blue before it is computed. *)
Lemma present_computed t v : ~~ input v -> (v \in red_at t) || (v \in blue_at t) ->
  exists2 s, s < t & computed s = Some v.
Proof.
move=> not_in; elim: t => [|t IH].
  by rewrite red_at0 blue_at0 !inE (negbTE not_in).
have later : (v \in red_at t) || (v \in blue_at t) -> exists2 s, s < t.+1 & computed s = Some v.
  by case/IH=> s lt_s comp_s; exists s => //; apply: leqW.
case/orP.
  case/red_atS => [is_red|is_loaded|is_computed].
  - by apply: later; rewrite is_red.
  - by apply: later; rewrite (loaded_blue is_loaded) orbT.
  - by exists t.
case/blue_atS => [is_blue|is_stored].
  by apply: later; rewrite is_blue orbT.
by apply: later; rewrite (stored_red is_stored).
Qed.

Lemma red_computed t v : ~~ input v -> v \in red_at t -> exists2 s, s < t & computed s = Some v.
Proof. by move=> not_in is_red; apply: present_computed => //; rewrite is_red. Qed.

Lemma output_computed v : output v -> ~~ input v -> exists t, computed t = Some v.
Proof.
move=> /output_blue is_blue not_in.
have [] := @present_computed (size ms) v not_in; first by rewrite is_blue orbT.
by move=> t _ comp_t; exists t.
Qed.

Lemma output_stored v : output v -> ~~ input v -> exists2 t, t < size ms & stored t = Some v.
Proof.
move=> /output_blue is_blue not_in; elim: (size ms) is_blue => [|t IH].
  by rewrite blue_at0 inE (negbTE not_in).
case/blue_atS => [/IH[s lt_s st_s]|st_t]; last by exists t.
by exists s => //; apply: leqW.
Qed.

(** At hand in the segment [a, b): red at its start, or loaded in it. *)
Definition at_hand a b v := (v \in red_at a) || has (fun t => loaded t == Some v) (index_iota a b).

Lemma at_handW a b c v : b <= c -> at_hand a b v -> at_hand a c v.
Proof.
move=> le_bc /orP[is_red|/hasP[t t_in load_t]]; apply/orP; first by left.
right; apply/hasP; exists t => //; move: t_in; rewrite !mem_index_iota => /andP[-> lt_t].
exact: leq_trans le_bc.
Qed.

(** What is red now was at hand, or was computed in between. *)
Lemma red_since a t v : a <= t -> v \in red_at t ->
  at_hand a t v \/ exists2 s, a <= s < t & computed s = Some v.
Proof.
elim: t => [|t IH] le_at is_red.
  by left; rewrite /at_hand; move: le_at is_red; rewrite leqn0 => /eqP ->  ->.
case: (ltnP t a) => [lt_ta|le_at'].
  have eq_a: a = t.+1 by apply/eqP; rewrite eqn_leq le_at.
  by left; rewrite /at_hand eq_a is_red.
case/red_atS: is_red => [is_red|is_loaded|is_computed].
- case: (IH le_at' is_red) => [hand|[s /andP[le_as lt_st] comp_s]].
    by left; apply: at_handW hand.
  by right; exists s => //; rewrite le_as leqW.
- left; apply/orP; right; apply/hasP; exists t; last by rewrite is_loaded.
  by rewrite mem_index_iota le_at' /=.
- by right; exists t => //; rewrite le_at' /=.
Qed.

Lemma input_at_hand a t v : a <= t -> input v -> v \in red_at t -> at_hand a t v.
Proof.
move=> le_at in_v is_red; case: (red_since le_at is_red) => // -[s _ /computed_input].
by rewrite in_v.
Qed.

Lemma input_loaded t v : input v -> v \in red_at t -> exists s, loaded s = Some v.
Proof.
move=> in_v /(input_at_hand (leq0n t) in_v); rewrite /at_hand red_at0 inE /=.
by case/hasP=> s _ /eqP load_s; exists s.
Qed.

(** What a set of words [W] must hold that has all words at hand in [a, b). *)
Section Words.

Variables (W : {set V}) (a b : nat).
Hypothesis hand_words : forall v, at_hand a b v -> v \in W.

Lemma input_in_words t v : a <= t < b -> input v -> v \in red_at t -> v \in W.
Proof.
move=> /andP[le_a lt_b] in_v is_red; apply: hand_words; apply: at_handW (ltnW lt_b) _.
exact: input_at_hand.
Qed.

Lemma made_in_segment t v : a <= t < b -> v \in red_at t -> v \notin W ->
  exists2 s, a <= s < b & computed s = Some v.
Proof.
move=> /andP[le_a lt_b] is_red not_in; case: (red_since le_a is_red) => [hand|[s /andP[le_as lt_st] comp_s]].
  by case/negP: not_in; apply: hand_words; apply: at_handW (ltnW lt_b) hand.
by exists s => //; rewrite le_as (ltn_trans lt_st).
Qed.

End Words.

(** The cost, as loads and stores. *)
Definition loads := \sum_(t < size ms) (loaded t : bool).
Definition stores := \sum_(t < size ms) (stored t : bool).

Lemma io_loads_stores : io ms = loads + stores.
Proof.
rewrite /loads /stores /io -big_split /= -sum1_count.
rewrite -(big_mkord xpredT (fun t => (loaded t : bool) + (stored t : bool))).
rewrite /loaded /stored /move_at; elim: ms => [|m ns IH]; first by rewrite big_nil big_geq.
rewrite big_cons /= big_nat_recl //= IH.
by case: m => *; rewrite /= ?add0n.
Qed.

(** Different vertices take different times, so there are at least as many loads as vertices that are loaded. *)
Lemma card_times (f : nat -> option V) (A : {set V}) n :
  (forall v, v \in A -> exists2 t, t < n & f t = Some v) -> #|A| <= \sum_(t < n) (f t : bool).
Proof.
move=> taken.
have -> : \sum_(t < n) (f t : bool) = #|[set t : 'I_n | isSome (f t)]|.
  by rewrite -sum1_card [RHS]big_mkcond; apply: eq_bigr => t _; rewrite inE; case: (f t).
rewrite -(card_imset _ (@Some_inj _)).
apply: leq_trans (leq_imset_card (fun t : 'I_n => f t) _).
apply/subset_leq_card/subsetP => _ /imsetP[v /taken[t lt_t ft] ->].
by apply/imsetP; exists (Ordinal lt_t) => //=; rewrite inE /= ft.
Qed.

Lemma stores_outputs : #|[set v : V | output v && ~~ input v]| <= stores.
Proof.
apply: card_times => v; rewrite inE => /andP[out_v not_in]; exact: output_stored.
Qed.

End Times.
