//! Tests of models of small programs.

use catherd_scratch_sb3::test_support::LabelledProject;

use super::*;

fn model(source: &str) -> (LabelledProject, Model) {
    let sample = LabelledProject::new(source);
    let model = Model::new(&sample.project, Compat::default());
    (sample, model)
}

#[test]
fn goals_depend_on_the_blocks_that_decide_about_them() {
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
        // The goal needs one of the senders of the message.
        ("r", vec!["i", "l"]),
        ("s", vec!["i", "l"]),
        ("t", vec!["s"]),
        ("x", vec!["y"]),
    ] {
        assert_eq!(of(label), expected, "{label}");
    }
}

#[test]
fn depth_counts_dependences() {
    let (sample, model) = model(
        "# Cat
         a=flag b=if { c=if { d=broadcast(go) } }
         receive(go) e=wait f=say",
    );
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
    // The hat, the block after the wait and the end are independent.
    assert_eq!(independent("# Cat\n a=flag b=say c=wait d=say e=say f=say"), ["a", "d", "f"]);
    // The `if`, the end of its branch and the end of the script are independent.
    assert_eq!(
        independent("# Cat\n a=flag b=if { c=say d=say } e=say f=say"),
        ["a", "b", "d", "f"]
    );
    // Both ends and the block above a branching block are independent.
    assert_eq!(
        independent("# Cat\n a=flag b=ifelse { c=say d=say } { e=say f=if { g=say } }"),
        ["a", "b", "d", "e", "f", "g"]
    );
    // `c` is dropped, because it is covered if `f` is.
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
