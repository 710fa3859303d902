import { type FailedRequestContext, ApplicationError } from '@switchboard/errors';
import type { InProcessApiClient } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatErrors } from '../src/errors.js';
import { ChatErrorRenderer } from '../src/infra/http/error-renderer.js';
import { type ChatCluster, chatCluster, type ChatProcess, contract, type DemoUser, signIn } from './chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;
let desdemona: DemoUser;
let polonius: DemoUser;
let veronaId = 0;
let messageId = 0;
/** Id of a custom profile field whose values only administrators can edit. */
let pinnedFieldId = 0;

type Json = Record<string, unknown>;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [hamlet, iago, desdemona, polonius] = await Promise.all([
    signIn(chat, 'hamlet'),
    signIn(chat, 'iago'),
    signIn(chat, 'desdemona'),
    signIn(chat, 'polonius'),
  ]);
  veronaId = Number((await get(hamlet.client, 'get_stream_id', { stream: 'Verona' }))['stream_id']);
  const message = { type: 'channel', to: 'Verona', topic: 'conformance', content: 'hello' };
  messageId = Number((await post(hamlet.client, 'messages', message))['id']);
  const field = { name: 'Pinned', field_type: 1, editable_by_user: false };
  pinnedFieldId = Number((await post(iago.client, 'realm/profile_fields', field))['id']);
});
afterAll(() => cluster.stop());

type Verb = 'post' | 'patch' | 'delete';

async function send(client: InProcessApiClient, verb: Verb, path: string, form: Json): Promise<Json> {
  const fields = Object.entries(form).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return (await client[verb]<Json>(`/api/v1/${path}`, { form: Object.fromEntries(fields) })).body;
}

function post(client: InProcessApiClient, path: string, form: Json): Promise<Json> {
  return send(client, 'post', path, form);
}

async function get(client: InProcessApiClient, path: string, query: Record<string, string> = {}): Promise<Json> {
  return (await client.get<Json>(`/api/v1/${path}`, { query })).body;
}

const success = { result: 'success', msg: '' };

describe('demo organization', () => {
  it('contains users, bots, channels, topics, groups, profile fields and folders', async () => {
    const folder = { name: 'Conformance', description: '' };
    expect(await post(iago.client, 'channel_folders/create', folder)).toMatchObject(success);
    const direct = { type: 'direct', to: [iago.id], content: 'between us' };
    expect(await post(hamlet.client, 'messages', direct)).toMatchObject(success);
    const realm = await post(hamlet.client, 'register', {});
    const people = realm['realm_users'] as { is_bot: boolean }[];
    expect([...new Set(people.map(({ is_bot }) => is_bot))].toSorted()).toEqual([false, true]);
    const some = expect.arrayContaining([expect.anything()]);
    expect(realm).toMatchObject({
      realm_name: expect.any(String),
      subscriptions: some,
      realm_user_groups: some,
      custom_profile_fields: some,
      channel_folders: some,
      recent_private_conversations: some,
    });
    const { topics } = await get(hamlet.client, `users/me/${veronaId}/topics`);
    expect(topics).toContainEqual(expect.objectContaining({ name: 'conformance' }));
  });

  it('contains an object that each endpoint finds by id and name', async () => {
    const png = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
    const head = '--b\r\ncontent-disposition: form-data; name="f"; filename="a.gif"\r\n\r\n';
    const payload = Buffer.concat([Buffer.from(head), png, Buffer.from('\r\n--b--\r\n')]);
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const emoji = await iago.client.post('/api/v1/realm/emoji/dot', { headers, payload });
    expect(emoji.body).toMatchObject(success);
    const realm = await post(hamlet.client, 'register', {});
    const [channel] = (realm['subscriptions'] as { stream_id: number; name: string }[]).filter(
      ({ name }) => name === 'Verona',
    );
    expect(channel).toMatchObject({ stream_id: veronaId });
    const groups = realm['realm_user_groups'] as { id: number; name: string; members: number[] }[];
    expect(groups.map(({ name }) => name)).toContain('role:members');
    const own = { name: 'conformers', description: '', members: [hamlet.id] };
    const { group_id: groupId } = await post(iago.client, 'user_groups/create', own);
    const inner = groups.find(({ name }) => name === 'role:owners')?.id;
    expect(await post(iago.client, `user_groups/${String(groupId)}/subgroups`, { add: [inner] })).toEqual(success);
    const emojis = Object.values(realm['realm_emoji'] as Record<string, { id: string; name: string }>);
    const dot = emojis.find(({ name }) => name === 'dot');
    const reaction = { emoji_name: 'dot', emoji_code: dot?.id, reaction_type: 'realm_emoji' };
    expect(await post(hamlet.client, `messages/${messageId}/reactions`, reaction)).toEqual(success);
    expect(realm).toMatchObject({ realm_name: expect.any(String), realm_topics_policy: expect.any(String) });
  });
});

