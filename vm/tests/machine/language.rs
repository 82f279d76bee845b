//! A notation for small projects, so that a test shows its whole program.
//!
//! ```text
//! (var v 0) (message go)                  globals; a list `log` always exists
//! (stage SCRIPT...)
//! (sprite A x=10 layer=2 hidden
//!   (var own #5) (costume red 20 20 "#ff0000") (sound pop 0.5)
//!   (flag (repeat@loop 3 [(change v 1)]) (log done)))
//! ```
//!
//! A block is `(name operand...)`, by the short names of [`BLOCKS`], or
//! `(opcode INPUT=value .FIELD=value ...)` in any order of inputs. `@id` after the name
//! sets its id. Operands: `10` and `"two words"` are texts (as in files), `#10`, `#t` and
//! `#f` JSON numbers and booleans, `$v` a variable, `%l` a list, `_` nothing; `[...]` is a
//! branch. A field or message `name/id` gives the id apart; else the name is the id.

use std::sync::Arc;

use catherd_sb3::{
    Asset, Block, BlockIndex, Costume, Field, Input, List, Literal, Mutation, Opcode, Project,
    RotationStyle, Slot, Sound, Target, Value, Variable,
};

/// Short names: opcode, then operands in order; `.X` is a field, `SUBSTACK` a branch.
const BLOCKS: &str = "
    flag event_whenflagclicked
    key event_whenkeypressed .KEY_OPTION
    clicked event_whenthisspriteclicked
    stage-clicked event_whenstageclicked
    shown event_whenbackdropswitchesto .BACKDROP
    received event_whenbroadcastreceived .BROADCAST_OPTION
    cloned control_start_as_clone
    when-touching event_whentouchingobject TOUCHINGOBJECTMENU
    when-greater event_whengreaterthan .WHENGREATERTHANMENU VALUE
    when-motion videoSensing_whenMotionGreaterThan REFERENCE

    move motion_movesteps STEPS
    goto-xy motion_gotoxy X Y
    goto motion_goto TO
    right motion_turnright DEGREES
    left motion_turnleft DEGREES
    point motion_pointindirection DIRECTION
    towards motion_pointtowards TOWARDS
    glide motion_glidesecstoxy SECS X Y
    glide-to motion_glideto SECS TO
    bounce motion_ifonedgebounce
    style motion_setrotationstyle .STYLE
    change-x motion_changexby DX
    set-x motion_setx X
    change-y motion_changeyby DY
    set-y motion_sety Y
    x motion_xposition
    y motion_yposition
    direction motion_direction

    say looks_say MESSAGE
    think looks_think MESSAGE
    say-for looks_sayforsecs MESSAGE SECS
    think-for looks_thinkforsecs MESSAGE SECS
    show looks_show
    hide looks_hide
    costume looks_switchcostumeto COSTUME
    next-costume looks_nextcostume
    backdrop looks_switchbackdropto BACKDROP
    backdrop-wait looks_switchbackdroptoandwait BACKDROP
    next-backdrop looks_nextbackdrop
    change-effect looks_changeeffectby .EFFECT CHANGE
    set-effect looks_seteffectto .EFFECT VALUE
    clear-effects looks_cleargraphiceffects
    set-size looks_setsizeto SIZE
    change-size looks_changesizeby CHANGE
    layer looks_gotofrontback .FRONT_BACK
    layers looks_goforwardbackwardlayers .FORWARD_BACKWARD NUM
    size looks_size
    costume-of looks_costumenumbername .NUMBER_NAME
    backdrop-of looks_backdropnumbername .NUMBER_NAME

    play sound_play SOUND_MENU
    play-done sound_playuntildone SOUND_MENU
    stop-sounds sound_stopallsounds
    set-volume sound_setvolumeto VOLUME
    change-volume sound_changevolumeby VOLUME
    volume sound_volume
    set-sound sound_seteffectto .EFFECT VALUE
    change-sound sound_changeeffectby .EFFECT VALUE
    clear-sound sound_cleareffects

    broadcast event_broadcast BROADCAST_INPUT
    broadcast-wait event_broadcastandwait BROADCAST_INPUT

    wait control_wait DURATION
    repeat control_repeat TIMES SUBSTACK
    forever control_forever SUBSTACK
    if control_if CONDITION SUBSTACK
    if-else control_if_else CONDITION SUBSTACK SUBSTACK2
    wait-until control_wait_until CONDITION
    until control_repeat_until CONDITION SUBSTACK
    while control_while CONDITION SUBSTACK
    for control_for_each .VARIABLE VALUE SUBSTACK
    at-once control_all_at_once SUBSTACK
    stop control_stop .STOP_OPTION
    clone control_create_clone_of CLONE_OPTION
    delete-clone control_delete_this_clone
    counter control_get_counter
    incr-counter control_incr_counter
    clear-counter control_clear_counter

    touching sensing_touchingobject TOUCHINGOBJECTMENU
    touching-color sensing_touchingcolor COLOR
    color-touching sensing_coloristouchingcolor COLOR COLOR2
    distance sensing_distanceto DISTANCETOMENU
    ask sensing_askandwait QUESTION
    answer sensing_answer
    key? sensing_keypressed KEY_OPTION
    mouse-down sensing_mousedown
    mouse-x sensing_mousex
    mouse-y sensing_mousey
    drag-mode sensing_setdragmode .DRAG_MODE
    loudness sensing_loudness
    loud sensing_loud
    timer sensing_timer
    reset-timer sensing_resettimer
    of sensing_of .PROPERTY OBJECT
    current sensing_current .CURRENTMENU
    days sensing_dayssince2000
    username sensing_username

    + operator_add NUM1 NUM2
    - operator_subtract NUM1 NUM2
    * operator_multiply NUM1 NUM2
    / operator_divide NUM1 NUM2
    random operator_random FROM TO
    > operator_gt OPERAND1 OPERAND2
    < operator_lt OPERAND1 OPERAND2
    = operator_equals OPERAND1 OPERAND2
    and operator_and OPERAND1 OPERAND2
    or operator_or OPERAND1 OPERAND2
    not operator_not OPERAND
    join operator_join STRING1 STRING2
    letter operator_letter_of LETTER STRING
    length operator_length STRING
    contains operator_contains STRING1 STRING2
    mod operator_mod NUM1 NUM2
    round operator_round NUM
    math operator_mathop .OPERATOR NUM

    set data_setvariableto .VARIABLE VALUE
    change data_changevariableby .VARIABLE VALUE
    show-var data_showvariable .VARIABLE
    hide-var data_hidevariable .VARIABLE
    show-list data_showlist .LIST
    hide-list data_hidelist .LIST
    contents data_listcontents .LIST
    add data_addtolist .LIST ITEM
    delete data_deleteoflist .LIST INDEX
    delete-all data_deletealloflist .LIST
    insert data_insertatlist .LIST ITEM INDEX
    replace data_replaceitemoflist .LIST INDEX ITEM
    item data_itemoflist .LIST INDEX
    item# data_itemnumoflist .LIST ITEM
    items data_lengthoflist .LIST
    has data_listcontainsitem .LIST ITEM
    arg argument_reporter_string_number .VALUE
    arg? argument_reporter_boolean .VALUE

    pen-clear pen_clear
    stamp pen_stamp
    pen-down pen_penDown
    pen-up pen_penUp
    pen-color pen_setPenColorToColor COLOR
    pen-set pen_setPenColorParamTo COLOR_PARAM VALUE
    pen-change pen_changePenColorParamBy COLOR_PARAM VALUE
    pen-size pen_setPenSizeTo SIZE
    pen-grow pen_changePenSizeBy SIZE
    drum music_playDrumForBeats DRUM BEATS
    rest music_restForBeats BEATS
    note music_playNoteForBeats NOTE BEATS
    set-tempo music_setTempo TEMPO
    change-tempo music_changeTempo TEMPO
    tempo music_getTempo
    speak text2speech_speakAndWait WORDS
    translate translate_getTranslate WORDS LANGUAGE
