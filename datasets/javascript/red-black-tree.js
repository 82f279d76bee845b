const RED = 1;
const BLACK = 0;

const isRed = node => node !== null && node.color === RED;

const rotateLeft = node => {
  const top = node.right;
  node.right = top.left;
  top.left = node;
  top.color = node.color;
  node.color = RED;
  return top;
};

const rotateRight = node => {
  const top = node.left;
  node.left = top.right;
  top.right = node;
  top.color = node.color;
  node.color = RED;
  return top;
};

const insertBelow = (node, key) => {
  if (node === null) return { key, color: RED, left: null, right: null };
  if (key < node.key) {
    node.left = insertBelow(node.left, key);
  } else if (key > node.key) {
    node.right = insertBelow(node.right, key);
  }
  if (isRed(node.right) && !isRed(node.left)) node = rotateLeft(node);
  if (isRed(node.left) && isRed(node.left.left)) node = rotateRight(node);
  if (isRed(node.left) && isRed(node.right)) {
    node.color = RED;
    node.left.color = BLACK;
    node.right.color = BLACK;
  }
  return node;
};

class RedBlackTree {
  constructor() {
    this.root = null;
  }

  insert(key) {
    this.root = insertBelow(this.root, key);
    this.root.color = BLACK;
  }

  contains(key) {
    let node = this.root;
    while (node !== null) {
      if (key === node.key) return true;
      node = key < node.key ? node.left : node.right;
    }
    return false;
  }
}

module.exports = { RedBlackTree };
