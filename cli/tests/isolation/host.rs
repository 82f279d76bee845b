//! The resources of the machine, and the studies that execute the probe.

// Unsafe code is needed because System V and POSIX objects have no safe interface.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::passage::Passage;

/// The facts about the machine that the probe needs.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Facts {
    pub(crate) folder: PathBuf,
    pub(crate) results: PathBuf,
    /// The sockets of this test by the question that each answers.
    pub(crate) sockets: BTreeMap<String, PathBuf>,
    /// Sockets on the machine outside the folder of this test.
    pub(crate) others: Vec<PathBuf>,
    pub(crate) name: String,
    pub(crate) isolated: bool,
    pub(crate) tcp: u16,
    pub(crate) tcp_6: u16,
    pub(crate) udp: u16,
    pub(crate) key: i32,
    pub(crate) process: u32,
    pub(crate) child: u32,
    pub(crate) memory: i32,
    pub(crate) address: Option<String>,
}

/// The questions whose answer for a program without isolation is "yes" on every machine.
const OFFERED: [&str; 22] = [
    "abstract datagram",
    "abstract stream",
    "datagram socket",
    "descriptor of another process",
    "file lock",
    "hard link to a socket",
    "late socket",
    "message queue",
    "pipe",
    "posix shared memory",
    "process visible",
    "semaphore",
    "shared memory",
    "signal",
    "socket",
    "socket in /dev/shm",
    "socket through a link",
    "store",
    "tcp",
    "udp",
    "write to /tmp",
    "write to the results",
];

pub(crate) fn say(line: &str) {
    std::io::stdout().write_all(format!("{line}\n").as_bytes()).unwrap();
}

pub(crate) fn test() {
    let host = Host::new();
    let open = host.answers("off");
    for question in OFFERED.into_iter().chain(host.facts.sockets.keys().map(String::as_str)) {
        assert_eq!(open.get(question), Some(&1), "the machine does not offer {question}: {open:?}");
    }
    assert!(open.len() >= 60, "{} questions", open.len());
    say(&format!("without isolation: {} of {} reached", open.values().sum::<u64>(), open.len()));
    host.clear();
    let closed = host.answers("required");
    let reached: Vec<_> = closed.iter().filter(|(_, reached)| **reached > 0).collect();
    assert!(reached.is_empty(), "reached in isolation: {reached:?}");
    assert_eq!(closed.len(), open.len());
    say(&format!("in isolation: 0 of {} reached", closed.len()));
    host.nothing_is_left();
    host.memory_is_limited();
}

struct Host {
    folder: TempDir,
    _passage: Option<Passage>,
    facts: Facts,
    segments: Vec<PathBuf>,
    child: Child,
}

