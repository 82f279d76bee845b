//! Tests signed packages: the signer is printed, and wrong signatures are refused.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use catherd_analysis_archive::{NAMESPACE, SigningKey};
use catherd_experiments::Digest;
use serde_json::Value;

use crate::archive::{Fixture, stdout};
use crate::forgeries::{files, package_of};
use crate::support::{catherd, stderr};

/// A key that was made for these tests by `ssh-keygen -t ed25519`.
const KEY: &str = include_str!("signatures/key");
/// The public half of [`KEY`].
const PUBLIC: &str = include_str!("signatures/key.pub");

/// A key that is protected by a passphrase.
const PROTECTED: &str = include_str!("signatures/protected");
/// A key of another kind.
const RSA: &str = include_str!("signatures/rsa");

impl Fixture {
    fn verified(&self, package: &str, more: &[&str]) -> (String, Option<i32>) {
        let output = catherd()
            .arg("verify")
            .arg(self.path(package))
            .args(["--sample", "0"])
            .args(more)
            .output();
        let output = output.unwrap();
        (stdout(&output) + &stderr(&output), output.status.code())
    }

    fn signed(&self) -> Vec<u8> {
        fs::write(self.path("key"), KEY).unwrap();
        fs::write(self.path("signers"), format!("# whom to trust\nada@example.org {PUBLIC}"))
            .unwrap();
        let (package, text) = self.archive("study", "good.zip", &["--sign", &self.text("key")]);
        assert!(text.contains("signed by the key SHA256:"), "{text}");
        package
    }
}

#[test]
#[ignore = "slow"]
fn a_signature_is_next_to_the_package_and_says_who_signed() {
    let fixture = Fixture::new();
    let package = fixture.signed();
    let (unsigned, _) = fixture.archive("study", "plain.zip", &[]);
    assert!(package == unsigned, "the package is the same without a signature");
    let statement = fs::read(fixture.path("good.zip.intoto.json")).unwrap();
    let json: Value = serde_json::from_slice(&statement).unwrap();
    assert_eq!(json["_type"], "https://in-toto.io/Statement/v1");
    let subjects = json["subject"].as_array().unwrap();
    let digest = |name: &str| {
        let found = subjects.iter().find(|one| one["name"] == name).unwrap();
        found["digest"]["sha256"].as_str().unwrap().to_owned()
    };
    assert_eq!(digest("package.zip"), Digest::of(&package).to_string());
    for file in files(&package) {
        assert_eq!(digest(&file.name), Digest::of(&file.bytes).to_string(), "{}", file.name);
    }
    // The same key signs the same package in the same way.
    let signature = fs::read(fixture.path("good.zip.intoto.json.sig")).unwrap();
    fixture.signed();
    assert_eq!(fs::read(fixture.path("good.zip.intoto.json.sig")).unwrap(), signature);

    let signers = fixture.text("signers");
    let trusting = ["--allowed-signers", &*signers];
    let (text, code) = fixture.verified("good.zip", &trusting);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("\nsigned by ada@example.org, key SHA256:"), "{text}");
    let (text, code) = fixture.verified("good.zip", &[]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("\nsigned by the key SHA256:"), "{text}");
    let (text, code) = fixture.verified("plain.zip", &[]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("\nnot signed\n"), "{text}");
    let (text, code) = fixture.verified("plain.zip", &trusting);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("plain.zip: not signed"), "{text}");
    // The package may have another name if the file of the statement is given.
    fs::rename(fixture.path("plain.zip"), fixture.path("renamed.zip")).unwrap();
    let elsewhere = fixture.text("good.zip.intoto.json");
    let (text, code) =
        fixture.verified("renamed.zip", &[&trusting[..], &["--statement", &elsewhere]].concat());
    assert_eq!(code, Some(0), "{text}");
    // The package may be unpacked next to the archive.
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(&package)).unwrap();
    zip.extract(fixture.path("good")).unwrap();
    let (text, code) = fixture.verified("good", &trusting);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("\nsigned by ada@example.org, "), "{text}");
}

