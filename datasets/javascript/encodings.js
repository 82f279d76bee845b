const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

class Luhn {
  isValidIdentifier(identifier) {
    let sum = 0;
    let doubled = false;
    if (identifier.length === 0) return false;
    for (let i = identifier.length - 1; i >= 0; i--) {
      let digit = identifier.charCodeAt(i) - 48;
      if (digit < 0 || digit > 9) return false;
      if (doubled) {
        digit *= 2;
        if (digit > 9) digit -= 9;
      }
      sum += digit;
      doubled = !doubled;
    }
    return sum % 10 === 0;
  }
}

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

class RunLength {
  pack(text) {
    let packed = '';
    let i = 0;
    while (i < text.length) {
      let run = 1;
      while (text[i + run] === text[i]) run++;
      packed += run > 1 ? run + text[i] : text[i];
      i += run;
    }
    return packed;
  }

  unpack(packed) {
    return packed.replace(/([0-9]+)([^0-9])/g, (_, count, letter) => letter.repeat(Math.min(count, 99)));
  }
}

module.exports = { Luhn, Base64, RunLength };
