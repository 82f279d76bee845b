/** Income tax by brackets. */
class IncomeTax {
  constructor(allowance) {
    this.allowance = allowance >= 0 ? allowance : 0;
    this.paid = 0;
  }
  due(income) {
    const taxable = income - this.allowance;
    if (!(taxable > 0)) return 0;
    if (taxable <= 12500) return taxable * 0.2;
    if (taxable <= 37700) return 2500 + (taxable - 12500) * 0.3;
    if (taxable <= 150000) return 10060 + (taxable - 37700) * 0.4;
    return 54980 + (taxable - 150000) * 0.45;
  }
  pay(amount) {
    if (!(amount > 0)) return 'refused';
    this.paid += amount;
    return 'paid';
  }
  settle(income) {
    const open = this.due(income) - this.paid;
    if (open > 1000) return 'reminder';
    if (open > 0) return 'due';
    return open === 0 ? 'settled' : 'refund';
  }
}

/** Postage by weight in grams and size in millimetres. */
class Postage {
  format(length, width, height) {
    if (length <= 0 || width <= 0 || height <= 0) return 'none';
    if (length >= 140 && length <= 235 && width >= 90 && width <= 125 && height <= 5) return 'letter';
    if (length >= 100 && length <= 353 && width >= 70 && width <= 250 && height <= 50) return 'large';
    if (length + 2 * width + 2 * height <= 3000) return 'parcel';
    return 'freight';
  }
  price(format, grams) {
    switch (format) {
      case 'letter':
        if (grams <= 20) return 95;
        return grams <= 50 ? 110 : -1;
      case 'large':
        if (grams <= 500) return 180;
        return grams <= 1000 ? 290 : -1;
      case 'parcel':
        return grams <= 31500 ? 549 + Math.ceil(grams / 1000) * 40 : -1;
      default:
        return -1;
    }
  }
}

/** A parking meter that takes coins of 10, 20, 50, 100 and 200. */
class ParkingMeter {
  constructor() {
    this.inserted = 0;
    this.tickets = 0;
  }
  insert(coin) {
    if (coin !== 10 && coin !== 20 && coin !== 50 && coin !== 100 && coin !== 200) return false;
    this.inserted += coin;
    return true;
  }
  minutes() {
    if (this.inserted < 50) return 0;
    if (this.inserted < 200) return this.inserted * 0.3;
    return this.inserted >= 800 ? 1440 : 60 + (this.inserted - 200) * 0.5;
  }
  ticket() {
    const minutes = this.minutes();
    if (minutes === 0) return null;
    this.tickets++;
    this.inserted = 0;
    if (minutes === 1440) return 'day';
    return minutes > 120 ? 'long' : 'short';
  }
}

module.exports = { IncomeTax, Postage, ParkingMeter };
