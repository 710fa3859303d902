import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';

let cluster: ChatCluster;
let processes: ChatProcess[];
let iago: DemoUser;
let hamlet: DemoUser;
let polonius: DemoUser;
/** Linkifiers that the demo realm contains before the tests change them. */
let demo: Json[];

beforeAll(async () => {
  cluster = await chatCluster();
  processes = [await cluster.start(), await cluster.start()];
  [iago, hamlet, polonius] = await Promise.all([
    signIn(processes[0]!, 'iago'),
    signIn(processes[1]!, 'hamlet'),
    signIn(processes[0]!, 'polonius'),
  ]);
  demo = await list(iago);
  await remove(iago, demo[0]?.['id']);
});
afterAll(() => cluster.stop());

type Json = Record<string, unknown>;

const filters = '/api/v1/realm/filters';
const linkifiers = '/api/v1/realm/linkifiers';
const ticket = { pattern: 'T(?P<id>[0-9]+)', url_template: 'https://tickets.example.com/{id}' };

async function add(user: DemoUser, form: Record<string, string>): Promise<Json> {
  return (await user.client.post<Json>(filters, { form })).body;
}

async function update(user: DemoUser, id: unknown, form: Record<string, string>): Promise<Json> {
  return (await user.client.patch<Json>(`${filters}/${String(id)}`, { form })).body;
}

async function remove(user: DemoUser, id: unknown): Promise<Json> {
  return (await user.client.delete<Json>(`${filters}/${String(id)}`)).body;
}

async function reorder(user: DemoUser, order: unknown): Promise<Json> {
  return (await user.client.patch<Json>(linkifiers, { form: { ordered_linkifier_ids: JSON.stringify(order) } })).body;
}

async function list(user: DemoUser): Promise<Json[]> {
  return (await user.client.get<{ linkifiers: Json[] }>(linkifiers)).body.linkifiers;
}

async function snapshot(user: DemoUser, capabilities: Json) {
  const { body } = await user.client.post<Json & { queue_id: string }>('/api/v1/register', {
    form: {
      event_types: '["realm_linkifiers"]',
      fetch_event_types: '["realm_linkifiers", "realm_filters"]',
      client_capabilities: JSON.stringify(capabilities),
    },
  });
  return body;
}

async function eventsOf(user: DemoUser, queueId: string): Promise<Json[]> {
  await processes[0]!.runtime.eventLog.sweep();
  const { body } = await user.client.get<{ events: Json[] }>('/api/v1/events', {
    query: { queue_id: queueId, last_event_id: -1, dont_block: true },
  });
  return body.events;
}

async function fetchRendered(user: DemoUser, content: string): Promise<unknown> {
  return (await user.client.post<Json>('/api/v1/messages/render', { form: { content } })).body['rendered'];
}

