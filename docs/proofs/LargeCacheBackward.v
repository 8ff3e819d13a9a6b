(** * D backward: caches of the order of Nd

    docs/proofs/large-cache.md, the backward pass, under any mask: [r] queries that all see the same [n] keys. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Compulsory Tracing Lines Again Moments Attention Backward BackwardFacts BackwardCompulsory.
From Pebble Require Import LargeCacheBackwardFacts.
From Pebble Require AttentionCompulsory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** What is needed again at some moment, with the keys behind or with the queries behind. *)
Definition d_side d lines others own behind behind' :=
  (lines - own + 1) * behind + minn (d * (lines - behind' + 1)) ((others - behind) * behind').
Definition d_backward_words d r n tau tau' sigma sigma' := minn (d_side d r n tau sigma tau') (d_side d n r sigma tau sigma').

Section LargeCacheBackward.

Variables (Nq Nk d dv : nat) (allowed : 'I_Nq -> 'I_Nk -> bool).

Notation query := (query allowed).
Notation key := (key allowed).
Notation G := (backward d dv allowed).
Notation vert := (@gradient_vert Nq Nk d dv allowed).

Section Moments.

Variables (M : nat) (ms : seq (move G)) (when : gradient d dv allowed -> nat).
Hypothesis legal_ms : pebbling M ms.
Hypothesis traced_when : traced ms vert (@gradient_follows Nq Nk d dv allowed) when.
Hypothesis d_gt0 : 0 < d.

Variables (R : {set query}) (C : {set key}) (tau tau' sigma sigma' : nat).
Hypothesis sees : forall i j, i \in R -> j \in C -> allowed (val i) (val j).
Hypotheses (tau_gt0 : 0 < tau) (tau_le : tau <= minn (d + dv) #|R|) (tau'_le : tau' <= minn (d + dv) #|R|).
Hypotheses (sigma_gt0 : 0 < sigma) (sigma_le : sigma <= minn (d + dv) #|C|) (sigma'_le : sigma' <= minn (d + dv) #|C|).

Notation far_queries := (far_queries ms R).
Notation far_keys := (far_keys ms C).

(** Whose word a vertex is. *)
Definition owner (v : vertex G) : option (query + key) :=
  match v with Q i _ => Some (inl i) | dO i _ => Some (inl i) | K j _ => Some (inr j) | V j _ => Some (inr j) | _ => None end.

Definition fresh s c := exists v, [/\ v \in red_at ms s.+1, ~~ been_red ms s v & owner v = Some c].

Lemma fresh_inj s c c' : fresh s c -> fresh s c' -> c = c'.
Proof.
move=> [v [red_v new_v own_v]] [u [red_u new_u own_u]].
by move: own_u; rewrite -(newly_red red_v new_v red_u new_u) own_v => -[].
Qed.

Lemma fresh_query s i : i \in far_queries s -> i \notin far_queries s.+1 -> fresh s (inl i).
Proof.
rewrite !inE => /andP[-> far_i] /=; rewrite negbK => /andP[/forallP all_q /forallP all_o].
move: far_i; rewrite negb_and => /orP[] /forallPn[k new_k].
  by case: (been_redS (all_q k)) => [old_k|red_k]; [rewrite old_k in new_k|exists (Q i k)].
by case: (been_redS (all_o k)) => [old_k|red_k]; [rewrite old_k in new_k|exists (dO i k)].
Qed.

Lemma fresh_key s j : j \in far_keys s -> j \notin far_keys s.+1 -> fresh s (inr j).
Proof.
rewrite !inE => /andP[-> far_j] /=; rewrite negbK => /andP[/forallP all_k /forallP all_v].
move: far_j; rewrite negb_and => /orP[] /forallPn[k new_k].
  by case: (been_redS (all_k k)) => [old_k|red_k]; [rewrite old_k in new_k|exists (K j k)].
by case: (been_redS (all_v k)) => [old_k|red_k]; [rewrite old_k in new_k|exists (V j k)].
Qed.

(** A set that loses one element at most. *)
Lemma lose_one (X : finType) (A B : {set X}) : (forall x y, x \in A -> x \notin B -> y \in A -> y \notin B -> x = y) ->
  #|A| <= #|B| + 1.
Proof.
move=> one; rewrite -(cardsID B A); apply: leq_add; first by apply: subset_leq_card; apply: subsetIr.
by apply/card_le1_eqP => x y /setDP[xA xB] /setDP[yA yB]; apply: one.
Qed.

Lemma query_step s : #|far_queries s| <= #|far_queries s.+1| + 1.
Proof. by apply: lose_one => x y xA xB yA yB; have [] := fresh_inj (fresh_query xA xB) (fresh_query yA yB). Qed.

Lemma key_step s : #|far_keys s| <= #|far_keys s.+1| + 1.
Proof. by apply: lose_one => x y xA xB yA yB; have [] := fresh_inj (fresh_key xA xB) (fresh_key yA yB). Qed.

Lemma fewer_then (X : finType) (A B : {set X}) : #|B| < #|A| -> exists2 x, x \in A & x \notin B.
Proof.
move=> lt_BA; have : 0 < #|A :\: B| by rewrite cardsD subn_gt0; apply: leq_ltn_trans lt_BA; apply: subset_leq_card; apply: subsetIr.
by case/card_gt0P=> x /setDP[xA xB]; exists x.
Qed.

Lemma far_at_0 : far_queries 0 = R /\ far_keys 0 = C.
Proof.
have none v : ~~ been_red ms 0 v by apply/been_redP => -[t]; rewrite leqn0 => /eqP ->; rewrite red_at0 inE.
split; apply/setP => x; rewrite !inE negb_and; case: (x \in _) => //=; apply/orP; left; apply/forallPn;
  by exists (Ordinal d_gt0); apply: none.
Qed.

Lemma far_at_end : far_queries (size ms) = set0 /\ far_keys (size ms) = set0.
Proof.
have touched i j : i \in R -> j \in C -> touched_query ms (size ms) i /\ touched_key ms (size ms) j.
  move=> in_R in_C; have [p <- <-] := pair_at sees in_R in_C.
  apply: (event_touched legal_ms (ltnW (traced_size traced_when (inr (p, Ordinal d_gt0))))).
  exact: (dS_red_Q legal_ms traced_when).
have [i in_R] : exists i, i \in R by apply/card_gt0P; move: tau_gt0 tau_le; rewrite leq_min; clear; lia.
have [j in_C] : exists j, j \in C by apply/card_gt0P; move: sigma_gt0 sigma_le; rewrite leq_min; clear; lia.
split; apply/setP => x; rewrite !inE; apply/negP => /andP[in_x].
  by case: (touched x j in_x in_C) => ->.
by case: (touched i x in_R in_x) => _ ->.
Qed.

Theorem some_moment : exists2 s, s <= size ms & d_backward_words d #|R| #|C| tau tau' sigma sigma' <= #|again_old ms s|.
Proof.
have [q0 k0] := far_at_0; have [q1 k1] := far_at_end.
move: (tau_le) (sigma_le); rewrite !leq_min => /andP[tau_d tau_R] /andP[sigma_d sigma_C].
have [||sq [lt_q many_q few_q last_q]] := @last_moment (fun s => tau <= #|far_queries s|) (size ms).
- by rewrite q0.
- by rewrite q1 cards0 -ltnNge.
have [||sk [lt_k many_k few_k last_k]] := @last_moment (fun s => sigma <= #|far_keys s|) (size ms).
- by rewrite k0.
- by rewrite k1 cards0 -ltnNge.
rewrite -ltnNge in few_q; rewrite -ltnNge in few_k.
have eq_q : #|far_queries sq| = tau.
  by apply/eqP; rewrite eqn_leq many_q andbT; apply: leq_trans (query_step sq) _; rewrite addn1.
have eq_k : #|far_keys sk| = sigma.
  by apply/eqP; rewrite eqn_leq many_k andbT; apply: leq_trans (key_step sk) _; rewrite addn1.
case: (ltngtP sq sk) => [lt_qk|lt_kq|eq_qk].
- exists sk; first exact: ltnW.
  have few : #|far_queries sk| < tau.
    by rewrite ltnNge; apply/negP => /(last_q _ (ltnW lt_k)); rewrite leqNgt lt_qk.
  have far_bounds : 0 < #|far_keys sk| <= d + dv by rewrite eq_k sigma_gt0.
  have near_bounds : #|far_queries sk| < tau <= #|R| by rewrite few.
  rewrite /d_backward_words geq_min /d_side; apply/orP; left.
  by have := keys_late legal_ms traced_when d_gt0 sees far_bounds near_bounds tau'_le; rewrite eq_k.
- exists sq; first exact: ltnW.
  have few : #|far_keys sq| < sigma.
    by rewrite ltnNge; apply/negP => /(last_k _ (ltnW lt_q)); rewrite leqNgt lt_kq.
  have far_bounds : 0 < #|far_queries sq| <= d + dv by rewrite eq_q tau_gt0.
  have near_bounds : #|far_keys sq| < sigma <= #|C| by rewrite few.
  rewrite /d_backward_words geq_min /d_side; apply/orP; right.
  by have := queries_late legal_ms traced_when d_gt0 sees far_bounds near_bounds sigma'_le; rewrite eq_q.
have [i far_i near_i] : exists2 i, i \in far_queries sq & i \notin far_queries sq.+1.
  by apply: fewer_then; rewrite eq_q.
have [j far_j near_j] : exists2 j, j \in far_keys sk & j \notin far_keys sk.+1.
  by apply: fewer_then; rewrite eq_k.
by rewrite -eq_qk in far_j near_j; have := fresh_inj (fresh_query far_i near_i) (fresh_key far_j near_j).
Qed.

End Moments.

Theorem D_backward M (ms : seq (move G)) (R : {set query}) (C : {set key}) tau tau' sigma sigma' :
  pebbling M ms -> 0 < d -> (forall i j, i \in R -> j \in C -> allowed (val i) (val j)) ->
  0 < tau <= minn (d + dv) #|R| -> tau' <= minn (d + dv) #|R| ->
  0 < sigma <= minn (d + dv) #|C| -> sigma' <= minn (d + dv) #|C| ->
  #|query| * d + #|key| * d + #|key| * dv + #|query| * dv + #|query| * dv + #|query| +
    (#|key| * dv + #|key| * d + #|query| * d) + d_backward_words d #|R| #|C| tau tau' sigma sigma' <= io ms + M.
Proof.
move=> legal_ms d_gt0 sees /andP[tau_gt0 tau_le] tau'_le /andP[sigma_gt0 sigma_le] sigma'_le.
have [when traced_when] := trace legal_ms (@gradient_no_input _ _ d dv allowed) (@gradient_less _ _ d dv allowed)
  (@gradient_edge _ _ d dv allowed) (@gradient_fun _ _ d dv allowed) (fun x => gradient_last legal_ms (x := x)).
have [s le_s some] := some_moment legal_ms traced_when d_gt0 sees tau_gt0 tau_le tau'_le sigma_gt0 sigma_le sigma'_le.
have words := leq_add (leq_add (needed_words dv allowed d_gt0) (backward_stores legal_ms)) some.
apply: leq_trans words _; have again := needed_again legal_ms le_s; rewrite io_loads_stores.
by rewrite addnAC [X in _ <= X]addnAC leq_add2r.
Qed.

End LargeCacheBackward.

(** Without a mask. *)
Theorem D_backward_all_pairs Nq Nk d dv M (ms : seq (move (backward d dv (@all_pairs Nq Nk)))) tau tau' sigma sigma' :
  pebbling M ms -> 0 < d -> 0 < tau <= minn (d + dv) Nq -> tau' <= minn (d + dv) Nq ->
  0 < sigma <= minn (d + dv) Nk -> sigma' <= minn (d + dv) Nk ->
  2 * (Nq + Nk) * (d + dv) + Nq + d_backward_words d Nq Nk tau tau' sigma sigma' <= io ms + M.
Proof.
move=> legal_ms d_gt0 tau_le tau'_le sigma_le sigma'_le.
have Nq_gt0 : 0 < Nq by move: tau_le; rewrite leq_min; clear; lia.
have Nk_gt0 : 0 < Nk by move: sigma_le; rewrite leq_min; clear; lia.
have := @D_backward Nq Nk d dv (@all_pairs Nq Nk) M ms setT setT tau tau' sigma sigma' legal_ms d_gt0.
rewrite !cardsT AttentionCompulsory.card_all_queries // AttentionCompulsory.card_all_keys //.
move=> /(_ (fun _ _ _ _ => isT) tau_le tau'_le sigma_le sigma'_le).
by clear; lia.
Qed.
