/** The score of a game of tennis. */
class TennisGame {
  constructor() { this.points = [0, 0]; }
  point(player) {
    if (player !== 0 && player !== 1) throw new RangeError('player');
    if (this.winner() !== null) return false;
    this.points[player]++;
    return true;
  }
  winner() {
    const [a, b] = this.points;
    if (a >= 4 && a - b >= 2) return 0;
    return b >= 4 && b - a >= 2 ? 1 : null;
  }
  call() {
    const [a, b] = this.points;
    if (this.winner() !== null) return 'game';
    if (a >= 3 && b >= 3) {
      if (a === b) return 'deuce';
      return a > b ? 'advantage first' : 'advantage second';
    }
    return a === b ? ['love', 'fifteen', 'thirty'][a] + ' all' : 'running';
  }
}

/** The score of a game of bowling by frames. */
class Bowling {
  constructor() { this.rolls = []; }
  roll(pins) {
    if (!Number.isInteger(pins) || pins < 0 || pins > 10) return false;
    if (this.isOver()) return false;
    if (this.open() + pins > 10) return false;
    this.rolls.push(pins);
    return true;
  }
  open() {
    let at = 0;
    while (at < this.rolls.length) {
      if (this.rolls[at] === 10) at += 1;
      else if (at + 1 < this.rolls.length) at += 2;
      else return this.rolls[at];
    }
    return 0;
  }
  isOver() { return this.frames() >= 10; }
  frames() {
    let [at, frames] = [0, 0];
    while (at < this.rolls.length) {
      if (this.rolls[at] === 10) at += 1;
      else if (at + 1 < this.rolls.length) at += 2;
      else break;
      frames++;
    }
    return frames;
  }
  score() {
    let [at, score] = [0, 0];
    for (let frame = 0; frame < this.frames(); frame++) {
      if (this.rolls[at] === 10) {
        score += 10 + (this.rolls[at + 1] ?? 0) + (this.rolls[at + 2] ?? 0);
        at += 1;
      } else {
        const both = this.rolls[at] + this.rolls[at + 1];
        score += both === 10 ? 10 + (this.rolls[at + 2] ?? 0) : both;
        at += 2;
      }
    }
    return score;
  }
}

/** Moves of chess pieces on an empty board with columns and rows from 1 to 8. */
class ChessPiece {
  constructor(kind, column, row) {
    this.kind = kind;
    this.column = column;
    this.row = row;
  }
  reaches(column, row) {
    if (!(column >= 1 && column <= 8 && row >= 1 && row <= 8)) return false;
    const across = Math.abs(column - this.column);
    const up = Math.abs(row - this.row);
    if (across === 0 && up === 0) return false;
    switch (this.kind) {
      case 'king': return across <= 1 && up <= 1;
      case 'queen': return across === up || across === 0 || up === 0;
      case 'rook': return across === 0 || up === 0;
      case 'bishop': return across === up;
      case 'knight': return across === 1 && up === 2 || across === 2 && up === 1;
      case 'pawn': return across === 0 && (row - this.row === 1 || this.row === 2 && row === 4);
      default: throw new TypeError('piece');
    }
  }
}

module.exports = { TennisGame, Bowling, ChessPiece };
