/** A point of the plane. */
class Point {
  constructor(x, y) {
    this.x = x;
    this.y = y;
  }
  quadrant() {
    if (this.x === 0 || this.y === 0) return this.x === this.y ? 'origin' : 'axis';
    if (this.x > 0) return this.y > 0 ? 'I' : 'IV';
    return this.y > 0 ? 'II' : 'III';
  }
  distance(other) {
    return Math.hypot(this.x - other.x, this.y - other.y);
  }
}

/** A line through two points. */
class Line {
  constructor(x1, y1, x2, y2) {
    this.dx = x2 - x1;
    this.dy = y2 - y1;
    this.c = x1 * y2 - x2 * y1;
  }
  kind() {
    if (this.dx === 0 && this.dy === 0) return 'point';
    if (this.dx === 0) return 'vertical';
    if (this.dy === 0) return 'horizontal';
    if (this.dx === this.dy || this.dx === -this.dy) return 'diagonal';
    return this.dx > 0 === this.dy > 0 ? 'rising' : 'falling';
  }
  side(x, y) {
    const value = this.dx * y - this.dy * x + this.c;
    if (value === 0) return 'on';
    return value > 0 ? 'left' : 'right';
  }
}

/** A circle. */
class Circle {
  constructor(x, y, radius) {
    if (!(radius > 0)) throw new RangeError('radius');
    this.x = x;
    this.y = y;
    this.radius = radius;
  }
  position(x, y) {
    const square = (x - this.x) ** 2 + (y - this.y) ** 2;
    if (square === this.radius ** 2) return 'on';
    return square < this.radius ** 2 ? 'inside' : 'outside';
  }
  meets(x, y, radius) {
    const distance = Math.hypot(x - this.x, y - this.y);
    if (distance === 0 && radius === this.radius) return 'equal';
    if (distance > radius + this.radius) return 'apart';
    if (distance === radius + this.radius) return 'touching';
    if (distance < Math.abs(radius - this.radius)) return 'within';
    return 'crossing';
  }
}

/** A rectangle with sides along the axes. */
class Rectangle {
  constructor(left, bottom, width, height) {
    this.left = left;
    this.bottom = bottom;
    this.width = width;
    this.height = height;
  }
  isEmpty() {
    return !(this.width > 0 && this.height > 0);
  }
  overlap(left, bottom, width, height) {
    if (this.isEmpty() || !(width > 0 && height > 0)) return 'none';
    const across = Math.min(this.left + this.width, left + width) - Math.max(this.left, left);
    const up = Math.min(this.bottom + this.height, bottom + height) - Math.max(this.bottom, bottom);
    if (across < 0 || up < 0) return 'none';
    if (across === 0 || up === 0) return across === up ? 'corner' : 'edge';
    return across === width && up === height ? 'contained' : 'part';
  }
}

module.exports = { Point, Line, Circle, Rectangle };
