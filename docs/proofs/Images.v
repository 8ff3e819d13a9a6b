(** * Leaving vertices out, and parts that add up

    docs/proofs/forward.md, under a mask; docs/proofs/softmax.md, the deletion lemma. A map that sends each vertex of a computation to one of another,
    or to nothing, sends pebblings to pebblings: a pebble of the image is red while any vertex with that image is. Images that have no
    vertex in common add up, and what no image has has cost its words besides. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game Times Compulsory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Image.

Variables (G G' : dag) (f : vertex G -> option (vertex G')).

(** Inputs go to inputs, and every output is the image of an output. To compute a vertex is to compute its image, from the images of what
    it is made from, if not one of these has the same image. *)
Definition image := [/\
  forall v v', input v -> f v = Some v' -> input v',
  forall v', output v' -> exists2 v, output v & f v = Some v' &
  forall v v', ~~ input v -> f v = Some v' -> (exists2 p, edge p v & f p = Some v') \/
    ~~ input v' /\ forall p', edge p' v' -> exists2 p, edge p v & f p = Some p'].

Hypothesis is_image : image.

(** The images of a set. *)
Definition images (A : {set vertex G}) := [set v' | [exists v in A, f v == Some v']].

Lemma imagesP (A : {set vertex G}) v' : reflect (exists2 v, v \in A & f v = Some v') (v' \in images A).
Proof.
rewrite inE; apply: (iffP existsP) => [[v /andP[in_A /eqP f_v]]|[v in_A f_v]]; exists v => //.
by rewrite in_A f_v eqxx.
Qed.

Lemma images_add A v : images (v |: A) = if f v is Some v' then v' |: images A else images A.
Proof.
case E: (f v) => [v'|]; apply/setP => u'; rewrite ?in_setU1; apply/imagesP/idP.
- case=> u /setU1P[-> |in_A]; first by rewrite E => -[->]; rewrite eqxx.
  by move=> f_u; apply/orP; right; apply/imagesP; exists u.
- case/orP=> [/eqP ->|/imagesP[u in_A f_u]]; first by exists v; rewrite ?setU11.
  by exists u; rewrite // in_setU1 in_A orbT.
- case=> u /setU1P[-> |in_A]; first by rewrite E.
  by move=> f_u; apply/imagesP; exists u.
by case/imagesP=> u in_A f_u; exists u; rewrite // in_setU1 in_A orbT.
Qed.

Lemma card_images A : #|images A| <= #|A|.
Proof.
rewrite -(card_imset _ (@Some_inj _)); apply: leq_trans (leq_imset_card f A).
apply/subset_leq_card/subsetP => _ /imsetP[v' /imagesP[v in_A f_v] ->].
by rewrite -f_v imset_f.
Qed.

(** A state of the image: as red, and at least as blue. *)
Definition follows (s : state G) (s' : state G') := red s' = images (red s) /\ images (blue s) \subset blue s'.

Variable M : nat.

(** What a move becomes: moves from a state to one that follows, of so many words at most. *)
Definition becomes (s' : state G') (s : state G) words := exists2 ns : seq (move G'),
  all_legal M s' ns & follows s (foldl (@next G') s' ns) /\ io ns <= words.

Lemma stays s s' words : follows s s' -> becomes s' s words.
Proof. by exists [::]. Qed.

(** A pebble taken away. *)
Lemma taken s s' p : #|red s| <= M -> follows s s' -> p \in red s -> becomes s' (State (red s :\ p) (blue s)) 0.
Proof.
move=> few [red_s' blue_s'] red_p.
have smaller : images (red s :\ p) \subset images (red s).
  by apply/subsetP => v' /imagesP[v /setD1P[_ in_v] f_v]; apply/imagesP; exists v.
have few_left : #|images (red s :\ p)| <= M.
  by apply: leq_trans (subset_leq_card smaller) (leq_trans (card_images _) few).
case: (boolP (images (red s) \subset images (red s :\ p))) => [same|/subsetPn[p' in_p' not_left]].
  by apply: stays; split=> //; rewrite red_s'; apply/eqP; rewrite eqEsubset same.
have f_p v : v \in red s -> f v = Some p' -> v = p.
  move=> in_v f_v; apply/eqP; apply: contraR not_left => ne_p; apply/imagesP; exists v => //.
  by rewrite in_setD1 ne_p.
have {f_p} eq_left : images (red s) :\ p' = images (red s :\ p).
  have /imagesP[v in_v f_v] := in_p'; have eq_p := f_p v in_v f_v; rewrite eq_p in f_v.
  apply/setP => u'; apply/setD1P/imagesP => [[ne_u /imagesP[u in_u f_u]]|[u /setD1P[ne_p in_u] f_u]].
    exists u => //; rewrite in_setD1 in_u andbT; apply: contra_neq ne_u => eq_u.
    by move: f_u; rewrite eq_u f_v => -[].
  split; last by apply/imagesP; exists u.
  by apply: contra_neq ne_p => eq_u; apply: f_p => //; rewrite f_u eq_u.
exists [:: Delete p'] => //=; last by rewrite /follows /= red_s' eq_left.
by rewrite /legal /= red_s' in_p' eq_left few_left.
Qed.

(** Where the image of a computed vertex is computed. *)
Lemma computable_image s s' v v' : images (red s) \subset red s' -> computable s v -> f v = Some v' ->
  v' \in images (red s) \/ computable s' v' /\ forall p', edge p' v' -> exists2 p, edge p v & f p = Some p'.
Proof.
move=> sub /andP[not_in /forallP preds] f_v; case: is_image => _ _ /(_ v v' not_in f_v).
have red_pred p : edge p v -> p \in red s by move: (preds p) => /implyP.
case=> [[p edge_p f_p]|[not_in' preds']]; first by left; apply/imagesP; exists p; rewrite ?red_pred.
right; split=> //; rewrite /computable not_in'; apply/forallP => p'; apply/implyP => /preds'[p edge_p f_p].
by apply: (subsetP sub); apply/imagesP; exists p; rewrite ?red_pred.
Qed.

Lemma one_move s s' m : #|red s| <= M -> legal M s m -> follows s s' ->
  becomes s' (next s m) (if m is Load v then f v : bool else if m is Store v then f v : bool else false).
Proof.
move=> few /andP[ok few_next] follow; have [red_s' blue_s'] := follow.
have few_images : #|images (red (next s m))| <= M := leq_trans (card_images _) few_next.
case: m ok few_next few_images => [v|v|v|v|v p] ok few_next few_images.
- rewrite /= in few_images *; case E: (f v) => [v'|]; last by apply: stays; rewrite /follows /= images_add E.
  rewrite images_add E in few_images; exists [:: Load v']; last by rewrite /follows /= images_add E red_s'.
  rewrite /= /legal /= red_s' few_images !andbT; apply: (subsetP blue_s'); apply/imagesP; by exists v.
- rewrite /= in few_images *; case E: (f v) => [v'|]; last by apply: stays; rewrite /follows /= images_add E.
  exists [:: Store v']; last by rewrite /follows /= images_add E setUS.
  rewrite /= /legal /= red_s' few_images !andbT; apply/imagesP; by exists v.
- rewrite /= in few_images *; case E: (f v) => [v'|]; last by apply: stays; rewrite /follows /= images_add E.
  rewrite images_add E in few_images.
  have [|already|[comp _]] := computable_image (s' := s') _ ok E; first by rewrite red_s'.
    by apply: stays; rewrite /follows /= images_add E (setUidPr _) // sub1set.
  exists [:: Compute v']; last by rewrite /follows /= images_add E red_s'.
  by rewrite /= /legal /= comp red_s' few_images.
- exact: taken.
case/and3P: ok => ok edge_p not_red; have red_p : p \in red s.
  by move: ok => /andP[_ /forallP/(_ p)/implyP]; apply.
have [ns legal_ns [[red_ns blue_ns] io_ns]] := taken few follow red_p; rewrite /= in red_ns blue_ns few_images *.
rewrite images_add in few_images; case E: (f v) => [v'|] in few_images *; last first.
  by exists ns; rewrite // /follows /= images_add E.
case: (boolP (v' \in images (red s :\ p))) => [already|not_left].
  by exists ns; rewrite // /follows /= images_add E (setUidPr _) // sub1set.
case: (eqVneq (f p) (Some v')) => [f_p|ne_p].
  (* the image is that of the vertex the pebble comes from *)
  apply: stays; rewrite /follows /= images_add E red_s'; split=> //.
  by have := images_add (red s :\ p) p; rewrite setD1K // f_p => ->.
have [|already|[comp preds]] := computable_image (s' := s') _ ok E; first by rewrite red_s'.
  case/negP: not_left; move: already; rewrite -[red s in X in X -> _](setD1K red_p) images_add.
  by case: (f p) ne_p => [p'|] // ne_p; rewrite in_setU1 => /orP[/eqP eq_v|//]; rewrite eq_v eqxx in ne_p.
case F: (f p) => [p'|]; last first.
  have eq_left : images (red s :\ p) = images (red s) by rewrite -[in RHS](setD1K red_p) images_add F.
  exists [:: Compute v']; last by rewrite /follows /= images_add E red_s' eq_left.
  by rewrite /= /legal /= comp red_s' -eq_left few_images.
case: (boolP (edge p' v' && (p' \notin images (red s :\ p)))) => [/andP[edge' alone]|other].
  have eq_left : images (red s) :\ p' = images (red s :\ p).
    by rewrite -[in LHS](setD1K red_p) images_add F setU1K.
  exists [:: Slide v' p']; last by rewrite /follows /= images_add E red_s' eq_left.
  rewrite /= /legal /= comp edge' red_s' eq_left few_images !andbT.
  rewrite -[red s](setD1K red_p) images_add F in_setU1 negb_or not_left andbT.
  by move: ne_p; rewrite F; apply: contra => /eqP ->.
exists (ns ++ [:: Compute v']).
  have cat_legal (xs ys : seq (move G')) t : all_legal M t (xs ++ ys) =
      all_legal M t xs && all_legal M (foldl (@next G') t xs) ys.
    by elim: xs t => //= x xs IHx t; rewrite IHx andbA.
  rewrite cat_legal legal_ns /= /legal /= red_ns few_images !andbT /computable; case/andP: comp => -> _ /=.
  apply/forallP => q'; apply/implyP => edge_q; rewrite red_ns; have [q edge_q' f_q] := preds q' edge_q.
  case: (eqVneq q p) => [eq_q|ne_q]; last first.
    apply/imagesP; exists q => //; rewrite in_setD1 ne_q /=.
    by move: ok => /andP[_ /forallP/(_ q)/implyP]; apply.
  by move: other; rewrite eq_q F in f_q; case: f_q => ->; rewrite edge_q /= negbK.
rewrite foldl_cat /= /follows /= images_add E red_ns; split=> //.
by rewrite /io count_cat; move: io_ns; rewrite /io leqn0 => /eqP ->.
Qed.

(** The loads and stores of vertices that a predicate holds of. *)
Definition io_of (P : pred (vertex G)) (ms : seq (move G)) :=
  count (fun m => match m with Load v | Store v => P v | _ => false end) ms.

Lemma image_bound ms : pebbling M ms -> exists2 ms' : seq (move G'), pebbling M ms' & io ms' <= io_of (fun v => f v) ms.
Proof.
move=> /andP[legal_ms outputs]; case: is_image => in_in out_out _.
have few : #|red (start G)| <= M by rewrite cards0.
have follow : follows (start G) (start G').
  split; first by apply/setP => v'; apply/idP/imagesP => [|[v]]; rewrite inE.
  by apply/subsetP => v' /imagesP[v]; rewrite !inE => in_v f_v; apply: in_in in_v f_v.
have {legal_ms} [ms' legal' [[_ blue'] io_ms']] : exists2 ms', all_legal M (start G') ms' &
    follows (foldl (@next G) (start G) ms) (foldl (@next G') (start G') ms') /\ io ms' <= io_of (fun v => f v) ms.
  elim: ms (start G) (start G') few follow legal_ms {outputs} => [|m ms IH] s s' few follow /=; first by exists [::].
  case/andP=> legal_m legal_ms; have [ns legal_ns [follow_ns io_ns]] := one_move few legal_m follow.
  have few_next : #|red (next s m)| <= M by case/andP: legal_m.
  have [ms' legal' [follow' io_ms']] := IH _ _ few_next follow_ns legal_ms.
  exists (ns ++ ms'); last first.
    rewrite foldl_cat; split=> //; rewrite /io count_cat leq_add //; apply: leq_trans io_ns _.
    by case: (m).
  by elim: ns s' legal_ns legal' {follow follow_ns io_ns follow'} => //= n ns IHn s' /andP[-> /IHn].
exists ms' => //; rewrite /pebbling legal' /=; apply/forallP => v'; apply/implyP => /out_out[v out_v f_v].
apply: (subsetP blue'); apply/imagesP; exists v => //.
exact: (implyP (forallP outputs v)).
Qed.

(** Vertices that must be loaded or stored and that the predicate does not hold of. *)
Lemma io_others (P : pred (vertex G)) ms : pebbling M ms ->
  io_of P ms + #|[set v | (v \in needed_inputs G :|: made_outputs G) && ~~ P v]| <= io ms.
Proof.
move=> legal_ms.
pose other (m : move G) := match m with Load v | Store v => if P v then None else Some v | _ => None end.
have -> : io ms = io_of P ms + count (fun m => other m : bool) ms.
  rewrite /io /io_of; elim: (ms) => //= m ns ->; case: m => [v|v|v|v|v p] /=; case: (P v) => /=; lia.
rewrite leq_add2l; pose moved t := if ohead (drop t ms) is Some m then other m else None.
have -> : count (fun m => other m : bool) ms = \sum_(t < size ms) (moved t : bool).
  rewrite /moved; elim: (ms) => [|m ns IH]; first by rewrite big_ord0.
  by rewrite /= big_ord_recl /= IH.
apply: card_times => v; rewrite !inE => /andP[needed /negbTE no_P].
have there t m : ohead (drop t ms) = Some m -> other m = Some v -> exists2 t, t < size ms & moved t = Some v.
  move=> at_t is_v; exists t; last by rewrite /moved at_t.
  by rewrite ltnNge; apply/negP => ge_t; move: at_t; rewrite drop_oversize.
case/orP: needed => [needed|/andP[out_v not_in]].
  have [|u load_u] := needed_loaded (v := v) legal_ms; first by rewrite inE.
  move: load_u; rewrite /loaded /move_at; case E: (ohead _) => [[w|w|w|w|w q]|] // [eq_w].
  by apply: (there _ _ E); rewrite /= eq_w no_P.
have [t _ st_t] := output_stored legal_ms out_v not_in.
move: st_t; rewrite /stored /move_at; case E: (ohead _) => [[w|w|w|w|w q]|] // [eq_w].
by apply: (there _ _ E); rewrite /= eq_w no_P.
Qed.

End Image.

(** ** Parts *)

Section Parts.

Variables (I : finType) (G : dag) (part : I -> dag) (f : forall i, vertex G -> option (vertex (part i))).
Hypothesis parts : forall i, image (f i).
Hypothesis apart : forall i j v, f i v -> f j v -> i = j.

(** What must be loaded or stored and is in no part. *)
Definition in_no_part := [set v | (v \in needed_inputs G :|: made_outputs G) && ~~ [exists i, f i v : bool]].

(** A pebbling of the whole costs what pebblings of the parts cost, and what is in no part. *)
Theorem parts_bound M (ms : seq (move G)) (words : I -> nat) :
  (forall i (ms' : seq (move (part i))), pebbling M ms' -> words i <= io ms') ->
  pebbling M ms -> \sum_i words i + #|in_no_part| <= io ms.
Proof.
move=> costs legal_ms; apply: leq_trans (io_others (fun v => [exists i, f i v : bool]) legal_ms); rewrite leq_add2r.
apply: (@leq_trans (\sum_i io_of (fun v => f i v) ms)).
  apply: leq_sum => i _; have [ms' legal' le_io] := image_bound (parts i) legal_ms.
  exact: leq_trans (costs i ms' legal') le_io.
have one v : \sum_i (f i v : bool) <= [exists i, f i v : bool].
  case: existsP => [[i f_i]|none]; last by rewrite big1 // => i _; case E: (isSome _) => //; case: none; exists i.
  by rewrite (bigD1 i) //= f_i big1 // => j ne_j; case E: (isSome _) => //; rewrite (apart f_i E) eqxx in ne_j.
elim: (ms) => [|m ns IH]; first by rewrite big1.
rewrite /io_of /= big_split /=; apply: leq_add IH; case: m => [v|v|v|v|v p] //; by rewrite big1.
Qed.

End Parts.
