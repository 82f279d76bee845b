//! Random valid projects for use without a network. Equal seeds and numbers generate equal projects
//! on every computer.

mod block_templates;
mod media;
mod plan;
mod project;
mod script_writer;

use std::collections::BTreeMap;
use std::path::Path;

use catherd_scratch_sb3::{Limits, Project, pack_files};
use catherd_search::Stream;

use crate::corpus::{Corpus, CorpusError, Member, Recipe, Sha};
use crate::{FoundProjects, LoadedProject, ProjectEntry, atomic_file, corpus, describe};

use media::Files;
use project::{Meta, Target, TargetKind};
use script_writer::ScriptWriter;

/// Version of the generator.
pub const GENERATOR: u32 = 1;

/// Number of the random stream of project 0. Each further project has the next stream.
const FIRST_STREAM: u64 = 1_000;

/// Name of a project, with its number in at least four digits: `synthetic-0007`.
pub fn name(number: u64) -> String {
    format!("synthetic-{number:04}")
}

/// Generates the project with a seed and a number.
///
/// # Panics
/// If the generated project cannot be read, which is a bug.
pub fn project(seed: u64, number: u64) -> LoadedProject {
    let files = files(seed, number);
    let archive = pack_files(&name(number), &files);
    let archive = archive.unwrap_or_else(|error| panic!("a generated project: {error}"));
    let project = Project::from_bytes(&name(number), &archive, &Limits::default());
    let project = project.unwrap_or_else(|error| panic!("a generated project: {error}"));
    let digest = Sha::of(&archive).0;
    LoadedProject { project, archive, digest }
}

/// The files of a project by name, including `project.json`.
pub fn files(seed: u64, number: u64) -> BTreeMap<String, Vec<u8>> {
    let mut stream = Stream::new(seed, FIRST_STREAM.wrapping_add(number));
    let stream = &mut stream;
    let (names, scripts) = plan::plan(stream);
    let mut files = Files::new();
    let mut targets = Vec::new();
    for sprite in std::iter::once(None).chain((0..names.sprites.len()).map(Some)) {
        let costumes = match sprite {
            None => &names.backdrops,
            Some(sprite) => &names.costumes[sprite],
        };
        let draw = if sprite.is_none() { media::backdrop } else { media::costume };
        let costumes = costumes.iter().map(|name| draw(stream, name.clone(), &mut files)).collect();
        let sounds = vec![media::sound(stream, plan::SOUND.to_owned(), &mut files)];
        let kind = match sprite {
            None => TargetKind::Stage {
                tempo: 60,
                video_transparency: 50,
                video_state: "on",
                text_to_speech_language: None,
            },
            Some(_) => TargetKind::Sprite {
                visible: true,
                x: stream.between(0, 400) as i64 - 200,
                y: stream.between(0, 300) as i64 - 150,
                size: stream.between(5, 12) as i64 * 10,
                direction: 90,
                draggable: false,
                rotation_style: "all around",
            },
        };
        let mut writer = ScriptWriter::new(stream, &names, sprite);
        for script in scripts.iter().filter(|script| script.sprite == sprite) {
            writer.write_script(script);
        }
        let blocks = writer.blocks;
        let global = |named: &[plan::Named]| match sprite {
            None => named.iter().map(|n| (n.id.clone(), n.name.clone())).collect(),
            Some(_) => BTreeMap::new(),
        };
        let variables = global(&names.variables).into_iter();
        let lists = global(&names.lists).into_iter();
        targets.push(Target {
            is_stage: sprite.is_none(),
            name: sprite.map_or_else(|| "Stage".to_owned(), |s| names.sprites[s].clone()),
            variables: variables.map(|(id, name)| (id, (name, 0))).collect(),
            lists: lists.map(|(id, name)| (id, (name, Vec::new()))).collect(),
            broadcasts: global(&names.messages),
            blocks,
            comments: BTreeMap::new(),
            current_costume: 0,
            costumes,
            sounds,
            volume: 100,
            layer_order: sprite.map_or(0, |sprite| sprite + 1),
            kind,
        });
    }
    let pen = |target: &Target| target.blocks.values().any(|b| b.opcode.starts_with("pen_"));
    let extensions = if targets.iter().any(pen) { vec!["pen"] } else { Vec::new() };
    let meta = Meta { semver: "3.0.0", vm: "0.2.0", agent: "catherd" };
    let project = project::Project { targets, monitors: [], extensions, meta };
    let json = serde_json::to_vec(&project).expect("strings and numbers can be written as JSON");
    files.insert("project.json".to_owned(), json);
    files
}

/// The projects 1 to `count` of a seed. `on_project` is called after each project.
pub fn find(count: u64, seed: u64, mut on_project: impl FnMut()) -> FoundProjects {
    let projects = (1..=count).map(|number| {
        let LoadedProject { project, digest, .. } = project(seed, number);
        on_project();
        ProjectEntry {
            name: name(number),
            path: name(number).into(),
            digest,
            description: describe(&project),
            warnings: Vec::new(),
            synthetic: Some((seed, number)),
        }
    });
    FoundProjects { projects: projects.collect(), skipped: Vec::new() }
}

/// Writes a corpus of the projects 1 to `count` of a seed. `on_project` is called after each
/// project.
///
/// # Errors
/// If the folder contains another corpus, or a file cannot be read or written.
pub fn write(
    folder: &Path,
    count: usize,
    seed: u64,
    mut on_project: impl FnMut(),
) -> Result<Corpus, CorpusError> {
    let recipe = Recipe::Synthetic { count, seed, generator: GENERATOR };
    if Corpus::is_at(folder) && Corpus::read(folder)?.metadata.recipe != recipe {
        let line = format!("{}: contains another corpus", folder.display());
        return Err(CorpusError::Rejected(line));
    }
    corpus::create_folder(&corpus::projects(folder))?;
    let mut members = Vec::with_capacity(count);
    for number in 1..=count as u64 {
        let LoadedProject { project, archive, digest } = project(seed, number);
        let sha = Sha(digest);
        let path = corpus::project(folder, sha);
        atomic_file::write(&path, &archive).map_err(CorpusError::io(&path))?;
        let member = Member {
            id: name(number),
            title: String::new(),
            author: String::new(),
            source: format!("catherd dataset synth --seed {seed}"),
            licence: "CC0-1.0".to_owned(),
            fetched: String::new(),
            sha256: sha,
            statements: 0,
            scripts: 0,
            sprites: 0,
            extensions: String::new(),
        };
        members.push(member.described(sha, &describe(&project)));
        on_project();
    }
    Corpus::write(folder, recipe, BTreeMap::new(), members)
}
