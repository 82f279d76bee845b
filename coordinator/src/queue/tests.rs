//! Tests of the queue.

use catherd_experiments::Engines;

use super::batch::{MAX_RUNS, MAX_UNMEASURED_RUNS};
use super::*;

const LANE: StudySetNumber = 1;

impl Queue {
    fn take_batch(
        &mut self,
        engines: &Engines,
        loaded: &BTreeSet<Digest>,
        workers: usize,
        excluded: impl Fn(RunNumber) -> bool,
    ) -> Vec<RunNumber> {
        let (mut batch, withheld) = (Batch::default(), BTreeSet::new());
        let request =
            BatchRequest { engines, loaded, workers, remaining: None, withheld: &withheld };
        self.fill(&mut batch, &[LANE], &request, excluded);
        batch.runs
    }
}

fn engine(id: &str) -> SubjectEngine {
    SubjectEngine { kind: "kind".into(), engine: id.into() }
}

fn engines(id: &str) -> Engines {
    [("kind".to_owned(), id.to_owned())].into()
}

fn queue(groups: &[(u8, u32)]) -> Queue {
    let mut queue = Queue::default();
    let engine = queue.engine_number(&engine("e"));
    let mut run = 0;
    for &(project, runs) in groups {
        let group = queue.add_group(Digest([project; 32]), engine);
        for _ in 0..runs {
            queue.push(LANE, group, run);
            run += 1;
        }
    }
    queue
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[test]
fn the_first_batch_is_one_run() {
    assert_eq!(queue(&[(1, 100)]).take_batch(&engines("e"), &BTreeSet::new(), 1, |_| false), [0]);
}

#[test]
fn batches_follow_measured_time() {
    let mut queue = queue(&[(1, 1000)]);
    queue.record_time(0, ms(100));
    assert_eq!(queue.take_batch(&engines("e"), &BTreeSet::new(), 2, |_| false).len(), 10);
    let mut tiny = self::queue(&[(1, 10_000)]);
    tiny.record_time(0, ms(0));
    assert_eq!(tiny.take_batch(&engines("e"), &BTreeSet::new(), 2, |_| false).len(), MAX_RUNS);
    let mut long = self::queue(&[(1, 10)]);
    long.record_time(0, ms(60_000));
    assert_eq!(long.take_batch(&engines("e"), &BTreeSet::new(), 2, |_| false).len(), 1);
}

#[test]
fn the_last_runs_are_shared() {
    let mut queue = queue(&[(1, 8)]);
    queue.record_time(0, ms(0));
    assert_eq!(queue.take_batch(&engines("e"), &BTreeSet::new(), 2, |_| false).len(), 2);
    assert_eq!(queue.take_batch(&engines("e"), &BTreeSet::new(), 2, |_| false).len(), 2);
    assert_eq!(queue.take_batch(&engines("e"), &BTreeSet::new(), 2, |_| false).len(), 1);
    let mut wide = self::queue(&[(1, 12)]);
    wide.record_time(0, ms(0));
    assert_eq!(wide.take_batch(&engines("e"), &BTreeSet::new(), 3, |_| false).len(), 2);
}

fn take(queue: &mut Queue, loaded: &[u8]) -> Vec<RunNumber> {
    let loaded = loaded.iter().map(|&project| Digest([project; 32])).collect();
    queue.take_batch(&engines("e"), &loaded, 2, |_| false)
}

#[test]
fn short_runs_are_taken_of_loaded_projects_first_then_of_idle_ones_then_the_longest() {
    let mut queue = queue(&[(1, 2), (2, 2), (3, 2)]);
    for (group, time) in [(0, 500), (1, 600), (2, 700)] {
        queue.record_time(group, ms(time));
    }
    assert_eq!(take(&mut queue, &[1]), [0, 1]);
    queue.push(LANE, 0, 0);
    queue.push(LANE, 0, 1);
    assert_eq!(take(&mut queue, &[]), [4, 5]);
    queue.note_leased(2);
    queue.push(LANE, 2, 4);
    assert_eq!(take(&mut queue, &[])[0], 2);
    queue.push(LANE, 1, 2);
    queue.note_leased(1);
    queue.note_leased(0);
    assert_eq!(take(&mut queue, &[]), [4]);
}

#[test]
fn long_runs_are_taken_before_runs_of_loaded_projects() {
    let mut queue = queue(&[(1, 2), (2, 2), (3, 2)]);
    for (group, time) in [(0, 10), (1, 3000), (2, 4000)] {
        queue.record_time(group, ms(time));
    }
    queue.note_leased(2);
    assert_eq!(take(&mut queue, &[1]), [4]);
    assert_eq!(take(&mut queue, &[1]), [5]);
    assert_eq!(take(&mut queue, &[1]), [2]);
    queue.record_time(1, ms(0));
    for _ in 0..3 {
        queue.record_time(1, ms(0));
    }
    // The mean time of the group is short now.
    assert_eq!(take(&mut queue, &[1]), [0]);
}

#[test]
fn one_run_of_every_project_is_taken_before_a_second_one() {
    let mut queue = queue(&[(1, 9), (2, 9), (3, 9), (4, 9), (5, 9), (6, 9)]);
    assert_eq!(take(&mut queue, &[]), [0]);
    queue.note_leased(0);
    queue.record_time(0, ms(1));
    assert_eq!(take(&mut queue, &[1])[..5], [9, 18, 27, 36, 1]);
    for group in 1..5 {
        queue.note_leased(group);
    }
    // The last project has not been tried yet, and runs on all others are leased.
    assert_eq!(take(&mut queue, &[])[0], 45);
    queue.note_leased(5);
    queue.record_time(4, ms(60_000));
    assert_eq!(take(&mut queue, &[1]), [37]);
}

#[test]
fn runs_of_an_unmeasured_group_are_leased_in_small_batches() {
    let mut queue = queue(&[(1, 100), (2, 100)]);
    queue.record_time(0, ms(0));
    queue.note_leased(1);
    let batch = queue.take_batch(&engines("e"), &[Digest([2; 32])].into(), 1, |_| false);
    assert_eq!(batch[..MAX_UNMEASURED_RUNS], [100, 101, 102, 103]);
    assert_eq!(batch[4], 0);
}

#[test]
fn an_excluded_run_does_not_block_others() {
    let mut queue = queue(&[(1, 1), (2, 1)]);
    let loaded = [Digest([1; 32])].into();
    assert_eq!(queue.take_batch(&engines("e"), &loaded, 2, |run| run == 0), [1]);
    assert!(queue.take_batch(&engines("e"), &loaded, 2, |run| run == 0).is_empty());
    assert_eq!(queue.take_batch(&engines("e"), &loaded, 2, |_| false), [0]);
}

#[test]
fn a_run_waits_for_a_worker_with_its_engine() {
    let mut queue = queue(&[(1, 1)]);
    let other = queue.engine_number(&engine("f"));
    let group = queue.add_group(Digest([2; 32]), other);
    queue.push(LANE, group, 7);
    let nothing = BTreeSet::new();
    let unserved = |queue: &Queue, by: &str| -> Vec<(String, usize)> {
        let found = queue.unserved(|engine| engine.is_in(&engines(by)));
        found.map(|(engine, runs)| (engine.engine.clone(), runs)).collect()
    };
    assert_eq!(unserved(&queue, "e"), [("f".to_owned(), 1)]);
    assert_eq!(unserved(&queue, "g").len(), 2);
    assert!(queue.take_batch(&engines("g"), &nothing, 1, |_| false).is_empty());
    assert!(queue.take_batch(&Engines::new(), &nothing, 1, |_| false).is_empty());
    assert_eq!(queue.take_batch(&engines("e"), &nothing, 1, |_| false), [0]);
    assert!(queue.take_batch(&engines("e"), &nothing, 1, |_| false).is_empty());
    assert_eq!(queue.take_batch(&engines("f"), &[Digest([2; 32])].into(), 1, |_| false), [7]);
    assert!(unserved(&queue, "g").is_empty());
}

#[test]
fn a_run_that_is_removed_no_longer_waits() {
    let mut queue = queue(&[(1, 2)]);
    queue.remove(LANE, 0, 0);
    queue.remove(LANE, 0, 0);
    let waiting: Vec<usize> = queue.unserved(|_| false).map(|(_, runs)| runs).collect();
    assert_eq!(waiting, [1]);
    assert_eq!(take(&mut queue, &[]), [1]);
    queue.push(LANE, 0, 0);
    queue.remove(LANE, 0, 0);
    assert_eq!(queue.unserved(|_| false).count(), 0);
}

#[test]
fn expected_work_is_known_after_the_first_measurement() {
    let mut queue = queue(&[(1, 3), (2, 1)]);
    assert_eq!(queue.expected_work(&[]), None);
    queue.record_time(0, ms(100));
    let total = |queue: &Queue| queue.expected_work(&[]).map(|work| work.total);
    assert_eq!(total(&queue), Some(ms(400)));
    queue.record_time(1, ms(300));
    assert_eq!(total(&queue), Some(ms(600)));
}

#[test]
fn the_time_left_falls_while_runs_are_executed_and_is_at_least_the_time_of_the_longest() {
    let mut queue = queue(&[(1, 4), (2, 1)]);
    queue.record_time(0, ms(100));
    queue.record_time(1, ms(9000));
    for (group, run) in [(0, 0), (1, 4)] {
        queue.remove(LANE, group, run);
        queue.note_leased(group);
    }
    let left = |elapsed: [u64; 2]| {
        let executing = [(0, ms(elapsed[0])), (1, ms(elapsed[1]))];
        queue.expected_work(&executing).unwrap()
    };
    // Leased runs that are not executed yet count like pending runs.
    assert_eq!(queue.expected_work(&[]).unwrap().total, ms(400 + 9000));
    assert_eq!(left([0, 0]), ExpectedWork { total: ms(400 + 9000), longest: ms(9000) });
    assert_eq!(left([60, 4000]), ExpectedWork { total: ms(340 + 5000), longest: ms(5000) });
    assert_eq!(left([60, 4000]).on(2), ms(5000));
    assert_eq!(left([60, 8980]).on(2), ms(180));
    assert_eq!(left([60, 8980]).on(0), ms(360));
    // A run that has exceeded its expected time is expected to take the excess once more.
    assert_eq!(left([100, 11_000]), ExpectedWork { total: ms(300 + 2000), longest: ms(2000) });
}

#[test]
fn a_worker_gets_no_run_that_would_outlast_its_allocation() {
    let mut queue = queue(&[(1, 9), (2, 9)]);
    queue.record_time(0, ms(60_000));
    queue.record_time(1, ms(300));
    let mut take = |remaining| {
        let (engines, none) = (engines("e"), BTreeSet::new());
        let remaining = Some(ms(remaining));
        let request = BatchRequest {
            engines: &engines,
            loaded: &none,
            workers: 1,
            remaining,
            withheld: &none,
        };
        let mut batch = Batch::default();
        queue.fill(&mut batch, &[LANE], &request, |_| false);
        batch.runs
    };
    assert!(take(299).is_empty());
    assert_eq!(take(700), [9, 10], "only as many as end in time");
    assert_eq!(take(59_999).len(), 4);
    assert_eq!(take(60_000), [0]);
    let longer: Vec<_> = queue.longer_than(ms(1000)).collect();
    assert_eq!(longer, [(0, 8, ms(60_000))]);
}

#[test]
fn runs_of_a_withheld_project_wait() {
    let mut queue = queue(&[(1, 2), (2, 2)]);
    let (engines, none, withheld) = (engines("e"), BTreeSet::new(), [Digest([1; 32])].into());
    let request = BatchRequest {
        engines: &engines,
        loaded: &none,
        workers: 1,
        remaining: None,
        withheld: &withheld,
    };
    let mut batch = Batch::default();
    queue.fill(&mut batch, &[LANE], &request, |_| false);
    assert_eq!(batch.runs, [2]);
    assert_eq!(take(&mut queue, &[]), [0]);
}

#[test]
fn a_batch_is_taken_from_the_lanes_of_a_study() {
    let mut queue = queue(&[(1, 1)]);
    queue.push(2, 0, 7);
    queue.push(3, 0, 8);
    queue.record_time(0, ms(1));
    let (engines, none) = (engines("e"), BTreeSet::new());
    let request = BatchRequest {
        engines: &engines,
        loaded: &none,
        workers: 1,
        remaining: None,
        withheld: &none,
    };
    let mut batch = Batch::default();
    queue.fill(&mut batch, &[2], &request, |_| false);
    assert_eq!(batch.runs, [7]);
    assert!(!queue.has_pending(2) && queue.has_pending(3));
    queue.fill(&mut batch, &[LANE, 3], &request, |_| false);
    assert_eq!(batch.runs, [7, 0], "half of the runs of the next study are added");
    assert_eq!(queue.expected_in(&[LANE, 2, 3]), Some(ms(1)));
}

#[test]
fn runs_in_real_time_are_taken_block_by_block() {
    let mut queue = queue(&[]);
    let engine = queue.engine_number(&engine("e"));
    let groups = [1, 1, 1, 2].map(|project| queue.add_group(Digest([project; 32]), engine));
    // Two blocks of three algorithms on a project, and one run on another project.
    for (run, group, place) in
        [(0, 0, 21), (1, 0, 12), (2, 1, 22), (3, 1, 11), (4, 2, 20), (5, 2, 13)]
    {
        queue.set_place(run, place);
        queue.push(LANE, groups[group], run);
    }
    queue.set_place(6, 1);
    queue.push(LANE, groups[3], 6);
    // Within a project, the order depends neither on measured times nor on leases.
    queue.record_time(groups[2], ms(3000));
    queue.record_time(groups[0], ms(1000));
    queue.record_time(groups[3], ms(1500));
    queue.note_leased(groups[1]);
    let mut order = Vec::new();
    while let [run] = take(&mut queue, &[2])[..] {
        order.push(run);
    }
    assert_eq!(order, [3, 1, 5, 4, 0, 2, 6]);
}

#[test]
fn runs_with_places_are_taken_in_their_order() {
    let mut queue = queue(&[]);
    let engine = queue.engine_number(&engine("e"));
    let group = queue.add_group(Digest([1; 32]), engine);
    for (run, place) in [(0, 30), (1, 10), (2, 20)] {
        queue.set_place(run, place);
        queue.push(LANE, group, run);
    }
    queue.remove(LANE, group, 2);
    queue.push(LANE, group, 2);
    let mut next = || take(&mut queue, &[])[0];
    assert_eq!([next(), next(), next()], [1, 2, 0]);
}