/**
 * Returns true for endpoints whose successful responses follow another protocol: redirects to images, the tus protocol,
 * and streams of events.
 */
const isOfOtherProtocol = (name: string): boolean =>
  /\/realm\/(icon|logo) 302$|\/tus(\/\{id\})? 20\d$|\/events\/stream 200$/.test(name);

describe('every API response', () => {
  it('has result and msg, except responses with other documented forms', () => {
    const responses = Object.entries(contract.paths ?? {})
      .filter(([path]) => path.startsWith('/api/v1/'))
      .flatMap(([path, item]) =>
        (['get', 'put', 'post', 'patch', 'delete'] as const).flatMap((method) =>
          Object.entries(item[method]?.responses ?? {}).map(([status, response]) => ({
            name: `${method} ${path} ${status}`,
            schema: response.content?.['application/json']?.schema,
          })),
        ),
      );
    const without = responses.filter(({ schema }) => !shapesOf(schema).every(isEnvelope));
    expect(responses.length).toBeGreaterThan(300);
    expect(without.map(({ name }) => name).filter((name) => !isOfOtherProtocol(name))).toEqual([]);
  });

  it('contains a code if it is an error, including errors of the framework and internal errors', async () => {
    const renderer = new ChatErrorRenderer({ bodyLimitBytes: 1 });
    const context: FailedRequestContext = { requestId: 'x', method: 'GET', url: '/' };
    const errors = [
      ...Object.keys(chatErrors.definitions).map((code) => chatErrors.create(code as 'BAD_REQUEST')),
      ...[400, 404, 405, 413, 415, 500, 503].map((status) => renderer.fromHttp(status, 'refused', context)),
      renderer.unknown(),
      new ApplicationError({ code: 'X', status: 400, message: 'x' }),
    ];
    for (const error of errors) {
      expect(renderer.render(error).body).toMatchObject({
        result: 'error',
        msg: expect.stringMatching(/./),
        code: expect.stringMatching(/^[A-Z_]+$/),
      });
    }
    const wrongVerb = await hamlet.client.put<Json>('/api/v1/messages', { unchecked: true });
    expect(wrongVerb.body).toMatchObject({ result: 'error', code: 'METHOD_NOT_ALLOWED' });
  });
});

describe('endpoints that return no data', () => {
  const requests: [endpoint: string, request: () => Promise<Json>][] = [
    [
      'PATCH /users/me/profile_data',
      () => send(hamlet.client, 'patch', 'users/me/profile_data', { data: [{ id: 1, value: '1' }] }),
    ],
    [
      'DELETE /messages/{message_id}/reactions',
      async () => {
        await post(iago.client, `messages/${messageId}/reactions`, { emoji_name: 'tada' });
        // The Python client takes path parameters from the form, and still sends the whole form.
        const form = { message_id: messageId, emoji_name: 'tada' };
        const path = `/api/v1/messages/${messageId}/reactions`;
        return (await iago.client.delete<Json>(path, { form, unchecked: true })).body;
      },
    ],
    [
      'PATCH /navigation_views/{fragment}',
      async () => {
        await post(iago.client, 'navigation_views', { fragment: 'inbox', is_pinned: true });
        return send(iago.client, 'patch', 'navigation_views/inbox', { is_pinned: false });
      },
    ],
    [
      'POST /user_groups/{user_group_id}/subgroups',
      async () => {
        const made = { description: '', members: [] };
        const { group_id: outer } = await post(iago.client, 'user_groups/create', { ...made, name: 'outer' });
        const { group_id: inner } = await post(iago.client, 'user_groups/create', { ...made, name: 'inner' });
        return post(iago.client, `user_groups/${String(outer)}/subgroups`, { add: [inner] });
      },
    ],
    ['POST /typing', () => post(iago.client, 'typing', { op: 'start', to: [hamlet.id] })],
    ['POST /users/me/status', () => post(iago.client, 'users/me/status', { status_text: 'x' })],
    ['PATCH /settings', () => send(iago.client, 'patch', 'settings', { color_scheme: 2 })],
    ['PATCH /users/{email}', () => send(iago.client, 'patch', `users/${hamlet.email}`, { full_name: 'Prince Hamlet' })],
  ];

  it.each(requests)('respond with result and msg only: %s', async (_endpoint, request) => {
    expect(await request()).toEqual(success);
  });
});

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: Schema[];
  readonly oneOf?: Schema[];
  readonly required?: string[];
  readonly properties?: Record<string, { const?: string }>;
}

