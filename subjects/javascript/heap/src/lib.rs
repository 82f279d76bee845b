//! Memory for one JavaScript engine that can be restored to an earlier state.
//!
//! A [`Heap`] allocates all blocks of an engine. An [`Image`] keeps their contents, and
//! [`Heap::restore`] writes each byte back to its address, so all pointers stay valid. This is
//! usually much faster than evaluating a large program.
//!
//! Small blocks are usually parts of chunks and are reused by size class.

// This crate returns and takes raw addresses of memory.
#![allow(unsafe_code)]

mod block;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ptr;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use block::{Block, Saved};

#[cfg(not(target_pointer_width = "64"))]
compile_error!("catherd needs a 64-bit target: the sizes of blocks take 48 bits");

/// Size of a chunk in bytes.
const CHUNK: usize = 256 << 10;
/// Maximum size of a small block in bytes, including the header.
const LARGEST_SMALL: usize = 32 << 10;
/// Sizes up to this many bytes are multiples of [`STEP`]. Above, there are four sizes for each
/// doubling.
const FINE: usize = 512;
/// Distance between the smallest sizes, and the alignment of blocks.
const STEP: usize = 16;
const SIZES: usize = FINE / STEP + 4 * (LARGEST_SMALL / FINE).ilog2() as usize;
const HEADER: usize = size_of::<Header>();
/// Alignment of data in blocks.
const ALIGN: usize = align_of::<u64>();
/// [`Header::size_number`] of blocks outside chunks.
const LARGE: u16 = u16::MAX;

#[derive(Clone, Copy)]
#[repr(C)]
struct Header {
    /// Usable bytes, in units of [`ALIGN`].
    units: [u16; 3],
    /// The size class, or [`LARGE`].
    size_number: u16,
}

// A header keeps the alignment of the block after it, and a free block of the smallest size has
// room for the address of the next free block.
const _: () = assert!(HEADER == ALIGN && size_of::<*mut u8>() <= STEP - HEADER);

impl Header {
    fn new(usable: usize, size_number: u16) -> Header {
        let units = (usable / ALIGN) as u64;
        Header { units: [units as u16, (units >> 16) as u16, (units >> 32) as u16], size_number }
    }

    fn usable(self) -> usize {
        let [low, middle, high] = self.units.map(usize::from);
        (low | middle << 16 | high << 32) * ALIGN
    }
}

/// Maximum size of a block in bytes, which [`Header::units`] can store.
const LARGEST: usize = 1 << 48;

fn size_number(bytes: usize) -> usize {
    if bytes <= FINE {
        return bytes.div_ceil(STEP) - 1;
    }
    // `bytes` is in (2^k, 2^(k+1)], which has four sizes.
    let k = (bytes - 1).ilog2();
    let quarter = (bytes - 1 - (1 << k)) >> (k - 2);
    FINE / STEP + 4 * (k - FINE.ilog2()) as usize + quarter
}

fn size_of_number(number: usize) -> usize {
    match number.checked_sub(FINE / STEP) {
        None => (number + 1) * STEP,
        Some(above) => {
            let doubled = FINE << (above / 4);
            doubled + (doubled >> 2) * (above % 4 + 1)
        }
    }
}

static HEAPS: AtomicU64 = AtomicU64::new(0);

/// The memory of one engine.
pub struct Heap {
    id: u64,
    /// The first free block of each size class. After its header, a free block has the address of
    /// the next one.
    free: [Cell<*mut u8>; SIZES],
    chunks: RefCell<Vec<Block>>,
    /// Number of chunks in use. The chunks after them are kept for later use.
    chunks_in_use: Cell<usize>,
    /// The bounds of the free part of the last chunk in use.
    rest: Cell<(*mut u8, *mut u8)>,
    most_chunks: usize,
    /// Blocks outside chunks, by the address of their header.
    large: RefCell<BTreeMap<usize, Rc<Block>>>,
}

/// The contents of a heap at a point in time.
pub struct Image {
    heap: u64,
    free: [*mut u8; SIZES],
    chunks: Vec<Saved>,
    rest: (*mut u8, *mut u8),
    large: Vec<(Rc<Block>, Saved)>,
}

impl Heap {
    /// A heap without blocks. The total size of its chunks is limited to `chunk_bytes`, rounded up
    /// to whole chunks.
    pub fn new(chunk_bytes: usize) -> Heap {
        Heap {
            id: HEAPS.fetch_add(1, Ordering::Relaxed),
            free: [const { Cell::new(ptr::null_mut()) }; SIZES],
            chunks: RefCell::default(),
            chunks_in_use: Cell::new(0),
            rest: Cell::new((ptr::null_mut(), ptr::null_mut())),
            most_chunks: chunk_bytes.div_ceil(CHUNK),
            large: RefCell::default(),
        }
    }

