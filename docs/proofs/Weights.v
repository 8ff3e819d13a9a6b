(** * Cutting with moves of different weight

    As the cutting lemma of Tracing.v, with a weight for every word: red words and loads weigh [K], but the first load of
    an input [v] weighs [wt v] only, and so does the beginning of a chain in [v]. What an input weighs less is gained. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Cutting Tracing.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Weights.

Variables (G : dag) (M : nat) (ms : seq (move G)).
Hypothesis legal_ms : pebbling M ms.
Variables (X : finType) (vert : X -> vertex G) (follows : rel X) (when : X -> nat).
Hypothesis traced_when : traced ms vert follows when.
Hypothesis vert_inj : injective vert.

Notation loaded := (loaded ms).
Notation first := (first follows).

Variables (K : nat) (wt : vertex G -> nat).
Hypothesis wt_le : forall v, wt v <= K.

Definition first_load t v := [&& input v, loaded t == Some v & ~~ has (fun s => loaded s == Some v) (iota 0 t)].
Definition load_weight t := if loaded t is Some v then (if first_load t v then wt v else K) else 0.
Definition begin_weight t := \sum_(x | first x && (when x == t)) wt (vert x).
Definition weight_at t := load_weight t + begin_weight t.

Lemma weight_at_le t : weight_at t <= K.
Proof.
rewrite /weight_at /begin_weight; case: (pickP (fun x => first x && (when x == t))) => [x /andP[first_x /eqP when_x]|none].
  have comp_t : computed ms t = Some (vert x) by rewrite -when_x (traced_when x).1.
  have -> : load_weight t = 0.
    by move: comp_t; rewrite /load_weight /Times.loaded /computed; case: (move_at ms t) => [[]|].
  rewrite (bigD1 x) ?first_x ?when_x ?eqxx //= big1 ?addn0 ?add0n // => y /andP[/andP[_ /eqP when_y] /eqP ne_yx].
  by case: ne_yx; apply: vert_inj; move: comp_t; rewrite -when_y (traced_when y).1 => -[].
rewrite big_pred0 // addn0 /load_weight; case: (loaded t) => // v; by case: ifP.
Qed.

(** The words of a segment weigh no more than what is red at its start and its moves. *)
Lemma segment_weight a b :
  \sum_(v in segment_words ms vert follows when a b) wt v <= K * #|red_at ms a| + \sum_(a <= t < b) weight_at t.
Proof.
pose there t v := ((loaded t == Some v) + \sum_(x | [&& first x, when x == t & vert x == v]) 1) * wt v.
have le_weight t : \sum_v there t v <= weight_at t.
  rewrite /there; under eq_bigr do rewrite mulnDl.
  rewrite big_split /=; apply: leq_add.
    rewrite /load_weight; case E: (loaded t) => [v|]; last by rewrite big1.
    rewrite (bigD1 v) //= eqxx mul1n big1 ?addn0; last by move=> u /negbTE ne_u; rewrite (inj_eq (@Some_inj _)) eq_sym ne_u.
    by case: ifP.
  rewrite /begin_weight; under eq_bigr do rewrite big_distrl /=.
  rewrite (exchange_big_dep (fun x => first x && (when x == t))) /=; last by move=> v x _ /and3P[-> ->].
  apply: leq_sum => x /andP[first_x when_x]; rewrite (bigD1 (vert x)) /=; last by rewrite first_x when_x eqxx.
  rewrite mul1n big1 ?addn0 // => v /andP[/and3P[_ _ /eqP <-]]; by rewrite eqxx.
apply: (@leq_trans (\sum_v ((v \in red_at ms a) * K + \sum_(a <= t < b) there t v))); last first.
  rewrite big_split /=; apply: leq_add.
    rewrite -big_distrl /= mulnC leq_mul2l -sum1_card [X in _ <= X]big_mkcond.
    by apply/orP; right; apply: leq_sum => v _; case: (v \in _).
  by rewrite exchange_big; apply: leq_sum => t _; apply: le_weight.
rewrite big_mkcond /=; apply: leq_sum => v _; case: ifP => //; rewrite !inE => /orP[/orP[->|]|].
- by rewrite mul1n; apply: leq_trans (wt_le v) (leq_addr _ _).
- case/hasP=> t in_t load_t; apply: leq_trans (leq_addl _ _).
  by rewrite (bigD1_seq t) ?iota_uniq //= /there load_t; nia.
case/imsetP=> x; rewrite inE => /and3P[first_x le_a lt_b] eq_v; apply: leq_trans (leq_addl _ _).
rewrite (bigD1_seq (when x)) ?iota_uniq ?mem_index_iota ?le_a //= /there (bigD1 x) /=; last by rewrite first_x eqxx eq_v eqxx.
by nia.
Qed.

(** Inputs that are loaded at some time. *)
Definition ever_loaded v := [exists t : 'I_(size ms), loaded t == Some v].

Lemma sum_weights : \sum_(0 <= t < size ms) weight_at t + \sum_(v | input v && ever_loaded v) (K - wt v) <=
  K * loads ms + \sum_(x | first x) wt (vert x).
Proof.
have begun : \sum_(0 <= t < size ms) begin_weight t <= \sum_(x | first x) wt (vert x).
  rewrite /begin_weight (exchange_big_dep first) /=; last by move=> t x _ /andP[].
  apply: leq_sum => x first_x; rewrite big_mkcond (bigD1_seq (when x)) ?iota_uniq //=; last first.
    by rewrite mem_index_iota (traced_size traced_when).
  rewrite first_x eqxx big1 ?addn0 // => t ne_t; by rewrite eq_sym (negbTE ne_t).
pose saved t := \sum_(v | first_load t v) (K - wt v).
have each t : load_weight t + saved t <= K * (loaded t : bool).
  rewrite /load_weight /saved; case E: (loaded t) => [v|]; last first.
    by rewrite big_pred0 // => v; rewrite /first_load E andbF.
  rewrite muln1; case: ifP => first_v.
    rewrite (bigD1 v) //= big1 ?addn0; first by rewrite subnKC.
    by move=> u /andP[/and3P[_ /eqP]]; rewrite E => -[->]; rewrite eqxx.
  rewrite big_pred0 ?addn0 // => u; apply/negP => first_u; have /and3P[_ /eqP load_u _] := first_u.
  by move: load_u first_u; rewrite E => -[<-]; rewrite first_v.
have all_saved : \sum_(v | input v && ever_loaded v) (K - wt v) <= \sum_(0 <= t < size ms) saved t.
  rewrite /saved (exchange_big_dep xpredT) //= big_mkcond /=; apply: leq_sum => v _.
  case: ifP => // /andP[in_v /existsP[t0 load_t0]].
  have ex : exists t, loaded t == Some v by exists t0.
  case: (ex_minnP ex) => t load_t least; have lt_t : t < size ms by apply: loaded_size (eqP load_t).
  have first_v : first_load t v.
    rewrite /first_load in_v load_t; apply/hasPn => s; rewrite mem_iota add0n => /= lt_s.
    by apply/negP => /least; rewrite leqNgt lt_s.
  by rewrite big_mkcond (bigD1_seq t) ?iota_uniq ?mem_index_iota //= first_v leq_addr.
have total : \sum_(0 <= t < size ms) load_weight t + \sum_(0 <= t < size ms) saved t <= K * loads ms.
  by rewrite -big_split /= /loads big_mkord big_distrr /=; apply: leq_sum => t _; apply: each.
rewrite /weight_at big_split /=; move: begun all_saved total.
move: (\sum_(0 <= t < size ms) saved t) (\sum_(0 <= t < size ms) load_weight t) => p q.
move: (\sum_(0 <= t < size ms) begin_weight t) (\sum_(x | first x) wt (vert x)) (\sum_(v | _) _) => r r' s.
by clear; lia.
Qed.

Lemma cut_weights (weight : X -> nat) T F h :
  (forall a b, \sum_(v in segment_words ms vert follows when a b) wt v <= T -> \sum_(x | a <= when x < b) weight x <= F) ->
  0 < h -> h * F < \sum_x weight x ->
  K * M + K + h * (T + 1) + \sum_(v | input v && ever_loaded v) (K - wt v) <=
    K * loads ms + \sum_(x | first x) wt (vert x) + h * (K * M + K).
Proof.
move=> bounded h_gt0 many; pose events t := \sum_(x | when x == t) weight x.
have sum_events a b : \sum_(a <= t < b) events t = \sum_(x | a <= when x < b) weight x.
  rewrite /events (exchange_big_dep xpredT) //= [RHS]big_mkcond /=; apply: eq_bigr => x _.
  rewrite big_mkcond; case: ifP => in_ab.
    rewrite (bigD1_seq (when x)) ?iota_uniq ?mem_index_iota //= eqxx big1 ?addn0 // => t ne_t.
    by rewrite eq_sym (negbTE ne_t).
  rewrite big1_seq // => t; rewrite mem_index_iota => /andP[_ in_t].
  by case: eqP => // when_x; rewrite when_x in_t in in_ab.
have seg a b : a <= b <= size ms -> K * #|red_at ms a| + \sum_(a <= t < b) weight_at t <= T ->
    \sum_(a <= t < b) events t <= F.
  by move=> _ le_T; rewrite sum_events; apply: bounded; apply: leq_trans (segment_weight a b) le_T.
have le_red a : K * #|red_at ms a| <= K * M by rewrite leq_mul2l (card_red legal_ms) orbT.
have := @cut (size ms) (K * M) K T F weight_at events _ weight_at_le le_red seg h.
rewrite red_at0 cards0 muln0 => /(_ erefl h_gt0); rewrite sum_events.
have -> : \sum_(x | 0 <= when x < size ms) weight x = \sum_x weight x.
  by apply: eq_bigl => x; rewrite (traced_size traced_when).
by move=> /(_ many); have := sum_weights; clear; lia.
Qed.

End Weights.
