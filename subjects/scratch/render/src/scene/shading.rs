//! The shaders of the drawables of a scene.

use super::Scene;
use super::drawable::{Drawable, Look};
use super::pen::Pen;
use super::sampler::SamplingParams;
use super::shader::{Lens, Sample, Shader};
use crate::color::{GhostEffect, Shown};
use crate::silhouette::{EMPTY, Silhouette};

impl Scene {
    /// The shader of a drawable, with the raster for its scale.
    pub(super) fn shader(&self, slot: usize) -> Shader<'_> {
        self.shader_with(slot, &self.params(slot))
    }

    pub(super) fn shader_with(&self, slot: usize, params: &SamplingParams) -> Shader<'_> {
        Shader::new(self.texture(&self.drawables[slot]), self.lens_with(slot, params))
    }

    pub(super) fn lens(&self, slot: usize) -> Lens {
        self.lens_with(slot, &self.params(slot))
    }

    fn lens_with(&self, slot: usize, params: &SamplingParams) -> Lens {
        let Drawable { effects, size, .. } = self.drawables[slot];
        let SamplingParams { inverse, nearest, colored_bounds, .. } = *params;
        Lens { inverse, effects, size, nearest, colored_bounds }
    }

    /// Whether a drawable may show a colour on the graphics processor, by itself or blended with
    /// the drawables behind it.
    pub(super) fn may_be_drawn(&self, slot: usize, rgb: [u8; 3]) -> bool {
        let drawable = &self.drawables[slot];
        // Interpolation between pixels can result in colours that are not in the palette.
        if !matches!(drawable.look, Look::Costume(_)) || !drawable.samples_nearest(&self.skins) {
            return true;
        }
        let palette = self.texture(drawable).palette();
        if !drawable.effects.any() {
            return palette.may_show(rgb);
        }
        let shader = self.shader(slot);
        palette.may_show_after(|pixel| {
            Shown::drawn(shader.shaded(Sample::Texel(pixel), GhostEffect::Apply), rgb)
        })
    }

    fn texture<'a>(&'a self, drawable: &'a Drawable) -> &'a Silhouette {
        match &drawable.look {
            Look::Costume(skin) => self.skins.skin(*skin).silhouette(drawable.level),
            Look::Bubble(bubble) => bubble.silhouette(),
            Look::PenLayer => self.pen.as_ref().map_or(&EMPTY, Pen::layer),
            Look::Nothing => &EMPTY,
        }
    }
}
