// The output of a judgement: groups, tests, messages.
(function (kit) {
    'use strict';
    const {host, strict, stringify} = kit;

    class ResultManager {
        #open = false;
        #closed = false;
        #groups = 0;
        #test = false;
        #unnamed = 0;
        /** Buffers of commands that are not written yet, the innermost last. */
        #buffers = [];

        pauzeOutput() {
            if (strict) {
                this.#buffers = [this.#buffers[0] ?? []];
            } else {
                this.#buffers.push([]);
            }
        }
        unpauzeOutput(discard) {
            const commands = this.#buffers.pop() ?? [];
            if (!discard) {
                commands.forEach(command => this.#emit(command));
            }
        }
        hasWrongTestInBuffer() {
            const commands = this.#buffers.at(-1) ?? [];
            return commands.some(({command, status}) => command === 'close-test' && status !== 'correct');
        }
        startJudgement() {
            if (this.#open || this.#closed) {
                return this.#ignored('start-judgement');
            }
            this.#open = true;
            this.#emit({command: 'start-judgement', version: 2});
        }
        closeJudgement() {
            if (!this.#open) {
                return this.#ignored('close-judgement');
            }
            while (this.#groups > 0) {
                this.closeGroup();
            }
            this.#closeOpenTest();
            while (this.#buffers.length > 0) {
                this.unpauzeOutput(false);
            }
            this.#emit({command: 'close-judgement'});
            this.#open = false;
            this.#closed = true;
        }
        startGroup(name, visibility = 'show', tags = [], sprite) {
            if (this.#closed) {
                return this.#ignored('start-group');
            }
            if (!this.#open) {
                this.startJudgement();
            }
            this.#groups++;
            this.#emit({command: 'start-group', name, sprite, visibility, tags});
        }
        closeGroup(summary) {
            if (this.#groups === 0) {
                return this.#ignored('close-group');
            }
            this.#closeOpenTest();
            this.#groups--;
            this.#emit({command: 'close-group', summary});
        }
        startTest(name, tags = []) {
            if (this.#closed) {
                return this.#ignored('start-test');
            }
            if (this.#groups === 0) {
                this.startGroup(`Groep ${kit.random()}`);
            }
            if (this.#test) {
                this.closeTest('wrong');
            }
            this.#test = true;
            this.#emit({command: 'start-test', name: name ?? `Test ${this.#unnamed++}`, tags});
        }
        closeTest(status, feedback) {
            if (!this.#test) {
                return this.#ignored('close-test');
            }
            this.#test = false;
            this.#emit({command: 'close-test', status, feedback});
        }
        appendMessage(message) {
            if (!this.#open) {
                return this.#ignored('append-message');
            }
            const text = strict || typeof message === 'string' ? message : String(message);
            this.#emit({command: 'append-message', message: text});
        }
        appendDiff(expected, actual = 'null') {
            if (!this.#test) {
                return this.#ignored('append-diff');
            }
            this.#emit({command: 'append-diff', expected: String(expected), actual: String(actual)});
        }
        escalateStatus(status) {
            if (!this.#open) {
                return this.#ignored('escalate-status');
            }
            this.#emit({command: 'escalate-status', status});
        }
        #closeOpenTest() {
            if (this.#test && !strict) {
                this.closeTest('wrong');
            }
            this.#test = false;
        }
        #emit(command) {
            const buffer = this.#buffers.at(-1);
            if (buffer === undefined) {
                host.emit(stringify(command));
            } else {
                buffer.push(command);
            }
        }
        #ignored(command) {
            kit.warn(`${command} does not fit here and is ignored`);
        }
    }

    /** The methods of a test after the actual value is given. */
    class Matcher {
        #test;
        #actual;
        constructor(test, actual) {
            this.#test = test;
            this.#actual = actual;
        }
        accepted(holds, expected) {
            return this.#test.out(holds, expected, this.#actual);
        }
        toBe(expected) {
            return this.accepted(same(this.#actual, expected), expected);
        }
        toMatch(pattern) {
            return this.accepted(kit.matchesNode(this.#actual, pattern), pattern);
        }
        toMatchSubtree(script) {
            return this.accepted(kit.matchesTree(this.#actual, script), script);
        }
        toNotBe(expected) {
            return this.accepted(!same(this.#actual, expected), expected);
        }
    }
    const same = (a, b) =>
        typeof a === 'number' && typeof b === 'number' ? kit.numericEquals(a, b) : kit.isEqual(a, b);

    /** A test that is being described. */
    class TestBuilder {
        #output;
        #name;
        #fatal = false;
        #diff = false;
        #ignore;
        #texts = {};
        #tags = [];
        constructor(output, name, ignore) {
            this.#output = output;
            this.#name = name;
            this.#ignore = ignore;
        }
        fatal() {
            this.#fatal = true;
            return this;
        }
        diff() {
            this.#diff = true;
            return this;
        }
        ignoreWrong(ignore) {
            this.#ignore = ignore;
            return this;
        }
        expect(actual) {
            return new Matcher(this, actual);
        }
        acceptIf(holds) {
            return this.out(!!holds, true, holds);
        }
        feedback(texts) {
            this.#texts = texts ?? {};
            return this;
        }
        tags(...tags) {
            this.#tags = tags;
            return this;
        }
        out(holds, expected, actual) {
            if (!holds && this.#ignore) {
                return false;
            }
            const status = holds ? 'correct' : 'wrong';
            let text = this.#texts[status];
            if (typeof text === 'function') {
                text = text(expected, actual);
            }
            this.#output.startTest(this.#name, this.#tags);
            if (this.#diff) {
                this.#output.appendDiff(expected, actual);
            }
            this.#output.closeTest(status, text);
            if (!holds && this.#fatal) {
                throw new kit.FatalErrorException();
            }
            return holds;
        }
    }

    class GroupLevel {
        constructor(resultManager) {
            this.resultManager = resultManager;
        }
        group(...values) {
            const block = values.pop();
            const options = typeof values.at(-1) === 'object' ? values.pop() ?? {} : {};
            const [given] = values;
            const name = given ?? (options.sprite === undefined ? undefined : `Testen voor ${options.sprite}`);
            if (typeof block !== 'function' || typeof name !== 'string') {
                throw new Error('Wrong arguments to group function.');
            }
            const {sprite, summary, visibility = 'show', tags = [], ignoreWrong = false} = options;
            const output = this.resultManager;
            if (ignoreWrong) {
                output.pauzeOutput();
            }
            output.startGroup(name, visibility, tags, sprite);
            block();
            output.closeGroup(summary);
            if (!ignoreWrong) {
                return undefined;
            }
            const wrong = output.hasWrongTestInBuffer();
            output.unpauzeOutput(wrong);
            return !wrong;
        }
        test(name) {
            return new TestBuilder(this.resultManager, name, this.ignoresWrong_);
        }
    }
    kit.output = new ResultManager();
    kit.GroupLevel = GroupLevel;
    kit.groups = new GroupLevel(kit.output);
})
