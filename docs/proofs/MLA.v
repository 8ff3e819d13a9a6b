(** * MLA: the product of P and the values, where the values are part of the keys

    docs/proofs/latent.md, MLA. The events are the multiply-adds of P times the latent words of the keys, all allowed pairs times [dv]. *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times LoomisWhitney Tracing Attention AttentionFacts T1 Latent LatentFacts MLAFunction.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** A segment of [T] words has [F] events at most: both cases of the page's F(T) are less than F + 1, the second one where w = T (1 - v²) with
    v = p/q, which is at least the place where it is greatest. *)
Definition mla_events (r dv T p q F : nat) := let d := dv + r in [/\ 0 < p, 3 * p ^ 2 < q ^ 2, T ^ 3 < 27 * (F + 1) ^ 2,
  d * (d + dv) * (q ^ 2 - 3 * p ^ 2) ^ 2 * q ^ 2 <= 4 * T * p ^ 2 * (q ^ 2 - p ^ 2) ^ 2 &
  T ^ 2 * dv * (q ^ 2 - p ^ 2) ^ 2 * (q ^ 2 + p ^ 2) < 4 * (d * (d + dv)) * (F + 1) * q ^ 4 * (q ^ 2 - 3 * p ^ 2)].

(** [c] charged pairs, [R] whole queries and [C] keys, [u] entries of the output and [k] latent words of the keys; [e] events of charged pairs,
    and [g] chains at most with each of the keys. *)
Lemma mla_count r dv T p q F c u k C R g e : 0 < dv -> mla_events r dv T p q F ->
  c + u + k + (dv + r) * R + r * C <= T -> e ^ 2 <= c * u * k -> dv * C <= k -> g <= u -> g <= dv * R -> e + C * g <= F.
Proof.
move=> dv_gt0 [p_gt0 root box place less] few work le_C le_g le_R.
have := @mla_whole (Z.of_nat T) (Z.of_nat dv) (Z.of_nat r) (Z.of_nat p) (Z.of_nat q) (Z.of_nat (F + 1)) (Z.of_nat c) (Z.of_nat u)
  (Z.of_nat k) (Z.of_nat C) (Z.of_nat R) (Z.of_nat g) (Z.of_nat e).
have [x eq_q] : exists x, q ^ 2 = 3 * p ^ 2 + x by exists (q ^ 2 - 3 * p ^ 2); rewrite subnKC // ltnW.
have eq_three : q ^ 2 - 3 * p ^ 2 = x by rewrite eq_q addKn.
have eq_one : q ^ 2 - p ^ 2 = 2 * p ^ 2 + x by rewrite eq_q; clear; lia.
rewrite eq_three eq_one (_ : q ^ 4 = q ^ 2 * q ^ 2) -?expnD // in place less.
have z_three : (Z.of_nat q * Z.of_nat q - 3 * (Z.of_nat p * Z.of_nat p) = Z.of_nat x)%Z by move: eq_q; clear; lia.
have z_one : (Z.of_nat q * Z.of_nat q - Z.of_nat p * Z.of_nat p = 2 * (Z.of_nat p * Z.of_nat p) + Z.of_nat x)%Z by move: eq_q; clear; lia.
rewrite z_three z_one => whole.
have end_nat : (Z.of_nat e + Z.of_nat C * Z.of_nat g < Z.of_nat (F + 1))%Z -> e + C * g <= F by clear; lia.
apply: end_nat; apply: whole; try (clear; lia).
- by move: dv_gt0; clear; lia.
- by move: p_gt0; clear; lia.
- by move: root; clear; case: q => [|q]; lia.
- by move: root; clear; lia.
- by move: box; clear; lia.
- by move: place; clear; lia.
- by move: less; clear; lia.
- by move: few; clear; lia.
- by move: work; clear; lia.
- by move: le_C; clear; lia.
- by move: le_g; clear; lia.
by move: le_R; clear; lia.
Qed.

Section MLA.

Variables (Nq Nk r dv : nat) (stats : bool) (allowed : 'I_Nq -> 'I_Nk -> bool).

