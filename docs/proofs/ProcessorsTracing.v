(** * Tracing words back in the game of several devices

    Whatever a device holds in a legal run it owned, made or received. So each term of a word was computed on some device, and came from
    there. *)

From mathcomp Require Import all_ssreflect.
From Pebble Require Import Game Processors.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section ProcessorsTracing.

Variables (G : dag) (P : nat) (free : rel (vertex G)) (owner : vertex G -> 'I_P) (H M : option nat).
Variable ms : seq (move G P).
Hypothesis run_ms : run free owner H M ms.

(** Free sums are what they should be: disjoint, and of no inputs. *)
Hypothesis sum_eq : forall u v, u \in sum free v -> sum free u = sum free v.
Hypothesis sum_input : forall v, input v -> sum free v = [set v].

Notation device := 'I_P.
Notation word := (word G).
Notation sum := (sum free).

Definition is_sent (a : word * device * device) := has (fun m => if m is Send w p q then (w, p, q) == a else false) ms.
Definition computes q t := has (fun m => if m is Compute p _ u then (p, u) == (q, t) else false) ms.

(** Some time in the run [q] holds the word [w]. *)
Inductive copy : device -> word -> Prop :=
  | Owned v : input v -> copy (owner v) (sum v)
  | Begun q t : made q t -> copy q [set t]
  | Added q (T : word) t : copy q T -> T \subset sum t -> made q t -> copy q (t |: T)
  | Merged q T T' v : copy q T -> copy q T' -> T :|: T' \subset sum v -> copy q (T :|: T')
  | Received w p q : copy p w -> is_sent (w, p, q) -> copy q w
with made : device -> vertex G -> Prop :=
  | Made q t : computes q t -> ~~ input t -> (forall v, edge v t -> v \notin sum t -> copy q (sum v)) -> made q t.

Definition copies (s : state G P) :=
  (forall q w, (w \in memory s q) || (w \in fast s q) -> copy q w) /\ (forall a, a \in sends s -> is_sent a).

Lemma made_compute s q T t : copies s -> computes q t -> computable free (working M s q) T t -> made q t.
Proof.
move=> [held _] comp /and5P[not_in _ _ _ /forallP ops]; apply: Made => // v edge_v far; apply: held.
by have := ops v; rewrite edge_v far /= /working; case: (M) => [n|] ->; rewrite ?orbT.
Qed.

Lemma copies_make s q w : copies s -> copy q w -> copies (make M s q w).
Proof.
move=> [held sent] copy_w; rewrite /make; case: (M) => [n|]; split=> //= p x; rewrite /put; case: (eqVneq p q) => [->|_]; try exact: held.
  by rewrite in_setU1 orbCA => /orP[/eqP ->|/held].
by rewrite in_setU1 -orbA => /orP[/eqP ->|/held].
Qed.

Lemma copies_next s m : copies s -> legal free H M s m -> 
  (forall a, (if m is Send w p q then (w, p, q) == a else false) -> is_sent a) ->
  (forall q t, (if m is Compute p _ u then (p, u) == (q, t) else false) -> computes q t) -> copies (next M s m).
