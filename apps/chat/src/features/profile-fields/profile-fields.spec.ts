import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;
let bot: DemoUser;

type Json = Record<string, unknown>;
const path = '/api/v1/realm/profile_fields';

/** Ids of the demo realm's profile fields, one constant per field type. */
const [phone, biography, food, editor, birthday, website, mentor, github, pronouns] = [1, 2, 3, 4, 5, 6, 7, 8, 9];

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [hamlet, iago, bot] = await Promise.all([signIn(chat, 'hamlet'), signIn(chat, 'iago'), signIn(chat, 'default-bot')]);
});
afterAll(() => cluster.stop());

const encoded = (form: Json) =>
  Object.fromEntries(
    Object.entries(form).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
const add = async (form: Json, user = iago) => (await user.client.post<Json>(path, { form: encoded(form) })).body;
const update = async (id: unknown, form: Json, user = iago) => {
  return (await user.client.patch<Json>(`${path}/${String(id)}`, { form: encoded(form) })).body;
};
const remove = async (id: unknown) => (await iago.client.delete<Json>(`${path}/${String(id)}`)).body;
const list = async () => (await hamlet.client.get<{ custom_fields: Json[] }>(path)).body.custom_fields;
const say = async (user: DemoUser, data: unknown) => {
  const form = { data: JSON.stringify(data) };
  return (await user.client.patch<Json>('/api/v1/users/me/profile_data', { form })).body;
};
async function saidBy(user: DemoUser): Promise<Json | undefined> {
  const query = { include_custom_profile_fields: true, user_ids: JSON.stringify([user.id]) };
  const { body } = await iago.client.get<{ members: { profile_data?: Json }[] }>('/api/v1/users', { query });
  return body.members[0]?.profile_data;
}

describe('endpoints of custom profile fields', () => {
  it('list the same fields as a snapshot: one of each type in the demo realm', async () => {
    const fields = await list();
    expect(fields.map(({ id, type }) => [id, type])).toEqual([
      [phone, 1],
      [biography, 2],
      [food, 1],
      [editor, 3],
      [birthday, 4],
      [website, 5],
      [mentor, 6],
      [github, 7],
      [pronouns, 8],
    ]);
    const form = { fetch_event_types: '["custom_profile_fields"]', event_types: '[]' };
    const { body } = await hamlet.client.post<Json>('/api/v1/register', { form });
    expect(body['custom_profile_fields']).toEqual(fields);
  });

  it('let administrators create, change, reorder and delete fields, with events to all users', async () => {
    const queue = await openTestEventQueue(chat, hamlet, ['custom_profile_fields']);
    const sent = { name: ' Motto ', hint: 'In a few words', field_type: 1, use_for_user_matching: true };
    const { id } = await add({ ...sent, required: true, editable_by_user: false });
    const motto = {
      id,
      type: 1,
      order: 10,
      name: 'Motto',
      hint: 'In a few words',
      field_data: '',
      required: true,
      editable_by_user: false,
      use_for_user_matching: true,
    };
    expect((await list()).at(-1)).toEqual(motto);
    await update(id, { name: 'Device', display_in_profile_summary: true, use_for_user_matching: false });
    const { use_for_user_matching: _matching, ...rest } = motto;
    expect((await list()).at(-1)).toEqual({ ...rest, name: 'Device', display_in_profile_summary: true });
    const order = (await list()).map((field) => field['id']).toReversed();
    await iago.client.patch(path, { form: { order: JSON.stringify(order) } });
    expect((await list()).map((field) => field['id'])).toEqual(order);
    await iago.client.patch(path, { form: { order: JSON.stringify(order.toReversed()) } });
    expect((await remove(id))['msg']).toBe('');
    const events = await queue.read();
    expect(events).toHaveLength(5);
    expect(events.at(-1)).toEqual({ type: 'custom_profile_fields', fields: await list() });
  });

  it('reject changes by non-administrators', async () => {
    const refusal = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' };
    expect(await add({ name: 'x', field_type: 1 }, hamlet)).toMatchObject(refusal);
    expect(await update(phone, { name: 'x' }, hamlet)).toMatchObject(refusal);
    expect((await hamlet.client.delete<Json>(`${path}/${phone}`)).body).toMatchObject(refusal);
    expect((await hamlet.client.patch<Json>(path, { form: { order: '[]' } })).body).toMatchObject(refusal);
  });

  const editors = { vim: { text: 'Vim', order: '1' }, emacs: { text: 'Emacs', order: '2' } };
  it.each<[type: number, sent: Json, made: Json]>([
    [1, {}, {}],
    [2, { hint: 'h', required: true, editable_by_user: false }, { hint: 'h', required: true, editable_by_user: false }],
    [3, { field_data: editors }, { field_data: JSON.stringify(editors) }],
    [4, { display_in_profile_summary: true }, { display_in_profile_summary: true }],
    [5, { display_in_profile_summary: false, use_for_user_matching: false }, {}],
    [6, {}, {}],
    [8, {}, {}],
  ])('create a field of type %i with default values for omitted properties', async (field_type, sent, made) => {
    const before = await list();
    const response = await add({ name: 'New', field_type, ...sent });
    expect(response).toEqual({ result: 'success', msg: '', id: expect.any(Number) });
    const common = { name: 'New', hint: '', field_data: '', required: false, editable_by_user: true };
    const order = Number(before.at(-1)?.['order']) + 1;
    expect(await list()).toEqual([...before, { ...common, id: response['id'], type: field_type, order, ...made }]);
    await remove(response['id']);
  });

  it('use the name of a known external service, and require a URL pattern for other services', async () => {
    const known = await add({ field_type: 7, field_data: { subtype: 'twitter' } });
    const pattern = 'https://example.com/%(username)s';
    const form = { name: 'Example', field_type: 7, field_data: { subtype: 'custom', url_pattern: pattern } };
    const custom = await add(form);
    const [first, second] = (await list()).slice(-2);
    expect(first).toMatchObject({ id: known['id'], name: 'Twitter', field_data: '{"subtype":"twitter"}' });
    expect(JSON.parse(String(second?.['field_data']))).toEqual(form.field_data);
    await Promise.all([remove(known['id']), remove(custom['id'])]);
  });

  it('reject a third field in the profile summary', async () => {
    await update(phone, { display_in_profile_summary: true });
    await update(food, { display_in_profile_summary: true });
    const msg = 'Only 2 custom profile fields can be displayed in the profile summary.';
    expect(await update(pronouns, { display_in_profile_summary: true })).toMatchObject({ code: 'BAD_REQUEST', msg });
    expect(await add({ name: 'x', field_type: 1, display_in_profile_summary: true })).toMatchObject({ msg });
    expect((await update(food, { display_in_profile_summary: true, hint: 'other' }))['msg']).toBe('');
  });

  const account = (field_data: Json) => ({ name: 'x', field_type: 7, field_data });
  const choices = (...texts: string[]) => ({
    name: 'x',
    field_type: 3,
    field_data: Object.fromEntries(texts.map((text, index) => [index, { text, order: String(index) }])),
  });
  it.each<[name: string, form: Json, msg: string]>([
    ['no name', { field_type: 1 }, 'name cannot be blank'],
    ['a long name', { name: 'x'.repeat(41), field_type: 1 }, 'name is too long (limit: 40 characters)'],
    ['a long hint', { name: 'x', hint: 'x'.repeat(81), field_type: 1 }, 'hint is too long (limit: 80 characters)'],
    ['the name of another', { name: 'biography', field_type: 1 }, 'A field with that label already exists.'],
    ['an unknown type', { name: 'x', field_type: 9 }, 'Invalid field_type'],
    ['no type', { name: 'x' }, "Missing 'field_type' argument"],
    ['no choices', { name: 'x', field_type: 3 }, 'Field must have at least one choice.'],
    ['choices that are alike', choices('a', 'a'), 'Field must not have duplicate choices.'],
    [
      'an order that is a number',
      { name: 'x', field_type: 3, field_data: { a: { text: 'A', order: 1 } } },
      'Invalid field_data: every choice has a text and an order',
    ],
    ['an empty choice', choices(' '), 'Invalid field_data: every choice has a text and an order'],
    ['no service', account({}), 'Invalid external account type'],
    ['an unknown service', account({ subtype: 'x' }), 'Invalid external account type'],
    ['a service without an address', account({ subtype: 'custom' }), 'Custom external account must define URL pattern'],
    [
      'an address without a place for the name',
      account({ subtype: 'custom', url_pattern: 'https://example.com/' }),
      'URL pattern must contain %(username)s once',
    ],
    [
      'matching by a date',
      { name: 'x', field_type: 4, use_for_user_matching: true },
      'Field type not supported for user matching.',
    ],
    [
      'people in the summary',
      { name: 'x', field_type: 6, display_in_profile_summary: true },
      'Field type not supported for display in profile summary.',
    ],
  ])('reject an invalid field: %s', async (_name, form, msg) => {
    expect((await add(form))['msg']).toBe(msg);
  });

  it('reject unknown fields', async () => {
    expect(await update(4711, { name: 'x' })).toMatchObject({ code: 'BAD_REQUEST', msg: 'Field id 4711 not found.' });
    expect(await remove(4711)).toMatchObject({ msg: 'Field id 4711 not found.' });
    const { body } = await iago.client.patch<Json>(path, { form: { order: '[1, 2]' } });
    expect(body['msg']).toBe('Invalid order mapping.');
  });
});

describe('PATCH /users/me/profile_data', () => {
  it('stores values of every type, renders Markdown, and emits the values to all users', async () => {
    const queue = await openTestEventQueue(chat, iago, ['realm_user']);
    const values = [
      { id: phone, value: '+1-**234**' },
      { id: biography, value: 'Prince' },
      { id: editor, value: '1' },
      { id: birthday, value: '1602-07-26' },
      { id: website, value: 'https://example.com/' },
      { id: mentor, value: [iago.id] },
      { id: github, value: 'hamlet' },
      { id: pronouns, value: 'he/him' },
    ];
    expect(await say(hamlet, values)).toEqual({ result: 'success', msg: '' });
    const shown: Json = {
      [phone]: { value: '+1-**234**', rendered_value: '<p>+1-<strong>234</strong></p>' },
      [biography]: { value: 'Prince', rendered_value: '<p>Prince</p>' },
      [editor]: { value: '1' },
      [birthday]: { value: '1602-07-26' },
      [website]: { value: 'https://example.com/' },
      [mentor]: { value: `[${iago.id}]` },
      [github]: { value: 'hamlet' },
      [pronouns]: { value: 'he/him' },
    };
    expect(await saidBy(hamlet)).toEqual(shown);
    expect((await hamlet.client.get<Json>('/api/v1/users/me')).body['profile_data']).toEqual(shown);
    const changes = (await queue.read()).map(({ person }) => person);
    expect(changes).toEqual(
      Object.entries(shown).map(([id, value]) => ({
        user_id: hamlet.id,
        custom_profile_field: { id: Number(id), ...(value as Json) },
      })),
    );
    const form = { fetch_event_types: '["realm_user"]', event_types: '[]' };
    const { body } = await iago.client.post<{ realm_users: Json[] }>('/api/v1/register', { form });
    const registered = body.realm_users.find((user) => user['user_id'] === hamlet.id);
    expect(registered?.['profile_data']).toEqual(shown);
  });

  it('removes a value when the user sets null, and when the field or the chosen option is deleted', async () => {
    await say(hamlet, [{ id: editor, value: '1' }]);
    const queue = await openTestEventQueue(chat, iago, ['realm_user']);
    await say(hamlet, [
      { id: phone, value: null },
      { id: food, value: null },
    ]);
    await hamlet.client.delete('/api/v1/users/me/profile_data', { form: { data: JSON.stringify([biography]) } });
    await update(editor, { field_data: { '0': { text: 'Vim', order: '1' } } });
    await remove(website);
    const removed = [phone, biography, editor, website].map((id) => ({
      type: 'realm_user',
      op: 'update',
      person: { user_id: hamlet.id, custom_profile_field: { id, value: null } },
    }));
    expect(await queue.read()).toEqual(removed);
    expect(Object.keys((await saidBy(hamlet)) ?? {}).map(Number)).toEqual([birthday, mentor, github, pronouns]);
  });

  it.each<[name: string, data: () => Json, msg: string]>([
    ['a long text', () => ({ id: phone, value: 'x'.repeat(51) }), 'Phone number is too long (limit: 50 characters)'],
    [
      'a long paragraph',
      () => ({ id: biography, value: 'x'.repeat(501) }),
      'Biography is too long (limit: 500 characters)',
    ],
    ['no choice', () => ({ id: editor, value: 'emacs' }), "'emacs' is not a valid choice for 'Favorite editor'."],
    ['no date', () => ({ id: birthday, value: '1602-02-30' }), 'Birthday is not a date'],
    ['no list', () => ({ id: mentor, value: 'iago' }), 'Mentor is not a list'],
    ['a list', () => ({ id: phone, value: [1] }), 'Phone number is not a string'],
    ['nobody', () => ({ id: mentor, value: [999_999] }), 'Invalid user ID: 999999'],
    ['a bot', () => ({ id: mentor, value: [bot.id] }), `User with ID BOT is a bot`],
    ['an unknown field', () => ({ id: 4711, value: 'x' }), 'Field id 4711 not found.'],
  ])('rejects an invalid value: %s', async (_name, data, msg) => {
    const before = await saidBy(hamlet);
    const refused = { code: 'BAD_REQUEST', msg: msg.replace('BOT', String(bot.id)) };
    expect(await say(hamlet, [{ id: pronouns, value: 'they' }, data()])).toMatchObject(refused);
    expect(await saidBy(hamlet)).toEqual(before);
  });

  it('rejects a field with editable_by_user=false, except from administrators', async () => {
    await update(github, { editable_by_user: false });
    const msg = 'You are not allowed to change this field. Contact an administrator to update it.';
    expect(await say(hamlet, [{ id: github, value: 'yorick' }])).toMatchObject({ code: 'BAD_REQUEST', msg });
    expect((await say(iago, [{ id: github, value: 'iago' }]))['msg']).toBe('');
    const form = { profile_data: JSON.stringify([{ id: github, value: 'yorick' }]) };
    expect((await iago.client.patch<Json>(`/api/v1/users/${hamlet.id}`, { form })).body['msg']).toBe('');
    expect(await saidBy(hamlet)).toMatchObject({ [github]: { value: 'yorick' } });
  });

  it('lets administrators set and remove values of other users by PATCH /users/{user_id}', async () => {
    const cordelia = await signIn(chat, 'cordelia');
    const sayFor = async (values: unknown) => {
      const form = { profile_data: JSON.stringify(values) };
      return (await iago.client.patch<Json>(`/api/v1/users/${cordelia.id}`, { form })).body;
    };
    const said = [
      { id: birthday, value: '1606-12-26' },
      { id: mentor, value: [iago.id, hamlet.id] },
    ];
    expect(await sayFor(said)).toEqual({ result: 'success', msg: '' });
    const shown = { [birthday]: { value: '1606-12-26' }, [mentor]: { value: `[${iago.id},${hamlet.id}]` } };
    expect(await saidBy(cordelia)).toEqual(shown);
    for (const [value, msg] of [
      [{ id: birthday, value: 'soon' }, 'Birthday is not a date'],
      [{ id: mentor, value: 'iago' }, 'Mentor is not a list'],
      [{ id: birthday }, 'value key is missing from profile_data[0]'],
      [{ value: '1606-12-26' }, 'id key is missing from profile_data[0]'],
    ]) {
      expect(await sayFor([value])).toMatchObject({ code: 'BAD_REQUEST', msg });
    }
    expect(await sayFor(said.map(({ id }) => ({ id, value: null })))).toEqual({ result: 'success', msg: '' });
    expect(await saidBy(cordelia)).toEqual({});
  });
});
