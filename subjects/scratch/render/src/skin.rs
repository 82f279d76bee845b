//! Costumes, which are immutable, shared between scenes, and rasterised when first sensed.

mod bitmap;
mod vector;

use std::collections::HashMap;
use std::sync::Arc;

use crate::limits::{Limits, SkinError};
use crate::raster::Edges;
use crate::silhouette::{EMPTY, Silhouette};
use bitmap::Bitmap;
use vector::Vector;

/// A costume of a [`SkinSet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SkinId(pub u32);

/// The costumes of a project, to be shared in an [`Arc`].
#[derive(Debug)]
pub struct SkinSet {
    skins: Vec<Skin>,
    /// The origin of each skin; `None` for blank skins and in sets with fine edges.
    origins: Vec<Option<Origin>>,
    refused: usize,
    limits: Limits,
}

/// The file of a costume and its properties in the project. Equal origins result in equal skins if
/// the limits are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Origin {
    file: Arc<[u8]>,
    is_vector: bool,
    /// The bits of the number.
    resolution: Option<u64>,
    /// The bits of both coordinates of the rotation centre.
    center: Option<(u64, u64)>,
}

/// Collects costumes for a [`SkinSet`].
#[derive(Debug)]
pub struct SkinSetBuilder {
    limits: Limits,
    skins: Vec<Skin>,
    origins: Vec<Option<Origin>>,
    refused: usize,
    /// Costumes of another set.
    known: HashMap<Origin, Source>,
}

impl SkinSetBuilder {
    /// Starts an empty set.
    pub fn new(limits: Limits) -> Self {
        let (skins, origins, known) = (Vec::new(), Vec::new(), HashMap::new());
        Self { limits, skins, origins, refused: 0, known }
    }

    /// Starts an empty set with the limits of another set, so that equal costumes can share their
    /// rasters.
    pub fn sharing(other: &SkinSet) -> Self {
        let known = other.origins.iter().zip(&other.skins);
        let known = known
            .filter_map(|(origin, skin)| Some((origin.clone()?, skin.source.clone())))
            .collect();
        Self { known, ..Self::new(other.limits) }
    }

    /// Adds a vector costume. `center` is the project's rotation centre in the coordinates of the
    /// document, by default half its width and height. The document is read now, but drawn when it
    /// is first sensed.
    ///
    /// Text uses the seven fonts of Scratch, which are part of this crate; other families are
    /// replaced by one of them. System fonts are never used, because they differ between computers.
    ///
    /// # Errors
    /// If the file cannot be read within the [`Limits`].
    pub fn add_svg(
        &mut self,
        bytes: Arc<[u8]>,
        center: Option<(f64, f64)>,
    ) -> Result<SkinId, SkinError> {
        let origin = Origin::new(&bytes, true, None, center);
        self.add_picture(origin, |limits| {
            Ok(Source::Vector(Arc::new(Vector::new(&bytes, center, Edges::Device, limits)?)))
        })
    }

    /// Adds a bitmap costume. The content of the file determines its format: PNG, JPEG, GIF, BMP or
    /// WebP. The file has one pixel for each stage unit if `resolution` is 1, otherwise two;
    /// `center` is in pixels of the file. Only the header is read now. A picture that cannot be
    /// decoded later is fully transparent.
    ///
    /// # Errors
    /// If the file cannot be read within the [`Limits`].
    pub fn add_bitmap(
        &mut self,
        bytes: Arc<[u8]>,
        resolution: Option<f64>,
        center: Option<(f64, f64)>,
    ) -> Result<SkinId, SkinError> {
        let origin = Origin::new(&bytes, false, resolution, center);
        self.add_picture(origin, |limits| {
            Ok(Source::Bitmap(Arc::new(Bitmap::new(bytes, resolution, center, limits)?)))
        })
    }

    /// Adds a costume of size 0 x 0 that touches nothing, in place of a missing or damaged costume.
    pub fn add_blank(&mut self) -> SkinId {
        self.add(None, Source::Blank)
    }

