class ListNode {
  constructor(data) {
    this.data = data;
    this.next = null;
    this.prev = null;
  }
}

class LinkedList {
  constructor() {
    this.first = null;
    this.last = null;
    this.length = 0;
  }

  append(node) {
    if (this.last === null) {
      this.first = node;
      node.prev = null;
    } else {
      node.prev = this.last;
      this.last.next = node;
    }
    node.next = null;
    this.last = node;
    this.length += 1;
  }

  prepend(node) {
    if (this.first === null) {
      this.append(node);
      return;
    }
    this.insertBefore(this.first, node);
  }

  insertAfter(node, newNode) {
    newNode.prev = node;
    newNode.next = node.next;
    if (node.next === null) {
      this.last = newNode;
    } else {
      node.next.prev = newNode;
    }
    node.next = newNode;
    this.length += 1;
  }

  insertBefore(node, newNode) {
    newNode.next = node;
    newNode.prev = node.prev;
    if (node.prev === null) {
      this.first = newNode;
    } else {
      node.prev.next = newNode;
    }
    node.prev = newNode;
    this.length += 1;
  }

  remove(node) {
    if (this.length === 0) return;
    if (node.prev === null) {
      this.first = node.next;
    } else {
      node.prev.next = node.next;
    }
    if (node.next === null) {
      this.last = node.prev;
    } else {
      node.next.prev = node.prev;
    }
    node.prev = null;
    node.next = null;
    this.length -= 1;
  }

  at(index) {
    if (!(index >= 0 && index < this.length)) return null;
    let node = this.first;
    while (index > 0 && node !== null) {
      node = node.next;
      index -= 1;
    }
    return node;
  }
}

module.exports = { ListNode, LinkedList };
