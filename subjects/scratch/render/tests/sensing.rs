//! Tests of queries, mostly with costumes whose edges are not antialiased. The numbers were
//! observed in the original renderer.

use crate::stage;

use std::sync::Arc;

use catherd_scratch_render::{
    ColorOf, DrawableId, Effect, Group, Limits, PenStroke, Rect, Scene, SkinSetBuilder,
};
use stage::{filled, png, scene, skins, svg};

const INK: PenStroke = PenStroke { rgba: [0.0, 0.0, 1.0, 1.0], diameter: 1.0 };

fn resize(scene: &mut Scene, id: DrawableId, percent: f64) {
    scene.set_direction_scale(id, 90.0, percent, percent);
}

#[test]
fn sizes_are_single_precision() {
    let (skins, ids) = skins(&["<svg viewBox='0 0 45.3 20.1'/>"]);
    assert_eq!(skins.size(ids[0]), (45.299_999_237_060_55, 20.100_000_381_469_727));
}

#[test]
fn a_backdrop_reaches_one_unit_beyond_right_and_bottom() {
    let (mut scene, ids) = scene(&[&filled(480, 360, "red")]);
    let mut at = |x, y| scene.touching_point(ids[0], x, y);
    assert!(at(-240.0, 0.0) && at(241.0, 0.0) && at(0.0, -181.0) && at(0.0, 180.0));
    assert!(!at(-241.0, 0.0) && !at(242.0, 0.0) && !at(0.0, -182.0) && !at(0.0, 181.0));
}

#[test]
fn a_single_texel_touches_everywhere() {
    let (mut scene, ids) = scene(&[&filled(1, 1, "red"), &filled(1, 1, "none")]);
    assert!(scene.touching_point(ids[0], -200.0, 1000.0));
    assert!(!scene.touching_point(ids[1], 0.0, 0.0));
}

#[test]
fn hulls_shorten_the_reach_of_neighbours() {
    let square = filled(20, 20, "red");
    for (dx, dy) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let (mut scene, ids) = scene(&[&square, &square]);
        let touching_at = |scene: &mut Scene, distance: f64| {
            scene.set_position(ids[1], dx * distance, dy * distance);
            scene.touching_drawables(ids[0], &[ids[1]])
        };
        assert!(touching_at(&mut scene, 21.0));
        assert!(!touching_at(&mut scene, 22.0));
        scene.bounds(ids[0]);
        scene.bounds(ids[1]);
        assert!(!touching_at(&mut scene, 21.0));
        assert!(touching_at(&mut scene, 20.0));
        // Setting an effect that may change the outline invalidates the hull; motion and other
        // effects do not.
        scene.set_effect(ids[0], Effect::Color, 10.0);
        assert!(!touching_at(&mut scene, 21.0));
        for id in &ids {
            scene.set_effect(*id, Effect::Whirl, 0.0);
        }
        assert!(touching_at(&mut scene, 21.0));
    }
}

#[test]
fn tight_boxes_end_at_the_centres_of_cells() {
    let (mut scene, ids) = scene(&[&filled(20, 20, "red"), &filled(20, 20, "none")]);
    assert_eq!(scene.fast_bounds(ids[0]), scene.aabb(ids[0]));
    assert_eq!(scene.bounds(ids[0]), Rect { left: -9.5, right: 9.5, bottom: -9.5, top: 9.5 });
    assert_eq!(scene.fast_bounds(ids[0]).width(), 19.0);
    resize(&mut scene, ids[0], 300.0);
    assert_eq!(scene.fast_bounds(ids[0]).width(), 57.0);
    assert_eq!(scene.bounds(ids[1]), scene.aabb(ids[1]), "nothing is visible, so there is no hull");
    scene.set_visible(ids[0], false);
    assert_eq!(scene.bounds(ids[0]), scene.aabb(ids[0]));
}

#[test]
fn edges_are_touched_by_visible_and_hidden_sprites() {
    let (mut scene, ids) = scene(&[&filled(20, 20, "red")]);
    for visible in [true, false] {
        scene.set_visible(ids[0], visible);
        scene.set_position(ids[0], 230.0, 0.0);
        assert!(!scene.touching_edge(ids[0]), "visible: {visible}");
        scene.set_position(ids[0], 231.0, 0.0);
        assert!(scene.touching_edge(ids[0]), "visible: {visible}");
    }
}

