import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../packages/webhooks/src/receiver.js';
import {
  isLongTestRun,
  reserveLocalPort,
  openTestDatabase,
  openTestRedis,
  waitFor,
  type TestDatabase,
} from '../../packages/testing/src/index.js';
import { PackedProject, packedNode } from './fixture/packed-project.js';

const fixture = join(import.meta.dirname, 'pack-fixture-webhooks');
const source = readFileSync(join(fixture, 'src/main.ts'), 'utf8');

const orders = 5;
// `npm run test:packed -- kills` sets a larger number.
const kills = Number(process.env['PACKED_KILLS'] ?? (isLongTestRun() ? 4 : 2));
const secret = `whsec_${randomBytes(32).toString('base64')}`;

/** A webhook request that the test receiver has received. */
interface Receipt {
  readonly id: string;
  readonly change: string;
}

describe('webhook service outside the workspace', () => {
  const project = new PackedProject();
  const redis = openTestRedis();
  const receipts: Receipt[] = [];
  const problems: unknown[] = [];
  let database: TestDatabase;
  let receiver: Server;
  let port: number;
  let service: ChildProcess;
  let log = '';

  beforeAll(async () => {
    await project.pack();
    await project.install(fixture);
    await project.compile();
    database = await openTestDatabase({ name: 'packedhooks', hash: 'empty', prepare: () => Promise.resolve() });
    port = await reserveLocalPort();
    receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        try {
          const { id } = verifyWebhook(body, request.headers, secret);
          const { data } = JSON.parse(body.toString()) as { data: { order: string; step: string } };
          const change = `${data.order}/${data.step}`;
          // One delivery of each order is retried.
          const fails = data.step === '3' && !receipts.some((receipt) => receipt.change === change);
          receipts.push({ id, change });
          response.writeHead(fails ? 503 : 204, { 'retry-after': '1' }).end();
        } catch (error) {
          problems.push(error);
          response.writeHead(400).end();
        }
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
  }, 300_000);

  afterAll(async () => {
    service?.kill('SIGKILL');
    receiver?.close();
    project.remove();
    await Promise.all([database?.release(), redis.cleanup()]);
  });

  async function start(): Promise<void> {
    service = spawn(packedNode, [project.path('dist/main.js')], {
      cwd: project.folder,
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'development',
        DATABASE_URL: database.url,
        REDIS_URL: redis.url,
        REDIS_PREFIX: redis.prefix.replace(/:$/, ''),
        PORT: String(port),
        SECRET_KEY: Buffer.alloc(32, 9).toString('base64'),
        RECEIVER_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
        RECEIVER_SECRET: secret,
      },
    });
    service.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
    await waitFor(async () => (await fetch(`http://127.0.0.1:${port}/`)).status === 404, {
      timeoutMs: 60_000,
      what: log,
    });
  }

  async function kill(): Promise<void> {
    const exited = once(service, 'exit');
    service.kill('SIGKILL');
    await exited;
  }

  /**
   * Changes an order step by step until the signal is aborted. A request without a response may have been committed.
   */
  async function changeOrder(order: number, stopping: AbortSignal): Promise<void> {
    for (let step = 1; !stopping.aborted; step += 1) {
      const response = await fetch(`http://127.0.0.1:${port}/orders/${order}/${step}`, { method: 'POST' }).catch(
        () => null,
      );
      await delay(response === null ? 20 : 100);
    }
  }

  /** Returns the output of the service and its unfinished webhook deliveries as text, for messages of failed tests. */
  async function state(): Promise<string> {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query(
      `SELECT lane, attempts, next_attempt_at, now(), waiting_for, error FROM webhooks.deliveries
        WHERE status <> 'succeeded' ORDER BY sequence LIMIT 10`,
    );
    await client.end();
    return `${log}\n${JSON.stringify([service.exitCode, receipts.length, problems.map(String), rows], null, 1)}`;
  }

  async function committedChanges(): Promise<string[]> {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ change: string }>(
      "SELECT order_id || '/' || step AS change FROM changes ORDER BY order_id, step",
    );
    await client.end();
    return rows.map(({ change }) => change);
  }

  it('has source code that equals the example in the README', () => {
    const readme = readFileSync(join(import.meta.dirname, '../../packages/webhooks/README.md'), 'utf8');
    expect(/^```ts\n([^]*?)^```/m.exec(readme)?.[1]).toBe(source);
    expect(source.trim().split('\n').length).toBeLessThanOrEqual(48);
  });

  it('loses no committed change when killed, and repeats deliveries only under their original ids', async () => {
    await start();
    const stopping = new AbortController();
    const clients = Array.from({ length: orders }, (_, index) => changeOrder(index + 1, stopping.signal));
    for (let count = 1; count <= kills; count += 1) {
      const before = receipts.length;
      await waitFor(() => receipts.length > before + count, { timeoutMs: 60_000, what: 'further webhooks' }).catch(
        async (error: unknown) => {
          throw new Error(await state(), { cause: error });
        },
      );
      await kill();
      await start();
    }
    stopping.abort();
    await Promise.all(clients);
    const committed = await committedChanges();
    const received = (): Set<string> => new Set(receipts.map(({ change }) => change));
    await waitFor(() => committed.every((change) => received().has(change)), {
      timeoutMs: 240_000,
      what: 'all webhooks',
    });
    expect(problems).toEqual([]);
    expect(received()).toEqual(new Set(committed));
    const ids = new Map<string, Set<string>>();
    for (const { id, change } of receipts) ids.set(change, (ids.get(change) ?? new Set()).add(id));
    expect([...ids.values()].filter(({ size }) => size !== 1)).toEqual([]);
    for (let order = 1; order <= orders; order += 1) {
      const ofOrder = (changes: Iterable<string>): string[] =>
        [...changes].filter((one) => one.startsWith(`${order}/`));
      // A set keeps the order of first arrivals.
      expect(ofOrder(received())).toEqual(ofOrder(committed));
    }
    expect(committed.length).toBeGreaterThan(kills);
    const repeated = receipts.length - received().size;
    // The command prints this line.
    console.log(
      `${kills} kills: ${committed.length} changes committed, ${received().size} received, 0 lost, 0 under two ids, ` +
        `${repeated} deliveries repeated under the same id`,
    );
  }, 900_000);

  it('exits cleanly on SIGTERM', async () => {
    service.kill('SIGTERM');
    const [code] = (await once(service, 'exit')) as [number | null];
    expect(code, log).toBe(0);
  });
});
