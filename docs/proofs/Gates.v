(** * L with gates

    docs/bounds-linear.md: a gated state reads an entry of G besides. Without G it is the recurrent form, and every entry that is
    read costs a word. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Compulsory Embedding Numbers Linear.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Gates.

Variables N d dv : nat.

Local Notation recurrent := (linear d dv (fun i : 'I_N => i)).
Local Notation recurrent_vertex := (linear_vertex N N d dv).

(** [inr (n, k)]: the entry G[n,k]; the first state reads none. *)
Definition gated_edge (u v : recurrent_vertex + 'I_N * 'I_d) :=
  match u, v with
  | inl u, inl v => linear_edge (fun i => i) u v
  | inr g, inl (H n k _) => [&& 0 < n, g.1 == n & g.2 == k]
  | _, _ => false
  end.

Definition gated := @Dag [finType of recurrent_vertex + 'I_N * 'I_d] gated_edge
  (fun v => if v is inl v then linear_output v else false).

Lemma gated_embedding : @embedding recurrent gated inl.
Proof.
split; [by move=> u v []|by case| |by []].
move=> v in_v; have {in_v} no_edge := forallP in_v; apply/forallP => -[u|g] /=.
  by have := no_edge u; case: u.
by case: v no_edge => //= n k e /(_ (K n k)); rewrite /= !eqxx.
Qed.

Lemma sum_leads (i : 'I_N) (k : 'I_d) (e : 'I_dv) : exists o : vertex gated,
  [&& output o, ~~ input o & connect (@edge gated) (inl (O i k e)) o].
Proof.
have not_in (k' : 'I_d) : ~~ input (inl (O i k' e) : vertex gated).
  by apply/forallPn; exists (inl (Q i k')); rewrite negbK /= !eqxx.
have [r le_r] := ubnP (d - k); elim: r k le_r => // r IH k le_r.
case: (eqVneq k.+1 d) => [last_k|ne_k].
  by exists (inl (O i k e)); rewrite not_in connect0 /= last_k eqxx.
have lt_k : k.+1 < d by rewrite ltn_neqAle ne_k ltn_ord.
have [|o /and3P[out_o not_o path_o]] := IH (Ordinal lt_k); first by rewrite /=; lia.
exists o; rewrite out_o not_o; apply: connect_trans path_o; apply: connect1.
by rewrite /= !eqxx.
Qed.

Lemma gates_read : 0 < dv -> N.-1 * d <= #|@left_out recurrent gated inl|.
Proof.
move=> dv_gt0.
have later (n : 'I_N.-1) : n.+1 < N by have := ltn_ord n; lia.
have -> : N.-1 * d = #|[finType of 'I_N.-1 * 'I_d]| by rewrite card_prod !card_ord.
have inj : injective (fun p : 'I_N.-1 * 'I_d => inr (Ordinal (later p.1), p.2) : vertex gated).
  by move=> [n k] [n' k'] [eq_n ->]; congr (_, _); apply: val_inj.
rewrite -cardsT -(card_imset _ inj); apply/subset_leq_card/subsetP => _ /imsetP[[n k] _ ->].
rewrite !inE; apply/andP; split; last by rewrite /back; case: pickP => // v /eqP.
apply/orP; left; apply/andP; split; first by apply/forallP => -[u|g] //; case: u.
pose e := Ordinal dv_gt0; pose m := Ordinal (later n).
have [o /and3P[out_o not_o path_o]] := sum_leads m k e.
apply/existsP; exists o; rewrite out_o not_o.
apply: connect_trans (connect1 _) (connect_trans (connect1 _) path_o); last first.
  by rewrite /=; instantiate (1 := inl (H m k e)); rewrite /= !eqxx.
by rewrite /= !eqxx.
Qed.

Theorem L_gated M h T (ms : seq (move gated)) :
  pebbling M ms -> 0 < N -> 0 < d -> 0 < dv -> 0 < h -> h * box T < d * dv * (N + (N - T./2)) ->
  M + 1 + h * T + N.-1 * d <= io ms + d * dv + h * M.
Proof.
move=> legal_ms N_gt0 d_gt0 dv_gt0 h_gt0 many.
have [ms' legal' le_io] := embedding_bound gated_embedding legal_ms.
have bound := L_recurrent legal' N_gt0 d_gt0 h_gt0 many; have gates := gates_read dv_gt0.
move: le_io bound gates; clear.
by move: (h * T) (h * M) (d * dv) (N.-1 * d) #|left_out _| (io ms) (io ms') => *; lia.
Qed.

End Gates.
