import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { registerTestEventQueue, send, fetchPendingEvents } from '../../../test/event-queue-requests.js';

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

/**
 * Sends one message of each kind that message filters (narrows) distinguish. Returns a function that maps message ids
 * to the names of the kinds.
 */
async function sendAll(): Promise<(ids: (number | undefined)[]) => string[]> {
  const sorts = new Map<number | undefined, string>();
  sorts.set(await send(hamlet, { topic: 'Lunch' }), 'lunch');
  sorts.set(await send(hamlet, { topic: '✔ Lunch' }), 'resolved');
  sorts.set(await send(hamlet, { topic: '' }), 'general');
  sorts.set(await send(hamlet, { topic: 'Lunch', content: '@**Iago**' }), 'mention');
  sorts.set(await send(hamlet, { type: 'direct', to: `[${iago.id}]` }), 'direct');
  sorts.set(await send(iago, { topic: 'Lunch', read_by_sender: 'true' }), 'own');
  return (ids) => ids.map((id) => sorts.get(id) ?? 'unknown');
}

const allMessageKinds = ['lunch', 'resolved', 'general', 'mention', 'direct', 'own'];
const channelMessageKinds = allMessageKinds.filter((sort) => sort !== 'direct');

describe('POST /register: narrow of an event queue', () => {
  it('supports channel, topic, sender and is, also negated, in older spelling or other letter case', async () => {
    const expected: [string, string[]][] = [
      ['[["stream", "verona"]]', channelMessageKinds],
      ['[["channel", "VERONA"]]', channelMessageKinds],
      ['[["-channel", "Verona"]]', ['direct']],
      ['[["channel", "Denmark"]]', []],
      ['[["topic", "LUNCH"]]', ['lunch', 'mention', 'own']],
      ['[["subject", "lunch"], ["-sender", "Iago@example.com"]]', ['lunch', 'mention']],
      ['[["topic", "general chat"]]', ['general']],
      ['[["topic", "(no topic)"]]', ['general']],
      ['[["topic", ""]]', ['general']],
      ['[["-topic", "lunch"]]', ['resolved', 'general', 'direct']],
      ['[["sender", "HAMLET@example.com"]]', ['lunch', 'resolved', 'general', 'mention', 'direct']],
      ['[["is", "dm"]]', ['direct']],
      ['[["is", "private"]]', ['direct']],
      ['[["IS", "DM"]]', ['direct']],
      ['[["-is", "dm"]]', channelMessageKinds],
      ['[["is", "mentioned"]]', ['mention']],
      ['[["is", "resolved"]]', ['resolved']],
      ['[["is", "unread"]]', allMessageKinds.filter((sort) => sort !== 'own')],
      ['[["-is", "unread"]]', ['own']],
      ['[["is", "starred"]]', []],
      ['[["is", "alerted"]]', []],
      ['[]', allMessageKinds],
    ];
    const queues = await Promise.all(
      expected.map(([narrow]) => registerTestEventQueue(iago, { narrow, event_types: '["message"]' })),
    );
    const sortsOf = await sendAll();
    for (const [index, [narrow, sorts]] of expected.entries()) {
      const events = await fetchPendingEvents(chat, iago, queues[index]!);
      expect({ narrow, sorts: sortsOf(events.map(({ message }) => message?.id)) }).toEqual({ narrow, sorts });
    }
  });

  it('filters only events of new messages', async () => {
    const queueId = await registerTestEventQueue(iago, {
      narrow: '[["channel", "Denmark"]]',
      event_types: '["message", "typing"]',
    });
    await send(hamlet, { topic: 'Lunch' });
    const form = { op: 'start', type: 'direct', to: `[${iago.id}]` };
    expect((await hamlet.client.post('/api/v1/typing', { form })).status).toBe(200);
    expect((await fetchPendingEvents(chat, iago, queueId)).map(({ type }) => type)).toEqual(['typing']);
  });

  it("matches a sender by the address that the queue's owner can see", async () => {
    const hidden = `user${iago.id}@zulipdev.com`;
    const [shown, real] = await Promise.all(
      [hidden, 'iago@example.com'].map((address) =>
        registerTestEventQueue(hamlet, { narrow: JSON.stringify([['sender', address]]) }),
      ),
    );
    const id = await send(iago);
    expect((await fetchPendingEvents(chat, hamlet, shown!)).map(({ message }) => message?.id)).toEqual([id]);
    expect(await fetchPendingEvents(chat, hamlet, real!)).toEqual([]);
  });

  it('delivers messages of public channels without flags when the owner of the queue is not subscribed', async () => {
    const queueId = await registerTestEventQueue(hamlet, { narrow: '[["channel", "scotland"]]' });
    const id = await send(iago, { to: 'Scotland' });
    expect(await fetchPendingEvents(chat, hamlet, queueId)).toMatchObject([{ flags: [], message: { id } }]);
  });

  it('delivers no messages of unsubscribed channels after the owner of the queue becomes a guest', async () => {
    const looking = await registerTestEventQueue(hamlet, { all_public_streams: 'true' });
    const { database, credentials } = chat.runtime;
    await database.query('UPDATE users SET role = 600 WHERE id = $1', [hamlet.id]);
    await credentials.evictByTag(`user:${hamlet.id}`);
    await send(iago, { to: 'Scotland' });
    expect(await fetchPendingEvents(chat, hamlet, looking)).toEqual([]);
    await database.query('UPDATE users SET role = 400 WHERE id = $1', [hamlet.id]);
  });

  it.each([
    ['has', 'link'],
    ['dm', 'hamlet@example.com'],
    ['search', 'x'],
    ['-near', '1'],
    ['is', 'followed'],
    ['constructor', 'x'],
    ['is', 'toString'],
    ['', ''],
  ])('rejects the term %s:%s', async (operator, operand) => {
    const { status, body } = await iago.client.post<{ code: string; msg: string }>('/api/v1/register', {
      form: { narrow: JSON.stringify([[operator, operand]]) },
    });
    expect({ status, code: body.code, msg: body.msg }).toEqual({
      status: 400,
      code: 'BAD_REQUEST',
      msg: `Operator ${operator} not supported.`,
    });
  });

  it.each(['[["is"]]', '[["is", 1]]', '["is"]', '{}', 'null', '[["is", "dm", "x"]]'])(
    'rejects %s, which is not a list of pairs',
    async (narrow) => {
      const { status, body } = await iago.client.post<{ code: string }>('/api/v1/register', { form: { narrow } });
      expect({ status, code: body.code }).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
    },
  );
});
