import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/**
 * Creates a temporary folder for test files that are structured like the repository. Returns the path of the folder.
 */
const newTree = (): string => mkdtempSync(join(tmpdir(), 'boundaries-'));

let tree: string;

beforeEach(() => {
  tree = newTree();
});

afterEach(() => {
  rmSync(tree, { recursive: true });
});

/**
 * Writes files into a folder, runs the check of import boundaries on the folder, and returns the exit status and the
 * output of the check.
 */
function cruise(tree: string, files: Record<string, string>): { status: number | null; output: string } {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
  const cli = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const roots = [...new Set(Object.keys(files).map((path) => path.split('/')[0] ?? path))];
  const result = spawnSync(process.execPath, [cli, '--config', join(root, '.dependency-cruiser.cjs'), ...roots], {
    cwd: tree,
    encoding: 'utf8',
  });
  return { status: result.status, output: result.stdout + result.stderr };
}

const leaf = 'export const leaf = 1;\n';
const moduleThatImports = (path: string) => `import { leaf } from '${path}';\nexport const used = leaf;\n`;

const forbiddenImports: [rule: string, from: string, specifier: string, to: string][] = [
  ['no-app-to-app', 'apps/chat/src/a.ts', '../../inventory/src/b.js', 'apps/inventory/src/b.ts'],
  ['no-package-to-app', 'packages/queue/src/a.ts', '../../../apps/chat/src/b.js', 'apps/chat/src/b.ts'],
  ['package-through-its-index', 'apps/chat/src/a.ts', '../../../packages/queue/src/b.js', 'packages/queue/src/b.ts'],
  ['package-arrows-queue', 'packages/queue/src/a.ts', '../../database/src/index.js', 'packages/database/src/index.ts'],
  ['package-arrows-errors', 'packages/errors/src/a.ts', '../../auth/src/index.js', 'packages/auth/src/index.ts'],
  [
    'no-test-code-in-product',
    'apps/chat/src/a.ts',
    '../../../packages/testing/src/index.js',
    'packages/testing/src/index.ts',
  ],
  ['chat-layers-infra', 'apps/chat/src/infra/http/a.ts', '../../events/b.js', 'apps/chat/src/events/b.ts'],
  ['chat-layers-events', 'apps/chat/src/events/a.ts', '../core/access/b.js', 'apps/chat/src/core/access/b.ts'],
  [
    'chat-layers-core',
    'apps/chat/src/core/messages/a.ts',
    '../../features/drafts/index.js',
    'apps/chat/src/features/drafts/index.ts',
  ],
  ['chat-layers-features', 'apps/chat/src/features/drafts/a.ts', '../../app/b.js', 'apps/chat/src/app/b.ts'],
  ['chat-layers-app', 'apps/chat/src/app/a.ts', '../main.js', 'apps/chat/src/main.ts'],
  ['chat-layers-declarations', 'apps/chat/src/errors.ts', './events/b.js', 'apps/chat/src/events/b.ts'],
  // This file is exempt from the rule, but not for this import.
  ['chat-layers-events', 'apps/chat/src/events/render-event-log-entry.ts', '../core/b.js', 'apps/chat/src/core/b.ts'],
  [
    'no-slice-internals',
    'apps/chat/src/features/drafts/a.ts',
    '../../core/users/users.repository.js',
    'apps/chat/src/core/users/users.repository.ts',
  ],
  [
    'no-slice-internals',
    'apps/chat/src/app/a.ts',
    '../core/users/users.repository.js',
    'apps/chat/src/core/users/users.repository.ts',
  ],
  ['engine-is-generic', 'apps/inventory/src/engine/a.ts', '../models/site.js', 'apps/inventory/src/models/site.ts'],
  [
    'inventory-slices-register',
    'apps/inventory/src/http/a.ts',
    '../modules/tokens/b.js',
    'apps/inventory/src/modules/tokens/b.ts',
  ],
  [
    'no-database-in-controllers',
    'apps/chat/src/core/users/users.controller.ts',
    './users.repository.js',
    'apps/chat/src/core/users/users.repository.ts',
  ],
];

