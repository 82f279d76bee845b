//! Writing scripts: blocks drawn by weight, with room for those that keep others alive.

use std::collections::BTreeMap;

use catherd_search::Stream;
use serde_json::{Value, json};

use super::forms::{BRANCHING, CONDITIONS, Choices, FOREVER, Form, Hat, KEYS, PLAIN, Slot, VALUES};
use super::media::COLOURS;
use super::plan::{Named, Planted, Procedure, Script, World};
use super::project::{Block, Mutation};

/// Branches within each other.
const DEEPEST: usize = 4;
/// Reporters within each other.
const NESTED: usize = 3;
/// How often an input holds a reporter, and how often that is a variable.
const REPORTER: f64 = 0.25;
const VARIABLE: f64 = 0.45;
/// How often a branch ends by stopping the script, and a clone by deleting itself.
const STOPS: f64 = 0.06;
const DELETES: f64 = 0.6;

const WORDS: [&str; 12] = [
    "Hello!",
    "go",
    "Game over",
    "What's your name?",
    "You win",
    "yes",
    "no",
    "apple",
    "10",
    "7",
    "Let's play",
    "Try again",
];

/// Writes the scripts of one target.
pub(super) struct Writer<'w> {
    stream: &'w mut Stream,
    world: &'w World,
    /// Index of the sprite; none for the stage.
    sprite: Option<usize>,
    pub(super) blocks: BTreeMap<String, Block>,
    /// Of the script that is being written.
    hat: Hat,
    /// Messages from this one on may be sent: a receiver sends none that leads back to it.
    first_message: usize,
    argument: Option<&'w Named>,
}

impl<'w> Writer<'w> {
    pub(super) fn new(stream: &'w mut Stream, world: &'w World, sprite: Option<usize>) -> Self {
        Writer {
            stream,
            world,
            sprite,
            blocks: BTreeMap::new(),
            hat: Hat::Flag,
            first_message: 0,
            argument: None,
        }
    }

    /// Writes a script with some `script.statements` statements, its hat among them.
    pub(super) fn script(&mut self, script: &'w Script) {
        self.hat = script.hat;
        self.argument = None;
        self.first_message = match script.hat {
            Hat::Message => script.of + 1,
            hat if hat.is_root() => 0,
            _ => usize::MAX,
        };
        let number = self.blocks.values().filter(|block| block.top_level).count() as i64;
        let head = self.hat(script);
        let block = self.blocks.get_mut(&head).expect("the hat was written");
        block.top_level = true;
        (block.x, block.y) = (Some(40 + number % 4 * 360), Some(40 + number / 4 * 480));
        let planted = script.planted.iter().rev().cloned().collect();
        let first = self.body(&head, script.statements.saturating_sub(1), 0, planted);
        self.blocks.get_mut(&head).expect("the hat was written").next = first;
    }

    fn hat(&mut self, script: &'w Script) -> String {
        let world = self.world;
        let field = |name, named: &Named| (name, (named.name.clone(), Some(named.id.clone())));
        let (opcode, fields) = match script.hat {
            Hat::Flag => ("event_whenflagclicked", None),
            Hat::Click if self.sprite.is_none() => ("event_whenstageclicked", None),
            Hat::Click => ("event_whenthisspriteclicked", None),
            Hat::Clone => ("control_start_as_clone", None),
            Hat::Key => {
                let key = self.choice(KEYS).unwrap_or_default();
                ("event_whenkeypressed", Some(("KEY_OPTION", (key, None))))
            }
            Hat::Message => {
                let message = field("BROADCAST_OPTION", &world.messages[script.of]);
                ("event_whenbroadcastreceived", Some(message))
            }
            Hat::Backdrop => {
                let name = world.backdrops[script.of].clone();
                ("event_whenbackdropswitchesto", Some(("BACKDROP", (name, None))))
            }
            Hat::Procedure => return self.definition(&world.procedures[script.of]),
        };
        let id = self.add(Block::new(opcode, None));
        self.block(&id).fields.extend(fields);
        id
    }

