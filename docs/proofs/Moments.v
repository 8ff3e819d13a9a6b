(** * One moment

    docs/proofs/large-cache.md: counting lines that are whole or charged, for both passes; and the count of the backward pass, which is
    the same for queries and for keys. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import LoomisWhitney.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** The last moment at which something holds. *)
Lemma last_moment (P : pred nat) n : P 0 -> ~~ P n -> exists s, [/\ s < n, P s, ~~ P s.+1 & forall t, t <= n -> P t -> t <= s].
Proof.
move=> P0 Pn; have ex : exists s, P s && (s <= n) by exists 0; rewrite P0.
have bound s : P s && (s <= n) -> s <= n by case/andP.
case: (ex_maxnP ex bound) => s /andP[Ps le_s] greatest.
have lt_s : s < n by rewrite ltn_neqAle le_s andbT; apply: contraNneq Pn => <-.
exists s; split=> //; last by move=> t le_t Pt; apply: greatest; rewrite Pt.
by apply/negP => PS; have := greatest s.+1; rewrite PS lt_s ltnn => /(_ isT).
Qed.

(** Lines that are whole in [w], or have [m] squares in [c]. *)
Lemma whole_or_squares (X Y Z : finType) m (A : {set X}) (B : {set Y}) (w : {set X * Z}) (c : {set X * Y}) :
  m <= #|Z| -> m <= #|B| -> (forall x, x \in A -> (forall k, (x, k) \in w) \/ (forall y, y \in B -> (x, y) \in c)) ->
  m * #|A| <= #|w| + #|[set z in c | (z.1 \in A) && (z.2 \in B)]|.
Proof.
move=> le_Z le_B each; pose whole := [set x in A | [forall k, (x, k) \in w]].
have le_w : #|whole| * #|Z| <= #|w|.
  rewrite -cardsT -cardsX; apply/subset_leq_card/subsetP => -[x k]; rewrite !inE /= andbT => /andP[_ /forallP]; exact.
have le_c : #|A :\: whole| * #|B| <= #|[set z in c | (z.1 \in A) && (z.2 \in B)]|.
  rewrite -cardsX; apply/subset_leq_card/subsetP => -[x y]; rewrite !inE /= => /andP[/andP[not_whole in_A] in_B].
  rewrite in_A in_B !andbT; case: (each x in_A) => [all_w|]; last exact.
  by case/negP: not_whole; rewrite in_A; apply/forallP.
have sub : whole \subset A by apply/subsetP => x; rewrite inE => /andP[].
rewrite -(cardsID whole A) (setIidPr sub) mulnDr; apply: leq_add; first by apply: leq_trans le_w; rewrite mulnC leq_mul2l le_Z orbT.
by apply: leq_trans le_c; rewrite mulnC leq_mul2l le_B orbT.
Qed.

(** Words in the lines [R] that are needed again, when [begun] of their accumulators and not the lines [U] of the other side
    have been touched. *)
Section OneSide.

