// A facade in place of the original's internal objects: `t.vm` and raw targets.
(function (kit) {
    'use strict';
    const {host, apply, define, defineProperty, NativeMap, costumesOf, effectsOf, box} = kit;
    const {get: mapGet, set: mapSet, clear: mapClear} = NativeMap.prototype;

    // Wraps an object so that reading a missing member throws an error.
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
    const keys = new NativeMap();
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
        apply(mapSet, keys, [object, id]);
        return object;
    }
    kit.rawTarget = rawTarget;
    kit.rawVariable = rawVariable;
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
    // The fields that `startHats` accepts, by hat block.
    const hatFields = {__proto__: null, event_whenkeypressed: 'KEY_OPTION',
        event_whenbackdropswitchesto: 'BACKDROP', event_whenbroadcastreceived: 'BROADCAST_OPTION'};
    define(runtime, 'startHats', (opcode, fields, target) => {
        const hat = kit.text(opcode);
        const field = hatFields[hat];
        const option = field === undefined ? '' : fields?.[field];
        if (option === undefined) {
            throw new TypeError('startHats: `' + hat + '` needs the field ' + field);
        }
        const only = apply(mapGet, keys, [target]);
        if (only === undefined && target !== undefined && target !== null) {
            throw new TypeError('startHats: the target is not part of the machine');
        }
        const started = [];
        for (let i = host.startHats(hat, kit.text(option), only ?? -1); i > 0; i--) {
            started[started.length] = raw({}, 'thread');
        }
        return started;
    });
    const vm = {runtime: raw(runtime, 'vm.runtime')};
    define(vm, 'greenFlag', () => host.greenFlag());
    define(vm, 'stopAll', () => host.stopAll());
    define(vm, 'postIOData', (device, data) => kit.postIOData(device, data));
    kit.vm = raw(vm, 'vm');

    kit.clearRaws = () => {
        apply(mapClear, raws, []);
        apply(mapClear, keys, []);
    };
})
