// Wrappers of sprites, variables and costumes. Wrappers contain the keys of the machine's targets;
// values that can change are read from the machine on demand.
(function (kit) {
    'use strict';
    const {host, apply, define, members, NativeString, NativeNumber, NativeMap, NativeRegExp, defineProperty} = kit;
    const {get: mapGet, set: mapSet, clear: mapClear} = NativeMap.prototype;
    const {cells} = kit;
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

    // The layout of `cells`, as in mirror.rs: versions, values of one target before the step, rows.
    const STATE_VERSION = 0, OLD_VERSION = 1, OLD = 2, ROWS = 20, WIDTH = 10;
    const KEY = 1, X = 2, Y = 3, DIRECTION = 4, SIZE = 5, COSTUME = 6, VOLUME = 7, VISIBLE = 8, EXISTS = 9;
    const PLACES = 2 ** 24;
    const STYLES = ['all around', 'left-right', "don't rotate"];
    const MOVED = 1, LOOKS = 2;
    const stage = host.stage();
    // Names of sprites and costumes, which never change, by the position of the sprite.
    const names = {__proto__: null};
    const costumeNames = {__proto__: null};

    // One wrapper for each target in a test, so that `===` compares targets.
    let wrappers = new NativeMap();
    let originals = {__proto__: null};
    const wrap = id => {
        let wrapper = id < PLACES ? originals[id] : apply(mapGet, wrappers, [id]);
        if (wrapper === undefined) {
            wrapper = new Sprite(id);
            if (id < PLACES) {
                originals[id] = wrapper;
            } else {
                apply(mapSet, wrappers, [id, wrapper]);
            }
        }
        return wrapper;
    };
    kit.wrap = wrap;
    /** The wrappers of all targets; never changed in place. */
    let all = [];
    let allVersion = 0;
    const current = () => {
        if (allVersion !== cells[STATE_VERSION]) {
            const ids = host.changedTargets();
            if (ids !== undefined) {
                const list = [];
                for (let i = 0; i < ids.length; i++) {
                    list[i] = wrap(ids[i]);
                }
                all = list;
            }
            allVersion = cells[STATE_VERSION];
        }
        return all;
    };

    class Variable {
        #target;
        #number;
        #list;
        #raw = undefined;
        #text = 'undefined';
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
            if (this.#list) {
                return texts(value);
            }
            if (value !== this.#raw) {
                this.#raw = value;
                this.#text = NativeString(value);
            }
            return this.#text;
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
            return kit.rawVariable(this.#target, this.#number, this.#list, this.name);
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

    /** The values of a target before the latest step. */
    const oldOf = (id, sprite) => {
        const text = host.old(id);
        const [x, y] = [cells[OLD], cells[OLD + 1]];
        const costume = cells[OLD + 5];
        const effects = {};
        for (let i = 0; i < EFFECTS.length; i++) {
            effects[EFFECTS[i]] = cells[OLD + 9 + i];
        }
        return {
            x, y, pos: {x, y}, direction: cells[OLD + 2], visible: cells[OLD + 3] === 1, size: cells[OLD + 4],
            currentCostume: costume, currentCostumeName: costumesAt(sprite, id)[costume],
            volume: cells[OLD + 6], layerOrder: cells[OLD + 7], sayText: text ?? null,
            rotationStyle: STYLES[cells[OLD + 8]], effects,
        };
    };
    const costumesAt = (sprite, id) => costumeNames[sprite] ??= host.costumes(id);

    class Sprite {
        #id;
        #sprite;
        #original;
        #name;
        // The position of the row of the sprite in `cells`.
        #row;
        #seen = false;
        #moved = null;
        #changed = null;
        #old = null;
        #oldVersion = 0;
        constructor(id) {
            this.#id = id;
            const facts = host.wrap(id);
            this.#original = facts % 2 === 1;
            this.#sprite = facts < 0 ? -1 : (facts - facts % 2) / 2;
            this.#name = facts < 0 ? host.text(id, 'name') : names[this.#sprite] ??= host.text(id, 'name');
            const place = id % PLACES;
            this.#row = ROWS + WIDTH * (place < kit.lastRow ? place : kit.lastRow);
        }
        static number(sprite) {
            return typeof sprite === 'object' && sprite !== null && #id in sprite ? sprite.#id : -1;
        }
        /** The sprites that satisfy a condition, or all sprites without one. */
        static all(condition, skipStage) {
            const list = current();
            const found = [];
            for (let i = 0; i < list.length; i++) {
                const sprite = list[i];
                if (!(skipStage && sprite.#id === stage)
                    && (condition === undefined || condition === null || condition(sprite))) {
                    found[found.length] = sprite;
                }
            }
            return found;
        }
        /** The sprites that satisfy a condition and that no call has returned yet. */
        static unseen(condition) {
            const list = current();
            const found = [];
            for (let i = 0; i < list.length; i++) {
                const sprite = list[i];
                if (!sprite.#seen && (!condition || condition(sprite))) {
                    sprite.#seen = true;
                    found[found.length] = sprite;
                }
            }
            return found;
        }
        /** A number from the row of the sprite; NaN if the caller must ask the host. */
        #at(column) {
            const row = this.#row;
            if (cells[row] !== cells[STATE_VERSION] || cells[row + KEY] !== this.#id) {
                host.mirror(this.#id);
            }
            return cells[row + column];
        }
        get id() { return host.text(this.#id, 'id'); }
        get name() { return this.#name; }
        get isOriginal() { return this.#original; }
        get isStage() { return this.#id === stage; }
        get visible() { return this.#at(VISIBLE) === 1; }
        get exists() { return this.#at(EXISTS) === 1; }
        get x() {
            const x = this.#at(X);
            return x === x ? x : host.x(this.#id);
        }
        get y() {
            const y = this.#at(Y);
            return y === y ? y : host.y(this.#id);
        }
        get pos() { return {x: this.x, y: this.y}; }
        get direction() {
            const direction = this.#at(DIRECTION);
            return direction === direction ? direction : host.number(this.#id, 'direction');
        }
        get size() {
            const size = this.#at(SIZE);
            return size === size ? size : host.number(this.#id, 'rounded size');
        }
        get currentCostume() {
            const costume = this.#at(COSTUME);
            return costume === costume ? costume : host.number(this.#id, 'costume');
        }
        get currentCostumeName() { return costumesAt(this.#sprite, this.#id)[this.#at(COSTUME)]; }
        get volume() {
            const volume = this.#at(VOLUME);
            return volume === volume ? volume : host.number(this.#id, 'volume');
        }
        get layerOrder() { return host.number(this.#id, 'layer'); }
        get effects() { return effectsOf(host.effects(this.#id)); }
        get sayText() { return host.text(this.#id, 'bubble') ?? null; }
        get rotationStyle() { return host.text(this.#id, 'rotation style'); }
        get bounds() { return box(host.bounds(this.#id)); }
        get old() {
            if (this.#oldVersion !== cells[OLD_VERSION]) {
                this.#old = oldOf(this.#id, this.#sprite);
                this.#oldVersion = cells[OLD_VERSION];
            }
            return this.#old;
        }
        get onMoved() { return this.#moved; }
        set onMoved(f) {
            this.#moved = f;
            this.#watch();
        }
        get onVisualChange() { return this.#changed; }
        set onVisualChange(f) {
            this.#changed = f;
            this.#watch();
        }
        #watch() {
            host.watchSprite(this.#id, (this.#moved ? MOVED : 0) | (this.#changed ? LOOKS : 0));
        }
        updateOld() { host.remember(this.#id); }
        getScratchTarget() { return kit.rawTarget(this.#id); }

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
            return this.#named(name, skipStage, false);
        }
        getLists(condition, skipStage = true) {
            if (typeof condition === 'boolean') {
                [condition, skipStage] = [undefined, condition];
            }
            return filtered(this.#withStage(skipStage, true), condition);
        }
        getList(name, skipStage = true) {
            return this.#named(name, skipStage, true);
        }
        #named(name, skipStage, list) {
            const found = variableNamed(this.#id, list, name)
                ?? (skipStage ? undefined : variableNamed(host.stage(), list, name));
            if (found === undefined) {
                host.unknownVariable(this.#id, kit.text(name), list);
            }
            return found;
        }
        #withStage(skipStage, list) {
            const own = variablesOf(this.#id, list);
            return skipStage || this.isStage ? own : apply(kit.concat, own, [variablesOf(host.stage(), list)]);
        }

        getInstances() { return this.#instances(true, this); }
        getOriginal() { return this.#instances(true, this)[0]; }
        getClones(withSelf = false) { return this.#instances(false, withSelf ? this : null); }
        getCloneCount(withSelf = false) { return this.getClones(withSelf).length; }
        getNewClones() {
            return Sprite.unseen(sprite => !sprite.#original && sprite.#name === this.#name);
        }
        /** The clones and, if `withOriginal` is set, the original; this sprite only if it equals `self`. */
        #instances(withOriginal, self) {
            const list = current();
            const found = [];
            for (let i = 0; i < list.length; i++) {
                const sprite = list[i];
                if (sprite.#sprite === this.#sprite
                    && (sprite === this ? self === this : withOriginal || !sprite.#original)) {
                    found[found.length] = sprite;
                }
            }
            return found;
        }
        getClone(i) {
            const id = host.instances(this.#id)[i];
            return id === undefined ? undefined : kit.rawTarget(id);
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

    Object.assign(kit, {costumesOf, effectsOf, box});

    kit.clearWrappers = () => {
        wrappers = new NativeMap();
        originals = {__proto__: null};
        all = [];
        allVersion = 0;
        host.forgetTargets();
        apply(mapClear, variables, []);
        kit.clearRaws();
    };
})
