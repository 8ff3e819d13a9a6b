(** * Printed numbers as theorems

    What a file written by [pebble bounds --coq] needs: the statements, and for each theorem a test by computation with binary numbers.
    If the test of a bound's (h, T) says yes, then no pebbling with [M] words has fewer loads and stores than the number printed. *)

From Coq Require Import NArith ZArith Lia.
From mathcomp Require Import all_ssreflect fingroup perm zify.
From Pebble Require Import Game Numbers Attention AttentionCompulsory T1Function T1 T2 T2Maximum Matmul.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** ** Statements *)

(** The forward pass of attention without a mask costs [words] or more with [M] words of fast memory; with [stats] the row sums are outputs. *)
Definition forward_costs (Nq Nk d dv : N) (stats : bool) (M words : N) : Prop :=
  forall ms : seq (move (attention (N.to_nat d) (N.to_nat dv) stats (@all_pairs (N.to_nat Nq) (N.to_nat Nk)))),
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

(** The same under every mask with so many allowed pairs, of so many queries and so many keys. *)
Definition masked_forward_costs (pairs queries keys d dv : N) (stats : bool) (M words : N) : Prop :=
  forall Nq Nk (allowed : 'I_Nq -> 'I_Nk -> bool),
  #|pair allowed| = N.to_nat pairs -> #|query allowed| = N.to_nat queries -> #|key allowed| = N.to_nat keys ->
  forall ms : seq (move (attention (N.to_nat d) (N.to_nat dv) stats allowed)),
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

