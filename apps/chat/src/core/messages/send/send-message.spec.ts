import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from '../../../../test/chat-server.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let hamlet: DemoUser;
let polonius: DemoUser;
let zoe: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [iago, hamlet, polonius, zoe] = await Promise.all([
    signIn(chat, 'iago'),
    signIn(chat, 'hamlet'),
    signIn(chat, 'polonius'),
    signIn(chat, 'ZOE'),
  ]);
});
afterAll(() => cluster.stop());

interface Message {
  id: number;
  content: string;
  subject: string;
  display_recipient: unknown;
  flags: string[];
  client: string;
  type: string;
  is_me_message: boolean;
}

const send = (user: DemoUser, form: Record<string, string>) =>
  user.client.post<{ id: number; msg: string; code: string }>('/api/v1/messages', { form });

async function fetchOne(user: DemoUser, id: number): Promise<Message | undefined> {
  const { body } = await user.client.get<{ messages: Message[] }>('/api/v1/messages', {
    query: { message_ids: JSON.stringify([id]), allow_empty_topic_name: 'true' },
  });
  return body.messages[0];
}

async function sendAndFetch(user: DemoUser, form: Record<string, string>): Promise<Message> {
  const { status, body } = await send(user, form);
  expect({ status, msg: body.msg }).toEqual({ status: 200, msg: '' });
  const message = await fetchOne(user, body.id);
  if (message === undefined) throw new Error('The sender cannot see it');
  return message;
}

async function channelId(name: string): Promise<number> {
  const { rows } = await chat.runtime.database.query<{ id: number }>('SELECT id FROM channels WHERE name = $1', [name]);
  return rows[0]!.id;
}

const toVerona = { type: 'channel', to: 'Verona', topic: 'sending', content: 'hello' };

