import { defineConfig } from 'vitest/config';
import { LongestFirst } from './vitest.sequencer.js';

const packages = [
  'auth',
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

// Tests import the sources of workspace packages, so that nothing needs to be built first.
// Without 'import', because vitest passes these conditions to Node for require() too, and CommonJS packages would get
// ESM files. Without 'module', because it names files for bundlers, which Node cannot always load.
const conditions = ['@switchboard/source', 'node', 'default'];

export default defineConfig({
  test: {
    globalSetup: ['./vitest.global-setup.ts'],
    sequence: { sequencer: LongestFirst },
    projects: projects.map(({ name, root, include = everySpec, exclude = [], isolate = false }) => ({
      resolve: { conditions },
      ssr: { resolve: { conditions, externalConditions: conditions } },
      // Set here, because the transformer would otherwise use a tsconfig that includes the file.
      oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
      test: {
        name,
        root,
        include,
        exclude,
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
