// The schedule: its events, their actions, and the conditions for which they wait.
(function (kit) {
    'use strict';
    const {host, log, defineProperty, NativeMap, NativePromise, setTimeout, clearTimeout} = kit;
    const KEYS = {
        ' ': 'space', ArrowLeft: 'left arrow', ArrowUp: 'up arrow', ArrowRight: 'right arrow',
        ArrowDown: 'down arrow', Enter: 'enter',
    };
    const keyName = key => {
        const text = String(key);
        const name = Object.hasOwn(KEYS, text) ? KEYS[text] : [...text].length === 1 ? text : undefined;
        if (name === undefined) {
            throw new Error(`Unknown key ${text}: use names as in the events of browsers, such as ArrowLeft or a.`);
        }
        return name;
    };

    /** Functions that wait for an event of the machine; each returns whether its wait is over. */
    let moves = [];
    let messages = [];
    /** Resolvers by the numbers of the actions whose threads they wait for. */
    const threads = new NativeMap();
    const notify = (list, ...values) => {
        const over = new Set(list.filter(wait => wait(...values)));
        return over.size === 0 ? list : list.filter(wait => !over.has(wait));
    };
    const watch = () => host.watch(moves.length > 0, messages.length > 0);
    kit.moved = (name, x, y, fromX, fromY) => {
        moves = notify(moves, name, x, y, fromX, fromY);
        watch();
    };
    kit.sent = name => {
        messages = notify(messages, name);
        watch();
    };
    kit.threadsDone = action => {
        const resolve = threads.get(action);
        threads.delete(action);
        resolve();
    };
    /** Waits until the threads that the host has just started are done. */
    const waitForThreads = (action, resolve) => void (action < 0 ? resolve() : threads.set(action, resolve));
    const scaled = ms => ms / kit.times.eventAcceleration;

    // Conditions: `action` is called with a function `resolve`, which it calls when the condition
    // holds. A function that is passed to `resolve` is called after the step.
    const delay = ms => ({action: resolve => setTimeout(() => resolve(), scaled(ms)), timeout: ms + 100});
    const broadcast = (name, timeout) => ({
        action: resolve => {
            const event = log.registerEvent('broadcast_listener', {name});
            messages.push(sent => {
                if (sent === name) {
                    resolve(() => kit.finish(event, 'event.broadcast_listener.end'));
                }
                return sent === name;
            });
            watch();
        },
        timeout,
    });
    const exists = name => {
        if (!host.hasSprite(name)) {
            throw new Error(`Sprite ${name} was not found in the project.`);
        }
    };
    const near = (value, wanted) => wanted === undefined || wanted === null || kit.numericEquals(value, wanted);
    /** Waits for a write of a sprite's position after which `holds` is true. */
    const atMove = (name, type, data, timeout, prepare) => ({
        action: resolve => {
            exists(name);
            const holds = prepare();
            const event = type === undefined ? undefined : log.registerEvent(type, data, host.snap('event.wait.start'));
            moves.push((moved, ...values) => {
                if (moved !== name || !holds(...values)) {
                    return false;
                }
                resolve(() => event !== undefined && kit.finish(event, 'event.wait.end'));
                return true;
            });
            watch();
        },
        timeout,
    });
    const names = what => {
        const found = typeof what === 'function' ? what() : what;
        return (Array.isArray(found) ? found : [found]).map(String);
    };
    class SpriteCondition {
        #name;
        constructor(name) {
            this.#name = name;
        }
        toMove(timeout) {
            return atMove(this.#name, undefined, undefined, timeout, () => (x, y, fromX, fromY) => x !== fromX || y !== fromY);
        }
        toReach(goal, timeout) {
            const goals = Array.isArray(goal) ? goal : [goal];
            const reached = typeof goal === 'function' ? goal
                : (x, y) => goals.some(position => near(x, position.x) && near(y, position.y));
            return atMove(this.#name, 'wait_sprite_position', {sprite: this.#name}, timeout, () => (x, y) => reached(x, y));
        }
        #touching(what, timeout, type, key, wanted) {
            const data = {sprite: this.#name};
            return atMove(this.#name, type, data, timeout, () => {
                const others = names(what);
                data[key] = key === 'targets' ? others : others[0];
                return () => others.some(other => host.isTouching(this.#name, other)) === wanted;
            });
        }
        toTouch(what, timeout) {
            return this.#touching(what, timeout, 'wait_sprite_touch', 'targets', true);
        }
        toNotTouch(what, timeout) {
            return this.#touching(what, timeout, 'wait_sprite_not_touch', 'target', false);
        }
        toTouchEdge(timeout) {
            return this.toTouch('_edge_', timeout);
        }
        toTouchMouse(timeout) {
            return this.toTouch('_mouse_', timeout);
        }
    }
    Object.assign(kit, {delay, broadcast, sprite: name => new SpriteCondition(name)});

    /** The event of the log that begins with an action and ends when its threads are done. */
    const logged = (type, origin, data, start) => resolve => {
        const event = log.registerEvent(type, data, host.snap(`event.${origin}.start`));
        waitForThreads(start(), () => resolve(() => kit.finish(event, `event.${origin}.end`)));
    };
    const useKey = (key, down, wait) => resolve => {
        const event = log.registerEvent('useKey', {key, down, delay: wait}, host.snap('event.keyUse.start'));
        const name = keyName(key);
        const released = () => kit.finish(event, 'event.keyUse.end');
        const timed = typeof down === 'number';
        host.key(name, timed || !!down);
        const rest = () => setTimeout(() => {
            if (!timed) {
                released();
            }
            resolve();
        }, scaled(wait));
        if (timed) {
            setTimeout(() => {
                host.key(name, false);
                released();
                rest();
            }, scaled(down));
        } else {
            rest();
        }
    };
    const number = value => typeof value === 'number' ? value : NaN;
    const useMouse = position => resolve => {
        // As in the original, the plan's own object is changed.
        position.x += 240;
        position.y += 180;
        const down = position.isDown;
        host.mouse(number(position.x) - 240, 180 - number(position.y), down === undefined ? -1 : +!!down);
        resolve();
    };

    /** An event of the schedule. */
    class ScheduledEvent {
        #action;
        #timeout;
        #sync;
        #children = [];
        #onResolved = () => undefined;
        #onTimeout = () => false;
        #done;
        #isDone;
        constructor(action, timeout, sync = true) {
            this.#action = action;
            this.#timeout = timeout;
            this.#sync = sync;
            this.#isDone = new NativePromise(resolve => {
                this.#done = resolve;
            });
        }
        toString() {
            return 'ScheduledEvent';
        }
        run(context) {
            const started = new NativePromise((resolve, reject) => {
                let timer;
                if (this.#sync) {
                    timer = setTimeout(() => resolve(false), scaled(this.#timeout ?? kit.times.actionTimeout));
                } else {
                    setTimeout(() => resolve(true), 0);
                }
                const met = after => {
                    if (this.#sync) {
                        clearTimeout(timer);
                        resolve(typeof after === 'function' ? after : true);
                    } else if (typeof after === 'function') {
                        NativePromise.resolve().then(after);
                    }
                };
                try {
                    this.#action(met, context);
                } catch (error) {
                    clearTimeout(timer);
                    reject(error);
                }
            });
            started.then(resolved => this.#ended(resolved, context)).catch(error => kit.failed(error));
        }
        #ended(resolved, context) {
            if (host.isOver()) {
                return;
            }
            if (!resolved) {
                kit.timedOut(!!this.#onTimeout(context));
                return;
            }
            if (typeof resolved === 'function') {
                resolved();
            }
            this.#done();
            this.#onResolved(context);
            for (const child of this.#children) {
                if (host.isOver()) {
                    return;
                }
                child.run(context);
            }
        }
        constructNext(action, timeout, sync) {
            const event = new ScheduledEvent(action, timeout, sync);
            this.#children.push(event);
            return event;
        }
        wait(what) {
            const condition = typeof what === 'number' ? delay(what) : what;
            if (typeof condition?.action !== 'function') {
                throw new TypeError('wait needs a number of milliseconds or a condition');
            }
            return this.constructNext(met => void condition.action(met), condition.timeout);
        }
        forEach(items, fold) {
            return items.reduce((event, item, index, all) => fold(event, item, index, all), this);
        }
        end() {
            return this.constructNext(() => kit.end());
        }
        log(callback) {
            return this.constructNext((met, context) => {
                callback(context);
                met();
            });
        }
        startRange(name) {
            return this.constructNext(met => {
                log.setRange(name, host.snap('event.range.start'));
                met();
            });
        }
        endRange(name) {
            return this.constructNext(met => {
                const start = kit.rangeStart(name);
                if (start === undefined) {
                    throw new Error(`The range ${name} was not started.`);
                }
                const end = host.snap('event.range.end');
                log.setRange(name, start, end);
                kit.finishAt(log.registerEvent('savedRange', {name}, start), end);
                met();
            });
        }
        track(sprite) {
            return this.constructNext(met => {
                exists(sprite);
                host.track(sprite);
                met();
            });
        }
        trackBroadcast(...messages) {
            return this.constructNext(met => {
                messages.forEach(name => host.trackBroadcast(String(name)));
                met();
            });
        }
        greenFlag(sync = true, timeout = undefined) {
            return this.constructNext(logged('greenFlag', 'greenFlag', {}, () => host.greenFlag()), timeout, sync);
        }
        clickSprite(target = 'Stage', sync = true, timeout = undefined) {
            return this.constructNext(logged('click', 'click', {target}, () => host.click(String(target))), timeout, sync);
        }
        sendBroadcast(message, sync = true, timeout = undefined) {
            const {name, restrict} = typeof message === 'object' ? message : {name: message};
            return this.constructNext((met, context) => {
                const only = restrict?.(context);
                const data = {name, target: 'Stage', restrict};
                logged('broadcast', 'broadcast', data, () => {
                    const threads = host.send(String(name), only?.number_ ?? -1);
                    kit.sent(String(name));
                    return threads;
                })(met);
            }, timeout, sync);
        }
        pressKey(key, sync = true, timeout = undefined) {
            return this.constructNext(logged('key', 'key', {key}, () => host.type(keyName(key))), timeout, sync);
        }
        useKey(key, down = 60, sync = true, wait = 20) {
            return this.constructNext(useKey(key, down, wait), undefined, sync);
        }
        useMouse(position) {
            return this.constructNext(useMouse(position));
        }
        pipe(use) {
            return use(this);
        }
        join(events, timeout) {
            return this.constructNext(met => events.forEach(event => event.#isDone.then(() => met())), timeout);
        }
        resolved(callback) {
            this.#onResolved = callback;
            return this;
        }
        timedOut(callback) {
            this.#onTimeout = callback;
            return this;
        }
        asTest({correct, wrong}) {
            const test = holds => kit.groups.test().feedback({correct, wrong}).acceptIf(holds);
            this.#onResolved = () => test(true);
            this.#onTimeout = () => {
                test(false);
                return true;
            };
            return this;
        }
        setVariableTo(name, value, target = 'Stage') {
            return this.constructNext(met => {
                const event = log.registerEvent('set_variable', {value}, host.snap('event.set_variable'));
                kit.finishAt(event, host.event(event.number_)[1]);
                if (!host.setVariable(target, name, value)) {
                    throw new Error(`Variable ${name} was not found in ${target}.`);
                }
                met();
            });
        }
    }
    defineProperty(ScheduledEvent, 'name', {value: 'ScheduledEvent'});
    kit.ScheduledEvent = ScheduledEvent;
})
