import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, posix } from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  RedisServers,
  reserveLocalPort,
  openTestDatabase,
  openTestRedis,
  waitFor,
  type TestDatabase,
} from '../../packages/testing/src/index.js';
import { PackedProject, packedNode, packedPath, sharedPackages, type SharedPackage } from './fixture/packed-project.js';

const project = new PackedProject();
const repository = join(import.meta.dirname, '../..');
const workspaceManifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  readonly repository: { readonly url: string };
};
const fixture = join(import.meta.dirname, 'pack-fixture');
/** Returns the code examples in the README of a package. Each example is a complete module. */
function examplesOf(shared: SharedPackage): string[] {
  const readme = readFileSync(join(import.meta.dirname, '../../packages', shared, 'README.md'), 'utf8');
  return [...readme.matchAll(/^```ts\n([^]*?)^```/gm)].map(([, source = '']) => source);
}

beforeAll(async () => {
  await project.pack();
});
afterAll(() => project.remove());

describe('tarball of a shared package', () => {
  it.each(sharedPackages)(
    'contains for %s only dependencies with published versions, not versions of the workspace',
    async (shared) => {
      const { license, engines, dependencies = {}, peerDependencies = {} } = project.manifest(shared);
      expect(license).toBe('Apache-2.0');
      expect(engines?.node).toBe('>=20.19.0');
      for (const [name, version] of Object.entries({ ...dependencies, ...peerDependencies })) {
        expect(`${name} ${version}`).toMatch(/ [~^]?\d+\.\d+\.\d+( \|\| \^\d+\.\d+\.\d+)*$/);
      }
    },
  );

  it.each(sharedPackages)(
    'contains for %s the license and the files named in package.json, but no tests',
    async (shared) => {
      const contents = project.contents(shared);
      expect(contents).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'LICENSE', 'package.json']));
      const entries = Object.values(project.manifest(shared).exports?.['.'] ?? {});
      expect(entries).toHaveLength(3);
      for (const entry of entries) expect(contents).toContain(entry.replace('./', ''));
      expect(contents.filter((path) => /\.spec\.|^test\/|tsbuildinfo/.test(path))).toEqual([]);
    },
  );

  it.each(sharedPackages)('contains for %s the metadata of a published package', async (shared) => {
    const { homepage, bugs, publishConfig, version, ...manifest } = project.manifest(shared);
    const { url } = workspaceManifest.repository;
    const page = url.replace(/^git\+|\.git$/g, '');
    expect(manifest.repository).toEqual({ type: 'git', url, directory: `packages/${shared}` });
    expect(homepage).toBe(`${page}/tree/main/packages/${shared}#readme`);
    expect(bugs).toBe(`${page}/issues`);
    expect(publishConfig).toEqual({ access: 'public', provenance: true });
    expect(project.text(shared, 'CHANGELOG.md')).toContain(`## ${version}\n`);
  });

  it.each(sharedPackages)(
    'links in the documents and declarations of %s only to its files, files of the repository, or other URLs',
    async (shared) => {
      const contents = project.contents(shared);
      const documents = contents.filter((path) => /\.md$|\.d\.ts$/.test(path));
      const ownFiles = `${workspaceManifest.repository.url.replace(/^git\+|\.git$/g, '')}/blob/main/`;
      const broken: string[] = [];
      for (const document of documents) {
        for (const [, target = ''] of project.text(shared, document).matchAll(/\]\(([^)\s]+)\)/g)) {
          const path = posix.join(posix.dirname(document), target.replace(/#.*/, ''));
          const ownFile = target.startsWith(ownFiles) ? target.slice(ownFiles.length).replace(/#.*/, '') : null;
          if (ownFile !== null && existsSync(join(repository, ownFile))) continue;
          if (ownFile === null && (/^https?:|^#/.test(target) || contents.includes(path))) continue;
          broken.push(`${document}: ${target}`);
        }
      }
      expect(broken).toEqual([]);
    },
  );

  it('contains for queue the SQL of its tables, without a dependency on the database package', async () => {
    const migrations = readdirSync(join(import.meta.dirname, '../../packages/queue/sql'));
    expect(migrations.length).toBeGreaterThan(0);
    expect(project.contents('queue')).toEqual(expect.arrayContaining(migrations.map((file) => `sql/${file}`)));
    const { dependencies = {}, peerDependencies = {} } = project.manifest('queue');
    expect(Object.keys({ ...dependencies, ...peerDependencies }).toSorted()).toEqual([
      '@opentelemetry/api',
      '@switchboard/tracing',
      'bullmq',
      'ioredis',
      'pg',
      'zod',
    ]);
  });

  it.each<[SharedPackage, string[]]>([
    ['auth', ['ioredis']],
    ['board', ['@opentelemetry/api', 'fastify', 'ioredis', 'zod']],
    ['database', []],
    ['errors', []],
    ['nest', ['@nestjs/common', '@nestjs/core', '@opentelemetry/api', 'ioredis', 'reflect-metadata', 'rxjs', 'zod']],
    ['outbound', ['@opentelemetry/api']],
    ['pagination', ['zod']],
    ['queue', ['@opentelemetry/api', 'ioredis', 'pg', 'zod']],
    ['tracing', ['@opentelemetry/api']],
    ['webhooks', ['@opentelemetry/api', 'ioredis', 'zod']],
  ])('declares for %s as peer dependencies the packages that services share with it', async (shared, peers) => {
    const { peerDependencies = {} } = project.manifest(shared);
    expect(Object.keys(peerDependencies).toSorted()).toEqual(peers);
  });

  it.each<SharedPackage>(['auth', 'board', 'nest', 'queue', 'webhooks'])(
    'names in the README of %s a command that installs it with its peer dependencies',
    (shared) => {
      const [, command = ''] = /^```sh\nnpm install ([^]*?)^```/m.exec(project.text(shared, 'README.md')) ?? [];
      const { peerDependencies = {} } = project.manifest(shared);
      const installed = command.split(/[\s\\]+/);
      expect(installed).toEqual(expect.arrayContaining([`@switchboard/${shared}`, ...Object.keys(peerDependencies)]));
    },
  );
});

describe('service outside the workspace', () => {
  const receipts: unknown[] = [];
  let receiver: Server;
  let database: TestDatabase;
  const redis = openTestRedis();
  let service: ChildProcess;
  let said: { url: string; credential: string };
  let log = '';

  beforeAll(async () => {
    await project.install(fixture);
    // Compiled but not run, because readers copy the examples.
    for (const shared of sharedPackages) {
      const examples = examplesOf(shared);
      expect(examples.length, shared).toBeGreaterThan(0);
      for (const [index, example] of examples.entries()) {
        expect(example).toMatch(new RegExp(`from '@switchboard/${shared}['/]`));
        project.addSource(`${shared}-example-${index + 1}.ts`, example);
      }
    }
    await project.compile();
    database = await openTestDatabase({ name: 'packed', hash: 'empty', prepare: () => Promise.resolve() });
    receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        receipts.push(JSON.parse(body));
        response.writeHead(204).end();
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    service = spawn(packedNode, [project.path('dist/main.js')], {
      cwd: project.folder,
      env: {
        PATH: packedPath,
        NODE_ENV: 'test',
        LOG_LEVEL: 'warn',
        PORT: '0',
        DATABASE_URL: database.url,
        REDIS_URL: redis.url,
        REDIS_KEY_PREFIX: redis.prefix.replace(/:$/, ''),
        RECEIPTS_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/receipts`,
        CUSTOMER_TOKEN: 'open-sesame',
      },
    });
    service.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
    createInterface({ input: service.stdout! }).on('line', (line) => {
      log += `${line}\n`;
      if (line.startsWith('{"url"')) said = JSON.parse(line);
    });
    await waitFor(() => said !== undefined || service.exitCode !== null, { timeoutMs: 100_000, what: 'the service' });
    expect(service.exitCode, log).toBeNull();
  });

  afterAll(async () => {
    service?.kill('SIGKILL');
    receiver?.close();
    await Promise.all([database?.release(), redis.cleanup()]);
  });

  async function call<T>(method: string, path: string, body?: object): Promise<{ status: number; body: T }> {
    const response = await fetch(`${said.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${said.credential}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, body: (await response.json()) as T };
  }

  it('installs one copy of the framework, and all shared packages from their tarballs', () => {
    const installed = readdirSync(project.path('node_modules/.pnpm'));
    for (const shared of ['@nestjs+common@', 'reflect-metadata@', 'zod@', 'ioredis@']) {
      expect(installed.filter((name) => name.startsWith(shared))).toHaveLength(1);
    }
    expect(installed.filter((name) => name.startsWith('@switchboard+'))).toHaveLength(sharedPackages.length);
    expect(existsSync(project.path('node_modules/@switchboard/queue/dist/index.js'))).toBe(true);
    for (const shared of sharedPackages) {
      const compiled = examplesOf(shared).map((_, index) => project.path(`dist/${shared}-example-${index + 1}.js`));
      expect(compiled.filter((file) => !existsSync(file))).toEqual([]);
    }
  });

  it('requires authentication, and responds with the errors that the service defines', async () => {
    const stranger = await fetch(`${said.url}/orders`);
    expect([stranger.status, await stranger.json()]).toEqual([
      401,
      { code: 'NOT_AUTHENTICATED', message: 'Say who you are' },
    ]);
    expect((await fetch(`${said.url}/orders/1`)).status).toBe(404);
    expect(await call('GET', '/orders/1')).toEqual({
      status: 404,
      body: { code: 'ORDER_NOT_FOUND', message: 'There is no order 1' },
    });
    expect(await call('GET', '/nowhere')).toMatchObject({ status: 404, body: { code: 'HTTP' } });
    expect(await call('POST', '/orders', { item: 1 })).toMatchObject({ status: 400, body: { code: 'BAD_INPUT' } });
  });

  it('writes one outbox row, which causes an event and a job', async () => {
    const registered = await call<{ queueId: string; snapshot: unknown[] }>('POST', '/events');
    expect(registered).toMatchObject({ status: 201, body: { lastEventId: -1, snapshot: [] } });
    const { queueId } = registered.body;
    const polled = call<object[]>('GET', `/events?queue_id=${queueId}&last_event_id=-1`);
    const placed = await call('POST', '/orders', { item: 'tea' });
    expect(placed).toEqual({ status: 201, body: { id: 1, item: 'tea' } });
    const order = { id: 1, item: 'tea' };
    expect((await polled).body).toMatchObject([{ type: 'order', op: 'add', order }]);
    await waitFor(() => receipts.length > 0, { what: 'the receipt' });
    expect(receipts).toEqual([order]);
    expect((await call<{ snapshot: unknown }>('POST', '/events')).body.snapshot).toEqual([order]);
    expect(await call('GET', '/events?queue_id=other&last_event_id=-1')).toMatchObject({
      body: { code: 'QUEUE_GONE' },
    });
  });

  it('returns its lists page by page', async () => {
    for (const item of ['cups', 'milk']) await call('POST', '/orders', { item });
    const first = await call<{ next: string }>('GET', '/orders');
    const items = (names: string[], id = 1): object[] => names.map((item, index) => ({ id: id + index, item }));
    expect(first.body).toMatchObject({ count: 3, previous: null, results: items(['tea', 'cups']) });
    const { pathname, search } = new URL(first.body.next);
    expect((await call('GET', pathname + search)).body).toMatchObject({ next: null, results: items(['milk'], 3) });
  });

  it('loads each package by require() in a CommonJS module', async () => {
    const names = sharedPackages.map((shared) => `@switchboard/${shared}`);
    const program = [project.path('dist/commonjs.cjs'), ...names];
    const env = { PATH: packedPath };
    const { stdout, stderr } = await promisify(execFile)(packedNode, program, { cwd: project.folder, env });
    const { exportCounts, sent } = JSON.parse(stdout) as { exportCounts: number[]; sent: number[] };
    expect(exportCounts).toHaveLength(sharedPackages.length);
    expect(Math.min(...exportCounts)).toBeGreaterThan(0);
    expect(sent).toEqual([7]);
    expect(stderr).toBe('');
  });

  it('runs the tests in the README of the package queue by means of its test kit', async () => {
    const index = examplesOf('queue').findIndex((example) => example.includes("'@switchboard/queue/testing'"));
    const file = project.path(`dist/queue-example-${index + 1}.js`);
    const { stdout } = await promisify(execFile)(packedNode, ['--test', '--test-reporter=tap', file], {
      cwd: project.folder,
      env: { PATH: packedPath },
    });
    expect(stdout).toMatch(/^# pass 2$/m);
    expect(stdout).toMatch(/^# fail 0$/m);
  });

  it('runs the command line of the package queue by npx', async () => {
    const own = await openTestDatabase({ name: 'packed', hash: 'empty', prepare: () => Promise.resolve() });
    const env = { PATH: packedPath, HOME: process.env['HOME'], DATABASE_URL: own.url };
    const commandLine = (...args: string[]): Promise<{ code: number; output: string; errors: string }> =>
      new Promise((resolve) => {
        const options = { cwd: project.folder, env };
        execFile('npx', ['--no-install', 'switchboard-queue', ...args], options, (error, output, errors) => {
          resolve({ code: typeof error?.code === 'number' ? error.code : 0, output, errors });
        });
      });
    try {
      expect(await commandLine('status')).toMatchObject({ code: 3, errors: '' });
      expect((await commandLine('migrate')).output).toMatch(/^applied 001_outbox\.sql\n/);
      expect(await commandLine('status')).toMatchObject({ code: 0, errors: '' });
      expect((await commandLine('dead-letters', 'list')).output).toBe('There are no dead letters.\n');
      const wrong = await commandLine(
        'status',
        `--database-url=postgres://me:hunter22@127.0.0.1:${await reserveLocalPort()}/x`,
      );
      expect(wrong).toMatchObject({ code: 1, output: '' });
      expect(wrong.errors).toMatch(/^switchboard-queue: [^\n]*ECONNREFUSED[^\n]*\n$/);
      expect(await commandLine('unknown')).toMatchObject({ code: 2, output: '' });
    } finally {
      await own.release();
    }
  }, 300_000);

  it('responds ready, and exits cleanly on SIGTERM', async () => {
    expect((await call('GET', '/health/ready')).status).toBe(200);
    service.kill('SIGTERM');
    const [code] = (await once(service, 'exit')) as [number | null];
    expect(code, log).toBe(0);
    expect(log).not.toContain('"level":50');
  });

  it('runs the service in the README of the package nest, and stops the service on SIGTERM', async () => {
    const port = await reserveLocalPort();
    const url = `http://127.0.0.1:${port}`;
    const own = await openTestDatabase({ name: 'packed', hash: 'empty', prepare: () => Promise.resolve() });
    // The example has a fixed prefix of Redis keys, so that it needs a Redis of its own.
    const redisServers = await RedisServers.open();
    const { port: redisPort } = await redisServers.start([]);
    const example = spawn(packedNode, [project.path('dist/nest-example-1.js')], {
      cwd: project.folder,
      env: {
        PATH: packedPath,
        PORT: String(port),
        DATABASE_URL: own.url,
        REDIS_URL: `redis://127.0.0.1:${redisPort}`,
        RECEIPTS_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/receipts`,
        TOKEN: 'open-sesame',
      },
    });
    let output = '';
    for (const stream of [example.stdout, example.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
    const order = { id: 1, item: 'bread' };
    try {
      await waitFor(() => output.includes('listening at') || example.exitCode !== null, {
        timeoutMs: 200_000,
        what: 'the example',
      });
      expect(example.exitCode, output).toBeNull();
      const send = async (path: string, headers: Record<string, string>, body?: object) => {
        const type = { 'content-type': 'application/json' };
        const init = body
          ? { method: 'POST', headers: { ...headers, ...type }, body: JSON.stringify(body) }
          : { headers };
        const response = await fetch(url + path, init);
        return { status: response.status, text: await response.text() };
      };
      const missing = await send('/orders', {}, { item: 'bread' });
      expect([missing.status, JSON.parse(missing.text)]).toMatchObject([401, { code: 'NOT_AUTHENTICATED' }]);
      const authorization = 'Bearer open-sesame';
      const placed = await send('/orders', { authorization }, { item: 'bread' });
      expect([placed.status, JSON.parse(placed.text)]).toEqual([201, order]);
      await waitFor(() => receipts.some((receipt) => isDeepStrictEqual(receipt, order)), { what: 'the receipt' });
      expect(JSON.parse((await send('/health', {})).text)).toMatchObject({ queue: { status: 'up', redis: 'up' } });
      expect((await send('/metrics', {})).text).toContain('outbox_dispatched_total{topic="orders.placed"} 1\n');
      expect((await send('/nowhere', {})).status).toBe(404);
      example.kill('SIGTERM');
      await once(example, 'exit');
      // Nest ends the process with the signal after its shutdown hooks.
      expect([example.exitCode, example.signalCode], output).toEqual([null, 'SIGTERM']);
    } finally {
      example.kill('SIGKILL');
      await redisServers.stop();
      await own.release();
    }
  }, 300_000);

  it('runs the service in the README of the package board, and removes failed work on the board', async () => {
    const port = await reserveLocalPort();
    const own = await openTestDatabase({ name: 'packed', hash: 'empty', prepare: () => Promise.resolve() });
    // The example has a fixed prefix of Redis keys, so that it needs a Redis of its own.
    const redisServers = await RedisServers.open();
    const { port: redisPort } = await redisServers.start([]);
    const REDIS_URL = `redis://127.0.0.1:${redisPort}`;
    const example = spawn(packedNode, [project.path('dist/board-example-1.js')], {
      cwd: project.folder,
      env: { PATH: packedPath, PORT: String(port), DATABASE_URL: own.url, REDIS_URL, ADMIN_PASSWORD: 'open-sesame' },
    });
    let output = '';
    for (const stream of [example.stdout, example.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
    const url = `http://127.0.0.1:${port}`;
    const authorization = `Basic ${Buffer.from('admin:open-sesame').toString('base64')}`;
    const send = (method: string, path: string, headers: Record<string, string> = { authorization }) =>
      fetch(url + path, { method, headers });
    try {
      await waitFor(() => output.includes('listening on') || example.exitCode !== null, {
        timeoutMs: 200_000,
        what: 'the example',
      });
      expect(example.exitCode, output).toBeNull();
      expect((await send('POST', '/orders/7')).status).toBe(204);
      expect((await send('GET', '/admin/board/api/queues', {})).status).toBe(401);
      expect(await (await send('GET', '/admin/board/')).text()).toContain('<base href="/admin/board/" />');
      const readFailures = async (): Promise<(string | number)[][]> => {
        const { queues } = (await (await send('GET', '/admin/board/api/queues')).json()) as {
          queues: { name: string; counts: { failed: number } }[];
        };
        return queues.map(({ name, counts }) => [name, counts.failed]);
      };
      const expected = [
        ['receipts.send', 1],
        ['outbox:job:receipts.send', 1],
        ['outbox:orders.placed', 1],
      ];
      await waitFor(async () => isDeepStrictEqual(await readFailures(), expected), { what: 'the failures' });
      for (const queue of ['receipts.send', 'outbox:orders.placed']) {
        const path = `/admin/board/api/queues/${encodeURIComponent(queue)}/clean/failed`;
        expect((await send('PUT', path)).status).toBe(403);
        const { status } = await send('PUT', path, { authorization, 'sec-fetch-site': 'same-origin' });
        expect(status).toBe(200);
      }
      expect(await readFailures()).toEqual([
        ['receipts.send', 0],
        ['outbox:orders.placed', 0],
      ]);
      expect(await (await send('GET', '/admin/board/event-log')).text()).toContain('<td>shop</td>');
      example.kill('SIGTERM');
      await once(example, 'exit');
      expect([example.exitCode, example.signalCode], output).toEqual([0, null]);
    } finally {
      example.kill('SIGKILL');
      await redisServers.stop();
      await own.release();
    }
  }, 300_000);
});
