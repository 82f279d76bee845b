//! Frames between a worker and the process of a subject: a byte for the kind, the length of the
//! body as eight bytes, and the body.

use std::io::{self, Read, Write};

use catherd_experiments::{Algorithm, Digest, RunRecord, RunSpec};
use catherd_interface::{Examination, RunError, RunProgress, Survival};
use serde::{Deserialize, Serialize};

/// More than the size of the largest project.
const MAX_BODY: u64 = 2 << 30;

#[derive(Debug, PartialEq)]
pub(super) enum Request {
    Load(Digest, Vec<u8>),
    Examine(Examination),
    Run(Box<RunSpec>, Survival),
    Stop,
}

#[derive(Debug)]
pub(super) enum Answer {
    /// The result of loading a project, which is empty, or of examining it; or why this failed.
    Loaded(Result<Vec<(String, String)>, String>),
    Progress(RunProgress),
    Ended(Box<Result<RunRecord, RunError>>),
}

/// An [`Examination`] as JSON.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Asked {
    Usable,
    Measures,
    Goals(Algorithm),
}

/// The end of a run as JSON.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum End {
    Record(Box<RunRecord>),
    Failed(String),
    TimedOut(String),
    OutOfMemory(String),
    Crashed(String),
    DiskFull(String),
    Stopped,
}

#[derive(Serialize, Deserialize)]
struct Progress {
    work: std::collections::BTreeMap<String, u64>,
    covered: u32,
    goals: u32,
}

impl Request {
    pub(super) fn write(&self, stream: &mut impl Write) -> io::Result<()> {
        match self {
            Request::Load(digest, bytes) => {
                write(stream, b'L', &[digest.0.as_slice(), bytes.as_slice()])
            }
            Request::Examine(asked) => {
                let asked = match asked {
                    Examination::Usable => Asked::Usable,
                    Examination::Measures => Asked::Measures,
                    Examination::Goals(algorithm) => Asked::Goals(algorithm.clone()),
                };
                write(stream, b'X', &[&serde_json::to_vec(&asked)?])
            }
            Request::Run(spec, Survival { under_way, left_out }) => {
                write(stream, b'R', &[&serde_json::to_vec(&(spec, under_way, left_out))?])
            }
            Request::Stop => write(stream, b'S', &[]),
        }
    }

    /// `None` at the end of the stream.
    pub(super) fn read(stream: &mut impl Read) -> io::Result<Option<Request>> {
        let Some((kind, body)) = read(stream)? else { return Ok(None) };
        Ok(Some(match kind {
            b'L' => {
                let (digest, bytes) = body.split_first_chunk().ok_or_else(malformed)?;
                Request::Load(Digest(*digest), bytes.to_vec())
            }
            b'X' => Request::Examine(match serde_json::from_slice(&body)? {
                Asked::Usable => Examination::Usable,
                Asked::Measures => Examination::Measures,
                Asked::Goals(algorithm) => Examination::Goals(algorithm),
            }),
            b'R' => {
                let (spec, under_way, left_out) = serde_json::from_slice(&body)?;
                Request::Run(spec, Survival { under_way, left_out })
            }
            b'S' => Request::Stop,
            _ => return Err(malformed()),
        }))
    }
}

impl Answer {
    pub(super) fn write(self, stream: &mut impl Write) -> io::Result<()> {
        match self {
            Answer::Loaded(result) => write(stream, b'l', &[&serde_json::to_vec(&result)?]),
            Answer::Progress(RunProgress { work, covered, goals }) => {
                let progress = Progress { work, covered, goals };
                write(stream, b'p', &[&serde_json::to_vec(&progress)?])
            }
            Answer::Ended(result) => {
                let end = match *result {
                    Ok(record) => End::Record(Box::new(record)),
                    Err(RunError::Failed(reason)) => End::Failed(reason),
                    Err(RunError::TimedOut(reason)) => End::TimedOut(reason),
                    Err(RunError::OutOfMemory(reason)) => End::OutOfMemory(reason),
                    Err(RunError::Crashed(reason)) => End::Crashed(reason),
                    Err(RunError::DiskFull(reason)) => End::DiskFull(reason),
                    Err(RunError::Stopped) => End::Stopped,
                };
                write(stream, b'e', &[&serde_json::to_vec(&end)?])
            }
        }
    }

