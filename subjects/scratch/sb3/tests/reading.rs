//! Tests of reading and packing Scratch 3 projects.

use crate::archive;

use archive::{archive, cat, read};
use catherd_scratch_sb3::{
    Limits, Literal, Mutation, Opcode, Project, RotationStyle, Slot, Target, Value, Warning, pack,
    pack_files, repack,
};

fn sprite(members: &str) -> (Project, Target) {
    let project = read(&cat(members)).unwrap_or_else(|error| panic!("{error}"));
    let sprite = project.targets[1].clone();
    (project, sprite)
}

#[test]
fn absent_members_have_defaults() {
    let (project, cat) = sprite(r#""blocks": {}"#);
    let stage = &project.targets[project.stage()];
    assert_eq!((stage.tempo, stage.volume, stage.size, stage.direction), (60.0, 100.0, 0.0, 0.0));
    assert_eq!((cat.x, cat.y, cat.size, cat.direction), (0.0, 0.0, 100.0, 90.0));
    assert!(cat.visible && !cat.draggable && !cat.is_stage);
    assert_eq!(cat.rotation_style, RotationStyle::AllAround);
    assert!(project.warnings.is_empty());
}

#[test]
fn blocks_are_numbered_through_the_project_in_javascript_order() {
    let json = r#"{"targets": [
        {"isStage": true, "name": "Stage", "blocks": {
            "b": {"opcode": "looks_show", "next": "7"},
            "loose": [12, "v", "id", 3, 4],
            "7": {"opcode": "looks_hide", "parent": "b"}}},
        {"name": "Cat", "blocks": {"c": {"opcode": "looks_show", "next": "gone"}}}]}"#;
    let project = read(json).unwrap();
    let stage = &project.targets[0];
    let ids: Vec<_> = stage.blocks.iter().map(|b| &*b.id).collect();
    assert_eq!(ids, ["7", "b"]);
    assert_eq!((stage.blocks[1].next, stage.blocks[0].parent), (Some(0), Some(1)));
    assert_eq!(project.targets[1].blocks[0].next, None);
    assert_eq!(project.block_count(), 3);
    assert_eq!(project.locate(project.targets[1].number(0)), (1, 0));
}

#[test]
fn inputs_keep_kind_order_and_type() {
    let (_, cat) = sprite(
        r#""blocks": {"s": {"opcode": "motion_gotoxy", "inputs": {
            "Y": [3, "r", [4, "10"]], "X": [1, [4, 10]], "Z": [2, "gone"],
            "M": [1, [11, "go", "m<1>"]], "V": [3, [12, "v", "id"], [10, "true"]],
            "W": [1, [99, 1]], "N": [2, null], "SUBSTACK": [2, "r"]}},
            "r": {"opcode": "motion_xposition", "parent": "s"}}"#,
    );
    let block = &cat.blocks[0];
    let names: Vec<_> = block.inputs.iter().map(|i| &*i.name).collect();
    assert_eq!(names, ["Y", "X", "Z", "M", "V", "W", "N", "SUBSTACK"]);
    let number = |value| Slot::Literal(Literal::Value { opcode: Opcode::MathNumber, value });
    let y = block.input("Y").unwrap();
    assert_eq!((&y.block, &y.shadow), (&Slot::Block(1), &number(Value::Text("10".into()))));
    let x = block.input("X").unwrap();
    assert_eq!((&x.block, &x.shadow), (&number(Value::Number(10.0)), &x.block));
    for name in ["Z", "W", "N"] {
        assert_eq!(block.input(name).unwrap().block, Slot::Empty);
    }
    let message = Literal::Broadcast { name: "go".into(), id: "mlt1gt".into() };
    assert_eq!(block.input("M").unwrap().block, Slot::Literal(message));
    let variable = Literal::Variable { name: "v".into(), id: "id".into() };
    assert_eq!(block.input("V").unwrap().block, Slot::Literal(variable));
    assert_eq!(block.substack(1), Some(1));
}

