(** * Several memory levels

    The game of docs/levels.md, and Theorem M: at the boundary outside a level at least as many words move as with one fast memory that has
    the words of all levels up to it; in an inclusive hierarchy, of that level alone. *)

From mathcomp Require Import all_ssreflect zify.
From Pebble Require Import Game.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Rules.

(** A computation; levels [1 .. L] from the inside, level [l] with [size l] words; beyond them slow memory, level [L + 1]. In an
    inclusive hierarchy each level holds what the levels within hold. *)
Variables (G : dag) (L : nat) (size : nat -> nat) (inclusive : bool).

(** What each level holds, and of what it has the value. *)
Record level_state := Levels { held : nat -> {set vertex G}; value : nat -> {set vertex G} }.

Inductive level_move :=
  | LoadTo of nat & vertex G (* from the level beyond *)
  | StoreFrom of nat & vertex G (* to the level beyond *)
  | ComputeAt1 of vertex G
  | DeleteAt of nat & vertex G.

Definition add_at (f : nat -> {set vertex G}) l v := fun k => if k == l then v |: f k else f k.
Definition drop_at (f : nat -> {set vertex G}) l v := fun k => if k == l then f k :\ v else f k.
Definition add_at_all (f : nat -> {set vertex G}) v := fun k => if 0 < k <= L then v |: f k else f k.

Definition level_start := Levels (fun _ => set0) (fun k => if k == L.+1 then [set v | input v] else set0).

Definition level_next s m :=
  match m with
  | LoadTo l v => Levels (add_at (held s) l v) (add_at (value s) l v)
  | StoreFrom l v => Levels (if l < L then add_at (held s) l.+1 v else held s) (add_at (value s) l.+1 v)
  | ComputeAt1 v => Levels (if inclusive then add_at_all (held s) v else add_at (held s) 1 v) (add_at (value s) 1 v)
  | DeleteAt l v => Levels (drop_at (held s) l v) (drop_at (value s) l v)
  end.

Definition level_rule s m :=
  match m with
  | LoadTo l v => (0 < l <= L) && (v \in value s l.+1)
  | StoreFrom l v => (0 < l <= L) && (v \in value s l)
  | ComputeAt1 v => ~~ input v && [forall p, edge p v ==> (p \in value s 1)]
  | DeleteAt l v => [&& 0 < l <= L, v \in held s l & inclusive ==> ((l == 1) || (v \notin held s l.-1))]
  end.

