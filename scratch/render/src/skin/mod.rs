//! Costumes: immutable, shared between scenes, rasterised when first sensed.

mod bitmap;
mod vector;

use std::sync::Arc;

use crate::limits::{Limits, SkinError};
use crate::silhouette::{EMPTY, Silhouette};
use bitmap::Bitmap;
use vector::Vector;

/// A costume of a [`SkinSet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SkinId(pub u32);

/// The costumes of a project; `Send` and `Sync`, to be shared behind an [`Arc`].
#[derive(Debug)]
pub struct SkinSet {
    skins: Vec<Skin>,
    refused: usize,
}

/// Collects costumes for a [`SkinSet`].
#[derive(Debug)]
pub struct SkinSetBuilder {
    limits: Limits,
    skins: Vec<Skin>,
    refused: usize,
}

impl SkinSetBuilder {
    /// Starts an empty set.
    pub fn new(limits: Limits) -> Self {
        Self { limits, skins: Vec::new(), refused: 0 }
    }

    /// Adds a vector costume. `center` is the project's rotation centre in stage units; if it is
    /// `None`, the costume rotates around its middle. Only the document's size is read now.
    ///
    /// Text uses the seven fonts of Scratch, which are part of this crate; other families are
    /// replaced by one of them. System fonts are never used, because they differ between machines.
    ///
    /// # Errors
    /// If the file exceeds the [`Limits`], is not XML, or its root is not `svg`.
    pub fn add_svg(
        &mut self,
        bytes: Arc<[u8]>,
        center: Option<(f64, f64)>,
    ) -> Result<SkinId, SkinError> {
        let vector = self
            .check_file(&bytes)
            .and_then(|()| Vector::new(&bytes, center, &self.limits))
            .inspect_err(|error| self.refused += usize::from(error.is_limit()))?;
        Ok(self.add(Source::Vector(Box::new(vector))))
    }

    /// Adds a bitmap costume (PNG, JPEG, GIF, BMP or WebP, by its content). A stage unit has one
    /// pixel if `resolution` is 1, otherwise two; `center` is in pixels of the file. Only the
    /// header is read now; a picture that later fails to decode is fully transparent.
    ///
    /// # Errors
    /// If the file exceeds the [`Limits`], or its format or header is not recognised.
    pub fn add_bitmap(
        &mut self,
        bytes: Arc<[u8]>,
        resolution: Option<f64>,
        center: Option<(f64, f64)>,
    ) -> Result<SkinId, SkinError> {
        let bitmap = self
            .check_file(&bytes)
            .and_then(|()| Bitmap::new(bytes, resolution, center, &self.limits))
            .inspect_err(|error| self.refused += usize::from(error.is_limit()))?;
        Ok(self.add(Source::Bitmap(bitmap)))
    }

    /// Adds a costume of size 0 x 0 that touches nothing, in place of a missing or damaged one.
    ///
    /// Scratch shows a grey question mark instead, on whose outline a study should not depend. A
    /// project with a missing costume is reported when it is loaded.
    pub fn add_blank(&mut self) -> SkinId {
        self.add(Source::Blank)
    }

    /// Finishes the set.
    pub fn build(self) -> SkinSet {
        SkinSet { skins: self.skins, refused: self.refused }
    }

    fn check_file(&self, bytes: &[u8]) -> Result<(), SkinError> {
        let limit = self.limits.bytes;
        if bytes.len() > limit {
            return Err(SkinError::FileTooLarge { found: bytes.len(), limit });
        }
        Ok(())
    }

    fn add(&mut self, source: Source) -> SkinId {
        let (size, center) = match &source {
            Source::Vector(vector) => (vector.size(), vector.center()),
            Source::Bitmap(bitmap) => (bitmap.size(), bitmap.center()),
            Source::Blank => ((0.0, 0.0), (0.0, 0.0)),
        };
        // The renderer keeps rotation centres in binary32.
        let center = (center.0 as f32, center.1 as f32);
        self.skins.push(Skin { size, center, source });
        SkinId(self.skins.len() as u32 - 1)
    }
}

impl SkinSet {
    /// Width and height of a costume in stage units.
    ///
    /// # Panics
    /// If the id is from another set and out of range.
    pub fn size(&self, id: SkinId) -> (f64, f64) {
        self.skin(id).size
    }

    /// Number of costumes that were not added because they exceed the [`Limits`].
    pub fn refused(&self) -> usize {
        self.refused
    }

    pub(crate) fn len(&self) -> usize {
        self.skins.len()
    }

    pub(crate) fn skin(&self, id: SkinId) -> &Skin {
        &self.skins[id.0 as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Skin> {
        self.skins.iter()
    }
}

/// One costume.
#[derive(Debug)]
pub(crate) struct Skin {
    pub(crate) size: (f64, f64),
    pub(crate) center: (f32, f32),
    source: Source,
}

#[derive(Debug)]
enum Source {
    Vector(Box<Vector>),
    Bitmap(Bitmap),
    Blank,
}

/// A raster of a skin by its size: 0 for none, otherwise one more than the number of the raster.
/// Bitmaps have a single raster, number 0.
///
/// Scratch rasterises when it draws, and senses with the largest raster that it has made so far.
/// Therefore a scene stores this level, although rasters here are computed when first sensed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Level(u8);

impl Level {
    pub(crate) const NONE: Self = Self(0);

    fn of(number: usize) -> Self {
        Self(number as u8 + 1)
    }

    fn number(self) -> Option<usize> {
        usize::from(self.0).checked_sub(1)
    }
}

impl Skin {
    /// The raster for a drawable of this scale in percent; [`Level::NONE`] if there is none of
    /// that size.
    pub(crate) fn level(&self, scale: (f32, f32)) -> Level {
        match &self.source {
            Source::Vector(vector) => vector.level(scale).map_or(Level::NONE, Level::of),
            Source::Bitmap(_) | Source::Blank => Level::of(0),
        }
    }

    /// The raster that Scratch has before the first frame.
    pub(crate) fn first_level(&self) -> Level {
        match &self.source {
            Source::Vector(_) => Level::NONE,
            Source::Bitmap(_) | Source::Blank => Level::of(0),
        }
    }

    /// The raster of a level, computed by the first call.
    pub(crate) fn silhouette(&self, level: Level) -> &Silhouette {
        match (level.number(), &self.source) {
            (Some(number), Source::Vector(vector)) => vector.silhouette(number),
            (Some(_), Source::Bitmap(bitmap)) => bitmap.silhouette(),
            (None, _) | (_, Source::Blank) => &EMPTY,
        }
    }

    pub(crate) fn is_vector(&self) -> bool {
        matches!(self.source, Source::Vector(_))
    }
}
