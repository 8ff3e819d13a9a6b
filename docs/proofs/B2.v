(** * B2: all five products

    docs/proofs/backward.md, B2. The events are the multiply-adds of S, dP, dV, dK and dQ. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Segments LoomisWhitney Numbers Tracing T2 Lines Attention Backward BackwardFacts B1.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** The most events of a segment with [T] words, [y] of which are entries of matrices, and [d] the smaller head dimension: the whole part
    of y √((T - y + y²/(4d²))/3). *)
Definition b2_square d T y := y ^ 2 * (4 * d ^ 2 * (T - y) + y ^ 2).
Definition b2_events d T := Nat.sqrt ((\max_(y < T.+1) b2_square d T y) %/ (12 * d ^ 2)).

(** [ns] events of S, and so on; [p], [r], [s] charges of S, dP, dS; [i] and [j] pairs of whole lines; words of Q, K, dO, V and of
    dV, dK, dQ. *)
Lemma b2_count d T p r s i j q k o v uv uk uq ns np nv nk nq : 0 < d ->
  ns ^ 2 <= p * q * k -> np ^ 2 <= r * o * v -> nv ^ 2 <= (p + i) * o * uv ->
  nk ^ 2 <= (r + s + j) * q * uk -> nq ^ 2 <= (r + s + j) * uq * k ->
  d ^ 2 * i <= q * k -> d ^ 2 * j <= o * v -> p + r + s + (q + k + o + v + uv + uk + uq) <= T ->
  ns + np + nv + nk + nq <= b2_events d T.
Proof.
move=> d_gt0 le_s le_p le_v le_k le_q le_i le_j le_T.
apply: sqr_le_sqrt; rewrite leq_divRL ?muln_gt0 ?expn_gt0 ?d_gt0 //.
set y := q + k + o + v + uv + uk + uq in le_T; have lt_y : y < T.+1 by rewrite ltnS; move: le_T; clear; lia.
apply: leq_trans (leq_bigmax (Ordinal lt_y)); rewrite /b2_square /=.
have {le_T} le_c : p + r + s <= T - y by move: le_T; clear; lia.
pose f := p + i; pose e := r + s + j; pose w := q + k + o + uv.
have eq_y : y = w + (v + uk + uq) by rewrite /y /w; clear; lia.
(* (2 ns + 2 nv)² <= f w² *)
have first : (2 * (ns + nv)) ^ 2 <= f * w ^ 2.
  have h1 : (2 * ns) ^ 2 <= f * (q + k) ^ 2.
    have h : p * (q * k) <= f * (q * k) by rewrite leq_mul2r leq_addr orbT.
    have := leq_mul (leqnn f) (nat_AGM2 q k); move: le_s h; rewrite expnMn; move: ((q + k) ^ 2); clear; lia.
  have h2 : (2 * nv) ^ 2 <= f * (o + uv) ^ 2.
    have := leq_mul (leqnn f) (nat_AGM2 o uv); move: le_v; rewrite -/f expnMn; move: ((o + uv) ^ 2); clear; lia.
  have := add_roots h1 h2; have -> : q + k + (o + uv) = w by rewrite /w; clear; lia.
  by rewrite mulnDr.
(* (np + nk + nq)² <= e (o + q + k) (v + uk + uq) *)
have second : (2 * (np + nk + nq)) ^ 2 <= e * (w * (4 * (y - w))).
  have h1 : np ^ 2 <= e * o * v.
    by apply: leq_trans le_p _; rewrite -!mulnA leq_mul2r /e -addnA leq_addr orbT.
  have h2 : nk ^ 2 <= e * q * uk by [].
  have h3 : nq ^ 2 <= e * k * uq by apply: leq_trans le_q _; rewrite -/e mulnAC.
  have := sqr_sum_le (sqr_sum_le h1 h2) h3; have -> : y - w = v + uk + uq by rewrite eq_y addKn.
  have : e * (o + q + k) <= e * w by rewrite leq_mul2l /w; apply/orP; right; clear; lia.
  rewrite expnMn; move: (v + uk + uq) (np + nk + nq) => z n le_w le_n.
  apply: (@leq_trans (4 * ((e * o + e * q + e * k) * z))); first by rewrite leq_mul2l.
  have := leq_mul le_w (leqnn (4 * z)); clear; lia.
