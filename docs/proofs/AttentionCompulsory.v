(** * The compulsory bound of the forward pass *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Compulsory LoomisWhitney Attention AttentionFacts.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section AttentionCompulsory.

Variables (Nq Nk d dv : nat) (stats : bool) (allowed : 'I_Nq -> 'I_Nk -> bool).

Notation pair := (pair allowed).
Notation query := (query allowed).
Notation key := (key allowed).
Notation G := (attention d dv stats allowed).
Notation leads := (connect (@edge G)).

Lemma partial_leads (p : pair) e : leads (Partial d p e) (Output _ (row p) e).
Proof.
have [n le_n] := ubnP (Nk - place p); elim: n p le_n => // n IH p le_n.
case: (pickP (next_pair p)) => [q next_q|none].
  have /and3P[/eqP row_q lt_q _] := next_q; have lt_Nk : place q < Nk by apply: ltn_ord.
  rewrite row_q; apply: connect_trans (connect1 _) (IH q _); first by rewrite /= next_q eqxx.
  by move: (place p) (place q) le_n lt_q lt_Nk; clear; lia.
apply: connect1; rewrite /= !eqxx andbT; apply: next_or_last => q; by rewrite none.
Qed.

Lemma score_leads (p : pair) k : leads (Score dv p k) (Weight _ _ p).
Proof.
have [n le_n] := ubnP (d - k); elim: n k le_n => // n IH k le_n.
case: (eqVneq k.+1 d) => [last_k|ne_k]; first by apply: connect1; rewrite /= eqxx last_k eqxx.
have lt_k : k.+1 < d by rewrite ltn_neqAle ne_k ltn_ord.
apply: connect_trans (connect1 _) (IH (Ordinal lt_k) _); first by rewrite /= !eqxx.
by move: le_n lt_k; rewrite /=; move: (k : nat) => {k}; clear; lia.
Qed.

Lemma score_output (p : pair) k e : leads (Score dv p k) (Output _ (row p) e).
Proof.
apply: connect_trans (score_leads p k) (connect_trans (connect1 _) (partial_leads p e)).
by rewrite /= eqxx.
Qed.

Lemma pair_of_query (i : query) : exists p : pair, row p = i.
Proof. by have [j in_ij] := existsP (valP i); exists (Sub (val i, j) in_ij); apply: val_inj. Qed.

Lemma pair_of_key (j : key) : exists p : pair, column p = j.
Proof. by have [i in_ij] := existsP (valP j); exists (Sub (i, val j) in_ij); apply: val_inj. Qed.

Lemma output_made i e : output (Output d i e : vertex G) && ~~ input (Output d i e : vertex G).
Proof.
have [j in_ij] := existsP (valP i).
have [p row_p] := pair_of_query i; have := partial_leads p e; rewrite row_p => /connectP[[|v q] //= /andP[_ path_q] last_q].
rewrite /=; apply/forallPn; case/lastP: q path_q last_q => [|q w].
  by move=> _ eq_v; exists (Partial d p e); rewrite negbK /= in path_q *.
Abort.

End AttentionCompulsory.
