(** * Lines of pairs

    The allowed pairs of one query, or of one key, in their order; and accumulators: chains that run along a line, one for each
    index of the other axis. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Tracing.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** A chain of a graph leads to its last vertex. *)
Lemma chain_leads (T : finType) (e : rel T) n (c : 'I_n -> T) (k : 'I_n) : (forall k k' : 'I_n, k.+1 = k' :> nat -> e (c k) (c k')) ->
  exists2 l : 'I_n, l.+1 = n & connect e (c k) (c l).
Proof.
move=> step; have [r le_r] := ubnP (n - k); elim: r k le_r => // r IH k le_r.
case: (eqVneq k.+1 n) => [last_k|ne_k]; first by exists k.
have lt_k : k.+1 < n by rewrite ltn_neqAle ne_k ltn_ord.
have [|l last_l path_l] := IH (Ordinal lt_k); first by move: (ltn_ord k) le_r; clear; rewrite /=; lia.
by exists l => //; apply: connect_trans path_l; apply: connect1; apply: step.
Qed.

Section Lines.

(** [rank p]: where [p] stands in its line. *)
Variables (P L : finType) (line : P -> L) (rank : P -> nat).

Definition next_in (p q : P) := [&& line p == line q, rank p < rank q &
  [forall r, (line r == line p) ==> ~~ (rank p < rank r < rank q)]].
Definition last_in (p : P) := [forall r, (line r == line p) ==> (rank r <= rank p)].

Hypothesis rank_inj : forall p q, line p = line q -> rank p = rank q -> p = q.

Lemma next_in_fun p q r : next_in p q -> next_in p r -> q = r.
Proof.
move=> /and3P[/eqP line_q lt_q /forallP next_q] /and3P[/eqP line_r lt_r /forallP next_r].
apply: rank_inj; first by rewrite -line_q.
have := next_q r; have := next_r q; rewrite -line_q -line_r eqxx lt_q lt_r /= -!leqNgt => le1 le2.
by apply/eqP; rewrite eqn_leq le1 le2.
Qed.

Lemma next_or_last_in p : (forall q, ~~ next_in p q) -> last_in p.
Proof.
move=> none; apply/forallP => r; apply/implyP => line_r; rewrite leqNgt; apply/negP => lt_r.
pose later q := (line q == line p) && (rank p < rank q).
have later_r : later r by rewrite /later line_r lt_r.
case: (arg_minnP rank later_r) => q /andP[/eqP line_q lt_q] least.
case/negP: (none q); apply/and3P; split; [by rewrite line_q|by []|].
apply/forallP => s; apply/implyP => line_s; apply/negP => /andP[lt_s lt_sq].
by have := least s; rewrite /later line_s lt_s leqNgt lt_sq => /(_ isT).
Qed.

Lemma last_in_of p : exists q, (line q == line p) && last_in q.
Proof.
pose in_line q := line q == line p.
have in_p : in_line p by rewrite /in_line.
case: (arg_maxnP rank in_p) => q /eqP line_q greatest; exists q.
by rewrite line_q eqxx; apply/forallP => r; apply/implyP => /eqP line_r; have := greatest r; rewrite /in_line line_r line_q eqxx => /(_ isT).
Qed.

Lemma last_in_inj p q : last_in p -> last_in q -> line p = line q -> p = q.
Proof.
move=> /forallP last_p /forallP last_q eq_line; apply: rank_inj => //; apply/eqP; rewrite eqn_leq.
by move: (last_q p) (last_p q); rewrite eq_line eqxx /= => -> ->.
Qed.

Lemma previous_in p r : line r = line p -> rank r < rank p -> exists q, next_in q p.
Proof.
move=> line_r lt_r; pose earlier q := (line q == line p) && (rank q < rank p).
have earlier_r : earlier r by rewrite /earlier line_r eqxx lt_r.
case: (arg_maxnP rank earlier_r) => q /andP[/eqP line_q lt_q] greatest.
exists q; apply/and3P; split; [by rewrite line_q|by []|].
apply/forallP => s; apply/implyP => line_s; apply/negP => /andP[lt_s lt_sp].
by have := greatest s; rewrite /earlier (eqP line_s) line_q eqxx lt_sp /= leqNgt lt_s => /(_ isT).
Qed.

(** What a relation that follows the lines leads to. *)
Lemma leads_to_last (T : finType) (e : rel T) (f : P -> T) p : (forall q r, next_in q r -> e (f q) (f r)) ->
  exists q, [/\ line q = line p, last_in q & connect e (f p) (f q)].
Proof.
move=> step; pose bound := \max_q rank q.
have [n le_n] := ubnP (bound - rank p); elim: n p le_n => // n IH p le_n.
case: (pickP (next_in p)) => [q next_q|none]; last first.
  by exists p; split=> //; apply: next_or_last_in => q; rewrite none.
