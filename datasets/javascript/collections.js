class Stack {
  #items = [];
  constructor(limit = 8) { this.limit = limit; }
  push(item) {
    if (this.#items.length >= this.limit) throw new RangeError('full');
    this.#items.push(item);
    return this.#items.length;
  }
  pop() {
    if (this.#items.length === 0) return undefined;
    return this.#items.pop();
  }
  get size() { return this.#items.length; }
}

class Queue {
  constructor() { this.head = []; this.tail = []; }
  enqueue(item) { this.tail.push(item); }
  dequeue() {
    if (this.head.length === 0) {
      while (this.tail.length > 0) this.head.push(this.tail.pop());
    }
    return this.head.pop();
  }
  isEmpty() { return this.head.length === 0 && this.tail.length === 0; }
}

class RingBuffer {
  constructor(capacity) {
    if (!(capacity > 0 && capacity <= 64)) throw new RangeError('capacity');
    this.capacity = Math.floor(capacity) || 1;
    this.items = new Array(this.capacity);
    this.start = 0;
    this.count = 0;
  }
  write(item) {
    const at = (this.start + this.count) % this.capacity;
    this.items[at] = item;
    if (this.count < this.capacity) {
      this.count++;
    } else {
      this.start = (this.start + 1) % this.capacity;
    }
  }
  read() {
    if (this.count === 0) return null;
    const item = this.items[this.start];
    this.start = (this.start + 1) % this.capacity;
    this.count--;
    return item;
  }
}

class MinHeap {
  constructor() { this.items = []; }
  insert(value) {
    let i = this.items.push(value) - 1;
    while (i > 0) {
      const above = i - 1 >> 1;
      if (this.items[above] <= this.items[i]) break;
      [this.items[above], this.items[i]] = [this.items[i], this.items[above]];
      i = above;
    }
  }
  extract() {
    if (this.items.length === 0) return undefined;
    const top = this.items[0];
    const last = this.items.pop();
    if (this.items.length > 0) {
      this.items[0] = last;
      let i = 0;
      for (;;) {
        let least = i;
        for (const below of [2 * i + 1, 2 * i + 2]) {
          if (below < this.items.length && this.items[below] < this.items[least]) least = below;
        }
        if (least === i) break;
        [this.items[least], this.items[i]] = [this.items[i], this.items[least]];
        i = least;
      }
    }
    return top;
  }
}

class LruCache {
  constructor(capacity = 2) { this.capacity = capacity; this.entries = new Map(); }
  get(key) {
    if (!this.entries.has(key)) return undefined;
    const value = this.entries.get(key);
    this.entries.delete(key);
    this.entries.set(key, value);
    return value;
  }
  put(key, value) {
    if (this.entries.has(key)) {
      this.entries.delete(key);
    } else if (this.entries.size >= this.capacity) {
      this.entries.delete(this.entries.keys().next().value);
    }
    this.entries.set(key, value);
  }
}

class Bag {
  constructor() { this.counts = new Map(); }
  add(item, times = 1) {
    if (times <= 0) return 0;
    const count = (this.counts.get(item) || 0) + times;
    this.counts.set(item, count);
    return count;
  }
  remove(item) {
    const count = this.counts.get(item);
    if (count === undefined) return false;
    count > 1 ? this.counts.set(item, count - 1) : this.counts.delete(item);
    return true;
  }
}

class DisjointSets {
  constructor(size) { this.parents = Array.from({ length: Math.min(size, 50) || 0 }, (_, i) => i); }
  find(i) {
    if (this.parents[i] === undefined) throw new RangeError('no such element');
    while (this.parents[i] !== i) i = this.parents[i];
    return i;
  }
  union(a, b) {
    const [x, y] = [this.find(a), this.find(b)];
    if (x === y) return false;
    this.parents[x] = y;
    return true;
  }
}

class Trie {
  constructor() { this.root = {}; }
  insert(word) {
    let node = this.root;
    for (const letter of word) node = node[letter] ??= {};
    node.end = true;
  }
  has(word) {
    let node = this.root;
    for (const letter of word) {
      node = node?.[letter];
      if (!node) return false;
    }
    return node.end === true;
  }
}

module.exports = { Stack, Queue, RingBuffer, MinHeap, LruCache, Bag, DisjointSets, Trie };
