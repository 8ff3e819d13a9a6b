(** * Printed numbers as theorems: linear attention

    As Certificate.v: the product from the right, and the recurrent form with gates and without, of one head. *)

From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Numbers Linear Gates Certificate BackwardCertificate.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** ** Statements *)

(** Every query reads the last state. *)
Definition linear_costs (Nq Nk d dv M words : N) : Prop :=
  forall last : 'I_(N.to_nat Nk), last.+1 = N.to_nat Nk ->
  forall ms : seq (move (linear (N.to_nat d) (N.to_nat dv) (fun _ : 'I_(N.to_nat Nq) => last))),
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

(** Every token reads the state after itself. *)
Definition recurrent_costs (tokens d dv M words : N) : Prop :=
  forall ms : seq (move (linear (N.to_nat d) (N.to_nat dv) (fun i : 'I_(N.to_nat tokens) => i))),
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

(** The same with gates. *)
Definition gated_costs (tokens d dv M words : N) : Prop :=
  forall ms : seq (move (gated (N.to_nat d) (N.to_nat dv) (fun i : 'I_(N.to_nat tokens) => i))),
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

(** ** Tests *)

Section Tests.
Local Open Scope N_scope.

Definition state_test (W d dv M h T words more : N) :=
  [&& 0 <? d, 0 <? dv, box_test T (most W h) & cut_test (most W h) W M h T (words + d * dv) more].

Definition l_linear_test (Nq Nk d dv M h T words : N) :=
  [&& 0 <? Nq, T <? 2 * Nk & state_test (d * dv * (Nk + Nq)) d dv M h T words 0].

Definition recurrent_events (tokens d dv T : N) := d * dv * (tokens + (tokens - T / 2)).
Definition l_recurrent_test (tokens d dv M h T words : N) :=
  (0 <? tokens) && state_test (recurrent_events tokens d dv T) d dv M h T words 0.
Definition l_gated_test (tokens d dv M h T words : N) :=
  (0 <? tokens) && state_test (recurrent_events tokens d dv T) d dv M h T words ((tokens - 1) * d).

End Tests.

Lemma state_testP W d dv M h T words more : state_test W d dv M h T words more ->
  [/\ 0 < N.to_nat d, 0 < N.to_nat dv, 0 < N.to_nat h, N.to_nat h * box (N.to_nat T) < N.to_nat W &
      N.to_nat words + N.to_nat d * N.to_nat dv + N.to_nat h * N.to_nat M <=
        N.to_nat M + 1 + N.to_nat h * N.to_nat T + N.to_nat more].
Proof.
case/and4P=> /N.ltb_lt d_gt0 /N.ltb_lt dv_gt0 /N.ltb_lt lt_F /cut_testP[h_gt0 many le_words].
split=> //; try by [clear -d_gt0 dv_gt0; lia].
  have le_F : box (N.to_nat T) <= N.to_nat (most W h) by move: (most W h) lt_F => F lt_F; apply: box_le; lia.
  exact: fewer le_F many.
by move: le_words; rewrite N2Nat.inj_add N2Nat.inj_mul.
Qed.

Lemma recurrent_eventsE tokens d dv T : N.to_nat (recurrent_events tokens d dv T) =
  N.to_nat d * N.to_nat dv * (N.to_nat tokens + (N.to_nat tokens - (N.to_nat T)./2)).
Proof.
have half : N.to_nat (T / 2) = (N.to_nat T)./2 by rewrite to_nat_div divn2.
by rewrite /recurrent_events -half; move: (T / 2)%num; clear; lia.
Qed.

Theorem l_linear (Nq Nk d dv M h T words : N) : l_linear_test Nq Nk d dv M h T words -> linear_costs Nq Nk d dv M words.
Proof.
case/and3P=> /N.ltb_lt Nq_gt0 /N.ltb_lt lt_T /state_testP[d_gt0 _ h_gt0 many le_words] last last_k ms legal_ms; apply: le_io.
have h1 : 0 < N.to_nat Nq by clear -Nq_gt0; lia.
have h2 : N.to_nat T < 2 * N.to_nat Nk by clear -lt_T; lia.
have eq_W : N.to_nat (d * dv * (Nk + Nq)) = N.to_nat d * N.to_nat dv * (N.to_nat Nk + N.to_nat Nq) by clear; lia.
rewrite eq_W in many; have := L_right last_k legal_ms h1 d_gt0 h_gt0 h2 many.
by move: le_words; clear; lia.
Qed.

Theorem l_recurrent (tokens d dv M h T words : N) : l_recurrent_test tokens d dv M h T words ->
  recurrent_costs tokens d dv M words.
Proof.
case/andP=> /N.ltb_lt N_gt0 /state_testP[d_gt0 _ h_gt0 many le_words] ms legal_ms; apply: le_io.
have h1 : 0 < N.to_nat tokens by clear -N_gt0; lia.
rewrite recurrent_eventsE in many; have := L_recurrent legal_ms h1 d_gt0 h_gt0 many.
by move: le_words; clear; lia.
Qed.

Theorem l_gated (tokens d dv M h T words : N) : l_gated_test tokens d dv M h T words -> gated_costs tokens d dv M words.
Proof.
case/andP=> /N.ltb_lt N_gt0 /state_testP[d_gt0 dv_gt0 h_gt0 many le_words] ms legal_ms; apply: le_io.
have h1 : 0 < N.to_nat tokens by clear -N_gt0; lia.
rewrite recurrent_eventsE in many; have := L_gated legal_ms h1 d_gt0 dv_gt0 h_gt0 many.
have eq_N : (N.to_nat tokens).-1 = N.to_nat (tokens - 1) by clear; lia.
have -> : (N.to_nat tokens).-1 * N.to_nat d = N.to_nat ((tokens - 1) * d) by rewrite eq_N N2Nat.inj_mul.
by move: le_words; clear; lia.
Qed.
