(** * Printed numbers as theorems: heads that share rotary words

    As Certificate.v. Statements are about every mask with so many heads, each of which has so many pairs, queries and keys, and about no mask
    as well, which is one of them. *)

From Coq Require Import NArith Lia.
From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Attention T1 Latent SharedRope WithoutRope Certificate CopiesCertificate.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** ** Statements: [d] words of a key, [r] of which all heads share *)

(** What a mask of several heads is, and how many pairs, queries and keys each head has; a token for each key of a head. *)
Definition heads_alike (heads pairs queries keys : N) Nq Nk tokens (token : 'I_Nk -> 'I_tokens) (allowed : 'I_Nq -> 'I_Nk -> bool)
    (query_head : 'I_Nq -> 'I_(N.to_nat heads)) (key_head : 'I_Nk -> 'I_(N.to_nat heads)) :=
  [/\ mask_of_heads token allowed query_head key_head,
      forall h, #|pair (head_mask allowed query_head h)| = N.to_nat pairs,
      forall h, #|query (head_mask allowed query_head h)| = N.to_nat queries,
      forall h, #|key (head_mask allowed query_head h)| = N.to_nat keys & #|used_token token allowed| = N.to_nat keys].

Definition shared_rope_costs (heads pairs queries keys d dv r : N) (stats : bool) (M words : N) : Prop :=
  forall Nq Nk tokens (token : 'I_Nk -> 'I_tokens) (allowed : 'I_Nq -> 'I_Nk -> bool) query_head key_head,
  heads_alike pairs queries keys token allowed query_head (key_head : 'I_Nk -> 'I_(N.to_nat heads)) ->
  forall ms : seq (move (shared_rope (N.to_nat (d - r)) (N.to_nat r) (N.to_nat dv) stats token allowed)),
  pebbling (N.to_nat M) ms -> (words <= N.of_nat (io ms))%num.

(** Of several copies. *)
Definition shared_rope_copies_cost (n heads pairs queries keys d dv r : N) (stats : bool) (M words : N) : Prop :=
  forall Nq Nk tokens (token : 'I_Nk -> 'I_tokens) (allowed : 'I_Nq -> 'I_Nk -> bool) query_head key_head,
  heads_alike pairs queries keys token allowed query_head (key_head : 'I_Nk -> 'I_(N.to_nat heads)) ->
  copies_cost n (shared_rope (N.to_nat (d - r)) (N.to_nat r) (N.to_nat dv) stats token allowed) M words.

(** ** Tests *)

Section Tests.
Local Open Scope N_scope.

Definition t1_rope_test (heads pairs queries d dv r : N) stats (M h T words : N) :=
  (r <=? d) && t1_test (heads * pairs) (heads * queries) d dv stats M h T words.

Definition compulsory_rope_test (heads queries keys d dv r : N) stats (words : N) :=
  [&& 0 <? dv, r <=? d & words <=? heads * queries * d + heads * keys * (d - r + dv) + keys * r + heads * queries * dv + flag stats * (heads * queries)].

Definition without_rope_test (heads queries keys d dv r one words : N) :=
  [&& 0 <? dv, r <? d & words <=? heads * one + (heads * queries + keys) * r].

End Tests.

(** ** All heads together *)

Section Heads.

Variables (Nq Nk tokens heads : nat) (token : 'I_Nk -> 'I_tokens) (allowed : 'I_Nq -> 'I_Nk -> bool).
Variables (query_head : 'I_Nq -> 'I_heads) (key_head : 'I_Nk -> 'I_heads).
Hypothesis of_heads : mask_of_heads token allowed query_head key_head.
Notation head h := (head_mask allowed query_head h).

Lemma card_by_head (X : finType) (P : pred X) (Q : 'I_heads -> pred X) (f : X -> 'I_heads) n :
  (forall h x, Q h x = P x && (f x == h)) -> (forall h, #|{: {x | Q h x}}| = n) -> #|{: {x | P x}}| = heads * n.
Proof.
move=> Q_P alike; rewrite card_sig -sum1_card (partition_big f predT) //=.
rewrite (eq_bigr (fun=> n)) ?sum_nat_const ?card_ord // => h _; rewrite -(alike h) card_sig -sum1_card.
by apply: eq_bigl => x; rewrite !inE Q_P.
Qed.

Lemma card_head_pairs n : (forall h, #|pair (head h)| = n) -> #|pair allowed| = heads * n.
Proof. exact: (@card_by_head _ _ _ (fun p => query_head p.1)). Qed.

Lemma card_head_queries n : (forall h, #|query (head h)| = n) -> #|query allowed| = heads * n.
Proof.
apply: (@card_by_head _ _ _ query_head) => h i; apply/existsP/andP => [[j /andP[in_ij head_i]]|[/existsP[j in_ij] head_i]].
  by split=> //; apply/existsP; exists j.
by exists j; rewrite /head_mask in_ij.
Qed.

Lemma card_head_keys n : (forall h, #|key (head h)| = n) -> #|key allowed| = heads * n.
Proof.
have [same _] := of_heads.
apply: (@card_by_head _ _ _ key_head) => h j; apply/existsP/andP => [[i /andP[in_ij head_i]]|[/existsP[i in_ij] head_j]].
  by split; [apply/existsP; exists i|rewrite -(same _ _ in_ij)].
by exists i; rewrite /head_mask in_ij (same _ _ in_ij).
Qed.

End Heads.

(** ** From tests to statements *)

Section Statements.

Variables (heads pairs queries keys d dv r : N) (stats : bool) (M words : N).

Theorem t1_shared_rope h T : t1_rope_test heads pairs queries d dv r stats M h T words ->
  shared_rope_costs heads pairs queries keys d dv r stats M words.
Proof.
case/andP=> /N.leb_le le_r /and3P[/N.ltb_lt d_gt0 /(t1_le d_gt0) le_F /cut_testP[h_gt0 many le_words]].
move=> Nq Nk tokens token allowed qh kh [of_heads eq_pairs eq_queries _ _] ms legal_ms; apply: le_io.
have eq_d : N.to_nat (d - r) + N.to_nat r = N.to_nat d by lia.
have := T1_shared of_heads legal_ms (h := N.to_nat h) (T := N.to_nat T).
rewrite eq_d (card_head_pairs eq_pairs) (card_head_queries eq_queries).
have d_gt0' : 0 < N.to_nat d by lia.
rewrite !N2Nat.inj_mul in many; move=> /(_ d_gt0' h_gt0 (fewer le_F many)).
by move: le_words; rewrite flagE N2Nat.inj_mul; clear; lia.
Qed.

Theorem compulsory_shared_rope : compulsory_rope_test heads queries keys d dv r stats words ->
  shared_rope_costs heads pairs queries keys d dv r stats M words.
Proof.
case/and3P=> /N.ltb_lt dv_gt0 /N.leb_le le_r /N.leb_le le_words.
move=> Nq Nk tokens token allowed qh kh [of_heads _ eq_queries eq_keys eq_used] ms legal_ms; apply: le_io.
have dv_gt0' : 0 < N.to_nat dv by lia.
have eq_d : N.to_nat (d - r) + N.to_nat r = N.to_nat d by lia.
have := shared_rope_compulsory dv_gt0' legal_ms.
rewrite eq_d eq_used (card_head_queries eq_queries) (card_head_keys of_heads eq_keys).
have eq_stats : N.to_nat (flag stats * (heads * queries)) = stats * (N.to_nat heads * N.to_nat queries) by rewrite flagE N2Nat.inj_mul.
rewrite -eq_stats; move: le_words; move: (flag stats * (heads * queries))%num (d - r)%num (io ms) => more own cost.
by clear; lia.
Qed.

Theorem without_rope_of_head one : without_rope_test heads queries keys d dv r one words ->
  masked_forward_costs pairs queries keys (d - r) dv stats M one -> shared_rope_costs heads pairs queries keys d dv r stats M words.
Proof.
case/and3P=> /N.ltb_lt dv_gt0 /N.ltb_lt lt_r /N.leb_le le_words costs.
move=> Nq Nk tokens token allowed qh kh [of_heads eq_pairs eq_queries eq_keys eq_used] ms legal_ms; apply: le_io.
have dv_gt0' : 0 < N.to_nat dv by lia.
have own_gt0 : 0 < N.to_nat (d - r) by lia.
have one_head h (ms' : seq (move (attention (N.to_nat (d - r)) (N.to_nat dv) stats (head_mask allowed qh h)))) :
    pebbling (N.to_nat M) ms' -> N.to_nat one <= io ms'.
  by move/(costs _ _ _ (eq_pairs h) (eq_queries h) (eq_keys h)); lia.
have := without_rope of_heads own_gt0 dv_gt0' one_head legal_ms.
rewrite sum_nat_const card_ord eq_used (card_head_queries eq_queries).
by move: le_words; clear; lia.
Qed.

Theorem copies_shared_rope n one : (words <=? n * one)%num -> shared_rope_costs heads pairs queries keys d dv r stats M one ->
  shared_rope_copies_cost n heads pairs queries keys d dv r stats M words.
Proof.
by move=> test costs Nq Nk tokens token allowed qh kh alike; apply: (copies_of_one test); apply: (costs _ _ _ _ _ _ _ alike).
Qed.

End Statements.
