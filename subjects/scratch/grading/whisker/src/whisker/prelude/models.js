// Models of a program: graphs whose edges have conditions and effects. This script is evaluated only
// if a suite has models. `kit` contains the values that the scripts share, and `t` is the object that
// tests get.
(function (kit, t, text, settings) {
    'use strict';
    const {host} = kit;
    const STEP = 1000 / 30;
    const FLAGS = settings.caseSensitive ? '' : 'i';
    const EFFECTS = ['color', 'fisheye', 'whirl', 'pixelate', 'mosaic', 'brightness', 'ghost'];
    const {getSprites, getStage, log, isKeyDown, isMouseDown, keyPress, mouseDown, mouseMove,
        typeText, clickSprite, clickStage, run} = t;

    // Loading.
    const refuse = message => {
        throw new Error('the models: ' + message);
    };
    const graphs = JSON.parse(text);
    if (!Array.isArray(graphs)) {
        refuse('not an array of graphs');
    }
    /** Makes names unique: a repeated name gets a number. */
    const distinct = () => {
        const used = new Set();
        return (name, fallback) => {
            const first = name === undefined || name === null || name === '' ? fallback : String(name);
            let unique = first;
            for (let i = 2; used.has(unique); i++) {
                unique = first + ' (' + i + ')';
            }
            used.add(unique);
            return unique;
        };
    };
    const listOf = (value, what) => {
        if (value !== undefined && value !== null && !Array.isArray(value)) {
            refuse(what + ' is not an array');
        }
        return value || [];
    };
    const ARGUMENTS = {
        AttrChange: 3, VarChange: 3, AttrComp: 4, VarComp: 4, BackgroundChange: 1, Click: 1, Key: 1, Output: 2,
        SpriteColor: 4, SpriteTouching: 2, TouchingEdge: 1, TouchingVerticalEdge: 1, TouchingHorizEdge: 1,
        NbrOfClones: 3, NbrOfVisibleClones: 3, Function: 1, Expr: 1, Probability: 1, TimeElapsed: 1,
        TimeBetween: 1, TimeAfterEnd: 1, RandomValue: 2,
    };
    const INPUTS = {InputClickSprite: 1, InputClickStage: 0, InputKey: 1, InputMouseDown: 1, InputMouseMove: 2, InputText: 1};
    const ARROWS = ['left', 'right', 'up', 'down'];
    const loadCheck = (data, allowed, place) => {
        const {name, args = [], negated = false} = data || {};
        if (!Object.hasOwn(allowed, name)) {
            refuse(place + ': unknown check `' + name + '`; there are ' + Object.keys(allowed).join(', '));
        }
        const list = Array.isArray(args) ? args.map(String) : refuse(place + ': `args` is not an array');
        if (list.length < allowed[name]) {
            refuse(place + ': ' + name + ' needs ' + allowed[name] + ' arguments, got ' + list.length);
        }
        const text = (negated ? 'not ' : '') + name + '(' + list.join(', ') + ')';
        return {name, args: list, negated: !!negated, text};
    };
    const graphName = distinct();
    const models = graphs.map((graph, number) => {
        if (graph === null || typeof graph !== 'object') {
            refuse('item ' + (number + 1) + ' is not a graph');
        }
        const id = graphName(graph.id, 'graph ' + (number + 1));
        const {usage, startNodeId} = graph;
        if (!['program', 'end', 'user'].includes(usage)) {
            refuse(id + ': `usage` must be program, end or user');
        }
        if (typeof startNodeId !== 'string') {
            refuse(id + ': `startNodeId` must be the name of a node');
        }
        const nodes = graph.nodes ? listOf(graph.nodes, id + ': nodes').map(node => String(node.id))
            : listOf(graph.nodeIds, id + ': nodeIds').map(String);
        if (new Set(nodes).size < nodes.length) {
            refuse(id + ': two nodes have the same name');
        }
        const known = node => nodes.includes(node) ? node : refuse(id + ': there is no node `' + node + '`');
        const edgeName = distinct();
        const edges = listOf(graph.edges, id + ': edges').map((edge, at) => {
            const name = edgeName(edge.id, 'edge ' + (at + 1));
            const place = id + '-' + name;
            const conditions = listOf(edge.conditions, place + ': conditions')
                .map(check => loadCheck(check, ARGUMENTS, place));
            if (conditions.length === 0) {
                refuse(place + ': an edge needs a condition');
            }
            // Old files name the effects of user models `inputEffects`.
            const inputs = usage === 'user' && edge.inputEffects ? 'inputEffects' : 'effects';
            const effects = listOf(edge[inputs], place + ': ' + inputs)
                .map(check => loadCheck(check, usage === 'user' ? INPUTS : ARGUMENTS, place));
            const limit = value => value === undefined || value === null ? -1 : Number(value);
            return {name: place, from: known(String(edge.from)), to: known(String(edge.to)), conditions, effects,
                at: limit(edge.forceTestAt), after: limit(edge.forceTestAfter)};
        });
        return {id, usage, start: known(startNodeId), edges,
            stop: listOf(graph.stopNodeIds, id).map(String), stopAll: listOf(graph.stopAllNodeIds, id).map(String)};
    });

    /** Starts the models in a test. Returns the functions that query and end them. */
    const begin = repetition => {
        // Each test has a generator, which is seeded from the suite's random numbers and the
        // repetition.
        let random = Math.imul(Math.floor(Math.random() * 4294967296) + repetition, 2654435761);
        const draw = () => {
            random = Math.imul(random, 1664525) + 1013904223 | 0;
            return (random >>> 0) / 4294967296;
        };
        const fails = [], errors = [], trace = [];
        const note = (list, message) => list.includes(message) || list.push(message);
        let steps = 0;
        let endedAt = -1;
        const randoms = new Map();
        const running = models.map(model => ({model, node: model.start, since: 0, taken: new Set(), dead: new Set(),
            stopped: false}));
        let pending = [];
        const triggered = new Set();

        // Sprites and variables.
        const originals = [...getSprites(null, false)].filter(sprite => sprite.isOriginal);
        const found = new Map();
        const spriteOf = pattern => {
            if (!found.has(pattern)) {
                const regex = new RegExp(pattern, FLAGS);
                found.set(pattern, pattern === 'Stage' ? getStage()
                    : originals.find(sprite => !sprite.isStage && regex.test(sprite.name)));
            }
            return found.get(pattern);
        };
        const existing = pattern => {
            const sprite = spriteOf(pattern);
            if (sprite === undefined) {
                throw new Error('no sprite is named like `' + pattern + '`');
            }
            return sprite;
        };
        const instances = pattern => existing(pattern).getInstances();
        const visible = pattern => instances(pattern).filter(sprite => sprite.visible);
        const variableOf = (owner, pattern) => {
            const regex = new RegExp(pattern, FLAGS);
            const sprite = existing(owner);
            const all = [...sprite.getVariables(null, false), ...sprite.getLists(null, false)];
            const variable = all.find(variable => regex.test(variable.name));
            if (variable === undefined) {
                throw new Error('`' + sprite.name + '` has no variable named like `' + pattern + '`');
            }
            return variable;
        };
        const attribute = (sprite, name) => {
            if (EFFECTS.includes(name)) {
                return sprite.effects[name];
            }
            const value = name === 'costume' ? sprite.currentCostumeName : sprite[name];
            if (value === undefined || typeof value === 'function') {
                throw new Error('sprites have no attribute `' + name + '`');
            }
            return value;
        };

        // Checks.
        const number = value => {
            const converted = Number(value);
            if (converted !== converted || value === null || value === '') {
                throw new Error('`' + value + '` is not a number');
            }
            return converted;
        };
        const changed = (before, after, change) => {
            switch (change) {
            case '=': case '==': return before == after;
            case '+': return number(after) > number(before);
            case '-': return number(after) < number(before);
            case '+=': return number(after) >= number(before);
            case '-=': return number(after) <= number(before);
            default: return number(after) - number(before) === number(change);
            }
        };
        const plain = value => value === 'true' ? true : value === 'false' ? false : value;
        const compared = (value, operator, other) => {
            switch (operator) {
            case '=': case '==': return plain(value) == plain(other);
            case '!=': return plain(value) != plain(other);
            case '>': return number(value) > number(other);
            case '<': return number(value) < number(other);
            case '>=': return number(value) >= number(other);
            case '<=': return number(value) <= number(other);
            default: throw new Error('`' + operator + '` is not a comparison');
            }
        };
        const named = pattern => getSprites().filter(sprite => new RegExp(pattern, FLAGS).test(sprite.name));
        const functions = new Map();
        const evaluated = code => {
            if (!functions.has(code)) {
                functions.set(code, new Function('t', 'return (' + code + '\n)'));
            }
            const value = functions.get(code)(t);
            return typeof value === 'function' ? value(t) : value;
        };
        /** A string with values in place of `$(Sprite.attribute)` and `$(Sprite.variable)`. */
        const substituted = (code, show) => code.replace(/\$\(([^)]*)\)/g, (_, path) => {
            const [owner, ...names] = path.split('.');
            const sprite = existing(owner.trim());
            if (names[0] === 'old') {
                return show(attribute(sprite.old, names[1]));
            }
            const name = names.join('.');
            if (name in sprite || EFFECTS.includes(name) || name === 'costume') {
                return show(attribute(sprite, name));
            }
            return show(plainNumber(variableOf(owner.trim(), '^(' + name + ')$').value));
        });
        const expression = code => evaluated(substituted(code, value => '(' + JSON.stringify(value) + ')'));
        const plainNumber = value => typeof value === 'string' && value.trim() !== '' && !Number.isNaN(Number(value))
            ? Number(value) : value;
        const reached = (count, ms) => count >= number(ms) / STEP;
        const holdsNow = ({name, args}, state) => {
            const [a, b, c, d] = args;
            switch (name) {
            case 'AttrChange': return instances(a).some(sprite => changed(attribute(sprite.old, b), attribute(sprite, b), c));
            case 'AttrComp': return instances(a).some(sprite => compared(attribute(sprite, b), c, d));
            case 'VarChange': {
                const variable = variableOf(a, b);
                return changed(variable.old.value, variable.value, c);
            }
            case 'VarComp': return compared(variableOf(a, b).value, c, d);
            case 'BackgroundChange': return getStage().currentCostumeName === a;
            case 'Click': return isMouseDown() && visible(a).some(sprite => sprite.isTouchingMouse());
            case 'Key': return isKeyDown(a);
            case 'Output': {
                const text = substituted(b, String);
                return instances(a).some(sprite => sprite.sayText !== null && String(sprite.sayText).includes(text));
            }
            case 'SpriteColor': return visible(a).some(sprite => sprite.isTouchingColor([+b, +c, +d]));
            case 'SpriteTouching': return visible(a).some(sprite => sprite.isTouchingSprite(existing(b).name));
            case 'TouchingEdge': return visible(a).some(sprite => sprite.isTouchingEdge());
            case 'TouchingVerticalEdge': return visible(a).some(sprite => sprite.isTouchingVerticalEdge());
            case 'TouchingHorizEdge': return visible(a).some(sprite => sprite.isTouchingHorizEdge());
            case 'NbrOfClones': return compared(named(a).length, b, c);
            case 'NbrOfVisibleClones': return compared(named(a).filter(sprite => sprite.visible).length, b, c);
            case 'Function': return !!evaluated(a);
            case 'Expr': return !!expression(a);
            case 'Probability': return draw() <= number(a);
            case 'TimeElapsed': return reached(steps, a);
            case 'TimeBetween': return reached(steps - state.since, a);
            case 'TimeAfterEnd': return endedAt >= 0 && reached(steps - endedAt, a);
            default: {
                // RandomValue: the last three values differ, where equal values in a row count
                // once.
                const key = a + '.' + b;
                const values = randoms.get(key) || [];
                const value = attribute(existing(a), b);
                if (values.length === 0 || values[values.length - 1] !== value) {
                    values.push(value);
                    randoms.set(key, values.slice(-3));
                }
                const last = randoms.get(key);
                return new Set(last).size === last.length;
            }
            }
        };
        const broken = new Set();
        const holds = (check, state, place) => {
            if (broken.has(check)) {
                return false;
            }
            try {
                return holdsNow(check, state) !== check.negated;
            } catch (error) {
                broken.add(check);
                note(errors, place + ': ' + check.text + ': ' + (error && error.message));
                return false;
            }
        };

        // Effects that exclude each other.
        const excludes = (a, b) => {
            const [x, y] = [a.check, b.check];
            if (x.name !== y.name) {
                return false;
            }
            const last = x.args.length - 1;
            if (x.args.every((value, at) => value === y.args[at])) {
                return x.negated !== y.negated;
            }
            const same = x.args.every((value, at) => at === last || value === y.args[at]);
            const equality = x.name === 'AttrComp' || x.name === 'VarComp' ? ['=', '=='].includes(x.args[2])
                : x.name === 'AttrChange' || x.name === 'VarChange';
            return same && equality && !x.negated && !y.negated
                && !(x.args[last].startsWith('+') && y.args[last].startsWith('+'))
                && !(x.args[last].startsWith('-') && y.args[last].startsWith('-'));
        };
        const register = added => {
            const all = [...pending.filter(effect => effect.step === steps), ...added];
            const left = new Set();
            for (const one of added) {
                for (const other of all) {
                    if (one !== other && excludes(one, other)) {
                        left.add(one).add(other);
                    }
                }
            }
            if (left.size > 0) {
                log('warning: effects that exclude each other are left out: '
                    + [...left].map(effect => effect.place + ': ' + effect.check.text).join('; '));
            }
            pending = [...pending, ...added].filter(effect => !left.has(effect));
        };

        // Transitions.
        const isActive = state => !state.stopped
            && (state.model.usage === 'end' ? endedAt >= 0 : state.model.usage === 'user' || endedAt < 0);
        const moved = new Set();
        const advance = (state, perform) => {
            for (const edge of state.model.edges) {
                if (edge.from !== state.node || state.dead.has(edge) || moved.has(edge)) {
                    continue;
                }
                const wrong = edge.conditions.filter(check =>
                    !triggered.has(check) && !holds(check, state, edge.name));
                if (wrong.length === 0) {
                    moved.add(edge);
                    state.taken.add(edge);
                    state.node = edge.to;
                    trace.push(edge.name);
                    perform(edge, state);
                    state.since = steps;
                    return;
                }
                const late = (limit, count) => limit >= 0 && count >= limit / STEP + 1;
                const limit = late(edge.at, steps) ? 'at ' + edge.at + ' ms'
                    : late(edge.after, steps - state.since) ? 'after ' + edge.after + ' ms' : null;
                if (limit !== null) {
                    state.dead.add(edge);
                    wrong.forEach(check => note(fails, edge.name + ': ' + check.text + ' ' + limit));
                }
            }
        };
        const send = ({effects, name}, state) => {
            for (const {name: input, args: [a, b], text} of effects) {
                try {
                    switch (input) {
                    case 'InputClickSprite': clickSprite(existing(a).name); break;
                    case 'InputClickStage': clickStage(); break;
                    case 'InputKey': keyPress(ARROWS.includes(a.toLowerCase()) ? a.toLowerCase() + ' arrow' : a, 1); break;
                    case 'InputMouseDown': mouseDown(a === 'true'); break;
                    case 'InputMouseMove': mouseMove(number(expression(a)), number(expression(b))); break;
                    default: typeText(a);
                    }
                } catch (error) {
                    note(errors, name + ': ' + text + ': ' + (error && error.message));
                }
            }
        };
        const before = () => {
            steps++;
            moved.clear();
            running.filter(state => state.model.usage === 'user').forEach(state => isActive(state) && advance(state, send));
            steps--;
        };
        const after = () => {
            steps++;
            // An effect that was registered in an earlier step and does not hold fails; for bubbles, one step later.
            pending = pending.filter(effect => {
                if (effect.step >= steps || holds(effect.check, effect.state, effect.place)) {
                    return effect.step >= steps;
                }
                if (effect.check.name === 'Output' && effect.step === steps - 1) {
                    return true;
                }
                if (!broken.has(effect.check)) {
                    note(fails, effect.place + ': ' + effect.check.text);
                }
                return false;
            });
            const registered = [];
            for (const state of running) {
                if (state.model.usage !== 'user' && isActive(state)) {
                    // `TimeBetween` of an effect counts from the previous transition.
                    advance(state, (edge, {since}) => edge.effects.forEach(check =>
                        registered.push({check, state: {since}, place: edge.name, step: steps})));
                }
            }
            register(registered);
            pending = pending.filter(effect => effect.step < steps || !holds(effect.check, effect.state, effect.place));
            triggered.clear();
            let all = false;
            for (const state of running) {
                all = all || (isActive(state) && state.model.stopAll.includes(state.node));
                state.stopped = state.stopped || state.model.stop.includes(state.node);
            }
            const left = running.some(state => state.model.usage === 'program' && !state.stopped);
            if (endedAt < 0 && (all || !left) && running.some(state => state.model.usage === 'program')) {
                endedAt = steps;
                running.filter(state => state.model.usage === 'end').forEach(state => {
                    state.since = steps;
                });
            }
        };
        /** Short-lived states: a check that holds in the middle of a step counts for the step. */
        const during = sprite => {
            for (const state of running) {
                if (state.model.usage === 'user' || !isActive(state)) {
                    continue;
                }
                for (const edge of state.model.edges) {
                    if (edge.from === state.node && !state.dead.has(edge)) {
                        edge.conditions.forEach(check => {
                            if (concerns(check, sprite) && !triggered.has(check) && holds(check, state, edge.name)) {
                                triggered.add(check);
                            }
                        });
                    }
                }
            }
            pending = pending.filter(effect =>
                !(concerns(effect.check, sprite) && holds(effect.check, effect.state, effect.place)));
        };
        const EVENTS = ['AttrChange', 'AttrComp', 'VarChange', 'VarComp', 'Output', 'SpriteColor', 'SpriteTouching',
            'TouchingEdge', 'TouchingVerticalEdge', 'TouchingHorizEdge', 'BackgroundChange'];
        const stays = ({name, args}) => name.endsWith('Change') && ['=', '=='].includes(args[2]);
        const concerns = (check, sprite) => EVENTS.includes(check.name) && !stays(check)
            && (sprite === null ? check.name.startsWith('Var') : !check.name.startsWith('Var')
                && (check.name === 'BackgroundChange' ? sprite.isStage : spriteOf(check.args[0]) !== undefined
                    && spriteOf(check.args[0]).name === sprite.name));
        // A sprite or variable that is missing when a test begins results in an error of its check.
        const resolve = (check, place) => {
            const [a, b] = check.args;
            try {
                if (check.name.startsWith('Var')) {
                    variableOf(a, b);
                } else if (EVENTS.includes(check.name) && check.name !== 'BackgroundChange' || check.name === 'Click') {
                    existing(a);
                    if (check.name === 'SpriteTouching') {
                        existing(b);
                    }
                }
            } catch (error) {
                broken.add(check);
                note(errors, place + ': ' + check.text + ': ' + error.message);
            }
        };
        for (const {edges} of models) {
            for (const {name, conditions, effects} of edges) {
                [...conditions, ...effects].forEach(check => resolve(check, name));
            }
        }
        kit.hook(before, after);
        kit.observe(during);
        // The effects of the last edges are still checked.
        const ended = () => pending.length === 0 && running.some(state => state.model.usage !== 'user')
            && running.every(state => state.model.usage === 'user' || state.stopped
                || (state.model.usage === 'program' && endedAt >= 0));
        const finish = () => {
            kit.observe(null);
            kit.hook(null, null);
            for (const {model, taken} of running) {
                log('model ' + model.id + ': ' + taken.size + ' of ' + model.edges.length + ' edges');
            }
            log('edges: ' + trace.join(' '));
            if (errors.length > 0) {
                throw new Error(errors.join('; '));
            }
            kit.assert.ok(fails.length === 0, fails.join('; '));
        };
        return {ended, finish};
    };

    /** A test during which the models run. */
    const beside = test => async function (...values) {
        const {finish} = begin(0);
        await test(...values);
        finish();
    };
    /** A test of only the models. */
    const alone = repetition => async () => {
        const {ended, finish} = begin(repetition);
        await run(ended, settings.duration);
        finish();
    };
    return exported => {
        if (exported === undefined) {
            const tests = [];
            for (let i = 1; i <= settings.repetitions; i++) {
                tests.push({test: alone(i), name: i === 1 ? 'models' : 'models (' + i + ')'});
            }
            return tests;
        }
        for (let i = 0; i < exported.length; i++) {
            const item = exported[i];
            if (typeof item === 'function') {
                exported[i] = {test: beside(item), name: item.name};
            } else if (item && typeof item.test === 'function') {
                item.test = beside(item.test);
            }
        }
        return exported;
    };
})
