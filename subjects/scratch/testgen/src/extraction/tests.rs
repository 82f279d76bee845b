//! Tests of extraction on small projects, in a scene that each test defines.

use std::sync::Arc;

use catherd_scratch_sb3::test_support::{TargetBuilder, number, project, variable};
use catherd_scratch_sb3::{BlockNo, Input, Opcode, Project, Slot};
use catherd_scratch_suite::event::Event;
use catherd_search::Stream;

use super::{Extraction, Extractor, Instance, Scene, Tables};
use crate::compat::Compat;

/// A scene in which sprites do not touch anything. Unless a test changes the scene, no script runs,
/// and everything is visible at the origin.
#[derive(Default)]
struct Still {
    instances: Vec<Instance<u32>>,
    active: Vec<BlockNo>,
    recent: Vec<BlockNo>,
    asking: bool,
    down: bool,
    mouse: (f64, f64),
}

impl Still {
    fn new(project: &Project) -> Self {
        let mut still = Self::default();
        for sprite in 0..project.targets.len() {
            still.add(sprite as u16, 0, 0.0, 0.0);
        }
        still
    }

    fn add(&mut self, sprite: u16, number: u32, x: f64, y: f64) {
        let id = self.instances.len() as u32;
        self.instances.push(Instance { id, sprite, number, x, y, visible: true });
    }
}

impl Scene for Still {
    type Id = u32;

    fn instances(&self, instances: &mut Vec<Instance<u32>>) {
        instances.clone_from(&self.instances);
    }
    fn is_active(&self, top: BlockNo) -> bool {
        self.active.contains(&top)
    }
    fn ran_last_step(&self, hat: BlockNo) -> bool {
        self.recent.contains(&hat)
    }
    fn is_asking(&self) -> bool {
        self.asking
    }
    fn mouse(&self) -> (f64, f64) {
        self.mouse
    }
    fn mouse_down(&self) -> bool {
        self.down
    }
    fn touches_edge(&mut self, _: u32) -> bool {
        false
    }
    fn touches(&mut self, _: u32, _: &str) -> bool {
        false
    }
    fn touches_color(&mut self, _: u32, _: [u8; 3]) -> bool {
        false
    }
    fn color_touches(&mut self, _: u32, _: [u8; 3], _: [u8; 3]) -> bool {
        false
    }
    fn find_color(&mut self, _: u32, _: (f64, f64), _: [u8; 3]) -> Option<(f64, f64)> {
        None
    }
    fn find_own_color(&mut self, _: u32, _: [u8; 3]) -> Option<(f64, f64)> {
        None
    }
    fn extent(&mut self, _: u32) -> (f64, f64) {
        (0.0, 0.0)
    }
}

fn listed(project: &Project, scene: &mut Still) -> Vec<String> {
    with(project, scene, Compat::default())
}

fn with(project: &Project, scene: &mut Still, compat: Compat) -> Vec<String> {
    let mut extractor = extractor(project, Extraction::Dynamic, compat);
    extractor.extract(scene, &mut Stream::new(1, Stream::EXTRACTION));
    in_words(&extractor)
}

fn extractor(project: &Project, extraction: Extraction, compat: Compat) -> Extractor<u32> {
    let tables = Arc::new(Tables::new(project));
    Extractor::new(tables, extraction, compat, &mut Stream::new(1, 0))
}

fn in_words(extractor: &Extractor<u32>) -> Vec<String> {
    let words = extractor.words();
    extractor
        .events()
        .iter()
        .map(|event| match *event {
            Event::KeyPress { key, .. } => format!("key {}", words.key(key)),
            Event::ClickSprite { sprite } => format!("click {}", words.sprite(sprite)),
            Event::ClickClone { sprite, x, y, .. } => {
                format!("clone {} {x} {y}", words.sprite(sprite))
            }
            Event::ClickStage => "click stage".to_owned(),
            Event::TypeText { text } => format!("text {}", words.text(text)),
            Event::TypeNumber { .. } => "number".to_owned(),
            Event::MouseDown { down } => format!("button {down}"),
            Event::MouseMove { .. } => "mouse".to_owned(),
            Event::MouseMoveTo { x, y } => format!("mouse to {x} {y}"),
            Event::DragSprite { sprite, instance, x, y } => {
                format!("drag {} {instance} {x} {y}", words.sprite(sprite))
            }
            Event::Sound { volume } => format!("sound {volume}"),
            Event::Wait { .. } => "wait".to_owned(),
        })
        .collect()
}

