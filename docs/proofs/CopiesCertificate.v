(** * Printed numbers as theorems: several copies

    What one copy costs (Certificate.v and the like), heads and batches that share nothing cost as many times. *)

From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Copies Attention Softmax Backward Linear Gates.
From Pebble Require Import Certificate BackwardCertificate LinearCertificate LargeCacheCertificate.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** ** Statements *)

(** [n] copies of a computation, in one pebbling with [M] words. *)
Definition copies_cost (n : N) (G : dag) (M words : N) : Prop :=
  forall ms : seq (move (copies (N.to_nat n) G)), pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

(** Computations under any mask. *)
Definition masked_dag := forall Nq Nk : nat, ('I_Nq -> 'I_Nk -> bool) -> dag.
Definition plain_of (d dv : N) stats : masked_dag := fun Nq Nk allowed => attention (N.to_nat d) (N.to_nat dv) stats allowed.
Definition safe_of (d dv : N) stats : masked_dag := fun Nq Nk allowed => safe (N.to_nat d) (N.to_nat dv) stats allowed.
Definition online_of (d dv : N) stats : masked_dag := fun Nq Nk allowed => online (N.to_nat d) (N.to_nat dv) stats allowed.
Definition backward_of (d dv : N) : masked_dag := fun Nq Nk allowed => backward (N.to_nat d) (N.to_nat dv) allowed.

(** Without a mask; under every mask with so many pairs, queries and keys; with a rectangle. *)
Definition all_pairs_copies_cost (n : N) (G : masked_dag) (Nq Nk M words : N) : Prop :=
  copies_cost n (G _ _ (@all_pairs (N.to_nat Nq) (N.to_nat Nk))) M words.

Definition masked_copies_cost (n : N) (G : masked_dag) (pairs queries keys M words : N) : Prop :=
  forall Nq Nk (allowed : 'I_Nq -> 'I_Nk -> bool),
  #|pair allowed| = N.to_nat pairs -> #|query allowed| = N.to_nat queries -> #|key allowed| = N.to_nat keys ->
  copies_cost n (G _ _ allowed) M words.

Definition rectangle_copies_cost (n : N) (G : masked_dag) (r c queries keys M words : N) : Prop :=
  forall Nq Nk (allowed : 'I_Nq -> 'I_Nk -> bool),
  rectangle allowed r c -> #|query allowed| = N.to_nat queries -> #|key allowed| = N.to_nat keys ->
  copies_cost n (G _ _ allowed) M words.

(** Linear attention, as in LinearCertificate.v. *)
Definition linear_copies_cost (n Nq Nk d dv M words : N) : Prop :=
  forall last : 'I_(N.to_nat Nk), last.+1 = N.to_nat Nk ->
  copies_cost n (linear (N.to_nat d) (N.to_nat dv) (fun _ : 'I_(N.to_nat Nq) => last)) M words.

Definition recurrent_copies_cost (n tokens d dv M words : N) : Prop :=
  copies_cost n (linear (N.to_nat d) (N.to_nat dv) (fun i : 'I_(N.to_nat tokens) => i)) M words.

Definition gated_copies_cost (n tokens d dv M words : N) : Prop :=
  copies_cost n (gated (N.to_nat d) (N.to_nat dv) (fun i : 'I_(N.to_nat tokens) => i)) M words.

(** ** From one copy *)

Section OneCopy.

Variables (n M one words : N).
Hypothesis test : (words <=? n * one)%num.

Lemma copies_of_one (G : dag) :
  (forall ms : seq (move G), pebbling (N.to_nat M) ms -> (one <= N.of_nat (io ms))%num) -> copies_cost n G M words.
Proof.
move=> costs ms legal_ms; have le_one (ms' : seq (move G)) : pebbling (N.to_nat M) ms' -> N.to_nat one <= io ms'.
  by move/costs; lia.
by have := copies_bound le_one legal_ms; move/N.leb_le: test; clear; lia.
Qed.

Theorem copies_all_pairs (G : masked_dag) Nq Nk :
  (forall ms : seq (move (G _ _ (@all_pairs (N.to_nat Nq) (N.to_nat Nk)))), pebbling (N.to_nat M) ms -> (one <= N.of_nat (io ms))%num) ->
  all_pairs_copies_cost n G Nq Nk M words.
Proof. exact: copies_of_one. Qed.

Theorem copies_masked (G : masked_dag) pairs queries keys :
  (forall Nq Nk (allowed : 'I_Nq -> 'I_Nk -> bool),
   #|pair allowed| = N.to_nat pairs -> #|query allowed| = N.to_nat queries -> #|key allowed| = N.to_nat keys ->
   forall ms : seq (move (G _ _ allowed)), pebbling (N.to_nat M) ms -> (one <= N.of_nat (io ms))%num) ->
  masked_copies_cost n G pairs queries keys M words.
Proof. by move=> costs Nq Nk allowed *; apply: copies_of_one; apply: costs. Qed.

Theorem copies_rectangle (G : masked_dag) r c queries keys :
  (forall Nq Nk (allowed : 'I_Nq -> 'I_Nk -> bool),
   rectangle allowed r c -> #|query allowed| = N.to_nat queries -> #|key allowed| = N.to_nat keys ->
   forall ms : seq (move (G _ _ allowed)), pebbling (N.to_nat M) ms -> (one <= N.of_nat (io ms))%num) ->
  rectangle_copies_cost n G r c queries keys M words.
Proof. by move=> costs Nq Nk allowed *; apply: copies_of_one; apply: costs. Qed.

Theorem copies_linear Nq Nk d dv : linear_costs Nq Nk d dv M one -> linear_copies_cost n Nq Nk d dv M words.
Proof. by move=> costs last is_last; apply: copies_of_one; apply: costs. Qed.

Theorem copies_recurrent tokens d dv : recurrent_costs tokens d dv M one -> recurrent_copies_cost n tokens d dv M words.
Proof. exact: copies_of_one. Qed.

Theorem copies_gated tokens d dv : gated_costs tokens d dv M one -> gated_copies_cost n tokens d dv M words.
Proof. exact: copies_of_one. Qed.

End OneCopy.
