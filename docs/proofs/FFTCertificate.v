(** * Printed numbers as theorems: the fast Fourier transform

    As Certificate.v: for each bound a test by computation with binary numbers. *)

From Coq Require Import NArith Lia.
From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game FFT FFTCompulsory Certificate.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** ** Statements *)

(** The fast Fourier transform of 2^levels points costs [words] or more with [M] words of fast memory. *)
Definition fft_costs (levels M words : N) : Prop :=
  forall ms : seq (move (fft (N.to_nat levels))), pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

(** ** Tests *)

Section Tests.
Local Open Scope N_scope.

(** The one-bits of [p], and of all numbers below it. *)
Fixpoint ones_numbers (p : positive) : N * N :=
  match p with
  | xH => (1, 0)
  | xO c => let: (own, below) := ones_numbers c in (own, 2 * below + Npos c)
  | xI c => let: (own, below) := ones_numbers c in (own + 1, 2 * below + Npos c + own)
  end.
Definition dominates_number (T : N) := if T is Npos p then 2 * (ones_numbers p).2 else 0.

Definition fft_test (levels M h T words : N) :=
  cut_test (dominates_number T) (2 ^ levels * levels) M h T words (2 ^ levels).
Definition fft_compulsory_test (levels words : N) := (0 <? levels) && (words <=? 2 * 2 ^ levels).

End Tests.

(** ** The tests are right *)

Lemma ones_numbersE p : ones_numbers p = (N.of_nat (ones (Pos.to_nat p)), N.of_nat (all_ones (Pos.to_nat p))).
Proof.
elim: p => [c IH|c IH|]; last by rewrite /all_ones big_ord_recl big_ord0.
  rewrite [LHS](_ : _ = ((ones_numbers c).1 + 1, 2 * (ones_numbers c).2 + Npos c + (ones_numbers c).1)%num); last first.
    by rewrite [LHS]/=; case: (ones_numbers c).
  rewrite IH [fst _]/= [snd _]/=.
  have -> : Pos.to_nat c~1 = (Pos.to_nat c).*2.+1 by lia.
  rewrite ones_doubleS all_onesS all_ones_double ones_double.
  by move: (ones _) (all_ones _) => own below; congr (_, _); clear; lia.
rewrite [LHS](_ : _ = ((ones_numbers c).1, 2 * (ones_numbers c).2 + Npos c)%num); last first.
  by rewrite [LHS]/=; case: (ones_numbers c).
rewrite IH [fst _]/= [snd _]/=.
have -> : Pos.to_nat c~0 = (Pos.to_nat c).*2 by lia.
rewrite ones_double all_ones_double.
by move: (ones _) (all_ones _) => own below; congr (_, _); clear; lia.
Qed.

Lemma dominates_numberE T : N.to_nat (dominates_number T) = dominates (N.to_nat T).
Proof.
case: T => [|p]; first by rewrite /dominates /all_ones big_ord0.
rewrite /dominates_number ones_numbersE /dominates [N.to_nat (Npos p)]/=; move: (all_ones _) => n.
by rewrite N2Nat.inj_mul /= Nat2N.id.
Qed.

Lemma power_two n : N.to_nat (2 ^ n)%num = 2 ^ N.to_nat n.
Proof. by lia. Qed.

(** ** From tests to statements *)

Theorem fft_cut levels M h T words : fft_test levels M h T words -> fft_costs levels M words.
Proof.
case/cut_testP=> h_gt0 many le_words ms legal_ms; apply: le_io.
rewrite N2Nat.inj_mul dominates_numberE power_two in many; rewrite power_two in le_words.
have := fft_bound legal_ms h_gt0 many; move: le_words; clear; lia.
Qed.

Theorem fft_all_words levels M words : fft_compulsory_test levels words -> fft_costs levels M words.
Proof.
case/andP=> /N.ltb_lt lt_levels /N.leb_le le_words ms legal_ms; apply: le_io.
have levels_gt0 : 0 < N.to_nat levels by lia.
have := fft_compulsory levels_gt0 legal_ms; rewrite -power_two; move: le_words; move: (2 ^ levels)%num; clear; lia.
Qed.
