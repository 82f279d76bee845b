//! Colours and gradients of paths.

use resvg::tiny_skia::{
    Color, GradientStop, LinearGradient, Paint, RadialGradient, Shader, SpreadMode, Transform,
};
use resvg::usvg;

/// The paint in pixel coordinates.
pub(super) fn shader_paint(
    paint: &usvg::Paint,
    opacity: usvg::Opacity,
    transform: Transform,
) -> Option<Paint<'static>> {
    let mut shader = match paint {
        usvg::Paint::Color(color) => {
            let alpha = opacity.to_u8();
            Shader::SolidColor(Color::from_rgba8(color.red, color.green, color.blue, alpha))
        }
        usvg::Paint::LinearGradient(gradient) => LinearGradient::new(
            (gradient.x1(), gradient.y1()).into(),
            (gradient.x2(), gradient.y2()).into(),
            stops(gradient, opacity),
            spread(gradient),
            gradient.transform(),
        )?,
        usvg::Paint::RadialGradient(gradient) => RadialGradient::new(
            (gradient.fx(), gradient.fy()).into(),
            gradient.fr().get(),
            (gradient.cx(), gradient.cy()).into(),
            gradient.r().get(),
            stops(gradient, opacity),
            spread(gradient),
            gradient.transform(),
        )?,
        usvg::Paint::Pattern(_) => return None,
    };
    shader.transform(transform);
    Some(Paint { shader, anti_alias: true, ..Paint::default() })
}

fn stops(gradient: &usvg::BaseGradient, opacity: usvg::Opacity) -> Vec<GradientStop> {
    let stop = |stop: &usvg::Stop| {
        let usvg::Color { red, green, blue } = stop.color();
        let alpha = (stop.opacity() * opacity).to_u8();
        GradientStop::new(stop.offset().get(), Color::from_rgba8(red, green, blue, alpha))
    };
    gradient.stops().iter().map(stop).collect()
}

fn spread(gradient: &usvg::BaseGradient) -> SpreadMode {
    match gradient.spread_method() {
        usvg::SpreadMethod::Pad => SpreadMode::Pad,
        usvg::SpreadMethod::Reflect => SpreadMode::Reflect,
        usvg::SpreadMethod::Repeat => SpreadMode::Repeat,
    }
}
