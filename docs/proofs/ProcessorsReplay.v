(** * Replays of runs by several devices

    The game of Processors.v on a graph that is given as in Replay.v, played on lists, so that it can be computed; and that it is that
    game. Tests replay runs of the program with it: same verdicts, same counts. *)

From mathcomp Require Import all_ssreflect.
From Pebble Require Import Game Replay Processors.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section ProcessorsReplay.

(** Vertices [0 .. n-1], edges, outputs; the terms of each free sum; the owner of each vertex; devices [0 .. last]. *)
Variables (n : nat) (edges : seq (nat * nat)) (outputs : seq nat) (sums : seq (seq nat)) (owners : seq nat) (last : nat).
Variables H M : option nat.

Notation G := (listed n.+1 edges outputs).
Notation before := (before edges).
Notation P := last.+1.
Notation device := 'I_P.

Definition free (u v : vertex G) := has (fun s => (val u \in s) && (val v \in s)) sums.
Definition owner (v : vertex G) : device := inord (nth 0 owners (val v)).

(** Words as lists in ascending order. *)
Definition norm (w : seq nat) := [seq v <- iota 0 n.+1 | v \in w].
Definition sum_list v := [seq u <- iota 0 n.+1 | (u == v) || has (fun s => (u \in s) && (v \in s)) sums].

(** A move: its code (load, store, delete, compute, merge, discard, send, superstep: 0 to 7), the device, the word, and of a compute
    the term, of a merge the other word, of a send the receiver. *)
Definition listed_move := (nat * nat * seq nat * seq nat * nat)%type.

