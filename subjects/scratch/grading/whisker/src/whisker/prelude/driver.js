// `t`, and the functions with which the host executes tests. This script is evaluated last.
(function (kit) {
    'use strict';
    const {host, apply, define, members, NativeString, NativeNumber, NativePromise, NativeError, then, Sprite} = kit;
    const STEP = 1000 / 30;
    const BEFORE = 1, AFTER = 2, CONSTRAINTS = 4, RANDOM = 8, MODELS = 16;
    const MOVED = 1, LOOKS = 2, SAID = 4, CHANGED = 8;

    const t = {};
    const methods = functions => {
        const names = kit.ownKeys(functions);
        for (let i = 0; i < names.length; i++) {
            define(t, names[i], functions[names[i]]);
        }
    };

    // Runs.
    let current = null;
    const run = (condition, timeout, steps) => {
        if (host.isRunning()) {
            return apply(NativePromise.reject, NativePromise, [new NativeError(
                'a run is already active; is an `await` missing before it?')]);
        }
        const given = value => value !== undefined && value !== null;
        const limit = given(steps) ? NativeNumber(steps)
            : given(timeout) ? NativeNumber(timeout) / STEP : Infinity;
        return new NativePromise((resolve, reject) => {
            // A condition that is not a function is an error only if it is evaluated, which
            // requires a limit above 0.
            current = {resolve, reject, condition: condition ? condition : null, inSteps: given(steps)};
            host.beginRun(limit, !!condition);
            if (typeof condition === 'function' || limit > 0) {
                check();
            }
        });
    };
    /** Evaluates the condition of the run. */
    const check = () => {
        try {
            const {condition} = current;
            if (condition !== null && typeof condition !== 'function') {
                throw new TypeError('the condition of the run is not a function');
            }
            if (condition !== null && condition()) {
                host.conditionHolds();
            }
        } catch (error) {
            host.runFailed();
            current.reject(error);
        }
    };
    const settle = (holds, value) => {
        const {resolve, reject, inSteps} = current;
        if (holds) {
            resolve(inSteps ? host.runSteps() : host.runSteps() * STEP);
        } else {
            reject(value);
        }
    };
    const forSteps = steps => run(undefined, undefined, steps);
    methods({
        run,
        runForTime: ms => run(undefined, ms),
        runUntil: (condition, timeout) => run(condition, timeout),
        runUntilChanges: (f, timeout) => {
            const before = f();
            return run(() => f() !== before, timeout);
        },
        runForSteps: forSteps,
        cancelRun: () => host.cancelRun(),
        cancelScratchRun: () => host.cancelRun(),
        isRunning: () => host.isRunning(),
        isScratchRunning: () => host.isRunning(),
        isProjectRunning: () => host.isProjectRunning(),
        isWhiskerRunning: () => host.isProjectRunning(),
        getTotalTimeElapsed: () => host.totalSteps() * STEP,
        getRunTimeElapsed: () => host.runSteps() * STEP,
        getTotalStepsExecuted: () => host.totalSteps(),
        getRunStepsExecuted: () => host.runSteps(),
        getTotalRealTimeElapsed: () => host.totalSteps() * STEP / host.acceleration(),
        getRealRunTimeElapsed: () => host.runSteps() * STEP / host.acceleration(),
        getAccelerationFactor: () => host.acceleration(),
        greenFlag: () => host.greenFlag(),
        end: () => {
            host.end();
            kit.compatP || unwatch();
        },
        seedScratch: seed => inputs.seedAll(seed),
    });
    if (!kit.strict) {
        define(t, 'wait', async steps => {
            if (steps > 1000) {
                host.mistake('`wait` counts steps, not milliseconds; write `await t.runForTime(ms)` for milliseconds');
            }
            await forSteps(steps);
        });
    }

    // Sprites and variables.
    let byName = {__proto__: null};
    let wrapsAll = false;
    const wrapAll = () => {
        if (!wrapsAll) {
            wrapsAll = true;
            host.wrapAll();
        }
    };
    const originalNamed = name => {
        if (typeof name === 'string' && byName[name] !== undefined) {
            return byName[name];
        }
        wrapAll();
        const text = kit.text(name);
        const id = host.original(text);
        return id < 0 ? undefined : byName[text] = kit.wrap(id);
    };
    const allSprites = (condition, skipStage) => {
        wrapAll();
        return Sprite.all(condition, skipStage);
    };
    const newSprites = condition => {
        wrapAll();
        return Sprite.unseen(condition);
    };
    const atPoint = (x, y) => {
        const sprites = [];
        const ids = host.frontToBack();
        for (let i = 0; i < ids.length; i++) {
            const sprite = kit.wrap(ids[i]);
            if (sprite.isPointInBounds(x, y)) {
                sprites[sprites.length] = sprite;
            }
        }
        return sprites;
    };
    const rawVariable = (id, name, set, value) => {
        for (const list of [false, true]) {
            const number = host.variableNumber(id, kit.text(name), list);
            if (number >= 0) {
                return set ? (host.setVariable(id, number, list, value), true) : host.variable(id, number, list);
            }
        }
        host.unknownVariable(id, kit.text(name), false);
        return set ? false : undefined;
    };
    const existing = name => {
        const id = host.original(kit.text(name));
        if (id < 0) {
            throw new TypeError('no sprite is named `' + kit.text(name) + '`');
        }
        return id;
    };
    methods({
        getSprites: (condition, skipStage = true) => allSprites(condition, skipStage),
        getSprite: originalNamed,
        getStage: () => (wrapAll(), kit.wrap(host.stage())),
        getSpritesAtPoint: atPoint,
        getSpriteAtPoint: (x, y) => atPoint(x, y)[0] ?? null,
        getNewSprites: newSprites,
        getRotationStyle: name => {
            const id = host.original(kit.text(name));
            return id < 0 ? undefined : host.text(id, 'rotation style');
        },
        getSpriteVariable: (sprite, name) => rawVariable(existing(sprite), name, false),
        setSpriteVariable: (sprite, name, value) => rawVariable(existing(sprite), name, true, value),
        getGlobalVariable: name => rawVariable(host.stage(), name, false),
        setGlobalVariable: (name, value) => rawVariable(host.stage(), name, true, value),
        setVisibility: (name, visible) => {
            const id = host.original(kit.text(name));
            if (id >= 0) {
                host.setLook(id, 'Visible', visible ? 1 : 0);
            }
        },
        getStageSize: () => ({width: 480, height: 360}),
        getMousePos: () => {
            const [x, y] = host.mouse();
            return {x, y};
        },
        isMouseDown: () => host.isMouseDown(),
        isKeyDown: key => host.isKeyDown(kit.text(key)),
        getAnswer: () => host.answer(),
        isQuestionAsked: () => host.isAsking(),
        log: message => host.log(kit.text(message)),
        getCoverage: () => {
            const [covered, total] = host.coverage();
            return {covered, total};
        },
        isCoverageEnabled: () => host.coverage()[1] > 0,
    });
    define(t, 'vm', kit.vm);
    define(t, 'vmWrapper', kit.raw({vm: kit.vm}, 'vmWrapper'));

    // Watchers.
    const watchers = {moved: null, looks: null, said: null, changed: null};
    let observer = null;
    const watch = (name, f) => {
        watchers[name] = typeof f === 'function' ? f : null;
        host.watch(observer ? MOVED | LOOKS | SAID | CHANGED : (watchers.moved ? MOVED : 0)
            | (watchers.looks ? LOOKS : 0) | (watchers.said ? SAID : 0) | (watchers.changed ? CHANGED : 0));
    };
    /** Models are notified of all changes; the sprite is null if a variable changed. */
    kit.observe = f => {
        observer = f;
        watch('moved', watchers.moved);
    };
    const unwatch = () => {
        for (const name of ['moved', 'looks', 'said', 'changed']) {
            watch(name, null);
        }
    };
    methods({
        onSpriteMoved: f => watch('moved', f),
        onSpriteVisualChange: f => watch('looks', f),
        onSayOrThink: f => watch('said', f),
        onVariableChange: f => watch('changed', f),
    });
    /** Called in the middle of a step, and after a suite changed a sprite. */
    const changed = (kind, id, name) => {
        if (observer) {
            observer(kind === CHANGED ? null : kit.wrap(id));
        }
        if (kind === CHANGED) {
            return watchers.changed && watchers.changed(name);
        }
        const sprite = kit.wrap(id);
        if (kind === MOVED) {
            if (watchers.moved) {
                watchers.moved(sprite);
            }
            if (sprite.onMoved) {
                sprite.onMoved(kit.rawTarget(id));
            }
        } else if (kind === LOOKS) {
            if (watchers.looks) {
                watchers.looks(sprite);
            }
            if (sprite.onVisualChange) {
                sprite.onVisualChange();
            }
        } else if (watchers.said) {
            watchers.said(sprite);
        }
    };

    kit.moved = id => changed(MOVED, id);
    kit.looksDifferent = id => changed(LOOKS, id);

    // Callbacks and constraints.
    class Callback {
        #enabled = true;
        constructor(f, afterStep, name) {
            this.f = f;
            this.afterStep = !!afterStep;
            this.name = name;
        }
        enable() { this.#enabled = true; }
        disable() { this.#enabled = false; }
        isActive() { return this.#enabled; }
        _isActive() { return this.#enabled; }
        static enabled(callback) { return callback.#enabled; }
    }
    class Constraint extends Callback {
        constructor(f, name) {
            super(f, false, name);
            this.error = null;
        }
    }
    let callbacks = [];
    let constraints = [];
    let anyRandom = () => false;
    let policy = 'fail';
    const hooks = {before: null, after: null};
    /** Sets the functions of models that are called before and after each step. */
    kit.hook = (before, after) => {
        hooks.before = before;
        hooks.after = after;
        phases();
    };
    const phases = () => {
        let bits = (constraints.length > 0 ? CONSTRAINTS : 0) | (anyRandom() ? RANDOM : 0)
            | (hooks.before ? MODELS : 0);
        for (let i = 0; i < callbacks.length; i++) {
            bits |= callbacks[i].afterStep ? AFTER : BEFORE;
        }
        host.phases(bits);
    };
    const includes = (list, item) => {
        for (let i = 0; i < list.length; i++) {
            if (list[i] === item) {
                return true;
            }
        }
        return false;
    };
    const without = (list, item) => kit.filtered(list, other => other !== item);
    const added = (list, item) => (list[list.length] = item, list);
    const removeCallback = callback => {
        const had = includes(callbacks, callback);
        callbacks = without(callbacks, callback);
        phases();
        return had;
    };
    const removeConstraint = constraint => {
        const had = includes(constraints, constraint);
        constraints = without(constraints, constraint);
        phases();
        return had;
    };
    methods({
        addCallback: (f, afterStep = false, name = null) => {
            const callback = new Callback(f, afterStep, name);
            callbacks = added(without(callbacks, callback), callback);
            phases();
            return callback;
        },
        reAddCallback: callback => {
            callbacks = added(without(callbacks, callback), callback);
            phases();
        },
        removeCallback,
        clearCallbacks: () => {
            callbacks = [];
            phases();
        },
        addConstraint: (f, name = null) => {
            const constraint = new Constraint(f, name);
            constraints = added(without(constraints, constraint), constraint);
            phases();
            return constraint;
        },
        reAddConstraint: constraint => {
            constraints = added(without(constraints, constraint), constraint);
            phases();
        },
        removeConstraint,
        clearConstraints: () => {
            constraints = [];
            phases();
        },
        onConstraintFailure: action => {
            if (action !== undefined) {
                if (action !== 'fail' && action !== 'stop' && action !== 'nothing') {
                    throw new NativeError('a constraint failure must be `fail`, `stop` or `nothing`');
                }
                policy = action;
            }
            return policy;
        },
    });
    t.onConstraintFailure.FAIL = 'fail';
    t.onConstraintFailure.STOP = 'stop';
    t.onConstraintFailure.NOTHING = 'nothing';
    const callAll = afterStep => {
        const list = callbacks;
        for (let i = 0; i < list.length; i++) {
            const callback = list[i];
            if (callback.afterStep === afterStep && Callback.enabled(callback)
                && (callbacks === list || includes(callbacks, callback)) && callback.f()) {
                removeCallback(callback);
            }
        }
    };
    const checkConstraints = () => {
        const list = constraints;
        for (let i = 0; i < list.length; i++) {
            const constraint = list[i];
            if (!Callback.enabled(constraint) || constraints !== list && !includes(constraints, constraint)) {
                continue;
            }
            try {
                constraint.f();
            } catch (error) {
                if (kind(error) !== 'fail') {
                    throw error;
                }
                removeConstraint(constraint);
                constraint.error = error;
                error.constraint = constraint.name || '[no name]';
                if (policy === 'fail') {
                    throw error;
                }
                if (policy === 'stop') {
                    host.cancelRun();
                }
                return;
            }
        }
    };

    const inputs = kit.makeInputs(kit, {methods, changed, phases, originalNamed, includes, added});
    anyRandom = inputs.hasRandomInputs;

    define(t, 'assert', kit.assert);
    define(t, 'assume', kit.assume);
    members(t, 't');

    // Results of tests.
    const typeNames = error => [error.name, error.constructor && error.constructor.name];
    const kind = error => {
        if ((typeof error !== 'object' || error === null) && typeof error !== 'function') {
            return 'error';
        }
        if (error.message === 'Timeout') {
            return 'fail';
        }
        if (!('actual' in error) && !('expected' in error)) {
            return 'error';
        }
        const [name, type] = typeNames(error);
        const both = (kit.text(name) + ' ' + NativeString(type)).toLowerCase();
        return both.includes('assert') ? 'fail' : both.includes('assum') ? 'skip' : 'error';
    };
    const shown = value => {
        if (value === undefined) {
            return null;
        }
        try {
            const json = kit.JSON.stringify(value);
            return json === undefined ? kit.text(value) : JSON.parse(json);
        } catch {
            return '[object]';
        }
    };
    const failed = error => {
        let status = 'error';
        const details = {};
        try {
            status = kind(error);
            if (status !== 'error' && error.operator !== undefined) {
                for (const field of ['actual', 'expected', 'operator', 'generatedMessage', 'constraint']) {
                    if (error[field] !== undefined) {
                        details[field] = shown(error[field]);
                    }
                }
            }
        } catch {
            status = 'error';
        }
        let json = '{}';
        try {
            json = kit.JSON.stringify(details);
        } catch {
            json = '{}';
        }
        host.finish(status, json, error);
    };

    let tests = [];
    const begin = i => {
        inputs.beginTest();
        let promise;
        try {
            promise = tests[i].test(t);
        } catch (error) {
            return failed(error);
        }
        const wrapped = apply(NativePromise.resolve, NativePromise, [promise]);
        apply(then, wrapped, [() => host.finish('pass', '{}', undefined), failed]);
    };
    /** Called before each test: removes the state of the previous test. */
    const reset = () => {
        callbacks = [];
        constraints = [];
        kit.clearWrappers();
        byName = {__proto__: null};
        wrapsAll = false;
        observer = null;
        hooks.before = hooks.after = null;
        if (kit.compatP && kit.strict) {
            // Whisker of 2022 keeps the watchers for the following tests.
            watch('moved', watchers.moved);
        } else {
            unwatch();
        }
        phases();
    };
    /** Takes the exports of the suite and describes its tests. */
    const load = exported => {
        const list = [];
        if (exported === null || typeof exported !== 'object' || !(exported.length >= 0)) {
            throw new TypeError('module.exports is not an array of tests');
        }
        for (let i = 0; i < exported.length; i++) {
            const item = exported[i];
            if (typeof item === 'function') {
                list[i] = {test: item, name: item.name, description: null, categories: [], skip: false};
            } else if (item === null || typeof item !== 'object') {
                throw new TypeError('item ' + (i + 1) + ' of module.exports is not a test');
            } else {
                const {test = async () => undefined, name = null, description = null, categories = [], skip = false, timeout, seed, generationAlgorithm} = item;
                list[i] = {test, name, description, categories, skip, timeout, seed, generationAlgorithm};
            }
        }
        tests = list;
        return kit.JSON.stringify(kit.mapped(list, test => ({
            name: test.name === null || test.name === undefined ? null : kit.text(test.name),
            description: test.description ? kit.text(test.description) : null,
            categories: kit.mapped(test.categories || [], kit.text),
            skip: !!test.skip,
            timeout: typeof test.timeout === 'number' ? test.timeout : null,
            seed: test.seed === undefined || test.seed === null ? null : NativeString(test.seed),
            numeric: typeof test.seed === 'number',
            assertions: countAssertions(test.test),
            algorithm: test.generationAlgorithm ? kit.text(test.generationAlgorithm) : null,
        })));
    };
    const countAssertions = f => {
        let count = 0;
        const lines = typeof f === 'function' ? NativeString(f).split('\n') : [];
        for (let i = 0; i < lines.length; i++) {
            count += lines[i].includes('t.assert.') ? 1 : 0;
        }
        return count;
    };

    const whisker = {assert: kit.assert, assume: kit.assume};
    const require = name => {
        if (name === 'whisker') {
            return whisker;
        }
        throw new NativeError('Cannot find module `' + kit.text(name) + '`: suites can only use `whisker`');
    };

    return {t, require, load, reset, begin, modelsBefore: () => hooks.before(), modelsAfter: () => hooks.after(), check, settle, changed,
        before: () => callAll(false), after: () => callAll(true), random: inputs.sendRandomInput,
        constraints: checkConstraints};
})