#[test]
fn variables_lists_and_messages_share_one_map_of_safe_ids() {
    let (_, cat) = sprite(
        r#""variables": {"a<": ["first", 1], "b": ["second", "1"], "c": ["third", true, true]},
           "lists": {"b": ["list", [1, "1", false]]}, "broadcasts": {"m": "go"},
           "blocks": {"s": {"opcode": "data_setvariableto",
               "fields": {"VARIABLE": ["first", "a<"], "OTHER": ["x", "<"]}}}"#,
    );
    let ids: Vec<_> = cat.variables.iter().map(|v| (&*v.id, &*v.name)).collect();
    assert_eq!(ids, [("c", "third"), ("alt", "first")]);
    assert!(cat.variables[0].cloud && !cat.variables[1].cloud);
    assert_eq!(cat.variables[1].value, Value::Number(1.0));
    let items = [Value::Number(1.0), Value::Text("1".into()), Value::Bool(false)];
    assert_eq!((&*cat.lists[0].id, &cat.lists[0].items[..]), ("b", &items[..]));
    assert_eq!(cat.broadcasts, [("m".into(), "go".into())]);
    let block = &cat.blocks[0];
    assert_eq!(block.field("VARIABLE").unwrap().id.as_deref(), Some("alt"));
    assert_eq!(block.field("OTHER").unwrap().id.as_deref(), Some("<"));
}

#[test]
fn mutations_are_json_within_json() {
    let (_, cat) = sprite(
        r#""blocks": {
        "p": {"opcode": "procedures_prototype", "mutation": {"proccode": "jump %s",
            "argumentids": "[\"i\"]", "argumentnames": "[\"n\"]", "argumentdefaults": "[1]", "warp": "true"}},
        "q": {"opcode": "procedures_prototype", "mutation": {"proccode": "jump",
            "argumentids": "[", "argumentnames": "[]", "argumentdefaults": "[]", "warp": "false"}},
        "r": {"opcode": "procedures_prototype", "mutation": {"proccode": "jump",
            "argumentids": "[]", "argumentnames": "[]", "argumentdefaults": "[]", "warp": "junk"}},
        "c": {"opcode": "procedures_call", "mutation": {"proccode": "jump %s"}},
        "s": {"opcode": "control_stop", "mutation": {"hasnext": "false"}}}"#,
    );
    let [p, q, r, c, s] = &cat.blocks[..] else { panic!() };
    let Some(Mutation::Prototype { proccode, ids, names, defaults, warp }) = &p.mutation else {
        panic!()
    };
    assert_eq!((&**proccode, &*ids[0], &*names[0], *warp), ("jump %s", "i", "n", true));
    assert_eq!(defaults[..], [Value::Number(1.0)]);
    for (block, part) in [(q, "argumentids"), (r, "warp")] {
        let Some(Mutation::Invalid(reason)) = &block.mutation else { panic!() };
        assert!(reason.contains(part), "{reason}");
    }
    assert!(matches!(&c.mutation, Some(Mutation::Call { proccode }) if &**proccode == "jump %s"));
    assert!(s.mutation.is_none());
}

#[test]
fn oddities_become_warnings() {
    let (project, cat) = sprite(
        r#""costumes": [{"name": "c", "assetId": "abc", "dataFormat": "svg"}],
           "blocks": {"b": {"opcode": "ev3_fly"}}"#,
    );
    assert_eq!(cat.blocks[0].opcode_name(), "ev3_fly");
    assert!(cat.costumes[0].vector && cat.costumes[0].asset.is_none());
    let unknown =
        Warning::UnknownBlock { target: "Cat".into(), block: "b".into(), opcode: "ev3_fly".into() };
    let missing =
        Warning::MissingAsset { target: "Cat".into(), name: "c".into(), file: "abc.svg".into() };
    assert_eq!(project.warnings, [unknown, missing]);
}

#[test]
fn names_are_made_unique_and_the_costume_index_clamped() {
    let json = r#"{"targets": [
        {"isStage": true, "name": "Stage"}, {"noname": 1},
        {"name": "Cat", "currentCostume": 7.5, "costumes": [
            {"name": "a", "assetId": "x", "dataFormat": "png", "md5ext": "x.SVG"},
            {"name": "a", "assetId": "x"}, {"assetId": "x"}]},
        {"name": "Cat"}]}"#;
    let project = read(json).unwrap();
    let names: Vec<_> = project.targets.iter().map(|t| &*t.name).collect();
    assert_eq!(names, ["Stage", "Cat", "Cat2"]);
    let cat = &project.targets[1];
    let costumes: Vec<_> = cat.costumes.iter().map(|c| (&*c.name, c.vector)).collect();
    assert_eq!(costumes, [("a", true), ("a2", false), ("", false)]);
    assert_eq!(cat.current_costume, 2.0);
}

