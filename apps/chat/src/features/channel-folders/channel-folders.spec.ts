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
});
afterAll(() => cluster.stop());

type Json = Record<string, unknown>;

const path = '/api/v1/channel_folders';

async function create(user: DemoUser, form: Record<string, string>): Promise<Json> {
  return (await user.client.post<Json>(`${path}/create`, { form })).body;
}

async function change(user: DemoUser, id: unknown, form: Record<string, string>): Promise<Json> {
  return (await user.client.patch<Json>(`${path}/${String(id)}`, { form })).body;
}

async function list(user: DemoUser, query: Record<string, boolean> = {}): Promise<Json[]> {
  return (await user.client.get<{ channel_folders: Json[] }>(path, { query })).body.channel_folders;
}

describe('endpoints of channel folders', () => {
  it('let administrators create folders, list them for members and emit them to all users', async () => {
    const queue = await openTestEventQueue(chat, polonius, ['channel_folder']);
    const { channel_folder_id: id } = await create(iago, { name: ' Engineering ', description: 'We *build*' });
    const folder = {
      id,
      name: 'Engineering',
      description: 'We *build*',
      rendered_description: expect.stringContaining('<em>build</em>'),
      order: 0,
      date_created: expect.any(Number),
      creator_id: iago.id,
      is_archived: false,
    };
    expect(await list(hamlet)).toEqual([folder]);
    expect(await queue.read()).toEqual([{ type: 'channel_folder', op: 'add', channel_folder: folder }]);
    const { body } = await hamlet.client.post<Json>('/api/v1/register', {
      form: { fetch_event_types: '["channel_folders"]' },
    });
    expect(body['channel_folders']).toEqual([folder]);
  });

  it.each([
    ['an empty name', { name: ' ', description: '' }, { code: 'BAD_REQUEST', msg: 'name cannot be blank' }],
    ['a long name', { name: 'x'.repeat(61), description: '' }, { msg: 'name is too long (limit: 60 characters)' }],
    ['a long description', { name: 'x', description: 'x'.repeat(1025) }, { msg: /too long \(limit: 1024/ }],
    ['a name that is taken', { name: 'engineering', description: '' }, { msg: /already exists/ }],
    ['no description', { name: 'x' }, { code: 'REQUEST_VARIABLE_MISSING', var_name: 'description' }],
  ])('reject an invalid folder: %s', async (_name, form, error) => {
    const body = await create(iago, form);
    for (const [key, value] of Object.entries(error)) {
      if (value instanceof RegExp) expect(body[key]).toMatch(value);
      else expect(body[key]).toBe(value);
    }
  });

  it('require an administrator to create, change and reorder folders', async () => {
    const refused = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' };
    const [folder] = await list(hamlet);
    expect(await create(hamlet, { name: 'mine', description: '' })).toMatchObject(refused);
    expect(await change(hamlet, folder?.['id'], { name: 'mine' })).toMatchObject(refused);
    expect((await hamlet.client.patch(path, { form: { order: '[]' } })).body).toMatchObject(refused);
    expect((await polonius.client.get(path)).body).toMatchObject({ msg: 'Not allowed for guest users' });
  });

  it('rename, describe and reorder folders', async () => {
    const queue = await openTestEventQueue(chat, hamlet, ['channel_folder']);
    const { channel_folder_id: second } = await create(iago, { name: 'Second', description: '' });
    const [first] = (await list(hamlet)).map(({ id }) => id);
    expect(await change(iago, second, { name: 'Last', description: 'now first' })).toMatchObject({ msg: '' });
    expect(await change(iago, second, { name: 'Last' })).toMatchObject({ msg: '' });
    expect((await iago.client.patch(path, { form: { order: `[${second}, ${first}]` } })).status).toBe(200);
    for (const order of [`[${second}]`, `[${second}, ${second}]`, '[]', `[${second}, ${first}, 987654]`]) {
      expect((await iago.client.patch(path, { form: { order } })).body).toMatchObject({
        msg: 'Invalid order mapping.',
      });
    }
    expect((await list(hamlet)).map(({ name, order }) => [name, order])).toEqual([
      ['Last', 0],
      ['Engineering', 1],
    ]);
    expect(await queue.read()).toMatchObject([
      { op: 'add' },
      { op: 'update', channel_folder_id: second, data: { name: 'Last', description: 'now first' } },
      { op: 'reorder', order: [second, first] },
    ]);
  });

  it('assign channels to a folder, and archive a folder only if it has no channels', async () => {
    const { channel_folder_id: id } = await create(iago, { name: 'Holding', description: '' });
    const { body } = await iago.client.get<{ stream_id: number }>('/api/v1/get_stream_id', {
      query: { stream: 'Verona' },
    });
    const queue = await openTestEventQueue(chat, hamlet, ['stream']);
    const put = (folder: string) =>
      iago.client.patch<Json>(`/api/v1/streams/${body.stream_id}`, { form: { folder_id: folder } });
    expect((await put(String(id))).status).toBe(200);
    expect(await change(iago, id, { is_archived: 'true' })).toMatchObject({ code: 'BAD_REQUEST' });
    expect((await put('null')).status).toBe(200);
    expect(await change(iago, id, { is_archived: 'true' })).toMatchObject({ msg: '' });
    expect((await put(String(id))).body).toMatchObject({ msg: 'Invalid channel folder ID' });
    expect(await queue.read()).toMatchObject([
      { property: 'folder_id', value: id },
      { property: 'folder_id', value: null },
    ]);
    expect((await list(hamlet)).map((folder) => folder['id'])).not.toContain(id);
    expect((await list(hamlet, { include_archived: true })).map((folder) => folder['id'])).toContain(id);
    expect(await change(iago, 987_654, { name: 'x' })).toMatchObject({ msg: 'Invalid channel folder ID' });
  });
});