    fn definition(&mut self, procedure: &'w Procedure) -> String {
        self.argument = Some(&procedure.argument);
        let id = self.add(Block::new("procedures_definition", None));
        let prototype = self.add(Block::shadow("procedures_prototype", &id));
        let argument = self.add(Block::shadow("argument_reporter_string_number", &prototype));
        let Named { id: argument_id, name } = &procedure.argument;
        self.block(&argument).fields.insert("VALUE", (name.clone(), None));
        let block = self.block(&prototype);
        block.inputs.insert(argument_id.clone(), json!([1, argument]));
        block.mutation = Some(Mutation {
            argumentnames: Some(json!([name]).to_string()),
            argumentdefaults: Some(json!([""]).to_string()),
            ..mutation(procedure)
        });
        self.block(&id).inputs.insert("custom_block".to_owned(), json!([1, prototype]));
        id
    }

    /// Writes statements below or within a block; gives the first.
    fn body(
        &mut self,
        parent: &str,
        statements: usize,
        depth: usize,
        mut planted: Vec<Planted>,
    ) -> Option<String> {
        let mut chain: Vec<String> = Vec::new();
        let mut left = statements.max(planted.len());
        let ends_clone = depth == 0 && self.hat == Hat::Clone && self.stream.chance(DELETES);
        while left > 0 {
            let above = chain.last().map_or(parent, String::as_str).to_owned();
            if !planted.is_empty() && (left <= planted.len() || self.stream.chance(0.4)) {
                // `planted` is reversed; checked to be not empty.
                let block = planted.pop().expect("there is one");
                chain.push(self.planted(&above, block));
                left -= 1;
                continue;
            }
            if left == 1 && ends_clone {
                chain.push(self.add(Block::new("control_delete_this_clone", Some(&above))));
                break;
            }
            if left == 1 && depth > 0 && self.stream.chance(STOPS) {
                chain.push(self.stop(&above));
                break;
            }
            let room = left - planted.len();
            let form = self.statement(room, depth, planted.is_empty() && !ends_clone);
            let (id, used) = self.write(&above, form, room, depth);
            chain.push(id);
            left -= used;
        }
        for pair in chain.windows(2) {
            self.block(&pair[0]).next = Some(pair[1].clone());
        }
        chain.into_iter().next()
    }

    /// Draws a statement that fits: `room` statements are left, and nothing else needs to
    /// follow if `last`.
    fn statement(&mut self, room: usize, depth: usize, last: bool) -> Form {
        let nests = room >= 2 && depth < DEEPEST;
        let branching = if nests { BRANCHING } else { &[] };
        // Not every place has room for branches, and a loop without end stands at the
        // outermost level alone, where nothing follows: more weight makes up for that.
        let forever = u64::from(nests && last && depth == 0) * 4 * FOREVER.weight;
        let plain = PLAIN.iter().map(|form| (form, form.weight));
        let branching = branching.iter().map(|form| (form, 2 * form.weight));
        let forms: Vec<_> = plain.chain(branching).filter(|(form, _)| self.fits(form)).collect();
        let sum: u64 = forms.iter().map(|(_, weight)| weight).sum();
        let mut draw = self.stream.below(sum + forever);
        for (form, weight) in forms {
            match draw.checked_sub(weight) {
                Some(rest) => draw = rest,
                None => return *form,
            }
        }
        FOREVER
    }

    /// Writes a statement with what is in it; gives how many statements that are.
    fn write(&mut self, above: &str, form: Form, room: usize, depth: usize) -> (String, usize) {
        let id = self.add(Block::new(form.opcode, Some(above)));
        let branches = form.slots.iter().filter(|slot| matches!(slot, Slot::Branch(_))).count();
        let within = match form.opcode {
            _ if branches == 0 => 0,
            "control_forever" => room - 1,
            // Some three blocks a branch.
            _ => (branches + self.stream.below(5) as usize).min(room - 1),
        };
        let mut used = 1;
        let mut branch = 0;
        for &slot in form.slots {
            if let Slot::Branch(name) = slot {
                branch += 1;
                let share = if branch < branches { within / branches } else { within + 1 - used };
                if let Some(first) = self.body(&id, share, depth + 1, Vec::new()) {
                    self.block(&id).inputs.insert(name.to_owned(), json!([2, first]));
                }
                used += share;
            } else {
                self.fill(&id, slot, 0);
            }
        }
        (id, used)
    }