/** Paths of folders and files whose code accesses tables only with Prisma (docs/adr/0031). */
const prismaPaths = [
  'apps/chat/src/app/admin',
  'apps/chat/src/app/demo/create-demo-realm.ts',
  'apps/chat/src/app/demo/demo-emoji.ts',
  'apps/chat/src/features/alert-words',
  'apps/chat/src/features/bots/bot-storage.action.ts',
  'apps/chat/src/features/channel-folders',
  'apps/chat/src/features/devices',
  'apps/chat/src/features/linkifiers',
  'apps/chat/src/features/navigation-views',
  'apps/chat/src/features/onboarding-steps',
  'apps/chat/src/features/playgrounds',
  'apps/chat/src/features/realm-domains',
  'apps/chat/src/features/realm-images',
  'apps/chat/src/features/saved-snippets',
  'apps/chat/src/features/user-status',
  'apps/chat/src/features/video-calls',
  'apps/inventory/src/admin.ts',
  'apps/inventory/src/demo/demo-data.ts',
  'apps/inventory/src/users',
];

/**
 * Folders and files below {@link prismaPaths} whose statements are SQL. ADR 0031 names each of them with its reason.
 */
const sqlPaths = ['apps/chat/src/app/admin/import-realm', 'apps/chat/src/app/admin/stored-files.ts'];

const isWithin = (path: string, parents: readonly string[]): boolean =>
  parents.some((parent) => path === parent || path.startsWith(`${parent}/`));

/** Returns the paths of the source files in a folder and in its subfolders, without tests and snapshot parts. */
function listPrismaSources(path: string): string[] {
  const names = path.endsWith('.ts')
    ? [path]
    : readdirSync(join(root, path), { recursive: true, encoding: 'utf8' }).map((name) => `${path}/${name}`);
  return names.filter((name) => /(?<!\.spec|\.snapshot)\.ts$/.test(name));
}

/**
 * Regular expression of a call that runs SQL through a transaction, a database or Prisma, and of a text that is a
 * statement.
 */
