//! A renderer without a screen: computes what Scratch programs can sense of rendering.
//!
//! A [`SkinSet`] contains a project's costumes; it is immutable and shared. A [`Scene`] is the
//! state of the draw list above it: positions, effects, layers, the pen layer, speech bubbles,
//! and the two caches that Scratch programs can observe, hulls and raster levels. Cloning a
//! scene creates a snapshot.
//!
//! Costumes are rasterised when a query needs them. The answers follow the pixel rules of
//! Scratch's own renderer, including its mixture of binary32 storage and binary64 arithmetic,
//! and are the same on every computer.
//!
//! # Where answers may differ from a browser
//!
//! - Outlines of vector costumes follow a browser that draws through an emulated graphics device.
//!   Single pixels differ on curved lines with a stroke, on circles and ellipses, and in text.
//! - Text of other font families than Scratch's own uses one of Scratch's fonts, not a font of
//!   the host.
//! - The coverage of pen lines is exact, without a graphics driver's grid of 1/16 pixel; bytes
//!   near lines differ by up to 8.
//! - The size of bubbles follows from the widths of Helvetica's letters; only clicks are affected.
//! - A drawable under the pixelate effect gets its raster at 100 percent as soon as a query
//!   includes it, not only when a sampled point lies on it.

mod bounds;
mod color;
mod effect;
mod foreign;
mod hull;
mod limits;
mod matrix;
mod raster;
mod rounding;
mod scene;
mod silhouette;
mod skin;
mod svg;
mod tiles;

pub use bounds::Rect;
pub use effect::Effect;
pub use limits::{Limits, SkinError};
pub use scene::{ColorOf, DrawableId, Fingerprint, Group, PenStroke, Scene};
pub use skin::{SkinId, SkinSet, SkinSetBuilder};
