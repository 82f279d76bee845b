//! Names of goals, and the goal that precedes each goal.

use std::collections::HashMap;

use catherd_experiments::{Algorithm, NamedGoals};
use catherd_interface::{FindError, FoundProject};
use catherd_scratch_sb3::Notation;
use catherd_scratch_sb3::{BlockIndex, BlockNo, Limits, Project};
use catherd_scratch_suite::goals::{self, Branch, GoalSettings};

use crate::configuration;
use crate::info::{BLOCKS, BRANCHES};

/// Maximum number of names of goals that are sent with a study.
const MAX_NAMED: usize = 40_000;

/// The names of all goals of projects under algorithms; empty if there are too many names.
pub(crate) fn of(
    found: &[FoundProject],
    algorithms: &[Algorithm],
) -> Result<Vec<NamedGoals>, FindError> {
    let mut kinds: Vec<(GoalSettings, Vec<String>)> = Vec::new();
    let mut with_branches: Vec<String> = Vec::new();
    for algorithm in algorithms {
        let Ok((generator, after)) = configuration::read(algorithm) else { continue };
        if after.branches {
            with_branches.push(algorithm.label.clone());
        }
        let settings = generator.settings();
        let own = GoalSettings { set: settings.goals, clone_links: settings.compat.clone_links };
        match kinds.iter_mut().find(|(known, _)| *known == own) {
            Some((_, labels)) => labels.push(algorithm.label.clone()),
            None => kinds.push((own, vec![algorithm.label.clone()])),
        }
    }
    let mut all = Vec::new();
    let mut count = 0;
    for project in found {
        // A project that no run can read has no goals; its runs report the reason.
        let bytes = project.bytes()?;
        let read = Project::from_bytes(&project.digest.short(), &bytes, &Limits::default());
        let Ok(read) = read else { continue };
        for (settings, labels) in &kinds {
            let blocks = goals::find(&read, *settings);
            count += blocks.len();
            if count > MAX_NAMED {
                return Ok(Vec::new());
            }
            all.push(NamedGoals {
                project: project.digest,
                criterion: BLOCKS.to_owned(),
                algorithms: labels.clone(),
                names: names(&read, &blocks),
                before: before(&read, &blocks),
                unreachable: Vec::new(),
            });
            let mut labels = labels.clone();
            labels.retain(|label| with_branches.contains(label));
            if !labels.is_empty() {
                let names = branch_names(&read, &blocks);
                count += names.len();
                if count > MAX_NAMED {
                    return Ok(Vec::new());
                }
                all.push(NamedGoals {
                    project: project.digest,
                    criterion: BRANCHES.to_owned(),
                    algorithms: labels,
                    before: vec![None; names.len()],
                    names,
                    unreachable: Vec::new(),
                });
            }
        }
    }
    Ok(all)
}

/// For each goal, the number of the nearest goal above or around it in the script or, for a hat
/// that receives a message, of the only goal that sends the message.
fn before(project: &Project, blocks: &[BlockNo]) -> Vec<Option<u32>> {
    let numbers: HashMap<BlockNo, u32> = blocks.iter().copied().zip(0..).collect();
    let mut before: HashMap<u32, u32> = HashMap::new();
    // Hats that receive messages, and blocks that send each message, by the message's lowercase
    // name.
    let mut received: Vec<(u32, String)> = Vec::new();
    let mut sent: HashMap<String, Vec<u32>> = HashMap::new();
    for target in &project.targets {
        let notation = Notation::new(target);
        let tops = (0..target.blocks.len() as BlockIndex)
            .filter(|&block| target.blocks[block as usize].top_level);
        for top in tops {
            // The last goal at each depth of the lines read so far.
            let mut last: Vec<Option<u32>> = Vec::new();
            for line in notation.script(top) {
                if line.block.is_none() {
                    // Blocks below `else` follow the block with the condition, not the other
                    // branch.
                    last.truncate(line.depth + 1);
                    continue;
                }
                last.truncate(line.depth + 1);
                last.resize(line.depth + 1, None);
                let goal = line.block.and_then(|block| numbers.get(&target.number(block)).copied());
                if let Some(goal) = goal {
                    // Names of messages are not case-sensitive.
                    let text = line.text.to_lowercase();
                    if let Some(message) = text.strip_prefix("when i receive ") {
                        received.push((goal, message.to_owned()));
                    } else if let Some(message) = text.strip_prefix("broadcast ") {
                        let message = message.trim_end_matches(" and wait").to_owned();
                        sent.entry(message).or_default().push(goal);
                    }
                    if let Some(&earlier) = last.iter().flatten().next_back() {
                        before.insert(goal, earlier);
                    }
                    last[line.depth] = Some(goal);
                }
            }
        }
    }
    for (hat, message) in received {
        if let Some([only]) = sent.get(&message).map(Vec::as_slice) {
            before.entry(hat).or_insert(*only);
        }
    }
    (0..blocks.len() as u32).map(|goal| before.get(&goal).copied()).collect()
}

