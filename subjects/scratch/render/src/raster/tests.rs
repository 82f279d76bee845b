//! Tests of rasters. The expected pixels of strokes and ellipses were drawn by a browser that
//! used an emulated graphics device.

use super::*;
use crate::picture::Picture;

fn alpha(body: &str) -> Vec<[u8; 4]> {
    let text = format!("<svg xmlns='http://www.w3.org/2000/svg' width='4' height='2'>{body}</svg>");
    let tree = usvg::Tree::from_str(&text, &usvg::Options::default()).unwrap();
    let mut pixmap = Pixmap::new(4, 2).unwrap();
    draw(&tree, Transform::identity(), Edges::Device, &mut pixmap);
    let alpha: Vec<u8> = pixmap.pixels().iter().map(|pixel| pixel.alpha()).collect();
    alpha.as_chunks().0.to_vec()
}

#[test]
fn slivers_between_samples_cover_nothing() {
    // The samples of a row are 1/8, 3/8, 5/8 and 7/8 below its top.
    let body = "<path d='M0 0.95H4L3.9 2H0z'/>";
    assert_eq!(alpha(body)[0], [0; 4]);
    let body = "<path d='M0 0.7H4L3.9 2H0z'/>";
    assert_eq!(alpha(body)[0], [64; 4]);
}

fn rows(width: usize, height: usize, body: &str) -> Vec<Vec<u8>> {
    let text = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}'>{body}</svg>"
    );
    let tree = usvg::Tree::from_str(&text, &usvg::Options::default()).unwrap();
    let mut pixmap = Pixmap::new(width as u32, height as u32).unwrap();
    draw(&tree, Transform::identity(), Edges::Device, &mut pixmap);
    let alpha: Vec<u8> = pixmap.pixels().iter().map(|pixel| pixel.alpha()).collect();
    alpha.chunks(width).map(<[u8]>::to_vec).collect()
}

#[test]
fn masks_are_turned_to_fit_their_shelf() {
    // Samples are 1/8, 3/8, 5/8 and 7/8 below the top of a pixel and to the right of its left side,
    // so the edge at 0.3 excludes one sample of each pixel in plain and in turned masks.
    let top = |width: u32, height: u32, at: f32| {
        let (right, bottom) = (width as f32 - 0.1, height as f32 - 0.2);
        let body = format!("<path d='M0 {at}H{right}L{width} {bottom}H0.1z'/>");
        rows(width as usize, height as usize, &body)[0][1]
    };
    for (width, height) in [(40, 10), (20, 20), (30, 31)] {
        assert_eq!(top(width, height, 0.3), 191, "{width} x {height}");
    }
    // A horizontal edge covers the same number of samples in plain and turned masks, but a slanted
    // edge does not.
    let slanted = |width: u32, height: u32| {
        let (w, h) = (width as f32, height as f32);
        let body = format!("<path d='M0 0L{w} {}L{} {h}z'/>", h * 0.3, w * 0.4);
        let pixels = rows(width as usize, height as usize, &body);
        (samples::Sampling::of_fill(Rect::from_xywh(0.0, 0.0, w, h).unwrap()), pixels)
    };
    let (plain, first) = slanted(20, 20);
    let (turned, second) = slanted(20, 19);
    assert!(plain != turned && first != second);
    let kind = |w, h| samples::Sampling::of_fill(Rect::from_xywh(3.3, 4.2, w, h).unwrap());
    for (w, h, like) in [
        (20.0, 10.0, plain),
        (20.0, 15.0, plain),
        (20.0, 19.0, turned),
        (20.0, 20.0, plain),
        (20.0, 30.0, plain),
        (10.0, 20.0, turned),
        (30.0, 22.0, turned),
        (143.4, 69.7, plain),
        (63.2, 65.0, turned),
        (1000.0, 14.0, plain),
    ] {
        assert_eq!(kind(w, h), like, "{w} x {h}");
    }
    for (w, h) in [(200.0, 100.0), (1030.0, 12.0), (12.0, 1030.0), (1e9, 1e9)] {
        assert_eq!(kind(w, h), samples::DIRECT, "{w} x {h}");
    }
}