    /// Finishes the set.
    pub fn build(self) -> SkinSet {
        let Self { limits, skins, origins, refused, .. } = self;
        SkinSet { skins, origins, refused, limits }
    }

    fn add_picture(
        &mut self,
        origin: Origin,
        make: impl FnOnce(&Limits) -> Result<Source, SkinError>,
    ) -> Result<SkinId, SkinError> {
        if let Some(source) = self.known.get(&origin) {
            let source = source.clone();
            return Ok(self.add(Some(origin), source));
        }
        let (found, limit) = (origin.file.len(), self.limits.bytes);
        let made = if found > limit {
            Err(SkinError::FileTooLarge { found, limit })
        } else {
            make(&self.limits)
        };
        let source = made.inspect_err(|error| self.refused += usize::from(error.is_limit()))?;
        Ok(self.add(Some(origin), source))
    }

    fn add(&mut self, origin: Option<Origin>, source: Source) -> SkinId {
        let (size, center) = match &source {
            Source::Vector(vector) => (vector.size(), vector.center()),
            Source::Bitmap(bitmap) => (bitmap.size(), bitmap.center()),
            Source::Blank => ((0.0, 0.0), (0.0, 0.0)),
        };
        // The renderer keeps rotation centres in binary32.
        let center = (center.0 as f32, center.1 as f32);
        self.skins.push(Skin { size, center, source });
        self.origins.push(origin);
        SkinId(self.skins.len() as u32 - 1)
    }
}

impl Origin {
    fn new(
        file: &Arc<[u8]>,
        is_vector: bool,
        resolution: Option<f64>,
        center: Option<(f64, f64)>,
    ) -> Origin {
        Origin {
            file: Arc::clone(file),
            is_vector,
            resolution: resolution.map(f64::to_bits),
            center: center.map(|(x, y)| (x.to_bits(), y.to_bits())),
        }
    }
}

impl SkinSet {
    /// Width and height of a costume in stage units.
    ///
    /// # Panics
    /// If the set has no costume with this id.
    pub fn size(&self, id: SkinId) -> (f64, f64) {
        self.skin(id).size
    }

    /// Number of costumes that were not added because of an error for which
    /// [`SkinError::is_limit`] is true.
    pub fn refused(&self) -> usize {
        self.refused
    }

