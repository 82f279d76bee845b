//! Simulation of Scratch's three servers, with a population of synthetic projects and injected
//! faults.

// The programs that include this module use different parts of it.
#![allow(dead_code)]

use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use catherd_scratch_corpora::sample::{ProbeOutcome, ServerAddresses};
use catherd_scratch_corpora::synth;
use serde_json::{Value, json};

/// Simulated projects and faults.
#[derive(Clone, Debug)]
pub(crate) struct Population {
    pub(crate) seed: u64,
    /// Mean number of faults per 1000 requests, among the first four requests for a path.
    pub(crate) faults: u64,
    /// Outcomes that do not depend on the seed, by id.
    pub(crate) fixed: BTreeMap<u64, ProbeOutcome>,
}

impl Population {
    pub(crate) fn new(seed: u64, faults: u64) -> Population {
        Population { seed, faults, fixed: BTreeMap::new() }
    }

    pub(crate) fn truth(&self, id: u64) -> ProbeOutcome {
        if let Some(&fixed) = self.fixed.get(&id) {
            return fixed;
        }
        match mix(self.seed, &format!("project {id}")) % 1000 {
            0..500 => ProbeOutcome::Absent,
            500..550 => ProbeOutcome::Unshared,
            550..670 => ProbeOutcome::Remix,
            670..680 => ProbeOutcome::Gone,
            680..700 => ProbeOutcome::OldFormat,
            700..705 => ProbeOutcome::Unreadable,
            705..710 => ProbeOutcome::NoBlocks,
            710..715 => ProbeOutcome::MissingMedia,
            715..720 => ProbeOutcome::DamagedMedia,
            _ => ProbeOutcome::Accepted,
        }
    }
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
}

struct State {
    population: Mutex<Population>,
    attempts: Mutex<HashMap<String, u64>>,
    media: Mutex<HashMap<String, Vec<u8>>>,
    log: Mutex<Vec<LoggedRequest>>,
    in_flight: AtomicUsize,
    max_in_flight: AtomicUsize,
}

#[derive(Clone, Debug)]
pub(crate) struct LoggedRequest {
    pub(crate) at: Instant,
    pub(crate) path: String,
    pub(crate) user_agent: String,
}

impl Server {
    pub(crate) fn start(population: Population, port: u16) -> io::Result<Server> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let address = listener.local_addr()?;
        let state = Arc::new(State {
            population: Mutex::new(population),
            attempts: Mutex::default(),
            media: Mutex::default(),
            log: Mutex::default(),
            in_flight: AtomicUsize::new(0),
            max_in_flight: AtomicUsize::new(0),
        });
        let shared = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = shared.clone();
                // A client may close its connection at any time.
                thread::spawn(move || state.serve_connection(&stream));
            }
        });
        Ok(Server { address, state })
    }

    pub(crate) fn addresses(&self) -> ServerAddresses {
        let at = |host: &str| format!("http://{}/{host}", self.address);
        ServerAddresses { api: at("api"), projects: at("projects"), assets: at("assets") }
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Population)) {
        change(&mut self.state.population.lock().unwrap());
    }

    pub(crate) fn log(&self) -> Vec<LoggedRequest> {
        self.state.log.lock().unwrap().clone()
    }

    pub(crate) fn max_concurrent(&self) -> usize {
        self.state.max_in_flight.load(Ordering::SeqCst)
    }
}

struct Reply {
    status: u16,
    body: Vec<u8>,
}

impl Reply {
    fn ok(body: impl Into<Vec<u8>>) -> Reply {
        Reply { status: 200, body: body.into() }
    }

    fn refused(status: u16) -> Reply {
        Reply { status, body: br#"{"code":"NotFound","message":""}"#.to_vec() }
    }
}

impl State {
    fn serve_connection(&self, stream: &TcpStream) -> io::Result<()> {
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
            let request = LoggedRequest { at: Instant::now(), path: path.clone(), user_agent };
            self.log.lock().unwrap().push(request);
            let now = self.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
            self.max_in_flight.fetch_max(now, Ordering::SeqCst);
            let keep_alive = self.reply(stream, &path);
            self.in_flight.fetch_sub(1, Ordering::SeqCst);
            if !keep_alive? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Returns whether to keep the connection open.
    fn reply(&self, mut stream: &TcpStream, path: &str) -> io::Result<bool> {
        let population = self.population.lock().unwrap().clone();
        let attempt = {
            let mut attempts = self.attempts.lock().unwrap();
            let attempt = attempts.entry(path.to_owned()).or_default();
            *attempt += 1;
            *attempt
        };
        let Reply { status, mut body } = self.expected_reply(&population, path);
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
            Some(3) => return Ok(false),
            Some(4) => {
                send(stream, head(status, body.len(), ""), &body[..body.len() / 2])?;
                return Ok(false);
            }
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

    fn expected_reply(&self, population: &Population, path: &str) -> Reply {
        let mut parts = path.trim_matches('/').split('/');
        let host = parts.next().unwrap_or_default();
        let name = parts.rfind(|part| *part != "get").unwrap_or_default();
        if host == "assets" {
            let media = self.media.lock().unwrap();
            return media.get(name).map_or(Reply::refused(404), |bytes| Reply::ok(bytes.clone()));
        }
        let Ok(id) = name.parse() else { return Reply::refused(404) };
        let truth = population.truth(id);
        match (host, truth) {
            (_, ProbeOutcome::Undecided) => Reply { status: 500, body: Vec::new() },
            ("api", ProbeOutcome::Absent) => Reply::refused(404),
            ("api", _) => Reply::ok(description(id, truth).to_string()),
            (_, ProbeOutcome::Gone | ProbeOutcome::Absent) => Reply::refused(404),
            (_, ProbeOutcome::OldFormat) => {
                Reply::ok(json!({ "objName": "Stage", "children": [] }).to_string())
            }
            (_, ProbeOutcome::Unreadable) => Reply::ok(r#"{"targets": [{"isStage""#),
            (_, ProbeOutcome::NoBlocks) => {
                Reply::ok(r#"{"targets":[{"isStage":true,"name":"Stage","blocks":{}}]}"#)
            }
            _ => Reply::ok(self.project(population.seed, id, truth)),
        }
    }

    fn project(&self, seed: u64, id: u64, truth: ProbeOutcome) -> Vec<u8> {
        let mut files = synth::files(seed, id);
        let json = files.remove("project.json").unwrap();
        let mut media = self.media.lock().unwrap();
        media.extend(files);
        let asset = format!("{:032x}", mix(seed, &format!("media of {id}")));
        match truth {
            ProbeOutcome::DamagedMedia => {
                media.insert(format!("{asset}.svg"), b"<svg/>".to_vec());
            }
            ProbeOutcome::MissingMedia => {}
            _ => return json,
        }
        let mut json: Value = serde_json::from_slice(&json).unwrap();
        let costume = json!({ "name": "lost", "assetId": asset, "dataFormat": "svg" });
        json["targets"][0]["costumes"].as_array_mut().unwrap().push(costume);
        json.to_string().into_bytes()
    }
}

fn description(id: u64, truth: ProbeOutcome) -> Value {
    let shared = truth != ProbeOutcome::Unshared;
    let original = (truth == ProbeOutcome::Remix).then_some(id / 2);
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

/// FNV-1a with a seed, followed by the finaliser of MurmurHash 3.
fn mix(seed: u64, text: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = text
        .bytes()
        .fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}
