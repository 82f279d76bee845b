//! Compares the generated code in the repository with code that is generated again from
//! `catherd.proto`.

use std::path::Path;
use std::{env, fs};

const COMMAND: &str = "CATHERD_WRITE_PROTOCOL=1 cargo test -p catherd-proto --features regenerate";

#[test]
fn the_generated_code_is_up_to_date() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = protox::compile(["catherd.proto"], [package]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let generator = tonic_prost_build::configure().bytes(".").out_dir(folder.path());
    generator.compile_fds(files).unwrap();
    let generated = fs::read_to_string(folder.path().join("catherd.v1.rs")).unwrap();
    let file = package.join("src/generated/catherd.v1.rs");
    if env::var_os("CATHERD_WRITE_PROTOCOL").is_some() {
        fs::write(&file, generated).unwrap();
    } else {
        // `assert_eq` would print thousands of lines.
        let same = generated == fs::read_to_string(&file).unwrap().replace("\r\n", "\n");
        assert!(same, "src/generated/catherd.v1.rs is outdated; to generate it: {COMMAND}");
    }
}
