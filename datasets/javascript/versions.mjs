/** A version with three numbers and an optional label. */
export class Version {
  constructor(major, minor, patch, label = '') {
    this.parts = [major, minor, patch];
    this.label = label;
  }
  static parse(text) {
    const match = /^v?(\d+)\.(\d+)\.(\d+)(?:-([a-z0-9.]+))?$/.exec(text);
    if (match === null) return null;
    return new Version(Number(match[1]), Number(match[2]), Number(match[3]), match[4] ?? '');
  }
  compare(major, minor, patch) {
    const other = [major, minor, patch];
    for (let i = 0; i < 3; i++) {
      if (this.parts[i] > other[i]) return 1;
      if (this.parts[i] < other[i]) return -1;
    }
    return this.label === '' ? 0 : -1;
  }
  change(major, minor, patch) {
    if (major > this.parts[0]) return minor === 0 && patch === 0 ? 'major' : 'skipped';
    if (major < this.parts[0]) return 'older';
    if (minor > this.parts[1]) return patch === 0 ? 'minor' : 'skipped';
    if (minor === this.parts[1] && patch === this.parts[2] + 1) return 'patch';
    return minor === this.parts[1] && patch === this.parts[2] ? 'same' : 'older';
  }
}

/** An address of version 4 of the Internet protocol. */
export class Address {
  constructor(a, b, c, d) { this.bytes = [a, b, c, d]; }
  isValid() {
    for (const byte of this.bytes) {
      if (!Number.isInteger(byte) || byte < 0 || byte > 255) return false;
    }
    return true;
  }
  kind() {
    if (!this.isValid()) return 'invalid';
    const [a, b] = this.bytes;
    if (a === 127) return 'loopback';
    if (a === 10 || a === 192 && b === 168 || a === 172 && b >= 16 && b <= 31) return 'private';
    if (a === 169 && b === 254) return 'link';
    if (a >= 224) return a >= 240 ? 'reserved' : 'multicast';
    return 'public';
  }
}

/** A colour of red, green and blue from 0 to 255. */
export class Color {
  constructor(red, green, blue) {
    for (const part of [red, green, blue]) {
      if (!(part >= 0 && part <= 255)) throw new RangeError('part');
    }
    [this.red, this.green, this.blue] = [red, green, blue];
  }
  hue() {
    const most = Math.max(this.red, this.green, this.blue);
    const least = Math.min(this.red, this.green, this.blue);
    if (most === least) return -1;
    const range = most - least;
    if (most === this.red) return (60 * (this.green - this.blue) / range + 360) % 360;
    if (most === this.green) return 120 + 60 * (this.blue - this.red) / range;
    return 240 + 60 * (this.red - this.green) / range;
  }
  name() {
    const hue = this.hue();
    if (hue < 0) return this.red < 64 ? 'black' : this.red > 191 ? 'white' : 'grey';
    if (hue < 20 || hue >= 340) return 'red';
    if (hue < 70) return 'yellow';
    if (hue < 160) return 'green';
    if (hue < 200) return 'cyan';
    return hue < 270 ? 'blue' : 'purple';
  }
}
