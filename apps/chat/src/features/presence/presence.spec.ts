import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;
let bot: DemoUser;

type Json = Record<string, unknown>;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [hamlet, iago, bot] = await Promise.all([signIn(chat, 'hamlet'), signIn(chat, 'iago'), signIn(chat, 'default-bot')]);
});
afterAll(() => cluster.stop());

interface Report extends Json {
  presences?: Record<string, Json>;
  presence_last_update_id: number;
  server_timestamp: number;
}

const report = async (user: DemoUser, form: Record<string, string> = {}) => {
  return (await user.client.post<Report>('/api/v1/users/me/presence', { form: { status: 'active', ...form } })).body;
};
const seen = async (user: DemoUser, whom: string | number) => {
  return (await user.client.get<Json>(`/api/v1/users/${whom}/presence`)).body;
};
const away = (user: DemoUser, since: string) =>
  chat.runtime.database.query(
    `UPDATE presences SET last_active_at = now() - $2::interval, last_connected_at = now() - $2::interval
     WHERE user_id = $1`,
    [user.id, since],
  );
const nowSeconds = () => Math.floor(Date.now() / 1000);

describe('POST /users/me/presence', () => {
  it('returns the presences of all users in the format of the client', async () => {
    const modern = await report(hamlet, { last_update_id: '-1' });
    const stamps = { active_timestamp: expect.any(Number), idle_timestamp: expect.any(Number) };
    expect(modern.presences).toMatchObject({ [hamlet.id]: stamps, [iago.id]: stamps });
    expect(modern.server_timestamp).toBeGreaterThan(nowSeconds() - 60);
    const slim = await report(hamlet, { slim_presence: 'true' });
    expect(slim.presences).toMatchObject({ [iago.id]: stamps });
    const legacy = await report(hamlet);
    const website = { client: 'website', status: 'active', timestamp: expect.any(Number), pushable: false };
    const { pushable: _pushable, ...aggregated } = website;
    expect(legacy.presences).toMatchObject({ [`user${iago.id}@zulipdev.com`]: { aggregated, website } });
    expect(await report(hamlet, { ping_only: 'true' })).not.toHaveProperty('presences');
  });

  it('returns only presences changed after last_update_id', async () => {
    const { presence_last_update_id: last } = await report(hamlet, { last_update_id: '-1' });
    await report(iago, { status: 'idle' });
    const changed = await report(hamlet, { last_update_id: String(last) });
    expect(Object.keys(changed.presences ?? {}).map(Number)).toEqual([hamlet.id, iago.id].toSorted((a, b) => a - b));
    expect(changed.presence_last_update_id).toBeGreaterThan(last);
  });

  it('emits an event in the new and the old format only when a user becomes active', async () => {
    const able = { client_capabilities: '{"simplified_presence_events": true}' };
    const [modern, legacy] = await Promise.all([
      openTestEventQueue(chat, iago, ['presence'], able),
      openTestEventQueue(chat, iago, ['presence']),
    ]);
    await away(hamlet, '1 hour');
    await report(hamlet, { status: 'idle' });
    await report(hamlet);
    await report(hamlet);
    const timestamp = expect.any(Number);
    const stamps = { active_timestamp: timestamp, idle_timestamp: timestamp };
    expect(await modern.read()).toEqual([{ type: 'presence', presences: { [hamlet.id]: stamps } }]);
    expect(await legacy.read()).toEqual([
      {
        type: 'presence',
        user_id: hamlet.id,
        email: hamlet.email,
        server_timestamp: timestamp,
        presence: { website: { client: 'website', status: 'active', timestamp, pushable: false } },
      },
    ]);
  });

  it('returns active, idle or offline for one account', async () => {
    await report(hamlet);
    expect(await seen(iago, hamlet.id)).toMatchObject({
      presence: { aggregated: { status: 'active' }, website: { status: 'active' } },
    });
    await away(hamlet, '2 minutes');
    await report(hamlet, { status: 'idle' });
    expect(await seen(iago, hamlet.email)).toMatchObject({ presence: { aggregated: { status: 'idle' } } });
    await away(hamlet, '1 hour');
    expect(await seen(iago, hamlet.id)).toMatchObject({
      presence: { aggregated: { status: 'offline' }, website: { status: 'active' } },
    });
    expect(await seen(iago, 999_999)).toMatchObject({ code: 'BAD_REQUEST', msg: 'No presence data for 999999' });
    expect(await seen(bot, bot.id)).toMatchObject({ presence: { aggregated: { status: 'offline', timestamp: 0 } } });
  });

  it('returns presences in snapshots, and in the list by email address, for the requested number of days', async () => {
    await report(hamlet);
    const [prospero, othello] = await Promise.all([signIn(chat, 'prospero'), signIn(chat, 'othello')]);
    await away(prospero, '15 days');
    await away(othello, '13 days');
    const fetch = async (form: Record<string, string>) => {
      const options = { form: { fetch_event_types: '["presence"]', event_types: '[]', ...form } };
      return (await iago.client.post<Report>('/api/v1/register', options)).body;
    };
    const slim = await fetch({ slim_presence: 'true' });
    expect(slim.presences).toHaveProperty(String(hamlet.id));
    expect(slim.presences).toHaveProperty(String(othello.id));
    expect(slim.presences).not.toHaveProperty(String(prospero.id));
    expect(slim.presence_last_update_id).toBeGreaterThan(0);
    const older = await fetch({ slim_presence: 'true', presence_history_limit_days: '30' });
    expect(older.presences).toHaveProperty(String(prospero.id));
    const newer = await fetch({ slim_presence: 'true', presence_history_limit_days: '12' });
    expect(newer.presences).not.toHaveProperty(String(othello.id));
    const legacy = { aggregated: { status: 'active' }, website: { status: 'active' } };
    expect((await fetch({})).presences?.[hamlet.email]).toMatchObject(legacy);
    const { body } = await iago.client.get<Report>('/api/v1/realm/presence');
    expect(body.presences?.[hamlet.email]).toMatchObject(legacy);
    expect(Object.keys(body.presences ?? {})).not.toContain(prospero.email);
  });

  it('returns the real email address of the requesting user in a legacy snapshot, although other users see a placeholder', async () => {
    await report(iago);
    await iago.client.patch('/api/v1/settings', { form: { email_address_visibility: '4' } });
    const keysFor = async ({ client }: DemoUser) => {
      const options = { form: { fetch_event_types: '["presence"]', event_types: '[]' } };
      return Object.keys((await client.post<Report>('/api/v1/register', options)).body.presences ?? {});
    };
    const standIn = `user${iago.id}@zulipdev.com`;
    expect(await keysFor(iago)).toContain(iago.email);
    expect(await keysFor(iago)).not.toContain(standIn);
    expect(await keysFor(hamlet)).toContain(standIn);
    expect(await keysFor(hamlet)).not.toContain(iago.email);
    await iago.client.patch('/api/v1/settings', { form: { email_address_visibility: '1' } });
  });

  it('hides the presence of users who disable presence_enabled', async () => {
    const queue = await openTestEventQueue(chat, iago, ['presence']);
    await report(hamlet);
    await hamlet.client.patch('/api/v1/settings', { form: { presence_enabled: 'false' } });
    const events = await queue.read();
    expect(events.at(-1)).toMatchObject({
      user_id: hamlet.id,
      presence: { website: { status: 'idle', timestamp: 0 } },
    });
    await report(hamlet);
    expect((await report(iago, { last_update_id: '-1' })).presences).not.toHaveProperty(String(hamlet.id));
    expect(await seen(iago, hamlet.id)).toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('rejects an unknown status', async () => {
    expect(await report(hamlet, { status: 'asleep' })).toMatchObject({ msg: 'Invalid status: asleep' });
  });
});
