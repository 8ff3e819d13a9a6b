(** * The product of two matrices, one of them with a short side

    docs/proofs/forward.md, short sides. Words of A, of B and of C weigh [alpha], [beta] and [gamma] where they are loaded or begun for the first
    time, and [M] else. With a side s, s² <= M, the entries that do not have it weigh s² and the others M. *)

From mathcomp Require Import all_ssreflect fingroup perm zify.
From Pebble Require Import Game Times Compulsory LoomisWhitney Tracing Numbers Weights Matmul.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** The most multiply-adds of a segment whose words weigh [M * T]. *)
Definition weighted_events weights M T := Nat.sqrt ((M * T) ^ 3 %/ (27 * weights)).

(** The most multiply-adds of a segment, for a side [s]: the whole part of √(M/s²)·(T/3)^(3/2). *)
Definition short_events s M T := Nat.sqrt (T ^ 3 * M %/ (27 * s ^ 2)).

Lemma sum_injective (X V : finType) (g : X -> V) (S : pred V) (f : V -> nat) : injective g ->
  (forall x, S (g x)) -> \sum_x f (g x) <= \sum_(v | S v) f v.
Proof.
move=> inj in_S; have -> : \sum_x f (g x) = \sum_(v in g @: setT) f v.
  by rewrite big_imset /=; [apply: eq_bigl => x; rewrite inE|move=> x y _ _; apply: inj].
rewrite big_mkcond [X in _ <= X]big_mkcond; apply: leq_sum => v _.
by case: imsetP => // -[x _ ->]; rewrite in_S.
Qed.

Section Short.

