// Functions that depend on a locale or a time zone, here for en-US and UTC. This script is
// evaluated after globals.js.
(function () {
    'use strict';
    const {apply, defineProperty} = Reflect;
    const {Map, Number, String, TypeError} = globalThis;
    const method = (object, name, length, value) => {
        defineProperty(value, 'name', {value: name, configurable: true});
        defineProperty(value, 'length', {value: length, configurable: true});
        defineProperty(object, name, {value, writable: true, enumerable: false, configurable: true});
    };
    const uncurry = f => (owner, ...values) => apply(f, owner, values);

    // Dates.
    const dates = Date.prototype;
    const getTime = uncurry(dates.getTime);
    const utcText = uncurry(dates.toUTCString);
    const split = uncurry(String.prototype.split);
    const ZONE = ' GMT+0000 (Coordinated Universal Time)';
    const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
    const indexOf = uncurry(Array.prototype.indexOf);
    const parts = date => {
        const [weekday, day, month, year, time] = split(utcText(date), ' ');
        return {weekday: weekday[0] + weekday[1] + weekday[2], day, month, year, time};
    };
    const localDate = ({day, month, year}) =>
        indexOf(MONTHS, month) + 1 + '/' + +day + '/' + (+year > 0 ? +year : 1 - year);
    const localTime = ({time}) => {
        const [hours, minutes, seconds] = split(time, ':');
        return (hours % 12 || 12) + ':' + minutes + ':' + seconds + (hours < 12 ? ' AM' : ' PM');
    };
    const forms = {
        toString: at => at.weekday + ' ' + at.month + ' ' + at.day + ' ' + at.year + ' ' + at.time + ZONE,
        toDateString: at => at.weekday + ' ' + at.month + ' ' + at.day + ' ' + at.year,
        toTimeString: at => at.time + ZONE,
        toLocaleString: at => localDate(at) + ', ' + localTime(at),
        toLocaleDateString: localDate,
        toLocaleTimeString: localTime,
    };
    for (const name of Object.keys(forms)) {
        method(dates, name, 0, function () {
            const time = getTime(this);
            return time === time ? forms[name](parts(this)) : 'Invalid Date';
        });
    }

    // Numbers.
    const numberText = uncurry(Number.prototype.toString);
    const valueOfNumber = uncurry(Number.prototype.valueOf);
    const valueOfBigInt = uncurry(BigInt.prototype.valueOf);
    const slice = uncurry(String.prototype.slice);
    const repeat = uncurry(String.prototype.repeat);
    const grouped = digits => {
        let text = '';
        for (let i = 0; i < digits.length; i++) {
            text += (i > 0 && (digits.length - i) % 3 === 0 ? ',' : '') + digits[i];
        }
        return text;
    };
    /** The digits before and after the decimal point of a finite number that is at least 0. */
    const decimal = value => {
        const [mantissa, exponent = '0'] = split(numberText(value), 'e');
        const [whole, fraction = ''] = split(mantissa, '.');
        const digits = whole + fraction;
        const point = whole.length + +exponent;
        return point <= 0 ? ['0', repeat('0', -point) + digits]
            : [slice(digits, 0, point) + repeat('0', point > digits.length ? point - digits.length : 0), slice(digits, point)];
    };
    /** Rounds to at most `most` digits after the decimal point; halves are rounded up. */
    const rounded = ([whole, fraction], most) => {
        if (fraction.length <= most) {
            return [whole, fraction];
        }
        let digits = '';
        let carry = fraction[most] >= '5';
        const kept = whole + slice(fraction, 0, most);
        for (let i = kept.length - 1; i >= 0; i--) {
            const digit = +kept[i] + (carry ? 1 : 0);
            carry = digit === 10;
            digits = digit % 10 + digits;
        }
        digits = (carry ? '1' : '') + digits;
        return [slice(digits, 0, digits.length - most), slice(digits, digits.length - most)];
    };
    const digitsOf = (value, least, usual) => {
        const count = value === undefined ? usual : +value;
        if (!(count >= 0 && count <= 100)) {
            throw new RangeError('the number of fraction digits is out of range');
        }
        return count > least ? count : least;
    };
    method(Number.prototype, 'toLocaleString', 0, function (locales, options) {
        const value = valueOfNumber(this);
        const {minimumFractionDigits, maximumFractionDigits, useGrouping = true} = options ?? {};
        const least = digitsOf(minimumFractionDigits, 0, 0);
        const most = digitsOf(maximumFractionDigits, least, maximumFractionDigits === undefined && least > 3 ? least : 3);
        if (value !== value) {
            return 'NaN';
        }
        const sign = value < 0 || 1 / value < 0 ? '-' : '';
        if (value === Infinity || value === -Infinity) {
            return sign + '∞';
        }
        let [whole, fraction] = rounded(decimal(value < 0 ? -value : value), most);
        while (fraction.length > least && fraction[fraction.length - 1] === '0') {
            fraction = slice(fraction, 0, -1);
        }
        fraction += repeat('0', least > fraction.length ? least - fraction.length : 0);
        return sign + (useGrouping ? grouped(whole) : whole) + (fraction === '' ? '' : '.' + fraction);
    });
    method(BigInt.prototype, 'toLocaleString', 0, function () {
        const value = valueOfBigInt(this);
        return value < 0n ? '-' + grouped(String(-value)) : grouped(String(value));
    });

    // The order of strings: by base letters, then by marks, then lower case before upper case.
    const normalize = uncurry(String.prototype.normalize);
    const lower = uncurry(String.prototype.toLowerCase);
    const codePointAt = uncurry(String.prototype.codePointAt);
    const test = uncurry(RegExp.prototype.test);
    const SIGNS = '\t\n\v\f\r _-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~$';
    const JOINED = new Map([['ß', 'ss'], ['æ', 'ae'], ['Æ', 'AE'], ['œ', 'oe'], ['Œ', 'OE'], ['ø', 'o\u0338'], ['Ø', 'O\u0338'],
        ['ł', 'l\u0335'], ['Ł', 'L\u0335'], ['đ', 'd\u0335'], ['Đ', 'D\u0335']]);
    const joinedGet = uncurry(Map.prototype.get);
    const [MARK, LETTER, DIGIT, IGNORED] = [/^\p{M}$/u, /^\p{L}$/u, /^\p{Nd}$/u, /^[\p{Cc}\p{Cf}]$/u];
    const iterate = text => text[Symbol.iterator]();
    const next = uncurry(iterate('').next);
    /** The weights of a string: of base letters, of marks, and of the case of letters. */
    const weights = (text, numeric) => {
        const all = {bases: [], marks: [], sizes: []};
        let count = 0;
        let inNumber = false;
        const add = (letter, isJoined) => {
            const sign = letter === '\0' ? -1 : SIGNS.indexOf(letter);
            const point = codePointAt(letter, 0);
            if (sign < 0 && test(IGNORED, letter)) {
                return;
            }
            if (test(MARK, letter)) {
                all.marks[count - 1] = (all.marks[count - 1] ?? 0) * 1024 + point - 0x2ff;
                return;
            }
            const isDigit = test(DIGIT, letter);
            const small = lower(letter);
            if (numeric && isDigit && point < 0x80) {
                // Consecutive digits are one base letter.
                if (inNumber) {
                    all.bases[count - 1] = all.bases[count - 1] * 10 + +letter;
                    return;
                }
                all.bases[count] = 0x40000000 + +letter;
                inNumber = true;
            } else {
                inNumber = false;
                all.bases[count] = sign >= 0 ? 1 + sign : isDigit || test(LETTER, letter)
                    ? (isDigit ? 0x10000000 : 0x60000000) * 16 + codePointAt(small, 0) : 0x100 + point;
            }
            all.marks[count] = 0;
            all.sizes[count] = (small === letter ? 0 : 1) + (isJoined ? 2 : 0);
            count++;
        };
        const letters = iterate(normalize(text, 'NFD'));
        for (let {done, value} = next(letters); !done; {done, value} = next(letters)) {
            const pair = joinedGet(JOINED, value) ?? value;
            const inside = iterate(pair);
            for (let each = next(inside); !each.done; each = next(inside)) {
                add(each.value, pair !== value);
            }
        }
        return all;
    };
    const order = (a, b) => {
        for (let i = 0; i < a.length && i < b.length; i++) {
            if (a[i] !== b[i]) {
                return a[i] < b[i] ? -1 : 1;
            }
        }
        return a.length === b.length ? 0 : a.length < b.length ? -1 : 1;
    };
    const LEVELS = {base: ['bases'], accent: ['bases', 'marks'], case: ['bases', 'sizes']};
    method(String.prototype, 'localeCompare', 1, function (that, locales, options) {
        if (this === null || this === undefined) {
            throw new TypeError('String.prototype.localeCompare called on null or undefined');
        }
        const [a, b] = [String(this), String(that)];
        if (a === b) {
            return 0;
        }
        const {sensitivity, numeric = false} = options ?? {};
        const [left, right] = [weights(a, numeric), weights(b, numeric)];
        const levels = LEVELS[sensitivity] ?? ['bases', 'marks', 'sizes'];
        for (let i = 0; i < levels.length; i++) {
            const sign = order(left[levels[i]], right[levels[i]]);
            if (sign !== 0) {
                return sign;
            }
        }
        return 0;
    });
})