    /// Allocates a block of at least this many bytes with the alignment of `u64`, which is less
    /// than that of C's `malloc`. Returns null if the block is too large or there is no memory.
    pub fn allocate(&self, bytes: usize) -> *mut u8 {
        if bytes > LARGEST {
            return ptr::null_mut();
        }
        let usable = bytes.next_multiple_of(ALIGN);
        let whole = usable + HEADER;
        if whole <= LARGEST_SMALL {
            let number = size_number(whole.max(STEP));
            let block = self.small(number);
            if !block.is_null() {
                // SAFETY: the block is free, aligned, and has room for the header and the usable
                // bytes.
                return unsafe { with_header(block, Header::new(usable, number as u16)) };
            }
        }
        let Some(block) = Block::new(whole) else { return ptr::null_mut() };
        let start = block.start();
        self.large.borrow_mut().insert(start as usize, Rc::new(block));
        // SAFETY: as above.
        unsafe { with_header(start, Header::new(usable, LARGE)) }
    }

    /// Returns null if there is no chunk with enough space.
    fn small(&self, number: usize) -> *mut u8 {
        let first = self.free[number].get();
        if !first.is_null() {
            // SAFETY: after its header, a free block has the address of the next one.
            self.free[number].set(unsafe { first.add(HEADER).cast::<*mut u8>().read() });
            return first;
        }
        let size = size_of_number(number);
        let (start, end) = self.rest.get();
        if end as usize - start as usize >= size {
            // SAFETY: the chunk has at least `size` bytes left.
            self.rest.set((unsafe { start.add(size) }, end));
            return start;
        }
        let Some((start, end)) = self.next_chunk() else { return ptr::null_mut() };
        // SAFETY: a chunk is larger than any small block.
        self.rest.set((unsafe { start.add(size) }, end));
        start
    }

    fn next_chunk(&self) -> Option<(*mut u8, *mut u8)> {
        let number = self.chunks_in_use.get();
        let mut chunks = self.chunks.borrow_mut();
        if number == chunks.len() {
            if number == self.most_chunks {
                return None;
            }
            chunks.push(Block::new(CHUNK)?);
        }
        self.chunks_in_use.set(number + 1);
        Some(chunks[number].bounds())
    }

    /// Frees a block.
    ///
    /// # Safety
    /// The block is not null, belongs to this heap and has not been freed, and nothing uses it any
    /// more.
    pub unsafe fn free(&self, block: *mut u8) {
        // SAFETY: the caller passes a block, which has a header before it.
        let (start, header) = unsafe { header_of(block) };
        if header.size_number == LARGE {
            self.large.borrow_mut().remove(&(start as usize));
            return;
        }
        let first = &self.free[usize::from(header.size_number)];
        // SAFETY: a small block has room for an address after its header; nothing else uses it.
        unsafe { block.cast::<*mut u8>().write(first.get()) };
        first.set(start);
    }

    /// Changes the size of a block, which may move. Returns null without a change on failure.
    ///
    /// # Safety
    /// The block is not null, belongs to this heap and has not been freed. Nothing uses its old
    /// address afterwards, unless null is returned.
    pub unsafe fn reallocate(&self, block: *mut u8, bytes: usize) -> *mut u8 {
        if bytes > LARGEST {
            return ptr::null_mut();
        }
        // SAFETY: the caller passes a block, which has a header before it.
        let (start, header) = unsafe { header_of(block) };
        let usable = bytes.next_multiple_of(ALIGN);
        let whole = usable + HEADER;
        if header.size_number == LARGE {
            if whole > LARGEST_SMALL
                && let Some(moved) = self.reallocate_large(start, whole)
            {
                // SAFETY: the block has these bytes now.
                return unsafe { with_header(moved, Header::new(usable, LARGE)) };
            }
        } else if whole <= LARGEST_SMALL
            && size_number(whole.max(STEP)) == usize::from(header.size_number)
        {
            // SAFETY: the size class has room for the header and the usable bytes.
            return unsafe { with_header(start, Header::new(usable, header.size_number)) };
        }
        let moved = self.allocate(bytes);
        if !moved.is_null() {
            // SAFETY: the blocks are different, and both have at least this many bytes. The caller
            // no longer uses the old block.
            unsafe {
                ptr::copy_nonoverlapping(block, moved, header.usable().min(usable));
                self.free(block);
            }
        }
        moved
    }

