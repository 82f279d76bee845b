//! What a synthetic project will have: its size, its sprites, what starts its scripts,
//! and which scripts bring others to life.

use catherd_search::Stream;

use super::forms::{HATS, Hat};

/// Statements of a project are log-normal: half of them have at most 30, one in a thousand
/// some 900 (Whisker paper, figure 11a, and a corpus of random projects agree on the shape).
const MEDIAN: f64 = 30.0;
const SPREAD: f64 = 1.1;
pub(super) const SMALLEST: usize = 2;
pub(super) const LARGEST: usize = 1_100;
/// Mean statements of a script.
const SCRIPT: f64 = 5.5;

/// The name of every target's sound.
pub(super) const SOUND: &str = "pop";

/// A thing with id and name.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) id: String,
    pub(super) name: String,
}

impl Named {
    fn numbered(kind: &str, names: &[&str], number: usize) -> Named {
        let name = names[number % names.len()];
        let name = match number / names.len() {
            0 => name.to_owned(),
            round => format!("{name} {}", round + 1),
        };
        Named { id: format!("{kind}{number}"), name }
    }
}

/// A custom block with one argument.
#[derive(Clone, Debug)]
pub(super) struct Procedure {
    pub(super) code: String,
    pub(super) argument: Named,
}

/// What blocks can name.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) sprites: Vec<String>,
    /// By sprite.
    pub(super) costumes: Vec<Vec<String>>,
    pub(super) backdrops: Vec<String>,
    pub(super) variables: Vec<Named>,
    pub(super) lists: Vec<Named>,
    pub(super) messages: Vec<Named>,
    pub(super) procedures: Vec<Procedure>,
}

/// A block that starts another script, by index into the [`World`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Planted {
    Message(usize),
    Clone(usize),
    Backdrop(usize),
    Call(usize),
}

/// A script to be written.
#[derive(Clone, Debug)]
pub(super) struct Script {
    /// Index of the sprite; none for the stage.
    pub(super) sprite: Option<usize>,
    pub(super) hat: Hat,
    /// The message, backdrop or custom block of the hat.
    pub(super) of: usize,
    /// Statements, the hat included.
    pub(super) statements: usize,
    pub(super) planted: Vec<Planted>,
}

const SPRITES: [&str; 10] =
    ["Cat", "Ball", "Apple", "Ghost", "Button", "Enemy", "Rocket", "Star", "Player", "Wall"];
const VARIABLES: [&str; 8] =
    ["score", "lives", "speed", "my variable", "level", "time", "counter", "x vel"];
const LISTS: [&str; 3] = ["items", "names", "positions"];
const MESSAGES: [&str; 8] = ["start", "game over", "next", "message1", "win", "reset", "hit", "go"];

/// Plans a project.
pub(super) fn plan(stream: &mut Stream) -> (World, Vec<Script>) {
    let size = MEDIAN * libm::exp(stream.gaussian(0.0, SPREAD));
    let size = (size.round() as usize).clamp(SMALLEST, LARGEST);
    let sprites = 1 + (stream.unit() * 2.0 * sprites_of(size)).floor() as usize;
    let mut world = World {
        sprites: (0..sprites).map(|n| Named::numbered("", &SPRITES, n).name).collect(),
        costumes: Vec::new(),
        backdrops: (1..=1 + stream.below(3)).map(|n| format!("backdrop{n}")).collect(),
        variables: many(stream, size / 25 + 1, "variable", &VARIABLES),
        lists: many(stream, size / 100, "list", &LISTS),
        messages: Vec::new(),
        procedures: Vec::new(),
    };
    for _ in 0..sprites {
        let costumes = 1 + stream.below(3);
        world.costumes.push((1..=costumes).map(|n| format!("costume{n}")).collect());
    }
    let mut scripts = Vec::new();
    let mut left = size;
    while left > 0 {
        let statements = script_size(stream).min(left);
        // A lone hat is no script.
        let statements = if left - statements < 2 { left } else { statements };
        left -= statements;
        let first = scripts.is_empty();
        scripts.push(start(stream, &mut world, first, statements));
    }
    plant(stream, &mut scripts);
    (world, scripts)
}

/// Sprites to expect of a project of so many statements.
fn sprites_of(size: usize) -> f64 {
    match size {
        0..10 => 0.6,
        10..30 => 2.5,
        30..100 => 3.5,
        100..300 => 6.5,
        _ => 12.0,
    }
}

/// At least two, [`SCRIPT`] on average, geometrically distributed.
fn script_size(stream: &mut Stream) -> usize {
    let mut size = 2;
    while size < 60 && !stream.chance(1.0 / (SCRIPT - 1.0)) {
        size += 1;
    }
    size
}

fn many(stream: &mut Stream, most: usize, kind: &str, names: &[&str]) -> Vec<Named> {
    let count = match most {
        0 => 0,
        most => 1 + stream.index(most),
    };
    (0..count).map(|number| Named::numbered(kind, names, number)).collect()
}

/// A script and what starts it. The first is started by the green flag, so that every
/// project does something.
fn start(stream: &mut Stream, world: &mut World, first: bool, statements: usize) -> Script {
    let sum = HATS.iter().map(|(_, weight)| weight).sum();
    let mut draw = stream.below(sum);
    let mut hat = Hat::Flag;
    for &(kind, weight) in HATS {
        match draw.checked_sub(weight) {
            Some(rest) => draw = rest,
            None => {
                hat = kind;
                break;
            }
        }
    }
    // One in twelve scripts is the stage's.
    let on_stage = stream.below(12) == 0;
    let sprite = stream.index(world.sprites.len());
    let sprite = (!on_stage || hat == Hat::Clone).then_some(sprite);
    if first {
        hat = Hat::Flag;
    }
    let of = match hat {
        Hat::Message => {
            let known = world.messages.len();
            // Two receivers a message.
            if known == 0 || stream.chance(0.5) {
                world.messages.push(Named::numbered("message", &MESSAGES, known));
                known
            } else {
                stream.index(known)
            }
        }
        Hat::Backdrop => stream.index(world.backdrops.len()),
        Hat::Procedure => {
            let known = world.procedures.len();
            world.procedures.push(Procedure {
                code: format!("do {} %s", known + 1),
                argument: Named { id: format!("argument{known}"), name: "n".to_owned() },
            });
            known
        }
        _ => 0,
    };
    Script { sprite, hat, of, statements, planted: Vec::new() }
}

/// Sees to it that every script is started by another one that input can start. Where
/// there is none for it, the script is given to the green flag.
fn plant(stream: &mut Stream, scripts: &mut [Script]) {
    let mut sent = Vec::new();
    for index in 0..scripts.len() {
        let Script { hat, of, sprite, .. } = scripts[index];
        let planted = match (hat, sprite) {
            (Hat::Message, _) if sent.contains(&of) => continue,
            (Hat::Message, _) => {
                sent.push(of);
                Planted::Message(of)
            }
            (Hat::Clone, Some(sprite)) => Planted::Clone(sprite),
            (Hat::Backdrop, _) => Planted::Backdrop(of),
            (Hat::Procedure, _) => Planted::Call(of),
            _ => continue,
        };
        let own = matches!(planted, Planted::Call(_));
        let hosts: Vec<usize> = (0..scripts.len())
            .filter(|&host| scripts[host].hat.is_root() && (!own || scripts[host].sprite == sprite))
            .collect();
        if hosts.is_empty() {
            scripts[index].hat = Hat::Flag;
        } else {
            let host = *stream.pick(&hosts);
            scripts[host].planted.push(planted);
        }
    }
}