describe('POST /messages to a channel', () => {
  it.each([
    ['its name', () => 'Verona'],
    ['its name in another case', () => 'vERONA'],
    ['its name as JSON', () => '"Verona"'],
    ['its name in a list', () => '["Verona"]'],
    ['its id', async () => String(await channelId('Verona'))],
    ['its id in a list', async () => JSON.stringify([await channelId('Verona')])],
  ])('accepts the channel as %s', async (_name, to) => {
    const message = await sendAndFetch(iago, { ...toVerona, to: await to() });
    expect(message).toMatchObject({ type: 'stream', display_recipient: 'Verona', subject: 'sending' });
  });

  it('accepts the older names of type and topic', async () => {
    expect(await sendAndFetch(iago, { type: 'stream', to: 'Verona', subject: 'older', content: 'x' })).toMatchObject({
      subject: 'older',
    });
  });

  it.each([
    ['trims the topic', { topic: '  spaced  ' }, { subject: 'spaced' }],
    ['cuts a long topic', { topic: 'x'.repeat(70) }, { subject: `${'x'.repeat(57)}...` }],
    ['takes (no topic) for the empty topic', { topic: '(no topic)' }, { subject: '' }],
    ['takes the display name of the empty topic for it', { topic: 'general chat' }, { subject: '' }],
    ['strips blank lines before and blanks after', { content: '\n\nx  \n' }, { content: '<p>x</p>' }],
    ['marks a status message', { content: '/me waves' }, { is_me_message: true }],
  ])('normalizes the sent message: the server %s', async (_name, form, expected) => {
    expect(await sendAndFetch(iago, { ...toVerona, ...form })).toMatchObject(expected);
  });

  it('truncates content at 10,000 characters', async () => {
    const { body } = await send(iago, { ...toVerona, content: 'x'.repeat(10_100) });
    const { rows } = await chat.runtime.database.query<{ content: string }>(
      'SELECT content FROM message_texts WHERE message_id = $1',
      [body.id],
    );
    expect(rows[0]?.content).toHaveLength(10_000);
    expect(rows[0]?.content.endsWith('\n[message truncated]')).toBe(true);
  });

  it.each([
    ['an empty content', { content: ' \n ' }, 'Message must not be empty'],
    ['a null byte', { content: 'a\u0000b' }, 'Message must not contain null bytes'],
    ['a control character in the topic', { topic: 'a\nb' }, 'Invalid character in topic, at position 2!'],
    ['several channels', { to: '["Verona", "Denmark"]' }, 'Cannot send to multiple channels'],
    ['no name', { to: '' }, 'Missing channel'],
    ['another kind of message', { type: 'pigeon' }, 'Invalid type'],
  ])('rejects an invalid message: %s', async (_name, form, msg) => {
    const { status, body } = await send(iago, { ...toVerona, ...form });
    expect({ status, body }).toEqual({ status: 400, body: { result: 'error', code: 'BAD_REQUEST', msg } });
  });

  it("sends to the bot's default channel when a bot names none", async () => {
    const bot = await signIn(chat, 'default-bot');
    const { to: _to, ...unaddressed } = toVerona;
    expect((await send(bot, unaddressed)).body).toMatchObject({ code: 'BAD_REQUEST', msg: 'Missing channel' });
    await chat.runtime.database.query('UPDATE users SET default_sending_channel_id = $2 WHERE id = $1', [
      bot.id,
      await channelId('Verona'),
    ]);
    expect(await sendAndFetch(bot, unaddressed)).toMatchObject({ display_recipient: 'Verona' });
  });

  it('responds for a private channel hidden from the sender as for a nonexistent channel', async () => {
    const response = async (to: string) => {
      const { status, text } = await send(zoe, { ...toVerona, to });
      return { status, text: text.replaceAll(to, 'NAME') };
    };
    expect(await response('core team')).toEqual(await response('no such channel'));
    const byId = await send(zoe, { ...toVerona, to: String(await channelId('core team')) });
    expect(byId.body).toMatchObject({ code: 'STREAM_DOES_NOT_EXIST' });
    const missing = await send(zoe, { ...toVerona, to: '[987654]' });
    expect(missing.body).toMatchObject({
      code: 'STREAM_DOES_NOT_EXIST',
      msg: "Channel with ID '987654' does not exist",
      stream_id: 987_654,
    });
  });

  it('hides public channels from guests who do not subscribe to them', async () => {
    expect((await send(polonius, { ...toVerona, to: 'Denmark' })).body).toMatchObject({
      code: 'STREAM_DOES_NOT_EXIST',
    });
    expect((await send(polonius, toVerona)).status).toBe(200);
  });

  it('accepts posts of unsubscribed members to public channels, and rejects posts of unsubscribed administrators to private channels', async () => {
    expect((await send(hamlet, { ...toVerona, to: 'Scotland' })).status).toBe(200);
    const { database } = chat.runtime;
    await database.query('UPDATE subscriptions SET is_active = false WHERE user_id = $1 AND channel_id = $2', [
      iago.id,
      await channelId('core team'),
    ]);
    expect((await send(iago, { ...toVerona, to: 'core team' })).body).toMatchObject({
      msg: "Not authorized to send to channel 'core team'",
    });
    await database.query('UPDATE subscriptions SET is_active = true WHERE user_id = $1', [iago.id]);
  });

  it('enforces the posting permission and the topic policy of the channel', async () => {
    const { database } = chat.runtime;
    const id = await channelId('announce');
    const group = async (name: string) => {
      const { rows } = await database.query<{ id: number }>('SELECT id FROM user_groups WHERE name = $1', [name]);
      return rows[0]!.id;
    };
    const announce = { ...toVerona, to: 'announce' };
    await database.query('UPDATE channels SET can_send_message_group_id = $2 WHERE id = $1', [
      id,
      await group('role:moderators'),
    ]);
    expect((await send(hamlet, announce)).body).toMatchObject({ msg: "Not authorized to send to channel 'announce'" });
    expect((await send(iago, announce)).status).toBe(200);
    await database.query(
      "UPDATE channels SET can_create_topic_group_id = $2, topics_policy = 'disable_empty_topic' WHERE id = $1",
      [id, await group('role:owners')],
    );
    expect((await send(iago, { ...announce, topic: '' })).body).toMatchObject({
      msg: 'Topics are required in this organization.',
    });
    expect((await send(iago, { ...announce, topic: 'new one' })).body).toMatchObject({
      msg: 'You do not have permission to create new topics in this channel.',
    });
    expect((await send(iago, { ...announce, topic: 'SENDING' })).status).toBe(200);
  });

  it('lets bots send messages and create topics while the owner of the bot has the permissions', async () => {
    const { database } = chat.runtime;
    const id = await channelId('Denmark');
    const bot = await hamlet.client.post<{ api_key: string }>('/api/v1/bots', {
      form: { full_name: 'Clerk', short_name: 'clerk', bot_type: '2' },
    });
    const headers = createBasicAuthorization('clerk-bot@example.com', bot.body.api_key);
    const sendAsBot = (topic: string) =>
      chat.client.post<{ msg: string }>('/api/v1/messages', { form: { ...toVerona, to: 'Denmark', topic }, headers });
    const group = await hamlet.client.post<{ group_id: number }>('/api/v1/user_groups/create', {
      form: { name: 'clerks', description: '', members: JSON.stringify([hamlet.id]) },
    });
    const { rows } = await database.query<{ can_send: number; can_create: number }>(
      `UPDATE channels SET can_send_message_group_id = $2, can_create_topic_group_id = $2 FROM channels old
       WHERE channels.id = $1 AND old.id = $1
       RETURNING old.can_send_message_group_id AS can_send, old.can_create_topic_group_id AS can_create`,
      [id, group.body.group_id],
    );
    expect(await sendAsBot('by a bot')).toMatchObject({ status: 200 });
    await database.query('DELETE FROM user_group_members WHERE group_id = $1', [group.body.group_id]);
    expect((await sendAsBot('by a bot')).body.msg).toBe("Not authorized to send to channel 'Denmark'");
    await database.query('UPDATE channels SET can_send_message_group_id = $2 WHERE id = $1', [id, rows[0]?.can_send]);
    expect((await sendAsBot('another')).body.msg).toContain('permission to create new topics');
    expect(await sendAsBot('by a bot')).toMatchObject({ status: 200 });
    await database.query('UPDATE channels SET can_create_topic_group_id = $2 WHERE id = $1', [id, rows[0]?.can_create]);
  });

  it('writes a row of user_messages for every active subscriber', async () => {
    const message = await sendAndFetch(iago, toVerona);
    const { rows } = await chat.runtime.database.query<{ received: number; subscribed: number }>(
      `SELECT (SELECT count(*) FROM user_messages WHERE message_id = $1) AS received,
         (SELECT count(*) FROM subscriptions WHERE channel_id = $2 AND is_active) AS subscribed`,
      [message.id, await channelId('Verona')],
    );
    expect(rows[0]?.received).toBe(rows[0]?.subscribed);
  });

  it('marks a message as read for its sender, unless an API client for bots sent it', async () => {
    expect((await sendAndFetch(iago, { ...toVerona, client: 'my-script' })).flags).toEqual([]);
    expect((await sendAndFetch(iago, { ...toVerona, client: 'ZulipMobile' })).flags).toEqual(['read']);
    expect((await sendAndFetch(iago, { ...toVerona, read_by_sender: 'true' })).flags).toEqual(['read']);
    const asBrowser = await iago.client.post<{ id: number }>('/api/v1/messages', {
      form: { ...toVerona, read_by_sender: 'false' },
      headers: { 'user-agent': 'ZulipTerminal/1.0 (Linux)' },
    });
    expect(await fetchOne(iago, asBrowser.body.id)).toMatchObject({ client: 'ZulipTerminal', flags: [] });
  });
});

