(** * Segments

    What the proofs of segment bounds share, whatever the rules of the game: the words of a segment, those that are red at its start and
    those that are new in it; the cutting lemma for them; and what must have been made in a segment, if its words are known. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Cutting.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** Different things take different times. *)
Lemma card_taken (V : finType) (f : nat -> option V) (A : {set V}) a b :
  (forall v, v \in A -> exists2 t, a <= t < b & f t = Some v) -> #|A| <= \sum_(a <= t < b) (f t : bool).
Proof.
move=> taken; have -> : \sum_(a <= t < b) (f t : bool) = \sum_(t < b - a) (f (a + t) : bool).
  rewrite -(big_mkord xpredT (fun t => (f (a + t) : bool) : nat)) -[in LHS](add0n a) big_addn.
  by apply: eq_bigr => t _; rewrite addnC.
have -> : \sum_(t < b - a) (f (a + t) : bool) = #|[set t : 'I_(b - a) | isSome (f (a + t))]|.
  by rewrite -sum1_card [RHS]big_mkcond; apply: eq_bigr => t _; rewrite inE; case: (f _).
rewrite -(card_imset _ (@Some_inj _)); apply: leq_trans (leq_imset_card (fun t : 'I_(b - a) => f (a + t)) _).
apply/subset_leq_card/subsetP => _ /imsetP[v /taken[t /andP[le_t lt_t] ft] ->].
have lt_ta : t - a < b - a by apply: ltn_sub2r => //; apply: leq_ltn_trans lt_t.
by apply/imsetP; exists (Ordinal lt_ta); rewrite ?inE /= subnKC // ft.
Qed.

Section Held.

(** Words that are red before the move [t], and the one that is new in it, if it counts. *)
Variables (V : finType) (red : nat -> {set V}) (new : nat -> option V).

Definition held a b := red a :|: [set v | has (fun t => new t == Some v) (index_iota a b)].

Lemma card_held a b : #|held a b| <= #|red a| + \sum_(a <= t < b) (new t : bool).
Proof.
apply: leq_trans (leq_card_setU _ _) _; rewrite leq_add2l; apply: card_taken => v.
by rewrite inE => /hasP[t]; rewrite mem_index_iota => in_t /eqP new_t; exists t.
Qed.

Lemma held_red a b v : v \in red a -> v \in held a b.
Proof. by rewrite inE => ->. Qed.

Lemma held_new a b t v : a <= t < b -> new t = Some v -> v \in held a b.
Proof. by move=> in_t new_t; rewrite !inE; apply/orP; right; apply/hasP; exists t; rewrite ?mem_index_iota ?new_t. Qed.

(** The cutting lemma: if a segment with [T] words has events of weight [F] at most, but for what is struck out. *)
Lemma cut_held n M (events : nat -> nat) (struck : nat -> nat -> nat) T F h :
  red 0 = set0 -> (forall t, #|red t| <= M) ->
  (forall a b c, a <= b <= c -> struck a b + struck b c <= struck a c) ->
  (forall a b, #|held a b| <= T -> \sum_(a <= t < b) events t <= F + struck a b) ->
  0 < h -> h * F + struck 0 n < \sum_(0 <= t < n) events t ->
  M + 1 + h * T <= \sum_(0 <= t < n) (new t : bool) + h * M.
Proof.
move=> red0 le_M super bounded h_gt0 many.
have seg a b : a <= b <= n -> #|red a| + \sum_(a <= t < b) (new t : bool) <= T -> \sum_(a <= t < b) events t <= F + struck a b.
  by move=> _ le_T; apply: bounded; apply: leq_trans (card_held a b) le_T.
have := @cut_struck n M 1 T F (fun t => (new t : bool)) events (fun a => #|red a|) struck _ le_M seg super h.
rewrite red0 cards0 => /(_ (fun t => leq_b1 _) erefl h_gt0 many); clear; nia.
Qed.

End Held.

(** In a segment with the words [W], what is red at some time, and what is computed. Vertices that are [summed], in any order, are no
    words by themselves. *)
Section Closed.

Variables (G : dag) (summed : pred (vertex G)) (W : {set vertex G}) (red made : vertex G -> Prop).

Record closed : Prop := Closed {
  input_in : forall v, input v -> red v -> v \in W;
  red_made : forall v, v \notin W -> red v -> made v;
  made_red : forall p v, made v -> edge p v -> ~~ summed p -> red p
}.

(** A chain that has nothing in [W] and ends in the segment was made there from its start. *)
Lemma chain_made n (c : 'I_n -> vertex G) : closed -> (forall k, ~~ summed (c k)) ->
  (forall k k' : 'I_n, k.+1 = k' :> nat -> edge (c k) (c k')) ->
  (forall k, c k \notin W) -> (forall k : 'I_n, k.+1 = n -> red (c k)) -> forall k, made (c k).
Proof.
move=> all_in tied step not_in last_red k; have [r le_r] := ubnP (n - k); elim: r k le_r => // r IH k le_r.
apply: (red_made all_in) => //; case: (eqVneq k.+1 n) => [last_k|ne_k]; first exact: last_red.
have lt_k : k.+1 < n by rewrite ltn_neqAle ne_k ltn_ord.
have made_next : made (c (Ordinal lt_k)) by apply: IH; move: (ltn_ord k) le_r; clear; rewrite /=; lia.
by apply: (made_red all_in made_next) => //; apply: step.
Qed.

End Closed.

Section Chains.

Variables (G : dag) (M : nat) (ms : seq (move G)) (W : {set vertex G}) (a b : nat).
Hypothesis legal_ms : pebbling M ms.
Hypothesis hand_words : forall v, at_hand ms a b v -> v \in W.

Definition is_red v := exists2 t, a <= t < b & v \in red_at ms t.
Definition is_made v := exists2 t, a <= t < b & computed ms t = Some v.

Lemma segment_closed summed : closed summed W is_red is_made.
Proof.
split=> [v in_v [t in_t red_v]|v not_in [t in_t red_v]|p v [t in_t comp_t] edge_p _].
- exact: (input_in_words legal_ms hand_words in_t).
- exact: (made_in_segment hand_words in_t).
by exists t => //; apply: (computed_red legal_ms comp_t).
Qed.

End Chains.
