// The adapter of Whisker 0.8.0, the original, in headless Chromium.
//
// Usage: adapter.mjs prepare|doctor|execute REQUEST
//
// The user has a built checkout of Whisker and a browser: `prepare` takes them from the variables
// WHISKER_HOME and CHROME_BIN and notes them in the environment, a folder with `places.json`, a link `node` to
// Node.js and a script `browser`. A project is an .sb3 file; the budget is real time.

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';

const VERSION = '0.8.0';

/** Characters that are kept of the tool's output, from its end. */
const MOST_OUTPUT = 1 << 20;

/** The file of the environment that starts the browser. */
const BROWSER = 'browser';

/** The run has no result. */
class Failed extends Error {}

function prepare(request) {
  const places = { checkout: process.env.WHISKER_HOME, browser: process.env.CHROME_BIN };
  for (const [name, variable] of [['checkout', 'WHISKER_HOME'], ['browser', 'CHROME_BIN']]) {
    if (!places[name]) throw new Failed(`set ${variable}: ${what(name)}`);
    places[name] = fs.realpathSync(places[name]);
  }
  fs.writeFileSync(path.join(request.environment, 'places.json'), JSON.stringify(places, null, 1));
  const node = path.join(request.environment, 'node');
  fs.rmSync(node, { force: true });
  fs.symlinkSync(process.execPath, node);
  const flaws = flawsOf(places);
  if (flaws.length > 0) throw new Failed(flaws.join('; '));
  // Since version 137 Chromium draws WebGL without a graphics device only if it is asked to. Whisker passes no
  // arguments of ours to it.
  const quoted = `'${places.browser.replaceAll("'", "'\\''")}'`;
  fs.writeFileSync(path.join(request.environment, BROWSER),
    `#!/bin/sh\nexec ${quoted} --enable-unsafe-swiftshader "$@"\n`, { mode: 0o755 });
  // Whisker removes this file when it starts, which a run may not.
  fs.rmSync(path.join(places.checkout, 'whisker-web/dist/includes/prettify.js'), { force: true });
}

function what(name) {
  return name === 'checkout' ? 'the folder of a built checkout of Whisker' : 'a Chromium';
}

function flawsOf(places) {
  const needed = ['servant/servant.js', 'whisker-web/dist/index.html', 'config/mio.json',
    'node_modules/puppeteer'];
  const flaws = needed
    .filter((file) => !fs.existsSync(path.join(places.checkout, file)))
    .map((file) => `${path.join(places.checkout, file)} is missing: run yarn install and yarn build`);
  const package_ = path.join(places.checkout, 'package.json');
  const version = fs.existsSync(package_) && JSON.parse(fs.readFileSync(package_)).version;
  if (version && version !== VERSION) flaws.push(`${package_} is of ${version}, not ${VERSION}`);
  const page = path.join(places.checkout, 'whisker-web/dist/whisker-gui.js');
  if (fs.existsSync(page) && !tracesBranches(fs.readFileSync(page, 'utf8'))) {
    flaws.push(`${page} has a machine without branchDistTraces, which Whisker reads: `
      + 'build it with the scratch-vm of its yarn.lock');
  }
  const asked = spawnSync(places.browser, ['--version'], { encoding: 'utf8' });
  if (asked.status !== 0) flaws.push(`${places.browser} cannot be started`);
  return flaws;
}

/**
 * Whether the machine that is built into the page keeps the traces from which Whisker computes fitness. The
 * public branch of its scratch-vm has them under another name, and every search would end with its first test.
 */