Variables (X Y Z Z' E : finType) (R T : {set X}) (C U : {set Y}) (begun : X -> E -> bool).
Variables (wX : {set X * Z}) (wY : {set Y * Z'}) (c : {set X * Y}) (o : {set X * E}) (tau tau' : nat).
Hypotheses (sub_T : T \subset R) (sub_U : U \subset C).
Hypotheses (le_U : #|U| <= #|Z|) (le_tau' : tau' <= #|Z'|) (few : #|R :\: T| < tau).
Hypotheses (tau_R : tau <= #|R|) (tau'_R : tau' <= #|R|).
Hypothesis whole_x : forall x y, x \in T -> y \in U -> (forall z, (x, z) \in wX) \/ (x, y) \in c.
Hypothesis whole_y : forall x y e, x \in R -> y \in C :\: U -> ~~ begun x e -> (forall z, (y, z) \in wY) \/ (x, y) \in c.
Hypothesis held : forall x e, x \in R -> begun x e -> (x, e) \in o.

Lemma one_side : (#|R| - tau + 1) * #|U| + minn (#|E| * (#|R| - tau' + 1)) ((#|C| - #|U|) * tau') <= #|wX| + #|wY| + #|c| + #|o|.
Proof.
have first_term : #|U| * #|T| <= #|wX| + #|[set z in c | z.2 \in U]|.
  apply: leq_trans (whole_or_squares le_U (leqnn _) (w := wX) (c := c) _) _ => [x in_T|].
    case: (boolP [forall z, (x, z) \in wX]) => [/forallP|not_all]; [by left|right=> y in_U].
    by case: (whole_x in_T in_U) => // all_z; case/negP: not_all; apply/forallP.
  by rewrite leq_add2l; apply/subset_leq_card/subsetP => z; rewrite !inE => /and3P[-> _ ->].
have card_T : #|R| - tau + 1 <= #|T|.
  by have := cardsID T R; rewrite (setIidPr sub_T); move: few tau_R; clear; lia.
have split_c : #|[set z in c | z.2 \in U]| + #|[set z in c | z.2 \notin U]| = #|c|.
  by rewrite -[RHS](cardsID [set z | z.2 \in U]); congr (_ + _); apply: eq_card => z; rewrite !inE // andbC.
have := leq_mul card_T (leqnn #|U|); rewrite [#|T| * _]mulnC => le_first.
pose waiting := [set x in R | [exists e, ~~ begun x e]].
have sub_W : waiting \subset R by apply/subsetP => x; rewrite inE => /andP[].
case: (ltnP #|waiting| tau') => [few_waiting|many].
  have : #|R :\: waiting| * #|E| <= #|o|.
    rewrite -cardsT -cardsX; apply/subset_leq_card/subsetP => -[x e]; rewrite !inE andbT /= => /andP[not_W in_R].
    by apply: held => //; move: not_W; rewrite in_R /= negb_exists => /forallP/(_ e); rewrite negbK.
  rewrite cardsD (setIidPr sub_W) => le_o; have le_R : #|waiting| <= #|R| by apply: subset_leq_card.
  have : minn (#|E| * (#|R| - tau' + 1)) ((#|C| - #|U|) * tau') <= #|E| * (#|R| - tau' + 1) by rewrite geq_minl.
  have : #|R| - tau' + 1 <= #|R| - #|waiting| by move: few_waiting tau'_R; clear; lia.
  move: (minn _ _) => m le1 le2; have := leq_mul (leqnn #|E|) le1.
  by move: le_first first_term split_c le_o le2; clear; lia.
have second_term : tau' * #|C :\: U| <= #|wY| + #|[set z in c | z.2 \notin U]|.
  pose swap (z : X * Y) := (z.2, z.1).
  apply: leq_trans (whole_or_squares le_tau' many (A := C :\: U) (w := wY) (c := swap @: c) _) _ => [y in_C|].
    case: (boolP [forall z, (y, z) \in wY]) => [/forallP|not_all]; [by left|right=> x].
    rewrite inE => /andP[in_R /existsP[e not_begun]]; case: (whole_y in_R in_C not_begun) => [all_z|in_c].
      by case/negP: not_all; apply/forallP.
    by apply/imsetP; exists (x, y).
  rewrite leq_add2l; apply: leq_trans (leq_imset_card swap _); apply/subset_leq_card/subsetP => -[y x].
  rewrite inE => /and3P[/imsetP[z in_c [-> ->]] in_C _]; apply/imsetP; exists z => //.
  by rewrite inE in_c; move: in_C; rewrite inE => /andP[].
rewrite cardsD (setIidPr sub_U) in second_term.
have : minn (#|E| * (#|R| - tau' + 1)) ((#|C| - #|U|) * tau') <= (#|C| - #|U|) * tau' by rewrite geq_minr.
rewrite [_ * tau']mulnC; move: (minn _ _) => m; move: le_first first_term split_c second_term; clear; lia.
Qed.

End OneSide.
