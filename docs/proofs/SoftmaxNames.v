(** * Safe and online softmax by names

    As in Names.v: the maximum m[i,j] is [8; i; j], the factor a[i,j] is [9; i; j]. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Attention Names Softmax.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section SoftmaxNames.

Variables (Nq Nk d dv : nat) (stats : bool) (mask : nat -> nat -> bool).

Local Notation allowed := (@allowed Nq Nk mask).
Local Notation plain_vertex := (attention_vertex d dv allowed).
Local Notation pairs := (pairs Nq Nk mask).
Local Notation plain_name := (@attention_name Nq Nk d dv stats mask).
Local Notation plain_names := (attention_names Nq Nk d dv mask).
Local Notation plain_name_edge := (attention_name_edge Nk d mask).

Definition pair_name (kind : nat) (p : pair allowed) : seq nat := [:: kind; val (val (row p)); place p].

Lemma pair_name_inj kind : injective (pair_name kind).
Proof.
move=> p q eq_names; apply: pair_inj; first exact: (congr1 (nth 0 ^~ 1) eq_names).
exact: (congr1 (nth 0 ^~ 2) eq_names).
Qed.

Lemma pair_namesP kind x : reflect (exists p, pair_name kind p = x) (x \in [seq [:: kind; p.1; p.2] | p <- pairs]).
Proof.
apply: (iffP mapP) => [[ij /in_pairs[p <-] ->]|[p <-]]; first by exists p.
by exists (val (val (row p)), place p) => //; apply/in_pairs; exists p.
Qed.

(** No vertex of plain softmax has such a name. *)
Lemma other_name kind v p : 7 < kind -> plain_name v <> pair_name kind p.
Proof. by case: v => * eq_names; have := congr1 (nth 0 ^~ 0) eq_names; rewrite /=; lia. Qed.

(** Safe softmax. *)
Definition safe_name (v : vertex (safe d dv stats allowed)) : seq nat :=
  match v with inl v => plain_name v | inr p => pair_name 8 p end.

Definition safe_names := plain_names ++ [seq [:: 8; p.1; p.2] | p <- pairs].

Definition safe_name_edge (u v : seq nat) : bool :=
  match u, v with
  | [:: 3; i; j; k], [:: 8; i'; j'] => [&& i == i', j == j' & k.+1 == d]
  | [:: 8; i; j], [:: 8; i'; j'] => (i == i') && is_next mask i j j'
  | [:: 8; i; j], [:: 4; i'; _] => is_last Nk mask i j && (i == i')
  | _, _ => plain_name_edge u v
  end.

Definition safe_name_output (v : seq nat) : bool :=
  match v with [:: 7; _; _] => true | [:: 6; i; j] => stats && is_last Nk mask i j | [:: 8; i; j] => stats && is_last Nk mask i j | _ => false end.

Lemma safe_name_inj : injective safe_name.
Proof.
move=> [v|p] [w|q] /=; first by move/attention_name_inj ->.
- by move/other_name => /(_ isT).
- by move/esym/other_name => /(_ isT).
by move/pair_name_inj ->.
Qed.

Lemma safe_namesP x : reflect (exists v, safe_name v = x) (x \in safe_names).
Proof.
rewrite mem_cat; apply: (iffP orP) => [[/(@attention_namesP Nq Nk d dv stats mask _)[v <-]|/pair_namesP[p <-]]|[[v|p] <-]].
- by exists (inl v).
- by exists (inr p).
- by left; apply/(@attention_namesP Nq Nk d dv stats mask _); exists v.
by right; apply/pair_namesP; exists p.
Qed.

Lemma safe_name_edgeP u v : edge u v = safe_name_edge (safe_name u) (safe_name v).
Proof.
case: u v => [u|p] [v|q].
- have -> : edge (inl u : vertex (safe d dv stats allowed)) (inl v) = @edge (attention d dv stats allowed) u v by case: u.
  rewrite attention_name_edgeP; by case: u v => [? ?|? ?|? ?|? ?|?|? ?|?|? ?] [? ?|? ?|? ?|? ?|?|? ?|?|? ?].
- by case: u => //= p k; rewrite pair_eqE -andbA.
- by case: v => //= q; rewrite last_pairE row_eq.
by rewrite /= next_pairE.
Qed.

Lemma safe_name_outputP v : output v = safe_name_output (safe_name v).
Proof. by case: v => [[]|p] //= *; rewrite last_pairE. Qed.

Definition safe_named : named (safe d dv stats allowed) :=
  Named safe_name_inj safe_namesP safe_name_edgeP safe_name_outputP.

(** Online softmax. *)
Definition online_name (v : vertex (online d dv stats allowed)) : seq nat :=
  match v with inl v => plain_name v | inr (inl p) => pair_name 8 p | inr (inr p) => pair_name 9 p end.

Definition online_names := plain_names ++ [seq [:: 8; p.1; p.2] | p <- pairs] ++ [seq [:: 9; p.1; p.2] | p <- pairs].

Definition online_name_edge (u v : seq nat) : bool :=
  match u, v with
  | [:: 3; i; j; k], [:: 8; i'; j'] => [&& i == i', j == j' & k.+1 == d]
  | [:: 3; i; j; k], [:: 9; i'; j'] => [&& i == i', j == j' & k.+1 == d]
  | [:: 8; i; j], [:: 8; i'; j'] => (i == i') && is_next mask i j j'
  | [:: 8; i; j], [:: 9; i'; j'] => (i == i') && is_next mask i j j'
  | [:: 8; i; j], [:: 4; i'; j'] => (i == i') && (j == j')
  | [:: 9; i; j], [:: 6; i'; j'] => (i == i') && (j == j')
  | [:: 9; i; j], [:: 5; i'; _; j'] => (i == i') && (j == j')
  | _, _ => plain_name_edge u v
  end.

Lemma online_name_inj : injective online_name.
Proof.
move=> [v|[p|p]] [w|[q|q]] //=; first by move/attention_name_inj ->.
- by move/other_name => /(_ isT).
- by move/other_name => /(_ isT).
- by move/esym/other_name => /(_ isT).
- by move/pair_name_inj ->.
- by move/esym/other_name => /(_ isT).
by move/pair_name_inj ->.
Qed.

Lemma online_namesP x : reflect (exists v, online_name v = x) (x \in online_names).
Proof.
rewrite mem_cat [X in _ || X]mem_cat; apply: (iffP or3P) => [[/(@attention_namesP Nq Nk d dv stats mask _)[v <-]|/pair_namesP[p <-]|/pair_namesP[p <-]]|[[v|[p|p]] <-]].
- by exists (inl v).
- by exists (inr (inl p)).
- by exists (inr (inr p)).
- by constructor 1; apply/(@attention_namesP Nq Nk d dv stats mask _); exists v.
- by constructor 2; apply/pair_namesP; exists p.
by constructor 3; apply/pair_namesP; exists p.
Qed.

Lemma online_name_edgeP u v : edge u v = online_name_edge (online_name u) (online_name v).
Proof.
case: u v => [u|[p|p]] [v|[q|q]].
- have -> : edge (inl u : vertex (online d dv stats allowed)) (inl v) = @edge (attention d dv stats allowed) u v by case: u.
  rewrite attention_name_edgeP; by case: u v => [? ?|? ?|? ?|? ?|?|? ?|?|? ?] [? ?|? ?|? ?|? ?|?|? ?|?|? ?].
- by case: u => //= p k; rewrite pair_eqE -andbA.
- by case: u => //= p k; rewrite pair_eqE -andbA.
- by case: v => //= q; rewrite pair_eqE.
- by rewrite /= next_pairE.
- by rewrite /= next_pairE.
- by case: v => //= q *; rewrite pair_eqE.
- by [].
by [].
Qed.

Lemma online_name_outputP v : output v = safe_name_output (online_name v).
Proof. by case: v => [[]|[p|p]] //= *; rewrite last_pairE. Qed.

Definition online_named : named (online d dv stats allowed) :=
  Named online_name_inj online_namesP online_name_edgeP online_name_outputP.

End SoftmaxNames.
