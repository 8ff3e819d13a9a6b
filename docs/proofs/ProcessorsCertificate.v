(** * Printed numbers on communication as theorems

    What a file written by [pebble parallel --coq] needs: the statements, and for each a test by computation with binary numbers. *)

From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Attention Processors ProcessorsTracing D1 Certificate.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** ** Statements

    Of the forward pass under every mask with so many allowed pairs, queries and keys. Several heads are one with more rows: its
    queries are those of all heads, its keys too, and a query is allowed the keys of its own head. Row sums may be outputs, each of the
    sums S, l and U may be taken in any order, inputs and outputs may be owned by any device, memories may have any size. *)

(** No matter how: [P] devices of which none makes more than [X/Y] different products of P and V send [words] words or more. *)
Definition devices_send (pairs queries keys d dv P X Y words : N) : Prop :=
  forall Nq Nk (allowed : 'I_Nq -> 'I_Nk -> bool),
  #|pair allowed| = N.to_nat pairs -> #|query allowed| = N.to_nat queries -> #|key allowed| = N.to_nat keys ->
  forall (stats free_S free_l free_U : bool) (owner : vertex (attention (N.to_nat d) (N.to_nat dv) stats allowed) -> 'I_(N.to_nat P))
    (H M : option nat) (ms : seq (move _ (N.to_nat P))),
  run (attention_free free_S free_l free_U) owner H M ms ->
  (forall q, N.to_nat Y * products_made ms q <= N.to_nat X) ->
  (words <= N.of_nat (words_sent ms))%num.

(** If each device owns at most [own] words of Q, K, V and O, one of them receives and sends [words] words or more. *)
Definition some_device_moves (pairs d dv P own words : N) : Prop :=
  forall Nq Nk (allowed : 'I_Nq -> 'I_Nk -> bool), #|pair allowed| = N.to_nat pairs ->
  forall (stats free_S free_l free_U : bool) (owner : vertex (attention (N.to_nat d) (N.to_nat dv) stats allowed) -> 'I_(N.to_nat P))
    (H M : option nat) (ms : seq (move _ (N.to_nat P))),
  run (attention_free free_S free_l free_U) owner H M ms ->
  (forall q, owned owner q <= N.to_nat own) ->
  exists q, (words <= N.of_nat (received_by q ms + sent_by q ms))%num.

(** ** Tests: [A/B] is at most G(X/Y), the least number of words for so many products. *)

Section Tests.
Local Open Scope N_scope.

Definition least_words_test (d X Y A B : N) :=
  (A ^ 3 * Y ^ 2 <=? 27 * X ^ 2 * B ^ 3) && (A ^ 2 * Y <=? 16 * d * X * B ^ 2).

Definition d1_total_test (pairs queries keys d dv X Y A B words : N) :=
  [&& 0 <? d, least_words_test d X Y A B &
      X * B * (words + (queries + keys) * (d + dv)) <? pairs * dv * (A * Y) + X * B].

Definition d1_busiest_test (pairs d dv P own A B words : N) :=
  [&& 0 <? d, 0 <? P, least_words_test d (pairs * dv) P A B & B * (words + own) <? A + B].

End Tests.

(** ** From tests to statements *)

Lemma least_words_testP d X Y A B : least_words_test d X Y A B ->
  N.to_nat A ^ 3 * N.to_nat Y ^ 2 <= 27 * N.to_nat X ^ 2 * N.to_nat B ^ 3 /\
  N.to_nat A ^ 2 * N.to_nat Y <= 16 * N.to_nat d * N.to_nat X * N.to_nat B ^ 2.
Proof. by case/andP=> /N.leb_le small /N.leb_le large; split; lia. Qed.

Theorem d1_total pairs queries keys d dv P X Y A B words :
  d1_total_test pairs queries keys d dv X Y A B words -> devices_send pairs queries keys d dv P X Y words.
Proof.
case/and3P=> /N.ltb_lt d_gt0 /least_words_testP[small large] /N.ltb_lt lt_words.
move=> Nq Nk allowed eq_pairs eq_queries eq_keys stats free_S free_l free_U owner H M ms run_ms most.
have d_gt0' : 0 < N.to_nat d by lia.
have := D1_made run_ms d_gt0' most small large; rewrite eq_pairs eq_queries eq_keys.
move: (words_sent ms) => W; have {}lt_words : N.to_nat X * N.to_nat B * (N.to_nat words + (N.to_nat queries + N.to_nat keys) * (N.to_nat d + N.to_nat dv)) <
  N.to_nat pairs * N.to_nat dv * (N.to_nat A * N.to_nat Y) + N.to_nat X * N.to_nat B by lia.
move: lt_words; move: (N.to_nat X * N.to_nat B) (N.to_nat pairs * _ * _) ((N.to_nat queries + _) * _) => XB w own lt_words le_W.
suff : N.to_nat words <= W by clear; lia.
have := leq_trans lt_words (leq_add le_W (leqnn XB)); rewrite -[XB in _ * _ + XB]muln1 -mulnDr ltn_mul2l => /andP[_].
clear; lia.
Qed.

Theorem d1_busiest pairs d dv P own A B words :
  d1_busiest_test pairs d dv P own A B words -> some_device_moves pairs d dv P own words.
Proof.
case/and4P=> /N.ltb_lt d_gt0 /N.ltb_lt P_gt0 /least_words_testP[small large] /N.ltb_lt lt_words.
move=> Nq Nk allowed eq_pairs stats free_S free_l free_U owner H M ms run_ms le_own.
have d_gt0' : 0 < N.to_nat d by lia.
have P_gt0' : 0 < N.to_nat P by lia.
have [q enough] := D1_busiest run_ms d_gt0' P_gt0'; exists q.
rewrite N2Nat.inj_mul -eq_pairs in small large.
have := enough _ _ small large; have := le_own q.
move: (owned owner q) (received_by q ms + sent_by q ms) => o W le_o le_W.
suff : N.to_nat words <= W by clear; lia.
have {}lt_words : N.to_nat B * (N.to_nat words + N.to_nat own) < N.to_nat A + N.to_nat B by lia.
have le_BW : N.to_nat B * (o + W) <= N.to_nat B * (N.to_nat own + W) by rewrite leq_mul2l leq_add2r le_o orbT.
move: (N.to_nat A) (N.to_nat B) lt_words le_W le_BW => a b lt_words le_W le_BW.
have := leq_trans lt_words (leq_add (leq_trans le_W le_BW) (leqnn b)).
rewrite -[b in _ * _ + b]muln1 -mulnDr ltn_mul2l => /andP[_]; clear; lia.
Qed.
