//! Blocks of compressed data and their Huffman codes, built in the same way as in zlib.

pub(super) const MIN_MATCH: usize = 3;
pub(super) const MAX_MATCH: usize = 258;

const LITERALS: usize = 256;
const LENGTH_CODES: usize = 29;
const L_CODES: usize = LITERALS + 1 + LENGTH_CODES;
const D_CODES: usize = 30;
const BL_CODES: usize = 19;
const END_OF_BLOCK: usize = 256;
const MAX_BITS: usize = 15;
/// The order in which the lengths of the code length codes are written (RFC 1951, section 3.2.7).
const BL_ORDER: [usize; BL_CODES] =
    [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

pub(super) const LENGTH_EXTRA: [u8; LENGTH_CODES] =
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
pub(super) const DISTANCE_EXTRA: [u8; D_CODES] = [
    0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13,
    13,
];
const BL_EXTRA: [u8; BL_CODES] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 3, 7];

/// The code of a length, which is at least 3, and the first length of this code minus 3.
fn length_code(length: usize) -> (usize, usize) {
    if length == MAX_MATCH {
        return (28, 255);
    }
    find(length - MIN_MATCH, &LENGTH_EXTRA[..28])
}

/// The code of a distance, which is at least 1, and the first distance of this code minus 1.
fn distance_code(distance: usize) -> (usize, usize) {
    find(distance - 1, &DISTANCE_EXTRA)
}

fn find(value: usize, extra: &[u8]) -> (usize, usize) {
    let (mut code, mut base) = (0, 0);
    for (index, bits) in extra.iter().enumerate() {
        if base > value {
            break;
        }
        (code, base) = (index, base + (1 << bits));
    }
    (code, base - (1 << extra[code]))
}

#[derive(Clone, Copy, Default)]
struct Symbol {
    frequency: u32,
    code: u16,
    length: u8,
}

/// A code, with the greatest symbol that has a length.
struct Tree<const N: usize> {
    symbols: [Symbol; N],
    last: usize,
}

impl<const N: usize> Tree<N> {
    fn new() -> Tree<N> {
        Tree { symbols: [Symbol::default(); N], last: 0 }
    }

    fn clear(&mut self) {
        self.symbols.iter_mut().for_each(|symbol| symbol.frequency = 0);
    }

    /// Returns the number of bits that all symbols take with the code, including extra bits.
    fn build(&mut self, extra: &[u8], base: usize, most_bits: usize) -> u64 {
        let mut frequency: Vec<u32> = self.symbols.iter().map(|symbol| symbol.frequency).collect();
        let mut depth = vec![0_u8; 2 * N + 1];
        let mut parent = vec![0_usize; 2 * N + 1];
        let mut heap: Vec<usize> = (0..N).filter(|symbol| frequency[*symbol] > 0).collect();
        self.last = heap.last().copied().unwrap_or(0);
        // Ensure that at least two symbols have codes. Symbols that are added here do not occur in
        // the data.
        while heap.len() < 2 {
            let next = if heap.is_empty() { 0 } else { self.last + 1 };
            let symbol = if next <= 2 { next } else { 0 };
            self.last = self.last.max(symbol);
            frequency[symbol] = 1;
            heap.push(symbol);
        }
        frequency.resize(2 * N + 1, 0);
        let smaller = |a: usize, b: usize, frequency: &[u32], depth: &[u8]| {
            frequency[a] < frequency[b] || frequency[a] == frequency[b] && depth[a] <= depth[b]
        };
        let sift = |heap: &mut [usize], mut at: usize, frequency: &[u32], depth: &[u8]| {
            let moved = heap[at];
            while 2 * at + 1 < heap.len() {
                let mut child = 2 * at + 1;
                if child + 1 < heap.len() && smaller(heap[child + 1], heap[child], frequency, depth)
                {
                    child += 1;
                }
                if smaller(moved, heap[child], frequency, depth) {
                    break;
                }
                heap[at] = heap[child];
                at = child;
            }
            heap[at] = moved;
        };
        for at in (0..heap.len() / 2).rev() {
            sift(&mut heap, at, &frequency, &depth);
        }
        // Nodes in the order in which they were joined.
        let mut joined = Vec::new();
        let mut node = N;
        while heap.len() >= 2 {
            let least = heap[0];
            heap[0] = heap[heap.len() - 1];
            heap.pop();
            sift(&mut heap, 0, &frequency, &depth);
            let next = heap[0];
            joined.extend([least, next]);
            frequency[node] = frequency[least] + frequency[next];
            depth[node] = depth[least].max(depth[next]) + 1;
            (parent[least], parent[next]) = (node, node);
            heap[0] = node;
            node += 1;
            sift(&mut heap, 0, &frequency, &depth);
        }
        joined.push(heap[0]);
        joined.reverse();
        let bits = self.lengths(&joined, &parent, most_bits);
        let mut total = 0;
        for (index, symbol) in self.symbols.iter_mut().enumerate() {
            symbol.length = bits[index];
            let more =
                if index >= base { extra.get(index - base).copied().unwrap_or(0) } else { 0 };
            total += u64::from(symbol.frequency) * u64::from(bits[index] + more);
        }
        self.assign(most_bits);
        total
    }

