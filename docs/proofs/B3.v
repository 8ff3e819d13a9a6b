(** * B3

    docs/proofs/b3.md, sections 1 and 2: for every row of parameters, whole numbers of [K]-ths, whose W bounds f0 ([plain]), or f where d = dv. With
    [h] cuts, which is the page's n - 1. *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Cutting Tracing Lines Stores Attention Backward BackwardFacts BackwardPairs BackwardSegments B3Function.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** W bounds f, or f0 with [plain]. *)
Definition b3_row (K tau gamma wS wP wV wK wQ W : nat) (plain : bool) :=
  b3_bounded (Z.of_nat K) (Z.of_nat tau) (Z.of_nat gamma) (Z.of_nat wS) (Z.of_nat wP) (Z.of_nat wV) (Z.of_nat wK) (Z.of_nat wQ) (Z.of_nat W) plain.

(** How many of the two products S and dP weigh anything: a. *)
Definition charged (wS wP : nat) := (0 < wS) + (0 < wP).

(** A segment that touches what is named here does W D³ at most. *)
Lemma b3_amounts K tau gamma wS wP wV wK wQ W plain D q k o v uV uK uQ p p' r r' s nS nP nV nK nQ E RQ RK RO RV R C : 0 < K -> 0 < D ->
  b3_row K tau gamma wS wP wV wK wQ W plain ->
  K * (q + k + o + v + uV + uK + uQ + p + r + s) + gamma * (p' + r') <= tau * D ^ 2 ->
  nS ^ 2 <= (p + p') * q * k -> nP ^ 2 <= (r + r') * o * v ->
  nV ^ 2 <= (p + RQ * RK) * uV * o -> nK ^ 2 <= E * uK * q -> nQ ^ 2 <= E * uQ * k ->
  E <= s + (p + RQ * RK) -> E <= s + (r + RO * RV) -> E <= s + (p + r + R * C) ->
  D * RQ <= q -> D * RK <= k -> D * RO <= o -> D * RV <= v -> D * R <= q -> D * R <= o -> D * C <= k -> D * C <= v ->
  (plain = false -> [/\ nV <= D * p + RQ * uV, nV <= D * p + RK * o, nK <= D * (s + (p + r)) + R * uK & nQ <= D * (s + (p + r)) + C * uQ]) ->
  wS * nS + wP * nP + wV * nV + wK * nK + wQ * nQ <= W * D ^ 3.
Proof.
move=> K_gt0 D_gt0 bounded few le_S le_P le_V le_K le_Q E1 E2 E3 l1 l2 l3 l4 l5 l6 l7 l8 second.
have := @b3_whole (Z.of_nat K) (Z.of_nat tau) (Z.of_nat gamma) (Z.of_nat wS) (Z.of_nat wP) (Z.of_nat wV) (Z.of_nat wK) (Z.of_nat wQ) (Z.of_nat W)
  (Z.of_nat D) (Z.of_nat q) (Z.of_nat k) (Z.of_nat o) (Z.of_nat v) (Z.of_nat uV) (Z.of_nat uK) (Z.of_nat uQ) (Z.of_nat p) (Z.of_nat p')
  (Z.of_nat r) (Z.of_nat r') (Z.of_nat s) (Z.of_nat nS) (Z.of_nat nP) (Z.of_nat nV) (Z.of_nat nK) (Z.of_nat nQ) (Z.of_nat E) (Z.of_nat RQ)
  (Z.of_nat RK) (Z.of_nat RO) (Z.of_nat RV) (Z.of_nat R) (Z.of_nat C) plain.
have end_nat : (Z.of_nat wS * Z.of_nat nS + Z.of_nat wP * Z.of_nat nP + Z.of_nat wV * Z.of_nat nV + Z.of_nat wK * Z.of_nat nK +
    Z.of_nat wQ * Z.of_nat nQ <= Z.of_nat W * (Z.of_nat D * Z.of_nat D * Z.of_nat D))%Z ->
  wS * nS + wP * nP + wV * nV + wK * nK + wQ * nQ <= W * D ^ 3 by clear; lia.
move=> whole; apply: end_nat; apply: whole; try (clear; lia); try assumption.
- by move: K_gt0; clear; lia.
- by move: D_gt0; clear; lia.
- by move: few; clear; lia.
- by move: le_S; clear; lia.
- by move: le_P; clear; lia.
- by move: le_V; clear; lia.
- by move: le_K; clear; lia.
- by move: le_Q; clear; lia.
- by move: E1; clear; lia.
- by move: E2; clear; lia.
- by move: E3; clear; lia.
- by move: l1; clear; lia.
- by move: l2; clear; lia.
- by move: l3; clear; lia.
- by move: l4; clear; lia.
- by move: l5; clear; lia.
- by move: l6; clear; lia.
- by move: l7; clear; lia.
- by move: l8; clear; lia.
by move=> /second[]; clear; lia.
Qed.

Section B3.

Variables (Nq Nk d dv : nat) (allowed : 'I_Nq -> 'I_Nk -> bool).

Notation pair := (pair allowed).
Notation query := (query allowed).
Notation key := (key allowed).
Notation G := (backward d dv allowed).
Notation gradient := (gradient d dv allowed).
Notation gradient_vert := (@gradient_vert _ _ d dv allowed).
Notation gradient_follows := (@gradient_follows _ _ d dv allowed).
Notation gradient_chain := (@gradient_chain _ _ d dv allowed).
Notation S_vert := (@S_vert _ _ d dv allowed).
Notation dP_vert := (@dP_vert _ _ d dv allowed).

Section Pebbling.

Variables (M : nat) (ms : seq (move G)) (g_when : gradient -> nat) (s_when : pair * 'I_d -> nat) (p_when : pair * 'I_dv -> nat).
Hypothesis legal_ms : pebbling M ms.
Hypothesis g_traced : traced ms gradient_vert gradient_follows g_when.
Hypothesis s_traced : traced ms S_vert (@sums _ d) s_when.
Hypothesis p_traced : traced ms dP_vert (@sums _ dv) p_when.

Notation loaded := (loaded ms).
Notation g_begun := (begun gradient_follows g_when).
Notation s_begun := (begun (@sums _ d) s_when).
Notation p_begun := (begun (@sums _ dv) p_when).

(** ** What moves weigh: [unit] for a load or the begin of an accumulator, [cS] and [cP] for that of a chain of S or dP *)

Section Count.

Variables unit cS cP : nat.
Hypotheses (cS_le : cS <= unit) (cP_le : cP <= unit).

Definition move_weight t := unit * ((loaded t : bool) + g_begun t) + cS * s_begun t + cP * p_begun t.

Lemma begun_computed (X : finType) (vert : X -> vertex G) (follows : rel X) when t : traced ms vert follows when ->
  begun follows when t -> exists x, computed ms t = Some (vert x).
Proof. by move=> traced_when /existsP[x /andP[_ /eqP <-]]; exists x; rewrite (traced_when x).1. Qed.

Lemma move_weight_le t : move_weight t <= unit.
Proof.
have no_load v : computed ms t = Some v -> (loaded t : bool) = false.
  by rewrite /Times.loaded /Times.computed; case: (move_at ms t) => [[]|].
rewrite /move_weight; case: (boolP (g_begun t)) => [/(begun_computed g_traced)[x comp_x]|_].
  have -> : s_begun t = false.
    case begun_t: (s_begun t) => //; have [y] := begun_computed s_traced begun_t; rewrite comp_x => -[]; by case: x {comp_x} => [[]|].
  have -> : p_begun t = false.
    case begun_t: (p_begun t) => //; have [y] := begun_computed p_traced begun_t; rewrite comp_x => -[]; by case: x {comp_x} => [[]|].
  by rewrite (no_load _ comp_x) !muln0 muln1 !addn0.
case: (boolP (s_begun t)) => [/(begun_computed s_traced)[x comp_x]|_].
  have -> : p_begun t = false by case begun_t: (p_begun t) => //; have [y] := begun_computed p_traced begun_t; rewrite comp_x.
  by rewrite (no_load _ comp_x) !muln0 muln1 add0n addn0.
case: (boolP (p_begun t)) => [/(begun_computed p_traced)[x comp_x]|_].
  by rewrite (no_load _ comp_x) !muln0 muln1 !add0n.
by rewrite /= !muln0 !addn0; case: (loaded t : bool); rewrite /= ?addn0 ?muln1 ?muln0.
Qed.

Lemma sum_move_weight a b : \sum_(a <= t < b) move_weight t =
  unit * (\sum_(a <= t < b) (loaded t : bool) + \sum_(a <= t < b) g_begun t) + cS * (\sum_(a <= t < b) s_begun t) +
  cP * (\sum_(a <= t < b) p_begun t).
Proof.
by rewrite /move_weight !big_split /= -!big_distrr /= big_split.
Qed.

Lemma all_move_weights : \sum_(0 <= t < size ms) move_weight t <= unit * io ms + (cS + cP) * #|pair|.
Proof.
have g_sum := leq_trans (sum_begun ms _ g_when) (@card_first_gradient _ _ d dv allowed).
have s_sum := leq_trans (sum_begun ms _ s_when) (@card_sums pair d); have p_sum := leq_trans (sum_begun ms _ p_when) (@card_sums pair dv).
have := backward_stores legal_ms; rewrite sum_move_weight io_loads_stores.
have -> : \sum_(0 <= t < size ms) (loaded t : bool) = loads ms by rewrite /loads big_mkord.
have h1 := leq_mul (leqnn cS) s_sum; have h2 := leq_mul (leqnn cP) p_sum.
move=> out; have h3 := leq_mul (leqnn unit) (leq_trans g_sum out).
by move: h1 h2 h3; clear; lia.
Qed.

(** ** What is done *)

Variables wS wP wV wK wQ : nat.

Definition gradient_weight (x : gradient) := match x with inl (inl _) => wV | inl (inr _) => wK | inr _ => wQ end.
Definition work_at t := \sum_(y | s_when y == t) wS + \sum_(y | p_when y == t) wP + \sum_(x | g_when x == t) gradient_weight x.

Definition work a b := wS * #|S_events s_when a b| + wP * #|dP_events p_when a b| + wV * #|dV_events g_when a b| + wK * #|dK_events g_when a b| +
  wQ * #|dQ_events g_when a b|.

Lemma sum_work a b : \sum_(a <= t < b) work_at t = work a b.
Proof.
rewrite /work_at !big_split /= !sum_events !big_sumType /= /work -!addnA.
by congr (_ + (_ + (_ + (_ + _)))); rewrite sum_nat_const mulnC; congr (_ * _); apply: eq_card => y; rewrite inE.
Qed.

Lemma all_work : work 0 (size ms) = #|pair| * ((wS + wK + wQ) * d + (wP + wV) * dv).
Proof.
have all (X : finType) (E : {set X}) : (forall x, x \in E) -> #|E| = #|X| by move=> in_E; apply: eq_card => x; rewrite in_E.
rewrite /work !all ?card_prod ?card_ord => [|x|x|x|x|x]; rewrite ?inE ?(traced_size s_traced) ?(traced_size p_traced) ?(traced_size g_traced) //.
by clear; lia.
Qed.

Lemma count_backward T F h : (forall a b, unit * #|red_at ms a| + \sum_(a <= t < b) move_weight t <= T -> work a b <= F) ->
  0 < h -> h * F < #|pair| * ((wS + wK + wQ) * d + (wP + wV) * dv) ->
  unit * (M + 1) + h * (T + 1) <= unit * io ms + (cS + cP) * #|pair| + h * (unit * (M + 1)).
Proof.
move=> bounded h_gt0; rewrite -all_work => many.
have le_red a : unit * #|red_at ms a| <= unit * M by rewrite leq_mul2l (card_red legal_ms) orbT.
have seg a b : a <= b <= size ms -> unit * #|red_at ms a| + \sum_(a <= t < b) move_weight t <= T -> \sum_(a <= t < b) work_at t <= F.
  by move=> _ le_T; rewrite sum_work; apply: bounded.
have := cut move_weight_le le_red seg (h := h); rewrite red_at0 cards0 muln0 sum_work => /(_ erefl h_gt0 many).
have := all_move_weights; move: (\sum_(0 <= t < size ms) move_weight t) => w.
by clear; lia.
Qed.

End Count.

(** ** A segment *)

Section Segment.

Variables (a b : nat) (K tau gamma wS wP wV wK wQ W : nat) (plain : bool).
Hypotheses (d_gt0 : 0 < d) (dv_gt0 : 0 < dv) (K_gt0 : 0 < K) (square : plain = false -> d = dv).
Hypothesis bounded : b3_row K tau gamma wS wP wV wK wQ W plain.

Lemma b3_segment : K * (#|red_at ms a| + \sum_(a <= t < b) (loaded t : bool) + \sum_(a <= t < b) g_begun t) +
    gamma * ((0 < wS) * (\sum_(a <= t < b) s_begun t) + (0 < wP) * (\sum_(a <= t < b) p_begun t)) <= tau * minn d dv ^ 2 ->
  work wS wP wV wK wQ a b <= W * minn d dv ^ 3.
Proof.
move=> le_T; have le_hand := card_hand ms a b; have le_begun := work_begun legal_ms g_traced a b; have eq_work := card_at_work g_when a b.
have le_s := card_S_fresh s_traced a b; have le_p := card_dP_fresh p_traced a b.
have few : K * (#|Q_words ms a b| + #|K_words ms a b| + #|dO_words ms a b| + #|V_words ms a b| + #|dV_work g_when a b| + #|dK_work g_when a b| +
      #|dQ_work g_when a b| + #|S_pairs ms a b| + #|dP_pairs ms a b| + #|dS_pairs ms a b|) +
    gamma * ((0 < wS) * #|S_fresh ms s_when a b| + (0 < wP) * #|dP_fresh ms p_when a b|) <= tau * minn d dv ^ 2.
  apply: leq_trans le_T; apply: leq_add; rewrite leq_mul2l; apply/orP; right; first by move: le_hand le_begun eq_work; clear; lia.
  by apply: leq_add; rewrite leq_mul2l; apply/orP; right.
have le_rows (X : finType) n (A : {set X * 'I_n}) (B : {set X}) : minn d dv <= n -> B \subset whole A -> minn d dv * #|B| <= #|A|.
  by move=> le_n sub; apply: leq_trans (card_whole A); apply: leq_mul => //; apply: subset_leq_card.
have of_weight (w n : nat) : w * ((0 < w) * n) = w * n by case: w => [|w]; rewrite ?mul0n ?mul1n.
have root_of_weight (w n p q k p' : nat) : n ^ 2 <= (p + p') * q * k -> ((0 < w) * n) ^ 2 <= (p + (0 < w) * p') * q * k.
  by case: w => [|w]; rewrite ?mul1n.
have V1 := dV_by_chains legal_ms g_traced a b xpredT (leqnn 1); have V2 := dV_by_words legal_ms g_traced a b xpredT (leqnn 1).
have V_root := dV_root legal_ms g_traced a b xpredT (leqnn 1).
have K_root := dK_root legal_ms g_traced a b xpredT 1 1; have Q_root := dQ_root legal_ms g_traced a b xpredT 1 1.
have E_S := squares_S ms a b xpredT (leqnn 1); have E_P := squares_dP ms a b xpredT (leqnn 1).
have E_both := squares_both ms a b xpredT (leqnn 1).
have K1 := dK_by_chains legal_ms g_traced a b xpredT (leqnn 1); have Q1 := dQ_by_chains legal_ms g_traced a b xpredT (leqnn 1).
rewrite !amount_same ?exp1n ?mul1n in V1 V2 V_root E_S E_P E_both K1 Q1.
have done_V : dV_done g_when a b xpredT 1 1 = #|dV_events g_when a b| by rewrite -sum1_card.
have done_K : dK_done g_when a b xpredT 1 1 = #|dK_events g_when a b| by rewrite -sum1_card.
have done_Q : dQ_done g_when a b xpredT 1 1 = #|dQ_events g_when a b| by rewrite -sum1_card.
rewrite done_V in V1 V2 V_root; rewrite done_K in K1 K_root; rewrite done_Q in Q1 Q_root.
rewrite /work -(of_weight wS) -(of_weight wP).
apply: (b3_amounts K_gt0 _ bounded few _ _ V_root K_root Q_root E_S E_P E_both).
- by rewrite leq_min d_gt0.
- exact: root_of_weight (S_root legal_ms s_traced a b).
- exact: root_of_weight (dP_root legal_ms p_traced a b).
- by apply: le_rows; rewrite ?geq_minl.
- by apply: le_rows; rewrite ?geq_minl.
- by apply: le_rows; rewrite ?geq_minr.
- by apply: le_rows; rewrite ?geq_minr.
- by apply: le_rows; rewrite ?geq_minl ?subsetIl.
- by apply: le_rows; rewrite ?geq_minr ?subsetIr.
- by apply: le_rows; rewrite ?geq_minl ?subsetIl.
- by apply: le_rows; rewrite ?geq_minr ?subsetIr.
move=> /square eq_d; have min_d : minn d dv = d by apply/minn_idPl; rewrite eq_d.
have min_dv : minn d dv = dv by rewrite min_d.
by split; [rewrite min_dv|rewrite min_dv|rewrite min_d|rewrite min_d].
Qed.

End Segment.

End Pebbling.

Section Rows.

Variables (K tau gamma wS wP wV wK wQ W : nat) (plain : bool).
Hypotheses (d_gt0 : 0 < d) (dv_gt0 : 0 < dv) (K_gt0 : 0 < K) (gamma_le : gamma <= K) (square : plain = false -> d = dv).
Hypothesis bounded : b3_row K tau gamma wS wP wV wK wQ W plain.

(** The page's I/O > M + (n - 1)(X - 1) - a gamma z, times K; what stands here is greater by K + h. *)
Theorem B3 M h (ms : seq (move G)) : pebbling M ms -> 0 < h ->
  h * (W * minn d dv ^ 3) < #|pair| * ((wS + wK + wQ) * d + (wP + wV) * dv) ->
  K * (M + 1) + h * (tau * minn d dv ^ 2 + 1) <= K * io ms + gamma * charged wS wP * #|pair| + h * (K * (M + 1)).
Proof.
move=> legal_ms h_gt0 many; have [g_when [s_when [p_when [g_traced s_traced p_traced]]]] := backward_chains d_gt0 legal_ms.
have le_charge w : (0 < w) * gamma <= K by case: w => [|w]; rewrite ?mul0n ?mul1n.
have := count_backward legal_ms g_traced s_traced p_traced (le_charge wS) (le_charge wP) _ h_gt0 many (T := tau * minn d dv ^ 2).
have -> : (0 < wS) * gamma + (0 < wP) * gamma = gamma * charged wS wP by rewrite -mulnDl mulnC.
apply=> a b le_T; apply: (b3_segment legal_ms g_traced s_traced p_traced d_gt0 dv_gt0 K_gt0 square bounded).
by apply: leq_trans le_T; rewrite sum_move_weight; apply: eq_leq; clear; lia.
Qed.

(** Where every move weighs 1: I/O is at least M + 1 + (n - 1) X - a gamma z with the whole part X of tau D² - M. *)
Theorem B3_whole M h (ms : seq (move G)) : gamma = K \/ wS = 0 /\ wP = 0 -> pebbling M ms -> 0 < h ->
  h * (W * minn d dv ^ 3) < #|pair| * ((wS + wK + wQ) * d + (wP + wV) * dv) ->
  M + 1 + h * (tau * minn d dv ^ 2 %/ K + 1) <= io ms + charged wS wP * #|pair| + h * (M + 1).
Proof.
move=> whole legal_ms h_gt0 many; have [g_when [s_when [p_when [g_traced s_traced p_traced]]]] := backward_chains d_gt0 legal_ms.
have le_charge (w : nat) : (0 < w) <= 1 by case: w.
have := count_backward legal_ms g_traced s_traced p_traced (le_charge wS) (le_charge wP) _ h_gt0 many (T := tau * minn d dv ^ 2 %/ K).
rewrite !mul1n; apply=> a b le_T; apply: (b3_segment legal_ms g_traced s_traced p_traced d_gt0 dv_gt0 K_gt0 square bounded).
have charge (w n : nat) : w = wS \/ w = wP -> gamma * ((0 < w) * n) = K * ((0 < w) * n).
  by case: whole => [-> //|[-> ->]] [] ->; rewrite mul0n !muln0.
rewrite leq_divRL // in le_T; apply: leq_trans le_T; rewrite sum_move_weight [gamma * _]mulnDr !charge; [|by right|by left].
by apply: eq_leq; clear; lia.
Qed.

End Rows.

End B3.