    fn stop(&mut self, above: &str) -> String {
        let id = self.add(Block::new("control_stop", Some(above)));
        let what = if self.stream.chance(0.2) { "all" } else { "this script" };
        self.block(&id).fields.insert("STOP_OPTION", (what.to_owned(), None));
        id
    }

    /// Writes a block that brings another script to life.
    fn planted(&mut self, above: &str, planted: Planted) -> String {
        let world = self.world;
        match planted {
            Planted::Message(message) => {
                let id = self.add(Block::new("event_broadcast", Some(above)));
                self.message(&id, message);
                id
            }
            Planted::Clone(sprite) => {
                let id = self.add(Block::new("control_create_clone_of", Some(above)));
                let own = self.sprite == Some(sprite);
                let name = if own { "_myself_" } else { &world.sprites[sprite] };
                self.menu(
                    &id,
                    "CLONE_OPTION",
                    "control_create_clone_of_menu",
                    "CLONE_OPTION",
                    name,
                );
                id
            }
            Planted::Backdrop(backdrop) => {
                let id = self.add(Block::new("looks_switchbackdropto", Some(above)));
                let name = &world.backdrops[backdrop];
                self.menu(&id, "BACKDROP", "looks_backdrops", "BACKDROP", name);
                id
            }
            Planted::Call(procedure) => {
                let procedure = &world.procedures[procedure];
                let id = self.add(Block::new("procedures_call", Some(above)));
                self.block(&id).mutation = Some(mutation(procedure));
                let literal = json!([10, self.stream.between(0, 20).to_string()]);
                self.input(&id, &procedure.argument.id, literal, 0);
                id
            }
        }
    }

    /// Can the target have this block, with what the world has?
    fn fits(&self, form: &Form) -> bool {
        // What a backdrop starts does not switch backdrops: it might start itself.
        let endless = self.hat == Hat::Backdrop
            && ["looks_nextbackdrop", "looks_switchbackdropto"].contains(&form.opcode);
        (form.stage || self.sprite.is_some())
            && !endless
            && form.slots.iter().all(|slot| match slot {
                Slot::Message => self.first_message < self.world.messages.len(),
                Slot::List => !self.world.lists.is_empty(),
                _ => true,
            })
    }

    fn fill(&mut self, id: &str, slot: Slot, nested: usize) {
        match slot {
            Slot::Number(name, low, high) => {
                let offset = self.stream.between(0, (high - low).unsigned_abs()) as i64;
                self.input(id, name, json!([4, (low + offset).to_string()]), nested);
            }
            Slot::Seconds(name, low, high) => {
                let tenths = low + self.stream.between(0, (high - low).unsigned_abs()) as i64;
                let seconds = match (tenths / 10, tenths % 10) {
                    (whole, 0) => whole.to_string(),
                    (whole, part) => format!("{whole}.{part}"),
                };
                // Waiting for the value of a variable is how programs die.
                self.block(id).inputs.insert(name.to_owned(), json!([1, [5, seconds]]));
            }
            Slot::Text(name) => {
                let text = *self.stream.pick(&WORDS);
                self.input(id, name, json!([10, text]), nested);
            }
            Slot::Colour(name) => {
                let colour = *self.stream.pick(&COLOURS);
                self.block(id).inputs.insert(name.to_owned(), json!([1, [9, colour]]));
            }
            Slot::Condition(name) => {
                let inner = self.reporter(id, CONDITIONS, nested);
                self.block(id).inputs.insert(name.to_owned(), json!([2, inner]));
            }
            Slot::Menu(name, opcode, field, choices) => {
                let value = self.choice(choices).unwrap_or_default();
                self.menu(id, name, opcode, field, &value);
            }
            Slot::Field(name, choices) => {
                let value = self.choice(choices).unwrap_or_default();
                self.block(id).fields.insert(name, (value, None));
            }
            Slot::Message => {
                let last = self.world.messages.len() - 1;
                let message = self.stream.between(self.first_message as u64, last as u64);
                self.message(id, message as usize);
            }
            Slot::Variable => {
                let world = self.world;
                let Named { id: variable, name } = self.stream.pick(&world.variables);
                let field = (name.clone(), Some(variable.clone()));
                self.block(id).fields.insert("VARIABLE", field);
            }
            Slot::List => {
                let world = self.world;
                let Named { id: list, name } = self.stream.pick(&world.lists);
                let field = (name.clone(), Some(list.clone()));
                self.block(id).fields.insert("LIST", field);
            }
            Slot::Branch(_) => unreachable!("branches are written with their statement"),
        }
    }