    /// `nodes` begins with the root.
    fn lengths(&self, nodes: &[usize], parent: &[usize], most_bits: usize) -> Vec<u8> {
        let mut length = vec![0_u8; 2 * N + 1];
        let mut counts = [0_u16; MAX_BITS + 1];
        let mut overflow = 0;
        for node in &nodes[1..] {
            let mut bits = usize::from(length[parent[*node]]) + 1;
            if bits > most_bits {
                bits = most_bits;
                overflow += 1;
            }
            length[*node] = bits as u8;
            if *node < N {
                counts[bits] += 1;
            }
        }
        if overflow == 0 {
            return length;
        }
        while overflow > 0 {
            let mut bits = most_bits - 1;
            while counts[bits] == 0 {
                bits -= 1;
            }
            counts[bits] -= 1;
            counts[bits + 1] += 2;
            counts[most_bits] -= 1;
            overflow -= 2;
        }
        let mut leaves = nodes.iter().rev().filter(|node| **node < N);
        for bits in (1..=most_bits).rev() {
            for _ in 0..counts[bits] {
                if let Some(leaf) = leaves.next() {
                    length[*leaf] = bits as u8;
                }
            }
        }
        length
    }

    fn assign(&mut self, most_bits: usize) {
        let mut counts = [0_u16; MAX_BITS + 1];
        self.symbols.iter().for_each(|symbol| counts[usize::from(symbol.length)] += 1);
        counts[0] = 0;
        let mut next = [0_u16; MAX_BITS + 2];
        for bits in 1..=most_bits {
            next[bits] = next[bits - 1].wrapping_add(counts[bits - 1]) << 1;
        }
        for symbol in self.symbols.iter_mut().filter(|symbol| symbol.length > 0) {
            let code = &mut next[usize::from(symbol.length)];
            symbol.code = code.reverse_bits() >> (16 - symbol.length);
            *code = code.wrapping_add(1);
        }
    }
}

/// A run of equal lengths, or one length: the symbol, the extra bits, and the number of extra bits.
type Run = (usize, u16, u32);

/// The lengths of a code as symbols of the code length code.
fn runs<const N: usize>(tree: &Tree<N>) -> Vec<Run> {
    let lengths: Vec<u8> = tree.symbols[..=tree.last].iter().map(|symbol| symbol.length).collect();
    let mut found = Vec::new();
    let mut before = None;
    let mut count = 0;
    let limits = |length: u8, repeats: bool| match (length, repeats) {
        (0, _) => (138, 3),
        (_, true) => (6, 3),
        (_, false) => (7, 4),
    };
    let (mut most, mut least) = limits(lengths[0], false);
    for (index, length) in lengths.iter().enumerate() {
        let next = lengths.get(index + 1);
        count += 1;
        if count < most && next == Some(length) {
            continue;
        }
        let symbol = usize::from(*length);
        if count < least {
            found.extend((0..count).map(|_| (symbol, 0, 0)));
        } else if *length != 0 {
            if before != Some(*length) {
                found.push((symbol, 0, 0));
                count -= 1;
            }
            found.push((16, count - 3, 2));
        } else if count <= 10 {
            found.push((17, count - 3, 3));
        } else {
            found.push((18, count - 11, 7));
        }
        count = 0;
        before = Some(*length);
        (most, least) = limits(next.copied().unwrap_or(1), next == Some(length));
    }
    found
}

