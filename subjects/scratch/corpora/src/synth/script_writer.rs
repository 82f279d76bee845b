//! Writer of scripts, which draws blocks by weight and adds the blocks that activate other scripts.

use std::collections::BTreeMap;

use catherd_search::Stream;
use serde_json::{Value, json};

use super::block_templates::{
    BRANCHING, BlockTemplate, CONDITIONS, FOREVER, Hat, KEYS, MenuChoices, PLAIN, SlotTemplate,
    VALUES,
};
use super::media::COLOURS;
use super::plan::{Activation, Named, Names, Procedure, Script};
use super::project::{Block, Mutation};

const MAX_BRANCH_DEPTH: usize = 4;
const MAX_REPORTER_DEPTH: usize = 3;
const P_REPORTER: f64 = 0.25;
const P_VARIABLE: f64 = 0.45;
const P_STOP: f64 = 0.06;
const P_DELETE_CLONE: f64 = 0.6;

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

pub(super) struct ScriptWriter<'w> {
    stream: &'w mut Stream,
    names: &'w Names,
    /// Index of the sprite; `None` for the stage.
    sprite: Option<usize>,
    pub(super) blocks: BTreeMap<String, Block>,
    hat: Hat,
    /// First message that the current script may send. A receiver sends only messages with higher
    /// numbers than its own message, so messages do not form a loop.
    first_message: usize,
    argument: Option<&'w Named>,
}

impl<'w> ScriptWriter<'w> {
    pub(super) fn new(stream: &'w mut Stream, names: &'w Names, sprite: Option<usize>) -> Self {
        ScriptWriter {
            stream,
            names,
            sprite,
            blocks: BTreeMap::new(),
            hat: Hat::Flag,
            first_message: 0,
            argument: None,
        }
    }

    pub(super) fn write_script(&mut self, script: &'w Script) {
        self.hat = script.hat;
        self.argument = None;
        self.first_message = match script.hat {
            Hat::Message => script.of + 1,
            hat if hat.is_started_by_input() => 0,
            _ => usize::MAX,
        };
        let number = self.blocks.values().filter(|block| block.top_level).count() as i64;
        let head = self.hat(script);
        let block = self.blocks.get_mut(&head).expect("the hat was written");
        block.top_level = true;
        (block.x, block.y) = (Some(40 + number % 4 * 360), Some(40 + number / 4 * 480));
        let activations = script.activations.iter().rev().cloned().collect();
        let first = self.body(&head, script.statements.saturating_sub(1), 0, activations);
        self.blocks.get_mut(&head).expect("the hat was written").next = first;
    }

    fn hat(&mut self, script: &'w Script) -> String {
        let names = self.names;
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
                let message = field("BROADCAST_OPTION", &names.messages[script.of]);
                ("event_whenbroadcastreceived", Some(message))
            }
            Hat::Backdrop => {
                let name = names.backdrops[script.of].clone();
                ("event_whenbackdropswitchesto", Some(("BACKDROP", (name, None))))
            }
            Hat::Procedure => return self.definition(&names.procedures[script.of]),
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

    fn body(
        &mut self,
        parent: &str,
        statements: usize,
        depth: usize,
        mut activations: Vec<Activation>,
    ) -> Option<String> {
        let mut chain: Vec<String> = Vec::new();
        let mut left = statements.max(activations.len());
        let ends_clone = depth == 0 && self.hat == Hat::Clone && self.stream.chance(P_DELETE_CLONE);
        while left > 0 {
            let above = chain.last().map_or(parent, String::as_str).to_owned();
            if !activations.is_empty() && (left <= activations.len() || self.stream.chance(0.4)) {
                let activation = activations.pop().expect("it was checked not to be empty");
                chain.push(self.activation(&above, activation));
                left -= 1;
                continue;
            }
            if left == 1 && ends_clone {
                chain.push(self.add(Block::new("control_delete_this_clone", Some(&above))));
                break;
            }
            if left == 1 && depth > 0 && self.stream.chance(P_STOP) {
                chain.push(self.stop(&above));
                break;
            }
            let room = left - activations.len();
            let template = self.draw_statement(room, depth, activations.is_empty() && !ends_clone);
            let (id, used) = self.write(&above, template, room, depth);
            chain.push(id);
            left -= used;
        }
        for pair in chain.windows(2) {
            self.block(&pair[0]).next = Some(pair[1].clone());
        }
        chain.into_iter().next()
    }

