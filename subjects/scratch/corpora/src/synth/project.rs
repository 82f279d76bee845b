//! Format of the generated `project.json`. Maps are sorted, so a project always has the same text.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

#[derive(Serialize)]
pub(super) struct Project {
    pub(super) targets: Vec<Target>,
    pub(super) monitors: [Value; 0],
    pub(super) extensions: Vec<&'static str>,
    pub(super) meta: Meta,
}

#[derive(Serialize)]
pub(super) struct Meta {
    pub(super) semver: &'static str,
    pub(super) vm: &'static str,
    pub(super) agent: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Target {
    pub(super) is_stage: bool,
    pub(super) name: String,
    pub(super) variables: BTreeMap<String, (String, i64)>,
    pub(super) lists: BTreeMap<String, (String, Vec<String>)>,
    pub(super) broadcasts: BTreeMap<String, String>,
    pub(super) blocks: BTreeMap<String, Block>,
    pub(super) comments: BTreeMap<String, Value>,
    pub(super) current_costume: usize,
    pub(super) costumes: Vec<Costume>,
    pub(super) sounds: Vec<Sound>,
    pub(super) volume: i64,
    pub(super) layer_order: usize,
    #[serde(flatten)]
    pub(super) kind: TargetKind,
}

#[derive(Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub(super) enum TargetKind {
    Stage {
        tempo: i64,
        video_transparency: i64,
        video_state: &'static str,
        text_to_speech_language: Option<&'static str>,
    },
    Sprite {
        visible: bool,
        x: i64,
        y: i64,
        size: i64,
        direction: i64,
        draggable: bool,
        rotation_style: &'static str,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Block {
    pub(super) opcode: &'static str,
    pub(super) next: Option<String>,
    pub(super) parent: Option<String>,
    pub(super) inputs: BTreeMap<String, Value>,
    pub(super) fields: BTreeMap<&'static str, (String, Option<String>)>,
    pub(super) shadow: bool,
    pub(super) top_level: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) x: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) y: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mutation: Option<Mutation>,
}

impl Block {
    pub(super) fn new(opcode: &'static str, parent: Option<&str>) -> Block {
        Block {
            opcode,
            next: None,
            parent: parent.map(str::to_owned),
            inputs: BTreeMap::new(),
            fields: BTreeMap::new(),
            shadow: false,
            top_level: false,
            x: None,
            y: None,
            mutation: None,
        }
    }

    pub(super) fn shadow(opcode: &'static str, parent: &str) -> Block {
        Block { shadow: true, ..Block::new(opcode, Some(parent)) }
    }
}

/// Data of a custom block, in which Scratch stores lists as JSON strings.
#[derive(Serialize)]
pub(super) struct Mutation {
    #[serde(rename = "tagName")]
    pub(super) tag_name: &'static str,
    pub(super) children: [Value; 0],
    pub(super) proccode: String,
    pub(super) argumentids: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) argumentnames: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) argumentdefaults: Option<String>,
    pub(super) warp: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Costume {
    pub(super) name: String,
    pub(super) data_format: &'static str,
    pub(super) asset_id: String,
    pub(super) md5ext: String,
    pub(super) rotation_center_x: i64,
    pub(super) rotation_center_y: i64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Sound {
    pub(super) name: String,
    pub(super) asset_id: String,
    pub(super) data_format: &'static str,
    pub(super) format: &'static str,
    pub(super) rate: u32,
    pub(super) sample_count: u32,
    pub(super) md5ext: String,
}
