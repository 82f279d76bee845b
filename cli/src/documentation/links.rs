//! Checks links, anchors and paths of the documentation, and the table of contents of the book.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{files_below, pages, parts, read, root, shown};

fn links(text: &str) -> Vec<String> {
    let prose: String = parts(text).filter(|(code, _)| !code).map(|(_, part)| part).collect();
    // Leave out code in sentences, which may contain brackets.
    let prose: String = prose.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.map(|target| target.replace('\n', "")).collect()
}

/// Returns the anchor of a heading, as on GitHub and in mdBook.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let prose = parts(text).filter(|(code, _)| !code).flat_map(|(_, part)| part.lines());
    let headings = prose.filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#'))).collect()
}

fn broken(page: &Path, target: &str) -> Option<String> {
    if target.contains("://") {
        return None;
    }
    let (path, fragment) = target.split_once('#').unwrap_or((target, ""));
    let file = match path {
        "" => page.to_owned(),
        _ => page.parent().unwrap().join(path),
    };
    if !file.exists() {
        return Some(format!("{}: {target} does not exist", shown(page)));
    }
    let found = fragment.is_empty() || anchors(&read(&file)).contains(fragment);
    (!found).then(|| format!("{}: {target} has no such heading", shown(page)))
}

#[test]
fn targets_of_links_exist() {
    let (mut flaws, mut checked) = (Vec::new(), 0);
    for page in pages() {
        for target in links(&read(&page)) {
            checked += 1;
            flaws.extend(broken(&page, &target));
        }
    }
    assert!(flaws.is_empty(), "{}", flaws.join("\n"));
    assert!(checked > 100, "{checked}");
    let page = root().join("README.md");
    assert!(broken(&page, "docs/nothing.md").is_some());
    assert!(broken(&page, "docs/glossary.md#nothing").is_some());
    assert_eq!(links("a [b](c#d) `[e](f)` [g](h)\n```\n[i](j)\n```\n![k](l)"), ["c#d", "h", "l"]);
}

#[test]
fn source_files_that_pages_name_exist() {
    let mut missing = Vec::new();
    // Skip the changelog, which names files of earlier versions.
    let changelog = root().join("CHANGELOG.md");
    let maps = ["ARCHITECTURE.md", "docs/explanation/architecture.md"].map(|map| root().join(map));
    for page in pages().into_iter().filter(|page| *page != changelog) {
        let text = read(&page);
        let prose = parts(&text).filter(|(code, _)| !code);
        for span in prose.flat_map(|(_, part)| part.split('`').skip(1).step_by(2)) {
            // Check folders only on the maps, because folders on other pages are folders of users.
            let names_source = span.ends_with(".rs") || maps.contains(&page) && span.ends_with('/');
            let is_path = span.contains('/') && !span.contains(['{', '*', ' ']);
            if names_source && is_path && !root().join(span).exists() {
                missing.push(format!("{}: {span}", shown(&page)));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn the_book_has_every_page() {
    let summary = root().join("docs/SUMMARY.md");
    let listed = links(&read(&summary)).into_iter().map(|target| root().join("docs").join(target));
    let mut listed: Vec<PathBuf> = listed.collect();
    listed.sort();
    let mut pages = files_below("docs");
    // Compare only pages, because the folder also contains notebooks.
    pages.retain(|page| *page != summary && page.extension().is_some_and(|kind| kind == "md"));
    assert_eq!(listed, pages);
}
