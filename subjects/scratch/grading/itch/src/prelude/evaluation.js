// The evaluation object of plans, the globals, and the phases. This script is evaluated last.
(function (kit) {
    'use strict';
    const {host, log, output, groups, options} = kit;
    const times = kit.times = {actionTimeout: 5000, acceleration: 1, timeAcceleration: undefined, event: undefined,
        turboMode: false, get eventAcceleration() {
            return this.event ?? this.acceleration;
        }};

    // A facade of the machine, for plans that read it.
    const liveTargets = new Map();
    const live = number => {
        let target = liveTargets.get(number);
        if (target === undefined) {
            const now = () => kit.targetOf(host.current(number));
            target = kit.define({}, 'number_', number);
            for (const name of ['id', 'x', 'y', 'size', 'direction', 'visible', 'currentCostume', 'volume', 'effects',
                'draggable', 'rotationStyle', 'variables']) {
                Object.defineProperty(target, name, {get: () => now()[name], enumerable: true});
            }
            target.sprite = {name: now().name};
            target.isStage = !(now() instanceof kit.Sprite);
            target.getName = () => now().name;
            target.lookupVariableByNameAndType = name => now().variable(name);
            liveTargets.set(number, target);
        }
        return target;
    };
    kit.live = live;
    const missing = name => {
        throw new TypeError(`\`${name}\` is not part of catherd's machine`);
    };
    const guarded = (object, path) => new Proxy(object, {
        get: (target, name) => typeof name === 'symbol' || name in target ? target[name] : missing(`${path}.${name}`),
    });
    const runtime = guarded({
        get targets() {
            return host.liveTargets().map(live);
        },
        getSpriteTargetByName: name => runtime.targets.find(target => !target.isStage && target.sprite.name === name),
        getTargetForStage: () => runtime.targets.find(target => target.isStage),
    }, 'vm.runtime');
    const vm = guarded({runtime}, 'vm');

    class Evaluation {
        #answers = [];
        get log() {
            return log;
        }
        get vm() {
            return vm;
        }
        get answers() {
            return this.#answers;
        }
        set answers(answers) {
            this.#answers = answers;
        }
        get groupedOutput() {
            return output;
        }
        get output() {
            return output;
        }
        get group() {
            return groups;
        }
        get out() {
            return groups;
        }
        get scheduler() {
            return root;
        }
        set actionTimeout(timeout) {
            this.assertBefore();
            times.actionTimeout = +timeout;
        }
        set acceleration(factor) {
            this.assertBefore();
            [times.acceleration, times.timeAcceleration, times.event] = [+factor, undefined, undefined];
        }
        set timeAcceleration(factor) {
            this.assertBefore();
            times.timeAcceleration = +factor;
        }
        set eventAcceleration(factor) {
            this.assertBefore();
            times.event = +factor;
        }
        set turboMode(on) {
            times.turboMode = !!on;
            host.turbo(times.turboMode);
        }
        enableAdvancedProfiler(sprites) {
            if (!host.profile(true, sprites === undefined, sprites === undefined ? [] : [...sprites].map(String))) {
                throw new Error('Profiler already created');
            }
        }
        disableAdvancedProfiler() {
            host.profile(false, true, []);
        }
        assertBefore() {
            if (host.isExecuting()) {
                throw new Error('This cannot be changed once the execution has started.');
            }
        }
    }
    const root = new kit.ScheduledEvent(met => met());
    const e = new Evaluation();

    kit.members(kit.B, 'B');
    kit.members(Evaluation.prototype, 'e');
    kit.members(kit.ScheduledEvent.prototype, 'scheduler');
    kit.members(kit.GroupLevel.prototype, 'group');
    kit.members(Object.getPrototypeOf(log), 'log');
    kit.members(kit.Snapshot.prototype, 'snapshot');
    kit.members(kit.Target.prototype, 'sprite');

    const publish = (name, value) => kit.define(globalThis, name, value);
    const {sprite, broadcast, delay, asRange, numericEquals, distSq, mergeLines, findSquares, findTriangles} = kit;
    publish('window', globalThis);
    publish('B', kit.B);
    publish('Itch', kit.members({
        checkPredefinedBlocks: kit.checkPredefinedBlocks, distSq, numericEquals, broadcast, sprite, delay, asRange,
        mergeLines, findSquares, findTriangles,
    }, 'Itch'));
    const helpers = {sprite, broadcast, delay, asRange, numericEquals, distSq, mergeLines, angle: kit.angle,
        t: kit.t, format: kit.format, _: kit.lodash};
    for (const name of Object.keys(helpers)) {
        publish(name, helpers[name]);
    }
    publish('ignoreWaitInProcedureFor', (_, name) => host.ignoreWaits(String(name)));
    publish('run', () => missing('run'));
    publish('scratchLanguage', options.language);
    publish('i18nDisabled', false);
    publish('data', {});

    // The end of a schedule.
    const finish = () => {
        if (!host.isOver()) {
            host.endExecution();
        }
    };
    kit.end = finish;
    kit.timedOut = handled => {
        if (!host.isOver()) {
            if (!handled) {
                output.escalateStatus('time limit exceeded');
                finish();
                output.closeJudgement();
            } else {
                finish();
            }
        }
    };
    kit.failed = error => {
        if (!host.isOver()) {
            host.failed(error);
            output.escalateStatus('internal error');
            output.appendMessage(error);
            finish();
            output.closeJudgement();
        }
    };

    /** Calls a phase. Returns false if a fatal test failed. */
    const phase = (name, f) => {
        try {
            const result = f(e);
            if (result instanceof kit.NativePromise) {
                kit.warn(`${name} is asynchronous, and is not waited for`);
            }
            return true;
        } catch (error) {
            if (error instanceof kit.FatalErrorException) {
                return false;
            }
            throw error;
        }
    };
    let answered = 0;
    let answers = [];
    return {
        start: () => output.startJudgement(),
        phase,
        times: () => [times.acceleration, times.timeAcceleration ?? times.acceleration],
        schedule: () => {
            answers = [...e.answers];
            root.run(e);
        },
        close: () => output.closeJudgement(),
        reject: text => {
            output.escalateStatus('testplan error');
            output.appendMessage(text);
            output.closeJudgement();
        },
        limit: text => {
            output.escalateStatus('time limit exceeded');
            output.appendMessage(text);
            output.closeJudgement();
        },
        note: text => output.appendMessage(text),
        moved: kit.moved,
        sent: kit.sent,
        threadsDone: kit.threadsDone,
        answer: () => {
            if (answered < answers.length) {
                return String(answers[answered++]);
            }
            output.appendMessage('Er werd een vraag gesteld waarop geen antwoord voorzien is.');
            output.escalateStatus('wrong');
            return undefined;
        },
    };
})
