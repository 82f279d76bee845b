//! Scenes for tests, mostly with rectangles.

use std::sync::Arc;

use catherd_scratch_render::{DrawableId, Group, Limits, Scene, SkinId, SkinSet, SkinSetBuilder};

pub(crate) fn filled(width: u32, height: u32, color: &str) -> String {
    svg(width, height, &format!("<rect width='{width}' height='{height}' fill='{color}'/>"))
}

pub(crate) fn svg(width: u32, height: u32, body: &str) -> String {
    format!("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}'>{body}</svg>")
}

/// A scene of visible sprites at the origin, one for each document, from back to front.
pub(crate) fn scene(documents: &[&str]) -> (Scene, Vec<DrawableId>) {
    let (skins, ids) = skins(documents);
    let mut scene = Scene::new(Arc::new(skins));
    let drawables = ids
        .into_iter()
        .map(|skin| {
            let id = scene.add(Group::Sprite);
            scene.set_skin(id, skin);
            id
        })
        .collect();
    (scene, drawables)
}

pub(crate) fn skins(documents: &[&str]) -> (SkinSet, Vec<SkinId>) {
    let mut builder = SkinSetBuilder::new(Limits::default());
    let ids = documents
        .iter()
        .map(|document| builder.add_svg(document.as_bytes().into(), None).unwrap())
        .collect();
    (builder.build(), ids)
}

pub(crate) fn png(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 4]) -> Arc<[u8]> {
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let pixels: Vec<u8> = places.flat_map(|(x, y)| pixel(x, y)).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header().and_then(|mut writer| writer.write_image_data(&pixels)).unwrap();
    bytes.into()
}