pub(super) struct Trees {
    bytes: Vec<u8>,
    bits: u64,
    bit_count: u32,
    /// The symbols of the current block: 0 and a byte, or a distance and a length.
    symbols: Vec<(u16, u16)>,
    most_symbols: usize,
    only_fixed: bool,
    literals: Tree<L_CODES>,
    distances: Tree<D_CODES>,
}

impl Trees {
    pub(super) fn new(memory: u32, only_fixed: bool) -> Trees {
        let mut trees = Trees {
            bytes: Vec::new(),
            bits: 0,
            bit_count: 0,
            symbols: Vec::new(),
            most_symbols: (1 << (memory + 6)) - 1,
            only_fixed,
            literals: Tree::new(),
            distances: Tree::new(),
        };
        trees.begin_block();
        trees
    }

    fn begin_block(&mut self) {
        self.symbols.clear();
        self.literals.clear();
        self.distances.clear();
        self.literals.symbols[END_OF_BLOCK].frequency = 1;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// Returns the output, without the bits of an unfinished byte.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn put(&mut self, value: u16, count: u32) {
        self.bits |= u64::from(value) << self.bit_count;
        self.bit_count += count;
        while self.bit_count >= 8 {
            self.bytes.push(self.bits as u8);
            self.bits >>= 8;
            self.bit_count -= 8;
        }
    }

    fn pad(&mut self) {
        if self.bit_count > 0 {
            self.put(0, 8 - self.bit_count);
        }
    }

    fn put_symbol(&mut self, symbol: Symbol) {
        self.put(symbol.code, u32::from(symbol.length));
    }

    /// Returns whether the block is full.
    pub(super) fn literal(&mut self, byte: u8) -> bool {
        self.literals.symbols[usize::from(byte)].frequency += 1;
        self.symbols.push((0, u16::from(byte)));
        self.symbols.len() == self.most_symbols
    }

    /// Returns whether the block is full.
    pub(super) fn reference(&mut self, distance: usize, length: usize) -> bool {
        self.literals.symbols[LITERALS + 1 + length_code(length).0].frequency += 1;
        self.distances.symbols[distance_code(distance).0].frequency += 1;
        self.symbols.push((distance as u16, length as u16));
        self.symbols.len() == self.most_symbols
    }

    pub(super) fn stored_block(&mut self, bytes: &[u8], last: bool) {
        self.put(u16::from(last), 3);
        self.pad();
        let length = bytes.len() as u16;
        self.bytes.extend(length.to_le_bytes());
        self.bytes.extend((!length).to_le_bytes());
        self.bytes.extend(bytes);
    }

    /// Writes an empty block with the fixed code.
    pub(super) fn align(&mut self) {
        self.put(1 << 1, 3);
        self.put(0, 7);
    }

