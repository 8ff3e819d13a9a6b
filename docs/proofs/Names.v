(** * Vertices by their names

    The forward pass and matrix products once more, with vertices as lists of numbers: what kind, and the indices as the program writes
    them (S[1,0,3] is [3; 1; 0; 3]). All of it can be computed, and is proved to be Attention.v and Matmul.v. Tests compare it with
    the program, edge by edge. *)

From mathcomp Require Import all_ssreflect fingroup perm zify.
From Pebble Require Import Game Attention Matmul.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** A list of names with a test for edges and one for outputs is a computation, if every vertex has one of these names, and one only. *)
Record named (G : dag) := Named {
  name : vertex G -> seq nat;
  names : seq (seq nat);
  name_edge : seq nat -> seq nat -> bool;
  name_output : seq nat -> bool;
  name_inj : injective name;
  name_names : forall x, reflect (exists v, name v = x) (x \in names);
  name_edgeP : forall u v, edge u v = name_edge (name u) (name v);
  name_outputP : forall v, output v = name_output (name v)
}.

Section AttentionNames.

Variables (Nq Nk d dv : nat) (stats : bool) (mask : nat -> nat -> bool).

Definition allowed (i : 'I_Nq) (j : 'I_Nk) := mask i j.
Notation G := (attention d dv stats allowed).

Definition attention_name (v : vertex G) : seq nat :=
  match v with
  | Query i k => [:: 0; val (val i); val k]
  | Key j k => [:: 1; val (val j); val k]
  | Value j e => [:: 2; val (val j); val e]
  | Score p k => [:: 3; val (val (row p)); place p; val k]
  | Weight p => [:: 4; val (val (row p)); place p]
  | Partial p e => [:: 5; val (val (row p)); val e; place p]
  | RowSum p => [:: 6; val (val (row p)); place p]
  | Output i e => [:: 7; val (val i); val e]
  end.

Definition pairs := [seq p <- [seq (i, j) | i <- iota 0 Nq, j <- iota 0 Nk] | mask p.1 p.2].
Definition queries := [seq i <- iota 0 Nq | has (mask i) (iota 0 Nk)].
Definition keys := [seq j <- iota 0 Nk | has (mask^~ j) (iota 0 Nq)].

Definition attention_names : seq (seq nat) :=
  [seq [:: 0; i; k] | i <- queries, k <- iota 0 d] ++ [seq [:: 1; j; k] | j <- keys, k <- iota 0 d] ++
  [seq [:: 2; j; e] | j <- keys, e <- iota 0 dv] ++ [seq [:: 3; p.1; p.2; k] | p <- pairs, k <- iota 0 d] ++
  [seq [:: 4; p.1; p.2] | p <- pairs] ++ [seq [:: 5; p.1; e; p.2] | p <- pairs, e <- iota 0 dv] ++
  [seq [:: 6; p.1; p.2] | p <- pairs] ++ [seq [:: 7; i; e] | i <- queries, e <- iota 0 dv].

