//! The scene: the state of all drawables, and queries about this state.

mod answers;
mod bubble;
mod candidates;
mod color_search;
mod color_view;
mod copies;
mod drawable;
mod extent;
mod fingerprint;
mod fingerprints;
mod layers;
mod pen;
mod pen_layer;
mod pen_line;
mod pen_queue;
mod picture;
mod point_words;
mod query_cache;
mod reaches;
mod sampler;
mod shader;
mod shading;
mod slots;
mod speech;
mod stamp;
mod touching;
mod touching_color;

use std::sync::Arc;

use crate::effect::Effect;
use crate::skin::{Level, SkinId, SkinSet};
pub use color_search::ColorOf;
pub use copies::{DrawableCopy, Rasters};
use drawable::{Drawable, Look};
pub use fingerprint::Fingerprint;
pub use layers::Group;
use layers::Layers;
use pen::Pen;
pub use pen_line::PenStroke;
use reaches::Reaches;
pub use slots::DrawableSet;
use slots::{Hints, next_version};

/// A drawable of a [`Scene`]. Ids are assigned from 0 in ascending order and are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DrawableId(pub u32);

/// The part of the rendering state that programs can sense, now or later.
///
/// Ids of drawables that were [`remove`](Self::remove)d are accepted; setters ignore them.
///
/// Cloning is cheap: costumes and rasters are shared, and the pen layer is copied on write.
#[derive(Debug)]
pub struct Scene {
    skins: Arc<SkinSet>,
    drawables: Vec<Drawable>,
    /// The ids of the drawables, in ascending order. They are stored separately, because a search
    /// among drawables would read a cache line for each comparison.
    ids: Vec<DrawableId>,
    hints: Hints,
    version: u64,
    reaches: Reaches,
    next: u32,
    layers: Layers,
    /// The largest raster selected so far, for each skin.
    levels: Vec<Level>,
    pen: Option<Pen>,
    /// Whether the program never queries colours; pen lines then need not be rasterised.
    colors_ignored: bool,
    query_cache: query_cache::QueryCache,
    search_buffer: Vec<(i32, i32)>,
}

impl Clone for Scene {
    fn clone(&self) -> Self {
        Self {
            skins: Arc::clone(&self.skins),
            drawables: self.drawables.clone(),
            ids: self.ids.clone(),
            hints: Hints::default(),
            version: next_version(),
            reaches: Reaches::default(),
            next: self.next,
            layers: self.layers.clone(),
            levels: self.levels.clone(),
            pen: self.pen.clone(),
            colors_ignored: self.colors_ignored,
            // Caches are not cloned; they are recomputed on demand.
            query_cache: query_cache::QueryCache::default(),
            search_buffer: Vec::new(),
        }
    }

    /// Keeps the query cache if both scenes share their skins, because the cache is valid for every
    /// scene with these skins.
    fn clone_from(&mut self, source: &Self) {
        if !Arc::ptr_eq(&self.skins, &source.skins) {
            *self = source.clone();
            return;
        }
        self.drawables.clone_from(&source.drawables);
        self.ids.clone_from(&source.ids);
        self.version = next_version();
        self.reaches.clear();
        self.next = source.next;
        self.layers.clone_from(&source.layers);
        self.levels.clone_from(&source.levels);
        self.pen.clone_from(&source.pen);
        self.colors_ignored = source.colors_ignored;
    }
}

/// Scenes are equal if they share one set of costumes and their states are equal. Bubbles are
/// compared by their size and side; whether [colours are ignored](Scene::ignore_colors) is not
/// compared.
impl PartialEq for Scene {
    fn eq(&self, other: &Self) -> bool {
        let same_pen = || match (&self.pen, &other.pen) {
            (Some(pen), Some(other)) => pen.same(other, &self.skins),
            (None, None) => true,
            _ => false,
        };
        same_pen()
            && Arc::ptr_eq(&self.skins, &other.skins)
            && self.next == other.next
            && self.levels == other.levels
            && self.layers == other.layers
            && self.ids == other.ids
            && self.drawables == other.drawables
    }
}

/// Estimated size of a drawable in bytes, fixed for the same reason as [`Scene::BYTES`].
const DRAWABLE_BYTES: usize = 232;

impl Scene {
    /// Estimated size of a scene in bytes, without the memory that it points to. The number is
    /// fixed, because results of callers depend on the estimate.
    pub const BYTES: usize = 240;

