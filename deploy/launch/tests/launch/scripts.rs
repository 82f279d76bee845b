//! Compares scripts and command lines of all managers with files, and tests reading the answers of
//! managers. `CATHERD_WRITE_SCRIPTS=1` writes the files.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use catherd_deploy_launch::{Call, Engine, LaunchError, Pilot, Submission, Task, TaskState};

/// Uses many options of the manager.
fn pilot(engine: Engine) -> Pilot {
    let cluster = !matches!(engine, Engine::Kubernetes | Engine::Ssh);
    let given = |is: bool, text: &str| is.then(|| text.to_owned());
    let manages_queues = matches!(engine, Engine::Slurm | Engine::Pbs);
    Pilot {
        tag: "catherd-0a1b2c".to_owned(),
        program: "/opt/cat herd/catherd".into(),
        connect: "ant:7420,bee:7420".to_owned(),
        tls: Some("/home/me/certs".into()),
        token_file: Some("/home/me/it's.token".into()),
        dir: "/shared/me/catherd".into(),
        local: given(engine != Engine::Kubernetes, "$TMPDIR"),
        cores_per_task: 4,
        memory: 2048,
        time: Duration::from_secs(8 * 3600),
        idle: 60,
        staying: 2,
        account: given(cluster, "proj-7"),
        partition: given(manages_queues, "long"),
        qos: given(matches!(engine, Engine::Slurm | Engine::Kubernetes), "low"),
        prologue: match engine {
            Engine::Kubernetes => Vec::new(),
            _ => vec!["module load gcc/13 \"$X\"".to_owned(), "ulimit -c 0".to_owned()],
        },
        worker_options: vec!["--programs=/tmp/a b".to_owned()],
        hosts: ["ant", "bee", "ant"].map(str::to_owned).to_vec(),
        cache_claim: Some("catherd-cache".to_owned()),
        ..Pilot::default()
    }
}

fn shown(calls: &[Call]) -> String {
    let mut text = String::new();
    for Call { program, arguments, input } in calls {
        let _ = writeln!(text, "$ {program} {arguments:?}");
        if let Some(input) = input {
            let _ = writeln!(text, "{input}$ end of standard input");
        }
    }
    text
}

fn submission(engine: Engine, tasks: u32, live: &[Task]) -> Submission {
    engine.submission(&pilot(engine), 1..=tasks, live).unwrap()
}

#[test]
fn scripts_are_those_of_the_files() {
    for engine in Engine::ALL {
        let Submission { files, calls } = submission(engine, 3, &[]);
        let mut text = String::new();
        for (path, script) in &files {
            let _ = writeln!(text, "$ file {}\n{script}$ end of file", path.display());
        }
        text += &shown(&calls);
        text += &shown(&engine.listing(&pilot(engine)));
        let tasks = [("1", TaskState::Waiting), ("2", TaskState::Running)];
        let tasks = tasks.map(|(id, state)| Task { id: id.to_owned(), state });
        text += &shown(&engine.cancellation(&pilot(engine), &tasks));
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/scripts/{engine}.txt"));
        if std::env::var_os("CATHERD_WRITE_SCRIPTS").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &text).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap();
        let differs = text.lines().zip(expected.lines()).find(|(new, old)| new != old);
        let same = text == expected;
        assert!(same, "{engine}: {differs:?}; CATHERD_WRITE_SCRIPTS=1 writes {}", path.display());
    }
}

