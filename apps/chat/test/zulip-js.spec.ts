import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { listenOnFreePort, type ListeningTestService } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import createZulipClient, { type ZulipClient } from 'zulip-js';
import { demoPassword } from '../src/app/demo/index.js';
import { type ChatCluster, chatCluster } from './chat-server.js';

let cluster: ChatCluster;
let server: ListeningTestService;
/** Names of the methods of zulip-js that tests have called. */
const calledMethods = new Set<string>();

beforeAll(async () => {
  cluster = await chatCluster();
  const chat = await cluster.start();
  await chat.runtime.database.query("UPDATE users SET can_create_users = true WHERE full_name = 'Iago'");
  server = await listenOnFreePort(chat.app);
});
afterAll(() => cluster.stop());

const login = async (name: string) =>
  watched(await createZulipClient({ username: `${name}@example.com`, password: demoPassword, realm: server.url }));

/** Wraps an object of zulip-js, so that calls of its methods are recorded. */
function watched<T extends object>(part: T, path = ''): T {
  return new Proxy(part, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      const at = `${path}${String(name)}`;
      if (typeof value === 'function') calledMethods.add(at);
      return typeof value === 'object' && value !== null ? watched(value, `${at}.`) : value;
    },
  });
}

/** Lists the method names of a zulip-js client. */
function methodsOf(part: object, path = ''): string[] {
  return Object.entries(part).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === 'function') return [`${path}${name}`];
    return typeof value === 'object' && value !== null ? methodsOf(value, `${path}${name}.`) : [];
  });
}

const success = { result: 'success', msg: '' };

it('zulip-js receives a message that another client of the user sends', async () => {
  const cordelia = await login('cordelia');
  const iago = await login('iago');
  const queue = await cordelia.queues.register({ event_types: ['message'] });
  expect(queue).toMatchObject({ result: 'success', last_event_id: -1 });
  const polled = cordelia.events.retrieve({ queue_id: queue.queue_id, last_event_id: -1 });
  const sent = await iago.messages.send({ to: 'Verona', type: 'stream', topic: 'npm', content: 'from **zulip-js**' });
  expect(sent).toMatchObject({ result: 'success' });
  const { events } = await polled;
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({
    type: 'message',
    message: {
      id: sent.id,
      content: 'from **zulip-js**',
      sender_full_name: 'Iago',
      subject: 'npm',
      client: 'node-fetch',
    },
  });
  expect(await cordelia.queues.deregister({ queue_id: queue.queue_id })).toMatchObject({ result: 'success' });
});

it('zulip-js reads messages, users and its own account', async () => {
  const zoe = await login('ZOE');
  const { messages } = await zoe.messages.retrieve({
    anchor: 'newest',
    num_before: 5,
    num_after: 0,
    narrow: [{ operator: 'stream', operand: 'Verona' }],
  });
  expect(messages).toHaveLength(5);
  const { members } = await zoe.users.retrieve();
  expect(members.length).toBeGreaterThanOrEqual(13);
  expect(await zoe.users.me.getProfile()).toMatchObject({ result: 'success', full_name: 'Zoe' });
});

it('zulip-js sends a direct message to a user given by id', async () => {
  const [hamlet, othello] = await Promise.all([login('hamlet'), login('othello')]);
  const me = await othello.users.me.getProfile();
  const sent = await hamlet.messages.send({ to: [me.user_id], type: 'direct', content: 'hi' });
  expect(sent).toMatchObject({ result: 'success' });
});

it('zulip-js receives BAD_EVENT_QUEUE_ID for an expired queue', async () => {
  const aaron = await login('AARON');
  const response = await aaron.events.retrieve({ queue_id: 'gone', last_event_id: -1 });
  expect(response).toMatchObject({ result: 'error', code: 'BAD_EVENT_QUEUE_ID', queue_id: 'gone' });
});

