(** * T3

    docs/proofs/t3.md: for every row of parameters, whole numbers of [K]-ths, whose W bounds f. *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Attention AttentionFacts T1 CausalChains ForwardSegments ForwardCount T3Function.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** W bounds f. *)
Definition t3_row (K mu tau gamma delta beta W : nat) :=
  t3_bounded (Z.of_nat K) (Z.of_nat mu) (Z.of_nat tau) (Z.of_nat gamma) (Z.of_nat delta) (Z.of_nat beta) (Z.of_nat W).

(** (2), from the weight of a segment. *)
Lemma forward_weight K mu tau gamma M d dv cs cn c q k v u r moved weight u0 : K * M <= mu * d ^ 2 ->
  u0 <= u -> u0 + cn <= r -> cs + cn + q + k + v + 2 * u <= u0 + r + moved -> K * dv * moved + gamma * c <= weight ->
  K * dv * r + weight <= tau * d ^ 2 * dv -> r <= M ->
  [/\ K * dv * (cs + cn + q + k + v + u) + gamma * c <= tau * d ^ 2 * dv,
      K * dv * (cs + cn + q + k + v + u + u + cn) + gamma * c <= tau * d ^ 2 * dv + mu * d ^ 2 * dv & K * cn <= mu * d ^ 2].
Proof.
move=> le_M le_u0 le_M0 le_w le_f le_T le_red; split.
- by have := leq_mul (leqnn (K * dv)) le_w; have := leq_mul (leqnn (K * dv)) le_u0; move: le_f le_T; clear; lia.
- have := leq_mul (leqnn (K * dv)) le_w; have := leq_mul (leqnn (K * dv)) le_M0; have := leq_mul (leqnn dv) le_M.
  by have := leq_mul (leqnn (K * dv)) le_red; move: le_f le_T; clear; lia.
by apply: leq_trans le_M; rewrite leq_mul2l; apply/orP; right; move: le_M0 le_red; clear; lia.
Qed.

(** A segment does at most W d³ dv, in units of 1/(K dv). *)
Lemma t3_segment K mu tau gamma delta beta W M d dv cs cn c q k v u R S s w r moved weight u0 : 0 < K -> 0 < d -> 0 < dv ->
  t3_row K mu tau gamma delta beta W -> K * M <= mu * d ^ 2 ->
  u0 <= u -> u0 + cn <= r -> cs + cn + q + k + v + 2 * u <= u0 + r + moved -> K * dv * moved + gamma * c <= weight ->
  K * dv * r + weight <= tau * d ^ 2 * dv -> s ^ 2 <= (dv * (cs + cn) + c) * q * (k * dv) ->
  w ^ 2 <= (K ^ 2 * cs + (K + delta) ^ 2 * cn + (K + delta) ^ 2 * (R * S)) * u * v -> d * R <= q -> d * S <= k -> r <= M ->
  beta * s + dv * w <= W * d ^ 3 * dv.
Proof.
move=> K_gt0 d_gt0 dv_gt0 bounded le_M le_u0 le_M0 le_w le_f le_T le_s le_u le_q le_k le_red.
have [few twice kept] := forward_weight le_M le_u0 le_M0 le_w le_f le_T le_red.
have := @t3_whole (Z.of_nat K) (Z.of_nat mu) (Z.of_nat tau) (Z.of_nat gamma) (Z.of_nat delta) (Z.of_nat beta) (Z.of_nat W) (Z.of_nat d)
  (Z.of_nat dv) (Z.of_nat cs) (Z.of_nat cn) (Z.of_nat c) (Z.of_nat q) (Z.of_nat k) (Z.of_nat v) (Z.of_nat u) (Z.of_nat s) (Z.of_nat w)
  (Z.of_nat R) (Z.of_nat S).
have end_nat : (Z.of_nat beta * Z.of_nat s + Z.of_nat dv * Z.of_nat w <= Z.of_nat W * (Z.of_nat d * Z.of_nat d * Z.of_nat d) * Z.of_nat dv)%Z ->
  beta * s + dv * w <= W * d ^ 3 * dv by clear; lia.
move=> whole; apply: end_nat; apply: whole; try (clear; lia); try assumption.
- by move: K_gt0; clear; lia.
- by move: d_gt0; clear; lia.
- by move: dv_gt0; clear; lia.
- by move: few; clear; lia.
- by move: twice; clear; lia.
- by move: kept; clear; lia.
- by move: le_s; clear; lia.
- by move: le_u; clear; lia.
- by move: le_q; clear; lia.
- by move: le_k; clear; lia.
Qed.

Section T3.

Variables (Nq Nk d dv : nat) (stats : bool) (allowed : 'I_Nq -> 'I_Nk -> bool).

Notation pair := (pair allowed).
Notation query := (query allowed).
Notation G := (attention d dv stats allowed).

Theorem T3 K mu tau gamma delta beta W M (ms : seq (move G)) :
  pebbling M ms -> 0 < d -> 0 < dv -> 0 < K -> gamma <= 2 * K -> t3_row K mu tau gamma delta beta W -> K * M <= mu * d ^ 2 ->
  row_bound K tau gamma delta beta W M d dv stats #|pair| #|query| (io ms).
Proof.
move=> legal_ms d_gt0 dv_gt0 K_gt0 gamma_le bounded le_M.
have [u_when [s_when [u_traced s_traced causal_when]]] := forward_chains d_gt0 legal_ms.
apply: (row_counts legal_ms u_traced s_traced dv_gt0 gamma_le) => a b le_T.
have [u0 [le_u0 le_M0 le_w]] := segment_amounts d_gt0 legal_ms u_traced a b.
have le_f := fresh_weight d_gt0 ms u_when s_when K gamma a b.
have le_s := s_count d_gt0 legal_ms s_traced a b.
have le_u := u_count legal_ms u_traced s_traced causal_when a b K delta.
have le_q := card_whole_queries (hand ms a b); have le_k := card_whole_keys (hand ms a b).
have le_red := card_red legal_ms a; rewrite card_charged in le_s; rewrite /squares in le_u.
exact: (t3_segment K_gt0 d_gt0 dv_gt0 bounded le_M le_u0 le_M0 le_w le_f le_T le_s le_u le_q le_k le_red).
Qed.

End T3.