#[test]
fn positions_are_clamped_to_the_stage() {
    let (mut scene, ids) = scene(&[&filled(20, 20, "red")]);
    let id = ids[0];
    assert_eq!(scene.clamp_to_stage(id, 400.0, 0.0), (240.0, 0.0));
    assert_eq!(scene.clamp_to_stage(id, 240.2, -300.7), (240.0, -180.0));
    assert_eq!(scene.clamp_to_stage(id, -400.0, 300.0), (-240.0, 180.0));
    assert_eq!(scene.clamp_to_stage(id, 10.25, -3.75), (10.25, -3.75));
    // Only the position of the drawable is rounded, with ties upwards, and clamping starts from the
    // rounded position.
    scene.set_position(id, 10.5, -10.5);
    assert_eq!(scene.aabb(id).snapped_center(), (11.0, -10.0));
    assert_eq!(scene.clamp_to_stage(id, 400.0, -400.0), (240.0, -180.0));
    resize(&mut scene, id, 300.0);
    assert_eq!(scene.clamp_to_stage(id, 400.0, 0.0), (255.0, -0.0));
}

trait Center {
    fn snapped_center(&self) -> (f64, f64);
}

impl Center for Rect {
    fn snapped_center(&self) -> (f64, f64) {
        ((self.left + self.right) / 2.0, (self.bottom + self.top) / 2.0)
    }
}

#[test]
fn hidden_sprites_touch_colours_but_no_sprites() {
    let red = filled(20, 20, "red");
    let (mut scene, ids) = scene(&[&red, &filled(20, 20, "blue")]);
    let (tester, other) = (ids[0], ids[1]);
    assert!(scene.touching_drawables(tester, &[other, tester]));
    scene.set_visible(tester, false);
    assert!(!scene.touching_drawables(tester, &[other]));
    assert!(scene.touching_color(tester, [0, 0, 255]));
    assert!(scene.touching_point(tester, 0.0, 0.0));
    assert!(scene.color_touching_color(tester, [255, 0, 0], [0, 0, 255]));
    assert!(!scene.color_touching_color(tester, [247, 0, 0], [0, 0, 255]));
    scene.set_visible(other, false);
    assert!(!scene.touching_color(tester, [0, 0, 255]));
    assert!(!scene.touching_drawables(tester, &[other]));
}

#[test]
fn ghosts_touch_but_show_nothing_and_cannot_be_picked() {
    let (mut scene, ids) = scene(&[&filled(20, 20, "red"), &filled(20, 20, "blue")]);
    scene.set_effect(ids[1], Effect::Ghost, 100.0);
    assert!(scene.touching_drawables(ids[0], &[ids[1]]));
    assert!(!scene.touching_color(ids[0], [0, 0, 255]));
    assert!(scene.touching_color(ids[0], [255, 255, 255]), "paper shines through");
    assert_eq!(scene.pick(0.0, 0.0), Some(ids[0]));
    scene.set_effect(ids[1], Effect::Ghost, 99.0);
    assert_eq!(scene.pick(0.0, 0.0), Some(ids[1]));
    // The ghost effect of a tester does not change its colour.
    scene.set_effect(ids[0], Effect::Ghost, 100.0);
    assert!(scene.color_touching_color(ids[0], [255, 0, 0], [255, 255, 255]));
}

#[test]
fn half_red_over_blue_is_seen_rounded() {
    let paper = filled(480, 360, "#6496c8");
    let (mut scene, ids) = scene(&[&paper, &filled(20, 20, "red"), &filled(20, 20, "black")]);
    scene.set_effect(ids[1], Effect::Ghost, 50.0);
    // The colour is (178, 75, 100). Only colours with the same upper bits match.
    assert!(scene.touching_color(ids[2], [176, 72, 96]));
    assert!(scene.touching_color(ids[2], [183, 79, 111]));
    assert!(!scene.touching_color(ids[2], [175, 75, 100]));
    assert!(!scene.touching_color(ids[2], [178, 80, 100]));
    assert!(!scene.touching_color(ids[2], [178, 75, 95]));
}

