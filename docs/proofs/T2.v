(** * T2: both products

    docs/proofs/forward.md, T2. The events are the multiply-adds of Q times K, and those of P times V. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Segments LoomisWhitney Numbers Tracing Attention AttentionFacts T1.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** The most events of a segment with [T] words, [n] of which are entries of Q, K, V and of the output: with w = n/2 the whole part of
    w √(T - 2w + 4w²/(27d²)). *)
Definition t2_square d T n := n ^ 2 * (27 * d ^ 2 * (T - n) + n ^ 2).
Definition t2_events d T := Nat.sqrt ((\max_(n < T.+1) t2_square d T n) %/ (108 * d ^ 2)).

(** Cauchy and Schwarz for two terms. *)
Lemma sqr_sum_le a b x y A B : a ^ 2 <= x * A -> b ^ 2 <= y * B -> (a + b) ^ 2 <= (x + y) * (A + B).
Proof.
move=> le_a le_b; have : 2 * (a * b) <= x * B + y * A.
  apply: am_gm_sqr; rewrite expnMn; apply: leq_trans (leq_mul le_a le_b) _; apply: eq_leq; lia.
by move: le_a le_b; clear; rewrite sqrnD; lia.
Qed.

(** [a] events of S and [b] of U; [c] charged pairs, [q] words of Q, [k] of K, [r] and [s] whole rows, [u] entries of the output and [v]
    words of V. *)
Lemma t2_count d T c q k r s u v a b : 0 < d ->
  a ^ 2 <= c * q * k -> b ^ 2 <= (c + r * s) * u * v -> d * r <= q -> d * s <= k -> c + q + k + u + v <= T ->
  a + b <= t2_events d T.
Proof.
move=> d_gt0 le_a le_b le_r le_s le_T; have d2_gt0 : 0 < d ^ 2 by rewrite expn_gt0 d_gt0.
apply: sqr_le_sqrt; rewrite leq_divRL ?muln_gt0 ?d_gt0 //.
set n := q + k + u + v; have le_n : n < T.+1 by rewrite ltnS; move: le_T; rewrite /n; clear; lia.
apply: leq_trans (leq_bigmax (Ordinal le_n)); rewrite /t2_square /=.
have {le_T} le_c : c <= T - n by move: le_T; rewrite /n; clear; lia.
have le_rs : d ^ 2 * (r * s) <= q * k by rewrite -mulnn mulnACA; apply: leq_mul.
have le_qk : 4 * (q * k) <= (q + k) ^ 2 := nat_AGM2 q k.
have le_uv : 4 * (u * v) <= (u + v) ^ 2 := nat_AGM2 u v.
have {le_n} : n = (q + k) + (u + v) by rewrite /n addnA.
rewrite -mulnA in le_a; rewrite -mulnA in le_b.
move: n (q * k) (r * s) (u * v) (q + k) (u + v) le_qk le_uv le_rs le_a le_b le_c => {q k r s u v le_r le_s}.
move=> n p m w x y le_p le_w le_m le_a le_b le_c eq_n.
(* 4 a² <= x² c and 16 d² b² <= y² (4 d² c + x²) *)
have le_a4 : (4 * d * a) ^ 2 <= x * (4 * d ^ 2 * c * x).
  have := leq_mul (leqnn (4 * d ^ 2 * c)) le_p; have := leq_mul (leqnn (16 * d ^ 2)) le_a.
  by rewrite !expnMn; clear; lia.
have le_b4 : (4 * d * b) ^ 2 <= y * ((4 * d ^ 2 * c + x ^ 2) * y).
  have h1 := leq_mul (leqnn (16 * d ^ 2)) le_b.
  have h2 := leq_mul (leqnn (4 * (d ^ 2 * c + d ^ 2 * m))) le_w.
  have h3 : 4 * (d ^ 2 * m) * y ^ 2 <= x ^ 2 * y ^ 2.
    by rewrite leq_mul2r; apply/orP; right; apply: leq_trans le_p; rewrite leq_mul2l.
  by move: h1 h2 h3; rewrite !expnMn; clear; lia.
