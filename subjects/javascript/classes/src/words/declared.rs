//! Parameters in declarations and comments: their types, and whether calls may leave them out.

use catherd_javascript_machine::Program;
use catherd_javascript_machine::instrument::{Declarations, DefaultValue, Function, Shape};

use super::Words;
use crate::model::{Model, Target, TargetKind};

impl Words {
    pub(super) fn declared_shape(
        &self,
        target: &Target,
        index: usize,
        model: &Model,
    ) -> Option<Shape> {
        let class = target.class.and_then(|class| model.classes.get(class));
        let mut names = self.names(target, model);
        if let (Some(class), false) = (class, target.kind == TargetKind::Constructor) {
            names.insert(0, format!("{}.{}", class.name, target.member));
        }
        if let [.., owner, name] = target.path.as_slice() {
            names.insert(0, format!("{owner}.{name}"));
        }
        let mut lists: Vec<&Vec<Vec<Shape>>> = Vec::new();
        for name in &names {
            lists.extend(self.declared.get(name));
            if let Some(Shape::Named(of)) = self.types.get(name) {
                lists.extend(self.declared.get(of));
            }
            let end = format!(".{name}");
            let by_end = self.declared.iter().filter(|(known, _)| known.ends_with(&end));
            lists.extend(by_end.map(|(_, shapes)| shapes).take(1));
        }
        let of_first = lists.first()?.iter();
        let mut shapes: Vec<Shape> = Vec::new();
        for shape in of_first.filter_map(|shapes| shapes.get(index)) {
            if *shape != Shape::Any && !shapes.contains(shape) {
                shapes.push(shape.clone());
            }
        }
        match shapes.len() {
            0 => None,
            1 => shapes.pop(),
            _ => Some(Shape::Union(shapes)),
        }
    }

    /// The names of members of a variable that a function reads, or takes from parameters that are
    /// patterns (`{}`).
    pub(crate) fn read_of<'w>(
        &'w self,
        function: &'w Function,
        name: &str,
    ) -> impl Iterator<Item = &'w str> {
        let all = self.members.get(&(function.file as usize, name.to_owned()));
        let range = function.range.0..function.range.1;
        let inside = all.into_iter().flatten().filter(move |(at, _)| range.contains(at));
        inside.map(|(_, name)| name.as_str())
    }

    /// Whether the program reads a member of this name from something that may be options.
    pub(crate) fn is_option(&self, name: &str) -> bool {
        self.options.iter().any(|known| known == name)
    }

    /// Whether declarations contain types of members of a class.
    pub(crate) fn declares(&self, class: &str) -> bool {
        let start = format!("{class}.");
        self.declared.keys().any(|name| name.starts_with(&start))
    }

    /// Adds types of parameters from comments, and defaults of parameters that calls may leave out.
    pub(crate) fn complete(&mut self, program: &Program, model: &mut Model) {
        let required: Vec<Option<usize>> =
            model.targets.iter().map(|target| self.required(target, model)).collect();
        for (target, required) in model.targets.iter_mut().zip(required) {
            let function = target.function.and_then(|f| program.units.functions.get(f as usize));
            let comment = function.map_or("", |function| function.comment.as_str());
            let names: Vec<&str> = target.parameters.iter().map(|it| it.name.as_str()).collect();
            let found = Declarations::all_documented(comment, &names);
            let shapes = &mut self.shapes[target.first_parameter..];
            let parameters = target.parameters.iter_mut().zip(shapes).zip(found);
            for (position, ((parameter, shape), found)) in parameters.enumerate() {
                if found.optional || required.is_some_and(|required| position >= required) {
                    parameter.default.get_or_insert(DefaultValue::Other);
                }
                *shape = shape.take().or(found.shape);
            }
        }
    }

    /// Minimum number of arguments of calls of a target, according to declarations.
    fn required(&self, target: &Target, model: &Model) -> Option<usize> {
        let class = target.class.and_then(|class| model.classes.get(class));
        let of_class = class.into_iter().flat_map(|class| [&class.name, &class.own]);
        let mut names: Vec<String> = match target.kind {
            TargetKind::Constructor => of_class.cloned().collect(),
            _ => of_class.map(|class| format!("{class}.{}", target.member)).collect(),
        };
        names.extend(self.names(target, model));
        names.iter().find_map(|name| self.required_by(name)).copied()
    }

    fn required_by(&self, name: &str) -> Option<&usize> {
        let of_type = || match self.types.get(name) {
            Some(Shape::Named(of)) => self.required.get(of),
            _ => None,
        };
        self.required.get(name).or_else(of_type)
    }
}
