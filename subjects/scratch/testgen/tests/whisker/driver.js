// Executes suites in Whisker's JavaScript format on the original Scratch machine.
//
//   node driver.js MODULES PROJECT SUITE [today]
//
// MODULES is a node_modules folder with scratch-vm and scratch-storage, or, for `today`, with the packages of the
// same names in the scope @scratch. The script has the functions of Whisker's test driver that suites of catherd
// use. Time is counted in steps of 1/30 s, and the green flag is clicked before each test. A step is one pass over
// all threads; for `today`, up to 100 passes, until something must be drawn. There is no renderer: sprites can
// leave the stage, and assertions about layers and touching are counted as skipped. The script prints one JSON
// object.
'use strict';

const fs = require('fs');
const path = require('path');

const [modules, project, suite] = process.argv.slice(2, 5).map(argument => path.resolve(argument));
const today = process.argv[5] === 'today';
const PASSES = today ? 100 : 1;
const STEP = 1000 / 30;

// Logical time: clocks and timeouts advance only with steps. Milliseconds are whole numbers, because
// rounding could otherwise make the sum of some steps smaller than a wait of the same length.
const RealDate = Date;
const start = RealDate.now();
let now = start;
let timeouts = [];
let ids = 0;
const realImmediate = setImmediate;
globalThis.Date = class extends RealDate {
    constructor(...date) { super(...(date.length ? date : [now])); }
    static now() { return now; }
};
globalThis.performance.now = () => now - start;
globalThis.setTimeout = (callback, delay, ...args) => {
    const id = ++ids;
    timeouts.push({ id, at: now + (delay || 0), run: () => callback(...args) });
    return { id, unref() {}, ref() {}, [Symbol.toPrimitive]: () => id };
};
globalThis.clearTimeout = handle => {
    const id = handle && typeof handle === 'object' ? handle.id : handle;
    timeouts = timeouts.filter(timeout => timeout.id !== id);
};
const settle = () => new Promise(resolve => realImmediate(resolve));
for (const level of ['log', 'info', 'warn', 'error', 'debug']) console[level] = () => {};

const scope = today ? path.join(modules, '@scratch') : modules;
// The build of today's package for Node.js lacks files, so load the sources.
const VirtualMachine = require(path.join(scope, today ? 'scratch-vm/src/index.js' : 'scratch-vm'));
const { ScratchStorage } = require(path.join(scope, 'scratch-storage'));

class Unmet extends Error {}

/** A sprite, a clone or the stage as tests see it. */
class Wrapped {
    constructor(driver, target) {
        this.driver = driver;
        this.target = target;
    }
    get x() { return this.target.x; }
    get y() { return this.target.y; }
    get direction() { return this.target.direction; }
    get size() { return this.target.size; }
    get visible() { return this.target.visible; }
    get currentCostume() { return this.target.currentCostume; }
    get volume() { return this.target.volume; }
    get effects() { return this.target.effects; }
    get layerOrder() { return this.driver.unknown(); }
    get sayText() {
        const state = this.target.getCustomState('Scratch.looks');
        return state && state.text !== '' ? state.text : null;
    }
    getCloneCount() { return this.target.sprite.clones.length - 1; }
    getClones() {
        return this.target.sprite.clones.slice(1).map(clone => new Wrapped(this.driver, clone));
    }
    getScratchTarget() { return this.target; }
    find(name, type) {
        for (const variable of Object.values(this.target.variables)) {
            if (variable.name === name && variable.type === type) return variable;
        }
        throw new Unmet(`no variable ${name}`);
    }
    getVariable(name) { return this.find(name, ''); }
    getList(name) { return this.find(name, 'list'); }
    isTouchingSprite() { return this.driver.unknown(); }
    isTouchingEdge() { return this.driver.unknown(); }
}

const UNKNOWN = Symbol('not known without a renderer');

class Driver {
    constructor(vm) {
        this.vm = vm;
        this.releases = [];
        this.results = [];
        this.steps = 0;
        this.begin = now;
        const check = (holds, message) => this.results.push({ holds, message });
        const known = (value, compare, message) => {
            if (value === UNKNOWN) this.results.push({ skipped: true, message });
            else check(compare(value), message);
        };
        this.assert = {
            ok: (value, message) => known(value, v => Boolean(v), message),
            not: (value, message) => known(value, v => !v, message),
            equal: (value, want, message) => known(value, v => v == want, message),
            withinRange: (value, want, range, message) =>
                known(value, v => Math.abs(v - want) <= range, message),
        };
    }
    unknown() { return UNKNOWN; }
    stage() { return this.vm.runtime.getTargetForStage(); }
    original(name) {
        const target = this.vm.runtime.targets.find(t => t.isOriginal && !t.isStage && t.getName() === name);
        if (!target) throw new Unmet(`no sprite ${name}`);
        return target;
    }
    getStage() { return new Wrapped(this, this.stage()); }
    getSprite(name) { return new Wrapped(this, this.original(name)); }

