(** * The butterfly by names

    As in Names.v: a level, and the bits of a point, the lowest first. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Names FFT.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section FFTNames.

Variable r : nat.
Notation G := (fft r).

Definition bits_of (x : point r) : seq nat := [seq (x i : nat) | i <- enum 'I_r].
Definition fft_name (v : vertex G) : seq nat := val v.1 :: bits_of v.2.

Fixpoint bits n : seq (seq nat) :=
  if n is n'.+1 then [seq 0 :: s | s <- bits n'] ++ [seq 1 :: s | s <- bits n'] else [:: [::]].
Definition fft_names : seq (seq nat) := [seq l :: s | l <- iota 0 r.+1, s <- bits r].

Definition fft_name_edge (u v : seq nat) : bool :=
  match u, v with
  | l :: s, l' :: s' => (l.+1 == l') && all (fun i => (i == l) || (nth 2 s i == nth 2 s' i)) (iota 0 r)
  | _, _ => false
  end.
Definition fft_name_output (v : seq nat) : bool := if v is l :: _ then l == r else false.

Lemma nth_bits (x : point r) (i : 'I_r) : nth 2 (bits_of x) i = x i.
Proof. by rewrite (nth_map i) ?size_enum_ord // nth_ord_enum. Qed.

Lemma fft_name_inj : injective fft_name.
Proof.
move=> [l x] [l' y] [/val_inj -> eq_bits]; congr (_, _); apply/ffunP => i.
by have := nth_bits y i; rewrite -eq_bits nth_bits; case: (x i) (y i) => [] [].
Qed.

Lemma fft_name_edgeP u v : edge u v = fft_name_edge (fft_name u) (fft_name v).
Proof.
case: u v => [l x] [l' y]; rewrite /= /fft_edge /=; congr (_ && _).
apply/forallP/allP => [agree_xy i|same i].
  rewrite mem_iota add0n /= => lt_i; have := agree_xy (Ordinal lt_i); rewrite /=.
  by case: eqP => //= _ /eqP eq_i; rewrite (nth_bits x (Ordinal lt_i)) (nth_bits y (Ordinal lt_i)) eq_i.
have := same i; rewrite mem_iota add0n ltn_ord => /(_ isT); case: eqP => //= _; rewrite !nth_bits.
by case: (x i) (y i) => [] [].
Qed.

Lemma fft_name_outputP v : output v = fft_name_output (fft_name v).
Proof. by []. Qed.

Lemma in_bits n s : (s \in bits n) = (size s == n) && all (fun b => b < 2) s.
Proof.
elim: n s => [|n IH] [|b s] //=; rewrite mem_cat.
  by apply/negP => /orP[] /mapP[].
have cons0 c : (b :: s \in [seq c :: t | t <- bits n]) = (b == c) && (s \in bits n).
  apply/mapP/andP => [[t in_t [-> ->]]|[/eqP -> in_s]] //; by exists s.
by rewrite !cons0 IH eqSS; case: b {cons0} => [|[|b]] //=; rewrite ?orbF ?andbF.
Qed.

Lemma fft_namesP x : reflect (exists v, fft_name v = x) (x \in fft_names).
Proof.
apply: (iffP allpairsP) => [[[l s] [in_l in_s ->]]|[[l x'] <-]].
  have /in_range[l' <-] : l \in iota 0 r.+1 := in_l.
  move: in_s; rewrite in_bits => /andP[/eqP /= size_s /allP small].
  exists (l', [ffun i : 'I_r => nth 2 s i == 1]); congr (_ :: _).
  have size_bits y : size (bits_of y) = r by rewrite /bits_of size_map size_enum_ord.
  apply: (@eq_from_nth _ 2) => [|i]; rewrite size_bits // => lt_i.
  rewrite (nth_bits _ (Ordinal lt_i)) ffunE /=; have := small (nth 2 s i); rewrite mem_nth ?size_s // => /(_ isT).
  by case: (nth 2 s i) => [|[|]].
exists (val l, bits_of x'); split => //; first by apply/in_range; exists l.
rewrite in_bits size_map size_enum_ord eqxx; apply/allP => b /mapP[i _ ->]; by case: (x' i).
Qed.

Definition fft_named : named G := Named fft_name_inj fft_namesP fft_name_edgeP fft_name_outputP.

End FFTNames.