";

#[derive(Clone, Debug)]
enum Form {
    Word(String),
    Quoted(String),
    List(Vec<Form>),
    Branch(Vec<Form>),
    Keyed(String, Box<Form>),
}

impl Form {
    fn text(&self) -> &str {
        match self {
            Form::Word(w) | Form::Quoted(w) => w,
            other => panic!("a word, not {other:?}"),
        }
    }
}

fn parse(source: &str) -> Vec<Form> {
    let mut chars = source.chars().peekable();
    let forms = sequence(&mut chars, None);
    assert!(chars.next().is_none());
    forms
}

fn sequence(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, end: Option<char>) -> Vec<Form> {
    let mut forms = Vec::new();
    loop {
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        match chars.peek().copied() {
            None if end.is_none() => return forms,
            c if c == end => {
                chars.next();
                return forms;
            }
            _ => forms.push(form(chars)),
        }
    }
}

fn form(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Form {
    match chars.next().expect("a form") {
        '(' => Form::List(sequence(chars, Some(')'))),
        '[' => Form::Branch(sequence(chars, Some(']'))),
        '"' => Form::Quoted(chars.by_ref().take_while(|&c| c != '"').collect()),
        first => {
            let mut word = String::from(first);
            while let Some(c) = chars.next_if(|&c| !c.is_whitespace() && !"()[]\"".contains(c)) {
                let key = word.chars().all(|c| c.is_alphanumeric() || "._".contains(c));
                if c == '=' && key {
                    return Form::Keyed(word, Box::new(form(chars)));
                }
                word.push(c);
            }
            Form::Word(word)
        }
    }
}

/// The value of a literal.
fn scalar(form: &Form) -> Value {
    match form {
        Form::Word(w) if w == "#t" => Value::Bool(true),
        Form::Word(w) if w == "#f" => Value::Bool(false),
        Form::Word(w) => match w.strip_prefix('#').and_then(|n| n.parse().ok()) {
            Some(n) => Value::Number(n),
            None => Value::Text(w.as_str().into()),
        },
        other => Value::Text(other.text().into()),
    }
}

/// `name/id`, or a name that is the id too.
fn named(text: &str) -> (Arc<str>, Arc<str>) {
    let (name, id) = match text.split_once('/') {
        Some((name, id)) if !name.is_empty() => (name, id),
        _ => (text, text),
    };
    (name.into(), id.into())
}

/// The project that a source describes.
pub(crate) fn project(source: &str) -> Project {
    let mut assets = Vec::new();
    let mut targets = vec![target(true, "Stage")];
    let (mut sprites, mut own) = (Vec::new(), Vec::new());
    for form in parse(source) {
        let Form::List(list) = &form else { panic!("a list, not {form:?}") };
        match list[0].text() {
            "stage" => own.extend(list[1..].iter().cloned()),
            "sprite" => sprites.push(list[1..].to_vec()),
            _ => own.push(form),
        }
    }
    let log = List { id: "log".into(), name: "log".into(), items: Vec::new() };
    targets[0].lists.push(log);
    fill(&mut targets[0], &own, &mut assets);
    for (i, forms) in sprites.iter().enumerate() {
        let mut sprite = target(false, forms[0].text());
        sprite.layer_order = i as f64 + 1.0;
        let before: &Target = &targets[i];
        sprite.first_block = before.first_block + before.blocks.len() as u32;
        fill(&mut sprite, &forms[1..], &mut assets);
        targets.push(sprite);
    }
    Project {
        targets,
        monitors: Vec::new(),
        extensions: Vec::new(),
        assets: assets.into(),
        warnings: Vec::new(),
    }
}

fn target(is_stage: bool, name: &str) -> Target {
    Target {
        is_stage,
        name: name.into(),
        variables: Vec::new(),
        lists: Vec::new(),
        broadcasts: Vec::new(),
        blocks: Vec::new(),
        first_block: 0,
        current_costume: 0.0,
        costumes: Vec::new(),
        sounds: Vec::new(),
        volume: 100.0,
        layer_order: 0.0,
        tempo: 60.0,
        x: 0.0,
        y: 0.0,
        size: 100.0,
        direction: 90.0,
        visible: true,
        draggable: false,
        rotation_style: RotationStyle::AllAround,
    }
}

fn fill(target: &mut Target, forms: &[Form], assets: &mut Vec<Asset>) {
    for form in forms {
        let list = match form {
            Form::List(list) => list,
            Form::Keyed(key, value) => {
                property(target, key, value.text());
                continue;
            }
            flag => {
                match flag.text() {
                    "hidden" => target.visible = false,
                    "draggable" => target.draggable = true,
                    other => panic!("unknown word {other}"),
                }
                continue;
            }
        };
        let args = &list[1..];
        match list[0].text() {
            "var" => {
                let (name, id) = named(args[0].text());
                let value = args.get(1).map_or(Value::Text("0".into()), scalar);
                target.variables.push(Variable { id, name, value, cloud: false });
            }
            "list" => {
                let (name, id) = named(args[0].text());
                let items = args[1..].iter().map(scalar).collect();
                target.lists.push(List { id, name, items });
            }
            "message" => {
                target.broadcasts.extend(args.iter().map(|m| {
                    let (name, id) = named(m.text());
                    (id, name)
                }));
            }
            "costume" if args.len() != 1 || target.is_stage => costume(target, args, assets),
            "sound" => {
                let seconds: f64 = args[1].text().parse().unwrap();
                let name = args[0].text().into();
                let sample_count = seconds * 1000.0;
                target.sounds.push(Sound { name, asset: None, rate: 1000.0, sample_count });
            }
            _ => Scripts { target }.script(list),
        }
    }
    if target.costumes.is_empty() {
        let (name, size, color) = if target.is_stage {
            ("backdrop", ["480", "360"], "#ffffff")
        } else {
            ("square", ["20", "20"], "#ff0000")
        };
        let args = [name, size[0], size[1], color].map(|w| Form::Word(w.to_owned()));
        costume(target, &args, assets);
    }
}

fn property(target: &mut Target, key: &str, value: &str) {
    let number = || value.parse::<f64>().unwrap();
    match key {
        "x" => target.x = number(),
        "y" => target.y = number(),
        "size" => target.size = number(),
        "direction" => target.direction = number(),
        "layer" => target.layer_order = number(),
        "volume" => target.volume = number(),
        "current" => target.current_costume = number(),
        "style" => {
            target.rotation_style = match value {
                "left-right" => RotationStyle::LeftRight,
                "none" => RotationStyle::DontRotate,
                _ => RotationStyle::AllAround,
            }
        }
        other => panic!("unknown property {other}"),
    }
}

/// `(costume name width height colour x y)`: a plain rectangle, turned around its middle
/// unless the last two say otherwise.
fn costume(target: &mut Target, args: &[Form], assets: &mut Vec<Asset>) {
    let arg = |i: usize, default: &str| args.get(i).map_or(default, |f| f.text()).to_owned();
    let (w, h) = (arg(1, "480"), arg(2, "360"));
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" \
         viewBox=\"0 0 {w} {h}\"><rect width=\"{w}\" height=\"{h}\" fill=\"{}\"/></svg>",
        arg(3, "#ffffff")
    );
    let half = |side: &str| side.parse::<f64>().unwrap() / 2.0;
    let center = |i: usize, side: &str| args.get(i).map_or(half(side), |c| half(c.text()) * 2.0);
    target.costumes.push(Costume {
        name: arg(0, "").into(),
        asset: Some(assets.len() as u32),
        vector: true,
        bitmap_resolution: None,
        rotation_center: Some((center(4, &w), center(5, &h))),
    });
    let name = format!("{}.svg", assets.len()).into();
    assets.push(Asset { name, bytes: svg.into_bytes().into() });
}

