class SplayTree {
  constructor() {
    this.root = null;
  }

  splay(key) {
    if (this.root === null) return;
    const aside = { key: null, left: null, right: null };
    let left = aside;
    let right = aside;
    let current = this.root;
    for (;;) {
      if (key < current.key) {
        if (current.left === null) break;
        if (key < current.left.key) {
          const child = current.left;
          current.left = child.right;
          child.right = current;
          current = child;
          if (current.left === null) break;
        }
        right.left = current;
        right = current;
        current = current.left;
      } else if (key > current.key) {
        if (current.right === null) break;
        if (key > current.right.key) {
          const child = current.right;
          current.right = child.left;
          child.left = current;
          current = child;
          if (current.right === null) break;
        }
        left.right = current;
        left = current;
        current = current.right;
      } else {
        break;
      }
    }
    left.right = current.left;
    right.left = current.right;
    current.left = aside.right;
    current.right = aside.left;
    this.root = current;
  }

  insert(key) {
    const node = { key, left: null, right: null };
    if (this.root === null) {
      this.root = node;
      return;
    }
    this.splay(key);
    if (this.root.key === key) return;
    if (key > this.root.key) {
      node.left = this.root;
      node.right = this.root.right;
      this.root.right = null;
    } else {
      node.right = this.root;
      node.left = this.root.left;
      this.root.left = null;
    }
    this.root = node;
  }

  remove(key) {
    this.splay(key);
    if (this.root === null || this.root.key !== key) {
      throw new Error('key not found');
    }
    if (this.root.left === null) {
      this.root = this.root.right;
    } else {
      const right = this.root.right;
      this.root = this.root.left;
      this.splay(key);
      this.root.right = right;
    }
  }

  findMax() {
    if (this.root === null) return null;
    let node = this.root;
    while (node.right !== null) node = node.right;
    return node.key;
  }
}

module.exports = { SplayTree };
