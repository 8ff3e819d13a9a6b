(** * D: caches of the order of Nd, forward

    docs/proofs/large-cache.md, Theorem D, under any mask: [r] queries that all see the same [n] keys. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Compulsory Tracing Attention AttentionFacts AttentionCompulsory T1 Again Moments LargeCacheFacts.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** The first [a] of some keys. *)
Lemma first_keys Nq Nk (allowed : 'I_Nq -> 'I_Nk -> bool) (C : {set key allowed}) a : a <= #|C| ->
  exists E : {set key allowed}, [/\ E \subset C, #|E| = a & forall j j', j \in E -> j' \in C :\: E -> val j < val j'].
Proof.
elim: a => [|a IH] le_a; first by exists set0; rewrite sub0set cards0; split=> // j j'; rewrite inE.
have [E [sub card_E before]] := IH (ltnW le_a).
have : 0 < #|C :\: E| by rewrite cardsD (setIidPr sub) card_E subn_gt0.
case/card_gt0P=> j0 in_j0; case: (arg_minnP (fun j : key allowed => val j : nat) in_j0) => j in_j least.
have /setDP[j_C j_E] : j \in C :\: E := in_j.
exists (j |: E); split.
- by apply/subsetP => x; rewrite !inE => /orP[/eqP ->|/(subsetP sub)].
- by rewrite cardsU1 j_E card_E.
move=> x y; rewrite !inE => /orP[/eqP ->|in_x]; rewrite negb_or -andbA => /and3P[ne_yj not_E in_C].
  have in_y : y \in C :\: E by rewrite inE not_E.
  have : val j <= val y := least y in_y.
  by rewrite leq_eqVlt => /orP[/eqP/val_inj/val_inj eq_jy|//]; rewrite eq_jy eqxx in ne_yj.
by apply: before in_x _; rewrite inE not_E.
Qed.

Section LargeCache.

Variables (Nq Nk d dv : nat) (stats : bool) (allowed : 'I_Nq -> 'I_Nk -> bool).

Notation query := (query allowed).
Notation key := (key allowed).
Notation G := (attention d dv stats allowed).
Notation vert := (@u_vert Nq Nk d dv stats allowed).

(** What is needed again at some moment. *)
Definition d_words r n tau sigma := minn (minn ((r - tau + 1) * (dv + sigma)) ((r - tau) * sigma + tau * (n - sigma)))
  ((tau + dv) * (n - sigma)).

Section Moments.

Variables (M : nat) (ms : seq (move G)) (when : u_step dv allowed -> nat).
Hypothesis legal_ms : pebbling M ms.
Hypothesis traced_when : traced ms vert (@u_follows Nq Nk dv allowed) when.
Hypotheses (d_gt0 : 0 < d) (dv_gt0 : 0 < dv).

Variables (R : {set query}) (early late : {set key}) (tau : nat).
Hypothesis sees : forall i j, i \in R -> j \in early :|: late -> allowed (val i) (val j).
Hypothesis early_late : forall j j', j \in early -> j' \in late -> val j < val j'.
Hypotheses (early_gt0 : 0 < #|early|) (late_gt0 : 0 < #|late|) (late_le : #|late| <= d).
Hypotheses (tau_gt0 : 0 < tau) (tau_le : tau <= d) (tau_R : tau <= #|R|).

Notation begun := (begun when early).
Notation advanced := (advanced when early).

(** The queries with a chain that is not begun. *)
Definition waiting s := [set i in R | [exists e, ~~ begun s i e]].

Lemma not_at_0 i e : i \in R -> ~~ begun 0 i e /\ ~~ advanced 0 i e.
Proof.
move=> in_R; split; first by apply/existsPn => p; rewrite ltn0 !andbF.
have [j in_early] := card_gt0P early_gt0; have [|p row_p col_p] := pair_at sees in_R (j := j); first by rewrite inE in_early.
by apply/forallPn; exists p; rewrite row_p col_p eqxx in_early ltn0.
Qed.

Lemma all_at_end i e : i \in R -> begun (size ms) i e /\ advanced (size ms) i e.
Proof.
move=> in_R; split; last by apply/forallP => p; rewrite (traced_size traced_when) implybT.
have [j in_early] := card_gt0P early_gt0; have [|p row_p col_p] := pair_at sees in_R (j := j); first by rewrite inE in_early.
by apply/existsP; exists p; rewrite row_p col_p eqxx in_early (traced_size traced_when).
Qed.

Lemma waitingW s t : s <= t -> waiting t \subset waiting s.
Proof.
move=> le_st; apply/subsetP => i; rewrite !inE => /andP[-> /existsP[e not_begun]]; apply/existsP; exists e.
by apply: contra not_begun; apply: begunW.
Qed.

(** An event makes one query begun at most. *)
Lemma waiting_step s : #|waiting s| <= #|waiting s.+1| + 1.
Proof.
rewrite -(cardsID (waiting s.+1) (waiting s)) (setIidPr (waitingW (leqnSn s))) leq_add2l.
apply/card_le1_eqP => i i' /setDP[in_i not_i] /setDP[in_i' not_i'].
have event x : x \in waiting s -> x \notin waiting s.+1 -> exists p e, row p = x /\ computed ms s = Some (vert (p, e)).
  rewrite !inE => /andP[-> /existsP[e not_begun]] /=; rewrite negb_exists => /forallP/(_ e); rewrite negbK.
  case/existsP=> p /and3P[/eqP row_p in_early lt_s]; exists p, e; split=> //.
  have -> : s = when (p, e); last exact: (traced_when (p, e)).1.
  apply/eqP; rewrite eqn_leq andbC -ltnS lt_s /= leqNgt; apply: contra not_begun => lt_s'.
  by apply/existsP; exists p; rewrite row_p eqxx in_early.
have [p [e [<- comp_p]]] := event i in_i not_i.
have [p' [e' [<- comp_p']]] := event i' in_i' not_i'.
by move: comp_p; rewrite comp_p' => -[-> _].
Qed.

Definition late_again (s : nat) :=
  #|query_words (again_old ms s)| + #|[set x in places (charged (again_old ms s)) | x.2 \in late]|.

(** At a moment when some queries have begun all their chains and none has advanced in all. *)
Lemma some_words s (A : {set query}) : A \subset R -> (forall i, i \in A -> (exists e, begun s i e) /\ exists e, ~~ advanced s i e) ->
  #|late| * #|A| <= late_again s.
Proof.
move=> /subsetP sub each.
have line i : i \in A -> (forall k, (i, k) \in query_words (again_old ms s)) \/
    (forall j, j \in late -> (i, j) \in places (charged (again_old ms s))).
  by move=> in_A; have [beg adv] := each i in_A; apply: (tied_query legal_ms traced_when d_gt0 sees early_late (sub i in_A) beg adv).
have late_le' : #|late| <= #|[finType of 'I_d]| by rewrite card_ord.
apply: leq_trans (whole_or_squares late_le' (leqnn _) line) _; rewrite leq_add2l.
by apply/subset_leq_card/subsetP => x; rewrite !inE => /andP[-> /andP[_ ->]].
Qed.

Lemma key_words_again s : tau <= #|waiting s| -> (forall j k, j \in early -> been_red ms s (Key dv j k : vertex G)) ->
  tau * #|early| <= #|key_words (again_old ms s)| + #|[set x in places (charged (again_old ms s)) | x.2 \in early]|.
Proof.
move=> le_tau old_k; set W := again_old ms s.
have line j : j \in early -> (forall k, (j, k) \in key_words W) \/
    (forall i, i \in waiting s -> (j, i) \in [set (x.2, x.1) | x in places (charged W)]).
  move=> in_early; case: (boolP [forall k, (j, k) \in key_words W]) => [/forallP|not_all]; first by left.
  right=> i; rewrite inE => /andP[in_R /existsP[e not_begun]].
  have [all_k|ch] := tied_key legal_ms traced_when d_gt0 sees in_R in_early not_begun (fun k => old_k j k in_early).
    by case/negP: not_all; apply/forallP.
  by apply/imsetP; exists (i, j).
have tau_le' : tau <= #|[finType of 'I_d]| by rewrite card_ord.
apply: leq_trans (whole_or_squares tau_le' le_tau line) _; rewrite leq_add2l.
apply: leq_trans (leq_imset_card (fun x => (x.2, x.1)) _); apply/subset_leq_card/subsetP => -[j i].
rewrite inE => /and3P[/imsetP[x in_x [-> ->]] in_early _]; apply/imsetP; exists x => //.
by rewrite inE in_x.
Qed.

Theorem some_moment : exists2 s, s <= size ms & d_words #|R| (#|early| + #|late|) tau #|late| <= #|again_old ms s|.
Proof.
have R_gt0 : 0 < #|R| by apply: leq_trans tau_R.
have [i0 in_i0] := card_gt0P R_gt0; pose e0 := Ordinal dv_gt0.
pose none s := [forall i, (i \in R) ==> [forall e, ~~ advanced s i e]].
pose no_row s := [forall i, (i \in R) ==> [exists e, ~~ advanced s i e]].
have none_0 : none 0 by apply/forallP => i; apply/implyP => in_R; apply/forallP => e; case: (not_at_0 e in_R).
have none_end : ~~ none (size ms).
  by apply/forallPn; exists i0; rewrite negb_imply in_i0; apply/forallPn; exists e0; rewrite negbK; case: (all_at_end e0 in_i0).
have [s1 [lt_s1 none_1 some_1 _]] := last_moment none_0 none_end.
have no_row_0 : no_row 0 by apply/forallP => i; apply/implyP => in_R; apply/existsP; exists e0; case: (not_at_0 e0 in_R).
have no_row_end : ~~ no_row (size ms).
  apply/forallPn; exists i0; rewrite negb_imply in_i0; apply/existsPn => e; rewrite negbK; by case: (all_at_end e in_i0).
have [s3 [lt_s3 no_row_3 row_3 last_3]] := last_moment no_row_0 no_row_end.
have le_13 : s1 <= s3.
  apply: last_3 (ltnW lt_s1) _; apply/forallP => i; apply/implyP => in_R; apply/existsP; exists e0.
  exact: (forallP (implyP (forallP none_1 i) in_R)).
(* the keys before have been passed *)
have [i1 [in_1 [e1 adv_1]]] : exists i, i \in R /\ exists e, advanced s1.+1 i e.
  move/forallPn: some_1 => [i]; rewrite negb_imply => /andP[in_R /forallPn[e]]; rewrite negbK => adv.
  by exists i; split=> //; exists e.
have passed i e s j : i \in R -> advanced s.+1 i e -> j \in early -> exists2 p : pair allowed, row p = i /\ column p = j & when (p, e) <= s.
  move=> in_R /forallP adv in_early; have [|p row_p col_p] := pair_at sees in_R (j := j); first by rewrite inE in_early.
  by exists p => //; have := adv p; rewrite row_p col_p eqxx in_early ltnS.
have old_k s j k : s1 <= s -> j \in early -> been_red ms s (Key dv j k : vertex G).
  move=> le_s in_early; have [p [_ col_p] le_p] := passed i1 e1 s1 j in_1 adv_1 in_early; apply: been_redW le_s _.
  apply: (read_before legal_ms traced_when le_p); apply: connect_trans (connect1 _) (score_leads dv stats p k).
  by rewrite /= col_p !eqxx.
have counted s := card_again ms early_late s.
have in_R s : waiting s \subset R by apply/subsetP => i; rewrite inE => /andP[].
have begun_all s i e : i \in R :\: waiting s -> begun s i e.
  by rewrite !inE => /andP[not_wait in_i]; move: not_wait; rewrite in_i /= negb_exists => /forallP/(_ e); rewrite negbK.
have subD s : R :\: waiting s \subset R by apply: subsetDl.
have card_D s : #|R :\: waiting s| = #|R| - #|waiting s| by rewrite cardsD (setIidPr (in_R s)).
rewrite /d_words addnK.
case: (ltnP #|waiting s1| tau) => [few|many].
  (* I *)
  exists s1; first exact: ltnW.
  have q_words : #|late| * #|R :\: waiting s1| <= late_again s1.
    apply: (some_words (subD s1)) => i in_D; have in_i := subsetP (subD s1) i in_D.
    by split; exists e0; [apply: begun_all|apply: (forallP (implyP (forallP none_1 i) in_i))].
  have o_words : #|R :\: waiting s1| * dv <= #|output_words (again_old ms s1)|.
    rewrite -{1}(card_ord dv) -[#|'I_dv|]cardsT -cardsX; apply/subset_leq_card/subsetP => -[i e]; rewrite inE => /andP[in_D _].
    have in_i := subsetP (subD s1) i in_D.
    apply: (tied_output legal_ms traced_when sees early_late in_i late_gt0 (begun_all _ _ e in_D)).
    exact: (forallP (implyP (forallP none_1 i) in_i)).
  rewrite !geq_min; apply/orP; left; apply/orP; left.
  apply: leq_trans (counted s1); move: q_words o_words; rewrite /late_again card_D.
  have : #|R| - tau + 1 <= #|R| - #|waiting s1| by move: few tau_R; clear; lia.
  move: (#|R| - #|waiting s1|) (#|R| - tau + 1) => x y le_yx q_words o_words.
  have := leq_mul le_yx (leqnn (dv + #|late|)); move: q_words o_words; clear; lia.
(* II *)
have wait_0 : tau <= #|waiting 0|.
  apply: leq_trans tau_R _; apply/subset_leq_card/subsetP => i in_i; rewrite inE in_i; apply/existsP; exists e0.
  by case: (not_at_0 e0 in_i).
have wait_end : ~~ (tau <= #|waiting (size ms)|).
  rewrite -ltnNge (_ : waiting (size ms) = set0) ?cards0 //; apply/setP => i; rewrite !inE; apply/negP => /andP[in_i /existsP[e]].
  by case: (all_at_end e in_i) => ->.
have [s2 [lt_s2 wait_2 few_2 last_2]] := @last_moment (fun s => tau <= #|waiting s|) _ wait_0 wait_end.
have le_12 : s1 <= s2 by apply: last_2 => //; apply: ltnW.
case: (leqP s2 s3) => [le_23|lt_32].
  (* IIa *)
  exists s2; first exact: ltnW.
  have q_words : #|late| * #|R :\: waiting s2| <= late_again s2.
    apply: (some_words (subD s2)) => i in_D; have in_i := subsetP (subD s2) i in_D.
    split; first by exists e0; apply: begun_all.
    have /existsP[e not_adv] := implyP (forallP no_row_3 i) in_i.
    by exists e; apply: contra not_adv; apply: advancedW.
  have k_words := key_words_again wait_2 (fun j k => old_k s2 j k le_12).
  rewrite !geq_min; apply/orP; left; apply/orP; right.
  apply: leq_trans (counted s2); move: q_words k_words; rewrite /late_again card_D.
  have : #|R| - tau <= #|R| - #|waiting s2|.
    by rewrite leq_sub2l //; apply: leq_trans (waiting_step s2) _; rewrite addn1 ltnNge.
  move: (#|R| - #|waiting s2|) (#|R| - tau) => x y le_yx q_words k_words.
  have := leq_mul le_yx (leqnn #|late|); move: q_words k_words; clear; lia.
(* IIb *)
exists s3; first exact: ltnW.
have wait_3 : tau <= #|waiting s3| by apply: leq_trans wait_2 _; apply: subset_leq_card; apply: waitingW; apply: ltnW.
have k_words := key_words_again wait_3 (fun j k => old_k s3 j k le_13).
have [i3 [in_3 adv_3]] : exists i, i \in R /\ forall e, advanced s3.+1 i e.
  move/forallPn: row_3 => [i]; rewrite negb_imply => /andP[in_i /existsPn all_adv].
  by exists i; split=> // e; have := all_adv e; rewrite negbK.
have old_v j e : j \in early -> been_red ms s3 (Value d j e : vertex G).
  move=> in_early; have [p [_ col_p] le_p] := passed i3 e s3 j in_3 (adv_3 e) in_early; apply/been_redP; exists (when (p, e)) => //.
  by apply: (computed_red legal_ms (traced_when (p, e)).1); rewrite /= col_p !eqxx.
case: (boolP [exists i, (i \in R) && [forall e, ~~ begun s3 i e]]) => [/existsP[i /andP[in_i /forallP not_begun]]|/existsPn no_such].
  have v_words : #|early| * dv <= #|value_words (again_old ms s3)|.
    rewrite -{1}(card_ord dv) -[#|'I_dv|]cardsT -cardsX; apply/subset_leq_card/subsetP => -[j e]; rewrite inE => /andP[in_early _].
    exact: (tied_value legal_ms traced_when sees in_i in_early (not_begun e) (old_v j e in_early)).
  rewrite !geq_min; apply/orP; right; apply: leq_trans (counted s3).
  by move: v_words k_words; clear; lia.
have q_words : #|late| * #|R| <= late_again s3.
  apply: (some_words (subxx R)) => i in_i; split.
    by have := no_such i; rewrite in_i /= negb_forall => /existsP[e]; rewrite negbK; exists e.
  exact: (existsP (implyP (forallP no_row_3 i) in_i)).
rewrite !geq_min; apply/orP; left; apply/orP; right; apply: leq_trans (counted s3).
have := leq_mul (leq_subr tau #|R|) (leqnn #|late|); move: q_words k_words; rewrite /late_again; clear; lia.
Qed.

End Moments.

Theorem D M (ms : seq (move G)) (R : {set query}) (C : {set key}) tau sigma : pebbling M ms -> 0 < d -> 0 < dv ->
  (forall i j, i \in R -> j \in C -> allowed (val i) (val j)) ->
  0 < tau <= minn d #|R| -> 0 < sigma <= minn d (#|C| - 1) ->
  #|query| * d + #|key| * d + #|key| * dv + #|query| * dv + stats * #|query| + d_words #|R| #|C| tau sigma <= io ms + M.
Proof.
move=> legal_ms d_gt0 dv_gt0 sees /andP[tau_gt0]; rewrite leq_min => /andP[tau_d tau_R] /andP[sigma_gt0].
rewrite leq_min => /andP[sigma_d sigma_C]; have lt_C : sigma < #|C| by move: sigma_gt0 sigma_C; clear; lia.
have [E [sub card_E before]] := first_keys (leq_subr sigma #|C|).
have card_L : #|C :\: E| = sigma by rewrite cardsD (setIidPr sub) card_E subKn // ltnW.
have [when traced_when] := trace legal_ms (@u_no_input _ _ d dv stats allowed) (@u_follows_left _ _ _ _)
  (@u_follows_edge _ _ d dv stats allowed) (@u_follows_fun _ _ _ _) (fun x => u_last_step legal_ms (x := x)).
have in_C i j : i \in R -> j \in E :|: (C :\: E) -> allowed (val i) (val j).
  by move=> in_R in_C; apply: sees => //; move: in_C; rewrite !inE => /orP[/(subsetP sub)|/andP[]].
have E_gt0 : 0 < #|E| by rewrite card_E subn_gt0.
have L_gt0 : 0 < #|C :\: E| by rewrite card_L.
have L_le : #|C :\: E| <= d by rewrite card_L.
have [s le_s some] := some_moment legal_ms traced_when d_gt0 dv_gt0 in_C before E_gt0 L_gt0 L_le tau_gt0 tau_d tau_R.
move: some; rewrite card_E card_L subnK ?(ltnW lt_C) // => some.
have words := leq_add (leq_add (needed_words stats allowed d_gt0 dv_gt0) (attention_stores legal_ms)) some.
have again := needed_again legal_ms le_s; rewrite io_loads_stores.
rewrite (_ : _ + _ + M = loads ms + M + stores ms); last by rewrite addnAC.
rewrite -[X in X + d_words _ _ _ _]addnA; apply: leq_trans words _.
by rewrite addnAC leq_add2r.
Qed.

End LargeCache.

(** Without a mask. *)
Theorem D_all_pairs Nq Nk d dv stats M (ms : seq (move (attention d dv stats (@all_pairs Nq Nk)))) tau sigma :
  pebbling M ms -> 0 < d -> 0 < dv -> 0 < tau <= minn d Nq -> 0 < sigma <= minn d (Nk - 1) ->
  (Nq + Nk) * (d + dv) + stats * Nq + d_words dv Nq Nk tau sigma <= io ms + M.
Proof.
move=> legal_ms d_gt0 dv_gt0 tau_le sigma_le.
have Nq_gt0 : 0 < Nq by move: tau_le; rewrite leq_min; clear; lia.
have Nk_gt0 : 0 < Nk by move: sigma_le; rewrite leq_min; clear; lia.
have := @D Nq Nk d dv stats (@all_pairs Nq Nk) M ms setT setT tau sigma legal_ms d_gt0 dv_gt0.
rewrite !cardsT card_all_queries // card_all_keys // => /(_ (fun _ _ _ _ => isT) tau_le sigma_le).
by clear; lia.
Qed.
