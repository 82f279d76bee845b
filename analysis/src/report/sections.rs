//! The order and contents of the sections of a report.

use catherd_experiments::OWN_LIMIT;

use super::summary::Facts;
use super::{Item, ReportSettings, Section};
use crate::comparison::{Comparison, Samples};
use crate::figures::{self, Figure};
use crate::findings::{
    AaTest, Agreement, Best, Convergence, Decision, Detection, DifferenceRelation, Exposure,
    FactorPair, FullCoverage, GroupShare, Grouped, Left, Machine, Milestone, MutationAnalysis,
    Order, OrderAgreement, PairVariation, RankDetection, Ranking, RealTime, Relation,
    RiskStability, Score, Sequential, Speed, SuiteRank, Suites, Trivial, areas,
};
use crate::progress::Progress;
use crate::published;
use crate::stats::Unavailable;
use crate::tables;
use crate::terms::goals_title;
use crate::tidy::{Error, Results};

const SUMMARY: &str = "Summary";

const RANKS: &str = "Ranks and detection";

const GROUPS: &str = "Groups of projects";

const FACTORS: &str = "Factors and published numbers";

const HISTORY: &str = "Earlier versions";

type Fill = fn(&mut Section, Input<'_>) -> Result<(), Error>;

#[derive(Clone, Copy)]
struct Input<'a> {
    results: &'a Results,
    samples: &'a Samples,
    order: &'a Result<Order, Unavailable>,
    areas: &'a Samples,
    /// `None` if the study has no budget in real time.
    real_time: Option<&'a RealTime>,
}

const SECTIONS: [(&str, &str, Fill); 13] = [
    ("projects", "Projects", projects),
    ("coverage", "Coverage", coverage),
    ("comparison", "Comparison of algorithms", comparison),
    ("time", "Coverage over time", time),
    ("goals", "Goals that are left", goals),
    ("difficulty", "Difficulty of projects", difficulty),
    ("groups", GROUPS, groups),
    ("suites", "Test suites", suites),
    ("ranks", RANKS, ranks),
    ("mutation", "Mutation analysis", mutation),
    ("measures", "Criteria and metrics", measures),
    ("cost", "Time and cost", cost),
    ("missing", "Missing data", missing),
];

pub(super) fn all(
    results: &Results,
    settings: &ReportSettings,
    mut on_progress: impl FnMut(&str),
) -> Result<Vec<Section>, Error> {
    let samples = Samples::coverage(results);
    on_progress(SUMMARY);
    let order = Order::new(&samples);
    let areas = areas(results, &results.clock())?;
    let areas = Samples::of_measure(results, |run, _| areas[run]);
    let real_time = RealTime::new(results)?;
    let real_time = real_time.as_ref();
    let input = Input { results, samples: &samples, order: &order, areas: &areas, real_time };
    let mut sections = vec![summary(input)];
    sections.extend(real_time.map(|found| self::real_time(results, found)));
    for (name, title, fill) in SECTIONS {
        let mut section = Section::new(name, title);
        let optional = [RANKS, GROUPS].contains(&title);
        if !optional {
            on_progress(title);
        }
        fill(&mut section, input)?;
        if optional {
            if section.items.is_empty() {
                continue;
            }
            on_progress(title);
        }
        sections.push(section);
        if name == "comparison" && !settings.history.is_empty() {
            on_progress(HISTORY);
            let mut section = Section::new("history", HISTORY);
            section.table(tables::history(&settings.history));
            section.figures(figures::history(results, &settings.history));
            sections.push(section);
        }
        if name == "comparison" && settings.has_factors() {
            on_progress(FACTORS);
            sections.push(factors(results, &samples, settings)?);
        }
    }
    if let Some(found) = real_time {
        sections.iter_mut().for_each(|section| section.add_caveat(found.caveat()));
    }
    Ok(sections)
}

fn real_time(results: &Results, found: &RealTime) -> Section {
    let mut section = Section::new("real-time", "Real time");
    section.table(tables::real_time(found));
    section.table(tables::places(found));
    section.figures(figures::real_time(results, found));
    section
}

