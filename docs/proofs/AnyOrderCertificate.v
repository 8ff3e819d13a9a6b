(** * Printed numbers as theorems: sums in any order

    T1 and B1 where the sums over queries and keys are added in any order, and in slow memory: the tests of Certificate.v and
    BackwardCertificate.v. *)

From Coq Require Import NArith Lia.
From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Attention Backward AnyOrder T1 B1 Certificate BackwardCertificate.
From Pebble Require AttentionCompulsory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** ** Statements *)

(** A pass of attention under every mask with so many allowed pairs, of so many queries and so many keys, costs [words] or more with [M]
    words of fast memory: in the forward pass U is summed up in any order and l in any order or by key, in the backward pass dQ, dK and dV. *)
Definition masked_any_order_forward_costs (pairs queries keys d dv : N) (stats : bool) (M words : N) : Prop :=
  forall Nq Nk (allowed : 'I_Nq -> 'I_Nk -> bool),
  #|pair allowed| = N.to_nat pairs -> #|query allowed| = N.to_nat queries -> #|key allowed| = N.to_nat keys ->
  forall free_l (ms : seq (move (attention (N.to_nat d) (N.to_nat dv) stats allowed))),
  pebbling (attention_free false free_l true) (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

Definition masked_any_order_backward_costs (pairs queries keys d dv M words : N) : Prop :=
  forall Nq Nk (allowed : 'I_Nq -> 'I_Nk -> bool),
  #|pair allowed| = N.to_nat pairs -> #|query allowed| = N.to_nat queries -> #|key allowed| = N.to_nat keys ->
  forall ms : seq (move (backward (N.to_nat d) (N.to_nat dv) allowed)),
  pebbling (@backward_free _ _ _ _ allowed) (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

(** The same without a mask. *)
Definition any_order_forward_costs (Nq Nk d dv : N) (stats : bool) (M words : N) : Prop :=
  forall free_l (ms : seq (move (attention (N.to_nat d) (N.to_nat dv) stats (@all_pairs (N.to_nat Nq) (N.to_nat Nk))))),
  pebbling (attention_free false free_l true) (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

Definition any_order_backward_costs (Nq Nk d dv M words : N) : Prop :=
  forall ms : seq (move (backward (N.to_nat d) (N.to_nat dv) (@all_pairs (N.to_nat Nq) (N.to_nat Nk)))),
  pebbling (@backward_free _ _ _ _ (@all_pairs (N.to_nat Nq) (N.to_nat Nk))) (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

(** ** From tests to statements *)

Theorem t1_masked_any_order_forward pairs queries keys d dv stats M h T words :
  t1_test pairs queries d dv stats M h T words -> masked_any_order_forward_costs pairs queries keys d dv stats M words.
Proof.
case/t1_testP=> d_gt0 h_gt0 many le_words Nq Nk allowed eq_pairs eq_queries _ free_l ms legal_ms; apply: le_io.
have := T1_any_order legal_ms d_gt0 h_gt0; rewrite eq_pairs eq_queries => /(_ _ many).
by move: le_words; clear; lia.
Qed.

Theorem b1_masked_any_order_backward pairs queries keys d dv M h T p q words :
  b1_test pairs d dv M h T p q words -> masked_any_order_backward_costs pairs queries keys d dv M words.
Proof.
case/b1_testP=> h_gt0 many le_words Nq Nk allowed eq_pairs _ _ ms legal_ms; apply: le_io.
have := B1_any_order legal_ms h_gt0; rewrite eq_pairs => /(_ _ many).
by move: le_words; clear; lia.
Qed.

Lemma all_pairs_counted (Nq Nk : N) : (0 <? Nq)%num -> (0 <? Nk)%num ->
  [/\ #|pair (@all_pairs (N.to_nat Nq) (N.to_nat Nk))| = N.to_nat (Nq * Nk), #|query (@all_pairs (N.to_nat Nq) (N.to_nat Nk))| = N.to_nat Nq &
      #|key (@all_pairs (N.to_nat Nq) (N.to_nat Nk))| = N.to_nat Nk].
Proof.
move=> /N.ltb_lt Nq_gt0 /N.ltb_lt Nk_gt0; split.
- by rewrite AttentionCompulsory.card_all_pairs N2Nat.inj_mul.
- by apply: AttentionCompulsory.card_all_queries; lia.
by apply: AttentionCompulsory.card_all_keys; lia.
Qed.

Theorem t1_any_order_forward (Nq Nk d dv : N) stats M h T words : (0 <? Nq)%num && (0 <? Nk)%num &&
  t1_test (Nq * Nk) Nq d dv stats M h T words -> any_order_forward_costs Nq Nk d dv stats M words.
Proof.
by case/andP=> /andP[Nq_gt0 /(all_pairs_counted Nq_gt0)[eq_pairs eq_queries eq_keys]] test; exact: t1_masked_any_order_forward test _ _ _ eq_pairs eq_queries eq_keys.
Qed.

Theorem b1_any_order_backward (Nq Nk d dv M h T p q words : N) : (0 <? Nq)%num && (0 <? Nk)%num &&
  b1_test (Nq * Nk) d dv M h T p q words -> any_order_backward_costs Nq Nk d dv M words.
Proof.
by case/andP=> /andP[Nq_gt0 /(all_pairs_counted Nq_gt0)[eq_pairs eq_queries eq_keys]] test; exact: b1_masked_any_order_backward test _ _ _ eq_pairs eq_queries eq_keys.
Qed.
