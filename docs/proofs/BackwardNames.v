(** * The backward pass by names

    As in Names.v: dV[j,e,i] is [11; j; e; i], and so on, the arrays in the order of docs/computation.md. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Attention Names Backward.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section BackwardNames.

Variables (Nq Nk d dv : nat) (mask : nat -> nat -> bool).

Local Notation allowed := (@allowed Nq Nk mask).
Local Notation G := (backward d dv allowed).
Local Notation pairs := (pairs Nq Nk mask).
Local Notation queries := (queries Nq Nk mask).
Local Notation keys := (keys Nq Nk mask).

Definition backward_name (v : vertex G) : seq nat :=
  match v with
  | Q i k => [:: 0; val (val i); val k]
  | K j k => [:: 1; val (val j); val k]
  | V j e => [:: 2; val (val j); val e]
  | dO i e => [:: 3; val (val i); val e]
  | O i e => [:: 4; val (val i); val e]
  | RowSum i => [:: 5; val (val i)]
  | S p k => [:: 6; height p; place p; val k]
  | P p => [:: 7; height p; place p]
  | D i e => [:: 8; val (val i); val e]
  | dP p e => [:: 9; height p; place p; val e]
  | dS p => [:: 10; height p; place p]
  | dV p e => [:: 11; place p; val e; height p]
  | dK p k => [:: 12; place p; val k; height p]
  | dQ p k => [:: 13; height p; val k; place p]
  end.

Definition backward_names : seq (seq nat) :=
  [seq [:: 0; i; k] | i <- queries, k <- iota 0 d] ++ [seq [:: 1; j; k] | j <- keys, k <- iota 0 d] ++
  [seq [:: 2; j; e] | j <- keys, e <- iota 0 dv] ++ [seq [:: 3; i; e] | i <- queries, e <- iota 0 dv] ++
  [seq [:: 4; i; e] | i <- queries, e <- iota 0 dv] ++ [seq [:: 5; i] | i <- queries] ++
  [seq [:: 6; p.1; p.2; k] | p <- pairs, k <- iota 0 d] ++ [seq [:: 7; p.1; p.2] | p <- pairs] ++
  [seq [:: 8; i; e] | i <- queries, e <- iota 0 dv] ++ [seq [:: 9; p.1; p.2; e] | p <- pairs, e <- iota 0 dv] ++
  [seq [:: 10; p.1; p.2] | p <- pairs] ++ [seq [:: 11; p.2; e; p.1] | p <- pairs, e <- iota 0 dv] ++
  [seq [:: 12; p.2; k; p.1] | p <- pairs, k <- iota 0 d] ++ [seq [:: 13; p.1; k; p.2] | p <- pairs, k <- iota 0 d].

(** The next and the last query of a key. *)
Definition is_next_down j i i' := (i < i') && ~~ has (mask^~ j) (iota i.+1 (i' - i.+1)).
Definition is_last_down j i := ~~ has (mask^~ j) (iota i.+1 (Nq - i.+1)).

Definition backward_name_edge (u v : seq nat) : bool :=
  match u, v with
  | [:: 6; i; j; k], [:: 6; i'; j'; k'] => [&& i == i', j == j' & k.+1 == k']
  | [:: 0; i; k], [:: 6; i'; _; k'] => (i == i') && (k == k')
  | [:: 1; j; k], [:: 6; _; j'; k'] => (j == j') && (k == k')
  | [:: 6; i; j; k], [:: 7; i'; j'] => [&& i == i', j == j' & k.+1 == d]
  | [:: 5; i], [:: 7; i'; _] => i == i'
  | [:: 8; i; e], [:: 8; i'; e'] => (i == i') && (e.+1 == e')
  | [:: 3; i; e], [:: 8; i'; e'] => (i == i') && (e == e')
  | [:: 4; i; e], [:: 8; i'; e'] => (i == i') && (e == e')
  | [:: 9; i; j; e], [:: 9; i'; j'; e'] => [&& i == i', j == j' & e.+1 == e']
  | [:: 3; i; e], [:: 9; i'; _; e'] => (i == i') && (e == e')
  | [:: 2; j; e], [:: 9; _; j'; e'] => (j == j') && (e == e')
  | [:: 7; i; j], [:: 10; i'; j'] => (i == i') && (j == j')
  | [:: 9; i; j; e], [:: 10; i'; j'] => [&& i == i', j == j' & e.+1 == dv]
  | [:: 8; i; e], [:: 10; i'; _] => (i == i') && (e.+1 == dv)
  | [:: 11; j; e; i], [:: 11; j'; e'; i'] => [&& j == j', is_next_down j i i' & e == e']
  | [:: 7; i; j], [:: 11; j'; _; i'] => (i == i') && (j == j')
  | [:: 3; i; e], [:: 11; _; e'; i'] => (i == i') && (e == e')
  | [:: 12; j; k; i], [:: 12; j'; k'; i'] => [&& j == j', is_next_down j i i' & k == k']
  | [:: 10; i; j], [:: 12; j'; _; i'] => (i == i') && (j == j')
  | [:: 0; i; k], [:: 12; _; k'; i'] => (i == i') && (k == k')
  | [:: 13; i; k; j], [:: 13; i'; k'; j'] => [&& i == i', is_next mask i j j' & k == k']
  | [:: 10; i; j], [:: 13; i'; _; j'] => (i == i') && (j == j')
  | [:: 1; j; k], [:: 13; _; k'; j'] => (j == j') && (k == k')
  | _, _ => false
  end.

Definition backward_name_output (v : seq nat) : bool :=
  match v with
  | [:: 11; j; _; i] => is_last_down j i
  | [:: 12; j; _; i] => is_last_down j i
  | [:: 13; i; _; j] => is_last Nk mask i j
  | _ => false
  end.

Lemma column_eq (p q : pair allowed) : (column p == column q) = (place p == place q).
Proof. by rewrite -!val_eqE. Qed.

Lemma between_down (p : pair allowed) b :
  (forall r : pair allowed, column r = column p -> height p < height r -> b <= height r) <->
  ~~ has (mask^~ (place p)) (iota (height p).+1 (minn b Nq - (height p).+1)).
Proof.
split=> [far|/hasPn none r column_r lt_r].
  apply/hasPn => i; rewrite mem_iota => /andP[lt_i lt_b]; apply/negP => in_i.
  have lt_j : place p < Nk by apply: ltn_ord.
  have [r [row_r place_r]] : exists r : pair allowed, height r = i /\ place r = place p.
    by apply: some_pair in_i; rewrite // ; lia.
  have := far r; rewrite row_r => /(_ _ lt_i); have -> : column r = column p by apply/eqP; rewrite column_eq place_r.
  by move=> /(_ erefl); lia.
rewrite leqNgt; apply/negP => lt_b.
have lt_Nq : height r < Nq by apply: ltn_ord.
have /none/negP[] : height r \in iota (height p).+1 (minn b Nq - (height p).+1) by rewrite mem_iota; lia.
by rewrite /place -column_r; apply: mask_place.
Qed.

Lemma next_in_columnE (p q : pair allowed) :
  next_in_column p q = (place p == place q) && is_next_down (place p) (height p) (height q).
Proof.
rewrite /next_in_column /is_next_down column_eq; congr (_ && (_ && _)).
have lt_q : height q < Nq by apply: ltn_ord.
have := between_down p (height q); rewrite (minn_idPl (ltnW lt_q)) => -[far none].
apply/forallP/idP => [away|/none away r]; last first.
  apply/implyP => /eqP column_r; apply/negP => /andP[lt_p].
  by rewrite ltnNge (away r column_r lt_p).
apply: far => r /eqP column_r lt_p; have := away r; rewrite column_r lt_p /= -leqNgt; exact.
Qed.

Lemma last_in_columnE (p : pair allowed) : last_in_column p = is_last_down (place p) (height p).
Proof.
have := between_down p Nq; rewrite minnn => -[far none].
apply/forallP/idP => [away|/none away r].
  apply: far => r /eqP column_r lt_p; have := away r; rewrite column_r /= leqNgt lt_p; done.
apply/implyP => /eqP column_r; rewrite leqNgt; apply/negP => /(away r column_r).
by rewrite leqNgt ltn_ord.
Qed.

Lemma pair_E (p q : pair allowed) : (p == q) = (height p == height q) && (place p == place q).
Proof. exact: pair_eqE. Qed.

Lemma next_E (p q : pair allowed) : next_pair p q = (height p == height q) && is_next mask (height p) (place p) (place q).
Proof. exact: next_pairE. Qed.

Lemma last_E (p : pair allowed) : last_pair p = is_last Nk mask (height p) (place p).
Proof. exact: last_pairE. Qed.

Lemma row_E (i : query allowed) (p : pair allowed) : (i == row p) = (val (val i) == height p).
Proof. by rewrite -!val_eqE. Qed.

Lemma column_E (j : key allowed) (p : pair allowed) : (j == column p) = (val (val j) == place p).
Proof. by rewrite -!val_eqE. Qed.

Lemma backward_name_edgeP u v : edge u v = backward_name_edge (backward_name u) (backward_name v).
Proof.
case: u => [i k|j k|j e|i e|i e|i|p k|p|i e|p e|p|p e|p k|p k];
  case: v => [i' k'|j' k'|j' e'|i' e'|i' e'|i'|p' k'|p'|i' e'|p' e'|p'|p' e'|p' k'|p' k'] //=;
  rewrite ?next_in_columnE ?next_E ?pair_E ?row_E ?column_E -?val_eqE -?val_eqE // -?andbA //.
all: by rewrite andbC.
Qed.

Lemma backward_name_outputP v : output v = backward_name_output (backward_name v).
Proof. by case: v => // p e; rewrite /= ?last_in_columnE ?last_E. Qed.

Lemma backward_name_inj : injective backward_name.
Proof.
case=> [i k|j k|j e|i e|i e|i|p k|p|i e|p e|p|p e|p k|p k];
  case=> [i' k'|j' k'|j' e'|i' e'|i' e'|i'|p' k'|p'|i' e'|p' e'|p'|p' e'|p' k'|p' k'] // eq_names;
  have := congr1 (nth 0 ^~ 1) eq_names; have := congr1 (nth 0 ^~ 2) eq_names; have := congr1 (nth 0 ^~ 3) eq_names;
  rewrite /= => eq3 eq2 eq1.
1-5, 9: by move: eq2 eq1 => /val_inj -> /val_inj/val_inj ->.
- by move: eq1 => /val_inj/val_inj ->.
1,3: by move: eq3 => /val_inj ->; rewrite (pair_inj eq1 eq2).
1,2: by rewrite (pair_inj eq1 eq2).
1,2: by move: eq2 => /val_inj ->; rewrite (pair_inj eq3 eq1).
by move: eq2 => /val_inj ->; rewrite (pair_inj eq1 eq3).
Qed.

Lemma backward_namesP x : reflect (exists v, backward_name v = x) (x \in backward_names).
Proof.
rewrite /backward_names !mem_cat; apply: (iffP idP) => [|[v <-]].
  case/orP => [/allpairsP[[i k] /= [/in_queries[q <-] /in_range[z <-] ->]]|]; first by exists (Q q z).
  case/orP => [/allpairsP[[i k] /= [/in_keys[q <-] /in_range[z <-] ->]]|]; first by exists (K q z).
  case/orP => [/allpairsP[[i k] /= [/in_keys[q <-] /in_range[z <-] ->]]|]; first by exists (V q z).
  case/orP => [/allpairsP[[i k] /= [/in_queries[q <-] /in_range[z <-] ->]]|]; first by exists (dO q z).
  case/orP => [/allpairsP[[i k] /= [/in_queries[q <-] /in_range[z <-] ->]]|]; first by exists (O q z).
  case/orP => [/mapP[i /in_queries[q <-] ->]|]; first by exists (RowSum q).
  case/orP => [/allpairsP[[i k] /= [/in_pairs[p <-] /in_range[z <-] ->]]|]; first by exists (S p z).
  case/orP => [/mapP[i /in_pairs[p <-] ->]|]; first by exists (P p).
  case/orP => [/allpairsP[[i k] /= [/in_queries[q <-] /in_range[z <-] ->]]|]; first by exists (D q z).
  case/orP => [/allpairsP[[i k] /= [/in_pairs[p <-] /in_range[z <-] ->]]|]; first by exists (dP p z).
  case/orP => [/mapP[i /in_pairs[p <-] ->]|]; first by exists (dS p).
  case/orP => [/allpairsP[[i k] /= [/in_pairs[p <-] /in_range[z <-] ->]]|]; first by exists (dV p z).
  case/orP => [/allpairsP[[i k] /= [/in_pairs[p <-] /in_range[z <-] ->]]|/allpairsP[[i k] /= [/in_pairs[p <-] /in_range[z <-] ->]]].
    by exists (dK p z).
  by exists (dQ p z).
have range n (z : 'I_n) : val z \in iota 0 n by apply/in_range; exists z.
have the_pair (p : pair allowed) : (height p, place p) \in pairs by apply/in_pairs; exists p.
have the_query (q : query allowed) : val (val q) \in queries by apply/in_queries; exists q.
have the_key (q : key allowed) : val (val q) \in keys by apply/in_keys; exists q.
case: v => [i k|j k|j e|i e|i e|i|p k|p|i e|p e|p|p e|p k|p k].
- by apply/orP; left; apply: (allpairs_f (fun i k => [:: 0; i; k])).
- by do 1!(apply/orP; right); apply/orP; left; apply: (allpairs_f (fun i k => [:: 1; i; k])).
- by do 2!(apply/orP; right); apply/orP; left; apply: (allpairs_f (fun i k => [:: 2; i; k])).
- by do 3!(apply/orP; right); apply/orP; left; apply: (allpairs_f (fun i k => [:: 3; i; k])).
- by do 4!(apply/orP; right); apply/orP; left; apply: (allpairs_f (fun i k => [:: 4; i; k])).
- by do 5!(apply/orP; right); apply/orP; left; apply: (map_f (fun i => [:: 5; i])).
- do 6!(apply/orP; right); apply/orP; left.
  exact: (allpairs_f (fun p k => [:: 6; p.1; p.2; k]) (the_pair p) (range _ k)).
- by do 7!(apply/orP; right); apply/orP; left; apply: (map_f (fun p => [:: 7; p.1; p.2]) (the_pair p)).
- by do 8!(apply/orP; right); apply/orP; left; apply: (allpairs_f (fun i k => [:: 8; i; k])).
- do 9!(apply/orP; right); apply/orP; left.
  exact: (allpairs_f (fun p k => [:: 9; p.1; p.2; k]) (the_pair p) (range _ e)).
- by do 10!(apply/orP; right); apply/orP; left; apply: (map_f (fun p => [:: 10; p.1; p.2]) (the_pair p)).
- do 11!(apply/orP; right); apply/orP; left.
  exact: (allpairs_f (fun p k => [:: 11; p.2; k; p.1]) (the_pair p) (range _ e)).
- do 12!(apply/orP; right); apply/orP; left.
  exact: (allpairs_f (fun p k => [:: 12; p.2; k; p.1]) (the_pair p) (range _ k)).
do 13!(apply/orP; right).
exact: (allpairs_f (fun p k => [:: 13; p.1; k; p.2]) (the_pair p) (range _ k)).
Qed.

Definition backward_named : named G :=
  Named backward_name_inj backward_namesP backward_name_edgeP backward_name_outputP.

End BackwardNames.