Proof.
move=> all_copies /andP[rule _] sends_m computes_m; have [held sent] := all_copies.
case: m rule sends_m computes_m => [q w|q w|q w|q T t|q T T'|q w|w p q|] /= rule sends_m computes_m.
- split=> //= p x; rewrite /put; case: (eqVneq p q) => [->|_]; last exact: held.
  by rewrite in_setU1 orbCA => /orP[/eqP ->|/held //]; apply: held; case/andP: rule => _ ->.
- split=> //= p x; rewrite /put; case: (eqVneq p q) => [->|_]; last exact: held.
  by rewrite in_setU1 -orbA => /orP[/eqP ->|/held //]; apply: held; case/andP: rule => _ ->; rewrite orbT.
- split=> //= p x; rewrite /take; case: (eqVneq p q) => [->|_]; last exact: held.
  by rewrite in_setD1 => /orP[in_m|/andP[_ in_f]]; apply: held; rewrite ?in_m ?in_f ?orbT.
- apply: copies_make => //; have made_t := made_compute all_copies (computes_m q t (eqxx _)) rule.
  case/and5P: rule => _ _ sub /orP[/eqP ->|held_T] _; first by rewrite setU0; apply: Begun.
  by apply: Added => //; apply: held; move: held_T; rewrite /working; case: (M) => [n|] ->; rewrite ?orbT.
- apply: copies_make => //; case/and4P: rule => held_T held_T' _ /existsP[v sub].
  apply: (Merged (v := v)) => //; apply: held.
    by move: held_T; rewrite /working; case: (M) => [n|] ->; rewrite ?orbT.
  by move: held_T'; rewrite /working; case: (M) => [n|] ->; rewrite ?orbT.
- case: ifP => _; split=> //= p x; rewrite /take; case: (eqVneq p q) => [->|_]; try exact: held.
  by rewrite in_setD1 => /orP[/andP[_ in_m]|in_f]; apply: held; rewrite ?in_m ?in_f ?orbT.
- by split=> //= a; rewrite in_setU1 => /orP[/eqP ->|/sent //]; apply: sends_m.
split=> [q w|a] /=; last by rewrite inE.
rewrite in_setD in_setU => /orP[/andP[_ /orP[in_m|]]|in_f]; try by apply: held; rewrite ?in_m ?in_f ?orbT.
rewrite inE => /existsP[p in_s]; apply: (@Received w p q); last exact: sent.
by apply: held; move/forallP: rule => /(_ (w, p, q)); rewrite in_s /= => ->.
Qed.

Lemma copies_all s ns : copies s -> all_legal free H M s ns ->
  (forall a, has (fun m => if m is Send w p q then (w, p, q) == a else false) ns -> is_sent a) ->
  (forall q t, has (fun m => if m is Compute p _ u then (p, u) == (q, t) else false) ns -> computes q t) ->
  copies (foldl (next M) s ns).
Proof.
elim: ns s => //= m ns IH s copies_s /andP[legal_m legal_ns] sends_ns computes_ns; apply: IH => //.
- by apply: copies_next => // [a sent_a|q t comp]; [apply: sends_ns|apply: computes_ns]; apply/orP; left.
- by move=> a sent_a; apply: sends_ns; rewrite sent_a orbT.
by move=> q t comp; apply: computes_ns; rewrite comp orbT.
Qed.

Lemma output_copy v : output v -> copy (owner v) (sum v).
Proof.
case/and3P: run_ms => _ legal_ms /forallP /(_ v) /implyP outs /outs in_m.
have begin : copies (start free owner).
  by split=> [q w|a]; rewrite /= !inE // orbF => /existsP[u /and3P[in_u /eqP <- /eqP ->]]; apply: Owned.
have [|q t|held _] := copies_all begin legal_ms; [by move=> a; rewrite has_rcons|by rewrite has_rcons|].
by apply: held; rewrite in_m.
Qed.

(** A word is of one sum. *)
Lemma copy_sum q w t : copy q w -> t \in w -> w \subset sum t.
Proof.
have self v : v \in sum v by rewrite inE eqxx.
move=> copy_w; elim: copy_w t => {q w}.
- by move=> v _ t /sum_eq ->.
- by move=> q u _ t /set1P ->; rewrite sub1set self.
- move=> q T u _ _ sub _ t in_w; have in_sum x : x \in u |: T -> x \in sum u.
    by case/setU1P => [->|/(subsetP sub)].
  by rewrite (sum_eq (in_sum t in_w)); apply/subsetP.
- by move=> q T T' v _ _ _ _ sub t in_w; rewrite (sum_eq (subsetP sub t in_w)).
by move=> w p q _ IH _.
Qed.

(** A term of a word was computed where the word is, or a word with it was sent from where it was computed. *)
Lemma traced q w t : copy q w -> t \in w -> ~~ input t ->
  exists2 p, made p t & p = q \/ exists (w' : word) r, [/\ t \in w', copy p w' & is_sent (w', p, r)].
Proof.
move=> copy_w in_w not_in; move: copy_w in_w; elim => {q w} //.
- by move=> v in_v; rewrite sum_input // => /set1P eq_t; move: not_in; rewrite eq_t in_v.
- by move=> q u made_u /set1P ->; exists q => //; left.
- by move=> q T u _ IH _ made_u /setU1P[->|/IH]; first by exists q => //; left.
- by move=> q T T' v _ IH _ IH' _ /setUP[/IH|/IH'].
move=> w p q copy_w IH sent_w in_w; have [p' made_t [eq_p|far]] := IH in_w; exists p' => //; last by right.
by right; exists w, q; rewrite eq_p.
Qed.

(** It was computed where the word is, or the device owns it, or has received a word with it. *)
Lemma local q w t : copy q w -> t \in w ->
  [\/ made q t, input t /\ owner t = q | exists (w' : word) p, [/\ t \in w', copy p w' & is_sent (w', p, q)]].
Proof.
move=> copy_w; elim: copy_w => {q w} //.
- by move=> v in_v; rewrite sum_input // => /set1P ->; constructor 2.
- by move=> q u made_u /set1P ->; constructor 1.
- by move=> q T u _ IH _ made_u /setU1P[->|/IH]; first by constructor 1.
- by move=> q T T' v _ IH _ IH' _ /setUP[/IH|/IH'].
by move=> w p q copy_w _ sent_w in_w; constructor 3; exists w, p.
Qed.

(** Different words, senders and receivers are different sends. *)
Lemma card_sent : #|[set a | is_sent a]| <= words_sent ms.
Proof.
rewrite /is_sent /words_sent; elim: ms => [|m ns IH] /=; first by rewrite leqn0 cards_eq0; apply/eqP/setP => a; rewrite !inE.
case: m => [q w|q w|q w|q T t|q T T'|q w|w p q|] //=.
apply: leq_trans (_ : #|(w, p, q) |: [set a | has (fun m => if m is Send w p q then (w, p, q) == a else false) ns]| <= _).
  by apply/subset_leq_card/subsetP => a; rewrite !inE [_ == a]eq_sym.
by rewrite cardsU1; apply: leq_add => //; case: (_ \notin _).
Qed.

Lemma card_of q : #|[set a | is_sent a && ((a.1.2 == q) || (a.2 == q))]| <= received_by q ms + sent_by q ms.
Proof.
rewrite /is_sent /received_by /sent_by; elim: ms => [|m ns IH] /=.
  by rewrite leqn0 cards_eq0; apply/eqP/setP => a; rewrite !inE.
case: m => [p w|p w|p w|p T t|p T T'|p w|w p r|] //=.
set rest := [set a | _] in IH.
apply: leq_trans (_ : #|(if (p == q) || (r == q) then [set (w, p, r)] else set0) :|: rest| <= _).
  apply/subset_leq_card/subsetP => a; rewrite in_setU !inE => /andP[/orP[/eqP <-|->] of_q]; last by rewrite of_q orbT.
  by move: of_q => /= ->; rewrite inE eqxx.
apply: leq_trans (leq_card_setU _ _) _; rewrite addnACA; apply: leq_add => //.
by case: (p == q) => /=; case: (r == q) => /=; rewrite ?cards1 ?cards0.
Qed.

End ProcessorsTracing.