    /// Returns `None` without a change if an image needs the block at its address or on failure.
    fn reallocate_large(&self, start: *mut u8, whole: usize) -> Option<*mut u8> {
        let mut large = self.large.borrow_mut();
        let mut block = large.remove(&(start as usize))?;
        let moved = Rc::get_mut(&mut block).is_some_and(|block| block.resize(whole));
        let now = block.start();
        large.insert(now as usize, block);
        moved.then_some(now)
    }

    /// The usable bytes of a block: the requested bytes, rounded up to a multiple of 8.
    ///
    /// # Safety
    /// The block is not null, belongs to a heap and has not been freed.
    pub unsafe fn usable_size(block: *mut u8) -> usize {
        // SAFETY: the caller passes a block, which has a header before it.
        unsafe { header_of(block) }.1.usable()
    }

    /// Copies the contents of all blocks.
    pub fn image(&self) -> Image {
        let chunks = self.chunks.borrow();
        let (rest, in_use) = (self.rest.get(), self.chunks_in_use.get());
        let used = chunks[..in_use].iter().enumerate().map(|(number, chunk)| {
            let last = number + 1 == in_use;
            chunk.save(if last { rest.0 as usize - chunk.start() as usize } else { CHUNK })
        });
        let large = self.large.borrow();
        let large = large.values().map(|block| (Rc::clone(block), block.save(block.len())));
        Image {
            heap: self.id,
            free: self.free.each_ref().map(Cell::get),
            chunks: used.collect(),
            rest,
            large: large.collect(),
        }
    }

    /// Restores all blocks to their state at the time of the image. Later blocks no longer exist.
    ///
    /// # Panics
    /// If the image was made from another heap.
    ///
    /// # Safety
    /// Only the contents of blocks refer to blocks that were allocated after the image was made.
    /// Nothing outside the heap to which blocks of the image refer has been freed since.
    pub unsafe fn restore(&self, image: &Image) {
        assert_eq!(image.heap, self.id, "the image belongs to another heap");
        let chunks = self.chunks.borrow();
        for (chunk, saved) in chunks.iter().zip(&image.chunks) {
            // SAFETY: chunks keep their size and their place in the list while the heap exists;
            // the caller promises the rest.
            unsafe { chunk.put_back(saved) };
        }
        self.chunks_in_use.set(image.chunks.len());
        self.rest.set(image.rest);
        for (free, first) in self.free.iter().zip(image.free) {
            free.set(first);
        }
        let mut large = self.large.borrow_mut();
        large.clear();
        for (block, saved) in &image.large {
            // SAFETY: the block has as many bytes as the copy, because the image prevents changes
            // of its size; the caller promises the rest.
            unsafe { block.put_back(saved) };
            large.insert(block.start() as usize, Rc::clone(block));
        }
    }
}

impl Image {
    /// Number of copied bytes.
    pub fn bytes(&self) -> usize {
        let large = self.large.iter().map(|(_, saved)| saved);
        self.chunks.iter().chain(large).map(Saved::len).sum()
    }
}

/// Returns the address after the header.
///
/// # Safety
/// The address is aligned, with room for the header, and nothing uses these bytes.
unsafe fn with_header(start: *mut u8, header: Header) -> *mut u8 {
    // SAFETY: the caller's promise.
    unsafe {
        start.cast::<Header>().write(header);
        start.add(HEADER)
    }
}

/// # Safety
/// The block has a header.
unsafe fn header_of(block: *mut u8) -> (*mut u8, Header) {
    // SAFETY: the caller's promise.
    unsafe {
        let start = block.sub(HEADER);
        (start, start.cast::<Header>().read())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_bytes_that_are_asked_for_and_waste_at_most_a_fifth() {
        for bytes in STEP..=LARGEST_SMALL {
            let number = size_number(bytes);
            let size = size_of_number(number);
            assert!(size >= bytes && number < SIZES, "{bytes}: {size}");
            assert!(size - bytes < STEP.max(size / 5), "{bytes}: {size}");
            assert_eq!(size % STEP, 0);
            assert_eq!(size_number(size), number);
        }
        assert_eq!(size_number(LARGEST_SMALL), SIZES - 1);
    }

    #[test]
    fn headers_keep_sizes() {
        for usable in [0, 8, 1 << 19, 1 << 34, LARGEST] {
            assert_eq!(Header::new(usable, 7).usable(), usable);
        }
    }
}
