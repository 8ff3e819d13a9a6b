(** * Heads without the rotary words that they share

    docs/proofs/latent.md, without rope: leave S2, Qr and Kr out; what is left are heads that share nothing. Their bounds add up, and the words
    that were left out cost a load each. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Compulsory LoomisWhitney Embedding Attention AttentionFacts LeavingOut.
From Pebble Require Import Latent LatentFacts LatentCompulsory SharedRope.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section WithoutRope.

Variables (Nq Nk tokens heads own r dv : nat) (stats : bool) (token : 'I_Nk -> 'I_tokens) (allowed : 'I_Nq -> 'I_Nk -> bool).
Variables (query_head : 'I_Nq -> 'I_heads) (key_head : 'I_Nk -> 'I_heads).
Hypothesis of_heads : mask_of_heads token allowed query_head key_head.
Hypotheses (own_gt0 : 0 < own) (dv_gt0 : 0 < dv).

Notation query := (query allowed).
Notation used := (used_token token allowed).
Notation G := (shared_rope own r dv stats token allowed).
Notation plain := (attention own dv stats allowed).
Notation head h := (head_mask allowed query_head h).

(** Where a vertex of attention without rotary words is in the whole. *)
Definition with_rope (v : vertex plain) : vertex G :=
  match v with
  | Query i k => QueryOwn i k
  | Key j k => KeyOwn j (lshift dv k)
  | Value j e => KeyOwn j (rshift own e)
  | Score p k => ScoreOwn p k
  | Weight p => WeightOf p
  | Partial p e => PartialOf p e
  | RowSum p => RowSumOf p
  | Output i e => OutputOf i e
  end.

Lemma rope_embedding : embedding with_rope.
Proof.
split.
- move=> [i k|j k|j e|p k|p|p e|p|i e] [i' k'|j' k'|j' e'|p' k'|p'|p' e'|p'|i' e'] //= [] //.
  + by move=> -> ->.
  + by move=> -> /val_inj ->.
  + by move=> _ eq_k; have := ltn_ord k; rewrite eq_k ltnNge leq_addr.
  + by move=> _ eq_k; have := ltn_ord k'; rewrite -eq_k ltnNge leq_addr.
  + by move=> -> /addnI/val_inj ->.
  + by move=> -> ->.
  + by move=> ->.
  + by move=> -> ->.
  + by move=> ->.
  by move=> -> ->.
- move=> [i k|j k|j e|p k|p|p e|p|i e] [i' k'|j' k'|j' e'|p' k'|p'|p' e'|p'|i' e'] //=.
  by case/andP=> -> /eqP ->; rewrite eqxx.
- move=> v /forallP no_edge; case: v no_edge => [i k|j k|j e|p k|p|p e|p|i e] no_edge; try by apply/forallP => -[].
  + by have := no_edge (Query dv (row p) k); rewrite /= !eqxx.
  + have lt_k : own.-1 < own by rewrite prednK.
    by have := no_edge (Score dv p (Ordinal lt_k)); rewrite /= prednK ?eqxx.
  + by have := no_edge (Weight own dv p); rewrite /= eqxx.
  + by have := no_edge (Weight own dv p); rewrite /= eqxx.
  by have [p /andP[row_p last_p]] := last_pair_of i; have := no_edge (Partial own p e); rewrite /= last_p row_p eqxx.
by case.
Qed.

(** The rotary words are left out. *)
Lemma rope_left_out : #|query| * r + #|used| * r <= #|left_out with_rope|.
Proof.
pose f (x : query * 'I_r + used * 'I_r) : vertex G := match x with inl y => QueryRotary y.1 y.2 | inr y => KeyRotary y.1 y.2 end.
have f_inj : injective f by move=> [[i k]|[i k]] [[i' k']|[i' k']] //= [-> ->].
have -> : #|query| * r + #|used| * r = #|[finType of query * 'I_r + used * 'I_r]| by rewrite card_sum !card_prod !card_ord.
rewrite -cardsT -(card_imset _ f_inj); apply/subset_leq_card/subsetP => v /imsetP[x _ ->].
rewrite inE in_setU; apply/andP; split; last first.
  by rewrite /back; case: pickP => // -[i k|j k|j e|p k|p|p e|p|i e]; case: x => -[].
by apply/orP; left; case: x => [[i k]|[t k]]; [apply: query_rotary_needed|apply: key_rotary_needed].
Qed.

(** Every query and every key is in a head. *)
Fact in_a_head (i : query) : exists j, head (query_head (val i)) (val i) j.
Proof. by have [j in_ij] := existsP (valP i); exists j; rewrite /head_mask in_ij eqxx. Qed.

Theorem without_rope M (ms : seq (move G)) (words : 'I_heads -> nat) :
  (forall h (ms' : seq (move (attention own dv stats (head h)))), pebbling M ms' -> words h <= io ms') -> pebbling M ms ->
  \sum_h words h + (#|query| * r + #|used| * r) <= io ms.
Proof.
move=> costs legal_ms; have [ms' legal' le_io] := embedding_bound rope_embedding legal_ms.
apply: leq_trans le_io; apply: leq_add; last exact: rope_left_out.
have sub h i j : head h i j -> allowed i j by case/andP.
have rows_apart h l i j j' : head h i j -> head l i j' -> h = l by move=> /andP[_ /eqP <-] /andP[_ /eqP].
have columns_apart h l i i' j : head h i j -> head l i' j -> h = l.
  move=> /andP[in_ij /eqP head_i] /andP[in_ij' /eqP head_i']; have [same _] := of_heads.
  by rewrite -head_i -head_i' (same _ _ in_ij) (same _ _ in_ij').
have := mask_parts sub rows_apart columns_apart dv_gt0 costs legal'.
by apply: leq_trans; apply: leq_addr.
Qed.

End WithoutRope.
