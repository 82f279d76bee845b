// Wrappers of sprites, variables and costumes, and the facade of raw targets. They hold numbers
// of the machine's targets; all state is read from the machine when it is asked for.
(function (kit) {
    'use strict';
    const {host, apply, define, members, NativeString, NativeNumber, NativeMap, NativeRegExp, defineProperty} = kit;
    const {get: mapGet, set: mapSet, clear: mapClear} = NativeMap.prototype;
    const EFFECTS = ['color', 'fisheye', 'whirl', 'pixelate', 'mosaic', 'brightness', 'ghost'];

    const effectsOf = values => {
        const effects = {};
        for (let i = 0; i < EFFECTS.length; i++) {
            effects[EFFECTS[i]] = values[i];
        }
        return effects;
    };
    const filtered = (items, condition) => {
        if (condition === undefined || condition === null) {
            return items;
        }
        const kept = [];
        for (let i = 0; i < items.length; i++) {
            if (condition(items[i])) {
                kept[kept.length] = items[i];
            }
        }
        return kept;
    };
    kit.filtered = filtered;

    // One wrapper for each target and test, so that identity can be compared.
    const wrappers = new NativeMap();
    const wrap = id => {
        let wrapper = apply(mapGet, wrappers, [id]);
        if (wrapper === undefined) {
            wrapper = new Sprite(id);
            apply(mapSet, wrappers, [id, wrapper]);
        }
        return wrapper;
    };
    const wrapAll = ids => {
        const list = [];
        for (let i = 0; i < ids.length; i++) {
            list[i] = wrap(ids[i]);
        }
        return list;
    };
    kit.wrap = wrap;
    kit.wrapAll = wrapAll;
    /** The wrapper if the test has one already. */
    kit.wrapped = id => apply(mapGet, wrappers, [id]);

    class Variable {
        #target;
        #number;
        #list;
        constructor(target, number, list, name) {
            this.#target = target;
            this.#number = number;
            this.#list = list;
            this.name = name;
            host.rememberVariable(target, number, list);
        }
        get value() {
            const value = host.variable(this.#target, this.#number, this.#list);
            if (kit.compatP) {
                return value;
            }
            return this.#list ? texts(value) : NativeString(value);
        }
        set value(value) {
            host.setVariable(this.#target, this.#number, this.#list, value);
        }
        get valueAsNumber() {
            const value = host.variable(this.#target, this.#number, this.#list);
            return this.#list ? numbers(value) : NativeNumber(value);
        }
        get old() {
            const value = host.oldVariable(this.#target, this.#number, this.#list);
            return {value: kit.compatP ? value : this.#list ? texts(value) : NativeString(value)};
        }
        get sprite() {
            return wrap(this.#target);
        }
        getScratchVariable() {
            return rawVariable(this.#target, this.#number, this.#list, this.name);
        }
        updateOld() {
            host.rememberVariable(this.#target, this.#number, this.#list);
        }
    }
    const texts = values => {
        const list = [];
        for (let i = 0; i < values.length; i++) {
            list[i] = NativeString(values[i]);
        }
        return list;
    };
    const numbers = values => {
        const list = [];
        for (let i = 0; i < values.length; i++) {
            list[i] = NativeNumber(values[i]);
        }
        return list;
    };
    members(Variable.prototype, 'variable');

    const variables = new NativeMap();
    const variable = (target, number, list, name) => {
        const key = target + (list ? ':list:' : ':') + number;
        let wrapper = apply(mapGet, variables, [key]);
        if (wrapper === undefined) {
            wrapper = new Variable(target, number, list, name);
            apply(mapSet, variables, [key, wrapper]);
        }
        return wrapper;
    };
    const variablesOf = (id, list) => {
        const found = [];
        const names = host.variableNames(id, list);
        for (let i = 0; i < names.length; i++) {
            if (names[i] !== null) {
                found[found.length] = variable(id, i, list, names[i]);
            }
        }
        return found;
    };
    const variableNamed = (id, list, name) => {
        const number = host.variableNumber(id, kit.text(name), list);
        return number < 0 ? undefined : variable(id, number, list, kit.text(name));
    };

    const box = values => ({left: values[0], right: values[1], top: values[2], bottom: values[3]});
    const color = value => [value[0] | 0, value[1] | 0, value[2] | 0];

    class Sprite {
        #id;
        #moved = null;
        #changed = null;
        constructor(id) {
            this.#id = id;
            host.remember(id);
        }
        static number(sprite) {
            return typeof sprite === 'object' && sprite !== null && #id in sprite ? sprite.#id : -1;
        }
        get id() { return host.text(this.#id, 'id'); }
        get name() { return host.text(this.#id, 'name'); }
        get isOriginal() { return host.flag(this.#id, 'original'); }
        get isStage() { return host.flag(this.#id, 'stage'); }
        get visible() { return host.flag(this.#id, 'visible'); }
        get exists() { return host.flag(this.#id, 'exists'); }
        get x() { return host.x(this.#id); }
        get y() { return host.y(this.#id); }
        get pos() { return {x: host.x(this.#id), y: host.y(this.#id)}; }
        get direction() { return host.number(this.#id, 'direction'); }
        get size() { return host.number(this.#id, 'rounded size'); }
        get currentCostume() { return host.number(this.#id, 'costume'); }
        get currentCostumeName() { return host.text(this.#id, 'costume'); }
        get volume() { return host.number(this.#id, 'volume'); }
        get layerOrder() { return host.number(this.#id, 'layer'); }
        get effects() { return effectsOf(host.effects(this.#id)); }
        get sayText() { return host.text(this.#id, 'bubble') ?? null; }
        get rotationStyle() { return host.text(this.#id, 'rotation style'); }
        get bounds() { return box(host.bounds(this.#id)); }
        get old() {
            const o = host.old(this.#id);
            return {
                x: o[0], y: o[1], pos: {x: o[0], y: o[1]}, direction: o[2], visible: o[3], size: o[4],
                currentCostume: o[5], currentCostumeName: o[6], volume: o[7], layerOrder: o[8],
                sayText: o[9] ?? null, rotationStyle: o[10], effects: effectsOf(o[11]),
            };
        }
        get onMoved() { return this.#moved; }
        set onMoved(f) {
            this.#moved = f;
            host.watchSprites();
        }
        get onVisualChange() { return this.#changed; }
        set onVisualChange(f) {
            this.#changed = f;
            host.watchSprites();
        }
        updateOld() { host.remember(this.#id); }
        getScratchTarget() { return rawTarget(this.#id); }

        isPointInBounds(x, y) {
            const {left, right, top, bottom} = this.bounds;
            return x >= left && x <= right && y >= bottom && y <= top;
        }
        isIntersectingBounds(other) {
            const {left, right, top, bottom} = this.bounds;
            return left <= other.right && right >= other.left && bottom <= other.top && top >= other.bottom;
        }
        isTouchingMouse() { return host.touching(this.#id, '_mouse_'); }
        isTouchingEdge() { return host.touching(this.#id, '_edge_'); }
        isTouchingSprite(name) { return host.touching(this.#id, kit.text(name)); }
        isTouchingVerticalEdge() {
            const {left, right} = this.bounds;
            return left < -240 || right > 240;
        }
        isTouchingHorizEdge() {
            const {top, bottom} = this.bounds;
            return top > 180 || bottom < -180;
        }
        isTouchingColor(rgb) { return apply(host.touchingColor, undefined, [this.#id, ...color(rgb)]); }
        isColorTouchingColor(target, mask) {
            return apply(host.colorTouchingColor, undefined, [this.#id, ...color(target), ...color(mask)]);
        }

        getVariables(condition, skipStage = true) {
            return filtered(this.#withStage(skipStage, false), condition);
        }
        getVariable(name, skipStage = true) {
            return variableNamed(this.#id, false, name)
                ?? (skipStage ? undefined : variableNamed(host.stage(), false, name));
        }
        getLists(condition, skipStage = true) {
            if (typeof condition === 'boolean') {
                [condition, skipStage] = [undefined, condition];
            }
            return filtered(this.#withStage(skipStage, true), condition);
        }
        getList(name, skipStage = true) {
            return variableNamed(this.#id, true, name)
                ?? (skipStage ? undefined : variableNamed(host.stage(), true, name));
        }
        #withStage(skipStage, list) {
            const own = variablesOf(this.#id, list);
            return skipStage || this.isStage ? own : apply(kit.concat, own, [variablesOf(host.stage(), list)]);
        }

        getInstances() { return wrapAll(host.instances(this.#id)); }
        getOriginal() { return wrap(host.instances(this.#id)[0]); }
        getClones(withSelf = false) {
            const clones = [];
            const ids = host.instances(this.#id);
            for (let i = 0; i < ids.length; i++) {
                if (ids[i] === this.#id ? withSelf : i > 0) {
                    clones[clones.length] = wrap(ids[i]);
                }
            }
            return clones;
        }
        getCloneCount(withSelf = false) { return this.getClones(withSelf).length; }
        getNewClones() {
            const name = this.name;
            return kit.newSprites(sprite => !sprite.isOriginal && sprite.name === name);
        }
        getClone(i) {
            const id = host.instances(this.#id)[i];
            return id === undefined ? undefined : rawTarget(id);
        }

        getCostumes() { return costumesOf(this.#id); }
        getCostumeByIndex(i) { return costumesOf(this.#id)[i]; }
        getCostumeByName(pattern) {
            const expression = new NativeRegExp(pattern);
            return filtered(costumesOf(this.#id), costume => expression.test(costume.name))[0];
        }
        getCostumeCount() { return host.costumes(this.#id).length; }
    }
    members(Sprite.prototype, 'sprite');
    kit.Sprite = Sprite;

    const costumesOf = id => {
        const names = host.costumes(id);
        const costumes = [];
        for (let i = 0; i < names.length; i++) {
            costumes[i] = {name: names[i], skinId: i, bitmapResolution: 1, rotationCenterX: 0, rotationCenterY: 0};
        }
        return costumes;
    };

    // What suites reach of the original's own objects.
    const raw = (object, path) => new Proxy(object, {
        get(target, name) {
            if (name in target || typeof name === 'symbol' || name === 'then' || name === 'toJSON') {
                return target[name];
            }
            throw new TypeError('`' + path + '.' + name + '` is not part of the machine; there is '
                + kit.join(kit.ownKeys(target)));
        },
    });
    const getter = (object, name, get, set) =>
        defineProperty(object, name, {get, set, enumerable: true, configurable: true});

    function rawVariable(target, number, list, name) {
        const object = {id: name, name, type: list ? 'list' : '', isCloud: false};
        getter(object, 'value', () => host.variable(target, number, list),
            value => host.setVariable(target, number, list, value));
        return raw(object, 'variable');
    }
    const raws = new NativeMap();
    function rawTarget(id) {
        let object = apply(mapGet, raws, [id]);
        if (object !== undefined) {
            return object;
        }
        const sprite = {};
        getter(sprite, 'name', () => host.text(id, 'name'));
        getter(sprite, 'clones', () => kit.mapped(host.instances(id), rawTarget));
        getter(sprite, 'costumes', () => costumesOf(id));
        const target = {sprite: raw(sprite, 'sprite')};
        for (const [name, field] of [['id', 'id'], ['rotationStyle', 'rotation style']]) {
            getter(target, name, () => host.text(id, field));
        }
        for (const [name, field] of [['isOriginal', 'original'], ['isStage', 'stage'], ['visible', 'visible'],
            ['draggable', 'draggable']]) {
            getter(target, name, () => host.flag(id, field));
        }
        getter(target, 'sayText', () => host.text(id, 'bubble') ?? null);
        getter(target, 'x', () => host.x(id));
        getter(target, 'y', () => host.y(id));
        for (const [name, field] of [['direction', 'direction'], ['size', 'size'],
            ['currentCostume', 'costume'], ['volume', 'volume']]) {
            getter(target, name, () => host.number(id, field));
        }
        getter(target, 'effects', () => effectsOf(host.effects(id)));
        getter(target, 'variables', () => {
            const all = {};
            for (const list of [false, true]) {
                const names = host.variableNames(id, list);
                for (let i = 0; i < names.length; i++) {
                    if (names[i] !== null) {
                        all[(list ? 'list:' : '') + names[i]] = rawVariable(id, i, list, names[i]);
                    }
                }
            }
            return all;
        });
        define(target, 'getName', () => host.text(id, 'name'));
        define(target, 'getLayerOrder', () => host.number(id, 'layer'));
        define(target, 'getBounds', () => box(host.bounds(id)));
        define(target, 'getCostumes', () => costumesOf(id));
        define(target, 'isTouchingObject', name => host.touching(id, kit.text(name)));
        define(target, 'lookupVariableByNameAndType', (name, type) => {
            const list = type === 'list';
            for (const owner of [id, host.stage()]) {
                const number = host.variableNumber(owner, kit.text(name), list);
                if (number >= 0) {
                    return rawVariable(owner, number, list, kit.text(name));
                }
            }
            return null;
        });
        define(target, 'setXY', (x, y, force) => {
            host.setPosition(id, +x, +y, !!force);
            kit.moved(id);
        });
        for (const field of ['Visible', 'Direction', 'Size', 'Costume']) {
            define(target, 'set' + field, value => {
                host.setLook(id, field, +value);
                kit.looksDifferent(id);
            });
        }
        object = raw(target, 'target');
        apply(mapSet, raws, [id, object]);
        return object;
    }
    kit.rawTarget = rawTarget;
    kit.raw = raw;

    const runtime = {ioDevices: raw({
        mouse: raw({getScratchX: () => host.mouse()[0], getScratchY: () => host.mouse()[1],
            getIsDown: () => host.isMouseDown()}, 'vm.runtime.ioDevices.mouse'),
        keyboard: raw({getKeyIsDown: key => host.isKeyDown(kit.text(key))}, 'vm.runtime.ioDevices.keyboard'),
    }, 'vm.runtime.ioDevices')};
    getter(runtime, 'targets', () => kit.mapped(host.targets(), rawTarget));
    getter(runtime, 'stepsExecuted', () => host.totalSteps());
    define(runtime, 'getSpriteTargetByName', name => {
        const id = host.original(kit.text(name));
        return id < 0 ? undefined : rawTarget(id);
    });
    define(runtime, 'getTargetForStage', () => rawTarget(host.stage()));
    const vm = {runtime: raw(runtime, 'vm.runtime')};
    define(vm, 'greenFlag', () => host.greenFlag());
    define(vm, 'stopAll', () => host.stopAll());
    define(vm, 'postIOData', (device, data) => kit.postIOData(device, data));
    kit.vm = raw(vm, 'vm');

    kit.clearWrappers = () => {
        apply(mapClear, wrappers, []);
        apply(mapClear, variables, []);
        apply(mapClear, raws, []);
    };
})
