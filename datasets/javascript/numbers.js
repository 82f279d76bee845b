class Fraction {
  constructor(numerator, denominator = 1) {
    if (denominator === 0) throw new RangeError('division by zero');
    const sign = denominator < 0 ? -1 : 1;
    const divisor = Fraction.gcd(Math.abs(numerator), Math.abs(denominator)) || 1;
    this.numerator = sign * numerator / divisor;
    this.denominator = sign * denominator / divisor;
  }
  static gcd(a, b) {
    for (let i = 0; b && i < 100; i++) [a, b] = [b, a % b];
    return a;
  }
  plus(other) {
    return new Fraction(
      this.numerator * other.denominator + other.numerator * this.denominator,
      this.denominator * other.denominator);
  }
  compare(other) {
    const difference = this.numerator * other.denominator - other.numerator * this.denominator;
    return difference < 0 ? -1 : difference > 0 ? 1 : 0;
  }
}

class Complex {
  constructor(re, im) { this.re = re; this.im = im; }
  times(other) {
    return new Complex(this.re * other.re - this.im * other.im, this.re * other.im + this.im * other.re);
  }
  isReal() { return this.im === 0; }
}

class Interval {
  constructor(low, high) {
    if (low > high) [low, high] = [high, low];
    this.low = low;
    this.high = high;
  }
  contains(x) { return x >= this.low && x <= this.high; }
  meet(other) {
    const low = Math.max(this.low, other.low);
    const high = Math.min(this.high, other.high);
    return low <= high ? new Interval(low, high) : null;
  }
}

class Statistics {
  constructor() { this.n = 0; this.mean = 0; this.m2 = 0; }
  add(x) {
    if (Number.isNaN(x)) return this.n;
    this.n++;
    const delta = x - this.mean;
    this.mean += delta / this.n;
    this.m2 += delta * (x - this.mean);
    return this.n;
  }
  variance() { return this.n < 2 ? 0 : this.m2 / (this.n - 1); }
}

class Polynomial {
  constructor(...coefficients) { this.coefficients = coefficients; }
  at(x) { return this.coefficients.reduceRight((sum, c) => sum * x + c, 0); }
  degree() {
    let d = this.coefficients.length - 1;
    while (d > 0 && this.coefficients[d] === 0) d--;
    return d;
  }
}

class Primes {
  isPrime(n) {
    if (n < 2 || n % 1 !== 0 || n > 1e6) return false;
    if (n % 2 === 0) return n === 2;
    for (let d = 3; d * d <= n; d += 2) {
      if (n % d === 0) return false;
    }
    return true;
  }
}

class Roman {
  toRoman(n) {
    if (!Number.isInteger(n) || n < 1 || n > 3999) throw new RangeError('out of range');
    const parts = [[1000, 'M'], [900, 'CM'], [500, 'D'], [400, 'CD'], [100, 'C'], [90, 'XC'], [50, 'L'],
      [40, 'XL'], [10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I']];
    let text = '';
    for (const [value, letters] of parts) {
      while (n >= value) {
        text += letters;
        n -= value;
      }
    }
    return text;
  }
}

class Matrix2 {
  constructor(a, b, c, d) { Object.assign(this, { a, b, c, d }); }
  determinant() { return this.a * this.d - this.b * this.c; }
  inverse() {
    const det = this.determinant();
    if (det === 0) return null;
    return new Matrix2(this.d / det, -this.b / det, -this.c / det, this.a / det);
  }
}

module.exports = { Fraction, Complex, Interval, Statistics, Polynomial, Primes, Roman, Matrix2 };
