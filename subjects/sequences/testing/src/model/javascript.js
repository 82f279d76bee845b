// Objects of BPjs for models in JavaScript, and the conversion of b-threads to tables.
//
// A b-thread is a function that calls `sync`. QuickJS cannot copy a suspended function, so the function is called again
// for each state: its first calls to `sync` return the events of the state's history, and the next call throws PAUSE. A
// state is a set of histories after which the same events lead to the same statements, according to a number of
// test sequences of events (probes).
(() => {
  "use strict";
  // Probes that distinguish states: a number of long probes, and short probes for further first events. A b-thread that
  // waits for one event at a time has a single, longer probe.
  const LONG_PROBES = 4, LONG = 120, MAX_PROBES = 64, SHORT = 8, ONLY = 800;
  const MAX_STATES = 2000, MAX_EVENTS = 4096, MAX_THREADS = 4096;
  const PAUSE = { toString: () => "the end of the known events" };
  const fail = (cause) => { throw new Error(cause); };

  const fields = (data) => {
    const scalar = (value) => {
      if (typeof value === "boolean" || typeof value === "string") return value;
      if (Number.isInteger(value) && Math.abs(value) <= 0x7fffffff) return value;
      return JSON.stringify(value) ?? String(value);
    };
    if (data === undefined || data === null) return [];
    if (typeof data !== "object" || Array.isArray(data)) return [["data", scalar(data)]];
    return Object.keys(data).filter((name) => data[name] !== undefined).map((name) => {
      if (name === "event") fail("an event must not have a field `event`");
      return [name, scalar(data[name])];
    });
  };

  class BEvent {
    constructor(name, data) {
      this.name = String(name);
      this.data = data;
      const own = fields(data);
      this.label = own.length
        ? `${this.name}(${own.map(([name, value]) => `${name}: ${value}`).join(", ")})`
        : this.name;
      Object.freeze(this);
    }
    contains(event) { return event.label === this.label; }
    negate() { return new BEventSet(`not ${this.label}`, (event) => !this.contains(event)); }
    or(other) { return new BEventSet("or", (e) => this.contains(e) || member(other, e)); }
    toString() { return this.label; }
  }

  class BEventSet {
    constructor(name, predicate) {
      if (predicate === undefined) [name, predicate] = ["set", name];
      if (typeof predicate !== "function") fail("an event set needs a function");
      this.name = String(name);
      this.predicate = predicate;
    }
    contains(event) { return Boolean(this.predicate(event)); }
    negate() { return new BEventSet(`not ${this.name}`, (event) => !this.contains(event)); }
    and(other) { return new BEventSet("and", (e) => this.contains(e) && member(other, e)); }
    or(other) { return new BEventSet("or", (e) => this.contains(e) || member(other, e)); }
    except(other) { return new BEventSet("except", (e) => this.contains(e) && !member(other, e)); }
  }

  const all = new BEventSet("all", () => true), none = new BEventSet("none", () => false);

  const member = (set, event) => {
    if (set === undefined || set === null) return false;
    if (Array.isArray(set)) return set.some((part) => member(part, event));
    if (set instanceof BEvent || set instanceof BEventSet) return set.contains(event);
    if (typeof set === "string") return set === event.name;
    if (typeof set === "function") return Boolean(set(event));
    return fail(`${String(set)} is neither an event nor a set of events`);
  };

  // Adds the labels of the known events of a set.
  const collect = (set, found) => {
    if (Array.isArray(set)) return set.forEach((part) => collect(part, found));
    if (set instanceof BEvent) return events.has(set.label) && found.add(set.label);
    if (set === all) return events.forEach((_, label) => found.add(label));
    if (set === undefined || set === null || set === none) return undefined;
    return events.forEach((event, label) => member(set, event) && found.add(label));
  };

  const requested = (part) => {
    if (part === undefined || part === null) return [];
    if (Array.isArray(part)) return part.flatMap(requested);
    if (part instanceof BEvent) return [part];
    if (typeof part === "string") return [new BEvent(part)];
    return fail(`request: ${String(part)} is not an event`);
  };

  // The events of the model by label, in the order in which they were found.
  const events = new Map();
  let grown = false;
  const know = (event) => {
    if (events.has(event.label)) return;
    if (events.size === MAX_EVENTS) fail(`more than ${MAX_EVENTS} events`);
    events.set(event.label, event);
    grown = true;
  };

  const PARTS = ["request", "waitFor", "block", "interrupt", "priority"];
  const threads = [];
  // The function to which the running b-thread passes its statements, and whether the b-thread is paused; `undefined`
  // outside a b-thread.
  let running;

  const read = (call, priority) => {
    if (call === null || typeof call !== "object") fail("sync needs an object with request, waitFor, block or interrupt");
    const unknown = Object.keys(call).find((name) => !PARTS.includes(name));
    if (unknown !== undefined) fail(`sync: unknown part \`${unknown}\`; the parts are ${PARTS.join(", ")}`);
    const request = requested(call.request);
    request.forEach(know);
    const own = new Set(request.map((event) => event.label));
    const labels = (set) => {
      const found = new Set();
      collect(set, found);
      return [...found];
    };
    const level = Number(call.priority ?? priority ?? 0);
    if (!Number.isInteger(level) || Math.abs(level) > 1000000) {
      fail("sync: the priority must be a whole number from -1000000 to 1000000");
    }
    return {
      request: [...own].sort(),
      wait: labels(call.waitFor).filter((label) => !own.has(label)).sort(),
      block: labels(call.block).sort(),
      interrupt: labels(call.interrupt).sort(),
      priority: level,
    };
  };

  const sync = (call, priority) => {
    if (running === undefined) fail("sync is called outside of a b-thread");
    if (running.paused) fail("a b-thread must not catch what sync throws");
    const label = running.next(() => read(call, priority));
    if (label === undefined) {
      running.paused = true;
      throw PAUSE;
    }
    return events.get(label);
  };

  // Calls a b-thread. `next` receives a function that returns the current statement, and returns the event
  // that resumes the b-thread, or `undefined` to pause it. Returns whether the b-thread ended.
  const execute = (thread, next) => {
    running = { next, paused: false };
    const state = running;
    try {
      thread.body.call(undefined, thread.data);
    } catch (thrown) {
      if (thrown !== PAUSE) throw thrown;
    } finally {
      running = undefined;
    }
    return !state.paused;
  };

  const resumers = (statement) => {
    const ends = new Set(statement.interrupt);
    return [...statement.request, ...statement.wait].filter((label) => !ends.has(label)).sort();
  };

  // The statement after a history, or `undefined` if the b-thread has ended.
  const statementAfter = (thread, history) => {
    let found, at = 0;
    execute(thread, (statement) => {
      if (at === history.length) found = statement();
      return at < history.length ? history[at++] : undefined;
    });
    return found;
  };

  // The number of each statement, by the statement's JSON.
  const known = new Map();
  const numberOf = (statement) => {
    const text = JSON.stringify(statement);
    if (!known.has(text)) known.set(text, known.size);
    return known.get(text);
  };

  // A digest of the behaviour of the b-thread after a history that leads to a statement, for all probes.
  const digest = (thread, history, first) => {
    const parts = [], width = resumers(first).length;
    const probes = Math.min(Math.max(width, LONG_PROBES), MAX_PROBES);
    for (let probe = 0; probe < probes; probe += 1) {
      let at = 0, steps = 0, draw = 7 + 101 * probe, hash = 0, branches = false;
      const ended = execute(thread, (statement) => {
        if (at < history.length) return history[at++];
        const now = statement(), open = resumers(now);
        hash = (Math.imul(hash, 1000003) + numberOf(now) + 1) | 0;
        branches = branches || open.length > 1;
        const most = !branches ? ONLY : probe < LONG_PROBES ? LONG : SHORT;
        if (steps++ >= most || open.length === 0) return undefined;
        draw = (Math.imul(draw, 1103515245) + 12345) & 0x7fffffff;
        // Probes begin with different enabled events if there are enough.
        return open[(steps === 1 ? probe : draw >> 8) % open.length];
      });
      parts.push(`${hash}.${steps}.${ended}`);
      if (!branches) break;
    }
    return parts.join(" ");
  };

  const shares = (thread) => fail(`b-thread \`${thread.name}\` depends on data outside of it`);

  // Fails if the first statement no longer requests the same events as at the beginning.
  const begin = (thread) => {
    const first = JSON.stringify(statementAfter(thread, [])?.request ?? null);
    thread.first ??= first;
    if (thread.first !== first) shares(thread);
  };

  const tables = (thread) => {
    begin(thread);
    const numbers = new Map(), states = [], open = [];
    const number = (history) => {
      const statement = statementAfter(thread, history);
      if (statement === undefined) return null;
      const key = `${numberOf(statement)} ${digest(thread, history, statement)}`;
      if (!numbers.has(key)) {
        if (states.length === MAX_STATES) {
          fail(`b-thread \`${thread.name}\` has more than ${MAX_STATES} states`);
        }
        numbers.set(key, states.length);
        states.push({ ...statement, next: {} });
        open.push(history);
      }
      return numbers.get(key);
    };
    number([]);
    for (let at = 0; at < open.length && !grown; at += 1) {
      const state = states[at];
      for (const label of resumers(state)) state.next[label] = number([...open[at], label]);
    }
    // Compute the statements again to detect data that b-threads share, which may have changed in the meantime.
    for (let at = 0; at < open.length && !grown; at += 1) {
      const { next, ...first } = states[at];
      if (numberOf(statementAfter(thread, open[at]) ?? {}) !== numberOf(first)) {
        shares(thread);
      }
    }
    return { name: thread.name, states };
  };

  const register = (name, data, body) => {
    if (typeof name === "function") [name, data, body] = [`b-thread ${threads.length + 1}`, undefined, name];
    if (body === undefined) [data, body] = [undefined, data];
    if (typeof body !== "function") fail("a b-thread needs a function");
    if (running !== undefined) fail("a b-thread must not register another one");
    if (threads.length === MAX_THREADS) fail(`more than ${MAX_THREADS} b-threads`);
    threads.push({ name: String(name), data, body });
  };

  const event = (name, data) => new BEvent(name, data);
  const eventSet = (name, predicate) => new BEventSet(name, predicate);
  const constructible = (make) => function (...parts) { return make(...parts); };
  const log = () => {};
  const shared = () => fail("data that b-threads share is not supported: write the model as *.bp");
  const store = new Proxy({}, { get: shared, set: shared, has: shared });
  const bp = {
    sync,
    registerBThread: register,
    Event: constructible(event),
    EventSet: constructible(eventSet),
    all,
    none,
    eventSets: { all, none },
    log: { info: log, warn: log, error: log, fine: log, setLevel: log },
    ASSERT: (holds, why) => { if (!holds) fail(`assertion: ${why}`); },
    enqueueExternalEvent: () => fail("external events are not supported"),
    setWaitForExternalEvents: () => {},
    store,
  };
  const names = { bp, sync, bthread: register, Event: bp.Event, EventSet: bp.EventSet };
  for (const name of Object.keys(names)) {
    Object.defineProperty(globalThis, name, { value: names[name], configurable: false, writable: false });
  }

  return () => {
    if (threads.length === 0) fail("the model registers no b-thread");
    let found;
    do {
      grown = false;
      found = threads.map(tables);
    } while (grown);
    threads.forEach((thread) => begin(thread));
    const order = [...events.values()].map((event) => {
      const own = fields(event.data);
      return own.length ? { event: event.name, ...Object.fromEntries(own) } : event.name;
    });
    return JSON.stringify({ events: order, threads: found });
  };
})()