(** The product of an m×k and a k×n matrix, every sum in any order. *)
Definition matmul_costs (m n k M words : N) : Prop :=
  forall (order : 'I_(N.to_nat m) -> 'I_(N.to_nat n) -> {perm 'I_(N.to_nat k)}) (ms : seq (move (matmul order))),
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

(** ** Tests *)

Section Tests.
Local Open Scope N_scope.

Definition flag (stats : bool) : N := if stats then 1 else 0.

(** With [h] cuts at [T] words, [W] events of which a segment has [F] at most, [words] is what (★) says. *)
Definition cut_test (F W M h T words more : N) := [&& 0 <? h, h * F <? W & words + h * M <=? M + 1 + h * T + more].

(** [F] is at least the greatest number of events. *)
Definition box_test (T F : N) := T ^ 3 <? 27 * (F + 1) ^ 2.
Definition box_number (T : N) := N.sqrt (T ^ 3 / 27).

Definition up_sqrt_number (n : N) := let r := N.sqrt n in if r ^ 2 =? n then r else r + 1.
Definition t1_number (d dv T : N) := N.max
  (if T <=? 3 * dv ^ 2 then box_number T else dv * (T + 2 * dv ^ 2) - up_sqrt_number (4 * dv ^ 4 * (T + dv ^ 2)))
  (if d <=? dv then T ^ 2 / (16 * d) else dv * T ^ 2 / (4 * (d + dv) ^ 2)).
Definition t1_events_test (d dv T F : N) :=
  (if T <=? 3 * dv ^ 2 then box_test T F
   else (dv * (T + 2 * dv ^ 2) <=? F) || (dv ^ 2 * T ^ 2 + (F + 1) ^ 2 <? 2 * dv * (T + 2 * dv ^ 2) * (F + 1))) &&
  (if d <=? dv then T ^ 2 <? 16 * d * (F + 1) else dv * T ^ 2 <? 4 * (d + dv) ^ 2 * (F + 1)).
Definition t1_test (pairs queries d dv : N) stats (M h T words : N) :=
  let F := t1_number d dv T in
  [&& 0 <? d, t1_events_test d dv T F &
      cut_test F (pairs * dv) M h T words (flag stats * queries)].

(** [p/q] is at least the place of the greatest value of w²(T - 2w + 4w²/(27d²)), and not much more. *)
Definition t2_number (d T p q : N) :=
  if 27 * d ^ 2 <=? 4 * T then N.sqrt (T ^ 4 / (108 * d ^ 2)) else N.sqrt (p ^ 2 * (T * q - p) / (2 * q ^ 3)).
Definition t2_test (pairs queries d dv : N) stats (M h T p q words : N) :=
  let F := t2_number d T p q in
  [&& 0 <? d, 0 <? dv,
      if 27 * d ^ 2 <=? 4 * T then T ^ 4 <? 108 * d ^ 2 * (F + 1) ^ 2 else
      [&& 0 <? q, 8 * p <=? 5 * (T * q), 8 * p ^ 2 + 27 * d ^ 2 * T * q ^ 2 <=? 81 * d ^ 2 * p * q &
          p ^ 2 * (T * q) <? 2 * q ^ 3 * (F + 1) ^ 2 + p ^ 3] &
      cut_test F (pairs * (d + dv)) M h T (words + pairs) (flag stats * queries)].

Definition compulsory_test (queries keys d dv : N) stats (words : N) :=
  [&& 0 <? d, 0 <? dv & words <=? queries * d + keys * d + keys * dv + queries * dv + flag stats * queries].

Definition matmul_test (m n k M h T words : N) :=
  let F := box_number T in box_test T F && cut_test F (m * n * k) M h T words 0.
Definition matmul_compulsory_test (m n k words : N) :=
  [&& 0 <? m, 0 <? n, 0 <? k & words <=? m * k + k * n + m * n].

End Tests.

(** ** The tests are right *)

Lemma t1_le (d dv T F : N) : (0 < d)%num -> t1_events_test d dv T F -> t1_events (N.to_nat d) (N.to_nat dv) (N.to_nat T) <= N.to_nat F.
Proof.
have small : (N.to_nat T <= 3 * N.to_nat dv ^ 2) = (T <=? 3 * dv ^ 2)%num by apply/idP/N.leb_spec0; lia.
have less : (N.to_nat d <= N.to_nat dv) = (d <=? dv)%num by apply/idP/N.leb_spec0; lia.
rewrite geq_max => d_gt0 /andP[box wide]; apply/andP; split.
  apply: t1_box_le; rewrite small; move: box; case: ifP => _; first by move=> /N.ltb_lt; clear; lia.
  by case/orP => [/N.leb_le|/N.ltb_lt] enough; apply/orP; [left|right]; move: enough; clear; lia.
apply: t1_wide_le; first by lia.
by rewrite less; move: wide; case: ifP => _ /N.ltb_lt; clear; lia.
Qed.

(** A segment of many words. *)
Lemma t2_square_large (d T n : nat) : 27 * d ^ 2 <= 4 * T -> n <= T -> t2_square d T n <= T ^ 4.
Proof.
move=> le_d le_n; have [x eq_T] : exists x, T = n + x by exists (T - n); rewrite subnKC.
rewrite /t2_square eq_T addKn in le_d *; have := leq_mul (leqnn (n ^ 2 * x)) le_d; clear; lia.
Qed.

Lemma t2_events_le (d T F : nat) : 0 < d -> (forall n, n <= T -> t2_square d T n < 108 * d ^ 2 * (F + 1) ^ 2) ->
  t2_events d T <= F.
Proof.
move=> d_gt0 below; apply: sqrt_div_le; first by rewrite !muln_gt0 d_gt0.
have F_gt0 : 0 < 108 * d ^ 2 * (F + 1) ^ 2 by rewrite !muln_gt0 d_gt0 addn1.
rewrite -ltnS -(prednK F_gt0) ltnS; apply/bigmax_leqP => n _.
by rewrite -ltnS (prednK F_gt0); apply: below; rewrite -ltnS.
Qed.

Lemma t2_large_le (d T F : nat) : 0 < d -> 27 * d ^ 2 <= 4 * T -> T ^ 4 < 108 * d ^ 2 * (F + 1) ^ 2 -> t2_events d T <= F.
Proof.
move=> d_gt0 le_d lt_F; apply: t2_events_le => // n le_n; apply: leq_ltn_trans lt_F.
exact: t2_square_large.
Qed.

Lemma t2_small_le (d T p q F : nat) : 0 < d -> 0 < q -> 8 * p <= 5 * (T * q) ->
  8 * p ^ 2 + 27 * d ^ 2 * T * q ^ 2 <= 81 * d ^ 2 * p * q ->
  p ^ 2 * (T * q) < 2 * q ^ 3 * (F + 1) ^ 2 + p ^ 3 -> t2_events d T <= F.
Proof.
move=> d_gt0 q_gt0 le_p le_max lt_F; apply: t2_events_le => // n le_n.
have := @greatest_square (27 * Z.of_nat d ^ 2) (Z.of_nat T) (Z.of_nat n) (Z.of_nat p) (Z.of_nat q).
have q3_gt0 : 0 < q ^ 3 by rewrite expn_gt0 q_gt0.
have d2_gt0 : 0 < d ^ 2 by rewrite expn_gt0 d_gt0.
move=> test; rewrite -(ltn_pmul2l q3_gt0) /t2_square.
have {}test : q ^ 3 * (n ^ 2 * (27 * d ^ 2 * (T - n) + n ^ 2)) + 54 * d ^ 2 * p ^ 3 <= 54 * d ^ 2 * (p ^ 2 * (T * q)).
  have h1 : (0 < 27 * Z.of_nat d ^ 2)%Z by clear -d2_gt0; lia.
  have h2 : (0 < Z.of_nat q)%Z by clear -q_gt0; lia.
  have h3 : (0 <= Z.of_nat p)%Z by clear; lia.
  have h4 : (0 <= Z.of_nat n <= Z.of_nat T)%Z by clear -le_n; lia.
  have h5 : (8 * Z.of_nat p <= 5 * (Z.of_nat T * Z.of_nat q))%Z by clear -le_p; lia.
  have h6 : (8 * Z.of_nat p ^ 2 + 27 * Z.of_nat d ^ 2 * Z.of_nat T * Z.of_nat q ^ 2 <=
    3 * (27 * Z.of_nat d ^ 2) * Z.of_nat p * Z.of_nat q)%Z by clear -le_max; lia.
  move: (test h1 h2 h3 h4 h5 h6) => {}test; clear -test le_n.
  rewrite -(subnKC le_n) in test *; move: (T - n) test => x test; rewrite addKn; lia.
move: test; move: (n ^ 2 * _) => sq test.
have : 54 * d ^ 2 * (p ^ 2 * (T * q)) < 54 * d ^ 2 * (2 * q ^ 3 * (F + 1) ^ 2 + p ^ 3) by rewrite ltn_pmul2l // muln_gt0.
by move: test; clear; lia.
Qed.

(** ** From tests to statements *)

Lemma cut_testP F W M h T words more : cut_test F W M h T words more ->
  [/\ 0 < N.to_nat h, N.to_nat h * N.to_nat F < N.to_nat W &
      N.to_nat words + N.to_nat h * N.to_nat M <= N.to_nat M + 1 + N.to_nat h * N.to_nat T + N.to_nat more].
Proof. by case/and3P=> /N.ltb_lt lt_h /N.ltb_lt lt_W /N.leb_le le_words; split; lia. Qed.

Lemma flagE (stats : bool) q : N.to_nat (flag stats * q) = stats * N.to_nat q.
Proof. by case: stats; rewrite /flag; lia. Qed.

Lemma le_io (words : N) n : N.to_nat words <= n -> (words <= N.of_nat n)%num.
Proof. lia. Qed.

(** Fewer events in a segment leave the certificate as good. *)
Lemma fewer (h F F' W : nat) : F' <= F -> h * F < W -> h * F' < W.
Proof. by move=> le_F; apply: leq_ltn_trans; rewrite leq_mul2l le_F orbT. Qed.

Lemma t1_testP pairs queries d dv stats M h T words : t1_test pairs queries d dv stats M h T words ->
  [/\ 0 < N.to_nat d, 0 < N.to_nat h, N.to_nat h * t1_events (N.to_nat d) (N.to_nat dv) (N.to_nat T) < N.to_nat pairs * N.to_nat dv &
      N.to_nat words + N.to_nat h * N.to_nat M <= N.to_nat M + 1 + N.to_nat h * N.to_nat T + stats * N.to_nat queries].
Proof.
case/and3P=> /N.ltb_lt d_gt0 /(t1_le d_gt0) le_F /cut_testP[h_gt0 many le_words].
by rewrite N2Nat.inj_mul in many; rewrite -flagE; split=> //; [lia|exact: fewer le_F many].
Qed.

Theorem t1_masked pairs queries keys d dv stats M h T words :
  t1_test pairs queries d dv stats M h T words -> masked_forward_costs pairs queries keys d dv stats M words.
Proof.
case/t1_testP=> d_gt0 h_gt0 many le_words Nq Nk allowed eq_pairs eq_queries _ ms legal_ms; apply: le_io.
have := T1 legal_ms d_gt0 h_gt0; rewrite eq_pairs eq_queries => /(_ _ many).
by move: le_words; clear; lia.
Qed.

Theorem t2_masked pairs queries keys d dv stats M h T p q words :
  t2_test pairs queries d dv stats M h T p q words -> masked_forward_costs pairs queries keys d dv stats M words.
Proof.
case/and4P=> /N.ltb_lt d_gt0 /N.ltb_lt dv_gt0 place_F /cut_testP[h_gt0 many le_words].
move=> Nq Nk allowed eq_pairs eq_queries _ ms legal_ms; apply: le_io.
have le_F : t2_events (N.to_nat d) (N.to_nat T) <= N.to_nat (t2_number d T p q).
  move: (t2_number d T p q) place_F => F; case: ifP.
    by move=> /N.leb_le large /N.ltb_lt lt_F; apply: t2_large_le; lia.
  move=> _ /and4P[/N.ltb_lt q_gt0 /N.leb_le le_p /N.leb_le le_max /N.ltb_lt lt_F].
  by apply: (@t2_small_le _ _ (N.to_nat p) (N.to_nat q)); lia.
have d_gt0' : 0 < N.to_nat d by lia.
have dv_gt0' : 0 < N.to_nat dv by lia.
have := T2 legal_ms d_gt0' dv_gt0' h_gt0; rewrite eq_pairs eq_queries => /(_ (N.to_nat T)).
rewrite N2Nat.inj_mul N2Nat.inj_add in many; move=> /(_ (fewer le_F many)).
by move: le_words; rewrite flagE N2Nat.inj_add; clear; lia.
Qed.

Theorem compulsory_masked pairs queries keys d dv stats M words :
  compulsory_test queries keys d dv stats words -> masked_forward_costs pairs queries keys d dv stats M words.
Proof.
case/and3P=> /N.ltb_lt d_gt0 /N.ltb_lt dv_gt0 /N.leb_le le_words.
move=> Nq Nk allowed _ eq_queries eq_keys ms legal_ms; apply: le_io.
have d_gt0' : 0 < N.to_nat d by lia.
have dv_gt0' : 0 < N.to_nat dv by lia.
have := attention_compulsory d_gt0' dv_gt0' legal_ms; rewrite eq_queries eq_keys -flagE.
by move: le_words; clear; lia.
Qed.

(** Without a mask. *)
Lemma unmasked (Nq Nk d dv : N) stats M words : (0 < Nq)%num -> (0 < Nk)%num ->
  masked_forward_costs (Nq * Nk) Nq Nk d dv stats M words -> forward_costs Nq Nk d dv stats M words.
Proof.
move=> Nq_gt0 Nk_gt0 costs; apply: costs.
- by rewrite card_all_pairs N2Nat.inj_mul.
- by apply: card_all_queries; lia.
- by apply: card_all_keys; lia.
Qed.

Theorem t1_forward (Nq Nk d dv : N) stats M h T words : (0 <? Nq)%num && (0 <? Nk)%num &&
  t1_test (Nq * Nk) Nq d dv stats M h T words -> forward_costs Nq Nk d dv stats M words.
Proof. by case/andP=> /andP[/N.ltb_lt Nq_gt0 /N.ltb_lt Nk_gt0] test; apply: unmasked => //; apply: t1_masked test. Qed.

Theorem t2_forward (Nq Nk d dv : N) stats M h T p q words : (0 <? Nq)%num && (0 <? Nk)%num &&
  t2_test (Nq * Nk) Nq d dv stats M h T p q words -> forward_costs Nq Nk d dv stats M words.
Proof. by case/andP=> /andP[/N.ltb_lt Nq_gt0 /N.ltb_lt Nk_gt0] test; apply: unmasked => //; apply: t2_masked test. Qed.

Theorem compulsory_forward (Nq Nk d dv : N) stats M words : (0 <? Nq)%num && (0 <? Nk)%num &&
  compulsory_test Nq Nk d dv stats words -> forward_costs Nq Nk d dv stats M words.
Proof. by case/andP=> /andP[/N.ltb_lt Nq_gt0 /N.ltb_lt Nk_gt0] test; apply: unmasked => //; apply: compulsory_masked test. Qed.

Theorem matmul_cut m n k M h T words : matmul_test m n k M h T words -> matmul_costs m n k M words.
Proof.
case/andP=> /N.ltb_lt lt_F /cut_testP[h_gt0 many le_words] order ms legal_ms; apply: le_io.
have le_F : box (N.to_nat T) <= N.to_nat (box_number T).
  by move: (box_number T) lt_F => F lt_F; apply: box_le; lia.
rewrite !N2Nat.inj_mul in many.
have := matmul_bound legal_ms h_gt0 (fewer le_F many).
by move: le_words; clear; lia.
Qed.

Theorem matmul_all_words m n k M words : matmul_compulsory_test m n k words -> matmul_costs m n k M words.
Proof.
case/and4P=> /N.ltb_lt m_gt0 /N.ltb_lt n_gt0 /N.ltb_lt k_gt0 /N.leb_le le_words order ms legal_ms; apply: le_io.
have h1 : 0 < N.to_nat m by lia.
have h2 : 0 < N.to_nat n by lia.
have h3 : 0 < N.to_nat k by lia.
have := matmul_compulsory h1 h2 h3 legal_ms.
by move: le_words; clear; lia.
Qed.