    /// A literal, or a reporter over it.
    fn input(&mut self, id: &str, name: &str, literal: Value, nested: usize) {
        let value = if nested >= NESTED || !self.stream.chance(REPORTER) {
            json!([1, literal])
        } else if self.stream.chance(VARIABLE) {
            match self.argument {
                Some(argument) if self.stream.chance(0.5) => {
                    let reporter = Block::new("argument_reporter_string_number", Some(id));
                    let inner = self.add(reporter);
                    self.block(&inner).fields.insert("VALUE", (argument.name.clone(), None));
                    json!([3, inner, literal])
                }
                _ => {
                    let world = self.world;
                    let Named { id: variable, name } = self.stream.pick(&world.variables);
                    json!([3, [12, name, variable], literal])
                }
            }
        } else {
            let inner = self.reporter(id, VALUES, nested);
            json!([3, inner, literal])
        };
        self.block(id).inputs.insert(name.to_owned(), value);
    }

    fn reporter(&mut self, parent: &str, forms: &'static [Form], nested: usize) -> String {
        let deep = |form: &Form| form.slots.iter().any(|s| matches!(s, Slot::Condition(_)));
        let fit = |form: &&Form| self.fits(form) && (nested < NESTED || !deep(form));
        let forms: Vec<&Form> = forms.iter().filter(fit).collect();
        let mut draw = self.stream.below(forms.iter().map(|form| form.weight).sum());
        let drawn = forms.iter().find(|form| match draw.checked_sub(form.weight) {
            Some(rest) => {
                draw = rest;
                false
            }
            None => true,
        });
        let form = drawn.expect("a draw is below the sum of the weights");
        let id = self.add(Block::new(form.opcode, Some(parent)));
        for &slot in form.slots {
            self.fill(&id, slot, nested + 1);
        }
        id
    }

    fn choice(&mut self, choices: Choices) -> Option<String> {
        let world = self.world;
        let all: Vec<&str> = match choices {
            Choices::Fixed(all) => all.to_vec(),
            Choices::Sprites(fixed) => {
                let others = world.sprites.iter().enumerate();
                let others = others.filter(|(i, _)| Some(*i) != self.sprite);
                fixed.iter().copied().chain(others.map(|(_, name)| &**name)).collect()
            }
            Choices::Costumes => match self.sprite {
                Some(sprite) => world.costumes[sprite].iter().map(String::as_str).collect(),
                None => Vec::new(),
            },
            Choices::Backdrops => world.backdrops.iter().map(String::as_str).collect(),
            Choices::Sounds => vec![super::plan::SOUND],
        };
        (!all.is_empty()).then(|| (*self.stream.pick(&all)).to_owned())
    }

    fn message(&mut self, id: &str, message: usize) {
        let Named { id: key, name } = &self.world.messages[message];
        let literal = json!([1, [11, name, key]]);
        self.block(id).inputs.insert("BROADCAST_INPUT".to_owned(), literal);
    }

    fn menu(
        &mut self,
        id: &str,
        input: &str,
        opcode: &'static str,
        field: &'static str,
        value: &str,
    ) {
        let menu = self.add(Block::shadow(opcode, id));
        self.block(&menu).fields.insert(field, (value.to_owned(), None));
        self.block(id).inputs.insert(input.to_owned(), json!([1, menu]));
    }

    /// Adds a block. Ids sort as they were made.
    fn add(&mut self, block: Block) -> String {
        let target = self.sprite.map_or(0, |sprite| sprite + 1);
        let id = format!("t{target}b{:05}", self.blocks.len());
        self.blocks.insert(id.clone(), block);
        id
    }

    /// A block that was added.
    fn block(&mut self, id: &str) -> &mut Block {
        self.blocks.get_mut(id).expect("ids come from adding")
    }
}

fn mutation(procedure: &Procedure) -> Mutation {
    Mutation {
        tag_name: "mutation",
        children: [],
        proccode: procedure.code.clone(),
        argumentids: json!([procedure.argument.id]).to_string(),
        argumentnames: None,
        argumentdefaults: None,
        warp: "false",
    }
}
