//! Finds out whether a part of a thread's stack has been used.

// System calls about memory are unsafe.
#![allow(unsafe_code)]

pub use system::StackBand;

/// An address on the stack of the calling thread, near the frame of the caller.
#[inline(always)]
pub fn stack_address() -> usize {
    let local = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&local)).addr()
}

#[cfg(target_os = "linux")]
mod system {
    use std::marker::PhantomData;
    use std::ops::Range;
    use std::{mem, ptr};

    use super::stack_address;

    /// Minimum distance in bytes from a band to the current frames and to the lower end of the
    /// stack.
    const GAP: usize = 64 << 10;

    /// Whole pages of the stack of one thread, far from the frames that are on the stack when the
    /// band is made. A frame that leaves most of its bytes untouched can be missed if it is longer
    /// than the band.
    #[derive(Debug)]
    pub struct StackBand {
        addresses: Range<usize>,
        page: usize,
        /// Not `Send`, because the stack belongs to one thread.
        _thread: PhantomData<*const ()>,
    }

    impl StackBand {
        /// The whole pages between two addresses on the stack of this thread. `None` if these pages
        /// cannot be observed.
        pub fn new(addresses: Range<usize>) -> Option<StackBand> {
            let page = rustix::param::page_size();
            let Range { start, end } = addresses;
            let addresses = start.next_multiple_of(page)..end - end % page;
            if addresses.is_empty() || !is_on_this_stack(&addresses) {
                return None;
            }
            let band = StackBand { addresses, page, _thread: PhantomData };
            band.advise(libc::MADV_NOHUGEPAGE);
            band.clear();
            (!band.used()).then_some(band)
        }

        /// The lower and the upper end.
        pub fn addresses(&self) -> Range<usize> {
            self.addresses.clone()
        }

        /// Forgets earlier uses.
        pub fn clear(&self) {
            if self.used() {
                self.advise(libc::MADV_DONTNEED);
            }
        }

        /// Whether a page of the band has been used since [`StackBand::clear`] was called.
        pub fn used(&self) -> bool {
            let Range { start, end } = self.addresses;
            let mut resident = vec![0_u8; (end - start) / self.page];
            // SAFETY: the call writes one byte for each page, and the buffer has as many bytes.
            let result = unsafe {
                libc::mincore(
                    ptr::with_exposed_provenance_mut(start),
                    end - start,
                    resident.as_mut_ptr(),
                )
            };
            // If the call fails, treat the band as used.
            result != 0 || resident.iter().any(|page| page & 1 == 1)
        }

        fn advise(&self, advice: i32) {
            let Range { start, end } = self.addresses;
            if stack_address() < end.saturating_add(GAP) {
                return;
            }
            // SAFETY: the pages belong to the stack of this thread, which made the band, and are
            // below all of its frames, so nothing refers to their contents.
            unsafe { libc::madvise(ptr::with_exposed_provenance_mut(start), end - start, advice) };
        }
    }

    /// Whether the addresses belong to the stack of the calling thread, at a distance of [`GAP`]
    /// from its lower end and from the current frames.
    fn is_on_this_stack(addresses: &Range<usize>) -> bool {
        let mut attributes = mem::MaybeUninit::uninit();
        let (mut lowest, mut size) = (ptr::null_mut(), 0);
        // SAFETY: `pthread_getattr_np` initialises the attributes if it succeeds,
        // `pthread_attr_getstack` reads them, and `pthread_attr_destroy` frees what they own.
        let result = unsafe {
            match libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) {
                0 => {
                    let result = libc::pthread_attr_getstack(
                        attributes.as_ptr(),
                        &raw mut lowest,
                        &raw mut size,
                    );
                    libc::pthread_attr_destroy(attributes.as_mut_ptr());
                    result
                }
                error => error,
            }
        };
        result == 0
            && addresses.start >= lowest.addr().saturating_add(GAP)
            && addresses.end.saturating_add(GAP) <= stack_address()
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::ops::Range;

    /// A part of the stack. This system does not report which pages were used.
    #[derive(Debug)]
    pub enum StackBand {}

    impl StackBand {
        /// Always `None`.
        pub fn new(_: Range<usize>) -> Option<StackBand> {
            None
        }

        /// The lower and the upper end.
        pub fn addresses(&self) -> Range<usize> {
            match *self {}
        }

        /// Forgets earlier uses.
        pub fn clear(&self) {
            match *self {}
        }

        /// Whether a page of the band has been used.
        pub fn used(&self) -> bool {
            match *self {}
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[inline(never)]
    fn descend(address: usize) -> u8 {
        let block = std::hint::black_box([1_u8; 1024]);
        let below = if stack_address() > address { descend(address) } else { 0 };
        block[usize::from(below) % 2].wrapping_add(below)
    }

    #[test]
    fn a_band_is_used_by_frames_that_reach_it() {
        let thread = std::thread::Builder::new().stack_size(8 << 20);
        let uses = thread.spawn(|| {
            let here = stack_address();
            let band = StackBand::new(here - (3 << 20)..here - (2 << 20)).unwrap();
            let mut uses = vec![band.used()];
            descend(here - (1 << 20));
            uses.push(band.used());
            descend(here - (2 << 20));
            uses.push(band.used());
            band.clear();
            uses.push(band.used());
            uses
        });
        assert_eq!(uses.unwrap().join().unwrap(), [false, false, true, false]);
    }

    #[test]
    fn there_is_no_band_outside_of_the_stack() {
        let here = stack_address();
        assert!(StackBand::new(here - (1 << 30)..here - (1 << 29)).is_none());
        assert!(StackBand::new(here..here + 8192).is_none());
    }
}
