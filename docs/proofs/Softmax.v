(** * Safe and online softmax

    docs/computation.md: the maximum of a row's scores, as a chain [m] over its keys. Safe softmax subtracts the last one, online softmax
    the one after the key, and rescales the sums by a factor [a]. Without [m] and [a] either is plain softmax (the deletion lemma), so that
    T1 and T2 hold for both. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Numbers Compulsory Embedding Attention AttentionFacts T1Function T1 T2.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Softmax.

Variables (Nq Nk d dv : nat) (stats : bool) (allowed : 'I_Nq -> 'I_Nk -> bool).

Local Notation pair := (pair allowed).
Local Notation plain := (attention d dv stats allowed).
Local Notation plain_vertex := (attention_vertex d dv allowed).

(** [inr p]: the maximum m[i,j] of the scores of the row's keys up to the pair's. *)
Definition safe_edge (u v : plain_vertex + pair) :=
  match u, v with
  | inl u, inl v => attention_edge u v
  | inl (Score p k), inr q => (p == q) && (k.+1 == d)
  | inr p, inr q => next_pair p q
  | inr p, inl (Weight q) => last_pair p && (row p == row q)
  | _, _ => false
  end.

(** The last maxima are outputs where the row sums are. *)
Definition softmax_output (A : Type) (is_maximum : A -> option pair) (v : plain_vertex + A) :=
  match v with inl v => attention_output stats v | inr a => if is_maximum a is Some p then stats && last_pair p else false end.

Definition safe := @Dag [finType of plain_vertex + pair] safe_edge (softmax_output (fun p => Some p)).

(** [inr (inl p)]: the maximum m[i,j]; [inr (inr p)]: the factor a[i,j] that what was summed up is multiplied by. *)
Definition online_edge (u v : plain_vertex + (pair + pair)) :=
  match u, v with
  | inl u, inl v => attention_edge u v
  | inl (Score p k), inr (inl q) => (p == q) && (k.+1 == d)
  | inl (Score p k), inr (inr q) => (p == q) && (k.+1 == d)
  | inr (inl p), inr (inl q) => next_pair p q
  | inr (inl p), inr (inr q) => next_pair p q
  | inr (inl p), inl (Weight q) => p == q
  | inr (inr p), inl (RowSum q) => p == q
  | inr (inr p), inl (Partial q _) => p == q
  | _, _ => false
  end.

Definition online := @Dag [finType of plain_vertex + (pair + pair)] online_edge
  (softmax_output (fun a : pair + pair => if a is inl p then Some p else None)).

Lemma last_of (i : query allowed) : exists p : pair, (row p == i) && last_pair p.
Proof.
have [j in_ij] := existsP (valP i); pose p0 : pair := Sub (val i, j) in_ij.
have row0 : row p0 == i by apply/eqP/val_inj.
have [p /eqP row_p greatest] := @arg_maxnP _ p0 (fun p : pair => row p == i) (@place _ _ _) row0.
exists p; rewrite row_p eqxx /=; apply/forallP => r; apply/implyP => /eqP row_r.
by apply: greatest; rewrite row_r row_p.
Qed.

Let last_in i := xchoose (last_of i).
Let last_in_row i : row (last_in i) = i. Proof. by have /andP[/eqP] := xchooseP (last_of i). Qed.
Let last_in_last i : last_pair (last_in i). Proof. by have /andP[] := xchooseP (last_of i). Qed.
Let last_in_inj : injective last_in. Proof. by move=> i i' eq_p; rewrite -(last_in_row i) eq_p last_in_row. Qed.

(** A maximum read by nothing left out is still an output that costs a word. *)
Lemma maxima_left (G : dag) (f : vertex plain -> vertex G) (g : pair -> vertex G) :
  injective g -> (forall p v, f v <> g p) -> (forall p, stats -> last_pair p -> output (g p)) ->
  (forall p, ~~ input (g p)) -> stats * #|query allowed| <= #|left_out f|.
Proof.
move=> g_inj other_g out_g not_in; case E: stats; rewrite ?mul0n // mul1n.
have inj : injective (fun i => g (last_in i)) by move=> i i' /g_inj/last_in_inj.
rewrite -cardsT -(card_imset _ inj); apply/subset_leq_card/subsetP => _ /imsetP[i _ ->].
rewrite !inE; apply/andP; split; first by rewrite out_g ?E ?not_in ?orbT.
by rewrite /back; case: pickP => // v /eqP /other_g.
Qed.

Hypothesis d_gt0 : 0 < d.

Lemma last_step : exists k : 'I_d, k.+1 == d.
Proof. by have lt_d : d.-1 < d by [rewrite prednK]; exists (Ordinal lt_d); rewrite /= prednK. Qed.

Lemma safe_embedding : @embedding plain safe inl.
Proof.
split; [by move=> u v []|by case| |by move=> v out_v; exact: out_v].
move=> v in_v; have {in_v} no_edge := forallP in_v; apply/forallP => -[u|p] /=; first by have := no_edge u; case: u.
case: v no_edge => //= q no_edge; have [k last_k] := last_step.
by have := no_edge (Score dv q k); rewrite /= eqxx last_k.
Qed.

Lemma online_embedding : @embedding plain online inl.
Proof.
split; [by move=> u v []|by case| |by move=> v out_v; exact: out_v].
move=> v in_v; have {in_v} no_edge := forallP in_v; apply/forallP => -[u|[p|p]] /=; first by have := no_edge u; case: u.
  case: v no_edge => //= q no_edge; have [k last_k] := last_step.
  by have := no_edge (Score dv q k); rewrite /= eqxx last_k.
case: v no_edge => //= q => [e|] no_edge.
  by have := no_edge (Weight d dv q); rewrite /= eqxx.
by have := no_edge (Weight d dv q); rewrite /= eqxx.
Qed.

Lemma safe_maxima : stats * #|query allowed| <= #|@left_out plain safe inl|.
Proof.
apply: (@maxima_left safe inl inr) => [p q []|//|p is_stats last_p|p] //=; first by rewrite is_stats last_p.
have [k last_k] := last_step; apply/forallPn; exists (inl (Score dv p k)).
by rewrite negbK /= eqxx last_k.
Qed.

Lemma online_maxima : stats * #|query allowed| <= #|@left_out plain online inl|.
Proof.
apply: (@maxima_left online inl (fun p => inr (inl p))) => [p q []|//|p is_stats last_p|p] //=.
  by rewrite is_stats last_p.
have [k last_k] := last_step; apply/forallPn; exists (inl (Score dv p k)).
by rewrite negbK /= eqxx last_k.
Qed.

Variables (M h T : nat).

Theorem T1_safe (ms : seq (move safe)) :
  pebbling M ms -> 0 < h -> h * t1_events d dv T < #|pair| * dv ->
  M + 1 + h * T + 2 * (stats * #|query allowed|) <= io ms + h * M.
Proof.
move=> legal_ms h_gt0 many; have [ms' legal' le_io] := embedding_bound safe_embedding legal_ms.
have bound := T1 legal' d_gt0 h_gt0 many; have maxima := safe_maxima.
by move: le_io bound maxima; move: (stats * _) (h * T) (h * M) #|left_out _| (io ms) (io ms') => *; lia.
Qed.

Theorem T1_online (ms : seq (move online)) :
  pebbling M ms -> 0 < h -> h * t1_events d dv T < #|pair| * dv ->
  M + 1 + h * T + 2 * (stats * #|query allowed|) <= io ms + h * M.
Proof.
move=> legal_ms h_gt0 many; have [ms' legal' le_io] := embedding_bound online_embedding legal_ms.
have bound := T1 legal' d_gt0 h_gt0 many; have maxima := online_maxima.
by move: le_io bound maxima; move: (stats * _) (h * T) (h * M) #|left_out _| (io ms) (io ms') => *; lia.
Qed.

Theorem T2_safe (ms : seq (move safe)) :
  pebbling M ms -> 0 < dv -> 0 < h -> h * t2_events d T < #|pair| * (d + dv) ->
  M + 1 + h * T + 2 * (stats * #|query allowed|) <= io ms + h * M + #|pair|.
Proof.
move=> legal_ms dv_gt0 h_gt0 many; have [ms' legal' le_io] := embedding_bound safe_embedding legal_ms.
have bound := T2 legal' d_gt0 dv_gt0 h_gt0 many; have maxima := safe_maxima.
by move: le_io bound maxima; move: (stats * _) (h * T) (h * M) #|left_out _| (io ms) (io ms') => *; lia.
Qed.

Theorem T2_online (ms : seq (move online)) :
  pebbling M ms -> 0 < dv -> 0 < h -> h * t2_events d T < #|pair| * (d + dv) ->
  M + 1 + h * T + 2 * (stats * #|query allowed|) <= io ms + h * M + #|pair|.
Proof.
move=> legal_ms dv_gt0 h_gt0 many; have [ms' legal' le_io] := embedding_bound online_embedding legal_ms.
have bound := T2 legal' d_gt0 dv_gt0 h_gt0 many; have maxima := online_maxima.
by move: le_io bound maxima; move: (stats * _) (h * T) (h * M) #|left_out _| (io ms) (io ms') => *; lia.
Qed.

End Softmax.
