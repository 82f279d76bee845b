class Luhn {
  isValidIdentifier(identifier) {
    let sum = 0;
    let doubled = false;
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
    return identifier.length > 0 && sum % 10 === 0;
  }
}

module.exports = { Luhn };