fn names(project: &Project, blocks: &[BlockNo]) -> Vec<String> {
    let lines: Vec<HashMap<BlockIndex, String>> = project
        .targets
        .iter()
        .map(|target| {
            let notation = Notation::new(target);
            let tops = (0..target.blocks.len() as BlockIndex)
                .filter(|&block| target.blocks[block as usize].top_level);
            let mut lines = HashMap::new();
            for top in tops {
                let script = notation.script(top);
                let head = script.first().map_or(String::new(), |line| line.text.clone());
                for line in script {
                    if let Some(block) = line.block {
                        let name = format!("{}, {head}: {}", target.name, line.text);
                        lines.insert(block, name);
                    }
                }
            }
            lines
        })
        .collect();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let name = |&no: &BlockNo| {
        let (target, block) = project.locate(no);
        let name = match lines[target].get(&block) {
            Some(name) => name.clone(),
            None => {
                let target = &project.targets[target];
                format!("{}: {}", target.name, Notation::new(target).block(block))
            }
        };
        let times = seen.entry(name.clone()).or_insert(0);
        *times += 1;
        if *times == 1 { name } else { format!("{name} ({times})") }
    };
    blocks.iter().map(name).collect()
}

fn branch_names(project: &Project, blocks: &[BlockNo]) -> Vec<String> {
    let names: HashMap<BlockNo, String> =
        blocks.iter().copied().zip(names(project, blocks)).collect();
    let branches = goals::branches(project, blocks).into_iter();
    let branches = branches.filter_map(|number| Branch::of(number, project.block_count()));
    branches.map(|Branch { block, outcome }| format!("{} = {outcome}", names[&block])).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use catherd_experiments::{Algorithm, Parameter, ProjectSource};
    use catherd_interface::SubjectKind as _;

    use crate::Scratch;

    #[test]
    fn blocks_are_named_by_sprite_script_and_text() {
        let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../datasets/demo");
        let found = Scratch.find(&ProjectSource::Paths(vec![demo]), &()).unwrap();
        let algorithms = ["mio", "random"].map(Algorithm::plain);
        let goals = Scratch.name_goals(&found.projects, &algorithms).unwrap();
        assert_eq!(goals.len(), found.projects.len());
        assert!(goals.iter().all(|one| one.algorithms == ["mio", "random"]));
        let kiosk = found.projects.iter().position(|one| one.name.contains("kiosk")).unwrap();
        let mut with_branches = Algorithm::plain("mio");
        let both = Parameter::Text("blocks,branches".to_owned());
        with_branches.parameters.insert("criteria".to_owned(), both);
        let both = Scratch.name_goals(&found.projects, &[with_branches]).unwrap();
        assert_eq!(both.len(), 2 * goals.len());
        assert_eq!(both[2 * kiosk].names, goals[kiosk].names);
        let branches = &both[2 * kiosk + 1];
        assert_eq!(
            (&*branches.criterion, branches.before.len()),
            ("branches", branches.names.len())
        );
        assert!(
            branches.names.iter().any(|name| name.contains(": if <") && name.ends_with("= false"))
        );
        let names = &goals[kiosk].names;
        let unique: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(unique.len(), names.len());
        let plenty = names.iter().position(|name| name.contains("That is plenty")).unwrap();
        // The block is inside an `if`, which is the goal before the block.
        let before = goals[kiosk].before[plenty].unwrap() as usize;
        assert!(names[before].contains(": if <"), "{}", names[before]);
        // The hat receives a message that one block sends.
        let apples = found.projects.iter().position(|one| one.name.contains("apple")).unwrap();
        let names = &goals[apples].names;
        let hat = names.iter().position(|name| name.ends_with("]: when I receive [harvest v]"));
        let before = goals[apples].before[hat.unwrap()].unwrap() as usize;
        assert!(names[before].ends_with(": broadcast [harvest v]"), "{}", names[before]);
    }
}
