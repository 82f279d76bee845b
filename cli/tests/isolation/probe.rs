//! The probe: a program that tries to access resources of the machine.

// Unsafe code is needed because most of the calls have no safe interface.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, UdpSocket};
use std::os::fd::FromRawFd as _;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::net::{SocketAddr as LocalAddress, UnixDatagram, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::host::Facts;

/// Maximum wait for an answer.
const WAIT: Duration = Duration::from_millis(500);

pub(crate) fn ask(out: &str, facts: &str) {
    // Check the inherited descriptors before this program opens others.
    let descriptor = has_descriptor();
    let facts: Facts = serde_json::from_slice(&fs::read(facts).unwrap()).unwrap();
    // Files are visible, and can be listed.
    let mut names = fs::read_dir(&facts.folder).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.any(|name| name == "locked"), "the files of the machine are not visible");
    fs::write("started", "").unwrap();
    let mut answers = BTreeMap::new();
    answers.insert("descriptor that was left open".to_owned(), descriptor);
    sockets(&facts, &mut answers);
    network(&facts, &mut answers);
    shared_objects(&facts, &mut answers);
    files(&facts, &mut answers);
    devices(&mut answers);
    processes(&facts, &mut answers);
    privileges(&facts, &mut answers);
    let counts: BTreeMap<&str, u8> =
        answers.iter().map(|(question, reached)| (question.as_str(), u8::from(*reached))).collect();
    write(out, &serde_json::json!(counts));
}

fn write(out: &str, counts: &serde_json::Value) {
    let result = serde_json::json!({ "goals": 1, "covered": [0], "counts": counts });
    fs::write(out, result.to_string()).unwrap();
}

/// Whether this program was started with a descriptor of anything but a pipe, `/dev/null` or a file
/// in `/proc`.
fn has_descriptor() -> bool {
    let entries = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let targets = entries.filter_map(|entry| fs::read_link(entry.path()).ok());
    targets.into_iter().any(|target| {
        let text = target.to_string_lossy().into_owned();
        let is_own = text.starts_with("pipe:") || text == "/dev/null" || text.starts_with("/proc/");
        !is_own
    })
}

type Answers = BTreeMap<String, bool>;

fn connects(path: &Path) -> bool {
    UnixStream::connect(path).is_ok()
}