#[test]
#[ignore = "slow"]
fn wrong_signatures_are_refused() {
    let fixture = Fixture::new();
    let package = fixture.signed();
    let statement = fs::read(fixture.path("good.zip.intoto.json")).unwrap();
    let signature = fs::read_to_string(fixture.path("good.zip.intoto.json.sig")).unwrap();
    let refused = |what: &str, expected: &str| {
        let (text, code) = fixture.verified("good.zip", &[]);
        assert_eq!(code, Some(1), "{what}: {text}");
        assert!(text.contains("good.zip.intoto.json") && text.contains(expected), "{what}: {text}");
    };
    let write = |statement: &[u8], signature: &str| {
        fs::write(fixture.path("good.zip.intoto.json"), statement).unwrap();
        fs::write(fixture.path("good.zip.intoto.json.sig"), signature).unwrap();
    };
    let key = SigningKey::read(KEY.as_bytes()).unwrap();

    for at in [0, 30, statement.len() / 2, statement.len() - 2] {
        let mut forged = statement.clone();
        forged[at] ^= 1;
        write(&forged, &signature);
        refused(&format!("byte {at}"), "does not match the statement");
    }
    for line in 1..signature.lines().count() - 1 {
        let lines = signature.lines().enumerate();
        let turned = |text: &str| text.chars().rev().collect::<String>() + "\n";
        let forged: String = lines
            .map(|(n, text)| if n == line { turned(text) } else { format!("{text}\n") })
            .collect();
        write(&statement, &forged);
        refused(&format!("line {line}"), "good.zip.intoto.json.sig: ");
    }
    for forged in ["", "-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----\n", "x"] {
        write(&statement, forged);
        refused(forged, "is not a signature of ssh-keygen");
    }
    // Use statements that are signed but wrong.
    let changed = |from: &str, to: &str| {
        let text = String::from_utf8(statement.clone()).unwrap();
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1).into_bytes()
    };
    let records = files(&package).into_iter().find(|file| file.name == "records.jsonl").unwrap();
    let digest = Digest::of(&records.bytes).to_string();
    for (from, to, expected) in [
        (&*digest, &*"0".repeat(64), "has a different SHA-256 for records.jsonl"),
        ("records.jsonl", "records.json", "does not name records.jsonl"),
        ("in-toto.io/Statement/v1", "in-toto.io/Statement/v0", "is a statement of type"),
        ("\"planned\": 8", "\"planned\": 9", "describes the package differently"),
        ("\"predicate\":", "\"more\": 1, \"predicate\":", "is not a statement about a package"),
    ] {
        let forged = changed(from, to);
        write(&forged, &key.sign(&forged).unwrap());
        refused(from, expected);
    }
    // Use a signature of a different text by the same key.
    write(&statement, &key.sign(b"something else").unwrap());
    refused("of something else", "does not match the statement");

    // Use another package that is consistent with its list of files.
    let mut other = files(&package);
    for file in other.iter_mut().filter(|file| file.name == "CITATION.cff") {
        file.bytes =
            String::from_utf8(file.bytes.clone()).unwrap().replace("dataset", "software").into();
    }
    write(&statement, &signature);
    fs::write(fixture.path("good.zip"), package_of(other)).unwrap();
    refused("other package", "the signed statement has a different SHA-256 for CITATION.cff");
    // Use the statement about another package of the study.
    fs::write(fixture.path("good.zip"), &package).unwrap();
    fixture.archive("study", "of-others.zip", &["--sign", &fixture.text("key"), "--author", "Ada"]);
    for ending in ["", ".sig"] {
        let name = |package: &str| fixture.path(&format!("{package}.intoto.json{ending}"));
        fs::copy(name("of-others.zip"), name("good.zip")).unwrap();
    }
    refused("of another package", "the signed statement is about another package");
}

