class Triangle {
  constructor(a, b, c) {
    this.sides = [a, b, c];
  }

  getType() {
    const [a, b, c] = [...this.sides].sort((x, y) => x - y);
    if (!(a > 0)) return 'invalid';
    if (a + b <= c) return 'degenerate';
    if (a === c) return 'equilateral';
    if (a === b || b === c) return 'isosceles';
    return a * a + b * b === c * c ? 'right' : 'scalene';
  }
}

module.exports = { Triangle };