describe('zulip-js client', () => {
  const send = async (client: ZulipClient, content = 'of every method') =>
    (await client.messages.send({ to: 'Verona', type: 'stream', topic: 'methods', content })).id;

  it('supports accounts, server settings, emoji and filters', async () => {
    const iago = await login('iago');
    expect(await iago.accounts.retrieve()).toMatchObject({ ...success, email: 'iago@example.com' });
    expect(await iago.server.settings()).toMatchObject({ ...success, zulip_feature_level: expect.any(Number) });
    expect(await iago.emojis.retrieve()).toMatchObject({ ...success, emoji: expect.any(Object) });
    expect(await iago.filters.retrieve()).toMatchObject({ ...success, filters: expect.any(Array) });
  });

  it('supports messages, flags and reactions', async () => {
    const [hamlet, iago] = await Promise.all([login('hamlet'), login('iago')]);
    const id = await send(hamlet);
    const emoji = { message_id: id, emoji_name: 'smile' };
    expect(await hamlet.messages.render('*a*')).toMatchObject({ ...success, rendered: '<p><em>a</em></p>' });
    expect(await hamlet.messages.update({ message_id: id, topic: 'moved', content: '**b**' })).toMatchObject(success);
    expect(await iago.messages.flags.add({ messages: [id], flag: 'starred' })).toMatchObject(success);
    expect(await iago.reactions.add(emoji)).toMatchObject(success);
    expect(await iago.messages.getById({ message_id: id })).toMatchObject({
      message: { content: '<p><strong>b</strong></p>', flags: ['starred'], reactions: [{ emoji_name: 'smile' }] },
    });
    expect(await iago.reactions.remove(emoji)).toMatchObject(success);
    expect(await iago.reactions.add(emoji)).toMatchObject(success);
    expect(await iago.messages.deleteReactionById(emoji)).toMatchObject(success);
    expect(await iago.messages.flags.remove({ messages: [id], flag: 'starred' })).toMatchObject(success);
    const { message_history: history } = await hamlet.messages.getHistoryById({ message_id: id });
    expect(history.map(({ topic }) => topic)).toEqual(['methods', 'moved']);
    expect(await iago.messages.getById({ message_id: id })).toMatchObject({ message: { flags: [], reactions: [] } });
    expect(await iago.messages.deleteById({ message_id: id })).toMatchObject(success);
    expect(await hamlet.messages.getById({ message_id: id })).toMatchObject({ msg: 'Invalid message(s)' });
  });

  it('supports channels, subscriptions and topics', async () => {
    const [desdemona, zoe] = await Promise.all([login('desdemona'), login('ZOE')]);
    const { subscriptions } = desdemona.users.me;
    expect(await subscriptions.add({ subscriptions: JSON.stringify([{ name: 'by npm' }]) })).toMatchObject(success);
    expect((await zoe.streams.retrieve()).streams.map(({ name }) => name)).toContain('by npm');
    const names = async () => (await desdemona.streams.subscriptions.retrieve()).subscriptions.map(({ name }) => name);
    expect(await names()).toContain('by npm');
    await desdemona.messages.send({ to: 'by npm', type: 'stream', topic: 'first', content: 'x' });
    const { stream_id } = await zoe.streams.getStreamId('by npm');
    expect(await zoe.streams.getStreamId({ stream: 'by npm' })).toMatchObject({ stream_id });
    expect((await zoe.streams.topics.retrieve({ stream_id })).topics).toMatchObject([{ name: 'first' }]);
    expect(await subscriptions.remove({ subscriptions: JSON.stringify(['by npm']) })).toMatchObject({
      removed: ['by npm'],
    });
    expect(await names()).not.toContain('by npm');
    expect(await desdemona.streams.deleteById({ stream_id })).toMatchObject(success);
    expect((await zoe.streams.retrieve()).streams.map(({ name }) => name)).not.toContain('by npm');
  });

  it('calls known endpoints by method, and any endpoint by callEndpoint', async () => {
    const [iago, othello] = await Promise.all([login('iago'), login('othello')]);
    const given = { email: 'npm@example.com', password: 'long enough', full_name: 'From Npm' };
    const made = await iago.users.create(given);
    expect(made).toMatchObject({ ...success, user_id: expect.any(Number) });
    const words = await othello.callEndpoint('users/me/alert_words', 'POST', { alert_words: ['handkerchief'] });
    expect(words).toMatchObject({ alert_words: ['handkerchief'] });
    expect(await othello.users.me.alertWords.retrieve()).toMatchObject({ alert_words: ['handkerchief'] });
    const me = await othello.users.me.getProfile();
    const queue = await othello.queues.register({ event_types: ['typing'] });
    const typing = { op: 'start', to: [me.user_id, made.user_id] };
    expect(await iago.typing.send(typing)).toMatchObject(success);
    expect(await iago.typing.send({ ...typing, to: [me.user_id] })).toMatchObject(success);
    const { events } = await othello.events.retrieve({ queue_id: queue.queue_id, last_event_id: -1 });
    expect(events[0]).toMatchObject({ type: 'typing', op: 'start', sender: { email: expect.any(String) } });
  });

  it('receives the error No such endpoint from the methods for the removed pointer', async () => {
    const { pointer } = (await login('iago')).users.me;
    const refusal = { result: 'error', msg: 'No such endpoint' };
    expect(await pointer.retrieve()).toMatchObject(refusal);
    expect(await pointer.update(1)).toMatchObject(refusal);
  });

  it('calls a callback for each event, with the credentials of a zuliprc file', { timeout: 40_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'zuliprc-'));
    const iago = await login('iago');
    const { api_key: key } = await iago.accounts.retrieve();
    const zuliprc = join(folder, 'zuliprc');
    await writeFile(zuliprc, `[api]\nemail=iago@example.com\nkey=${key}\nsite=${server.url}\n`);
    // The program polls until its process is stopped.
    const program = `require('zulip-js')({ zuliprc: process.argv[1] }).then(async (client) => {
      const types = ['message'];
      client.callOnEachEvent((event) => console.log(JSON.stringify(event)), types);
    })`;
    const child = spawn(process.execPath, ['-e', program, zuliprc], { cwd: import.meta.dirname });
    try {
      const heard: string[] = [];
      createInterface({ input: child.stdout }).on('line', (line) => heard.push(line));
      // Repeated until it succeeds, because events are received only after the program has registered its queue.
      const said = async () => {
        await send(iago, 'each');
        return heard[0] ?? Promise.reject(new Error('Nothing was heard'));
      };
      const line = await vi.waitFor(said, { timeout: 30_000, interval: 50 });
      expect(JSON.parse(line)).toMatchObject({ type: 'message', message: { content: 'each' } });
      calledMethods.add('callOnEachEvent');
    } finally {
      child.kill('SIGKILL');
      await rm(folder, { recursive: true });
    }
  });

  it('has a test in this file for every method of the client', async () => {
    const all = methodsOf(await createZulipClient({ username: 'x', apiKey: 'x', realm: server.url }));
    expect([...calledMethods].toSorted()).toEqual(all.toSorted());
  });
});
