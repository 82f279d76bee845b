// The page on which a project is recorded: the original machine and renderer, driven step by step.
//
// Defines `record(project, { name, sha256, steps, seed, keys, answers, hears })`, which returns a recording. Time is
// logical: the flag is clicked at a fixed instant, and a step lasts 1/30 s. The page needs the globals that
// `record.js` loads: VirtualMachine, ScratchStorage, ScratchRender, ScratchSVGRenderer and AudioEngine. There is
// no microphone.
'use strict';

const STEP = 1000 / 30;
const FLAG = Date.UTC(2000, 0, 1) + 8766.5 * 86400000;

// The random generator of reference recordings. `record.js` changes the blocks that choose at random to call `draw`.
const generator = seed => {
    let state = seed | 0;
    return () => {
        state = (state + 0x6D2B79F5) | 0;
        let t = Math.imul(state ^ (state >>> 15), 1 | state);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
};
window.draw = Math.random;

// The clock of the page shows logical time; 0 is the flag.
let elapsed = 0;
const RealDate = Date;
window.Date = class extends RealDate {
    constructor(...date) { super(...(date.length ? date : [RealDate.now()])); }
    static now() { return FLAG + Math.floor(elapsed); }
};

// Waits until promises and events of the machine have been handled.
const channel = new MessageChannel();
const settle = () => new Promise(resolve => {
    channel.port1.onmessage = resolve;
    channel.port2.postMessage(0);
});
const sleep = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

const load = async project => {
    const vm = new VirtualMachine();
    const canvas = document.createElement('canvas');
    document.body.appendChild(canvas);
    const storage = new ScratchStorage();
    vm.attachStorage(storage);
    vm.attachRenderer(new ScratchRender(canvas));
    const audio = new AudioEngine();
    audio.getLoudness = () => -1;
    vm.attachAudioEngine(audio);
    vm.attachV2SVGAdapter(new ScratchSVGRenderer.SVGRenderer());
    vm.attachV2BitmapAdapter(new ScratchSVGRenderer.BitmapAdapter());
    vm.setCompatibilityMode(true);
    vm.runtime.currentStepTime = STEP;
    vm.runtime.virtualSound = -1;
    await vm.loadProject(project);
    // Vector images can be drawn only after they have been decoded.
    const { _allSkins: skins } = vm.renderer;
    while (skins.some(skin => skin && skin._svgImage && !skin._svgImageLoaded && !skin._svgImage.complete)) {
        await sleep(10);
    }
    await sleep(100);
    return vm;
};

// Numbers that JSON cannot represent become strings. Undefined coordinates are left out.
const number = value => (Number.isFinite(value) || value === undefined ? value : String(value));
const scalar = value => (typeof value === 'number' ? number(value) : value);

const list = items => {
    const values = items.map(scalar);
    return values.length <= 50 ? values :
        { n: values.length, head: values.slice(0, 10), tail: values.slice(-10) };
};

// The state of a target, with the keys of the format.
const describe = (vm, target, ranks) => {
    const vars = {};
    for (const { name, type, value } of Object.values(target.variables)) {
        if (type === '') vars[name] = scalar(value);
        if (type === 'list') vars[`[]${name}`] = list(value);
    }
    const bubble = target.getCustomState('Scratch.looks');
    return {
        n: target.getName(), o: target.isOriginal,
        x: number(target.x), y: number(target.y), d: number(target.direction), s: number(target.size),
        v: target.visible, c: target.currentCostume, l: target.isStage ? 0 : ranks.get(target.drawableID),
        r: target.rotationStyle,
        e: Object.fromEntries(Object.entries(target.effects).filter(([, value]) => value !== 0)
            .map(([name, value]) => [name, number(value)])),
        b: bubble ? String(bubble.text) : '',
        vol: number(target.volume), vars,
    };
};

const observe = vm => {
    const { runtime, renderer } = vm;
    const drawables = new Set(runtime.targets.filter(target => !target.isStage).map(target => target.drawableID));
    const order = renderer._drawList.filter(drawable => drawables.has(drawable));
    const ranks = new Map(order.map((drawable, rank) => [drawable, rank + 1]));
    const threads = runtime.threads.filter(thread => !thread.updateMonitor).length;
    return {
        threads,
        ids: runtime.targets.map(target => target.id),
        ts: runtime.targets.map(target => describe(vm, target, ranks)),
    };
};

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// The changes from one state to the next.
const difference = (before, after) => {
    const change = {};
    if (!same(before.threads, after.threads)) change.threads = after.threads;
    if (!same(before.ids, after.ids)) return { ...change, ts: after.ts };
    after.ts.forEach((target, index) => {
        const changed = {};
        for (const [key, value] of Object.entries(target)) {
            const old = before.ts[index][key];
            if (same(old, value)) continue;
            changed[key] = key === 'vars' ?
                Object.fromEntries(Object.entries(value).filter(([name]) => !same(old[name], value[name]))) : value;
        }
        if (Object.keys(changed).length) (change.ch = change.ch || {})[index] = changed;
    });
    return change;
};

const KEYS = {
    'space': ' ', 'left arrow': 'ArrowLeft', 'right arrow': 'ArrowRight', 'up arrow': 'ArrowUp',
    'down arrow': 'ArrowDown', 'enter': 'Enter',
};

const mouse = { x: 0, y: 0 };
const send = (vm, event) => {
    const canvas = { canvasWidth: 480, canvasHeight: 360 };
    switch (event.t) {
    case 'key':
        return vm.postIOData('keyboard', { key: KEYS[event.key] || event.key, isDown: event.down });
    case 'mouse':
        Object.assign(mouse, { x: event.x + 240, y: 180 - event.y });
        return vm.postIOData('mouse', { ...canvas, ...mouse });
    case 'button':
        return vm.postIOData('mouse', { ...canvas, ...mouse, isDown: event.down });
    case 'answer':
        return vm.runtime.emit('ANSWER', event.text);
    case 'sound':
        vm.runtime.virtualSound = event.level;
    }
};

// Returns a function that returns the events of a step: what a user who knows the keys, answers and sprites of the
// project might do. The events are drawn from a separate generator.
const user = (vm, seed, keys, answers, hears) => {
    const next = generator(seed);
    const below = n => Math.floor(next() * n);
    const pick = choices => choices[below(choices.length)];
    const due = new Map();
    const later = (step, event) => due.set(step, [...(due.get(step) || []), event]);
    let asked = false;
    vm.runtime.on('QUESTION', question => { asked = question !== null; });
    const actions = [
        step => { // a key, held for up to 12 steps
            const key = pick(keys);
            later(step + 1 + below(12), { t: 'key', key, down: false });
            return [{ t: 'key', key, down: true }];
        },
        step => { // a click on a sprite
            const shown = vm.runtime.targets.filter(({ isStage, visible, x, y }) =>
                !isStage && visible && Number.isFinite(x) && Number.isFinite(y));
            if (!shown.length) return [];
            const { x, y } = pick(shown);
            later(step + 2, { t: 'button', down: false });
            return [{ t: 'mouse', x: Math.round(x), y: Math.round(y) }, { t: 'button', down: true }];
        },
        step => { // a press anywhere and a move
            const place = () => ({ t: 'mouse', x: below(460) - 230, y: below(340) - 170 });
            const end = step + 4 + below(12);
            later(step + 3, place());
            later(end, { t: 'button', down: false });
            return [place(), { t: 'button', down: true }];
        },
    ].filter((_, index) => index > 0 || keys.length);
    return step => {
        const events = due.get(step) || [];
        due.delete(step);
        if (asked && answers.length && next() < 0.1) events.push({ t: 'answer', text: pick(answers) });
        if (hears && next() < 0.06) {
            const level = 10 + below(90);
            later(step + 1 + below(10), { t: 'sound', level: -1 });
            events.push({ t: 'sound', level });
        }
        if (next() < 0.12) events.push(...pick(actions)(step));
        return events;
    };
};

window.record = async (project, { name, sha256, steps, seed, keys, answers, hears }) => {
    const bytes = Uint8Array.from(atob(project), character => character.charCodeAt(0));
    const vm = await load(bytes.buffer);
    const { runtime } = vm;
    const act = user(vm, seed, keys, answers, hears);
    // As in the reference recordings, execute a step before the flag, in which sprites are drawn once.
    window.draw = generator(seed);
    runtime._step();
    await settle();
    window.draw = generator(seed);
    vm.greenFlag();
    runtime.stepsExecuted = 0;
    runtime.stepTimer = 0;
    await settle();
    let state = observe(vm);
    const recording = {
        project: name, sha256, steps, seed, inputs: [], covered: [],
        trace: [{ threads: state.threads, ts: state.ts }],
    };
    for (let step = 1; step <= steps; step++) {
        const events = act(step);
        if (events.length) recording.inputs.push({ step, events });
        events.forEach(event => send(vm, event));
        await settle();
        runtime._step();
        elapsed = step * STEP;
        await settle();
        const now = observe(vm);
        recording.trace.push(difference(state, now));
        state = now;
    }
    recording.covered = [...runtime.traceInfo.tracer.coverage].sort();
    return JSON.stringify(recording);
};
