class BinarySearchTree {
  constructor() {
    this.root = null;
  }

  add(value) {
    const node = { value, left: null, right: null };
    if (this.root === null) {
      this.root = node;
      return true;
    }
    let current = this.root;
    for (;;) {
      if (value < current.value) {
        if (current.left === null) {
          current.left = node;
          return true;
        }
        current = current.left;
      } else if (value > current.value) {
        if (current.right === null) {
          current.right = node;
          return true;
        }
        current = current.right;
      } else {
        return false;
      }
    }
  }

  contains(value) {
    let current = this.root;
    while (current !== null) {
      if (value < current.value) {
        current = current.left;
      } else if (value > current.value) {
        current = current.right;
      } else {
        return true;
      }
    }
    return false;
  }

  remove(value) {
    let parent = null;
    let current = this.root;
    while (current !== null && current.value !== value) {
      parent = current;
      current = value < current.value ? current.left : current.right;
    }
    if (current === null) return false;
    let replacement;
    if (current.left === null) {
      replacement = current.right;
    } else if (current.right === null) {
      replacement = current.left;
    } else {
      let above = current;
      replacement = current.left;
      while (replacement.right !== null) {
        above = replacement;
        replacement = replacement.right;
      }
      if (above !== current) {
        above.right = replacement.left;
        replacement.left = current.left;
      }
      replacement.right = current.right;
    }
    if (parent === null) {
      this.root = replacement;
    } else if (parent.left === current) {
      parent.left = replacement;
    } else {
      parent.right = replacement;
    }
    return true;
  }

  size() {
    let count = 0;
    const open = [this.root];
    while (open.length > 0) {
      const node = open.pop();
      if (node !== null) {
        count += 1;
        open.push(node.left, node.right);
      }
    }
    return count;
  }
}

module.exports = { BinarySearchTree };
