(** * L with gates

    docs/proofs/linear.md: a gated state reads an entry of G besides. Without G it is linear attention without gates, and every entry
    that is read costs a word. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Compulsory Embedding Numbers Lines Linear.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Gates.

(** Query [i] reads the state after the key [reads i], as in Linear.v. *)
Variables (Nq N d dv : nat) (reads : 'I_Nq -> 'I_N).

Local Notation plain := (linear d dv reads).
Local Notation plain_vertex := (linear_vertex Nq N d dv).

(** [inr (n, k)]: the entry G[n,k]; the first state reads none. *)
Definition gated_edge (u v : plain_vertex + 'I_N * 'I_d) :=
  match u, v with
  | inl u, inl v => linear_edge reads u v
  | inr g, inl (H n k _) => [&& 0 < n, g.1 == n & g.2 == k]
  | _, _ => false
  end.

Definition gated := @Dag [finType of plain_vertex + 'I_N * 'I_d] gated_edge
  (fun v => if v is inl v then linear_output v else false).

Lemma gated_embedding : @embedding plain gated inl.
Proof.
split; [by move=> u v []|by case| |by []].
move=> v in_v; have {in_v} no_edge := forallP in_v; apply/forallP => -[u|g] /=.
  by have := no_edge u; case: u.
by case: v no_edge => //= n k e /(_ (K n k)); rewrite /= !eqxx.
Qed.

Hypothesis last_read : exists i, (reads i).+1 = N.

(** Every state leads to an output: through the last one, and a query that reads it. *)
Lemma state_leads (n : 'I_N) (k : 'I_d) (e : 'I_dv) : exists o : vertex gated,
  [&& output o, ~~ input o & connect (@edge gated) (inl (H n k e)) o].
Proof.
have [i last_i] := last_read.
have [m m' next|m last_m path_m] := @chain_leads _ (@edge gated) N (fun m => inl (H m k e)) n.
  by rewrite /= next !eqxx.
have [l l' next|l last_l path_l] := @chain_leads _ (@edge gated) d (fun l => inl (O i l e)) k.
  by rewrite /= next !eqxx.
exists (inl (O i l e)); apply/and3P; split; first by rewrite /= last_l.
  by apply/forallPn; exists (inl (Q i l)); rewrite negbK /= !eqxx.
apply: connect_trans path_m (connect_trans (connect1 _) path_l).
have -> : m = reads i by apply: val_inj; apply: succn_inj; rewrite /= last_m last_i.
by rewrite /= !eqxx.
Qed.

Lemma gates_read : 0 < dv -> N.-1 * d <= #|@left_out plain gated inl|.
Proof.
move=> dv_gt0.
have later (n : 'I_N.-1) : n.+1 < N by have := ltn_ord n; lia.
have -> : N.-1 * d = #|[finType of 'I_N.-1 * 'I_d]| by rewrite card_prod !card_ord.
have inj : injective (fun p : 'I_N.-1 * 'I_d => inr (Ordinal (later p.1), p.2) : vertex gated).
  by move=> [n k] [n' k'] [eq_n ->]; congr (_, _); apply: val_inj.
rewrite -cardsT -(card_imset _ inj); apply/subset_leq_card/subsetP => _ /imsetP[[n k] _ ->].
rewrite !inE; apply/andP; split; last by rewrite /back; case: pickP => // v /eqP.
apply/orP; left; apply/andP; split; first by apply/forallP => -[u|g] //; case: u.
have [o /and3P[out_o not_o path_o]] := state_leads (Ordinal (later n)) k (Ordinal dv_gt0).
by apply/existsP; exists o; rewrite out_o not_o; apply: connect_trans (connect1 _) path_o; rewrite /= !eqxx.
Qed.

(** The gates alone. *)
Theorem L_gates M (ms : seq (move gated)) : pebbling M ms -> 0 < dv -> N.-1 * d <= io ms.
Proof.
move=> legal_ms dv_gt0; have [ms' _ le_io] := embedding_bound gated_embedding legal_ms.
by have := gates_read dv_gt0; move: le_io; clear; lia.
Qed.

(** The bound, for what every query may read. *)
Theorem gated_bound M h T (ms : seq (move gated)) :
  pebbling M ms -> 0 < d -> 0 < dv -> 0 < h -> h * box T < d * dv * (N + #|[set i | T < 2 * (reads i).+1]|) ->
  M + 1 + h * T + N.-1 * d <= io ms + d * dv + h * M.
Proof.
move=> legal_ms d_gt0 dv_gt0 h_gt0 many.
have [ms' legal' le_io] := embedding_bound gated_embedding legal_ms.
have bound := linear_bound last_read legal' d_gt0 h_gt0 many; have gates := gates_read dv_gt0.
move: le_io bound gates; clear.
by move: (h * T) (h * M) (d * dv) (N.-1 * d) #|left_out _| (io ms) (io ms') => *; lia.
Qed.

End Gates.

(** The recurrent form with gates: every token reads the state after itself. *)
Theorem L_gated N d dv M h T (ms : seq (move (gated d dv (fun i : 'I_N => i)))) :
  pebbling M ms -> 0 < N -> 0 < d -> 0 < dv -> 0 < h -> h * box T < d * dv * (N + (N - T./2)) ->
  M + 1 + h * T + N.-1 * d <= io ms + d * dv + h * M.
Proof.
move=> legal_ms N_gt0 d_gt0 dv_gt0 h_gt0 many.
have last_read : exists i : 'I_N, i.+1 = N.
  by have lt_N : N.-1 < N by [rewrite prednK]; exists (Ordinal lt_N); rewrite /= prednK.
apply: gated_bound legal_ms d_gt0 dv_gt0 h_gt0 _ => //.
apply: leq_trans many _; rewrite leq_mul2l leq_add2l late_reads ?orbT //.
Qed.
