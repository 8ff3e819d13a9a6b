(** * Replays

    The game on a graph that is given as a list of edges between numbers, played on lists, so that it can be computed; and that
    this is the game of Game.v. Tests replay pebblings of the program with it: same verdicts, same costs. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Replay.

(** Vertices [0 .. n-1], edges, outputs. *)
Variables (n : nat) (edges : seq (nat * nat)) (outputs : seq nat) (M : nat).

Definition listed := @Dag [finType of 'I_n] (fun u v => (val u, val v) \in edges) (fun v => val v \in outputs).

(** Predecessors, if all numbers are below [n]. *)
Definition before v := [seq e.1 | e <- edges & e.2 == v].

(** A move is its code (load, store, compute, delete, slide: 0 to 4), the vertex, and for a slide where the pebble comes from. *)
Definition vertex_of v : option (vertex listed) := insub v.

Definition as_move (m : nat * nat * nat) : option (move listed) :=
  match m with
  | (0, v, _) => omap (@Load listed) (vertex_of v)
  | (1, v, _) => omap (@Store listed) (vertex_of v)
  | (2, v, _) => omap (@Compute listed) (vertex_of v)
  | (3, v, _) => omap (@Delete listed) (vertex_of v)
  | (4, v, p) => obind (fun u => omap (Slide u) (vertex_of p)) (vertex_of v)
  | _ => None
  end.

(** Red and blue vertices as lists. *)
Definition put v (s : seq nat) := if v \in s then s else v :: s.

Definition step (s : seq nat * seq nat) (m : nat * nat * nat) : option (seq nat * seq nat) :=
  let: (reds, blues) := s in
  let fits (r : seq nat) b := if size r <= M then Some (r, b) else None in
  match m with
  | (0, v, _) => if v \in blues then fits (put v reds) blues else None
  | (1, v, _) => if v \in reds then fits reds (put v blues) else None
  | (2, v, _) => if (before v != [::]) && all (mem reds) (before v) then fits (put v reds) blues else None
  | (3, v, _) => if v \in reds then fits (rem v reds) blues else None
  | (4, v, p) => if [&& before v != [::], all (mem reds) (before v), p \in before v & v \notin reds]
                 then fits (put v (rem p reds)) blues else None
  | _ => None
  end.

Fixpoint run s ms := if ms is m :: ms' then obind (fun s' => run s' ms') (step s m) else Some s.

Definition inputs := [seq v <- iota 0 n | before v == [::]].

(** The cost, or nothing where the pebbling is illegal or incomplete. *)
Definition replay ms : option nat :=
  if run ([::], inputs) ms is Some (_, blues) then
    if all (mem blues) outputs then Some (count (fun m => m.1.1 < 2) ms) else None
  else None.

Hypothesis edges_below : all (fun e => (e.1 < n) && (e.2 < n)) edges.
Hypothesis outputs_below : all (fun v => v < n) outputs.

Definition like (s : state listed) (l : seq nat * seq nat) :=
  [/\ uniq l.1, all (fun v => v < n) l.1, forall v : 'I_n, (v \in red s) = (val v \in l.1) &
      forall v : 'I_n, (v \in blue s) = (val v \in l.2)].

Lemma mem_before (p v : 'I_n) : (val p \in before (val v)) = edge (p : vertex listed) v.
Proof.
rewrite /=; apply/mapP/idP => [[[a b]]|in_e]; last by exists (val p, val v) => //; rewrite mem_filter /= eqxx.
by rewrite mem_filter /= => /andP[/eqP -> in_e] ->.
Qed.

Lemma before_below v p : p \in before v -> p < n.
Proof. by case/mapP=> e; rewrite mem_filter => /andP[_ /(allP edges_below) /andP[lt_p _]] ->. Qed.

Lemma input_before (v : 'I_n) : input (v : vertex listed) = (before (val v) == [::]).
Proof.
apply/forallP/eqP => [none|no_before p]; last by rewrite -mem_before no_before.
case E: (before (val v)) => [//|p s]; have in_p : p \in before (val v) by rewrite E mem_head.
by have := none (Ordinal (before_below in_p)); rewrite -mem_before /= in_p.
Qed.

Lemma computable_before s l (v : 'I_n) : like s l ->
  computable s (v : vertex listed) = (before (val v) != [::]) && all (mem l.1) (before (val v)).
Proof.
move=> [_ _ reds _]; rewrite /computable input_before; congr (_ && _).
apply/forallP/allP => [all_red p in_p|all_red p].
  have := all_red (Ordinal (before_below in_p)); rewrite -mem_before reds /= in_p; exact.
by apply/implyP; rewrite -mem_before reds; apply: all_red.
Qed.

Lemma card_like s l : like s l -> #|red s| = size l.1.
Proof.
move=> [uniq_l below reds _]; rewrite cardE -(size_map val); apply/perm_size/uniq_perm => //.
  by rewrite (map_inj_uniq val_inj) enum_uniq.
move=> v; apply/mapP/idP => [[u]|in_v]; first by rewrite mem_enum reds => in_u ->.
by exists (Ordinal (allP below _ in_v)) => //; rewrite mem_enum reds.
Qed.

Lemma in_put v u s : (u \in put v s) = (u == v) || (u \in s).
Proof. by rewrite /put; case: ifP => in_v; rewrite ?in_cons //; case: eqP => // ->. Qed.

Lemma like_put s l (v : 'I_n) : like s l -> like (@State listed ((v : vertex listed) |: red s) (blue s)) (put (val v) l.1, l.2).
Proof.
move=> [uniq_l below reds blues]; split=> //=.
- by rewrite /put; case: ifP => //= ->.
- by rewrite /put; case: ifP => //= _; rewrite ltn_ord.
- by move=> u; rewrite in_setU1 in_put reds.
Qed.

Lemma like_rem s l (v : 'I_n) : like s l -> like (@State listed (red s :\ (v : vertex listed)) (blue s)) (rem (val v) l.1, l.2).
Proof.
move=> [uniq_l below reds blues]; split=> //=; first exact: rem_uniq.
  by apply/allP => u /mem_rem; apply: (allP below).
by move=> u; rewrite in_setD1 (mem_rem_uniq _ uniq_l) inE reds.
Qed.

Lemma like_store s l (v : 'I_n) : like s l -> like (@State listed (red s) ((v : vertex listed) |: blue s)) (l.1, put (val v) l.2).
Proof. by move=> [uniq_l below reds blues]; split=> //= u; rewrite in_setU1 in_put blues. Qed.

Lemma vertex_ofE v u : vertex_of v = Some u -> v = val u.
Proof. by rewrite /vertex_of; case: insubP => // w _ <- [->]. Qed.

(** A step of the lists is a legal move, and refused if it is illegal. *)
Lemma step_like s l m mv : like s l -> as_move m = Some mv ->
  if step l m is Some l' then legal M s mv /\ like (next s mv) l' else ~~ legal M s mv.
Proof.
move=> like_sl; have [uniq_l below reds blues] := like_sl.
have fits (b : bool) s' l' : like s' l' ->
    if (if b then if size l'.1 <= M then Some l' else None else None) is Some k
    then b && (#|red s'| <= M) /\ like s' k else ~~ (b && (#|red s'| <= M)).
  by move=> like'; rewrite (card_like like'); case: b => //; case: leqP.
case: l => [l1 l2] /= in like_sl uniq_l below reds blues *.
case: m => [[[|[|[|[|[|code]]]]] v] p] //=.
- case E: (vertex_of v) => [u|] //= [<-]; rewrite (vertex_ofE E) -blues.
  exact: (fits _ _ (_, _) (like_put u like_sl)).
- case E: (vertex_of v) => [u|] //= [<-]; rewrite (vertex_ofE E) -reds.
  exact: (fits _ _ (_, _) (like_store u like_sl)).
- case E: (vertex_of v) => [u|] //= [<-]; rewrite (vertex_ofE E) -(computable_before u like_sl).
  exact: (fits _ _ (_, _) (like_put u like_sl)).
- case E: (vertex_of v) => [u|] //= [<-]; rewrite (vertex_ofE E) -reds.
  exact: (fits _ _ (_, _) (like_rem u like_sl)).
case E: (vertex_of v) => [u|] //=; case E': (vertex_of p) => [w|] //= [<-].
rewrite (vertex_ofE E) (vertex_ofE E') -[val w \in before (val u)]/(val w \in before (val u)) mem_before -reds.
have -> : [&& before (val u) != [::], all (mem l1) (before (val u)), edge (w : vertex listed) u & u \notin red s] =
    [&& computable s u, edge w u & u \notin red s] by rewrite (computable_before u like_sl) -!andbA.
exact: (fits _ _ (_, _) (like_put u (like_rem w like_sl))).
Qed.

Local Arguments step : simpl never.

Lemma start_like : like (start listed) ([::], inputs).
Proof.
split=> //= v; rewrite inE // mem_filter mem_iota /= add0n ltn_ord andbT.
exact: input_before.
Qed.

Theorem replayP ms moves : pmap as_move ms = moves -> all as_move ms ->
  replay ms = if pebbling M moves then Some (io moves) else None.
Proof.
move=> <- known; rewrite /replay /pebbling.
have cost : count (fun m => m.1.1 < 2) ms = io (pmap as_move ms).
  elim: ms known => //= [[[code v] p] ms IH] /andP[]; case E: (as_move _) => [mv|] // _ /IH ->.
  rewrite /= /io /=; congr (_ + _); move: E.
  by case: code => [|[|[|[|[|?]]]]] //=; case: (vertex_of v) => [u|] //=; case: (vertex_of p) => [w|] //= [<-].
rewrite cost; move: (io _) => c {cost}.
have outs s l : like s l -> all (mem l.2) outputs = [forall v, output v ==> (v \in blue s)].
  move=> [_ _ _ blues]; apply/allP/forallP => [all_blue v|all_blue v out_v].
    by apply/implyP => out_v; rewrite blues; apply: all_blue.
  have := all_blue (Ordinal (allP outputs_below _ out_v)); rewrite blues /= out_v; exact.
elim: ms (start listed) ([::] : seq nat, inputs) start_like known => [|m ms IH] s [l1 l2] like_sl.
  by rewrite /= (outs _ _ like_sl).
rewrite /=; case E: (as_move m) => [mv|] //= known.
have := step_like like_sl E; case: (step _ m) => [l'|/negbTE ->] //=.
by move=> [-> like'] /=; apply: IH.
Qed.

End Replay.
