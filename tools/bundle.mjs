// @ts-check
/**
 * Bundles each compiled service with its packages into `apps/<app>/dist/bundle.js`, and the admin commands into
 * `admin-bundle.js` (`node tools/bundle.mjs [app ...]`). Bundling halves the start time of a service. `npm start`, the
 * container image and the tests run the bundles. Function names are preserved for stack traces and logs.
 * `--without-spans` writes `bundle-without-spans.js` instead, for the benchmark of tracing spans.
 */
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const repositoryRoot = fileURLToPath(new URL('..', import.meta.url));
const includesTracingSpans = !process.argv.includes('--without-spans');
const requestedAppNames = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const bundledAppNames = requestedAppNames.length > 0 ? requestedAppNames : ['chat', 'inventory'];

/** Names of packages that are not bundled, because the packages contain files other than JavaScript. */
const unbundledPackagesWithFiles = ['sharp', '@bull-board/ui'];

/** Names of packages that are loaded at the first use, because loading them would slow down each start. */
const lazilyLoadedPackages = ['@prisma/client', 'smtp-server'];

/** Names of optional dependencies that are not installed and therefore missing in a bundle. */
const missingOptionalPackages = [
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

/** Codes of warnings that the bundler is expected to print. */
const expectedBundlerWarningCodes = [
  // `@bull-board/api` uses eval to find its pages unless their folder is configured, which it is here.
  'EVAL',
];

/**
 * Returns a bundler plugin that preserves `import.meta.url` of bundled modules. Modules need this URL to find their
 * files (SQL, pages).
 *
 * @param {string} folder folder of the bundle
 * @returns {import('rolldown').Plugin}
 */
function createModuleUrlPlugin(folder) {
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

/**
 * Returns a bundler plugin that removes the creation of tracing spans. Every comparison of a tracer with null gets the
 * result of a process without a tracer provider.
 *
 * @returns {import('rolldown').Plugin}
 */
function createSpanRemovalPlugin() {
  let count = 0;
  return {
    name: 'without spans',
    transform: {
      filter: { id: { exclude: /\/node_modules\// }, code: /(tracer|addSpans) [!=]== null/ },
      handler: (code) =>
        code.replaceAll(/(?:this\.#?)?\b(?:tracer|addSpans) ([!=])== null/g, (_text, operator) => {
          count += 1;
          return operator === '=' ? 'true' : 'false';
        }),
    },
    buildEnd() {
      if (count === 0) throw new Error('No creation of spans was found');
      console.log(`${count} comparisons removed`);
    },
  };
}

/**
 * Bundles a compiled program of an app into one file in the folder of the program.
 * @param {string} app
 * @param {string} program
 * @param {string} file
 */
async function bundleAppProgram(app, program, file) {
  const folder = join(repositoryRoot, 'apps', app, 'dist');
  const made = await rolldown({
    input: join(folder, program),
    platform: 'node',
    external: [...unbundledPackagesWithFiles, ...lazilyLoadedPackages, ...missingOptionalPackages].map(
      (name) => new RegExp(`^${name}(/|$)`),
    ),
    transform: { define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' } },
    plugins: [...(includesTracingSpans ? [] : [createSpanRemovalPlugin()]), createModuleUrlPlugin(folder)],
    onLog: (level, log) => {
      if (level === 'warn' && !expectedBundlerWarningCodes.includes(log.code ?? '')) throw new Error(log.message);
    },
  });
  await made.write({ file: join(folder, file), format: 'esm', codeSplitting: false, keepNames: true });
  await made.close();
}

for (const app of bundledAppNames) {
  await bundleAppProgram(app, 'main.js', includesTracingSpans ? 'bundle.js' : 'bundle-without-spans.js');
  if (includesTracingSpans) await bundleAppProgram(app, 'admin.js', 'admin-bundle.js');
}
