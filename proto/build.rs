//! Generates the messages and the service; `protox` stands in for `protoc`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=catherd.proto");
    let files = protox::compile(["catherd.proto"], ["."])?;
    tonic_prost_build::configure().bytes(".").compile_fds(files)?;
    Ok(())
}
