//! Block templates of synthetic projects: inputs, fields and frequency of each block.

#[derive(Clone, Copy, Debug)]
pub(super) enum SlotTemplate {
    /// Literals are whole numbers in the range.
    Number(&'static str, i64, i64),
    /// Literals are in the range, which is in tenths of a second.
    Seconds(&'static str, i64, i64),
    Text(&'static str),
    Colour(&'static str),
    Condition(&'static str),
    /// Input, opcode and field of the menu, and its entries.
    Menu(&'static str, &'static str, &'static str, MenuChoices),
    Field(&'static str, MenuChoices),
    Message,
    Variable,
    List,
    Branch(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum MenuChoices {
    Fixed(&'static [&'static str]),
    /// Names of the other sprites, and some fixed entries.
    Sprites(&'static [&'static str]),
    Costumes,
    Backdrops,
    Sounds,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct BlockTemplate {
    pub(super) opcode: &'static str,
    /// Occurrences per 100,000 blocks of the same kind in a corpus of 1,452 learner and hobby
    /// projects.
    pub(super) weight: u64,
    pub(super) slots: &'static [SlotTemplate],
    /// Whether the stage can have the block.
    pub(super) stage: bool,
}

const fn any(opcode: &'static str, weight: u64, slots: &'static [SlotTemplate]) -> BlockTemplate {
    BlockTemplate { opcode, weight, slots, stage: true }
}

const fn sprite(
    opcode: &'static str,
    weight: u64,
    slots: &'static [SlotTemplate],
) -> BlockTemplate {
    BlockTemplate { opcode, weight, slots, stage: false }
}

use MenuChoices::{Backdrops, Costumes, Fixed, Sounds, Sprites};
use SlotTemplate::{
    Branch, Colour, Condition, Field, List, Menu, Message, Number, Seconds, Text, Variable,
};

pub(super) const KEYS: MenuChoices =
    Fixed(&["space", "left arrow", "right arrow", "up arrow", "down arrow", "a", "d", "w", "any"]);
const EFFECTS: MenuChoices =
    Fixed(&["COLOR", "GHOST", "BRIGHTNESS", "FISHEYE", "WHIRL", "PIXELATE"]);
const PEN_PARAMETERS: MenuChoices = Fixed(&["color", "saturation", "brightness", "transparency"]);

/// Statements that neither branch nor end a script.
pub(super) const PLAIN: &[BlockTemplate] = &[
    sprite("motion_gotoxy", 3879, &[Number("X", -240, 240), Number("Y", -180, 180)]),
    sprite("motion_movesteps", 2146, &[Number("STEPS", -20, 50)]),
    sprite("motion_pointindirection", 1895, &[Number("DIRECTION", -179, 180)]),
    sprite("motion_changeyby", 1579, &[Number("DY", -20, 20)]),
    sprite("motion_changexby", 1359, &[Number("DX", -20, 20)]),
    sprite("motion_turnright", 634, &[Number("DEGREES", 1, 90)]),
    sprite("motion_turnleft", 294, &[Number("DEGREES", 1, 90)]),
    sprite("motion_setx", 561, &[Number("X", -240, 240)]),
    sprite("motion_sety", 578, &[Number("Y", -180, 180)]),
    sprite(
        "motion_goto",
        695,
        &[Menu("TO", "motion_goto_menu", "TO", Sprites(&["_random_", "_mouse_"]))],
    ),
    sprite(
        "motion_glidesecstoxy",
        653,
        &[Seconds("SECS", 1, 20), Number("X", -240, 240), Number("Y", -180, 180)],
    ),
    sprite(
        "motion_glideto",
        366,
        &[
            Seconds("SECS", 1, 20),
            Menu("TO", "motion_glideto_menu", "TO", Sprites(&["_random_", "_mouse_"])),
        ],
    ),
    sprite("motion_ifonedgebounce", 471, &[]),
    sprite(
        "motion_setrotationstyle",
        334,
        &[Field("STYLE", Fixed(&["left-right", "don't rotate", "all around"]))],
    ),
    sprite(
        "motion_pointtowards",
        276,
        &[Menu("TOWARDS", "motion_pointtowards_menu", "TOWARDS", Sprites(&["_mouse_"]))],
    ),
    sprite("looks_show", 2922, &[]),
    sprite("looks_hide", 4020, &[]),
    sprite("looks_switchcostumeto", 4836, &[Menu("COSTUME", "looks_costume", "COSTUME", Costumes)]),
    sprite("looks_nextcostume", 891, &[]),
    any(
        "looks_switchbackdropto",
        561,
        &[Menu("BACKDROP", "looks_backdrops", "BACKDROP", Backdrops)],
    ),
    any("looks_nextbackdrop", 32, &[]),
    sprite("looks_sayforsecs", 1214, &[Text("MESSAGE"), Seconds("SECS", 1, 30)]),
    sprite("looks_say", 342, &[Text("MESSAGE")]),
    sprite("looks_thinkforsecs", 26, &[Text("MESSAGE"), Seconds("SECS", 1, 30)]),
    sprite("looks_setsizeto", 1125, &[Number("SIZE", 20, 150)]),
    sprite("looks_changesizeby", 251, &[Number("CHANGE", -10, 10)]),
    sprite("looks_gotofrontback", 748, &[Field("FRONT_BACK", Fixed(&["front", "back"]))]),
    sprite(
        "looks_goforwardbackwardlayers",
        132,
        &[Field("FORWARD_BACKWARD", Fixed(&["forward", "backward"])), Number("NUM", 1, 3)],
    ),
    any("looks_seteffectto", 844, &[Field("EFFECT", EFFECTS), Number("VALUE", 0, 100)]),
    any("looks_changeeffectby", 399, &[Field("EFFECT", EFFECTS), Number("CHANGE", -25, 25)]),
    any("looks_cleargraphiceffects", 148, &[]),
    any("sound_play", 749, &[Menu("SOUND_MENU", "sound_sounds_menu", "SOUND_MENU", Sounds)]),
    any(
        "sound_playuntildone",
        372,
        &[Menu("SOUND_MENU", "sound_sounds_menu", "SOUND_MENU", Sounds)],
    ),
    any("sound_setvolumeto", 230, &[Number("VOLUME", 0, 100)]),
    any("sound_stopallsounds", 39, &[]),
    any("event_broadcast", 2668, &[Message]),
    any("event_broadcastandwait", 273, &[Message]),
    any("control_wait", 4303, &[Seconds("DURATION", 1, 20)]),
    any("control_wait_until", 912, &[Condition("CONDITION")]),
    any("sensing_askandwait", 410, &[Text("QUESTION")]),
    any("sensing_resettimer", 98, &[]),
    any("data_setvariableto", 15558, &[Variable, Number("VALUE", 0, 10)]),
    any("data_changevariableby", 5014, &[Variable, Number("VALUE", -3, 5)]),
    any("data_addtolist", 4378, &[Text("ITEM"), List]),
    any("data_deleteoflist", 555, &[Number("INDEX", 1, 5), List]),
    any("data_deletealloflist", 749, &[List]),
    any("data_insertatlist", 176, &[Text("ITEM"), Number("INDEX", 1, 5), List]),
    any("data_replaceitemoflist", 1813, &[Number("INDEX", 1, 5), List, Text("ITEM")]),
    any("data_showvariable", 292, &[Variable]),
    any("data_hidevariable", 395, &[Variable]),
    any("pen_clear", 343, &[]),
    sprite("pen_stamp", 250, &[]),
    sprite("pen_penDown", 726, &[]),
    sprite("pen_penUp", 661, &[]),
    sprite("pen_setPenColorToColor", 713, &[Colour("COLOR")]),
    sprite("pen_setPenSizeTo", 568, &[Number("SIZE", 1, 10)]),
    sprite(
        "pen_changePenColorParamBy",
        97,
        &[
            Menu("COLOR_PARAM", "pen_menu_colorParam", "colorParam", PEN_PARAMETERS),
            Number("VALUE", 1, 20),
        ],
    ),
    sprite(
        "pen_setPenColorParamTo",
        260,
        &[
            Menu("COLOR_PARAM", "pen_menu_colorParam", "colorParam", PEN_PARAMETERS),
            Number("VALUE", 0, 100),
        ],
    ),
];

/// Statements with branches, except the endless loop.
pub(super) const BRANCHING: &[BlockTemplate] = &[
    any("control_if", 10897, &[Condition("CONDITION"), Branch("SUBSTACK")]),
    any(
        "control_if_else",
        4202,
        &[Condition("CONDITION"), Branch("SUBSTACK"), Branch("SUBSTACK2")],
    ),
    any("control_repeat", 2526, &[Number("TIMES", 2, 10), Branch("SUBSTACK")]),
    any("control_repeat_until", 1267, &[Condition("CONDITION"), Branch("SUBSTACK")]),
];

pub(super) const FOREVER: BlockTemplate = any("control_forever", 4295, &[Branch("SUBSTACK")]);

/// Reporters of numbers and strings, without variables and arguments, which are drawn separately.
pub(super) const VALUES: &[BlockTemplate] = &[
    any("operator_add", 18328, &[Number("NUM1", 0, 10), Number("NUM2", 0, 10)]),
    any("operator_subtract", 10854, &[Number("NUM1", 0, 10), Number("NUM2", 0, 10)]),
    any("operator_multiply", 14758, &[Number("NUM1", -3, 10), Number("NUM2", 0, 10)]),
    any("operator_divide", 6120, &[Number("NUM1", 0, 100), Number("NUM2", 1, 10)]),
    any("operator_mod", 1378, &[Number("NUM1", 0, 100), Number("NUM2", 2, 10)]),
    any("operator_random", 6462, &[Number("FROM", -200, 1), Number("TO", 2, 200)]),
    any("operator_round", 856, &[Number("NUM", 0, 100)]),
    any(
        "operator_mathop",
        5815,
        &[Field("OPERATOR", Fixed(&["abs", "floor", "sqrt", "sin", "cos"])), Number("NUM", 0, 100)],
    ),
    any("operator_join", 4759, &[Text("STRING1"), Text("STRING2")]),
    any("operator_letter_of", 3259, &[Number("LETTER", 1, 3), Text("STRING")]),
    any("operator_length", 681, &[Text("STRING")]),
    sprite("motion_xposition", 1879, &[]),
    sprite("motion_yposition", 1872, &[]),
    sprite("motion_direction", 742, &[]),
    sprite("looks_costumenumbername", 1324, &[Field("NUMBER_NAME", Fixed(&["number", "name"]))]),
    sprite("looks_size", 252, &[]),
    any("sensing_answer", 1470, &[]),
    any("sensing_timer", 847, &[]),
    any("sensing_mousex", 505, &[]),
    any("sensing_mousey", 396, &[]),
    sprite(
        "sensing_distanceto",
        413,
        &[Menu(
            "DISTANCETOMENU",
            "sensing_distancetomenu",
            "DISTANCETOMENU",
            Sprites(&["_mouse_"]),
        )],
    ),
    any("data_itemoflist", 15302, &[Number("INDEX", 1, 3), List]),
    any("data_lengthoflist", 1728, &[List]),
];

pub(super) const CONDITIONS: &[BlockTemplate] = &[
    any("operator_equals", 35081, &[Number("OPERAND1", 0, 10), Number("OPERAND2", 0, 5)]),
    any("operator_gt", 9572, &[Number("OPERAND1", 0, 10), Number("OPERAND2", 0, 20)]),
    any("operator_lt", 8739, &[Number("OPERAND1", 0, 10), Number("OPERAND2", 0, 20)]),
    any("operator_and", 7560, &[Condition("OPERAND1"), Condition("OPERAND2")]),
    any("operator_or", 7081, &[Condition("OPERAND1"), Condition("OPERAND2")]),
    any("operator_not", 6439, &[Condition("OPERAND")]),
    any("operator_contains", 414, &[Text("STRING1"), Text("STRING2")]),
    any("data_listcontainsitem", 743, &[List, Text("ITEM")]),
    sprite(
        "sensing_touchingobject",
        11113,
        &[Menu(
            "TOUCHINGOBJECTMENU",
            "sensing_touchingobjectmenu",
            "TOUCHINGOBJECTMENU",
            Sprites(&["_mouse_", "_edge_"]),
        )],
    ),
    sprite("sensing_touchingcolor", 2407, &[Colour("COLOR")]),
    any(
        "sensing_keypressed",
        8584,
        &[Menu("KEY_OPTION", "sensing_keyoptions", "KEY_OPTION", KEYS)],
    ),
    any("sensing_mousedown", 2268, &[]),
];

pub(super) const HATS: &[(Hat, u64)] = &[
    (Hat::Message, 29301),
    (Hat::Procedure, 14033),
    (Hat::Key, 10195),
    (Hat::Click, 6498),
    (Hat::Clone, 4628),
    (Hat::Backdrop, 1179),
    (Hat::Flag, 34165),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hat {
    Flag,
    Key,
    Click,
    Message,
    Clone,
    Backdrop,
    Procedure,
}

impl Hat {
    pub(super) fn is_started_by_input(self) -> bool {
        matches!(self, Hat::Flag | Hat::Key | Hat::Click)
    }
}