Definition dec (w : seq nat) : word G := [set v : vertex G | val v \in w].
Definition vertex_at v : vertex G := (inord v : 'I_n.+1).
Definition device_at p : device := inord p.

Definition as_run_move (m : listed_move) : Processors.move G P :=
  match m with
  | (0, p, w, _, _) => Processors.Load (device_at p) (dec w)
  | (1, p, w, _, _) => Processors.Store (device_at p) (dec w)
  | (2, p, w, _, _) => Processors.Delete (device_at p) (dec w)
  | (3, p, w, _, t) => Processors.Compute (device_at p) (dec w) (vertex_at t)
  | (4, p, w, w', _) => Merge (device_at p) (dec w) (dec w')
  | (5, p, w, _, _) => Discard (device_at p) (dec w)
  | (6, p, w, _, q) => Send (dec w) (device_at p) (device_at q)
  | _ => Superstep G P
  end.

Definition known (m : listed_move) :=
  match m with (3, p, _, _, t) => (p < P) && (t < n.+1) | (6, p, _, _, q) => (p < P) && (q < P) | (_, p, _, _, _) => p < P end.

(** What is held: pairs of a device and a word. *)
Notation holdings := (seq (nat * seq nat)).
Notation list_state := (holdings * holdings * seq (seq nat * nat * nat) * holdings)%type.

Definition put_list (x : nat * seq nat) (l : holdings) := if x \in l then l else x :: l.
Definition room limit (l : holdings) :=
  if limit is Some k then all (fun p => count (fun x => x.1 == p) l <= k) (iota 0 P) else true.

Definition computable_list (held : holdings) p (T : seq nat) t :=
  [&& before t != [::], t \notin T, all (mem (sum_list t)) T, (T == [::]) || ((p, T) \in held) &
      all (fun v => (v \in sum_list t) || ((p, sum_list v) \in held)) (before t)].

Definition one_sum (T : seq nat) := has (fun v => all (mem (sum_list v)) T) (iota 0 n.+1).

Definition arrived (s : list_state) := foldr put_list s.1.1.1 [seq (a.2, a.1.1) | a <- s.1.2].

Definition try (rule : bool) full (s : list_state) :=
  if [&& rule, room H full & room M s.1.1.2] then Some s else None.

Definition step_run (s : list_state) (m : listed_move) : option list_state :=
  let: (slow, fast, sends, leaving) := s in
  let working := if isSome M then fast else slow in
  let make rule x := if isSome M then try rule slow (slow, put_list x fast, sends, leaving)
                     else try rule (put_list x slow) (put_list x slow, fast, sends, leaving) in
  match m with
  | (0, p, w, _, _) => let x := (p, norm w) in
      try (isSome M && (x \in slow)) slow (slow, put_list x fast, sends, leaving)
  | (1, p, w, _, _) => let x := (p, norm w) in
      try (isSome M && (x \in fast)) (put_list x slow) (put_list x slow, fast, sends, leaving)
  | (2, p, w, _, _) => let x := (p, norm w) in try (isSome M && (x \in fast)) slow (slow, rem x fast, sends, leaving)
  | (3, p, w, _, t) => make (computable_list working p (norm w) t) (p, norm (t :: w))
  | (4, p, w, w', _) =>
      make [&& (p, norm w) \in working, (p, norm w') \in working, ~~ has (mem (norm w)) (norm w') &
               one_sum (norm w ++ norm w')] (p, norm (w ++ w'))
  | (5, p, w, _, _) => let x := (p, norm w) in
      if has (fun a => a.1 == (x.2, p)) sends then try ((x \in slow) && (x \notin leaving)) slow (slow, fast, sends, x :: leaving)
      else try ((x \in slow) && (x \notin leaving)) (rem x slow) (rem x slow, fast, sends, leaving)
  | (6, p, w, _, q) => let a := (norm w, p, q) in try ((p != q) && (a \notin sends)) slow (slow, fast, a :: sends, leaving)
  | _ => try (all (fun a => (a.1.2, a.1.1) \in slow) sends) (arrived s)
             ([seq x <- arrived s | x \notin leaving], fast, [::], [::])
  end.

Fixpoint play s ms := if ms is m :: ms' then obind (fun s' => play s' ms') (step_run s m) else Some s.

Definition begin : list_state := (undup [seq (nth 0 owners v, sum_list v) | v <- iota 0 n.+1 & before v == [::]], [::], [::], [::]).
Definition the_end : listed_move := (7, 0, [::], [::], 0).

(** How many words were sent, or nothing where the run is illegal or incomplete. *)
Definition replay_run ms : option nat :=
  if room H begin.1.1.1 then
    if play begin (rcons ms the_end) is Some s then
      if all (fun v => (nth 0 owners v, sum_list v) \in s.1.1.1) outputs then Some (count (fun m => m.1.1.1.1 == 6) ms) else None
    else None
  else None.

(** ** It is that game *)

Hypothesis edges_below : all (fun e => (e.1 < n.+1) && (e.2 < n.+1)) edges.
Hypothesis outputs_below : all (fun v => v < n.+1) outputs.
Hypothesis owners_below : all (fun p => p < P) owners.

Definition enc (w : word G) : seq nat := [seq val v | v <- enum w].

Lemma in_enc (w : word G) (v : 'I_n.+1) : (val v \in enc w) = (v \in w).
Proof. by rewrite /enc mem_map ?mem_enum //; apply: val_inj. Qed.

Lemma enc_inj : injective enc.
Proof. by move=> w w' eq_w; apply/setP => v; rewrite -!in_enc eq_w. Qed.

Lemma enc_filter (w : word G) : enc w = [seq v <- iota 0 n.+1 | v \in enc w].
Proof.
have eq_enum : enum w = [seq v <- enum 'I_n.+1 | v \in w].
  by rewrite /enum_mem -filter_predI; apply: eq_filter => v; rewrite /= inE andbT.
rewrite -val_enum_ord filter_map {1}/enc eq_enum; congr map; apply: eq_filter => v; by rewrite /= in_enc.
Qed.

Lemma enc_eq (w : word G) (s : seq nat) : (forall v : 'I_n.+1, (v \in w) = (val v \in s)) -> enc w = norm s.
Proof.
move=> eq_w; rewrite enc_filter; apply: eq_in_filter => v; rewrite mem_iota add0n => /andP[_ lt_v].
by have := in_enc w (Ordinal lt_v); rewrite eq_w.
Qed.

Lemma enc_dec w : enc (dec w) = norm w.
Proof. by apply: enc_eq => v; rewrite inE. Qed.

Lemma enc_sum (v : 'I_n.+1) : enc (sum free (v : vertex G)) = sum_list (val v).
Proof.
rewrite enc_filter; apply: eq_in_filter => u; rewrite mem_iota add0n => /andP[_ lt_u].
by have := in_enc (sum free (v : vertex G)) (Ordinal lt_u); rewrite !inE -val_eqE.
Qed.

Lemma norm_below w : all (fun v => v < n.+1) (norm w).
Proof. by apply/allP => v; rewrite mem_filter mem_iota add0n => /and3P[]. Qed.

Lemma all_enc (w : word G) (Q : pred nat) : all Q (enc w) = [forall v : 'I_n.+1, (v \in w) ==> Q (val v)].
Proof.
apply/allP/forallP => [all_Q v|all_Q x /mapP[v in_v ->]]; first by apply/implyP => in_v; apply: all_Q; rewrite in_enc.
by have := all_Q v; move: in_v; rewrite mem_enum => ->.
Qed.

(** Lists that hold what devices hold. *)
Definition held (f : device -> {set word G}) (l : seq (nat * seq nat)) :=
  [/\ uniq l, forall p w, (w \in f p) = ((val p, enc w) \in l) & forall x, x \in l -> exists (p : device) w, x = (val p, enc w)].

Lemma held_room limit f l : held f l -> room limit l = [forall p, fits limit (f p)].
Proof.
case=> uniq_l in_l codes; rewrite /room /fits; case: limit => [k|]; last by apply/esym/forallP.
have card_l p : #|f p| = count (fun x => x.1 == val p) l.
  rewrite -size_filter cardE -(size_map (fun w => (val p, enc w))); apply/perm_size/uniq_perm.
  - by rewrite map_inj_uniq ?enum_uniq // => w w' [/enc_inj].
  - exact: filter_uniq.
  move=> x; rewrite mem_filter; apply/mapP/andP => [[w]|[/eqP eq_p in_x]].
    by rewrite mem_enum in_l => in_w ->.
  have [q [w eq_x]] := codes x in_x; move: eq_p in_x; rewrite eq_x /= => /val_inj -> in_w.
  by exists w => //; rewrite mem_enum in_l.
apply/allP/forallP => [le_k p|le_k p]; first by rewrite card_l; apply: le_k; rewrite mem_iota add0n; apply: ltn_ord.
by rewrite mem_iota add0n => /andP[_ lt_p]; have := le_k (Ordinal lt_p); rewrite card_l.
Qed.

Lemma held_put f l p w : held f l -> held (put f p w) (put_list (val p, enc w) l).
Proof.
case=> uniq_l in_l codes; rewrite /put_list; case: ifP => in_pw; split=> //=.
- move=> q x; rewrite /put; case: eqP => [->|_]; last exact: in_l.
  by rewrite in_setU1 in_l; case: (eqVneq x w) => [->|_] //=; rewrite in_pw.
- by rewrite in_pw.
- move=> q x; rewrite /put in_cons xpair_eqE val_eqE; case: eqP => [->|_] /=; last by rewrite in_l.
  by rewrite in_setU1 (inj_eq enc_inj) in_l.
by move=> x /predU1P[->|/codes //]; exists p, w.
Qed.

Lemma held_take f l p w : held f l -> held (take f p w) (rem (val p, enc w) l).
Proof.
case=> uniq_l in_l codes; split=> /=; first exact: rem_uniq.
  move=> q x; rewrite /take (mem_rem_uniq _ uniq_l) inE xpair_eqE val_eqE; case: eqP => [->|_] /=; last by rewrite in_l.
  by rewrite in_setD1 (inj_eq enc_inj) in_l.
by move=> x /mem_rem /codes.
Qed.

Lemma held_all (a : seq (device * word G)) f l : held f l ->
  held (fun p => f p :|: [set w | (p, w) \in a]) (foldr put_list l [seq (val x.1, enc x.2) | x <- a]).
Proof.
move=> held_l; elim: a => [|[p w] a IH] /=.
  by case: held_l => uniq_l in_l codes; split=> // p w; rewrite !inE orbF in_l.
have [uniq_l in_l codes] := held_put p w IH; split=> // q x; rewrite -in_l /put !inE xpair_eqE.
by case: (eqVneq q p) => [->|_] /=; rewrite ?in_setU1 ?inE // orbCA.
Qed.

Lemma held_eq f f' l : f =1 f' -> held f l -> held f' l.
Proof. by move=> eq_f [uniq_l in_l codes]; split=> // p w; rewrite -eq_f. Qed.

Notation state := (Processors.state G P).

Definition send_code (a : word G * device * device) := (enc a.1.1, val a.1.2, val a.2).

Lemma send_code_inj : injective send_code.
Proof. by move=> [[w p] q] [[w' p'] q'] [/enc_inj -> /val_inj -> /val_inj ->]. Qed.

Definition like (s : state) (l : list_state) :=
  [/\ held (memory s) l.1.1.1, held (fast s) l.1.1.2, exists2 b, l.1.2 = [seq send_code a | a <- b] & sends s =i b &
      forall p w, ((w, p) \in leaving s) = ((val p, enc w) \in l.2)].

Lemma like_sends s l a : like s l -> (a \in sends s) = (send_code a \in l.1.2).
Proof. by case=> _ _ [b -> eq_b] _; rewrite (mem_map send_code_inj) eq_b. Qed.

Lemma tryP s l (rule rule' : bool) (most : device -> {set word G}) full : like s l -> rule = rule' -> held most full ->
  if try rule full l is Some k then (rule' && [forall p, fits H (most p) && fits M (fast s p)]) /\ like s k
  else ~~ (rule' && [forall p, fits H (most p) && fits M (fast s p)]).
Proof.
move=> like_s -> held_full; have [_ held_fast _ _] := like_s.
have -> : [forall p, fits H (most p) && fits M (fast s p)] = room H full && room M l.1.1.2.
  rewrite (held_room H held_full) (held_room M held_fast).
  apply/forallP/andP => [all_p|[/forallP all_H /forallP all_M] p]; last by rewrite all_H all_M.
  by split; apply/forallP => p; have /andP[] := all_p p.
by rewrite /try; case: ifP.
Qed.

Lemma like_fast s l f l' : like s l -> held f l' -> like (State (memory s) f (sends s) (leaving s)) (l.1.1.1, l', l.1.2, l.2).
Proof. by case. Qed.

Lemma like_memory s l f l' : like s l -> held f l' -> like (State f (fast s) (sends s) (leaving s)) (l', l.1.1.2, l.1.2, l.2).
Proof. by case. Qed.

Lemma before_input (v : 'I_n.+1) : input (v : vertex G) = (before (val v) == [::]).
Proof. exact: input_before. Qed.

Lemma computableP (f : device -> {set word G}) l p w (t : 'I_n.+1) : held f l ->
  computable_list l (val p) (norm w) (val t) = computable free (f p) (dec w) (t : vertex G).
Proof.
case=> _ in_l _; rewrite /computable_list /computable before_input -enc_dec in_enc all_enc.
have empty : (enc (dec w) == [::]) = (dec w == set0).
  by rewrite -(inj_eq enc_inj); congr (_ == _); rewrite /enc enum_set0.
rewrite empty -in_l; congr [&& _, _, _, _ & _].
  apply/forallP/subsetP => [sub v in_v|sub v]; first by have := sub v; rewrite in_v -enc_sum /= in_enc.
  by apply/implyP => in_v; rewrite -enc_sum /= in_enc; apply: sub.
apply/allP/forallP => [ops v|ops x in_x].
  apply/implyP => /andP[edge_v far]; have := ops (val v); rewrite -enc_sum in_enc (negbTE far) /= -enc_sum -in_l; apply.
  by rewrite (@mem_before n.+1 edges outputs).
have lt_x := before_below edges_below in_x; have := ops (Ordinal lt_x).
rewrite -(@mem_before n.+1 edges outputs) /= in_x /= -[x]/(val (Ordinal lt_x)) -!enc_sum in_enc -in_l.
by rewrite implyNb.
Qed.

Lemma as_device p : p < P -> exists2 q : device, p = val q & device_at p = q.
Proof. by move=> lt_p; exists (Ordinal lt_p) => //; apply: val_inj; rewrite /= inordK. Qed.

Lemma as_vertex v : v < n.+1 -> exists2 u : 'I_n.+1, v = val u & vertex_at v = u.
Proof. by move=> lt_v; exists (Ordinal lt_v) => //; apply: val_inj; rewrite /= inordK. Qed.

Lemma makeP s l (rule rule' : bool) p w x : like s l -> rule = rule' -> x = (val p, enc w) ->
  if (if isSome M then try rule l.1.1.1 (l.1.1.1, put_list x l.1.1.2, l.1.2, l.2)
      else try rule (put_list x l.1.1.1) (put_list x l.1.1.1, l.1.1.2, l.1.2, l.2)) is Some k
  then (rule' && [forall q, fits H (memory (make M s p w) q) && fits M (fast (make M s p w) q)]) /\ like (make M s p w) k
  else ~~ (rule' && [forall q, fits H (memory (make M s p w) q) && fits M (fast (make M s p w) q)]).
Proof.
move=> like_s eq_rule ->; have [held_m held_f _ _] := like_s.
have -> : make M s p w = if isSome M then State (memory s) (put (fast s) p w) (sends s) (leaving s)
    else State (put (memory s) p w) (fast s) (sends s) (leaving s) by rewrite /make; case: (M).
case: (isSome M); apply: tryP => //; first exact: (like_fast like_s (held_put _ _ held_f)).
  exact: (like_memory like_s (held_put _ _ held_m)).
exact: held_put.
Qed.

Lemma workingE (s : state) : working M s = if isSome M then fast s else memory s.
Proof. by rewrite /working; case: (M). Qed.

Local Arguments one_sum : simpl never.
Local Arguments Processors.working : simpl never.
Local Arguments Processors.make : simpl never.

Lemma step_runP s l m : like s l -> known m ->
  if step_run l m is Some l' then legal free H M s (as_run_move m) /\ like (next M s (as_run_move m)) l'
  else ~~ legal free H M s (as_run_move m).
Proof.
move=> like_s; have [held_m held_f [b eq_sends in_b] in_leaving] := like_s.
have in_m p w : (w \in memory s p) = ((val p, enc w) \in l.1.1.1) by case: held_m.
have in_f p w : (w \in fast s p) = ((val p, enc w) \in l.1.1.2) by case: held_f.
case: l => [[[slow quick] sent_l] leave_l] /= in like_s held_m held_f eq_sends in_leaving in_m in_f *.
case: m => [[[[code p] w] w'] t]; case: code => [|[|[|[|[|[|[|code]]]]]]] //=.
- case/as_device=> q -> ->; rewrite -enc_dec; apply: tryP => //=; first exact: (like_fast like_s (held_put _ _ held_f)).
  by rewrite in_m.
- case/as_device=> q -> ->; rewrite -enc_dec; have put_m := held_put q (dec w) held_m.
  by apply: tryP => //=; [exact: (like_memory like_s put_m)|rewrite in_f].
- case/as_device=> q -> ->; rewrite -enc_dec; apply: tryP => //=; first exact: (like_fast like_s (held_take _ _ held_f)).
  by rewrite in_f.
- case/andP=> /as_device[q -> ->] /as_vertex[u -> ->]; apply: (makeP (w := _) like_s).
    by rewrite /allowed_by_rule workingE; apply: computableP; case: ifP.
  by congr (_, _); apply/esym/enc_eq => v; rewrite in_setU1 !inE.
- case/as_device=> q -> ->; apply: (makeP (w := _) like_s); last first.
    by congr (_, _); apply/esym/enc_eq => v; rewrite in_setU !inE mem_cat.
  rewrite /allowed_by_rule workingE -!enc_dec; have in_w r x : (x \in (if isSome M then fast s else memory s) r) =
      ((val r, enc x) \in (if isSome M then quick else slow)) by case: (isSome M); rewrite ?in_f ?in_m.
  rewrite -!in_w; congr [&& _, _, _ & _].
    rewrite -all_predC all_enc disjoint_sym disjoint_subset; apply/forallP/subsetP => [far v in_v|far v].
      by have := far v; rewrite in_v /= in_enc.
    by apply/implyP => /far; rewrite /= in_enc.
  rewrite /one_sum; apply/hasP/existsP => [[v]|[v /subsetP sub]].
    rewrite mem_iota add0n => /andP[_ lt_v] /allP all_v; exists (Ordinal lt_v : vertex G); apply/subsetP => u.
    have := all_v (val u); rewrite mem_cat !in_enc in_setU => all_u /all_u.
    by rewrite /= -[v]/(val (Ordinal lt_v)) -enc_sum in_enc.
  exists (val v); first by rewrite mem_iota add0n; apply: ltn_ord.
  apply/allP => x; rewrite mem_cat => in_x; have [u eq_u] : exists u : 'I_n.+1, x = val u.
    by case/orP: in_x => /mapP[u _ ->]; exists u.
  by move: in_x; rewrite eq_u !in_enc -in_setU -enc_sum /= in_enc => /sub.
- case/as_device=> q -> ->; rewrite -enc_dec.
  have -> : has (fun a => a.1 == (enc (dec w), val q)) sent_l = sent s (dec w) q.
    rewrite eq_sends has_map; apply/hasP/existsP => [[[[x r] r']] in_b' /=|[r]].
      rewrite xpair_eqE (inj_eq enc_inj) val_eqE => /andP[/eqP eq_x /eqP eq_r].
      by exists r'; rewrite in_b -eq_x -eq_r.
    by rewrite in_b => in_r; exists (dec w, q, r) => //=; rewrite eqxx.
  rewrite /legal /fullest /next; case: (sent s (dec w) q); apply: tryP => //=.
  - split=> //= [|x r]; first by exists b.
    by rewrite in_setU1 in_cons in_leaving !xpair_eqE (inj_eq enc_inj) val_eqE andbC.
  - by rewrite in_m /left inE in_leaving.
  - exact: (like_memory like_s (held_take _ _ held_m)).
  - by rewrite in_m /left inE in_leaving.
  exact: held_take.
- case/andP=> /as_device[q -> ->] /as_device[r -> ->]; rewrite -enc_dec; apply: tryP => //=.
    split=> //=; exists ((dec w, q, r) :: b); first by rewrite eq_sends.
    by move=> a; rewrite in_setU1 in_cons in_b.
  by rewrite (inj_eq val_inj) (like_sends _ like_s).
move=> _; have eq_arrived : arrived (slow, quick, sent_l, leave_l) =
    foldr put_list slow [seq (val x.1, enc x.2) | x <- [seq (a.2, a.1.1) | a <- b]].
  by rewrite /arrived eq_sends -!map_comp.
have held_a : held (fun p => memory s p :|: arriving s p) (arrived (slow, quick, sent_l, leave_l)).
  rewrite eq_arrived; apply: held_eq (held_all _ held_m) => q; apply/setP => x; rewrite !inE; congr (_ || _).
  apply/mapP/existsP => [[[[y r] r']]|[r]]; rewrite ?in_b => in_b'; first by case=> -> ->; exists r; rewrite in_b.
  by exists (x, r, q).
apply: (tryP (most := fun p => memory s p :|: arriving s p)) => //.
  split=> //=; last by move=> x r; rewrite inE.
    have [uniq_a in_a codes] := held_a; split; first exact: filter_uniq.
      by move=> r x; rewrite mem_filter -in_a in_setD /left inE in_leaving.
    by move=> x; rewrite mem_filter => /andP[_ /codes].
  by exists [::] => // a; rewrite inE.
rewrite eq_sends all_map; apply/allP/forallP => [all_b a|all_b a in_b'].
  by apply/implyP; rewrite in_b => /all_b; rewrite /= in_m.
by have := all_b a; rewrite in_b in_b' /= in_m.
Qed.

Lemma owner_val (v : 'I_n.+1) : nth 0 owners (val v) = val (owner v).
Proof.
apply/esym/inordK; case: (ltnP (val v) (size owners)) => [lt_v|ge_v]; last by rewrite nth_default.
exact: (allP owners_below _ (mem_nth 0 lt_v)).
Qed.

Lemma begin_like : like (Processors.start free owner) begin.
Proof.
split; [|by split=> // p w; rewrite inE|by exists [::] => // a; rewrite inE|by move=> w p; rewrite inE].
split=> [|p w|x]; [exact: undup_uniq|rewrite mem_undup|rewrite mem_undup].
  rewrite inE; apply/existsP/mapP => [[v /and3P[in_v /eqP <- /eqP ->]]|[v]].
    exists (val v); last by rewrite owner_val enc_sum.
    by rewrite mem_filter mem_iota add0n -before_input in_v; apply: ltn_ord.
  rewrite mem_filter mem_iota add0n => /andP[no_before /andP[_ lt_v]].
  rewrite -[v]/(val (Ordinal lt_v)) owner_val -enc_sum => -[/val_inj -> /enc_inj ->].
  by exists (Ordinal lt_v); rewrite !eqxx !andbT before_input.
case/mapP=> v; rewrite mem_filter mem_iota add0n => /andP[_ /andP[_ lt_v]] ->.
by exists (owner (Ordinal lt_v)), (sum free (Ordinal lt_v : vertex G)); rewrite enc_sum -owner_val.
Qed.

Lemma playP s l ms : like s l -> all known ms ->
  if play l ms is Some l' then all_legal free H M s (map as_run_move ms) /\ like (foldl (next M) s (map as_run_move ms)) l'
  else ~~ all_legal free H M s (map as_run_move ms).
Proof.
elim: ms s l => [|m ms IH] s l like_s; first by split.
case/andP=> known_m known_ms; have := step_runP like_s known_m; rewrite [play _ _]/=.
case: (step_run l m) => [l' [legal_m like_s']|not_legal] /=; last by rewrite (negbTE not_legal).
have := IH _ _ like_s' known_ms; rewrite /= legal_m; exact.
Qed.

Theorem replay_runP ms : all known ms ->
  replay_run ms = if run free owner H M (map as_run_move ms) then Some (words_sent (map as_run_move ms)) else None.
Proof.
move=> known_ms; have [held_m _ _ _] := begin_like.
have known_end : all known (rcons ms the_end) by rewrite all_rcons known_ms.
have := playP begin_like known_end; rewrite map_rcons /replay_run /run -/(as_run_move the_end) (held_room H held_m).
case: [forall p, _] => //=; case: (play _ _) => [l [-> like_l]|/negbTE -> //].
have -> : all (fun v => (nth 0 owners v, sum_list v) \in l.1.1.1) outputs =
    [forall v, output v ==> (sum free v \in memory (foldl (next M) (Processors.start free owner)
      (rcons (map as_run_move ms) (Superstep G P))) (owner v))].
  have [[_ in_l _] _ _ _] := like_l.
  apply/allP/forallP => [all_v v|all_v v out_v].
    by apply/implyP => /all_v; rewrite owner_val -enc_sum -in_l.
  have lt_v := allP outputs_below _ out_v; have := all_v (Ordinal lt_v).
  by rewrite /= out_v /= in_l -owner_val enc_sum.
case: [forall v, _] => //=; congr Some; elim: ms {known_ms known_end like_l} => //= m ms <-.
by case: m => [[[[code p] w] w'] t]; case: code => [|[|[|[|[|[|[|code]]]]]]].
Qed.

End ProcessorsReplay.
