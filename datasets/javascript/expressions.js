/** The tokens of an arithmetic expression. */
class Lexer {
  constructor(text) {
    this.text = String(text);
    this.at = 0;
  }
  next() {
    while (this.text[this.at] === ' ') this.at++;
    if (this.at >= this.text.length) return { kind: 'end' };
    const letter = this.text[this.at];
    if (letter >= '0' && letter <= '9') {
      const start = this.at;
      while (this.text[this.at] >= '0' && this.text[this.at] <= '9') this.at++;
      if (this.text[this.at] === '.') {
        this.at++;
        while (this.text[this.at] >= '0' && this.text[this.at] <= '9') this.at++;
      }
      return { kind: 'number', value: Number(this.text.slice(start, this.at)) };
    }
    this.at++;
    if ('+-*/^()'.includes(letter)) return { kind: letter };
    throw new SyntaxError('unexpected ' + letter);
  }
}

/** The value of an arithmetic expression. */
class Calculator {
  constructor() {
    this.memory = 0;
    this.errors = 0;
  }
  evaluate(text) {
    const lexer = new Lexer(text);
    this.token = lexer.next();
    this.advance = () => { this.token = lexer.next(); };
    const value = this.sum();
    if (this.token.kind !== 'end') throw new SyntaxError('operator expected');
    this.memory = value;
    return value;
  }
  sum() {
    let value = this.product();
    while (this.token.kind === '+' || this.token.kind === '-') {
      const minus = this.token.kind === '-';
      this.advance();
      const right = this.product();
      value = minus ? value - right : value + right;
    }
    return value;
  }
  product() {
    let value = this.power();
    while (this.token.kind === '*' || this.token.kind === '/') {
      const divided = this.token.kind === '/';
      this.advance();
      const right = this.power();
      if (divided && right === 0) {
        this.errors++;
        throw new RangeError('division by zero');
      }
      value = divided ? value / right : value * right;
    }
    return value;
  }
  power() {
    const base = this.atom();
    if (this.token.kind !== '^') return base;
    this.advance();
    return base ** this.power();
  }
  atom() {
    if (this.token.kind === 'number') {
      const { value } = this.token;
      this.advance();
      return value;
    }
    if (this.token.kind === '-') {
      this.advance();
      return -this.atom();
    }
    if (this.token.kind !== '(') throw new SyntaxError('number expected');
    this.advance();
    const value = this.sum();
    if (this.token.kind !== ')') throw new SyntaxError(') expected');
    this.advance();
    return value;
  }
}

module.exports = { Lexer, Calculator };
