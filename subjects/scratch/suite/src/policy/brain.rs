//! Execution of networks, which determine the next event from the state of the program.

use catherd_scratch_vm::{TargetId, TargetView, Tracer, Vm};

use super::network::{Network, Output, Sense, Signal, Subject};
use crate::event::{Event, Interaction, KeyNo, Vocabulary};

/// Half the width and half the height of the stage.
const STAGE: (f64, f64) = (240.0, 180.0);
/// Diagonal of the stage.
const DIAGONAL: f64 = 600.0;

#[derive(Clone, Debug, Default)]
pub(super) struct Brain {
    /// The value of each node in the current decision; until a node is evaluated, its value in the
    /// previous decision.
    values: Vec<f64>,
    /// For the stage and each sprite, the original and its living clones in the order of their
    /// creation.
    instances: Vec<Vec<TargetId>>,
    /// Held keys and the held mouse button, with the step in which they are released.
    held: Vec<(Option<KeyNo>, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Decision {
    /// A key (or the mouse button for `None`) is held down for a number of steps.
    Hold(Option<KeyNo>, u32),
    /// No input is sent for a number of steps.
    Wait(u32),
    Send(Event),
}

impl Network {
    /// The current values of the input nodes, each in -1..=1.
    pub fn seen<T: Tracer>(&self, vm: &mut Vm<T>) -> Vec<f64> {
        let mut brain = Brain::default();
        brain.see(self, vm);
        brain.values.truncate(1 + self.inputs.len());
        brain.values.split_off(1)
    }
}

impl Brain {
    pub(super) fn act<T: Tracer>(
        &mut self,
        network: &Network,
        vm: &mut Vm<T>,
        interaction: &mut Interaction,
        words: &Vocabulary,
        each: &mut impl FnMut(&Vm<T>),
    ) {
        self.release(vm, words);
        self.see(network, vm);
        self.think(network);
        match self.decide(network, vm) {
            Decision::Hold(key, steps) => {
                if self.held.iter().all(|(held, _)| *held != key) {
                    match key {
                        Some(key) => vm.key(pressed(words.key(key)), true),
                        None => vm.mouse_button(true),
                    }
                    self.held.push((key, vm.steps() + u64::from(steps)));
                }
                interaction.pause_watched(vm, each);
            }
            Decision::Wait(steps) => {
                for _ in 0..=steps {
                    interaction.pause_watched(vm, each);
                    if interaction.has_ended() || interaction.is_hung() || vm.is_out_of_fuel() {
                        break;
                    }
                    self.release(vm, words);
                }
            }
            Decision::Send(event) => interaction.send_watched(event, vm, words, each),
        }
    }

    fn release<T: Tracer>(&mut self, vm: &mut Vm<T>, words: &Vocabulary) {
        let now = vm.steps();
        self.held.retain(|&(key, until)| {
            if until <= now {
                match key {
                    Some(key) => vm.key(pressed(words.key(key)), false),
                    None => vm.mouse_button(false),
                }
            }
            until > now
        });
    }

    fn see<T: Tracer>(&mut self, network: &Network, vm: &mut Vm<T>) {
        let outputs: u32 = network.outputs.iter().map(|each| 1 + each.signal.parameters()).sum();
        let nodes = 1 + network.inputs.len() + (network.hidden + outputs) as usize;
        self.values.resize(nodes, 0.0);
        self.instances.iter_mut().for_each(Vec::clear);
        for id in vm.targets() {
            let Some(view) = vm.target(id) else { continue };
            if view.sprite >= self.instances.len() {
                self.instances.resize(view.sprite + 1, Vec::new());
            }
            self.instances[view.sprite].push(id);
        }
        self.values[0] = 1.0;
        for (number, &sense) in network.inputs.iter().enumerate() {
            let seen = self.read(sense, vm).filter(|seen| seen.is_finite());
            self.values[1 + number] = seen.unwrap_or(0.0).clamp(-1.0, 1.0);
        }
    }

    fn read<T: Tracer>(&self, sense: Sense, vm: &mut Vm<T>) -> Option<f64> {
        Some(match sense {
            Sense::MouseX => vm.mouse().0 / STAGE.0,
            Sense::MouseY => vm.mouse().1 / STAGE.1,
            Sense::X(own) => self.visible(own, vm)?.x / STAGE.0,
            Sense::Y(own) => self.visible(own, vm)?.y / STAGE.1,
            Sense::Direction(own) => self.visible(own, vm)?.direction / 180.0,
            Sense::Size(own) => {
                let size = self.visible(own, vm)?.size;
                (size - 100.0) / (size + 100.0)
            }
            Sense::Costume(own) => {
                let view = self.visible(own, vm)?;
                let last = vm.program().costumes(usize::from(own.sprite)).len().checked_sub(1)?;
                2.0 * view.costume as f64 / last.max(1) as f64 - 1.0
            }
            Sense::Variable(own, variable) => {
                let view = self.view(own, vm).filter(|view| view.is_stage || view.visible)?;
                let value = view.variable(variable?)?.js_number();
                value / (value.abs() + 10.0)
            }
            Sense::Right(own, other) => {
                (self.visible(other, vm)?.x - self.visible(own, vm)?.x) / (2.0 * STAGE.0)
            }
            Sense::Above(own, other) => {
                (self.visible(other, vm)?.y - self.visible(own, vm)?.y) / (2.0 * STAGE.1)
            }
            Sense::Color(own, color) => {
                let (id, x, y) = self.visible(own, vm).map(|view| (view.id, view.x, view.y))?;
                let (there_x, there_y) = vm.find_color(id, (x, y), color)?;
                libm::hypot(there_x - x, there_y - y) / DIAGONAL
            }
        })
    }

    fn view<'a, T: Tracer>(&self, of: Subject, vm: &'a Vm<T>) -> Option<TargetView<'a>> {
        let all = self.instances.get(usize::from(of.sprite))?;
        vm.target(*all.get(of.clone as usize)?)
    }