#[test]
fn ellipses_cover_every_pixel_that_they_touch() {
    let id = ROUND_SHAPE_ID;
    let body = format!("<circle id='{id}' cx='23' cy='23' r='22.5'/>");
    let disc = rows(46, 46, &body);
    let row: Vec<u8> = disc[0].iter().copied().filter(|&alpha| alpha > 0).collect();
    assert_eq!(row, [28, 67, 94, 116, 126, 126, 116, 95, 69, 30]);
    for (y, row) in disc.iter().enumerate() {
        for (x, &alpha) in row.iter().enumerate() {
            let nearest = |at: usize| (23.0 - at as f32).clamp(0.0, 1.0) + at as f32 - 23.0;
            let touched = nearest(x).hypot(nearest(y)) < 22.4;
            assert!(!touched || alpha > 0, "{x} {y}");
        }
    }
    let body = format!("<circle id='{id}.1' cx='6' cy='4.4' r='0.6'/>");
    assert_eq!(rows(14, 9, &body)[4][5..7], [159, 159]);
    let body = format!("<ellipse id='{id}' cx='1e9' cy='4' rx='1e9' ry='1e-9'/>");
    assert_eq!(rows(14, 9, &body).len(), 9);
}

#[test]
fn bitmaps_are_sampled_left_of_the_border_between_pixels() {
    // Columns with the alpha values 0, 16, 32 and so on.
    let picture = Picture::from_fn(16, 8, |x, _| [0, 0, 0, x as u8 * 16]);
    let kind = usvg::ImageKind::PNG(std::sync::Arc::new(picture.to_png()));
    let options = usvg::Options {
        image_href_resolver: usvg::ImageHrefResolver {
            resolve_data: Box::new(move |_, _, _| Some(kind.clone())),
            resolve_string: Box::new(|_, _| None),
        },
        ..usvg::Options::default()
    };
    let columns = |width: f32| -> Vec<u8> {
        let text = format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='16' height='8'>\
             <image style='image-rendering: pixelated' width='{width}' height='{}' \
             href='data:image/png;base64,AAAA'/></svg>",
            width / 2.0
        );
        let tree = usvg::Tree::from_str(&text, &options).unwrap();
        let mut pixmap = Pixmap::new(16, 1).unwrap();
        draw(&tree, Transform::identity(), Edges::Device, &mut pixmap);
        let alphas = pixmap.pixels().iter().map(|pixel| pixel.alpha() / 16);
        alphas.take(width as usize).collect()
    };
    assert_eq!(columns(8.0), [0, 2, 4, 6, 8, 10, 12, 14]);
    assert_eq!(columns(4.0), [1, 5, 9, 13]);
    assert_eq!(columns(12.0), [0, 1, 3, 4, 5, 7, 8, 9, 11, 12, 13, 15]);
}

#[test]
fn rectangles_cover_by_area() {
    assert_eq!(alpha("<rect x='0.5' y='0.9375' width='2' height='1'/>")[0], [16, 16, 16, 0]);
    assert_eq!(alpha("<rect x='0.5' y='1' width='2' height='1'/>")[1], [128, 255, 128, 0]);
}

