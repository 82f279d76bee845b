//! Descriptors: files that describe a project of an external tool, such as a module of a package
//! and its dependencies.
//!
//! ```toml
//! descriptor = 1
//! name = "flutes.math"               # in tables
//! group = "flutes"                   # a level above the project; optional
//!
//! [data]                             # passed to the adapter as it is
//! module = "flutes.math"
//! sha256 = "..."
//!
//! [measures]                         # numbers that describe the project; optional
//! lines = 40
//! ```
//!
//! The digest of the descriptor is the digest of the project, so `data` must contain the digests of
//! all files that influence results. A file whose name ends in `.project.toml` must be a
//! descriptor.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::projects::{FindError, FoundProject, FoundProjects, ProjectTable};

const ENDING: &str = ".project.toml";

const VERSION: u64 = 1;

/// The measures that descriptors may contain, with their captions.
pub(super) const MEASURES: [(&str, &str); 5] = [
    ("lines", "lines"),
    ("mccabe", "mean McCabe complexity"),
    ("code_objects", "code objects"),
    ("predicates", "predicates"),
    ("types", "types"),
];

const COLUMNS: [&str; 8] =
    ["project", "sha256", "group", "lines", "mccabe", "code_objects", "predicates", "types"];

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Descriptor {
    descriptor: u64,
    pub(super) name: String,
    /// The level above the project. Optional.
    #[serde(default)]
    pub(super) group: String,
    /// The adapter receives this table.
    #[serde(default)]
    pub(super) data: Map<String, Value>,
    #[serde(default)]
    measures: BTreeMap<String, f64>,
}

impl Descriptor {
    pub(super) fn of(project: &[u8]) -> Option<Descriptor> {
        // Descriptors are small, and parsing a large project for each run would take time.
        let text = std::str::from_utf8(project.get(..project.len().min(1 << 16))?).ok()?;
        (project.len() <= 1 << 16 && text.contains("descriptor"))
            .then(|| Descriptor::parse(text).ok())
            .flatten()
    }

    fn parse(text: &str) -> Result<Descriptor, String> {
        let descriptor: Descriptor =
            toml::from_str(text).map_err(|cause| cause.message().replace('\n', ", "))?;
        let Descriptor { descriptor: version, name, group, measures, .. } = &descriptor;
        if *version != VERSION {
            return Err(format!("descriptor {version}; only descriptor {VERSION} exists"));
        }
        let printable = |text: &str| !text.contains(char::is_control) && text.len() <= 200;
        if name.trim().is_empty() || !printable(name) || !printable(group) {
            return Err("`name` must not be blank, and `name` and `group` must have at most 200 bytes and no control \
                        characters"
                .to_owned());
        }
        let known = |name: &&String| MEASURES.iter().any(|(known, _)| known == name);
        match measures.keys().find(|name| !known(name)) {
            None => Ok(descriptor),
            Some(unknown) => {
                let known = MEASURES.map(|(name, _)| name).join(", ");
                Err(format!("unknown measure `{unknown}`; the measures are {known}"))
            }
        }
    }
}

/// Renames the projects that are descriptors. The result is sorted by name.
pub(super) fn named(found: FoundProjects) -> Result<FoundProjects, FindError> {
    let FoundProjects { projects, skipped, warnings } = found;
    let mut named: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut all = Vec::with_capacity(projects.len());
    for project in projects {
        if !project.name.ends_with(ENDING) {
            all.push(project);
            continue;
        }
        let project = described(project)?;
        let path = project.path.clone();
        if let Some(other) = named.insert(project.name.clone(), path.clone()) {
            let (name, path, other) = (&project.name, path.display(), other.display());
            return Err(FindError {
                cause: format!("{path}: {other} has the name {name} as well"),
                advice: "give each project its own name".to_owned(),
            });
        }
        all.push(project);
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(FoundProjects { projects: all, skipped, warnings })
}

fn described(project: FoundProject) -> Result<FoundProject, FindError> {
    let descriptor = String::from_utf8(project.bytes()?)
        .map_err(|_| "not valid UTF-8".to_owned())
        .and_then(|text| Descriptor::parse(&text));
    match descriptor {
        Ok(descriptor) => Ok(project.renamed(descriptor.name)),
        Err(cause) => Err(FindError {
            cause: format!("{}: {cause}", project.path.display()),
            advice: "correct the descriptor; see the guide on external tools".to_owned(),
        }),
    }
}

pub(super) fn table(projects: &[FoundProject]) -> Result<Option<ProjectTable>, FindError> {
    let mut rows = Vec::new();
    for project in projects {
        let descriptor = Descriptor::of(&project.bytes()?);
        if descriptor.is_none() && project.measures.is_empty() {
            continue;
        }
        let descriptor = descriptor.unwrap_or_default();
        let mut row = vec![project.name.clone(), project.digest.to_string(), descriptor.group];
        let measure = |(name, _): &(&str, &str)| {
            let said = descriptor.measures.get(*name).or_else(|| project.measures.get(*name));
            said.map_or_else(String::new, f64::to_string)
        };
        row.extend(MEASURES.iter().map(measure));
        rows.push(row);
    }
    Ok((!rows.is_empty()).then(|| ProjectTable { columns: COLUMNS.to_vec(), rows }))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::files;

    fn find(texts: &[(&str, &str)]) -> Result<FoundProjects, FindError> {
        let place = tempfile::tempdir().unwrap();
        for (name, text) in texts {
            fs::create_dir_all(place.path().join(name).parent().unwrap()).unwrap();
            fs::write(place.path().join(name), text).unwrap();
        }
        let paths = [place.path().join("a"), place.path().join("b")];
        let paths: Vec<_> = paths.into_iter().filter(|path| path.exists()).collect();
        let found = named(files::find(&paths, |_| true, &()).unwrap())?;
        table(&found.projects).unwrap();
        Ok(found)
    }

    const MATH: &str = "descriptor = 1\nname = 'flutes.math'\ngroup = 'flutes'\n\
                        [data]\nmodule = 'flutes.math'\n[measures]\nlines = 40\n";

    #[test]
    fn projects_have_the_names_of_their_descriptors() {
        let found = find(&[("a/x.project.toml", MATH), ("a/other.toml", "name = 1")]).unwrap();
        let names: Vec<_> = found.projects.iter().map(|project| &*project.name).collect();
        assert_eq!(names, ["flutes.math", "other.toml"]);
        let descriptor = Descriptor::of(MATH.as_bytes()).unwrap();
        assert_eq!(
            (&*descriptor.group, &descriptor.data["module"]),
            ("flutes", &"flutes.math".into())
        );
        assert_eq!(Descriptor::of(b"name = 1"), None);
    }

    #[test]
    fn descriptors_that_cannot_be_used_are_named() {
        let cause = |texts: &[(&str, &str)]| find(texts).err().unwrap().cause;
        let other = MATH.replace("40", "41");
        let twice = cause(&[("a/x.project.toml", MATH), ("b/x.project.toml", &other)]);
        assert!(twice.contains("has the name flutes.math as well"), "{twice}");
        for (text, flaw) in [
            ("descriptor = 2\nname = 'x'", "descriptor 2; only descriptor 1 exists"),
            ("descriptor = 1", "missing field `name`"),
            ("descriptor = 1\nname = ' '", "`name` must not be blank"),
            ("descriptor = 1\nname = 'x'\n[measures]\nsize = 1", "unknown measure `size`"),
        ] {
            let cause = cause(&[("a/x.project.toml", text)]);
            assert!(cause.contains("x.project.toml: ") && cause.contains(flaw), "{cause}");
        }
    }
}
