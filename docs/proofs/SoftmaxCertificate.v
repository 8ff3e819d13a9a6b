(** * Printed numbers as theorems: safe and online softmax

    What plain softmax costs (Certificate.v) safe and online softmax cost too, and the maxima of the rows besides if they are outputs. *)

From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Embedding Attention AttentionCompulsory Softmax Certificate.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** ** Statements: as in Certificate.v *)

Definition masked_safe_costs (pairs queries keys d dv : N) (stats : bool) (M words : N) : Prop :=
  forall Nq Nk (allowed : 'I_Nq -> 'I_Nk -> bool),
  #|pair allowed| = N.to_nat pairs -> #|query allowed| = N.to_nat queries -> #|key allowed| = N.to_nat keys ->
  forall ms : seq (move (safe (N.to_nat d) (N.to_nat dv) stats allowed)),
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

Definition masked_online_costs (pairs queries keys d dv : N) (stats : bool) (M words : N) : Prop :=
  forall Nq Nk (allowed : 'I_Nq -> 'I_Nk -> bool),
  #|pair allowed| = N.to_nat pairs -> #|query allowed| = N.to_nat queries -> #|key allowed| = N.to_nat keys ->
  forall ms : seq (move (online (N.to_nat d) (N.to_nat dv) stats allowed)),
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

(** Without a mask. *)
Definition safe_costs (Nq Nk d dv : N) (stats : bool) (M words : N) : Prop :=
  forall ms : seq (move (safe (N.to_nat d) (N.to_nat dv) stats (@all_pairs (N.to_nat Nq) (N.to_nat Nk)))),
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

Definition online_costs (Nq Nk d dv : N) (stats : bool) (M words : N) : Prop :=
  forall ms : seq (move (online (N.to_nat d) (N.to_nat dv) stats (@all_pairs (N.to_nat Nq) (N.to_nat Nk)))),
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

(** ** From plain softmax *)

Definition maxima_test (queries d : N) stats (words plain : N) := ((0 <? d) && (words <=? plain + flag stats * queries))%num.

Section Maxima.

Variables (queries d dv : N) (stats : bool) (M words plain : N).
Hypothesis test : maxima_test queries d stats words plain.

Let d_gt0 : 0 < N.to_nat d. Proof. by case/andP: test => /N.ltb_lt; lia. Qed.
Let le_words : (words <= plain + flag stats * queries)%num. Proof. by case/andP: test => _ /N.leb_le. Qed.

Section Mask.

Variables (Nq Nk : nat) (allowed : 'I_Nq -> 'I_Nk -> bool).
Hypothesis eq_queries : #|query allowed| = N.to_nat queries.
Hypothesis costs : forall ms : seq (move (attention (N.to_nat d) (N.to_nat dv) stats allowed)),
  pebbling (N.to_nat M) ms -> (plain <= N.of_nat (io ms))%num.

Lemma safe_more (ms : seq (move (safe (N.to_nat d) (N.to_nat dv) stats allowed))) :
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.
Proof.
move=> legal_ms; have [ms' /costs le_plain le_io] := embedding_bound (safe_embedding _ _ _ d_gt0) legal_ms.
have := safe_maxima (N.to_nat dv) stats allowed d_gt0; rewrite eq_queries -flagE.
by move: le_words le_plain le_io; clear; lia.
Qed.

Lemma online_more (ms : seq (move (online (N.to_nat d) (N.to_nat dv) stats allowed))) :
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.
Proof.
move=> legal_ms; have [ms' /costs le_plain le_io] := embedding_bound (online_embedding _ _ _ d_gt0) legal_ms.
have := online_maxima (N.to_nat dv) stats allowed d_gt0; rewrite eq_queries -flagE.
by move: le_words le_plain le_io; clear; lia.
Qed.

End Mask.

Theorem safe_masked pairs keys : masked_forward_costs pairs queries keys d dv stats M plain ->
  masked_safe_costs pairs queries keys d dv stats M words.
Proof. by move=> costs Nq Nk allowed eq_pairs eq_queries eq_keys; apply: safe_more => //; apply: costs. Qed.

Theorem online_masked pairs keys : masked_forward_costs pairs queries keys d dv stats M plain ->
  masked_online_costs pairs queries keys d dv stats M words.
Proof. by move=> costs Nq Nk allowed eq_pairs eq_queries eq_keys; apply: online_more => //; apply: costs. Qed.

Theorem safe_forward Nk : (0 <? Nk)%num -> forward_costs queries Nk d dv stats M plain -> safe_costs queries Nk d dv stats M words.
Proof. by move=> /N.ltb_lt Nk_gt0 costs; apply: safe_more => //; apply: card_all_queries; lia. Qed.

Theorem online_forward Nk : (0 <? Nk)%num -> forward_costs queries Nk d dv stats M plain -> online_costs queries Nk d dv stats M words.
Proof. by move=> /N.ltb_lt Nk_gt0 costs; apply: online_more => //; apply: card_all_queries; lia. Qed.

End Maxima.
