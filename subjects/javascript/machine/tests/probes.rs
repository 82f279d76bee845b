//! Tests that a program that finds the probes with `eval` cannot do harm.

use catherd_javascript_machine::{
    ExecuteOptions, Execution, Machine, MachineSettings, Package, Program, Statement, TestOutcome,
};
use serde_json::json;

/// A program that finds the arrays of the probes by name, and tries to release or overwrite their
/// memory. The names are put together from parts, because the prefix of the probes would differ if
/// the source contained this prefix.
const SOURCE: &str = "
    module.exports = class Thief {
        steal() {
            const taken = [];
            for (const letter of 'sdcgqbwhopnxyzkEISYM') {
                let array;
                try { array = eval('$' + 'c_' + letter); } catch { continue; }
                if (array === undefined || array.buffer === undefined) continue;
                for (const method of ['transfer', 'transferToFixedLength', 'transferToImmutable', 'resize', 'grow']) {
                    try { array.buffer[method](0); taken.push(method); } catch { }
                    try { array.buffer[method](1 << 20); taken.push(method); } catch { }
                }
                taken.push(array.length > 0);
            }
            return taken.join();
        }
        loop() {
            for (;;) { this.count = 1; }
        }
        forge(number) {
            for (const letter of 'sdcgqbwhopnxyzkEISYM') {
                let array;
                try { array = eval('$' + 'c_' + letter); } catch { continue; }
                if (array === undefined || array.buffer === undefined) continue;
                array.fill(number);
            }
            Float64Array.prototype.fill = Uint32Array.prototype.fill = () => { };
            Function.prototype.call = Function.prototype.apply = () => number;
            return number < 0 ? 'less' : 'more';
        }
    };";

fn execute(machine: &mut Machine, method: &str) -> Execution {
    let test = [
        json!({"op": "new", "path": [], "arguments": []}),
        json!({"op": "method", "receiver": 0, "name": method, "arguments": []}),
    ];
    let test: Vec<_> = test.iter().map(|line| Statement::from_json(line).unwrap()).collect();
    machine.execute(&test, ExecuteOptions { observe: true, ..ExecuteOptions::default() }).unwrap()
}

#[test]
fn no_program_releases_the_memory_of_the_probes() {
    let package = Package::of_source("thief.js", SOURCE).unwrap();
    let program = Program::new(package).unwrap();
    let mut machine = Machine::new(&program, MachineSettings::default(), 1);
    let stolen = execute(&mut machine, "steal");
    assert_eq!(stolen.outcome, TestOutcome::Passed);
    // Counters and depth were found but are unchanged.
    assert_eq!(stolen.observed[1], json!({"string": "true,true"}), "{:?}", stolen.observed);
    let looped = execute(&mut machine, "loop");
    assert_eq!(looped.outcome, TestOutcome::Limit("steps"));
    let mut fresh = Machine::new(&program, MachineSettings::default(), 1);
    assert_eq!(execute(&mut fresh, "loop").counters.len(), looped.counters.len());
    assert_eq!(execute(&mut fresh, "steal").counters, stolen.counters);
}

#[test]
fn distances_stay_numbers_from_0_to_1_if_a_program_writes_others() {
    let package = Package::of_source("thief.js", SOURCE).unwrap();
    let program = Program::new(package).unwrap();
    let mut machine = Machine::new(&program, MachineSettings::default(), 1);
    for number in ["NaN", "-1", "-Infinity", "Infinity", "4294967296"] {
        let test = [
            json!({"op": "new", "path": [], "arguments": []}),
            json!({"op": "method", "receiver": 0, "name": "forge", "arguments": [["number", number]]}),
        ];
        let test: Vec<_> = test.iter().map(|line| Statement::from_json(line).unwrap()).collect();
        let forged = machine.execute(&test, ExecuteOptions::default()).unwrap();
        assert!(forged.least.iter().all(|least| (0.0..=1.0).contains(least)), "{number}");
    }
    let mut fresh = Machine::new(&program, MachineSettings::default(), 1);
    assert_eq!(execute(&mut machine, "steal").counters, execute(&mut fresh, "steal").counters);
}
