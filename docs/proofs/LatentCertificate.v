(** * Printed numbers as theorems: latent attention

    As Certificate.v: the statements, and for MLA and the compulsory words a test by computation with binary numbers. *)

From Coq Require Import NArith Lia.
From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Attention AttentionCompulsory Latent LatentCompulsory MLA Certificate CopiesCertificate.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** ** Statements: [d] words of a key, the first [dv] of which are its value *)

(** Without a mask. *)
Definition latent_costs (Nq Nk d dv : N) (stats : bool) (M words : N) : Prop :=
  forall ms : seq (move (latent (N.to_nat (d - dv)) (N.to_nat dv) stats (@all_pairs (N.to_nat Nq) (N.to_nat Nk)))),
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

(** The same under every mask with so many allowed pairs, of so many queries and so many keys. *)
Definition masked_latent_costs (pairs queries keys d dv : N) (stats : bool) (M words : N) : Prop :=
  forall Nq Nk (allowed : 'I_Nq -> 'I_Nk -> bool),
  #|pair allowed| = N.to_nat pairs -> #|query allowed| = N.to_nat queries -> #|key allowed| = N.to_nat keys ->
  forall ms : seq (move (latent (N.to_nat (d - dv)) (N.to_nat dv) stats allowed)),
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

(** One of several copies, for CopiesCertificate.v. *)
Definition latent_of (d dv : N) stats : masked_dag :=
  fun Nq Nk allowed => latent (N.to_nat (d - dv)) (N.to_nat dv) stats allowed.

(** ** Tests *)

Section Tests.
Local Open Scope N_scope.

(** [p/q] is at least the place where the second case of F(T) is greatest, and not much more. *)
Definition mla_number (d dv T p q : N) :=
  N.max (box_number T) (T ^ 2 * dv * (q ^ 2 - p ^ 2) ^ 2 * (q ^ 2 + p ^ 2) / (4 * (d * (d + dv)) * q ^ 4 * (q ^ 2 - 3 * p ^ 2))).

Definition mla_test (pairs queries d dv : N) stats (M h T p q words : N) :=
  let F := mla_number d dv T p q in
  [&& 0 <? dv, dv <=? d, 0 <? p, 3 * p ^ 2 <? q ^ 2, box_test T F,
      d * (d + dv) * (q ^ 2 - 3 * p ^ 2) ^ 2 * q ^ 2 <=? 4 * T * p ^ 2 * (q ^ 2 - p ^ 2) ^ 2,
      T ^ 2 * dv * (q ^ 2 - p ^ 2) ^ 2 * (q ^ 2 + p ^ 2) <? 4 * (d * (d + dv)) * (F + 1) * q ^ 4 * (q ^ 2 - 3 * p ^ 2) &
      cut_test F (pairs * dv) M h T words (flag stats * queries)].

Definition latent_compulsory_test (queries keys d dv : N) stats (words : N) :=
  [&& 0 <? dv, dv <=? d & words <=? queries * d + keys * d + queries * dv + flag stats * queries].

End Tests.

(** ** From tests to statements *)

Theorem mla_masked_latent pairs queries keys d dv stats M h T p q words :
  mla_test pairs queries d dv stats M h T p q words -> masked_latent_costs pairs queries keys d dv stats M words.
Proof.
rewrite /mla_test; move: (mla_number d dv T p q) => F.
case/and5P=> /N.ltb_lt dv_gt0 /N.leb_le le_dv /N.ltb_lt p_gt0 /N.ltb_lt root.
case/and4P=> /N.ltb_lt lt_box /N.leb_le place /N.ltb_lt less /cut_testP[h_gt0 many le_words].
move=> Nq Nk allowed eq_pairs eq_queries _ ms legal_ms; apply: le_io.
have dv_gt0' : 0 < N.to_nat dv by lia.
have eq_d : N.to_nat dv + N.to_nat (d - dv) = N.to_nat d by lia.
have row_F : mla_events (N.to_nat (d - dv)) (N.to_nat dv) (N.to_nat T) (N.to_nat p) (N.to_nat q) (N.to_nat F).
  rewrite /mla_events eq_d.
  have -> : N.to_nat q ^ 2 - 3 * N.to_nat p ^ 2 = N.to_nat (q ^ 2 - 3 * p ^ 2) by clear; lia.
  have -> : N.to_nat q ^ 2 - N.to_nat p ^ 2 = N.to_nat (q ^ 2 - p ^ 2) by clear; lia.
  move: root place less; move: (q ^ 2 - 3 * p ^ 2)%num (q ^ 2 - p ^ 2)%num => x y root place less.
  split.
  - by move: p_gt0; clear; lia.
  - by move: root; clear; lia.
  - by move: lt_box; clear; lia.
  - by move: place; clear; lia.
  by move: less; clear; lia.
rewrite N2Nat.inj_mul in many.
have := MLA legal_ms dv_gt0' h_gt0 row_F; rewrite eq_pairs eq_queries => /(_ many).
by move: le_words; rewrite flagE; clear; lia.
Qed.

Theorem compulsory_masked_latent pairs queries keys d dv stats M words :
  latent_compulsory_test queries keys d dv stats words -> masked_latent_costs pairs queries keys d dv stats M words.
Proof.
case/and3P=> /N.ltb_lt dv_gt0 /N.leb_le le_dv /N.leb_le le_words.
move=> Nq Nk allowed _ eq_queries eq_keys ms legal_ms; apply: le_io.
have dv_gt0' : 0 < N.to_nat dv by lia.
have eq_d : N.to_nat dv + N.to_nat (d - dv) = N.to_nat d by lia.
have := latent_compulsory dv_gt0' legal_ms; rewrite eq_queries eq_keys eq_d -flagE.
by move: le_words; clear; lia.
Qed.

(** Without a mask. *)
Lemma unmasked_latent (Nq Nk d dv : N) stats M words : (0 < Nq)%num -> (0 < Nk)%num ->
  masked_latent_costs (Nq * Nk) Nq Nk d dv stats M words -> latent_costs Nq Nk d dv stats M words.
Proof.
move=> Nq_gt0 Nk_gt0 costs; apply: costs.
- by rewrite card_all_pairs N2Nat.inj_mul.
- by apply: card_all_queries; lia.
- by apply: card_all_keys; lia.
Qed.

Theorem mla_latent (Nq Nk d dv : N) stats M h T p q words : (0 <? Nq)%num && (0 <? Nk)%num &&
  mla_test (Nq * Nk) Nq d dv stats M h T p q words -> latent_costs Nq Nk d dv stats M words.
Proof. by case/andP=> /andP[/N.ltb_lt Nq_gt0 /N.ltb_lt Nk_gt0] test; apply: unmasked_latent => //; apply: mla_masked_latent test. Qed.

Theorem compulsory_latent (Nq Nk d dv : N) stats M words : (0 <? Nq)%num && (0 <? Nk)%num &&
  latent_compulsory_test Nq Nk d dv stats words -> latent_costs Nq Nk d dv stats M words.
Proof.
by case/andP=> /andP[/N.ltb_lt Nq_gt0 /N.ltb_lt Nk_gt0] test; apply: unmasked_latent => //; apply: compulsory_masked_latent test.
Qed.
