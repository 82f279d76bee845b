// Executes the tests of a suite in Node.js. Reports on standard output begin with the token of the job. `data` and
// `replaceTyped` are defined before this text.
'use strict';
const fs = require('node:fs');
const { createRequire } = require('node:module');
const { pathToFileURL } = require('node:url');
const { setTimeout: later, clearTimeout: never } = require('node:timers');
const { apply, construct, ownKeys, getOwnPropertyDescriptor, defineProperty, deleteProperty } = Reflect;
const { stringify, parse } = JSON;
const active = process.getActiveResourcesInfo.bind(process);
const PromiseOfNode = Promise;
const job = parse(fs.readFileSync(0, 'utf8'));
const writeSync = fs.writeSync;
const say = line => {
  const bytes = Buffer.from(`\n${job.token} ${line}\n`);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
};
const requireSubject = createRequire(job.subject);
replaceTyped(job);

// Built-in objects that are compared and restored after each test.
const GLOBALS = [globalThis, ...['Object', 'Function', 'Array', 'String', 'Number', 'Boolean', 'Symbol', 'BigInt', 'Date', 'RegExp',
  'Promise', 'Map', 'Set', 'WeakMap', 'WeakSet', 'Error', 'TypeError', 'RangeError', 'ArrayBuffer', 'Uint8Array', 'Math', 'JSON', 'Reflect',
  'console', 'process'].flatMap(name => {
  const value = globalThis[name];
  return typeof value === 'function' && value.prototype ? [value, value.prototype] : [value];
})];
const OPEN = new Set(['_events', '_eventsCount', 'exitCode']);
const described = object => new Map(ownKeys(object).map(key => [key, getOwnPropertyDescriptor(object, key)]));
let before = [];
const mapGet = Function.prototype.call.bind(Map.prototype.get);
const mapHas = Function.prototype.call.bind(Map.prototype.has);
const mapKeys = Function.prototype.call.bind(Map.prototype.forEach);
const is = Object.is;
const setHas = Function.prototype.call.bind(Set.prototype.has);
/** Restores built-in objects. Returns whether any had changed. */
const restored = () => {
  let changed = false;
  for (let i = 0; i < before.length; i++) {
    const object = GLOBALS[i];
    const known = before[i];
    const now = ownKeys(object);
    for (let k = 0; k < now.length; k++) {
      if (!mapHas(known, now[k]) && !setHas(OPEN, now[k])) {
        changed = true;
        deleteProperty(object, now[k]);
      }
    }
    mapKeys(known, (was, key) => {
      const is_ = getOwnPropertyDescriptor(object, key);
      const same = is_ !== undefined && is(is_.value, was.value) && is_.get === was.get && is_.set === was.set;
      if (!same && !setHas(OPEN, key)) {
        changed = true;
        defineProperty(object, key, was);
      }
    });
  }
  return changed;
};

let variables = [];
const rejected = () => {
  const promise = PromiseOfNode.reject(new Error('e'));
  promise.catch(() => {});
  return promise;
};
const evaluate = eval;
const made = ([kind, content, more, code]) => {
  switch (kind) {
    case 'variable': return variables[content];
    case 'number': return Number(content);
    case 'string': case 'boolean': return content;
    case 'null': return null;
    case 'bigint': return BigInt(content);
    case 'symbol': return Symbol(content);
    case 'regexp': return new RegExp(content, more);
    case 'date': return new Date(content);
    case 'array': return content.map(made);
    case 'set': return new Set(content.map(made));
    case 'map': return new Map(content.map(([key, item]) => [made(key), made(item)]));
    case 'object': {
      const object = {};
      for (const [name, item] of content) {
        defineProperty(object, name, { value: made(item), writable: true, enumerable: true, configurable: true });
      }
      return object;
    }
    case 'promise': return more ? rejected() : PromiseOfNode.resolve(made(content));
    case 'function': {
      if (content === 'first') return value => value;
      if (content === 'throws') return () => { throw new Error('e'); };
      if (content === 'writes') return a => { if (a !== null && typeof a === 'object') a.changed = true; return a; };
      // The source text is the same as in the code, because subjects may read it.
      if (content === 'calls') return (v => (...all) => all.findLast(f => typeof f === 'function')?.(null, v))(made(more));
      if (content === 'passes') return (v => (...all) => all.find(f => typeof f === 'function')?.(v))(made(more));
      if (code !== undefined) return evaluate(code);
      return (value => () => value)(made(more));
    }
    default: return undefined;
  }
};