#[test]
fn the_shell_executes_the_worker_with_the_arguments_that_were_given() {
    for (engine, variables, name) in [
        (Engine::Slurm, "SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=3 SLURM_JOB_END_TIME=99", "7-3"),
        (Engine::Pbs, "PBS_JOBID=7[3].server PBS_ARRAY_INDEX=3", "7-3"),
        (Engine::Htcondor, "A=", "7-3"),
    ] {
        let Submission { files, .. } = submission(engine, 3, &[]);
        let script = &files[0].1;
        // `exec` is replaced by a function that prints its arguments, and `module` by a function
        // that does nothing.
        let text = format!(
            "module() {{ :; }}\nexec() {{ printf '%s\\n' \"$@\"; }}\nTMPDIR='/tmp/it is'\n{script}"
        );
        let mut command = Command::new("bash");
        command.args(["-u", "-c", &text, "bash", "7", "3"]).env("X", "");
        for variable in variables.split(' ') {
            let (key, value) = variable.split_once('=').unwrap();
            command.env(key, value);
        }
        let output = command.output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{engine}: {}", String::from_utf8_lossy(&output.stderr));
        let until = if engine == Engine::Slurm { "99" } else { "28800s" };
        // Only the first two tasks stay without runs. Task numbers of HTCondor begin with 0.
        let expected = [
            "/opt/cat herd/catherd",
            "worker",
            "--connect",
            "ant:7420,bee:7420",
            "--name",
            &format!("catherd-0a1b2c-{name}"),
            "--spool",
            &format!("/tmp/it is/catherd/spool/catherd-0a1b2c-{name}"),
            "--cache",
            "/tmp/it is/catherd/cache",
            "--idle",
            "60",
            "--retry-timeout",
            "900",
            "--memory",
            "2048",
            "--grace",
            "20",
            "--until",
            until,
            "--processes",
            "4",
            "--tls",
            "/home/me/certs",
            "--token-file",
            "/home/me/it's.token",
            "--programs=/tmp/a b",
        ];
        assert_eq!(printed.lines().collect::<Vec<_>>(), expected, "{engine}");
    }
}

#[test]
fn arrays_are_split_beyond_the_limit_of_slurm() {
    let limit = Engine::Slurm.array_limit().unwrap();
    assert_eq!((limit.program.as_str(), &*limit.arguments.join(" ")), ("scontrol", "show config"));
    let answer = "MaxArraySize            = 1001\nMaxJobCount             = 10000\n";
    assert_eq!(Engine::Slurm.read_array_limit(answer), Some(1001));
    assert_eq!(Engine::Slurm.read_array_limit("nothing"), None);
    let submission = submission(Engine::Slurm, 2500, &[]);
    let arrays = submission.files.iter().map(|(_, script)| {
        let line = script.lines().find(|line| line.contains("--array")).unwrap();
        line.trim_start_matches("#SBATCH --array=").to_owned()
    });
    assert_eq!(arrays.collect::<Vec<_>>(), ["1-1000", "1-1000", "1-500"]);
    assert!(submission.files[2].1.contains("$((SLURM_ARRAY_TASK_ID + 2000))"));
    assert_eq!(submission.calls.len(), 3);
}

#[test]
fn pbs_tasks_that_are_not_queued_again_do_not_form_an_array() {
    let pilot = Pilot { requeue: false, ..pilot(Engine::Pbs) };
    let Submission { files, calls } = Engine::Pbs.submission(&pilot, 5..=7, &[]).unwrap();
    assert_eq!((files.len(), calls.len()), (3, 3));
    for (path, script) in &files {
        assert!(script.contains("#PBS -r n\n") && !script.contains("#PBS -J"), "{script}");
        assert!(path.display().to_string().ends_with(".pbs"), "{}", path.display());
    }
    assert!(files[2].1.contains("$((index + 6))"), "{}", files[2].1);
    let task = Task { id: "9.server".to_owned(), state: TaskState::Running };
    assert_eq!(Engine::Pbs.worker_prefix("catherd-1", &task), "catherd-1-9-1");
}