#[test]
fn the_middle_of_a_fisheye_touches_nothing() {
    let (mut scene, ids) = scene(&[&filled(20, 20, "red")]);
    scene.set_effect(ids[0], Effect::Fisheye, 50.0);
    assert!(!scene.touching_point(ids[0], 0.0, 0.0));
    assert!(scene.touching_point(ids[0], 1.0, 0.0));
}

#[test]
fn a_pen_dot_is_seen_one_unit_to_the_right() {
    let (mut scene, ids) = scene(&[&filled(1, 1, "red")]);
    scene.pen_line((10.0, 20.0), (10.0, 20.0), &INK);
    let seen: Vec<(f64, f64)> = (5..15)
        .flat_map(|x| (15..25).map(move |y| (f64::from(x), f64::from(y))))
        .filter(|&(x, y)| {
            // A search in a box of one point samples this point.
            let point = Rect { left: x, right: x, bottom: y, top: y };
            scene
                .find_color((x, y), point, [0, 0, 255], ColorOf::AllBut(ids[0]), f64::INFINITY)
                .is_some()
        })
        .collect();
    assert_eq!(seen, [(11.0, 20.0)]);
}

#[test]
fn intrinsic_sizes_enlarge_the_drawing() {
    let text = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 50 50' width='100' \
                height='100'><rect width='25' height='25' fill='red'/>\
                <rect x='25' width='25' height='50' fill='blue'/></svg>";
    let (mut scene, ids) = scene(&[text, &filled(50, 50, "black")]);
    assert!(scene.touching_color(ids[1], [255, 0, 0]));
    assert!(!scene.touching_color(ids[1], [0, 0, 255]));
    assert!(scene.touching_point(ids[0], 24.0, -24.0));
}

#[test]
fn sprites_are_sensed_through_the_largest_raster_ever_made() {
    // At 100 %, column 10 is half covered and solid; at 200 %, the columns from 21 on are empty.
    let half = svg(20, 20, "<rect width='10.5' height='20' fill='red'/>");
    let (mut scene, ids) = scene(&[&half]);
    let id = ids[0];
    let solid = |scene: &mut Scene| scene.touching_point(id, 1.0, 0.0);
    assert!(solid(&mut scene));
    resize(&mut scene, id, 150.0);
    resize(&mut scene, id, 100.0);
    assert!(solid(&mut scene), "a size between two frames leaves no trace");
    let before = scene.clone();
    resize(&mut scene, id, 150.0);
    scene.set_visible(id, false);
    scene.end_frame();
    assert!(
        scene == {
            let mut same = before.clone();
            resize(&mut same, id, 150.0);
            same.set_visible(id, false);
            same
        }
    );
    scene.set_visible(id, true);
    scene.end_frame();
    resize(&mut scene, id, 100.0);
    assert!(!solid(&mut scene), "after a frame at 150 % the larger raster is used forever");
    assert!(solid(&mut before.clone()), "rasters of one scene do not show in another");
    assert_ne!(scene, before);
}

#[test]
fn a_tester_without_a_raster_at_full_size_touches_nothing() {
    let thin = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 0.9 20'>\
                <rect width='1' height='20' fill='red'/></svg>";
    let (mut scene, ids) = scene(&[&filled(20, 20, "red"), thin]);
    resize(&mut scene, ids[1], 200.0);
    assert!(!scene.touching_drawables(ids[1], &[ids[0]]));
    assert!(!scene.touching_color(ids[1], [255, 0, 0]));
    assert!(scene.touching_drawables(ids[0], &[ids[1]]), "it can be touched");
}

#[test]
fn bitmaps_have_two_pixels_per_unit() {
    let mut builder = SkinSetBuilder::new(Limits::default());
    // The left half of 40 x 20 pixels is solid.
    let picture = png(40, 20, |x, _| if x < 20 { [9, 9, 9, 255] } else { [0; 4] });
    let skin = builder.add_bitmap(picture.clone(), None, None).unwrap();
    let doubled = builder.add_bitmap(picture, Some(1.0), Some((40.0, 20.0))).unwrap();
    let skins = Arc::new(builder.build());
    assert_eq!((skins.size(skin), skins.size(doubled)), ((20.0, 10.0), (40.0, 20.0)));
    let mut scene = Scene::new(skins);
    let id = scene.add(Group::Sprite);
    scene.set_skin(id, skin);
    assert!(scene.touching_point(id, -10.0, 0.0) && scene.touching_point(id, 0.0, 0.0));
    assert!(!scene.touching_point(id, 1.0, 0.0) && !scene.touching_point(id, -11.0, 0.0));
    // The index of the last texel is even, so no cell is added on the right. The first cell samples
    // texel 0.
    assert_eq!(scene.bounds(id), Rect { left: -9.5, right: 0.5, bottom: -4.5, top: 4.5 });
    scene.set_skin(id, doubled);
    assert_eq!(scene.aabb(id).snapped_center(), (-20.0, 10.0));
}

