#!/usr/bin/env python3
"""Compares the processor time that engines take for a task that does nothing.

usage: compare.py [--catherd PROGRAM] [--tasks N] [--workers N] [ENGINE...]

Each engine executes a few tasks, and in a second execution N tasks more (catherd 10 N), on workers of this machine.
A separate control group counts the time of all processes of an execution: servers, databases, workers and tasks. The
difference of the two times, divided by the difference of the numbers of tasks, is the cost of a task; the start of an
engine does not count. Engines that are not installed are left out. The script needs root for the control groups, and
the engines: `pip install hyperqueue ray distributed 'celery[redis]' procrastinate 'psycopg[binary,pool]'`,
redis-server, PostgreSQL, parallel.
"""

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

FEW = 20


class ControlGroup:
    """A control group, of version 1 or 2, that counts the processor time of its processes."""

    def __init__(self, name):
        first = Path("/sys/fs/cgroup/cpuacct")
        self.folder = (first if first.is_dir() else Path("/sys/fs/cgroup")) / f"engines-{os.getpid()}-{name}"
        self.folder.mkdir()

    def enter(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def seconds(self):
        usage = self.folder / "cpuacct.usage"
        if usage.exists():
            return int(usage.read_text()) / 1e9
        lines = (self.folder / "cpu.stat").read_text().split("\n")
        return int(next(line.split()[1] for line in lines if line.startswith("usage_usec"))) / 1e6

    def remove(self):
        for _ in range(100):
            for pid in (self.folder / "cgroup.procs").read_text().split():
                try:
                    os.kill(int(pid), 9)
                except ProcessLookupError:
                    pass
            try:
                return self.folder.rmdir()
            except OSError:
                time.sleep(0.1)


class Engine:
    """An engine: a shell or Python script that executes TASKS tasks on WORKERS workers."""

    def __init__(self, name, durable, needs, script, python=False, factor=1):
        self.name, self.durable, self.needs, self.factor = name, durable, needs, factor
        self.script, self.python = textwrap.dedent(script).strip("\n"), python

    def missing(self):
        def is_there(need):
            return shutil.which(need) or (need.isidentifier() and importlib.util.find_spec(need))

        return [need for need in self.needs if not is_there(need)]

    def seconds(self, tasks, environment):
        """Returns the processor time in seconds of all processes for this number of tasks."""
        group = ControlGroup(self.name.replace(" ", "-").replace(",", ""))
        with tempfile.TemporaryDirectory(prefix="engines-") as folder:
            os.chmod(folder, 0o755)
            command = [sys.executable, "-c", self.script] if self.python else ["bash", "-euc", self.script]
            variables = {**os.environ, **environment, "TASKS": str(tasks), "FOLDER": folder}
            with open(Path(folder) / "log", "w") as log:
                ended = subprocess.run(command, cwd=folder, env=variables, stdout=log, stderr=log,
                                       preexec_fn=group.enter, timeout=3600)
            seconds = group.seconds()
            group.remove()
            if ended.returncode != 0:
                text = (Path(folder) / "log").read_text()
                raise RuntimeError(f"{self.name} ended with {ended.returncode}:\n{text[-2000:]}")
        return seconds


# Starts a PostgreSQL server in FOLDER, and sets `$URL`.
POSTGRES = """
        bin=$(ls -d /usr/lib/postgresql/*/bin | tail -1)
        install -d -o postgres "$FOLDER/db"
        su postgres -c "$bin/initdb -D $FOLDER/db -A trust" > /dev/null
        su postgres -c "$bin/pg_ctl -D $FOLDER/db -w -o '-k $FOLDER/db -c listen_addresses=' start" > /dev/null
        export URL="postgresql:///postgres?host=$FOLDER/db&user=postgres"
        trap 'su postgres -c "$bin/pg_ctl -D $FOLDER/db -m fast stop" > /dev/null' EXIT
"""

ENGINES = [
    Engine("catherd", "yes", [], """
        mkdir projects && echo nothing > projects/project
        "$CATHERD" run --subject noop --algorithms a --executions 1 --projects projects --seeds "$TASKS" \\
            --workers "$WORKERS" --out results
        [ "$(tail -n +2 results/runs.csv | wc -l)" = "$TASKS" ]
    """, factor=10),
    Engine("HyperQueue, processes", "no", ["hyperqueue"], """
        import os
        from hyperqueue import Job
        from hyperqueue.cluster import LocalCluster, WorkerConfig
        with LocalCluster(os.environ["FOLDER"]) as cluster:
            for _ in range(int(os.environ["WORKERS"])):
                cluster.start_worker(WorkerConfig(cores=1))
            client = cluster.client()
            job = Job()
            for _ in range(int(os.environ["TASKS"])):
                job.program(["/bin/true"], stdout=None, stderr=None)
            assert client.wait_for_jobs([client.submit(job)])
    """, python=True),
    Engine("xargs, processes", "no", ["xargs"], """
        seq "$TASKS" | xargs -n 1 -P "$WORKERS" /bin/true
    """),
    Engine("GNU parallel, processes", "no", ["parallel"], """
        seq "$TASKS" | parallel --will-cite -j "$WORKERS" -N 1 /bin/true
    """),
    Engine("GNU parallel with a log, processes", "a line of a file", ["parallel"], """
        seq "$TASKS" | parallel --will-cite -j "$WORKERS" -N 1 --joblog "$FOLDER/jobs" /bin/true
        [ "$(tail -n +2 "$FOLDER/jobs" | wc -l)" = "$TASKS" ]
    """),
    Engine("PostgreSQL by hand", "yes", ["psycopg", "psql"], POSTGRES + """
        python3 - <<'END'
        import os, subprocess, sys
        import psycopg
        url, tasks, workers = os.environ["URL"], int(os.environ["TASKS"]), int(os.environ["WORKERS"])
        with psycopg.connect(url, autocommit=True) as db:
            db.execute("create table jobs (id bigint primary key, state text default 'pending', result text)")
            db.execute("insert into jobs (id) select generate_series(1, %s)", (tasks,))
            db.execute("create index on jobs (id) where state = 'pending'")
        worker = '''
        import sys, psycopg
        take = "update jobs set state = 'leased' where id = (select id from jobs where state = 'pending' " \\
               "order by id for update skip locked limit 1) returning id"
        with psycopg.connect(sys.argv[1], autocommit=True) as db:
            while row := db.execute(take).fetchone():
                db.execute("update jobs set state = 'done', result = '' where id = %s", row)
        '''
        import textwrap
        command = [sys.executable, "-c", textwrap.dedent(worker), url]
        assert not any(one.wait() for one in [subprocess.Popen(command) for _ in range(workers)])
        with psycopg.connect(url) as db:
            assert db.execute("select count(*) from jobs where state = 'done'").fetchone() == (tasks,)
        END
    """),
    Engine("procrastinate", "yes", ["procrastinate", "psycopg", "psql"], POSTGRES + """
        cat > tasks.py <<'END'
        import os, procrastinate
        app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=os.environ["URL"]))
        @app.task(name="nothing")
        async def nothing(number):
            pass
        END
        export PYTHONPATH=$FOLDER
        procrastinate() { python3 -m procrastinate --app=tasks.app "$@"; }
        procrastinate schema --apply
        python3 - <<'END'
        import asyncio, os, tasks
        async def defer():
            async with tasks.app.open_async():
                await tasks.nothing.batch_defer_async(*[{"number": n} for n in range(int(os.environ["TASKS"]))])
        asyncio.run(defer())
        END
        for _ in $(seq "$WORKERS"); do procrastinate worker --one-shot --concurrency 1 > /dev/null 2>&1 & pids="${pids:-} $!"; done
        wait $pids
        [ "$(psql "$URL" -Atc "select count(*) from procrastinate_jobs where status = 'succeeded'")" = "$TASKS" ]
    """),
    Engine("Celery and Redis", "every second", ["celery", "redis", "redis-server"], """
        redis-server --port 0 --unixsocket "$FOLDER/redis" --dir "$FOLDER" --appendonly yes --save "" > /dev/null &
        redis=$!
        cat > tasks.py <<'END'
        import os, celery
        url = "redis+socket://" + os.environ["FOLDER"] + "/redis"
        app = celery.Celery("tasks", broker=url, backend=url)
        app.conf.update(task_acks_late=True, worker_prefetch_multiplier=1)
        @app.task
        def nothing(number):
            return number
        END
        until [ -S "$FOLDER/redis" ]; do sleep 0.1; done
        export PYTHONPATH=$FOLDER C_FORCE_ROOT=1
        python3 -m celery -A tasks worker --concurrency "$WORKERS" --loglevel WARNING --without-gossip --without-mingle &
        worker=$!
        python3 - <<'END'
        import os, tasks
        from celery import group
        results = group(tasks.nothing.s(n) for n in range(int(os.environ["TASKS"]))).apply_async()
        assert len(results.get(timeout=3000)) == int(os.environ["TASKS"])
        END
        kill $worker; wait $worker || true; kill $redis; wait $redis || true
    """),
    Engine("Dask", "no", ["distributed"], """
        import os
        from distributed import Client, LocalCluster
        def nothing(number):
            return number
        if __name__ == "__main__":
            tasks, workers = int(os.environ["TASKS"]), int(os.environ["WORKERS"])
            with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster:
                with Client(cluster) as client:
                    futures = client.map(nothing, range(tasks), pure=False)
                    assert client.gather(futures) == list(range(tasks))
    """, python=True),
    Engine("Ray", "no", ["ray"], """
        import os
        import ray
        ray.init(num_cpus=int(os.environ["WORKERS"]), include_dashboard=False, logging_level="ERROR")
        @ray.remote
        def nothing(number):
            return number
        tasks = int(os.environ["TASKS"])
        assert ray.get([nothing.remote(n) for n in range(tasks)]) == list(range(tasks))
        ray.shutdown()
    """, python=True),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs="*", metavar="ENGINE", help="beginnings of names [default: all]")
    parser.add_argument("--catherd", default=shutil.which("catherd") or "target/release/catherd")
    parser.add_argument("--tasks", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", type=Path, help="file for the numbers")
    arguments = parser.parse_args()
    environment = {
        "CATHERD": str(Path(arguments.catherd).resolve()), "WORKERS": str(arguments.workers),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    rows = []
    print(f"{'engine':<36} {'durable':<18} {'ms/task':>8} {'tasks/s of a core':>18}")
    for engine in ENGINES:
        if arguments.engines and not any(engine.name.startswith(name) for name in arguments.engines):
            continue
        if missing := engine.missing():
            print(f"{engine.name:<36} left out: {', '.join(missing)} not found")
            continue
        try:
            tasks = arguments.tasks * engine.factor
            few = engine.seconds(FEW, environment)
            many = engine.seconds(FEW + tasks, environment)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            print(f"{engine.name:<36} failed: {error}")
            continue
        cost = (many - few) / tasks
        rows.append({"engine": engine.name, "durable": engine.durable, "tasks": tasks,
                     "start_seconds": few, "seconds_per_task": cost})
        print(f"{engine.name:<36} {engine.durable:<18} {1000 * cost:8.3f} {1 / cost:18.0f}", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
