(** * S: safe softmax in two passes costs a quarter more

    docs/proofs/softmax.md, S. The events are the multiply-adds of P times V, of weight 4, and the steps of the maxima, of weight [d]:
    no weight of a row is computed before the maximum of the row is known. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times LoomisWhitney Numbers Tracing Attention AttentionFacts AttentionCompulsory T1 Softmax.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** Both products at once: with q <= w √(b k) it is 4 (a k + 2 q) <= (a + b + k + w)^2. *)
Lemma two_products a b k w q : q ^ 2 <= b * k * w ^ 2 -> 4 * (a * k) + 8 * q <= (a + b + k + w) ^ 2.
Proof.
move=> le_q; case: (leqP (b + w) k) => cmp.
  have le_2q : 2 * q <= k * (b + w).
    apply: sqr_le; rewrite !expnMn.
    have h1 : k * (b + w) ^ 3 <= k ^ 2 * (b + w) ^ 2.
      by rewrite -mulnn -mulnA leq_mul2l expnS leq_mul2r cmp !orbT.
    have h2 := leq_mul (leqnn k) (third_cube b w).
    by move: le_q h1 h2; move: ((b + w) ^ 3) (k ^ 2 * (b + w) ^ 2) (q ^ 2) => x y z; clear; lia.
  have := nat_AGM2 k (a + (b + w)); rewrite (_ : k + (a + (b + w)) = a + b + k + w); last by lia.
  by apply: leq_trans; move: le_2q; rewrite !mulnDr; clear; lia.
have le_8q : 8 * q <= (b + k + w) ^ 2.
  apply: sqr_le; rewrite expnMn; apply: (@leq_trans ((4 * ((b + k) * w)) ^ 2)); last first.
    by rewrite leq_sqr; apply: nat_AGM2.
  have := leq_mul (leqnn (16 * w ^ 2)) (nat_AGM2 b k); rewrite !expnMn; move: le_q.
  by move: ((b + k) ^ 2) (w ^ 2) (q ^ 2) => x y z; clear; lia.
apply: (@leq_trans ((b + k + w) ^ 2 + 2 * (a * (b + k + w)))); last first.
  by rewrite -!mulnn; clear; lia.
by have := leq_mul (leqnn (2 * a)) (ltnW cmp); move: le_8q; move: ((b + k + w) ^ 2) => x; clear; lia.
Qed.

(** [c] charged pairs, [k] whole rows of K, [x] whole rows of Q with steps of the maximum and [y] with outputs, [u] entries of the output and
    [v] of V at hand; [n] multiply-adds. *)
Lemma s_count d T c x y k u v n : 34 * d ^ 2 <= T -> n ^ 2 <= (c + y * k) * u * v ->
  c + d * (x + y + k) + u + v <= T -> 4 * d ^ 2 * (c + x * k) + 16 * (d * n) <= T ^ 2.
Proof.
move=> le_d le_n le_T; have le_uv : 4 * (u * v) <= (u + v) ^ 2 := nat_AGM2 u v.
rewrite -mulnA in le_n; rewrite -addnA in le_T.
move: (u * v) (u + v) le_uv le_n le_T => p w {u v} le_p le_n le_T.
have {le_p} le_4n : 4 * n ^ 2 <= (c + y * k) * w ^ 2.
  by have := leq_mul (leqnn (c + y * k)) le_p; move: le_n; clear; lia.
case: (leqP (2 * d) k) => cmp.
  have le_q : (8 * (d * n)) ^ 2 <= (c + 2 * (d * y)) * (2 * (d * k)) * (2 * w) ^ 2.
    have h1 := leq_mul (leqnn (16 * d ^ 2)) le_4n.
    have h2 := leq_mul (leqnn (8 * (d * c * w ^ 2))) cmp.
    by move: h1 h2; rewrite !expnMn -!mulnn; clear; lia.
  have := two_products (c + 2 * (d * x)) le_q.
  have le_2T : c + 2 * (d * x) + (c + 2 * (d * y)) + 2 * (d * k) + 2 * w <= 2 * T by move: le_T; clear; lia.
  rewrite -leq_sqr in le_2T; move=> /leq_trans /(_ le_2T).
  have h2 := leq_mul (leqnn (8 * (d * c))) cmp.
  by move: h2; rewrite -!mulnn; clear; lia.
