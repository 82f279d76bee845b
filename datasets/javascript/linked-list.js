class ListNode {
  constructor(data) {
    this.data = data;
    this.next = null;
    this.prev = null;
  }
}

// A ring: the last node comes before the first one. Nodes of no list have no neighbours.
class LinkedList {
  constructor() {
    this.first = null;
    this.last = null;
    this.length = 0;
  }

  append(node) {
    if (this.first === null) {
      node.next = node;
      node.prev = node;
      this.first = node;
    } else {
      node.prev = this.last;
      node.next = this.first;
      this.last.next = node;
      this.first.prev = node;
    }
    this.last = node;
    this.length += 1;
  }

  prepend(node) {
    if (this.first === null) {
      this.append(node);
      return;
    }
    node.prev = this.last;
    node.next = this.first;
    this.last.next = node;
    this.first.prev = node;
    this.first = node;
    this.length += 1;
  }

  insertAfter(node, newNode) {
    newNode.prev = node;
    newNode.next = node.next;
    node.next.prev = newNode;
    node.next = newNode;
    if (node === this.last) this.last = newNode;
    this.length += 1;
  }

  insertBefore(node, newNode) {
    newNode.next = node;
    newNode.prev = node.prev;
    node.prev.next = newNode;
    node.prev = newNode;
    if (node === this.first) this.first = newNode;
    this.length += 1;
  }

  remove(node) {
    if (this.length > 1) {
      node.prev.next = node.next;
      node.next.prev = node.prev;
      if (node === this.first) this.first = node.next;
      if (node === this.last) this.last = node.prev;
    } else {
      this.first = null;
      this.last = null;
    }
    node.next = null;
    node.prev = null;
    this.length -= 1;
  }

  at(index) {
    if (!(index >= 0 && index < this.length)) return null;
    let node = this.first;
    while (index > 0) {
      node = node.next;
      index -= 1;
    }
    return node;
  }
}

module.exports = { ListNode, LinkedList };
