//! Goals of small programs.

use super::*;
use crate::sample::Sample;

fn model(source: &str) -> (Sample, Model) {
    let sample = Sample::new(source);
    let model = Model::new(&sample.project, Compat::default());
    (sample, model)
}

/// The labels of the goals, in order.
fn goals(source: &str) -> Vec<String> {
    let (sample, model) = model(source);
    model.goals().iter().map(|&block| sample.label(block)).collect()
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
    assert_eq!(goals(dead), ["a", "b", "c", "d", "e", "f", "g"]);
}

#[test]
fn dead_circles_and_receivers_of_dead_senders_stay() {
    // (a) a message sent by its receivers only, (b) one sent by loose blocks only,
    // (c) a custom block that only calls itself.
    assert_eq!(goals("# Cat\n a=receive(x) b=broadcast(x)"), ["a", "b"]);
    assert_eq!(goals("# Cat\n broadcast(x) say\n a=receive(x) b=say"), ["a", "b"]);
    assert_eq!(goals("# Cat\n a=define(x) b=call(x)"), ["a", "b"]);
}

#[test]
fn goals_may_be_only_what_a_user_can_reach() {
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
    let sample = Sample::new(source);
    let of = |goals| {
        let model = Model::of(&sample.project, goals, Compat::default());
        model.goals().iter().map(|&block| sample.label(block)).collect::<Vec<_>>()
    };
    let reachable = ["s", "t", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];
    assert_eq!(of(Goals::Reachable), reachable);
    assert_eq!(of(Goals::Published).len(), reachable.len() + 6);
}

#[test]
fn goals_wait_for_the_blocks_that_decide_about_them() {
    let (sample, model) = model(
        "# Cat
         a=flag b=if { c=repeat { d=say } e=say } f=wait g=say
         h=key(space) i=broadcast(go) j=forever { k=if { l=broadcast(go) } }
         r=receive(go) s=if { t=say }
         x=receive(x) y=broadcast(x)",
    );
    let dependencies = model.dependencies();
    let of = |label: &str| -> Vec<String> {
        let goal = model.goal(sample.block(label)).unwrap();
        dependencies[goal].iter().map(|&d| sample.label(model.goals()[d])).collect()
    };
    for (label, expected) in [
        ("a", vec![]),
        ("b", vec![]),
        ("c", vec!["b"]),
        ("d", vec!["c"]),
        ("e", vec!["c"]),
        ("g", vec!["f"]),
        ("j", vec![]),
        ("k", vec!["j"]),
        ("l", vec!["k"]),
        // One of the senders of the message.
        ("r", vec!["i", "l"]),
        ("s", vec!["i", "l"]),
        ("t", vec!["s"]),
        ("x", vec!["y"]),
    ] {
        assert_eq!(of(label), expected, "{label}");
    }
}

#[test]
fn messages_match_in_any_case_and_definitions_exactly() {
    assert_eq!(goals("# Cat\n a=flag b=broadcast(GO)\n c=receive(go)").len(), 3);
    assert_eq!(goals("# Cat\n a=flag b=call(jump)\n define(Jump)").len(), 2);
    assert_eq!(goals("# Cat\n a=flag b=call(jump)\n # Dog\n define(jump)").len(), 2);
}

#[test]
fn depth_counts_dependences() {
    let (sample, model) = model(
        "# Cat
         a=flag b=if { c=if { d=broadcast(go) } }
         receive(go) e=wait f=say",
    );
    // The event of the script is a dependence, and the start is one of the event.
    let depths = [("a", 1), ("b", 1), ("c", 2), ("d", 3), ("e", 5), ("f", 6)];
    for (label, depth) in depths {
        let goal = model.goal(sample.block(label)).unwrap();
        assert_eq!(model.depth(goal), depth, "{label}");
    }
}

#[test]
fn independent_goals_stand_for_the_others() {
    let independent = |source: &str| -> Vec<String> {
        let (sample, model) = model(source);
        let goals = model.independent_goals().iter().map(|&goal| model.goals()[goal]);
        goals.map(|block| sample.label(block)).collect()
    };
    // Hat, what follows the wait, the end.
    assert_eq!(independent("# Cat\n a=flag b=say c=wait d=say e=say f=say"), ["a", "d", "f"]);
    // The `if`, the end of its branch, the end of the script.
    assert_eq!(
        independent("# Cat\n a=flag b=if { c=say d=say } e=say f=say"),
        ["a", "b", "d", "f"]
    );
    // Both ends; what stands above a branching block.
    assert_eq!(
        independent("# Cat\n a=flag b=ifelse { c=say d=say } { e=say f=if { g=say } }"),
        ["a", "b", "d", "e", "f", "g"]
    );
    // A third candidate drops those that stand above or around another.
    assert_eq!(
        independent("# Cat\n a=flag b=forever { c=say d=if { e=say } f=say }"),
        ["a", "b", "d", "e", "f"]
    );
}

#[test]
fn projects_without_input_are_known() {
    assert!(!model("# Cat\n receive(go) broadcast(go)\n senses(Dog)").1.has_any_input_event());
    assert!(model("# Cat\n receive(go)\n senses(_mouse_)").1.has_any_input_event());
    assert!(model("# Cat\n key(a)").1.has_any_input_event());
}

#[test]
fn goals_have_names() {
    let (sample, model) = model("# Cat\n flag a=say");
    let goal = model.goal(sample.block("a")).unwrap();
    assert_eq!(model.name(goal).to_string(), "looks_say say of Cat");
    assert_eq!(model.goal(BlockNo(7)), None);
}
