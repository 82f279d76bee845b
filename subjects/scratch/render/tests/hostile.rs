//! Tests that loading and sensing end for every costume file, because files are not trusted.

use crate::stage;

mod fragments;

use std::sync::Arc;

use catherd_scratch_render::{
    Effect, Group, Limits, PenStroke, Rect, Scene, SkinError, SkinSetBuilder,
};
use fragments::fragment;
use proptest::prelude::*;
use rusty_fork::rusty_fork_test;

/// Limits small enough for every document to be drawn quickly.
fn limits() -> Limits {
    Limits {
        bytes: 1 << 20,
        nodes: 20_000,
        depth: 64,
        letters: 2_000,
        letters_in_fonts: 20_000,
        side: 2048,
        pixels: 1 << 20,
        painted: 1 << 28,
        layers: 1 << 22,
    }
}

fn sense(builder: SkinSetBuilder, skin: catherd_scratch_render::SkinId) {
    let mut scene = Scene::new(Arc::new(builder.build()));
    let id = scene.add(Group::Sprite);
    scene.set_skin(id, skin);
    scene.bounds(id);
    scene.touching_color(id, [0; 3]);
    scene.set_direction_scale(id, 33.0, 150.0, 20.0);
    scene.set_effect(id, Effect::Whirl, 50.0);
    scene.bounds(id);
    scene.pen_stamp(id);
    scene.pick(0.0, 0.0);
}

fn sense_svg(text: &[u8]) -> Result<(), SkinError> {
    let mut builder = SkinSetBuilder::new(limits());
    let skin = builder.add_svg(text.into(), Some((1e300, f64::NAN)))?;
    sense(builder, skin);
    Ok(())
}

fn sense_bitmap(bytes: &[u8]) -> Result<(), SkinError> {
    let mut builder = SkinSetBuilder::new(limits());
    let skin = builder.add_bitmap(bytes.into(), Some(1.0), None)?;
    sense(builder, skin);
    Ok(())
}