#[test]
fn inactive_scripts_list_their_hats_and_active_ones_their_sensors() {
    let mut stage = TargetBuilder::new("Stage");
    stage.hat(Opcode::EventWhenStageClicked, None, &[]);
    let mut cat = TargetBuilder::new("Cat");
    let pressed = cat.key_pressed("a");
    let sensing = cat.when(pressed);
    let click = cat.hat(Opcode::EventWhenThisSpriteClicked, None, &[sensing]);
    cat.hat(Opcode::EventWhenKeyPressed, Some(("KEY_OPTION", "space")), &[]);
    let project = project(vec![stage, cat]);
    let mut scene = Still::new(&project);
    assert_eq!(listed(&project, &mut scene), ["click stage", "click Cat", "key space", "wait"]);
    scene.active.push(project.targets[1].number(click));
    assert_eq!(listed(&project, &mut scene), ["click stage", "key a", "key space", "wait"]);
}

#[test]
fn a_stack_is_scanned_substacks_first_then_condition_then_call_then_below() {
    let mut cat = TargetBuilder::new("Cat");
    let x = cat.value(Opcode::SensingMouseX, &[]);
    let in_procedure = cat.block(Opcode::MotionSetX, &[("X", x)]);
    let again = cat.call("f");
    cat.define("f", &[in_procedure, again]);
    let [inner, second, below] = ["inner", "second", "below"].map(|key| {
        let condition = cat.key_pressed(key);
        cat.when(condition)
    });
    let left = cat.key_pressed("left");
    let not = cat.value(Opcode::OperatorNot, &[("OPERAND", left)]);
    let right = cat.value(Opcode::SensingMouseDown, &[]);
    let both = cat.value(Opcode::OperatorAnd, &[("OPERAND1", not), ("OPERAND2", right)]);
    let branches = cat.block(
        Opcode::ControlIfElse,
        &[
            ("CONDITION", both),
            ("SUBSTACK2", Slot::Block(second)),
            ("SUBSTACK", Slot::Block(inner)),
        ],
    );
    let call = cat.call("f");
    let flag = cat.flag(&[branches, call, below]);
    let project = project(vec![TargetBuilder::new("Stage"), cat]);
    let mut scene = Still::new(&project);
    scene.active.push(project.targets[1].number(flag));
    let expected =
        ["key inner", "key second", "key left", "button true", "mouse", "key below", "wait"];
    assert_eq!(listed(&project, &mut scene), expected);
    scene.down = true;
    assert_eq!(listed(&project, &mut scene)[3], "button false");
}

