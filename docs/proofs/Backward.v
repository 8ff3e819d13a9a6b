(** * The backward pass of attention

    The computation of docs/computation.md, under a mask or none. Its arrays have the names that they have there. What no allowed
    pair needs does not exist. dQ is summed up over the allowed keys of a query, dK and dV over the allowed queries of a key, in
    their order. *)

From mathcomp Require Import all_ssreflect.
From Pebble Require Import Game Attention.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Backward.

Variables (Nq Nk d dv : nat) (allowed : 'I_Nq -> 'I_Nk -> bool).

Local Notation pair := (pair allowed).
Local Notation query := (query allowed).
Local Notation key := (key allowed).

(** The pair after [p] in its column, and the last pair of a column. *)
Definition height (p : pair) : nat := val (val (row p)).
Definition next_in_column (p q : pair) := [&& column p == column q, height p < height q &
  [forall r, (column r == column p) ==> ~~ (height p < height r < height q)]].
Definition last_in_column (p : pair) := [forall r, (column r == column p) ==> (height r <= height p)].

Inductive backward_vertex :=
  | Q of query & 'I_d (* Q[i,k] *)
  | K of key & 'I_d (* K[j,k] *)
  | V of key & 'I_dv (* V[j,e] *)
  | dO of query & 'I_dv (* dO[i,e] *)
  | O of query & 'I_dv (* O[i,e] *)
  | RowSum of query (* l[i] *)
  | S of pair & 'I_d (* S[i,j,k] *)
  | P of pair (* P[i,j] *)
  | D of query & 'I_dv (* D[i,e] *)
  | dP of pair & 'I_dv (* dP[i,j,e] *)
  | dS of pair (* dS[i,j] *)
  | dV of pair & 'I_dv (* dV[j,e,i] *)
  | dK of pair & 'I_d (* dK[j,k,i] *)
  | dQ of pair & 'I_d. (* dQ[i,k,j] *)

Definition backward_edge u v :=
  match u, v with
  | S p k, S p' k' => (p == p') && (k.+1 == k' :> nat)
  | Q i k, S p k' => (i == row p) && (k == k')
  | K j k, S p k' => (j == column p) && (k == k')
  | S p k, P p' => (p == p') && (k.+1 == d)
  | RowSum i, P p => i == row p
  | D i e, D i' e' => (i == i') && (e.+1 == e' :> nat)
  | dO i e, D i' e' => (i == i') && (e == e')
  | O i e, D i' e' => (i == i') && (e == e')
  | dP p e, dP p' e' => (p == p') && (e.+1 == e' :> nat)
  | dO i e, dP p e' => (i == row p) && (e == e')
  | V j e, dP p e' => (j == column p) && (e == e')
  | P p, dS p' => p == p'
  | dP p e, dS p' => (p == p') && (e.+1 == dv)
  | D i e, dS p => (i == row p) && (e.+1 == dv)
  | dV p e, dV p' e' => next_in_column p p' && (e == e')
  | P p, dV p' _ => p == p'
  | dO i e, dV p e' => (i == row p) && (e == e')
  | dK p k, dK p' k' => next_in_column p p' && (k == k')
  | dS p, dK p' _ => p == p'
  | Q i k, dK p k' => (i == row p) && (k == k')
  | dQ p k, dQ p' k' => next_pair p p' && (k == k')
  | dS p, dQ p' _ => p == p'
  | K j k, dQ p k' => (j == column p) && (k == k')
  | _, _ => false
  end.

Definition backward_output v :=
  match v with dV p _ => last_in_column p | dK p _ => last_in_column p | dQ p _ => last_pair p | _ => false end.