#[test]
fn picking_takes_the_frontmost_solid_drawable() {
    let hole = svg(20, 20, "<rect width='10' height='20' fill='red'/>");
    let (mut scene, ids) = scene(&[&filled(480, 360, "white"), &filled(20, 20, "blue"), &hole]);
    assert_eq!(scene.pick(-5.0, 0.0), Some(ids[2]));
    assert_eq!(scene.pick(5.0, 0.0), Some(ids[1]));
    assert_eq!(scene.pick(100.0, 0.0), Some(ids[0]));
    let bubble = scene.add_bubble("hello");
    scene.place_bubble(bubble, ids[1], true);
    let bounds = scene.aabb(bubble);
    let inside = (bounds.left + 30.0, bounds.top - 10.0);
    assert_eq!(scene.pick(inside.0.round(), inside.1.round()), Some(bubble));
    scene.remove(bubble);
    scene.set_visible(ids[0], false);
    assert_eq!(scene.pick(100.0, 0.0), None);
}

#[test]
fn bubbles_flip_where_they_do_not_fit_and_are_never_touched() {
    let square = filled(20, 20, "red");
    let (mut scene, ids) = scene(&[&square, &filled(480, 360, "white")]);
    let bubble = scene.add_bubble("hello");
    let bare = scene.fast_bounds(ids[0]);
    assert!(scene.is_bubble(bubble) && !scene.is_bubble(ids[0]));
    assert!(scene.place_bubble(bubble, ids[0], true));
    assert_ne!(scene.fast_bounds(ids[0]), bare, "placing computes the hull");
    // The hull of the square ends at x = 9.5, and the position of the bubble is rounded half up.
    assert_eq!(scene.aabb(bubble).left, 10.0);
    scene.set_position(ids[0], 200.0, 0.0);
    assert!(!scene.place_bubble(bubble, ids[0], true));
    assert_eq!(scene.aabb(bubble).right, 191.0);
    scene.set_position(ids[0], -200.0, 0.0);
    assert!(scene.place_bubble(bubble, ids[0], false));
    assert!(!scene.touching_drawables(ids[0], &[bubble]));
    scene.set_position(bubble, -200.0, 0.0);
    assert!(!scene.touching_drawables(ids[0], &[bubble]));
}

#[test]
fn the_nearest_colour_is_found_breadth_first() {
    let (mut scene, ids) = scene(&[&filled(10, 10, "red"), &filled(20, 20, "blue")]);
    let (red, blue) = (ids[0], ids[1]);
    scene.set_position(red, 100.0, 0.0);
    let all = Rect::STAGE;
    let others = ColorOf::AllBut(blue);
    let target = [255, 0, 0];
    assert_eq!(
        scene.find_color((0.9, 0.0), all, target, others, f64::INFINITY),
        Some((100.0, 0.0))
    );
    assert_eq!(
        scene.find_color((95.0, 5.0), all, target, others, f64::INFINITY),
        Some((95.0, 5.0))
    );
    // In the whole stage, the points of the grid are 10 units apart, so nearer points are skipped.
    assert_eq!(
        scene.find_color((108.0, 8.0), all, target, others, f64::INFINITY),
        Some((98.0, -2.0))
    );
    assert_eq!(
        scene.find_color((0.0, 0.0), all, target, ColorOf::AllBut(red), f64::INFINITY),
        None
    );
    let bounds = scene.bounds(blue);
    let own = ColorOf::Only(blue);
    assert_eq!(
        scene.find_color((0.0, 0.0), bounds, [0, 0, 255], own, f64::INFINITY),
        Some((0.0, 0.0))
    );
    assert_eq!(scene.find_color((0.0, 0.0), bounds, target, own, f64::INFINITY), None);
}