    async step() {
        // Answers resolve promises.
        await settle();
        // Input is released before the step in which its duration ends.
        const due = this.releases.filter(release => release.at <= this.steps);
        this.releases = this.releases.filter(release => release.at > this.steps);
        due.forEach(release => release.run());
        this.steps++;
        if (today) await this.pass();
        this.vm.runtime._step();
        if (today) {
            await settle();
        } else {
            this.vm.runtime.stepTimer += 0.075;
            await this.pass();
        }
    }
    /** Lets the time of a step pass. */
    async pass() {
        now = this.begin + Math.round(this.steps * STEP);
        await settle();
        const ready = timeouts.filter(timeout => timeout.at <= now);
        timeouts = timeouts.filter(timeout => timeout.at > now);
        ready.forEach(timeout => timeout.run());
        await settle();
    }
    async runForSteps(steps) {
        for (let i = 0; i < steps; i++) await this.step();
    }
    after(steps, run) { this.releases.push({ at: this.steps + steps, run }); }

    keyPress(key, steps) {
        const names = { 'space': ' ', 'left arrow': 'ArrowLeft', 'right arrow': 'ArrowRight',
            'up arrow': 'ArrowUp', 'down arrow': 'ArrowDown', 'enter': 'Enter' };
        const name = names[key] || key;
        this.vm.postIOData('keyboard', { key: name, isDown: true });
        this.after(steps, () => this.vm.postIOData('keyboard', { key: name, isDown: false }));
    }
    click(target) {
        this.vm.runtime.startHats('event_whenthisspriteclicked', null, target);
        this.vm.runtime.startHats('event_whenstageclicked', null, target);
    }
    clickSprite(name) { this.click(this.original(name)); }
    clickStage() { this.click(this.stage()); }
    clickClone(clone) { this.clickCloneByCoords(clone.x, clone.y); }
    clickCloneByCoords(x, y) {
        const target = this.vm.runtime.targets.find(t => !t.isStage && t.x === x && t.y === y);
        if (target) this.click(target);
    }
    mouse(extra) {
        this.vm.postIOData('mouse', { canvasWidth: 480, canvasHeight: 360, ...this.pointer, ...extra });
    }
    mouseMove(x, y) {
        this.pointer = { x: x + 240, y: 180 - y };
        this.mouse({});
    }
    mouseDown(isDown) { this.mouse({ isDown }); }
    greenFlag() { this.vm.greenFlag(); }
    typeText(answer) { this.vm.runtime.emit('ANSWER', answer); }
    dragSprite(name, x, y) {
        this.original(name).setXY(x, y, true);
    }
    sendSound(volume, steps) {
        this.vm.runtime.audioEngine = { getLoudness: () => volume };
        this.after(steps, () => { delete this.vm.runtime.audioEngine; });
    }
    end() {}
}

// A substitute for the renderer, without which today's machine does not learn that something must be drawn.
const renderer = new Proxy({
    getFencedPositionOfDrawable: (_, place) => place,
    getCurrentSkinSize: () => [0, 0],
    getSkinSize: () => [0, 0],
    getNativeSize: () => [480, 360],
    getBounds: () => ({ left: 0, right: 0, top: 0, bottom: 0 }),
    getBoundsForBubble: () => ({ left: 0, right: 0, top: 0, bottom: 0 }),
}, { get: (known, name) => known[name] || (() => 0) });

const load = async () => {
    const vm = new VirtualMachine();
    vm.attachStorage(new ScratchStorage());
    await vm.loadProject(fs.readFileSync(project));
    vm.runtime.currentStepTime = STEP;
    if (today) {
        vm.runtime.renderer = renderer;
        for (const target of vm.runtime.targets) Object.assign(target, { renderer, drawableID: 0 });
    }
    // Sizes have no limits, because the limits depend on the renderer.
    const { prototype } = vm.runtime.targets[0].constructor;
    prototype.setSize = function (size) { if (!this.isStage) this.size = Number(size); };
    // The timer of Whisker's machine.
    if (!today) {
        vm.runtime.stepTimer = 0;
        vm.runtime._primitives.sensing_timer = () => vm.runtime.stepTimer;
        vm.runtime._primitives.sensing_resettimer = () => { vm.runtime.stepTimer = 0; };
    }
    // The sequencer continues a step until `redrawRequested` is true, and each step begins by setting
    // `redrawRequested` to false.
    let [passes, redraw] = [0, false];
    Object.defineProperty(vm.runtime, 'redrawRequested', {
        get: () => today && redraw || passes++ >= PASSES,
        set: requested => {
            redraw = requested;
            if (!requested) passes = 0;
        }
    });
    return vm;
};

const main = async () => {
    const report = { tests: 0, passed: 0, assertions: 0, held: 0, skipped: 0, unmet: [] };
    for (const { test, name } of require(suite)) {
        timeouts = [];
        const driver = new Driver(await load());
        driver.mouseMove(0, 0);
        driver.vm.greenFlag();
        try {
            await test(driver);
        } catch (error) {
            driver.results.push({ holds: false, message: String(error) });
        }
        const checked = driver.results.filter(result => !result.skipped);
        const unmet = checked.filter(result => !result.holds);
        report.tests++;
        report.passed += unmet.length === 0 ? 1 : 0;
        report.assertions += checked.length;
        report.held += checked.length - unmet.length;
        report.skipped += driver.results.length - checked.length;
        report.unmet.push(...unmet.slice(0, 5).map(result => `${name}: ${result.message}`));
    }
    process.stdout.write(JSON.stringify(report) + '\n', () => process.exit(0));
};

main().catch(error => {
    process.stderr.write(`${error.stack}\n`);
    process.exit(1);
});