impl Host {
    fn new() -> Host {
        let folder = TempDir::new().unwrap();
        let name = format!("catherd-isolation-{}", std::process::id());
        let path = |file: &str| folder.path().join(file);
        fs::create_dir(path("projects")).unwrap();
        fs::write(path("projects/one"), "one").unwrap();
        let mut sockets = BTreeMap::new();
        for place in ["/dev/shm", "/run", "/var/tmp", "/home", "/tmp"] {
            let socket = Path::new(place).join(format!("{name}.sock"));
            // Skip folders in which the user cannot create files.
            if let Ok(listener) = UnixListener::bind(&socket) {
                serve(listener);
                sockets.insert(format!("socket in {place}"), socket);
            }
        }
        let passage = Passage::new();
        for (question, socket) in passage.iter().flat_map(Passage::sockets) {
            serve(UnixListener::bind(&socket).unwrap());
            sockets.insert(question.to_owned(), socket);
        }
        let socket = path("socket");
        serve(UnixListener::bind(&socket).unwrap());
        sockets.insert("socket".to_owned(), socket);
        for (kind, file) in [(libc::SOCK_SEQPACKET, "packets"), (libc::SOCK_DGRAM, "datagrams")] {
            bind(kind, &path(file));
        }
        let link = path("link");
        std::os::unix::fs::symlink(path("socket"), &link).unwrap();
        sockets.insert("socket through a link".to_owned(), link);
        let own = SocketAddr::from_abstract_name(&name).unwrap();
        serve(UnixListener::bind_addr(&own).unwrap());
        let datagrams = SocketAddr::from_abstract_name(format!("{name}-datagram")).unwrap();
        std::mem::forget(UnixDatagram::bind_addr(&datagrams).unwrap());
        let mut facts = Facts { sockets, name: name.clone(), ..Facts::default() };
        facts.others = others(folder.path());
        facts.tcp = listen(TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap());
        // Not every machine has IPv6.
        facts.tcp_6 = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).map_or(0, listen);
        facts.udp = echo();
        facts.address = own_address();
        facts.key = 0x6361_0000 + (std::process::id() & 0xffff) as i32;
        facts.process = std::process::id();
        let child = Command::new("sleep").arg("1000").spawn().unwrap();
        facts.child = child.id();
        assert!(Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
        // Keep the pipe open for reading, so that a writer does not wait.
        std::mem::forget(fs::OpenOptions::new().read(true).write(true).open(path("pipe")).unwrap());
        let locked = File::create(path("locked")).unwrap();
        locked.lock().unwrap();
        std::mem::forget(locked);
        let segments = vec![PathBuf::from("/dev/shm").join(&name)];
        fs::write(&segments[0], "segment").unwrap();
        let queue = CString::new(format!("/{name}")).unwrap();
        // SAFETY: the strings end with a zero byte, the other arguments are numbers or null, and
        // the payload of the key has one byte.
        unsafe {
            assert!(libc::shmget(facts.key, 4096, libc::IPC_CREAT | 0o600) >= 0);
            assert!(libc::semget(facts.key, 1, libc::IPC_CREAT | 0o600) >= 0);
            assert!(libc::msgget(facts.key, libc::IPC_CREAT | 0o600) >= 0);
            let flags = libc::O_CREAT | libc::O_RDWR;
            // Some kernels have no queues of this kind.
            libc::mq_open(queue.as_ptr(), flags, 0o600, std::ptr::null_mut::<libc::mq_attr>());
            facts.memory = libc::memfd_create(c"catherd".as_ptr(), 0);
            assert!(facts.memory >= 0);
            let key = CString::new(name).unwrap();
            let user = c"user";
            // -4 is KEY_SPEC_USER_KEYRING. Some kernels have no keys.
            libc::syscall(libc::SYS_add_key, user.as_ptr(), key.as_ptr(), c"x".as_ptr(), 1, -4);
        }
        facts.folder = folder.path().to_owned();
        Host { folder, _passage: passage, facts, segments, child }
    }

    /// Runs the probe in a study. Returns the answer to each question: 1 if the resource was
    /// accessible.
    fn answers(&self, isolation: &str) -> BTreeMap<String, u64> {
        let results = self.folder.path().join(format!("out-{isolation}"));
        let isolated = isolation != "off";
        let facts = Facts { results: results.clone(), isolated, ..self.facts() };
        let file = self.folder.path().join(format!("facts-{isolation}.json"));
        fs::write(&file, serde_json::to_vec(&facts).unwrap()).unwrap();
        let late = self.late_socket(&results);
        let command = format!("probe {{out}} {}", file.display());
        let row = self.run(isolation, &results, &command, "");
        late.join().unwrap();
        if isolated {
            assert_eq!(row["isolation"], "full");
        }
        let counts: BTreeMap<String, f64> = serde_json::from_str(&row["metrics"]).unwrap();
        counts.into_iter().map(|(question, reached)| (question, reached as u64)).collect()
    }

    fn facts(&self) -> Facts {
        serde_json::from_slice(&serde_json::to_vec(&self.facts).unwrap()).unwrap()
    }

