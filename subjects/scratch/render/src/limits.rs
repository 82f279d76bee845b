//! Limits of costume files, and errors in loading them.

use thiserror::Error;

/// Limits of costume files, which are not trusted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Maximum size of a file in bytes.
    pub bytes: usize,
    /// Maximum number of nodes of an SVG document.
    pub nodes: u32,
    /// Maximum nesting of elements in an SVG document.
    pub depth: usize,
    /// Maximum number of letters of all text in an SVG document. A letter of a referenced element
    /// counts once for each use.
    pub letters: usize,
    /// Maximum sum, over all `text` elements, of the number of letters times the number of elements
    /// in the text, counted as for `letters`. Each element may select another font, in which the
    /// whole text is laid out.
    pub letters_in_fonts: u64,
    /// Maximum width or height of a costume, in pixels of the file or units of the `viewBox`.
    pub side: u32,
    /// Maximum number of pixels of a costume in its original size, which is doubled on both axes
    /// for a bitmap of resolution 1. The same limit applies to all bitmaps in an SVG document
    /// together; each bitmap counts once for each use.
    pub pixels: u64,
    /// Maximum number of pixels that drawing one raster of an SVG document may paint, including
    /// layers, masks, filters and pattern tiles. The number is estimated before drawing; a raster
    /// that needs more pixels is transparent.
    pub painted: u64,
    /// Maximum number of pixels (4 bytes each) in layers that exist at the same time during
    /// drawing.
    pub layers: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 32 << 20,
            nodes: 200_000,
            depth: 256,
            letters: 10_000,
            letters_in_fonts: 1_000_000,
            side: 16_384,
            pixels: 1 << 25,
            painted: 1 << 32,
            layers: 1 << 27,
        }
    }
}

/// Error in loading a costume.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SkinError {
    /// The file is larger than [`Limits::bytes`].
    #[error("the file has {found} bytes; at most {limit} are allowed")]
    FileTooLarge {
        /// Size of the file.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// The picture is larger than [`Limits::side`] or [`Limits::pixels`].
    #[error(
        "a picture of {width} x {height}: at most {side} per side and {pixels} in all are allowed"
    )]
    PictureTooLarge {
        /// Width in pixels or units.
        width: f64,
        /// Height in pixels or units.
        height: f64,
        /// The limit of a side.
        side: u32,
        /// The limit of the product.
        pixels: u64,
    },
    /// The text of the document has more letters than [`Limits::letters`].
    #[error("the text has {found} letters; at most {limit} are allowed")]
    TooMuchText {
        /// Number of letters that were counted.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// The document nests deeper than [`Limits::depth`].
    #[error("elements nest deeper than {limit} levels")]
    NestedTooDeeply {
        /// The limit.
        limit: usize,
    },
    /// The document is not XML, or has more nodes than [`Limits::nodes`].
    #[error("not a readable SVG document: {0}")]
    Xml(String),
    /// The root of the document is not an `svg` element.
    #[error("the root element is `{0}`, not `svg`")]
    NotSvg(String),
    /// The bitmap cannot be read.
    #[error("not a readable picture: {0}")]
    Picture(String),
}

impl SkinError {
    /// Whether the error is an exceeded limit. [`Limits::nodes`] is an exception, because the error
    /// is then [`SkinError::Xml`].
    pub fn is_limit(&self) -> bool {
        matches!(
            self,
            Self::FileTooLarge { .. }
                | Self::PictureTooLarge { .. }
                | Self::NestedTooDeeply { .. }
                | Self::TooMuchText { .. }
        )
    }
}
