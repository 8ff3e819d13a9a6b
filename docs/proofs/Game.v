(** * The red-blue pebble game

    All that a reader has to trust: what a computation is, which moves are legal, what they cost. The rules are those of
    docs/game.md, recomputation and sliding allowed; forbidding either leaves fewer pebblings, so that a lower bound
    stays one. *)

From mathcomp Require Import all_ssreflect.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** A computation: finitely many vertices, [edge p v] if the value of [v] is made from that of [p] (among others), and the
    vertices that are wanted. That edges make no circle is not needed. *)
Record dag := Dag { vertex : finType; edge : rel vertex; output : pred vertex }.

Section Rules.

Variable G : dag.

(** Inputs are the vertices that nothing leads to. *)
Definition input (v : vertex G) := [forall p, ~~ edge p v].

(** Red vertices have their value in fast memory, blue ones in slow memory. *)
Record state := State { red : {set vertex G}; blue : {set vertex G} }.

Inductive move :=
  | Load of vertex G
  | Store of vertex G
  | Compute of vertex G
  | Delete of vertex G
  | Slide of vertex G & vertex G. (* [Slide v p]: compute [v]; its pebble comes from [p] *)

Definition start := State set0 [set v | input v].

Definition next (s : state) (m : move) :=
  match m with
  | Load v => State (v |: red s) (blue s)
  | Store v => State (red s) (v |: blue s)
  | Compute v => State (v |: red s) (blue s)
  | Delete v => State (red s :\ v) (blue s)
  | Slide v p => State (v |: (red s :\ p)) (blue s)
  end.

Definition computable (s : state) v := ~~ input v && [forall p, edge p v ==> (p \in red s)].

(** A move is legal if it may be made, and at most [M] vertices are red after it. *)
Definition legal (M : nat) (s : state) (m : move) :=
  match m with
  | Load v => v \in blue s
  | Store v => v \in red s
  | Compute v => computable s v
  | Delete v => v \in red s
  | Slide v p => [&& computable s v, edge p v & v \notin red s]
  end && (#|red (next s m)| <= M).

Fixpoint all_legal M s ms := if ms is m :: ms' then legal M s m && all_legal M (next s m) ms' else true.

(** A pebbling with [M] words of fast memory: legal moves that leave every output blue. *)
Definition pebbling M ms :=
  all_legal M start ms && [forall v, output v ==> (v \in blue (foldl next start ms))].

(** Its cost: a word for each load and each store. *)
Definition io (ms : seq move) := count (fun m => match m with Load _ | Store _ => true | _ => false end) ms.

End Rules.
