import { findChangeTriggerFaults } from '@switchboard/database';
import { FakeClock, isLongTestRun } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRealmSubscribersDataSource } from '../../core/channels/index.js';
import { listUsersHiddenFromViewer } from '../../core/access/user-visibility.js';
import { tablesWithChangeTrigger } from './index.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { measurePlanCost, RecordingTx } from '../../../test/explain-query-plan.js';

let cluster: ChatCluster;
/** Two chat processes that cache snapshot data, and one process that does not. */
let processes: readonly [ChatProcess, ChatProcess, ChatProcess];
/** An administrator, a member, a moderator and a guest. A short run has no moderator. */
const readers = ['iago', 'hamlet', ...(isLongTestRun() ? ['shiva'] : []), 'polonius'];
const clients = new Map<string, DemoUser[]>();

beforeAll(async () => {
  cluster = await chatCluster();
  const clock = new FakeClock(Date.parse('2026-11-24T12:00:00Z'));
  processes = [
    await cluster.start({}, clock),
    await cluster.start({}, clock),
    await cluster.start({ SNAPSHOT_MEMORY_BYTES: '0' }, clock),
  ];
  for (const name of readers) {
    clients.set(name, await Promise.all(processes.map((process) => signIn(process, name))));
  }
});
afterAll(() => cluster.stop());

const forms: Record<string, string>[] = [
  { include_subscribers: 'true', client_capabilities: '{"archived_channels": true}' },
  {
    include_subscribers: 'partial',
    client_gravatar: 'false',
    client_capabilities: '{"user_list_incomplete": true, "include_deactivated_groups": true}',
  },
  { fetch_event_types: '["stream", "default_streams", "realm_user_groups"]' },
];

const lists = [
  'users',
  'users?include_custom_profile_fields=true',
  'streams',
  'streams?include_default=true',
  'users/me/subscriptions',
  'users/me/subscriptions?include_subscribers=true',
  'user_groups',
  'user_groups?include_deactivated_groups=true',
];

/**
 * Reads all responses that contain cached snapshot data, as texts. Removes the ids of event queues, because they differ
 * between requests.
 */
