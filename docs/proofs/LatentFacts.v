(** * What the proofs for keys of two parts share

    As AttentionFacts.v for docs/latent-attention.md: the words of each kind in a segment, what an uncharged pair needs, the chains U[i,e,.],
    and the outputs that are stored. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Compulsory LoomisWhitney Tracing Attention AttentionFacts T1 Latent.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Facts.

Variables (Nq Nk tokens own r dv words : nat) (stats : bool).
Variables (score_word : 'I_own -> 'I_words) (value_word : 'I_dv -> 'I_words) (token : 'I_Nk -> 'I_tokens).
Variable allowed : 'I_Nq -> 'I_Nk -> bool.

Notation pair := (pair allowed).
Notation query := (query allowed).
Notation key := (key allowed).
Notation used := (used_token token allowed).
Notation G := (two_parts r stats score_word value_word token allowed).

Fact token_used (j : key) : [exists j' : key, token (val j') == token (val j)].
Proof. by apply/existsP; exists j. Qed.
Definition token_of (j : key) : used := Sub (token (val j)) (token_used j).

Section Kinds.

Variable W : {set vertex G}.

Definition query_own_words := [set x : query * 'I_own | (QueryOwn x.1 x.2 : vertex G) \in W].
Definition query_rotary_words := [set x : query * 'I_r | (QueryRotary x.1 x.2 : vertex G) \in W].
Definition key_own_words := [set x : key * 'I_words | (KeyOwn x.1 x.2 : vertex G) \in W].
Definition key_rotary_words := [set x : used * 'I_r | (KeyRotary x.1 x.2 : vertex G) \in W].
Definition charged_pairs := [set p : pair | [|| (WeightOf p : vertex G) \in W,
  [exists k, (ScoreOwn p k : vertex G) \in W] | [exists k, (ScoreRotary p k : vertex G) \in W]]].
Definition partial_words := [set x : query * 'I_dv | [exists p, (row p == x.1) && ((PartialOf p x.2 : vertex G) \in W)]].

Lemma card_two_parts : #|query_own_words| + #|query_rotary_words| + (#|key_own_words| + #|key_rotary_words|) +
  (#|charged_pairs| + #|partial_words|) <= #|W|.
Proof.
rewrite -[#|W|](card_imset _ (can_inj (@two_part_codeK _ _ _ own r dv words token allowed))) card_sum_set.
apply: leq_trans (leq_addr _ _); rewrite card_sum_set; apply: leq_add; last first.
  rewrite card_sum_set; apply: leq_add; last first.
    apply: leq_trans (leq_imset_card (fun x : pair * 'I_dv => (row x.1, x.2)) _).
    apply/subset_leq_card/subsetP => -[i e]; rewrite [_ \in partial_words]inE => /existsP[p /andP[/eqP row_p in_W]].
    apply/imsetP; exists (p, e); last by rewrite /= row_p.
    by rewrite !inE; apply/imsetP; exists (PartialOf p e).
  apply: leq_trans (leq_imset_card (fun x => match x with inl (inl y) => y.1 | inl (inr y) => y.1 | inr p => p end) _).
  apply/subset_leq_card/subsetP => p; rewrite [_ \in charged_pairs]inE => /or3P[in_W|/existsP[k in_W]|/existsP[k in_W]].
  - by apply/imsetP; exists (inr p) => //; rewrite !inE; apply/imsetP; exists (WeightOf p).
  - by apply/imsetP; exists (inl (inl (p, k))) => //; rewrite !inE; apply/imsetP; exists (ScoreOwn p k).
  by apply/imsetP; exists (inl (inr (p, k))) => //; rewrite !inE; apply/imsetP; exists (ScoreRotary p k).
rewrite 3!card_sum_set.
apply: leq_add; apply: leq_add; apply/subset_leq_card/subsetP => -[i k].
- by rewrite [_ \in query_own_words]inE => in_W; rewrite !inE; apply/imsetP; exists (QueryOwn i k).
- by rewrite [_ \in query_rotary_words]inE => in_W; rewrite !inE; apply/imsetP; exists (QueryRotary i k).
- by rewrite [_ \in key_own_words]inE => in_W; rewrite !inE; apply/imsetP; exists (KeyOwn i k).
by rewrite [_ \in key_rotary_words]inE => in_W; rewrite !inE; apply/imsetP; exists (KeyRotary i k).
Qed.

(** Queries and keys all whose words that scores read are there. *)
Definition whole_rows := [set i : query | [forall k, (QueryOwn i k : vertex G) \in W] && [forall k, (QueryRotary i k : vertex G) \in W]].
Definition whole_columns := [set j : key | [forall k, (KeyOwn j (score_word k) : vertex G) \in W] &&
  [forall k, (KeyRotary (token_of j) k : vertex G) \in W]].

Lemma card_whole_rows_own : (own + r) * #|whole_rows| <= #|query_own_words| + #|query_rotary_words|.
Proof.
by rewrite mulnDl; apply: leq_add; apply: card_whole_rows => i k; rewrite !inE => /andP[/forallP own_in /forallP].
Qed.

End Kinds.

Section Segment.

Variables (M : nat) (ms : seq (move G)).
Hypothesis legal_ms : pebbling M ms.

Variables (W : {set vertex G}) (a b : nat).
Hypothesis hand_words : forall v, at_hand ms a b v -> v \in W.

(** A chain of scores none of which is in [W] was made in the segment if the weight that ends it was. *)
Lemma scores_made n (score : 'I_n -> vertex G) s weight : a <= s < b -> computed ms s = Some weight ->
  (forall k : 'I_n, k.+1 = n -> edge (score k) weight) -> (forall k k' : 'I_n, k.+1 = k' -> edge (score k) (score k')) ->
  (forall k, score k \notin W) -> forall k, exists2 u, a <= u < b & computed ms u = Some (score k).
Proof.
move=> in_s comp_s to_weight to_score none k; have [m le_m] := ubnP (n - k); elim: m k le_m => // m IH k le_m.
case: (eqVneq k.+1 n) => [last_k|ne_k].
  by apply: (made_in_segment hand_words in_s (computed_red legal_ms comp_s _) (none k)); apply: to_weight.
have lt_k : k.+1 < n by rewrite ltn_neqAle ne_k ltn_ord.
have [|u in_u comp_u] := IH (Ordinal lt_k).
  by move: (ltn_ord k) le_m; clear; rewrite /=; lia.
by apply: (made_in_segment hand_words in_u (computed_red legal_ms comp_u _) (none k)); apply: to_score.
Qed.

Lemma two_part_served t p : a <= t < b -> (WeightOf p : vertex G) \in red_at ms t ->
  p \in charged_pairs W \/ row p \in whole_rows W /\ column p \in whole_columns W.
Proof.
move=> in_ab is_red; case: (boolP (p \in charged_pairs W)) => [|not_in]; [by left|right].
move: not_in; rewrite [_ \in charged_pairs W]inE !negb_or => /and3P[no_weight /existsPn no_own /existsPn no_rotary].
have [s in_s comp_s] := made_in_segment hand_words in_ab is_red no_weight.
have own_made := scores_made (score := fun k => ScoreOwn p k : vertex G) in_s comp_s _ _ no_own.
have rotary_made := scores_made (score := fun k => ScoreRotary p k : vertex G) in_s comp_s _ _ no_rotary.
have in_W v u w : input (v : vertex G) -> a <= u < b -> computed ms u = Some w -> edge v w -> v \in W.
  by move=> in_v in_u comp_u edge_v; apply: (input_in_words legal_ms hand_words in_u in_v (computed_red legal_ms comp_u edge_v)).
rewrite !inE; split; apply/andP; split; apply/forallP => k.
- have [|k0 k1 eq_k|u in_u comp_u] := own_made _ _ k; [by move=> k0 eq_k; rewrite /= eq_k !eqxx|by rewrite /= eq_k !eqxx|].
  by apply: in_W in_u comp_u _; [apply/forallP => -[]|rewrite /= !eqxx].
- have [|k0 k1 eq_k|u in_u comp_u] := rotary_made _ _ k; [by move=> k0 eq_k; rewrite /= eq_k !eqxx|by rewrite /= eq_k !eqxx|].
  by apply: in_W in_u comp_u _; [apply/forallP => -[]|rewrite /= !eqxx].
- have [|k0 k1 eq_k|u in_u comp_u] := own_made _ _ k; [by move=> k0 eq_k; rewrite /= eq_k !eqxx|by rewrite /= eq_k !eqxx|].
  by apply: in_W in_u comp_u _; [apply/forallP => -[]|rewrite /= !eqxx].
have [|k0 k1 eq_k|u in_u comp_u] := rotary_made _ _ k; [by move=> k0 eq_k; rewrite /= eq_k !eqxx|by rewrite /= eq_k !eqxx|].
by apply: in_W in_u comp_u _; [apply/forallP => -[]|rewrite /= !eqxx].
Qed.

End Segment.

(** The traced chains U[i,e,.], as for T1. *)
Notation step := (u_step dv allowed).
Definition part_vert (x : step) : vertex G := PartialOf x.1 x.2.

Fact part_vert_inj : injective part_vert.
Proof. by move=> [p e] [q e'] [-> ->]. Qed.

Fact part_no_input x : ~~ input (part_vert x).
Proof. by apply/forallPn; exists (WeightOf x.1); rewrite negbK /= eqxx. Qed.

Fact part_follows_edge (x y : step) : u_follows x y -> edge (part_vert x) (part_vert y).
Proof. by []. Qed.

Fact part_last_step M (ms : seq (move G)) x : pebbling M ms -> (forall y : step, ~~ u_follows x y) ->
  exists t, computed ms t = Some (part_vert x).
Proof.
move=> legal_ms none; have last_x : last_pair x.1.
  by apply: next_or_last => q; have := none (q, x.2); rewrite /u_follows /= eqxx andbT.
have edge_o : edge (part_vert x) (OutputOf (row x.1) x.2 : vertex G) by rewrite /= last_x !eqxx.
have no_input : ~~ input (OutputOf (row x.1) x.2 : vertex G).
  by apply/forallPn; exists (part_vert x); rewrite negbK.
have [t comp_t] := output_computed legal_ms (isT : output (OutputOf (row x.1) x.2 : vertex G)) no_input.
have [s _ comp_s] := red_computed legal_ms (part_no_input x) (computed_red legal_ms comp_t edge_o).
by exists s.
Qed.

(** Outputs to store. *)
Lemma two_part_made : #|query| * dv + stats * #|query| <= #|made_outputs G|.
Proof.
pose last_in (i : query) := xchoose (last_pair_of i).
have last_inP i : (row (last_in i) == i) && last_pair (last_in i) by exact: (xchooseP (last_pair_of i)).
pose f (x : query * 'I_dv + query) : vertex G :=
  match x with inl y => OutputOf y.1 y.2 | inr i => RowSumOf (last_in i) end.
have f_inj : injective f.
  move=> [[i e]|i] [[i' e']|i'] //= [] => [-> -> //|eq_last].
  by have /andP[/eqP <- _] := last_inP i; have /andP[/eqP <- _] := last_inP i'; rewrite eq_last.
have -> : #|query| * dv + stats * #|query| = #|[set x : query * 'I_dv + query | if x is inr _ then stats else true]|.
  rewrite card_sum_set; congr (_ + _).
    by rewrite -[dv in LHS]card_ord -card_prod -cardsT; apply: eq_card => x; rewrite !inE.
  case: stats; rewrite ?mul1n ?mul0n -?cardsT; first by apply: eq_card => x; rewrite !inE.
  by apply/esym/eqP; rewrite cards_eq0; apply/eqP/setP => x; rewrite !inE.
rewrite -(card_imset _ f_inj); apply/subset_leq_card/subsetP => v /imsetP[[[i e]|i]]; rewrite inE => st ->.
  rewrite inE /=; apply/forallPn; have /andP[row_p last_p] := last_inP i.
  by exists (PartialOf (last_in i) e); rewrite negbK /= last_p row_p eqxx.
rewrite inE /= st; have /andP[_ ->] := last_inP i; apply/forallPn.
by exists (WeightOf (last_in i)); rewrite negbK /= eqxx.
Qed.

Lemma two_part_stores M (ms : seq (move G)) : pebbling M ms -> #|query| * dv + stats * #|query| <= stores ms.
Proof. by move/stores_outputs; apply: leq_trans two_part_made. Qed.

End Facts.
