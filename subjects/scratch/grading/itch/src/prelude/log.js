// The log: snapshots and events of an execution.
(function (kit) {
    'use strict';
    const {host, Snapshot, lazily, NativeMap} = kit;
    const SUBMISSION = 0;
    const TEMPLATE = -1;

    // The template has the number -1.
    const snapshots = [];
    const snapshotOf = number => snapshots[number + 1] ??= new Snapshot(number);
    const noSnapshot = which => {
        throw new Error(`The ${which} snapshot of this event is not known yet.`);
    };
    class Event {
        constructor(number, type, data) {
            kit.define(this, 'number_', number);
            this.type = type;
            if (data === undefined) {
                lazily(this, 'data', () => dataOf(number, type));
            } else {
                this.data = data;
            }
        }
        get previous() {
            return snapshotOf(host.event(this.number_)[1]);
        }
        get next() {
            const number = host.event(this.number_)[2];
            return number < 0 ? noSnapshot('next') : snapshotOf(number);
        }
        hasNext() {
            return host.event(this.number_)[2] >= 0;
        }
        get timestamp() {
            return this.previous.timestamp;
        }
    }
    const point = (x, y) => ({x, y});
    const line = ([ax, ay, bx, by]) => ({start: point(ax, ay), end: point(bx, by)});
    /** The host's data about an event. */
    const dataOf = (number, type) => {
        const values = host.eventData(number);
        switch (type) {
            case 'say':
                return {text: values[0], target: kit.live(values[2]), type: values[1], sprite: values[3]};
            case 'answer':
                return {question: values[0], text: values[1]};
            case 'renderer':
                return rendererData(values);
            case 'block_execution': {
                const [blockId, target, record] = values;
                const owner = () => kit.targetOf(record);
                return {blockId, target, block: () => owner().block(blockId), node: () => owner().node(blockId)};
            }
            case 'target_update':
                return {target: values[0]};
            default:
                return {name: values[0]};
        }
    };
    const rendererData = ([name, value, text]) => {
        switch (name) {
            case 'penLine':
                return {name, line: line(value), color: text};
            case 'penPoint':
                return {name, point: point(...value), color: text};
            case 'penClear':
                return {name, previous: {lines: value.map(line), points: text.map(p => point(...p))}};
            case 'createTextSkin':
                return {id: value, name, text};
            case 'updateTextSkin':
                return {name, text};
            default:
                return {name, id: value};
        }
    };

    /** The events that the scheduler has registered, by number. */
    const registered = [];
    const snapshotList = [];
    const eventList = [];
    const ranges = new NativeMap();
    class Log {
        renderer = {
            get lines() {
                return host.lines().map(line);
            },
            get points() {
                return host.points().map(p => point(...p));
            },
            get responses() {
                return host.responses();
            },
            color: null,
        };
        started = true;
        reset() {
            throw new Error('the log cannot be emptied');
        }
        get snapshots() {
            const count = host.snapshotCount();
            for (let at = snapshotList.length; at < count; at++) {
                snapshotList.push(snapshotOf(at));
            }
            return snapshotList;
        }
        get last() {
            return snapshotOf(host.snapshotCount() - 1);
        }
        get events() {
            const count = host.eventCount();
            for (let at = eventList.length; at < count; at++) {
                eventList.push(registered[at] ?? new Event(at, host.event(at)[0]));
            }
            return eventList;
        }
        get ops() {
            return [];
        }
        get submission() {
            return snapshotOf(SUBMISSION);
        }
        get template() {
            return snapshotOf(TEMPLATE);
        }
        registerStartSnapshots() {
            throw new Error('the log has begun already');
        }
        registerSnapshot() {
            throw new Error('snapshots are taken by `snap`');
        }
        snap(origin = 'plan') {
            return snapshotOf(host.snap(String(origin)));
        }
        timestamp() {
            return host.timestamp();
        }
        registerEvent(type, data = {}, previous = host.snap(`event.${type}.start`)) {
            const number = host.addEvent(type, previous);
            const event = new Event(number, type, data);
            registered[number] = event;
            return event;
        }
        savedRange(name) {
            const [start, end] = ranges.get(name) ?? [];
            if (end === undefined) {
                throw new Error(`The range ${name} was not saved.`);
            }
            return this.snapshots.slice(start, end);
        }
        eventsDuring(event) {
            const [from, to] = [event.timestamp, event.next.timestamp];
            return this.events.filter(({timestamp}) => timestamp >= from && timestamp <= to);
        }
        setRange(name, start, end) {
            ranges.set(name, [start, end]);
        }
    }
    Object.defineProperty(eventList, 'list', {get: () => eventList, enumerable: false});
    kit.rangeStart = name => ranges.get(name)?.[0];
    kit.log = new Log();
    kit.finish = (event, origin) => host.closeEvent(event.number_, host.snap(origin));
    kit.finishAt = (event, snapshot) => host.closeEvent(event.number_, snapshot);
})