    /// An empty scene.
    pub fn new(skins: Arc<SkinSet>) -> Self {
        let levels = skins.iter().map(|skin| skin.first_level()).collect();
        Self {
            skins,
            drawables: Vec::new(),
            ids: Vec::new(),
            hints: Hints::default(),
            version: next_version(),
            reaches: Reaches::default(),
            next: 0,
            layers: Layers::default(),
            levels,
            pen: None,
            colors_ignored: false,
            query_cache: query_cache::QueryCache::default(),
            search_buffer: Vec::new(),
        }
    }

    /// Declares that no colour of this scene will be queried, so pen lines and stamps need not be
    /// drawn.
    pub fn ignore_colors(&mut self) {
        self.colors_ignored = true;
    }

    /// Adds a drawable without a skin at the front of its group. The drawable is visible, at the
    /// origin, in direction 90, and has a scale of 100 percent.
    pub fn add(&mut self, group: Group) -> DrawableId {
        let id = DrawableId(self.next);
        self.next += 1;
        self.drawables.push(Drawable::new());
        self.ids.push(id);
        self.version = next_version();
        self.reaches.add();
        self.layers.push(id, group);
        id
    }

    /// Removes a drawable.
    pub fn remove(&mut self, id: DrawableId) {
        if let Some(slot) = self.slot(id) {
            self.drawables.remove(slot);
            self.ids.remove(slot);
            self.version = next_version();
            self.reaches.remove(slot);
            self.layers.remove(id);
            if self.pen.as_ref().is_some_and(|pen| pen.id == id) {
                self.pen = None;
            }
        }
    }

    /// Shows another costume. The call is ignored if the set has no skin with this id.
    pub fn set_skin(&mut self, id: DrawableId, skin: SkinId) {
        if skin.0 as usize >= self.skins.len() {
            return;
        }
        if let Some((drawable, skins)) = self.get_with_skins(id) {
            drawable.set_look(Look::Costume(skin), skins);
        }
    }

    /// Moves a drawable. Drawables are drawn and sensed at whole units; ties are rounded upwards.
    pub fn set_position(&mut self, id: DrawableId, x: f64, y: f64) {
        if let Some(drawable) = self.get_mut(id) {
            drawable.move_to(x, y);
        }
    }

    /// Rotates and scales a drawable. The caller applies the rotation style: `direction` is the
    /// *rendered* direction in degrees; scales are in percent, and negative scales mirror.
    pub fn set_direction_scale(&mut self, id: DrawableId, direction: f64, sx: f64, sy: f64) {
        if let Some((drawable, skins)) = self.get_with_skins(id) {
            drawable.set_direction_scale(direction, (sx as f32, sy as f32), skins);
        }
    }

    /// Shows or hides a drawable.
    pub fn set_visible(&mut self, id: DrawableId, visible: bool) {
        if let Some(drawable) = self.get_mut(id) {
            drawable.set_visible(visible);
        }
    }

    /// Sets a graphic effect to a value in the unit of Scratch's blocks.
    pub fn set_effect(&mut self, id: DrawableId, effect: Effect, value: f64) {
        if let Some(drawable) = self.get_mut(id) {
            drawable.set_effect(effect, value);
        }
    }

    /// Ends a frame: selects the rasters of visible drawables, as drawing a frame does in the
    /// original.
    pub fn end_frame(&mut self) {
        for drawable in self.drawables.iter().filter(|drawable| drawable.visible) {
            raise_level(&mut self.levels, drawable);
        }
    }

    /// Estimated number of bytes of this scene that are not shared with `earlier`, a scene with the
    /// same costumes.
    pub fn unshared_bytes(&self, earlier: &Self) -> usize {
        let drawables = DRAWABLE_BYTES * self.drawables.len() + size_of_val(self.layers.list());
        let pen = self.pen.as_ref().map_or(0, |pen| pen.unshared_bytes(earlier.pen.as_ref()));
        Self::BYTES + drawables + size_of_val(&*self.levels) + pen
    }
}

fn raise_level(levels: &mut [Level], drawable: &Drawable) {
    if let Look::Costume(skin) = drawable.look {
        let level = &mut levels[skin.0 as usize];
        *level = drawable.level.max(*level);
    }
}
