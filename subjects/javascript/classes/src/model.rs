//! The model of a program: classes, functions, and the targets that tests call.

use catherd_javascript_machine::instrument::Parameter;
use catherd_javascript_machine::{Machine, MachineError, Program};
use serde::Deserialize;

/// A member of a class as the analyser found it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default)]
pub struct Member {
    /// The name.
    pub name: String,
    /// `method`, `accessor` or `field`.
    pub kind: String,
    /// Number of the function; `None` if the function is not in a target file.
    pub callable: Option<usize>,
    /// The `length` of the function.
    pub length: usize,
    /// Whether an accessor can be read.
    pub reads: bool,
    /// Whether an accessor can be written.
    pub writes: bool,
}

/// A class, function or value that the analyser found.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default)]
pub struct FoundItem {
    /// The kind, such as `class`, `function` or `value`.
    pub kind: String,
    /// The name.
    pub name: String,
    /// The name in the class definition, which instances show.
    pub own: String,
    /// The names of members that lead from the exports to the item.
    pub path: Vec<String>,
    /// Number of the function or class.
    pub callable: Option<usize>,
    /// The `length` of the function or constructor.
    pub length: usize,
    /// Members of an instance, own members first.
    pub members: Vec<Member>,
    /// Members of the class itself.
    pub statics: Vec<Member>,
    /// Whether every attempt to construct an instance failed.
    pub crashed: bool,
}

impl FoundItem {
    /// Whether the item stands for a function or for plain objects that calls returned.
    pub(crate) fn is_shape(&self) -> bool {
        self.kind == "shape" || self.kind == "function" && self.name.starts_with("function ")
    }

    /// Whether an instance has a member of this name.
    pub fn has(&self, name: &str) -> bool {
        self.members.iter().any(|member| member.name == name)
    }
}

/// The name of the parameter that is the receiver of a function.
pub(crate) const RECEIVER: &str = "this";

/// How a target is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// `new C(...)`.
    Constructor,
    /// `c.m(...)`.
    Method,
    /// `c.x`.
    Getter,
    /// `c.x = ...`.
    Setter,
    /// A function or a static method, by its path.
    Function,
}

/// A callable that tests can call.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The name, such as `Chain.add`, `Chain.constructor` or `clamp`.
    pub name: String,
    /// How the target is called.
    pub kind: TargetKind,
    /// The class whose instance the target needs or makes.
    pub class: Option<usize>,
    /// The names of members that lead from the exports to the class or function.
    pub path: Vec<String>,
    /// The name of the member that is called, read or written.
    pub member: String,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// Number of the first parameter among the parameters of all targets.
    pub first_parameter: usize,
    /// The function that a call enters.
    pub function: Option<u32>,
}

/// The classes, functions and targets of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Exported classes in the order of definition, and then observed classes.
    pub classes: Vec<FoundItem>,
    /// Exported functions.
    pub functions: Vec<FoundItem>,
    /// Exported values that are neither classes nor functions.
    pub values: Vec<String>,
    /// The targets.
    pub targets: Vec<Target>,
    /// Number of parameters of all targets.
    pub parameters: usize,
}

impl Model {
    /// Analyses a program by executing it.
    ///
    /// # Errors
    ///
    /// If the program cannot be loaded.
    pub fn of(program: &Program, machine: &mut Machine) -> Result<Model, MachineError> {
        let report = machine.analyse()?;
        let found: Vec<FoundItem> = serde_json::from_value(report).unwrap_or_default();
        let of_kind = |kind: &str| -> Vec<FoundItem> {
            found.iter().filter(|each| each.kind == kind).cloned().collect()
        };
        let values = of_kind("value").into_iter().map(|each| each.name).collect();
        let mut model = Model {
            classes: of_kind("class"),
            functions: of_kind("function"),
            values,
            targets: Vec::new(),
            parameters: 0,
        };
        let config = &program.package.config;
        for (number, class) in model.classes.clone().iter().enumerate() {
            if config.class.as_ref().is_some_and(|only| *only != class.name) {
                // Add only the constructor: the class is not under test, but tests of other classes
                // may need instances.
                model.add(program, number, class, None, None);
                continue;
            }
            model.add(program, number, class, None, None);
            for (members, is_static) in [(&class.members, false), (&class.statics, true)] {
                let mut members: Vec<&Member> = members.iter().collect();
                members.sort_by(|a, b| a.name.cmp(&b.name));
                for member in members {
                    let wanted = config.method.as_ref().is_none_or(|only| *only == member.name);
                    // If files under test are chosen, methods of classes in other files may call
                    // functions in the files under test.
                    let leads = class.callable.is_none() && config.targets.is_some();
                    let leads = leads || member.callable.is_some();
                    if wanted && leads && member.kind != "field" {
                        model.add(program, number, class, Some(member), Some(is_static));
                    }
                }
            }
        }
        if config.class.is_none() {
            for function in model.functions.clone() {
                let parameters = parameters(program, function.callable, function.length);
                let target = Target {
                    name: function.name.clone(),
                    kind: TargetKind::Function,
                    class: None,
                    path: function.path.clone(),
                    member: String::new(),
                    first_parameter: model.parameters,
                    function: function_of(program, function.callable),
                    parameters,
                };
                model.push(target);
            }
        }
        Ok(model)
    }

