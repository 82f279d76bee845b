//! Tests that almost all costumes of a corpus of real projects can be loaded, and that most of them
//! are visible.

#![expect(clippy::print_stdout, reason = "lists costumes that are not shown")]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catherd_scratch_render::{Group, Limits, Scene, SkinId, SkinSetBuilder};

#[test]
#[ignore = "needs CATHERD_CORPUS"]
fn costumes_of_a_corpus_can_be_sensed() {
    let corpus = std::env::var_os("CATHERD_CORPUS").expect("CATHERD_CORPUS is a folder");
    let mut projects = Vec::new();
    collect(Path::new(&corpus), &mut projects);
    projects.sort();
    assert!(!projects.is_empty(), "the corpus has no projects");
    let mut totals = Totals::default();
    for project in &projects {
        totals.add(project);
    }
    println!("{} projects: {totals:?}", projects.len());
    // Real projects contain a few damaged costumes and many empty costumes.
    assert!(totals.refused * 50 <= totals.costumes, "{totals:?}");
    assert!(totals.invisible * 5 <= totals.costumes, "{totals:?}");
}

#[derive(Debug, Default)]
struct Totals {
    costumes: usize,
    refused: usize,
    invisible: usize,
}

impl Totals {
    fn add(&mut self, project: &Path) {
        let file = std::fs::File::open(project).unwrap();
        let Ok(mut archive) = zip::ZipArchive::new(file) else { return };
        let mut builder = SkinSetBuilder::new(Limits::default());
        let mut skins = Vec::new();
        for index in 0..archive.len() {
            let Ok(mut entry) = archive.by_index(index) else { continue };
            let Ok(name) = entry.name().map(|name| name.into_owned()) else { continue };
            let mut bytes = Vec::new();
            if entry.read_to_end(&mut bytes).is_err() {
                continue;
            }
            let bytes: Arc<[u8]> = bytes.into();
            let added = match name.rsplit('.').next() {
                Some("svg") => builder.add_svg(bytes, None),
                Some("png" | "jpg" | "jpeg" | "gif" | "bmp") => {
                    builder.add_bitmap(bytes, Some(2.0), None)
                }
                _ => continue,
            };
            self.costumes += 1;
            match added {
                Ok(skin) => skins.push((name, skin)),
                Err(error) => {
                    println!("{} {name}: {error}", project.display());
                    self.refused += 1;
                }
            }
        }
        let set = Arc::new(builder.build());
        for (name, skin) in skins {
            if !visible(Scene::new(Arc::clone(&set)), skin) {
                println!("{} {name}: nothing to be seen", project.display());
                self.invisible += 1;
            }
        }
    }
}

fn visible(mut scene: Scene, skin: SkinId) -> bool {
    let id = scene.add(Group::Sprite);
    scene.set_skin(id, skin);
    let rough = scene.aabb(id);
    scene.bounds(id) != rough
}

fn collect(folder: &Path, projects: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, projects);
        } else if path.extension().is_some_and(|extension| extension == "sb3") {
            projects.push(path);
        }
    }
}
