import { defineConfig } from 'vitest/config';
import { LongestFirst } from './vitest.sequencer.js';

const packages = [
  'auth',
  'database',
  'errors',
  'local-services',
  'outbound',
  'pagination',
  'platform',
  'queue',
  's3',
  'templates',
  'testing',
];

/** Run the service with one model or destination more than it has, so they load modules of their own. */
const additions = ['test/adding-a-model.spec.ts', 'test/adding-a-webhook-destination.spec.ts'];

/** Projects whose tests mostly wait, for processes that start and stop and for times that pass. */
const waiting = new Set(['faults', 'workspace', 'local-services', 'queue', 'outbound']);

/** Workers of the projects that wait, which run first, and of the others; a number given for the run is that of both. */
function schedule(project: string) {
  const [order, workers] = waiting.has(project) ? [0, 3] : [1, 2];
  const isGiven = process.argv.some((argument) => argument.startsWith('--maxWorkers'));
  return { sequence: { groupOrder: order }, ...(isGiven ? {} : { maxWorkers: workers }) };
}

/** One project a package, so that one run and one summary cover the repository. */
const projects: { name: string; root: string; include?: string[]; exclude?: string[]; isolate?: boolean }[] = [
  ...packages.map((name) => ({ name, root: `packages/${name}` })),
  { name: 'chat', root: 'apps/chat' },
  { name: 'inventory', root: 'apps/inventory', exclude: additions },
  { name: 'inventory-guide', root: 'apps/inventory', include: additions, isolate: true },
  { name: 'workspace', root: 'tools' },
  { name: 'faults', root: 'test/faults', include: ['*.spec.ts'] },
  { name: 'hostile', root: 'test/hostile', include: ['*.spec.ts'] },
  { name: 'races', root: 'test/races', include: ['*.spec.ts'] },
];

const everySpec = ['src/**/*.spec.ts', 'test/**/*.spec.ts'];

// Tests read the sources of workspace packages: nothing has to be built first.
// No 'import' here: vitest hands these to Node for require() too, and a CommonJS package would get the ESM file of another.
const conditions = ['@switchboard/source', 'node', 'module', 'default'];

export default defineConfig({
  test: {
    globalSetup: ['./vitest.global-setup.ts'],
    sequence: { sequencer: LongestFirst },
    projects: projects.map(({ name, root, include = everySpec, exclude = [], isolate = false }) => ({
      resolve: { conditions },
      ssr: { resolve: { conditions, externalConditions: conditions } },
      // Stated here because the transformer otherwise takes these from a tsconfig that includes the file.
      oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
      test: {
        name,
        root,
        include,
        exclude,
        ...schedule(name),
        // For machines several times slower than ours. What has a bound of its own states it in the test.
        testTimeout: 60_000,
        hookTimeout: 120_000,
        expect: { poll: { timeout: 30_000, interval: 20 } },
        // Loading a service anew for each file takes a third of the suite's time. Our modules keep nothing between
        // files: what lives longer than a request belongs to the runtime that each test makes.
        isolate,
      },
    })),
  },
});