rusty_fork_test! {
    #![rusty_fork(timeout_ms = 120_000)]

    #[test]
    fn limits_are_kept() {
        let deep = format!("<svg>{}{}</svg>", "<g>".repeat(100_000), "</g>".repeat(100_000));
        assert!(matches!(sense_svg(deep.as_bytes()), Err(SkinError::Xml(_))));
        let deep = format!("<svg>{}{}</svg>", "<g>".repeat(1000), "</g>".repeat(1000));
        assert_eq!(sense_svg(deep.as_bytes()), Err(SkinError::NestedTooDeeply { limit: 64 }));
        let large = b"<svg viewBox='0 0 1e9 1e9'/>";
        assert!(matches!(sense_svg(large), Err(SkinError::PictureTooLarge { .. })));
        assert!(matches!(sense_svg(&[b' '; 2 << 20]), Err(SkinError::FileTooLarge { .. })));
        assert_eq!(sense_svg(b"<html/>"), Err(SkinError::NotSvg("html".to_owned())));
        assert!(matches!(sense_bitmap(b"no picture"), Err(SkinError::Picture(_))));
        let wide = stage::png(4000, 1, |_, _| [0; 4]);
        assert!(matches!(sense_bitmap(&wide), Err(SkinError::PictureTooLarge { .. })));
        // Resolution 1 doubles both sides, so the picture has 1,440,000 pixels.
        let doubled = stage::png(600, 600, |_, _| [0; 4]);
        let error = sense_bitmap(&doubled).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a picture of 600 x 600: at most 2048 per side and 1048576 in all are allowed"
        );
        let long = format!("<svg viewBox='0 0 9 9'><text>{}</text></svg>", "a".repeat(2001));
        let error = sense_svg(long.as_bytes()).unwrap_err();
        assert_eq!(error, SkinError::TooMuchText { found: 2001, limit: 2000 });
    }

    #[test]
    fn documents_that_refer_to_themselves_end() {
        for body in [
            "<use href='#a' id='a'/>",
            "<g id='a'><use href='#a'/></g>",
            "<pattern id='p' width='1' height='1'><rect width='9' height='9' fill='url(#p)'/></pattern><rect width='9' height='9' fill='url(#p)'/>",
            "<linearGradient id='g' href='#g'/><path transform='scale(2)' d='M0 0h9v9' fill='url(#g)'/>",
            "<mask id='m' mask='url(#m)'><rect width='9' height='9' mask='url(#m)'/></mask><rect width='9' height='9' mask='url(#m)'/>",
            "<clipPath id='c' clip-path='url(#c)'/><rect width='9' height='9' clip-path='url(#c)'/>",
            "<filter id='f'><feImage href='#r'/></filter><rect id='r' width='9' height='9' filter='url(#f)'/>",
        ] {
            let text = format!("<svg viewBox='0 0 20 20'>{body}</svg>");
            assert_eq!(sense_svg(text.as_bytes()), Ok(()), "{body}");
        }
    }

    #[test]
    fn expanding_documents_end() {
        let mut uses = String::from("<rect id='u0' width='1' height='1'/>");
        for i in 1..30 {
            uses += &format!("<g id='u{i}'><use href='#u{0}'/><use href='#u{0}'/></g>", i - 1);
        }
        let text = format!("<svg viewBox='0 0 20 20'><defs>{uses}</defs><use href='#u29'/></svg>");
        assert_eq!(sense_svg(text.as_bytes()), Ok(()));
        let mut laughs = String::from("<!DOCTYPE svg [<!ENTITY a0 'ha'>");
        for i in 1..20 {
            laughs += &format!("<!ENTITY a{i} '&a{0};&a{0};&a{0};'>", i - 1);
        }
        let text = format!("{laughs}]><svg viewBox='0 0 20 20'><text>&a19;</text></svg>");
        assert!(matches!(sense_svg(text.as_bytes()), Err(SkinError::Xml(_))));
    }

    #[test]
    fn giant_arcs_end() {
        let path = "a1e38 5 30 1 0 9 7z".repeat(20);
        let text =
            format!("<svg viewBox='0 0 20 20'><path transform='scale(2)' d='M0 0{path}'/></svg>");
        assert_eq!(sense_svg(text.as_bytes()), Ok(()));
        let text = format!("<svg><path stroke='red' d='M0 0{path}'/></svg>");
        assert_eq!(sense_svg(text.as_bytes()), Ok(()));
    }

    #[test]
    fn shapes_that_a_transform_makes_endless_end() {
        for transform in
            ["rotate(45) skewX(90)", "skewY(90) scale(1e9)", "scale(1e20)", "skewX(89.9999)"]
        {
            for shape in [
                "<circle r='50%'",
                "<path d='M1 1C9 3 4 9 2 8Q4 4 1 1' stroke='red'",
                "<ellipse rx='9' ry='4'",
                "<ellipse rx='1e-40'",
                "<ellipse rx='1e-20' ry='1e20'",
            ] {
                let text = format!("<svg viewBox='-3 2 30 20'>{shape} transform='{transform}'/></svg>");
                let _ = sense_svg(text.as_bytes());
            }
        }
    }

    #[test]
    fn pictures_of_any_proportions_end() {
        let picture = base64(&stage::png(1, 1, |_, _| [255, 0, 0, 255]));
        for place in [
            "width='1e-9' height='1e9'",
            "width='1e9' height='1e-9'",
            "x='1e30' width='1' height='1'",
            "x='-1e5' y='1e5' width='1e-5' preserveAspectRatio='xMaxYMax slice'",
            "height='1e38em'",
            "width='1e-40'",
        ] {
            for document in ["<svg viewBox='0 0 20 20'>", "<svg>", "<svg viewBox='0 0 1e-9 1e9'>"] {
                let image = format!("<image {place} href='data:image/png;base64,{picture}'/>");
                let _ = sense_svg(format!("{document}{image}</svg>").as_bytes());
            }
        }
    }

    #[test]
    fn references_cannot_nest_without_end() {
        // Groups nested almost as deeply as the default limit allows, each with a reference to the
        // previous group.
        let depth = Limits::default().depth - 6;
        let mut body = String::from("<rect id='n0' width='9' height='9'/>");
        for i in 1..8 {
            let (open, close) = ("<g opacity='.9'>".repeat(depth), "</g>".repeat(depth));
            body += &format!("<g id='n{i}'>{open}<use href='#n{}'/>{close}</g>", i - 1);
        }
        for last in 1..8 {
            let text =
                format!("<svg viewBox='0 0 20 20'><defs>{body}</defs><use href='#n{last}'/></svg>");
            let mut builder = SkinSetBuilder::new(Limits::default());
            let skin = builder.add_svg(text.as_bytes().into(), None).unwrap();
            sense(builder, skin);
        }
    }

    #[test]
    fn truncated_bitmaps_can_be_sensed() {
        let whole = stage::png(40, 40, |_, _| [1, 2, 3, 255]);
        for length in (60..whole.len()).step_by(7) {
            assert_eq!(sense_bitmap(&whole[..length]), Ok(()));
        }
    }

    #[test]
    fn positions_may_be_anything() {
        let (mut scene, ids) = stage::scene(&[&stage::filled(20, 20, "red")]);
        let id = ids[0];
        for wild in [f64::NAN, f64::INFINITY, -1e300, 1e300, 5e-324] {
            scene.set_position(id, wild, wild);
            scene.set_direction_scale(id, wild, wild, wild);
            for effect in Effect::ALL {
                scene.set_effect(id, effect, wild);
            }
            scene.bounds(id);
            scene.clamp_to_stage(id, wild, wild);
            scene.touching_color(id, [255; 3]);
            scene.touching_edge(id);
            scene.touching_point(id, wild, wild);
            scene.pick(wild, wild);
            scene.pen_stamp(id);
            let stroke = PenStroke { rgba: [wild; 4], diameter: wild };
            scene.pen_line((wild, 0.0), (0.0, wild), &stroke);
            let within = Rect { left: -wild, right: wild, bottom: wild, top: wild };
            let own = catherd_scratch_render::ColorOf::Only(id);
            scene.find_color((wild, wild), within, [0; 3], own, f64::INFINITY);
            scene.move_order(id, wild);
            scene.end_frame();
        }
    }
}

