(** * The compulsory bound of the fast Fourier transform *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Compulsory FFT.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** A vertex leads to the output of its own point. *)
Lemma leads_to_output r (v : vertex (fft r)) : connect (@edge (fft r)) v (ord_max, v.2).
Proof.
have [n le_n] := ubnP (r - v.1); elim: n v le_n => // n IH [l x] le_n.
case: (eqVneq (l : nat) r) => [last_l|ne_l].
  by have -> : l = ord_max by apply: val_inj.
have lt_l : l.+1 < r.+1 by rewrite ltnS ltn_neqAle ne_l -ltnS ltn_ord.
have {}IH := IH (Ordinal lt_l, x); apply: connect_trans (connect1 _) (IH _).
  by rewrite /= /fft_edge /= eqxx; apply/forallP => i; rewrite eqxx implybT.
by clear -le_n lt_l; rewrite /= in le_n *; lia.
Qed.

(** Every point is loaded, and every point of the last level stored. *)
Theorem fft_compulsory r M (ms : seq (move (fft r))) : 0 < r -> pebbling M ms -> 2 * 2 ^ r <= io ms.
Proof.
move=> r_gt0 legal_ms; apply: leq_trans (compulsory legal_ms); rewrite mul2n -addnn.
have card_point : #|point r| = 2 ^ r by rewrite card_ffun card_bool card_ord.
have made (x : point r) : output ((ord_max, x) : vertex (fft r)) && ~~ input ((ord_max, x) : vertex (fft r)).
  by rewrite input_level /= eqxx -lt0n.
have level l (A : {set vertex (fft r)}) : (forall x, (l, x) \in A) -> 2 ^ r <= #|A|.
  move=> in_A; have inj : injective (fun x : point r => (l, x) : vertex (fft r)) by move=> x y [].
  by rewrite -card_point -cardsT -(card_imset _ inj); apply/subset_leq_card/subsetP => _ /imsetP[x _ ->].
apply: leq_add; [apply: (@level ord0) => x|apply: (@level ord_max) => x]; rewrite inE; last exact: made.
rewrite input_level /=; apply/existsP; exists (ord_max, x).
by rewrite andbA made; exact: leads_to_output.
Qed.
