//! A server that answers as Scratch's three do, with a population of synthetic projects
//! and faults on purpose.

// Each program that includes this uses its part of it.
#![allow(dead_code)]

use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use catherd_datasets::sample::{Addresses, Outcome};
use catherd_datasets::synth;
use serde_json::{Value, json};

/// What the server serves, and how badly.
#[derive(Clone, Debug)]
pub(crate) struct Population {
    /// Decides which project is what, and which requests go wrong.
    pub(crate) seed: u64,
    /// Of 1000 requests, so many go wrong; asked again and again, every one is answered.
    pub(crate) faults: u64,
    /// What comes of an id whatever the seed says.
    pub(crate) fixed: BTreeMap<u64, Outcome>,
}

impl Population {
    pub(crate) fn new(seed: u64, faults: u64) -> Population {
        Population { seed, faults, fixed: BTreeMap::new() }
    }

    /// What comes of probing an id, if it is decided.
    pub(crate) fn truth(&self, id: u64) -> Outcome {
        if let Some(&fixed) = self.fixed.get(&id) {
            return fixed;
        }
        match mix(self.seed, &format!("project {id}")) % 1000 {
            0..500 => Outcome::Absent,
            500..550 => Outcome::Unshared,
            550..670 => Outcome::Remix,
            670..680 => Outcome::Gone,
            680..700 => Outcome::OldFormat,
            700..705 => Outcome::Unreadable,
            705..710 => Outcome::NoBlocks,
            710..715 => Outcome::MissingMedia,
            715..720 => Outcome::DamagedMedia,
            _ => Outcome::Accepted,
        }
    }
}

/// A running server.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
}

struct State {
    population: Mutex<Population>,
    /// Requests so far, by path.
    attempts: Mutex<HashMap<String, u64>>,
    media: Mutex<HashMap<String, Vec<u8>>>,
    log: Mutex<Vec<Request>>,
    under_way: AtomicUsize,
    most_under_way: AtomicUsize,
}

/// A request that came in.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) at: Instant,
    pub(crate) path: String,
    pub(crate) user_agent: String,
}

impl Server {
    /// Listens on a port of this machine until the process ends.
    pub(crate) fn start(population: Population, port: u16) -> io::Result<Server> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let address = listener.local_addr()?;
        let state = Arc::new(State {
            population: Mutex::new(population),
            attempts: Mutex::default(),
            media: Mutex::default(),
            log: Mutex::default(),
            under_way: AtomicUsize::new(0),
            most_under_way: AtomicUsize::new(0),
        });
        let shared = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = shared.clone();
                // A client that leaves is no trouble of the server's.
                thread::spawn(move || state.converse(&stream));
            }
        });
        Ok(Server { address, state })
    }

    pub(crate) fn addresses(&self) -> Addresses {
        let at = |host: &str| format!("http://{}/{host}", self.address);
        Addresses { api: at("api"), projects: at("projects"), assets: at("assets") }
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Population)) {
        change(&mut self.state.population.lock().unwrap());
    }

    pub(crate) fn log(&self) -> Vec<Request> {
        self.state.log.lock().unwrap().clone()
    }

    /// The most requests that were being answered at the same time.
    pub(crate) fn most_at_once(&self) -> usize {
        self.state.most_under_way.load(Ordering::SeqCst)
    }
}

/// An answer, before anything goes wrong with it.
struct Answer {
    status: u16,
    body: Vec<u8>,
}

impl Answer {
    fn ok(body: impl Into<Vec<u8>>) -> Answer {
        Answer { status: 200, body: body.into() }
    }