fn cases() -> ProptestConfig {
    ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() }
}

rusty_fork_test! {
    #![rusty_fork(timeout_ms = 120_000)]

    #[test]
    fn any_bytes_end() {
        proptest!(cases(), |(bytes in prop::collection::vec(any::<u8>(), 0..400))| {
            let _ = sense_svg(&bytes);
            let _ = sense_bitmap(&bytes);
        });
    }

    #[test]
    fn any_text_in_a_document_ends() {
        proptest!(cases(), |(text in "[<>/ a-z='\"&;#%.0-9-]{0,200}")| {
            let _ = sense_svg(format!("<svg viewBox='0 0 20 20'>{text}</svg>").as_bytes());
        });
    }

    #[test]
    fn any_document_ends() {
        proptest!(cases(), |(body in fragment(), measured in any::<bool>())| {
            let view_box = if measured { "" } else { " viewBox='-3 2 30 20'" };
            let _ = sense_svg(format!("<svg{view_box}>{body}</svg>").as_bytes());
        });
    }

    #[test]
    fn any_damage_to_a_picture_ends() {
        proptest!(cases(), |(index in 0_usize..120, byte in any::<u8>())| {
            let mut picture = stage::png(9, 9, |x, y| [x as u8, y as u8, 0, 200]).to_vec();
            let index = index % picture.len();
            picture[index] = byte;
            let _ = sense_bitmap(&picture);
        });
    }
}

/// Tests, with the default limits, the longest text that is drawn, and longer text: written out,
/// repeated, and in many fonts.
#[test]
#[ignore = "slow"]
fn long_texts_are_bounded() {
    let start = std::time::Instant::now();
    let load = |body: &str| {
        let text = format!("<svg viewBox='0 0 480 360'>{body}</svg>");
        let mut builder = SkinSetBuilder::new(Limits::default());
        let skin = builder.add_svg(text.as_bytes().into(), None)?;
        let mut scene = Scene::new(Arc::new(builder.build()));
        let id = scene.add(Group::Sprite);
        scene.set_skin(id, skin);
        Ok(scene.touching_point(id, -230.0, 170.0))
    };
    let corner = "<rect width='20' height='20'/>";
    let text =
        |letters: usize| format!("{corner}<text y='99'>{}</text>", "Ab ".repeat(letters / 3));
    assert_eq!(load(&text(9_999)), Ok(true));
    let found = 1_000_002;
    assert_eq!(load(&text(found)), Err(SkinError::TooMuchText { found, limit: 10_000 }));
    let repeated = format!("<g id='t'>{}</g>{}", text(300), "<use href='#t'/>".repeat(300));
    assert_eq!(load(&repeated), Ok(false));
    let words: String =
        (0..200).map(|n| format!("<tspan font-size='{n}'>{n:060}</tspan>")).collect();
    let in_fonts = format!("{corner}<text>{words}</text>");
    assert!(matches!(load(&in_fonts), Err(SkinError::TooMuchText { .. })));
    let words: String =
        (0..120).map(|n| format!("<tspan font-size='{n}'>{n:080}</tspan>")).collect();
    assert_eq!(load(&format!("{corner}<text>{words}</text>")), Ok(false));
    let words: String =
        (1..90).map(|n| format!("<tspan font-size='{n}'>{n:080}</tspan>")).collect();
    assert_eq!(load(&format!("{corner}<text>{words}</text>")), Ok(true));
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

/// Tests the largest bitmap that may be loaded, a bitmap file with a larger size in its header, and
/// a document with more pixels of bitmaps than it may contain.
#[test]
#[ignore = "slow"]
fn large_bitmaps_are_bounded() {
    let mut builder = SkinSetBuilder::new(Limits::default());
    // The header of a bitmap file, without pixels.
    let mut header = b"BM".to_vec();
    for word in [1 << 20, 0, 54, 40, 16_000, 16_000, 24 << 16 | 1, 0, 0, 0, 0, 0, 0_u32] {
        header.extend(word.to_le_bytes());
    }
    let refused = builder.add_bitmap(header.into(), Some(2.0), None);
    assert!(refused.unwrap_err().to_string().contains("33554432 in all"));
    assert_eq!(builder.build().refused(), 1);
    let largest = stage::png(8192, 4096, |_, _| [1, 2, 3, 255]);
    let mut builder = SkinSetBuilder::new(Limits::default());
    let skin = builder.add_bitmap(largest, Some(2.0), None).unwrap();
    let mut scene = Scene::new(Arc::new(builder.build()));
    let id = scene.add(Group::Sprite);
    scene.set_skin(id, skin);
    assert!(scene.touching_point(id, 0.0, 0.0));
    let picture = base64(&stage::png(1000, 1000, |_, _| [1, 2, 3, 255]));
    let image =
        format!("<image id='i' width='400' height='300' href='data:image/png;base64,{picture}'/>");
    assert!(shows(&image));
    assert!(!shows(&format!("{image}<use href='#i'/>")), "more than 2^20 pixels in all");
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let number = (0..3).fold(0, |n, i| n << 8 | usize::from(*group.get(i).unwrap_or(&0)));
        for i in 0..4 {
            let digit = char::from(DIGITS[number >> (18 - 6 * i) & 63]);
            text.push(if i <= group.len() { digit } else { '=' });
        }
    }
    text
}