const runsSql =
  /\.(?:query|finish)\b\s*(?:<[^(]*>)?\(|\$(?:query|execute)Raw|['"`]\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM) /;

describe('code that uses only Prisma', () => {
  it.each(prismaPaths)('contains no SQL in %s, except in files that read snapshots', (path) => {
    const files = listPrismaSources(path).filter((name) => !isWithin(name, sqlPaths));
    const text = (name: string) => readFileSync(join(root, name), 'utf8');
    expect(files.filter((name) => runsSql.test(text(name)))).toEqual([]);
    expect(files.some((name) => /prisma\.js|\.prisma\./.test(text(name)))).toBe(true);
  });

  it.each(sqlPaths)('excludes %s, which contains SQL, and ADR 0031 names the exception', (path) => {
    expect(isWithin(path, prismaPaths)).toBe(true);
    expect(listPrismaSources(path).some((name) => runsSql.test(readFileSync(join(root, name), 'utf8')))).toBe(true);
    expect(readFileSync(join(root, 'docs/adr/0031-prisma-in-our-transactions.md'), 'utf8')).toContain(`\`${path}\``);
  });

  it('includes the files of subfolders', () => {
    expect(listPrismaSources('apps/chat/src/app/admin').some((name) => name.includes('/import-realm/'))).toBe(true);
  });

  it.each([
    "await tx.query('SELECT 1');",
    'const sql = `\n  SELECT id FROM users`;',
    'await tx.query<{ id: number }>(\n  `SELECT 1`);',
    "return tx.finish<Row>('SELECT 1')",
    'await prisma.$queryRaw`SELECT 1`;',
  ])('fails the check when the text %j occurs', (text) => {
    expect(runsSql.test(text)).toBe(true);
  });
});

/** Path of the file with all SQL locks of a service, by service (docs/adr/0031). */
const lockFiles = { chat: 'apps/chat/src/core/database-locks.ts', inventory: 'apps/inventory/src/database-locks.ts' };

/** Pattern of an SQL statement that takes an advisory lock or a table lock, or whose only effect is a row lock. */
const locks =
  /pg_(?:try_)?advisory_|LOCK TABLE|['"`]SELECT(?: 1)? FROM (?:(?!SELECT)[^;])*? FOR (?:NO KEY |KEY )?(?:UPDATE|SHARE)/;

/** Paths of files with an SQL statement that locks rows and that is composed of texts from several files. */
const filesWithComposedLocks = ['apps/chat/src/core/message-access/lock-message.repository.ts'];

describe('SQL statements that lock rows or tables', () => {
  it.each(Object.entries(lockFiles))('exist only in one file of the service %s', (app, file) => {
    const sources = readdirSync(join(root, 'apps', app, 'src'), { recursive: true, encoding: 'utf8' })
      .map((name) => `apps/${app}/src/${name}`)
      .filter((name) => /(?<!\.spec)\.ts$/.test(name) && !name.includes('/generated/'));
    const locking = sources.filter((name) => locks.test(readFileSync(join(root, name), 'utf8')));
    expect(locking.filter((name) => !filesWithComposedLocks.includes(name))).toEqual([file]);
  });

  it.each([
    "'SELECT pg_advisory_xact_lock($1)'",
    "'LOCK TABLE users IN SHARE MODE'",
    "'SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE'",
    '`SELECT FROM users WHERE id = ANY($1)\n  ORDER BY id FOR SHARE`',
  ])('fail the check when %s occurs in another file', (text) => {
    expect(locks.test(text)).toBe(true);
  });

  it('pass the check in other files when the statement also reads the locked rows', () => {
    expect(locks.test("'SELECT id FROM channels WHERE realm_id = $1 FOR SHARE'")).toBe(false);
  });
});

/** Path of a slice's folder in a path below `apps/chat/src`, such as `features/drafts`. `core/access` is no slice. */
const slicePattern = /^(?:core|features)\/(?!access\/)[^/]+(?=\/)/;

/** Returns the slices that a source file of chat imports. The path of the file is relative to `apps/chat/src`. */
function listImportedSlices(path: string, text: string): string[] {
  const specifiers = [...text.matchAll(/\bfrom '(\.{1,2}\/[^']+)'|\bimport\(?\s*'(\.{1,2}\/[^']+)'/g)];
  return specifiers.flatMap(
    ([, from, imported]) => slicePattern.exec(join(dirname(path), from ?? imported ?? ''))?.[0] ?? [],
  );
}

/** Returns the slices that import each other, directly or through other slices, by the sources at their paths. */
function findSlicesInCycles(sources: ReadonlyMap<string, string>): string[] {
  const imports = new Map<string, Set<string>>();
  for (const [path, text] of sources) {
    const slice = slicePattern.exec(path)?.[0];
    if (slice === undefined) continue;
    const others = listImportedSlices(path, text).filter((other) => other !== slice);
    imports.set(slice, new Set([...(imports.get(slice) ?? []), ...others]));
  }
  // Slices without imports of remaining slices are removed until none is left, or until the others are in a cycle.
  for (let count = -1; count !== imports.size;) {
    count = imports.size;
    for (const [slice, others] of imports) {
      if (![...others].some((other) => imports.has(other))) imports.delete(slice);
    }
  }
  return [...imports.keys()];
}

describe('imports between the slices of chat', () => {
  it('contain no cycle', () => {
    const folder = join(root, 'apps/chat/src');
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (path) => slicePattern.test(path) && /(?<!\.spec)\.ts$/.test(path),
    );
    const sources = new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
    expect(paths.length).toBeGreaterThan(300);
    expect(findSlicesInCycles(sources)).toEqual([]);
  });

  it('fail the check when two slices import each other in different files', () => {
    const sources = new Map([
      ['features/drafts/a.ts', "import { b } from '../reactions/index.js';"],
      ['features/reactions/c.ts', "export type { D } from '../topics/index.js';"],
      ['features/topics/worker/d.ts', "const { d } = await import('../../drafts/index.js');"],
      ['features/users/e.ts', "import { f } from './f.js';\nimport { b } from '../../core/channels/index.js';"],
      ['core/channels/g.ts', "import { h } from '../access/h.js';"],
    ]);
    expect(findSlicesInCycles(sources)).toEqual(['features/drafts', 'features/reactions', 'features/topics']);
  });
});

describe('rules for imports', () => {
  /**
   * Returns the path of an example file for a rule. If the example has the general name `a.ts`, the path contains the
   * name of the rule instead.
   */
  const fileOf = (rule: string, from: string): string => from.replace(/(?<=\/)a\.ts$/, `${rule}.ts`);
  let refused = '';

  // All trees are checked in one run, because each run takes half a second to start.
  beforeAll(() => {
    const all = newTree();
    const files = forbiddenImports.flatMap(([rule, from, specifier, to]) => [
      [to, leaf],
      [fileOf(rule, from), moduleThatImports(specifier)],
    ]);
    const { status, output } = cruise(all, Object.fromEntries(files));
    rmSync(all, { recursive: true });
    expect(status).not.toBe(0);
    refused = output;
  });

  it.each(forbiddenImports)('reject by the rule %s the import in %s of %s', (rule, from, _specifier, to) => {
    expect(refused).toContain(`error ${rule}: ${fileOf(rule, from)} → ${to}`);
  });

  it('contain at most seven exceptions between layers of chat, which name existing files', () => {
    const text = readFileSync(join(root, '.dependency-cruiser.cjs'), 'utf8');
    const exceptions = [...text.matchAll(/from: '([\w./-]+\.ts)',\n\s+to: '([\w./-]+\.ts)',\n\s+reason: '.{20,}'/g)];
    expect(exceptions.length).toBeGreaterThan(0);
    expect(exceptions.length).toBeLessThanOrEqual(7);
    for (const [, from = '', to = ''] of exceptions) {
      const importer = readFileSync(join(root, 'apps/chat/src', from), 'utf8');
      const specifier = relative(dirname(from), to).replace(/\.ts$/, '.js');
      expect(importer, from).toContain(specifier);
    }
  });

  it.each(['auth', 'board', 'database', 'errors', 'outbound', 'queue', 's3', 'webhooks'])(
    'reject Nest in the package %s, which services without Nest use',
    (name) => {
      const { status, output } = cruise(tree, {
        [`packages/${name}/src/a.ts`]: "import { Inject } from '@nestjs/common';\nexport const used = Inject;\n",
        'packages/nest/src/a.ts': "import { Inject } from '@nestjs/common';\nexport const used = Inject;\n",
      });
      expect(output).toContain(`error nest-only-in-nest-packages: packages/${name}/src/a.ts`);
      expect(output).not.toContain('error nest-only-in-nest-packages: packages/nest');
      expect(status).not.toBe(0);
    },
  );

  it('reject an HTTP client in a service', () => {
    const { status, output } = cruise(tree, {
      'apps/chat/src/a.ts': "import { request } from 'node:http';\nexport const used = request;\n",
    });
    expect(output).toContain('error one-http-client:');
    expect(status).not.toBe(0);
  });

  it('reject fetch in a service, a promise without await, and an import cycle', () => {
    const files = {
      'apps/chat/src/a.ts':
        "export const get = async () => fetch('http://example.com');\nexport function go() {\n  get();\n}\n",
      'packages/queue/src/a.ts': "import { b } from './b.js';\nexport const a = () => b;\n",
      'packages/queue/src/b.ts': "import { a } from './a.js';\nexport const b = () => a;\n",
      'tsconfig.json':
        '{ "compilerOptions": { "strict": true, "target": "es2023" }, "include": ["apps", "packages"] }\n',
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      writeFileSync(join(tree, path), text);
    }
    const cli = join(root, 'node_modules/oxlint/bin/oxlint');
    // Patterns in the configuration are relative to its folder.
    copyFileSync(join(root, '.oxlintrc.json'), join(tree, '.oxlintrc.json'));
    const { status, stdout } = spawnSync(process.execPath, [cli, '--type-aware', 'apps', 'packages'], {
      cwd: tree,
      encoding: 'utf8',
    });
    expect(stdout).toContain('no-restricted-globals');
    expect(stdout).toContain('no-floating-promises');
    expect(stdout).toContain('no-cycle');
    expect(status).not.toBe(0);
  });

  it('reject an import cycle that consists only of types', () => {
    const { status, output } = cruise(tree, {
      'packages/queue/src/a.ts': "import type { B } from './b.js';\nexport type A = B | 1;\n",
      'packages/queue/src/b.ts': "import type { A } from './a.js';\nexport type B = { a: A };\n",
    });
    expect(output).toContain('error no-circles: packages/queue/src/a.ts');
    expect(status).not.toBe(0);
  });

  it('allow the imports that the architecture describes', () => {
    const { status, output } = cruise(tree, {
      'packages/errors/src/index.ts': leaf,
      'packages/auth/src/index.ts': moduleThatImports('../../errors/src/index.js'),
      'apps/chat/src/infra/sql-reader.ts': leaf,
      'apps/chat/src/core/users/index.ts': moduleThatImports('../../infra/sql-reader.js'),
      'apps/chat/src/features/drafts/index.ts': moduleThatImports('../../core/users/index.js'),
      'apps/chat/src/features/drafts/drafts.spec.ts': moduleThatImports('../../app/service.js'),
      'apps/chat/src/features/reactions/add.action.ts': moduleThatImports('../drafts/index.js'),
      'apps/chat/src/app/service.ts': moduleThatImports('../features/drafts/index.js'),
      'apps/chat/src/events/render-event-log-entry.ts': moduleThatImports('../core/users/index.js'),
      'apps/inventory/src/engine/read.ts': leaf,
      'apps/inventory/src/models/site.ts': moduleThatImports('../engine/read.js'),
    });
    expect(output).toContain('no dependency violations');
    expect(status).toBe(0);
  });
});
