/* A sequence of moves with a head that goes anywhere: the state there, and which word holds which vertex. */
class Tape {
  constructor(game, moves) {
    this.game = game;
    this.moves = moves;
    this.rewind();
  }

  rewind() {
    this.at = 0;
    this.state = PebbleRules.start(this.game);
    this.words = new Int32Array(Math.min(this.game.M, this.game.names.length)).fill(-1);
  }

  /* Put the head before move number `target` (the state after that many moves). */
  goTo(target) {
    const wanted = Math.max(0, Math.min(this.moves.length, Math.round(target)));
    if (wanted < this.at) this.rewind();
    const { words } = this;
    const place = (state, { op, vertex }) => {
      const held = words.indexOf(vertex);
      if (op === PebbleRules.DELETE) words[held] = -1;
      else if (held < 0 && op !== PebbleRules.STORE) words[words.indexOf(-1)] = vertex;
    };
    this.state = PebbleRules.applyAll(this.game, this.state, this.moves.slice(this.at, wanted), place);
    this.at = wanted;
  }

  /* Make a move here; what lay beyond the head is given up. */
  push(move) {
    this.moves = [...this.moves.slice(0, this.at), move];
    this.goTo(this.at + 1);
  }

  /* Take other moves, which must be legal, and go to their end. */
  replace(moves) {
    this.rewind();
    this.moves = moves;
    this.goTo(moves.length);
  }

  undo() {
    if (this.at === 0) return null;
    const move = this.moves[this.at - 1];
    const kept = this.moves.slice(0, this.at - 1);
    this.goTo(this.at - 1);
    this.moves = kept;
    return move;
  }

  get last() {
    return this.at ? this.moves[this.at - 1] : null;
  }
}

/* Moves from the columns of the document. */
function movesOf({ op, vertex }) {
  return Array.from(op, (code, i) => ({ op: Number(code), vertex: vertex[i], source: -1 }));
}

function gameOf(board, M) {
  const { names, predecessors, outputs } = board;
  return { names, predecessors, outputs, M, rules: { recomputation: true, sliding: false } };
}

/* The pebblings that the page is made for, in their order. */
function shownFirst(data) {
  return [data.watch, ...data.further];
}