have le_b : c + d * (x + y) + w <= T by move: le_T; clear; lia.
have := leq_mul (ltnW cmp) (leqnn x); have := leq_mul (ltnW cmp) (leqnn y).
move=> le_y le_x; have {le_y} le_yk : c + y * k <= 2 * (c + d * (x + y)) by move: le_y; clear; lia.
have {le_x} le_xk : c + x * k <= 2 * (c + d * (x + y)) by move: le_x; clear; lia.
move: (c + d * (x + y)) le_b le_yk le_xk => B le_b le_yk le_xk.
have le_n3 : 27 * n ^ 2 <= 2 * T ^ 3.
  have h1 := leq_mul le_yk (leqnn (w ^ 2)); have h2 := third_cube B w.
  have h3 : (B + w) ^ 3 <= T ^ 3 by rewrite leq_exp2r.
  by move: le_4n h1 h2 h3; move: (T ^ 3) ((B + w) ^ 3) (n ^ 2) => t b' r; clear; lia.
have le_dn : 34 * (16 * (d * n)) <= 26 * T ^ 2.
  have eq_T : T ^ 3 * T = (T ^ 2) ^ 2 by rewrite -expnSr -expnM.
  apply: sqr_le; rewrite [(26 * _) ^ 2]expnMn -eq_T !expnMn.
  have h1 := leq_mul (leqnn (34 * 34 * 256 * d ^ 2)) le_n3.
  have h2 := leq_mul (leqnn (34 * 512 * T ^ 3)) le_d.
  by move: h1 h2; move: (T ^ 3) (n ^ 2) (d ^ 2) => t r d'; clear; lia.
have {}le_xk : d ^ 2 * (c + x * k) <= 2 * (d ^ 2 * T).
  rewrite mulnCA leq_mul2l; apply/orP; right; apply: leq_trans le_xk _; rewrite leq_mul2l.
  exact: leq_trans (leq_addr _ _) le_b.
have {le_d} : 34 * (d ^ 2 * T) <= T ^ 2 by rewrite mulnA -[T ^ 2]mulnn leq_mul2r le_d orbT.
rewrite -mulnA; move: le_xk le_dn; move: (d ^ 2 * _) (d ^ 2 * _) (d * n) (T ^ 2) => p' q r t; clear; lia.
Qed.

Section SafeSoftmax.

Variables (Nq Nk d dv : nat) (stats : bool) (allowed : 'I_Nq -> 'I_Nk -> bool).

Local Notation pair := (pair allowed).
Local Notation query := (query allowed).
Local Notation key := (key allowed).
Local Notation G := (safe d dv stats allowed).
Local Notation u_step := (u_step dv allowed).
Local Notation u_follows := (@u_follows Nq Nk dv allowed).

Hypothesis d_gt0 : 0 < d.

(** The traced chains: U[i,e,.] as for T1, and m[i,.]. *)
Definition output_vert (x : u_step) : vertex G := inl (Partial d x.1 x.2).
Definition maximum_vert (p : pair) : vertex G := inr p.
Definition pairs_left (p : pair) := Nk - place p.

