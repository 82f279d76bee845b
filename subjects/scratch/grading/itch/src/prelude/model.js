// The model of a program: snapshots, targets, blocks. Objects are created lazily from numbers of
// the host: a target is created when a plan first reads it, and is shared by all snapshots in which
// it has not changed.
(function (kit) {
    'use strict';
    const {host, defineProperty, NativeMap} = kit;
    const EFFECTS = ['color', 'fisheye', 'whirl', 'pixelate', 'mosaic', 'brightness', 'ghost'];

    /** Defines a property of an object whose value is computed when it is first read. */
    const lazily = (object, name, make) => defineProperty(object, name, {
        get() {
            const value = make();
            defineProperty(object, name, {value, writable: true, enumerable: true, configurable: true});
            return value;
        },
        set(value) {
            defineProperty(object, name, {value, writable: true, enumerable: true, configurable: true});
        },
        enumerable: true, configurable: true,
    });

    /** A block with all blocks below and inside it, without ids and positions. */
    class Node {
        constructor(block) {
            this.opcode = block.opcode;
            this.next = null;
            this.inputs = {};
            this.input = this.inputs;
            this.fields = {};
            this.mutation = block.mutation?.proccode ?? null;
        }
    }
    const inputValue = (content, nodes) =>
        Array.isArray(content) ? String(content[1]) : content === null ? undefined : nodes.get(content);
    const fill = (node, block, nodes) => {
        node.next = nodes.get(block.next) ?? null;
        for (const name of Object.keys(block.inputs)) {
            node.inputs[name] = inputValue(block.inputs[name][1], nodes);
        }
        for (const name of Object.keys(block.fields)) {
            node.fields[name] = block.fields[name][0];
        }
        if (block.opcode === 'procedures_call') {
            const ids = block.mutation?.argumentids ?? [];
            let next = 0;
            lazily(node, 'arguments', () => node.mutation.split(/(%[snb])/).map(part => part.trim())
                .filter(part => part !== '').map(part => {
                    if (!/^%[snb]$/.test(part)) {
                        return part;
                    }
                    const value = node.inputs[ids[next++]];
                    if (value === undefined) {
                        throw new Error(`The call of "${node.mutation}" has an empty argument.`);
                    }
                    return value;
                }));
        }
    };
    /** The Nodes of some blocks by their ids. */
    const nodesOf = blocks => {
        const nodes = new NativeMap();
        for (const block of blocks) {
            nodes.set(block.id, new Node(block));
        }
        for (const block of blocks) {
            fill(nodes.get(block.id), block, nodes);
        }
        return nodes;
    };
    const isLoose = block => block.opcode === 'data_variable' || block.opcode === 'data_listcontents';

    class Block {
        constructor(saved) {
            Object.assign(this, saved);
            this.inputs = Object.fromEntries(saved.inputs);
            this.fields = Object.fromEntries(saved.fields);
        }
        get calledProcedureName() {
            if (this.opcode !== 'procedures_call') {
                throw new Error(`The block ${this.opcode} calls no procedure.`);
            }
            return this.mutation.proccode;
        }
    }
    /** Blocks and Nodes by project and sprite: both are the same in all snapshots. */
    const scripts = new NativeMap();
    const scriptsOf = (project, sprite) => {
        const key = `${project} ${sprite}`;
        let known = scripts.get(key);
        if (known === undefined) {
            const blocks = JSON.parse(host.blocks(project, sprite)).map(saved => new Block(saved));
            known = {blocks, nodes: undefined};
            scripts.set(key, known);
        }
        return known;
    };

    class Variable {
        constructor([id, name, type, value]) {
            this.id = id;
            this.name = name;
            this.type = type;
            this.value = value;
        }
    }
    class Costume {
        constructor([assetId, name, md5ext, dataFormat, bitmapResolution, rotationCenterX, rotationCenterY]) {
            Object.assign(this, {assetId, name, md5ext, dataFormat, bitmapResolution, rotationCenterX, rotationCenterY});
        }
    }

    class Target {
        constructor(record, number) {
            const project = record[0];
            const sprite = record[1];
            kit.define(this, 'scripts_', [project, sprite]);
            this.id = record[3] ? `target ${sprite}` : `clone ${record[4]}`;
            this.name = record[5];
            lazily(this, 'variables', () => host.variables(number).map(parts => new Variable(parts)));
            lazily(this, 'blocks', () => scriptsOf(project, sprite).blocks);
            lazily(this, 'comments', () => []);
            this.currentCostume = record[6];
            lazily(this, 'costumes', () => host.costumes(project, sprite).map(parts => new Costume(parts)));
            this.volume = record[7];
            this.layerOrder = record[8];
        }
        getCurrentCostume() {
            return this.costumes[this.currentCostume];
        }
        comparableObject() {
            return {name: this.name};
        }
        blockTree(blocks) {
            return new Set(this.blockTreeList(blocks));
        }
        blockTreeList(blocks) {
            const own = blocks === undefined || blocks === this.blocks;
            const used = own ? this.blocks : [...blocks];
            const known = own ? nodesOfTarget(this) : nodesOf(used);
            return used.filter(block => block.topLevel && !isLoose(block)).map(block => known.get(block.id));
        }
        find(script) {
            return this.blockTreeList().find(root => kit.matchesTree(root, script));
        }
        findScript(first, ...rest) {
            return this.find(kit.script(first, ...rest));
        }
        variable(name) {
            return this.variables.find(variable => variable.name === name);
        }
        block(id) {
            const found = this.blocks.find(block => block.id === id);
            if (found === undefined) {
                throw new Error(`Block ${id} was not found in ${this.name}.`);
            }
            return found;
        }
        node(block) {
            const id = typeof block === 'string' ? block : block.id;
            return nodesOfTarget(this).get(this.block(id).id);
        }
    }
    const nodesOfTarget = target => {
        const known = scriptsOf(...target.scripts_);
        known.nodes ??= nodesOf(known.blocks);
        return known.nodes;
    };

    class Stage extends Target {
        constructor(record, number) {
            super(record, number);
            this.tempo = record[19];
            this.videoTransparency = 50;
            this.videoState = 'on';
        }
    }
    class Sprite extends Target {
        constructor(record, number) {
            super(record, number);
            this.visible = record[9];
            this.x = record[10];
            this.y = record[11];
            this.size = record[12];
            this.direction = record[13];
            this.draggable = record[14];
            this.rotationStyle = record[15];
            lazily(this, 'clones', () => host.clones(number).map(targetOf));
            lazily(this, 'effects', () => Object.fromEntries((record[18] ?? []).map((value, at) => [EFFECTS[at], value])));
            const bounds = record[16];
            this.bounds = bounds && {left: bounds[0], right: bounds[1], bottom: bounds[2], top: bounds[3]};
            const bubble = record[17];
            this.bubbleState = bubble && {onSpriteRight: bubble[0], text: bubble[1], type: bubble[2]};
        }
        touchesPosition(position, padding = 0) {
            if (!this.bounds) {
                throw new Error(`The bounds of ${this.name} are not known in this snapshot.`);
            }
            const {left, right, bottom, top} = this.bounds;
            return position.x > left - padding && position.x < right + padding &&
                position.y > bottom - padding && position.y < top + padding;
        }
        get position() {
            return {x: this.x, y: this.y};
        }
        get costume() {
            return this.getCurrentCostume()?.name;
        }
    }

    const targets = [];
    const targetOf = number => {
        let target = targets[number];
        if (target === undefined) {
            const record = host.record(number);
            target = record[2] ? new Stage(record, number) : new Sprite(record, number);
            targets[number] = target;
        }
        return target;
    };

    const have = (target, what, name) => {
        if (target === undefined) {
            throw new Error(`${what} ${name} was not found in the snapshot.`);
        }
        return target;
    };
    /** A snapshot: the targets at one moment. */
    class Snapshot {
        #number;
        static #setTargets(snapshot, value) {
            defineProperty(snapshot, 'targets', {value, writable: true, enumerable: true, configurable: true});
            return value;
        }
        /** All snapshots share this object, because there are many snapshots. */
        static #TARGETS = {
            get() {
                return Snapshot.#setTargets(this, host.targets(this.#number).map(targetOf));
            },
            set(value) {
                Snapshot.#setTargets(this, value);
            },
            enumerable: true, configurable: true,
        };
        constructor(number) {
            this.#number = number;
            this.timestamp = host.timeOf(number);
            this.origin = host.originOf(number);
            defineProperty(this, 'targets', Snapshot.#TARGETS);
        }
        get sprites() {
            return this.targets.filter(target => target instanceof Sprite);
        }
        get stage() {
            return this.targets.find(target => target instanceof Stage);
        }
        findSprite(name) {
            const found = this.findTarget(name);
            return found instanceof Sprite ? found : this.sprites.find(sprite => sprite.name === name);
        }
        findSpriteById(id) {
            return this.sprites.find(sprite => sprite.id === id);
        }
        findTarget(name) {
            const number = host.find(this.#number, String(name));
            return number < 0 ? undefined : targetOf(number);
        }
        spriteById(id) {
            return have(this.findSpriteById(id), 'Sprite', id);
        }
        sprite(name) {
            return have(this.findSprite(name), 'Sprite', name);
        }
        findTargetById(id) {
            return this.targets.find(target => target.id === id);
        }
        target(name) {
            return have(this.findTarget(name), 'Target', name);
        }
        areTouching(a, b) {
            return this.sprite(a).touchesPosition(this.sprite(b).position);
        }
        hasChangedTarget(other, name, predicate) {
            const [mine, others] = [this.findTarget(name), other.findTarget(name)];
            if (mine === undefined || others === undefined) {
                return mine !== others;
            }
            return predicate === undefined
                ? !kit.isEqual(mine.comparableObject(), others.comparableObject())
                : predicate(mine, others);
        }
        hasChangedBlocks(other, name) {
            return this.hasChangedTarget(other, name, (a, b) => {
                const keys = target => target.blockTreeList().map(keyOf).sort();
                return !kit.isEqual(keys(a), keys(b));
            });
        }
        get time() {
            return this.timestamp;
        }
        restoreRuntime() {
            throw new Error('snapshots cannot be restored');
        }
    }

    const keys = new NativeMap();
    /** A string that is equal for Nodes with equal code. */
    const keyOf = root => {
        let text = keys.get(root);
        if (text === undefined) {
            const value = input => input instanceof Node ? ['n', keyOf(input)] : [String(input)];
            text = '';
            for (let node = root; node; node = node.next) {
                const inputs = Object.keys(node.inputs).sort().map(name => [name, ...value(node.inputs[name])]);
                const fields = Object.keys(node.fields).sort().map(name => [name, node.fields[name]]);
                text += kit.stringify([node.opcode, inputs, fields, node.mutation]);
            }
            keys.set(root, text);
        }
        return text;
    };
    Object.assign(kit, {Node, Snapshot, Target, Sprite, targetOf, keyOf, lazily});
})