    /// If `last` is set, the statement may be an endless loop, which no statement can follow.
    fn draw_statement(&mut self, room: usize, depth: usize, last: bool) -> BlockTemplate {
        let nests = room >= 2 && depth < MAX_BRANCH_DEPTH;
        let branching = if nests { BRANCHING } else { &[] };
        // Higher weights compensate for two facts: some positions have no room for branches, and
        // endless loops are possible only at the end of the outermost level.
        let forever = u64::from(nests && last && depth == 0) * 4 * FOREVER.weight;
        let plain = PLAIN.iter().map(|template| (template, template.weight));
        let branching = branching.iter().map(|template| (template, 2 * template.weight));
        let templates: Vec<_> =
            plain.chain(branching).filter(|(template, _)| self.fits(template)).collect();
        let sum: u64 = templates.iter().map(|(_, weight)| weight).sum();
        let mut draw = self.stream.below(sum + forever);
        for (template, weight) in templates {
            match draw.checked_sub(weight) {
                Some(rest) => draw = rest,
                None => return *template,
            }
        }
        FOREVER
    }

    /// Returns the id and the number of statements written.
    fn write(
        &mut self,
        above: &str,
        template: BlockTemplate,
        room: usize,
        depth: usize,
    ) -> (String, usize) {
        let id = self.add(Block::new(template.opcode, Some(above)));
        let branches =
            template.slots.iter().filter(|slot| matches!(slot, SlotTemplate::Branch(_))).count();
        let within = match template.opcode {
            _ if branches == 0 => 0,
            "control_forever" => room - 1,
            _ => (branches + self.stream.below(5) as usize).min(room - 1),
        };
        let mut used = 1;
        let mut branch = 0;
        for &slot in template.slots {
            if let SlotTemplate::Branch(name) = slot {
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
        let option = if self.stream.chance(0.2) { "all" } else { "this script" };
        self.block(&id).fields.insert("STOP_OPTION", (option.to_owned(), None));
        id
    }

    fn activation(&mut self, above: &str, activation: Activation) -> String {
        let names = self.names;
        match activation {
            Activation::Message(message) => {
                let id = self.add(Block::new("event_broadcast", Some(above)));
                self.message(&id, message);
                id
            }
            Activation::Clone(sprite) => {
                let id = self.add(Block::new("control_create_clone_of", Some(above)));
                let own = self.sprite == Some(sprite);
                let name = if own { "_myself_" } else { &names.sprites[sprite] };
                self.menu(
                    &id,
                    "CLONE_OPTION",
                    "control_create_clone_of_menu",
                    "CLONE_OPTION",
                    name,
                );
                id
            }
            Activation::Backdrop(backdrop) => {
                let id = self.add(Block::new("looks_switchbackdropto", Some(above)));
                let name = &names.backdrops[backdrop];
                self.menu(&id, "BACKDROP", "looks_backdrops", "BACKDROP", name);
                id
            }
            Activation::Call(procedure) => {
                let procedure = &names.procedures[procedure];
                let id = self.add(Block::new("procedures_call", Some(above)));
                self.block(&id).mutation = Some(mutation(procedure));
                let literal = json!([10, self.stream.between(0, 20).to_string()]);
                self.input(&id, &procedure.argument.id, literal, 0);
                id
            }
        }
    }

    fn fits(&self, template: &BlockTemplate) -> bool {
        // A script that a backdrop starts does not switch backdrops, because it might start itself
        // again.
        let endless = self.hat == Hat::Backdrop
            && ["looks_nextbackdrop", "looks_switchbackdropto"].contains(&template.opcode);
        (template.stage || self.sprite.is_some())
            && !endless
            && template.slots.iter().all(|slot| match slot {
                SlotTemplate::Message => self.first_message < self.names.messages.len(),
                SlotTemplate::List => !self.names.lists.is_empty(),
                _ => true,
            })
    }

    fn fill(&mut self, id: &str, slot: SlotTemplate, nested: usize) {
        match slot {
            SlotTemplate::Number(name, low, high) => {
                let offset = self.stream.between(0, (high - low).unsigned_abs()) as i64;
                self.input(id, name, json!([4, (low + offset).to_string()]), nested);
            }
            SlotTemplate::Seconds(name, low, high) => {
                let tenths = low + self.stream.between(0, (high - low).unsigned_abs()) as i64;
                let seconds = match (tenths / 10, tenths % 10) {
                    (whole, 0) => whole.to_string(),
                    (whole, part) => format!("{whole}.{part}"),
                };
                // Durations are literals, because a script with a variable as the duration could
                // wait for a very long time.
                self.block(id).inputs.insert(name.to_owned(), json!([1, [5, seconds]]));
            }
            SlotTemplate::Text(name) => {
                let text = *self.stream.pick(&WORDS);
                self.input(id, name, json!([10, text]), nested);
            }
            SlotTemplate::Colour(name) => {
                let colour = *self.stream.pick(&COLOURS);
                self.block(id).inputs.insert(name.to_owned(), json!([1, [9, colour]]));
            }
            SlotTemplate::Condition(name) => {
                let inner = self.reporter(id, CONDITIONS, nested);
                self.block(id).inputs.insert(name.to_owned(), json!([2, inner]));
            }
            SlotTemplate::Menu(name, opcode, field, choices) => {
                let value = self.choice(choices).unwrap_or_default();
                self.menu(id, name, opcode, field, &value);
            }
            SlotTemplate::Field(name, choices) => {
                let value = self.choice(choices).unwrap_or_default();
                self.block(id).fields.insert(name, (value, None));
            }
            SlotTemplate::Message => {
                let last = self.names.messages.len() - 1;
                let message = self.stream.between(self.first_message as u64, last as u64);
                self.message(id, message as usize);
            }
            SlotTemplate::Variable => {
                let names = self.names;
                let Named { id: variable, name } = self.stream.pick(&names.variables);
                let field = (name.clone(), Some(variable.clone()));
                self.block(id).fields.insert("VARIABLE", field);
            }
            SlotTemplate::List => {
                let names = self.names;
                let Named { id: list, name } = self.stream.pick(&names.lists);
                let field = (name.clone(), Some(list.clone()));
                self.block(id).fields.insert("LIST", field);
            }
            SlotTemplate::Branch(_) => unreachable!("branches are written with their statement"),
        }
    }

    fn input(&mut self, id: &str, name: &str, literal: Value, nested: usize) {
        let value = if nested >= MAX_REPORTER_DEPTH || !self.stream.chance(P_REPORTER) {
            json!([1, literal])
        } else if self.stream.chance(P_VARIABLE) {
            match self.argument {
                Some(argument) if self.stream.chance(0.5) => {
                    let reporter = Block::new("argument_reporter_string_number", Some(id));
                    let inner = self.add(reporter);
                    self.block(&inner).fields.insert("VALUE", (argument.name.clone(), None));
                    json!([3, inner, literal])
                }
                _ => {
                    let names = self.names;
                    let Named { id: variable, name } = self.stream.pick(&names.variables);
                    json!([3, [12, name, variable], literal])
                }
            }
        } else {
            let inner = self.reporter(id, VALUES, nested);
            json!([3, inner, literal])
        };
        self.block(id).inputs.insert(name.to_owned(), value);
    }

    fn reporter(
        &mut self,
        parent: &str,
        templates: &'static [BlockTemplate],
        nested: usize,
    ) -> String {
        let deep = |template: &BlockTemplate| {
            template.slots.iter().any(|s| matches!(s, SlotTemplate::Condition(_)))
        };
        let fit = |template: &&BlockTemplate| {
            self.fits(template) && (nested < MAX_REPORTER_DEPTH || !deep(template))
        };
        let templates: Vec<&BlockTemplate> = templates.iter().filter(fit).collect();
        let mut draw = self.stream.below(templates.iter().map(|template| template.weight).sum());
        let drawn = templates.iter().find(|template| match draw.checked_sub(template.weight) {
            Some(rest) => {
                draw = rest;
                false
            }
            None => true,
        });
        let template = drawn.expect("a draw is below the sum of the weights");
        let id = self.add(Block::new(template.opcode, Some(parent)));
        for &slot in template.slots {
            self.fill(&id, slot, nested + 1);
        }
        id
    }

    fn choice(&mut self, choices: MenuChoices) -> Option<String> {
        let names = self.names;
        let all: Vec<&str> = match choices {
            MenuChoices::Fixed(all) => all.to_vec(),
            MenuChoices::Sprites(fixed) => {
                let others = names.sprites.iter().enumerate();
                let others = others.filter(|(i, _)| Some(*i) != self.sprite);
                fixed.iter().copied().chain(others.map(|(_, name)| &**name)).collect()
            }
            MenuChoices::Costumes => match self.sprite {
                Some(sprite) => names.costumes[sprite].iter().map(String::as_str).collect(),
                None => Vec::new(),
            },
            MenuChoices::Backdrops => names.backdrops.iter().map(String::as_str).collect(),
            MenuChoices::Sounds => vec![super::plan::SOUND],
        };
        (!all.is_empty()).then(|| (*self.stream.pick(&all)).to_owned())
    }

    fn message(&mut self, id: &str, message: usize) {
        let Named { id: key, name } = &self.names.messages[message];
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

    /// Ids sort in the order of creation.
    fn add(&mut self, block: Block) -> String {
        let target = self.sprite.map_or(0, |sprite| sprite + 1);
        let id = format!("t{target}b{:05}", self.blocks.len());
        self.blocks.insert(id.clone(), block);
        id
    }

    fn block(&mut self, id: &str) -> &mut Block {
        self.blocks.get_mut(id).expect("the id was returned by `add`")
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