const DRAWN: &str = r#"{"targets": [{"isStage": true, "name": "Stage",
    "costumes": [{"name": "a", "assetId": "b", "dataFormat": "svg"},
                 {"name": "c", "assetId": "a", "dataFormat": "png"},
                 {"name": "d", "assetId": "b", "dataFormat": "svg"}],
    "sounds": [{"name": "s", "assetId": "s", "dataFormat": "wav", "rate": 100, "sampleCount": 50}]}],
    "monitors": [{"id": "a>b", "opcode": "data_variable", "params": {"VARIABLE": "v"},
                  "spriteName": null, "visible": false}], "extensions": ["pen"]}"#;

#[test]
fn media_lie_at_the_top_or_one_folder_deep_and_are_shared() {
    let json = DRAWN.as_bytes();
    for folder in ["", "game/"] {
        let names =
            ["project.json", "b.svg", "a.png", "unused.wav"].map(|n| format!("{folder}{n}"));
        let bytes = archive(&[
            (&names[0], json),
            (&names[1], b"<svg/>"),
            (&names[2], b"png"),
            (&names[3], b"unused"),
        ]);
        let project = Project::from_bytes("test", &bytes, &Limits::default()).unwrap();
        let files: Vec<_> = project.assets.iter().map(|a| (&*a.name, &*a.bytes)).collect();
        assert_eq!(files, [("b.svg", &b"<svg/>"[..]), ("a.png", b"png")]);
        let stage = &project.targets[0];
        let assets: Vec<_> = stage.costumes.iter().map(|c| c.asset).collect();
        assert_eq!(assets, [Some(0), Some(1), Some(0)]);
        assert_eq!((stage.sounds[0].seconds(), stage.sounds[0].asset), (0.5, None));
        assert_eq!(project.monitors[0].opcode, Opcode::DataVariable);
        assert_eq!((&*project.monitors[0].id, project.monitors[0].visible), ("agtb", false));
        assert_eq!(project.extensions, ["pen".into()]);
    }
}

#[test]
fn a_folder_packs_to_the_same_bytes_wherever_its_media_lie() {
    let write = |media: &str| {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join(media);
        std::fs::create_dir_all(&place).unwrap();
        std::fs::write(folder.path().join("project.json"), DRAWN).unwrap();
        std::fs::write(place.join("b.svg"), "<svg/>").unwrap();
        std::fs::write(place.join("a.png"), "png").unwrap();
        std::fs::write(place.join("unused.wav"), "unused").unwrap();
        folder
    };
    let (flat, deep) = (write("."), write("assets"));
    let packed = pack(flat.path()).unwrap();
    assert_eq!(packed, pack(deep.path()).unwrap());
    // Other computers and versions must write the same bytes.
    assert_eq!((packed.len(), crc32(&packed)), GOLDEN);

    assert_eq!(repack("test", &packed).unwrap(), packed);
    let elsewhere: [(&str, &[u8]); 4] = [
        ("b.svg", b"<svg/>"),
        ("unused.wav", b"unused"),
        ("a.png", b"png"),
        ("project.json", DRAWN.as_bytes()),
    ];
    assert_eq!(repack("test", &archive(&elsewhere)).unwrap(), packed);
    let files = elsewhere.map(|(name, bytes)| (name.to_owned(), bytes.to_vec()));
    assert_eq!(pack_files("test", &files.into()).unwrap(), packed);

    let bare = repack("test", DRAWN.as_bytes()).unwrap();
    assert_eq!(repack("test", &bare).unwrap(), bare);

    let from_archive = Project::from_bytes("test", &packed, &Limits::default()).unwrap();
    let from_folder = Project::read(deep.path()).unwrap();
    assert_eq!(format!("{from_archive:?}"), format!("{from_folder:?}"));
}

const GOLDEN: (usize, u32) = (828, 3_113_054_190);

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 * (crc & 1)))
    })
}