have := sqr_sum_le le_a4 le_b4; rewrite -eq_n => le_ab.
have cube : 27 * (x ^ 2 * y) <= 4 * n ^ 3 by rewrite eq_n [x + y]addnC mulnC -mulnA mulnC -mulnA mulnC; have := third_cube y x; clear; lia.
have h1 : 4 * (27 * d ^ 2 * c * n ^ 2) <= 4 * (27 * d ^ 2 * (T - n) * n ^ 2).
  by rewrite leq_mul2l /= leq_mul2r leq_mul2l le_c !orbT.
have h2 := leq_mul (leqnn n) cube.
have h3 : n * (4 * d ^ 2 * c * x + (4 * d ^ 2 * c + x ^ 2) * y) = 4 * d ^ 2 * c * n ^ 2 + n * (x ^ 2 * y).
  by rewrite eq_n; clear; lia.
move: le_ab; rewrite h3 => le_ab; move: h1 h2 le_ab; rewrite -mulnDr !expnMn; move: (T - n) => z.
by clear; lia.
Qed.

Section T2.

Variables (Nq Nk d dv : nat) (stats : bool) (allowed : 'I_Nq -> 'I_Nk -> bool).

Notation pair := (pair allowed).
Notation query := (query allowed).
Notation key := (key allowed).
Notation G := (attention d dv stats allowed).
Notation u_step := (u_step dv allowed).