#[test]
fn clones_add_events_that_depend_on_them() {
    let mut cat = TargetBuilder::new("Cat");
    let (dog, mouse, key) = (cat.touching("Dog"), cat.touching("_mouse_"), cat.key_pressed("a"));
    let body = [dog, mouse, key].map(|condition| cat.when(condition));
    let flag = cat.flag(&body);
    cat.hat(Opcode::EventWhenThisSpriteClicked, None, &[]);
    let project = project(vec![TargetBuilder::new("Stage"), cat, TargetBuilder::new("Dog")]);
    let mut scene = Still::new(&project);
    scene.instances[2].x = 33.7;
    scene.mouse = (1.0, 1.0);
    scene.active.push(project.targets[1].number(flag));
    let mut expected =
        vec!["drag Cat 0 33 0", "mouse to 0 0", "mouse", "key a", "click Cat", "wait"];
    assert_eq!(listed(&project, &mut scene), expected);
    scene.add(1, 1, 1.0, 1.0);
    scene.add(1, 2, 7.0, 8.0);
    scene.add(1, 3, 7.0, 8.0);
    expected.pop();
    // The first clone is at the mouse, and the third is at the position of the second. Clicks on
    // clones of one sprite at one position are the same event.
    expected.extend(["clone Cat 1 1", "mouse to 7 8", "clone Cat 7 8", "wait"]);
    assert_eq!(listed(&project, &mut scene), expected);
    scene.instances[1].visible = false;
    let hidden = listed(&project, &mut scene);
    assert!(!hidden.contains(&"click Cat".to_owned()));
    assert_eq!(hidden[2], "key a", "hidden sprites are not dragged: {hidden:?}");
}

#[test]
fn every_mention_of_the_edge_is_another_place() {
    let mut cat = TargetBuilder::new("Cat");
    let body = [(); 2].map(|()| {
        let edge = cat.touching("_edge_");
        cat.when(edge)
    });
    let flag = cat.flag(&body);
    let project = project(vec![TargetBuilder::new("Stage"), cat]);
    let mut scene = Still::new(&project);
    scene.active.push(project.targets[1].number(flag));
    let mut extractor = extractor(&project, Extraction::Dynamic, Compat::default());
    let mut rng = Stream::new(1, Stream::EXTRACTION);
    for _ in 0..100 {
        let events = extractor.extract(&mut scene, &mut rng);
        assert_eq!(events.len(), 3);
        for event in &events[..2] {
            let Event::DragSprite { x, y, .. } = *event else { panic!("{event:?}") };
            assert!(x.abs() == 240.0 && y.abs() <= 180.0 || y.abs() == 180.0 && x.abs() <= 240.0);
            assert_eq!((x, y), (x.trunc(), y.trunc()));
        }
    }
}

#[test]
fn receivers_of_the_last_step_count_as_active() {
    let mut cat = TargetBuilder::new("Cat");
    let condition = cat.key_pressed("a");
    let body = cat.when(condition);
    let field = Some(("BROADCAST_OPTION", "go"));
    let hat = cat.hat(Opcode::EventWhenBroadcastReceived, field, &[body]);
    let project = project(vec![TargetBuilder::new("Stage"), cat]);
    let mut scene = Still::new(&project);
    assert_eq!(listed(&project, &mut scene), ["wait"]);
    scene.recent.push(project.targets[1].number(hat));
    assert_eq!(listed(&project, &mut scene), ["key a", "wait"]);
}

#[test]
fn open_questions_list_answers_and_a_wait() {
    let mut cat = TargetBuilder::new("Cat");
    let answer = cat.value(Opcode::SensingAnswer, &[]);
    let (yes, hello, blank) = (number("yes"), number("Hello"), number(""));
    let comparisons = [(answer, yes), (variable(), hello), (variable(), blank)].map(|(l, r)| {
        let equal = cat.value(Opcode::OperatorEquals, &[("OPERAND1", l), ("OPERAND2", r)]);
        cat.when(equal)
    });
    let ask = cat.block(Opcode::SensingAskAndWait, &[]);
    cat.define("ask", &[ask]);
    let call = cat.call("ask");
    let flag = cat.flag(&[call, comparisons[0], comparisons[1], comparisons[2]]);
    cat.hat(Opcode::EventWhenThisSpriteClicked, None, &[]);
    let project = project(vec![TargetBuilder::new("Stage"), cat]);
    let mut scene = Still::new(&project);
    scene.active.push(project.targets[1].number(flag));
    assert_eq!(listed(&project, &mut scene), ["click Cat", "wait"]);
    scene.asking = true;
    let mut events = listed(&project, &mut scene);
    let random = events.remove(4);
    assert_eq!(events, ["number", "text 0", "text 10", "text Hello", "text yes", "wait"]);
    assert!(random.len() == 8 && random[5..].chars().all(|c| c.is_ascii_alphanumeric()));
    let compat = Compat { no_wait_on_question: true, ..Compat::default() };
    assert!(!with(&project, &mut scene, compat).contains(&"wait".to_owned()));
}

