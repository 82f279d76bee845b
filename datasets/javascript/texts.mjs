export class Tokenizer {
  constructor(text) { this.text = text; this.at = 0; }
  next() {
    while (this.text[this.at] === ' ') this.at++;
    if (this.at >= this.text.length) return null;
    const letter = this.text[this.at];
    if (letter >= '0' && letter <= '9') {
      let number = '';
      while (this.text[this.at] >= '0' && this.text[this.at] <= '9') number += this.text[this.at++];
      return { type: 'number', value: Number(number) };
    }
    this.at++;
    return '+-*/()'.includes(letter) ? { type: 'operator', value: letter } : { type: 'letter', value: letter };
  }
}

export class CaseConverter {
  toSnake(name) { return name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase(); }
  toCamel(name) {
    const [first = '', ...rest] = name.split(/[_\s-]+/);
    return first.toLowerCase() + rest.map(part => part ? part[0].toUpperCase() + part.slice(1) : '').join('');
  }
}

export class Palindrome {
  check(text) {
    let i = 0;
    let j = text.length - 1;
    while (i < j) {
      if (text[i] === ' ') {
        i++;
      } else if (text[j] === ' ') {
        j--;
      } else if (text[i++] !== text[j--]) {
        return false;
      }
    }
    return true;
  }
}

export class Template {
  constructor(source) { this.source = source; }
  render(values) {
    return this.source.replace(/\{(\w+)\}/g, (all, name) => name in values ? String(values[name]) : all);
  }
}

export class Version {
  constructor(text) {
    const match = /^v?(\d+)\.(\d+)(?:\.(\d+))?$/.exec(text);
    if (match === null) throw new SyntaxError('not a version');
    [this.major, this.minor, this.patch] = [match[1], match[2], match[3] ?? '0'].map(Number);
  }
  compare(other) {
    for (const part of ['major', 'minor', 'patch']) {
      if (this[part] !== other[part]) return this[part] < other[part] ? -1 : 1;
    }
    return 0;
  }
}

export class Wrapper {
  wrap(text, width = 10) {
    if (width < 1) return [text];
    const lines = [];
    let line = '';
    for (const word of text.split(' ')) {
      if (line !== '' && line.length + word.length + 1 > width) {
        lines.push(line);
        line = word;
      } else {
        line = line === '' ? word : line + ' ' + word;
      }
    }
    lines.push(line);
    return lines;
  }
}