export function tracesBranches(page) {
  return !page.includes('.branchDistTraces') || /\bbranchDistTraces\s*(\(|=[^=])/.test(page);
}

function doctor(request) {
  const places = JSON.parse(fs.readFileSync(path.join(request.environment, 'places.json')));
  const flaws = flawsOf(places);
  if (flaws.length > 0) throw new Failed(flaws.join('\n'));
  const asked = spawnSync(places.browser, ['--version'], { encoding: 'utf8' });
  console.log(`Whisker ${VERSION} in ${places.checkout}, ${asked.stdout.trim()}, Node.js ${process.version}`);
}

/**
 * The name of an algorithm's configuration. Random search is that of the many-objective generator, with the
 * events, minimisation and assertions of the others. `random.json` is another generator, which version 0.8.0
 * refuses, because it names no event selector.
 */
export function configurationName(algorithm) {
  return algorithm === 'random' ? 'randomSearch.json' : `${algorithm}.json`;
}

/** The configuration of an algorithm with the budget in place of its own. */
function configuration(request, places) {
  const file = path.join(places.checkout, 'config', configurationName(request.algorithm));
  const settings = JSON.parse(fs.readFileSync(file));
  for (const condition of settings.stoppingCondition.conditions) {
    // Whisker divides the duration by its acceleration.
    if (condition.type === 'fixedTime') {
      condition.duration = request.budget.wall_ms * request.parameters.acceleration;
    }
  }
  settings.assertions = request.parameters.assertions;
  settings.minimizeAssertions = false;
  // The messages of iterations say how far the search is.
  settings.debugLogging = true;
  return settings;
}

/** The cells of the only row by column; a column that is a number is a point of the timeline. */
export function parse(text) {
  const [header, row] = text.trim().split('\n').map((line) => line.split(','));
  if (!row || header[0] !== 'projectName') throw new Failed('the CSV file has no row of results');
  const fixed = header.filter((name) => !/^\d+$/.test(name));
  // Names are not escaped, so that the cells are counted from the end of the fixed columns.
  const at = (name) => {
    const cell = row[fixed.indexOf(name)];
    const value = Number(cell);
    if (cell === undefined || !Number.isFinite(value)) throw new Failed(`${name} is ${cell}`);
    return value;
  };
  const points = header.slice(fixed.length).map((ms, k) => [Number(ms), Number(row[fixed.length + k])]);
  return { at, points: points.filter(([, covered]) => Number.isFinite(covered)) };
}

/** The result of a run with a budget of `ms` of real time; a search ends before when everything is covered. */
export function resultOf(text, files, ms) {
  const { at, points } = parse(text);
  const goals = at('fitnessFunctionCount');
  const covered = at('coveredFitnessFunctionCount');
  const full = at('timeToReachFullCoverage');
  const timeline = [];
  for (const [ms, count] of points) {
    const last = timeline.length > 0 ? timeline[timeline.length - 1].covered : -1;
    if (count > last && count <= covered) timeline.push({ wall_ms: ms, covered: count });
  }
  if (timeline.length > 0 && timeline[timeline.length - 1].covered < covered) {
    timeline.push({ wall_ms: Math.max(ms, points[points.length - 1][0]), covered });
  }
  return {
    contract: 1,
    tool: { name: 'whisker', version: VERSION },
    goals,
    covered,
    timeline,
    executions: at('executedTests'),
    // Whisker counts the waits between events as events. `minimizedTests` and `minimizedEvents` are what
    // it removed, and negative if the suite has more tests than were counted before.
    suite: {
      tests: at('bestTestSuiteSize'),
      size: Math.ceil(at('testsuiteEventCount') / 2),
      unit: 'events',
      removed: Math.ceil(Math.max(0, at('minimizedEvents')) / 2),
    },
    times: { search_ms: covered === goals && full > 0 ? Math.min(Math.round(full), ms) : ms },
    files: { suite: files },
    metrics: { iterations: at('iterationCount'), executed_events: at('executedEventsCount') },
  };
}

/**
 * A folder with a short path, because Chromium ends if the path of its socket, in its folder for temporary
 * files, has more than 107 bytes; `null` if that folder is short enough.
 */
function shortFolder() {
  const folder = process.env.TMPDIR ?? '/tmp';
  return Buffer.byteLength(folder) > 50 ? fs.mkdtempSync('/dev/shm/whisker-') : null;
}

/** The first error that Whisker prints; the browser's own messages say less. */
export function reasonOf(output) {
  const ofBrowser = /^\[[\d:/.]+:(ERROR|WARNING|INFO|FATAL):/;
  const lines = output.split('\n').map((line) => line.trim());
  const said = lines.filter((line) => line && !ofBrowser.test(line));
  return said.find((line) => /error: /i.test(line)) ?? said.at(-1) ?? lines.findLast((line) => line) ?? 'no output';
}

/** The covered goals and all goals in a message of an iteration; `null` in any other line. */
export function progressOf(line) {
  const found = /covered goals(?: total)?:\s+(\d+)\/(\d+)/.exec(line);
  return found && { covered: Number(found[1]), goals: Number(found[2]) };
}

/**
 * Runs the servant and returns the end of its output. Improvements are passed on in the file `live`, and the
 * messages of iterations are not kept.
 */
async function run(words, env, live) {
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [kept, most] = ['', -1];
  const reading = [child.stdout, child.stderr].map(async (stream) => {
    for await (const line of readline.createInterface({ input: stream })) {
      const progress = progressOf(line);
      if (progress && progress.covered > most) {
        most = progress.covered;
        fs.appendFileSync(live, `${JSON.stringify(progress)}\n`);
      }
      if (!progress) kept = `${kept}${line}\n`.slice(-MOST_OUTPUT);
    }
  });
  await Promise.all([...reading, new Promise((ended, failed) => child.on('close', ended).on('error', failed))]);
  return kept;
}

async function execute(request) {
  const places = JSON.parse(fs.readFileSync(path.join(request.environment, 'places.json')));
  if (!request.project.path.endsWith('.sb3')) {
    return { contract: 1, outcome: 'unsupported', reason: 'not a project of Scratch 3 (.sb3)' };
  }
  fs.mkdirSync('tests');
  fs.writeFileSync('config.json', JSON.stringify(configuration(request, places)));
  const words = [path.join(places.checkout, 'servant/servant.js'), 'generate',
    // A path with `..` cannot be uploaded.
    '--scratch-path', fs.realpathSync(request.project.path), '--config-path', 'config.json',
    '--test-download-dir', path.resolve('tests'), '--csv-file', path.resolve('result.csv'),
    '--acceleration', String(request.parameters.acceleration), '--seed', String(request.seed),
    '--headless', '--console-forwarded'];
  const folder = shortFolder();
  const env = { ...process.env, CHROME_BIN: path.join(request.environment, BROWSER), NODE_ENV: 'production' };
  if (folder) env.TMPDIR = folder;
  let output;
  try {
    output = await run(words, env, request.live);
  } finally {
    if (folder) fs.rmSync(folder, { recursive: true, force: true });
  }
  if (!fs.existsSync('result.csv')) {
    throw new Failed(reasonOf(output));
  }
  const files = fs.readdirSync('tests').filter((name) => name.endsWith('.js'));
  const suites = files.map((name) => `tests/${name}`);
  const result = resultOf(fs.readFileSync('result.csv', 'utf8'), suites, request.budget.wall_ms);
  fs.writeFileSync('whisker.log', output);
  return { ...result, files: { suite: suites, logs: ['whisker.log'] } };
}

const [command, file] = process.argv.slice(2);
try {
  const request = JSON.parse(fs.readFileSync(file));
  if (command === 'execute') fs.writeFileSync(request.out, JSON.stringify(await execute(request)));
  else ({ prepare, doctor })[command](request);
} catch (error) {
  console.log(error instanceof Failed ? error.message : `[ERROR] ${error.stack}`);
  process.exitCode = 1;
}