/// Small documents can take hours or all memory to draw.
#[test]
fn drawings_beyond_the_limits_are_transparent() {
    let rect = "<rect width='400' height='300' filter='url(#f)'/>";
    let filter = |primitive: &str| format!("<filter id='f'>{primitive}</filter>{rect}");
    let mut tiles = String::from(
        "<pattern id='p0' width='1' height='1'><rect width='1' height='1'/></pattern>",
    );
    for i in 1..40 {
        let fill = format!("<rect width='9' height='9' fill='url(#p{})'/>", i - 1);
        tiles += &format!(
            "<pattern id='p{i}' width='9' height='9' patternUnits='userSpaceOnUse'>{fill}{fill}</pattern>"
        );
    }
    let chain: String = (1..=6_000)
        .map(|i| {
            let fill = format!("<rect width='9' height='9' fill='url(#p{})'/>", i - 1);
            format!("<pattern id='p{i}' width='9' height='9'>{fill}</pattern>")
        })
        .collect();
    let translucent = |n: usize| {
        format!("{}{rect}{}", "<g opacity='.9' filter='url(#f)'>".repeat(n), "</g>".repeat(n))
    };
    for body in [
        filter("<feMorphology operator='dilate' radius='1e6'/>"),
        filter("<feTurbulence baseFrequency='.1' numOctaves='100000000'/>"),
        filter(&"<feMorphology operator='erode' radius='40'/>".repeat(60)),
        format!("{tiles}<rect width='400' height='300' fill='url(#p39)'/>"),
        format!("{chain}<rect width='400' height='300' fill='url(#p5999)'/>"),
        "<pattern id='p' width='30000' height='30000' patternUnits='userSpaceOnUse'><rect width='9' height='9'/></pattern><rect width='400' height='300' fill='url(#p)'/>".to_owned(),
        format!("<filter id='f'><feOffset dx='1'/></filter>{}", translucent(60)),
    ] {
        assert!(!shows(&body), "{}", &body[..body.len().min(200)]);
    }
    assert!(shows(&filter("<feMorphology operator='erode' radius='2'/>")));
    assert!(shows(&format!("<filter id='f'><feOffset dx='1'/></filter>{}", translucent(2))));
}

fn shows(body: &str) -> bool {
    let text = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 400 300' width='400' height='300'>{body}</svg>"
    );
    let mut builder = SkinSetBuilder::new(limits());
    let skin = builder.add_svg(text.as_bytes().into(), None).unwrap();
    let mut scene = Scene::new(Arc::new(builder.build()));
    let id = scene.add(Group::Sprite);
    scene.set_skin(id, skin);
    scene.touching_point(id, 0.0, 0.0)
}
