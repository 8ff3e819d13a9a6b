(** * What is needed again

    docs/proofs/large-cache.md, (1): at a moment, words that are red or loaded later, and are no inputs or have been red, cost a word each
    beyond the compulsory ones, but for those that are red. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Compulsory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Again.

Variables (G : dag) (M : nat) (ms : seq (move G)).
Hypothesis legal_ms : pebbling M ms.

Definition been_red s v := has (fun t => v \in red_at ms t) (iota 0 s.+1).
Definition again s := [set v | at_hand ms s (size ms) v].
Definition again_old s := [set v in again s | input v ==> been_red s v].

Lemma been_redP s v : reflect (exists2 t, t <= s & v \in red_at ms t) (been_red s v).
Proof.
apply: (iffP hasP) => -[t]; first by rewrite mem_iota add0n ltnS => /= le_t; exists t.
by move=> le_t is_red; exists t => //; rewrite mem_iota add0n ltnS.
Qed.

Lemma been_redW s t v : s <= t -> been_red s v -> been_red t v.
Proof. by move=> le_st /been_redP[u le_u is_red]; apply/been_redP; exists u => //; apply: leq_trans le_st. Qed.

Lemma again_between s t v : t <= size ms -> at_hand ms s t v -> v \in again s.
Proof. by move=> le_t hand; rewrite inE; apply: at_handW hand. Qed.

(** Different vertices take different times. *)
Lemma card_loads a b (A : {set vertex G}) : (forall v, v \in A -> exists2 t, a <= t < b & loaded ms t = Some v) ->
  #|A| <= \sum_(a <= t < b) (loaded ms t : bool).
Proof.
move=> taken; have := @card_times G (fun t => loaded ms (a + t)) A (b - a); rewrite -(big_mkord xpredT (fun t => loaded ms (a + t) : nat)) /=.
have -> : \sum_(0 <= t < b - a) (loaded ms (a + t) : nat) = \sum_(a <= t < b) (loaded ms t : bool).
  by rewrite -[in RHS](add0n a) big_addn; apply: eq_bigr => t _; rewrite addnC.
apply=> v /taken[t /andP[le_t lt_t] load_t]; exists (t - a); last by rewrite subnKC.
by rewrite ltn_sub2r // (leq_ltn_trans le_t).
Qed.

Lemma old_loaded s v : input v -> been_red s v -> exists2 t, t < s & loaded ms t = Some v.
Proof.
move=> in_v /been_redP[t le_t is_red]; have := input_at_hand legal_ms (leq0n t) in_v is_red.
rewrite /at_hand red_at0 inE /= => /hasP[u]; rewrite mem_index_iota => /= lt_u /eqP load_u.
by exists u => //; apply: leq_trans le_t.
Qed.

Theorem needed_again s : s <= size ms -> #|needed_inputs G| + #|again_old s| <= loads ms + M.
Proof.
move=> le_s; pose early := [set v in needed_inputs G | has (fun t => loaded ms t == Some v) (iota 0 s)].
have before : #|early| <= \sum_(0 <= t < s) (loaded ms t : bool).
  apply: card_loads => v; rewrite inE => /andP[_ /hasP[t]]; rewrite mem_iota add0n => /= lt_t /eqP load_t.
  by exists t.
have after : #|(needed_inputs G :\: early) :|: (again_old s :\: red_at ms s)| <= \sum_(s <= t < size ms) (loaded ms t : bool).
  apply: card_loads => v; rewrite inE => /orP[]; rewrite !inE.
    case/andP=> not_early needed_v; have [|t load_t] := needed_loaded (v := v) legal_ms; first by rewrite inE.
    exists t => //; rewrite (loaded_size load_t) andbT leqNgt; apply/negP => lt_t; case/negP: not_early.
    by rewrite needed_v; apply/hasP; exists t; rewrite ?mem_iota ?add0n ?load_t.
  case/andP=> not_red /andP[/orP[|/hasP[t in_t /eqP load_t] _]]; first by rewrite (negbTE not_red).
  by exists t => //; rewrite -mem_index_iota.
have apart : (needed_inputs G :\: early) :&: (again_old s :\: red_at ms s) = set0.
  apply/setP => v; rewrite !inE; apply/negP => /andP[/andP[not_early needed_v] /and3P[_ _ old_v]].
  have in_v : input v by case/andP: needed_v.
  have [t lt_t load_t] := old_loaded in_v (implyP old_v in_v).
  by case/negP: not_early; rewrite needed_v; apply/hasP; exists t; rewrite ?mem_iota ?add0n ?load_t.
move: after; rewrite cardsU apart cards0 subn0 => after.
have split_early : #|needed_inputs G :\: early| + #|early| = #|needed_inputs G|.
  have sub : early \subset needed_inputs G by apply/subsetP => v; rewrite inE => /andP[].
  by rewrite -(cardsID early (needed_inputs G)) (setIidPr sub) addnC.
have := cardsID (red_at ms s) (again_old s); have := card_red legal_ms s.
have := subset_leq_card (subsetIr (again_old s) (red_at ms s)).
rewrite /loads -(big_mkord xpredT (fun t => (loaded ms t : bool) : nat)) /= (big_cat_nat _ _ _ (leq0n s) le_s) /=.
move: before after split_early; clear; lia.
Qed.

End Again.
