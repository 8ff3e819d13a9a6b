(** * Copies add up

    Heads and batches that share nothing: any number of copies of a computation, in one pebbling. *)

From mathcomp Require Import all_ssreflect.
From Pebble Require Import Game Images.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Copies.

Variables (n : nat) (G : dag).

(** The vertex [(i, v)] is the vertex [v] of copy [i]. *)
Definition copies_edge (u v : 'I_n * vertex G) := (u.1 == v.1) && edge u.2 v.2.
Definition copies_output (v : 'I_n * vertex G) := output v.2.
Definition copies := @Dag [finType of 'I_n * vertex G] copies_edge copies_output.

Definition in_copy i (v : vertex copies) := if v.1 == i then Some v.2 else None.

Lemma in_copyE i v v' : in_copy i v = Some v' -> v = (i, v').
Proof. by case: v => j v; rewrite /in_copy /=; case: eqP => // -> [->]. Qed.

Lemma copies_input i v : input ((i, v) : vertex copies) = input v.
Proof.
apply/idP/idP => /forallP no_edge; apply/forallP => p.
  by have := no_edge (i, p); rewrite /= /copies_edge eqxx.
by rewrite /= /copies_edge negb_and no_edge orbT.
Qed.

Lemma copy_image i : image (in_copy i).
Proof.
split=> [v v' in_v /in_copyE eq_v|v' out_v|v v' not_in /in_copyE eq_v].
- by rewrite eq_v copies_input in in_v.
- by exists (i, v'); rewrite // /in_copy eqxx.
rewrite eq_v copies_input in not_in; right; split=> // p' edge_p; exists (i, p'); last by rewrite /in_copy eqxx.
by rewrite eq_v /= /copies_edge eqxx.
Qed.

Theorem copies_bound M words (ms : seq (move copies)) :
  (forall ms' : seq (move G), pebbling M ms' -> words <= io ms') -> pebbling M ms -> n * words <= io ms.
Proof.
move=> costs legal_ms.
have apart i j (v : vertex copies) : in_copy i v -> in_copy j v -> i = j.
  by rewrite /in_copy; case: eqP => // <- _; case: eqP.
have := parts_bound copy_image apart (words := fun=> words) (fun=> costs) legal_ms.
by rewrite sum_nat_const card_ord; apply: leq_trans; apply: leq_addr.
Qed.

End Copies.
