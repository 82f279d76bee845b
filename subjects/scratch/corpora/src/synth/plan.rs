//! Plans of synthetic projects.

use catherd_search::Stream;

use super::block_templates::{HATS, Hat};

/// The number of statements of a project is log-normal, as in figure 11a of the Whisker paper and
/// in a corpus of random projects.
const MEDIAN_STATEMENTS: f64 = 30.0;
const LOG_SPREAD: f64 = 1.1;
pub(super) const MIN_STATEMENTS: usize = 2;
pub(super) const MAX_STATEMENTS: usize = 1_100;
const MEAN_SCRIPT_STATEMENTS: f64 = 5.5;

pub(super) const SOUND: &str = "pop";

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

#[derive(Clone, Debug)]
pub(super) struct Procedure {
    pub(super) code: String,
    pub(super) argument: Named,
}

#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) sprites: Vec<String>,
    pub(super) costumes: Vec<Vec<String>>,
    pub(super) backdrops: Vec<String>,
    pub(super) variables: Vec<Named>,
    pub(super) lists: Vec<Named>,
    pub(super) messages: Vec<Named>,
    pub(super) procedures: Vec<Procedure>,
}

/// A block that activates another script, by index into [`Names`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Activation {
    Message(usize),
    Clone(usize),
    Backdrop(usize),
    Call(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Script {
    /// Index of the sprite; `None` for the stage.
    pub(super) sprite: Option<usize>,
    pub(super) hat: Hat,
    /// Index of the message, backdrop or custom block of the hat; unused for other hats.
    pub(super) of: usize,
    /// Number of statements, including the hat.
    pub(super) statements: usize,
    pub(super) activations: Vec<Activation>,
}

const SPRITES: [&str; 10] =
    ["Cat", "Ball", "Apple", "Ghost", "Button", "Enemy", "Rocket", "Star", "Player", "Wall"];
const VARIABLES: [&str; 8] =
    ["score", "lives", "speed", "my variable", "level", "time", "counter", "x vel"];
const LISTS: [&str; 3] = ["items", "names", "positions"];
const MESSAGES: [&str; 8] = ["start", "game over", "next", "message1", "win", "reset", "hit", "go"];

pub(super) fn plan(stream: &mut Stream) -> (Names, Vec<Script>) {
    let size = MEDIAN_STATEMENTS * libm::exp(stream.gaussian(0.0, LOG_SPREAD));
    let size = (size.round() as usize).clamp(MIN_STATEMENTS, MAX_STATEMENTS);
    let sprites = 1 + (stream.unit() * 2.0 * mean_sprites(size)).floor() as usize;
    let mut names = Names {
        sprites: (0..sprites).map(|n| Named::numbered("", &SPRITES, n).name).collect(),
        costumes: Vec::new(),
        backdrops: (1..=1 + stream.below(3)).map(|n| format!("backdrop{n}")).collect(),
        variables: numbered_names(stream, size / 25 + 1, "variable", &VARIABLES),
        lists: numbered_names(stream, size / 100, "list", &LISTS),
        messages: Vec::new(),
        procedures: Vec::new(),
    };
    for _ in 0..sprites {
        let costumes = 1 + stream.below(3);
        names.costumes.push((1..=costumes).map(|n| format!("costume{n}")).collect());
    }
    let mut scripts = Vec::new();
    let mut left = size;
    while left > 0 {
        let statements = script_size(stream).min(left);
        // A script has at least a hat and a statement.
        let statements = if left - statements < 2 { left } else { statements };
        left -= statements;
        let first = scripts.is_empty();
        scripts.push(draw_script(stream, &mut names, first, statements));
    }
    activate_scripts(stream, &mut scripts);
    (names, scripts)
}

fn mean_sprites(size: usize) -> f64 {
    match size {
        0..10 => 0.6,
        10..30 => 2.5,
        30..100 => 3.5,
        100..300 => 6.5,
        _ => 12.0,
    }
}

fn script_size(stream: &mut Stream) -> usize {
    let mut size = 2;
    while size < 60 && !stream.chance(1.0 / (MEAN_SCRIPT_STATEMENTS - 1.0)) {
        size += 1;
    }
    size
}

fn numbered_names(stream: &mut Stream, max: usize, kind: &str, names: &[&str]) -> Vec<Named> {
    let count = match max {
        0 => 0,
        max => 1 + stream.index(max),
    };
    (0..count).map(|number| Named::numbered(kind, names, number)).collect()
}

/// The green flag starts the first script, so every project does something.
fn draw_script(stream: &mut Stream, names: &mut Names, first: bool, statements: usize) -> Script {
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
    let on_stage = stream.below(12) == 0;
    let sprite = stream.index(names.sprites.len());
    let sprite = (!on_stage || hat == Hat::Clone).then_some(sprite);
    if first {
        hat = Hat::Flag;
    }
    let of = match hat {
        Hat::Message => {
            let known = names.messages.len();
            if known == 0 || stream.chance(0.5) {
                names.messages.push(Named::numbered("message", &MESSAGES, known));
                known
            } else {
                stream.index(known)
            }
        }
        Hat::Backdrop => stream.index(names.backdrops.len()),
        Hat::Procedure => {
            let known = names.procedures.len();
            names.procedures.push(Procedure {
                code: format!("do {} %s", known + 1),
                argument: Named { id: format!("argument{known}"), name: "n".to_owned() },
            });
            known
        }
        _ => 0,
    };
    Script { sprite, hat, of, statements, activations: Vec::new() }
}

/// Makes every script reachable from input.
fn activate_scripts(stream: &mut Stream, scripts: &mut [Script]) {
    let mut sent = Vec::new();
    for index in 0..scripts.len() {
        let Script { hat, of, sprite, .. } = scripts[index];
        let activation = match (hat, sprite) {
            (Hat::Message, _) if sent.contains(&of) => continue,
            (Hat::Message, _) => {
                sent.push(of);
                Activation::Message(of)
            }
            (Hat::Clone, Some(sprite)) => Activation::Clone(sprite),
            (Hat::Backdrop, _) => Activation::Backdrop(of),
            (Hat::Procedure, _) => Activation::Call(of),
            _ => continue,
        };
        let same_target = matches!(activation, Activation::Call(_));
        let hosts: Vec<usize> = (0..scripts.len())
            .filter(|&host| {
                scripts[host].hat.is_started_by_input()
                    && (!same_target || scripts[host].sprite == sprite)
            })
            .collect();
        if hosts.is_empty() {
            scripts[index].hat = Hat::Flag;
        } else {
            let host = *stream.pick(&hosts);
            scripts[host].activations.push(activation);
        }
    }
}