Fact output_vert_inj : injective output_vert.
Proof. by move=> [p e] [q e'] [-> ->]. Qed.

Fact output_no_input x : ~~ input (output_vert x).
Proof. by apply/forallPn; exists (inl (Weight _ _ x.1)); rewrite negbK /= eqxx. Qed.

Fact maximum_no_input p : ~~ input (maximum_vert p).
Proof.
have [k last_k] := last_step d_gt0; apply/forallPn; exists (inl (Score dv p k)).
by rewrite negbK /= eqxx.
Qed.

Fact output_edge x y : u_follows x y -> edge (output_vert x) (output_vert y).
Proof. by []. Qed.

Fact maximum_edge (p q : pair) : next_pair p q -> edge (maximum_vert p) (maximum_vert q).
Proof. by []. Qed.

Fact pairs_left_next (p q : pair) : next_pair p q -> pairs_left q < pairs_left p.
Proof.
case/and3P=> _ lt_pq _; have lt_q : place q < Nk by apply: ltn_ord.
by rewrite /pairs_left; move: (place p) (place q) lt_pq lt_q; clear; lia.
Qed.

Section Pebbling.

Variables (M : nat) (ms : seq (move G)).
Hypothesis legal_ms : pebbling M ms.

Fact output_last x : (forall y, ~~ u_follows x y) -> exists t, computed ms t = Some (output_vert x).
Proof.
move=> none; have last_x : last_pair x.1.
  by apply: next_or_last => q; have := none (q, x.2); rewrite /T1.u_follows /= eqxx andbT.
have edge_o : edge (output_vert x) (inl (Output _ (row x.1) x.2) : vertex G) by rewrite /= last_x !eqxx.
have no_input : ~~ input (inl (Output _ (row x.1) x.2) : vertex G).
  by apply/forallPn; exists (output_vert x); rewrite negbK.
have [t comp_t] := output_computed legal_ms (isT : output (inl (Output _ (row x.1) x.2) : vertex G)) no_input.
have [s _ comp_s] := red_computed legal_ms (output_no_input x) (computed_red legal_ms comp_t edge_o).
by exists s.
Qed.

(** Both traces; the maxima of a row come before all traced outputs of the row. *)
Lemma traces : 0 < dv -> exists when_u when_m,
  [/\ traced ms output_vert u_follows when_u, traced ms maximum_vert (@next_pair _ _ allowed) when_m &
      forall p x, row p = row x.1 -> when_m p < when_u x].
Proof.
move=> dv_gt0; have [when_u traced_u] := trace legal_ms output_no_input (@u_follows_left _ _ dv allowed) output_edge
  (@u_follows_fun _ _ dv allowed) output_last.
have before p : exists t, (forall q, ~~ next_pair p q) ->
    computed ms t = Some (maximum_vert p) /\ forall x, row p = row x.1 -> t < when_u x.
  case: (boolP (last_pair p)) => [last_p|not_last]; last first.
    by exists 0 => /next_or_last; rewrite (negbTE not_last).
  pose x0 : u_step := (p, Ordinal dv_gt0).
  case: (@arg_minnP _ x0 (fun x : u_step => row p == row x.1) when_u) => [|x /eqP row_x earliest].
    by rewrite /= eqxx.
  have red_w : (inl (Weight _ _ x.1) : vertex G) \in red_at ms (when_u x).
    by apply: (computed_red legal_ms (traced_u x).1); rewrite /= eqxx.
  have no_input_w : ~~ input (inl (Weight _ _ x.1) : vertex G).
    by apply/forallPn; exists (maximum_vert p); rewrite negbK /= last_p row_x eqxx.
  have [s lt_s comp_s] := red_computed legal_ms no_input_w red_w.
  have red_m : maximum_vert p \in red_at ms s by apply: (computed_red legal_ms comp_s); rewrite /= last_p row_x eqxx.
  have [t lt_t comp_t] := red_computed legal_ms (maximum_no_input p) red_m.
  exists t => _; split=> // y row_y; apply: ltn_trans lt_t (leq_trans lt_s _).
  by apply: earliest; apply/eqP.
have [ends ends_p] : exists ends : pair -> nat, forall p, (forall q, ~~ next_pair p q) ->
    computed ms (ends p) = Some (maximum_vert p) /\ forall x, row p = row x.1 -> ends p < when_u x.
  exact: fin_all_exists before.
have [p none|when_m traced_m ends_m] := trace_from legal_ms maximum_no_input pairs_left_next maximum_edge
  (@next_pair_fun _ _ allowed) (ends := ends); first by case: (ends_p p none).
exists when_u, when_m; split=> // p x; have [n le_n] := ubnP (pairs_left p).
elim: n p le_n => // n IH p le_n row_p; case: (pickP (next_pair p)) => [q next_q|none].
  have /and3P[/eqP row_q _ _] := next_q; apply: ltn_trans (proj1 ((traced_m p).2 q next_q)) (IH q _ _).
    exact: leq_trans (pairs_left_next next_q) le_n.
  by rewrite -row_q.
have none_p q : ~~ next_pair p q by rewrite none.
by rewrite (ends_m p none_p); apply: (ends_p p none_p).2.
Qed.

Variables (when_u : u_step -> nat) (when_m : pair -> nat).
Hypothesis traced_u : traced ms output_vert u_follows when_u.
Hypothesis traced_m : traced ms maximum_vert (@next_pair _ _ allowed) when_m.
Hypothesis maxima_first : forall p x, row p = row x.1 -> when_m p < when_u x.

(** Mixed rows: those with steps of the maximum and of the outputs in a segment. *)
Definition in_row i := [set p : pair | row p == i].
Definition mixed a b (i : query) := [exists p, (row p == i) && (a <= when_m p < b)] && [exists x, (row x.1 == i) && (a <= when_u x < b)].
Definition struck T a b := \sum_(i | mixed a b i) d * minn #|in_row i| (T %/ d).

Lemma struck_once T a b c : a <= b <= c -> struck T a b + struck T b c <= struck T a c.
Proof.
case/andP=> le_ab le_bc; rewrite /struck big_mkcond [X in _ + X]big_mkcond [X in _ <= X]big_mkcond -big_split /=.
apply: leq_sum => i _.
have wider s t : (a <= s) -> (t <= c) -> mixed s t i -> mixed a c i.
  move=> le_as le_tc /andP[/existsP[p /andP[row_p in_p]] /existsP[x /andP[row_x in_x]]].
  apply/andP; split; apply/existsP; [exists p; rewrite row_p /=|exists x; rewrite row_x /=].
    by case/andP: in_p => /(leq_trans le_as) -> /leq_trans ->.
  by case/andP: in_x => /(leq_trans le_as) -> /leq_trans ->.
case: ifP => [first_half|_]; last by case: ifP => // /wider ->.
rewrite (wider a b) // ifF ?addn0 //; apply/negbTE/andP => -[/existsP[p /andP[/eqP row_p /andP[le_b _]]] _].
case/andP: first_half => _ /existsP[x /andP[/eqP row_x /andP[_ lt_b]]].
have := maxima_first (p := p) (x := x); rewrite row_p row_x => /(_ erefl).
by move: le_b lt_b; move: (when_m p) (when_u x) => s t; clear; lia.
Qed.

Lemma struck_all T a b : struck T a b <= d * minn #|pair| (#|query| * (T %/ d)).
Proof.
rewrite /struck -big_distrr /= leq_mul2l; apply/orP; right.
apply: (@leq_trans (\sum_i minn #|in_row i| (T %/ d))).
  by rewrite [X in _ <= X](bigID (mixed a b)) /= leq_addr.
rewrite leq_min; apply/andP; split.
  have -> : #|pair| = \sum_(i : query) #|in_row i|.
    rewrite -sum1_card (partition_big (@row _ _ allowed) xpredT) //=; apply: eq_bigr => i _.
    by rewrite -sum1_card; apply: eq_bigl => p; rewrite inE.
  by apply: leq_sum => i _; apply: geq_minl.
by rewrite -sum_nat_const; apply: leq_sum => i _; apply: geq_minr.
Qed.

(** What a segment does. *)
Section Segment.

Variables (a b T : nat).
Let W := segment_words ms output_vert u_follows when_u a b.
Hypothesis few : #|W| <= T.

Let words : {set vertex (attention d dv stats allowed)} := [set v | (inl v : vertex G) \in W].
Let outputs := [set x | a <= when_u x < b].
Let maxima := [set p | a <= when_m p < b].
Let busy := [set i in whole_queries words | [exists x, (row x.1 == i) && (x \in outputs)]]. (* rows with outputs *)
Let quiet := whole_queries words :\: busy.

Fact hand v : at_hand ms a b v -> v \in W.
Proof. exact: at_hand_words. Qed.

Fact few_words : #|words| <= T.
Proof.
have inl_inj : injective (fun v : vertex (attention d dv stats allowed) => inl v : vertex G) by move=> u v [].
apply: leq_trans few; rewrite -(card_imset _ inl_inj).
by apply/subset_leq_card/subsetP => _ /imsetP[v in_v ->]; move: in_v; rewrite inE.
Qed.

(** The score of a pair that is not charged was made in the segment from its rows of Q and K. *)
Lemma score_rows t p (k : 'I_d) : k.+1 == d -> a <= t < b -> (inl (Score dv p k) : vertex G) \in red_at ms t ->
  p \notin charged words -> (row p \in whole_queries words) && (column p \in whole_keys words).
Proof.
move=> /eqP last_k in_t red_t; rewrite inE negb_or => /andP[_ /existsPn no_score].
have not_in j : (inl (Score dv p j) : vertex G) \notin W by have := no_score j; rewrite inE.
have score_made j : exists2 u, a <= u < b & computed ms u = Some (inl (Score dv p j) : vertex G).
  have [n le_n] := ubnP (d - j); elim: n j le_n => // n IH j le_n.
  case: (eqVneq j.+1 d) => [last_j|ne_j].
    have -> : j = k by apply: val_inj; move: last_j last_k => /=; move: (j : nat) (k : nat); clear; lia.
    exact: (made_in_segment hand in_t red_t (not_in k)).
  have lt_j : j.+1 < d by rewrite ltn_neqAle ne_j ltn_ord.
  have [|u in_u comp_u] := IH (Ordinal lt_j).
    by move: (ltn_ord j) le_n; clear; rewrite /=; lia.
  by apply: (made_in_segment hand in_u (computed_red legal_ms comp_u _) (not_in j)); rewrite /= !eqxx.
apply/andP; split; rewrite inE; apply/forallP => j; have [u in_u comp_u] := score_made j; rewrite inE.
  apply: (input_in_words legal_ms hand in_u); first by apply/forallP => -[[]|].
  by apply: (computed_red legal_ms comp_u); rewrite /= !eqxx.
apply: (input_in_words legal_ms hand in_u); first by apply/forallP => -[[]|].
by apply: (computed_red legal_ms comp_u); rewrite /= !eqxx.
Qed.

Lemma outputs_count : #|outputs| ^ 2 <= (#|charged words| + #|busy| * #|whole_keys words|) * #|output_words words| * #|value_words words|.
Proof.
pose triple (x : u_step) := (row x.1, column x.1, x.2).
have triple_inj : injective triple.
  move=> x y eq_t; have eq_row : row x.1 = row y.1 := congr1 (fun t => t.1.1) eq_t.
  have eq_e : x.2 = y.2 := congr1 snd eq_t.
  rewrite (surjective_pairing x) (surjective_pairing y) eq_e; congr (_, _); apply: pair_eq => //.
  by rewrite /place (congr1 (fun t => t.1.2) eq_t : column x.1 = column y.1).
pose served := places (charged words) :|: setX busy (whole_keys words).
have le_served : #|served| <= #|charged words| + #|busy| * #|whole_keys words|.
  by apply: leq_trans (leq_card_setU _ _) _; rewrite cardsX leq_add2r leq_imset_card.
rewrite -(card_imset _ triple_inj).
apply: (@leq_trans (#|served| * #|output_words words| * #|value_words words|)); last by rewrite -!mulnA leq_mul2r le_served orbT.
apply: loomis_whitney => i j e /imsetP[x in_x eq_t]; have in_ab : a <= when_u x < b by move: in_x; rewrite inE.
- rewrite (congr1 (fun t => t.1.1) eq_t : i = row x.1) (congr1 (fun t => t.1.2) eq_t : j = column x.1) inE.
  case: (boolP (x.1 \in charged words)) => [ch|not_charged]; first by rewrite imset_f.
  apply/orP; right; have red_w : (inl (Weight _ _ x.1) : vertex G) \in red_at ms (when_u x).
    by apply: (computed_red legal_ms (traced_u x).1); rewrite /= eqxx.
  have [|s in_s comp_s] := made_in_segment hand in_ab red_w.
    by move: not_charged; rewrite !inE negb_or => /andP[].
  have [k last_k] := last_step d_gt0.
  have red_s : (inl (Score dv x.1 k) : vertex G) \in red_at ms s.
    by apply: (computed_red legal_ms comp_s); rewrite /= eqxx last_k.
  have /andP[in_Q in_K] := score_rows last_k in_s red_s not_charged.
  rewrite inE /= in_K andbT inE in_Q /=; apply/existsP; exists x; by rewrite eqxx.
- rewrite (congr1 (fun t => t.1.1) eq_t : i = row x.1) (congr1 snd eq_t : e = x.2).
  have [y chain_y in_W] := chain_words legal_ms output_edge traced_u (@u_follows_chain _ _ dv allowed) in_ab.
  rewrite inE; apply/existsP; exists y.1; rewrite (congr1 fst chain_y : row y.1 = row x.1) eqxx /=.
  by rewrite -(congr1 snd chain_y : y.2 = x.2) inE.
- rewrite (congr1 (fun t => t.1.2) eq_t : j = column x.1) (congr1 snd eq_t : e = x.2).
  rewrite inE inE; apply: (input_in_words legal_ms hand in_ab); first by apply/forallP => -[[]|].
  by apply: (computed_red legal_ms (traced_u x).1); rewrite /= !eqxx.
Qed.

Lemma maxima_count : d * #|maxima| <= d * (#|charged words| + #|quiet| * #|whole_keys words|) + struck T a b.
Proof.
rewrite /struck -big_distrr -mulnDr /= leq_mul2l -addnA; apply/orP; right.
rewrite -(cardsID (charged words)) leq_add ?subset_leq_card ?subsetIr //.
have rows p : p \in maxima :\: charged words -> (row p \in whole_queries words) && (column p \in whole_keys words).
  case/setDP; rewrite [p \in maxima]inE => in_p not_charged; have [k last_k] := last_step d_gt0.
  apply: (score_rows last_k in_p) not_charged.
  by apply: (computed_red legal_ms (traced_m p).1); rewrite /= eqxx.
rewrite -sum1_card (partition_big (@row _ _ allowed) xpredT) //= -sum1_card big_distrl /= [X in X + _]big_mkcond.
rewrite [X in _ + X]big_mkcond -big_split /=; apply: leq_sum => i _; rewrite sum1dep_card mul1n.
set row_i := [set p | _].
have le_keys : #|row_i| <= #|whole_keys words|.
  have inj : {in row_i &, injective (@column _ _ allowed)}.
    move=> p q; rewrite !inE => /andP[_ /eqP row_p] /andP[_ /eqP row_q] eq_col; apply: pair_eq; first by rewrite row_p.
    by rewrite /place eq_col.
  rewrite -(card_in_imset inj); apply/subset_leq_card/subsetP => _ /imsetP[p in_p ->].
  by move: in_p; rewrite inE => /andP[/rows/andP[]].
case: (boolP (i \in quiet)) => [_|not_quiet]; first exact: leq_trans le_keys (leq_addr _ _).
rewrite add0n; case: (set_0Vmem row_i) => [->|[p in_p]]; first by rewrite cards0.
have /andP[in_p' /eqP row_p] : (p \in maxima :\: charged words) && (row p == i) by move: in_p; rewrite inE.
have is_mixed : mixed a b i.
  apply/andP; split; first by apply/existsP; exists p; rewrite row_p eqxx; move: in_p'; rewrite !inE => /andP[].
  have /andP[in_Q _] := rows p in_p'; move: not_quiet; rewrite !inE -row_p.
  move: in_Q; rewrite inE => ->; rewrite /= andbT negbK => /existsP[x /andP[row_x in_x]].
  by apply/existsP; exists x; rewrite row_x; move: in_x; rewrite inE.
rewrite is_mixed leq_min; apply/andP; split.
  by apply/subset_leq_card/subsetP => q; rewrite !inE => /andP[].
rewrite leq_divRL // mulnC; apply: leq_trans (_ : d * #|whole_keys words| <= _); first by rewrite leq_mul2l le_keys orbT.
apply: leq_trans (card_whole_keys words) _; apply: leq_trans few_words; apply: leq_trans (card_kinds words).
by rewrite -!addnA addnCA leq_addr.
Qed.

Lemma segment_weight : 34 * d ^ 2 <= T -> 4 * #|outputs| + d * #|maxima| <= T ^ 2 %/ (4 * d) + struck T a b.
Proof.
move=> le_d; have kinds := leq_trans (card_kinds words) few_words.
have le_T : #|charged words| + d * (#|quiet| + #|busy| + #|whole_keys words|) + #|output_words words| + #|value_words words| <= T.
  have -> : #|quiet| + #|busy| = #|whole_queries words|.
    rewrite -(cardsID busy (whole_queries words)) addnC; congr (_ + _); apply: eq_card => i; rewrite !inE.
    by case: [forall _, _].
  move: kinds; have := card_whole_queries words; have := card_whole_keys words.
  by rewrite mulnDr; move: (d * _) (d * _) => y x; clear; lia.
have := s_count le_d outputs_count le_T; have := maxima_count.
move: (struck _ _ _) (#|charged _| + _) => s c le_m le_w; apply: leq_trans (leq_add (leqnn _) le_m) _.
rewrite addnA leq_add2r leq_divRL ?muln_gt0 //; apply: leq_trans le_w.
by rewrite -mulnn; clear; lia.
Qed.

End Segment.
End Pebbling.

(** Outputs to store: O, and with [stats] the row sums and the maxima. *)
Lemma safe_stores M (ms : seq (move G)) : pebbling M ms -> #|query| * dv + 2 * (stats * #|query|) <= stores ms.
Proof.
move/stores_outputs; apply: leq_trans; rewrite mul2n -addnn addnA.
pose last_in i := xchoose (last_of i : exists p : pair, (row p == i) && last_pair p).
have last_inP i : (row (last_in i) == i) && last_pair (last_in i) := xchooseP (last_of i).
have last_inj : injective last_in.
  by move=> i j eq_p; have /andP[/eqP <- _] := last_inP i; have /andP[/eqP <- _] := last_inP j; rewrite eq_p.
rewrite card_sum_set; apply: leq_add.
  apply: leq_trans (attention_made d dv stats allowed) _; apply/subset_leq_card/subsetP => v; rewrite !inE => /andP[out_v /forallPn[u]].
  rewrite negbK => edge_uv; apply/andP; split; first exact: out_v.
  by apply/forallPn; exists (inl u); rewrite negbK; case: u edge_uv.
case E: stats; rewrite ?mul0n // mul1n -cardsT -(card_imset _ last_inj).
apply/subset_leq_card/subsetP => _ /imsetP[i _ ->]; rewrite !inE /=; have /andP[_ ->] := last_inP i.
by rewrite maximum_no_input.
Qed.

Theorem S_safe M h T (ms : seq (move G)) :
  pebbling M ms -> 0 < dv -> 34 * d ^ 2 <= T -> 0 < h ->
  h * (T ^ 2 %/ (4 * d)) + d * minn #|pair| (#|query| * (T %/ d)) < #|pair| * (d + 4 * dv) ->
  M + 1 + h * T + 2 * (stats * #|query|) <= io ms + h * M.
Proof.
move=> legal_ms dv_gt0 le_d h_gt0 many.
have [when_u [when_m [traced_u traced_m first_m]]] := traces legal_ms dv_gt0.
pose events t := \sum_(x | when_u x == t) 4 + \sum_(p | when_m p == t) d.
have sum a b : \sum_(a <= t < b) events t = 4 * #|[set x | a <= when_u x < b]| + d * #|[set p | a <= when_m p < b]|.
  rewrite /events big_split /= (sum_events when_u (fun=> 4)) (sum_events when_m (fun=> d)).
  by rewrite !sum_nat_const !cardsE [4 * _]mulnC [d * _]mulnC.
have := cut_struck_events legal_ms traced_u (events := events) (F := T ^ 2 %/ (4 * d)) (T := T) (h := h)
  output_vert_inj (struck_once first_m T).
have := safe_stores legal_ms; have := @u_card_first _ _ dv allowed; rewrite io_loads_stores.
move=> firsts stored /(_ _ h_gt0) bound.
suff : M + 1 + h * T <= loads ms + #|[set x | first u_follows x]| + h * M by move: firsts stored; clear; lia.
apply: bound => [a b le_T|]; first by rewrite sum; exact: (segment_weight legal_ms traced_u traced_m le_T le_d).
rewrite sum; apply: leq_ltn_trans (leq_trans many _); first by rewrite leq_add2l struck_all.
apply: eq_leq.
have -> : [set x | 0 <= when_u x < size ms] = setT by apply/setP => x; rewrite !inE (traced_size traced_u).
have -> : [set p | 0 <= when_m p < size ms] = setT by apply/setP => p; rewrite !inE (traced_size traced_m).
by rewrite !cardsT card_prod card_ord; clear; lia.
Qed.

End SafeSoftmax.
