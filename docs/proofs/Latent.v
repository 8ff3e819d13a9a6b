(** * Attention whose keys have two parts

    The computations of docs/latent-attention.md. Of every key and query some words are its own and [r] are rotary; a score is the sum of
    two chains, one over each part. [words] words are kept for a key besides the rotary ones: [score_word] tells which of them the
    scores read, [value_word] which are its value. [token j] is whose rotary words key [j] has.

    Latent attention ([latent]): the [dv] own words are the value too, and every key is a token. Heads that share rotary words
    ([shared_rope]): the value has words of its own, keys of several heads are one token; each query is allowed keys of its head only. *)

From mathcomp Require Import all_ssreflect.
From Pebble Require Import Game Attention.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section TwoParts.

Variables (Nq Nk tokens own r dv words : nat) (stats : bool).
Variables (score_word : 'I_own -> 'I_words) (value_word : 'I_dv -> 'I_words) (token : 'I_Nk -> 'I_tokens).
Variable allowed : 'I_Nq -> 'I_Nk -> bool.

Notation pair := (pair allowed).
Notation query := (query allowed).
Notation key := (key allowed).

(** The tokens of which a key is used. *)
Definition used_token := [finType of {t : 'I_tokens | [exists j : key, token (val j) == t]}].

Inductive two_part_vertex :=
  | QueryOwn of query & 'I_own (* Qc[i,e] *)
  | QueryRotary of query & 'I_r (* Qr[i,r] *)
  | KeyOwn of key & 'I_words (* Kc[j,e]; where heads share rotary words V[j,e] as well *)
  | KeyRotary of used_token & 'I_r (* Kr[j,r] *)
  | ScoreOwn of pair & 'I_own (* S1[i,j,e] *)
  | ScoreRotary of pair & 'I_r (* S2[i,j,r] *)
  | WeightOf of pair (* P[i,j] *)
  | PartialOf of pair & 'I_dv (* U[i,e,j] *)
  | RowSumOf of pair (* l[i,j] *)
  | OutputOf of query & 'I_dv. (* O[i,e] *)

Definition two_part_edge u v :=
  match u, v with
  | QueryOwn i k, ScoreOwn p k' => (i == row p) && (k == k')
  | KeyOwn j w, ScoreOwn p k => (j == column p) && (w == score_word k)
  | ScoreOwn p k, ScoreOwn p' k' => (p == p') && (k.+1 == k' :> nat)
  | ScoreOwn p k, WeightOf p' => (p == p') && (k.+1 == own)
  | QueryRotary i k, ScoreRotary p k' => (i == row p) && (k == k')
  | KeyRotary t k, ScoreRotary p k' => (val t == token (val (column p))) && (k == k')
  | ScoreRotary p k, ScoreRotary p' k' => (p == p') && (k.+1 == k' :> nat)
  | ScoreRotary p k, WeightOf p' => (p == p') && (k.+1 == r)
  | WeightOf p, RowSumOf p' => p == p'
  | RowSumOf p, RowSumOf p' => next_pair p p'
  | WeightOf p, PartialOf p' _ => p == p'
  | KeyOwn j w, PartialOf p e => (j == column p) && (w == value_word e)
  | PartialOf p e, PartialOf p' e' => next_pair p p' && (e == e')
  | PartialOf p e, OutputOf i e' => [&& last_pair p, row p == i & e == e']
  | RowSumOf p, OutputOf i _ => last_pair p && (row p == i)
  | _, _ => false
  end.

Definition two_part_output v :=
  match v with OutputOf _ _ => true | RowSumOf p => stats && last_pair p | _ => false end.