have {first second} both : 3 * (ns + np + nv + nk + nq) ^ 2 <= (f + e) * y ^ 2.
  have h := sqr_sum_le first second; rewrite -(leq_pmul2l (m := 4)) //.
  apply: (@leq_trans (3 * ((f + e) * (w ^ 2 + w * (4 * (y - w)))))).
    by apply: leq_trans (leq_mul (leqnn 3) h); apply: eq_leq; clear; lia.
  have -> : y - w = v + uk + uq by rewrite eq_y addKn.
  have := leq_mul (leqnn (f + e)) (nat_AGM2 w (2 * (v + uk + uq))); rewrite eq_y; move: (v + uk + uq) (f + e) => z g.
  by rewrite -!mulnn; clear; lia.
have lines : 4 * d ^ 2 * (f + e) <= 4 * d ^ 2 * (T - y) + y ^ 2.
  have h1 := leq_mul (leqnn (4 * d ^ 2)) le_c; have h2 : 4 * (q * k) <= (q + k) ^ 2 := nat_AGM2 q k.
  have h3 : 4 * (o * v) <= (o + v) ^ 2 := nat_AGM2 o v.
  have h4 : (q + k) ^ 2 + (o + v) ^ 2 <= y ^ 2.
    apply: (@leq_trans ((q + k + (o + v)) ^ 2)); first by rewrite [X in _ <= X]sqrnD leq_addr.
    by rewrite leq_exp2r // /y; clear; lia.
  move: h1 h2 h3 h4 le_i le_j; rewrite /f /e; move: (y ^ 2) (T - y) ((q + k) ^ 2) ((o + v) ^ 2) (d ^ 2); clear; lia.
have := leq_mul (leqnn (4 * d ^ 2)) both; have := leq_mul lines (leqnn (y ^ 2)).
by move: ((ns + np + nv + nk + nq) ^ 2) (y ^ 2) (f + e) (d ^ 2) => n2 y2 g d2; clear; lia.
Qed.

Section B2.

Variables (Nq Nk d dv : nat) (allowed : 'I_Nq -> 'I_Nk -> bool).

Local Notation pair := (pair allowed).
Local Notation query := (query allowed).
Local Notation key := (key allowed).
Local Notation G := (backward d dv allowed).
Local Notation gradient := (gradient d dv allowed).

(** The traced chains: those of dV, dK and dQ as in B1, and S[i,j,.] and dP[i,j,.]. *)
Definition step := [finType of gradient + pair * 'I_d + pair * 'I_dv].
Definition vert (x : step) : vertex G :=
  match x with inl (inl y) => gradient_vert y | inl (inr y) => S y.1 y.2 | inr y => dP y.1 y.2 end.
Definition follows (x y : step) :=
  match x, y with
  | inl (inl x), inl (inl y) => gradient_follows x y
  | inl (inr x), inl (inr y) => sums x y
  | inr x, inr y => sums x y
  | _, _ => false
  end.
Definition left (x : step) :=
  match x with inl (inl y) => gradient_left y | inl (inr y) => sums_left y | inr y => sums_left y end.
Definition chain (x : step) :=
  match x with inl (inl y) => inl (inl (gradient_chain y)) | inl (inr y) => inl (inr y.1) | inr y => inr y.1 end.

