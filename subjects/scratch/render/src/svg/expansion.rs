//! Size of a document with all references expanded. With patterns that refer to patterns, every
//! line can double the size, and the parser and the renderer follow each reference again.

use std::collections::HashMap;

use super::dom::{Element, Node};
use crate::limits::Limits;

/// Maximum nesting of elements, including referenced elements.
const DEPTH: usize = 1024;

#[derive(Clone, Copy, Default)]
pub(super) struct Size {
    elements: f64,
    levels: usize,
    letters: f64,
    /// Sum, over all `text` elements, of letters times elements.
    letters_in_fonts: f64,
}

impl Size {
    pub(super) fn is_within(&self, limits: &Limits) -> bool {
        self.elements <= f64::from(limits.nodes)
            && self.letters <= limits.letters as f64
            && self.letters_in_fonts <= limits.letters_in_fonts as f64
    }
}

struct Traversal<'a> {
    by_id: HashMap<&'a str, &'a Element>,
    /// Sizes of referenced elements, by id; zero for an element that is being measured.
    known: HashMap<&'a str, Size>,
}

/// Computes the size of a document. The target of a reference counts once for each reference, and a
/// cyclic reference counts 0.
pub(super) fn expanded_size(root: &Element) -> Option<Size> {
    let mut traversal = Traversal { by_id: HashMap::new(), known: HashMap::new() };
    collect(root, &mut traversal.by_id);
    traversal.size(root, 0)
}

fn collect<'a>(element: &'a Element, by_id: &mut HashMap<&'a str, &'a Element>) {
    if let Some(id) = element.get("id") {
        by_id.entry(id).or_insert(element);
    }
    element.elements().for_each(|child| collect(child, by_id));
}

impl<'a> Traversal<'a> {
    fn size(&mut self, element: &'a Element, depth: usize) -> Option<Size> {
        if depth > DEPTH {
            return None;
        }
        let mut size = Size { elements: 1.0, levels: 1, ..Size::default() };
        if element.name == "text" {
            let (letters, elements) = text_size(element);
            size.letters = letters;
            size.letters_in_fonts = letters * elements;
        }
        let mut add = |inner: Size| {
            size.elements += inner.elements;
            size.letters += inner.letters;
            size.letters_in_fonts += inner.letters_in_fonts;
            size.levels = size.levels.max(inner.levels + 1);
        };
        for (name, value) in element.attributes() {
            let link = matches!(name, "href" | "xlink:href");
            let plain = link.then(|| value.trim().strip_prefix('#')).flatten();
            let painted = value.split("url(").skip(1).filter_map(|rest| {
                let id = rest.split(')').next()?.trim_matches([' ', '"', '\'']);
                id.strip_prefix('#')
            });
            for id in plain.into_iter().chain(painted) {
                add(self.target(id, depth + 1)?);
            }
        }
        for child in element.elements() {
            add(self.size(child, depth + 1)?);
        }
        (size.levels <= DEPTH).then_some(size)
    }

    fn target(&mut self, id: &'a str, depth: usize) -> Option<Size> {
        let Some(&element) = self.by_id.get(id) else { return Some(Size::default()) };
        if let Some(known) = self.known.get(id) {
            return Some(*known);
        }
        self.known.insert(id, Size::default());
        let size = self.size(element, depth)?;
        self.known.insert(id, size);
        Some(size)
    }
}

fn text_size(text: &Element) -> (f64, f64) {
    let (mut letters, mut elements) = (0, 0);
    text.visit(&mut |element| {
        elements += 1;
        for child in &element.children {
            if let Node::Text(text) = child {
                letters += text.chars().count();
            }
        }
    });
    (letters as f64, f64::from(elements))
}
