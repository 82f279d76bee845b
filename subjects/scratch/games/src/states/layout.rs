//! The parts of a project that guide searches, such as scripts, and variables in conditions.

use catherd_scratch_sb3::{Block, BlockNo, Literal, Opcode, Project, Slot, Target};
use rustc_hash::FxHashSet;

use catherd_scratch_testgen::model::Model;

#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// For each goal, the top block of its script.
    pub(crate) top_of: Vec<BlockNo>,
    /// The top blocks of all scripts with goals, in ascending order.
    pub(crate) tops: Vec<BlockNo>,
    /// Variables in conditions and in numbers of repetitions: the position of the target, and of
    /// the variable in the target.
    pub(crate) watched: Vec<(u16, usize)>,
    /// The constants with which these variables are compared or otherwise combined.
    pub(crate) constants: Vec<(u16, usize, String)>,
    /// Whether a condition or a number of repetitions depends on random numbers, directly or
    /// through variables.
    pub(crate) has_chance: bool,
    /// Whether the name of at least one message is computed. If so, no distance to the right name
    /// is measured, and random numbers may decide which scripts receive the message.
    pub(crate) computes_messages: bool,
    /// Pairs of sprites, the first of which senses contact with the second or the distance to the
    /// second.
    pub(crate) meetings: Vec<(u16, u16)>,
    /// Positions of the sprites in `Project::targets`.
    pub(crate) sprites: Vec<u16>,
}

impl Layout {
    pub(crate) fn new(project: &Project, model: &Model) -> Self {
        let all = tops(project);
        let goals = model.goals().iter();
        let top_of: Vec<BlockNo> =
            goals.map(|goal| all[model.block_of(*goal).0 as usize]).collect();
        let mut tops = top_of.clone();
        tops.sort_unstable();
        tops.dedup();
        let mut layout = Self { top_of, tops, ..Self::default() };
        let random = random_variables(project);
        let stage = project.stage();
        for (number, target) in project.targets.iter().enumerate() {
            if number != stage {
                layout.sprites.push(number as u16);
            }
            layout.computes_messages |= target.blocks.iter().any(|block| computes(target, block));
            if number != stage {
                layout.find_meetings(project, number);
            }
            for block in target.blocks.iter().filter(|block| is_decision(block)) {
                let mut reporters = Vec::new();
                conditions(target, block, &mut reporters);
                for reporter in &reporters {
                    layout.has_chance |= reporter.is_random(&random);
                    if let Reporter::Variable { id, than } = reporter {
                        layout.watch(project, number, stage, id, than.as_deref());
                    }
                }
            }
        }
        layout.watched.sort_unstable();
        layout.watched.dedup();
        layout
    }

    fn find_meetings(&mut self, project: &Project, own: usize) {
        let target = &project.targets[own];
        for block in &target.blocks {
            let input = match block.opcode {
                Opcode::SensingTouchingObject => "TOUCHINGOBJECTMENU",
                Opcode::SensingDistanceTo => "DISTANCETOMENU",
                _ => continue,
            };
            let Some(Slot::Block(menu)) = block.input(input).map(|input| &input.block) else {
                continue;
            };
            let menu = target.blocks.get(*menu as usize).filter(|menu| menu.shadow);
            let Some(name) = menu.and_then(|menu| menu.field(input)) else { continue };
            let mut sprites = project.targets.iter();
            let other = sprites.position(|it| !it.is_stage && *it.name == *name.text());
            if let Some(other) = other.filter(|other| *other != own) {
                let pair = (own as u16, other as u16);
                if !self.meetings.contains(&pair) {
                    self.meetings.push(pair);
                }
            }
        }
    }

    fn watch(&mut self, project: &Project, own: usize, stage: usize, id: &str, than: Option<&str>) {
        let find = |target: usize| {
            let variables = &project.targets[target].variables;
            variables.iter().position(|variable| &*variable.id == id).map(|found| (target, found))
        };
        if let Some((target, variable)) = find(own).or_else(|| find(stage)) {
            self.watched.push((target as u16, variable));
            if let Some(than) = than {
                let constant = (target as u16, variable, than.to_owned());
                if !self.constants.contains(&constant) {
                    self.constants.push(constant);
                }
            }
        }
    }
}