describe('endpoints of linkifiers', () => {
  it('list each linkifier of the demo realm once', () => {
    expect(demo).toMatchObject([{ pattern: '#D(?P<id>[0-9]{2,8})' }]);
  });

  it('let administrators create linkifiers, and emit them to clients that support URL templates', async () => {
    const watchers = await Promise.all(
      [hamlet, polonius].map(async (user) => ({
        user,
        newer: await snapshot(user, { linkifier_url_template: true }),
        older: await snapshot(user, {}),
      })),
    );
    const { id } = await add(iago, ticket);
    expect(await list(polonius)).toEqual([{ id, ...ticket }]);
    for (const { user, newer, older } of watchers) {
      const { realm_linkifiers: afresh } = await snapshot(user, { linkifier_url_template: true });
      expect(afresh).toEqual([{ id, ...ticket }]);
      expect(await eventsOf(user, newer.queue_id)).toMatchObject([{ realm_linkifiers: afresh }]);
      expect(await eventsOf(user, older.queue_id)).toEqual([]);
      expect(await snapshot(user, {})).toMatchObject({ realm_linkifiers: [], realm_filters: [] });
    }
    const { body } = await hamlet.client.get<Json>(filters);
    expect(body).toMatchObject({ filters: [] });
  });

  it('take effect in messages of every process immediately after a linkifier is added or removed', async () => {
    const [first] = await list(hamlet);
    const link = (url: string) => `<p>see <a href="${url}">T77</a></p>`;
    expect(await fetchRendered(hamlet, 'see T77')).toBe(link('https://tickets.example.com/77'));
    await update(iago, first?.['id'], { ...ticket, url_template: 'https://other.example.com/{id}' });
    await expect.poll(() => fetchRendered(hamlet, 'see T77')).toBe(link('https://other.example.com/77'));
    await remove(iago, first?.['id']);
    expect(await fetchRendered(iago, 'see T77')).toBe('<p>see T77</p>');
    await expect.poll(() => fetchRendered(hamlet, 'see T77')).toBe('<p>see T77</p>');
  });

  it('reorder linkifiers, and use the first linkifier that matches a text', async () => {
    const { id: one } = await add(iago, ticket);
    const { id: other } = await add(iago, { pattern: 'T[0-9]+', url_template: 'https://all.example.com/' });
    expect(await fetchRendered(iago, 'T1')).toContain('tickets.example.com');
    expect(await reorder(iago, [other, one])).toMatchObject({ msg: '' });
    expect((await list(iago)).map(({ id }) => id)).toEqual([other, one]);
    expect(await fetchRendered(iago, 'T1')).toContain('all.example.com');
    for (const order of [[one], [one, one], [one, other, 987_654], []]) {
      expect(await reorder(iago, order)).toMatchObject({ code: 'BAD_REQUEST', msg: /enumerate all existing/ });
    }
    await remove(iago, one);
    await remove(iago, other);
  });

  it('make topics of sent and moved messages contain links', async () => {
    const { id } = await add(iago, ticket);
    await expect.poll(() => fetchRendered(hamlet, 'T1')).toContain('<a');
    const { body: queue } = await hamlet.client.post<Json & { queue_id: string }>('/api/v1/register', {
      form: { event_types: '["message", "update_message"]' },
    });
    const form = { type: 'channel', to: 'Verona', topic: 'T5 and T6', content: 'x' };
    const { body: sent } = await hamlet.client.post<{ id: number }>('/api/v1/messages', { form });
    const links = ['5', '6'].map((number) => ({ text: `T${number}`, url: `https://tickets.example.com/${number}` }));
    const moved = [{ text: 'T7', url: 'https://tickets.example.com/7' }];
    const message = `/api/v1/messages/${sent.id}`;
    expect((await hamlet.client.get<Json>(message)).body).toMatchObject({ message: { topic_links: links } });
    const query = { message_ids: JSON.stringify([sent.id]) };
    expect((await hamlet.client.get<Json>('/api/v1/messages', { query })).body).toMatchObject({
      messages: [{ topic_links: links }],
    });
    expect((await iago.client.patch<Json>(message, { form: { topic: 'T7' } })).body).toMatchObject({ msg: '' });
    expect(await eventsOf(hamlet, queue.queue_id)).toMatchObject([
      { type: 'message', message: { topic_links: links } },
      { type: 'update_message', topic_links: moved },
      { type: 'message', message: { sender_full_name: 'Notification Bot', topic_links: moved } },
    ]);
    await remove(iago, id);
  });

  it('change one property of a linkifier and retain its other properties', async () => {
    const alternatives = ['https://old.example.com/{id}'];
    const { id } = await add(iago, {
      ...ticket,
      example_input: 'T12',
      reverse_template: 'T{id}',
      alternative_url_templates: JSON.stringify(alternatives),
    });
    expect(await list(iago)).toEqual([
      { id, ...ticket, example_input: 'T12', reverse_template: 'T{id}', alternative_url_templates: alternatives },
    ]);
    await update(iago, id, ticket);
    expect(await list(iago)).toEqual([{ id, ...ticket }]);
    await remove(iago, id);
  });

  it.each([
    ['a pattern that is none', { pattern: '[a' }, /^Bad regular expression/],
    ['an empty pattern', { pattern: ' ' }, /cannot be blank/],
    ['a group that the template lacks', { url_template: 'https://x.org/' }, /^Group 'id' in linkifier pattern/],
    ['a variable that the pattern lacks', { pattern: 'T' }, /^Group 'id' in URL template/],
    ['a template that is none', { url_template: 'https://x.org/{id' }, /^Invalid URL template/],
    ['an example that does not match', { example_input: 'X1' }, /^Example input does not match/],
    ['a reverse template of other variables', { reverse_template: 'T{x}' }, /^Invalid reverse template/],
    [
      'too many alternatives',
      { alternative_url_templates: JSON.stringify(Array(11).fill('https://x.org/{id}')) },
      /too long/,
    ],
    ['an alternative that is none', { alternative_url_templates: '["javascript:{id}"]' }, /^Invalid URL template/],
    ['a long pattern', { pattern: 'T'.repeat(1001) }, /too long/],
  ])('reject an invalid linkifier: %s', async (_name, form, msg) => {
    const body = await add(iago, { ...ticket, ...form });
    expect(body).toMatchObject({ code: 'BAD_REQUEST', msg: expect.stringMatching(msg) });
    expect(await list(iago)).toEqual([]);
  });

  it('reject a pattern that another linkifier has, and a change of a nonexistent linkifier', async () => {
    const { id } = await add(iago, ticket);
    expect(await add(iago, ticket)).toMatchObject({ msg: 'A linkifier with this pattern already exists.' });
    expect(await update(iago, id, ticket)).toMatchObject({ msg: '' });
    expect(await update(iago, 987_654, ticket)).toMatchObject({ code: 'BAD_REQUEST', msg: 'Linkifier not found.' });
    expect(await remove(iago, 987_654)).toMatchObject({ code: 'BAD_REQUEST', msg: 'Linkifier not found.' });
    await remove(iago, id);
  });

  it('require an administrator to create, change, reorder and delete linkifiers', async () => {
    const refused = { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' };
    for (const user of [hamlet, polonius]) {
      expect(await add(user, ticket)).toMatchObject(refused);
      expect(await update(user, 1, ticket)).toMatchObject(refused);
      expect(await remove(user, 1)).toMatchObject(refused);
      expect(await reorder(user, [])).toMatchObject(refused);
    }
    expect((await processes[0]!.client.get(linkifiers)).status).toBe(401);
    expect((await processes[0]!.client.get(filters)).status).toBe(401);
  });
});

describe('RealmMarkdownSettingsCache.get', () => {
  it('returns changed settings immediately after the change', async () => {
    expect(await fetchRendered(hamlet, '```\nSELECT\n```')).not.toContain('data-code-language');
    const form = { default_code_block_language: 'sql' };
    expect((await iago.client.patch<Json>('/api/v1/realm', { form })).body).toMatchObject({ msg: '' });
    await expect.poll(() => fetchRendered(hamlet, '```\nSELECT\n```')).toContain('data-code-language="SQL"');
  });

  it('converts absolute links to the origin of the request into relative links', async () => {
    expect(await fetchRendered(hamlet, '[x](http://localhost/#narrow/is/starred) https://localhost.evil.org/a')).toBe(
      '<p><a href="/#narrow/is/starred">x</a> <a href="https://localhost.evil.org/a">https://localhost.evil.org/a</a></p>',
    );
  });
});