/** Returns the alternatives of a JSON schema (`anyOf`), or the schema itself. */
function shapesOf(given: unknown): Schema[] {
  const schema = given as Schema | undefined;
  if (schema === undefined) return [{}];
  if (schema.$ref !== undefined) {
    return shapesOf(contract.components?.schemas?.[schema.$ref.split('/').at(-1) ?? '']);
  }
  const alternatives = schema.anyOf ?? schema.oneOf;
  return alternatives === undefined ? [schema] : alternatives.flatMap(shapesOf);
}

function isEnvelope({ required = [], properties = {} }: Schema): boolean {
  const names = properties['result']?.const === 'error' ? ['result', 'msg', 'code'] : ['result', 'msg'];
  return names.every((name) => required.includes(name));
}

describe('invalid requests', () => {
  const long = 'x'.repeat(61);
  const draft = { type: 'stream', topic: 't', content: 'c' };
  const reactions = () => `messages/${messageId}/reactions`;
  const requests: [condition: string, request: () => Promise<Json>][] = [
    [
      'typing in a channel without a channel',
      () => post(hamlet.client, 'typing', { type: 'channel', op: 'start', topic: 't' }),
    ],
    ['a status without new values', () => post(hamlet.client, 'users/me/status', {})],
    ['a status_text longer than 60', () => post(hamlet.client, 'users/me/status', { status_text: long })],
    ['an emoji_code without emoji_name', () => post(hamlet.client, 'users/me/status', { emoji_code: '1f697' })],
    [
      'a reaction_type without emoji_name',
      () => post(hamlet.client, 'users/me/status', { reaction_type: 'unicode_emoji' }),
    ],
    ['an unknown emoji', () => post(hamlet.client, reactions(), { emoji_name: 'no_such_emoji' })],
    ['an invalid emoji name', () => post(hamlet.client, reactions(), { emoji_name: 'smile', emoji_code: '1f697' })],
    [
      'an invalid custom emoji',
      () => post(hamlet.client, reactions(), { emoji_name: 'x', emoji_code: '999999', reaction_type: 'realm_emoji' }),
    ],
    [
      'an invalid emoji code of a reaction to remove',
      () =>
        send(hamlet.client, 'delete', reactions(), {
          emoji_name: 'smile',
          emoji_code: 'zz',
          reaction_type: 'unicode_emoji',
        }),
    ],
    ['a channel draft without a channel', () => post(hamlet.client, 'drafts', { drafts: [{ ...draft, to: [] }] })],
    ['a channel draft for two', () => post(hamlet.client, 'drafts', { drafts: [{ ...draft, to: [veronaId, 2] }] })],
    [
      'a profile field that one may not edit',
      () => send(hamlet.client, 'patch', 'users/me/profile_data', { data: [{ id: pinnedFieldId, value: 'x' }] }),
    ],
    [
      'an unknown profile field',
      () => send(hamlet.client, 'patch', 'users/me/profile_data', { data: [{ id: 999_999, value: 'x' }] }),
    ],
    ['a guest made administrator', () => send(desdemona.client, 'patch', `users/${polonius.email}`, { role: 200 })],
    [
      'a built-in view with a name',
      () => post(hamlet.client, 'navigation_views', { fragment: 'inbox', is_pinned: true, name: 'X' }),
    ],
    [
      'message_ids together with a range',
      () => get(hamlet.client, 'messages', { message_ids: '[1]', num_before: '1' }),
    ],
    [
      'more than 5000 messages',
      () => get(hamlet.client, 'messages', { anchor: 'newest', num_before: '5000', num_after: '1' }),
    ],
    ['a registration of nobody with client_gravatar', () => registerUnsigned({ client_gravatar: true })],
    [
      'a registration of nobody with include_subscribers',
      () => registerUnsigned({ client_gravatar: false, include_subscribers: true }),
    ],
  ];

  async function registerUnsigned(form: Json): Promise<Json> {
    expect(await send(iago.client, 'patch', 'realm', { enable_spectator_access: true })).toMatchObject(success);
    const response = await post(chat.client, 'register', form);
    await send(iago.client, 'patch', 'realm', { enable_spectator_access: false });
    return response;
  }

  it.each(requests)('receive the error BAD_REQUEST for %s', async (_condition, request) => {
    expect(await request()).toEqual({ result: 'error', msg: expect.stringMatching(/./), code: 'BAD_REQUEST' });
  });

  it('receive the error NOT_FOUND for an unknown navigation view', async () => {
    const { status, body } = await hamlet.client.patch<Json>('/api/v1/navigation_views/narrow%2Fnone', {
      form: { is_pinned: true },
    });
    expect({ status, body }).toEqual({
      status: 404,
      body: { result: 'error', msg: expect.stringMatching(/./), code: 'NOT_FOUND' },
    });
  });
});