fn sockets(facts: &Facts, answers: &mut Answers) {
    let mut add = |question: &str, reached: bool| answers.insert(question.to_owned(), reached);
    for (question, path) in &facts.sockets {
        add(question, connects(path));
    }
    let path = |file: &str| facts.folder.join(file);
    add("other sockets", facts.others.iter().any(|path| connects(path)));
    for known in [
        "/run/dbus/system_bus_socket",
        "/var/run/docker.sock",
        "/run/containerd/containerd.sock",
        "/run/postgresql/.s.PGSQL.5432",
        "/var/run/mysqld/mysqld.sock",
        "/run/systemd/private",
        "/run/user/0/bus",
        "/tmp/.X11-unix/X0",
    ] {
        add(&format!("socket {known}"), connects(Path::new(known)));
    }
    let datagrams = UnixDatagram::unbound().unwrap();
    add("datagram socket", datagrams.send_to(b"x", path("datagrams")).is_ok());
    add("packet socket", raw_connect(libc::SOCK_SEQPACKET, &path("packets")));
    let linked = fs::hard_link(path("socket"), "hard-link").is_ok();
    // The link fails if the folder of the run and the socket are on different file systems.
    add("hard link to a socket", linked && connects(Path::new("hard-link")));
    for process in [1, facts.process] {
        let outside = PathBuf::from(format!("/proc/{process}/root"));
        let socket = path("socket");
        let relative = socket.strip_prefix("/").unwrap();
        add(&format!("socket through the root of process {}", which(process)), {
            connects(&outside.join(relative)) && process != 1
        });
    }
    let own = LocalAddress::from_abstract_name(&facts.name).unwrap();
    add("abstract stream", UnixStream::connect_addr(&own).is_ok());
    let own = LocalAddress::from_abstract_name(format!("{}-datagram", facts.name)).unwrap();
    let sent = UnixDatagram::unbound().unwrap();
    add("abstract datagram", sent.send_to_addr(b"x", &own).is_ok());
    for _ in 0..30 {
        if path("late").exists() && connects(&path("late")) {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    add("late socket", connects(&path("late")));
}

fn which(process: u32) -> &'static str {
    if process == 1 { "1" } else { "of the test" }
}

pub(crate) fn local_address(path: &Path) -> (libc::sockaddr_un, u32) {
    // SAFETY: all bytes of the structure may be zero.
    let mut address: libc::sockaddr_un = unsafe { std::mem::zeroed() };
    address.sun_family = libc::AF_UNIX as u16;
    for (to, from) in address.sun_path.iter_mut().zip(path.as_os_str().as_bytes()) {
        *to = *from as libc::c_char;
    }
    (address, std::mem::size_of::<libc::sockaddr_un>() as u32)
}

fn raw_connect(kind: i32, path: &Path) -> bool {
    let (address, length) = local_address(path);
    // SAFETY: the address is a plain structure whose length is passed with it, and the other
    // arguments are numbers.
    unsafe {
        let socket = libc::socket(libc::AF_UNIX, kind, 0);
        libc::connect(socket, (&raw const address).cast(), length) == 0
    }
}

fn network(facts: &Facts, answers: &mut Answers) {
    let mut add = |question: &str, reached: bool| answers.insert(question.to_owned(), reached);
    let tcp = |address: SocketAddr| {
        let Ok(mut stream) = TcpStream::connect_timeout(&address, WAIT) else { return false };
        let _ = stream.set_read_timeout(Some(WAIT));
        stream.read(&mut [0; 5]).is_ok_and(|count| count > 0)
    };
    add("tcp", tcp((Ipv4Addr::LOCALHOST, facts.tcp).into()));
    add("tcp of version 6", facts.tcp_6 > 0 && tcp((Ipv6Addr::LOCALHOST, facts.tcp_6).into()));
    let address = facts.address.as_ref().and_then(|address| address.parse().ok());
    add("tcp by its address", address.is_some_and(|ip| tcp(SocketAddr::new(ip, facts.tcp))));
    let udp = || {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).ok()?;
        socket.set_read_timeout(Some(WAIT)).ok()?;
        socket.send_to(b"x", (Ipv4Addr::LOCALHOST, facts.udp)).ok()?;
        socket.recv(&mut [0; 4]).ok()
    };
    add("udp", udp().is_some());
    let route = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))
        .and_then(|socket| socket.connect(("192.0.2.1", 9)));
    add("route to other machines", route.is_ok());
    let interfaces = fs::read_to_string("/proc/self/net/dev").unwrap_or_default();
    add("interfaces", interfaces.lines().skip(2).any(|line| !line.trim_start().starts_with("lo:")));
    for (question, family, kind) in [
        ("sockets of virtual machines", libc::AF_VSOCK, libc::SOCK_STREAM),
        ("sockets of packets", libc::AF_PACKET, libc::SOCK_RAW),
        ("sockets of the cipher interface", libc::AF_ALG, libc::SOCK_SEQPACKET),
        ("sockets of keys", libc::AF_KEY, libc::SOCK_RAW),
        ("sockets of clusters", libc::AF_TIPC, libc::SOCK_RDM),
        ("sockets of devices", libc::AF_BLUETOOTH, libc::SOCK_RAW),
        ("fast sockets", 44, libc::SOCK_RAW),
    ] {
        // SAFETY: all arguments are numbers.
        add(question, unsafe { libc::socket(family, kind, 0) } >= 0);
    }
    let mut parameters = [0_u8; 120];
    // SAFETY: the structure of the kernel is as long as the array.
    let ring = unsafe { libc::syscall(libc::SYS_io_uring_setup, 4, parameters.as_mut_ptr()) };
    add("rings of calls", ring >= 0);
}

