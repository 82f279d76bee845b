//! `catherd coverage` for a Scratch project.

use std::fmt::Write as _;
use std::sync::Arc;

use catherd_cli_console::{Exit, Failure, Pair, terminal};
use catherd_scratch_sb3::{BlockIndex, BlockNo, Notation, Project};
use catherd_scratch_suite::goals::{self, Branch, GoalSettings};
use catherd_scratch_suite::{Bounds, Reliability, Suite, measure_coverage, measure_reliability};
use catherd_scratch_vm::Program;
use catherd_search::Stream;
use clap::Args;
use serde_json::{Value, json};

use crate::project;

/// Flags of `catherd coverage` for Scratch projects.
#[derive(Args)]
pub struct Flags {
    /// Maximum length of a test, in steps of 1/30 s of Scratch time
    #[arg(long, value_name = "N", default_value_t = Bounds::default().steps)]
    steps: u64,

    /// Number of other seeds with which the suite is also executed
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1000))]
    pub seeds: u16,
}

/// Shows which blocks and branches a suite covers.
///
/// # Errors
///
/// If the project or the suite cannot be used.
pub fn run(pair: &Pair, flags: &Flags, as_json: bool) -> Result<Exit, Failure> {
    let (subject, mut suite) = project::open_pair(pair)?;
    let program = project::compile(&pair.project, &subject, suite.machine.compat)?;
    let goals = goals::find(&subject.project, GoalSettings::default());
    if pair.any_project {
        suite.goals = goals.len() as u32;
    }
    let spinner = terminal::spinner(terminal::plural(suite.tests.len(), "test"));
    let covers = measure_coverage(&suite, &program, &goals, flags.steps);
    let covers = covers.map_err(|error| project::suite_failure(pair, error))?;
    spinner.finish_and_clear();
    let mut state = vec![State::NoGoal; subject.project.block_count()];
    for &BlockNo(goal) in &goals {
        state[goal as usize] = State::Missed;
    }
    for &goal in covers.iter().flatten() {
        state[goals[goal as usize].0 as usize] = State::Covered;
    }
    let sprites = sprites(&subject.project, &state);
    let reliability = if flags.seeds == 0 {
        None
    } else {
        let seeds = Stream::seeds(suite.seed, Stream::REEXECUTION, flags.seeds.into());
        let bar = terminal::bar(seeds.len());
        let (steps, tick) = (flags.steps, || bar.inc(1));
        let measured = measure_reliability(&suite, &program, &goals, &seeds, steps, tick);
        bar.finish_and_clear();
        Some(measured.map_err(|error| project::suite_failure(pair, error))?)
    };
    let branches = branches_of(pair, &subject.project, &suite, &program, flags.steps)?;
    let text = if as_json {
        let blocks = blocks_of_goals(&subject.project, &goals, &covers);
        to_json(&sprites, &blocks, &branches, reliability.as_ref())
    } else {
        to_text(&sprites)
            + &branches_text(&branches)
            + &reliability.as_ref().map(reliability_text).unwrap_or_default()
    };
    terminal::print(&text);
    Ok(Exit::Success)
}

struct BranchTests {
    sprite: String,
    block: String,
    outcome: bool,
    tests: Vec<u32>,
}

fn branches_of(
    pair: &Pair,
    project: &Project,
    suite: &Suite,
    program: &Arc<Program>,
    steps: u64,
) -> Result<Vec<BranchTests>, Failure> {
    let blocks = goals::find(project, GoalSettings::default());
    let branches = goals::branches(project, &blocks);
    let suite = Suite { goals: branches.len() as u32, ..suite.clone() };
    let covers = measure_coverage(&suite, program, &branches, steps);
    let covers = covers.map_err(|error| project::suite_failure(pair, error))?;
    let found = branches.iter().zip(0_u32..).filter_map(|(&number, goal)| {
        let Branch { block, outcome } = Branch::of(number, project.block_count())?;
        let (target, index) = project.locate(block);
        let target = &project.targets[target];
        let covering = covers.iter().zip(0_u32..).filter(|(covered, _)| covered.contains(&goal));
        Some(BranchTests {
            sprite: target.name.to_string(),
            block: target.blocks[index as usize].id.to_string(),
            outcome,
            tests: covering.map(|(_, test)| test).collect(),
        })
    });
    Ok(found.collect())
}

