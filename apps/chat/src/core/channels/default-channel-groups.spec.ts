import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
let polonius: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet, polonius] = await Promise.all([
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'polonius'),
  ]);
  await chat.runtime.database.query("UPDATE channels SET is_default = name = 'Denmark'");
});
afterAll(() => cluster.stop());

type Json = Record<string, unknown>;

interface Group {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly streams: number[];
}

const path = '/api/v1/default_stream_groups';

function encode(form: Json): Record<string, string> {
  return Object.fromEntries(
    Object.entries(form).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

async function create(form: Json): Promise<Json> {
  const all = { group_name: 'Arts', description: 'Painting', stream_names: ['Verona', 'Rome'], ...form };
  return (await iago.client.post<Json>(`${path}/create`, { form: encode(all) })).body;
}

async function patch(below: string, form: Json): Promise<Json> {
  return (await iago.client.patch<Json>(`${path}/${below}`, { form: encode(form) })).body;
}

async function list(user: DemoUser = hamlet): Promise<Group[]> {
  const form = { fetch_event_types: '["default_stream_groups"]' };
  const { body } = await user.client.post<{ realm_default_stream_groups: Group[] }>('/api/v1/register', { form });
  return body.realm_default_stream_groups;
}

async function idOf(name: string): Promise<number> {
  return (await iago.client.get<{ stream_id: number }>('/api/v1/get_stream_id', { query: { stream: name } })).body
    .stream_id;
}

async function addChannel(name: string): Promise<number> {
  const form = { name, subscribers: `[${iago.id}]` };
  return (await iago.client.post<{ id: number }>('/api/v1/channels/create', { form })).body.id;
}

async function removeAll(): Promise<void> {
  for (const { id } of await list()) await iago.client.delete(`${path}/${id}`);
}

const success = { result: 'success', msg: '' };

describe('/default_stream_groups', () => {
  it('emits each change of a group with the complete list, to all users but guests', async () => {
    const [verona, rome] = [await idOf('Verona'), await idOf('Rome')];
    const [queue, ofGuest] = [
      await openTestEventQueue(chat, hamlet, ['default_stream_groups']),
      await openTestEventQueue(chat, polonius, ['default_stream_groups']),
    ];
    expect(await create({})).toEqual(success);
    const [group] = await list();
    const { id } = group!;
    const channels = [verona, rome].toSorted((a, b) => a - b);
    expect(group).toEqual({ id, name: 'Arts', description: 'Painting', streams: channels });
    expect(await patch(`${id}`, { new_group_name: 'Crafts', new_description: 'Wood' })).toEqual(success);
    expect(await patch(`${id}/streams`, { op: 'remove', stream_names: ['rome'] })).toEqual(success);
    expect(await patch(`${id}/streams`, { op: 'add', stream_names: ['Rome'] })).toEqual(success);
    expect(await list()).toEqual([{ id, name: 'Crafts', description: 'Wood', streams: channels }]);
    expect((await iago.client.delete(`${path}/${id}`)).body).toEqual(success);
    expect(await list()).toEqual([]);
    expect((await queue.read()).map((event) => event['default_stream_groups'])).toEqual([
      [group],
      [{ ...group, name: 'Crafts', description: 'Wood' }],
      [{ ...group, name: 'Crafts', description: 'Wood', streams: [verona] }],
      [{ ...group, name: 'Crafts', description: 'Wood' }],
      [],
    ]);
    expect(await ofGuest.read()).toEqual([]);
  });

  it('shows guests an empty list, and the groups to a guest who becomes a member', async () => {
    await create({});
    expect(await list(polonius)).toEqual([]);
    const queue = await openTestEventQueue(chat, polonius, ['default_stream_groups']);
    const setRole = (role: number) =>
      iago.client.patch(`/api/v1/users/${polonius.id}`, { form: { role: String(role) } });
    await setRole(400);
    await setRole(600);
    expect(await queue.read()).toMatchObject([
      { default_stream_groups: [{ name: 'Arts' }] },
      { default_stream_groups: [] },
    ]);
    await removeAll();
  });

  it('omits channels that are archived or become private from a group', async () => {
    const [archived, closed] = [await addChannel('to archive'), await addChannel('to close')];
    await create({ stream_names: ['to archive', 'to close'] });
    const queue = await openTestEventQueue(chat, hamlet, ['default_stream_groups']);
    await iago.client.delete(`/api/v1/streams/${archived}`);
    await iago.client.patch(`/api/v1/streams/${closed}`, { form: { is_private: 'true' } });
    expect(await list()).toMatchObject([{ streams: [] }]);
    expect(await queue.read()).toMatchObject([
      { default_stream_groups: [{ streams: [closed] }] },
      { default_stream_groups: [{ streams: [] }] },
    ]);
    await removeAll();
  });

  it.each([
    ['a blank name', { group_name: ' ' }, "Invalid default channel group name ' '"],
    ['a long name', { group_name: 'x'.repeat(61) }, 'Default channel group name too long (limit: 60 characters)'],
    ['an unknown channel', { stream_names: ['nowhere'] }, "Invalid channel name 'nowhere'"],
    [
      'a default channel',
      { stream_names: ['Denmark'] },
      "'Denmark' is a default channel and cannot be added to 'Arts'",
    ],
    ['a private channel', { stream_names: ['core team'] }, 'Private channels cannot be made default.'],
  ])('rejects an invalid group: %s', async (_name, form, msg) => {
    expect(await create(form)).toMatchObject({ code: 'BAD_REQUEST', msg });
    expect(await list()).toEqual([]);
  });

  it('deletes a group without a deadlock while one of its channels is archived', async () => {
    const channel = await addChannel('briefly');
    await create({ stream_names: ['briefly'] });
    const client = await chat.runtime.database.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock(992104, realm_id) FROM users WHERE id = $1', [iago.id]);
      const archived = iago.client.delete<Json>(`/api/v1/streams/${channel}`);
      const waiting = `SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()`;
      await expect.poll(async () => (await chat.runtime.database.query(waiting)).rowCount).toBeGreaterThan(0);
      // NOWAIT shows a wrong lock order, because the service repeats a transaction after a deadlock.
      await client.query('SELECT FROM default_channel_group_channels FOR UPDATE NOWAIT');
      await client.query('DELETE FROM default_channel_groups');
      await client.query('COMMIT');
      expect((await archived).body).toMatchObject(success);
    } finally {
      client.release();
    }
  });

  it('rejects names in use, channels already in the group, and channels missing from the group', async () => {
    await create({});
    await create({ group_name: 'Other', stream_names: [] });
    const [{ id } = { id: 0 }] = await list();
    const denied = async (below: string, form: Json) => (await patch(below, form))['msg'];
    expect(await create({})).toMatchObject({ msg: "Default channel group 'Arts' already exists" });
    expect(await denied(`${id}`, {})).toBe('You must pass "new_description" or "new_group_name".');
    expect(await denied(`${id}`, { new_group_name: 'Arts' })).toBe(
      "This default channel group is already named 'Arts'",
    );
    expect(await denied(`${id}`, { new_group_name: 'Other' })).toBe("Default channel group 'Other' already exists");
    const streams = `${id}/streams`;
    expect(await denied(streams, { op: 'add', stream_names: ['Rome'] })).toBe(
      "Channel 'Rome' is already present in default channel group 'Arts'",
    );
    expect(await denied(streams, { op: 'remove', stream_names: ['Scotland'] })).toBe(
      "Channel 'Scotland' is not present in default channel group 'Arts'",
    );
    expect(await denied(streams, { op: 'x', stream_names: [] })).toBe(
      'Invalid value for "op". Specify one of "add" or "remove".',
    );
    expect(await denied('999999', { new_description: 'x' })).toBe(
      "Default channel group with id '999999' does not exist.",
    );
    await removeAll();
  });

  it('rejects more than 100 groups', async () => {
    await chat.runtime.database.query(
      `INSERT INTO default_channel_groups (realm_id, name, description)
       SELECT u.realm_id, 'g' || n, '' FROM users u, generate_series(1, 100) n WHERE u.id = $1`,
      [iago.id],
    );
    expect(await create({})).toMatchObject({ msg: 'There are 100 default channel groups already.' });
    await chat.runtime.database.query('DELETE FROM default_channel_groups');
  });
});
