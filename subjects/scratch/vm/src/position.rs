//! Positions of scripts: numbers that represent the current blocks of threads.

use catherd_scratch_sb3::BlockNo;

use crate::code::NONE;
use crate::thread::Thread;
use crate::tracer::Tracer;
use crate::vm::Vm;

/// Offset basis and prime of the hash function FNV-1a.
const FNV: (u64, u64) = (0xcbf2_9ce4_8422_2325, 0x0100_0000_01b3);

impl<T: Tracer> Vm<T> {
    /// A number that represents the blocks and loop counters of the live threads of the script with
    /// this top block; 0 if there are no live threads.
    pub fn script_position(&self, top: BlockNo) -> u64 {
        let threads = self.state.thread_list.iter().map(|&t| &self.state.threads[t as usize]);
        let of_script = |thread: &&Thread| {
            !thread.is_done()
                && thread.hat != NONE
                && self.program.commands[thread.hat as usize].no == top
        };
        threads.filter(of_script).fold(0, |sum, thread| sum.wrapping_add(thread.position()))
    }

    /// A number that represents the positions of the live threads of all scripts.
    pub fn position(&self) -> u64 {
        let threads = self.state.thread_list.iter().map(|&t| &self.state.threads[t as usize]);
        let live = threads.filter(|thread| !thread.is_done());
        live.fold(0, |sum, thread| sum.wrapping_add(thread.position()))
    }
}

impl Thread {
    /// A hash of the blocks on the stack and of their loop counters; never 0.
    fn position(&self) -> u64 {
        let mut hash = FNV.0;
        for frame in &self.stack {
            for part in [u64::from(frame.block), frame.counter.to_bits()] {
                hash = (hash ^ part).wrapping_mul(FNV.1);
                hash ^= hash >> 29;
            }
        }
        hash | 1
    }
}
