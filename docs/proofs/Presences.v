(** * Presences: tracing sums in any order

    docs/proofs/any-order.md, Theorem P. An element is a sum whose order is free; of each of its terms one computation is traced, after
    which a word of the element stays red until one is written to slow memory. Then the cutting lemma, where the beginnings of such
    presences are moves, as in Tracing.v those of chains. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Segments.
From Pebble Require Import AnyOrder.
From Pebble Require Processors Tracing.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Notation word := Processors.word.
Notation sum := Processors.sum.

Section Presences.

Variables (G : dag) (free : rel (vertex G)) (M : nat) (ms : seq (move G)).
Hypothesis legal_ms : pebbling free M ms.

Notation sum := (sum free).

(** ** What happens when *)

Definition state_at t := foldl (@next G) (start free) (take t ms).
Definition red_at t := red (state_at t).
Definition blue_at t := blue (state_at t).
Definition move_at t := ohead (drop t ms).
Definition loaded t := if move_at t is Some (Load w) then Some w else None.
Definition written t := match move_at t with Some (Store w) | Some (Accumulate w _) => Some w | _ => None end.
Definition computed t := if move_at t is Some (Compute _ v _) then Some v else None.
Definition made t :=
  match move_at t with Some (Compute T v _) => Some (v |: T) | Some (Merge T T' _) => Some (T :|: T') | _ => None end.

Lemma red_at0 : red_at 0 = set0.
Proof. by rewrite /red_at /state_at take0. Qed.

Lemma state_atS t : state_at t.+1 = if move_at t is Some m then next (state_at t) m else state_at t.
Proof.
rewrite /state_at /move_at; case: (ltnP t (size ms)) => [lt_t|ge_t]; last first.
  by rewrite drop_oversize // !take_oversize // ltnW.
case: ms lt_t => // m0 ms' lt_t.
by rewrite (drop_nth m0) // (take_nth m0) // -cats1 foldl_cat.
Qed.

Lemma move_at_size t m : move_at t = Some m -> t < size ms.
Proof. by rewrite /move_at; case: ltnP => // ge_t; rewrite drop_oversize. Qed.

Lemma all_legal_at s ns t m : all_legal free M s ns -> ohead (drop t ns) = Some m ->
  legal free M (foldl (@next G) s (take t ns)) m.
Proof.
elim: ns s t => [|n ns IH] s [|t] //= /andP[legal_n legal_ns]; last exact: IH.
by move=> [<-].
Qed.

Lemma legal_at t m : move_at t = Some m -> legal free M (state_at t) m.
Proof. by move: legal_ms => /andP[legal_all _]; apply: all_legal_at. Qed.

Lemma card_red t : #|red_at t| <= M.
Proof.
elim: t => [|t IH]; first by rewrite red_at0 cards0.
rewrite /red_at state_atS; case E: (move_at t) => [m|] //.
by move: (legal_at E) => /andP[].
Qed.

Lemma computed_red t v p : computed t = Some v -> edge p v -> p \notin sum v -> sum p \in red_at t.
Proof.
rewrite /computed; case E: (move_at t) => [[u|u|u|T u D|T T' D|T B]|] // [<-] edge_p far.
by move: (legal_at E) => /andP[/and5P[_ _ _ _ /forallP ops] _]; have := ops p; rewrite edge_p far.
Qed.

Lemma computed_input t v : computed t = Some v -> ~~ input v.
Proof. by rewrite /computed; case E: (move_at t) => [[u|u|u|T u D|T T' D|T B]|] // [<-]; move: (legal_at E) => /andP[/and5P[]]. Qed.

(** Where red and blue words come from. *)
Lemma red_atS t w : w \in red_at t.+1 ->
  [\/ w \in red_at t, loaded t = Some w /\ w \in blue_at t,
      exists T v, [/\ computed t = Some v, made t = Some w, w = v |: T, T \subset sum v & (T == set0) || (T \in red_at t)] |
      exists T T', [/\ made t = Some w, w = T :|: T', T \in red_at t, T' \in red_at t & addable free T T']].
Proof.
rewrite /red_at /blue_at state_atS /loaded /computed /made; case E: (move_at t) => [[u|u|u|T v D|T T' D|T B]|] /=; try by constructor 1.
- by case/setU1P => [->|]; [constructor 2; split=> //; move: (legal_at E) => /andP[]|constructor 1].
- by case/setD1P => _; constructor 1.
- case/setU1P => [->|/setDP[]]; last by constructor 1.
  by constructor 3; exists T, v; move: (legal_at E) => /andP[/and5P[_ _ sub held _] _].
case/setU1P => [->|/setDP[]]; last by constructor 1.
by constructor 4; exists T, T'; move: (legal_at E) => /andP[/and3P[]].
Qed.

Lemma blue_atS t w : w \in blue_at t.+1 -> w \in blue_at t \/
  exists T B, [/\ written t = Some T, T \in red_at t, w = T :|: B & B = set0 \/ B \in blue_at t /\ addable free T B].
Proof.
rewrite /red_at /blue_at state_atS /written; case E: (move_at t) => [[u|u|u|T v D|T T' D|T B]|] /=; try by left.
  case/setU1P => [->|]; [right|by left]; exists u, set0; rewrite setU0; move: (legal_at E) => /andP[red_u _].
  by split=> //; left.
case/setU1P => [->|]; [right|by left]; exists T, B; move: (legal_at E) => /andP[/and3P[red_T blue_B add] _].
by split=> //; right.
Qed.

Lemma written_red t w : written t = Some w -> w \in red_at t.
Proof.
by rewrite /written; case E: (move_at t) => [[u|u|u|T v D|T T' D|T B]|] // [<-]; move: (legal_at E) => /andP[]; last case/and3P.
Qed.

(** A word is of one sum. *)
Lemma one_sum t (w : word G) : (w \in red_at t) || (w \in blue_at t) -> exists v, w \subset sum v.
Proof.
elim: t w => [|t IH] w.
  by rewrite red_at0 /blue_at /state_at take0 !inE /= => /existsP[v /andP[_ /eqP ->]]; exists v.
case/orP.
  case/red_atS => [red_w|[_ blue_w]|[T [v [_ _ -> sub _]]]|[T [T' [_ -> _ _ /andP[_ /existsP[v sub]]]]]].
  - by apply: IH; rewrite red_w.
  - by apply: IH; rewrite blue_w orbT.
  - by exists v; rewrite subUset sub1set inE eqxx.
  by exists v.
case/blue_atS => [blue_w|[T [B [_ red_T -> [->|[_ /andP[_ /existsP[v sub]]]]]]]]; last by exists v.
  by apply: IH; rewrite blue_w orbT.
by rewrite setU0; apply: IH; rewrite red_T.
Qed.

(** What slow memory has, but for inputs, was written to it. *)
Lemma blue_written t (w : word G) v : v \in w -> ~~ input v -> (forall u, input u -> sum u = [set u]) -> w \in blue_at t ->
  exists s (T : word G), written s = Some T /\ v \in T.
Proof.
move=> + not_in sum_input; elim: t w => [|t IH] w in_w.
  rewrite /blue_at /state_at take0 !inE /= => /existsP[u /andP[in_u /eqP eq_w]].
  by move: in_w; rewrite eq_w sum_input // => /set1P eq_v; rewrite eq_v in_u in not_in.
case/blue_atS => [|[T [B [wr_T _ eq_w from_B]]]]; first exact: IH.
move: in_w; rewrite eq_w => /setUP[in_T|in_B]; first by exists t, T.
by case: from_B => [eq_B|[/(IH B in_B)]] //; move: in_B; rewrite eq_B inE.
Qed.

(** ** Presences *)

(** Each vertex is of one element, or of none: all terms of a sum of the same, and what is made of the finished sum may be as well. *)
Variables (C : finType) (element : vertex G -> option C).
Hypothesis element_free : forall u v, free u v -> element u = element v.

Definition of_element c (w : word G) := [exists v in w, element v == Some c].
Definition present c t := [exists w in red_at t, of_element c w].

Lemma element_sum u v (w : word G) : u \in w -> v \in w -> (exists z, w \subset sum z) -> element u = element v.
Proof.
have same z x : x \in sum z -> element x = element z by rewrite inE => /orP[/eqP ->|/element_free].
by move=> in_u in_v [z /subsetP sub]; rewrite (same z u (sub u in_u)) (same z v (sub v in_v)).
Qed.

Lemma one_element c c' t (w : word G) : (w \in red_at t) || (w \in blue_at t) -> of_element c w -> of_element c' w -> c = c'.
Proof.
move=> /one_sum in_sum /existsP[u /andP[in_u /eqP el_u]] /existsP[v /andP[in_v /eqP el_v]].
by have := element_sum in_u in_v in_sum; rewrite el_u el_v => -[].
Qed.

(** The presence that the move [t] begins lasts at the time [n]. *)
Definition lasts c t n := [&& t < n, ~~ present c t & all (present c) (iota t.+1 (n - t))].

Lemma lastsP c t n : reflect [/\ t < n, ~~ present c t & forall u, t < u <= n -> present c u] (lasts c t n).
Proof.
apply: (iffP and3P) => -[lt_t not_t here]; split=> //.
  move=> u /andP[lt_u le_u]; move/allP: here; apply; rewrite mem_iota lt_u /=; move: lt_t le_u; clear; lia.
by apply/allP => u; rewrite mem_iota => /andP[lt_u le_u]; apply: here; rewrite lt_u /=; move: lt_t le_u; clear; lia.
Qed.

Lemma lasts_next c t n : lasts c t n -> present c n.+1 -> lasts c t n.+1.
Proof.
case/lastsP => lt_t not_t here at_n; apply/lastsP; split=> // [|u /andP[lt_u]]; first exact: ltnW.
by rewrite leq_eqVlt ltnS => /orP[/eqP ->|le_u] //; apply: here; rewrite lt_u.
Qed.

Lemma lasts_present c t n : lasts c t n -> present c n.
Proof. by case/lastsP => lt_t _; apply; rewrite lt_t /=. Qed.

Lemma presence c n : present c n -> exists t, lasts c t n.
Proof.
elim: n => [|n IH] here; first by move: here => /existsP[w]; rewrite red_at0 inE.
case: (boolP (present c n)) => [/IH[t at_n]|not_n]; first by exists t; apply: lasts_next.
exists n; apply/lastsP; split=> // u /andP[lt_u le_u].
by have -> : u = n.+1 by apply/eqP; rewrite eqn_leq le_u.
Qed.

Lemma lasts_fun c t t' n : lasts c t n -> lasts c t' n -> t = t'.
Proof.
move=> /lastsP[lt_t not_t here] /lastsP[lt_t' not_t' here']; case: (ltngtP t t') => // lt.
  by case/negP: not_t'; apply: here; rewrite lt ltnW.
by case/negP: not_t; apply: here'; rewrite lt ltnW.
Qed.

(** ** Tracing *)

(** A word knows the term [x] if it has absorbed it, or was made of all of its sum and is of its element as well. *)
Definition result (x o : vertex G) := [exists v, [&& edge v o, v \notin sum o, x \in sum v & element o == element x]].
Definition knows x (w : word G) := (x \in w) || [exists o in w, result x o].

Lemma knows_element x c w : element x = Some c -> knows x w -> of_element c w.
Proof.
move=> el_x /orP[in_w|/existsP[o /andP[in_w /existsP[v /and4P[_ _ _ /eqP el_o]]]]]; apply/existsP.
  by exists x; rewrite in_w el_x /=.
by exists o; rewrite in_w el_o el_x /=.
Qed.

Variables (X : finType) (vert : X -> vertex G) (chain : X -> C).
Hypothesis element_vert : forall x, element (vert x) = Some (chain x).
Hypothesis no_input : forall x, ~~ input (vert x).
Hypothesis sum_input : forall v, input v -> sum v = [set v].
Hypothesis wanted : forall x, exists2 o, output o & knows (vert x) (sum o).

(** The event [r] is of the presence that the move [t] begins, and while it lasts a word of it is written. *)
Definition pays x r t := [/\ computed r = Some (vert x), lasts (chain x) t r.+1 &
  exists s w, [/\ written s = Some w, of_element (chain x) w & lasts (chain x) t s]].

Lemma traced n w x : knows (vert x) w ->
  (w \in blue_at n -> exists r t, pays x r t) /\
  (w \in red_at n -> (exists r t, pays x r t) \/
    exists r t, [/\ computed r = Some (vert x), lasts (chain x) t r.+1 & lasts (chain x) t n]).
Proof.
elim: n w => [|n IH] w know.
  split; last by rewrite red_at0 inE.
  rewrite /blue_at /state_at take0 inE => /existsP[u /andP[in_u /eqP eq_w]].
  move: know; rewrite eq_w sum_input // => /orP[/set1P eq_u|/existsP[o /andP[/set1P -> /existsP[v /and4P[edge_v _ _ _]]]]].
    by case/negP: (no_input x); rewrite eq_u.
  by move: in_u => /forallP /(_ v); rewrite edge_v.
split.
  case/blue_atS => [|[T [B [wr_T red_T eq_w from_B]]]]; first exact: (IH w know).1.
  have [know_T|know_B] : knows (vert x) T \/ knows (vert x) B.
    move: know; rewrite eq_w => /orP[/setUP[in_T|in_B]|/existsP[o /andP[/setUP[in_T|in_B] res]]].
    - by left; rewrite /knows in_T.
    - by right; rewrite /knows in_B.
    - by left; apply/orP; right; apply/existsP; exists o; rewrite in_T.
    by right; apply/orP; right; apply/existsP; exists o; rewrite in_B.
  - have [//|[r [t [comp_r at_r at_n]]]] := (IH T know_T).2 red_T; exists r, t; split=> //.
    by exists n, T; split=> //; apply: knows_element know_T; apply: element_vert.
  case: from_B => [eq_B|[blue_B _]]; last exact: (IH B know_B).1.
  by move: know_B; rewrite /knows eq_B inE => /existsP[o]; rewrite inE.
move=> red_w; have here : present (chain x) n.+1.
  by apply/existsP; exists w; rewrite red_w; apply: knows_element know; apply: element_vert.
have from_red T : knows (vert x) T -> T \in red_at n -> (exists r t, pays x r t) \/
    exists r t, [/\ computed r = Some (vert x), lasts (chain x) t r.+1 & lasts (chain x) t n.+1].
  move=> know_T red_T; have [|[r [t [comp_r at_r at_n]]]] := (IH T know_T).2 red_T; first by left.
  by right; exists r, t; split=> //; apply: lasts_next.
case/red_atS: (red_w) => [|[_ blue_w]|[T [v [comp_v _ eq_w _ red_T]]]|[T [T' [_ eq_w red_T red_T' _]]]].
- exact: from_red.
- by left; apply: (IH w know).1.
- have old u : u \in T -> T \in red_at n by move=> in_T; case/orP: red_T => // /eqP eq_T; rewrite eq_T inE in in_T.
  move: know; rewrite eq_w => /orP[/setU1P[eq_v|in_T]|/existsP[o /andP[/setU1P[->|in_T] res]]].
  + by right; have [t at_n] := presence here; exists n, t; rewrite comp_v eq_v.
  + by apply: (from_red T); [rewrite /knows in_T|exact: old in_T].
  + case/existsP: res => u /and4P[edge_u far in_u _].
    by apply: (from_red (sum u)); [rewrite /knows in_u|exact: computed_red comp_v edge_u far].
  by apply: (from_red T); [apply/orP; right; apply/existsP; exists o; rewrite in_T|exact: old in_T].
move: know; rewrite eq_w => /orP[/setUP[in_T|in_T]|/existsP[o /andP[/setUP[in_T|in_T] res]]].
- by apply: (from_red T); rewrite // /knows in_T.
- by apply: (from_red T'); rewrite // /knows in_T.
- by apply: (from_red T); rewrite // /knows; apply/orP; right; apply/existsP; exists o; rewrite in_T.
by apply: (from_red T'); rewrite // /knows; apply/orP; right; apply/existsP; exists o; rewrite in_T.
Qed.

Lemma trace : exists when begin, forall x, pays x (when x) (begin x).
Proof.
have [f pays_f] : exists f : X -> nat * nat, forall x, pays x (f x).1 (f x).2.
  apply: (@fin_all_exists _ (fun=> _) (fun x (p : nat * nat) => pays x p.1 p.2)) => x.
  have [o out_o know] := wanted x; move: legal_ms => /andP[_ /forallP/(_ o)/implyP/(_ out_o) blue_o].
  have [|r [t pays_x]] := (traced (size ms) know).1; first by rewrite /blue_at /state_at take_size.
  by exists (r, t).
by exists (fun x => (f x).1), (fun x => (f x).2).
Qed.

(** ** Cutting *)

Section Cut.

Variables when begin : X -> nat.
Hypothesis paid : forall x, pays x (when x) (begin x).

(** What counts as a move: loads, and beginnings of presences by a computation. *)
Definition begins t := [exists x, begin x == t].
Definition new t := if loaded t is Some w then Some w else if begins t then made t else None.

Lemma computed_when x : computed (when x) = Some (vert x).
Proof. by case: (paid x). Qed.

Lemma made_load t w : made t = Some w -> loaded t = None.
Proof. by rewrite /made /loaded; case: (move_at t) => [[]|]. Qed.

(** An element with an event in a segment has a word there. *)
Lemma element_held a b x : a <= when x < b -> exists2 w, w \in held red_at new a b & of_element (chain x) w.
Proof.
case/andP=> le_a lt_b; have [_ /lastsP[lt_t not_t here] _] := paid x.
case: (ltnP (begin x) a) => [lt_ta|le_at].
  have /existsP[w /andP[red_w of_w]] : present (chain x) a by apply: here; rewrite lt_ta leqW.
  by exists w => //; apply: held_red.
have /existsP[w /andP[red_w of_w]] : present (chain x) (begin x).+1 by apply: here; rewrite ltnS leqnn.
exists w => //; apply: (@held_new _ _ _ _ _ (begin x)); first by rewrite le_at (leq_ltn_trans _ lt_b).
have begins_x : begins (begin x) by apply/existsP; exists x.
have made_new : made (begin x) = Some w -> new (begin x) = Some w.
  by move=> made_w; rewrite /new (made_load made_w) begins_x.
case/red_atS: red_w => [red_w|[load_w _]|[T [v [_ made_w _ _ _]]]|[T [T' [made_w _ _ _ _]]]].
- by case/negP: not_t; apply/existsP; exists w; rewrite red_w.
- by rewrite /new load_w.
- exact: made_new.
exact: made_new.
Qed.

Lemma made_next t w : made t = Some w -> w \in red_at t.+1.
Proof. by rewrite /made /red_at state_atS; case: (move_at t) => [[u|u|u|T v D|T T' D|T B]|] //= [<-]; rewrite setU11. Qed.

Lemma loaded_blue t w : loaded t = Some w -> w \in blue_at t.
Proof. by rewrite /loaded; case E: (move_at t) => [[u|u|u|T v D|T T' D|T B]|] // [<-]; move: (legal_at E) => /andP[]. Qed.

Lemma held_sum a b (w : word G) : w \in held red_at new a b -> exists v, w \subset sum v.
Proof.
rewrite inE => /orP[red_w|]; first by apply: (@one_sum a); rewrite red_w.
rewrite inE => /hasP[t _ /eqP]; rewrite /new; case load_t: (loaded t) => [u|].
  by move=> [<-]; apply: (@one_sum t); rewrite (loaded_blue load_t) orbT.
by case: begins => // /made_next red_w; apply: (@one_sum t.+1); rewrite red_w.
Qed.

(** The words of a segment as vertices: of a partial sum any of its terms, or [item] of it. Vertices that are not [summed] are words by
    themselves. *)
Variables (item : vertex G -> vertex G) (summed : pred (vertex G)).
Hypothesis tied_sum : forall v, ~~ summed v -> sum v = [set v].
Hypothesis tied_item : forall v, ~~ summed v -> item v = v.
Hypothesis tied_operand : forall p v, edge p v -> ~~ summed p -> p \notin sum v.

Definition word_item (w : word G) := omap item [pick v in w].
Definition words a b := [set v | Some v \in word_item @: held red_at new a b].

Lemma card_words a b : #|words a b| <= #|held red_at new a b|.
Proof.
rewrite -(card_imset _ (@Some_inj _)); apply: leq_trans (leq_imset_card word_item _).
by apply/subset_leq_card/subsetP => _ /imsetP[v in_w ->]; rewrite inE in in_w.
Qed.

Lemma element_words a b x : a <= when x < b -> exists v, element v = Some (chain x) /\ item v \in words a b.
Proof.
case/element_held=> w held_w /existsP[u /andP[in_u /eqP el_u]].
have [v in_v eq_item] : exists2 v, v \in w & word_item w = Some (item v).
  by rewrite /word_item; case: pickP => [v in_v|/(_ u)]; [exists v|rewrite in_u].
exists v; split; last by rewrite inE -eq_item imset_f.
by rewrite (element_sum in_v in_u (held_sum held_w)).
Qed.

Lemma tied_words a b v : ~~ summed v -> [set v] \in held red_at new a b -> v \in words a b.
Proof.
move=> tied held_v; rewrite inE; apply/imsetP; exists [set v] => //.
rewrite /word_item; case: pickP => [u /set1P ->|/(_ v)]; first by rewrite /= tied_item.
by rewrite inE eqxx.
Qed.

Definition is_red a b v := ~~ summed v /\ exists2 t, a <= t < b & [set v] \in red_at t.
Definition is_made a b v := exists2 t, a <= t < b & computed t = Some v.

(** A word of one vertex that is red was red before, or was made of nothing else. *)
Lemma tied_since a b t v : a <= t < b -> [set v] \in red_at t -> [set v] \in held red_at new a b \/ is_made a b v.
Proof.
elim: t => [|t IH] /andP[le_a lt_b] red_v.
  by left; apply: held_red; move: le_a red_v; rewrite leqn0 => /eqP ->.
case: (ltnP t a) => [lt_ta|le_at].
  by left; apply: held_red; have -> : a = t.+1 by apply/eqP; rewrite eqn_leq le_a.
have in_t : a <= t < b by rewrite le_at ltnW.
have red_T (T : word G) : T \in red_at t -> T = [set v] -> [set v] \in held red_at new a b \/ is_made a b v.
  by move=> + eq_T; rewrite eq_T; apply: IH.
case/red_atS: red_v => [|[load_v _]|[T [u [comp_u _ eq_v _ _]]]|[T [T' [_ eq_v red_t red_t' _]]]].
- exact: IH.
- by left; apply: held_new in_t _; rewrite /new load_v.
- right; exists t => //; rewrite comp_u; congr Some; apply/set1P; rewrite eq_v; exact: setU11.
have [/set0Pn[u in_u]|] := boolP (T != set0).
  apply: (red_T T) => //; apply/eqP; rewrite eqEsubset eq_v subsetUl /= -eq_v sub1set.
  by have /set1P <- : u \in [set v] by rewrite eq_v inE in_u.
by rewrite negbK => /eqP eq_T; apply: (red_T T') => //; rewrite eq_v eq_T set0U.
Qed.

Lemma presences_closed a b : closed summed (words a b) (is_red a b) (is_made a b).
Proof.
split=> [v in_v [tied [t in_t red_v]]|v not_in [tied [t in_t red_v]]|p v [t in_t comp_t] edge_p tied].
- have [held_v|[s _ /computed_input]] := tied_since in_t red_v; last by rewrite in_v.
  exact: tied_words.
- by have [held_v|//] := tied_since in_t red_v; case/negP: not_in; apply: tied_words.
by split=> //; exists t => //; rewrite -tied_sum //; apply: computed_red comp_t edge_p (tied_operand edge_p tied).
Qed.

(** Beginnings of presences are paid by words that are written; those of other outputs besides. *)
Lemma payment (Y : finType) (out : Y -> vertex G) :
  (forall y, [/\ output (out y), ~~ input (out y) & element (out y) = None]) ->
  (forall y z v, out y \in sum v -> out z \in sum v -> y = z) ->
  \sum_(t < size ms) (begins t : nat) + #|Y| <= \sum_(t < size ms) (written t : bool).
Proof.
move=> out_y out_inj.
have written_size s w : written s = Some w -> s < size ms.
  by rewrite /written; case E: (move_at s) => [m|] // _; apply: move_at_size E.
pose pays_at x (s : 'I_(size ms)) := if written s is Some w then of_element (chain x) w && lasts (chain x) (begin x) s else false.
have [f pays_f] : exists f : X -> 'I_(size ms), forall x, pays_at x (f x).
  apply: (@fin_all_exists _ (fun=> _) pays_at) => x; have [_ _ [s [w [wr_w of_w at_s]]]] := paid x.
  by exists (Ordinal (written_size _ _ wr_w)); rewrite /pays_at /= wr_w of_w.
pose out_at y (s : 'I_(size ms)) := if written s is Some w then out y \in w else false.
have [g out_g] : exists g : Y -> 'I_(size ms), forall y, out_at y (g y).
  apply: (@fin_all_exists _ (fun=> _) out_at) => y; have [out_o no_in _] := out_y y.
  have self : out y \in sum (out y) by rewrite inE eqxx.
  have blue_o : sum (out y) \in blue_at (size ms).
    by move: legal_ms => /andP[_ /forallP/(_ (out y))/implyP/(_ out_o)]; rewrite /blue_at /state_at take_size.
  have [s [T [wr_T in_T]]] := blue_written self no_in sum_input blue_o.
  by exists (Ordinal (written_size _ _ wr_T)); rewrite /out_at /= wr_T.
have one_begin x x' : f x = f x' -> begin x = begin x'.
  move=> eq_f; have := pays_f x; have := pays_f x'; rewrite -eq_f /pays_at; case wr_w: (written _) => [w|] //.
  case/andP=> of_w' at_x' /andP[of_w at_x]; have red_w : w \in red_at (f x) by apply: written_red.
  have eq_c : chain x = chain x' by apply: (@one_element _ _ (f x) w _ of_w of_w'); rewrite red_w.
  by apply: lasts_fun at_x _; rewrite eq_c.
have one_out y y' : g y = g y' -> y = y'.
  move=> eq_g; have := out_g y; have := out_g y'; rewrite -eq_g /out_at; case wr_w: (written _) => [w|] // in_y' in_y.
  have [|v /subsetP sub] := @one_sum (g y) w; first by rewrite (written_red wr_w).
  by apply: (out_inj y y' v); apply: sub.
have apart x y : f x <> g y.
  move=> eq_s; have := pays_f x; have := out_g y; rewrite -eq_s /pays_at /out_at; case wr_w: (written _) => [w|] // in_w.
  case/andP=> /existsP[u /andP[in_u /eqP el_u]] _; have [|v sub] := @one_sum (f x) w; first by rewrite (written_red wr_w).
  have := element_sum in_u in_w (ex_intro _ v sub); rewrite el_u; have [_ _ ->] := out_y y; by [].
have -> : \sum_(t < size ms) (written t : bool) = #|[set t : 'I_(size ms) | isSome (written t)]|.
  by rewrite -sum1_card [RHS]big_mkcond; apply: eq_bigr => t _; rewrite inE; case: (written t).
have le_begins : \sum_(t < size ms) (begins t : nat) <= #|f @: setT|.
  have -> : \sum_(t < size ms) (begins t : nat) = #|[set t : 'I_(size ms) | begins t]|.
    by rewrite -sum1_card [RHS]big_mkcond; apply: eq_bigr => t _; rewrite inE; case: (begins t).
  pose start s := [pick t : 'I_(size ms) | [exists x, (f x == s) && (begin x == t)]].
  rewrite -(card_imset _ (@Some_inj _)); apply: leq_trans (leq_imset_card start _).
  apply/subset_leq_card/subsetP => _ /imsetP[t + ->]; rewrite inE => /existsP[x /eqP begin_x].
  apply/imsetP; exists (f x); first by rewrite imset_f ?inE.
  rewrite /start; case: pickP => [t' /existsP[x' /andP[/eqP /one_begin eq_x /eqP begin_x']]|/(_ t)].
    by congr Some; apply: val_inj; rewrite /= -begin_x -begin_x'.
  by case/existsP; exists x; rewrite eqxx begin_x eqxx.
rewrite -cardsT -(card_imset _ one_out); apply: leq_trans (leq_add le_begins (leqnn _)) _.
rewrite -cardsUI [X in _ + X](_ : _ = 0) ?addn0; last first.
  apply/eqP; rewrite cards_eq0; apply/eqP/setP => s; rewrite !inE; apply/negbTE/negP.
  by case/andP=> /imsetP[x _ ->] /imsetP[y _ eq_s]; apply: (apart x y).
apply/subset_leq_card/subsetP => s /setUP[/imsetP[x _ ->]|/imsetP[y _ ->]]; rewrite inE.
  by have := pays_f x; rewrite /pays_at; case: (written _).
by have := out_g y; rewrite /out_at; case: (written _).
Qed.

Lemma io_loads_writes : io ms = \sum_(t < size ms) (loaded t : bool) + \sum_(t < size ms) (written t : bool).
Proof.
rewrite /io -big_split /= -sum1_count.
rewrite -(big_mkord xpredT (fun t => (loaded t : bool) + (written t : bool))).
rewrite /loaded /written /move_at; elim: ms => [|m ns IH]; first by rewrite big_nil big_geq.
rewrite big_cons /= big_nat_recl //= IH.
by case: m => *; rewrite /= ?add0n.
Qed.

(** The cutting lemma for traced events. *)
Lemma cut_presences (weight : X -> nat) T F h (Y : finType) (out : Y -> vertex G) :
  (forall y, [/\ output (out y), ~~ input (out y) & element (out y) = None]) ->
  (forall y z v, out y \in sum v -> out z \in sum v -> y = z) ->
  (forall a b, #|words a b| <= T -> \sum_(x | a <= when x < b) weight x <= F) ->
  0 < h -> h * F < \sum_x weight x ->
  M + 1 + h * T + #|Y| <= io ms + h * M.
Proof.
move=> out_y out_inj bounded h_gt0 many.
have seg a b : #|held red_at new a b| <= T -> \sum_(a <= t < b) \sum_(x | when x == t) weight x <= F + 0.
  by rewrite Tracing.sum_events addn0 => le_T; apply: bounded; apply: leq_trans (card_words a b) le_T.
have := @cut_held _ _ new (size ms) M _ (fun _ _ => 0) T F h red_at0 card_red (fun _ _ _ _ => leqnn 0) seg h_gt0.
rewrite Tracing.sum_events addn0 (eq_bigl xpredT) => [/(_ many)|x]; last first.
  by have := computed_when x; rewrite /computed; case E: (move_at _) => [m|] // _; apply: move_at_size E.
have : \sum_(0 <= t < size ms) (new t : bool) <= \sum_(t < size ms) (loaded t : bool) + \sum_(t < size ms) (begins t : nat).
  rewrite -big_split big_mkord; apply: leq_sum => t _; rewrite /new; case: (loaded t) => //=.
  by case: begins => //; case: (made t).
have := payment out_y out_inj; rewrite io_loads_writes.
move: (\sum_(0 <= t < _) _) (\sum_(t < _) (begins t : nat)) (\sum_(t < _) (loaded t : bool)) (\sum_(t < _) (written t : bool)) #|Y|.
by move=> n s l w y; clear; lia.
Qed.

End Cut.

End Presences.