#[test]
#[ignore = "slow"]
fn keys_that_cannot_be_used_or_are_not_trusted_are_refused() {
    let fixture = Fixture::new();
    fixture.signed();
    let failed = |key: &str, text: &str| {
        fs::write(fixture.path("other"), text).unwrap();
        let arguments = ["archive", &fixture.text("study"), "--sign", &fixture.text("other")];
        let output = catherd().args(arguments).current_dir(fixture.path("")).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{key}");
        stderr(&output)
    };
    let text = failed("protected", PROTECTED);
    assert!(
        text.contains("other: is protected by a passphrase") && text.contains("--statement"),
        "{text}"
    );
    assert!(failed("rsa", RSA).contains("other: is of kind ssh-rsa, not ssh-ed25519"));
    assert!(failed("public", PUBLIC).contains("other: is not a private key of OpenSSH"));
    assert!(!fixture.path("study.zip").exists(), "the key is read first");

    let signers = |text: &str| {
        fs::write(fixture.path("signers"), text).unwrap();
        fixture.verified("good.zip", &["--allowed-signers", &fixture.text("signers")])
    };
    for (line, expected) in [
        (String::new(), "which "),
        (format!("ada namespaces=\"git\" {PUBLIC}"), " does not allow"),
        (format!("ada valid-before=\"20200101Z\" {PUBLIC}"), " does not allow"),
        (format!("ada cert-authority {PUBLIC}"), " does not allow"),
        (format!("ada surprising {PUBLIC}"), "signers: line 1: unknown option `surprising`"),
    ] {
        let (text, code) = signers(&line);
        assert_eq!(code, Some(1), "{line}: {text}");
        assert!(text.contains(expected), "{line}: {text}");
    }
    let allowed = format!("ada namespaces=\"catherd-*\",valid-after=\"20200101Z\" {PUBLIC}");
    assert_eq!(signers(&allowed).1, Some(0));
    let (text, code) = fixture.verified("good.zip", &["--allowed-signers", "/no/such/file"]);
    assert_eq!(code, Some(1), "{text}");
}

fn ssh_keygen(folder: &Path, arguments: &[&str], input: Option<&Path>) -> bool {
    let input = input.map_or_else(Stdio::null, |path| fs::File::open(path).unwrap().into());
    let mut command = Command::new("ssh-keygen");
    command.args(arguments).current_dir(folder).stdin(input);
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
}

#[test]
#[ignore = "needs ssh-keygen"]
fn signatures_are_those_of_ssh_keygen() {
    let fixture = Fixture::new();
    fixture.signed();
    let folder = fixture.path("");
    let statement = folder.join("good.zip.intoto.json");
    let verify = |namespace: &str| {
        let arguments =
            ["-Y", "verify", "-f", "signers", "-I", "ada@example.org", "-n", namespace, "-s"];
        let arguments = [&arguments[..], &["good.zip.intoto.json.sig"]].concat();
        ssh_keygen(&folder, &arguments, Some(&statement))
    };
    assert!(verify(NAMESPACE));
    assert!(!verify("file"));
    assert!(ssh_keygen(&folder, &["-t", "ed25519", "-N", "", "-q", "-f", "fresh"], None));
    let (_, text) = fixture.archive("study", "other.zip", &["--statement"]);
    assert!(text.contains("ssh-keygen -Y sign -n catherd-package -f KEY "), "{text}");
    let public = fs::read_to_string(folder.join("fresh.pub")).unwrap();
    fs::write(folder.join("signers"), format!("grace@example.org {public}")).unwrap();
    let trusting = ["--allowed-signers", &fixture.text("signers")];
    assert_eq!(fixture.verified("other.zip", &trusting).1, Some(1), "there is no signature yet");
    let sign = ["-Y", "sign", "-n", NAMESPACE, "-f", "fresh", "other.zip.intoto.json"];
    assert!(ssh_keygen(&folder, &sign, None));
    let (text, code) = fixture.verified("other.zip", &trusting);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("\nsigned by grace@example.org, key SHA256:"), "{text}");
    let (text, code) = fixture.verified("good.zip", &trusting);
    assert_eq!(code, Some(1), "{text}");
    // Use a signature by the same key for another purpose.
    fs::remove_file(folder.join("other.zip.intoto.json.sig")).unwrap();
    let sign = ["-Y", "sign", "-n", "file", "-f", "fresh", "other.zip.intoto.json"];
    assert!(ssh_keygen(&folder, &sign, None));
    let (text, code) = fixture.verified("other.zip", &trusting);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("was made for `file`, not for `catherd-package`"), "{text}");
    assert!(ssh_keygen(&folder, &["-t", "rsa", "-b", "2048", "-N", "", "-q", "-f", "rsa"], None));
    fs::remove_file(folder.join("other.zip.intoto.json.sig")).unwrap();
    let sign = ["-Y", "sign", "-n", NAMESPACE, "-f", "rsa", "other.zip.intoto.json"];
    assert!(ssh_keygen(&folder, &sign, None));
    let (text, code) = fixture.verified("other.zip", &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("is of kind ssh-rsa, not ssh-ed25519"), "{text}");
}
