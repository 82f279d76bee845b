//! SVG documents as Scratch prepares them before the browser draws them.

use resvg::usvg;

use crate::skin::{Limits, SkinError};

/// The coordinate system of a document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ViewBox {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// A document whose size is known and which is parsed fully when it is drawn.
#[derive(Debug)]
pub(crate) struct Document {
    text: String,
    view_box: ViewBox,
    intrinsic: (f64, f64),
}

impl Document {
    pub(crate) fn new(bytes: &[u8], limits: &Limits) -> Result<Self, SkinError> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let options = roxmltree::ParsingOptions {
            allow_dtd: true,
            nodes_limit: limits.nodes,
            ..Default::default()
        };
        let xml = roxmltree::Document::parse_with_options(&text, options)
            .map_err(|error| SkinError::Xml(error.to_string()))?;
        let root = xml.root_element();
        let numbers: Vec<f64> = root
            .attribute("viewBox")
            .unwrap_or_default()
            .split([' ', ','])
            .filter_map(|number| number.parse::<f32>().ok().map(f64::from))
            .collect();
        let view_box = match numbers[..] {
            [x, y, width, height] => ViewBox { x, y, width, height },
            _ => ViewBox { x: 0.0, y: 0.0, width: 0.0, height: 0.0 },
        };
        drop(xml);
        Ok(Self { text, view_box, intrinsic: (view_box.width, view_box.height) })
    }

    pub(crate) fn view_box(&self) -> ViewBox {
        self.view_box
    }

    pub(crate) fn intrinsic_size(&self) -> (f64, f64) {
        self.intrinsic
    }

    pub(crate) fn tree(&self) -> Option<usvg::Tree> {
        usvg::Tree::from_str(&self.text, &usvg::Options::default()).ok()
    }
}
