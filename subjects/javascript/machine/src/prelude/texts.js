// Limits the length of strings that some methods can make, so that tests do not handle megabytes.
const MAX_UNITS = 1 << 20;
const tooLong = () => {
    throw new RangeError('Invalid string length');
};
/** Limits a method that can make a string of any length. `isTooLong` checks the arguments without side effects. */
const limitText = (owner, name, isTooLong) => {
    const original = owner[name];
    const {[name]: limited} = {[name](...values) {
        if (isTooLong(this, values)) {
            tooLong();
        }
        const text = apply(original, this, values);
        return typeof text === 'string' && text.length > MAX_UNITS ? tooLong() : text;
    }};
    defineProperty(limited, 'length', {value: original.length, writable: false, enumerable: false, configurable: true});
    defineProperty(owner, name, {value: limited, writable: true, enumerable: false, configurable: true});
};
const padsTooMuch = (text, values) => typeof values[0] === 'number' && values[0] > MAX_UNITS && values[1] !== '';
limitText(String.prototype, 'padStart', padsTooMuch);
limitText(String.prototype, 'padEnd', padsTooMuch);
limitText(String.prototype, 'repeat', (text, [count]) => typeof text === 'string' && typeof count === 'number'
    && count !== Infinity && text.length * count > MAX_UNITS);
limitText(Array.prototype, 'join', (array, [separator]) => isArray(array)
    && (array.length - 1) * (typeof separator === 'string' ? separator.length : separator === undefined ? 1 : 0) > MAX_UNITS);
