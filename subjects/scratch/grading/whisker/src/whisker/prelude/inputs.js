// Inputs of tests: planned, immediate and random inputs. `driver` contains the functions of
// driver.js that this script calls.
(function (kit, driver) {
    'use strict';
    const {host, NativeString, NativeNumber, NativeError, Sprite} = kit;
    const {methods, changed, phases, originalNamed, includes, added} = driver;
    const STEP = 1000 / 30;
    const MOVED = 1;
    let randomInputs = [];

    // Inputs.
    const NONE = NaN;
    const state = value => value === 'toggle' ? 3 : value === undefined || value === null ? 0 : value ? 2 : 1;
    const DEVICES = ['mouse', 'keyboard', 'text', 'drag', 'microphone'];
    class Input {
        #data;
        #number = -1;
        constructor(data, name) {
            // The caller's object is read once, field by field.
            const {device, isDown, key, x, y, sprite, xOffset, yOffset, answer, volume, steps, duration} = data;
            if (!includes(DEVICES, device)) {
                throw new NativeError('an input needs a device: ' + kit.join(DEVICES) + '; got ' + NativeString(device));
            }
            const lasts = steps !== undefined && steps !== null ? NativeNumber(steps)
                : duration !== undefined && duration !== null ? NativeNumber(duration) / STEP : NONE;
            this.#data = {
                device, isDown: state(isDown), key: key === undefined ? '' : kit.text(key),
                x: x === undefined || x === null ? NONE : NativeNumber(x),
                y: y === undefined || y === null ? NONE : NativeNumber(y),
                sprite: device === 'drag' ? -1 : Sprite.number(sprite),
                xOffset: xOffset ? NativeNumber(xOffset) : 0, yOffset: yOffset ? NativeNumber(yOffset) : 0,
                text: device === 'drag' ? kit.text(sprite) : answer === undefined ? '' : kit.text(answer),
                volume: volume === undefined ? NONE : NativeNumber(volume),
                steps: lasts < 1 ? 1 : lasts,
            };
            this.name = name;
        }
        static send(input, at) {
            const d = input.#data;
            const numbers = [d.x, d.y, d.xOffset, d.yOffset, d.volume, d.steps, d.sprite];
            input.#number = host.input(at, d.device, d.isDown, d.key, numbers, d.text);
            const dragged = d.device === 'drag' && at === NOW ? host.original(d.text) : -1;
            if (dragged >= 0) {
                changed(MOVED, dragged);
            }
            return input;
        }
        static number(input) {
            return input.#number;
        }
        isActive() { return host.isInputActive(this.#number); }
        _isActive() { return host.isInputActive(this.#number); }
    }
    const NOW = -1;
    const immediate = data => Input.send(new Input(data), NOW);
    const inputOf = (data, name = null) => data instanceof Input ? data : new Input(data, name);
    const addInput = (steps, data, name) => Input.send(inputOf(data, name), NativeNumber(steps));
    kit.postIOData = (device, data) => immediate({...data, device});
    /** Like `immediate` for a key, without creating an object for the input. */
    const press = (key, down, steps) => {
        const lasts = steps === undefined || steps === null ? NONE : NativeNumber(steps);
        host.key(key === undefined ? '' : kit.text(key), down, lasts < 1 ? 1 : lasts);
    };
    const click = (x, y, steps) => immediate({device: 'mouse', x, y, isDown: true, steps});
    methods({
        inputImmediate: (data, name) => Input.send(inputOf(data, name), NOW),
        addInput,
        addInputs: list => {
            const inputs = [];
            for (let i = 0; i < list.length; i++) {
                const {steps, time, input, name} = list[i];
                inputs[i] = addInput(steps !== undefined ? steps : time / STEP, input, name);
            }
            return inputs;
        },
        reAddInput: (steps, input) => addInput(steps, input),
        removeInput: input => host.removeInput(Input.number(input)),
        clearInputs: () => host.clearInputs(),
        resetMouse: () => host.resetMouse(),
        resetKeyboard: () => host.resetKeyboard(),
        keyPress: (key, steps) => press(key, true, steps),
        keyRelease: (key, steps) => press(key, false, steps),
        mouseDown: down => void immediate({device: 'mouse', isDown: down}),
        mouseDownForSteps: (steps = 1) => void immediate({device: 'mouse', isDown: true, steps}),
        mouseMove: (x, y, steps) => void immediate({device: 'mouse', x: Math.trunc(x), y: Math.trunc(y), steps}),
        typeText: answer => void immediate({device: 'text', answer}),
        sendSound: (volume, steps = 1) => void immediate({device: 'microphone', volume, steps}),
        clickStage: () => host.click(host.stage()),
        clickSprite: name => {
            const id = host.original(kit.text(name));
            if (id >= 0) {
                host.click(id);
            }
        },
        clickClone: (clone, steps = 1) => void click(clone.x, clone.y, steps),
        clickCloneByCoords: (x, y, steps = 1) => {
            const ids = host.targets();
            for (let i = 0; i < ids.length; i++) {
                if (host.x(ids[i]) === x && host.y(ids[i]) === y) {
                    return void click(x, y, steps);
                }
            }
        },
        dragSprite: (name, x, y, cloneId) => {
            // Version P moves the original only for an explicit null.
            const ids = kit.compatP && cloneId === undefined ? [] : host.targets();
            for (let i = 0; i < ids.length; i++) {
                const same = host.text(ids[i], 'name') === name && (cloneId
                    ? host.number(ids[i], 'clone id') === cloneId : host.flag(ids[i], 'original'));
                if (same) {
                    host.drag(ids[i], NativeNumber(x), NativeNumber(y));
                    return void changed(MOVED, ids[i]);
                }
            }
        },
    });

    // Random inputs, which have their own generator.
    let interval = 100;
    let lastInput = 0;
    let generator = 0;
    const draw = () => {
        generator = (generator * 9301 + 49297) % 233280;
        return generator / 233280;
    };
    const pick = range => {
        const [low, high = low] = typeof range === 'number' ? [range] : range;
        return low === high ? low : Math.floor(low + draw() * (high - low));
    };
    const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
    const randomData = entry => {
        const data = {...entry.data};
        for (const field of ['duration', 'x', 'y', 'xOffset', 'yOffset', 'length']) {
            if (data[field] !== undefined && data[field] !== null) {
                data[field] = pick(data[field]);
            }
        }
        if (data.isDown === 'random') {
            data.isDown = draw() < 0.5;
        }
        if (data.device === 'text' && data.length !== undefined) {
            const letters = data.answer === undefined ? ALPHABET : data.chars || ALPHABET;
            let answer = data.answer === undefined ? '' : data.answer;
            for (let i = 0; i < data.length; i++) {
                answer += letters[Math.floor(draw() * letters.length)];
            }
            data.answer = answer;
        }
        return data;
    };
    const sendRandomInput = () => {
        const time = host.totalSteps() * STEP;
        if (time < lastInput + interval) {
            return;
        }
        const ready = kit.filtered(randomInputs, entry => entry.last === null || !entry.last.isActive());
        let sum = 0;
        for (let i = 0; i < ready.length; i++) {
            sum += ready[i].weight;
        }
        let rest = draw() * sum;
        for (let i = 0; i < ready.length; i++) {
            rest -= ready[i].weight;
            if (rest < 0) {
                lastInput = time;
                ready[i].last = immediate(randomData(ready[i]));
                return;
            }
        }
    };
    const register = list => {
        for (let i = 0; i < list.length; i++) {
            const {weight = 1, ...data} = list[i];
            randomInputs = added(kit.filtered(randomInputs), {data, weight: NativeNumber(weight), last: null});
        }
        phases();
    };
    methods({
        registerRandomInputs: register,
        clearRandomInputs: () => {
            randomInputs = [];
            phases();
        },
        setRandomInputInterval: ms => {
            interval = NativeNumber(ms);
        },
        detectRandomInputs: ({duration = [0, 2 * interval], xOffset = [-50, 50], yOffset = [-50, 50]} = {}) => {
            const found = host.detectedInputs();
            for (let i = 0; i < found.length; i++) {
                const [kind, text] = found[i];
                const sprite = kind === 'click sprite' || kind === 'touch mouse' ? originalNamed(text) : undefined;
                register([{
                    'key': {device: 'keyboard', key: text, duration},
                    'mouse': {device: 'mouse', x: [-240, 240], y: [-180, 180]},
                    'click sprite': {device: 'mouse', sprite, isDown: 'toggle', xOffset, yOffset},
                    'click': {device: 'mouse', x: [-240, 240], y: [-180, 180], isDown: 'toggle'},
                    'touch mouse': {device: 'mouse', sprite, xOffset, yOffset},
                    'text': {device: 'text', length: [1, 3]},
                    'answer': {device: 'text', answer: text},
                }[kind]]);
            }
        },
    });

    // Seeds.
    const seedAll = seed => {
        generator = host.seed(kit.text(seed), typeof seed === 'number');
    };

    return {
        sendRandomInput, seedAll,
        hasRandomInputs: () => randomInputs.length > 0,
        beginTest: () => {
            lastInput = 0;
            generator = host.inputSeed();
        },
    };
})
