(** * Printed numbers as theorems: caches of the order of Nd

    As Certificate.v. Under a mask the statements are about every mask with so many queries and so many keys in which [r] queries all see
    the same [n] keys. *)

From Coq Require Import NArith Lia.
From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Attention AttentionCompulsory Softmax LargeCache Backward LargeCacheBackward Certificate SoftmaxCertificate
    BackwardCertificate.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** ** Statements *)

Definition rectangle Nq Nk (allowed : 'I_Nq -> 'I_Nk -> bool) (r n : N) := exists (R : {set query allowed}) (C : {set key allowed}),
  [/\ #|R| = N.to_nat r, #|C| = N.to_nat n & forall i j, i \in R -> j \in C -> allowed (val i) (val j)].

Definition rectangle_forward_costs (r n queries keys d dv : N) (stats : bool) (M words : N) : Prop :=
  forall Nq Nk (allowed : 'I_Nq -> 'I_Nk -> bool),
  rectangle allowed r n -> #|query allowed| = N.to_nat queries -> #|key allowed| = N.to_nat keys ->
  forall ms : seq (move (attention (N.to_nat d) (N.to_nat dv) stats allowed)),
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

Definition rectangle_safe_costs (r n queries keys d dv : N) (stats : bool) (M words : N) : Prop :=
  forall Nq Nk (allowed : 'I_Nq -> 'I_Nk -> bool),
  rectangle allowed r n -> #|query allowed| = N.to_nat queries -> #|key allowed| = N.to_nat keys ->
  forall ms : seq (move (safe (N.to_nat d) (N.to_nat dv) stats allowed)),
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

Definition rectangle_online_costs (r n queries keys d dv : N) (stats : bool) (M words : N) : Prop :=
  forall Nq Nk (allowed : 'I_Nq -> 'I_Nk -> bool),
  rectangle allowed r n -> #|query allowed| = N.to_nat queries -> #|key allowed| = N.to_nat keys ->
  forall ms : seq (move (online (N.to_nat d) (N.to_nat dv) stats allowed)),
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

Definition rectangle_backward_costs (r n queries keys d dv M words : N) : Prop :=
  forall Nq Nk (allowed : 'I_Nq -> 'I_Nk -> bool),
  rectangle allowed r n -> #|query allowed| = N.to_nat queries -> #|key allowed| = N.to_nat keys ->
  forall ms : seq (move (backward (N.to_nat d) (N.to_nat dv) allowed)),
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

(** ** Tests *)

Section Tests.
Local Open Scope N_scope.

Definition d_number (dv r n tau sigma : N) :=
  N.min (N.min ((r - tau + 1) * (dv + sigma)) ((r - tau) * sigma + tau * (n - sigma))) ((tau + dv) * (n - sigma)).
Definition d_test (r n queries keys d dv : N) stats (M tau sigma words : N) :=
  [&& 0 <? d, 0 <? dv, 0 <? tau, tau <=? N.min d r, 0 <? sigma, sigma <=? N.min d (n - 1) &
      words + M <=? queries * d + keys * d + keys * dv + queries * dv + flag stats * queries + d_number dv r n tau sigma].

Definition side_number (d lines others own behind behind' : N) :=
  (lines - own + 1) * behind + N.min (d * (lines - behind' + 1)) ((others - behind) * behind').
Definition d_backward_test (r n queries keys d dv M tau tau' sigma sigma' words : N) :=
  [&& 0 <? d, 0 <? tau, 0 <? sigma, N.max tau tau' <=? N.min (d + dv) r, N.max sigma sigma' <=? N.min (d + dv) n &
      words + M <=? 2 * (queries + keys) * (d + dv) + queries +
        N.min (side_number d r n tau sigma tau') (side_number d n r sigma tau sigma')].

End Tests.

(** ** From tests to statements *)

Theorem d_rectangle r n queries keys d dv stats M tau sigma words : d_test r n queries keys d dv stats M tau sigma words ->
  rectangle_forward_costs r n queries keys d dv stats M words.
Proof.
case/and4P=> /N.ltb_lt lt_d /N.ltb_lt lt_dv /N.ltb_lt lt_tau /and4P[/N.leb_le le_tau /N.ltb_lt lt_sigma /N.leb_le le_sigma /N.leb_le le_words].
move=> Nq Nk allowed [R [C [card_R card_C sees]]] eq_queries eq_keys ms legal_ms; apply: le_io.
have d_gt0 : 0 < N.to_nat d by lia.
have dv_gt0 : 0 < N.to_nat dv by lia.
have tau_le : 0 < N.to_nat tau <= minn (N.to_nat d) #|R| by rewrite card_R; lia.
have sigma_le : 0 < N.to_nat sigma <= minn (N.to_nat d) (#|C| - 1) by rewrite card_C; lia.
have := LargeCache.D legal_ms d_gt0 dv_gt0 sees tau_le sigma_le; rewrite eq_queries eq_keys card_R card_C -flagE /d_words.
have -> : minn (minn ((N.to_nat r - N.to_nat tau + 1) * (N.to_nat dv + N.to_nat sigma))
    ((N.to_nat r - N.to_nat tau) * N.to_nat sigma + N.to_nat tau * (N.to_nat n - N.to_nat sigma)))
    ((N.to_nat tau + N.to_nat dv) * (N.to_nat n - N.to_nat sigma)) = N.to_nat (d_number dv r n tau sigma).
  by rewrite /d_number; clear; lia.
by move: (d_number _ _ _ _ _) le_words; clear; lia.
Qed.

Theorem d_forward (Nq Nk d dv : N) stats M tau sigma words : (0 <? Nq)%num && (0 <? Nk)%num &&
  d_test Nq Nk Nq Nk d dv stats M tau sigma words -> forward_costs Nq Nk d dv stats M words.
Proof.
case/andP=> /andP[/N.ltb_lt Nq_gt0 /N.ltb_lt Nk_gt0] /d_rectangle costs.
have eq_q : #|query (@all_pairs (N.to_nat Nq) (N.to_nat Nk))| = N.to_nat Nq by apply: card_all_queries; lia.
have eq_k : #|key (@all_pairs (N.to_nat Nq) (N.to_nat Nk))| = N.to_nat Nk by apply: card_all_keys; lia.
by apply: costs => //; exists setT, setT; rewrite !cardsT eq_q eq_k.
Qed.

Theorem safe_rectangle r n queries keys d dv stats M plain words : maxima_test queries d stats words plain ->
  rectangle_forward_costs r n queries keys d dv stats M plain -> rectangle_safe_costs r n queries keys d dv stats M words.
Proof. by move=> test costs Nq Nk allowed rect eq_q eq_k; apply: (safe_more test) => //; apply: costs. Qed.

Theorem online_rectangle r n queries keys d dv stats M plain words : maxima_test queries d stats words plain ->
  rectangle_forward_costs r n queries keys d dv stats M plain -> rectangle_online_costs r n queries keys d dv stats M words.
Proof. by move=> test costs Nq Nk allowed rect eq_q eq_k; apply: (online_more test) => //; apply: costs. Qed.

(** ** The backward pass *)

Lemma side_numberE d lines others own behind behind' : N.to_nat (side_number d lines others own behind behind') =
  d_side (N.to_nat d) (N.to_nat lines) (N.to_nat others) (N.to_nat own) (N.to_nat behind) (N.to_nat behind').
Proof. by rewrite /side_number /d_side; lia. Qed.

Theorem d_rectangle_backward r n queries keys d dv M tau tau' sigma sigma' words :
  d_backward_test r n queries keys d dv M tau tau' sigma sigma' words -> rectangle_backward_costs r n queries keys d dv M words.
Proof.
case/and4P=> /N.ltb_lt lt_d /N.ltb_lt lt_tau /N.ltb_lt lt_sigma /and3P[/N.leb_le le_tau /N.leb_le le_sigma /N.leb_le le_words].
move=> Nq Nk allowed [R [C [card_R card_C sees]]] eq_queries eq_keys ms legal_ms; apply: le_io.
have d_gt0 : 0 < N.to_nat d by lia.
have tau_le : 0 < N.to_nat tau <= minn (N.to_nat d + N.to_nat dv) #|R| by rewrite card_R; lia.
have tau'_le : N.to_nat tau' <= minn (N.to_nat d + N.to_nat dv) #|R| by rewrite card_R; lia.
have sigma_le : 0 < N.to_nat sigma <= minn (N.to_nat d + N.to_nat dv) #|C| by rewrite card_C; lia.
have sigma'_le : N.to_nat sigma' <= minn (N.to_nat d + N.to_nat dv) #|C| by rewrite card_C; lia.
have := D_backward legal_ms d_gt0 sees tau_le tau'_le sigma_le sigma'_le.
rewrite eq_queries eq_keys card_R card_C /d_backward_words -!side_numberE.
by move: (side_number _ _ _ _ _ _) (side_number _ _ _ _ _ _) le_words; clear; lia.
Qed.

Theorem d_backward (Nq Nk d dv M tau tau' sigma sigma' words : N) : (0 <? Nq)%num && (0 <? Nk)%num &&
  d_backward_test Nq Nk Nq Nk d dv M tau tau' sigma sigma' words -> backward_costs Nq Nk d dv M words.
Proof.
case/andP=> /andP[/N.ltb_lt Nq_gt0 /N.ltb_lt Nk_gt0] /d_rectangle_backward costs.
have eq_q : #|query (@all_pairs (N.to_nat Nq) (N.to_nat Nk))| = N.to_nat Nq by apply: card_all_queries; lia.
have eq_k : #|key (@all_pairs (N.to_nat Nq) (N.to_nat Nk))| = N.to_nat Nk by apply: card_all_keys; lia.
by apply: costs => //; exists setT, setT; rewrite !cardsT eq_q eq_k.
Qed.
