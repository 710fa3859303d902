import { defineConfig } from 'vitest/config';

const packages = [
  'auth',
  'database',
  'errors',
  'local-services',
  'outbound',
  'pagination',
  'platform',
  'queue',
  'testing',
];
const apps = ['chat', 'inventory'];

/** One project a package, so that one run and one summary cover the repository. */
const projects = [
  ...packages.map((name) => ({ name, root: `packages/${name}` })),
  ...apps.map((name) => ({ name, root: `apps/${name}` })),
  { name: 'workspace', root: 'tools' },
];

export default defineConfig({
  // Tests read the sources of workspace packages: nothing has to be built first.
  resolve: { conditions: ['@switchboard/source', 'node', 'import', 'default'] },
  ssr: {
    resolve: {
      conditions: ['@switchboard/source', 'node', 'import', 'default'],
      externalConditions: ['@switchboard/source', 'node', 'import', 'default'],
    },
  },
  // Stated here because the transformer otherwise takes these from a tsconfig that includes the file, and tests are in none.
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  test: {
    globalSetup: ['./vitest.global-setup.ts'],
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: projects.map(({ name, root }) => ({
      extends: true as const,
      test: { name, root, include: ['src/**/*.spec.ts', 'test/**/*.spec.ts'] },
    })),
  },
});