    /// `None` at the end of the stream.
    pub(super) fn read(stream: &mut impl Read) -> io::Result<Option<Answer>> {
        let Some((kind, body)) = read(stream)? else { return Ok(None) };
        Ok(Some(match kind {
            b'l' => Answer::Loaded(serde_json::from_slice(&body)?),
            b'p' => {
                let Progress { work, covered, goals } = serde_json::from_slice(&body)?;
                Answer::Progress(RunProgress { work, covered, goals })
            }
            b'e' => Answer::Ended(Box::new(match serde_json::from_slice(&body)? {
                End::Record(record) => Ok(*record),
                End::Failed(reason) => Err(RunError::Failed(reason)),
                End::TimedOut(reason) => Err(RunError::TimedOut(reason)),
                End::OutOfMemory(reason) => Err(RunError::OutOfMemory(reason)),
                End::Crashed(reason) => Err(RunError::Crashed(reason)),
                End::DiskFull(reason) => Err(RunError::DiskFull(reason)),
                End::Stopped => Err(RunError::Stopped),
            })),
            _ => return Err(malformed()),
        }))
    }
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a malformed frame")
}

fn write(stream: &mut impl Write, kind: u8, parts: &[&[u8]]) -> io::Result<()> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    stream.write_all(&[kind])?;
    stream.write_all(&(length as u64).to_le_bytes())?;
    parts.iter().try_for_each(|part| stream.write_all(part))?;
    stream.flush()
}

fn read(stream: &mut impl Read) -> io::Result<Option<(u8, Vec<u8>)>> {
    let mut kind = [0];
    if stream.read(&mut kind)? == 0 {
        return Ok(None);
    }
    let mut length = [0; 8];
    stream.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > MAX_BODY {
        return Err(malformed());
    }
    let mut body = Vec::new();
    stream.take(length).read_to_end(&mut body)?;
    if body.len() as u64 == length { Ok(Some((kind[0], body))) } else { Err(malformed()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_as_they_were_written() {
        let mut stream = Vec::new();
        let load = Request::Load(Digest::of(b"project"), b"project".to_vec());
        load.write(&mut stream).unwrap();
        Request::Stop.write(&mut stream).unwrap();
        let mut rest = stream.as_slice();
        assert_eq!(Request::read(&mut rest).unwrap(), Some(load));
        assert_eq!(Request::read(&mut rest).unwrap(), Some(Request::Stop));
        assert_eq!(Request::read(&mut rest).unwrap(), None);
        let mut answers = Vec::new();
        Answer::Loaded(Err("no".to_owned())).write(&mut answers).unwrap();
        let crash = Box::new(Err(RunError::Crashed("why".to_owned())));
        Answer::Ended(crash).write(&mut answers).unwrap();
        let mut rest = answers.as_slice();
        assert!(matches!(Answer::read(&mut rest), Ok(Some(Answer::Loaded(Err(no)))) if no == "no"));
        let Some(Answer::Ended(end)) = Answer::read(&mut rest).unwrap() else { panic!() };
        assert_eq!(end.unwrap_err(), RunError::Crashed("why".to_owned()));
    }

    #[test]
    fn damaged_frames_are_refused() {
        for damaged in
            [&b"L\x05\0\0\0\0\0\0\0ab"[..], b"R\xff\xff\xff\xff\xff\xff\xff\xff", b"L\x01"]
        {
            assert!(Request::read(&mut &*damaged).is_err());
            assert!(Answer::read(&mut &*damaged).is_err());
        }
        assert!(Request::read(&mut &b"x\0\0\0\0\0\0\0\0"[..]).is_err());
    }
}