describe('feature levels of the API', () => {
  it('retain deprecated endpoints and parameters', async () => {
    const mute = { stream_id: veronaId, topic: 'conformance', op: 'add' };
    expect(await send(hamlet.client, 'patch', 'users/me/subscriptions/muted_topics', mute)).toEqual(success);
    const { user_topics: topics } = await post(hamlet.client, 'register', { fetch_event_types: ['user_topic'] });
    expect(topics).toMatchObject([{ stream_id: veronaId, topic_name: 'conformance', visibility_policy: 1 }]);
    const topic = { stream_id: veronaId, topic_name: 'conformance' };
    expect(await post(hamlet.client, 'mark_topic_as_read', topic)).toMatchObject(success);
    for (const path of ['settings/display', 'settings/notifications']) {
      expect(await send(hamlet.client, 'patch', path, { color_scheme: 2, enable_sounds: false })).toMatchObject(
        success,
      );
    }
    const range = { num_before: '1', num_after: '0', use_first_unread_anchor: 'true' };
    expect(await get(hamlet.client, 'messages', range)).toMatchObject(success);
    expect(await post(hamlet.client, 'users/me/status', { away: true })).toMatchObject(success);
    await post(hamlet.client, 'users/me/status', { away: false });
  });

  it('provide the fields, parameters and errors that feature levels up to 481 added', async () => {
    const { zulip_feature_level: level, ...registered } = await post(hamlet.client, 'register', {
      idle_queue_timeout: 1000,
    });
    expect(level).toBeGreaterThanOrEqual(481);
    expect(registered).toMatchObject({
      idle_queue_timeout_secs: 1000,
      realm_empty_topic_display_name: expect.any(String),
    });
    const form = { dense_mode: 'true' };
    expect((await hamlet.client.patch('/api/v1/settings', { form, unchecked: true })).body).toEqual({
      ...success,
      ignored_parameters_unsupported: ['dense_mode'],
    });
    expect(registered['user_settings']).not.toHaveProperty('dense_mode');
    const nameless = { type: 'channel', to: 'Verona', topic: '', content: 'no topic' };
    const { id } = await post(hamlet.client, 'messages', nameless);
    const query = { message_ids: JSON.stringify([id]), allow_empty_topic_name: 'true' };
    expect(await get(hamlet.client, 'messages', query)).toMatchObject({ messages: [{ id, subject: '' }] });
    expect(await get(iago.client, `users/${hamlet.email}`)).toMatchObject({ user: { user_id: hamlet.id } });
    const target_users = { user_ids: [polonius.id] };
    expect(await send(iago.client, 'patch', 'settings', { target_users, color_scheme: 2 })).toEqual(success);
    expect(
      await send(hamlet.client, 'delete', `messages/${messageId}/reactions`, { emoji_name: 'tada' }),
    ).toMatchObject({
      code: 'REACTION_DOES_NOT_EXIST',
    });
  });
});
