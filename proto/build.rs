//! Generates messages, clients and servers from `catherd.proto`, with `protox` in place of `protoc`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=catherd.proto");
    let files = protox::compile(["catherd.proto"], ["."])?;
    tonic_prost_build::configure().bytes(".").compile_fds(files)?;
    Ok(())
}
