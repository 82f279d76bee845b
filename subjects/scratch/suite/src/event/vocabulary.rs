//! Numbers for the names and strings in events.

use std::sync::Arc;

use catherd_scratch_sb3::Project;
use catherd_scratch_vm::Program;
use rustc_hash::FxHashMap;

/// The number of a key in a [`Vocabulary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyNo(pub u16);

/// The number of an answer in a [`Vocabulary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextNo(pub u16);

/// Numbered names of keys and sprites, and numbered answers.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    /// Names of targets, numbered as in `Project::targets`.
    sprites: Arc<[Arc<str>]>,
    stage: u16,
    keys: Words,
    texts: Words,
}

impl Vocabulary {
    /// Creates a vocabulary of the targets of a project, without keys and answers.
    pub fn new(project: &Project) -> Self {
        Self {
            sprites: project.targets.iter().map(|target| target.name.clone()).collect(),
            stage: project.stage() as u16,
            keys: Words::default(),
            texts: Words::default(),
        }
    }

    /// Creates a vocabulary of the targets of a compiled project, without keys and answers.
    pub fn of(program: &Program) -> Self {
        Self {
            sprites: program.targets().map(|name| name.to_str().into()).collect(),
            stage: program.stage() as u16,
            keys: Words::default(),
            texts: Words::default(),
        }
    }

    /// The stage's position in `Project::targets`.
    pub fn stage(&self) -> u16 {
        self.stage
    }

    /// Number of targets.
    pub fn sprites(&self) -> u16 {
        self.sprites.len() as u16
    }

    /// The name of a target.
    pub fn sprite(&self, sprite: u16) -> &str {
        &self.sprites[usize::from(sprite)]
    }

    /// The first sprite with this name; `None` if there is none. The stage is not a sprite.
    pub fn sprite_no(&self, name: &str) -> Option<u16> {
        (0..self.sprites.len() as u16).find(|&no| no != self.stage && self.sprite(no) == name)
    }

    /// The name of a key, as key menus spell it.
    pub fn key(&self, key: KeyNo) -> &str {
        &self.keys.list[usize::from(key.0)]
    }

    /// The number of a key, which is added if it is unknown.
    pub fn key_no(&mut self, name: &str) -> KeyNo {
        KeyNo(self.keys.number(name))
    }

    /// The answer with a number.
    pub fn text(&self, text: TextNo) -> &str {
        &self.texts.list[usize::from(text.0)]
    }

    /// The number of an answer, which is added if it is unknown.
    pub fn text_no(&mut self, text: &str) -> TextNo {
        TextNo(self.texts.number(text))
    }
}

#[derive(Clone, Debug, Default)]
struct Words {
    list: Vec<Arc<str>>,
    numbers: FxHashMap<Arc<str>, u16>,
}

impl Words {
    /// Returns the position of a word, and appends the word if it is new. If the list is full
    /// (65,536 words), all new words get the last position.
    fn number(&mut self, word: &str) -> u16 {
        if let Some(&number) = self.numbers.get(word) {
            return number;
        }
        if self.list.len() <= usize::from(u16::MAX) {
            let word: Arc<str> = word.into();
            self.numbers.insert(word.clone(), self.list.len() as u16);
            self.list.push(word);
        }
        (self.list.len() - 1) as u16
    }
}
