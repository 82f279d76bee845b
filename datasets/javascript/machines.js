class TurnStile {
  constructor() { this.state = 'locked'; this.coins = 0; }
  coin(value) {
    if (value !== 50 && value !== 100) return 'rejected';
    this.coins += value;
    if (this.coins >= 100) {
      this.state = 'open';
      this.coins -= 100;
    }
    return this.state;
  }
  push() {
    if (this.state === 'locked') return false;
    this.state = 'locked';
    return true;
  }
}

class Account {
  constructor(owner, balance = 0) { this.owner = owner; this.balance = balance; this.frozen = false; }
  deposit(amount) {
    if (this.frozen) throw new Error('frozen');
    if (!(amount > 0)) throw new RangeError('amount');
    this.balance += amount;
    return this.balance;
  }
  withdraw(amount) {
    if (amount > this.balance) return false;
    this.balance -= amount;
    return true;
  }
  transfer(other, amount) { return this.withdraw(amount) && other.deposit(amount) > 0; }
  freeze() { this.frozen = true; }
}

class Elevator {
  constructor(floors = 10) { this.floors = floors; this.floor = 0; this.doors = 'closed'; }
  call(floor) {
    if (floor < 0 || floor >= this.floors) return null;
    if (this.doors === 'open') this.doors = 'closed';
    const direction = floor > this.floor ? 'up' : floor < this.floor ? 'down' : 'none';
    this.floor = floor;
    this.doors = 'open';
    return direction;
  }
}

class Timer {
  constructor() { this.ticks = 0; }
  start(times, callback) {
    return new Promise((resolve, reject) => {
      if (typeof callback !== 'function') return reject(new TypeError('callback'));
      const id = setInterval(() => {
        callback(++this.ticks);
        if (this.ticks >= times) {
          clearInterval(id);
          resolve(this.ticks);
        }
      }, 10);
    });
  }
}

class Emitter {
  constructor() { this.listeners = {}; }
  on(name, listener) {
    if (typeof listener !== 'function') throw new TypeError('listener');
    (this.listeners[name] ||= []).push(listener);
    return this;
  }
  emit(name, ...values) {
    const list = this.listeners[name];
    if (!list?.length) return false;
    for (const listener of list) listener(...values);
    return true;
  }
}

class Job {
  constructor(limit = 10) { this.limit = limit; }
  async run(x) {
    const y = await Promise.resolve(x * 2);
    if (y > this.limit) throw new Error('over');
    return y;
  }
}

class Grid {
  constructor(width = 3, height = 3) { this.width = width; this.height = height; this.cells = new Set(); }
  toggle(x, y) {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return undefined;
    const key = x + ',' + y;
    if (this.cells.delete(key)) return false;
    this.cells.add(key);
    return true;
  }
  neighbours(x, y) {
    let count = 0;
    for (let dx = -1; dx <= 1; dx++) {
      for (let dy = -1; dy <= 1; dy++) {
        if ((dx || dy) && this.cells.has((x + dx) + ',' + (y + dy))) count++;
      }
    }
    return count;
  }
}

class Inventory {
  constructor() { this.items = {}; }
  add(item) {
    switch (typeof item) {
      case 'string':
        item = { name: item, count: 1 };
        break;
      case 'object':
        if (item === null) return false;
        break;
      default:
        return false;
    }
    const known = this.items[item.name];
    if (known) {
      known.count += item.count;
    } else {
      this.items[item.name] = { count: item.count };
    }
    return true;
  }
  total() { return Object.values(this.items).reduce((sum, item) => sum + item.count, 0); }
}

module.exports = { TurnStile, Account, Elevator, Timer, Emitter, Job, Grid, Inventory };
