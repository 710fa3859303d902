import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet] = await Promise.all([signIn(chat, 'iago'), signIn(chat, 'hamlet')]);
});
afterAll(() => cluster.stop());

const subscriptionsPath = '/api/v1/users/me/subscriptions';

function manyChannels(count: number, description: string) {
  return Array.from({ length: count }, (_, index) => ({ name: `large ${count}-${index}`, description }));
}

/** Sends a form and returns the status and the text of the response. */
async function send(user: DemoUser, path: string, form: Record<string, string>) {
  const { status, body } = await user.client.post<{ msg: string }>(path, { form });
  return { status, msg: body.msg };
}

async function count(sql: string): Promise<number> {
  const { rows } = await chat.runtime.database.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${sql}`);
  return rows[0]?.count ?? 0;
}

async function sendMessage(user: DemoUser, content: string): Promise<number> {
  const form = { type: 'channel', to: 'Verona', topic: 'large', content };
  const { body } = await user.client.post<{ id: number }>('/api/v1/messages', { form });
  return body.id;
}

describe('POST /users/me/subscriptions', { timeout: 60_000 }, () => {
  it('responds 400 to more channels than one request may contain, and creates no channel', async () => {
    const subscriptions = JSON.stringify(manyChannels(1_500, ''));
    const refused = { status: 400, msg: 'subscriptions is too long (limit: 1000 items)' };
    expect(await send(iago, subscriptionsPath, { subscriptions })).toEqual(refused);
    expect(await count("channels WHERE name LIKE 'large 1500-%'")).toBe(0);
  });

  it('divides a subscription event that exceeds the maximum size of an event log entry', async () => {
    const queue = await openTestEventQueue(chat, iago, ['subscription']);
    const wanted = manyChannels(400, 'x'.repeat(1_000));
    expect(await send(iago, subscriptionsPath, { subscriptions: JSON.stringify(wanted) })).toMatchObject({
      status: 200,
    });
    const events = (await queue.read()).filter(({ op }) => op === 'add');
    expect(events.length).toBeGreaterThan(1);
    const names = events.flatMap(({ subscriptions }) => subscriptions as { name: string }[]).map(({ name }) => name);
    expect(names.toSorted()).toEqual(wanted.map(({ name }) => name).toSorted());
  });

  it('responds 400 to more subscriptions than one request may create', async () => {
    const subscriptions = JSON.stringify(manyChannels(100, ''));
    const principals = JSON.stringify(Array.from({ length: 1_001 }, () => hamlet.id));
    const refused = { status: 400, msg: 'Too many subscriptions in one request (limit: 100000)' };
    expect(await send(iago, subscriptionsPath, { subscriptions, principals })).toEqual(refused);
  });
});

describe('POST /drafts', { timeout: 60_000 }, () => {
  function drafts(length: number, content: string): string {
    return JSON.stringify(Array.from({ length }, () => ({ type: '', to: [], topic: '', content })));
  }

  it('responds 400 to more drafts than one request may store', async () => {
    const refused = { status: 400, msg: 'drafts is too long (limit: 1000 items)' };
    expect(await send(hamlet, '/api/v1/drafts', { drafts: drafts(8_000, 'x') })).toEqual(refused);
  });

  it('divides a draft event that exceeds the size of a log entry', async () => {
    const queue = await openTestEventQueue(chat, hamlet, ['drafts']);
    expect(await send(hamlet, '/api/v1/drafts', { drafts: drafts(900, 'x'.repeat(2_000)) })).toMatchObject({
      status: 200,
    });
    const events = await queue.read();
    expect(events.length).toBeGreaterThan(1);
    expect(events.flatMap(({ drafts: stored }) => stored)).toHaveLength(900);
  });
});

describe('POST /submessage', () => {
  it('responds 400 to content longer than a message', async () => {
    const id = String(await sendMessage(iago, '/poll Which?'));
    const content = JSON.stringify({ type: 'vote', key: 'x'.repeat(10_000) });
    const refused = { status: 400, msg: 'content is too long (limit: 10000 characters)' };
    expect(await send(hamlet, '/api/v1/submessage', { message_id: id, msg_type: 'widget', content })).toEqual(refused);
  });

  it('responds 400 to submessages beyond the limit of a message', async () => {
    const id = await sendMessage(iago, '/poll Which?');
    await chat.runtime.database.query(
      `INSERT INTO submessages (message_id, sender_id, msg_type, content)
       SELECT $1, $2, 'widget', to_json(repeat('x', 9990))::text FROM generate_series(1, 100)`,
      [id, iago.id],
    );
    const form = { message_id: String(id), msg_type: 'widget', content: JSON.stringify('x'.repeat(1_000)) };
    const refused = { status: 400, msg: 'This message has too many submessages.' };
    expect(await send(hamlet, '/api/v1/submessage', form)).toEqual(refused);
  });
});

describe('POST /messages', () => {
  it('responds 400 to a direct message with more recipients than a conversation may have', async () => {
    const to = JSON.stringify(Array.from({ length: 501 }, (_, index) => index + 1));
    const refused = { status: 400, msg: 'to is too long (limit: 500 items)' };
    expect(await send(hamlet, '/api/v1/messages', { type: 'direct', to, content: 'x' })).toEqual(refused);
  });
});

describe('POST /user_topics', () => {
  it('responds 400 when the user would have more muted topics than one event can list', async () => {
    const { rows } = await chat.runtime.database.query<{ id: number }>("SELECT id FROM channels WHERE name = 'Verona'");
    await chat.runtime.database.query(
      `INSERT INTO user_topics (user_id, channel_id, topic_key, topic, visibility_policy)
       SELECT $1, $2, 'muted ' || n, 'muted ' || n, 1 FROM generate_series(1, 3000) n`,
      [hamlet.id, rows[0]?.id],
    );
    const form = { stream_id: String(rows[0]?.id), topic: 'one more' };
    const refused = { status: 400, msg: 'You have muted too many topics (limit: 3000).' };
    expect(await send(hamlet, '/api/v1/user_topics', { ...form, visibility_policy: '1' })).toEqual(refused);
    expect(await send(hamlet, '/api/v1/user_topics', { ...form, visibility_policy: '3' })).toMatchObject({
      status: 200,
    });
  });
});

describe('POST /users/me/subscriptions with very many fields', () => {
  it('responds 400 to a form with more than 1000 fields', async () => {
    const form = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`field${index}`, '1']));
    const refused = { status: 400, msg: 'The body has too many fields (limit: 1000)' };
    expect(await send(hamlet, '/api/v1/drafts', form)).toEqual(refused);
  });
});
