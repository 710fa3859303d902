// @ts-check
/**
 * `node tools/bundle.mjs [app ...]`: puts each compiled service and the packages it uses into one file,
 * `apps/<app>/dist/bundle.js`. Finding, reading and linking two thousand modules is half of what a start costs; the file
 * is what `npm start`, the image and the tests run. Names are kept, so that stacks and logs read as without it.
 */
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const names = process.argv.slice(2);
const apps = names.length > 0 ? names : ['chat', 'inventory'];

/** Packages with files of their own that are not JavaScript. */
const withFiles = ['sharp', '@bull-board/ui'];

/** Packages that are loaded when they are first used, if ever: reading their code would cost each start. */
const loadedLate = ['@prisma/client'];

/** Optional packages that are not installed. */
const absent = [
  '@fastify/static',
  '@fastify/view',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  '@valkey/valkey-glide',
  'class-transformer',
  'class-validator',
  'msgpackr-extract',
  'pg-native',
];

/** Expected warnings of the bundler. */
const expected = [
  // `@bull-board/api` looks for its pages so when it is not told where they are; ours is.
  'EVAL',
];

/**
 * Passes the original folder to our modules, which find their files (SQL, pages) relative to it.
 * @param {string} folder of the bundle
 * @returns {import('rolldown').Plugin}
 */
function placesOfModules(folder) {
  return {
    name: 'places of modules',
    transform: {
      filter: { id: { exclude: /\/node_modules\// }, code: 'import.meta.url' },
      handler: (code, id) => {
        const place = join(relative(folder, dirname(id)), basename(id));
        return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`);
      },
    },
  };
}

/** @param {string} app */
async function bundle(app) {
  const folder = join(root, 'apps', app, 'dist');
  const made = await rolldown({
    input: join(folder, 'main.js'),
    platform: 'node',
    external: [...withFiles, ...loadedLate, ...absent].map((name) => new RegExp(`^${name}(/|$)`)),
    transform: { define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' } },
    plugins: [placesOfModules(folder)],
    onLog: (level, log) => {
      if (level === 'warn' && !expected.includes(log.code ?? '')) throw new Error(log.message);
    },
  });
  await made.write({ file: join(folder, 'bundle.js'), format: 'esm', codeSplitting: false, keepNames: true });
  await made.close();
}

for (const app of apps) await bundle(app);
