(** * The game of several devices

    What a reader has to trust about several devices: their words, which moves are legal, what is counted. The rules are those of
    docs/processors.md. A strict game forbids more, so that a lower bound stays one. *)

From mathcomp Require Import all_ssreflect.
From Pebble Require Import Game.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Rules.

(** A computation, by devices [0 .. P-1]. *)
Variables (G : dag) (P : nat).
Notation device := 'I_P.

(** Two vertices are terms of one sum whose order is free. *)
Variable free : rel (vertex G).

(** Who owns an input or an output. *)
Variable owner : vertex G -> device.

(** Words of each memory and of each fast memory; [None] is without limit. Without [M] only communication is played: devices compute
    in their memory. *)
Variables H M : option nat.

(** All terms of the sum that [v] is a term of; a vertex that is in no free sum is the only term of its own. *)
Definition sum v := [set u | (u == v) || free u v].

(** A word is a set of terms of one sum: a partial sum. With all terms, [sum v], it is what others read; a vertex that is in no free
    sum has the word [sum v] = {v}. *)
Definition word := {set vertex G}.

(** What each device holds in its memory and in its fast memory, and, until the superstep ends, which words are sent from one device to
    another, and which leave a memory when they have been sent. *)
Record state := State {
  memory : device -> {set word};
  fast : device -> {set word};
  sends : {set word * device * device};
  leaving : {set word * device}
}.

Inductive move :=
  | Load of device & word
  | Store of device & word
  | Delete of device & word
  | Compute of device & word & vertex G (* [Compute p T t]: to the partial sum [T], none if it is empty, the term [t] is added *)
  | Merge of device & word & word
  | Discard of device & word
  | Send of word & device & device (* from the first to the second *)
  | Superstep.

Definition working s := if M is Some _ then fast s else memory s.

Definition put (held : device -> {set word}) p w := fun q => if q == p then w |: held q else held q.
Definition take (held : device -> {set word}) p w := fun q => if q == p then held q :\ w else held q.

Definition make s p w :=
  if M is Some _ then State (memory s) (put (fast s) p w) (sends s) (leaving s)
  else State (put (memory s) p w) (fast s) (sends s) (leaving s).

Definition sent s w p := [exists q, (w, p, q) \in sends s].
Definition arriving s q := [set w | [exists p, (w, p, q) \in sends s]].
Definition left s p := [set w | (w, p) \in leaving s].

Definition next s m :=
  match m with
  | Load p w => State (memory s) (put (fast s) p w) (sends s) (leaving s)
  | Store p w => State (put (memory s) p w) (fast s) (sends s) (leaving s)
  | Delete p w => State (memory s) (take (fast s) p w) (sends s) (leaving s)
  | Compute p T t => make s p (t |: T)
  | Merge p T T' => make s p (T :|: T')
  | Discard p w => if sent s w p then State (memory s) (fast s) (sends s) ((w, p) |: leaving s)
                   else State (take (memory s) p w) (fast s) (sends s) (leaving s)
  | Send w p q => State (memory s) (fast s) ((w, p, q) |: sends s) (leaving s)
  | Superstep => State (fun p => (memory s p :|: arriving s p) :\: left s p) (fast s) set0 set0
  end.

(** The operands of a term are what it is made from outside of its sum. *)
Definition computable (held : {set word}) (T : word) t :=
  [&& ~~ input t, t \notin T, T \subset sum t, (T == set0) || (T \in held) &
      [forall v, edge v t && (v \notin sum t) ==> (sum v \in held)]].

Definition allowed_by_rule s m :=
  match m with
  | Load p w => isSome M && (w \in memory s p)
  | Store p w => isSome M && (w \in fast s p)
  | Delete p w => isSome M && (w \in fast s p)
  | Compute p T t => computable (working s p) T t
  | Merge p T T' => [&& T \in working s p, T' \in working s p, [disjoint T & T'] & [exists v, T :|: T' \subset sum v]]
  | Discard p w => (w \in memory s p) && (w \notin left s p)
  | Send w p q => (p != q) && ((w, p, q) \notin sends s)
  | Superstep => [forall a, (a \in sends s) ==> (a.1.1 \in memory s a.1.2)]
  end.

(** The most that a memory holds in a move: at the end of a superstep what has arrived, and what leaves. *)
Definition fullest s m p := if m is Superstep then memory s p :|: arriving s p else memory (next s m) p.
Definition fits limit (held : {set word}) := if limit is Some n then #|held| <= n else true.

Definition legal s m := allowed_by_rule s m && [forall p, fits H (fullest s m p) && fits M (fast (next s m) p)].

Fixpoint all_legal s ms := if ms is m :: ms' then legal s m && all_legal (next s m) ms' else true.

Definition start :=
  State (fun p => [set w | [exists v, [&& input v, owner v == p & w == sum v]]]) (fun _ => set0) set0 set0.

(** A run: legal moves, the last superstep ended, that leave every output with its owner. *)
Definition run ms :=
  [&& [forall p, fits H (memory start p)], all_legal start (rcons ms Superstep) &
      [forall v, output v ==> (sum v \in memory (foldl next start (rcons ms Superstep)) (owner v))]].

(** What is counted. *)
Definition words_sent (ms : seq move) := count (fun m => if m is Send _ _ _ then true else false) ms.
Definition sent_by q (ms : seq move) := count (fun m => if m is Send _ p _ then p == q else false) ms.
Definition received_by q (ms : seq move) := count (fun m => if m is Send _ _ p then p == q else false) ms.

End Rules.
