//! Tests access to coordinators with tokens and certificates.
#![cfg(target_os = "linux")]

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Lines};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::ChildStderr;
use std::time::{Duration, Instant};

use crate::support::cluster::{Process, coordinator, run_with, start, succeed, worker};
use crate::support::{catherd, stderr, two_files};
#[cfg(feature = "certificates")]
use rcgen::{CertificateParams, Issuer, KeyPair, date_time_ymd};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

fn fails(arguments: &[&str]) -> String {
    let output = catherd().args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", stderr(&output));
    stderr(&output)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn lines(process: &mut Process) -> Lines<BufReader<ChildStderr>> {
    BufReader::new(process.0.stderr.take().unwrap()).lines()
}

fn find(lines: &mut Lines<BufReader<ChildStderr>>, text: &str) -> String {
    let mut read = Vec::new();
    for line in lines.map(Result::unwrap) {
        if line.contains(text) {
            return line;
        }
        read.push(line);
    }
    panic!("no `{text}` in {read:#?}")
}

/// Writes a study of the kind `noop` whose runs sleep for a minute.
fn long_study(folder: &Path) -> String {
    two_files(&folder.join("projects"));
    let study = folder.join("long.toml");
    let text = "subject = 'noop'\nprojects = ['projects']\nseeds = 2\n\
                algorithms = [{ name = 'calm', parameters = { ms = 60000 } }]\n\
                [budget]\nexecutions = 1\n";
    fs::write(&study, text).unwrap();
    study.display().to_string()
}

/// Writes a study whose runs execute a program that creates this file.
fn program_study(folder: &Path, file: &str) -> String {
    let study = folder.join(format!("{file}.toml"));
    let text = format!(
        "subject = 'command'\nprojects = ['projects']\nseeds = 1\n\
         algorithms = [{{ name = 'touch', parameters = {{ command = 'touch {} {{out}}' }} }}]\n\
         [budget]\nexecutions = 1\n",
        folder.join(file).display()
    );
    fs::write(&study, text).unwrap();
    study.display().to_string()
}

/// Returns the command line and the environment of a worker that a process has started.
fn worker_of(parent: u32) -> (Vec<String>, String) {
    let read = |process: &Path, file: &str| {
        let bytes = fs::read(process.join(file)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let start = Instant::now();
    loop {
        for process in fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path()) {
            let status = read(&process, "status");
            let words = read(&process, "cmdline");
            if status.contains(&format!("\nPPid:\t{parent}\n")) && words.contains("\0worker\0") {
                let words = words.split('\0').map(str::to_owned).collect();
                return (words, read(&process, "environ"));
            }
        }
        assert!(start.elapsed() < Duration::from_secs(300), "a worker starts");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_study_on_this_machine_only_serves_its_own_workers() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (study, program) = (long_study(folder.path()), program_study(folder.path(), "touched"));
    let arguments = ["run", &study, "--workers", "1", "--quiet", "--out", &path("out")];
    let process = start(&arguments);
    let (words, environment) = worker_of(process.0.id());
    assert!(!words.contains(&"--programs".to_owned()), "{words:?}");
    // A token begins with `catherd-`.
    let secret = |text: &str| {
        let value = text.rsplit('=').next().unwrap_or_default();
        value.starts_with("catherd-") && value.len() > 40
    };
    assert!(!words.iter().any(|word| secret(word)), "{words:?}");
    assert!(!environment.split('\0').any(secret), "{environment}");

    let connect = words.iter().position(|word| word == "--connect").unwrap();
    let address = words[connect + 1].clone();
    for command in [
        &["submit", &program][..],
        &["cancel", "long"],
        &["status"],
        &["submit", &program, "--token-file", &program],
    ] {
        let output = run_with(command, &address);
        assert_eq!(output.status.code(), Some(1), "{command:?}");
        // The coordinator of `catherd run` serves no clients, whatever their tokens.
        assert!(stderr(&output).contains("coordinator http://127.0.0.1:"), "{}", stderr(&output));
        assert!(!stderr(&output).contains("no token"), "{}", stderr(&output));
    }
    let stranger = ["worker", "--connect", &address, "--spool", &path("spool")];
    assert!(fails(&stranger).contains("the request has no token"));
    drop(process);

    // Workers of a study of the kind `command` execute programs.
    let run = ["run", &program, "--quiet", "--isolation", "off", "--out", &path("other")];
    let output = catherd().args(run).output();
    assert_ne!(output.unwrap().status.code(), Some(1));
    assert!(folder.path().join("touched").exists());
}

#[test]
fn a_coordinator_on_loopback_is_open_only_to_its_user() {
    let folder = TempDir::new().unwrap();
    let state = folder.path().join("state");
    let spool = folder.path().join("spool").display().to_string();
    let data = folder.path().join("data").display().to_string();
    let serve = |listen: &str| {
        let mut process = crate::support::cluster::start_with(
            &["coordinator", "--dir", &data, "--listen", listen],
            &[("XDG_STATE_HOME", state.to_str().unwrap())],
        );
        let mut lines = lines(&mut process);
        let token = find(&mut lines, "token: ");
        let serving = find(&mut lines, "serving ");
        let address = serving.rsplit(' ').next().unwrap().to_owned();
        (process, address, token)
    };
    let (process, address, said) = serve("127.0.0.1:0");
    let file = state.join("catherd").join(format!("{}.token", address.replace(':', "-")));
    assert!(said.contains(file.to_str().unwrap()), "{said}");
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    let secret = fs::read_to_string(&file).unwrap();
    let status = |address: &str| {
        let mut command = catherd();
        command.args(["status", "--coordinator", address]).env("XDG_STATE_HOME", &state);
        command.output().unwrap()
    };
    let output = status(&address);
    assert!(output.status.success(), "{}", stderr(&output));
    let localhost = address.replace("127.0.0.1", "localhost");
    assert!(status(&localhost).status.success());

    // Commands of another user look for the token in other files.
    for command in [
        &["status", "--coordinator", &address][..],
        &["worker", "--connect", &address, "--spool", &spool],
    ] {
        // Use a folder without tokens, because coordinators of other tests may have left tokens in
        // the usual folder.
        let output = catherd().args(command).env("XDG_STATE_HOME", folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let refusal = stderr(&output);
        assert!(refusal.contains("the request has no token"), "{refusal}");
        assert!(refusal.contains("--token-file"), "{refusal}");
    }

    // A restarted coordinator has the same token, so its workers continue.
    drop(process);
    let (process, ..) = serve(&address);
    assert_eq!(fs::read_to_string(&file).unwrap(), secret);
    assert!(status(&address).status.success());
    drop(process);

    // A file without a token is replaced; a file that others may read is refused.
    fs::write(&file, "").unwrap();
    let (process, ..) = serve(&address);
    let renewed = fs::read_to_string(&file).unwrap();
    assert!(renewed.starts_with("catherd-") && renewed != secret, "{renewed}");
    fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    let refusal = stderr(&status(&address));
    assert!(refusal.contains("is open to other users (mode 0644)"), "{refusal}");
    assert!(refusal.contains("remove the file"), "{refusal}");
    drop(process);
}

#[test]
fn an_open_coordinator_reports_that_it_is_open() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data").display().to_string();
    let mut process = start(&["coordinator", "--dir", &data, "--listen", "127.0.0.1:0", "--open"]);
    let mut lines = lines(&mut process);
    find(&mut lines, "no token is needed (--open)");
    let address = find(&mut lines, "serving ").rsplit(' ').next().unwrap().to_owned();
    succeed(&["status", "--token-file", &file_with(folder.path(), "any")], &address);
    let exposed = ["coordinator", "--dir", &data, "--listen", "0.0.0.0:0", "--open"];
    drop(process);
    assert!(fails(&exposed).contains("only loopback is safe"));
}

fn file_with(folder: &Path, text: &str) -> String {
    let file = folder.join("token");
    fs::write(&file, text).unwrap();
    file.display().to_string()
}

#[test]
fn programs_run_only_on_workers_that_permit_them() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    long_study(folder.path());
    let program = program_study(folder.path(), "touched");
    let (_coordinator, address) =
        coordinator(&folder.path().join("data"), &["--listen", "127.0.0.1:0"]);
    succeed(&["submit", &program], &address);
    let mut refusing = worker(&address, folder.path(), &["--idle", "1"]);
    assert!(refusing.0.wait().unwrap().success());
    assert!(!folder.path().join("touched").exists());
    // Submit another study, because the worker may have used up the attempts at the runs of the
    // first study.
    succeed(&["submit", &program_study(folder.path(), "permitted")], &address);
    let permitting = ["worker", "--connect", &address, "--idle", "1", "--name", "other"];
    let folders =
        ["--spool", &path("other"), "--programs", &path("programs"), "--isolation", "off"];
    let mut permitting = start(&[&permitting[..], &folders].concat());
    assert!(permitting.0.wait().unwrap().success());
    assert!(folder.path().join("permitted").exists());
}

#[test]
fn tokens_are_kept_secret_and_reread_on_request() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (tokens, data, viewer, other) = (path("tokens"), path("data"), path("viewer"), path("b"));
    fs::write(&tokens, "# nothing yet\n").unwrap();
    let serve = ["coordinator", "--dir", &data, "--listen", "127.0.0.1:0", "--tokens", &tokens];
    let refusal = fails(&serve);
    assert!(refusal.contains("no token in") && refusal.contains("catherd token"), "{refusal}");

    // The file of a token gets the mode 0600, even if the file had another mode before.
    fs::write(&viewer, "old").unwrap();
    fs::set_permissions(&viewer, Permissions::from_mode(0o644)).unwrap();
    let make = |role: &str, out: &[&str]| {
        let arguments = [&["token", role, "--file", &tokens][..], out].concat();
        let output = catherd().args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        output
    };
    let made = make("viewer", &["-o", &viewer]);
    assert!(made.stdout.is_empty());
    assert_eq!(mode(Path::new(&viewer)), 0o600);
    let redirected = stderr(&make("viewer", &[]));
    assert!(redirected.contains("-o FILE writes a file of mode 0600"), "{redirected}");

    let mut process = start(&serve);
    let mut lines = lines(&mut process);
    let address = find(&mut lines, "serving ").rsplit(' ').next().unwrap().to_owned();
    let status = |file: &str| run_with(&["status", "--token-file", file], &address);
    assert!(status(&viewer).status.success());
    two_files(&folder.path().join("projects"));
    // A previous coordinator at this address may have left its token in the folder of other tests.
    let mut without = catherd();
    without.env("XDG_STATE_HOME", folder.path()).args(["status", "--coordinator", &address]);
    let refusal = stderr(&without.output().unwrap());
    assert!(refusal.contains("the request has no token"), "{refusal}");

    make("viewer", &["-o", &other]);
    assert!(stderr(&status(&other)).contains("unknown token"));
    let reload = |lines: &mut _, said: &str| {
        kill_process(Pid::from_child(&process.0), Signal::HUP).unwrap();
        find(lines, said)
    };
    reload(&mut lines, "3 tokens from now on");
    assert!(status(&other).status.success() && status(&viewer).status.success());
    fs::write(&tokens, "nonsense\n").unwrap();
    reload(&mut lines, "the tokens stay as they are");
    assert!(status(&other).status.success());
    // If the file has no tokens, every request is refused.
    fs::write(&tokens, "").unwrap();
    reload(&mut lines, "0 tokens from now on");
    assert!(stderr(&status(&other)).contains("unknown token"));
}

#[test]
#[cfg(feature = "certificates")]
fn a_failed_connection_says_what_is_wrong_with_the_certificate() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (tokens, viewer) = (path("tokens"), path("viewer"));
    let run = |arguments: &[&str]| {
        let output = catherd().args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    run(&["token", "viewer", "--file", &tokens, "-o", &viewer]);
    let certs = path("certs");
    run(&["certs", "--dir", &certs, "--for", "127.0.0.1", "--for", "elsewhere", "--for", "me"]);
    run(&["certs", "--dir", &path("others"), "--for", "me"]);
    for key in ["certs/me/key.pem", "certs/ca-key.pem"] {
        assert_eq!(mode(&folder.path().join(key)), 0o600, "{key}");
    }
    let own = |name: &str| path(&format!("certs/{name}"));
    expire(&folder.path().join("certs"), "127.0.0.1", "expired");
    expire(&folder.path().join("certs"), "me", "late");

    let serve = |certificate: &str, said: &str| {
        let data = path(&format!("data-{}", certificate.rsplit('/').next().unwrap()));
        let mut arguments = vec!["coordinator", "--dir", &data, "--listen", "127.0.0.1:0"];
        arguments.extend(["--tokens", &tokens]);
        if !certificate.is_empty() {
            arguments.extend(["--tls", certificate]);
        }
        let mut process = start(&arguments);
        let mut lines = lines(&mut process);
        if !said.is_empty() {
            find(&mut lines, said);
        }
        let address = find(&mut lines, "serving ").rsplit(' ').next().unwrap().to_owned();
        (process, lines, address)
    };
    let refused = |address: &str, tls: &str, reasons: [&str; 2]| {
        let mut arguments = vec!["status", "--token-file", &viewer];
        if !tls.is_empty() {
            arguments.extend(["--tls", tls]);
        }
        let output = run_with(&arguments, address);
        assert_eq!(output.status.code(), Some(1));
        for reason in reasons {
            assert!(stderr(&output).contains(reason), "{reason}: {}", stderr(&output));
        }
    };

    let (good, mut log, address) = serve(&own("127.0.0.1"), "the certificate is valid until ");
    let output = run_with(&["status", "--token-file", &viewer, "--tls", &own("me")], &address);
    assert!(output.status.success(), "{}", stderr(&output));
    refused(&address, "", ["requires TLS", "--tls"]);
    find(&mut log, "the client speaks plain text");
    refused(&address, &path("others/me"), ["unknown authority", "catherd certs"]);
    refused(&address, &own("late"), ["it has expired", "renew it"]);
    // Renewal keeps the names, and the coordinator uses the new certificate.
    let renewed = run(&["certs", "--dir", &certs, "--days", "90"]);
    assert!(renewed.contains("me: ca.pem") && renewed.contains("127.0.0.1: ca.pem"), "{renewed}");
    kill_process(Pid::from_child(&good.0), Signal::HUP).unwrap();
    let said = find(&mut log, "the certificate is valid until ");
    assert!(said.contains("for 89 days"), "{said}");
    let output = run_with(&["status", "--token-file", &viewer, "--tls", &own("me")], &address);
    assert!(output.status.success(), "{}", stderr(&output));
    // A certificate whose expiry cannot be read does not replace the former one.
    let [certificate, key] = ["cert.pem", "key.pem"]
        .map(|name| fs::read_to_string(own("expired") + "/" + name).unwrap());
    fs::write(own("127.0.0.1/cert.pem"), key.clone() + &certificate).unwrap();
    fs::write(own("127.0.0.1/key.pem"), key).unwrap();
    kill_process(Pid::from_child(&good.0), Signal::HUP).unwrap();
    find(&mut log, "the certificate stays as it is: ");
    let output = run_with(&["status", "--token-file", &viewer, "--tls", &own("me")], &address);
    assert!(output.status.success(), "{}", stderr(&output));
    drop(good);

    expire(&folder.path().join("certs"), "127.0.0.1", "expired");
    let (_expired, _log, address) = serve(&own("expired"), "the certificate expired on ");
    refused(&address, &own("me"), ["the certificate of the coordinator has expired", "renew it"]);
    let (_elsewhere, _log, address) = serve(&own("elsewhere"), "");
    refused(&address, &own("me"), ["is not for 127.0.0.1, but for elsewhere", "--for"]);
    let (_plain, _log, address) = serve("", "");
    refused(&address, &own("me"), ["speaks plain text", "--tls"]);
}

/// Writes an expired certificate for the name `like` to `folder`.
#[cfg(feature = "certificates")]
fn expire(certs: &Path, like: &str, folder: &str) {
    let key = KeyPair::from_pem(&fs::read_to_string(certs.join("ca-key.pem")).unwrap()).unwrap();
    let mut authority = CertificateParams::default();
    authority.distinguished_name = rcgen::DistinguishedName::new();
    authority.distinguished_name.push(rcgen::DnType::CommonName, "catherd");
    let issuer = Issuer::new(authority, key);
    let mut parameters = CertificateParams::new([like.to_owned()]).unwrap();
    parameters.not_after = date_time_ymd(2024, 5, 6);
    let own = KeyPair::generate().unwrap();
    let certificate = parameters.signed_by(&own, &issuer).unwrap();
    let target = certs.join(folder);
    fs::create_dir_all(&target).unwrap();
    fs::copy(certs.join(like).join("ca.pem"), target.join("ca.pem")).unwrap();
    fs::write(target.join("cert.pem"), certificate.pem()).unwrap();
    fs::write(target.join("key.pem"), own.serialize_pem()).unwrap();
}