let loads = 0;
const script = job.script ? fs.readFileSync(job.subject, 'utf8') : '';
const loaded = async () => {
  if (job.script) {
    return new Function(`${script}\n;return { ${job.names.join(', ')} };`)();
  }
  let subject;
  if (job.module) {
    loads += 1;
    subject = await import(`${pathToFileURL(job.subject)}?load=${loads}`);
  } else {
    for (const file of Object.keys(requireSubject.cache)) {
      const inside = file.startsWith(job.root) && !file.slice(job.root.length).includes('node_modules');
      if (inside) delete requireSubject.cache[file];
    }
    subject = requireSubject(job.subject);
  }
  for (const name of job.namespace) subject = subject[name];
  return subject;
};
const executed = (subject, statement) => {
  const values = (statement.arguments ?? []).map(made);
  switch (statement.op) {
    case 'method': return variables[statement.receiver][statement.name](...values);
    case 'get': return variables[statement.receiver][statement.name];
    case 'set': return void (variables[statement.receiver][statement.name] = values[0]);
    case 'value': return values[0];
  }
  let owner;
  let target = subject;
  for (const name of statement.path) {
    owner = target;
    target = target[name];
  }
  return statement.op === 'new' ? construct(target, values) : apply(target, owner, values);
};
const thrownData = (key, thrown) => {
  if (!(thrown instanceof Error)) return { [key]: '', value: data(thrown) };
  return { [key]: String(thrown.name), message: String(thrown.message) };
};
let stray;
process.on('unhandledRejection', () => { stray = 'a rejection that nothing handles'; });
process.on('uncaughtException', () => { stray = 'an exception outside of the test'; });

const run = async test => {
  const subject = await loaded();
  // Changes that loading makes to built-in objects belong to the subject.
  before = GLOBALS.map(described);
  variables = [];
  const values = [];
  for (let i = 0; i < test.statements.length; i++) {
    const statement = test.statements[i];
    let awaited = false;
    try {
      let value = executed(subject, statement);
      if (statement.await && !test.pending[i] && value instanceof PromiseOfNode) {
        awaited = true;
        let timer;
        const late = new PromiseOfNode((_, no) => { timer = later(() => no(job), 1000); });
        try {
          value = await PromiseOfNode.race([value, late]);
        } finally {
          never(timer);
        }
      }
      variables[i] = value;
      values.push(data(value));
    } catch (thrown) {
      if (thrown === job) return { dropped: 'a promise that never settles' };
      if (thrown?.code === 'ERR_ACCESS_DENIED') return { dropped: 'it writes files or starts processes' };
      values.push(thrownData(awaited ? 'rejects' : 'throws', thrown));
      break;
    }
  }
  const after = values.map((_, i) => (test.after[i] ? data(variables[i]) : null));
  for (let i = 0; i < 20 && (i < 1 || active().includes('Timeout')); i++) {
    await new PromiseOfNode(resolve => later(resolve, i));
  }
  return { values, after };
};
(async () => {
  for (const number of job.order) {
    say(`begin ${number}`);
    stray = undefined;
    before = [];
    let result;
    try {
      result = await run(job.tests[number]);
    } catch (error) {
      result = { dropped: 'the subject cannot be loaded or observed' };
    }
    if (restored()) result = { dropped: 'a change of built-in objects' };
    if (stray !== undefined) result = { dropped: stray };
    say(`end ${number} ${stringify(result)}`);
  }
  say('done');
  process.reallyExit(0);
})();
