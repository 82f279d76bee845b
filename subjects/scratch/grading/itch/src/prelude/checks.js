// Checks of the code: against the template, and block by block.
(function (kit) {
    'use strict';
    const {t, matchesTree, keyOf} = kit;

    const normalised = config => {
        if (typeof config === 'object' && config !== null && 'pattern' in config) {
            return config;
        }
        return {pattern: config};
    };
    const matches = (root, pattern) => {
        if (pattern === undefined || pattern === null) {
            return false;
        }
        return typeof pattern === 'function' ? !!pattern(root) : matchesTree(root, pattern);
    };
    /** The opcodes of the stack blocks of some scripts. As in the original, blocks inside the last
     * block of a script are left out. */
    const opcodes = (roots, found = new Set()) => {
        const open = [...roots];
        while (open.length > 0) {
            for (let node = open.pop(); node; node = node.next) {
                found.add(node.opcode);
                if (node.next !== null) {
                    for (const name of ['SUBSTACK', 'SUBSTACK2']) {
                        if (node.inputs[name] instanceof kit.Node) {
                            open.push(node.inputs[name]);
                        }
                    }
                }
            }
        }
        return found;
    };

    const test = (name, key, sprite, holds, {fatal = false, correct = 'correct', wrong = 'wrong'} = {}) => {
        const builder = kit.groups.test(name).feedback({
            correct: t(`predefined.${key}.${correct}`, sprite),
            wrong: t(`predefined.${key}.${wrong}`, sprite),
        });
        return (fatal ? builder.fatal() : builder).acceptIf(holds);
    };
    const checkAllowed = (configs, {template, submission}) => {
        for (const name of Object.keys(configs)) {
            const {allowedBlocks, pattern} = configs[name];
            if (allowedBlocks === undefined) {
                continue;
            }
            const scripts = snapshot => snapshot.sprite(name).blockTreeList().filter(root => matches(root, pattern));
            const allowed = opcodes(scripts(template), new Set(allowedBlocks.map(block => block.opcode)));
            const used = [...opcodes(scripts(submission))];
            test(t(':predefined.allowed.name'), 'allowed', name, used.every(opcode => allowed.has(opcode)));
        }
    };
    const checkTarget = (name, config, log, configs) => {
        const found = log.submission.findTarget(name);
        test(t('predefined.deleted.name'), 'deleted', name, found !== undefined, {fatal: true});
        const expected = log.template.target(name).blockTreeList();
        const roots = found.blockTreeList();
        const own = normalised(config);
        const count = (list, key) => list.reduce((sum, root) => sum + (keyOf(root) === key), 0);
        const matching = list => list.filter(root => matches(root, own.pattern)).length;
        const keys = new Set(expected.map(keyOf));
        const kept = expected.every(root => matches(root, own.pattern)
            ? matching(roots) >= matching(expected)
            : count(roots, keyOf(root)) >= count(expected, keyOf(root)));
        test(t('predefined.existing.name'), 'existing', name, kept, {correct: 'correct_block', wrong: 'wrong_block'});
        checkAllowed(configs, log);
        const additional = config !== undefined && own.allowAdditionalScripts;
        if (kept && !additional) {
            const left = roots.filter(root => !keys.has(keyOf(root)) && !matches(root, own.pattern));
            test(t('predefined.around.name'), 'around', name, left.length === 0);
        }
    };
    const checkPredefinedBlocks = (config, e) => {
        const {spriteConfig = {}, allowAdditionalScripts = false, ignoredSprites = []} = config;
        const configs = {};
        for (const name of Object.keys(spriteConfig)) {
            configs[name] = {allowAdditionalScripts, ...normalised(spriteConfig[name])};
        }
        const options = {visibility: 'summary', summary: t('predefined.no_changes')};
        e.group.group(t('predefined.existing_code'), options, () => {
            for (const {name} of e.log.template.targets) {
                if (!ignoredSprites.includes(name)) {
                    e.group.group(name, {sprite: name, visibility: 'summary'}, () => {
                        checkTarget(name, configs[name], e.log, configs);
                    });
                }
            }
        });
    };

    class AnyOrder {
        constructor(items) {
            this.items = items;
        }
    }
    const length = pattern => pattern instanceof kit.Script ? pattern.blockPatterns.length : 1;
    const advance = (node, pattern) => {
        let current = node;
        for (let left = length(pattern); left > 0; left--) {
            current = current?.next;
        }
        return current;
    };
    const holds = (node, pattern) => {
        if (node === undefined || node === null) {
            return kit.isMatchOfAbsence(pattern);
        }
        return matchesTree(node, pattern);
    };
    const nested = (e, node, item) => {
        const inputs = {condition: 'CONDITION', substack: 'SUBSTACK', substack2: 'SUBSTACK2'};
        for (const key of Object.keys(inputs)) {
            if (item[key] !== undefined) {
                checkBlocks(e, node?.inputs?.[inputs[key]] ?? node, item[key]);
            }
        }
    };
    const checkItem = (e, node, item, ignoreWrong) => {
        const verdict = holds(node, item.pattern);
        if (ignoreWrong && !verdict && !kit.strict) {
            return false;
        }
        const check = () => {
            e.group.test(item.name).feedback(item.feedback).ignoreWrong(ignoreWrong).acceptIf(verdict);
            nested(e, node, item);
        };
        const {subgroup = item.substack !== undefined} = item;
        if (subgroup === false) {
            check();
        } else {
            e.group.group(typeof subgroup === 'string' ? subgroup : 'Lus', check);
        }
        return verdict;
    };
    const checkAnyOrder = (e, start, items) => {
        let current = start;
        const open = [...items];
        for (;;) {
            const at = open.findIndex(item => checkItem(e, current, item, true));
            if (at < 0) {
                break;
            }
            current = advance(current, open[at].pattern);
            open.splice(at, 1);
        }
        for (const item of open) {
            checkItem(e, null, item, false);
        }
        return current;
    };
    const checkBlocks = (e, start, items) => {
        let current = start;
        for (const item of items) {
            if (item instanceof AnyOrder) {
                current = checkAnyOrder(e, current, item.items);
            } else {
                checkItem(e, current, item, false);
                current = advance(current, item.pattern);
            }
        }
        return current;
    };
    kit.B.checkBlocks = checkBlocks;
    kit.B.anyOrder = items => new AnyOrder(items);
    kit.checkPredefinedBlocks = checkPredefinedBlocks;
})
