(** * Linear attention by names

    As in Names.v: H[k,e,n] is [3; k; e; n], O[i,e,k] is [4; i; e; k]. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Names.
From Pebble Require Linear.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section LinearNames.

Variables (Nq Nk d dv : nat) (last_read : nat -> nat).
Variable reads : 'I_Nq -> 'I_Nk.
Hypothesis reads_last : forall i, val (reads i) = last_read (val i).

Notation G := (Linear.linear d dv reads).

Definition linear_name (v : vertex G) : seq nat :=
  match v with
  | Linear.Q i k => [:: 0; val i; val k]
  | Linear.K n k => [:: 1; val n; val k]
  | Linear.V n e => [:: 2; val n; val e]
  | Linear.H n k e => [:: 3; val k; val e; val n]
  | Linear.O i k e => [:: 4; val i; val e; val k]
  end.

Definition three m n r (kind : nat) :=
  [seq [:: kind; p.1; p.2; z] | p <- [seq (x, y) | x <- iota 0 m, y <- iota 0 n], z <- iota 0 r].
Definition two m n (kind : nat) := [seq [:: kind; x; y] | x <- iota 0 m, y <- iota 0 n].

Definition linear_names : seq (seq nat) :=
  two Nq d 0 ++ two Nk d 1 ++ two Nk dv 2 ++ three d dv Nk 3 ++ three Nq dv d 4.

Definition linear_name_edge (u v : seq nat) : bool :=
  match u, v with
  | [:: 1; n; k], [:: 3; k'; _; n'] => (n == n') && (k == k')
  | [:: 2; n; e], [:: 3; _; e'; n'] => (n == n') && (e == e')
  | [:: 3; k; e; n], [:: 3; k'; e'; n'] => [&& n.+1 == n', k == k' & e == e']
  | [:: 0; i; k], [:: 4; i'; _; k'] => (i == i') && (k == k')
  | [:: 3; k; e; n], [:: 4; i; e'; k'] => [&& n == last_read i, k == k' & e == e']
  | [:: 4; i; e; k], [:: 4; i'; e'; k'] => [&& i == i', k.+1 == k' & e == e']
  | _, _ => false
  end.

Definition linear_name_output (v : seq nat) : bool := if v is [:: 4; _; _; k] then k.+1 == d else false.

Lemma linear_name_inj : injective linear_name.
Proof.
move=> [i k|n k|n e|n k e|i k e] [i' k'|n' k'|n' e'|n' k' e'|i' k' e'] // eq_names.
- by case: eq_names => /val_inj -> /val_inj ->.
- by case: eq_names => /val_inj -> /val_inj ->.
- by case: eq_names => /val_inj -> /val_inj ->.
- by case: eq_names => /val_inj -> /val_inj -> /val_inj ->.
by case: eq_names => /val_inj -> /val_inj -> /val_inj ->.
Qed.

Lemma linear_name_edgeP u v : edge u v = linear_name_edge (linear_name u) (linear_name v).
Proof.
case: u v => [i k|n k|n e|n k e|i k e] [i' k'|n' k'|n' e'|n' k' e'|i' k' e'] //=.
by rewrite -val_eqE reads_last.
Qed.

Lemma linear_name_outputP v : output v = linear_name_output (linear_name v).
Proof. by case: v. Qed.

Lemma in_two m n kind x : reflect (exists (i : 'I_m) (j : 'I_n), x = [:: kind; val i; val j]) (x \in two m n kind).
Proof.
apply: (iffP allpairsP) => [[[i j] /= [/in_range[i' <-] /in_range[j' <-] ->]]|[i [j ->]]]; first by exists i', j'.
by exists (val i, val j); split => //=; apply/in_range; [exists i|exists j].
Qed.

Lemma in_three m n r kind x :
  reflect (exists (i : 'I_m) (j : 'I_n) (l : 'I_r), x = [:: kind; val i; val j; val l]) (x \in three m n r kind).
Proof.
apply: (iffP allpairsP) => [[[p l] /= [/allpairsP[[i j] /= [/in_range[i' <-] /in_range[j' <-] ->]] /in_range[l' <-] ->]]|].
  by exists i', j', l'.
move=> [i [j [l ->]]]; exists ((val i, val j), val l); split => //=; last by apply/in_range; exists l.
by apply: allpairs_f; apply/in_range; [exists i|exists j].
Qed.

Lemma linear_namesP x : reflect (exists v, linear_name v = x) (x \in linear_names).
Proof.
rewrite /linear_names !mem_cat; apply: (iffP idP) => [|[v <-]].
  case/or4P => [|||/orP[]].
  - by case/in_two=> i [k ->]; exists (Linear.Q i k).
  - by case/in_two=> n [k ->]; exists (Linear.K n k).
  - by case/in_two=> n [e ->]; exists (Linear.V n e).
  - by case/in_three=> k [e [n ->]]; exists (Linear.H n k e).
  by case/in_three=> i [e [k ->]]; exists (Linear.O i k e).
case: v => [i k|n k|n e|n k e|i k e].
- by apply/orP; left; apply/in_two; exists i, k.
- by apply/or3P; constructor 2; apply/in_two; exists n, k.
- by apply/or4P; constructor 3; apply/in_two; exists n, e.
- by apply/or4P; constructor 4; apply/orP; left; apply/in_three; exists k, e, n.
by apply/or4P; constructor 4; apply/orP; right; apply/in_three; exists i, e, k.
Qed.

Definition linear_named : named G := Named linear_name_inj linear_namesP linear_name_edgeP linear_name_outputP.

End LinearNames.

(** The recurrent form: a query reads the state after its own key; the queries of several heads stand one head after the other. *)
Definition recurrent_named heads N d dv :=
  @linear_named (heads * N.+1) N.+1 d dv (modn^~ N.+1) (fun i => Ordinal (ltn_pmod i (ltn0Sn N))) (fun=> erefl).

(** The product from the right: every query reads the last state. *)
Definition right_named Nq Nk d dv := @linear_named Nq Nk.+1 d dv (fun=> Nk) (fun=> ord_max) (fun=> erefl).