describe('POST /messages: mentions', () => {
  it('sets the mentioned flag for the named users, or for no user if the mention is silent', async () => {
    const message = await sendAndFetch(iago, { ...toVerona, content: `@**King Hamlet** @_**Zoe** @**Nobody Here**` });
    expect((await fetchOne(hamlet, message.id))?.flags).toEqual(['mentioned']);
    expect((await fetchOne(zoe, message.id))?.flags).toEqual([]);
    expect(message.content).toContain(`<span class="user-mention" data-user-id="${hamlet.id}">@King Hamlet</span>`);
  });

  it('sets the mentioned flag for members of a mentioned group, and requires permission to mention the group', async () => {
    const { database } = chat.runtime;
    const refused = await send(hamlet, { ...toVerona, content: '@*role:moderators*' });
    expect(refused.body).toMatchObject({ msg: "You are not allowed to mention user group 'role:moderators'." });
    await database.query(
      `UPDATE user_groups SET can_mention_group_id = (SELECT id FROM user_groups WHERE name = 'role:everyone')
       WHERE name = 'role:moderators'`,
    );
    const message = await sendAndFetch(hamlet, { ...toVerona, content: '@*role:moderators*' });
    expect((await fetchOne(iago, message.id))?.flags).toEqual(['mentioned']);
    expect((await fetchOne(zoe, message.id))?.flags).toEqual([]);
  });

  it('sets the mentioned flag for all subscribers with @all, and for topic participants with @topic', async () => {
    const all = await sendAndFetch(hamlet, { ...toVerona, content: '@**all**' });
    expect((await fetchOne(zoe, all.id))?.flags).toEqual(['stream_wildcard_mentioned', 'wildcard_mentioned']);
    await sendAndFetch(zoe, { ...toVerona, topic: 'wild' });
    const topic = await sendAndFetch(hamlet, { ...toVerona, topic: 'WILD', content: '@**topic**' });
    expect((await fetchOne(zoe, topic.id))?.flags).toEqual(['topic_wildcard_mentioned', 'wildcard_mentioned']);
    expect((await fetchOne(iago, topic.id))?.flags).toEqual([]);
  });

  it('requires permission for wildcard mentions in large channels', async () => {
    const { database } = chat.runtime;
    const [id, realm] = [await channelId('Verona'), 1];
    await database.query(
      `WITH made AS (INSERT INTO users (realm_id, delivery_email, delivery_email_key, full_name, role)
         SELECT $1, 'extra' || n || '@example.com', 'extra' || n || '@example.com', 'Extra ' || n, 400
         FROM generate_series(1, 10) n RETURNING id)
       INSERT INTO subscriptions (user_id, channel_id, color) SELECT id, $2, '#76ce90' FROM made`,
      [realm, id],
    );
    const content = '@**all**';
    expect((await send(hamlet, { ...toVerona, content })).body).toMatchObject({
      code: 'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
    });
    expect((await send(iago, { ...toVerona, content })).status).toBe(200);
  });
});