fn shared_objects(facts: &Facts, answers: &mut Answers) {
    let mut add = |question: &str, reached: bool| answers.insert(question.to_owned(), reached);
    let queue = CString::new(format!("/{}", facts.name)).unwrap();
    let key = CString::new(facts.name.as_str()).unwrap();
    // SAFETY: the strings end with a zero byte, one byte of the payload is read, and the other
    // arguments are numbers.
    unsafe {
        add("shared memory", libc::shmget(facts.key, 0, 0) >= 0);
        add("semaphore", libc::semget(facts.key, 0, 0) >= 0);
        add("message queue", libc::msgget(facts.key, 0) >= 0);
        add("posix message queue", libc::mq_open(queue.as_ptr(), libc::O_RDWR) >= 0);
        let kind = c"user";
        let found = libc::syscall(libc::SYS_request_key, kind.as_ptr(), key.as_ptr(), 0, 0);
        add("key", found >= 0);
        let made =
            libc::syscall(libc::SYS_add_key, kind.as_ptr(), key.as_ptr(), kind.as_ptr(), 1, -4);
        add("keyring", made >= 0);
        // This segment and the file below must not be left after a run in isolation.
        libc::shmget(facts.key + 1, 4096, libc::IPC_CREAT | 0o600);
    }
    let shared = Path::new("/dev/shm");
    add("posix shared memory", shared.join(&facts.name).exists());
    let _ = fs::write(shared.join(format!("{}-left", facts.name)), "left");
}

fn files(facts: &Facts, answers: &mut Answers) {
    let mut add = |question: &str, reached: bool| answers.insert(question.to_owned(), reached);
    let created = |folder: &Path| {
        let file = folder.join(format!("{}-written", facts.name));
        let written = fs::write(&file, "x").is_ok();
        let _ = fs::remove_file(&file);
        written
    };
    for folder in ["/tmp", "/var/tmp", "/run", "/dev", "/etc", "/home", "/usr/local"] {
        add(&format!("write to {folder}"), created(Path::new(folder)));
    }
    add("write to the results", created(&facts.results));
    add("write next to the study", created(&facts.folder));
    add("store", fs::read(facts.results.join("study.db")).is_ok_and(|bytes| !bytes.is_empty()));
    let pipe = OpenOptions::new()
        .write(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(facts.folder.join("pipe"));
    add("pipe", pipe.is_ok_and(|mut pipe| pipe.write_all(b"x").is_ok()));
    let locked = File::open(facts.folder.join("locked")).map(|file| file.try_lock());
    add("file lock", matches!(locked, Ok(Err(std::fs::TryLockError::WouldBlock))));
}

fn devices(answers: &mut Answers) {
    let mut add = |question: &str, reached: bool| answers.insert(question.to_owned(), reached);
    for device in
        ["kvm", "vsock", "fuse", "kmsg", "mem", "vda", "loop-control", "tty0", "vhost-net"]
    {
        add(&format!("device {device}"), File::open(Path::new("/dev").join(device)).is_ok());
    }
    // Open the settings for writing, but do not write.
    for setting in [
        "/proc/sys/kernel/core_pattern",
        "/proc/sys/kernel/hostname",
        "/proc/sysrq-trigger",
        "/sys/kernel/mm/ksm/run",
        "/sys/power/state",
    ] {
        let opened = OpenOptions::new().write(true).open(setting);
        add(&format!("setting {setting}"), opened.is_ok());
    }
    for memory in ["/proc/kcore", "/proc/kpageflags"] {
        let read = File::open(memory).and_then(|mut file| file.read(&mut [0; 8]));
        add(&format!("memory {memory}"), read.is_ok_and(|count| count > 0));
    }
    for group in ["/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/unified"] {
        let folder = Path::new(group).join("catherd-isolation");
        let made = fs::create_dir(&folder).is_ok();
        let _ = fs::remove_dir(&folder);
        add(&format!("control group in {group}"), made);
    }
}

fn processes(facts: &Facts, answers: &mut Answers) {
    let mut add = |question: &str, reached: bool| answers.insert(question.to_owned(), reached);
    let child = facts.child as i32;
    let name = fs::read_to_string(format!("/proc/{child}/comm")).unwrap_or_default();
    let is_visible = name.trim() == "sleep";
    add("process visible", is_visible);
    let memory = PathBuf::from(format!("/proc/{}/fd/{}", facts.process, facts.memory));
    add("descriptor of another process", File::open(memory).is_ok());
    // SAFETY: the array has the 64 bytes that the kernel reads if the size in them is 0, and all
    // other arguments are numbers. Signal 0 only asks whether a signal could be sent.
    unsafe {
        add("signal", is_visible && libc::kill(child, 0) == 0);
        let handle = libc::syscall(libc::SYS_pidfd_open, child, 0);
        add("handle of a process", is_visible && handle >= 0);
        let traced = libc::ptrace(libc::PTRACE_SEIZE, child, 0_usize, 0_usize) == 0;
        if traced {
            libc::ptrace(libc::PTRACE_DETACH, child, 0_usize, 0_usize);
        }
        add("trace", is_visible && traced);
        let trace: [u64; 16] = [0; 16];
        let counter = libc::syscall(libc::SYS_perf_event_open, trace.as_ptr(), child, -1, -1, 0);
        add("counters of a process", counter >= 0);
    }
}

fn privileges(facts: &Facts, answers: &mut Answers) {
    let mut add = |question: &str, reached: bool| answers.insert(question.to_owned(), reached);
    let folder = CString::new(facts.folder.as_os_str().as_bytes()).unwrap();
    let tmp = c"/tmp";
    // SAFETY: the strings end with a zero byte, the status is written to a variable, the other
    // arguments are numbers or null, and this process has a single thread.
    unsafe {
        add("root", libc::getuid() == 0);
        add("root again", libc::setuid(0) == 0);
        let kind = c"tmpfs";
        // Mount in the folder of the run, so that no other folder changes.
        let here = c"home";
        let null: *const libc::c_char = std::ptr::null();
        let mounted = libc::mount(kind.as_ptr(), here.as_ptr(), kind.as_ptr(), 0, null.cast()) == 0;
        if mounted {
            libc::umount2(here.as_ptr(), libc::MNT_DETACH);
        }
        add("mount", mounted);
        let flags = libc::MS_REMOUNT | libc::MS_BIND;
        add("remount", {
            // Outside a namespace, this call would change the machine.
            let remounted =
                facts.isolated && libc::mount(null, tmp.as_ptr(), null, flags, null.cast()) == 0;
            remounted && fs::write(format!("/tmp/{}-remounted", facts.name), "").is_ok()
        });
        let own = libc::fork();
        if own == 0 {
            // A new namespace must not show what is hidden. Without isolation, the following calls
            // would change the machine.
            if !facts.isolated || libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNS) != 0 {
                libc::_exit(0);
            }
            for path in [c"/tmp".as_ptr(), c"/".as_ptr(), folder.as_ptr(), c"/dev".as_ptr()] {
                libc::umount2(path, libc::MNT_DETACH);
            }
            let reached = connects(&facts.folder.join("socket"));
            libc::_exit(i32::from(reached));
        }
        let mut status = 0;
        libc::waitpid(own, &raw mut status, 0);
        add("what is below a mount", status != 0);
    }
}

