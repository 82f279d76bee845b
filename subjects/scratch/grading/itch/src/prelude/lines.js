// Geometry of drawn lines.
(function (kit) {
    'use strict';
    const numericEquals = (a, b, eps = 0.0001) => Math.abs(a - b) < eps;
    const asRange = value => typeof value === 'number' ? {min: value, max: value} : value;
    const distSq = (p, q) => (p.x - q.x) ** 2 + (p.y - q.y) ** 2;
    const angle = (p, q) => 90 - Math.atan2(q.y - p.y, q.x - p.x) * 180 / Math.PI;

    const fold = (a, b) => distSq(a.start, b.end) > distSq(b.start, a.end)
        ? {start: a.start, end: b.end}
        : {start: b.start, end: a.end};
    /** Rounds a number to four decimals for the comparison of lines. */
    const rounded = number => {
        const text = number.toFixed(4);
        return text === '-0.0000' ? '0.0000' : text;
    };
    /** Replaces all lines on the same straight line by one line. */
    const mergeLines = lines => {
        const sloped = {};
        const vertical = {};
        for (const {start, end} of lines) {
            const line = {start: {x: start.x, y: start.y}, end: {x: end.x, y: end.y}};
            let [group, key] = [vertical, start.x];
            if (start.x !== end.x) {
                const slope = (end.y - start.y) / (end.x - start.x);
                [group, key] = [sloped, `${rounded(slope)} ${rounded(start.y - slope * start.x)}`];
            }
            group[key] = Object.hasOwn(group, key) ? fold(group[key], line) : line;
        }
        return [...Object.values(sloped), ...Object.values(vertical)];
    };

    const close = (p, q) => numericEquals(p.x, q.x, 0.01) && numericEquals(p.y, q.y, 0.01);
    const corners = lines => {
        const points = [];
        for (const {start, end} of lines) {
            for (const point of [start, end]) {
                if (!points.some(known => close(known, point))) {
                    points.push(point);
                }
            }
        }
        return points;
    };
    /** Calls a function with every choice of `size` lines, in order. */
    const subsets = (lines, size, use, chosen = [], from = 0) => {
        if (chosen.length === size) {
            use(chosen);
            return;
        }
        for (let at = from; at < lines.length; at++) {
            subsets(lines, size, use, [...chosen, lines[at]], at + 1);
        }
    };
    /** The squared length of the side, if the points form a square; otherwise undefined. */
    const side = points => {
        const [a, b, c, d] = points;
        const all = [distSq(a, b), distSq(a, c), distSq(a, d), distSq(b, c), distSq(b, d), distSq(c, d)];
        all.sort((x, y) => x - y);
        const square = all[0] > 0 && numericEquals(all[0], all[3]) && numericEquals(all[4], all[5]) &&
            numericEquals(2 * all[0], all[4]);
        return square ? all[0] : undefined;
    };
    const findSquares = lines => {
        const merged = mergeLines(lines);
        if (merged.length < 4) {
            return false;
        }
        const found = [];
        subsets(merged, 4, chosen => {
            const points = corners(chosen);
            const squared = points.length === 4 ? side(points) : undefined;
            if (squared !== undefined) {
                found.push({points, length: Math.sqrt(squared)});
            }
        });
        return found;
    };
    const findTriangles = lines => {
        const merged = mergeLines(lines);
        if (merged.length < 3) {
            return false;
        }
        const found = [];
        subsets(merged, 3, chosen => {
            const points = corners(chosen);
            if (points.length === 3) {
                found.push(points);
            }
        });
        return found;
    };
    Object.assign(kit, {numericEquals, asRange, distSq, angle, mergeLines, findSquares, findTriangles});
})
