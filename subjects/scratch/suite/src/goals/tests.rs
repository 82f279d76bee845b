//! Tests of the goals of small programs.

use catherd_scratch_sb3::test_support::LabelledProject;

use super::*;

fn labels(source: &str, set: GoalSet) -> Vec<String> {
    let labelled = LabelledProject::new(source);
    let settings = GoalSettings { set, ..GoalSettings::default() };
    find(&labelled.project, settings).into_iter().map(|block| labelled.label(block)).collect()
}

fn published(source: &str) -> Vec<String> {
    labels(source, GoalSet::Published)
}

#[test]
fn code_that_nothing_starts_is_no_goal() {
    let dead = "# Stage
         backdrop(dusk) say
         backdrop(day) say
         # Cat
         a=flag b=call(known) c=switch(Night) d=call(unknown)
         e=define(known) f=if { g=say }
         define(unused) say
         receive(nothing) say
         cloned say
         say say
         if { broadcast(here) }
         touching say
         set";
    assert_eq!(published(dead), ["a", "b", "c", "d", "e", "f", "g"]);
}

#[test]
fn dead_cycles_and_receivers_of_dead_senders_are_goals() {
    // A message that only its receiver sends, a message that only loose blocks send, and a custom
    // block that is called only by itself.
    assert_eq!(published("# Cat\n a=receive(x) b=broadcast(x)"), ["a", "b"]);
    assert_eq!(published("# Cat\n broadcast(x) say\n a=receive(x) b=say"), ["a", "b"]);
    assert_eq!(published("# Cat\n a=define(x) b=call(x)"), ["a", "b"]);
}

#[test]
fn goals_may_be_restricted_to_reachable_blocks() {
    let source = "# Stage
         s=backdrop(night) t=say
         # Cat
         a=flag b=call(known) c=broadcast(go) d=clone(Dog)
         e=define(known) f=if { g=switch(Night) }
         receive(x) broadcast(x)
         say broadcast(y)
         receive(y) say
         define(self) call(self)
         h=receive(Go) i=say
         # Dog
         j=cloned k=say";
    let reachable = ["s", "t", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];
    assert_eq!(labels(source, GoalSet::Reachable), reachable);
    assert_eq!(published(source).len(), reachable.len() + 6);
}

#[test]
fn messages_match_in_any_case_and_definitions_exactly() {
    assert_eq!(published("# Cat\n a=flag b=broadcast(GO)\n c=receive(go)").len(), 3);
    assert_eq!(published("# Cat\n a=flag b=call(jump)\n define(Jump)").len(), 2);
    assert_eq!(published("# Cat\n a=flag b=call(jump)\n # Dog\n define(jump)").len(), 2);
}

#[test]
fn blocks_that_may_send_any_message_reach_all_receivers() {
    let source = "# Cat
         a=flag b=broadcast(*) c=broadcast(go)
         d=receive(x) e=say
         f=receive(go) g=broadcast(*)
         cloned say
         broadcast(*)";
    let reachable = ["a", "b", "c", "d", "e", "f", "g"];
    assert_eq!(labels(source, GoalSet::Reachable), reachable);
    assert_eq!(published(source), reachable);
    let loose = "# Cat\n flag\n say broadcast(*)\n a=receive(x) b=broadcast(*)";
    assert_eq!(published(loose)[1..], ["a", "b"]);
    assert_eq!(labels(loose, GoalSet::Reachable).len(), 1);
}

#[test]
fn many_blocks_that_may_send_any_message_share_a_list() {
    let sends = "broadcast(*) ".repeat(3_000);
    let receivers: String = (0..3_000).map(|n| format!("receive(m{n})\n")).collect();
    let project = LabelledProject::new(&format!("# Cat\n flag {sends}\n{receivers}")).project;
    let events = LiveCode::of(&project, GoalSettings::default()).events;
    assert_eq!((events.len(), events[1].senders_of_kind.len()), (3_001, 3_000));
    assert!(std::sync::Arc::ptr_eq(&events[1].senders_of_kind, &events[3_000].senders_of_kind));
}
