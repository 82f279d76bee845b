//! Tests of the conversion of Scratch 2 projects.

use crate::archive;

use archive::read;
use catherd_scratch_sb3::{Block, Literal, Mutation, Opcode, Project, Slot, Value, Warning};

fn project(stage: &str, scripts: &str) -> Project {
    let json = format!(
        r#"{{"objName": "Scene", {stage} "info": {{}}, "children": [
            {{"objName": "Cat", "scripts": {scripts}}}]}}"#
    );
    read(&json).unwrap_or_else(|error| panic!("{error}"))
}

fn blocks(scripts: &str) -> Vec<Block> {
    project("", scripts).targets[1].blocks.clone()
}

fn literal(opcode: Opcode, value: impl Into<Option<f64>>, text: &str) -> Slot {
    let value = value.into().map_or(Value::Text(text.into()), Value::Number);
    Slot::Literal(Literal::Value { opcode, value })
}

#[test]
fn arrays_become_linked_blocks() {
    let blocks = blocks(
        r#"[[1, 2, [["whenGreenFlag"],
            ["doIfElse", ["=", ["readVariable", "v"], 3], [["show"], ["hide"]], null],
            ["lookLike:", 2]]]]"#,
    );
    let opcodes: Vec<_> = blocks.iter().map(|b| b.opcode.name()).collect();
    let expected = [
        "event_whenflagclicked",
        "control_if_else",
        "operator_equals",
        "looks_show",
        "looks_hide",
        "looks_switchcostumeto",
        "looks_costume",
    ];
    assert_eq!(opcodes, expected);
    assert!(blocks[0].top_level && !blocks[1].top_level);
    assert_eq!((blocks[0].next, blocks[1].next, blocks[3].next), (Some(1), Some(5), Some(4)));
    assert_eq!((blocks[2].parent, blocks[4].parent), (Some(1), Some(3)));
    assert_eq!(blocks[1].input("CONDITION").unwrap().block, Slot::Block(2));
    assert_eq!((blocks[1].substack(1), blocks[1].substack(2)), (Some(3), None));
    let covered = blocks[2].input("OPERAND1").unwrap();
    assert!(
        matches!(&covered.block, Slot::Literal(Literal::Variable { name, .. }) if &**name == "v")
    );
    assert_eq!(covered.shadow, literal(Opcode::Text, None, ""));
    assert_eq!(blocks[2].input("OPERAND2").unwrap().block, literal(Opcode::Text, 3.0, ""));
    // A number is not converted to a string, because it selects a costume by its index.
    assert_eq!(blocks[6].field("COSTUME").unwrap().value, Value::Number(2.0));
    assert!(blocks[6].shadow);
}

