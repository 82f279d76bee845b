// Prints the results of the functions of a file in Node.js.
const subject = require('./' + (process.argv[2] ?? 'subject') + '.js');
(async () => {
    const results = {};
    for (const name of Object.keys(subject)) {
        results[name] = await new Promise((done) => setImmediate(() => done(subject[name]())));
    }
    console.log(JSON.stringify(results, null, 1));
})();