Notation pair := (pair allowed).
Notation query := (query allowed).
Notation key := (key allowed).
Notation G := (latent r dv stats allowed).
Notation step := (u_step dv allowed).
Notation vert := (@part_vert Nq Nk Nk dv r dv dv stats id id id allowed).

(** Of a whole key the latent words are its value, and there are [r] rotary ones besides. *)
Section Kinds.

Variable W : {set vertex G}.

Lemma card_whole_latent : dv * #|whole_columns W| <= #|key_own_words W|.
Proof. by apply: card_whole_rows => j k; rewrite !inE => /andP[/forallP]. Qed.

Lemma card_whole_rotary : r * #|whole_columns W| <= #|key_rotary_words W|.
Proof.
have inj : injective (fun j : key => token_of id j).
  by move=> i j eq_ij; apply: val_inj; have := congr1 val eq_ij.
rewrite -(card_imset _ inj); apply: card_whole_rows => t k /imsetP[j in_j ->].
by move: in_j; rewrite !inE => /andP[_ /forallP].
Qed.

(** The chains in whole rows. *)
Definition row_chains := [set x in partial_words W | x.1 \in whole_rows W].

Lemma card_row_chains : #|row_chains| <= dv * #|whole_rows W|.
Proof.
have -> : dv * #|whole_rows W| = #|setX (whole_rows W) [set: 'I_dv]| by rewrite cardsX cardsT card_ord mulnC.
by apply/subset_leq_card/subsetP => -[i e]; rewrite in_setX inE in_setT andbT => /andP[].
Qed.

End Kinds.

(** Events in a segment: of charged pairs, and of whole rows with whole keys. *)
Section Segment.

Variables (M : nat) (ms : seq (move G)) (when : step -> nat) (a b : nat) (W : {set vertex G}).
Hypothesis legal_ms : pebbling M ms.
Hypothesis computed_when : forall x, computed ms (when x) = Some (vert x).
Hypothesis hand_words : forall v, at_hand ms a b v -> v \in W.
Hypothesis chain_at_hand : forall x, a <= when x < b -> exists2 y, u_chain y = u_chain x & vert y \in W.

Definition charged_events := [set x : step | (a <= when x < b) && (x.1 \in charged_pairs W)].

Let triple (x : step) := (row x.1, column x.1, x.2).

Fact triple_inj : injective triple.
Proof.
move=> x y eq_t; have eq_row : row x.1 = row y.1 := congr1 (fun t => t.1.1) eq_t.
have eq_e : x.2 = y.2 := congr1 snd eq_t.
rewrite (surjective_pairing x) (surjective_pairing y) eq_e; congr (_, _); apply: pair_eq => //.
by rewrite /place (congr1 (fun t => t.1.2) eq_t : column x.1 = column y.1).
Qed.

Lemma in_partial x : a <= when x < b -> (row x.1, x.2) \in partial_words W.
Proof.
move=> in_ab; have [y chain_y in_W] := chain_at_hand in_ab; rewrite inE; apply/existsP; exists y.1.
rewrite (congr1 fst chain_y : row y.1 = row x.1) eqxx /=.
by rewrite -(congr1 snd chain_y : y.2 = x.2).
Qed.

