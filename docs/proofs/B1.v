(** * B1: the three products of the gradients

    docs/proofs/backward.md, B1. The events are the multiply-adds of dV, dK and dQ; one of dV weighs [omega], one of dK or dQ
    weighs [kappa]. *)

From Coq Require Import ZArith Lia.
From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Segments LoomisWhitney Numbers Tracing Lines Attention Backward BackwardFacts.
From Pebble Require Processors AnyOrder Presences.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** The weights; [beta] is that of all multiply-adds of a pair. For dv = d: omega = kappa = 4d, beta = 12d². *)
Definition omega d dv := minn (4 * d) (2 * (d + dv)).
Definition kappa d dv :=
  if dv <= d then 2 * (d + dv) else minn ((2 * d ^ 2 + d * dv + dv ^ 2) %/ d) ((2 * d + dv) ^ 2 %/ (2 * d)).
Definition beta d dv := omega d dv * dv + 2 * kappa d dv * d.

(** The greatest weight of a segment with [T] words, [b] of which are charges of pairs: (T - b)²/4 for other pairs, and for these
    the least of beta b and kappa √b (T - b)/2. *)
Definition b1_events d dv T := \max_(b < T.+1)
  (((T - b) ^ 2 + minn (4 * beta d dv * b) (Nat.sqrt (4 * kappa d dv ^ 2 * b * (T - b) ^ 2))) %/ 4).

(** ** The inequality for pairs without a charge *)

Section Internal.
Local Open Scope Z_scope.

(** What is linear and not negative at both ends is not negative in between. *)
Lemma linear_between a c q m : 0 <= q <= m -> 0 <= a -> 0 <= a + c * m -> 0 <= a + c * q.
Proof.
move=> le_q a_ge0 at_m; case: (Z_le_gt_dec 0 c) => [c_ge0|c_lt0].
  by have := Z.mul_nonneg_nonneg c q; lia.
have : 0 <= (- c) * (m - q) by apply: Z.mul_nonneg_nonneg; lia.
lia.
Qed.

(** [r] rows with all of Q and dO, [c1] keys with all of K, [c2] of them with all of V; [v], [w], [q] entries of dV, dK, dQ. *)
Lemma b1_rest d dv o k r c1 c2 v w q : 0 < d -> 0 <= dv -> 0 <= o -> 0 <= k ->
  (dv <= d /\ o <= 2 * (d + dv) /\ k <= 2 * (d + dv) \/
   d <= dv /\ o <= 4 * d /\ k * d <= 2 * d * d + d * dv + dv * dv /\ 2 * (k * d) <= (2 * d + dv) * (2 * d + dv)) ->
  0 <= r -> 0 <= c2 <= c1 -> 0 <= v <= dv * c1 -> 0 <= w <= d * c2 -> 0 <= q <= d * r ->
  o * (r * v) + k * (r * w + c2 * q) <= ((d + dv) * r + q) * (d * c1 + dv * c2 + v + w).