(** That the vertices are finitely many. *)
Definition two_part_code v : query * 'I_own + query * 'I_r + (key * 'I_words + used_token * 'I_r) +
    (pair * 'I_own + pair * 'I_r + pair + pair * 'I_dv) + (pair + query * 'I_dv) :=
  match v with
  | QueryOwn i k => inl (inl (inl (inl (i, k))))
  | QueryRotary i k => inl (inl (inl (inr (i, k))))
  | KeyOwn j w => inl (inl (inr (inl (j, w))))
  | KeyRotary t k => inl (inl (inr (inr (t, k))))
  | ScoreOwn p k => inl (inr (inl (inl (inl (p, k)))))
  | ScoreRotary p k => inl (inr (inl (inl (inr (p, k)))))
  | WeightOf p => inl (inr (inl (inr p)))
  | PartialOf p e => inl (inr (inr (p, e)))
  | RowSumOf p => inr (inl p)
  | OutputOf i e => inr (inr (i, e))
  end.
Definition two_part_decode c :=
  match c with
  | inl (inl (inl (inl (i, k)))) => QueryOwn i k
  | inl (inl (inl (inr (i, k)))) => QueryRotary i k
  | inl (inl (inr (inl (j, w)))) => KeyOwn j w
  | inl (inl (inr (inr (t, k)))) => KeyRotary t k
  | inl (inr (inl (inl (inl (p, k))))) => ScoreOwn p k
  | inl (inr (inl (inl (inr (p, k))))) => ScoreRotary p k
  | inl (inr (inl (inr p))) => WeightOf p
  | inl (inr (inr (p, e))) => PartialOf p e
  | inr (inl p) => RowSumOf p
  | inr (inr (i, e)) => OutputOf i e
  end.
Lemma two_part_codeK : cancel two_part_code two_part_decode. Proof. by case. Qed.
Definition two_part_vertex_eqMixin := CanEqMixin two_part_codeK.
Canonical two_part_vertex_eqType := EqType two_part_vertex two_part_vertex_eqMixin.
Definition two_part_vertex_choiceMixin := CanChoiceMixin two_part_codeK.
Canonical two_part_vertex_choiceType := ChoiceType two_part_vertex two_part_vertex_choiceMixin.
Definition two_part_vertex_countMixin := CanCountMixin two_part_codeK.
Canonical two_part_vertex_countType := CountType two_part_vertex two_part_vertex_countMixin.
Definition two_part_vertex_finMixin := CanFinMixin two_part_codeK.
Canonical two_part_vertex_finType := FinType two_part_vertex two_part_vertex_finMixin.

Definition two_parts := Dag two_part_edge two_part_output.

End TwoParts.

Arguments QueryOwn {Nq Nk tokens own r dv words token allowed}.
Arguments QueryRotary {Nq Nk tokens own r dv words token allowed}.
Arguments KeyOwn {Nq Nk tokens own r dv words token allowed}.
Arguments KeyRotary {Nq Nk tokens own r dv words token allowed}.
Arguments ScoreOwn {Nq Nk tokens own r dv words token allowed}.
Arguments ScoreRotary {Nq Nk tokens own r dv words token allowed}.
Arguments WeightOf {Nq Nk tokens own r dv words token allowed}.
Arguments PartialOf {Nq Nk tokens own r dv words token allowed}.
Arguments RowSumOf {Nq Nk tokens own r dv words token allowed}.
Arguments OutputOf {Nq Nk tokens own r dv words token allowed}.

(** Latent attention: [dv] latent words, which are the value, and [r] rotary ones. *)
Definition latent Nq Nk r dv stats (allowed : 'I_Nq -> 'I_Nk -> bool) :=
  @two_parts Nq Nk Nk dv r dv dv stats id id id allowed.

(** Heads that share rotary words: [own] words of a key are its head's. *)
Definition shared_rope Nq Nk tokens own r dv stats (token : 'I_Nk -> 'I_tokens) (allowed : 'I_Nq -> 'I_Nk -> bool) :=
  @two_parts Nq Nk tokens own r dv (own + dv) stats (@lshift own dv) (@rshift own dv) token allowed.
