//! Selection of the drawables and the area of a query.

use smallvec::SmallVec;

use super::Scene;
use super::drawable::{Drawable, Look};
use super::fingerprint::Fingerprint;
use super::pen::Pen;
use crate::bounds::Rect;
use crate::silhouette::{EMPTY, Silhouette};
use crate::skin::{Level, SkinSet};

/// Slots of the drawables that can influence a query, and the box around their intersections with
/// the tester. The tester is the drawable that senses the others.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    pub(super) slots: SmallVec<[u32; 64]>,
    pub(super) area: Option<Rect>,
}

/// The raster with which a drawable is sensed; for a costume, the largest raster selected so far.
pub(super) fn silhouette<'a>(
    skins: &'a SkinSet,
    levels: &[Level],
    pen: Option<&'a Pen>,
    drawable: &'a Drawable,
) -> &'a Silhouette {
    match &drawable.look {
        Look::Costume(skin) => skins.skin(*skin).silhouette(levels[skin.0 as usize]),
        Look::Bubble(bubble) => bubble.silhouette(),
        Look::PenLayer => pen.map_or(&EMPTY, Pen::layer),
        Look::Nothing => &EMPTY,
    }
}

impl Scene {
    /// The fingerprint of everything that determines the colours of a drawable at the points of the
    /// stage.
    pub(super) fn picture_print(&self, slot: usize) -> Option<Fingerprint> {
        let drawable = &self.drawables[slot];
        let pixels = match drawable.look {
            Look::Costume(skin) => Fingerprint::of(self.levels[skin.0 as usize].rank().into()),
            Look::PenLayer => self.pen.as_ref()?.drawn_print(),
            Look::Bubble(_) | Look::Nothing => return None,
        };
        Some(drawable.appearance().and(pixels))
    }

    /// The fingerprint of the data that determine which colours a drawable with effects has, but
    /// not where it has them.
    pub(super) fn colors_print(&self, slot: usize) -> Option<Fingerprint> {
        let drawable = &self.drawables[slot];
        let Look::Costume(skin) = drawable.look else { return None };
        let (effects, enabled) = drawable.effects.parts();
        let ranks = [self.levels[skin.0 as usize].rank(), drawable.level.rank(), enabled];
        let word = ranks.iter().fold(0, |word, &rank| word << 8 | u64::from(rank));
        (enabled != 0).then(|| Fingerprint::of(skin.0.into()).with(word, 1).numbers(effects))
    }

    /// Appends the data of a drawable to the fingerprint of a query within an area. The queue of
    /// the pen must have been drawn in the area.
    #[inline]
    pub(super) fn with_print_in(
        &self,
        question: Fingerprint,
        slot: usize,
        area: Rect,
    ) -> Option<Fingerprint> {
        match self.reaches.print(slot) {
            Some((appearance, skin)) => {
                Some(question.and_tagged(appearance, self.levels[skin as usize].rank()))
            }
            None => self.with_unknown_print_in(question, slot, area),
        }
    }

    #[inline(never)]
    fn with_unknown_print_in(
        &self,
        question: Fingerprint,
        slot: usize,
        area: Rect,
    ) -> Option<Fingerprint> {
        let drawable = &self.drawables[slot];
        match drawable.look {
            Look::Costume(skin) => {
                let level = self.levels[skin.0 as usize].rank();
                Some(question.and_tagged(drawable.appearance(), level))
            }
            Look::PenLayer => {
                let question = question.and(drawable.appearance());
                Some(self.pen.as_ref()?.prints_in(area).fold(question, Fingerprint::and))
            }
            Look::Bubble(_) | Look::Nothing => None,
        }
    }

    /// Selects at least the raster at 100 percent.
    pub(super) fn require_full_size(&mut self, slot: usize) -> Option<()> {
        match self.drawables[slot].look {
            Look::Nothing => None,
            Look::PenLayer | Look::Bubble(_) => Some(()),
            Look::Costume(skin) => {
                let full_size = self.skins.skin(skin).level((100.0, 100.0));
                let level = &mut self.levels[skin.0 as usize];
                *level = full_size.max(*level);
                (full_size != Level::NONE).then_some(())
            }
        }
    }

    /// The box with the points at which a query tests its tester.
    pub(super) fn query_bounds(&mut self, slot: usize) -> Option<Rect> {
        self.require_full_size(slot)?;
        let bounds = self.drawables[slot].fast_bounds().on_stage().snapped();
        (bounds.width() > 0.0 && bounds.height() > 0.0).then_some(bounds)
    }

    pub(super) fn candidates(
        &mut self,
        tester: usize,
        front_to_back: impl IntoIterator<Item = u32>,
    ) -> Candidates {
        match self.query_bounds(tester) {
            Some(bounds) => self.reaching(tester, bounds, front_to_back.into_iter()),
            None => Candidates::default(),
        }
    }
}

pub(super) fn rows(area: Rect) -> impl Iterator<Item = i32> {
    // Areas are limited to a few stages, so the casts do not saturate.
    area.bottom as i32..=area.top as i32
}