    fn visible<'a, T: Tracer>(&self, of: Subject, vm: &'a Vm<T>) -> Option<TargetView<'a>> {
        self.view(of, vm).filter(|view| view.visible)
    }

    /// Evaluates the hidden nodes and the nodes of the outputs in the order of their numbers, so a
    /// link from the same or a later node reads the value of that node in the previous decision.
    fn think(&mut self, network: &Network) {
        let first = 1 + network.inputs.len();
        let outputs = first + network.hidden as usize;
        let mut links = network.links.iter().peekable();
        for node in first..self.values.len() {
            let mut sum = 0.0;
            while let Some(link) = links.next_if(|link| link.to as usize == node) {
                sum += link.weight * self.values[link.from as usize];
            }
            self.values[node] = if node < outputs { libm::tanh(sum) } else { sum };
        }
    }

    /// The event whose node has the largest value among the possible events, the first if there are
    /// several; one step without input if there is no such event or it cannot be sent.
    fn decide<T: Tracer>(&self, network: &Network, vm: &Vm<T>) -> Decision {
        let mut node = 1 + network.inputs.len() + network.hidden as usize;
        let mut best: Option<(f64, usize, &Output)> = None;
        for output in &network.outputs {
            let value = self.values[node];
            if best.is_none_or(|(most, ..)| value > most) && self.is_possible(output, vm) {
                best = Some((value, node, output));
            }
            node += 1 + output.signal.parameters() as usize;
        }
        let decision = best.and_then(|(_, node, output)| self.event(network, node, output, vm));
        decision.unwrap_or(Decision::Wait(0))
    }

    fn is_possible<T: Tracer>(&self, output: &Output, vm: &Vm<T>) -> bool {
        let answers = matches!(output.signal, Signal::Text(_) | Signal::Number);
        if output.signal != Signal::Wait && answers != vm.is_asking() {
            return false;
        }
        let there = match output.signal {
            Signal::MouseDown => !vm.mouse_down(),
            Signal::MouseTo(subject) | Signal::Click(subject) => {
                self.visible(subject, vm).is_some()
            }
            _ => true,
        };
        let reacts =
            |&(top, runs): &(catherd_scratch_sb3::BlockNo, bool)| vm.is_active(top) == runs;
        there && (output.scripts.is_empty() || output.scripts.iter().any(reacts))
    }

    fn event<T: Tracer>(
        &self,
        network: &Network,
        node: usize,
        output: &Output,
        vm: &Vm<T>,
    ) -> Option<Decision> {
        let parameter = |number: usize| self.values[node + 1 + number];
        let steps = |most: u32| {
            let share = 1.0 / (1.0 + libm::exp(-parameter(0)));
            ((share * f64::from(most)).round() as u32).max(1)
        };
        Some(match output.signal {
            Signal::Key(key) => Decision::Hold(Some(key), steps(network.press)),
            Signal::MouseDown => Decision::Hold(None, steps(network.press)),
            Signal::Wait => Decision::Wait(steps(network.wait)),
            signal => Decision::Send(match signal {
                Signal::MouseMove => Event::MouseMove {
                    x: finite(libm::tanh(parameter(0)) * STAGE.0)?,
                    y: finite(libm::tanh(parameter(1)) * STAGE.1)?,
                },
                Signal::MouseTo(to) => {
                    let view = self.visible(to, vm)?;
                    Event::MouseMoveTo { x: finite(view.x)?, y: finite(view.y)? }
                }
                Signal::Click(Subject { sprite, clone: 0 }) => Event::ClickSprite { sprite },
                Signal::Click(on @ Subject { sprite, clone: instance }) => {
                    let view = self.visible(on, vm)?;
                    Event::ClickClone { sprite, instance, x: view.x, y: view.y }
                }
                Signal::Sound(volume) => Event::Sound { volume },
                Signal::Text(text) => Event::TypeText { text },
                Signal::Number => Event::TypeNumber { number: parameter(0).round() as i32 },
                _ => Event::ClickStage,
            }),
        })
    }
}

fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

/// The key to press: `space` for `any`, which is an entry of key menus but not a key.
fn pressed(key: &str) -> &str {
    if key == "any" { "space" } else { key }
}
