/** A heating that keeps a temperature. */
class Thermostat {
  constructor(target) {
    this.target = target >= 5 && target <= 30 ? target : 20;
    this.heating = false;
    this.switches = 0;
  }
  measure(temperature) {
    if (temperature < -40 || temperature > 60) return 'sensor';
    if (this.heating && temperature > this.target + 0.5) {
      this.heating = false;
      this.switches++;
    } else if (!this.heating && temperature < this.target - 0.5) {
      this.heating = true;
      this.switches++;
    }
    if (temperature < 3) return 'frost';
    if (this.switches > 6) return 'worn';
    return this.heating ? 'heating' : 'idle';
  }
}

/** A lock with a code of three digits. */
class CodeLock {
  constructor(code) {
    this.code = Number.isInteger(code) && code >= 100 && code <= 999 ? code : 417;
    this.entered = 0;
    this.digits = 0;
    this.failures = 0;
  }
  press(digit) {
    if (this.failures >= 3) return 'blocked';
    if (!Number.isInteger(digit) || digit < 0 || digit > 9) return 'ignored';
    this.entered = this.entered * 10 + digit;
    this.digits++;
    if (this.digits < 3) return 'waiting';
    const right = this.entered === this.code;
    this.entered = 0;
    this.digits = 0;
    if (right) {
      this.failures = 0;
      return 'open';
    }
    this.failures++;
    return 'wrong';
  }
}

/** A drinks machine that gives change. */
class DrinksMachine {
  constructor() {
    this.credit = 0;
    this.stock = { water: 2, juice: 1, coffee: 3 };
  }
  insert(coin) {
    if (![5, 10, 20, 50, 100, 200].includes(coin)) return this.credit;
    this.credit += coin;
    if (this.credit > 500) {
      this.credit = 0;
      return -1;
    }
    return this.credit;
  }
  choose(drink) {
    const prices = { water: 90, juice: 165, coffee: 120 };
    if (!Object.hasOwn(prices, drink)) return 'unknown';
    if (this.stock[drink] === 0) return 'sold out';
    if (this.credit < prices[drink]) return 'missing ' + (prices[drink] - this.credit);
    this.credit -= prices[drink];
    this.stock[drink]--;
    if (this.credit === 0) return 'exact';
    const change = this.credit;
    this.credit = 0;
    return change >= 100 ? 'notes' : 'coins';
  }
}

/** A traffic light with a button. */
class TrafficLight {
  constructor() {
    this.phase = 'red';
    this.seconds = 0;
    this.pressed = false;
  }
  press() {
    this.pressed = this.phase !== 'red';
    return this.pressed;
  }
  wait(seconds) {
    if (!(seconds > 0 && seconds <= 300)) return this.phase;
    this.seconds += seconds;
    if (this.phase === 'red' && this.seconds >= 40) this.change('green');
    else if (this.phase === 'green' && (this.seconds >= 90 || this.pressed && this.seconds >= 20)) this.change('amber');
    else if (this.phase === 'amber' && this.seconds >= 3) this.change('red');
    return this.phase;
  }
  change(phase) {
    this.phase = phase;
    this.seconds = 0;
    if (phase === 'red') this.pressed = false;
  }
}

module.exports = { Thermostat, CodeLock, DrinksMachine, TrafficLight };
