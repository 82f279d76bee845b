//! Repairs of the text of an SVG file before it is parsed as XML.

use std::borrow::Cow;

const XML_NAMESPACE: &str = "\"http://www.w3.org/XML/1998/namespace\"";

/// Repairs the mistakes of drawing programs that Scratch repairs, in the same order.
pub(super) fn repaired(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    declare_namespace(&mut text);
    resolve_entities(&mut text);
    if text.contains("data:img/png") {
        text = Cow::Owned(in_tags(&text, "<image", |tag| {
            tag.replace("href=\"data:img/png", "href=\"data:image/png")
                .replace("href='data:img/png", "href='data:image/png")
        }));
    }
    if text.contains(XML_NAMESPACE) {
        text = Cow::Owned(rebind_prefixes(&text));
    }
    if text.contains("svg:") {
        text = Cow::Owned(text.replace("<svg:", "<").replace("</svg:", "</"));
    }
    empty(&mut text, "<metadata>", "</metadata>", "<metadata></metadata>");
    empty(&mut text, "<script", "</script>", "<script></script>");
    text
}

/// The range of the first tag that begins with `<svg` and white space.
fn root_tag(text: &str) -> Option<std::ops::Range<usize>> {
    let start = text
        .match_indices("<svg")
        .map(|(index, _)| index)
        .find(|&index| text[index + 4..].starts_with(|c: char| c.is_ascii_whitespace()))?;
    let end = text[start..].find('>')?;
    Some(start..start + end + 1)
}

fn declare_namespace(text: &mut Cow<'_, str>) {
    if let Some(tag) = root_tag(text)
        && !text[tag.clone()].contains("xmlns=")
    {
        text.to_mut().insert_str(tag.start + 4, " xmlns=\"http://www.w3.org/2000/svg\"");
    }
}

/// Replaces entities that Illustrator uses without declaring them.
fn resolve_entities(text: &mut Cow<'_, str>) {
    let Some(tag) = root_tag(text) else { return };
    if !text[tag.clone()].contains("&ns_") || text.contains("<!DOCTYPE") {
        return;
    }
    let mut rest = &text[tag.clone()];
    let mut mended = String::with_capacity(rest.len());
    while let Some(start) = rest.find("&ns_") {
        let Some(length) = rest[start..].find(';') else { break };
        mended.push_str(&rest[..start]);
        mended.push_str("http://ns.adobe.com/Extensibility/1.0/");
        rest = &rest[start + length + 1..];
    }
    mended.push_str(rest);
    text.to_mut().replace_range(tag, &mended);
}

fn in_tags(text: &str, name: &str, rewrite: impl Fn(&str) -> String) -> String {
    let mut rest = text;
    let mut result = String::with_capacity(text.len());
    while let Some(start) = rest.find(name) {
        let end = rest[start..].find('>').map_or(rest.len(), |length| start + length);
        result.push_str(&rest[..start]);
        result.push_str(&rewrite(&rest[start..end]));
        rest = &rest[end..];
    }
    result + rest
}

/// Changes the namespace of prefixes other than `xml` that are bound to the namespace of XML,
/// because such bindings are not allowed.
fn rebind_prefixes(text: &str) -> String {
    let mut rest = text;
    let mut result = String::with_capacity(text.len());
    while let Some(start) = rest.find(XML_NAMESPACE) {
        let before = &rest[..start];
        let prefix = before.rsplit(char::is_whitespace).next().unwrap_or_default();
        result.push_str(before);
        if prefix.starts_with("xmlns:") && prefix != "xmlns:xml=" {
            result.push_str("\"http://dummy.namespace\"");
        } else {
            result.push_str(XML_NAMESPACE);
        }
        rest = &rest[start + XML_NAMESPACE.len()..];
    }
    result + rest
}

/// Replaces everything from the first `open` to the last `close`.
fn empty(text: &mut Cow<'_, str>, open: &str, close: &str, replacement: &str) {
    if let (Some(start), Some(end)) = (text.find(open), text.rfind(close))
        && start < end
    {
        text.to_mut().replace_range(start..end + close.len(), replacement);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_valid_file_is_not_changed() {
        let text = r#"<svg xmlns="http://www.w3.org/2000/svg"><rect/></svg>"#;
        assert!(matches!(repaired(text), Cow::Borrowed(same) if same == text));
    }

    #[test]
    fn mistakes_are_repaired() {
        for (broken, mended) in [
            ("<svg width='1'/>", "<svg xmlns=\"http://www.w3.org/2000/svg\" width='1'/>"),
            (
                "<svg xmlns='' a='&ns_a;' b='&ns_b;'/>",
                "<svg xmlns='' a='http://ns.adobe.com/Extensibility/1.0/' \
                 b='http://ns.adobe.com/Extensibility/1.0/'/>",
            ),
            (
                "<image xlink:href=\"data:img/png;base64,\"/>data:img/png",
                "<image xlink:href=\"data:image/png;base64,\"/>data:img/png",
            ),
            (
                "<g xmlns:x=\"http://www.w3.org/XML/1998/namespace\" \
                 xmlns:xml=\"http://www.w3.org/XML/1998/namespace\"/>",
                "<g xmlns:x=\"http://dummy.namespace\" \
                 xmlns:xml=\"http://www.w3.org/XML/1998/namespace\"/>",
            ),
            ("<svg:g></svg:g>", "<g></g>"),
            ("<metadata>&</metadata><a/><metadata></metadata>", "<metadata></metadata>"),
            ("<script x=''>1 < 2</script>", "<script></script>"),
        ] {
            assert_eq!(repaired(broken), mended);
        }
    }
}