async function readAll(user: DemoUser): Promise<string[]> {
  const responses = [];
  for (const form of forms) responses.push(await user.client.post('/api/v1/register', { form }));
  for (const path of lists) responses.push(await user.client.get(`/api/v1/${path}`));
  return responses.map(({ text }) => text.replace(/"queue_id":"[^"]*"/, ''));
}

let comparisons = 0;

/**
 * Returns the readers whose responses are compared. In a short run, these are the member, and alternately the
 * administrator and the guest.
 */
function listComparedReaders(): readonly string[] {
  if (isLongTestRun()) return readers;
  comparisons += 1;
  return ['hamlet', comparisons % 2 === 0 ? 'iago' : 'polonius'];
}

async function expectEqual(): Promise<void> {
  for (const name of listComparedReaders()) {
    const [first, second, fresh] = await Promise.all((clients.get(name) ?? []).map((user) => readAll(user)));
    expect(first).toEqual(fresh);
    expect(second).toEqual(fresh);
  }
}

function clientOf(name: string, process: number) {
  const user = clients.get(name)?.[process];
  if (user === undefined) throw new Error(`${name} has not signed in`);
  return user.client;
}

const database = () => processes[0].runtime.database;

async function idOf(sql: string): Promise<number> {
  return (await database().query<{ id: number }>(sql)).rows[0]?.id ?? 0;
}

const zoeId = () => idOf("SELECT id FROM users WHERE full_name LIKE 'Zoe%'");

/** Changes of database rows, one for each kind of row from which cached data are read. */
const changes: [string, () => Promise<unknown>][] = [
  ['a name', async () => clientOf('iago', 0).patch(`/api/v1/users/${await zoeId()}`, { form: { full_name: 'Zoe Ä' } })],
  ['a role', async () => clientOf('iago', 1).patch(`/api/v1/users/${await zoeId()}`, { form: { role: '600' } })],
  [
    "the visibility of the reader's own address",
    async () => clientOf('hamlet', 0).patch('/api/v1/settings', { form: { email_address_visibility: '4' } }),
  ],
  ['a value of a custom field', () => database().query("UPDATE profile_values SET value = value || '!'")],
  [
    'a new channel',
    () =>
      clientOf('iago', 1).post('/api/v1/users/me/subscriptions', {
        form: { subscriptions: '[{"name": "memory", "description": "*kept*"}]' },
      }),
  ],
  [
    'a private channel',
    () =>
      clientOf('iago', 0).post('/api/v1/users/me/subscriptions', {
        form: { subscriptions: '[{"name": "sealed"}]', invite_only: 'true' },
      }),
  ],
  [
    'a first message',
    () =>
      clientOf('iago', 0).post('/api/v1/messages', {
        form: { type: 'stream', to: 'memory', topic: 'a', content: 'b' },
      }),
  ],
  [
    'a subscription',
    () =>
      clientOf('hamlet', 1).post('/api/v1/users/me/subscriptions', { form: { subscriptions: '[{"name": "memory"}]' } }),
  ],
  [
    'a group',
    () =>
      clientOf('iago', 0).post('/api/v1/user_groups/create', {
        form: { name: 'kept', description: '', members: '[]' },
      }),
  ],
  ['a deactivation', async () => clientOf('iago', 0).delete(`/api/v1/users/${await zoeId()}`)],
  ['a reactivation', async () => clientOf('iago', 1).post(`/api/v1/users/${await zoeId()}/reactivate`)],
  [
    'a limit of what guests see',
    async () => {
      const group = await idOf("SELECT id FROM user_groups WHERE name = 'role:members'");
      return clientOf('iago', 1).patch('/api/v1/realm', { form: { can_access_all_users_group: `{"new": ${group}}` } });
    },
  ],
  [
    'an archived channel',
    async () =>
      clientOf('iago', 1).delete(`/api/v1/streams/${await idOf("SELECT id FROM channels WHERE name = 'memory'")}`),
  ],
];

describe('SnapshotDataCache', () => {
  it.each(changes)('returns the same responses as a process without a cache after %s', async (_, change) => {
    const response = await change();
    if (typeof response === 'object' && response !== null && 'status' in response) {
      expect(response).toMatchObject({ status: 200 });
    }
    await expectEqual();
  });

  it('returns the same responses as a process without a cache while other processes change data', async () => {
    const writing = (async () => {
      for (let n = 0; n < 12; n += 1) {
        await clientOf('iago', n % 2).patch('/api/v1/users/1', { form: { full_name: `Name ${n}` } });
        await database().query("UPDATE channels SET description = description || '.' WHERE id = $1", [1 + (n % 3)]);
      }
    })();
    for (let n = 0; n < 6; n += 1)
      await Promise.all(readers.map((name) => readAll(clients.get(name)?.[n % 2] as DemoUser)));
    await writing;
    await expectEqual();
  });

  it('serializes values exactly as JSON.stringify does', async () => {
    for (const form of forms) {
      const { text } = await clientOf('iago', 0).post('/api/v1/register', { form });
      expect(JSON.stringify(JSON.parse(text))).toBe(text);
    }
    const { text, headers } = await clientOf('iago', 0).get('/api/v1/users');
    expect(JSON.stringify(JSON.parse(text))).toBe(text);
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8' });
  });

  it('reuses a derived value until a row from which the value is derived changes', async () => {
    const { parts } = processes[0].runtime;
    const iago = clients.get('iago')?.[0] as DemoUser;
    const missesAfter = async (...statements: string[]): Promise<number> => {
      await readAll(iago);
      const { misses } = parts.metrics;
      for (const sql of statements) await database().query(sql);
      await readAll(iago);
      return parts.metrics.misses - misses;
    };
    const bookkeeping = [
      'UPDATE users SET last_login_at = now(), settings = settings',
      'UPDATE subscriptions SET color = color',
    ];
    // Jobs that run at the start of the process may change a channel meanwhile.
    await expect.poll(() => missesAfter(...bookkeeping)).toBe(0);
    expect(await missesAfter('UPDATE channels SET description = description')).toBeGreaterThan(0);
    expect(parts.metrics.hits).toBeGreaterThan(0);
  });

  it('returns the current groups to GET /user_groups', async () => {
    const { parts } = processes[0].runtime;
    const iago = clients.get('iago')?.[0] as DemoUser;
    // A job that runs at the start of the process may change a group between the two requests.
    await expect
      .poll(async () => {
        await iago.client.get('/api/v1/user_groups');
        const { hits, misses } = parts.metrics;
        await iago.client.get('/api/v1/user_groups');
        return [parts.metrics.hits - hits, parts.metrics.misses - misses];
      })
      .toEqual([1, 0]);
  });

  it('returns the current subscriptions to GET /users/me/subscriptions, with and without subscribers', async () => {
    const { parts } = processes[0].runtime;
    const iago = clients.get('iago')?.[0] as DemoUser;
    const read = (query: Record<string, string>) => iago.client.get('/api/v1/users/me/subscriptions', { query });
    // A job that runs at the start of the process may change a channel after the registration.
    await expect
      .poll(async () => {
        await iago.client.post('/api/v1/register', { form: { include_subscribers: 'true' } });
        await read({});
        const { hits, misses } = parts.metrics;
        await read({});
        await read({ include_subscribers: 'true' });
        return [parts.metrics.hits - hits, parts.metrics.misses - misses];
      })
      .toEqual([4, 0]);
  });

  it('retains cached subscriptions when a user changes', async () => {
    const { parts } = processes[0].runtime;
    const iago = clients.get('iago')?.[0] as DemoUser;
    const subscriptions = createRealmSubscribersDataSource(await idOf('SELECT id FROM realms'));
    // A job that runs at the start of the process may change a channel between the two requests.
    await expect
      .poll(async () => {
        await iago.client.post('/api/v1/register', { form: { include_subscribers: 'true' } });
        await database().query("UPDATE users SET full_name = full_name || '.'");
        return parts.findCurrentCachedValue(subscriptions);
      })
      .toBeDefined();
  });

  it('evicts the least recently used entries when the memory limit is exceeded', async () => {
    const small = await cluster.start({ SNAPSHOT_MEMORY_BYTES: '8000' });
    const { client } = await signIn(small, 'iago');
    await client.get('/api/v1/streams');
    await client.get('/api/v1/users');
    expect(small.runtime.parts.metrics.byteLength).toBeLessThanOrEqual(8000);
  });

  describe('without other requests', () => {
    let process: ChatProcess;
    beforeAll(async () => {
      process = await cluster.start({});
    });

    it.each(['realm', 'realm_bot', 'user_settings'])(
      'caches nothing when a client registers and fetches only %s',
      async (type) => {
        const { client } = await signIn(process, 'iago');
        await client.post('/api/v1/register', { form: { fetch_event_types: `["${type}"]` } });
        expect(process.runtime.parts.metrics).toMatchObject({ hits: 0, misses: 0 });
      },
    );
  });

  it('reads only tables whose triggers record every change', async () => {
    expect(await findChangeTriggerFaults(database(), tablesWithChangeTrigger)).toEqual([]);
  });
});

describe('GET /users/me/subscriptions', () => {
  it.each([0, 2])(
    'returns channels with the fields of GET /streams/{stream_id}, also when the cache is disabled (process %i)',
    async (at) => {
      const hamlet = clients.get('hamlet')?.[at] as DemoUser;
      type Own = { stream_id: number; subscribers: number[] };
      const path = '/api/v1/users/me/subscriptions?include_subscribers=true';
      const { body, text } = await hamlet.client.get<{ subscriptions: Own[] }>(path);
      expect(body.subscriptions.length).toBeGreaterThan(2);
      const expected = [];
      for (const own of body.subscriptions) {
        const stream = `/api/v1/streams/${own.stream_id}`;
        const channel = (await hamlet.client.get<{ stream: object }>(stream)).body.stream;
        const { subscribers } = (await hamlet.client.get<{ subscribers: number[] }>(`${stream}/members`)).body;
        expect(subscribers).toContain(hamlet.id);
        const preferences = Object.entries(own).filter(([name]) => !(name in channel) && name !== 'subscribers');
        expect(preferences.map(([name]) => name)).toContain('color');
        expected.push({ ...channel, ...Object.fromEntries(preferences), subscribers });
      }
      expect(text).toContain(`"subscriptions":${JSON.stringify(expected)}`);
    },
  );
});

describe('listUsersHiddenFromViewer', () => {
  it('finds the users hidden from a limited guest in one pass over all users', async () => {
    const undone = new Error('undone');
    const work = database().inTransaction(async (tx) => {
      const { rows } = await tx.query<{ id: number; realmId: number; role: number }>(
        'SELECT id, realm_id AS "realmId", role FROM users WHERE role = 600 AND is_active LIMIT 1',
      );
      const [guest] = rows;
      if (guest === undefined) throw new Error('There is no guest');
      await tx.query(
        `INSERT INTO users (realm_id, delivery_email, delivery_email_key, full_name, role)
         SELECT $1, 'many' || n || '@example.com', 'many' || n || '@example.com', 'Many ' || n, 400
         FROM generate_series(1, 2000) n`,
        [guest.realmId],
      );
      await tx.query(
        `INSERT INTO subscriptions (user_id, channel_id, color)
         SELECT u.id, c.id, '' FROM users u, (SELECT min(id) AS id FROM channels WHERE NOT is_archived) c
         WHERE u.full_name LIKE 'Many %00' OR u.id = $1 ON CONFLICT (user_id, channel_id) DO UPDATE SET is_active = true`,
        [guest.id],
      );
      await tx.query(
        `UPDATE realm_permissions SET group_id = (SELECT id FROM user_groups WHERE name = 'role:members')
         WHERE setting = 'can_access_all_users_group'`,
      );
      await tx.query('ANALYZE users');
      const recording = new RecordingTx(tx);
      const hidden = await listUsersHiddenFromViewer(recording, guest);
      expect(hidden.size).toBeGreaterThan(1900);
      const [statement] = recording.statements;
      if (statement === undefined) throw new Error('Nothing was read');
      expect((await measurePlanCost(tx, statement)).buffers).toBeLessThan(300);
      throw undone;
    });
    await expect(work).rejects.toBe(undone);
  });
});
