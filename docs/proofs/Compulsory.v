(** * The compulsory bound of any computation

    docs/proofs/forward.md, compulsory: every input that an output is made from is loaded, every output that is no input is stored. *)

From mathcomp Require Import all_ssreflect.
From Pebble Require Import Game Times.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Compulsory.

Variables (G : dag) (M : nat) (ms : seq (move G)).

Definition needed_inputs := [set v : vertex G |
  input v && [exists o, [&& output o, ~~ input o & connect (@edge G) v o]]].
Definition made_outputs := [set v : vertex G | output v && ~~ input v].

(** What leads to something red has been red. *)
Lemma leads_red v u t : pebbling M ms -> connect (@edge G) v u -> u \in red_at ms t ->
  exists2 s, s <= t & v \in red_at ms s.
Proof.
move=> legal_ms /connectP[p path_p ->] {u}; elim: p v path_p => [|u p IH] v /=; first by exists t.
case/andP=> edge_vu /IH{}IH /IH[s le_s is_red].
have not_in : ~~ input u by apply/forallPn; exists v; rewrite negbK.
have [s' lt_s comp_s] := red_computed legal_ms not_in is_red.
by exists s'; [apply: leq_trans (ltnW lt_s) le_s|apply: (computed_red legal_ms comp_s edge_vu)].
Qed.

Lemma needed_loaded v : pebbling M ms -> v \in needed_inputs -> exists t, loaded ms t = Some v.
Proof.
move=> legal_ms; rewrite inE => /andP[in_v /existsP[o /and3P[out_o not_in leads_o]]].
have [t _ st_t] := output_stored legal_ms out_o not_in.
have [s _ red_s] := leads_red legal_ms leads_o (stored_red legal_ms st_t).
exact: (input_loaded legal_ms in_v red_s).
Qed.

Lemma loads_inputs : pebbling M ms -> #|needed_inputs| <= loads ms.
Proof.
move=> legal_ms; apply: card_times => v /(needed_loaded legal_ms)[t load_t].
by exists t => //; apply: loaded_size load_t.
Qed.

Theorem compulsory : pebbling M ms -> #|needed_inputs| + #|made_outputs| <= io ms.
Proof.
move=> legal_ms; rewrite io_loads_stores.
exact: leq_add (loads_inputs legal_ms) (stores_outputs legal_ms).
Qed.

End Compulsory.