(** That the vertices are finitely many. *)
Definition code v : (query * 'I_d + key * 'I_d + key * 'I_dv) + (query * 'I_dv + query * 'I_dv + query) +
    (pair * 'I_d + pair + query * 'I_dv) + (pair * 'I_dv + pair) + (pair * 'I_dv + pair * 'I_d + pair * 'I_d) :=
  match v with
  | Q i k => inl (inl (inl (inl (inl (inl (i, k))))))
  | K j k => inl (inl (inl (inl (inl (inr (j, k))))))
  | V j e => inl (inl (inl (inl (inr (j, e)))))
  | dO i e => inl (inl (inl (inr (inl (inl (i, e))))))
  | O i e => inl (inl (inl (inr (inl (inr (i, e))))))
  | RowSum i => inl (inl (inl (inr (inr i))))
  | S p k => inl (inl (inr (inl (inl (p, k)))))
  | P p => inl (inl (inr (inl (inr p))))
  | D i e => inl (inl (inr (inr (i, e))))
  | dP p e => inl (inr (inl (p, e)))
  | dS p => inl (inr (inr p))
  | dV p e => inr (inl (inl (p, e)))
  | dK p k => inr (inl (inr (p, k)))
  | dQ p k => inr (inr (p, k))
  end.
Definition decode c :=
  match c with
  | inl (inl (inl (inl (inl (inl (i, k)))))) => Q i k
  | inl (inl (inl (inl (inl (inr (j, k)))))) => K j k
  | inl (inl (inl (inl (inr (j, e))))) => V j e
  | inl (inl (inl (inr (inl (inl (i, e)))))) => dO i e
  | inl (inl (inl (inr (inl (inr (i, e)))))) => O i e
  | inl (inl (inl (inr (inr i)))) => RowSum i
  | inl (inl (inr (inl (inl (p, k))))) => S p k
  | inl (inl (inr (inl (inr p)))) => P p
  | inl (inl (inr (inr (i, e)))) => D i e
  | inl (inr (inl (p, e))) => dP p e
  | inl (inr (inr p)) => dS p
  | inr (inl (inl (p, e))) => dV p e
  | inr (inl (inr (p, k))) => dK p k
  | inr (inr (p, k)) => dQ p k
  end.
Lemma codeK : cancel code decode. Proof. by case. Qed.
Definition backward_vertex_eqMixin := CanEqMixin codeK.
Canonical backward_vertex_eqType := EqType backward_vertex backward_vertex_eqMixin.
Definition backward_vertex_choiceMixin := CanChoiceMixin codeK.
Canonical backward_vertex_choiceType := ChoiceType backward_vertex backward_vertex_choiceMixin.
Definition backward_vertex_countMixin := CanCountMixin codeK.
Canonical backward_vertex_countType := CountType backward_vertex backward_vertex_countMixin.
Definition backward_vertex_finMixin := CanFinMixin codeK.
Canonical backward_vertex_finType := FinType backward_vertex backward_vertex_finMixin.

Definition backward := Dag backward_edge backward_output.

(** Where dV, dK and dQ are summed up in any order: two vertices are terms of one sum. *)
Definition backward_free : rel (vertex backward) := fun u v =>
  match u, v with
  | dV p e, dV p' e' => (column p == column p') && (e == e')
  | dK p k, dK p' k' => (column p == column p') && (k == k')
  | dQ p k, dQ p' k' => (row p == row p') && (k == k')
  | _, _ => false
  end.

End Backward.

Arguments Q {Nq Nk d dv allowed}.
Arguments K {Nq Nk d dv allowed}.
Arguments V {Nq Nk d dv allowed}.
Arguments dO {Nq Nk d dv allowed}.
Arguments O {Nq Nk d dv allowed}.
Arguments RowSum {Nq Nk d dv allowed}.
Arguments S {Nq Nk d dv allowed}.
Arguments P {Nq Nk d dv allowed}.
Arguments D {Nq Nk d dv allowed}.
Arguments dP {Nq Nk d dv allowed}.
Arguments dS {Nq Nk d dv allowed}.
Arguments dV {Nq Nk d dv allowed}.
Arguments dK {Nq Nk d dv allowed}.
Arguments dQ {Nq Nk d dv allowed}.