#[test]
fn unknown_blocks_are_left_out_and_the_rest_is_joined() {
    let project = project("", r#"[[1, 2, [["show"], ["doMagic", 1], ["forward:", ["magic"]]]]]"#);
    let blocks = &project.targets[1].blocks;
    assert_eq!((blocks.len(), blocks[0].next, blocks[1].parent), (2, Some(1), Some(0)));
    assert_eq!(blocks[1].inputs[0].block, literal(Opcode::MathNumber, 10.0, ""));
    let unknown: Vec<_> = project
        .warnings
        .iter()
        .map(|w| match w {
            Warning::UnknownBlock { opcode, .. } => &**opcode,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(unknown, ["doMagic", "magic"]);
}

#[test]
fn messages_are_gathered_in_lower_case_and_the_empty_one_gets_a_name() {
    let project = project(
        "",
        r#"[[1, 2, [["whenIReceive", ""], ["broadcast:", "Message1"], ["broadcast:", ["answer"]]]]]"#,
    );
    let names: Vec<_> = project.targets[0].broadcasts.iter().map(|(_, name)| &**name).collect();
    assert_eq!(names, ["message1", "message2"]);
    let blocks = &project.targets[1].blocks;
    assert_eq!(blocks[0].field("BROADCAST_OPTION").unwrap().text(), "message2");
    let message = |block: usize| match &blocks[block].inputs[0].shadow {
        Slot::Literal(Literal::Broadcast { name, .. }) => name.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!((message(1), message(2)), ("Message1".to_owned(), "message2".to_owned()));
}

#[test]
fn names_of_the_stage_mean_the_stage() {
    let json = r#"{"objName": "Scene", "variables": [{"name": "a<", "value": "1"}], "children": [
        {"objName": "Cat", "indexInLibrary": 2,
         "variables": [{"name": "a<", "value": 2}, {"name": "b", "value": true}],
         "scripts": [[0, 0, [["setVar:to:", "a<", 1], ["setVar:to:", "b", 1]]]]},
        {"target": "Scene", "cmd": "getVar:", "param": "a<", "visible": true},
        {"objName": "Dog", "indexInLibrary": 1}]}"#;
    let project = read(json).unwrap();
    let names: Vec<_> = project.targets.iter().map(|t| (&*t.name, t.layer_order)).collect();
    assert_eq!(names, [("Stage", 0.0), ("Dog", 2.0), ("Cat", 1.0)]);
    let (stage, cat) = (&project.targets[0], &project.targets[2]);
    assert_eq!(stage.variables[0].id, cat.variables[0].id);
    assert_ne!(stage.variables[0].id, cat.variables[1].id);
    for (block, variable) in cat.blocks.iter().zip(&cat.variables) {
        assert_eq!(block.field("VARIABLE").unwrap().id.as_ref(), Some(&variable.id));
    }
    assert_eq!(project.monitors[0].id, stage.variables[0].id);
    assert_eq!(project.monitors[0].sprite, None);
    assert_eq!((cat.first_block, project.block_count()), (0, 2));
}

#[test]
fn custom_blocks_get_prototypes_and_typed_parameters() {
    let blocks = blocks(
        r#"[[0, 0, [["procDef", "jump %n %b", ["high", "far"], [1, false], true],
                    ["doIf", ["getParam", "far", "r"], []], ["say:", ["getParam", "high", "r"]]]],
            [0, 0, [["call", "jump %n %b", 7, false]]]]"#,
    );
    let prototype = blocks.iter().find(|b| b.opcode == Opcode::ProceduresPrototype).unwrap();
    let Some(Mutation::Prototype { ids, names, warp: true, .. }) = &prototype.mutation else {
        panic!("{:?}", prototype.mutation)
    };
    assert_eq!((&*ids[1], &*names[1]), ("input1", "far"));
    let count = |opcode| blocks.iter().filter(|b| b.opcode == opcode).count();
    assert_eq!(count(Opcode::ArgumentReporterBoolean), 1);
    assert_eq!(count(Opcode::ArgumentReporterStringNumber), 1);
    let call = blocks.last().unwrap();
    assert_eq!(call.input("input0").unwrap().block, literal(Opcode::MathNumber, 7.0, ""));
    assert_eq!(call.input("input1").unwrap().block, Slot::Empty);
}

#[test]
fn some_blocks_change_their_shape() {
    let blocks = blocks(
        r#"[[0, 0, [["penColor:", -65536], ["goBackByLayers:", 1], ["timeAndDate", "day of week"],
            ["say:", ["getAttribute:of:", "x position", "Stage"]]]],
            [0, 0, [["whenSensorGreaterThan", "video motion", 5]]],
            [0, 0, [["whenClicked"]]], [0, 0, [["readVariable", "loose"]]]]"#,
    );
    let block = |opcode| blocks.iter().find(|b| b.opcode == opcode).unwrap();
    let pen = block(Opcode::PenSetPenColorToColor);
    assert_eq!(pen.inputs[0].block, literal(Opcode::ColourPicker, None, "#ff0000"));
    let back = block(Opcode::LooksGoForwardBackwardLayers);
    assert_eq!(back.field("FORWARD_BACKWARD").unwrap().text(), "backward");
    assert_eq!(block(Opcode::SensingCurrent).field("CURRENTMENU").unwrap().text(), "DAYOFWEEK");
    assert_eq!(block(Opcode::SensingOfObjectMenu).field("OBJECT").unwrap().text(), "_stage_");
    let hat = block(Opcode::VideoSensingWhenMotionGreaterThan);
    assert_eq!(hat.inputs[0].block, literal(Opcode::MathNumber, 5.0, ""));
    assert!(blocks.iter().all(|b| b.opcode != Opcode::DataVariable));

    let stage = project(r#""scripts": [[0, 0, [["whenClicked"]]]],"#, "[]");
    assert_eq!(stage.targets[0].blocks[0].opcode, Opcode::EventWhenStageClicked);
}
