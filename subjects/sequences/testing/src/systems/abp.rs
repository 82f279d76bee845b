//! The alternating-bit protocol as a system under test.

use std::collections::VecDeque;

use crate::events::Event;

use super::{Answer, CommandError, System};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// After sAck, sAck, the second acknowledgement undoes the first.
    Undo,
    /// After rNak, rAck, no answer is sent.
    Silent,
    /// After sNak, sNak, rAck, no answer is sent.
    SilentLater,
    /// After send, send, sAck, the acknowledgement is ignored.
    Ignored,
}

/// Sender, receiver and both channels, with an application that sends some messages.
#[derive(Clone, Debug, Default)]
pub(super) struct Protocol {
    fault: Option<Fault>,
    messages: i64,
    state: State,
}

#[derive(Clone, Debug, Default)]
struct State {
    sender_bit: bool,
    receiver_bit: bool,
    to_receiver: VecDeque<(bool, i64)>,
    to_sender: VecDeque<bool>,
    next: i64,
    received: Vec<i64>,
    /// The last two events.
    before: [String; 2],
    /// The amount by which the last sAck moved `next`.
    moved: i64,
}

const MESSAGES: i64 = 6;

impl Protocol {
    pub(super) fn new(fault: Option<&str>) -> Protocol {
        let fault = fault.map(|fault| match fault {
            "abp-1" => Fault::Undo,
            "abp-2" => Fault::Silent,
            "abp-3" => Fault::SilentLater,
            _ => Fault::Ignored,
        });
        Protocol { fault, messages: MESSAGES, state: State::default() }
    }
}

impl System for Protocol {
    fn reset(&mut self) -> Result<(), CommandError> {
        self.state = State::default();
        Ok(())
    }

    fn execute(&mut self, event: &Event) -> Result<Answer, CommandError> {
        let (fault, messages) = (self.fault, self.messages);
        let answer = self.state.execute(&event.name, fault, messages);
        self.state.before.rotate_left(1);
        self.state.before[1].clone_from(&event.name);
        Ok(match answer {
            Ok(answer) => answer,
            Err(condition) => Answer::Failed(format!("{}: {condition}", event.name)),
        })
    }
}

impl State {
    fn after(&self, word: &[&str]) -> bool {
        self.before.iter().rev().zip(word.iter().rev()).all(|(event, expected)| event == expected)
    }

    /// The error names the condition that does not hold.
    fn execute(
        &mut self,
        event: &str,
        fault: Option<Fault>,
        messages: i64,
    ) -> Result<Answer, &'static str> {
        let holds = |condition: bool, text| if condition { Ok(()) } else { Err(text) };
        let expected = !self.sender_bit;
        match event {
            "send" => {
                holds(self.to_receiver.len() < 2, "the channel to the receiver is full")?;
                holds(self.next < messages, "no message is left")?;
                self.to_receiver.push_back((self.sender_bit, self.next));
            }
            "sAck" => {
                let front = self.to_sender.front();
                holds(front == Some(&expected), "no expected acknowledgement has arrived")?;
                self.to_sender.pop_front();
                if fault == Some(Fault::Ignored) && self.after(&["send", "send"]) {
                    self.moved = 0;
                    return Ok(Answer::Done);
                }
                let undo = fault == Some(Fault::Undo) && self.after(&["sAck"]);
                let by = if undo { -self.moved } else { 1 };
                if by != 0 {
                    self.sender_bit = !self.sender_bit;
                }
                self.next += by;
                self.moved = by;
            }
            "sNak" => {
                let front = self.to_sender.front();
                holds(
                    front.is_some_and(|bit| *bit != expected),
                    "no old acknowledgement has arrived",
                )?;
                self.to_sender.pop_front();
            }
            "rAck" | "rNak" => {
                holds(self.to_sender.len() < 2, "the channel to the sender is full")?;
                let front = self.to_receiver.front().copied();
                let fits =
                    front.is_some_and(|(bit, _)| (bit == self.receiver_bit) == (event == "rAck"));
                holds(fits, "no such message has arrived")?;
                self.to_receiver.pop_front();
                if let Some((_, message)) = front.filter(|_| event == "rAck") {
                    self.received.push(message);
                    self.receiver_bit = !self.receiver_bit;
                    let silent = match fault {
                        Some(Fault::Silent) => self.after(&["rNak"]),
                        Some(Fault::SilentLater) => self.after(&["sNak", "sNak"]),
                        _ => false,
                    };
                    if silent {
                        return Ok(Answer::Done);
                    }
                }
                self.to_sender.push_back(self.receiver_bit);
            }
            "s2rLoss" => {
                holds(!self.to_receiver.is_empty(), "the channel to the receiver is empty")?;
                self.to_receiver.pop_front();
            }
            "r2sLoss" => {
                holds(!self.to_sender.is_empty(), "the channel to the sender is empty")?;
                self.to_sender.pop_front();
            }
            "s2rReorder" => {
                holds(self.to_receiver.len() > 1, "there are not two messages to reorder")?;
                self.to_receiver.make_contiguous().reverse();
            }
            "r2sReorder" => {
                holds(self.to_sender.len() > 1, "there are not two messages to reorder")?;
                self.to_sender.make_contiguous().reverse();
            }
            "success" | "fail" => {
                holds(self.next == messages, "not all messages are acknowledged")?;
                let complete = self.received.iter().copied().eq(0..messages);
                holds(complete == (event == "success"), "the messages say otherwise")?;
            }
            _ => return Ok(Answer::Skipped),
        }
        Ok(Answer::Done)
    }
}
