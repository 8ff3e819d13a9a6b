(** * T4

    docs/proofs/t4.md: T3 with another function that W bounds, for dv at most d. *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times LoomisWhitney Attention AttentionFacts T1 CausalChains ForwardSegments ForwardCount T3 T4Function.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** W bounds f. *)
Definition t4_row (K mu tau gamma delta beta W : nat) :=
  t4_bounded (Z.of_nat K) (Z.of_nat mu) (Z.of_nat tau) (Z.of_nat gamma) (Z.of_nat delta) (Z.of_nat beta) (Z.of_nat W).

(** What one index of the sum contributes: [e] events, [C] on all pairs, [m] words, [H] of them in whole rows. *)
Lemma index_work dv e C m H : H <= m -> e <= C -> 4 * e <= dv * m ^ 2 -> (4 * e - dv * H * m) ^ 2 <= 4 * C * dv * (m - H) ^ 2.
Proof.
move=> le_H le_C le_m; case: (leqP (4 * e) (dv * H * m)) => [|lt_e]; first by rewrite -subn_eq0 => /eqP ->.
have [r eq_m] : exists r, m = H + r by exists (m - H); rewrite subnKC.
have [t eq_e] : exists t, 4 * e = dv * H * m + t by exists (4 * e - dv * H * m); rewrite subnKC // ltnW.
rewrite eq_e addKn {1}eq_m addKn.
have le_t : t <= dv * m * r by move: le_m; rewrite eq_e eq_m; clear; lia.
have le_C4 : dv * H * m + t <= 4 * C by rewrite -eq_e leq_mul2l le_C orbT.
have h1 : (dv * H * m + t) * (dv * r ^ 2) <= 4 * C * (dv * r ^ 2) by rewrite leq_mul2r le_C4 orbT.
apply: (@leq_trans ((dv * H * m + t) * (dv * r ^ 2))); last by apply: leq_trans h1 _; rewrite !mulnA.
have [p eq_p] : exists p, dv * m * r = t + p by exists (dv * m * r - t); rewrite subnKC.
have h2 : t * (dv * m * r) = t * (t + p) by rewrite eq_p.
have h3 : dv * m * r * (dv * H * r) = (t + p) * (dv * H * r) by rewrite eq_p.
by move: h2 h3; rewrite eq_m; clear; lia.
Qed.

(** A segment does at most W d³ dv, in units of 1/(K dv); [t] is a bound on what exceeds that on whole rows. *)
Lemma t4_segment K mu tau gamma delta beta W M d dv cs cn c q k v u R S s t w n r moved weight u0 : 0 < K -> 0 < d -> 0 < dv -> dv <= d ->
  t4_row K mu tau gamma delta beta W -> K * M <= mu * d ^ 2 ->
  u0 <= u -> u0 + cn <= r -> cs + cn + q + k + v + 2 * u <= u0 + r + moved -> K * dv * moved + gamma * c <= weight ->
  K * dv * r + weight <= tau * d ^ 2 * dv -> s <= d * (dv * (cs + cn) + c) ->
  t ^ 2 <= 4 * (dv * (cs + cn) + c) * dv * (q + k - d * (R + S)) ^ 2 -> 4 * s <= t + dv * (R + S) * (q + k) ->
  w ^ 2 <= (K ^ 2 * cs + (K + delta) ^ 2 * cn + (K + delta) ^ 2 * (R * S)) * u * v ->
  n ^ 2 <= (K ^ 2 * cs + (K + delta) ^ 2 * cn) * u * v -> w <= n + (K + delta) * c -> d * R <= q -> d * S <= k -> r <= M ->
  beta * s + dv * w <= W * d ^ 3 * dv.
Proof.
move=> K_gt0 d_gt0 dv_gt0 le_dv bounded le_M le_u0 le_M0 le_w le_f le_T le_s le_t le_st le_u le_n le_apart le_q le_k le_red.
have [few twice kept] := forward_weight le_M le_u0 le_M0 le_w le_f le_T le_red.
have := @t4_whole (Z.of_nat K) (Z.of_nat mu) (Z.of_nat tau) (Z.of_nat gamma) (Z.of_nat delta) (Z.of_nat beta) (Z.of_nat W) (Z.of_nat d)
  (Z.of_nat dv) (Z.of_nat cs) (Z.of_nat cn) (Z.of_nat c) (Z.of_nat q) (Z.of_nat k) (Z.of_nat v) (Z.of_nat u) (Z.of_nat s) (Z.of_nat t)
  (Z.of_nat w) (Z.of_nat n) (Z.of_nat R) (Z.of_nat S).
have end_nat : (Z.of_nat beta * Z.of_nat s + Z.of_nat dv * Z.of_nat w <= Z.of_nat W * (Z.of_nat d * Z.of_nat d * Z.of_nat d) * Z.of_nat dv)%Z ->
  beta * s + dv * w <= W * d ^ 3 * dv by clear; lia.
