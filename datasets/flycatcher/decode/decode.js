const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

class Base64 {
  decode(text) {
    const clean = text.replace(/=+$/, '');
    if (/[^A-Za-z0-9+/]/.test(clean)) throw new Error('not base64');
    if (clean.length % 4 === 1) throw new Error('length');
    let result = '';
    let bits = 0;
    let count = 0;
    for (const letter of clean) {
      bits = bits << 6 | ALPHABET.indexOf(letter);
      count += 6;
      if (count >= 8) {
        count -= 8;
        result += String.fromCharCode(bits >> count & 255);
      }
    }
    return result;
  }
}

module.exports = { Base64 };
