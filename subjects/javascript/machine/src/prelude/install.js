// Functions show their original source text instead of the instrumented text.
defineProperty(FunctionPrototype, 'toString', {
    value: {toString() {
        const text = functionText(this);
        const number = host.marker(text);
        return number < 0 ? text : host.source(number);
    }}.toString, writable: true, enumerable: false, configurable: true,
});
installHost();
return {prepare, begin, run, runTicks, isSettled, observed, exception, report, stateOf, analyse, constructedPatterns, describe, distance};