#[test]
fn removed_drawables_are_harmless() {
    let (mut scene, ids) = scene(&[&filled(20, 20, "red"), &filled(20, 20, "red")]);
    let (gone, other) = (ids[0], ids[1]);
    scene.remove(gone);
    scene.remove(gone);
    scene.set_position(gone, 1.0, 2.0);
    scene.set_effect(gone, Effect::Ghost, 1.0);
    scene.set_order(gone, 5.0);
    scene.place_behind(other, gone);
    scene.pen_stamp(gone);
    scene.set_bubble_text(gone, "x");
    assert!(!scene.touching_edge(gone) && !scene.touching_point(gone, 0.0, 0.0));
    assert!(!scene.touching_drawables(gone, &[other]));
    assert!(!scene.touching_drawables(other, &[gone]));
    assert!(!scene.touching_color(gone, [255, 255, 255]));
    assert_eq!(scene.bounds(gone).width(), 0.0);
    assert_eq!(scene.clamp_to_stage(gone, 500.0, 1.0), (500.0, 1.0));
    assert_eq!(scene.pick(0.0, 0.0), Some(other));
    assert_ne!(scene.add(Group::Sprite), gone, "ids are never used again");
}

#[test]
fn copies_are_independent() {
    let (mut scene, ids) = scene(&[&filled(20, 20, "red"), &filled(20, 20, "red")]);
    scene.pen_line((0.0, 0.0), (50.0, 50.0), &INK);
    scene.bounds(ids[0]);
    let mut copy = scene.clone();
    assert_eq!(copy, scene);
    let ask = |scene: &mut Scene| {
        scene.set_position(ids[1], 21.0, 0.0);
        (scene.touching_drawables(ids[0], &[ids[1]]), scene.touching_color(ids[0], [0, 0, 255]))
    };
    assert_eq!(ask(&mut copy), ask(&mut scene));
    assert_eq!(copy, scene);
    copy.move_order(ids[0], 1.0);
    assert_ne!(copy, scene);
}

#[test]
fn blank_costumes_touch_nothing() {
    let mut builder = SkinSetBuilder::new(Limits::default());
    let blank = builder.add_blank();
    let mut scene = Scene::new(Arc::new(builder.build()));
    let id = scene.add(Group::Sprite);
    scene.set_skin(id, blank);
    assert!(!scene.touching_point(id, 0.0, 0.0) && !scene.touching_color(id, [255; 3]));
    assert_eq!(scene.pick(0.0, 0.0), None);
    assert_eq!(scene.clamp_to_stage(id, 300.0, 0.0), (240.0, 0.0));
}

#[test]
fn large_areas_are_finished_from_the_top_by_drawing() {
    // The left half of the tester is transparent; a drawable of 480 x 360 is below it.
    let half = svg(240, 240, "<rect x='120' width='120' height='240' fill='red'/>");
    let marked =
        |y: u32| svg(480, 360, &format!("<rect y='{y}' width='480' height='1' fill='blue'/>"));
    // Because of the rounding error of the half turn, the area is 242 x 242 units. With two
    // drawables, 83 rows of points are sampled from the bottom, y = -121 to -39, which read the
    // rows 218 to 300. The other rows are drawn.
    for (row, found) in
        [(60, true), (130, true), (215, true), (217, true), (218, true), (300, true), (301, false)]
    {
        let (mut scene, ids) = scene(&[&marked(row), &half]);
        assert_eq!(scene.touching_color(ids[1], [0, 0, 255]), found, "row {row}");
        // A black mask accepts transparent pixels in rows that are drawn, but not in rows that are
        // sampled.
        let accepted = scene.color_touching_color(ids[1], [0, 0, 0], [0, 0, 255]);
        assert_eq!(accepted, (60..218).contains(&row), "row {row}");
        // Touching reaches one texel further down than colours do.
        let red = scene.color_touching_color(ids[1], [255, 0, 0], [0, 0, 255]);
        assert_eq!(red, found && row < 300, "row {row}");
        assert!(!scene.color_touching_color(ids[1], [0, 255, 0], [0, 0, 255]));
    }
}
