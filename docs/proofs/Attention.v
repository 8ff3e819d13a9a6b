(** * The forward pass of attention

    The computation of docs/computation.md, under a mask or none: [allowed i j] tells whether query [i] sees key [j]. What no
    allowed pair needs does not exist. Sums run over the allowed keys of a query in their order. *)

From mathcomp Require Import all_ssreflect.
From Pebble Require Import Game.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Attention.

Variables (Nq Nk d dv : nat) (stats : bool) (allowed : 'I_Nq -> 'I_Nk -> bool).

(** The allowed pairs, and the queries and keys that have one. *)
Definition pair := [finType of {p : 'I_Nq * 'I_Nk | allowed p.1 p.2}].
Definition query := [finType of {i : 'I_Nq | [exists j, allowed i j]}].
Definition key := [finType of {j : 'I_Nk | [exists i, allowed i j]}].

Lemma row_allowed (p : pair) : [exists j, allowed (val p).1 j].
Proof. by apply/existsP; exists (val p).2; apply: (valP p). Qed.
Lemma column_allowed (p : pair) : [exists i, allowed i (val p).2].
Proof. by apply/existsP; exists (val p).1; apply: (valP p). Qed.

Definition row (p : pair) : query := Sub (val p).1 (row_allowed p).
Definition column (p : pair) : key := Sub (val p).2 (column_allowed p).
Definition place (p : pair) : nat := val (column p).

(** The pair after [p] in its row, and the last pair of a row. *)
Definition next_pair (p q : pair) := [&& row p == row q, place p < place q &
  [forall r, (row r == row p) ==> ~~ (place p < place r < place q)]].
Definition last_pair (p : pair) := [forall r, (row r == row p) ==> (place r <= place p)].

Inductive attention_vertex :=
  | Query of query & 'I_d (* Q[i,k] *)
  | Key of key & 'I_d (* K[j,k] *)
  | Value of key & 'I_dv (* V[j,e] *)
  | Score of pair & 'I_d (* S[i,j,k] *)
  | Weight of pair (* P[i,j] *)
  | Partial of pair & 'I_dv (* U[i,e,j], the output not yet divided *)
  | RowSum of pair (* l[i,j] *)
  | Output of query & 'I_dv. (* O[i,e] *)

Definition attention_edge u v :=
  match u, v with
  | Query i k, Score p k' => (i == row p) && (k == k')
  | Key j k, Score p k' => (j == column p) && (k == k')
  | Score p k, Score p' k' => (p == p') && (k.+1 == k' :> nat)
  | Score p k, Weight p' => (p == p') && (k.+1 == d)
  | Weight p, RowSum p' => p == p'
  | RowSum p, RowSum p' => next_pair p p'
  | Weight p, Partial p' _ => p == p'
  | Value j e, Partial p e' => (j == column p) && (e == e')
  | Partial p e, Partial p' e' => next_pair p p' && (e == e')
  | Partial p e, Output i e' => [&& last_pair p, row p == i & e == e']
  | RowSum p, Output i _ => last_pair p && (row p == i)
  | _, _ => false
  end.

Definition attention_output v :=
  match v with Output _ _ => true | RowSum p => stats && last_pair p | _ => false end.

(** That the vertices are finitely many. *)
Definition code v : query * 'I_d + key * 'I_d + key * 'I_dv + (pair * 'I_d + pair) + pair * 'I_dv + (pair + query * 'I_dv) :=
  match v with
  | Query i k => inl (inl (inl (inl (inl (i, k)))))
  | Key j k => inl (inl (inl (inl (inr (j, k)))))
  | Value j e => inl (inl (inl (inr (j, e))))
  | Score p k => inl (inl (inr (inl (p, k))))
  | Weight p => inl (inl (inr (inr p)))
  | Partial p e => inl (inr (p, e))
  | RowSum p => inr (inl p)
  | Output i e => inr (inr (i, e))
  end.
Definition decode c :=
  match c with
  | inl (inl (inl (inl (inl (i, k))))) => Query i k
  | inl (inl (inl (inl (inr (j, k))))) => Key j k
  | inl (inl (inl (inr (j, e)))) => Value j e
  | inl (inl (inr (inl (p, k)))) => Score p k
  | inl (inl (inr (inr p))) => Weight p
  | inl (inr (p, e)) => Partial p e
  | inr (inl p) => RowSum p
  | inr (inr (i, e)) => Output i e
  end.
Lemma codeK : cancel code decode. Proof. by case. Qed.
Definition attention_vertex_eqMixin := CanEqMixin codeK.
Canonical attention_vertex_eqType := EqType attention_vertex attention_vertex_eqMixin.
Definition attention_vertex_choiceMixin := CanChoiceMixin codeK.
Canonical attention_vertex_choiceType := ChoiceType attention_vertex attention_vertex_choiceMixin.
Definition attention_vertex_countMixin := CanCountMixin codeK.
Canonical attention_vertex_countType := CountType attention_vertex attention_vertex_countMixin.
Definition attention_vertex_finMixin := CanFinMixin codeK.
Canonical attention_vertex_finType := FinType attention_vertex attention_vertex_finMixin.

Definition attention := Dag attention_edge attention_output.

(** Where sums are added in any order: two vertices are terms of one sum, of S, of l or of U; each of the three may keep the order of the DAG. *)
Definition attention_free (free_S free_l free_U : bool) : rel (vertex attention) := fun u v =>
  match u, v with
  | Score p _, Score p' _ => free_S && (p == p')
  | RowSum p, RowSum p' => free_l && (row p == row p')
  | Partial p e, Partial p' e' => [&& free_U, row p == row p' & e == e']
  | _, _ => false
  end.

End Attention.

(** No mask. *)
Definition all_pairs Nq Nk (i : 'I_Nq) (j : 'I_Nk) := true.
