/** A cache that drops the entry that was used least recently. */
class LeastRecentCache {
  constructor(capacity) {
    this.capacity = capacity > 0 ? capacity : 2;
    this.entries = new Map();
    this.hits = 0;
    this.misses = 0;
  }
  get(key) {
    if (!this.entries.has(key)) {
      this.misses++;
      return undefined;
    }
    const value = this.entries.get(key);
    this.entries.delete(key);
    this.entries.set(key, value);
    this.hits++;
    return value;
  }
  set(key, value) {
    if (this.entries.has(key)) this.entries.delete(key);
    else if (this.entries.size >= this.capacity) this.entries.delete(this.entries.keys().next().value);
    this.entries.set(key, value);
    return this.entries.size;
  }
  rating() {
    const asked = this.hits + this.misses;
    if (asked < 4) return 'unknown';
    if (this.hits === asked) return 'perfect';
    return this.hits * 2 > asked ? 'good' : 'poor';
  }
}

/** A queue that returns the entry of the least priority first. */
class PriorityQueue {
  constructor() { this.heap = []; }
  push(value, priority) {
    if (typeof priority !== 'number' || Number.isNaN(priority)) throw new TypeError('priority');
    this.heap.push({ value, priority });
    let at = this.heap.length - 1;
    while (at > 0) {
      const parent = at - 1 >> 1;
      if (this.heap[parent].priority <= this.heap[at].priority) break;
      [this.heap[parent], this.heap[at]] = [this.heap[at], this.heap[parent]];
      at = parent;
    }
    return at;
  }
  pop() {
    if (this.heap.length === 0) return undefined;
    const { value } = this.heap[0];
    const last = this.heap.pop();
    if (this.heap.length > 0) {
      this.heap[0] = last;
      this.sink();
    }
    return value;
  }
  sink() {
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      const right = left + 1;
      let least = at;
      if (left < this.heap.length && this.heap[left].priority < this.heap[least].priority) least = left;
      if (right < this.heap.length && this.heap[right].priority < this.heap[least].priority) least = right;
      if (least === at) return;
      [this.heap[least], this.heap[at]] = [this.heap[at], this.heap[least]];
      at = least;
    }
  }
}

/** A buffer of fixed size that overwrites its oldest value. */
class RingBuffer {
  constructor(size) {
    if (!Number.isInteger(size) || size < 1 || size > 1000) throw new RangeError('size');
    this.values = new Array(size);
    this.start = 0;
    this.count = 0;
    this.lost = 0;
  }
  write(value) {
    if (this.count === this.values.length) {
      this.start = (this.start + 1) % this.values.length;
      this.count--;
      this.lost++;
    }
    this.values[(this.start + this.count) % this.values.length] = value;
    this.count++;
    return this.lost === 0;
  }
  read() {
    if (this.count === 0) return undefined;
    const value = this.values[this.start];
    this.start = (this.start + 1) % this.values.length;
    this.count--;
    return value;
  }
  state() {
    if (this.count === 0) return this.lost > 0 ? 'drained' : 'empty';
    return this.count === this.values.length ? 'full' : 'open';
  }
}

module.exports = { LeastRecentCache, PriorityQueue, RingBuffer };
