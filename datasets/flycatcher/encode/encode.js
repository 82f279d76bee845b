const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

class Base64 {
  encode(text) {
    let result = '';
    for (let i = 0; i < text.length; i += 3) {
      const a = text.charCodeAt(i);
      const b = text.charCodeAt(i + 1);
      const c = text.charCodeAt(i + 2);
      if (a > 255 || b > 255 || c > 255) throw new RangeError('not a byte');
      result += ALPHABET[a >> 2] + ALPHABET[(a & 3) << 4 | b >> 4];
      result += i + 1 < text.length ? ALPHABET[(b & 15) << 2 | c >> 6] : '=';
      result += i + 2 < text.length ? ALPHABET[c & 63] : '=';
    }
    return result;
  }
}

module.exports = { Base64 };