    /// The same costumes, with outlines that also contain pixels of which only a small part is
    /// covered. Results that differ with these costumes depend on how the edges of paths are drawn.
    pub fn with_fine_edges(&self) -> SkinSet {
        let skins = self.skins.iter().zip(&self.origins).map(|(skin, origin)| {
            let source = match (&skin.source, origin) {
                (Source::Vector(vector), Some(origin)) => {
                    let center = origin.center;
                    let center = center.map(|(x, y)| (f64::from_bits(x), f64::from_bits(y)));
                    // The file was accepted within the same limits before.
                    Vector::new(&origin.file, center, Edges::Fine, &self.limits).map_or_else(
                        |_| Source::Vector(Arc::clone(vector)),
                        |fine| Source::Vector(Arc::new(fine)),
                    )
                }
                (source, _) => source.clone(),
            };
            Skin { source, ..*skin }
        });
        SkinSet {
            skins: skins.collect(),
            origins: vec![None; self.skins.len()],
            refused: self.refused,
            limits: self.limits,
        }
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

#[derive(Debug)]
pub(crate) struct Skin {
    pub(crate) size: (f64, f64),
    pub(crate) center: (f32, f32),
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    Vector(Arc<Vector>),
    Bitmap(Arc<Bitmap>),
    Blank,
}

/// Identifies a raster of a skin: 0 for no raster, otherwise the number of the raster plus 1.
/// Bitmaps have a single raster, number 0.
///
/// Scratch rasterises when it draws, and senses with the largest raster that it has created so far.
/// Therefore, a scene stores this level, although this crate computes rasters when they are first
/// sensed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Level(u8);

impl Level {
    pub(crate) const NONE: Self = Self(0);

    fn of(number: usize) -> Self {
        Self(number as u8 + 1)
    }

    pub(crate) fn rank(self) -> u8 {
        self.0
    }

    fn number(self) -> Option<usize> {
        usize::from(self.0).checked_sub(1)
    }
}

impl Skin {
    /// The raster for a drawable with this scale in percent.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Picture;

    const SVG: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>"#;

    fn png(color: u8) -> Arc<[u8]> {
        Picture::from_fn(4, 4, |_, _| [color, 0, 0, 255]).to_png().into()
    }

    fn raster(set: &SkinSet, id: SkinId) -> *const Silhouette {
        let skin = set.skin(id);
        skin.silhouette(skin.level((100.0, 100.0)))
    }

    #[test]
    fn equal_costumes_of_two_sets_share_their_rasters_and_others_do_not() {
        let mut first = SkinSetBuilder::new(Limits::default());
        let svg = first.add_svg(SVG.as_bytes().into(), Some((1.0, 1.0))).unwrap();
        let bitmap = first.add_bitmap(png(1), Some(2.0), None).unwrap();
        let first = first.build();
        let mut second = SkinSetBuilder::sharing(&first);
        let same_bitmap = second.add_bitmap(png(1), Some(2.0), None).unwrap();
        let same_svg = second.add_svg(SVG.as_bytes().into(), Some((1.0, 1.0))).unwrap();
        let moved = second.add_svg(SVG.as_bytes().into(), Some((1.0, 2.0))).unwrap();
        let doubled = second.add_bitmap(png(1), Some(1.0), None).unwrap();
        let other = second.add_bitmap(png(2), Some(2.0), None).unwrap();
        let second = second.build();
        assert_eq!(raster(&first, svg), raster(&second, same_svg));
        assert_eq!(raster(&first, bitmap), raster(&second, same_bitmap));
        for own in [moved, doubled, other] {
            assert_ne!(raster(&first, svg), raster(&second, own));
            assert_ne!(raster(&first, bitmap), raster(&second, own));
        }
        assert_eq!(second.size(doubled), (4.0, 4.0));
        assert_ne!(second.skin(moved).center, first.skin(svg).center);
    }

    #[test]
    fn fine_edges_fill_pixels_that_are_covered_a_little() {
        // The corner covers a small part of the eleventh column.
        let corner = r#"<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">
            <path d="M0 0 L5 0 L10.15 20 L3 20 Z"/></svg>"#;
        let mut set = SkinSetBuilder::new(Limits::default());
        let corner = set.add_svg(corner.as_bytes().into(), Some((3.0, 4.0))).unwrap();
        let rectangle = set.add_svg(SVG.as_bytes().into(), None).unwrap();
        let bitmap = set.add_bitmap(png(1), Some(2.0), None).unwrap();
        let blank = set.add_blank();
        let set = set.build();
        let fine = set.with_fine_edges();
        let filled = |set: &SkinSet| {
            let skin = set.skin(corner);
            let silhouette = skin.silhouette(skin.level((100.0, 100.0)));
            [17, 18, 19].map(|row| silhouette.solid(10, row))
        };
        assert_eq!((filled(&set), filled(&fine)), ([false, false, true], [false, true, true]));
        for id in [corner, rectangle, bitmap, blank] {
            assert_eq!(fine.size(id), set.size(id));
            assert_eq!(fine.skin(id).center, set.skin(id).center);
        }
        assert_eq!(raster(&fine, bitmap), raster(&set, bitmap));
    }

    #[test]
    fn refused_costumes_are_counted_in_each_set() {
        let limits = Limits { bytes: 10, ..Limits::default() };
        let mut first = SkinSetBuilder::new(limits);
        assert!(first.add_bitmap(png(1), None, None).is_err());
        let first = first.build();
        let mut second = SkinSetBuilder::sharing(&first);
        assert!(second.add_bitmap(png(1), None, None).is_err());
        assert_eq!((first.refused(), second.build().refused()), (1, 1));
    }
}