#[test]
fn answers_of_managers_are_read() {
    let read = |engine: Engine, answer: &str| {
        let tasks = engine.read_listing("catherd-1", answer).unwrap();
        let tasks = tasks.into_iter().map(|Task { id, state }| format!("{id} {state:?}"));
        tasks.collect::<Vec<_>>().join(", ")
    };
    let squeue = "7_1|RUNNING\n7_2|PENDING\n7_3|COMPLETING\n7_4|CANCELLED\n7_5|PREEMPTED\n";
    assert_eq!(read(Engine::Slurm, squeue), "7_1 Running, 7_2 Waiting, 7_3 Running");
    assert_eq!(read(Engine::Slurm, ""), "");
    let qstat = r#"{"Jobs": {
        "7[].s": {"Job_Name": "catherd-1", "job_state": "B"},
        "7[1].s": {"Job_Name": "catherd-1", "job_state": "R"},
        "7[2].s": {"Job_Name": "catherd-1", "job_state": "Q"},
        "7[3].s": {"Job_Name": "catherd-1", "job_state": "X"},
        "8.s": {"Job_Name": "other", "job_state": "R"}}}"#;
    assert_eq!(read(Engine::Pbs, qstat), "7[1].s Running, 7[2].s Waiting");
    assert_eq!(read(Engine::Pbs, ""), "");
    assert_eq!(read(Engine::Htcondor, "7 0 2\n7 1 1\n7 2 4\n"), "7.0 Running, 7.1 Waiting");
    let jobs = r#"{"items": [
        {"metadata": {"name": "a"}, "status": {"active": 1, "ready": 1}},
        {"metadata": {"name": "b"}, "status": {"active": 1, "ready": 0}},
        {"metadata": {"name": "c"}, "status": {"conditions": [{"type": "Complete", "status": "True"}]}},
        {"metadata": {"name": "d", "deletionTimestamp": "2026-01-01T00:00:00Z"}, "status": {}}]}"#;
    assert_eq!(read(Engine::Kubernetes, jobs), "a Running, b Waiting");
    assert_eq!(read(Engine::Ssh, "1\n3\n"), "1 Running, 3 Running");
    for (engine, wrong) in [
        (Engine::Slurm, "slurm_load_jobs error"),
        (Engine::Pbs, "qstat: no"),
        (Engine::Htcondor, "-- Failed to fetch ads"),
        (Engine::Kubernetes, "error"),
        (Engine::Ssh, "motd"),
    ] {
        assert!(engine.read_listing("catherd-1", wrong).is_err(), "{engine}");
    }
}

#[test]
fn what_a_manager_does_not_have_is_refused() {
    let refused = |engine: Engine, change: &dyn Fn(&mut Pilot)| {
        let mut changed = pilot(engine);
        change(&mut changed);
        engine.submission(&changed, 1..=3, &[]).unwrap_err().to_string()
    };
    for (engine, change, words) in [
        (Engine::Pbs, &(|p: &mut Pilot| p.qos = Some("x".into())) as &dyn Fn(&mut Pilot), "--qos"),
        (Engine::Htcondor, &|p| p.partition = Some("x".into()), "--partition"),
        (Engine::Kubernetes, &|p| p.prologue.push("x".into()), "--prologue"),
        (Engine::Slurm, &|p| p.account = Some("a b".into()), "--account"),
        (Engine::Slurm, &|p| p.account = Some("--x".into()), "--account"),
        (Engine::Slurm, &|p| p.prologue.push("a\n#SBATCH x".into()), "prologue"),
        (Engine::Slurm, &|p| p.dir = "a".into(), "absolute"),
        (Engine::Slurm, &|p| p.local = Some("$(x)".into()), "absolute"),
        (Engine::Slurm, &|p| p.tag = "$(x)".into(), "lower-case letters"),
        (Engine::Ssh, &|p| p.hosts = vec!["-oProxyCommand=x".into(); 3], "not a host name"),
        (Engine::Ssh, &|p| p.hosts.truncate(2), "more tasks (3) than hosts"),
    ] {
        assert!(refused(engine, change).contains(words), "{engine}: {}", refused(engine, change));
    }
}

#[test]
fn hosts_get_tasks_only_in_free_places() {
    let live = [Task { id: "1".to_owned(), state: TaskState::Running }];
    let calls = Engine::Ssh.submission(&pilot(Engine::Ssh), 4..=5, &live).unwrap().calls;
    let hosts: Vec<_> = calls.iter().map(|call| call.arguments[5].as_str()).collect();
    assert_eq!(hosts, ["ant", "bee"]);
    let script = calls[0].input.as_ref().unwrap();
    assert!(script.contains("/3.pid") && !script.contains("/1.pid"), "{script}");
    let more = Engine::Ssh.submission(&pilot(Engine::Ssh), 4..=6, &live);
    assert_eq!(more.unwrap_err(), LaunchError::Hosts { tasks: 3, free: 2 });
}
