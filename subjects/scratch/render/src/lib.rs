//! A renderer without a screen, which computes what Scratch programs can sense of their picture.
//!
//! A [`SkinSet`] contains the costumes of a project, and is immutable and shared. A [`Scene`]
//! contains everything that changes: positions, effects, layers, the pen layer, speech bubbles, and
//! the two caches that Scratch programs can observe, hulls and raster levels. Cloning a scene
//! creates a snapshot.
//!
//! Costumes are rasterised when a query needs them. The results follow the pixel rules of Scratch's
//! renderer, including its mixture of binary32 storage and binary64 arithmetic, and are the same on
//! every computer.
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//! use catherd_scratch_render::{Group, Limits, Scene, SkinSetBuilder};
//!
//! let svg = r##"<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">
//!     <rect width="40" height="40" fill="#ff0000"/></svg>"##;
//! let mut skins = SkinSetBuilder::new(Limits::default());
//! let square = skins.add_svg(svg.as_bytes().into(), None)?;
//! let mut scene = Scene::new(Arc::new(skins.build()));
//! let [left, right] = [-30.0, 30.0].map(|x| {
//!     let drawable = scene.add(Group::Sprite);
//!     scene.set_skin(drawable, square);
//!     scene.set_position(drawable, x, 0.0);
//!     drawable
//! });
//! assert!(!scene.touching_drawables(left, &[right]));
//! let earlier = scene.clone();
//! scene.set_position(left, 0.0, 0.0);
//! assert!(scene.touching_drawables(left, &[right]));
//! assert!(scene.touching_color(left, [255, 0, 0]));
//! scene = earlier;
//! assert!(!scene.touching_drawables(left, &[right]));
//! # Ok::<(), catherd_scratch_render::SkinError>(())
//! ```
//!
//! # Where answers may differ from a browser
//!
//! - Outlines of vector costumes follow a browser that draws through an emulated graphics device.
//!   Single pixels can differ on curved lines with a stroke, on circles and ellipses, and in text.
//! - Text in font families other than the fonts of Scratch uses one of these fonts, not a font of
//!   the host.
//! - The coverage of pen lines is exact, without a graphics driver's grid of 1/16 pixel.
//! - The size of bubbles is computed from Helvetica's letter widths.
//! - A drawable under the pixelate effect gets its raster at 100 percent as soon as a query
//!   includes it, not only when a sampled point lies on it.

mod bounds;
mod color;
mod effect;
mod foreign;
mod hull;
mod limits;
mod matrix;
mod palette;
mod picture;
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
pub use scene::{
    ColorOf, DrawableCopy, DrawableId, DrawableSet, Fingerprint, Group, PenStroke, Rasters, Scene,
};
pub use skin::{SkinId, SkinSet, SkinSetBuilder};
