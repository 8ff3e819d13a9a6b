(** * Computations inside of others

    docs/bounds-softmax.md, the deletion lemma: leave vertices out, and from a pebbling of what was there erase all moves on them: what
    is left is a pebbling. Every input and every output that was left out has cost a word. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Compulsory.

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

Hypothesis embedded : embedding.

Let f_inj : injective f. Proof. by case: embedded. Qed.
Let f_edge p v : edge p v -> edge (f p) (f v). Proof. by case: embedded => _ H _ _; apply: H. Qed.

Lemma input_embedded v : input (f v) = input v.
Proof.
case: embedded => _ _ in_in _; apply/idP/idP => [/forallP no_edge|]; last exact: in_in.
by apply/forallP => p; apply: contra (no_edge (f p)); apply: f_edge.
Qed.

Definition back v := [pick v' | f v' == v].

Lemma backK v' : back (f v') = Some v'.
Proof. by rewrite /back; case: pickP => [u /eqP/f_inj -> //|/(_ v')]; rewrite eqxx. Qed.

Lemma back_some v v' : back v = Some v' -> v = f v'.
Proof. by rewrite /back; case: pickP => // u /eqP <- [->]. Qed.

(** What is left of a move. *)
Definition left_of (m : move G) : seq (move G') :=
  match m with
  | Load v => if back v is Some v' then [:: Load v'] else [::]
  | Store v => if back v is Some v' then [:: Store v'] else [::]
  | Compute v => if back v is Some v' then [:: Compute v'] else [::]
  | Delete v => if back v is Some v' then [:: Delete v'] else [::]
  | Slide v p =>
    match back v, back p with
    | Some v', Some p' => if edge p' v' then [:: Slide v' p'] else [:: Delete p'; Compute v']
    | Some v', None => [:: Compute v']
    | None, Some p' => [:: Delete p']
    | None, None => [::]
    end
  end.

Definition pull (s : state G) := State [set v | f v \in red s] [set v | f v \in blue s].

Lemma pull_start : pull (start G) = start G'.
Proof. by congr (State _ _); apply/setP => v; rewrite !inE // input_embedded. Qed.

Lemma card_pull M s : #|red s| <= M -> #|red (pull s)| <= M.
Proof.
apply: leq_trans; rewrite -(card_imset _ f_inj); apply/subset_leq_card/subsetP => _ /imsetP[v in_v ->].
by move: in_v; rewrite inE.
Qed.

Lemma computable_pull s v : computable s (f v) -> computable (pull s) v.
Proof.
rewrite /computable input_embedded => /andP[-> /forallP all_red]; apply/forallP => p; apply/implyP => edge_p.
by rewrite inE; apply: (implyP (all_red (f p))); apply: f_edge.
Qed.

Lemma add_pull (A : {set vertex G}) v : [set u | f u \in f v |: A] = v |: [set u | f u \in A].
Proof. by apply/setP => u; rewrite !inE (inj_eq f_inj). Qed.

Lemma remove_pull (A : {set vertex G}) v : [set u | f u \in A :\ f v] = [set u | f u \in A] :\ v.
Proof. by apply/setP => u; rewrite !inE (inj_eq f_inj). Qed.

Lemma other_add (A : {set vertex G}) v : back v = None -> [set u | f u \in v |: A] = [set u | f u \in A].
Proof.
rewrite /back; case: pickP => // none _; apply/setP => u; rewrite !inE; by have := none u => /= ->.
Qed.

Lemma other_remove (A : {set vertex G}) v : back v = None -> [set u | f u \in A :\ v] = [set u | f u \in A].
Proof.
rewrite /back; case: pickP => // none _; apply/setP => u; rewrite !inE; by have := none u => /= ->.
Qed.

