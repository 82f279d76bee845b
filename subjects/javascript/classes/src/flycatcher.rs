//! Flycatcher's random generation of tests (thesis, section on the generator).

use catherd_search::{Budget, Cost, Improvement, Meter, Observer, Stop, Stopwatch, Stream};

use crate::genes::Genes;
use crate::model::TargetKind;
use crate::problem::Subject;
use crate::progress::{Searched, elapsed, progress};
use crate::settings::Scope;

/// Infers the types of all parameters that are unknown or unsure, after the delay.
pub(crate) fn infer_all(subject: &mut Subject, rng: &mut Stream) {
    let delay = subject.settings.delay as u64;
    for number in 0..subject.knowledge.len() {
        let known = &subject.knowledge[number];
        let open = known.inferred.as_ref().is_none_or(|inferred| inferred.unsure);
        let due = match subject.settings.draft_delay {
            true => known.is_due_by_draft(),
            false => known.uses >= delay,
        };
        if open && due {
            let inferred = known.infer(&subject.model, rng);
            subject.knowledge[number].inferred = Some(inferred);
        }
    }
}

/// Whether a target has a parameter with members that no known type has.
fn is_inaccessible(subject: &Subject, target: usize) -> bool {
    let target = &subject.model.targets[target];
    let parameters = target.first_parameter..target.first_parameter + target.parameters.len();
    subject.knowledge[parameters]
        .iter()
        .any(|known| known.inferred.as_ref().is_some_and(|inferred| inferred.type_.is_none()))
}

pub(crate) fn run(
    subject: &mut Subject,
    budget: &Budget,
    rng: &mut Stream,
    observer: &mut Observer<'_>,
) -> Searched {
    let clock = Stopwatch::start();
    let goals = subject.goals.len();
    let mut meter = Meter::default();
    let mut covered = vec![false; goals];
    let mut tests: Vec<(Genes, Vec<usize>)> = Vec::new();
    let mut timeline = Vec::new();
    let mut targets: Vec<usize> = (0..subject.model.targets.len())
        .filter(|target| subject.model.targets[*target].kind != TargetKind::Setter)
        .collect();
    // Constructors come last, because a constructor may only store its arguments: tests that call
    // no method would give no evidence about the types of these arguments.
    targets.sort_by_key(|target| subject.model.targets[*target].kind == TargetKind::Constructor);
    let most = budget.executions.unwrap_or(u64::MAX);
    for (done, target) in targets.iter().enumerate() {
        let function = subject.model.targets[*target].function;
        let own: Vec<usize> =
            (0..goals).filter(|goal| subject.goals[*goal].function == function).collect();
        let left = (targets.len() - done) as u64;
        // Executions that a method does not use are shared by the methods after it.
        let until = meter.executions() + (most - meter.executions()) / left;
        let mut barren = 0;
        while own.iter().any(|goal| !covered[*goal]) && meter.executions() < until {
            if let Some(stop) = spent(budget, &meter, &clock) {
                return finished(tests, timeline, &meter, stop);
            }
            infer_all(subject, rng);
            if is_inaccessible(subject, *target) {
                break;
            }
            let genes = subject.maker(true).random(*target, rng);
            let Some((execution, unknown)) = subject.run(&genes) else {
                return finished(tests, timeline, &meter, Stop::Cancelled);
            };
            meter.execution(Cost { evaluations: 1, events: 0, steps: execution.steps });
            if !unknown {
                let fitness = subject.fitness(&genes, &execution);
                let counts = |goal: &usize| match subject.settings.scope {
                    Scope::Mut => own.contains(goal),
                    Scope::Class => true,
                };
                let is_new = |goal: &usize| fitness[*goal] == 0.0 && !covered[*goal];
                let new: Vec<usize> =
                    (0..goals).filter(|goal| is_new(goal) && counts(goal)).collect();
                barren += 1;
                if !new.is_empty() {
                    barren = 0;
                    new.iter().for_each(|goal| covered[*goal] = true);
                    timeline.push(Improvement {
                        executions: meter.executions(),
                        steps: meter.steps(),
                        elapsed: elapsed(&clock),
                        covered: covered.iter().filter(|is| **is).count(),
                    });
                    let work = (meter.executions(), meter.steps());
                    subject.journal.add(&genes, &new, work);
                    tests.push((genes, new));
                }
            }
            let count = covered.iter().filter(|is| **is).count();
            if observer(&progress(&meter, count, goals)).is_break() {
                return finished(tests, timeline, &meter, Stop::Cancelled);
            }
            if subject.settings.patience > 0 && barren >= subject.settings.patience {
                break;
            }
        }
    }
    let all = covered.iter().all(|is| *is);
    finished(tests, timeline, &meter, if all { Stop::Covered } else { Stop::Executions })
}

/// Returns the limit that is reached, other than the limit of executions.
fn spent(budget: &Budget, meter: &Meter, clock: &Stopwatch) -> Option<Stop> {
    let steps = budget.steps.is_some_and(|most| meter.steps() >= most);
    let wall = || budget.wall.is_some_and(|most| elapsed(clock) >= most);
    if steps { Some(Stop::Steps) } else { wall().then_some(Stop::Wall) }
}

fn finished(
    tests: Vec<(Genes, Vec<usize>)>,
    timeline: Vec<Improvement>,
    meter: &Meter,
    stop: Stop,
) -> Searched {
    Searched { tests, timeline, meter: (meter.executions(), meter.steps()), stop }
}