    /// Writes the current block in the form that zlib chooses. `bytes` are the bytes of the block,
    /// if they are still known.
    pub(super) fn end_block(&mut self, bytes: Option<&[u8]>, length: usize, last: bool) {
        let mut bits = self.literals.build(&LENGTH_EXTRA, LITERALS + 1, MAX_BITS);
        bits += self.distances.build(&DISTANCE_EXTRA, 0, MAX_BITS);
        let mut lengths = Tree::<BL_CODES>::new();
        let (literal_runs, distance_runs) = (runs(&self.literals), runs(&self.distances));
        for (symbol, ..) in literal_runs.iter().chain(&distance_runs) {
            lengths.symbols[*symbol].frequency += 1;
        }
        bits += lengths.build(&BL_EXTRA, 0, 7);
        let used = (3..BL_CODES).rev().find(|index| lengths.symbols[BL_ORDER[*index]].length > 0);
        let used = used.unwrap_or(2) + 1;
        bits += 3 * used as u64 + 14;
        let whole = |bits: u64| (bits + 10) >> 3;
        let fixed = whole(self.fixed_bits());
        let dynamic = if fixed <= whole(bits) || self.only_fixed { fixed } else { whole(bits) };
        let stored =
            bytes.filter(|_| length as u64 + 4 <= dynamic && length <= usize::from(u16::MAX));
        if let Some(bytes) = stored {
            self.stored_block(bytes, last);
        } else if fixed == dynamic {
            self.put(1 << 1 | u16::from(last), 3);
            let (literals, distances) = fixed_trees();
            self.put_symbols(&literals, &distances);
        } else {
            self.put(2 << 1 | u16::from(last), 3);
            self.put((self.literals.last - LITERALS) as u16, 5);
            self.put(self.distances.last as u16, 5);
            self.put(used as u16 - 4, 4);
            for symbol in &BL_ORDER[..used] {
                self.put(u16::from(lengths.symbols[*symbol].length), 3);
            }
            for (symbol, more, count) in literal_runs.into_iter().chain(distance_runs) {
                self.put_symbol(lengths.symbols[symbol]);
                self.put(more, count);
            }
            let literals = std::mem::replace(&mut self.literals, Tree::new());
            let distances = std::mem::replace(&mut self.distances, Tree::new());
            self.put_symbols(&literals, &distances);
        }
        self.begin_block();
        if last {
            self.pad();
        }
    }

    fn fixed_bits(&self) -> u64 {
        let literals = self.literals.symbols.iter().enumerate().map(|(symbol, known)| {
            let more = symbol.checked_sub(LITERALS + 1).map_or(0, |code| LENGTH_EXTRA[code]);
            u64::from(known.frequency) * u64::from(fixed_length(symbol) + more)
        });
        let distances = self.distances.symbols.iter().zip(DISTANCE_EXTRA);
        let distances =
            distances.map(|(known, more)| u64::from(known.frequency) * u64::from(5 + more));
        literals.sum::<u64>() + distances.sum::<u64>()
    }

    fn put_symbols<const N: usize, const M: usize>(
        &mut self,
        literals: &Tree<N>,
        distances: &Tree<M>,
    ) {
        for (distance, value) in std::mem::take(&mut self.symbols) {
            let value = usize::from(value);
            if distance == 0 {
                self.put_symbol(literals.symbols[value]);
                continue;
            }
            let (code, base) = length_code(value);
            self.put_symbol(literals.symbols[LITERALS + 1 + code]);
            self.put((value - MIN_MATCH - base) as u16, u32::from(LENGTH_EXTRA[code]));
            let (code, base) = distance_code(usize::from(distance));
            self.put_symbol(distances.symbols[code]);
            let more = usize::from(distance) - 1 - base;
            self.put(more as u16, u32::from(DISTANCE_EXTRA[code]));
        }
        self.put_symbol(literals.symbols[END_OF_BLOCK]);
    }
}

fn fixed_length(symbol: usize) -> u8 {
    match symbol {
        0..144 => 8,
        144..256 => 9,
        256..280 => 7,
        _ => 8,
    }
}

/// The fixed codes (RFC 1951, section 3.2.6).
fn fixed_trees() -> (Tree<288>, Tree<D_CODES>) {
    let mut literals = Tree::new();
    for (symbol, known) in literals.symbols.iter_mut().enumerate() {
        known.length = fixed_length(symbol);
    }
    literals.assign(MAX_BITS);
    let mut distances = Tree::new();
    distances.symbols.iter_mut().for_each(|known: &mut Symbol| known.length = 5);
    distances.assign(MAX_BITS);
    (literals, distances)
}
