/** Replaces the TypeScript files of a job with their JavaScript. */
const replaceTyped = job => {
  if (Object.keys(job.typed).length === 0) return;
  const modules = require('node:module');
  const find = modules._resolveFilename;
  modules._resolveFilename = (request, parent, ...more) =>
    find(job.typed[parent?.filename]?.requests[request] ?? request, parent, ...more);
  for (const extension of ['.ts', '.tsx', '.mts', '.cts']) {
    modules._extensions[extension] = (module, file) =>
      module._compile(job.typed[file]?.text ?? require('node:fs').readFileSync(file, 'utf8'), file);
  }
  if (job.module) {
    const hooks = `
      import { fileURLToPath, pathToFileURL } from 'node:url';
      let typed;
      const of = url => (url?.startsWith('file:') ? typed[fileURLToPath(url.split('?')[0])] : undefined);
      export const initialize = files => { typed = files; };
      export const resolve = (request, context, next) => {
        const path = of(context.parentURL)?.requests[request];
        return next(path === undefined ? request : pathToFileURL(path).href, context);
      };
      export const load = (url, context, next) => {
        const file = of(url);
        if (file === undefined) return next(url, context);
        return { format: file.module ? 'module' : 'commonjs', source: file.text, shortCircuit: true };
      };
    `;
    modules.register('data:text/javascript,' + encodeURIComponent(hooks), { data: job.typed });
  }
};