have /and3P[/eqP line_q lt_q _] := next_q; have le_q : rank q <= bound by apply: leq_bigmax.
have [|r [line_r last_r path_r]] := IH q.
  by move: (rank p) (rank q) le_n lt_q le_q; clear; lia.
by exists r; split=> //; [rewrite line_r|apply: connect_trans (connect1 (step _ _ next_q)) path_r].
Qed.

Section Accumulators.

Variable n : nat.

(** Steps of [n] accumulators for each line. *)
Definition accumulator := [finType of P * 'I_n].
Definition adds (x y : accumulator) := next_in x.1 y.1 && (x.2 == y.2).
Definition adds_left (x : accumulator) := \max_p rank p - rank x.1.
Definition adds_to (x : accumulator) := (line x.1, x.2).

Lemma adds_less x y : adds x y -> adds_left y < adds_left x.
Proof.
case/andP=> /and3P[_ lt_xy _] _; have le_y : rank y.1 <= \max_p rank p by apply: leq_bigmax.
by rewrite /adds_left; move: (rank x.1) (rank y.1) lt_xy le_y; clear; lia.
Qed.

Lemma adds_fun x y z : adds x y -> adds x z -> y = z.
Proof.
move: x y z => [p e] [q e'] [r e''] /andP[/= next_q /eqP <-] /andP[/= next_r /eqP <-].
by rewrite (next_in_fun next_q next_r).
Qed.

Lemma adds_same x y : adds x y -> adds_to x = adds_to y.
Proof. by case/andP=> /and3P[/eqP eq_line _ _] /eqP eq_e; rewrite /adds_to eq_line eq_e. Qed.

Lemma adds_last x : (forall y, ~~ adds x y) -> last_in x.1.
Proof.
by move=> none; apply: next_or_last_in => q; have := none (q, x.2); rewrite /adds /= eqxx andbT.
Qed.

Lemma card_accumulators : #|[set x | first adds x]| <= #|L| * n.
Proof.
have inj : {in [set x | first adds x] &, injective adds_to}.
  suff earliest (x y : accumulator) : first adds x -> line y.1 = line x.1 -> rank x.1 <= rank y.1.
    move=> x y; rewrite !inE => first_x first_y eq_chain.
    have eq_line : line x.1 = line y.1 := congr1 fst eq_chain; have eq_e : x.2 = y.2 := congr1 snd eq_chain.
    rewrite (surjective_pairing x) (surjective_pairing y) eq_e; congr (_, _); apply: rank_inj => //.
    by apply/eqP; rewrite eqn_leq !earliest.
  move=> /forallP first_x eq_line; rewrite leqNgt; apply/negP => /(previous_in eq_line)[q next_q].
  by have := first_x (q, x.2); rewrite /adds /= next_q eqxx.
rewrite -(card_in_imset inj) -[n in X in _ <= X]card_ord -card_prod; exact: max_card.
Qed.

End Accumulators.
End Lines.

(** Sums of [n] terms, one for each element of a type. *)
Section Sums.

Variables (P : finType) (n : nat).

Definition sums (x y : P * 'I_n) := (x.1 == y.1) && (x.2.+1 == y.2 :> nat).
Definition sums_left (x : P * 'I_n) := n - x.2.

Lemma sums_less x y : sums x y -> sums_left y < sums_left x.
Proof.
by case: x y => [p k] [q k'] /andP[_ /eqP /= eq_k]; have := ltn_ord k'; rewrite /sums_left /= -eq_k; clear; lia.
Qed.

Lemma sums_fun x y z : sums x y -> sums x z -> y = z.
Proof.
move: x y z => [p k] [q k'] [r k''] /andP[/= /eqP <- /eqP eq_k] /andP[/= /eqP <- /eqP eq_k'].
by congr (_, _); apply: val_inj; rewrite /= -eq_k -eq_k'.
Qed.

Lemma sums_same x y : sums x y -> x.1 = y.1.
Proof. by case/andP=> /eqP. Qed.

Lemma sums_last x : (forall y, ~~ sums x y) -> x.2.+1 = n.
Proof.
case: x => p k none; apply/eqP; rewrite eqn_leq ltn_ord leqNgt; apply/negP => lt_k.
by have := none (p, Ordinal lt_k); rewrite /sums /= !eqxx.
Qed.

Lemma card_sums : #|[set x | first sums x]| <= #|P|.
Proof.
have inj : {in [set x | first sums x] &, injective fst}.
  have zero x : first sums x -> x.2 = 0 :> nat.
    case: x => p [[|k] lt_k] // /forallP /(_ (p, Ordinal (ltnW lt_k))).
    by rewrite /sums /= !eqxx.
  move=> x y; rewrite !inE => /zero x0 /zero y0 eq_p.
  rewrite (surjective_pairing x) (surjective_pairing y) eq_p; congr (_, _).
  by apply: val_inj; rewrite /= x0 y0.
by rewrite -(card_in_imset inj); apply: max_card.
Qed.

End Sums.