/// Strokes, and the number of samples that the browser covers in each pixel.
#[rustfmt::skip]
const STROKES: [(&str, &str, [[u8; 8]; 6]); 8] = [
    ("M4 3h0.001", "stroke-linecap='round' stroke-width='5'", [
        [0, 0, 0, 1, 2, 0, 0, 0],
        [0, 0, 3, 4, 4, 3, 0, 0],
        [0, 2, 4, 4, 4, 4, 1, 0],
        [0, 1, 4, 4, 4, 4, 2, 0],
        [0, 0, 3, 4, 4, 3, 0, 0],
        [0, 0, 0, 2, 1, 0, 0, 0],
    ]),
    ("M1 6C1 0 7 0 7 6", "stroke-width='2'", [
        [0, 0, 1, 1, 2, 0, 0, 0],
        [0, 2, 4, 4, 4, 4, 1, 0],
        [0, 4, 4, 3, 2, 4, 4, 1],
        [2, 4, 2, 0, 0, 3, 4, 3],
        [3, 4, 1, 0, 0, 1, 4, 3],
        [4, 4, 0, 0, 0, 0, 4, 4],
    ]),
    ("M1 3C4 -4 4 10 7 3", "stroke-width='1.5'", [
        [0, 1, 3, 1, 0, 0, 0, 0],
        [0, 4, 4, 4, 1, 0, 0, 0],
        [1, 4, 2, 4, 3, 0, 1, 0],
        [0, 1, 0, 3, 4, 2, 4, 1],
        [0, 0, 0, 1, 4, 4, 4, 0],
        [0, 0, 0, 0, 1, 3, 1, 0],
    ]),
    ("M0 1.7L5 2.1L6.3 9", "stroke-width='2.4' stroke-linejoin='bevel'", [
        [2, 2, 1, 1, 1, 0, 0, 0],
        [4, 4, 4, 4, 4, 3, 0, 0],
        [4, 4, 4, 4, 4, 4, 1, 0],
        [0, 0, 0, 1, 4, 4, 2, 0],
        [0, 0, 0, 0, 3, 4, 3, 0],
        [0, 0, 0, 0, 3, 4, 3, 0],
    ]),
    ("M0 1.7L5 2.1L6.3 9", "stroke-width='2.4' stroke-linejoin='round'", [
        [2, 2, 1, 1, 1, 0, 0, 0],
        [4, 4, 4, 4, 4, 3, 0, 0],
        [4, 4, 4, 4, 4, 4, 1, 0],
        [0, 0, 0, 1, 4, 4, 2, 0],
        [0, 0, 0, 0, 3, 4, 3, 0],
        [0, 0, 0, 0, 3, 4, 3, 0],
    ]),
    ("M0 1.7L5 2.1L6.3 9", "stroke-width='2.4'", [
        [2, 2, 1, 1, 1, 0, 0, 0],
        [4, 4, 4, 4, 4, 4, 1, 0],
        [4, 4, 4, 4, 4, 4, 1, 0],
        [0, 0, 0, 1, 4, 4, 2, 0],
        [0, 0, 0, 0, 3, 4, 3, 0],
        [0, 0, 0, 0, 3, 4, 3, 0],
    ]),
    ("M2 2L6 2.5L6.2 3.1", "stroke-width='1.5' stroke-linecap='square'", [
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 2, 3, 2, 2, 1, 0, 0],
        [0, 2, 3, 4, 4, 4, 3, 0],
        [0, 0, 0, 0, 0, 2, 3, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
    ]),
    ("M2 1.5L6.2 2.1L4 5Z", "stroke-width='1.3'", [
        [0, 1, 0, 0, 0, 0, 0, 0],
        [0, 3, 4, 4, 3, 2, 2, 1],
        [0, 1, 4, 3, 2, 4, 2, 0],
        [0, 0, 3, 3, 2, 4, 0, 0],
        [0, 0, 0, 4, 4, 1, 0, 0],
        [0, 0, 0, 2, 2, 0, 0, 0],
    ]),
];

#[test]
fn strokes_cover_the_samples_that_the_browser_covers() {
    for (path, style, expected) in STROKES {
        let text = format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='8' height='6'>\
             <path d='{path}' fill='none' stroke='#000' {style}/></svg>"
        );
        let tree = usvg::Tree::from_str(&text, &usvg::Options::default()).unwrap();
        let mut pixmap = Pixmap::new(8, 6).unwrap();
        draw(&tree, Transform::identity(), Edges::Device, &mut pixmap);
        let levels: Vec<u8> =
            pixmap.pixels().iter().map(|pixel| pixel.alpha().div_ceil(64)).collect();
        assert_eq!(levels, expected.as_flattened(), "{path} {style}");
    }
}

#[test]
fn strokes_of_too_many_edges_are_outlined() {
    let line = |corners: usize| {
        let mut line = resvg::tiny_skia::PathBuilder::new();
        line.move_to(0.0, 0.0);
        (0..corners).for_each(|i| line.line_to((i % 7) as f32, (i % 5) as f32));
        line.finish().unwrap()
    };
    let style = Stroke { width: 900.0, ..Stroke::default() };
    assert!(is_strip(&line(100), &style, Transform::identity()));
    assert!(!is_strip(&line(100_000), &style, Transform::identity()));
}

#[test]
fn holes_and_overlaps_follow_the_fill_rule() {
    let path = "M0 0H4L4 2 0 2zM1 0L3 0 3 2 1 2z";
    assert_eq!(alpha(&format!("<path d='{path}'/>"))[0], [255; 4]);
    let odd = format!("<path fill-rule='evenodd' d='{path}'/>");
    assert_eq!(alpha(&odd)[0], [255, 0, 0, 255]);
}

#[test]
fn groups_and_far_corners_are_drawn() {
    let body = "<g opacity='.5'><path d='M0 0H4L4 2 0 2z'/><path d='M0 0H4L3.99 2 0 2z'/></g>";
    assert_eq!(alpha(body)[1][..3], [128; 3]);
    assert_eq!(alpha("<path d='M-1e9 0L1e9 -1 1e9 9 -1e9 9z'/>")[1], [255; 4]);
}