Definition is_next i j j' := (j < j') && ~~ has (mask i) (iota j.+1 (j' - j.+1)).
Definition is_last i j := ~~ has (mask i) (iota j.+1 (Nk - j.+1)).

Definition attention_name_edge (u v : seq nat) : bool :=
  match u, v with
  | [:: 0; i; k], [:: 3; i'; _; k'] => (i == i') && (k == k')
  | [:: 1; j; k], [:: 3; _; j'; k'] => (j == j') && (k == k')
  | [:: 3; i; j; k], [:: 3; i'; j'; k'] => [&& i == i', j == j' & k.+1 == k']
  | [:: 3; i; j; k], [:: 4; i'; j'] => [&& i == i', j == j' & k.+1 == d]
  | [:: 4; i; j], [:: 6; i'; j'] => (i == i') && (j == j')
  | [:: 6; i; j], [:: 6; i'; j'] => (i == i') && is_next i j j'
  | [:: 4; i; j], [:: 5; i'; _; j'] => (i == i') && (j == j')
  | [:: 2; j; e], [:: 5; _; e'; j'] => (j == j') && (e == e')
  | [:: 5; i; e; j], [:: 5; i'; e'; j'] => [&& i == i', is_next i j j' & e == e']
  | [:: 5; i; e; j], [:: 7; i'; e'] => [&& is_last i j, i == i' & e == e']
  | [:: 6; i; j], [:: 7; i'; _] => is_last i j && (i == i')
  | _, _ => false
  end.

Definition attention_name_output (v : seq nat) : bool :=
  match v with [:: 7; _; _] => true | [:: 6; i; j] => stats && is_last i j | _ => false end.

Lemma row_eq (p q : pair allowed) : (row p == row q) = (val (val (row p)) == val (val (row q))).
Proof. by rewrite -!val_eqE. Qed.

Lemma pair_eqE (p q : pair allowed) : (p == q) = (val (val (row p)) == val (val (row q))) && (place p == place q).
Proof.
by rewrite -val_eqE /place /=; case: (val p) (val q) => [i j] [i' j']; rewrite xpair_eqE -!val_eqE.
Qed.

Lemma mask_place (p : pair allowed) : mask (val (val (row p))) (place p).
Proof. exact: (valP p). Qed.

Lemma some_pair i j : i < Nq -> j < Nk -> mask i j -> exists p : pair allowed, val (val (row p)) = i /\ place p = j.
Proof. by move=> lt_i lt_j in_ij; exists (Sub (Ordinal lt_i, Ordinal lt_j) in_ij). Qed.

Lemma between (p : pair allowed) b : (forall r : pair allowed, row r = row p -> place p < place r -> b <= place r) <->
  ~~ has (mask (val (val (row p)))) (iota (place p).+1 (minn b Nk - (place p).+1)).
Proof.
split=> [far|/hasPn none r row_r lt_r].
  apply/hasPn => j; rewrite mem_iota => /andP[lt_j lt_b]; apply/negP => in_j.
  have lt_i : val (val (row p)) < Nq by apply: ltn_ord.
  have [r [row_r place_r]] : exists r : pair allowed, val (val (row r)) = val (val (row p)) /\ place r = j.
    by apply: some_pair in_j; rewrite // ; lia.
  have := far r; rewrite place_r => /(_ _ lt_j); have -> : row r = row p by apply/eqP; rewrite row_eq row_r.
  by move=> /(_ erefl); lia.
rewrite leqNgt; apply/negP => lt_b.
have lt_Nk : place r < Nk by apply: ltn_ord.
have /none/negP[] : place r \in iota (place p).+1 (minn b Nk - (place p).+1) by rewrite mem_iota; lia.
by rewrite -row_r mask_place.
Qed.

Lemma next_pairE (p q : pair allowed) : next_pair p q =
  (val (val (row p)) == val (val (row q))) && is_next (val (val (row p))) (place p) (place q).
Proof.
rewrite /next_pair /is_next row_eq; congr (_ && (_ && _)).
have lt_q : place q < Nk by apply: ltn_ord.
have := between p (place q); rewrite (minn_idPl (ltnW lt_q)) => -[far none].
apply/forallP/idP => [away|/none away r]; last first.
  apply/implyP => /eqP row_r; apply/negP => /andP[lt_p].
  by rewrite ltnNge (away r row_r lt_p).
apply: far => r /eqP row_r lt_p; have := away r; rewrite row_r lt_p /= -leqNgt; exact.
Qed.

Lemma last_pairE (p : pair allowed) : last_pair p = is_last (val (val (row p))) (place p).
Proof.
have := between p Nk; rewrite minnn => -[far none].
apply/forallP/idP => [away|/none away r].
  apply: far => r /eqP row_r lt_p; have := away r; rewrite row_r /= leqNgt lt_p; done.
apply/implyP => /eqP row_r; rewrite leqNgt; apply/negP => /(away r row_r).
by rewrite leqNgt ltn_ord.
Qed.

Lemma attention_name_edgeP u v : edge u v = attention_name_edge (attention_name u) (attention_name v).
Proof.
by case: u v => [i k|j k|j e|p k|p|p e|p|i e] [i' k'|j' k'|j' e'|p' k'|p'|p' e'|p'|i' e'] //=;
  rewrite ?next_pairE ?last_pairE ?pair_eqE -?val_eqE -?val_eqE // -?andbA.
Qed.

Lemma attention_name_outputP v : output v = attention_name_output (attention_name v).
Proof. by case: v => // p; rewrite /= last_pairE. Qed.

Lemma pair_inj (p q : pair allowed) : val (val (row p)) = val (val (row q)) -> place p = place q -> p = q.
Proof. by move=> eq_row eq_place; apply/eqP; rewrite pair_eqE eq_row eq_place !eqxx. Qed.

Lemma attention_name_inj : injective attention_name.
Proof.
move=> [i k|j k|j e|p k|p|p e|p|i e] [i' k'|j' k'|j' e'|p' k'|p'|p' e'|p'|i' e'] // eq_names.
- by case: eq_names => /val_inj/val_inj -> /val_inj ->.
- by case: eq_names => /val_inj/val_inj -> /val_inj ->.
- by case: eq_names => /val_inj/val_inj -> /val_inj ->.
- have := congr1 (nth 0 ^~ 1) eq_names; have := congr1 (nth 0 ^~ 2) eq_names; have := congr1 (nth 0 ^~ 3) eq_names.
  by move=> /= /val_inj -> eq_place eq_row; rewrite (pair_inj eq_row eq_place).
- have := congr1 (nth 0 ^~ 1) eq_names; have := congr1 (nth 0 ^~ 2) eq_names.
  by move=> /= eq_place eq_row; rewrite (pair_inj eq_row eq_place).
- have := congr1 (nth 0 ^~ 1) eq_names; have := congr1 (nth 0 ^~ 2) eq_names; have := congr1 (nth 0 ^~ 3) eq_names.
  by move=> /= eq_place /val_inj -> eq_row; rewrite (pair_inj eq_row eq_place).
- have := congr1 (nth 0 ^~ 1) eq_names; have := congr1 (nth 0 ^~ 2) eq_names.
  by move=> /= eq_place eq_row; rewrite (pair_inj eq_row eq_place).
by case: eq_names => /val_inj/val_inj -> /val_inj ->.
Qed.

Lemma in_queries i : reflect (exists q : query allowed, val (val q) = i) (i \in queries).
Proof.
rewrite mem_filter mem_iota add0n /=; apply: (iffP andP) => [[/hasP[j]]|[q <-]].
  rewrite mem_iota add0n /= => lt_j in_ij lt_i.
  have has_key : [exists j, allowed (Ordinal lt_i) j] by apply/existsP; exists (Ordinal lt_j).
  by exists (Sub (Ordinal lt_i) has_key).
split; last exact: ltn_ord; have [j in_ij] := existsP (valP q).
by apply/hasP; exists (val j) => //; rewrite mem_iota add0n /=.
Qed.

Lemma in_keys j : reflect (exists q : key allowed, val (val q) = j) (j \in keys).
Proof.
rewrite mem_filter mem_iota add0n /=; apply: (iffP andP) => [[/hasP[i]]|[q <-]].
  rewrite mem_iota add0n /= => lt_i in_ij lt_j.
  have has_query : [exists i, allowed i (Ordinal lt_j)] by apply/existsP; exists (Ordinal lt_i).
  by exists (Sub (Ordinal lt_j) has_query).
split; last exact: ltn_ord; have [i in_ij] := existsP (valP q).
by apply/hasP; exists (val i) => //; rewrite mem_iota add0n /=.
Qed.

Lemma in_pairs x : reflect (exists p : pair allowed, (val (val (row p)), place p) = x) (x \in pairs).
Proof.
case: x => i j; rewrite mem_filter; apply: (iffP andP) => [[/= in_ij /allpairsP[[i' j'] /= []]]|[p [<- <-]]].
  rewrite !mem_iota !add0n /= => lt_i lt_j [eq_i eq_j]; rewrite -eq_i -eq_j in lt_i lt_j.
  by have [p [row_p place_p]] := some_pair lt_i lt_j in_ij; exists p; rewrite row_p place_p.
split; first exact: mask_place.
by apply: allpairs_f; rewrite mem_iota add0n /=; apply: ltn_ord.
Qed.

Lemma in_range n k : reflect (exists x : 'I_n, val x = k) (k \in iota 0 n).
Proof.
rewrite mem_iota add0n /=; apply: (iffP idP) => [lt_k|[x <-]]; first by exists (Ordinal lt_k).
exact: ltn_ord.
Qed.

Lemma attention_namesP x : reflect (exists v, attention_name v = x) (x \in attention_names).
Proof.
rewrite /attention_names !mem_cat; apply: (iffP idP) => [|[v <-]].
  case/or4P => [|||/or4P[|||/orP[]]].
  - by case/allpairsP=> -[i k] /= [/in_queries[q <-] /in_range[z <-] ->]; exists (Query _ q z).
  - by case/allpairsP=> -[i k] /= [/in_keys[q <-] /in_range[z <-] ->]; exists (Key _ q z).
  - by case/allpairsP=> -[i k] /= [/in_keys[q <-] /in_range[z <-] ->]; exists (Value _ q z).
  - by case/allpairsP=> -[i k] /= [/in_pairs[p <-] /in_range[z <-] ->]; exists (Score _ p z).
  - by case/mapP=> i /in_pairs[p <-] ->; exists (Weight _ _ p).
  - by case/allpairsP=> -[i k] /= [/in_pairs[p <-] /in_range[z <-] ->]; exists (Partial _ p z).
  - by case/mapP=> i /in_pairs[p <-] ->; exists (RowSum _ _ p).
  by case/allpairsP=> -[i k] /= [/in_queries[q <-] /in_range[z <-] ->]; exists (Output _ q z).
have range n (z : 'I_n) : val z \in iota 0 n by apply/in_range; exists z.
have the_pair (p : pair allowed) : (val (val (row p)), place p) \in pairs by apply/in_pairs; exists p.
have the_query (q : query allowed) : val (val q) \in queries by apply/in_queries; exists q.
have the_key (q : key allowed) : val (val q) \in keys by apply/in_keys; exists q.
case: v => [i k|j k|j e|p k|p|p e|p|i e].
- by apply/orP; left; apply: (allpairs_f (fun i k => [:: 0; i; k])).
- by apply/or3P; constructor 2; apply: (allpairs_f (fun i k => [:: 1; i; k])).
- by apply/or4P; constructor 3; apply: (allpairs_f (fun i k => [:: 2; i; k])).
- apply/or4P; constructor 4; apply/orP; left.
  exact: (allpairs_f (fun p k => [:: 3; p.1; p.2; k]) (the_pair p) (range _ k)).
- apply/or4P; constructor 4; apply/or3P; constructor 2.
  exact: (map_f (fun p => [:: 4; p.1; p.2]) (the_pair p)).
- apply/or4P; constructor 4; apply/or4P; constructor 3.
  exact: (allpairs_f (fun p e => [:: 5; p.1; e; p.2]) (the_pair p) (range _ e)).
- apply/or4P; constructor 4; apply/or4P; constructor 4; apply/orP; left.
  exact: (map_f (fun p => [:: 6; p.1; p.2]) (the_pair p)).
apply/or4P; constructor 4; apply/or4P; constructor 4; apply/orP; right.
exact: (allpairs_f (fun i e => [:: 7; i; e])).
Qed.

Definition attention_named : named G :=
  Named attention_name_inj attention_namesP attention_name_edgeP attention_name_outputP.

End AttentionNames.

(** Matrix products; every chain begins with its first product. *)
Section MatmulNames.

Variables m n k : nat.

Definition in_order (i : 'I_m) (j : 'I_n) : {perm 'I_k} := 1%g.
Notation G := (matmul in_order).

Definition matmul_name (v : vertex G) : seq nat :=
  match v with
  | A i l => [:: 0; val i; val l]
  | B l j => [:: 1; val l; val j]
  | C i j l => [:: 2; val i; val j; val l]
  end.

Definition matmul_names : seq (seq nat) :=
  [seq [:: 0; i; l] | i <- iota 0 m, l <- iota 0 k] ++ [seq [:: 1; l; j] | l <- iota 0 k, j <- iota 0 n] ++
  [seq [:: 2; p.1; p.2; l] | p <- [seq (i, j) | i <- iota 0 m, j <- iota 0 n], l <- iota 0 k].

Definition matmul_name_edge (u v : seq nat) : bool :=
  match u, v with
  | [:: 0; i; l], [:: 2; i'; _; l'] => (i == i') && (l == l')
  | [:: 1; l; j], [:: 2; _; j'; l'] => (l == l') && (j == j')
  | [:: 2; i; j; l], [:: 2; i'; j'; l'] => [&& i == i', j == j' & l.+1 == l']
  | _, _ => false
  end.

Definition matmul_name_output (v : seq nat) : bool := if v is [:: 2; _; _; l] then l.+1 == k else false.

Lemma matmul_name_inj : injective matmul_name.
Proof.
by move=> [i l|l j|i j l] [i' l'|l' j'|i' j' l'] //= [] => [/val_inj -> /val_inj ->|/val_inj -> /val_inj ->|/val_inj -> /val_inj -> /val_inj ->].
Qed.

Lemma matmul_name_edgeP u v : edge u v = matmul_name_edge (matmul_name u) (matmul_name v).
Proof. by case: u v => [i l|l j|i j l] [i' l'|l' j'|i' j' l'] //=; rewrite ?perm1. Qed.

Lemma matmul_name_outputP v : output v = matmul_name_output (matmul_name v).
Proof. by case: v. Qed.

Lemma matmul_namesP x : reflect (exists v, matmul_name v = x) (x \in matmul_names).
Proof.
rewrite /matmul_names !mem_cat; apply: (iffP idP) => [|[v <-]].
  case/or3P.
  - by case/allpairsP=> -[i l] /= [/in_range[i' <-] /in_range[l' <-] ->]; exists (A i' l').
  - by case/allpairsP=> -[l j] /= [/in_range[l' <-] /in_range[j' <-] ->]; exists (B l' j').
  case/allpairsP=> -[p l] /= [/allpairsP[[i j] /= [/in_range[i' <-] /in_range[j' <-] ->]] /in_range[l' <-] ->].
  by exists (C i' j' l').
have range r (z : 'I_r) : val z \in iota 0 r by apply/in_range; exists z.
case: v => [i l|l j|i j l]; apply/or3P.
- by constructor 1; apply: (allpairs_f (fun i l => [:: 0; i; l])).
- by constructor 2; apply: (allpairs_f (fun l j => [:: 1; l; j])).
constructor 3; apply: (allpairs_f (fun p l => [:: 2; p.1; p.2; l]) (x := (val i, val j))) => //.
exact: allpairs_f.
Qed.

Definition matmul_named : named G := Named matmul_name_inj matmul_namesP matmul_name_edgeP matmul_name_outputP.

End MatmulNames.

(** Whether a computation has exactly these edges and outputs, and nothing but these vertices. *)
Definition same_graph G (N : named G) (vertices : seq (seq nat)) (edges : seq (seq nat * seq nat)) (outputs : seq (seq nat)) :=
  [&& all (mem vertices) (names N), all (mem (names N)) vertices,
      all (fun u => all (fun v => name_edge N u v == ((u, v) \in edges)) vertices) vertices &
      all (fun v => name_output N v == (v \in outputs)) vertices].

(** Then its vertices are these, in the sense that matters: a bijection that keeps edges and outputs. *)
Theorem same_graphP G (N : named G) vertices edges outputs : same_graph N vertices edges outputs ->
  [/\ injective (name N), forall x, (x \in vertices) <-> exists v, name N v = x,
      forall u v, edge u v = ((name N u, name N v) \in edges) & forall v, output v = (name N v \in outputs)].
Proof.
case/and4P=> /allP le_names /allP ge_names /allP same_edges /allP same_outputs.
have in_vertices v : name N v \in vertices by apply: le_names; apply/name_names; exists v.
split; first exact: name_inj.
- by move=> x; split=> [/ge_names/name_names|[v <-]].
- by move=> u v; rewrite (name_edgeP N) (eqP (allP (same_edges _ (in_vertices u)) _ (in_vertices v))).
by move=> v; rewrite (name_outputP N) (eqP (same_outputs _ (in_vertices v))).
Qed.
