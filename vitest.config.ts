import { defineConfig, type UserWorkspaceConfig } from 'vitest/config';
import { longSpecFilesByFolder } from './tools/entry/long-spec-files.mjs';
import { filesLoadedByNode, replaceSourcesByCompiledFiles } from './vitest.compiled-sources.js';
import { LongestFirst } from './vitest.sequencer.js';

const packages = [
  'auth',
  'board',
  'database',
  'errors',
  'local-services',
  'nest',
  'outbound',
  'pagination',
  'platform',
  'queue',
  's3',
  'templates',
  'testing',
  'tracing',
  'webhooks',
];

/** Spec files that run the service with an additional model or destination, so that they need modules of their own. */
const additions = ['test/adding-a-model.spec.ts', 'test/adding-a-webhook-destination.spec.ts'];

/**
 * Spec files of the event log that also run on its store in tables. The others test Redis or a loss of its data: `faults`,
 * `random`, `before-redis`, `failed-reads`, `maintenance`, `void-entries`, `concurrent-polls`, and `history`, which
 * inspects blocks of headers. `shared-snapshots` tests pools, and no store. Tests of `itOnRedis` do not run on tables.
 */
const eventLogSpecs = [
  'test/event-log.spec.ts',
  ...['boundaries', 'deltas', 'event-loop-turns', 'kill-points', 'numbering', 'owners', 'streams'].map(
    (name) => `test/event-log-${name}.spec.ts`,
  ),
];

/**
 * Number of spec files that run at the same time, unless the run gives another. Three keep two cores busy, because tests
 * wait for PostgreSQL, for processes and for time to pass.
 */
const workers = process.argv.some((argument) => argument.startsWith('--maxWorkers')) ? {} : { maxWorkers: 3 };

/** One project per package, so that one run and one summary cover the repository. */
const projects: { name: string; root: string; include?: string[]; exclude?: string[]; isolate?: boolean }[] = [
  ...packages.map((name) => ({ name, root: `packages/${name}` })),
  { name: 'queue-in-tables', root: 'packages/queue', include: eventLogSpecs },
  { name: 'chat', root: 'apps/chat' },
  { name: 'inventory', root: 'apps/inventory', exclude: additions },
  { name: 'inventory-guide', root: 'apps/inventory', include: additions, isolate: true },
  { name: 'workspace', root: 'tools' },
  { name: 'faults', root: 'test/faults', include: ['*.spec.ts'] },
  { name: 'hostile', root: 'test/hostile', include: ['*.spec.ts'] },
  { name: 'races', root: 'test/races', include: ['*.spec.ts'] },
  // Needs the history of the repository, and minutes: only for `npm run test:upgrade`.
  ...(process.env['UPGRADE'] === 'true' ? [{ name: 'upgrade', root: 'test/upgrade', include: ['*.spec.ts'] }] : []),
];

const everySpec = ['src/**/*.spec.ts', 'test/**/*.spec.ts'];

/**
 * Projects that load compiled files in a run whose command has compiled the sources (`npm test`, `npm run test:long`).
 * They load most modules. The project `inventory-guide` replaces modules of the service, and needs its sources.
 */
const compiledProjects = process.env['TEST_COMPILED'] === 'true' ? ['chat', 'inventory'] : [];

/** True for the short form of all tests (`npm test`), which leaves out whole files of the long form. */
const isShortRun = process.env['TEST_FORM'] === 'short';

// Other runs import the sources of workspace packages, so that nothing needs to be built first.
// Without 'import', because vitest passes these conditions to Node for require() too, and CommonJS packages would get
// ESM files. Without 'module', because it names files for bundlers, which Node cannot always load.
const sourceConditions = ['@switchboard/source', 'node', 'default'];

/** Returns the options of a project that decide if imports of apps and packages load sources or compiled files. */
function createModuleOptions(project: string): UserWorkspaceConfig {
  const isCompiled = compiledProjects.includes(project);
  const conditions = isCompiled ? ['node', 'default'] : sourceConditions;
  return {
    resolve: { conditions },
    ssr: { resolve: { conditions, externalConditions: conditions } },
    plugins: isCompiled ? [replaceSourcesByCompiledFiles(import.meta.dirname)] : [],
  };
}

export default defineConfig({
  test: {
    globalSetup: ['./vitest.global-setup.ts'],
    sequence: { sequencer: LongestFirst },
    projects: projects.map(({ name, root, include = everySpec, exclude = [], isolate = false }) => ({
      ...createModuleOptions(name),
      // Set here, because the transformer would otherwise use a tsconfig that includes the file.
      oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
      test: {
        name,
        root,
        include,
        exclude: [...exclude, ...(isShortRun ? (longSpecFilesByFolder[root] ?? []) : [])],
        ...(compiledProjects.includes(name) ? { server: { deps: { external: filesLoadedByNode } } } : {}),
        ...workers,
        // Long enough for machines that are several times slower. Tests with another limit set it themselves.
        testTimeout: 60_000,
        hookTimeout: 120_000,
        expect: { poll: { timeout: 30_000, interval: 20 } },
        // Loading a service for each file takes a third of the suite's time. Modules keep no state between files:
        // objects that outlive a request belong to the runtime that each test creates.
        isolate,
        env: name === 'queue-in-tables' ? { EVENT_LOG_STORE: 'tables' } : {},
      },
    })),
  },
});
