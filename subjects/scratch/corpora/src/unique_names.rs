//! Unique names of projects within a collection.

use std::collections::BTreeMap;
use std::path::{Component, Path};

/// The stem of each path, preceded by parent folders or followed by a number if names would be
/// equal.
pub(crate) fn unique_names<'a>(paths: impl Iterator<Item = &'a Path>) -> Vec<String> {
    let parts: Vec<Vec<String>> = paths.map(parts).collect();
    let mut depth = vec![1; parts.len()];
    loop {
        let names: Vec<String> = parts.iter().zip(&depth).map(|(p, &d)| joined(p, d)).collect();
        let mut paths_by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, name) in names.iter().enumerate() {
            paths_by_name.entry(name).or_default().push(index);
        }
        let clashing = paths_by_name.into_values().filter(|paths| paths.len() > 1).flatten();
        let longer: Vec<usize> = clashing.filter(|&i| depth[i] < parts[i].len()).collect();
        if longer.is_empty() {
            return numbered(names);
        }
        for index in longer {
            depth[index] += 1;
        }
    }
}

/// The stem, then the parent folders, innermost first.
fn parts(path: &Path) -> Vec<String> {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let stem = if absolute.is_dir() { absolute.file_name() } else { absolute.file_stem() };
    let folders = absolute.parent().into_iter().flat_map(Path::components).rev();
    let folders = folders.filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        _ => None,
    });
    stem.into_iter().chain(folders).map(|part| part.to_string_lossy().into_owned()).collect()
}

fn joined(parts: &[String], depth: usize) -> String {
    let mut used: Vec<&str> = parts.iter().take(depth).map(String::as_str).collect();
    used.reverse();
    used.join("-")
}

fn numbered(names: Vec<String>) -> Vec<String> {
    let mut taken: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        let numbered = (2..).map(|n| format!("{name}-{n}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|n| !taken.contains(n));
        taken.push(free.unwrap_or(name));
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: &[&str]) -> Vec<String> {
        unique_names(paths.iter().map(Path::new))
    }

    #[test]
    fn different_stems_are_the_names() {
        assert_eq!(names(&["/a/pong.sb3", "/a/snake.sb3"]), ["pong", "snake"]);
    }

    #[test]
    fn folders_distinguish_equal_stems() {
        assert_eq!(
            names(&["/x/a/pong.sb3", "/x/b/pong.sb3", "/x/b/snake.sb3"]),
            ["a-pong", "b-pong", "snake"]
        );
        assert_eq!(names(&["/x/w/pong.sb3", "/y/w/pong.sb3"]), ["x-w-pong", "y-w-pong"]);
    }

    #[test]
    fn numbers_distinguish_the_rest() {
        assert_eq!(names(&["/pong.sb2", "/pong.sb3"]), ["pong", "pong-2"]);
        assert_eq!(
            names(&["/pong.sb2", "/pong.sb3", "/pong-2.sb3"]),
            ["pong", "pong-2", "pong-2-2"]
        );
    }
}
