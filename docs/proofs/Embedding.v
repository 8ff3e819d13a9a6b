(** * Computations inside of others

    docs/proofs/softmax.md, the deletion lemma: leave vertices out, and from a pebbling of what was there erase all moves on them: what
    is left is a pebbling. Every input and every output that was left out has cost a word. *)

From mathcomp Require Import all_ssreflect.
From Pebble Require Import Game Times Compulsory Images.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Embedding.

Variables (G' G : dag) (f : vertex G' -> vertex G).

(** [G'] is a part of [G]: its vertices are some of those of [G], its edges and outputs too, and it has no new inputs. *)
Definition embedding := [/\ injective f,
  forall p v, edge p v -> edge (f p) (f v),
  forall v, input v -> input (f v) &
  forall v, output v -> output (f v)].

Definition back v := [pick v' | f v' == v].

Lemma back_some v v' : back v = Some v' -> v = f v'.
Proof. by rewrite /back; case: pickP => // u /eqP <- [->]. Qed.

(** What was left out and cost a word. *)
Definition left_out := [set v : vertex G | (v \in needed_inputs G :|: made_outputs G) && (back v == None)].

Hypothesis embedded : embedding.

Lemma backK v' : back (f v') = Some v'.
Proof. by case: embedded => f_inj _ _ _; rewrite /back; case: pickP => [u /eqP/f_inj -> //|/(_ v')]; rewrite eqxx. Qed.

Lemma input_embedded v : input (f v) = input v.
Proof.
case: embedded => _ f_edge in_in _; apply/idP/idP => [/forallP no_edge|]; last exact: in_in.
by apply/forallP => p; apply: contra (no_edge (f p)); apply: f_edge.
Qed.

Lemma embedding_image : image back.
Proof.
case: embedded => _ f_edge _ out_out; split=> [v v' in_v /back_some eq_v|v' out_v|v v' not_in /back_some eq_v].
- by rewrite -input_embedded -eq_v.
- by exists (f v'); [apply: out_out|apply: backK].
right; rewrite -input_embedded -eq_v; split=> // p' edge_p.
by exists (f p'); [rewrite eq_v; apply: f_edge|apply: backK].
Qed.

(** A bound of the part is one of the whole. *)
Theorem embedding_bound M (ms : seq (move G)) :
  pebbling M ms -> exists2 ms' : seq (move G'), pebbling M ms' & io ms' + #|left_out| <= io ms.
Proof.
move=> legal_ms; have [ms' legal' le_io] := image_bound embedding_image legal_ms; exists ms' => //.
apply: leq_trans (io_others (fun v => back v) legal_ms); apply: leq_add le_io _.
by apply/subset_leq_card/subsetP => v; rewrite !inE => /andP[-> /eqP ->].
Qed.

End Embedding.