Variables (m n k : nat) (order : 'I_m -> 'I_n -> {perm 'I_k}) (M : nat) (ms : seq (move (matmul order))).
Hypothesis legal_ms : pebbling M ms.

Variables alpha beta gamma : nat.
Hypotheses (alpha_le : alpha <= M) (beta_le : beta <= M) (gamma_le : gamma <= M).

Notation G := (matmul order).

Definition wt (v : vertex G) := match v with A _ _ => alpha | B _ _ => beta | C _ _ _ => gamma end.

Fact wt_le v : wt v <= M.
Proof. by case: v. Qed.

Lemma weight_kinds (W : {set vertex G}) :
  gamma * #|entries W| + alpha * #|left_words W| + beta * #|right_words W| <= \sum_(v in W) wt v.
Proof.
have decodeK : cancel (@decode m n k) (@code m n k) by move=> [[[i l]|[l j]]|[[i j] l]].
rewrite (reindex (@decode m n k)) /=; last by exists (@code m n k) => c _; [apply: decodeK|apply: codeK].
rewrite big_sumType big_sumType /= -addnA [X in X <= _]addnC.
apply: leq_add; last first.
  rewrite (eq_bigr (fun=> gamma)) => [|[[i j] l] _ //]; rewrite sum_nat_const mulnC leq_mul2r; apply/orP; right.
  apply: leq_trans (leq_imset_card (fun x : step m n k => x.1) _).
  apply/subset_leq_card/subsetP => -[i j]; rewrite inE => /existsP[l in_W].
  by apply/imsetP; exists (i, j, l).
apply: leq_add.
  rewrite (eq_bigr (fun=> alpha)) => [|[i l] _ //]; rewrite sum_nat_const mulnC leq_mul2r; apply/orP; right.
  by apply/subset_leq_card/subsetP => -[i l]; rewrite inE.
rewrite (eq_bigr (fun=> beta)) => [|[l j] _ //]; rewrite sum_nat_const mulnC leq_mul2r; apply/orP; right.
have swap_inj : injective (fun p : 'I_n * 'I_k => (p.2, p.1)) by move=> [? ?] [? ?] [-> ->].
rewrite -[X in X <= _](card_imset _ swap_inj); apply/subset_leq_card/subsetP => lj /imsetP[[j l]].
by rewrite inE => in_W ->.
Qed.

Theorem matmul_weights h T : 0 < alpha * beta * gamma -> 0 < h ->
  h * weighted_events (alpha * beta * gamma) M T < m * n * k ->
  M * (M + 1 + h * T) + h + (M - alpha) * (m * k) + (M - beta) * (k * n) + (M - gamma) * (m * n) <=
    M * io ms + M * (h * (M + 1)).
Proof.
move=> weights_gt0 h_gt0 many.
have sizes_gt0 : 0 < m * n * k by apply: leq_ltn_trans many.
move: (sizes_gt0); rewrite !muln_gt0 => /andP[/andP[m_gt0 n_gt0] k_gt0].
have [when traced_when] := trace legal_ms (@no_input m n k order) (@follows_left m n k) (@follows_edge m n k order)
  (@follows_fun m n k) (last_step legal_ms).
have seg a b : \sum_(v in segment_words ms (@vert m n k order) (@follows m n k) when a b) wt v <= M * T ->
    \sum_(x | a <= when x < b) 1 <= weighted_events (alpha * beta * gamma) M T.
  rewrite sum1dep_card => le_T; have := segment_triples legal_ms traced_when a b; set W := segment_words _ _ _ _ a b in le_T *.
  move=> le_triples; apply: sqr_le_sqrt; rewrite leq_divRL; last by rewrite muln_gt0 /= weights_gt0.
  apply: leq_trans (am_gm3 (leq_trans (weight_kinds W) le_T)).
  move: le_triples; move: #|entries W| #|left_words W| #|right_words W| (#|_| ^ 2) => c x y e le_e.
  have := leq_mul (leqnn (27 * (alpha * beta * gamma))) le_e; clear; lia.
have := cut_weights legal_ms traced_when (@vert_inj m n k order) wt_le seg h_gt0.
rewrite sum1_card !card_prod !card_ord => /(_ many).
have begun : \sum_(x | first (@follows m n k) x) wt (@vert m n k order x) <= gamma * (m * n).
  rewrite sum_nat_const mulnC leq_mul2l -cardsE; apply/orP; right.
  by apply: leq_trans (card_first m n k); apply: subset_leq_card; apply/subsetP => x; rewrite !inE.
pose f (x : 'I_m * 'I_k + 'I_k * 'I_n) : vertex G := match x with inl p => A p.1 p.2 | inr p => B p.1 p.2 end.
have f_inj : injective f by move=> [[i l]|[l j]] [[i' l']|[l' j']] //= [-> ->].
have gained : (M - alpha) * (m * k) + (M - beta) * (k * n) <= \sum_(v | input v && ever_loaded ms v) (M - wt v).
  apply: leq_trans (@sum_injective _ _ f _ _ f_inj _); last first.
    move=> x; have in_x : input (f x) by case: x => -[i l]; apply/forallP => -[].
    rewrite in_x; have [c edge_c] : exists c, edge (f x) (@vert m n k order c).
      case: x {in_x} => -[i l] /=.
        by exists (i, Ordinal n_gt0, ((order i (Ordinal n_gt0))^-1)%g l); rewrite /= permKV !eqxx.
      by exists (Ordinal m_gt0, l, ((order (Ordinal m_gt0) l)^-1)%g i); rewrite /= permKV !eqxx.
    have [t load_t] := input_loaded legal_ms in_x (computed_red legal_ms (traced_when c).1 edge_c).
    by apply/existsP; exists (Ordinal (loaded_size load_t)); rewrite /= load_t.
  rewrite big_sumType /= !sum_nat_const !card_prod !card_ord; by rewrite mulnC [X in _ + X]mulnC.
rewrite io_loads_stores; have := outputs legal_ms k_gt0.
move: begun gained gamma_le; move: (\sum_(v | _) _) (\sum_(x | _) _) (loads ms) (stores ms) => p q ls st.
move: (m * k) (k * n) (m * n) => mk kn mn begun gained le_gamma le_st.
have : M * mn <= M * st by rewrite leq_mul2l le_st orbT.
have [c eq_M] : exists c, M = gamma + c by exists (M - gamma); rewrite subnKC.
rewrite eq_M in begun gained *; rewrite addKn; move: begun gained; clear; lia.
Qed.

End Short.

Section Sides.

Variables (m n k : nat) (order : 'I_m -> 'I_n -> {perm 'I_k}) (M h T s : nat) (ms : seq (move (matmul order))).

(** Whichever side is the short one. *)
Theorem matmul_short : pebbling M ms -> 0 < s -> s ^ 2 <= M -> s \in [:: m; n; k] -> 0 < h ->
  h * short_events s M T < m * n * k ->
  M * (M + 1 + h * T) + h + (M - s ^ 2) * (m * n * k %/ s) <= M * io ms + M * (h * (M + 1)).
Proof.
move=> legal_ms s_gt0 le_s side h_gt0 many; have M_gt0 : 0 < M by apply: leq_trans le_s; rewrite expn_gt0 s_gt0.
have eq_events weights : weights = M ^ 2 * s ^ 2 -> weighted_events weights M T = short_events s M T.
  move=> ->; rewrite /weighted_events /short_events; congr Nat.sqrt.
  by rewrite (_ : (M * T) ^ 3 = M ^ 2 * (T ^ 3 * M)) ?[27 * _]mulnCA ?divnMl ?expn_gt0 ?M_gt0 //; lia.
have pos : 0 < M ^ 2 * s ^ 2 by rewrite muln_gt0 !expn_gt0 M_gt0 s_gt0.
move: side; rewrite !inE => /or3P[/eqP eq_s|/eqP eq_s|/eqP eq_s].
- have eq_w : M * s ^ 2 * M = M ^ 2 * s ^ 2 by lia.
  have := @matmul_weights m n k order M ms legal_ms M (s ^ 2) M (leqnn M) le_s (leqnn M) h T.
  rewrite eq_w eq_events // => /(_ pos h_gt0 many).
  by rewrite subnn !mul0n !addn0 (_ : m * n * k = k * n * s) ?mulnK //; rewrite eq_s; lia.
- have eq_w : s ^ 2 * M * M = M ^ 2 * s ^ 2 by lia.
  have := @matmul_weights m n k order M ms legal_ms (s ^ 2) M M le_s (leqnn M) (leqnn M) h T.
  rewrite eq_w eq_events // => /(_ pos h_gt0 many).
  by rewrite subnn !mul0n !addn0 (_ : m * n * k = m * k * s) ?mulnK //; rewrite eq_s; lia.
have eq_w : M * M * s ^ 2 = M ^ 2 * s ^ 2 by lia.
have := @matmul_weights m n k order M ms legal_ms M M (s ^ 2) (leqnn M) (leqnn M) le_s h T.
rewrite eq_w eq_events // => /(_ pos h_gt0 many).
by rewrite subnn !mul0n !addn0 (_ : m * n * k = m * n * s) ?mulnK //; rewrite eq_s; lia.
Qed.

End Sides.