    fn refused(status: u16) -> Answer {
        Answer { status, body: br#"{"code":"NotFound","message":""}"#.to_vec() }
    }
}

impl State {
    fn converse(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut lines = BufReader::new(stream).lines();
        while let Some(first) = lines.next() {
            let path = first?.split(' ').nth(1).unwrap_or_default().to_owned();
            let mut user_agent = String::new();
            for line in lines.by_ref() {
                let line = line?;
                if line.is_empty() {
                    break;
                }
                if let Some((name, value)) = line.split_once(": ")
                    && name.eq_ignore_ascii_case("user-agent")
                {
                    user_agent = value.to_owned();
                }
            }
            let path = path.split('?').next().unwrap_or_default().to_owned();
            let request = Request { at: Instant::now(), path: path.clone(), user_agent };
            self.log.lock().unwrap().push(request);
            let now = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
            self.most_under_way.fetch_max(now, Ordering::SeqCst);
            let goes_on = self.answer(stream, &path);
            self.under_way.fetch_sub(1, Ordering::SeqCst);
            if !goes_on? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Answers, well or badly; false if the connection ends with it.
    fn answer(&self, mut stream: &TcpStream, path: &str) -> io::Result<bool> {
        let population = self.population.lock().unwrap().clone();
        let attempt = {
            let mut attempts = self.attempts.lock().unwrap();
            let attempt = attempts.entry(path.to_owned()).or_default();
            *attempt += 1;
            *attempt
        };
        let Answer { status, mut body } = self.truth(&population, path);
        let chance = mix(population.seed, &format!("fault {attempt} {path}"));
        let fault =
            (attempt <= 4 && chance % 1000 < population.faults).then_some(chance / 1000 % 8);
        let head = |status: u16, length: usize, more: &str| {
            format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n{more}\r\n")
        };
        let send = |mut stream: &TcpStream, head: String, body: &[u8]| {
            stream.write_all(&[head.as_bytes(), body].concat())
        };
        match fault {
            Some(0) => send(stream, head(429, 0, "Retry-After: 0\r\n"), b"")?,
            Some(1) => send(stream, head(500, 0, ""), b"")?,
            Some(2) => send(stream, head(503, 0, "Retry-After: 0\r\n"), b"")?,
            // Reset: gone without a word.
            Some(3) => return Ok(false),
            // Cut off: less than was promised.
            Some(4) => {
                send(stream, head(status, body.len(), ""), &body[..body.len() / 2])?;
                return Ok(false);
            }
            // Cut off, and the promise as well.
            Some(5) => {
                body.truncate(body.len() / 2);
                send(stream, head(status, body.len(), ""), &body)?;
            }
            Some(6) => {
                if let Some(byte) = body.first_mut() {
                    *byte ^= 1;
                }
                send(stream, head(status, body.len(), ""), &body)?;
            }
            slow => {
                if slow.is_some() {
                    thread::sleep(Duration::from_millis(100));
                }
                send(stream, head(status, body.len(), ""), &body)?;
            }
        }
        stream.flush()?;
        Ok(true)
    }

    fn truth(&self, population: &Population, path: &str) -> Answer {
        let mut parts = path.trim_matches('/').split('/');
        let host = parts.next().unwrap_or_default();
        let name = parts.rfind(|part| *part != "get").unwrap_or_default();
        if host == "assets" {
            let media = self.media.lock().unwrap();
            return media.get(name).map_or(Answer::refused(404), |bytes| Answer::ok(bytes.clone()));
        }
        let Ok(id) = name.parse() else { return Answer::refused(404) };
        let truth = population.truth(id);
        match (host, truth) {
            (_, Outcome::Undecided) => Answer { status: 500, body: Vec::new() },
            ("api", Outcome::Absent) => Answer::refused(404),
            ("api", _) => Answer::ok(meta(id, truth).to_string()),
            (_, Outcome::Gone | Outcome::Absent) => Answer::refused(404),
            (_, Outcome::OldFormat) => {
                Answer::ok(json!({ "objName": "Stage", "children": [] }).to_string())
            }
            (_, Outcome::Unreadable) => Answer::ok(r#"{"targets": [{"isStage""#),
            (_, Outcome::NoBlocks) => {
                Answer::ok(r#"{"targets":[{"isStage":true,"name":"Stage","blocks":{}}]}"#)
            }
            _ => Answer::ok(self.project(population.seed, id, truth)),
        }
    }

    fn project(&self, seed: u64, id: u64, truth: Outcome) -> Vec<u8> {
        let mut files = synth::files(seed, id);
        let json = files.remove("project.json").unwrap();
        let mut media = self.media.lock().unwrap();
        media.extend(files);
        let asset = format!("{:032x}", mix(seed, &format!("media of {id}")));
        match truth {
            Outcome::DamagedMedia => {
                media.insert(format!("{asset}.svg"), b"<svg/>".to_vec());
            }
            Outcome::MissingMedia => {}
            _ => return json,
        }
        let mut json: Value = serde_json::from_slice(&json).unwrap();
        let costume = json!({ "name": "lost", "assetId": asset, "dataFormat": "svg" });
        json["targets"][0]["costumes"].as_array_mut().unwrap().push(costume);
        json.to_string().into_bytes()
    }
}

fn meta(id: u64, truth: Outcome) -> Value {
    let shared = truth != Outcome::Unshared;
    let original = (truth == Outcome::Remix).then_some(id / 2);
    json!({
        "id": id,
        "title": format!("Project \"{id}\", a game"),
        "visibility": if shared { "visible" } else { "notvisible" },
        "public": shared,
        "is_published": shared,
        "author": { "id": id % 97, "username": format!("Author{}", id % 97) },
        "remix": { "parent": original, "root": original },
        "project_token": format!("1700000000_{id:x}"),
    })
}

/// 64 bits that depend on every byte (FNV-1a, then the end of MurmurHash 3).
fn mix(seed: u64, text: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = text
        .bytes()
        .fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}
