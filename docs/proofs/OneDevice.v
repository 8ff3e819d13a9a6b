(** * One device

    Any run of the game of several devices with one device and a fast memory is a pebbling of AnyOrder.v that costs as much. *)

From mathcomp Require Import all_ssreflect.
From Pebble Require Import Game AnyOrder.
From Pebble Require Processors.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section OneDevice.

Variables (G : dag) (free : rel (vertex G)) (owner : vertex G -> 'I_1) (H : option nat) (M : nat).

Definition as_moves (m : Processors.move G 1) : seq (move G) :=
  match m with
  | Processors.Load _ w => [:: Load w]
  | Processors.Store _ w => [:: Store w]
  | Processors.Delete _ w => [:: Delete w]
  | Processors.Compute _ T t => [:: Compute T t set0]
  | Processors.Merge _ T T' => [:: Merge T T' set0]
  | Processors.Discard _ _ | Processors.Send _ _ _ | Processors.Superstep => [::]
  end.

Definition alike (s : Processors.state G 1) (s' : state G) :=
  [/\ red s' = Processors.fast s ord0, Processors.memory s ord0 \subset blue s' & Processors.sends s = set0].

Lemma alike_next s s' m : alike s s' -> Processors.legal free H (Some M) s m ->
  all_legal free M s' (as_moves m) /\ alike (Processors.next (Some M) s m) (foldl (@next G) s' (as_moves m)).
Proof.
case: s s' => [mem fast sends left] [R B] [/= -> sub no_sends] /andP[rule /forallP /(_ ord0) /andP[_ /=]].
case: m rule => [p w|p w|p w|p T t|p T T'|p w|w p q|] /=;
  rewrite ?(ord1 p) /legal /alike /Processors.put /Processors.take /Processors.arriving /Processors.left ?eqxx /= ?setD0 ?andbT.
- by move=> in_m ->; rewrite (subsetP sub).
- by move=> -> ->; split=> //; split=> //; exact: setUS.
- by move=> -> ->.
- by move=> -> ->.
- by case/and4P=> -> -> dis one ->; rewrite /addable dis one.
- move=> /andP[_ _] _; split=> //; case: ifP => _; split=> //=; exact: subset_trans (subD1set _ _) sub.
- by rewrite (ord1 q) eqxx.
move=> _ _; split=> //; split=> //; apply: subset_trans (subsetDl _ _) _.
apply/subsetP => w; rewrite !inE => /orP[/(subsetP sub) //|/existsP[p]]; by rewrite no_sends inE.
Qed.

Lemma alike_all s s' ms : alike s s' -> Processors.all_legal free H (Some M) s ms ->
  all_legal free M s' (flatten (map as_moves ms)) /\
  alike (foldl (Processors.next (Some M)) s ms) (foldl (@next G) s' (flatten (map as_moves ms))).
Proof.
elim: ms s s' => //= m ms IH s s' like /andP[legal_m legal_ms].
have [legal_m' like'] := alike_next like legal_m; have [legal_ms' like_all] := IH _ _ like' legal_ms.
by rewrite foldl_cat; split=> //; case: m legal_m' legal_ms' {legal_m legal_ms like' like_all} => [p w|p w|p w|p T t|p T T'|p w|w p q|] //= /andP[-> _].
Qed.

Theorem one_device (ms : seq (Processors.move G 1)) : Processors.run free owner H (Some M) ms ->
  exists2 ms' : seq (move G), pebbling free M ms' &
    io ms' = count (fun m => match m with Processors.Load _ _ | Processors.Store _ _ => true | _ => false end) ms.
Proof.
case/and3P=> _ legal_ms /forallP outs; exists (flatten (map as_moves (rcons ms (Processors.Superstep G 1)))).
  have begin : alike (Processors.start free owner) (start free).
    split=> //=; apply/subsetP => w; rewrite !inE => /existsP[v /and3P[in_v _ eq_w]].
    by apply/existsP; exists v; rewrite in_v.
  have [legal_ms' [_ sub _]] := alike_all begin legal_ms; rewrite /pebbling legal_ms'; apply/forallP => v; apply/implyP => out_v.
  by apply: (subsetP sub); have /implyP/(_ out_v) := outs v; rewrite (ord1 (owner v)).
rewrite map_rcons flatten_rcons cats0 {legal_ms outs}; elim: ms => //= m ms IH.
by rewrite /io count_cat; rewrite /io in IH; rewrite IH; case: m.
Qed.

End OneDevice.