/// For each statement, the top block of its script; for every other block, the block itself.
fn tops(project: &Project) -> Vec<BlockNo> {
    let mut tops: Vec<BlockNo> = (0..project.block_count() as u32).map(BlockNo).collect();
    for target in &project.targets {
        let mut seen = vec![false; target.blocks.len()];
        for top in target.scripts() {
            let mut open = vec![top];
            while let Some(block) = open.pop() {
                if std::mem::replace(&mut seen[block as usize], true) {
                    continue;
                }
                tops[target.number(block).0 as usize] = target.number(top);
                let block = &target.blocks[block as usize];
                open.extend(block.next);
                open.extend([1, 2].into_iter().filter_map(|branch| block.substack(branch)));
            }
        }
    }
    tops
}

fn is_decision(block: &Block) -> bool {
    use Opcode::*;
    matches!(
        block.opcode,
        ControlIf
            | ControlIfElse
            | ControlRepeatUntil
            | ControlWaitUntil
            | ControlWhile
            | ControlRepeat
    )
}

fn computes(target: &Target, block: &Block) -> bool {
    use Opcode::{EventBroadcast, EventBroadcastAndWait};
    let sends = matches!(block.opcode, EventBroadcast | EventBroadcastAndWait);
    sends
        && block.inputs.iter().any(|input| match &input.block {
            Slot::Block(name) => !target.blocks[*name as usize].shadow,
            Slot::Literal(Literal::Variable { .. }) => true,
            _ => false,
        })
}

#[derive(Debug)]
enum Reporter {
    Random,
    /// A variable, and a literal with which it is compared or otherwise combined, if any.
    Variable {
        id: String,
        than: Option<String>,
    },
}

impl Reporter {
    fn is_random(&self, random: &FxHashSet<String>) -> bool {
        match self {
            Self::Random => true,
            Self::Variable { id, .. } => random.contains(id),
        }
    }
}

/// Adds the random numbers and variables in the inputs of a block, without its branches.
fn conditions(target: &Target, block: &Block, found: &mut Vec<Reporter>) {
    let condition = block.inputs.iter().filter(|input| !input.name.starts_with("SUBSTACK"));
    for input in condition {
        reporters(target, &input.block, None, 0, found);
    }
}

/// Adds the random numbers and variables in an input. A variable is added with another input of
/// the same block that is a literal, if any.
fn reporters(
    target: &Target,
    slot: &Slot,
    compared: Option<&str>,
    depth: usize,
    found: &mut Vec<Reporter>,
) {
    match slot {
        Slot::Literal(Literal::Variable { id, .. }) => {
            found
                .push(Reporter::Variable { id: id.to_string(), than: compared.map(str::to_owned) });
        }
        Slot::Block(number) if depth < 100 => {
            let block = &target.blocks[*number as usize];
            if block.opcode == Opcode::OperatorRandom {
                found.push(Reporter::Random);
            }
            if block.opcode == Opcode::DataVariable
                && let Some(id) = block.field("VARIABLE").and_then(|field| field.id.clone())
            {
                found.push(Reporter::Variable {
                    id: id.to_string(),
                    than: compared.map(str::to_owned),
                });
            }
            let literals: Vec<Option<String>> =
                block.inputs.iter().map(|input| literal(&input.block)).collect();
            for (position, input) in block.inputs.iter().enumerate() {
                let mut others =
                    literals.iter().enumerate().filter(|(other, _)| *other != position);
                let compared = others.find_map(|(_, literal)| literal.as_deref());
                reporters(target, &input.block, compared, depth + 1, found);
            }
        }
        _ => {}
    }
}

fn literal(slot: &Slot) -> Option<String> {
    match slot {
        Slot::Literal(Literal::Value { value: catherd_scratch_sb3::Value::Text(text), .. }) => {
            Some(text.to_string())
        }
        Slot::Literal(Literal::Value {
            value: catherd_scratch_sb3::Value::Number(number), ..
        }) => Some(number.to_string()),
        _ => None,
    }
}

/// Ids of variables that are set or changed with random numbers, directly or through other
/// variables.
fn random_variables(project: &Project) -> FxHashSet<String> {
    let mut random = FxHashSet::default();
    loop {
        let before = random.len();
        for target in &project.targets {
            let sets = target.blocks.iter().filter(|block| {
                matches!(block.opcode, Opcode::DataSetVariableTo | Opcode::DataChangeVariableBy)
            });
            for block in sets {
                let Some(id) = block.field("VARIABLE").and_then(|field| field.id.as_deref()) else {
                    continue;
                };
                let mut parts = Vec::new();
                for input in &block.inputs {
                    reporters(target, &input.block, None, 0, &mut parts);
                }
                if parts.iter().any(|part| part.is_random(&random)) {
                    random.insert(id.to_owned());
                }
            }
        }
        if random.len() == before {
            return random;
        }
    }
}