fn branches_text(branches: &[BranchTests]) -> String {
    let covered = branches.iter().filter(|branch| !branch.tests.is_empty()).count();
    let tally @ (_, all) = (covered, branches.len());
    format!("{covered} of {all} branches covered ({:.1} %)\n", percent(tally))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    NoGoal,
    Missed,
    Covered,
}

struct Sprite<'a> {
    name: &'a str,
    scripts: Vec<Script<'a>>,
}

struct Script<'a> {
    top: &'a str,
    lines: Vec<Line<'a>>,
}

struct Line<'a> {
    depth: usize,
    text: String,
    block: Option<(&'a str, State)>,
}

impl Script<'_> {
    fn tally(&self) -> (usize, usize) {
        let states = || self.lines.iter().filter_map(|line| Some(line.block?.1));
        let covered = states().filter(|state| *state == State::Covered).count();
        (covered, covered + states().filter(|state| *state == State::Missed).count())
    }

    fn missed(&self) -> impl Iterator<Item = &Line<'_>> {
        self.lines.iter().filter(|line| line.block.is_some_and(|(_, state)| state == State::Missed))
    }
}

impl Sprite<'_> {
    fn tally(&self) -> (usize, usize) {
        let scripts = self.scripts.iter().map(Script::tally);
        scripts.fold((0, 0), |(covered, all), (c, a)| (covered + c, all + a))
    }
}

fn sprites<'a>(project: &'a Project, state: &[State]) -> Vec<Sprite<'a>> {
    let sprites = project.targets.iter().map(|target| {
        let notation = Notation::new(target);
        let state = |block: BlockIndex| state[(target.first_block + block) as usize];
        let tops = (0..target.blocks.len() as BlockIndex)
            .filter(|&block| target.blocks[block as usize].top_level);
        let scripts = tops.map(|top| Script {
            top: &target.blocks[top as usize].id,
            lines: notation
                .script(top)
                .into_iter()
                .map(|line| Line {
                    depth: line.depth,
                    text: line.text,
                    block: line.block.map(|b| (&*target.blocks[b as usize].id, state(b))),
                })
                .collect(),
        });
        Sprite { name: &target.name, scripts: scripts.filter(|s| s.tally().1 > 0).collect() }
    });
    sprites.filter(|sprite| !sprite.scripts.is_empty()).collect()
}

fn total(sprites: &[Sprite]) -> (usize, usize) {
    let tallies = sprites.iter().map(Sprite::tally);
    tallies.fold((0, 0), |(covered, all), (c, a)| (covered + c, all + a))
}

fn percent((covered, all): (usize, usize)) -> f64 {
    if all == 0 { 100.0 } else { 100.0 * covered as f64 / all as f64 }
}

fn to_text(sprites: &[Sprite]) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for sprite in sprites {
        let tally @ (covered, all) = sprite.tally();
        let name = sprite.name.replace(char::is_control, " ");
        let _ = writeln!(text, "{name}: {covered} of {all} blocks ({:.1} %)", percent(tally));
        for script in &sprite.scripts {
            let (covered, all) = script.tally();
            let head = script.lines.first().map_or("", |line| &line.text);
            let _ = writeln!(text, "  {covered:>5}/{all:<5} {head}");
        }
        for script in sprite.scripts.iter().filter(|script| script.missed().next().is_some()) {
            text.push('\n');
            for Line { depth, text: code, block } in &script.lines {
                let missed = block.is_some_and(|(_, state)| state == State::Missed);
                let mark = if missed { '-' } else { ' ' };
                let _ = writeln!(text, "  {mark} {:indent$}{code}", "", indent = 2 * depth);
            }
        }
        text.push('\n');
    }
    let tally @ (covered, all) = total(sprites);
    if all == 0 {
        text.push_str("nothing to cover: the project has no block that a test could reach\n");
    } else {
        let _ = writeln!(text, "{covered} of {all} blocks covered ({:.1} %)", percent(tally));
    }
    text
}

