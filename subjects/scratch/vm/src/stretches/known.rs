//! Known properties of the code of stretches.

use std::sync::Arc;

use catherd_scratch_render::Fingerprint;
use catherd_scratch_sb3::BlockNo;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::reach::Reach;
use crate::code::{CommandId, NONE};
use crate::program::Program;

/// Maximum number of reaches that are kept, both for places and for executed blocks.
const MAX_REACHES: usize = 1024;

/// Maximum number of reaches of a piece of code for which outcomes are searched.
const MAX_VARIANTS: usize = 8;

/// Number of successive stretches that cannot be remembered after which a piece of code is rarely
/// tried.
const MAX_FAILURES: u32 = 8;

/// If code is rarely tried, one in this number of stretches is tried.
const RARELY: u32 = 64;

/// The blocks of the frames at which code begins, followed by the sprite.
pub(super) type Place = SmallVec<[CommandId; 8]>;

#[derive(Clone)]
pub(super) struct Known {
    /// What the code may read or change, without the parts that cannot be remembered.
    pub(super) wide: Arc<Reach>,
    /// The reaches for which outcomes are searched.
    pub(super) variants: SmallVec<[Arc<Reach>; MAX_VARIANTS]>,
    /// Number of successive stretches that could not be remembered or were not tried.
    failures: u32,
}

#[derive(Default)]
pub(super) struct Codes {
    /// `None` if no stretch that begins at the place can be remembered.
    places: FxHashMap<Place, Option<Known>>,
    /// By the fingerprint of the place and the executed blocks.
    executed: FxHashMap<u128, Option<Arc<Reach>>>,
    /// Commands by their blocks, in order.
    commands: Vec<(BlockNo, CommandId)>,
}

impl Codes {
    /// `None` if no stretch that begins at the place can be remembered. `traced` states whether the
    /// executed blocks are known after a stretch.
    pub(super) fn at(
        &mut self,
        place: &Place,
        program: &Program,
        traced: bool,
    ) -> Option<&mut Known> {
        if !self.places.contains_key(place) {
            if self.places.len() >= MAX_REACHES {
                self.places.clear();
            }
            let (&sprite, blocks) = place.split_last()?;
            let code = blocks.iter().copied().filter(|block| *block != NONE);
            let reach = Reach::of(program, sprite as usize, code);
            let known = reach.filter(|(_, complete)| traced || *complete).map(|(wide, _)| {
                let wide = Arc::new(wide);
                let variants = if traced {
                    SmallVec::new()
                } else {
                    [Arc::clone(&wide)].into_iter().collect()
                };
                Known { wide, variants, failures: 0 }
            });
            self.places.insert(place.clone(), known);
        }
        self.places.get_mut(place)?.as_mut()
    }

    /// `None` if the stretch did something that cannot be remembered.
    pub(super) fn of_executed(
        &mut self,
        place: &Place,
        blocks: &[BlockNo],
        program: &Program,
    ) -> Option<Arc<Reach>> {
        if self.commands.is_empty() {
            let commands = program.commands.iter().zip(0..);
            self.commands = commands.map(|(command, id)| (command.no, id)).collect();
            self.commands.sort_unstable();
        }
        let print = place.iter().fold(Fingerprint::of(0), |p, block| p.with(u64::from(*block), 1));
        let print = blocks.iter().fold(print, |p, block| p.with(u64::from(block.0), 2)).bits();
        if let Some(known) = self.executed.get(&print) {
            return known.clone();
        }
        if self.executed.len() >= MAX_REACHES {
            self.executed.clear();
        }
        let commands = &self.commands;
        let executed = blocks.iter().flat_map(|block| {
            let from = commands.partition_point(|(no, _)| no < block);
            let same = commands[from..].iter().take_while(move |(no, _)| no == block);
            same.map(|(_, id)| *id)
        });
        let (_, frames) = place.split_last()?;
        let frames = frames.iter().copied().filter(|block| *block != NONE);
        let reach = Reach::of_executed(program, frames.chain(executed)).map(Arc::new);
        self.executed.insert(print, reach.clone());
        reach
    }
}

impl Known {
    /// Whether a stretch that begins at this place should be executed without a record.
    pub(super) fn is_hopeless(&mut self) -> bool {
        if self.failures < MAX_FAILURES {
            return false;
        }
        self.failures += 1;
        !self.failures.is_multiple_of(RARELY)
    }

    pub(super) fn fail(&mut self) {
        self.failures += 1;
    }

    /// Returns the reach, shared with an equal variant if there is one.
    pub(super) fn succeed(&mut self, reach: &Arc<Reach>) -> Arc<Reach> {
        self.failures = 0;
        if let Some(place) = self.variants.iter().position(|variant| variant == reach) {
            return Arc::clone(&self.variants[place]);
        }
        if self.variants.len() == MAX_VARIANTS {
            self.variants.pop();
        }
        self.variants.insert(0, Arc::clone(reach));
        Arc::clone(reach)
    }

    pub(super) fn found(&mut self, variant: usize) {
        self.variants[..=variant].rotate_right(1);
    }
}