/// Only projects without missing runs are used.
fn factors(
    results: &Results,
    samples: &Samples,
    ReportSettings { factors, reference, published, .. }: &ReportSettings,
) -> Result<Section, Error> {
    let mut section = Section::new("factors", FACTORS);
    let complete = samples.complete_cases(results.seeds());
    let has_runs = |samples: &Samples, project| {
        (0..samples.algorithms()).any(|algorithm| !samples.values(project, algorithm).is_empty())
    };
    let projects = |samples: &Samples| {
        (0..samples.projects()).filter(|&project| has_runs(samples, project)).count()
    };
    let (kept, all) = (projects(&complete), projects(samples));
    let cases = match kept < all {
        true => {
            let verb = if all - kept == 1 { "is" } else { "are" };
            format!(" {} of {all} projects {verb} left out because runs are missing.", all - kept)
        }
        false => String::new(),
    };
    let mut pairs = Vec::new();
    for factor in factors {
        pairs.extend(FactorPair::all(results, &complete, factor)?);
    }
    let reference =
        reference.as_ref().and_then(|label| results.algorithms.iter().position(|a| a == label));
    let mut tables = vec![
        tables::factors(results, &complete, &pairs),
        tables::factor_groups(results, &complete, &pairs),
    ];
    tables.extend(reference.map(|reference| tables::reference(results, &complete, reference)));
    let found = published::reproduce(results, &complete, &pairs, reference, published)?;
    let without = published.len() - found.len();
    tables.push(tables::published(found, without));
    tables.push(tables::factor_projects(results, &complete, &pairs));
    for mut table in tables {
        table.caption += &cases;
        section.table(table);
    }
    section.figures(figures::factor_groups(results, &complete, &pairs));
    Ok(section)
}

fn summary(Input { results, samples, order, real_time, .. }: Input<'_>) -> Section {
    let mut section = Section::new("summary", SUMMARY);
    let best = Best::new(samples);
    let rounds = results.is_looked_at().then(|| Sequential::of_results(results));
    let decisions = Decision::pairs(samples, rounds.as_ref());
    let facts =
        Facts { results, decisions: &decisions, order: order.as_ref(), best: best.as_ref() };
    let believed = real_time.map(RealTime::sentence).into_iter();
    section.items.push(Item::Summary(believed.chain(facts.sentences()).collect()));
    section.table(tables::decisions(results, samples, &decisions));
    section.figures(best.and_then(|best| figures::best(results, &best)));
    section
}

fn projects(s: &mut Section, Input { results, .. }: Input<'_>) -> Result<(), Error> {
    s.table(tables::dataset(results)?);
    s.figure_or(
        figures::sizes(results),
        "Sizes of the projects: needs six projects with runs that count goals.",
    );
    Ok(())
}

fn coverage(
    s: &mut Section,
    Input { results, samples, areas, .. }: Input<'_>,
) -> Result<(), Error> {
    s.table(tables::algorithms(results, samples, Some(areas)));
    s.table(tables::configurations(results, samples));
    let boxes = figures::coverage_boxes(results, samples);
    s.figure_or(boxes, "Coverage: needs runs that are done.");
    s.figures(figures::coverage_violins(results, samples));
    s.table(tables::coverage(results, samples));
    Ok(())
}

fn measures(s: &mut Section, Input { results, .. }: Input<'_>) -> Result<(), Error> {
    let of = |values: &[Option<f64>]| Samples::of_measure(results, |run, _| values[run]);
    let criteria: Vec<tables::Measured> =
        results.criteria()?.into_iter().map(|(name, values)| (name, of(&values))).collect();
    if criteria.len() > 1 {
        let [by_algorithm, _] = tables::criteria(results, &criteria);
        let [_, by_pair] = tables::criteria(results, &criteria[1..]);
        s.table(by_algorithm);
        s.table(by_pair);
        for (name, samples) in &criteria[1..] {
            s.figures(figures::criterion_boxes(results, name, samples));
        }
        for (name, progress) in Progress::by_criterion(results, &results.clock())? {
            s.figures(figures::growth_by_criterion(results, &name, &progress));
        }
    }
    // Separate tables show times until faults are exposed, and limits are not measurements.
    let own = |name: &str| !name.starts_with("exposed_ms.") && name != OWN_LIMIT;
    let metrics: Vec<tables::Measured> =
        results.metrics(own)?.into_iter().map(|(name, values)| (name, of(&values))).collect();
    let varies = |samples: &Samples| {
        let all: Vec<f64> = (0..samples.algorithms()).flat_map(|a| samples.pooled(a).0).collect();
        all.iter().any(|value| *value != all[0])
    };
    let [by_algorithm, _] = tables::metrics(results, &metrics);
    s.table(by_algorithm);
    let varying: Vec<tables::Measured> = metrics.into_iter().filter(|one| varies(&one.1)).collect();
    let [_, by_pair] = tables::metrics(results, &varying);
    s.table(by_pair);
    s.table(tables::metrics_by_project(results, &varying));
    if s.items.is_empty() {
        s.items.push(Item::Unavailable(
            "Criteria and metrics: needs runs with more than one criterion, or metrics.",
        ));
    }
    Ok(())
}

