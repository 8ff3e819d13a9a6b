(** * T1: the product of P and V alone

    docs/proofs/forward.md, T1. The events are the multiply-adds of P times V, all allowed pairs times [dv]. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Segments LoomisWhitney Tracing Attention AttentionFacts T1Function.
From Pebble Require Processors AnyOrder Presences.

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

Variables (when : u_step -> nat) (a b : nat) (W : {set vertex G}) (red made : vertex G -> Prop).
Hypothesis in_segment : closed (@summed _ _ d dv stats allowed) W red made.
Hypothesis made_when : forall x, a <= when x < b -> made (u_vert x).
Hypothesis chain_at_hand : forall x, a <= when x < b -> exists2 y, u_chain y = u_chain x & u_vert y \in W.

Lemma pair_served x : a <= when x < b -> (row x.1, column x.1) \in served W.
Proof. by move=> in_ab; apply: (weight_served in_segment); apply: (made_red in_segment (made_when in_ab)); rewrite //= eqxx. Qed.

Lemma u_events : #|[set x | a <= when x < b]| ^ 2 <=
  (#|charged W| + #|whole_queries W| * #|whole_keys W|) * #|output_words W| * #|value_words W|.
Proof.
rewrite -(card_imset _ triple_inj).
have le_served := card_served W.
apply: (@leq_trans (#|served W| * #|output_words W| * #|value_words W|)); last by rewrite -!mulnA leq_mul2r le_served orbT.
apply: loomis_whitney => i j e /imsetP[x]; rewrite inE => in_ab eq_t.
- rewrite (congr1 (fun t => t.1.1) eq_t : i = row x.1) (congr1 (fun t => t.1.2) eq_t : j = column x.1).
  exact: pair_served.
- rewrite (congr1 (fun t => t.1.1) eq_t : i = row x.1) (congr1 snd eq_t : e = x.2).
  have [y chain_y in_W] := chain_at_hand in_ab.
  rewrite inE; apply/existsP; exists y.1; rewrite (congr1 fst chain_y : row y.1 = row x.1) eqxx /=.
  by rewrite -(congr1 snd chain_y : y.2 = x.2).
- rewrite (congr1 (fun t => t.1.2) eq_t : j = column x.1) (congr1 snd eq_t : e = x.2).
  rewrite inE; apply: (input_in in_segment); first by apply/forallP => -[].
  by apply: (made_red in_segment (made_when in_ab)); rewrite //= !eqxx.
Qed.

Lemma u_events_pairs : #|[set x | a <= when x < b]| <= dv * (#|charged W| + #|whole_queries W| * #|whole_keys W|).
Proof.
apply: (@leq_trans (dv * #|served W|)); last by rewrite leq_mul2l card_served orbT.
by apply: card_by_pairs => x; rewrite inE; apply: pair_served.
Qed.

Lemma segment_events T : 0 < d -> #|W| <= T -> \sum_(x | a <= when x < b) 1 <= t1_events d dv T.
Proof.
move=> d_gt0 le_T; rewrite sum1dep_card; apply: t1_count d_gt0 u_events u_events_pairs _.
apply: leq_trans le_T; apply: leq_trans (card_kinds W).
have := card_whole_queries W; have := card_whole_keys W; clear; lia.
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
  apply: segment_events d_gt0 => //.
  - by apply: (segment_closed legal_ms) => v; apply: at_hand_words.
  - by move=> x in_ab; exists (when x) => //; case: (traced_when x).
  exact: (chain_words legal_ms u_follows_edge traced_when u_follows_chain).
have := cut_events legal_ms traced_when u_vert_inj seg h_gt0.
rewrite sum1_card card_prod card_ord => /(_ many).
have := attention_stores legal_ms; have := u_card_first; rewrite io_loads_stores; clear; lia.
Qed.

(** ** In any order

    Theorem P of docs/proofs/any-order.md: the same with the sums U in any order, those of l as well or not, and with additions in slow
    memory. *)

Definition last_of (i : query) : pair := xchoose (last_pair_of i).

Fact last_ofP i : row (last_of i) = i /\ last_pair (last_of i).
Proof. by have /andP[/eqP] := xchooseP (last_pair_of i). Qed.

Import Presences.

(** O[i,e] is of the element U[i,e]. *)
Definition u_element (v : vertex G) := match v with Partial p e => Some (row p, e) | Output i e => Some (i, e) | _ => None end.
Definition u_item (v : vertex G) : vertex G := match v with Output i e => Partial _ (last_of i) e | _ => v end.

Theorem T1_any_order free_l M h T (ms : seq (AnyOrder.move G)) :
  AnyOrder.pebbling (attention_free false free_l true) M ms -> 0 < d -> 0 < h -> h * t1_events d dv T < #|pair| * dv ->
  M + 1 + h * T + stats * #|query| <= AnyOrder.io ms + h * M.
Proof.
move=> legal_ms d_gt0 h_gt0 many; set free := attention_free _ _ _ in legal_ms.
have element_free u v : free u v -> u_element u = u_element v.
  by case: u v => [i k|j k|j e|p k|p|p e|p|i e] [i' k'|j' k'|j' e'|p' k'|p'|p' e'|p'|i' e'] //= /andP[/eqP -> /eqP ->].
have tied_sum v : ~~ summed v -> Processors.sum free v = [set v].
  move=> tied; apply/setP => u; rewrite !inE; case: eqP => //= _; apply/negbTE.
  by case: u v tied => [i k|j k|j e|p k|p|p e|p|i e] [i' k'|j' k'|j' e'|p' k'|p'|p' e'|p'|i' e'].
have by_edge (p v : vertex G) : edge p v -> ~~ input v by move=> edge_p; apply/forallPn; exists p; rewrite negbK.
have sum_input v : input v -> Processors.sum free v = [set v].
  move=> in_v; apply: tied_sum; case: v in_v => //= [p e|p|i e] in_v.
  - by case/negP: (u_no_input (p, e)).
  - by have := by_edge (Weight _ _ p) (RowSum _ _ p) (eqxx p); rewrite in_v.
  have [eq_row last_i] := last_ofP i.
  by have := by_edge (Partial _ (last_of i) e) (Output _ i e); rewrite in_v /= last_i eq_row !eqxx => /(_ isT).
have tied_operand (p v : vertex G) : edge p v -> ~~ summed p -> p \notin Processors.sum free v.
  move=> edge_p tied; rewrite inE negb_or; apply/andP; split.
    by apply/eqP => eq_p; case: p v edge_p tied eq_p => [i k|j k|j e|p k|p|p e|p|i e] // v + _ eq_p; rewrite -eq_p //= eqn_leq ltnn andbF.
  by case: p v tied {edge_p} => [i k|j k|j e|p k|p|p e|p|i e] [i' k'|j' k'|j' e'|p' k'|p'|p' e'|p'|i' e'].
have wanted x : exists2 o, output o & knows free u_element (u_vert x) (Processors.sum free o).
  exists (Output _ (row x.1) x.2) => //; apply/orP; right; apply/existsP; exists (Output _ (row x.1) x.2); rewrite inE eqxx /=.
  have [eq_row last_x] := last_ofP (row x.1); apply/existsP; exists (Partial _ (last_of (row x.1)) x.2).
  by rewrite !inE /= last_x eq_row !eqxx orbT.
have [when [begin paid]] := Presences.trace legal_ms (fun x => erefl : u_element (u_vert x) = Some (u_chain x)) u_no_input sum_input wanted.
pose out (y : 'I_stats * query) : vertex G := RowSum _ _ (last_of y.2).
have out_y y : [/\ output (out y), ~~ input (out y) & u_element (out y) = None].
  case: y => s i; have [_ last_i] := last_ofP i; split=> //; first by rewrite /= last_i andbT; case: (stats) s => // -[].
  by apply: (by_edge (Weight _ _ (last_of i))); rewrite /= eqxx.
have out_inj y z v : out y \in Processors.sum free v -> out z \in Processors.sum free v -> y = z.
  have row_v j : (RowSum _ _ (last_of j) == v) || free (RowSum _ _ (last_of j)) v -> if v is RowSum p then j = row p else False.
    by rewrite -{3}(last_ofP j).1 /free => /orP[/eqP <- //|]; case: v => //= p /andP[_ /eqP].
  case: y z => [s i] [s' i']; rewrite !inE => /row_v + /row_v; case: v {row_v} => //= p -> ->; congr (_, _).
  by case: (stats) s s' => [] [[|n] lt_n] [[|m] lt_m] //; apply: val_inj.
have seg a b : #|words free ms begin u_item a b| <= T -> \sum_(x | a <= when x < b) 1 <= t1_events d dv T.
  apply: segment_events d_gt0.
  - by apply: (presences_closed (ms := ms) legal_ms _ tied_sum) => //; case.
  - by move=> x in_ab; exists (when x) => //; exact: computed_when paid x.
  move=> x in_ab; have [v [el_v in_W]] := element_words legal_ms element_free paid u_item in_ab.
  move: (u_chain x) el_v => c; case: v in_W => //= [p e|i e] in_W [<-]; first by exists (p, e).
  by exists (last_of i, e); rewrite // /u_chain (last_ofP i).1.
have := cut_presences legal_ms element_free sum_input paid out_y out_inj seg h_gt0.
by rewrite sum1_card !card_prod !card_ord; apply.
Qed.

End T1.
