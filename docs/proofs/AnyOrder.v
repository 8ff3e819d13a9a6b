(** * The game with sums in any order

    All that a reader has to trust about sums in any order in one fast memory: its words, which moves are legal, what is counted. The
    rules are those of docs/computation.md and docs/proofs/any-order.md, and allow more: slow memory keeps every word that it ever had,
    and a word that is made may take the place of any others. Forbidding that leaves fewer pebblings, so that a lower bound stays one. *)

From mathcomp Require Import all_ssreflect.
From Pebble Require Import Game.
From Pebble Require Processors.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Rules.

(** Two vertices are terms of one sum whose order is free. *)
Variables (G : dag) (free : rel (vertex G)).

(** As with several devices, a word is a set of terms of one sum: a partial sum. With all terms, [sum v], it is what others read; a
    vertex that is in no free sum has the word [sum v] = {v}. *)
Notation word := (Processors.word G).
Notation sum := (Processors.sum free).

(** Red words are in fast memory, blue ones in slow memory. *)
Record state := State { red : {set word}; blue : {set word} }.

Inductive move :=
  | Load of word
  | Store of word
  | Delete of word
  | Compute of word & vertex G & {set word}
    (* [Compute T t D]: to the partial sum [T], none if it is empty, the term [t] is added; its pebble comes from [D] *)
  | Merge of word & word & {set word}
  | Accumulate of word & word. (* [Accumulate T B]: the red [T] is added to [B] in slow memory *)

Definition start := State set0 [set w | [exists v, input v && (w == sum v)]].

Definition next s m :=
  match m with
  | Load w => State (w |: red s) (blue s)
  | Store w => State (red s) (w |: blue s)
  | Delete w => State (red s :\ w) (blue s)
  | Compute T t D => State ((t |: T) |: (red s :\: D)) (blue s)
  | Merge T T' D => State ((T :|: T') |: (red s :\: D)) (blue s)
  | Accumulate T B => State (red s) ((T :|: B) |: blue s)
  end.

(** Different terms of one sum. *)
Definition addable (T T' : word) := [disjoint T & T'] && [exists v, T :|: T' \subset sum v].

Definition legal M s m :=
  match m with
  | Load w => w \in blue s
  | Store w => w \in red s
  | Delete w => w \in red s
  | Compute T t _ => Processors.computable free (red s) T t
  | Merge T T' _ => [&& T \in red s, T' \in red s & addable T T']
  | Accumulate T B => [&& T \in red s, B \in blue s & addable T B]
  end && (#|red (next s m)| <= M).

Fixpoint all_legal M s ms := if ms is m :: ms' then legal M s m && all_legal M (next s m) ms' else true.

(** A pebbling with [M] words of fast memory: legal moves that leave all of every output blue. *)
Definition pebbling M ms :=
  all_legal M start ms && [forall v, output v ==> (sum v \in blue (foldl next start ms))].

(** Its cost: a word for each load, each store and each addition in slow memory. *)
Definition io (ms : seq move) := count (fun m => match m with Load _ | Store _ | Accumulate _ _ => true | _ => false end) ms.

End Rules.
