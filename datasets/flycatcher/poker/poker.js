const ORDER = '23456789TJQKA';

class Poker {
  rankHand(hand) {
    if (hand.length !== 5) throw new Error('a hand has five cards');
    const counts = new Map();
    for (const card of hand) {
      if (!ORDER.includes(card)) throw new Error('no such card: ' + card);
      counts.set(card, (counts.get(card) ?? 0) + 1);
    }
    const sizes = [...counts.values()].sort((a, b) => b - a);
    if (sizes[0] === 5) return 'cheat';
    if (sizes[0] === 4) return 'four of a kind';
    if (sizes[0] === 3) return sizes[1] === 2 ? 'full house' : 'three of a kind';
    if (sizes[0] === 2) return sizes[1] === 2 ? 'two pairs' : 'pair';
    const places = [...counts.keys()].map(card => ORDER.indexOf(card)).sort((a, b) => a - b);
    return places[4] - places[0] === 4 ? 'straight' : 'high card';
  }
}

module.exports = { Poker };