    /// Adds classes and shapes of values that calls returned; classes only if their code is under
    /// test.
    pub(crate) fn observe(&mut self, classes: &[serde_json::Value]) {
        let found = classes.iter().filter_map(|class| serde_json::from_value(class.clone()).ok());
        self.classes
            .extend(found.filter(|class: &FoundItem| class.callable.is_some() || class.is_shape()));
    }

    /// Adds the methods and accessors of the classes from number `from` on as targets.
    pub(crate) fn add_observed(&mut self, program: &Program, from: usize) {
        for (number, class) in self.classes.clone().iter().enumerate().skip(from) {
            for member in &class.members {
                if member.callable.is_some() && member.kind != "field" {
                    let first = self.targets.len();
                    self.add(program, number, class, Some(member), Some(false));
                    if class.kind == "function" {
                        self.take_receiver(first);
                    }
                }
            }
        }
    }

    /// Adds the receiver to the parameters of functions, which are called by their method `call`.
    fn take_receiver(&mut self, from: usize) {
        for target in &mut self.targets[from..] {
            target.parameters.insert(0, Parameter { name: RECEIVER.to_owned(), default: None });
            self.parameters += 1;
        }
    }

    fn push(&mut self, target: Target) {
        self.parameters += target.parameters.len();
        self.targets.push(target);
    }

    fn add(
        &mut self,
        program: &Program,
        number: usize,
        class: &FoundItem,
        member: Option<&Member>,
        is_static: Option<bool>,
    ) {
        let make = |kind, name: &str, callable, length| Target {
            name: format!("{}.{name}", class.name),
            kind,
            class: Some(number),
            path: class.path.clone(),
            member: name.to_owned(),
            parameters: parameters(program, callable, length),
            first_parameter: 0,
            function: function_of(program, callable),
        };
        // TypeScript does not permit tests to name such a member.
        let hidden = |member: &Member| {
            let name = format!("{}.{}", class.name, member.name);
            let mut files = program.units.files.iter();
            files.any(|file| file.words.declarations.hidden.contains(&name))
        };
        if member.is_some_and(hidden) {
            return;
        }
        let Some(member) = member else {
            let mut target =
                make(TargetKind::Constructor, "constructor", class.callable, class.length);
            target.first_parameter = self.parameters;
            return self.push(target);
        };
        let mut targets = Vec::new();
        if member.kind == "method" {
            let kind =
                if is_static == Some(true) { TargetKind::Function } else { TargetKind::Method };
            targets.push(make(kind, &member.name, member.callable, member.length));
        } else if is_static == Some(false) {
            if member.reads {
                targets.push(make(TargetKind::Getter, &member.name, member.callable, 0));
            }
            if member.writes {
                let mut setter = make(TargetKind::Setter, &member.name, None, 1);
                setter.function = None;
                targets.push(setter);
            }
        }
        for mut target in targets {
            if is_static == Some(true) {
                target.path.push(member.name.clone());
                target.class = None;
            }
            if target.kind == TargetKind::Getter {
                target.parameters.clear();
            }
            target.first_parameter = self.parameters;
            self.push(target);
        }
    }

    /// The constructor of a class.
    pub fn constructor(&self, class: usize) -> Option<&Target> {
        self.targets
            .iter()
            .find(|target| target.kind == TargetKind::Constructor && target.class == Some(class))
    }

    /// Numbers of the targets that need an instance of a class.
    pub fn methods(&self, class: usize) -> Vec<usize> {
        let of_class =
            |target: &Target| target.class == Some(class) && target.kind != TargetKind::Constructor;
        let numbers = 0..self.targets.len();
        numbers.filter(|number| of_class(&self.targets[*number])).collect()
    }

    /// The target and the position of the parameter with this number.
    pub fn parameter(&self, number: usize) -> Option<(&Target, usize)> {
        let after = self.targets.partition_point(|target| target.first_parameter <= number);
        let mut targets = self.targets[..after].iter().rev();
        let target = targets.find(|target| !target.parameters.is_empty())?;
        let index = number.checked_sub(target.first_parameter)?;
        (index < target.parameters.len()).then_some((target, index))
    }
}

fn function_of(program: &Program, callable: Option<usize>) -> Option<u32> {
    program.units.callables.get(callable?)?.function
}

/// The parameters in the source, or unnamed parameters if the source is not known.
fn parameters(program: &Program, callable: Option<usize>, length: usize) -> Vec<Parameter> {
    let known = callable.and_then(|callable| program.parameters(callable));
    let unnamed = |index: usize| Parameter { name: format!("argument{index}"), default: None };
    known.map_or_else(|| (0..length).map(unnamed).collect(), <[Parameter]>::to_vec)
}
