//! Skipping of iterations of loops without screen refresh if the state repeats.
//!
//! From time to time, the state before an iteration is compared with the state before an earlier
//! one. If the state repeats twice after the same amount of fuel, the fuel of further periods is
//! consumed without execution.

pub(crate) mod noted;

use smallvec::SmallVec;

use crate::code::{CommandId, Expr, ExprId, NONE, Op, Slot};
use crate::interpreter::Interpreter;
use crate::program::{Program, Sprite};
use crate::tracer::Tracer;
use crate::value::Value;
use noted::{INTERVAL, Noted};

/// Maximum number of iterations, of all loops, during one search.
const LONGEST_SEARCH: u32 = 1024;

/// Maximum number of iterations of the loop that are compared with the stored iteration.
const LONGEST_PERIOD: u32 = 64;

/// Maximum number of blocks and reporters of a loop that is searched.
const MAX_CODE: usize = 200;

/// Maximum number of frames, and of parameters, of a thread that is searched.
const MAX_FRAMES: usize = 256;

/// Maximum length of a string whose contents are compared, in UTF-16 code units.
const LONGEST_TEXT: usize = 64;

impl<T: Tracer> Interpreter<'_, T> {
    /// Searches for a cycle before an iteration of the loop on top of the stack, and skips the
    /// following periods if there is a cycle.
    #[cold]
    #[inline(never)]
    pub(crate) fn search_cycle(&mut self) {
        self.buffers.cycles.due = 1;
        let depth = self.state.threads[self.thread].stack.len();
        let noted = self.buffers.cycles.noted.take();
        // If this loop contains the loop of the stored state, that loop has ended.
        let Some(mut noted) = noted.filter(|noted| noted.stack.len() <= depth) else {
            match self.note() {
                Some(noted) => self.buffers.cycles.noted = Some(Box::new(noted)),
                None => self.buffers.cycles.due = INTERVAL,
            }
            return;
        };
        noted.left.0 -= 1;
        if noted.stack.len() == depth {
            noted.left.1 -= 1;
            if self.is_noted(&noted) {
                let period = noted.fuel - self.slice_fuel;
                if noted.period == Some(period) {
                    return self.skip(period);
                }
                (noted.fuel, noted.period) = (self.slice_fuel, Some(period));
            }
        }
        if noted.left.0 == 0 || noted.left.1 == 0 {
            self.buffers.cycles.due = INTERVAL;
        } else {
            self.buffers.cycles.noted = Some(noted);
        }
    }

    /// Leaves some fuel of the slice and the step.
    fn skip(&mut self, period: u32) {
        self.buffers.cycles.due = INTERVAL;
        let fuel = u64::from(self.slice_fuel).min(self.state.step_fuel);
        let Some(periods) = fuel.saturating_sub(1).checked_div(u64::from(period)) else { return };
        self.consume_fuel((periods * u64::from(period)) as usize);
    }

    fn note(&self) -> Option<Noted> {
        let thread = &self.state.threads[self.thread];
        let top = thread.stack.last()?;
        if thread.stack.len().max(thread.parameters.len()) > MAX_FRAMES {
            return None;
        }
        let target = &self.state.targets[self.target];
        let draws_lines = target.pen.down && self.program.senses_colors;
        let mut scan = Scan {
            program: self.program,
            sprite: &self.program.sprites[target.sprite as usize],
            left: MAX_CODE,
            set: SmallVec::new(),
            called: SmallVec::new(),
        };
        scan.command(top.block, !draws_lines)?;
        let variables: SmallVec<[_; 8]> =
            scan.set.into_iter().map(|slot| (slot, self.variable(slot).clone())).collect();
        if variables.iter().any(|(_, value)| value.text_len() > LONGEST_TEXT) {
            return None;
        }
        Some(Noted {
            stack: thread.stack.clone(),
            parameters: thread.parameters.clone(),
            variables,
            position: (target.x, target.y),
            hits: self.state.hits,
            drawn: self.state.random.position()?,
            fuel: self.slice_fuel,
            period: None,
            left: (LONGEST_SEARCH, LONGEST_PERIOD),
        })
    }

    fn is_noted(&self, noted: &Noted) -> bool {
        let thread = &self.state.threads[self.thread];
        let target = &self.state.targets[self.target];
        thread.stack.iter().zip(&noted.stack).rev().all(|(now, before)| now.is_same(before))
            && noted.variables.iter().all(|(slot, value)| is_same(self.variable(*slot), value))
            && same_bits(target.x, noted.position.0)
            && same_bits(target.y, noted.position.1)
            && thread.parameters.len() == noted.parameters.len()
            && thread.parameters.iter().zip(&noted.parameters).all(|(a, b)| is_same(a, b))
            && self.state.hits == noted.hits
            && self.state.random.position() == Some(noted.drawn)
    }
}

