import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PresenceWriter } from './batched-presence-writer.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';

let cluster: ChatCluster;
let processes: ChatProcess[];
let users: DemoUser[];

const names = ['hamlet', 'iago', 'othello', 'prospero', 'cordelia', 'aaron', 'zoe'];

interface Polled {
  presences: Record<string, { active_timestamp: number; idle_timestamp: number }>;
  presence_last_update_id: number;
}

beforeAll(async () => {
  cluster = await chatCluster();
  processes = [await cluster.start(), await cluster.start()];
  users = await Promise.all(processes.flatMap((process) => names.map((name) => signIn(process, name))));
});
afterAll(() => cluster.stop());

const report = async (user: DemoUser, last: number): Promise<Polled> => {
  const form = { status: 'active', last_update_id: String(last) };
  return (await user.client.post<Polled>('/api/v1/users/me/presence', { form })).body;
};
const database = () => processes[0]!.runtime.database;
const updateIds = async (): Promise<Map<number, number>> => {
  const { rows } = await database().query<{ user_id: number; update_id: number }>(
    'SELECT user_id, update_id FROM presences',
  );
  return new Map(rows.map((row) => [row.user_id, row.update_id]));
};

describe('POST /users/me/presence', () => {
  it('stores many concurrent presence reports in few transactions', async () => {
    const reporters = users.slice(0, names.length);
    const ids = reporters.map(({ id }) => id);
    await Promise.all(reporters.map((user) => report(user, -1)));
    let reports: Promise<unknown> | undefined;
    const recorded = vi.spyOn(PresenceWriter.prototype, 'record');
    // While two batches wait for row locks, all other reports are collected in a third.
    await database().inTransaction(async (tx) => {
      await tx.query('SELECT FROM presences WHERE user_id = ANY($1) FOR UPDATE', [ids]);
      reports = Promise.all(Array.from({ length: 5 }, () => reporters.map((user) => report(user, -1))).flat());
      await expect.poll(() => recorded.mock.calls.length).toBe(5 * reporters.length);
    });
    recorded.mockRestore();
    await reports;
    const { rows } = await database().query<{ transactions: number }>(
      'SELECT count(DISTINCT xmin::text)::int AS transactions FROM presences WHERE user_id = ANY($1)',
      [ids],
    );
    expect(rows[0]?.transactions).toBeLessThanOrEqual(3);
  });

  it('returns every change to a client that polls by last_update_id while a transaction is open', async () => {
    const poller = users[0]!;
    let last = (await report(poller, -1)).presence_last_update_id;
    const seen = new Map<number, number>();
    let isOver = false;
    const polls = async (): Promise<void> => {
      for (let isLast = false; !isLast;) {
        isLast = isOver;
        const before = last;
        const polled = await report(poller, before);
        last = polled.presence_last_update_id;
        for (const id of Object.keys(polled.presences)) seen.set(Number(id), last);
      }
    };
    await database().inTransaction(async (tx) => {
      // A long transaction of this service writes rows and keeps a shared lock on the realm membership.
      await tx.query('UPDATE realms SET name = name');
      await tx.query('SELECT pg_advisory_xact_lock(992102, id::int) FROM realms');
      const polling = polls();
      for (let round = 0; round < 10; round += 1) {
        await Promise.all(users.slice(1).map((user) => report(user, -1)));
      }
      isOver = true;
      await polling;
      const stored = await updateIds();
      for (const { id } of users) {
        expect(stored.get(id)).toBeLessThanOrEqual(last);
        expect(seen.get(id)).toBeGreaterThanOrEqual(stored.get(id) ?? 0);
      }
    });
  });

  it('shows a user as active when two clients concurrently report the user as active and idle', async () => {
    const [hamlet] = users;
    await database().query("UPDATE presences SET last_active_at = now() - interval '1 minute' WHERE user_id = $1", [
      hamlet!.id,
    ]);
    const idle = { status: 'idle', ping_only: 'true' };
    await Promise.all([
      report(hamlet!, -1),
      ...users
        .filter(({ id }) => id === hamlet!.id)
        .map((user) => user.client.post('/api/v1/users/me/presence', { form: idle })),
    ]);
    const { rows } = await database().query<{ recent: boolean }>(
      "SELECT last_active_at > now() - interval '30 seconds' AS recent FROM presences WHERE user_id = $1",
      [hamlet!.id],
    );
    expect(rows).toEqual([{ recent: true }]);
  });
});
