// Executes suites in the original Whisker, each on a separate page of a headless browser.
//
//   node original.js CHECKOUT BROWSER < JOBS
//
// CHECKOUT is a built checkout of Whisker with its dependencies, and BROWSER is Chromium. Each line of JOBS is a
// JSON object with `project` (path of an .sb3 file), `suite` (path of a .js file), `seed` and `acceleration`
// (numbers). The script prints a line for each job, with `tests` (`name`, `outcome`, `error`), `covered` (ids of
// blocks) and `goals` (number of goals), or with `failed`.
'use strict';

const path = require('path');
const readline = require('readline');

const [checkout, executablePath] = process.argv.slice(2).map(argument => path.resolve(argument));
const puppeteer = require(path.join(checkout, 'node_modules/puppeteer'));
const PAGE = `file://${path.join(checkout, 'whisker-web/dist/index.html')}`;
// Tests run in real time at acceleration 1.
const LIMIT_MS = 1_800_000;

const inTime = (promise, what) => {
    let timer;
    const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`no ${what} in ${LIMIT_MS / 1000} s`)), LIMIT_MS);
    });
    return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

const execute = async (page, { project, suite, seed, acceleration }) => {
    await page.goto(PAGE, { waitUntil: 'load' });
    await page.waitForFunction('window.Whisker && Whisker.testRunner && Whisker.projectFileSelect');
    await page.evaluate((seed, acceleration) => {
        document.querySelector('#seed').value = seed;
        document.querySelector('#acceleration-value').innerText = acceleration;
        window.results = [];
        for (const [event, outcome] of Object.entries({
            testPass: 'pass', testFail: 'fail', testError: 'error', testSkip: 'skip',
        })) {
            Whisker.testRunner.on(event, ({ test, error }) => window.results.push(
                { name: test.name, outcome, error: error ? String(error.message || error) : null }));
        }
        window.done = new Promise(resolve => { window.messageServantCallback = () => resolve(); });
    }, String(seed), String(acceleration));
    await (await page.$('#fileselect-project')).uploadFile(project);
    await (await page.$('#fileselect-tests')).uploadFile(suite);
    await page.evaluate(() => {
        document.querySelector('#tabProject').click();
        document.querySelector('#run-all-tests').click();
    });
    await page.evaluate(() => window.done);
    return page.evaluate(() => {
        const goals = [...Whisker.testRunner.statementMap];
        const covered = goals.filter(([, covered]) => covered);
        return {
            tests: window.results,
            covered: covered.map(([statement]) => statement._targetNode.id),
            goals: goals.length,
        };
    });
};

const main = async () => {
    const browser = await puppeteer.launch({
        headless: true,
        executablePath,
        args: ['--no-sandbox', '--disable-gpu', '--enable-unsafe-swiftshader',
            '--autoplay-policy=no-user-gesture-required'],
    });
    try {
        for await (const line of readline.createInterface({ input: process.stdin })) {
            const job = JSON.parse(line);
            const page = await browser.newPage();
            const result = await inTime(execute(page, job), 'result')
                .catch(error => ({ failed: String(error.message) }));
            process.stdout.write(`${JSON.stringify({ ...job, ...result })}\n`);
            // A page that hangs cannot be closed either.
            await inTime(page.close(), 'end of the page').catch(() => {});
        }
    } finally {
        await browser.close();
    }
};

main().catch(error => {
    process.stderr.write(`${error.stack}\n`);
    process.exitCode = 1;
});