#[test]
fn loudness_is_taken_across_its_limit() {
    let mut cat = TargetBuilder::new("Cat");
    let mut compare = |opcode, first: bool| {
        let loudness = cat.value(Opcode::SensingLoudness, &[]);
        let (l, r) = if first { (loudness, number("30")) } else { (number("30"), loudness) };
        let comparison = cat.value(opcode, &[("OPERAND1", l), ("OPERAND2", r)]);
        cat.when(comparison)
    };
    let body = [
        compare(Opcode::OperatorGt, true),
        compare(Opcode::OperatorGt, false),
        compare(Opcode::OperatorEquals, false),
    ];
    let computed = cat.value(Opcode::SensingLoudness, &[]);
    let size = cat.block(Opcode::LooksSetSizeTo, &[("SIZE", computed)]);
    let flag = cat.flag(&[body[0], body[1], body[2], size]);
    let hat = cat.hat(Opcode::EventWhenGreaterThan, Some(("WHENGREATERTHANMENU", "LOUDNESS")), &[]);
    let value = Input { name: "VALUE".into(), block: number("55"), shadow: Slot::Empty };
    cat.target.blocks[hat as usize].inputs.push(value);
    let project = project(vec![TargetBuilder::new("Stage"), cat]);
    let mut scene = Still::new(&project);
    scene.active.push(project.targets[1].number(flag));
    let expected = ["sound 31", "sound 29", "sound 30", "sound 100", "sound 56", "wait"];
    assert_eq!(listed(&project, &mut scene), expected);
}

#[test]
fn groups_are_as_large_as_the_events_of_the_project_need() {
    let build = |in_reach: bool| {
        let mut cat = TargetBuilder::new("Cat");
        let x = cat.value(Opcode::SensingMouseX, &[]);
        let go = cat.block(Opcode::MotionSetX, &[("X", x)]);
        cat.define("go", &[go]);
        let call = if in_reach { cat.call("go") } else { cat.call("stay") };
        cat.flag(&[call]);
        Tables::new(&project(vec![TargetBuilder::new("Stage"), cat]))
    };
    assert_eq!(build(true).parameters(Extraction::Dynamic), 2);
    assert_eq!(build(false).parameters(Extraction::Dynamic), 1);
}

#[test]
fn static_extraction_lists_every_handler_in_any_state() {
    let mut stage = TargetBuilder::new("Stage");
    stage.hat(Opcode::EventWhenStageClicked, None, &[]);
    let mut cat = TargetBuilder::new("Cat");
    let (mouse, dog, edge) = (cat.touching("_mouse_"), cat.touching("Dog"), cat.touching("_edge_"));
    let down = cat.value(Opcode::SensingMouseDown, &[]);
    let body = [mouse, dog, edge, down].map(|condition| cat.when(condition));
    cat.define("sense", &body);
    let (ask, call) = (cat.block(Opcode::SensingAskAndWait, &[]), cat.call("sense"));
    cat.hat(Opcode::EventWhenThisSpriteClicked, None, &[ask, call]);
    let loose = cat.key_pressed("z");
    let loose = cat.when(loose);
    cat.script(loose, &[]);
    let unused = cat.key_pressed("y");
    let unused = cat.when(unused);
    cat.define("unused", &[unused]);
    let project = project(vec![stage, cat, TargetBuilder::new("Dog")]);
    let mut extractor = extractor(&project, Extraction::Static, Compat::default());
    let mut rng = Stream::new(1, Stream::EXTRACTION);
    let mut scene = Still::new(&project);
    extractor.extract(&mut scene, &mut rng);
    let mut listed = in_words(&extractor);
    assert!(listed.remove(5).starts_with("text "), "the random one");
    let expected = [
        "click stage",
        "click Cat",
        "text 0",
        "text 10",
        "text Hello",
        "mouse to 0 0",
        "mouse",
        "drag Cat 0 0 0",
        "button true",
        "button false",
        "wait",
    ];
    assert_eq!(listed, expected);
    let first = extractor.events().to_vec();
    scene.active.extend(project.targets[1].scripts().map(|top| project.targets[1].number(top)));
    scene.asking = true;
    assert_eq!(extractor.extract(&mut scene, &mut rng), first);
}

