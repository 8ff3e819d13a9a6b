(** * The compulsory bound of any computation

    docs/bounds.md, compulsory: every input that an output is made from is loaded, every output that is no input is stored. *)

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

Lemma path_red v p : pebbling M ms -> path (@edge G) v p -> (exists t, last v p \in red_at ms t) ->
  exists t, v \in red_at ms t.
Proof.
move=> legal_ms; elim: p v => //= u p IH v /andP[edge_vu /IH{IH} red_u] /red_u[t is_red].
have not_in : ~~ input u by apply/forallPn; exists v; rewrite negbK.
have [s _ comp_s] := red_computed legal_ms not_in is_red.
by exists s; apply: (computed_red legal_ms comp_s edge_vu).
Qed.

Lemma loads_inputs : pebbling M ms -> #|needed_inputs| <= loads ms.
Proof.
move=> legal_ms; apply: card_times => v; rewrite inE => /andP[in_v /existsP[o /and3P[out_o not_in /connectP[p path_p last_p]]]].
have [t _ st_t] := output_stored legal_ms out_o not_in.
have [s red_s] : exists s, v \in red_at ms s.
  by apply: (path_red legal_ms path_p); exists t => //; rewrite -last_p; apply: (stored_red legal_ms).
have [s' load_s] := input_loaded legal_ms in_v red_s.
by exists s' => //; apply: loaded_size load_s.
Qed.

Theorem compulsory : pebbling M ms -> #|needed_inputs| + #|made_outputs| <= io ms.
Proof.
move=> legal_ms; rewrite io_loads_stores.
exact: leq_add (loads_inputs legal_ms) (stores_outputs legal_ms).
Qed.

End Compulsory.