struct Scripts<'a> {
    target: &'a mut Target,
}

impl Scripts<'_> {
    fn script(&mut self, form: &[Form]) {
        match form[0].text() {
            "define" => self.define(&form[1..], false),
            "define-warp" => self.define(&form[1..], true),
            "loose" => {
                if let Some(top) = self.stack(&form[1..]) {
                    self.target.blocks[top as usize].top_level = true;
                }
            }
            _ => {
                let (hat, rest) = self.block(form);
                self.target.blocks[hat as usize].top_level = true;
                self.target.blocks[hat as usize].next = self.stack(&rest);
            }
        }
    }

    /// `(define "code" (a (b default) ...) BLOCK...)`
    fn define(&mut self, form: &[Form], warp: bool) {
        let definition = self.new_block(Opcode::ProceduresDefinition, "");
        let prototype = self.new_block(Opcode::ProceduresPrototype, "");
        let Form::List(parameters) = &form[1] else { panic!("parameters") };
        let (names, defaults): (Vec<Arc<str>>, Vec<Value>) = parameters
            .iter()
            .map(|p| match p {
                Form::List(pair) => (pair[0].text().into(), scalar(&pair[1])),
                name => (name.text().into(), Value::Text("".into())),
            })
            .unzip();
        self.target.blocks[prototype as usize].mutation = Some(Mutation::Prototype {
            proccode: form[0].text().into(),
            ids: (0..names.len()).map(|i| i.to_string().into()).collect(),
            names,
            defaults,
            warp,
        });
        let slot = Slot::Block(prototype);
        let input = Input { name: "custom_block".into(), shadow: slot.clone(), block: slot };
        let next = self.stack(&form[2..]);
        let block = &mut self.target.blocks[definition as usize];
        block.inputs.push(input);
        (block.top_level, block.next) = (true, next);
    }

    fn new_block(&mut self, opcode: Opcode, id: &str) -> BlockIndex {
        let index = self.target.blocks.len();
        let id = if id.is_empty() { format!("n{index}") } else { id.to_owned() };
        self.target.blocks.push(Block {
            id: id.into(),
            opcode,
            unknown: None,
            next: None,
            parent: None,
            inputs: Vec::new(),
            fields: Vec::new(),
            shadow: false,
            top_level: false,
            mutation: None,
        });
        index as BlockIndex
    }

    fn stack(&mut self, forms: &[Form]) -> Option<BlockIndex> {
        let mut top = None;
        let mut last: Option<BlockIndex> = None;
        for form in forms {
            let Form::List(list) = form else { panic!("a block, not {form:?}") };
            let (block, rest) = self.block(list);
            assert!(rest.is_empty(), "too many operands: {list:?}");
            match last {
                Some(last) => self.target.blocks[last as usize].next = Some(block),
                None => top = Some(block),
            }
            last = Some(block);
        }
        top
    }

    /// A block, and what stands behind its operands.
    fn block(&mut self, form: &[Form]) -> (BlockIndex, Vec<Form>) {
        let (name, id) = form[0].text().split_once('@').unwrap_or((form[0].text(), ""));
        if name == "log" {
            let mut long = vec![Form::Word("add".into()), Form::Word("log".into())];
            long.extend_from_slice(&form[1..]);
            return self.block(&long);
        }
        if name == "call" {
            return (self.call(&form[1..], id), Vec::new());
        }
        let line = BLOCKS.lines().find(|l| l.split_whitespace().next() == Some(name));
        let mut words = line.unwrap_or("").split_whitespace().skip(1);
        let opcode_name = words.next().unwrap_or(name);
        let opcode = Opcode::from_name(opcode_name);
        assert!(line.is_some() || name.contains('_'), "unknown block {name}");
        let index = self.new_block(opcode, id);
        if opcode == Opcode::Unknown {
            self.target.blocks[index as usize].unknown = Some(opcode_name.into());
        }
        let mut rest = form[1..].iter();
        let mut operands: Vec<(String, Form)> = Vec::new();
        for word in words {
            let operand = rest.next().unwrap_or_else(|| panic!("{name} lacks {word}"));
            operands.push((word.to_owned(), operand.clone()));
        }
        let mut body = Vec::new();
        for form in rest {
            match form {
                Form::Keyed(key, value) => operands.push((key.clone(), (**value).clone())),
                other => body.push(other.clone()),
            }
        }
        for (key, value) in operands {
            match key.strip_prefix('.') {
                Some(field) => self.field(index, field, &value),
                None => self.input(index, &key, &value),
            }
        }
        (index, body)
    }

    fn field(&mut self, block: BlockIndex, name: &str, value: &Form) {
        let (value, id) = match value {
            Form::Word(w) if matches!(name, "VARIABLE" | "LIST" | "BROADCAST_OPTION") => {
                let (name, id) = named(w);
                (Value::Text(name), Some(id))
            }
            other => (scalar(other), None),
        };
        let field = Field { name: name.into(), value, id };
        self.target.blocks[block as usize].fields.push(field);
    }

    fn input(&mut self, block: BlockIndex, name: &str, value: &Form) {
        let slot = match value {
            Form::Word(w) if w == "_" => return,
            Form::Word(w) if name == "BROADCAST_INPUT" => {
                let (name, id) = named(w);
                Slot::Literal(Literal::Broadcast { name, id })
            }
            Form::Word(w) if w.len() > 1 && w.starts_with(['$', '%']) => {
                let (name, id) = named(&w[1..]);
                Slot::Literal(if w.starts_with('$') {
                    Literal::Variable { name, id }
                } else {
                    Literal::List { name, id }
                })
            }
            Form::List(list) => {
                let (reporter, rest) = self.block(list);
                assert!(rest.is_empty(), "too many operands: {list:?}");
                Slot::Block(reporter)
            }
            Form::Branch(blocks) => match self.stack(blocks) {
                Some(top) => Slot::Block(top),
                None => return,
            },
            literal => Slot::Literal(Literal::Value {
                opcode: Opcode::from_name("text"),
                value: scalar(literal),
            }),
        };
        let input = Input { name: name.into(), block: slot.clone(), shadow: slot };
        self.target.blocks[block as usize].inputs.push(input);
    }

    fn call(&mut self, form: &[Form], id: &str) -> BlockIndex {
        let index = self.new_block(Opcode::ProceduresCall, id);
        let proccode = form[0].text().into();
        self.target.blocks[index as usize].mutation = Some(Mutation::Call { proccode });
        for (i, argument) in form[1..].iter().enumerate() {
            match argument {
                Form::Keyed(key, value) => self.input(index, key, value),
                argument => self.input(index, &i.to_string(), argument),
            }
        }
        index
    }
}