fn comparison(
    s: &mut Section,
    Input { results, samples, order, .. }: Input<'_>,
) -> Result<(), Error> {
    let pairs = Comparison::pairs(samples);
    let aa_tests = AaTest::all(samples);
    s.table(tables::table6(results, samples, &pairs));
    s.table(tables::aa_test(results, &aa_tests));
    s.figure_or(
        figures::significance(results, &pairs),
        "Pairs of algorithms: needs two algorithms with runs on the same projects.",
    );
    s.figures(figures::effect_sizes(results, &pairs));
    s.figure_or(
        figures::aa_test(results, &pairs, &aa_tests),
        "A/A test: needs six projects with two runs of each algorithm.",
    );
    s.figures(figures::coverage_by_project(results, samples, &pairs));
    s.figures(figures::effects_by_project(results, &pairs));
    s.table(tables::race(results));
    s.figures(figures::race(results));
    let ranking = Ranking::new(samples).ok().zip(order.as_ref().ok());
    s.table(
        ranking
            .as_ref()
            .and_then(|(ranking, order)| tables::ranks(results, samples, ranking, order)),
    );
    s.figure_or(
        ranking.map(|(ranking, order)| figures::rank_diagram(results, &ranking, order)),
        "Mean ranks: needs two algorithms, and six projects with runs of every algorithm.",
    );
    let scores = Score::all(samples);
    if scores.len() > 1 {
        s.table(tables::scores(results, samples, &scores));
        s.table(tables::scores_by_project(results, samples, &scores));
    }
    s.table(tables::study_power(results, samples, &PairVariation::all(samples)));
    s.table(tables::comparisons_by_project(results, samples, &pairs));
    Ok(())
}

fn time(s: &mut Section, Input { results, areas, .. }: Input<'_>) -> Result<(), Error> {
    let clock = &results.clock();
    let progress = Progress::new(results, clock)?;
    s.figure_or(
        progress.as_ref().map(|progress| figures::coverage_over_time(results, progress)),
        "Coverage over time: needs a timeline on the clock of the budgets, and a project with \
         runs of every algorithm.",
    );
    s.figures(progress.and_then(|progress| figures::growth(results, &progress)));
    if results.projects.len() > 1 {
        s.figures(figures::growth_by_project(results, &Progress::by_project(results, clock)?));
    }
    let milestones = Milestone::all(results, clock, &Milestone::SHARES)?;
    s.figures(figures::effect_over_budget(results, clock, &milestones));
    s.figures(figures::significance_over_budget(results, clock, &milestones));
    s.table(tables::milestones(results, clock, &milestones));
    drop(milestones);
    if !results.is_looked_at() {
        s.table(tables::areas(results, areas, &Decision::pairs(areas, None)));
    }
    let convergence = Convergence::all(results, clock)?;
    s.figures(figures::convergence(results, clock, &convergence));
    s.table(tables::convergence(results, clock, &convergence));
    let full = FullCoverage::all(results, clock)?;
    s.figures(figures::full_coverage(results, clock, &full));
    s.table(tables::full_coverage(results, clock, &full));
    Ok(())
}

fn goals(s: &mut Section, Input { results, .. }: Input<'_>) -> Result<(), Error> {
    let sets = results.goals()?;
    if sets.is_empty() {
        s.items
            .push(Item::Unavailable("Goals: needs goals.csv, which imported results do not have."));
        return Ok(());
    }
    let left = Left::all(results, &sets);
    s.table(tables::left(results, &left));
    s.figures(figures::left(results, &left));
    s.table(tables::left_by_project(results, &left, &sets));
    s.table(tables::goal_sets(results, &sets));
    if sets.iter().any(|set| set.algorithms.len() > 1) {
        s.table(tables::unique_goals(results, &sets));
    }
    s.table(tables::uncovered(results, &sets));
    Ok(())
}

fn difficulty(s: &mut Section, Input { results, samples, .. }: Input<'_>) -> Result<(), Error> {
    let trivial = Trivial::baseline(results).map(|baseline| Trivial::new(results, baseline));
    let of = |draw: fn(&Results, &Trivial) -> Option<Figure>| {
        trivial.as_ref().and_then(|trivial| draw(results, trivial))
    };
    s.figure_or(
        of(figures::baseline_coverage),
        "Trivially covered projects: needs six projects with runs that count their executions.",
    );
    s.figures(of(figures::difficulty));
    let related = results.subject.measures.iter().filter(|measure| measure.related);
    let mut measures = vec![("goals", goals_title(&results.subject))];
    measures.extend(related.map(|m| (m.column.as_str(), m.caption.clone())));
    let columns: Vec<&str> = measures.iter().map(|measure| measure.0).collect();
    let (mut relations, mut differences) = (Vec::new(), Vec::new());
    for ((column, title), values) in measures.iter().zip(results.measures(&columns)?) {
        let rows = Relation::all(samples, &values);
        s.figures(figures::relation(results, (column, title), &rows));
        relations.push(((*column).to_owned(), rows));
        differences.push(((*column).to_owned(), DifferenceRelation::all(samples, &values)));
    }
    s.table(tables::relations(results, &relations));
    s.table(tables::difference_relations(results, samples, &differences));
    s.table(tables::trivial(results));
    Ok(())
}

