//! A small tree of SVG elements that can be changed and written out again.

use roxmltree::{Node as XmlNode, NodeType};

const SVG: &str = "http://www.w3.org/2000/svg";
const XLINK: &str = "http://www.w3.org/1999/xlink";
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// An element, without attributes of foreign namespaces.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Element {
    pub(super) name: String,
    /// Names and values. Names in the namespaces of XLink and XML have the prefix `xlink:` or
    /// `xml:`.
    attributes: Vec<(String, String)>,
    pub(super) children: Vec<Node>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Element(Element),
    Text(String),
}

impl Element {
    pub(super) fn new(name: &str, children: Vec<Node>) -> Self {
        Self { name: name.to_owned(), attributes: Vec::new(), children }
    }

    /// Copies an element and its descendants, except elements in foreign namespaces. The recursion
    /// is as deep as the document, whose depth has been checked before.
    pub(super) fn read(xml: XmlNode<'_, '_>) -> Self {
        let attributes = xml.attributes().filter_map(|attribute| {
            let name = match attribute.namespace() {
                None => attribute.name().to_owned(),
                Some(XLINK) => format!("xlink:{}", attribute.name()),
                Some(XML) => format!("xml:{}", attribute.name()),
                Some(_) => return None,
            };
            Some((name, attribute.value().to_owned()))
        });
        let children = xml.children().filter_map(|child| match child.node_type() {
            NodeType::Element if matches!(child.tag_name().namespace(), None | Some(SVG)) => {
                Some(Node::Element(Self::read(child)))
            }
            NodeType::Text => child.text().map(|text| Node::Text(text.to_owned())),
            _ => None,
        });
        Self {
            name: xml.tag_name().name().to_owned(),
            attributes: attributes.collect(),
            children: children.collect(),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(other, _)| other == name).map(|(_, value)| &value[..])
    }

    pub(super) fn attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.attributes.iter().map(|(name, value)| (&name[..], &value[..]))
    }

    pub(super) fn set(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self.attributes.iter_mut().find(|(other, _)| other == name) {
            Some((_, old)) => *old = value,
            None => self.attributes.push((name.to_owned(), value)),
        }
    }

    pub(super) fn take(&mut self, name: &str) -> Option<String> {
        let index = self.attributes.iter().position(|(other, _)| other == name)?;
        Some(self.attributes.remove(index).1)
    }

    pub(super) fn elements(&self) -> impl Iterator<Item = &Self> {
        self.children.iter().filter_map(|child| match child {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    }

    pub(super) fn elements_mut(&mut self) -> impl Iterator<Item = &mut Self> {
        self.children.iter_mut().filter_map(|child| match child {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    }

    pub(super) fn visit<'a>(&'a self, f: &mut impl FnMut(&'a Self)) {
        f(self);
        for child in self.elements() {
            child.visit(f);
        }
    }

    pub(super) fn visit_mut(&mut self, f: &mut impl FnMut(&mut Self)) {
        f(self);
        for child in self.elements_mut() {
            child.visit_mut(f);
        }
    }

    pub(super) fn document(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, &format!(" xmlns=\"{SVG}\" xmlns:xlink=\"{XLINK}\""));
        out
    }

    fn write(&self, out: &mut String, declarations: &str) {
        out.push('<');
        out.push_str(&self.name);
        out.push_str(declarations);
        for (name, value) in &self.attributes {
            out.push(' ');
            out.push_str(name);
            out.push_str("=\"");
            escape(out, value);
            out.push('"');
        }
        out.push('>');
        for child in &self.children {
            match child {
                Node::Element(element) => element.write(out, ""),
                Node::Text(text) => escape(out, text),
            }
        }
        out.push_str("</");
        out.push_str(&self.name);
        out.push('>');
    }
}

fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\t' => out.push_str("&#9;"),
            _ => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_the_same() {
        let text = "<svg xmlns='http://www.w3.org/2000/svg' \
                    xmlns:x='http://www.w3.org/1999/xlink' xmlns:f='f'>\
                    <use x:href='#a&amp;b' f:g='1' t=\"&quot;&#10;\"/><f:g/><text xml:space='preserve'> &lt;\n</text></svg>";
        let xml = roxmltree::Document::parse(text).unwrap();
        let root = Element::read(xml.root_element());
        let written = root.document();
        let again = roxmltree::Document::parse(&written).unwrap();
        assert_eq!(Element::read(again.root_element()), root);
        assert_eq!(root.elements().count(), 2);
        assert_eq!(root.elements().next().unwrap().get("xlink:href"), Some("#a&b"));
    }
}