    /// Makes a socket as soon as a file in the program's folder shows that the program has started.
    fn late_socket(&self, results: &Path) -> std::thread::JoinHandle<()> {
        let (socket, results) = (self.folder.path().join("late"), results.to_owned());
        std::thread::spawn(move || {
            let _ = fs::remove_file(&socket);
            for _ in 0..6000 {
                if find(&results, "started").is_some() {
                    serve(UnixListener::bind(&socket).unwrap());
                    return;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
            panic!("the program has not started");
        })
    }

    /// Runs a study of one run whose program is this executable, and returns the row of `runs.csv`.
    fn run(
        &self,
        isolation: &str,
        results: &Path,
        words: &str,
        parameters: &str,
    ) -> BTreeMap<String, String> {
        let own = std::env::current_exe().unwrap();
        let study = self.folder.path().join("study.toml");
        let text = format!(
            "subject = 'command'\nprojects = ['projects']\nseeds = 1\nbudget.executions = 1\n\
             algorithms = [{{ name = 'a', parameters = {{ command = '{} {words}'{parameters} }} }}]\n",
            own.display()
        );
        fs::write(&study, text).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_catherd"))
            .args(["run", "--quiet", "--isolation", isolation, "--fresh", "--out"])
            .args([results, &study])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned()
            + &String::from_utf8_lossy(&output.stdout);
        let mut rows = csv::Reader::from_path(results.join("runs.csv")).expect(&said);
        let row = rows.deserialize().next().expect(&said).expect(&said);
        let row: BTreeMap<String, String> = row;
        assert!(row["outcome"] != "failed", "{said}");
        row
    }

    fn clear(&self) {
        // SAFETY: all arguments are numbers or null.
        unsafe {
            let left = libc::shmget(self.facts.key + 1, 0, 0);
            libc::shmctl(left, libc::IPC_RMID, std::ptr::null_mut());
        }
        let left = Path::new("/dev/shm").join(format!("{}-left", self.facts.name));
        fs::remove_file(left).unwrap();
    }

    fn nothing_is_left(&self) {
        // SAFETY: all arguments are numbers.
        let left = unsafe { libc::shmget(self.facts.key + 1, 0, 0) };
        assert!(left < 0, "a segment of the program is left");
        let left = Path::new("/dev/shm").join(format!("{}-left", self.facts.name));
        assert!(!left.exists(), "a file in memory of the program is left");
        say("after the run: nothing of it is left");
    }

    /// Checks that files in memory count as memory.
    fn memory_is_limited(&self) {
        let run = |what: &str| {
            let results = self.folder.path().join(format!("out-{what}"));
            let words = format!("fill {what} {{out}}");
            self.run("required", &results, &words, ", run_memory = '300MiB'")
        };
        for what in ["memfd", "segment"] {
            let row = run(what);
            let is_limited = row["outcome"] == "out-of-memory"
                || row["metrics"].contains("\"bytes\"") && bytes(&row) <= 300 << 20;
            assert!(is_limited, "{what}: {row:?}");
        }
        let row = run("files");
        assert!(row["outcome"] == "out-of-memory" || bytes(&row) <= 300 << 20, "{row:?}");
        say("memory: files, segments and descriptors are limited");
    }
}

fn bytes(row: &BTreeMap<String, String>) -> u64 {
    let counts: BTreeMap<String, f64> = serde_json::from_str(&row["metrics"]).unwrap();
    counts["bytes"] as u64
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let sockets = self.facts.sockets.values();
        for path in self.segments.iter().chain(sockets) {
            let _ = fs::remove_file(path);
        }
        let queue = CString::new(format!("/{}", self.facts.name)).unwrap();
        // SAFETY: the string ends with a zero byte, and the other arguments are numbers or null.
        unsafe {
            libc::mq_unlink(queue.as_ptr());
            for key in [self.facts.key, self.facts.key + 1] {
                libc::shmctl(libc::shmget(key, 0, 0), libc::IPC_RMID, std::ptr::null_mut());
            }
            libc::semctl(libc::semget(self.facts.key, 0, 0), 0, libc::IPC_RMID);
            libc::msgctl(libc::msgget(self.facts.key, 0), libc::IPC_RMID, std::ptr::null_mut());
        }
    }
}

fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_name() == name {
                return Some(entry.path());
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(entry.path());
            }
        }
    }
    None
}

fn serve(listener: UnixListener) {
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            let _ = stream.write_all(b"hello");
        }
    });
}

/// Binds a socket of this kind (datagrams or packets) to a path. Nothing reads from the socket.
fn bind(kind: i32, path: &Path) {
    let (address, length) = crate::probe::local_address(path);
    // SAFETY: the address is a plain structure whose length is passed with it, and the other
    // arguments are numbers.
    unsafe {
        let socket = libc::socket(libc::AF_UNIX, kind, 0);
        assert_eq!(libc::bind(socket, (&raw const address).cast(), length), 0);
        if kind == libc::SOCK_SEQPACKET {
            assert_eq!(libc::listen(socket, 5), 0);
        }
    }
}

fn others(own: &Path) -> Vec<PathBuf> {
    let sockets = fs::read_to_string("/proc/net/unix").unwrap_or_default();
    let paths = sockets.lines().filter_map(|line| line.split_whitespace().nth(7));
    let paths = paths.filter(|path| path.starts_with('/')).map(PathBuf::from);
    paths.filter(|path| !path.starts_with(own)).take(20).collect()
}

fn listen(listener: TcpListener) -> u16 {
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.write_all(b"hello");
            let _ = stream.read(&mut [0]);
        }
    });
    port
}

fn echo() -> u16 {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = socket.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let mut bytes = [0; 16];
        while let Ok((count, from)) = socket.recv_from(&mut bytes) {
            let _ = socket.send_to(&bytes[..count], from);
        }
    });
    port
}

/// Returns an address of this machine that is not on loopback.
fn own_address() -> Option<String> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect(("192.0.2.1", 9)).ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback()).then(|| address.to_string())
}