Lemma left_legal M s m : #|red s| <= M -> legal M s m ->
  all_legal M (pull s) (left_of m) /\ foldl (@next G') (pull s) (left_of m) = pull (next s m).
Proof.
move=> small_s; rewrite /legal; case: m => [v|v|v|v|v p] /andP[ok /card_pull few] /=.
- case E: (back v) => [v'|] /=; last by split=> //; congr (State _ _); rewrite /= other_add.
  rewrite (back_some E) in ok few *; move: few; rewrite /next /pull /= add_pull => few.
  by rewrite /legal /= inE ok few.
- case E: (back v) => [v'|] /=; last by split=> //; congr (State _ _); rewrite /= other_add.
  rewrite (back_some E) in ok few *; move: few; rewrite /next /pull /= add_pull => few.
  by rewrite /legal /= inE ok few.
- case E: (back v) => [v'|] /=; last by split=> //; congr (State _ _); rewrite /= other_add.
  rewrite (back_some E) in ok few *; move: few; rewrite /next /pull /= add_pull => few.
  by rewrite /legal /= computable_pull // few.
- case E: (back v) => [v'|] /=; last by split=> //; congr (State _ _); rewrite /= other_remove.
  rewrite (back_some E) in ok few *; move: few; rewrite /next /pull /= remove_pull => few.
  by rewrite /legal /= inE ok few.
case/and3P: ok => ok edge_pv not_red.
have red_p : p \in red s by move: ok => /andP[_ /forallP/(_ p)/implyP]; apply.
case E: (back v) => [v'|]; case F: (back p) => [p'|] /=; last first.
- by split=> //; congr (State _ _); rewrite /= other_add // other_remove.
- rewrite (back_some F) in red_p edge_pv few *; rewrite /legal /pull /= other_add // remove_pull inE red_p andbT.
  split=> //; apply: leq_trans (card_pull small_s); apply/subset_leq_card/subsetP => u; rewrite !inE.
  by case/andP.
- rewrite (back_some E) in ok few *; move: few; rewrite /next /pull /= add_pull other_remove // => few.
  by rewrite /legal /= computable_pull // few.
rewrite (back_some E) (back_some F) in ok few red_p not_red *.
move: few; rewrite /legal /next /pull /= add_pull remove_pull => few.
have comp := computable_pull ok; rewrite /pull in comp.
case: ifP => [edge'|no_edge] /=; first by rewrite /legal /= comp edge' inE not_red few.
rewrite /legal /= inE red_p few !andbT; split=> //; apply/and3P; split.
- apply: leq_trans (card_pull small_s); apply/subset_leq_card/subsetP => u; rewrite !inE.
  by case/andP.
- by case/andP: comp.
apply/forallP => u; apply/implyP => edge_u; have /andP[_ /forallP/(_ u)/implyP] := comp.
by move/(_ edge_u); rewrite !inE => ->; rewrite andbT; apply: contraL edge_u => /eqP ->; rewrite no_edge.
Qed.

Lemma left_pebbling M ms : pebbling M ms -> pebbling M (flatten (map left_of ms)).
Proof.
move=> /andP[legal_ms outputs].
have [legal' final] : all_legal M (start G') (flatten (map left_of ms)) /\
    foldl (@next G') (start G') (flatten (map left_of ms)) = pull (foldl (@next G) (start G) ms).
  have : #|red (start G)| <= M by rewrite cards0.
  rewrite -pull_start; elim: ms (start G) legal_ms {outputs} => //= m ms IH s /andP[legal_m legal_ms] small_s.
  have [first_legal first_next] := left_legal small_s legal_m.
  have small_next : #|red (next s m)| <= M by move: legal_m; case: (m) => [v|v|v|v|v p] /andP[].
  have [rest_legal rest_next] := IH _ legal_ms small_next.
  rewrite foldl_cat first_next; split=> //.
  have cat_legal (xs ys : seq (move G')) t : all_legal M t (xs ++ ys) =
      all_legal M t xs && all_legal M (foldl (@next G') t xs) ys.
    by elim: xs t => //= x xs IHx t; rewrite IHx andbA.
  by rewrite cat_legal first_legal first_next.
rewrite /pebbling legal' final /=; apply/forallP => v; apply/implyP => out_v; rewrite inE.
by apply: (implyP (forallP outputs (f v))); case: embedded => _ _ _; apply.
Qed.

(** What was left out and cost a word. *)
Definition left_out := [set v : vertex G | (v \in needed_inputs G :|: made_outputs G) && (back v == None)].

(** The vertex that a load or a store moves, if it was left out. *)
Definition other (m : move G) :=
  match m with Load v | Store v => if back v is None then Some v else None | _ => None end.

Lemma io_left ms : io (flatten (map left_of ms)) + count (fun m => other m : bool) ms = io ms.
Proof.
rewrite /io; elim: ms => //= m ms IH; rewrite count_cat -IH.
move: (count _ (flatten _)) (count _ ms) => a b.
case: m => [v|v|v|v|v p] /=; last by case: (back v) (back p) => [v'|] [p'|] //=; case: ifP => /=; lia.
all: by case: (back v) => [v'|] /=; lia.
Qed.

Lemma left_io M ms : pebbling M ms -> io (flatten (map left_of ms)) + #|left_out| <= io ms.
Proof.
move=> legal_ms; rewrite -(io_left ms) leq_add2l.
pose moved t := if ohead (drop t ms) is Some m then other m else None.
have -> : count (fun m => other m : bool) ms = \sum_(t < size ms) (moved t : bool).
  rewrite /moved; elim: (ms) => [|m ns IH]; first by rewrite big_ord0.
  by rewrite /= big_ord_recl /= IH.
apply: card_times => v; rewrite !inE => /andP[needed /eqP none].
have there t m : ohead (drop t ms) = Some m -> other m = Some v -> exists2 t, t < size ms & moved t = Some v.
  move=> at_t is_v; exists t; last by rewrite /moved at_t.
  by rewrite ltnNge; apply/negP => ge_t; move: at_t; rewrite drop_oversize.
case/orP: needed => [needed|/andP[out_v not_in]].
  have [|u load_u] := needed_loaded (v := v) legal_ms; first by rewrite inE.
  move: load_u; rewrite /loaded /move_at; case E: (ohead _) => [[w|w|w|w|w q]|] // [eq_w].
  by apply: (there _ _ E); rewrite /= eq_w none.
have [t _ st_t] := output_stored legal_ms out_v not_in.
move: st_t; rewrite /stored /move_at; case E: (ohead _) => [[w|w|w|w|w q]|] // [eq_w].
by apply: (there _ _ E); rewrite /= eq_w none.
Qed.

End Embedding.

(** A bound of the part is one of the whole. *)
Theorem embedding_bound (G' G : dag) (f : vertex G' -> vertex G) M (ms : seq (move G)) :
  embedding f -> pebbling M ms -> exists2 ms' : seq (move G'), pebbling M ms' & io ms' + #|left_out f| <= io ms.
Proof.
by move=> emb legal_ms; exists (flatten (map (left_of f) ms)); [apply: left_pebbling|apply: left_io legal_ms].
Qed.
