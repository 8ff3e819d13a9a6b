(** * Linear attention with gates by names

    As in LinearNames.v: G[n,k] is [5; n; k]. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Names LinearNames Gates.
From Pebble Require Linear.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section GatesNames.

Variables (Nq Nk d dv : nat) (last_read : nat -> nat).
Variable reads : 'I_Nq -> 'I_Nk.
Hypothesis reads_last : forall i, val (reads i) = last_read (val i).

Definition gated_name (v : vertex (gated d dv reads)) : seq nat :=
  match v with inl v => linear_name (reads := reads) v | inr g => [:: 5; val g.1; val g.2] end.

Definition gated_names := linear_names Nq Nk d dv ++ two Nk d 5.

Definition gated_name_edge (u v : seq nat) : bool :=
  match u, v with
  | [:: 5; n; k], [:: 3; k'; _; n'] => [&& 0 < n', n == n' & k == k']
  | _, _ => linear_name_edge last_read u v
  end.

Lemma gated_name_inj : injective gated_name.
Proof.
move=> [v|[n k]] [w|[n' k']] /=; first by move/linear_name_inj ->.
- by case: v.
- by case: w.
by case=> /val_inj -> /val_inj ->.
Qed.

Lemma gated_namesP x : reflect (exists v, gated_name v = x) (x \in gated_names).
Proof.
rewrite mem_cat; apply: (iffP orP) => [[/(@linear_namesP Nq Nk d dv reads _)[v <-]|/in_two[n [k ->]]]|[[v|[n k]] <-]].
- by exists (inl v).
- by exists (inr (n, k)).
- by left; apply/(@linear_namesP Nq Nk d dv reads _); exists v.
by right; apply/in_two; exists n, k.
Qed.

Lemma gated_name_edgeP u v : edge u v = gated_name_edge (gated_name u) (gated_name v).
Proof.
case: u v => [u|[n k]] [v|[n' k']]; last by [].
- have -> : edge (inl u : vertex (gated d dv reads)) (inl v) = @edge (Linear.linear d dv reads) u v by [].
  by rewrite (linear_name_edgeP reads_last); case: u.
- by case: u.
by case: v.
Qed.

Lemma gated_name_outputP v : output v = linear_name_output d (gated_name v).
Proof. by case: v => [[]|]. Qed.

Definition gated_named : named (gated d dv reads) :=
  Named gated_name_inj gated_namesP gated_name_edgeP gated_name_outputP.

End GatesNames.

(** Queries of several heads, one head after the other, as in LinearNames.v. *)
Definition recurrent_gated_named heads N d dv :=
  @gated_named (heads * N.+1) N.+1 d dv (modn^~ N.+1) (fun i => Ordinal (ltn_pmod i (ltn0Sn N))) (fun=> erefl).
