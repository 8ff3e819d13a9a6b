(** * Printed numbers as theorems: safe and online softmax

    What plain softmax costs (Certificate.v) safe and online softmax cost too, and the maxima of the rows besides if they are outputs.
    S is about safe softmax alone. *)

From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Embedding Attention AttentionCompulsory Softmax SafeSoftmax Certificate.

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

(** ** S *)

Section Test.
Local Open Scope N_scope.

Definition s_test (pairs queries d dv : N) stats (M h T words : N) :=
  [&& 0 <? d, 0 <? dv, 34 * d ^ 2 <=? T &
      cut_test (T ^ 2 / (4 * d)) (pairs * (d + 4 * dv) - d * N.min pairs (queries * (T / d))) M h T words (2 * (flag stats * queries))].

End Test.

Lemma div_le (a b : N) : (0 < b)%num -> N.to_nat a %/ N.to_nat b <= N.to_nat (a / b).
Proof.
move=> b_gt0; have lt_a := N.mul_succ_div_gt a b; rewrite -ltnS ltn_divLR; last by lia.
by move: (a / b)%num lt_a b_gt0 => q; clear; lia.
Qed.

Section S.

Variables (pairs queries d dv : N) (stats : bool) (M h T words : N).
Hypothesis test : s_test pairs queries d dv stats M h T words.

Lemma s_any Nq Nk (allowed : 'I_Nq -> 'I_Nk -> bool) (ms : seq (move (safe (N.to_nat d) (N.to_nat dv) stats allowed))) :
  #|pair allowed| = N.to_nat pairs -> #|query allowed| = N.to_nat queries ->
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.
Proof.
move=> eq_pairs eq_queries legal_ms; apply: le_io.
case/and4P: test => /N.ltb_lt d_gt0 /N.ltb_lt dv_gt0 /N.leb_le le_d /cut_testP[h_gt0 many le_words].
have d_gt0' : 0 < N.to_nat d by lia.
have dv_gt0' : 0 < N.to_nat dv by lia.
have le_d' : 34 * N.to_nat d ^ 2 <= N.to_nat T by lia.
have le_share : N.to_nat T %/ N.to_nat d <= N.to_nat (T / d) by apply: div_le.
have le_F : N.to_nat T ^ 2 %/ (4 * N.to_nat d) <= N.to_nat (T ^ 2 / (4 * d)).
  have -> : N.to_nat T ^ 2 = N.to_nat (T ^ 2) by lia.
  have -> : 4 * N.to_nat d = N.to_nat (4 * d) by lia.
  by apply: div_le; lia.
have le_struck : minn (N.to_nat pairs) (N.to_nat queries * (N.to_nat T %/ N.to_nat d)) <=
    N.to_nat (N.min pairs (queries * (T / d))).
  by move: (T / d)%num le_share => share le_share; have := leq_mul (leqnn (N.to_nat queries)) le_share; clear; lia.
have {}le_struck := leq_mul (leqnn (N.to_nat d)) le_struck.
have {}le_F := leq_mul (leqnn (N.to_nat h)) le_F.
have {}many : N.to_nat h * (N.to_nat T ^ 2 %/ (4 * N.to_nat d)) +
    N.to_nat d * minn #|pair allowed| (#|query allowed| * (N.to_nat T %/ N.to_nat d)) < #|pair allowed| * (N.to_nat d + 4 * N.to_nat dv).
  rewrite eq_pairs eq_queries; move: many le_F le_struck.
  move: (N.min _ _) (T ^ 2 / _)%num (minn _ _) (_ %/ _) => least F least' F'; clear; lia.
have := S_safe d_gt0' legal_ms dv_gt0' le_d' h_gt0 many; rewrite eq_queries -flagE.
by move: le_words; clear; lia.
Qed.

Theorem s_masked keys : masked_safe_costs pairs queries keys d dv stats M words.
Proof. by move=> Nq Nk allowed eq_pairs eq_queries _ ms; apply: s_any. Qed.

End S.

Theorem s_forward (Nq Nk d dv : N) stats M h T words : (0 <? Nq)%num && (0 <? Nk)%num &&
  s_test (Nq * Nk) Nq d dv stats M h T words -> safe_costs Nq Nk d dv stats M words.
Proof.
case/andP=> /andP[/N.ltb_lt Nq_gt0 /N.ltb_lt Nk_gt0] test ms; apply: (s_any test).
  by rewrite card_all_pairs N2Nat.inj_mul.
by apply: card_all_queries; lia.
Qed.