fn same_bits(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits()
}

/// Whether two values are known to be indistinguishable for blocks.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => same_bits(*a, *b),
        (Value::Text(a), Value::Text(b)) => {
            a.is_shared_with(b) || (a.len() == b.len() && a.len() <= LONGEST_TEXT && a == b)
        }
        (a, b) => a == b,
    }
}

/// Search of a loop's code for blocks with effects that are not compared.
struct Scan<'a> {
    program: &'a Program,
    sprite: &'a Sprite,
    /// Number of blocks and reporters that may still be scanned.
    left: usize,
    /// The variables that the code may set.
    set: SmallVec<[Slot; 8]>,
    called: SmallVec<[u32; 8]>,
}

impl Scan<'_> {
    fn count(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        Some(())
    }

    fn sets(&mut self, slot: Slot) {
        if !self.set.contains(&slot) {
            self.set.push(slot);
        }
    }

    fn branch(&mut self, first: CommandId, moves: bool) -> Option<()> {
        let mut block = first;
        while block != NONE {
            self.command(block, moves)?;
            block = self.program.commands[block as usize].next;
        }
        Some(())
    }

    /// `moves` states whether motion changes only the position of the sprite.
    fn command(&mut self, block: CommandId, moves: bool) -> Option<()> {
        self.count()?;
        let command = &self.program.commands[block as usize];
        if command.early_inputs.0 != command.early_inputs.1 {
            return None;
        }
        match command.op {
            Op::Nothing => Some(()),
            Op::SetVariable(slot, value) | Op::ChangeVariable(slot, value) => {
                self.sets(slot);
                self.expression(value)
            }
            Op::GoToXY(x, y) if moves => {
                self.expression(x)?;
                self.expression(y)
            }
            Op::MoveSteps(n) | Op::ChangeX(n) | Op::ChangeY(n) | Op::SetX(n) | Op::SetY(n)
                if moves =>
            {
                self.expression(n)
            }
            Op::Repeat { times: operand, body }
            | Op::RepeatUntil { condition: operand, body }
            | Op::While { condition: operand, body }
            | Op::If { condition: operand, then: body } => {
                self.expression(operand)?;
                self.branch(body, moves)
            }
            Op::IfElse { condition, then, otherwise } => {
                self.expression(condition)?;
                self.branch(then, moves)?;
                self.branch(otherwise, moves)
            }
            Op::ForEach { variable, count, body } => {
                self.sets(variable);
                self.expression(count)?;
                self.branch(body, moves)
            }
            Op::Call { procedure, arguments: (from, to) } => {
                for &(_, argument) in &self.program.arguments[from as usize..to as usize] {
                    self.expression(argument)?;
                }
                let Some(number) = procedure.filter(|number| !self.called.contains(number)) else {
                    return Some(());
                };
                self.called.push(number);
                self.branch(self.sprite.procedures[number as usize].definition, moves)
            }
            Op::Forever { body } | Op::AllAtOnce { body } => self.branch(body, moves),
            _ => None,
        }
    }

    /// Accepts only expressions that read compared values and values that the loop cannot change.
    fn expression(&mut self, e: ExprId) -> Option<()> {
        self.count()?;
        match self.program.exprs[e.0 as usize] {
            Expr::Number(_)
            | Expr::Constant(_)
            | Expr::Undefined
            | Expr::Variable(_)
            | Expr::Parameter(_)
            | Expr::XPosition
            | Expr::YPosition
            | Expr::Direction
            | Expr::Size
            | Expr::CostumeNumber
            | Expr::BackdropNumber
            | Expr::Volume
            | Expr::Tempo
            | Expr::Counter
            | Expr::Answer
            | Expr::MouseDown
            | Expr::MouseX
            | Expr::MouseY
            | Expr::Timer
            | Expr::LengthOfList(_) => Some(()),
            Expr::Add(a, b)
            | Expr::Subtract(a, b)
            | Expr::Multiply(a, b)
            | Expr::Divide(a, b)
            | Expr::Modulo(a, b)
            | Expr::Less(a, b)
            | Expr::Equals(a, b)
            | Expr::Greater(a, b)
            | Expr::And(a, b)
            | Expr::Or(a, b)
            | Expr::Join(a, b)
            | Expr::LetterOf { letter: a, text: b }
            | Expr::Contains { text: a, part: b } => {
                self.expression(a)?;
                self.expression(b)
            }
            Expr::Round(a)
            | Expr::Math(_, a)
            | Expr::Not(a)
            | Expr::Outcome(a)
            | Expr::Length(a)
            | Expr::KeyPressed(a)
            | Expr::ItemOfList(_, a)
            | Expr::ItemNumberOfList(_, a)
            | Expr::ListContains(_, a) => self.expression(a),
            _ => None,
        }
    }
}