Proof.
move=> d_gt0 dv_ge0 o_ge0 k_ge0 weights r_ge0 le_c le_v le_w le_q.
have le_o x : 0 <= x -> 0 <= r * v * x by move=> x_ge0; repeat apply: Z.mul_nonneg_nonneg; lia.
case: weights => [[le_dv [le_o' le_k']]|[le_dv [le_o' [kd1 kd2]]]].
  set c := d * c1 + dv * c2; set x := v + w.
  have h1 : 0 <= r * v * (2 * (d + dv) - o) by apply: le_o; lia.
  have h2 : 0 <= (r * w + c2 * q) * (2 * (d + dv) - k).
    by apply: Z.mul_nonneg_nonneg; [have := Z.mul_nonneg_nonneg r w; have := Z.mul_nonneg_nonneg c2 q; lia|lia].
  have le_x : 0 <= c - x.
    by have : 0 <= (d - dv) * (c1 - c2); [apply: Z.mul_nonneg_nonneg; lia|rewrite /c /x; lia].
  have h3 : 0 <= ((d + dv) * r - q) * (c - x).
    apply: Z.mul_nonneg_nonneg => //; have := Z.mul_nonneg_nonneg dv r; lia.
  have h4 : 0 <= q * (2 * (d * (c1 - c2))) by repeat apply: Z.mul_nonneg_nonneg; lia.
  by move: h1 h2 h3 h4; rewrite /c /x; clear; lia.
have h1 : 0 <= r * v * (4 * d - o) by apply: le_o; lia.
pose f q v w := ((d + dv) * r + q) * (d * c1 + dv * c2 + v + w) - 4 * d * (r * v) - k * (r * w + c2 * q).
suff : 0 <= f q v w by rewrite /f; move: h1; clear; lia.
have in_q x y : 0 <= f 0 x y -> 0 <= f (d * r) x y -> 0 <= f q x y.
  move=> h0 h; have := @linear_between (f 0 x y) (d * c1 + dv * c2 + x + y - k * c2) q (d * r) le_q h0.
  by move: h; rewrite /f; clear; lia.
have in_v x y : 0 <= f x 0 y -> 0 <= f x (dv * c1) y -> 0 <= f x v y.
  move=> h0 h; have := @linear_between (f x 0 y) ((d + dv) * r + x - 4 * d * r) v (dv * c1) le_v h0.
  by move: h; rewrite /f; clear; lia.
have in_w x y : 0 <= f x y 0 -> 0 <= f x y (d * c2) -> 0 <= f x y w.
  move=> h0 h; have := @linear_between (f x y 0) ((d + dv) * r + x - k * r) w (d * c2) le_w h0.
  by move: h; rewrite /f; clear; lia.
have corner X Y : 0 <= X -> 0 <= Y -> 0 <= r * ((c1 - c2) * X + c2 * Y).
  move=> X_ge0 Y_ge0; apply: Z.mul_nonneg_nonneg => //.
  by have := Z.mul_nonneg_nonneg (c1 - c2) X; have := Z.mul_nonneg_nonneg c2 Y; lia.
have dd : 0 <= d * d by apply: Z.mul_nonneg_nonneg; lia.
have ddv : 0 <= d * dv by apply: Z.mul_nonneg_nonneg; lia.
have dvdv : 0 <= dv * dv by apply: Z.mul_nonneg_nonneg; lia.
have diff : 0 <= (dv - d) * (dv - d) by apply: Z.mul_nonneg_nonneg; lia.
have diff' : 0 <= (dv - d) * dv by apply: Z.mul_nonneg_nonneg; lia.
apply: in_q; apply: in_v; apply: in_w; rewrite /f.
- have := corner ((d + dv) * d) ((d + dv) * (d + dv)); clear -dd ddv dvdv; lia.
- have := corner ((d + dv) * d) ((d + dv) * (2 * d + dv) - k * d); clear -dd ddv dvdv kd1; lia.
- have := corner ((d + dv) * (d + dv) - 4 * d * dv) ((d + dv) * (d + 2 * dv) - 4 * d * dv); clear -dd ddv dvdv diff diff'; lia.
- have := corner ((d + dv) * (d + dv) - 4 * d * dv) (2 * (d + dv) * (d + dv) - 4 * d * dv - k * d).
  by clear -dd ddv dvdv diff diff' kd1; lia.
- have := corner ((2 * d + dv) * d) ((2 * d + dv) * (d + dv) - k * d); clear -dd ddv dvdv kd1; lia.
- have := corner ((2 * d + dv) * d) ((2 * d + dv) * (2 * d + dv) - 2 * (k * d)); clear -dd ddv dvdv kd2; lia.
- have := corner ((2 * d + dv) * (d + dv) - 4 * d * dv) ((2 * d + dv) * (d + 2 * dv) - 4 * d * dv - k * d).
  by clear -dd ddv dvdv diff diff' kd1; lia.
have := corner ((2 * d + dv) * (d + dv) - 4 * d * dv) (2 * (2 * d + dv) * (d + dv) - 4 * d * dv - 2 * (k * d)).
by clear -dd ddv dvdv diff diff' kd1; lia.
Qed.

End Internal.

Lemma kappa_d d dv : d < dv -> kappa d dv * d <= 2 * d ^ 2 + d * dv + dv ^ 2 /\ 2 * (kappa d dv * d) <= (2 * d + dv) ^ 2.
Proof.
rewrite /kappa ltnNge => /negbTE ->; split.
  by apply: leq_trans (leq_trunc_div _ d); rewrite leq_mul2r geq_minl orbT.
apply: leq_trans (leq_trunc_div _ (2 * d)); rewrite mulnCA leq_mul2r; apply/orP; right; exact: geq_minr.
Qed.

Lemma omega_kappa d dv : omega d dv <= kappa d dv.
Proof.
case: (posnP d) => [->|d_gt0]; first by rewrite /omega min0n.
rewrite /omega /kappa; case: (leqP dv d) => [le_dv|lt_dv]; first exact: geq_minr.
apply: leq_trans (geq_minl _ _) _; rewrite leq_min !leq_divRL ?muln_gt0 //; apply/andP; split.
  by have := leq_mul (ltnW lt_dv) (leqnn dv); have := leq_mul (ltnW lt_dv) (leqnn d); rewrite -!mulnn; clear; lia.
by have := nat_AGM2 (2 * d) dv; have := leq_mul (ltnW lt_dv) (leqnn d); rewrite -!mulnn; clear; lia.
Qed.

(** [r] rows with all of Q and dO, [rho] with all of Q only, and [o] words of dO in these; [x] events of dV there. *)
Lemma b1_internal d dv r rho c1 c2 o x v w q T : 0 < d -> x <= rho * v -> x <= c1 * o ->
  c2 <= c1 -> v <= dv * c1 -> w <= d * c2 -> q <= d * r ->
  (d + dv) * r + q + d * rho + o + (d * c1 + dv * c2 + v + w) <= T ->
  4 * (omega d dv * (r * v + x) + kappa d dv * (r * w + c2 * q)) <= T ^ 2.
Proof.
move=> d_gt0 le_x le_x' le_c le_v le_w le_q le_T.
apply: (@leq_trans (((d + dv) * r + q + d * rho + o + (d * c1 + dv * c2 + v + w)) ^ 2)); last by rewrite leq_exp2r.
apply: leq_trans (nat_AGM2 _ _); rewrite leq_mul2l /=.
have le_omega : omega d dv <= 4 * d := geq_minl _ _.
have main : omega d dv * (r * v) + kappa d dv * (r * w + c2 * q) <= ((d + dv) * r + q) * (d * c1 + dv * c2 + v + w).
  have := @b1_rest (Z.of_nat d) (Z.of_nat dv) (Z.of_nat (omega d dv)) (Z.of_nat (kappa d dv)) (Z.of_nat r)
    (Z.of_nat c1) (Z.of_nat c2) (Z.of_nat v) (Z.of_nat w) (Z.of_nat q).
  have weights : (Z.of_nat dv <= Z.of_nat d /\ Z.of_nat (omega d dv) <= 2 * (Z.of_nat d + Z.of_nat dv) /\
       Z.of_nat (kappa d dv) <= 2 * (Z.of_nat d + Z.of_nat dv) \/
     Z.of_nat d <= Z.of_nat dv /\ Z.of_nat (omega d dv) <= 4 * Z.of_nat d /\
     Z.of_nat (kappa d dv) * Z.of_nat d <= 2 * Z.of_nat d * Z.of_nat d + Z.of_nat d * Z.of_nat dv + Z.of_nat dv * Z.of_nat dv /\
     2 * (Z.of_nat (kappa d dv) * Z.of_nat d) <= (2 * Z.of_nat d + Z.of_nat dv) * (2 * Z.of_nat d + Z.of_nat dv))%Z.
    case: (leqP dv d) => [le_dv|lt_dv].
      left; have : omega d dv <= 2 * (d + dv) := geq_minr _ _.
      by rewrite /kappa le_dv; move: (omega d dv) le_dv => ? ? ?; lia.
    right; have [] := kappa_d lt_dv; rewrite -!mulnn; move: (kappa d dv) (omega d dv) le_omega lt_dv.
    by clear=> k o' *; lia.
  move: (omega d dv) (kappa d dv) weights => o' k weights rest.
  by move: (rest); clear -d_gt0 weights le_c le_v le_w le_q; lia.
have cross : 4 * d * x <= (d * rho + o) * (d * c1 + v).
  apply: sqr_le; apply: (@leq_trans (4 * (d * rho * o) * (4 * (d * c1 * v)))).
    by have := leq_mul (leqnn (16 * d ^ 2)) (leq_mul le_x le_x'); rewrite -!mulnn; clear; lia.
  by rewrite expnMn; apply: leq_mul; apply: nat_AGM2.
have cross' : omega d dv * x <= 4 * d * x by rewrite leq_mul2r le_omega orbT.
rewrite mulnDr; move: main cross cross'; move: (omega d dv * (r * v)) (kappa d dv * _) (omega d dv * x) => m1 m2 m3; clear; lia.
Qed.

Lemma add_roots a b c x y : a ^ 2 <= c * x ^ 2 -> b ^ 2 <= c * y ^ 2 -> (a + b) ^ 2 <= c * (x + y) ^ 2.
Proof.
move=> le_a le_b; have : a * b <= c * (x * y).
  by apply: sqr_le; rewrite expnMn; apply: leq_trans (leq_mul le_a le_b) _; apply: eq_leq; lia.
by move: le_a le_b; clear; rewrite !sqrnD; lia.
Qed.

(** [i] and [e]: the weight of events of pairs without and with a charge; [n] events of the latter, [b] charges. *)
Lemma b1_count d dv i e n b t T : b + t <= T -> 4 * i <= t ^ 2 ->
  e <= beta d dv * b -> e <= kappa d dv * n -> (2 * n) ^ 2 <= b * t ^ 2 -> i + e <= b1_events d dv T.
Proof.
move=> le_T le_i le_e le_e' le_n; have lt_b : b < T.+1 by move: le_T; clear; lia.
apply: leq_trans (leq_bigmax (Ordinal lt_b)) => /=.
have {le_T} le_t : t <= T - b by move: le_T; clear; lia.
rewrite leq_divRL // mulnC mulnDr; apply: leq_add.
  by apply: leq_trans le_i _; rewrite leq_exp2r.
rewrite leq_min; apply/andP; split; first by rewrite -mulnA leq_mul2l le_e.
apply: sqr_le_sqrt; apply: (@leq_trans ((2 * kappa d dv * (2 * n)) ^ 2)).
  by rewrite leq_exp2r //; move: le_e'; clear; lia.
rewrite expnMn; apply: leq_trans (leq_mul (leqnn _) le_n) _.
have -> : 4 * kappa d dv ^ 2 * b * (T - b) ^ 2 = (2 * kappa d dv) ^ 2 * (b * (T - b) ^ 2) by rewrite expnMn -!mulnA.
by rewrite !leq_mul2l leq_exp2r // le_t !orbT.
Qed.

Section B1.

Variables (Nq Nk d dv : nat) (allowed : 'I_Nq -> 'I_Nk -> bool).

Local Notation pair := (pair allowed).
Local Notation query := (query allowed).
Local Notation key := (key allowed).
Local Notation G := (backward d dv allowed).
Local Notation gradient := (gradient d dv allowed).

Definition weight (x : gradient) := if x is inl (inl _) then omega d dv else kappa d dv.

(** The weight of a segment's events, by what is at hand there. *)
Section Segment.

Variables (when : gradient -> nat) (a b : nat) (W : {set vertex G}) (red made : vertex G -> Prop).
Hypothesis in_segment : closed (@summed _ _ d dv allowed) W red made.
Hypothesis made_when : forall x, a <= when x < b -> made (gradient_vert x).
Hypothesis chain_at_hand : forall x, a <= when x < b ->
  exists2 y, gradient_chain y = gradient_chain x & gradient_vert y \in W.

Let dV_here := dV_event in_segment made_when chain_at_hand.
Let dK_here := dK_event in_segment made_when chain_at_hand.
Let dQ_here := dQ_event in_segment made_when chain_at_hand.
Let VE := dV_events when a b.
Let KE := dK_events when a b.
Let QE := dQ_events when a b.

Definition charged : {set pair} := of_kind (@as_S _ _ _ _ _) W :|: of_kind (@as_dP _ _ _ _ _) W :|: of_kind (@as_dS _ _ _ _ _) W.

Local Notation words f := (of_kind (f Nq Nk d dv allowed) W).

Let few : #|charged| + (#|words as_Q| + #|words as_dO| + #|words as_dQ| + (#|words as_K| + #|words as_V| + #|words as_dV| + #|words as_dK|)) <= #|W|.
Proof.
apply: leq_trans (card_kinds W).
have : #|charged| <= #|words as_S| + #|words as_dP| + #|words as_dS|.
  by apply: leq_trans (leq_card_setU _ _) _; rewrite leq_add2r; apply: leq_card_setU.
by clear; lia.
Qed.

(** Events of pairs with a charge. *)
Definition of_charged n (E : {set pair * 'I_n}) := [set x in E | x.1 \in charged].
Definition of_others n (E : {set pair * 'I_n}) := [set x in E | x.1 \notin charged].

Lemma card_split n (E : {set pair * 'I_n}) : #|E| = #|of_charged E| + #|of_others E|.
Proof.
rewrite -(cardsID [set x | x.1 \in charged] E); congr (_ + _); apply: eq_card => x; rewrite !inE //.
by rewrite andbC.
Qed.

Lemma card_charged n (E : {set pair * 'I_n}) : #|of_charged E| <= n * #|charged|.
Proof.
rewrite mulnC -[n in X in _ <= X]card_ord -cardsT -cardsX; apply/subset_leq_card/subsetP => x; rewrite !inE.
by case/andP=> _ ->.
Qed.

Lemma charged_events n (E : {set pair * 'I_n}) (B : {set query * 'I_n}) (C : {set key * 'I_n}) :
  (forall x, x \in E -> (row x.1, x.2) \in B /\ (column x.1, x.2) \in C) ->
  (2 * #|of_charged E|) ^ 2 <= #|charged| * (#|B| + #|C|) ^ 2.
Proof.
move=> inside; have le_E : #|of_charged E| ^ 2 <= #|charged| * #|B| * #|C|.
  apply: (@leq_trans (#|[set (row p, column p) | p in charged]| * #|B| * #|C|)); last first.
    by rewrite -!mulnA leq_mul2r leq_imset_card orbT.
  apply: pair_events => x; rewrite inE => /andP[/inside[in_B in_C] ch_x]; split=> //.
  by apply/imsetP; exists x.1.
have := leq_mul (leqnn #|charged|) (nat_AGM2 #|B| #|C|); rewrite expnMn.
by move: le_E; move: (#|of_charged E| ^ 2) ((#|B| + #|C|) ^ 2) #|B| #|C| #|charged|; clear; lia.
Qed.

(** Rows with all of Q, keys with all of K; and those with all of dO and of V besides. *)
Let R1 := whole (words as_Q).
Let C1 := whole (words as_K).
Let R2 := R1 :&: whole (words as_dO).
Let C2 := C1 :&: whole (words as_V).

Let other_V x : x \in of_others VE -> [/\ row x.1 \in R1, column x.1 \in C1,
  (row x.1, x.2) \in words as_dO & (column x.1, x.2) \in words as_dV].
Proof.
rewrite inE => /andP[/dV_here[served in_dO in_dV] not_ch]; split=> //; move: served not_ch; rewrite /served_S !inE;
  by case/orP=> [->|/andP[]] //; rewrite !inE => -> ->.
Qed.

Let other_dS (p : pair) : served_dS W p -> p \notin charged -> row p \in R2 /\ column p \in C2.
Proof.
rewrite /served_dS /served_S /served_dP /charged => served; rewrite !inE !negb_or => /andP[/andP[no_S no_dP] no_dS].
move: served; rewrite !inE (negbTE no_S) (negbTE no_dP) (negbTE no_dS) /=.
by case/andP=> /andP[-> ->] /andP[-> ->].
Qed.

Let o e := #|[set i | (i, e) \in [set x in words as_dO | (x.1 \in R1) && (x.1 \notin whole (words as_dO))]]|.
Let v e := #|[set j | (j, e) \in [set x in words as_dV | x.1 \in C1]]|.
Let w := #|[set x in words as_dK | x.1 \in C2]|.
Let q := #|[set x in words as_dQ | x.1 \in R2]|.

Lemma other_dV_events : #|of_others VE| <= #|R2| * (\sum_e v e) + \sum_e o e * v e.
Proof.
apply: leq_trans (sum_lines (B := [set x in words as_dO | x.1 \in R1]) (C := [set x in words as_dV | x.1 \in C1]) _) _.
  by move=> x /other_V[in_R in_C in_dO in_dV]; split; rewrite inE /=; apply/andP.
rewrite big_distrr -big_split /=; apply: leq_sum => e _; rewrite -mulnDl leq_mul2r; apply/orP; right.
apply: leq_trans (leq_card_setU _ _); apply/subset_leq_card/subsetP => i.
rewrite in_set in_set => /andP[in_dO in_R]; rewrite in_setU in_setI in_R /=.
by case: (boolP (i \in whole _)) => //= not_whole; rewrite in_set in_set in_dO in_R.
Qed.

Lemma other_dK_events : #|of_others KE| <= #|R2| * w.
Proof.
apply: leq_trans (sum_lines (B := setX R2 setT) (C := [set x in words as_dK | x.1 \in C2]) _) _.
  move=> x; rewrite in_set => /andP[/dK_here[served in_Q in_dK] not_ch].
  have [in_R in_C] := other_dS served not_ch; split; first by rewrite in_setX in_R in_setT.
  by rewrite in_set in_dK in_C.
rewrite /w [X in _ <= _ * X]card_columns big_distrr /=; apply: leq_sum => k _; rewrite leq_mul2r; apply/orP; right.
by apply/subset_leq_card/subsetP => i; rewrite in_set in_setX => /andP[].
Qed.

Lemma other_dQ_events : #|of_others QE| <= #|C2| * q.
Proof.
apply: leq_trans (sum_lines (B := [set x in words as_dQ | x.1 \in R2]) (C := setX C2 setT) _) _.
  move=> x; rewrite in_set => /andP[/dQ_here[served in_dQ in_K] not_ch].
  have [in_R in_C] := other_dS served not_ch; split; last by rewrite in_setX in_C in_setT.
  by rewrite in_set in_dQ in_R.
rewrite /q [X in _ <= _ * X]card_columns big_distrr /=; apply: leq_sum => k _; rewrite mulnC leq_mul2r; apply/orP; right.
by apply/subset_leq_card/subsetP => i; rewrite in_set in_setX => /andP[].
Qed.

Lemma sub_columns (X : finType) n (R S : {set X * 'I_n}) : (forall x, x \in R -> x \in S) -> #|R| <= #|S|.
Proof. by move=> sub; apply/subset_leq_card/subsetP. Qed.

Lemma others_weigh t :
  #|words as_Q| + #|words as_dO| + #|words as_dQ| + (#|words as_K| + #|words as_V| + #|words as_dV| + #|words as_dK|) <= t ->
  4 * (omega d dv * #|of_others VE| + kappa d dv * (#|of_others KE| + #|of_others QE|)) <= t ^ 2.
Proof.
move=> le_t; case: (posnP d) => [d0|d_gt0].
  have no_events n (E : {set pair * 'I_n}) : n = 0 -> #|E| = 0.
    by move=> n0; move: E; rewrite n0 => E; apply/eqP; rewrite cards_eq0; apply/eqP/setP => -[p []].
  rewrite (no_events _ (of_others KE) d0) (no_events _ (of_others QE) d0) muln0 addn0.
  by have -> : omega d dv = 0 by rewrite /omega d0 min0n.
pose rho := #|R1 :\: whole (words as_dO)|.
have eq_R : #|R1| = #|R2| + rho by rewrite /R2 /rho cardsID.
have le_Q : d * #|R1| <= #|words as_Q| := card_whole _.
have le_K : d * #|C1| <= #|words as_K| := card_whole _.
have le_V : dv * #|C2| <= #|words as_V|.
  apply: leq_trans (card_whole _); rewrite leq_mul2l; apply/orP; right; apply/subset_leq_card; apply: subsetIr.
have le_dK : w <= #|words as_dK| by apply: sub_columns => x; rewrite in_set => /andP[].
have le_dQ : q <= #|words as_dQ| by apply: sub_columns => x; rewrite in_set => /andP[].
have le_w : w <= d * #|C2|.
  by rewrite mulnC -[d in X in _ <= X]card_ord -cardsT -cardsX; apply: sub_columns => -[j k]; rewrite in_set in_setX in_setT andbT => /andP[].
have le_q : q <= d * #|R2|.
  by rewrite mulnC -[d in X in _ <= X]card_ord -cardsT -cardsX; apply: sub_columns => -[j k]; rewrite in_set in_setX in_setT andbT => /andP[].
have le_v e : v e <= #|C1| by apply/subset_leq_card/subsetP => j; rewrite in_set in_set => /andP[].
have le_o e : o e <= rho.
  by apply/subset_leq_card/subsetP => i; rewrite in_set in_set in_setD => /andP[_ /andP[-> ->]].
have le_dV : \sum_e v e <= #|words as_dV| by rewrite /v -card_columns; apply: sub_columns => x; rewrite in_set => /andP[].
have le_dO : dv * #|R2| + \sum_e o e <= #|words as_dO|.
  have -> : dv * #|R2| = \sum_(e < dv) #|R2| by rewrite sum_nat_const card_ord.
  rewrite [X in _ <= X]card_columns -big_split /=; apply: leq_sum => e _.
  rewrite -cardsUI [X in _ + X](_ : _ = 0) ?addn0; last first.
    apply/eqP; rewrite cards_eq0; apply/eqP/setP => i; rewrite [in RHS]in_set0; apply/negbTE/negP.
    by rewrite in_setI in_setI => /andP[/andP[_ in_whole]]; rewrite in_set in_set in_whole !andbF.
  apply/subset_leq_card/subsetP => i; rewrite in_setU => /orP[|].
    by rewrite in_setI [_ \in whole _]in_set => /andP[_ /forallP all_e]; rewrite in_set; apply: all_e.
  by rewrite !in_set => /andP[].
have le_sum_v : \sum_e v e <= dv * #|C1|.
  have -> : dv * #|C1| = \sum_(e < dv) #|C1| by rewrite sum_nat_const card_ord.
  by apply: leq_sum.
have le_x : \sum_e o e * v e <= rho * \sum_e v e.
  by rewrite big_distrr; apply: leq_sum => e _; rewrite leq_mul2r le_o orbT.
have le_x' : \sum_e o e * v e <= #|C1| * \sum_e o e.
  by rewrite big_distrr; apply: leq_sum => e _; rewrite mulnC leq_mul2r le_v orbT.
have le_C : #|C2| <= #|C1| by apply/subset_leq_card; apply: subsetIl.
have le_T : (d + dv) * #|R2| + q + d * rho + \sum_e o e + (d * #|C1| + dv * #|C2| + \sum_e v e + w) <= t.
  by move: le_t le_Q le_K le_V le_dK le_dQ le_dV le_dO; rewrite eq_R; clear; lia.
apply: leq_trans (b1_internal d_gt0 le_x le_x' le_C le_sum_v le_w le_q le_T); rewrite leq_mul2l /=.
by apply: leq_add; rewrite leq_mul2l; apply/orP; right;
  [apply: other_dV_events|apply: leq_add; [apply: other_dK_events|apply: other_dQ_events]].
Qed.

Lemma segment_weighs T : #|W| <= T -> \sum_(x | a <= when x < b) weight x <= b1_events d dv T.
Proof.
move=> le_T.
have -> : \sum_(x | a <= when x < b) weight x = omega d dv * #|VE| + kappa d dv * (#|KE| + #|QE|).
  rewrite mulnDr addnA !(mulnC (kappa _ _)) mulnC -!sum_nat_const.
  rewrite big_sumType big_sumType /=; congr (_ + _ + _); apply: eq_bigl => x; by rewrite in_set.
set t := #|words as_Q| + #|words as_dO| + #|words as_dQ| + (#|words as_K| + #|words as_V| + #|words as_dV| + #|words as_dK|).
have le_t : #|charged| + t <= T by apply: leq_trans few le_T.
have others := others_weigh (leqnn t).
have ch_V := charged_events (E := VE) (fun x in_E => let: And3 _ in_B in_C := dV_here in_E in conj in_B in_C).
have ch_K := charged_events (E := KE) (fun x in_E => let: And3 _ in_B in_C := dK_here in_E in conj in_B in_C).
have ch_Q := charged_events (E := QE) (fun x in_E => let: And3 _ in_B in_C := dQ_here in_E in conj in_B in_C).
have few_V := card_charged VE; have few_K := card_charged KE; have few_Q := card_charged QE.
rewrite (card_split VE) (card_split KE) (card_split QE).
apply: (@leq_trans ((omega d dv * #|of_others VE| + kappa d dv * (#|of_others KE| + #|of_others QE|)) +
  (omega d dv * #|of_charged VE| + kappa d dv * (#|of_charged KE| + #|of_charged QE|)))); first by clear; lia.
apply: (b1_count (n := #|of_charged VE| + (#|of_charged KE| + #|of_charged QE|))) le_t others _ _ _.
- rewrite /beta mulnDl; apply: leq_add.
    by rewrite -mulnA leq_mul2l few_V orbT.
  have -> : 2 * kappa d dv * d * #|charged| = kappa d dv * (d * #|charged| + d * #|charged|) by clear; lia.
  by rewrite leq_mul2l leq_add ?orbT.
- by rewrite [X in _ <= X]mulnDr leq_add2r leq_mul2r omega_kappa orbT.
rewrite !mulnDr; apply: leq_trans (add_roots ch_V (add_roots ch_K ch_Q)) _.
by rewrite leq_mul2l leq_exp2r //; apply/orP; right; rewrite /t; clear; lia.
Qed.

End Segment.

Lemma all_weigh : \sum_x weight x = #|pair| * beta d dv.
Proof.
have sum_pairs n c : \sum_(x : pair * 'I_n) c = #|pair| * n * c by rewrite sum_nat_const card_prod card_ord.
by rewrite big_sumType big_sumType /= !sum_pairs /beta; move: #|pair|; clear; lia.
Qed.

Theorem B1 M h T (ms : seq (move G)) :
  pebbling M ms -> 0 < h -> h * b1_events d dv T < #|pair| * beta d dv -> M + 1 + h * T <= io ms + h * M.
Proof.
move=> legal_ms h_gt0 many.
have [when traced_when] := trace legal_ms (@gradient_no_input _ _ d dv allowed) (@gradient_less _ _ d dv allowed)
  (@gradient_edge _ _ d dv allowed) (@gradient_fun _ _ d dv allowed) (fun x => gradient_last legal_ms (x := x)).
have seg a b : #|segment_words ms (@gradient_vert _ _ d dv allowed) (@gradient_follows _ _ d dv allowed) when a b| <= T ->
    \sum_(x | a <= when x < b) weight x <= b1_events d dv T.
  apply: segment_weighs.
  - by apply: (segment_closed legal_ms) => v; apply: at_hand_words.
  - by move=> x in_ab; exists (when x) => //; case: (traced_when x).
  exact: (chain_words legal_ms (@gradient_edge _ _ d dv allowed) traced_when (@gradient_same _ _ d dv allowed)).
have := cut_events legal_ms traced_when (@gradient_vert_inj _ _ d dv allowed) seg h_gt0.
rewrite all_weigh => /(_ many); have := backward_stores legal_ms; have := @card_first_gradient _ _ d dv allowed.
by rewrite io_loads_stores; clear; lia.
Qed.

(** ** In any order

    Theorem P of docs/proofs/any-order.md: the same with the sums dV, dK and dQ in any order, and with additions in slow memory. *)

Import Presences.

Definition gradient_element (v : vertex G) :=
  match v with
  | dV p e => Some (gradient_chain (inl (inl (p, e))))
  | dK p k => Some (gradient_chain (inl (inr (p, k))))
  | dQ p k => Some (gradient_chain (inr (p, k)))
  | _ => None
  end.

Theorem B1_any_order M h T (ms : seq (AnyOrder.move G)) :
  AnyOrder.pebbling (@backward_free _ _ d dv allowed) M ms -> 0 < h -> h * b1_events d dv T < #|pair| * beta d dv ->
  M + 1 + h * T <= AnyOrder.io ms + h * M.
Proof.
move=> legal_ms h_gt0 many; set free := @backward_free _ _ _ _ _ in legal_ms.
have element_free u v : free u v -> gradient_element u = gradient_element v.
  by case: u v => [i k|j k|j e|i e|i e|i|p k|p|i e|p e|p|p e|p k|p k] [i' k'|j' k'|j' e'|i' e'|i' e'|i'|p' k'|p'|i' e'|p' e'|p'|p' e'|p' k'|p' k'] //=
    /andP[/eqP eq_line /eqP ->]; rewrite eq_line.
have tied_sum v : ~~ summed v -> Processors.sum free v = [set v].
  by move=> tied; apply/setP => u; rewrite !inE; case: eqP => //= _; apply/negbTE; case: u v tied => [i k|j k|j e|i e|i e|i|p k|p|i e|p e|p|p e|p k|p k] [].
have element_vert x : gradient_element (gradient_vert x) = Some (gradient_chain x) by case: x => [[[p e]|[p k]]|[p k]].
have input_tied (v : vertex G) : input v -> ~~ summed v.
  by case: v => //= p k in_v; [have := @gradient_no_input _ _ d dv allowed (inl (inl (p, k)))|
    have := @gradient_no_input _ _ d dv allowed (inl (inr (p, k)))|have := @gradient_no_input _ _ d dv allowed (inr (p, k))]; rewrite in_v.
have sum_input v : input v -> Processors.sum free v = [set v] by move/input_tied/tied_sum.
have tied_operand (p v : vertex G) : edge p v -> ~~ summed p -> p \notin Processors.sum free v.
  move=> edge_p tied; rewrite inE negb_or; apply/andP; split.
    apply/eqP => eq_p; case: p v edge_p tied eq_p => [i k|j k|j e|i e|i e|i|p k|p|i e|p e|p|p e|p k|p k] // v + _ eq_p;
      by rewrite -eq_p //= eqn_leq ltnn andbF.
  by case: p v tied {edge_p} => [i k|j k|j e|i e|i e|i|p k|p|i e|p e|p|p e|p k|p k] [].
have wanted x : exists2 o, output o & knows free gradient_element (gradient_vert x) (Processors.sum free o).
  case: x => [[[p e]|[p k]]|[p k]].
  - have [q /andP[/eqP eq_c last_q]] := last_of_key (column p); exists (dV q e); first exact: last_q.
    by rewrite /knows inE /free /= eq_c !eqxx orbT.
  - have [q /andP[/eqP eq_c last_q]] := last_of_key (column p); exists (dK q k); first exact: last_q.
    by rewrite /knows inE /free /= eq_c !eqxx orbT.
  have [q /andP[/eqP eq_r last_q]] := AttentionFacts.last_pair_of (row p); exists (dQ q k); first exact: last_q.
    by rewrite /knows inE /free /= eq_r !eqxx orbT.
have [when [begin paid]] := Presences.trace legal_ms element_vert (@gradient_no_input _ _ d dv allowed) sum_input wanted.
have seg a b : #|words free ms begin id a b| <= T -> \sum_(x | a <= when x < b) weight x <= b1_events d dv T.
  apply: segment_weighs.
  - exact: (presences_closed (ms := ms) legal_ms _ tied_sum).
  - by move=> x in_ab; exists (when x) => //; exact: computed_when paid x.
  move=> x in_ab; have [v [el_v in_W]] := element_words legal_ms element_free paid id in_ab.
  move: (gradient_chain x) el_v => c; case: v in_W => //= p k in_W [<-];
    by [exists (inl (inl (p, k)))|exists (inl (inr (p, k)))|exists (inr (p, k))].
have := @cut_presences _ _ _ _ legal_ms _ _ element_free _ _ _ sum_input _ _ paid id weight T (b1_events d dv T) h _ (of_void (vertex G)).
by rewrite all_weigh card_void addn0; apply=> // -[].
Qed.

End B1.
