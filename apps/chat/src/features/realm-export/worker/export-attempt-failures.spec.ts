import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../../test/chat-server.js';
import type { FileStorage } from '../../../infra/storage/index.js';
import { ChatEventWriter } from '../../../events/chat-events.js';
import { RunRealmExports } from './run-realm-exports.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  // No process of the cluster makes exports itself.
  chat = await cluster.start({ ROLE: 'api', REALM_EXPORTS_PER_WEEK: '100' });
  iago = await signIn(chat, 'iago');
});
afterAll(() => cluster.stop());

interface State {
  readonly attempts: number;
  readonly delay: number;
  readonly failed: boolean;
  readonly done: boolean;
}

async function stateOf(id: number): Promise<State> {
  const { rows } = await chat.runtime.database.query<State>(
    `SELECT attempts, coalesce(extract(epoch FROM lease_until - now()), 0)::float8 AS delay,
       failed_at IS NOT NULL AS failed, succeeded_at IS NOT NULL AS done FROM realm_exports WHERE id = $1`,
    [id],
  );
  return rows[0]!;
}

async function requestExport(): Promise<number> {
  return (await iago.client.post<{ id: number }>('/api/v1/export/realm')).body.id;
}

/** Runs one attempt to create the archive of the pending export. */
async function attempt(storage: Partial<FileStorage> = {}, faultPoint?: (name: string) => void): Promise<void> {
  const { database, files, logger, clock, config, eventLog } = chat.runtime;
  const stored: FileStorage = {
    write: (...given) => files.storage.write(...given),
    open: (...given) => files.storage.open(...given),
    remove: (...given) => files.storage.remove(...given),
    ...storage,
  };
  const events = new ChatEventWriter(eventLog, config);
  const exports = new RunRealmExports({
    database,
    storage: stored,
    events,
    clock,
    logger,
    leaseMs: 60_000,
    faultPoint,
  });
  expect(await exports.run(() => false)).toBe(true);
}

const endDelay = (id: number) =>
  chat.runtime.database.query('UPDATE realm_exports SET lease_until = NULL WHERE id = $1', [id]);

describe('attempts at an export', () => {
  it('count no failure while the file storage is unavailable', async () => {
    const id = await requestExport();
    const down = { write: () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1:9000')) };
    for (let count = 0; count < 12; count += 1) {
      await attempt(down);
      expect(await stateOf(id)).toMatchObject({ attempts: 0, failed: false });
      expect((await stateOf(id)).delay).toBeGreaterThan(30);
      await endDelay(id);
    }
    await attempt();
    expect(await stateOf(id)).toMatchObject({ done: true, failed: false });
  });

  it('do not count while the database is unavailable', async () => {
    const id = await requestExport();
    await attempt({}, () => {
      throw Object.assign(new Error('terminating connection'), { code: '57P01', severity: 'FATAL' });
    });
    expect(await stateOf(id)).toMatchObject({ attempts: 0, failed: false });
    await endDelay(id);
    await attempt();
    expect(await stateOf(id)).toMatchObject({ done: true });
  });

  it('stop after half an hour of failures with other errors, with growing delays in between', async () => {
    const id = await requestExport();
    const delays: number[] = [];
    for (let count = 0; count < 20 && !(await stateOf(id)).failed; count += 1) {
      await attempt({}, () => {
        throw new Error('a defect');
      });
      const { delay, failed } = await stateOf(id);
      if (!failed) delays.push(delay);
      await endDelay(id);
    }
    expect((await stateOf(id)).failed).toBe(true);
    expect(delays.reduce((sum, delay) => sum + delay, 0)).toBeGreaterThan(1_800);
    expect(delays.every((delay, index) => index === 0 || delay > (delays[index - 1] ?? 0) - 5)).toBe(true);
  });

  it('restart the count of failures at one after a step was recorded', async () => {
    const id = await requestExport();
    await chat.runtime.database.query('UPDATE realm_exports SET attempts = 9 WHERE id = $1', [id]);
    await attempt({}, (name) => {
      if (name === 'realm-export.after-commit') throw new Error('a defect');
    });
    expect(await stateOf(id)).toMatchObject({ attempts: 1, failed: false });
    expect((await stateOf(id)).delay).toBeLessThan(15);
  });
});