Lemma card_charged_events : #|charged_events| ^ 2 <= #|charged_pairs W| * #|partial_words W| * #|key_own_words W|.
Proof.
rewrite -(card_imset _ triple_inj).
apply: (@leq_trans (#|places (charged_pairs W)| * #|partial_words W| * #|key_own_words W|)); last first.
  by rewrite -!mulnA leq_mul2r leq_imset_card orbT.
apply: loomis_whitney => i j e /imsetP[x]; rewrite inE => /andP[in_ab ch] eq_t;
  rewrite ?(congr1 (fun t => t.1.1) eq_t : i = row x.1) ?(congr1 (fun t => t.1.2) eq_t : j = column x.1) ?(congr1 snd eq_t : e = x.2).
- by apply/imsetP; exists x.1.
- exact: in_partial.
rewrite inE; apply: (input_in_words legal_ms hand_words in_ab); first by apply/forallP => -[].
by apply: (computed_red legal_ms (computed_when x)); rewrite /= !eqxx.
Qed.

Lemma card_events : #|[set x | a <= when x < b]| <= #|charged_events| + #|whole_columns W| * #|row_chains W|.
Proof.
have -> : [set x | a <= when x < b] = charged_events :|: [set x | (a <= when x < b) && (x.1 \notin charged_pairs W)].
  by apply/setP => x; rewrite !inE -andb_orr orbN andbT.
apply: leq_trans (leq_card_setU _ _) _; rewrite leq_add2l -cardsX.
pose f (x : step) : key * (query * 'I_dv) := (column x.1, (row x.1, x.2)).
have f_inj : injective f.
  move=> x y eq_f; apply: triple_inj; rewrite /triple (congr1 fst eq_f : column x.1 = column y.1).
  by rewrite (congr1 (fun t => t.2.1) eq_f : row x.1 = row y.1) (congr1 (fun t => t.2.2) eq_f : x.2 = y.2).
rewrite -(card_imset _ f_inj); apply/subset_leq_card/subsetP => _ /imsetP[x in_x ->].
move: in_x; rewrite inE => /andP[in_ab not_charged].
have edge_x : edge (WeightOf x.1 : vertex G) (vert x) by rewrite /= eqxx.
have := two_part_served legal_ms hand_words in_ab (computed_red legal_ms (computed_when x) edge_x).
case=> [ch|[row_in column_in]]; first by rewrite ch in not_charged.
by rewrite in_setX column_in inE row_in andbT /=; apply: in_partial.
Qed.

Lemma few_events T p q F : 0 < dv -> mla_events r dv T p q F -> #|W| <= T -> #|[set x | a <= when x < b]| <= F.
Proof.
move=> dv_gt0 row_F le_T; apply: leq_trans card_events _.
apply: (mla_count dv_gt0 row_F _ card_charged_events (card_whole_latent W) _ (card_row_chains W)).
  have := card_two_parts W; have := card_whole_rows_own W; have := card_whole_rotary W; move: le_T.
  move: #|W| #|query_own_words W| #|query_rotary_words W| #|key_own_words W| #|key_rotary_words W| #|charged_pairs W| #|partial_words W|.
  by move: #|whole_rows W| #|whole_columns W|; clear; lia.
by apply/subset_leq_card/subsetP => x; rewrite inE => /andP[].
Qed.

End Segment.

Theorem MLA M h T p q F (ms : seq (move G)) :
  pebbling M ms -> 0 < dv -> 0 < h -> mla_events r dv T p q F -> h * F < #|pair| * dv ->
  M + 1 + h * T + stats * #|query| <= io ms + h * M.
Proof.
move=> legal_ms dv_gt0 h_gt0 row_F many.
have [when traced_when] := trace legal_ms (@part_no_input Nq Nk Nk dv r dv dv stats id id id allowed) (@u_follows_left Nq Nk dv allowed)
  (@part_follows_edge Nq Nk Nk dv r dv dv stats id id id allowed) (@u_follows_fun Nq Nk dv allowed) (fun x => part_last_step legal_ms).
have seg a b : #|segment_words ms vert (@u_follows Nq Nk dv allowed) when a b| <= T -> \sum_(x | a <= when x < b) 1 <= F.
  move=> le_T; rewrite sum1dep_card; set W := segment_words _ _ _ _ a b in le_T.
  apply: (few_events legal_ms _ _ _ dv_gt0 row_F le_T) => [x|v|x].
  - exact: (traced_when x).1.
  - exact: at_hand_words.
  exact: (chain_words legal_ms (@part_follows_edge Nq Nk Nk dv r dv dv stats id id id allowed) traced_when (@u_follows_chain Nq Nk dv allowed)).
have := cut_events legal_ms traced_when (@part_vert_inj Nq Nk Nk dv r dv dv stats id id id allowed) seg h_gt0.
rewrite sum1_card card_prod card_ord => /(_ many).
have le_stores : #|query| * dv + stats * #|query| <= stores ms := two_part_stores legal_ms.
by have := @u_card_first Nq Nk dv allowed; move: le_stores; rewrite io_loads_stores; clear; lia.
Qed.

End MLA.
