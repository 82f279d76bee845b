#![allow(missing_docs, clippy::print_stdout, clippy::all)]
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};
use catherd_fidelity::*;
fn main() {
    let corpus = PathBuf::from(std::env::var("CATHERD_CORPUS").unwrap());
    let filter: Vec<String> = std::env::args().skip(1).collect();
    let mut files: Vec<_> = std::fs::read_dir(corpus.join("traces")).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let mut n: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    let mut props: BTreeMap<String, u32> = BTreeMap::new();
    let mut cands: Vec<Devices> = vec![]; let mut dev = Devices::default();
    for f in &files { let t = Trace::read(f).unwrap(); dev = dev.after(&t); if !cands.contains(&dev) { cands.push(dev.clone()); } let d = Devices::default().after(&t); if !cands.contains(&d) { cands.push(d); } }
 println!("{} candidates", cands.len());
    for f in files {
        let trace = Trace::read(&f).unwrap();

        let stem = f.file_name().unwrap().to_str().unwrap().trim_end_matches(".json.gz").to_owned();
        if !filter.is_empty() && !filter.iter().any(|x| stem.contains(x.as_str())) { continue }
        let (group, name) = stem.split_once("__").unwrap();
        let p = corpus.join(group).join(format!("{name}.sb3"));
        let t0 = std::time::Instant::now();
        let project = match catherd_sb3::Project::read(&p) { Ok(p) => p, Err(e) => { println!("{stem}: READ {e}"); continue } };
        let program = match catherd_vm::Program::compile(&project) { Ok(p) => Arc::new(p), Err(e) => { println!("{stem}: COMPILE {e}"); continue } };
        let load = t0.elapsed();
        let t1 = std::time::Instant::now();
        let r = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| replay_best(&trace, &project, &program, &cands))) { Ok(r) => r, Err(_) => { println!("{stem}: PANIC"); let e = n.entry(group.to_owned()).or_default(); e.1 += 1; continue } };
        let e = n.entry(group.to_owned()).or_default();
        e.1 += 1;
        if r.is_identical() { e.0 += 1 }
        else if let Some(d) = &r.divergence {
            *props.entry(d.property.split(' ').next().unwrap().to_owned()).or_default() += 1;
            println!("{stem}: step {} {}[{}] {}: expected {} got {}\n    {}", d.step, d.sprite, d.index, d.property, d.expected.chars().take(200).collect::<String>(), d.got.chars().take(200).collect::<String>(), d.blocks.iter().take(12).map(|b| b.split(' ').next().unwrap()).collect::<Vec<_>>().join(" "));
        } else { println!("{stem}: coverage missed {:?} extra {:?}", r.missed.iter().take(5).collect::<Vec<_>>(), r.extra.iter().take(5).collect::<Vec<_>>()); *props.entry("coverage".into()).or_default() += 1; }
        let el = t1.elapsed();
        if el.as_millis() > 2000 || load.as_millis() > 500 { println!("   slow {stem}: load {load:?} replay {el:?}"); }
    }
    println!("{n:?}\n{props:?}");
}