move=> whole; apply: end_nat; apply: whole; try (clear; lia); try assumption.
- by move: K_gt0; clear; lia.
- by move: d_gt0; clear; lia.
- by move: dv_gt0; clear; lia.
- by move: le_dv; clear; lia.
- by move: few; clear; lia.
- by move: twice; clear; lia.
- by move: kept; clear; lia.
- by move: le_s; clear; lia.
- have le_rows : d * (R + S) <= q + k by move: le_q le_k; clear; lia.
  have [z eq_z] : exists z, q + k = d * (R + S) + z by exists (q + k - d * (R + S)); rewrite subnKC.
  move: le_t; rewrite eq_z addKn => le_t.
  have -> : (Z.of_nat q + Z.of_nat k + - (Z.of_nat d * (Z.of_nat R + Z.of_nat S)) = Z.of_nat z)%Z by move: eq_z; clear; lia.
  by move: le_t; clear; lia.
- by move: le_st; clear; lia.
- by move: le_u; clear; lia.
- by move: le_n; clear; lia.
- by move: le_apart; clear; lia.
- by move: le_q; clear; lia.
- by move: le_k; clear; lia.
Qed.

Section T4.

Variables (Nq Nk d dv : nat) (stats : bool) (allowed : 'I_Nq -> 'I_Nk -> bool).

Notation pair := (pair allowed).
Notation query := (query allowed).
Notation G := (attention d dv stats allowed).

Theorem T4 K mu tau gamma delta beta W M (ms : seq (move G)) :
  pebbling M ms -> 0 < d -> 0 < dv -> dv <= d -> 0 < K -> gamma <= 2 * K -> t4_row K mu tau gamma delta beta W -> K * M <= mu * d ^ 2 ->
  row_bound K tau gamma delta beta W M d dv stats #|pair| #|query| (io ms).
Proof.
move=> legal_ms d_gt0 dv_gt0 le_dv K_gt0 gamma_le bounded le_M.
have [u_when [s_when [u_traced s_traced causal_when]]] := forward_chains d_gt0 legal_ms.
apply: (row_counts legal_ms u_traced s_traced dv_gt0 gamma_le) => a b le_T.
have [u0 [le_u0 le_M0 le_w]] := segment_amounts d_gt0 legal_ms u_traced a b.
have le_f := fresh_weight d_gt0 ms u_when s_when K gamma a b.
pose C := dv * #|charged (hand ms a b)| + #|fresh d_gt0 ms s_when a b|.
pose H := #|whole_queries (hand ms a b)| + #|whole_keys (hand ms a b)|.
pose m k := #|rows_at ms a b k| + #|columns_at ms a b k|.
pose e k := s_events_at s_when a b k.
have le_H k : H <= m k by rewrite /H /m leq_add // ?whole_rows_at ?whole_columns_at.
have sum_m : \sum_k m k = #|query_words (hand ms a b)| + #|key_words (hand ms a b)|.
  by rewrite /m big_split /= rows_sum columns_sum.
have sum_e : s_events s_when a b = \sum_k e k by exact: s_events_sum.
have le_C k : e k <= C by exact: (s_events_known d_gt0 legal_ms s_traced).
have le_m k : 4 * e k <= dv * m k ^ 2.
  apply: leq_trans (leq_mul (leqnn 4) (s_events_square legal_ms s_traced a b k)) _.
  by rewrite mulnCA leq_mul2l nat_AGM2 orbT.
have le_s : s_events s_when a b <= d * C.
  rewrite sum_e; apply: (@leq_trans (\sum_(k < d) C)); first by apply: leq_sum => k _; apply: le_C.
  by rewrite sum_nat_const card_ord.
pose t := \sum_k (4 * e k - dv * H * m k).
have sum_H : \sum_k (m k - H) = #|query_words (hand ms a b)| + #|key_words (hand ms a b)| - d * H.
  have : \sum_k (m k - H) + \sum_(k < d) H = \sum_k m k by rewrite -big_split; apply: eq_bigr => k _; exact: subnK (le_H k).
  by rewrite sum_nat_const card_ord sum_m => <-; rewrite addnK.
have le_t : t ^ 2 <= 4 * C * dv * (#|query_words (hand ms a b)| + #|key_words (hand ms a b)| - d * H) ^ 2.
  by rewrite -sum_H -mulnn; apply: sum_sqr => k; rewrite mulnn; apply: index_work.
have le_st : 4 * s_events s_when a b <= t + dv * H * (#|query_words (hand ms a b)| + #|key_words (hand ms a b)|).
  rewrite -sum_m sum_e /t !big_distrr /= -big_split /=; apply: leq_sum => k _.
  by move: (4 * e k) (dv * H * m k) => x y; clear; lia.
have le_u := u_count legal_ms u_traced s_traced causal_when a b K delta.
have le_q := card_whole_queries (hand ms a b); have le_k := card_whole_keys (hand ms a b).
have le_red := card_red legal_ms a; rewrite /C card_charged in le_s le_t; rewrite /squares in le_u.
have [n le_n le_apart] := u_count_apart d_gt0 legal_ms u_traced causal_when a b K delta; rewrite /squares in le_n.
exact: (t4_segment K_gt0 d_gt0 dv_gt0 le_dv bounded le_M le_u0 le_M0 le_w le_f le_T le_s le_t le_st le_u le_n le_apart le_q le_k le_red).
Qed.

End T4.
