//! Benchmarks of scenes: queries, motion, frames and copies.

use std::sync::Arc;

use catherd_scratch_render::{DrawableId, Group, Limits, Rect, Scene, SkinSetBuilder};
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

/// A backdrop with two colours, and a row of round sprites whose centres are `distance` units
/// apart.
fn stage(sprites: usize, distance: f64, direction: f64) -> (Scene, Vec<DrawableId>) {
    let mut skins = SkinSetBuilder::new(Limits::default());
    let mut add = |size: (u32, u32), body: &str| {
        let (width, height) = size;
        let svg = format!(
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}'>{body}</svg>"
        );
        skins.add_svg(svg.as_bytes().into(), None).expect("the document is sound")
    };
    let backdrop = add(
        (480, 360),
        "<rect width='480' height='360' fill='#9cf'/><rect y='300' width='480' height='60' \
         fill='#6a3'/>",
    );
    let ball = add((60, 60), "<circle cx='30' cy='30' r='28' fill='#f60'/>");
    let mut scene = Scene::new(Arc::new(skins.build()));
    let stage = scene.add(Group::Background);
    scene.set_skin(stage, backdrop);
    let ids = (0..sprites)
        .map(|index| {
            let id = scene.add(Group::Sprite);
            scene.set_skin(id, ball);
            scene.set_position(id, index as f64 * distance, 0.0);
            scene.set_direction_scale(id, direction, 100.0, 100.0);
            id
        })
        .collect();
    scene.end_frame();
    (scene, ids)
}

/// Circles that do not touch although their boxes overlap.
#[divan::bench(args = [90.0, 45.0])]
fn touching_drawables_miss(bencher: Bencher<'_, '_>, direction: f64) {
    let (mut scene, ids) = stage(2, 0.0, direction);
    scene.set_position(ids[1], 42.0, 42.0);
    assert!(!scene.touching_drawables(ids[0], &ids[1..]));
    bencher.bench_local(|| scene.touching_drawables(black_box(ids[0]), &ids[1..]));
}

#[divan::bench]
fn touching_drawables_hit(bencher: Bencher<'_, '_>) {
    let (mut scene, ids) = stage(2, 20.0, 90.0);
    assert!(scene.touching_drawables(ids[0], &ids[1..]));
    bencher.bench_local(|| scene.touching_drawables(black_box(ids[0]), &ids[1..]));
}

#[divan::bench(args = [90.0, 45.0])]
fn touching_drawables_moving(bencher: Bencher<'_, '_>, direction: f64) {
    let (mut scene, ids) = stage(2, 0.0, direction);
    let mut side = 42.0;
    bencher.bench_local(|| {
        side = -side;
        scene.set_position(ids[1], side, 42.0);
        scene.touching_drawables(black_box(ids[0]), &ids[1..])
    });
}

/// A hundred sprites that are all far from the tested sprite.
#[divan::bench]
fn touching_drawables_far(bencher: Bencher<'_, '_>) {
    let (mut scene, ids) = stage(101, 0.0, 90.0);
    scene.set_position(ids[0], 150.0, 100.0);
    assert!(!scene.touching_drawables(ids[0], &ids[1..]));
    bencher.bench_local(|| scene.touching_drawables(black_box(ids[0]), &ids[1..]));
}

#[divan::bench(args = [90.0, 45.0])]
fn touching_color_miss(bencher: Bencher<'_, '_>, direction: f64) {
    let (mut scene, ids) = stage(2, 20.0, direction);
    bencher.bench_local(|| scene.touching_color(black_box(ids[0]), [1, 2, 3]));
}

#[divan::bench(args = [90.0, 45.0])]
fn touching_color_moving(bencher: Bencher<'_, '_>, direction: f64) {
    let (mut scene, ids) = stage(2, 20.0, direction);
    let mut side = 42.0;
    bencher.bench_local(|| {
        side = -side;
        scene.set_position(ids[0], side, 42.0);
        scene.touching_color(black_box(ids[0]), [1, 2, 3])
    });
}

#[divan::bench]
fn color_touching_color_miss(bencher: Bencher<'_, '_>) {
    let (mut scene, ids) = stage(2, 20.0, 90.0);
    bencher.bench_local(|| scene.color_touching_color(black_box(ids[0]), [255, 102, 0], [1, 2, 3]));
}

#[divan::bench]
fn touching_edge(bencher: Bencher<'_, '_>) {
    let (mut scene, ids) = stage(2, 20.0, 90.0);
    bencher.bench_local(|| scene.touching_edge(black_box(ids[0])));
}

#[divan::bench]
fn find_color_miss(bencher: Bencher<'_, '_>) {
    let (mut scene, ids) = stage(10, 20.0, 90.0);
    let of = catherd_scratch_render::ColorOf::AllBut(ids[0]);
    bencher.bench_local(|| scene.find_color((0.0, 0.0), Rect::STAGE, [1, 2, 3], of, f64::INFINITY));
}

#[divan::bench]
fn move_and_clamp(bencher: Bencher<'_, '_>) {
    let (mut scene, ids) = stage(10, 20.0, 90.0);
    let mut x = 0.0;
    bencher.bench_local(|| {
        x = (x + 7.0) % 300.0;
        let (x, y) = scene.clamp_to_stage(ids[3], x, 10.0);
        scene.set_position(ids[3], x, y);
    });
}

#[divan::bench]
fn end_frame(bencher: Bencher<'_, '_>) {
    let (mut scene, _) = stage(10, 20.0, 90.0);
    bencher.bench_local(|| scene.end_frame());
}

#[divan::bench(args = [10, 100])]
fn clone(bencher: Bencher<'_, '_>, sprites: usize) {
    let (mut scene, ids) = stage(sprites, 3.0, 90.0);
    for id in ids {
        scene.bounds(id);
    }
    bencher.bench_local(|| scene.clone());
}