#[test]
fn naive_extraction_depends_only_on_the_sprites() {
    let project = project(vec![TargetBuilder::new("Stage"), TargetBuilder::new("Cat")]);
    let mut extractor = extractor(&project, Extraction::Naive, Compat::default());
    let mut rng = Stream::new(1, Stream::EXTRACTION);
    let mut scene = Still::new(&project);
    let mut drag = || {
        extractor.extract(&mut scene, &mut rng);
        let mut listed = in_words(&extractor);
        let drag = listed.remove(12);
        assert!(listed.remove(1).starts_with("text "));
        let expected = [
            "click stage",
            "number",
            "button true",
            "button false",
            "mouse",
            "key space",
            "key left arrow",
            "key up arrow",
            "key right arrow",
            "key down arrow",
            "key enter",
            "click Cat",
            "wait",
        ];
        assert_eq!(listed, expected);
        drag
    };
    let (first, second) = (drag(), drag());
    assert!(first.starts_with("drag Cat 0 ") && first != second, "{first}, {second}");
    let mut patient = self::extractor(&project, Extraction::Wait, Compat::default());
    assert_eq!(patient.extract(&mut scene, &mut rng), [Event::WAIT]);
    let tables = Tables::new(&project);
    assert_eq!(
        [Extraction::Naive, Extraction::Wait, Extraction::Static].map(|e| tables.parameters(e)),
        [2, 1, 1]
    );
}

/// Both sprites define `ask`: the definition of the cat asks a question, and the definition of the
/// dog senses a key. `sense` senses the dog and the mouse button.
#[test]
fn the_switch_reads_custom_blocks_before_the_green_flag() {
    let mut cat = TargetBuilder::new("Cat");
    let (dog, down) = (cat.touching("Dog"), cat.value(Opcode::SensingMouseDown, &[]));
    let body = [dog, down].map(|condition| cat.when(condition));
    cat.define("sense", &body);
    let (call, ask) = (cat.call("sense"), cat.call("ask"));
    let flag = cat.flag(&[call, ask]);
    let question = cat.block(Opcode::SensingAskAndWait, &[]);
    cat.define("ask", &[question]);
    let mut dog = TargetBuilder::new("Dog");
    let key = dog.key_pressed("k");
    let key = dog.when(key);
    dog.define("ask", &[key]);
    let project = project(vec![TargetBuilder::new("Stage"), cat, dog]);
    let listed = |compat| {
        let mut extractor = extractor(&project, Extraction::Dynamic, compat);
        let mut rng = Stream::new(1, Stream::EXTRACTION);
        let mut scene = Still::new(&project);
        scene.instances[2].x = 50.0;
        extractor.read_procedures(&mut scene, &mut rng);
        scene.instances[2].x = 70.0;
        (scene.down, scene.asking) = (true, true);
        scene.active.push(project.targets[1].number(flag));
        extractor.extract(&mut scene, &mut rng);
        in_words(&extractor)
    };
    assert!(listed(Compat::default())[0].starts_with("text "));
    let compat = Compat { static_procedures: true, ..Compat::default() };
    // The custom blocks were read before the green flag, when the dog was at 50, the mouse button
    // was up and no question was open. Of the two definitions of `ask`, the definition of the dog
    // was read last.
    assert_eq!(listed(compat), ["drag Cat 0 50 0", "button true", "key k", "wait"]);
}