(** The traced chains: U[i,e,.] as in T1, and S[i,j,.]. *)
Definition step := [finType of u_step + pair * 'I_d].
Definition vert (x : step) : vertex G :=
  match x with inl y => u_vert d stats y | inr y => Score dv y.1 y.2 end.
Definition follows (x y : step) :=
  match x, y with
  | inl x, inl y => u_follows x y
  | inr x, inr y => (x.1 == y.1) && (x.2.+1 == y.2 :> nat)
  | _, _ => false
  end.
Definition left (x : step) := match x with inl y => u_left y | inr y => d - y.2 end.
Definition chain (x : step) : (query * 'I_dv) + pair := match x with inl y => inl (u_chain y) | inr y => inr y.1 end.

Fact vert_inj : injective vert.
Proof. by move=> [[p e]|[p k]] [[q e']|[q k']] //= [-> ->]. Qed.

Fact no_input x : ~~ input (vert x).
Proof.
case: x => [x|x]; first exact: u_no_input.
by apply/forallPn; exists (Query _ (row x.1) x.2); rewrite negbK /= !eqxx.
Qed.

Fact follows_left x y : follows x y -> left y < left x.
Proof.
case: x y => [x|[p k]] [y|[q k']] //=; first exact: u_follows_left.
by case/andP=> _ /eqP eq_k; have := ltn_ord k'; move: (k : nat) (k' : nat) eq_k => {p q k k'}; lia.
Qed.

Fact follows_edge x y : follows x y -> edge (vert x) (vert y).
Proof. by case: x y => [x|x] [y|y]. Qed.

Fact follows_fun x y z : follows x y -> follows x z -> y = z.
Proof.
case: x y z => [x|x] [y|[q k]] [z|[r k']] //=; first by move=> fy fz; rewrite (u_follows_fun fy fz).
move=> /andP[/eqP <- /eqP eq_k] /andP[/eqP <- /eqP eq_k']; congr (inr (_, _)).
by apply: val_inj; rewrite /= -eq_k -eq_k'.
Qed.

Fact follows_chain x y : follows x y -> chain x = chain y.
Proof.
case: x y => [x|x] [y|y] //=; first by move/u_follows_chain ->.
by case/andP=> /eqP ->.
Qed.

(** Here [dv] must not be 0: no output needs a score otherwise. *)
Fact last_step M (ms : seq (move G)) x : 0 < dv -> pebbling M ms -> (forall y, ~~ follows x y) ->
  exists t, computed ms t = Some (vert x).
Proof.
move=> dv_gt0 legal_ms; case: x => [x|[p k]] none.
  by apply: (u_last_step legal_ms) => y; apply: (none (inl y)).
have last_k : k.+1 == d.
  rewrite eqn_leq ltn_ord leqNgt; apply/negP => lt_k.
  by have := none (inr (p, Ordinal lt_k)); rewrite /= !eqxx.
pose e := Ordinal dv_gt0.
have [when traced_when] := trace legal_ms (@u_no_input _ _ d dv stats allowed) (@u_follows_left _ _ dv allowed)
  (@u_follows_edge _ _ d dv stats allowed) (@u_follows_fun _ _ dv allowed) (fun x => u_last_step legal_ms).
have red_w : (Weight _ _ p : vertex G) \in red_at ms (when (p, e)).
  by apply: (computed_red legal_ms (traced_when (p, e)).1); rewrite /= eqxx.
have edge_w : edge (Score _ p k : vertex G) (Weight _ _ p) by rewrite /= eqxx.
have no_input_w : ~~ input (Weight _ _ p : vertex G) by apply/forallPn; exists (Score _ p k); rewrite negbK.
have [t _ comp_t] := red_computed legal_ms no_input_w red_w.
have [s _ comp_s] := red_computed legal_ms (no_input (inr (p, k))) (computed_red legal_ms comp_t edge_w).
by exists s.
Qed.

Fact card_first : #|[set x | first follows x]| <= #|query| * dv + #|pair|.
Proof.
rewrite card_sum_set; apply: leq_add.
  apply: leq_trans (@u_card_first _ _ dv allowed); apply/subset_leq_card/subsetP => x; rewrite !inE => /forallP none.
  by apply/forallP => y; apply: (none (inl y)).
have inj : {in [set x : pair * 'I_d | inr x \in [set x | first follows x]] &, injective fst}.
  have zero (x : pair * 'I_d) : first follows (inr x) -> x.2 = 0 :> nat.
    case: x => p [[|k] lt_k] // /forallP /(_ (inr (p, Ordinal (ltnW lt_k)))).
    by rewrite /= !eqxx.
  move=> x y; rewrite !inE => /zero x0 /zero y0 eq_p.
  rewrite (surjective_pairing x) (surjective_pairing y) eq_p; congr (_, _).
  by apply: val_inj; rewrite /= x0 y0.
by rewrite -(card_in_imset inj); apply: max_card.
Qed.

Section Segment.

Variables (M : nat) (ms : seq (move G)) (when : step -> nat) (a b : nat).
Hypothesis legal_ms : pebbling M ms.
Hypothesis traced_when : traced ms vert follows when.
Let W := segment_words ms vert follows when a b.

Lemma s_events : #|[set x : pair * 'I_d | a <= when (inr x) < b]| ^ 2 <=
  #|charged W| * #|query_words W| * #|key_words W|.
Proof.
pose triple (x : pair * 'I_d) := (row x.1, column x.1, x.2).
have triple_inj : injective triple.
  move=> x y eq_t; have eq_row : row x.1 = row y.1 := congr1 (fun t => t.1.1) eq_t.
  have eq_e : x.2 = y.2 := congr1 snd eq_t.
  rewrite (surjective_pairing x) (surjective_pairing y) eq_e; congr (_, _); apply: pair_eq => //.
  by rewrite /place (congr1 (fun t => t.1.2) eq_t : column x.1 = column y.1).
rewrite -(card_imset _ triple_inj).
apply: (@leq_trans (#|places (charged W)| * #|query_words W| * #|key_words W|)); last first.
  by rewrite -!mulnA leq_mul2r leq_imset_card orbT.
apply: loomis_whitney => i j k /imsetP[x]; rewrite inE => in_ab eq_t.
- rewrite (congr1 (fun t => t.1.1) eq_t : i = row x.1) (congr1 (fun t => t.1.2) eq_t : j = column x.1).
  apply/imsetP; exists x.1 => //; rewrite inE.
  have [[y|y] //= [chain_y] in_W] := chain_words legal_ms follows_edge traced_when follows_chain in_ab.
  by apply/orP; right; apply/existsP; exists y.2; rewrite -chain_y.
- rewrite (congr1 (fun t => t.1.1) eq_t : i = row x.1) (congr1 snd eq_t : k = x.2) inE.
  apply: (operand_words legal_ms traced_when) in_ab; last by rewrite /= !eqxx.
  by apply/forallP => -[].
- rewrite (congr1 (fun t => t.1.2) eq_t : j = column x.1) (congr1 snd eq_t : k = x.2) inE.
  apply: (operand_words legal_ms traced_when) in_ab; last by rewrite /= !eqxx.
  by apply/forallP => -[].
Qed.

End Segment.

Theorem T2 M h T (ms : seq (move G)) :
  pebbling M ms -> 0 < d -> 0 < dv -> 0 < h -> h * t2_events d T < #|pair| * (d + dv) ->
  M + 1 + h * T + stats * #|query| <= io ms + h * M + #|pair|.
Proof.
move=> legal_ms d_gt0 dv_gt0 h_gt0 many.
have [when traced_when] := trace legal_ms no_input follows_left follows_edge follows_fun
  (fun x => last_step dv_gt0 legal_ms).
have seg a b : #|segment_words ms vert follows when a b| <= T -> \sum_(x | a <= when x < b) 1 <= t2_events d T.
  move=> le_T; rewrite sum1dep_card card_sum_set addnC.
  have s_count := @s_events M ms when a b legal_ms traced_when.
  set W := segment_words _ _ _ _ a b in le_T s_count.
  have in_segment : closed (@summed _ _ d dv stats allowed) W (is_red ms a b) (is_made ms a b).
    by apply: (segment_closed legal_ms) => v; apply: at_hand_words.
  have made_when x : a <= when (inl x) < b -> is_made ms a b (@u_vert _ _ d dv stats allowed x).
    by move=> in_ab; exists (when (inl x)) => //; case: (traced_when (inl x)).
  have u_count := u_events (when := when \o inl) in_segment made_when.
  have {}u_count : #|[set x : u_step | a <= when (inl x) < b]| ^ 2 <=
      (#|charged W| + #|whole_queries W| * #|whole_keys W|) * #|output_words W| * #|value_words W|.
    apply: u_count => x in_ab.
    have [[y|y] // eq_c in_W] := chain_words legal_ms follows_edge traced_when follows_chain (x := inl x) in_ab.
    by exists y => //; exact: (congr1 (fun z => if z is inl w then w else u_chain x) eq_c).
  have eq_s : #|[set y | inr y \in [set x | a <= when x < b]]| = #|[set x : pair * 'I_d | a <= when (inr x) < b]|.
    by apply: eq_card => x; rewrite !inE.
  have eq_u : #|[set x | inl x \in [set x | a <= when x < b]]| = #|[set x : u_step | a <= when (inl x) < b]|.
    by apply: eq_card => x; rewrite !inE.
  rewrite eq_s eq_u.
  apply: t2_count d_gt0 s_count u_count (card_whole_queries W) (card_whole_keys W) _.
  by apply: leq_trans le_T; apply: leq_trans (card_kinds W); clear; lia.
have := cut_events legal_ms traced_when vert_inj seg h_gt0.
rewrite sum1_card card_sum !card_prod !card_ord.
have -> : #|pair| * dv + #|pair| * d = #|pair| * (d + dv) by rewrite mulnDr addnC.
move=> /(_ many); move: many => _.
have := attention_stores legal_ms; have := card_first; rewrite io_loads_stores; clear; lia.
Qed.

End T2.