Fact vert_inj : injective vert.
Proof.
move=> [[x|[p k]]|[p e]] [[y|[q k']]|[q e']] //=.
- by move/gradient_vert_inj ->.
- by case: x => [[x|x]|x].
- by case: x => [[x|x]|x].
- by case: y => [[y|y]|y].
- by move=> [-> ->].
- by case: y => [[y|y]|y].
by move=> [-> ->].
Qed.

Fact no_input x : ~~ input (vert x).
Proof.
case: x => [[x|x]|x]; first exact: gradient_no_input.
  by apply/forallPn; exists (Q (row x.1) x.2); rewrite negbK /= !eqxx.
by apply/forallPn; exists (dO (row x.1) x.2); rewrite negbK /= !eqxx.
Qed.

Fact follows_left x y : follows x y -> left y < left x.
Proof. by case: x y => [[x|x]|x] [[y|y]|y] //=; [apply: gradient_less|apply: sums_less|apply: sums_less]. Qed.

Fact follows_edge x y : follows x y -> edge (vert x) (vert y).
Proof. by case: x y => [[x|x]|x] [[y|y]|y] //; apply: gradient_edge. Qed.

Fact follows_fun x y z : follows x y -> follows x z -> y = z.
Proof.
case: x y z => [[x|x]|x] [[y|y]|y] [[z|z]|z] //= fy fz.
- by rewrite (gradient_fun fy fz).
- by rewrite (sums_fun fy fz).
by rewrite (sums_fun fy fz).
Qed.

Fact follows_chain x y : follows x y -> chain x = chain y.
Proof.
by case: x y => [[x|x]|x] [[y|y]|y] //=; [move/gradient_same ->|move/sums_same ->|move/sums_same ->].
Qed.

(** Here [d] must not be 0: no output needs a score otherwise. *)
Fact last_step M (ms : seq (move G)) x : 0 < d -> pebbling M ms -> (forall y, ~~ follows x y) ->
  exists t, computed ms t = Some (vert x).
Proof.
move=> d_gt0 legal_ms; pose k0 := Ordinal d_gt0.
have [when traced_when] := trace legal_ms (@gradient_no_input _ _ d dv allowed) (@gradient_less _ _ d dv allowed)
  (@gradient_edge _ _ d dv allowed) (@gradient_fun _ _ d dv allowed) (fun x => gradient_last legal_ms (x := x)).
have dS_computed p : exists t, computed ms t = Some (dS p : vertex G).
  have red_dS : (dS p : vertex G) \in red_at ms (when (inr (p, k0))).
    by apply: (computed_red legal_ms (traced_when (inr (p, k0))).1); rewrite /= eqxx.
  have no_in : ~~ input (dS p : vertex G) by apply/forallPn; exists (P p); rewrite negbK /= eqxx.
  by have [t _ comp_t] := red_computed legal_ms no_in red_dS; exists t.
have before v u t : ~~ input v -> edge v u -> computed ms t = Some u -> exists s, computed ms s = Some (v : vertex G).
  move=> no_in edge_vu comp_t.
  by have [s _ comp_s] := red_computed legal_ms no_in (computed_red legal_ms comp_t edge_vu); exists s.
case: x => [[x|[p k]]|[p e]] none.
- by apply: (gradient_last legal_ms) => y; apply: (none (inl (inl y))).
- have last_k : k.+1 = d by apply: (sums_last (x := (p, k))) => y; apply: (none (inl (inr y))).
  have [t comp_t] := dS_computed p.
  have edge_P : edge (P p : vertex G) (dS p) by rewrite /= eqxx.
  have edge_S : edge (S p k : vertex G) (P p) by rewrite /= last_k !eqxx.
  have no_in : ~~ input (P p : vertex G) by apply/forallPn; exists (S p k); rewrite negbK.
  have [s comp_s] := before _ _ _ no_in edge_P comp_t.
  exact: before _ _ _ (no_input (inl (inr (p, k)))) edge_S comp_s.
have last_e : e.+1 = dv by apply: (sums_last (x := (p, e))) => y; apply: (none (inr y)).
have [t comp_t] := dS_computed p.
have edge_dP : edge (dP p e : vertex G) (dS p) by rewrite /= last_e !eqxx.
exact: before _ _ _ (no_input (inr (p, e))) edge_dP comp_t.
Qed.

Fact card_first : #|[set x | first follows x]| <= #|key| * dv + #|key| * d + #|query| * d + 2 * #|pair|.
Proof.
rewrite 2!card_sum_pred mul2n -addnn addnA; apply: leq_add; first apply: leq_add.
- apply: leq_trans (@card_first_gradient _ _ d dv allowed); apply/subset_leq_card/subsetP => x; rewrite !inE => /forallP none.
  by apply/forallP => y; apply: (none (inl (inl y))).
- apply: leq_trans (@card_sums pair d); apply/subset_leq_card/subsetP => x; rewrite !inE => /forallP none.
  by apply/forallP => y; apply: (none (inl (inr y))).
apply: leq_trans (@card_sums pair dv); apply/subset_leq_card/subsetP => x; rewrite !inE => /forallP none.
by apply/forallP => y; apply: (none (inr y)).
Qed.

Section Segment.

Variables (M : nat) (ms : seq (move G)) (when : step -> nat) (a b : nat).
Hypothesis legal_ms : pebbling M ms.
Hypothesis traced_when : traced ms vert follows when.
Let W := segment_words ms vert follows when a b.
Local Notation words f := (of_kind (f Nq Nk d dv allowed) W).

Let places (A : {set pair}) := [set (row p, column p) | p in A].
Let word_of x : a <= when x < b -> exists2 y, chain y = chain x & vert y \in W :=
  chain_words legal_ms follows_edge traced_when follows_chain (x := x).

Lemma s_events : #|[set x : pair * 'I_d | a <= when (inl (inr x)) < b]| ^ 2 <= #|words as_S| * #|words as_Q| * #|words as_K|.
Proof.
apply: (@leq_trans (#|places (words as_S)| * #|words as_Q| * #|words as_K|)).
  apply: pair_events => x; rewrite in_set => in_ab; split.
  - apply/imsetP; exists x.1 => //; have [[[y|y]|y] //= [chain_y] in_W] := word_of in_ab.
    by rewrite -chain_y; apply: in_kind in_W _.
  - apply: (@in_kind _ _ _ _ _ _ _ _ (Q (row x.1) x.2)) => //.
    apply: (operand_words legal_ms traced_when) in_ab; last by rewrite /= !eqxx.
    by apply/forallP => -[].
  apply: (@in_kind _ _ _ _ _ _ _ _ (K (column x.1) x.2)) => //.
  apply: (operand_words legal_ms traced_when) in_ab; last by rewrite /= !eqxx.
  by apply/forallP => -[].
by rewrite -!mulnA leq_mul2r leq_imset_card orbT.
Qed.

Lemma dP_events : #|[set x : pair * 'I_dv | a <= when (inr x) < b]| ^ 2 <= #|words as_dP| * #|words as_dO| * #|words as_V|.
Proof.
apply: (@leq_trans (#|places (words as_dP)| * #|words as_dO| * #|words as_V|)).
  apply: pair_events => x; rewrite in_set => in_ab; split.
  - apply/imsetP; exists x.1 => //; have [[[y|y]|y] //= [chain_y] in_W] := word_of in_ab.
    by rewrite -chain_y; apply: in_kind in_W _.
  - apply: (@in_kind _ _ _ _ _ _ _ _ (dO (row x.1) x.2)) => //.
    apply: (operand_words legal_ms traced_when) in_ab; last by rewrite /= !eqxx.
    by apply/forallP => -[].
  apply: (@in_kind _ _ _ _ _ _ _ _ (V (column x.1) x.2)) => //.
  apply: (operand_words legal_ms traced_when) in_ab; last by rewrite /= !eqxx.
  by apply/forallP => -[].
by rewrite -!mulnA leq_mul2r leq_imset_card orbT.
Qed.

(** Pairs of whole lines, of Q and K and of dO and V. *)
Let lines_S := setX (whole (words as_Q)) (whole (words as_K)).
Let lines_dP := setX (whole (words as_dO)) (whole (words as_V)).

Let when' x := when (inl (inl x)).
Let in_segment : closed (@summed _ _ d dv allowed) W (is_red ms a b) (is_made ms a b).
Proof. by apply: (segment_closed legal_ms) => v; apply: at_hand_words. Qed.
Let made' x : a <= when' x < b -> is_made ms a b (gradient_vert x).
Proof. by move=> in_ab; exists (when' x) => //; exact: (traced_when (inl (inl x))).1. Qed.
Let chain' x : a <= when' x < b -> exists2 y, gradient_chain y = gradient_chain x & gradient_vert y \in W.
Proof. by move=> in_ab; have [[[y|y]|y] // [chain_y] in_W] := word_of in_ab; exists y. Qed.

Let place_S p : served_S W p -> (row p, column p) \in places (words as_S) :|: lines_S.
Proof.
rewrite in_setU; case/orP=> [in_S|in_lines]; apply/orP; [left|by right; rewrite in_setX].
by apply/imsetP; exists p.
Qed.

Let place_dS p : served_dS W p -> (row p, column p) \in places (words as_dP) :|: places (words as_dS) :|: lines_dP.
Proof.
rewrite !in_setU => /orP[in_dS|/andP[_ /orP[in_dP|in_lines]]].
- by rewrite (_ : (row p, column p) \in places (words as_dS)) ?orbT //; apply/imsetP; exists p.
- by rewrite (_ : (row p, column p) \in places (words as_dP)) //; apply/imsetP; exists p.
by rewrite [_ \in lines_dP]in_setX in_lines orbT.
Qed.

Let card_S : #|places (words as_S) :|: lines_S| <= #|words as_S| + #|lines_S|.
Proof. by apply: leq_trans (leq_card_setU _ _) _; rewrite leq_add2r leq_imset_card. Qed.

Let card_dS : #|places (words as_dP) :|: places (words as_dS) :|: lines_dP| <= #|words as_dP| + #|words as_dS| + #|lines_dP|.
Proof.
apply: leq_trans (leq_card_setU _ _) _; rewrite leq_add2r; apply: leq_trans (leq_card_setU _ _) _.
by apply: leq_add; apply: leq_imset_card.
Qed.

Lemma segment_events T : 0 < d -> 0 < dv -> #|W| <= T -> #|[set x | a <= when x < b]| <= b2_events (minn d dv) T.
Proof.
move=> d_gt0 dv_gt0 le_T.
have le_V : #|dV_events when' a b| ^ 2 <= (#|words as_S| + #|lines_S|) * #|words as_dO| * #|words as_dV|.
  apply: leq_trans (pair_events _) (leq_mul (leq_mul card_S (leqnn _)) (leqnn _)) => x.
  by case/(dV_event in_segment made' chain') => /place_S.
have le_K : #|dK_events when' a b| ^ 2 <= (#|words as_dP| + #|words as_dS| + #|lines_dP|) * #|words as_Q| * #|words as_dK|.
  apply: leq_trans (pair_events _) (leq_mul (leq_mul card_dS (leqnn _)) (leqnn _)) => x.
  by case/(dK_event in_segment made' chain') => /place_dS.
have le_Q : #|dQ_events when' a b| ^ 2 <= (#|words as_dP| + #|words as_dS| + #|lines_dP|) * #|words as_dQ| * #|words as_K|.
  apply: leq_trans (pair_events _) (leq_mul (leq_mul card_dS (leqnn _)) (leqnn _)) => x.
  by case/(dQ_event in_segment made' chain') => /place_dS.
have le_i : minn d dv ^ 2 * #|lines_S| <= #|words as_Q| * #|words as_K|.
  by rewrite cardsX -mulnn mulnACA; apply: leq_mul; apply: leq_trans (card_whole _); rewrite leq_mul2r geq_minl orbT.
have le_j : minn d dv ^ 2 * #|lines_dP| <= #|words as_dO| * #|words as_V|.
  by rewrite cardsX -mulnn mulnACA; apply: leq_mul; apply: leq_trans (card_whole _); rewrite leq_mul2r geq_minr orbT.
have min_gt0 : 0 < minn d dv by rewrite leq_min d_gt0.
apply: leq_trans (b2_count min_gt0 s_events dP_events le_V le_K le_Q le_i le_j _).
  have -> : #|[set x | a <= when x < b]| = #|dV_events when' a b| + #|dK_events when' a b| + #|dQ_events when' a b| +
    #|[set x : pair * 'I_d | a <= when (inl (inr x)) < b]| + #|[set x : pair * 'I_dv | a <= when (inr x) < b]|.
    by rewrite !card_sum_pred.
  by clear; lia.
by apply: leq_trans le_T; apply: leq_trans (card_kinds W); clear; lia.
Qed.

End Segment.

Theorem B2 M h T (ms : seq (move G)) :
  pebbling M ms -> 0 < d -> 0 < dv -> 0 < h -> h * b2_events (minn d dv) T < #|pair| * (3 * d + 2 * dv) ->
  M + 1 + h * T <= io ms + h * M + 2 * #|pair|.
Proof.
move=> legal_ms d_gt0 dv_gt0 h_gt0 many.
have [when traced_when] := trace legal_ms no_input follows_left follows_edge follows_fun
  (fun x => last_step d_gt0 legal_ms (x := x)).
have seg a b : #|segment_words ms vert follows when a b| <= T -> \sum_(x | a <= when x < b) 1 <= b2_events (minn d dv) T.
  by move=> le_T; rewrite sum1dep_card; apply: (segment_events legal_ms traced_when).
have := cut_events legal_ms traced_when vert_inj seg h_gt0.
have -> : \sum_(x : step) 1 = #|pair| * (3 * d + 2 * dv).
  have sum_pairs n : \sum_(x : pair * 'I_n) 1 = #|pair| * n by rewrite sum1_card card_prod card_ord.
  by rewrite !big_sumType /= !sum_pairs; move: #|pair|; clear; lia.
move=> /(_ many); have := backward_stores legal_ms; have := card_first.
by rewrite io_loads_stores; clear; lia.
Qed.

End B2.