Definition level_legal s m :=
  level_rule s m && [forall l : 'I_L, #|held (level_next s m) l.+1| <= size l.+1].

Fixpoint all_level_legal s ms := if ms is m :: ms' then level_legal s m && all_level_legal (level_next s m) ms' else true.

Definition level_pebbling ms := all_level_legal level_start ms &&
  [forall v, output v ==> (v \in value (foldl level_next level_start ms) L.+1)].

(** The words that move at the boundary outside level [l]. *)
Definition boundary l (ms : seq level_move) :=
  count (fun m => match m with LoadTo k _ | StoreFrom k _ => k == l | _ => false end) ms.

(** ** Theorem M *)

Variable l : nat.
Hypothesis l_gt0 : 0 < l.
Hypothesis le_l : l <= L.

(** Red is what a level up to [l] holds. *)
Definition inside (f : nat -> {set vertex G}) := \bigcup_(k < l) f k.+1.

Notation family := (nat -> {set vertex G}).

Lemma insideP (f : family) v : reflect (exists2 k, 0 < k <= l & v \in f k) (v \in inside f).
Proof.
apply: (iffP bigcupP) => [[k _ in_k]|[[//|k] le_k in_k]]; first by exists k.+1 => //=; apply: ltn_ord.
by exists (Ordinal le_k).
Qed.

Lemma inside_add (f : family) k v : inside (add_at f k v) = if 0 < k <= l then v |: inside f else inside f.
Proof.
apply/setP => u; case: ifP => [le_k|far].
  rewrite in_setU1; apply/insideP/orP => [[j le_j]|[/eqP ->|/insideP[j le_j in_j]]].
  - move=> in_add; case: (boolP (u == v)) => [_|ne_u]; [by left|right; apply/insideP; exists j => //].
    by move: in_add; rewrite /add_at; case: eqP => _; rewrite // in_setU1 (negbTE ne_u).
  - by exists k => //; rewrite /add_at eqxx setU11.
  by exists j => //; rewrite /add_at; case: ifP => _; rewrite ?in_setU1 in_j ?orbT.
by apply/insideP/insideP => -[j le_j in_j]; exists j => //; move: in_j; rewrite /add_at; case: eqP => // eq_j; rewrite eq_j far in le_j.
Qed.

Lemma inside_add_all (f : family) v : inside (add_at_all f v) = v |: inside f.
Proof.
have within k : 0 < k <= l -> 0 < k <= L by case/andP=> -> /leq_trans ->.
apply/setP => u; rewrite in_setU1; apply/insideP/orP => [[j le_j]|[/eqP ->|/insideP[j le_j in_j]]].
- rewrite /add_at_all within // in_setU1 => /orP[->|in_j]; [by left|by right; apply/insideP; exists j].
- by exists l; rewrite ?l_gt0 ?leqnn // /add_at_all l_gt0 le_l setU11.
by exists j => //; rewrite /add_at_all within // in_setU1 in_j orbT.
Qed.

(** The words of the levels up to [l], of which the least is enough that the hierarchy needs. *)
Definition room := if inclusive then size l else \sum_(k < l) size k.+1.

(** A value is where its word is; an inclusive level holds what is within; what has a value beyond [l] is blue. *)
Definition follows (s : level_state) (s' : state G) :=
  [/\ forall k, 0 < k <= L -> value s k \subset held s k,
      inclusive -> forall k, 0 < k < L -> held s k \subset held s k.+1,
      red s' = inside (held s) & forall k, l < k <= L.+1 -> value s k \subset blue s'].

Definition translate s m : seq (move G) :=
  match m with
  | LoadTo k v => if k == l then [:: Load v] else [::]
  | StoreFrom k v => if k == l then [:: Store v] else [::]
  | ComputeAt1 v => [:: Compute v]
  | DeleteAt k v => if (v \in inside (held s)) && (v \notin inside (drop_at (held s) k v)) then [:: Delete v] else [::]
  end.

Lemma inside_drop (f : family) k v :
  inside (drop_at f k v) = if v \in inside (drop_at f k v) then inside f else inside f :\ v.
Proof.
have sub u : u \in inside (drop_at f k v) -> u \in inside f.
  case/insideP=> j le_j; rewrite /drop_at; case: eqP => [_|_]; first rewrite in_setD1 => /andP[_]; by move=> in_j; apply/insideP; exists j.
have sup u : u \in inside f -> u != v -> u \in inside (drop_at f k v).
  case/insideP=> j le_j in_j ne_u; apply/insideP; exists j => //.
  by rewrite /drop_at; case: eqP => _; rewrite ?in_setD1 ?ne_u.
case: ifP => in_v; apply/setP => u; case: (eqVneq u v) => [->|ne_u].
- by rewrite in_v sub.
- by apply/idP/idP => [/sub|/sup]; [|apply].
- by rewrite in_v in_setD1 eqxx.
by rewrite in_setD1 ne_u; apply/idP/idP => [/sub|/sup]; [|apply].
Qed.

Lemma card_inside (f : family) : (inclusive -> forall k, 0 < k < L -> f k \subset f k.+1) ->
  (forall k : 'I_L, #|f k.+1| <= size k.+1) -> #|inside f| <= room.
Proof.
rewrite /room /inside; case: inclusive => [/(_ isT) mono|_] fits.
  case: l l_gt0 le_l => // n _ lt_n; apply: leq_trans (fits (Ordinal lt_n)).
  apply/subset_leq_card/bigcupsP => -[k lt_k] _ /=; rewrite ltnS in lt_k.
  elim: n lt_n lt_k => [|n IH] lt_n; first by rewrite leqn0 => /eqP ->.
  rewrite leq_eqVlt => /predU1P[-> //|lt_k].
  by apply: subset_trans (IH (ltnW lt_n) lt_k) (mono _ _).
apply: (@leq_trans (\sum_(k < l) #|f k.+1|)).
  elim/big_ind2: _ => [|A m B n le_m le_n|//]; first by rewrite cards0.
  by apply: leq_trans (leq_card_setU _ _) (leq_add le_m le_n).
by apply: leq_sum => k _; have := fits (widen_ord le_l k).
Qed.

Lemma follow_next s s' m : follows s s' -> level_rule s m -> follows (level_next s m) (foldl (@next G) s' (translate s m)).
Proof.
move=> [val_held mono red_s blue_s]; have in_held k v : 0 < k <= L -> v \in value s k -> v \in held s k.
  by move=> le_k; apply: (subsetP (val_held k le_k)).
have in_blue k v : l < k <= L.+1 -> v \in value s k -> v \in blue s' by move=> le_k; apply: (subsetP (blue_s k le_k)).
have in_red k v : 0 < k <= l -> v \in held s k -> v \in inside (held s) by move=> le_k in_k; apply/insideP; exists k.
case: m => [k v|k v|v|k v] /=.
- case/andP=> /andP[k_gt0 le_k] in_v; split.
  + by move=> j le_j; rewrite /= /add_at; case: eqP => _; [apply: setUS|]; apply: val_held.
  + move=> incl j /andP[j_gt0 lt_j]; rewrite /= /add_at; case: eqP => [eq_j|_]; last first.
      by case: eqP => _; [apply: subset_trans (subsetUr _ _)|]; apply: mono => //; rewrite j_gt0.
    rewrite (negbTE (_ : j.+1 != k)); last by rewrite eq_j eqn_leq ltnn.
    by rewrite subUset sub1set mono ?j_gt0 // andbT; apply: in_held; rewrite // eq_j.
  + rewrite inside_add; case: (eqVneq k l) => [->|ne_k]; first by rewrite l_gt0 leqnn /= red_s.
    case: ifP => //= /andP[_ le_kl]; rewrite red_s; apply/esym/setUidPr; rewrite sub1set.
    have lt_kl : k < l by rewrite ltn_neqAle ne_k.
    by apply: (in_red k.+1) => //; apply: in_held => //; apply: leq_trans le_l.
  move=> j /andP[lt_j le_j]; have -> : blue (foldl (@next G) s' (if k == l then [:: Load v] else [::])) = blue s' by case: ifP.
  rewrite /= /add_at; case: eqP => [eq_j|_]; last by apply: blue_s; rewrite lt_j.
  rewrite subUset sub1set blue_s ?lt_j // andbT; apply: (in_blue k.+1) => //.
  by rewrite -eq_j ltnW //= ltnS eq_j.
- case/andP=> /andP[k_gt0 le_k] in_v; have held_v := in_held k v (introT andP (conj k_gt0 le_k)) in_v; split.
  + move=> j /andP[j_gt0 le_j]; rewrite /= /add_at; case: (eqVneq j k.+1) => [eq_j|ne_j]; last first.
      by case: ifP => _; rewrite ?(negbTE ne_j); apply: val_held; rewrite j_gt0.
    by rewrite -eq_j le_j eqxx; apply: setUS; apply: val_held; rewrite j_gt0.
  + move=> incl j /andP[j_gt0 lt_j] /=; case: ifP => lt_k; last by apply: mono; rewrite ?j_gt0.
    rewrite /add_at; case: eqP => [eq_j|_]; last first.
      by case: eqP => _; [apply: subset_trans (subsetUr _ _)|]; apply: mono => //; rewrite j_gt0.
    rewrite (negbTE (_ : j.+1 != k.+1)); last by rewrite eq_j eqn_leq ltnn.
    have sub_j : held s j \subset held s j.+1 by apply: mono; rewrite ?j_gt0.
    rewrite subUset sub1set sub_j andbT; apply: (subsetP sub_j); rewrite eq_j; move: held_v; apply: subsetP; apply: mono => //.
    by rewrite k_gt0.
  + have -> : red (foldl (@next G) s' (if k == l then [:: Store v] else [::])) = red s' by case: ifP.
    case: ifP => // lt_k; rewrite inside_add red_s; case: ifP => // /andP[_ lt_kl]; apply/esym/setUidPr; rewrite sub1set.
    by apply: (in_red k) => //; rewrite k_gt0 ltnW.
  move=> j /andP[lt_j le_j]; rewrite /= /add_at; case: (eqVneq j k.+1) => [eq_j|_]; last first.
    by case: ifP => _ /=; [apply: subset_trans (subsetUr _ _)|]; apply: blue_s; rewrite lt_j.
  have sub_j : value s j \subset blue s' by apply: blue_s; rewrite lt_j.
  case: (eqVneq k l) => [eq_k|ne_k] /=; first exact: setUS.
  rewrite subUset sub1set sub_j andbT; apply: (in_blue k) => //; rewrite ltn_neqAle eq_sym ne_k /= -ltnS -eq_j lt_j.
  by rewrite ltnW // ltnS.
- case/andP=> _ _; split.
  + move=> j le_j; rewrite /= /add_at /add_at_all; case: inclusive; rewrite ?le_j; case: eqP => _ //; try by apply: setUS; apply: val_held.
      by apply: subset_trans (val_held _ le_j) (subsetUr _ _).
    exact: val_held.
  + move=> incl j /andP[j_gt0 lt_j]; rewrite /= incl /add_at_all j_gt0 (ltnW lt_j) /= lt_j; apply: setUS; apply: mono => //.
    by rewrite j_gt0.
  + by rewrite /=; case: inclusive; rewrite ?inside_add_all ?inside_add red_s // l_gt0.
  move=> j /andP[lt_j le_j]; rewrite /= /add_at; case: eqP => [eq_j|_]; last by apply: blue_s; rewrite lt_j.
  by move: lt_j; rewrite eq_j ltnS leqNgt l_gt0.
case/and3P=> le_k in_v apart; split.
- by move=> j le_j; rewrite /= /drop_at; case: eqP => _; [apply: setSD; apply: val_held|apply: val_held].
- move=> incl j /andP[j_gt0 lt_j]; have sub_j : held s j \subset held s j.+1 by apply: mono; rewrite ?j_gt0.
  rewrite /= /drop_at; case: eqP => [eq_j|ne_j].
    by rewrite (negbTE (_ : j.+1 != k)) ?(subset_trans (subsetDl _ _)) // eq_j eqn_leq ltnn.
  case: eqP => // eq_j; rewrite subsetD1 sub_j /=; move: apart; rewrite incl -eq_j /= eqSS => /orP[/eqP j0|//].
  by rewrite j0 in j_gt0.
- have := inside_drop (held s) k v; rewrite /=; move: (inside (drop_at (held s) k v)) => D.
  case: (boolP (v \in inside (held s))) => [_|out]; case: (v \in D) => /= ->; rewrite red_s //.
  by apply/setP => u; rewrite in_setD1; case: (eqVneq u v) => [->|]; rewrite ?(negbTE out).
move=> j le_j; have -> : blue (foldl (@next G) s' (if (v \in inside (held s)) && (v \notin inside (drop_at (held s) k v)) then [:: Delete v] else [::])) = blue s'.
  by case: ifP.
by rewrite /= /drop_at; case: eqP => _; [apply: subset_trans (subsetDl _ _) _|]; apply: blue_s.
Qed.

Lemma step_next s s' m ms : follows s s' -> level_legal s m -> boundary l (m :: ms) = io (translate s m) + boundary l ms /\
  all_legal room s' (translate s m).
Proof.
move=> fol /andP[rule /forallP fits]; have fol' := follow_next fol rule.
have le_room : #|red (foldl (@next G) s' (translate s m))| <= room.
  by have [_ mono -> _] := fol'; apply: card_inside.
have [val_held _ red_s blue_s] := fol; split.
  by case: m {rule fits fol' le_room} => [k v|k v|v|k v] //=; case: ifP.
case: m rule le_room {fits fol'} => [k v|k v|v|k v] /=; rewrite /translate.
- case/andP=> _ in_v; case: eqP => //= eq_k fits; rewrite andbT; apply/andP; split; last exact: fits.
  by apply: (subsetP (blue_s l.+1 _)); rewrite -?eq_k // eq_k leqnn ltnS.
- case/andP=> le_k in_v; case: eqP => //= eq_k fits; rewrite andbT; apply/andP; split; last exact: fits.
  rewrite red_s; apply/insideP; exists k; first by rewrite eq_k l_gt0 leqnn.
  exact: (subsetP (val_held k le_k)).
- case/andP=> not_in /forallP ops fits; rewrite andbT; apply/andP; split; last exact: fits.
  rewrite /computable not_in; apply/forallP => p; apply/implyP => edge_p.
  have := ops p; rewrite edge_p red_s => in_p; apply/insideP; exists 1; rewrite ?l_gt0 //.
  exact: (subsetP (val_held 1 (leq_trans l_gt0 le_l))).
by move=> _; case: ifP => //= /andP[in_v _] fits; rewrite andbT; apply/andP; split; [rewrite red_s|exact: fits].
Qed.

(** Theorem M: what the boundary outside of [l] sees is a pebbling with one fast memory. *)
Theorem M ms : level_pebbling ms -> exists2 ns : seq (move G), pebbling room ns & io ns = boundary l ms.
Proof.
suff sim s s' : follows s s' -> all_level_legal s ms -> exists ns : seq (move G),
    [/\ all_legal room s' ns, follows (foldl level_next s ms) (foldl (@next G) s' ns) & io ns = boundary l ms].
  case/andP=> legal_ms /forallP outs; have [|ns [legal_ns fol io_ns]] := sim level_start (start G) _ legal_ms.
    split=> [k /andP[_ le_k]|_ k _||k /andP[_ _]] /=; rewrite ?sub0set //.
    - by rewrite ltn_eqF ?sub0set // ltnS.
    - by apply/esym/eqP; rewrite -subset0; apply/bigcupsP.
    by case: ifP; rewrite ?sub0set.
  exists ns => //; rewrite /pebbling legal_ns; apply/forallP => v; apply/implyP => out_v.
  have [_ _ _ blue_s] := fol; apply: (subsetP (blue_s L.+1 _)); first by rewrite ltnS le_l leqnn.
  by have := outs v; rewrite out_v.
elim: ms s s' => [|m ms IH] s s' fol /=; first by exists [::].
case/andP=> legal_m legal_ms; have [eq_io legal_t] := step_next ms fol legal_m.
have rule : level_rule s m by case/andP: legal_m.
have [ns [legal_ns fol_ns io_ns]] := IH _ _ (follow_next fol rule) legal_ms.
exists (translate s m ++ ns); split.
- elim: (translate s m) s' legal_t legal_ns {fol fol_ns IH} => //= n t IHt s' /andP[-> legal_t] legal_ns.
  exact: IHt.
- by rewrite foldl_cat.
by rewrite /io count_cat -/(io _) -/(io ns) io_ns.
Qed.

(** So a bound for one fast memory holds at the boundary. *)
Corollary M_bound words ms : (forall ns : seq (move G), pebbling room ns -> words <= io ns) -> level_pebbling ms ->
  words <= boundary l ms.
Proof. by move=> bound /M[ns legal_ns <-]; apply: bound. Qed.

End Rules.
