const turn = (word, bits) => word << bits | word >>> 32 - bits;
const hex = word => (word >>> 0).toString(16).padStart(8, '0');

class SHA1 {
  hash(message) {
    const words = [];
    const length = message.length;
    for (let i = 0; i < length; i++) {
      words[i >> 2] = (words[i >> 2] | 0) | (message.charCodeAt(i) & 255) << 24 - i % 4 * 8;
    }
    words[length >> 2] = (words[length >> 2] | 0) | 128 << 24 - length % 4 * 8;
    const last = (length + 8 >> 6) * 16 + 15;
    words[last] = length * 8;
    let [h0, h1, h2, h3, h4] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
    for (let block = 0; block < words.length; block += 16) {
      const w = [];
      let [a, b, c, d, e] = [h0, h1, h2, h3, h4];
      for (let i = 0; i < 80; i++) {
        w[i] = i < 16 ? words[block + i] | 0 : turn(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
        let f;
        if (i < 20) {
          f = (b & c | ~b & d) + 0x5a827999;
        } else if (i < 40) {
          f = (b ^ c ^ d) + 0x6ed9eba1;
        } else if (i < 60) {
          f = (b & c | b & d | c & d) + 0x8f1bbcdc;
        } else {
          f = (b ^ c ^ d) + 0xca62c1d6;
        }
        const next = turn(a, 5) + f + e + w[i] | 0;
        [e, d, c, b, a] = [d, c, turn(b, 30), a, next];
      }
      h0 = h0 + a | 0;
      h1 = h1 + b | 0;
      h2 = h2 + c | 0;
      h3 = h3 + d | 0;
      h4 = h4 + e | 0;
    }
    return hex(h0) + hex(h1) + hex(h2) + hex(h3) + hex(h4);
  }
}

module.exports = { SHA1 };