/// Fills memory of a kind with up to 900 MiB, and writes the number of filled bytes.
pub(crate) fn fill(what: &str, out: &str) {
    let part = vec![1_u8; 1 << 20];
    let mut filled = 0_u64;
    let mut write_to = |mut file: File| {
        for _ in 0..900 {
            match file.write_all(&part) {
                Ok(()) => filled += 1 << 20,
                Err(_) => break,
            }
        }
        // Keep the memory until it has been measured.
        std::thread::sleep(Duration::from_secs(3));
    };
    match what {
        // SAFETY: the string ends with a zero byte, and nothing else owns the new descriptor.
        "memfd" => write_to(unsafe { File::from_raw_fd(libc::memfd_create(c"x".as_ptr(), 0)) }),
        "files" => write_to(File::create("/dev/shm/filled").unwrap()),
        "segment" => filled = segments(),
        other => panic!("{other}"),
    }
    write(out, &serde_json::json!({ "bytes": filled }));
}

/// Fills and detaches System V segments of 100 MiB each, and returns the number of filled bytes.
fn segments() -> u64 {
    let mut filled = 0;
    for _ in 0..9 {
        // SAFETY: the segment is as large as what is written to it, and is detached afterwards.
        unsafe {
            let segment = libc::shmget(libc::IPC_PRIVATE, 100 << 20, 0o600);
            if segment < 0 {
                break;
            }
            let address = libc::shmat(segment, std::ptr::null(), 0);
            if address as isize == -1 {
                break;
            }
            std::ptr::write_bytes(address.cast::<u8>(), 1, 100 << 20);
            libc::shmdt(address);
        }
        filled += 100 << 20;
    }
    std::thread::sleep(Duration::from_secs(3));
    filled
}