fn blocks_of_goals(project: &Project, goals: &[BlockNo], covers: &[Vec<u32>]) -> Vec<Value> {
    let goals = goals.iter().zip(0_u32..).map(|(&block, goal)| {
        let (target, block) = project.locate(block);
        let target = &project.targets[target];
        let id = &target.blocks[block as usize].id;
        let covering = covers.iter().zip(0_u32..).filter(|(covered, _)| covered.contains(&goal));
        let tests: Vec<u32> = covering.map(|(_, test)| test).collect();
        json!({ "goal": goal, "sprite": &*target.name, "block": &**id, "tests": tests })
    });
    goals.collect()
}

fn reliability_text(reliability: &Reliability) -> String {
    let all = reliability.goals();
    let share = |covered: f64| if all == 0 { 100.0 } else { 100.0 * covered / all as f64 };
    let line = |name: &str, covered: f64, digits: usize| {
        format!("{name:<9}{covered:>8.digits$} of {all} blocks ({:.1} %)\n", share(covered))
    };
    let seeds = terminal::plural(reliability.seeds(), "other seed");
    let mut text = format!("\nunder {seeds}:\n");
    text += &line("seeded", reliability.seeded() as f64, 0);
    text += &line("expected", reliability.expected(), 1);
    text += &line("robust", reliability.robust() as f64, 0);
    text += &line("chance", reliability.chance() as f64, 0);
    for tenths in 1..=10 {
        let reliable = reliability.reliable(f64::from(tenths) / 10.0);
        let name = format!(">= {}.{}", tenths / 10, tenths % 10);
        text += &line(&name, reliable as f64, 0);
    }
    text
}

fn reliability_json(reliability: &Reliability) -> Value {
    let tenths = 1..=10_u32;
    let curve: Vec<_> =
        tenths.map(|tenths| reliability.reliable(f64::from(tenths) / 10.0)).collect();
    json!({
        "seeds": reliability.seeds(),
        "seeded": reliability.seeded(),
        "expected": reliability.expected(),
        "robust": reliability.robust(),
        "chance": reliability.chance(),
        "reliable": curve,
        "best": reliability.best(),
    })
}

fn to_json(
    sprites: &[Sprite],
    blocks: &[Value],
    branches: &[BranchTests],
    reliability: Option<&Reliability>,
) -> String {
    let (covered, goals) = total(sprites);
    let sprites: Vec<_> = sprites
        .iter()
        .map(|sprite| {
            let (covered, goals) = sprite.tally();
            let scripts: Vec<_> = sprite.scripts.iter().map(script_to_json).collect();
            json!({ "name": sprite.name, "goals": goals, "covered": covered, "scripts": scripts })
        })
        .collect();
    let branches: Vec<_> = branches
        .iter()
        .map(|BranchTests { sprite, block, outcome, tests }| {
            json!({ "sprite": sprite, "block": block, "outcome": outcome, "tests": tests })
        })
        .collect();
    let mut report = json!({
        "goals": goals,
        "covered": covered,
        "sprites": sprites,
        "blocks": blocks,
        "branches": branches,
    });
    if let Some(reliability) = reliability {
        report["reliability"] = reliability_json(reliability);
    }
    format!("{report}\n")
}

fn script_to_json(script: &Script) -> Value {
    let (covered, goals) = script.tally();
    let uncovered: Vec<_> = script
        .missed()
        .map(|line| json!({ "block": line.block.map(|(id, _)| id), "text": line.text }))
        .collect();
    let head = script.lines.first().map_or("", |line| &line.text);
    json!({
        "top": script.top,
        "head": head,
        "goals": goals,
        "covered": covered,
        "uncovered": uncovered,
    })
}