#[test]
fn fields_take_any_value_as_its_text() {
    let (project, cat) = sprite(
        r#""blocks": {"s": {"opcode": "data_deletealloflist", "fields": {
            "LIST": [["getParam", "List", "r"], "id"], "A": [null, null], "B": [{"x": 1}, 7],
            "C": [], "D": {"value": 1}, "E": 5}}}"#,
    );
    let fields: Vec<_> = cat.blocks[0].fields.iter().map(|f| (&*f.name, f.text())).collect();
    let read = [("LIST", "getParam,List,r"), ("A", "null"), ("B", "[object Object]")];
    assert_eq!(fields, [&read[..], &[("C", "undefined")]].concat());
    let ids: Vec<_> = cat.blocks[0].fields.iter().map(|f| f.id.as_deref()).collect();
    assert_eq!(ids, [Some("id"), None, Some("7"), None]);
    let warnings: Vec<_> = project.warnings.iter().map(|warning| format!("{warning:?}")).collect();
    assert_eq!(warnings.len(), 5, "{warnings:?}");
    assert!(warnings[0].contains("LIST") && warnings[0].contains("getParam,List,r"));
}

#[test]
fn values_that_arrays_lack_are_undefined() {
    let (_, cat) = sprite(
        r#""variables": {"a": ["speed"], "b": []}, "lists": {"c": ["items"]},
            "blocks": {"s": {"opcode": "motion_movesteps", "inputs": {
                "STEPS": [1, [4]], "MESSAGE": [1, [11, "go"]]}}}"#,
    );
    let undefined = || Value::Text("undefined".into());
    let variables: Vec<_> = cat.variables.iter().map(|v| (&*v.name, v.value.clone())).collect();
    assert_eq!(variables, [("speed", undefined()), ("undefined", undefined())]);
    assert_eq!((&*cat.lists[0].name, cat.lists[0].items.len()), ("items", 0));
    let steps = Literal::Value { opcode: Opcode::MathNumber, value: undefined() };
    assert_eq!(cat.blocks[0].inputs[0].block, Slot::Literal(steps));
    let message = Literal::Broadcast { name: "go".into(), id: "undefined".into() };
    assert_eq!(cat.blocks[0].inputs[1].block, Slot::Literal(message));
}

#[test]
fn members_of_sprites_are_not_checked_in_the_stage() {
    let stage = r#"{"isStage": true, "name": "Stage", "x": "left", "size": [], "visible": 3}"#;
    assert!(read(&format!(r#"{{"targets": [{stage}]}}"#)).is_ok());
    assert!(read(&cat(r#""tempo": "fast""#)).is_ok());
    assert!(read(&cat(r#""visible": 3"#)).is_err());
}

#[test]
fn odd_monitors_are_left_out() {
    let read_with = |monitors: &str| {
        let json = format!(
            r#"{{"targets": [{{"isStage": true, "name": "Stage"}}], "monitors": {monitors}}}"#
        );
        let project = read(&json).unwrap();
        (project.monitors.len(), project.warnings.len())
    };
    assert_eq!(read_with("7"), (0, 1));
    let odd = r#"[5, {"id": 3, "opcode": "x"}, {"id": "v", "opcode": "data_variable",
        "params": [], "visible": "yes", "spriteName": 4}]"#;
    assert_eq!(read_with(odd), (1, 2));
}

#[test]
fn a_json_file_is_a_project_without_media() {
    let json = format!("\u{feff} \n{DRAWN}");
    let project = Project::from_bytes("test", json.as_bytes(), &Limits::default()).unwrap();
    assert_eq!((project.targets.len(), project.assets.len()), (1, 0));
    let few = Limits { json_bytes: 100, ..Limits::default() };
    assert!(Project::from_bytes("test", json.as_bytes(), &few).is_err());
}

#[test]
fn wrong_checksums_are_ignored_as_in_scratch() {
    let mut bytes = archive(&[("project.json", DRAWN.as_bytes())]);
    let sum = crc32(DRAWN.as_bytes()).to_le_bytes();
    let places: Vec<_> = (0..bytes.len() - 4).filter(|&at| bytes[at..at + 4] == sum).collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at] ^= 1;
    }
    assert!(Project::from_bytes("test", &bytes, &Limits::default()).is_ok());
}
