(** * D1: what devices must send to each other for the forward pass

    docs/proofs/communication.md, D1. Each product of P[i,j] and V[j,e] is traced to the device that made it for the output. By
    the inequality of Loomis and Whitney a device with many products needs many words; those that it does not own it has received or sent. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game LoomisWhitney Numbers Attention AttentionFacts AttentionCompulsory T1Function T1 Processors ProcessorsTracing.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** The most products that [T] words allow, whatever [dv] is: the whole part of max((T/3)^(3/2), T^2/(16 d)). *)
Definition d1_events d T := maxn (box T) (T ^ 2 %/ (16 * d)).

(** T1's count for a [dv] that never matters. *)
Lemma d1_count d T c r s u v n : 0 < d -> n ^ 2 <= (c + r * s) * u * v -> c + d * (r + s) + u + v <= T -> n <= d1_events d T.
Proof.
move=> d_gt0 le_n le_T; have := @t1_count d (n + d + T) T c r s u v n d_gt0 le_n _ le_T.
rewrite /t1_events /t1_box /t1_wide.
have -> : T <= 3 * (n + d + T) ^ 2 by move: (n + d) => m; clear; nia.
have -> : d <= n + d + T by clear; lia.
apply; case: (posnP (c + r * s)) => [none|some].
  by move: le_n; rewrite none !mul0n leqn0 expn_eq0 => /andP[/eqP -> _].
by apply: leq_trans (leq_pmulr _ some); clear; lia.
Qed.

(** With [n] products there are [t] words or more, by the share [X/Y] of the most that a device has, and [A/B] the words that that takes. *)
Lemma words_for_products d A B X Y n t : A ^ 3 * Y ^ 2 <= 27 * X ^ 2 * B ^ 3 -> A ^ 2 * Y <= 16 * d * X * B ^ 2 ->
  Y * n <= X -> 0 < d -> n <= d1_events d t -> n * (A * Y) <= X * B * t.
Proof.
move=> small large le_X d_gt0; rewrite leq_max => /orP[le_box|].
  have {le_box} le_t : 27 * n ^ 2 <= t ^ 3.
    have := PeanoNat.Nat.sqrt_specif (t ^ 3 %/ 27); rewrite -/(box t) => -[/leP sq _].
    by rewrite mulnC -leq_divRL //; apply: leq_trans sq; rewrite -mulnn leq_mul.
  rewrite -(leq_exp2r _ _ (ltn0Sn 2)); apply: (@leq_trans (n ^ 3 * Y * (27 * X ^ 2 * B ^ 3))).
    by apply: leq_trans (leq_mul (leqnn (n ^ 3 * Y)) small); apply: eq_leq; lia.
  have := leq_mul (leq_mul le_t le_X) (leqnn (X ^ 2 * B ^ 3)); clear; lia.
rewrite leq_divRL ?muln_gt0 // => le_t.
rewrite -(leq_exp2r _ _ (ltn0Sn 1)); apply: (@leq_trans (n ^ 2 * Y * (16 * d * X * B ^ 2))).
  by apply: leq_trans (leq_mul (leqnn (n ^ 2 * Y)) large); apply: eq_leq; lia.
have := leq_mul (leq_mul le_t le_X) (leqnn (X * B ^ 2)); clear; lia.
Qed.

(** The same for a device that has a share or more. *)
Lemma words_of_share d A B w P n t : A ^ 3 * P ^ 2 <= 27 * w ^ 2 * B ^ 3 -> A ^ 2 * P <= 16 * d * w * B ^ 2 ->
  w <= P * n -> 0 < d -> 0 < P -> n <= d1_events d t -> A <= B * t.
Proof.
move=> small large le_w d_gt0 P_gt0; rewrite leq_max => /orP[le_box|].
  have {le_box} le_t : 27 * n ^ 2 <= t ^ 3.
    have := PeanoNat.Nat.sqrt_specif (t ^ 3 %/ 27); rewrite -/(box t) => -[/leP sq _].
    by rewrite mulnC -leq_divRL //; apply: leq_trans sq; rewrite -mulnn leq_mul.
  have P2_gt0 : 0 < P ^ 2 by rewrite expn_gt0 P_gt0.
  rewrite -(leq_exp2r _ _ (ltn0Sn 2)) -(leq_pmul2r P2_gt0); apply: leq_trans small _.
  have := leq_mul (leq_mul le_t (leqnn (P ^ 2))) (leqnn (B ^ 3)).
  have := leq_mul (leqnn (27 * B ^ 3)) (leq_mul le_w le_w); clear; lia.
rewrite leq_divRL ?muln_gt0 // => le_t.
rewrite -(leq_exp2r _ _ (ltn0Sn 1)) -(leq_pmul2r P_gt0); apply: leq_trans large _.
have := leq_mul (leq_mul le_t (leqnn P)) (leqnn (B ^ 2)).
have := leq_mul (leqnn (16 * d * B ^ 2)) le_w; clear; lia.
Qed.

Section D1.

Variables (Nq Nk d dv P : nat) (stats : bool) (allowed : 'I_Nq -> 'I_Nk -> bool).
Variables (free_S free_l free_U : bool).

Notation pair := (pair allowed).
Notation query := (query allowed).
Notation key := (key allowed).
Notation G := (attention d dv stats allowed).
Notation device := 'I_P.

(** The sums of S, of l and of U are each taken in any order, or in that of the DAG. *)
Notation attention_free := (@attention_free Nq Nk d dv stats allowed free_S free_l free_U).

(** Q, K, V and O. *)
Definition operand_or_result (v : vertex G) :=
  match v with Query _ _ | Key _ _ | Value _ _ | Output _ _ => true | _ => false end.

Variables (owner : vertex G -> device) (H M : option nat).

(** So many words of Q, K, V and O a device owns; so many products of P and V it makes, each counted once. *)
Definition owned q := #|[set v | operand_or_result v & owner v == q]|.
Definition products_made (ms : seq (move G P)) q := #|[set x : pair * 'I_dv | computes ms q (Partial d x.1 x.2)]|.

Notation sum := (sum attention_free).

Lemma free_eq u v w : attention_free u v -> attention_free w u = attention_free w v.
Proof.
case: u v => [i k|j k|j e|p k|p|p e|p|i e] [i' k'|j' k'|j' e'|p' k'|p'|p' e'|p'|i' e'] //=.
- by case/andP=> _ /eqP ->.
- by case/and3P=> _ /eqP eq_row /eqP ->; case: w => //= q e''; rewrite eq_row.
by case/andP=> _ /eqP eq_row; case: w => //= q; rewrite eq_row.
Qed.

Lemma free_sym u v : attention_free u v = attention_free v u.
Proof.
case: u v => [i k|j k|j e|p k|p|p e|p|i e] [i' k'|j' k'|j' e'|p' k'|p'|p' e'|p'|i' e'] //=.
- by rewrite eq_sym.
- by rewrite [row p == _]eq_sym [e == _]eq_sym.
by rewrite eq_sym.
Qed.

Lemma sum_eq u v : u \in sum v -> sum u = sum v.
Proof.
rewrite inE => /orP[/eqP -> //|free_uv]; apply/setP => w; rewrite !inE (free_eq w free_uv).
apply/orP/orP => -[/eqP ->|->]; right=> //.
by rewrite -(free_eq v free_uv) free_sym.
Qed.

Lemma sum_input v : input v -> sum v = [set v].
Proof.
move=> in_v; apply/setP => u; rewrite !inE; case: (eqVneq u v) => //= _; apply/negbTE.
suff {u} no_sum : ~~ attention_free v v by apply: contra no_sum => free_uv; rewrite -(free_eq v free_uv) free_sym.
have by_edge u : edge u v -> ~~ input v by move=> edge_uv; apply/forallPn; exists u; rewrite negbK.
case: v in_v by_edge => //= [p k|p e|p] in_v by_edge.
- by move: (by_edge (Query _ (row p) k)); rewrite in_v /= !eqxx => /(_ isT).
- by move: (by_edge (Weight _ _ p)); rewrite in_v /= !eqxx => /(_ isT).
by move: (by_edge (Weight _ _ p)); rewrite in_v /= !eqxx => /(_ isT).
Qed.

(** What a word counts as: a part of S, S or P as the pair, a partial sum U or an output as the element of the output. *)
Definition last_in (i : query) : pair := xchoose (last_pair_of i).
Definition item (v : vertex G) : vertex G :=
  match v with
  | Score p _ => Weight _ _ p
  | Partial p e => Partial d (last_in (row p)) e
  | RowSum p => RowSum _ _ (last_in (row p))
  | Output i e => Partial d (last_in i) e
  | _ => v
  end.

Lemma row_last_in i : row (last_in i) = i.
Proof. by have /andP[/eqP] := xchooseP (last_pair_of i). Qed.

Lemma item_sum u v : u \in sum v -> item u = item v.
Proof.
rewrite inE => /orP[/eqP -> //|].
case: u v => [i k|j k|j e|p k|p|p e|p|i e] [i' k'|j' k'|j' e'|p' k'|p'|p' e'|p'|i' e'] //=.
- by case/andP=> _ /eqP ->.
- by case/and3P=> _ /eqP -> /eqP ->.
by case/andP=> _ /eqP ->.
Qed.

Section Run.

Variable ms : seq (move G P).
Hypothesis run_ms : run attention_free owner H M ms.

Notation copy := (copy attention_free owner ms).
Notation made := (made attention_free owner ms).
Notation traced := (traced sum_input).
Notation local := (local sum_input).

Lemma made_op q u v : made q v -> edge u v -> u \notin sum v -> copy q (sum u).
Proof. by case=> r w _ _; apply. Qed.

Lemma made_input q v : made q v -> ~~ input v.
Proof. by case. Qed.

Lemma in_sum v : v \in sum v.
Proof. by rewrite inE eqxx. Qed.

(** What is charged, and to whom: a word of Q, K, V or of a pair to the receiver, one of an element of the output to the sender. *)
Definition bearer (a : word G * device * device) (v : vertex G) := if v is Partial _ _ then a.1.2 else a.2.
Definition charge a v q :=
  [&& is_sent ms a, a.1.1 != set0, [forall t, (t \in a.1.1) ==> (item t == v)] & bearer a v == q].

(** The words that count for a device. *)
Definition words q := item @: [set v | operand_or_result v & owner v == q] :|: [set v | [exists a, charge a v q]].

Lemma sent_charged w p q t : is_sent ms (w, p, q) -> copy p w -> t \in w ->
  item t \in words (bearer (w, p, q) (item t)).
Proof.
move=> sent_w copy_w in_w; rewrite inE; apply/orP; right; rewrite inE; apply/existsP; exists (w, p, q).
rewrite /charge sent_w eqxx andbT /=; apply/andP; split; first by apply/set0Pn; exists t.
by apply/forallP => u; apply/implyP => in_u; rewrite (item_sum (subsetP (copy_sum sum_eq copy_w in_w) u in_u)).
Qed.

(** Words that count for all devices, and for one. *)
Lemma sum_words : \sum_q #|words q| <= \sum_q owned q + words_sent ms.
Proof.
apply: leq_trans (_ : \sum_q (owned q + #|[set v | [exists a, charge a v q]]|) <= _).
  apply: leq_sum => q _; apply: leq_trans (leq_card_setU _ _) _; rewrite leq_add2r; exact: leq_imset_card.
rewrite big_split leq_add2l; apply: leq_trans (card_sent ms).
pose Z := [set x : device * vertex G | [exists a, charge a x.2 x.1]].
have -> : \sum_q #|[set v | [exists a, charge a v q]]| = #|Z|.
  by rewrite card_rows; apply: eq_bigr => q _; apply: eq_card => v; rewrite !inE.
pose g (a : word G * device * device) := omap (fun t => (bearer a (item t), item t)) [pick t in a.1.1].
rewrite -(card_imset Z (@Some_inj _)); apply: leq_trans (leq_imset_card g _).
apply/subset_leq_card/subsetP => _ /imsetP[[q v] in_Z ->].
move: in_Z; rewrite inE /= => /existsP[a /and4P[sent_a /set0Pn[t in_t] /forallP items /eqP <-]].
apply/imsetP; exists a; first by rewrite inE.
rewrite /g; case: pickP => [u in_u|/(_ t)]; last by rewrite in_t.
by have := items u; rewrite in_u /= => /eqP ->.
Qed.

Lemma words_of q : #|words q| <= owned q + (received_by q ms + sent_by q ms).
Proof.
apply: leq_trans (leq_card_setU _ _) _; apply: leq_add; first exact: leq_imset_card.
apply: leq_trans (card_of ms q).
pose g (a : word G * device * device) := omap item [pick t in a.1.1].
rewrite -(card_imset _ (@Some_inj _)); apply: leq_trans (leq_imset_card g _).
apply/subset_leq_card/subsetP => _ /imsetP[v in_Z ->].
move: in_Z; rewrite inE => /existsP[a /and4P[sent_a /set0Pn[t in_t] /forallP items of_q]].
apply/imsetP; exists a.
  by rewrite inE sent_a /=; move: of_q; rewrite /bearer; case: v items => * ; apply/orP; auto.
rewrite /g; case: pickP => [u in_u|/(_ t)]; last by rewrite in_t.
by have := items u; rewrite in_u /= => /eqP ->.
Qed.

(** Inputs that are read. *)
Lemma input_counts q v : input v -> operand_or_result v -> item v = v -> (if v is Partial _ _ then false else true) ->
  copy q (sum v) -> v \in words q.
Proof.
move=> in_v kind item_v no_partial copy_v; case: (local copy_v (in_sum v)) => [/made_input|[_ <-]|[w [p [in_w copy_w sent_w]]]].
- by rewrite in_v.
- by rewrite inE -{1}item_v imset_f // inE kind eqxx.
by have := sent_charged sent_w copy_w in_w; rewrite item_v; case: (v) no_partial.
Qed.

(** A weight: that of a pair of which a word was received, or of one whose rows of Q and K are at hand. *)
Lemma weight_counts q p : copy q (sum (Weight _ _ p)) -> (row p, column p) \in served (words q).
Proof.
move=> copy_p; rewrite inE; case: (boolP (Weight _ _ p \in words q)) => [in_p|far].
  by rewrite imset_f // inE in_p.
apply/orP; right.
have made_here t : item t = Weight _ _ p -> ~~ input t -> copy q (sum t) -> made q t.
  move=> item_t not_in copy_t; case: (local copy_t (in_sum t)) => [//|[]|[w [r [in_w copy_w sent_w]]]]; first by rewrite (negbTE not_in).
  by have := sent_charged sent_w copy_w in_w; rewrite item_t /= (negbTE far).
have back u v : item v = Weight _ _ p -> copy q (sum v) -> edge u v -> copy q (sum u).
  move=> item_v copy_v edge_uv; case: (boolP (u \in sum v)) => [/sum_eq -> //|].
  by apply: made_op (edge_uv); apply: made_here => //; apply/forallPn; exists u; rewrite negbK.
have scores k : copy q (sum (Score _ p k)).
  have [n le_n] := ubnP (d - k); elim: n k le_n => // n IH k le_n.
  case: (eqVneq k.+1 d) => [last_k|ne_k].
    by apply: (back _ (Weight _ _ p)) => //=; rewrite eqxx last_k eqxx.
  have lt_k : k.+1 < d by rewrite ltn_neqAle ne_k ltn_ord.
  apply: (back _ (Score _ p (Ordinal lt_k))) => //=; last by rewrite !eqxx.
  by apply: IH; move: (ltn_ord k) le_n; clear; rewrite /=; lia.
rewrite inE /=; apply/andP; split; rewrite inE; apply/forallP => k; apply: input_counts => //.
- by apply/forallP => -[].
- by apply: (back _ (Score _ p k)) => //=; rewrite !eqxx.
- by apply/forallP => -[].
by apply: (back _ (Score _ p k)) => //=; rewrite !eqxx.
Qed.

(** From the output back to each of its products. *)
Lemma follow q t p e : item t = Partial d p e -> ~~ input t -> copy q (sum t) -> item t \in words q ->
  exists2 r, made r t & item t \in words r.
Proof.
move=> item_t not_in copy_t in_q; have [r made_t [eq_r|[w [s [in_w copy_w sent_w]]]]] := traced copy_t (in_sum t) not_in.
  by exists r => //; rewrite eq_r.
exists r => //; have := sent_charged sent_w copy_w in_w; by rewrite item_t.
Qed.

Lemma back_to q u v p e : item v = Partial d p e -> edge u v -> copy q (sum v) -> item v \in words q ->
  exists2 r, copy r (sum u) & item v \in words r.
Proof.
move=> item_v edge_uv copy_v in_q; case: (boolP (u \in sum v)) => [/sum_eq ->|far]; first by exists q.
have not_in : ~~ input v by apply/forallPn; exists u; rewrite negbK.
by have [r made_v in_r] := follow item_v not_in copy_v in_q; exists r => //; apply: made_op far.
Qed.

Lemma product_traced (x : pair * 'I_dv) : exists2 q, made q (Partial d x.1 x.2) & Partial d (last_in (row x.1)) x.2 \in words q.
Proof.
case: x => p e /=; suff [q copy_p in_q] : exists2 q, copy q (sum (Partial d p e)) & item (Partial d p e) \in words q.
  have not_in : ~~ input (Partial d p e : vertex G) by apply/forallPn; exists (Weight _ _ p); rewrite negbK /= eqxx.
  exact: (follow (erefl (item (Partial d p e))) not_in copy_p in_q).
have [n le_n] := ubnP (Nk - place p); elim: n p le_n => // n IH p le_n.
case: (pickP (next_pair p)) => [p' next_p|none].
  have /and3P[/eqP row_p lt_p _] := next_p; have lt_Nk : place p' < Nk by apply: ltn_ord.
  have [|q copy_q in_q] := IH p'; first by move: (place p) (place p') le_n lt_p lt_Nk; clear; lia.
  rewrite /= row_p; apply: back_to in_q => //; by rewrite //= next_p eqxx.
have last_p : last_pair p by apply: next_or_last => p'; rewrite none.
have copy_o := output_copy run_ms (isT : output (Output d (row p) e : vertex G)).
apply: (@back_to _ _ (Output d (row p) e)) copy_o _ => //=; first by rewrite last_p !eqxx.
rewrite inE; apply/orP; left; apply/imsetP; exists (Output d (row p) e) => //; by rewrite inE /= eqxx.
Qed.

Theorem D1_shares : 0 < d -> exists (at_device : pair * 'I_dv -> device) (T : device -> nat),
  [/\ forall x, computes ms (at_device x) (Partial d x.1 x.2),
      forall q, #|[set x | at_device x == q]| <= d1_events d (T q),
      forall q, T q <= owned q + (received_by q ms + sent_by q ms) &
      \sum_q T q <= \sum_q owned q + words_sent ms].
Proof.
move=> d_gt0; have [at_device at_made at_words] := fin_all_exists2 product_traced.
exists at_device, (fun q => #|words q|); split=> [x|q|q|]; [by have [] := at_made x| |exact: words_of|exact: sum_words].
set D := [set x | _]; pose triple (x : pair * 'I_dv) := (row x.1, column x.1, x.2).
have triple_inj : injective triple.
  move=> x y eq_t; have eq_row : row x.1 = row y.1 := congr1 (fun t => t.1.1) eq_t.
  have eq_e : x.2 = y.2 := congr1 snd eq_t.
  rewrite (surjective_pairing x) (surjective_pairing y) eq_e; congr (_, _); apply: pair_eq => //.
  by rewrite /place (congr1 (fun t => t.1.2) eq_t : column x.1 = column y.1).
have counted : #|D| ^ 2 <= (#|charged (words q)| + #|whole_queries (words q)| * #|whole_keys (words q)|) *
    #|output_words (words q)| * #|value_words (words q)|.
  rewrite -(card_imset _ triple_inj); have le_served := card_served (words q).
  apply: (@leq_trans (#|served (words q)| * #|output_words (words q)| * #|value_words (words q)|)); last by rewrite -!mulnA leq_mul2r le_served orbT.
  apply: loomis_whitney => i j e /imsetP[x]; rewrite inE => /eqP at_x eq_t; have made_x := at_made x; have in_x := at_words x; rewrite at_x in made_x in_x.
  - rewrite (congr1 (fun t => t.1.1) eq_t : i = row x.1) (congr1 (fun t => t.1.2) eq_t : j = column x.1).
    by apply: weight_counts; apply: made_op made_x _ _; rewrite ?inE //= eqxx.
  - rewrite (congr1 (fun t => t.1.1) eq_t : i = row x.1) (congr1 snd eq_t : e = x.2) inE.
    by apply/existsP; exists (last_in (row x.1)); rewrite row_last_in eqxx.
  rewrite (congr1 (fun t => t.1.2) eq_t : j = column x.1) (congr1 snd eq_t : e = x.2) inE.
  apply: input_counts => //; first by apply/forallP => -[].
  by apply: made_op made_x _ _; rewrite ?inE //= !eqxx.
apply: d1_count d_gt0 counted _; apply: leq_trans (card_kinds (words q)).
have := card_whole_queries (words q); have := card_whole_keys (words q); clear; lia.
Qed.

Lemma sum_owned : \sum_q owned q <= (#|query| + #|key|) * (d + dv).
Proof.
pose f (x : query * 'I_d + key * 'I_d + key * 'I_dv + query * 'I_dv) : vertex G :=
  match x with
  | inl (inl (inl y)) => Query _ y.1 y.2 | inl (inl (inr y)) => Key _ y.1 y.2
  | inl (inr y) => Value _ y.1 y.2 | inr y => Output _ y.1 y.2
  end.
have -> : \sum_q owned q = #|[set v | operand_or_result v]|.
  rewrite -sum1_card (partition_big owner xpredT) //=; apply: eq_bigr => q _.
  by rewrite sum1dep_card; apply: eq_card => v; rewrite !inE.
have -> : (#|query| + #|key|) * (d + dv) = #|[finType of query * 'I_d + key * 'I_d + key * 'I_dv + query * 'I_dv]|.
  by rewrite !card_sum !card_prod !card_ord; clear; lia.
rewrite -cardsT; apply: leq_trans (leq_imset_card f _).
apply/subset_leq_card/subsetP => v; rewrite inE; case: v => // i k _; apply/imsetP.
- by exists (inl (inl (inl (i, k)))).
- by exists (inl (inl (inr (i, k)))).
- by exists (inl (inr (i, k))).
by exists (inr (i, k)).
Qed.

(** There is a tracing of the products, each to a device that made it, with: if no device is traced more than [X/Y] of them, and [A/B] is
    at most G(X/Y), then (w Y/X) A/B <= W + the words of Q, K, V and O. *)
Theorem D1 : 0 < d -> exists2 at_device : pair * 'I_dv -> device,
  (forall x, computes ms (at_device x) (Partial d x.1 x.2)) &
  forall A B X Y, (forall q, Y * #|[set x | at_device x == q]| <= X) ->
  A ^ 3 * Y ^ 2 <= 27 * X ^ 2 * B ^ 3 -> A ^ 2 * Y <= 16 * d * X * B ^ 2 ->
  #|pair| * dv * (A * Y) <= X * B * (words_sent ms + (#|query| + #|key|) * (d + dv)).
Proof.
move=> d_gt0; have [at_device [T [made_at enough _ le_T]]] := D1_shares d_gt0; exists at_device => // A B X Y most small large.
apply: (@leq_trans (X * B * \sum_q T q)); last first.
  by rewrite leq_mul2l addnC (leq_trans le_T) ?orbT // leq_add2r sum_owned.
have -> : #|pair| * dv = \sum_q #|[set x | at_device x == q]|.
  rewrite -[dv in LHS]card_ord -card_prod -sum1_card (partition_big at_device xpredT) //=.
  by apply: eq_bigr => q _; rewrite sum1dep_card.
rewrite big_distrl big_distrr /=; apply: leq_sum => q _.
exact: words_for_products small large (most q) d_gt0 (enough q).
Qed.

(** So if no device makes more than [X/Y] of the products. *)
Theorem D1_made A B X Y : 0 < d -> (forall q, Y * products_made ms q <= X) ->
  A ^ 3 * Y ^ 2 <= 27 * X ^ 2 * B ^ 3 -> A ^ 2 * Y <= 16 * d * X * B ^ 2 ->
  #|pair| * dv * (A * Y) <= X * B * (words_sent ms + (#|query| + #|key|) * (d + dv)).
Proof.
move=> d_gt0 most; have [at_device made_at bound] := D1 d_gt0; apply: bound => q.
apply: leq_trans (most q); rewrite leq_mul2l; apply/orP; right; apply/subset_leq_card/subsetP => x.
by rewrite !inE => /eqP <-.
Qed.

(** However the products are shared, if [A/B] is at most G(w/P), then some device receives, sends and owns as many words. *)
Theorem D1_busiest : 0 < d -> 0 < P -> exists q, forall A B,
  A ^ 3 * P ^ 2 <= 27 * (#|pair| * dv) ^ 2 * B ^ 3 -> A ^ 2 * P <= 16 * d * (#|pair| * dv) * B ^ 2 ->
  A <= B * (owned q + (received_by q ms + sent_by q ms)).
Proof.
move=> d_gt0 P_gt0; have [at_device [T [_ enough le_T _]]] := D1_shares d_gt0.
have total : #|pair| * dv = \sum_q #|[set x | at_device x == q]|.
  rewrite -[dv in LHS]card_ord -card_prod -sum1_card (partition_big at_device xpredT) //=.
  by apply: eq_bigr => q _; rewrite sum1dep_card.
have [q _ greatest] := arg_maxnP (fun q => #|[set x | at_device x == q]|) (isT : xpredT (Ordinal P_gt0)).
exists q => A B small large; apply: leq_trans (_ : B * T q <= _); last by rewrite leq_mul2l le_T orbT.
apply: words_of_share small large _ d_gt0 P_gt0 (enough q).
rewrite total -[P in P * _]card_ord -sum_nat_const; apply: leq_sum => r _; exact: greatest.
Qed.

End Run.

End D1.
