//! Tests of a heap and its images.

#![allow(unsafe_code)] // Calls to an allocator.

use catherd_javascript_heap::Heap;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn size(random: &mut ChaCha8Rng) -> usize {
    let most = match random.random_range(0..20) {
        0 => 200_000,
        1..4 => 40_000,
        _ => 600,
    };
    random.random_range(0..most)
}

#[derive(Clone, Copy)]
struct Filled {
    block: *mut u8,
    size: usize,
    byte: u8,
}

fn fill(block: *mut u8, size: usize, byte: u8) -> Filled {
    assert!(!block.is_null());
    assert_eq!(block as usize % 8, 0);
    // SAFETY: the heap has returned a block of at least this size.
    unsafe {
        assert_eq!(Heap::usable_size(block), size.next_multiple_of(8));
        block.write_bytes(byte, size);
    }
    Filled { block, size, byte }
}

fn check(filled: &Filled) {
    // SAFETY: the block has at least this many bytes, which `fill` has written.
    let bytes = unsafe { std::slice::from_raw_parts(filled.block, filled.size) };
    // Comparing whole slices is fast even in Miri.
    assert!(bytes == vec![filled.byte; filled.size]);
}

/// Allocates, resizes, frees and checks blocks, in fewer steps in Miri, which is much slower.
fn work(heap: &Heap, blocks: &mut Vec<Filled>, random: &mut ChaCha8Rng, steps: usize) {
    let steps = if cfg!(miri) { steps / 10 } else { steps };
    for _ in 0..steps {
        let byte = random.random();
        match random.random_range(0..5) {
            0 | 1 => {
                let size = size(random);
                blocks.push(fill(heap.allocate(size), size, byte));
            }
            2 if !blocks.is_empty() => {
                let old = blocks.swap_remove(random.random_range(0..blocks.len()));
                check(&old);
                let size = size(random);
                // SAFETY: the block belongs to the heap and is no longer in the list.
                let moved = unsafe { heap.reallocate(old.block, size) };
                check(&Filled { block: moved, size: old.size.min(size), ..old });
                blocks.push(fill(moved, size, byte));
            }
            _ if blocks.len() > 20 => {
                let old = blocks.swap_remove(random.random_range(0..blocks.len()));
                check(&old);
                // SAFETY: as above.
                unsafe { heap.free(old.block) };
            }
            _ => {}
        }
    }
}

#[test]
fn blocks_keep_their_contents_and_images_bring_them_back() {
    for (seed, chunk_bytes) in [(1, 64 << 20), (2, 1 << 20), (3, 0)] {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let heap = Heap::new(chunk_bytes);
        let mut blocks = Vec::new();
        work(&heap, &mut blocks, &mut random, 3_000);
        let (first, at_first) = (heap.image(), blocks.clone());
        work(&heap, &mut blocks, &mut random, 3_000);
        let (second, at_second) = (heap.image(), blocks.clone());
        for round in 0..10 {
            work(&heap, &mut blocks, &mut random, 1_000);
            blocks.iter().for_each(check);
            let (image, then) =
                if round % 2 == 0 { (&first, &at_first) } else { (&second, &at_second) };
            // SAFETY: the list of blocks is replaced.
            unsafe { heap.restore(image) };
            blocks.clone_from(then);
            blocks.iter().for_each(check);
        }
    }
}

#[test]
fn the_same_requests_get_the_same_addresses_after_the_same_image() {
    let heap = Heap::new(1 << 20);
    let mut blocks = Vec::new();
    work(&heap, &mut blocks, &mut ChaCha8Rng::seed_from_u64(4), 500);
    let (image, then) = (heap.image(), blocks.clone());
    let addresses = |blocks: &[Filled]| -> Vec<*mut u8> {
        blocks.iter().filter(|filled| filled.size < 10_000).map(|filled| filled.block).collect()
    };
    let mut seen = Vec::new();
    for _ in 0..3 {
        // SAFETY: the list of blocks is replaced.
        unsafe { heap.restore(&image) };
        blocks.clone_from(&then);
        for size in (0..2_000).step_by(24) {
            blocks.push(fill(heap.allocate(size), size, 1));
        }
        seen.push(addresses(&blocks));
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
#[should_panic(expected = "the image belongs to another heap")]
fn the_image_of_another_heap_is_refused() {
    let (heap, other) = (Heap::new(1 << 20), Heap::new(1 << 20));
    // SAFETY: no blocks were allocated.
    unsafe { heap.restore(&other.image()) };
}

#[test]
fn impossible_sizes_are_refused() {
    let heap = Heap::new(1 << 20);
    assert!(heap.allocate(usize::MAX).is_null());
    let block = fill(heap.allocate(10), 10, 3);
    // SAFETY: the block belongs to the heap and stays allocated because the request is refused.
    assert!(unsafe { heap.reallocate(block.block, usize::MAX - 100) }.is_null());
    check(&block);
    let image = heap.image();
    assert_eq!(image.bytes(), 32);
}
