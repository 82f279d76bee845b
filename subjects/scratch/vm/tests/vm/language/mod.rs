//! A notation for small projects, so that a test contains its whole program.
//!
//! ```text
//! (var v 0) (message go)                  globals; a list `log` always exists
//! (stage SCRIPT...)
//! (sprite A x=10 layer=2 hidden
//!   (var own #5) (costume red 20 20 "#ff0000") (sound pop 0.5)
//!   (flag (repeat@loop 3 [(change v 1)]) (log done)))
//! ```
//!
//! A block is `(name operand...)`, with the short names of [`BLOCKS`], or `(opcode INPUT=value
//! .FIELD=value ...)` in any order of inputs. `@id` after the name sets the id of the block. The
//! operands `10` and `"two words"` are strings (as in files), `#10` is a JSON number, `#t` and `#f`
//! are booleans, `$v` is a variable, `%l` is a list, `_` is nothing, and `[...]` is a branch. A
//! field or message `name/id` has an explicit id; otherwise, the name is the id.

mod forms;
mod vocabulary;

use std::sync::Arc;

use catherd_scratch_sb3::test_support::empty_target;
use catherd_scratch_sb3::{
    Asset, Block, BlockIndex, Costume, Field, Input, List, Literal, Mutation, Opcode, Project,
    RotationStyle, Slot, Sound, Target, Value, Variable,
};

use forms::{Form, parse};
use vocabulary::BLOCKS;

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

/// The name and the id of `name/id`, or of a name that is also the id.
fn named(text: &str) -> (Arc<str>, Arc<str>) {
    let (name, id) = match text.split_once('/') {
        Some((name, id)) if !name.is_empty() => (name, id),
        _ => (text, text),
    };
    (name.into(), id.into())
}

pub(crate) fn project(source: &str) -> Project {
    let mut assets = Vec::new();
    let mut targets = vec![empty_target(true, "Stage")];
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
        let mut sprite = empty_target(false, forms[0].text());
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

/// `(costume name width height colour x y)`: a plain rectangle, whose rotation centre is its middle
/// unless `x` and `y` are given.
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

    /// A block, and the forms after its operands.
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
