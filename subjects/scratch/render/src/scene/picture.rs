//! Pictures of the stage for people to look at.

use smallvec::SmallVec;

use super::Scene;
use super::drawable::Look;
use super::shader::Shader;
use crate::bounds::{STAGE_X, STAGE_Y};
use crate::color::{BACKGROUND_COLOR, GhostEffect, source_over};

impl Scene {
    /// Width and height of a [picture](Scene::picture) in pixels.
    pub const PICTURE_SIZE: (u16, u16) = (480, 360);

    /// The picture of the stage: red, green and blue of each pixel, row by row from the top.
    /// Bubbles are drawn without their text, and monitors are not drawn.
    pub fn picture(&self) -> Vec<[u8; 3]> {
        // Draw a copy, because drawing selects larger rasters, which would change the results of
        // later queries.
        let mut scene = self.clone();
        let mut slots = scene.front_to_back();
        slots.retain(|slot| {
            let drawable = &scene.drawables[*slot as usize];
            drawable.visible && !matches!(drawable.look, Look::Nothing)
        });
        for &slot in &slots {
            scene.prepare(slot as usize);
        }
        let shaders: SmallVec<[Shader<'_>; 32]> =
            slots.iter().map(|&slot| scene.shader(slot as usize)).collect();
        let mut in_row: SmallVec<[&Shader<'_>; 32]> = SmallVec::new();
        let mut seen: SmallVec<[[f64; 4]; 16]> = SmallVec::new();
        let (width, height) = Self::PICTURE_SIZE;
        let mut pixels = Vec::with_capacity(usize::from(width) * usize::from(height));
        for row in 0..height {
            let y = STAGE_Y - f64::from(row) - 0.5;
            in_row.clear();
            in_row.extend(shaders.iter().filter(|shader| shader.reaches_row(y)));
            for column in 0..width {
                let point = (f64::from(column) - STAGE_X + 0.5, y);
                seen.clear();
                for shader in &in_row {
                    let Some(over) = shader.fragment(point, GhostEffect::Apply) else { continue };
                    seen.push(over);
                    if over[3] == 1.0 {
                        break;
                    }
                }
                let behind = BACKGROUND_COLOR;
                pixels
                    .push(seen.iter().rev().fold(behind, |under, &over| source_over(under, over)));
            }
        }
        pixels
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::effect::Effect;
    use crate::limits::Limits;
    use crate::scene::{Group, PenStroke};
    use crate::skin::SkinSetBuilder;

    #[test]
    fn a_picture_shows_layers_effects_and_lines() {
        let mut skins = SkinSetBuilder::new(Limits::default());
        let square = |color: &str| {
            format!(
                "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 20 20'>\
                 <rect width='20' height='20' fill='{color}'/></svg>"
            )
        };
        let [red, blue] = ["red", "blue"]
            .map(|color| skins.add_svg(square(color).as_bytes().into(), None).unwrap());
        let mut scene = Scene::new(Arc::new(skins.build()));
        let back = scene.add(Group::Sprite);
        let front = scene.add(Group::Sprite);
        let hidden = scene.add(Group::Sprite);
        scene.set_skin(back, red);
        scene.set_skin(front, blue);
        scene.set_skin(hidden, blue);
        scene.set_position(front, 10.0, 0.0);
        scene.set_effect(front, Effect::Ghost, 50.0);
        scene.set_visible(hidden, false);
        let stroke = PenStroke { rgba: [0.0, 1.0, 0.0, 1.0], diameter: 10.0 };
        scene.pen_line((-200.0, 100.0), (-150.0, 100.0), &stroke);
        let before = scene.clone();
        let pixels = scene.picture();
        assert!(scene == before);
        let (width, height) = Scene::PICTURE_SIZE;
        assert_eq!(pixels.len(), usize::from(width) * usize::from(height));
        let at = |x: i32, y: i32| pixels[((180 - y) * 480 + x + 240) as usize];
        assert_eq!(at(-9, 0), [255, 0, 0]);
        assert_eq!(at(5, 0), [128, 0, 128]);
        assert_eq!(at(15, 0), [128, 128, 255]);
        assert_eq!(at(30, 0), [255, 255, 255]);
        assert_eq!(at(-170, 100), [0, 255, 0]);
    }
}