fn suites(s: &mut Section, Input { results, .. }: Input<'_>) -> Result<(), Error> {
    let suites = Suites::new(results);
    s.table(tables::suites(results));
    s.figure_or(
        figures::suite_sizes(results, &suites),
        "Sizes of suites: needs six runs of an algorithm with suites on projects with the same \
         mean coverage.",
    );
    s.figures(figures::suite_effects(results, &suites));
    s.figure_or(
        figures::test_lengths(results),
        "Lengths of tests: needs six runs of an algorithm with suites.",
    );
    Ok(())
}

fn ranks(s: &mut Section, Input { results, .. }: Input<'_>) -> Result<(), Error> {
    let detection = Detection::all(results)?;
    if !detection.is_empty() {
        s.table(tables::detection(results, &detection));
        s.table(tables::detection_intervals(results, &detection));
    }
    let exposure = Exposure::all(results)?;
    if !exposure.is_empty() {
        s.table(tables::exposure(results, &exposure));
        s.figures(figures::exposure(results, &exposure));
    }
    let ranks = SuiteRank::all(results)?;
    if !ranks.is_empty() {
        s.table(tables::suite_ranks(results, &ranks));
        s.figures(figures::rank_over_time(results, &ranks));
        s.table(tables::rank_detection(results, &RankDetection::all(results)?));
        s.table(tables::measures(results)?);
    }
    let risk = RiskStability::all(results)?;
    if !risk.is_empty() {
        s.table(tables::risk_stability(results, &risk));
        s.figures(figures::variance_over_tests(results, &risk));
        let evidence = results.evidence()?;
        if !evidence.is_empty() {
            s.table(tables::riskiest(results, &evidence));
        }
    }
    Ok(())
}

fn mutation(s: &mut Section, Input { results, .. }: Input<'_>) -> Result<(), Error> {
    match MutationAnalysis::new(results)? {
        Some(analysis) => {
            s.table(tables::mutation(results, &analysis));
            let coverage = Samples::coverage(results);
            let scores = analysis.by_run();
            let score = Samples::of_measure(results, |run, _| scores.get(&run).copied());
            s.table(tables::agreement(results, &coverage, &Agreement::all(&coverage, &score)));
            let orders = OrderAgreement::new(&coverage, &score).ok();
            s.table(orders.map(|orders| tables::order_agreement(&coverage, &orders)));
            s.figures(figures::mutation_operators(results, &analysis));
            s.figures(figures::mutation_violins(results, &analysis));
            s.figures(figures::mutation_against_coverage(results, &analysis));
        }
        None => s.items.push(Item::Unavailable(
            "Mutation scores: needs a study with mutation analysis (mutation = true).",
        )),
    }
    Ok(())
}

fn groups(s: &mut Section, Input { results, samples, .. }: Input<'_>) -> Result<(), Error> {
    s.table(tables::groups(results, &Grouped::all(results, samples)?));
    s.table(tables::group_shares(&GroupShare::all(results, samples)?));
    Ok(())
}

fn cost(s: &mut Section, Input { results, real_time, .. }: Input<'_>) -> Result<(), Error> {
    let speed = Speed::all(results)?;
    s.table(tables::cost(results, real_time));
    s.figure_or(
        figures::execution_times(results),
        "Time per execution: needs runs with the time and the work of their search.",
    );
    s.figure_or(
        figures::acceleration(results, &speed),
        "Acceleration: needs runs that count steps of program time.",
    );
    s.table(tables::speed(results, &speed));
    let machines = Machine::all(results)?;
    s.figures(figures::machines(&machines));
    s.table(tables::machines(&machines));
    Ok(())
}

fn missing(s: &mut Section, Input { results, .. }: Input<'_>) -> Result<(), Error> {
    let missing = tables::missing(results);
    if missing.table.rows().is_empty() {
        s.items.push(Item::Unavailable("None: every planned run has a coverage."));
    }
    s.table(missing);
    Ok(())
}
