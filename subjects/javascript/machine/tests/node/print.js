// Prints what the functions of a file, subject.js if none is named, give in Node.js, each called by a task of its own.
const subject = require('./' + (process.argv[2] ?? 'subject') + '.js');
(async () => {
    const results = {};
    for (const name of Object.keys(subject)) {
        results[name] = await new Promise((done) => setImmediate(() => done(subject[name]())));
    }
    console.log(JSON.stringify(results, null, 1));
})();