describe('POST /messages: direct messages', () => {
  const direct = { type: 'direct', content: 'psst' };

  it.each([
    ['ids', () => JSON.stringify([hamlet.id, zoe.id]), 3],
    ['one id', () => String(hamlet.id), 2],
    ['ids separated by commas', () => `${hamlet.id},${zoe.id}`, 3],
    ['addresses', () => JSON.stringify(['hamlet@example.com']), 2],
    ['addresses separated by commas', () => 'hamlet@example.com, ZOE@example.com', 3],
    ['addresses that stand for hidden ones', () => `user${hamlet.id}@zulipdev.com`, 2],
    ['the sender alone', () => JSON.stringify([iago.id]), 1],
    ['the same person twice', () => JSON.stringify([hamlet.id, hamlet.id]), 2],
  ])('accepts recipients as %s', async (_name, to, people) => {
    const message = await sendAndFetch(iago, { ...direct, to: to() });
    expect(message.type).toBe('private');
    expect(message.display_recipient).toHaveLength(people);
  });

  it('uses one conversation for the same set of participants', async () => {
    const there = await send(iago, { ...direct, to: `[${hamlet.id}]` });
    const back = await send(hamlet, { ...direct, type: 'private', to: `[${iago.id}]` });
    const { rows } = await chat.runtime.database.query<{ recipient_id: number }>(
      'SELECT DISTINCT recipient_id FROM messages WHERE id = ANY($1)',
      [[there.body.id, back.body.id]],
    );
    expect(rows).toHaveLength(1);
  });

  it('creates one conversation for two concurrent first messages', async () => {
    const responses = await Promise.all([
      send(zoe, { ...direct, to: `[${polonius.id}]` }),
      send(polonius, { ...direct, to: `[${zoe.id}]` }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  });

  it.each([
    ['an unknown id', () => '[987654]', 'Invalid user ID 987654'],
    ['an unknown address', () => 'nobody@example.com', "Invalid email 'nobody@example.com'"],
    ['nobody', () => '[]', 'Message must have recipients'],
    ['something else', () => '[{}]', 'Invalid data type for recipients'],
  ])('rejects invalid recipients: %s', async (_name, to, msg) => {
    expect((await send(iago, { ...direct, to: to() })).body).toMatchObject({ code: 'BAD_REQUEST', msg });
  });

  it('responds for an email address hidden from the sender as for an unknown address', async () => {
    const { body } = await send(hamlet, { ...direct, to: 'ZOE@example.com' });
    expect(body).toMatchObject({ msg: "Invalid email 'ZOE@example.com'" });
  });

  it('enforces the permissions for direct messages', async () => {
    const { database } = chat.runtime;
    const set = (setting: string, group: string) =>
      database.query(
        `UPDATE realm_permissions SET group_id = (SELECT id FROM user_groups WHERE name = $2) WHERE setting = $1`,
        [setting, group],
      );
    await set('direct_message_initiator_group', 'role:owners');
    expect((await send(hamlet, { ...direct, to: `[${hamlet.id},${zoe.id},${polonius.id}]` })).body).toMatchObject({
      msg: 'You do not have permission to initiate direct message conversations.',
    });
    expect((await send(hamlet, { ...direct, to: `[${iago.id}]` })).status).toBe(200);
    await set('direct_message_permission_group', 'role:nobody');
    expect((await send(iago, { ...direct, to: `[${hamlet.id}]` })).body).toMatchObject({
      msg: 'Direct messages are disabled in this organization.',
    });
  });

  it('responds 401 without credentials', async () => {
    const { status } = await chat.client.post('/api/v1/messages', { form: toVerona });
    expect(status).toBe(401);
  });
});
