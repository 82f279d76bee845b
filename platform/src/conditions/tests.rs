use super::*;

struct Machine(PathBuf);

impl Machine {
    fn new(name: &str) -> Machine {
        let folder = std::env::temp_dir().join(format!("catherd-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        Machine(folder)
    }

    fn write(&self, file: &str, content: &str) {
        let path = self.0.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn meter(&self, core: Option<usize>, topology: Topology) -> Meter {
        let system = SystemFiles { proc: self.0.join("proc"), sys: self.0.join("sys") };
        let mut meter = Meter::with(system, core, &topology);
        meter.started -= Duration::from_secs(10);
        meter
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Cores 0 and 1 are hyper-threads of one physical core.
fn pairs() -> Topology {
    Topology::parse(|file| match file {
        "devices/system/cpu/online" => Some("0-3".to_owned()),
        "devices/system/cpu/cpu0/topology/core_cpus_list" => Some("0-1".to_owned()),
        "devices/system/cpu/cpu1/topology/core_cpus_list" => Some("0-1".to_owned()),
        _ => None,
    })
}

fn about(value: Option<f64>, expected: f64) -> bool {
    value.is_some_and(|value| (value - expected).abs() < 0.01)
}

#[test]
fn shares_are_of_the_time_between_start_and_end() {
    let machine = Machine::new("shares");
    let zero = "cpu0 100 0 0 100 0 0 0 0 0 0\ncpu1 5 0 0 5 0 0 0 0\ncpu2 0 0 0 0 0 0 0 0\ncpu3 0 0 0 0 0 0 0 0\n";
    machine.write("proc/stat", &format!("cpu  105 0 0 105\n{zero}intr 1 2\n"));
    machine.write("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "7\n");
    machine.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "2400000\n");
    for (name, energy) in [("0", "900"), ("1", "1000000"), ("0:0", "5")] {
        machine.write(&format!("sys/class/powercap/intel-rapl:{name}/energy_uj"), energy);
        machine.write(
            &format!("sys/class/powercap/intel-rapl:{name}/max_energy_range_uj"),
            "10000000",
        );
    }
    let mut meter = machine.meter(Some(0), pairs());
    // In ten seconds, core 0 is busy for 9 s, of which this process uses 6 s; half a second is
    // stolen.
    machine.write(
        "proc/stat",
        "cpu0 800 100 50 100 50 0 50 50 0 0\ncpu1 255 0 0 755 0 0 0 0\ncpu2 1000 0 0 0 0 0 0 0\n\
         cpu3 0 0 0 1000 0 0 0 0\n",
    );
    machine.write("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "9\n");
    machine.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1600000\n");
    machine.write("sys/class/powercap/intel-rapl:0/energy_uj", "500900");
    machine.write("sys/class/powercap/intel-rapl:1/energy_uj", "0");
    meter.sample_now();
    let found = meter.finished(Duration::from_secs(6));
    assert!(about(found.others_busy, 0.3) && about(found.siblings_busy, 0.25), "{found:?}");
    assert!(about(found.machine_busy, 0.5) && about(found.steal, 0.05), "{found:?}");
    assert_eq!((found.mhz, found.throttled), (Some(2000.0), Some(2)));
    // One counter adds half a joule, and the other one 9 joules across its return to 0.
    assert!(about(found.energy, 9.5), "{found:?}");

    let free = machine.meter(None, pairs()).finished(Duration::ZERO);
    assert_eq!((free.others_busy, free.siblings_busy, free.mhz), (None, None, None));
}

#[test]
fn what_the_system_does_not_show_is_not_available() {
    let machine = Machine::new("nothing");
    let found = machine.meter(Some(3), pairs()).finished(Duration::from_secs(1));
    let expected = Conditions { processor_time: Duration::from_secs(1), ..Conditions::default() };
    assert_eq!(found, expected);
    machine.write("proc/stat", "cpu0 nothing\ncpu one 2\ncpuX 1 2 3\n");
    machine.write(
        "proc/cpuinfo",
        "processor : 2\ncpu MHz : 1000.0\n\nprocessor : 3\ncpu MHz : 2600.5\n",
    );
    let found = machine.meter(Some(3), pairs()).finished(Duration::from_secs(1));
    assert_eq!((found.mhz, found.others_busy), (Some(2600.5), None));
}

#[test]
#[cfg(target_os = "linux")]
fn this_machine_shows_processor_time() {
    let meter = Meter::start(None);
    let started = Instant::now();
    let end = crate::process_cpu_time() + Duration::from_millis(600);
    // Other tests of this process use processor time as well, so it may pass faster than real time.
    while crate::process_cpu_time() < end || started.elapsed() < SHORTEST {}
    let found = meter.finish();
    assert!(found.processor_time >= Duration::from_millis(600), "{found:?}");
    assert!(found.preemptions.is_some() && found.machine_busy.is_some(), "{found:?}");
}
