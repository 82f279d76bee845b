#![allow(missing_docs, clippy::all, clippy::pedantic, clippy::print_stdout, dead_code)]
use catherd_scratch_sb3::{BlockNo, Project};
use catherd_scratch_trace::Recorder;
use catherd_scratch_vm::{Program, Random, Vm, VmSettings};
use std::sync::Arc;
const S: catherd_scratch_vm::DigestScope = catherd_scratch_vm::DigestScope::Future;
fn main() {
    let mut args = std::env::args().skip(1);
    let steps: u32 = args.next().unwrap().parse().unwrap();
    for path in args {
        let Ok(project) = Project::read(&path) else { continue };
        let Ok(compiled) = Program::compile(&project) else { continue };
        let blocks = project.block_count();
        let program = Arc::new(compiled);
        let make = |native| {
            let mut vm = Vm::new(
                program.clone(),
                VmSettings::default(),
                Random::portable(1),
                Recorder::new(blocks, false),
            );
            if native {
                vm.hurry()
            } else {
                vm.handle()
            }
            vm.tracer.clear();
            vm.green_flag();
            vm
        };
        let (mut a, mut b) = (make(false), make(true));
        let mut t = (0.0, 0.0);
        let mut bad = None;
        for step in 0..steps {
            let s = std::time::Instant::now();
            a.step();
            t.0 += s.elapsed().as_secs_f64();
            let s = std::time::Instant::now();
            b.step();
            t.1 += s.elapsed().as_secs_f64();
            if a.executed_blocks() != b.executed_blocks() || a.state_digest(S) != b.state_digest(S)
            {
                bad = Some(format!(
                    "step {step}: blocks {} {}",
                    a.executed_blocks(),
                    b.executed_blocks()
                ));
                break;
            }
            for no in 0..blocks as u32 {
                let no = BlockNo(no);
                if a.tracer.trace().covered(no) != b.tracer.trace().covered(no)
                    || a.tracer.trace().record(no) != b.tracer.trace().record(no)
                    || a.tracer.ran_last_step(no) != b.tracer.ran_last_step(no)
                {
                    bad = Some(format!(
                        "step {step}: trace of {no:?} {:?} {:?} {} {}",
                        a.tracer.trace().record(no),
                        b.tracer.trace().record(no),
                        a.tracer.ran_last_step(no),
                        b.tracer.ran_last_step(no)
                    ));
                    break;
                }
            }
            if bad.is_some() || t.0 > 10.0 {
                break;
            }
        }
        println!(
            "{} {:.3} {:.3} {}",
            path.rsplit('/').next().unwrap(),
            t.0,
            t.1,
            bad.unwrap_or("same".into())
        );
    }
}
