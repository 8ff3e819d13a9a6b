(** * T1: the product of P and V alone

    docs/proofs/forward.md, T1. The events are the multiply-adds of P times V, all allowed pairs times [dv]. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times LoomisWhitney Tracing Attention AttentionFacts T1Function.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section T1.

Variables (Nq Nk d dv : nat) (stats : bool) (allowed : 'I_Nq -> 'I_Nk -> bool).

Notation pair := (pair allowed).
Notation query := (query allowed).
Notation key := (key allowed).
Notation G := (attention d dv stats allowed).

(** The traced chains U[i,e,.]. *)
Definition u_step := [finType of pair * 'I_dv].
Definition u_vert (x : u_step) : vertex G := Partial d x.1 x.2.
Definition u_follows (x y : u_step) := next_pair x.1 y.1 && (x.2 == y.2).
Definition u_left (x : u_step) := Nk - place x.1.
Definition u_chain (x : u_step) := (row x.1, x.2).

Fact u_vert_inj : injective u_vert.
Proof. by move=> [p e] [q e'] [-> ->]. Qed.

Fact u_no_input x : ~~ input (u_vert x).
Proof. by apply/forallPn; exists (Weight _ _ x.1); rewrite negbK /= eqxx. Qed.

Fact u_follows_left x y : u_follows x y -> u_left y < u_left x.
Proof.
case/andP=> /and3P[_ lt_xy _] _; have lt_y : place y.1 < Nk by apply: ltn_ord.
by rewrite /u_left; move: (place x.1) (place y.1) lt_xy lt_y; clear; lia.
Qed.

Fact u_follows_edge x y : u_follows x y -> edge (u_vert x) (u_vert y).
Proof. by []. Qed.

Fact u_follows_fun x y z : u_follows x y -> u_follows x z -> y = z.
Proof.
move: x y z => [p e] [q e'] [r e''] /andP[/= next_q /eqP <-] /andP[/= next_r /eqP <-].
by rewrite (next_pair_fun next_q next_r).
Qed.

Fact u_follows_chain x y : u_follows x y -> u_chain x = u_chain y.
Proof. by case/andP=> /and3P[/eqP eq_row _ _] /eqP eq_e; rewrite /u_chain eq_row eq_e. Qed.

Fact u_last_step M (ms : seq (move G)) x : pebbling M ms -> (forall y, ~~ u_follows x y) ->
  exists t, computed ms t = Some (u_vert x).
Proof.
move=> legal_ms none; have last_x : last_pair x.1.
  by apply: next_or_last => q; have := none (q, x.2); rewrite /u_follows /= eqxx andbT.
have edge_o : edge (u_vert x) (Output _ (row x.1) x.2 : vertex G) by rewrite /= last_x !eqxx.
have no_input : ~~ input (Output _ (row x.1) x.2 : vertex G).
  by apply/forallPn; exists (u_vert x); rewrite negbK.
have [t comp_t] := output_computed legal_ms (isT : output (Output _ (row x.1) x.2 : vertex G)) no_input.
have [s _ comp_s] := red_computed legal_ms (u_no_input x) (computed_red legal_ms comp_t edge_o).
by exists s.
Qed.

Fact u_card_first : #|[set x | first u_follows x]| <= #|query| * dv.
Proof.
have inj : {in [set x | first u_follows x] &, injective u_chain}.
  suff earliest (x y : u_step) : first u_follows x -> row y.1 = row x.1 -> place x.1 <= place y.1.
    move=> x y; rewrite !inE => first_x first_y eq_chain.
    have eq_row : row x.1 = row y.1 := congr1 fst eq_chain; have eq_e : x.2 = y.2 := congr1 snd eq_chain.
    rewrite (surjective_pairing x) (surjective_pairing y) eq_e; congr (_, _); apply: pair_eq => //.
    by apply/eqP; rewrite eqn_leq !earliest.
  move=> /forallP first_x eq_row; rewrite leqNgt; apply/negP => /(previous_pair eq_row)[q next_q].
  by have := first_x (q, x.2); rewrite /u_follows /= next_q eqxx.
rewrite -(card_in_imset inj) -[dv in X in _ <= X]card_ord -card_prod; exact: max_card.
Qed.

Definition triple (x : u_step) := (row x.1, column x.1, x.2).

Fact triple_inj : injective triple.
Proof.
move=> x y eq_t; have eq_row : row x.1 = row y.1 := congr1 (fun t => t.1.1) eq_t.
have eq_e : x.2 = y.2 := congr1 snd eq_t.
rewrite (surjective_pairing x) (surjective_pairing y) eq_e; congr (_, _); apply: pair_eq => //.
by rewrite /place (congr1 (fun t => t.1.2) eq_t : column x.1 = column y.1).
Qed.

(** A pair has only [dv] events. *)
Lemma card_by_pairs (D : {set u_step}) (S : {set query * key}) :
  (forall x, x \in D -> (row x.1, column x.1) \in S) -> #|D| <= dv * #|S|.
Proof.
move=> in_S; rewrite -(card_imset _ triple_inj).
have -> : dv * #|S| = #|setX S [set: 'I_dv]| by rewrite cardsX cardsT card_ord mulnC.
by apply/subset_leq_card/subsetP => _ /imsetP[x in_D ->]; rewrite !inE andbT; apply: in_S.
Qed.

(** Events of U in a segment, by what is at hand there. *)
Section Segment.

Variables (M : nat) (ms : seq (move G)) (when : u_step -> nat) (a b : nat) (W : {set vertex G}).
Hypothesis legal_ms : pebbling M ms.
Hypothesis computed_when : forall x, computed ms (when x) = Some (u_vert x).
Hypothesis hand_words : forall v, at_hand ms a b v -> v \in W.
Hypothesis chain_at_hand : forall x, a <= when x < b -> exists2 y, u_chain y = u_chain x & u_vert y \in W.

Lemma u_events : #|[set x | a <= when x < b]| ^ 2 <=
  (#|charged W| + #|whole_queries W| * #|whole_keys W|) * #|output_words W| * #|value_words W|.
Proof.
rewrite -(card_imset _ triple_inj).
have le_served := card_served W.
apply: (@leq_trans (#|served W| * #|output_words W| * #|value_words W|)); last by rewrite -!mulnA leq_mul2r le_served orbT.
apply: loomis_whitney => i j e /imsetP[x]; rewrite inE => in_ab eq_t.
- rewrite (congr1 (fun t => t.1.1) eq_t : i = row x.1) (congr1 (fun t => t.1.2) eq_t : j = column x.1).
  apply: (weight_served legal_ms hand_words in_ab).
  by apply: (computed_red legal_ms (computed_when x)); rewrite /= eqxx.
- rewrite (congr1 (fun t => t.1.1) eq_t : i = row x.1) (congr1 snd eq_t : e = x.2).
  have [y chain_y in_W] := chain_at_hand in_ab.
  rewrite inE; apply/existsP; exists y.1; rewrite (congr1 fst chain_y : row y.1 = row x.1) eqxx /=.
  by rewrite -(congr1 snd chain_y : y.2 = x.2).
- rewrite (congr1 (fun t => t.1.2) eq_t : j = column x.1) (congr1 snd eq_t : e = x.2).
  rewrite inE; apply: (input_in_words legal_ms hand_words in_ab); first by apply/forallP => -[].
  by apply: (computed_red legal_ms (computed_when x)); rewrite /= !eqxx.
Qed.

Lemma u_events_pairs : #|[set x | a <= when x < b]| <= dv * (#|charged W| + #|whole_queries W| * #|whole_keys W|).
Proof.
apply: (@leq_trans (dv * #|served W|)); last by rewrite leq_mul2l card_served orbT.
apply: card_by_pairs => x; rewrite inE => in_ab; apply: (weight_served legal_ms hand_words in_ab).
by apply: (computed_red legal_ms (computed_when x)); rewrite /= eqxx.
Qed.

End Segment.

Theorem T1 M h T (ms : seq (move G)) :
  pebbling M ms -> 0 < d -> 0 < h -> h * t1_events d dv T < #|pair| * dv ->
  M + 1 + h * T + stats * #|query| <= io ms + h * M.
Proof.
move=> legal_ms d_gt0 h_gt0 many.
have [when traced_when] := trace legal_ms u_no_input u_follows_left u_follows_edge u_follows_fun
  (fun x => u_last_step legal_ms).
have seg a b : #|segment_words ms u_vert u_follows when a b| <= T -> \sum_(x | a <= when x < b) 1 <= t1_events d dv T.
  move=> le_T; rewrite sum1dep_card; set W := segment_words _ _ _ _ a b in le_T.
  have hand v : at_hand ms a b v -> v \in W by exact: at_hand_words.
  have counted := @u_events M ms when a b W legal_ms (fun x => (traced_when x).1) hand
    (fun x => chain_words legal_ms u_follows_edge traced_when u_follows_chain (x := x)).
  have capped := u_events_pairs legal_ms (fun x => (traced_when x).1) hand.
  apply: t1_count d_gt0 counted capped _; apply: leq_trans le_T; apply: leq_trans (card_kinds W).
  have := card_whole_queries W; have := card_whole_keys W; clear; lia.
have := cut_events legal_ms traced_when u_vert_inj seg h_gt0.
rewrite sum1_card card_prod card_ord => /(_ many).
have := attention_stores legal_ms; have := u_card_first; rewrite io_loads_stores; clear; lia.
Qed.

End T1.
