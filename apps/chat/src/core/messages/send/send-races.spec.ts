import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
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
let cordelia: DemoUser;
let desdemona: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  const names = ['iago', 'hamlet', 'cordelia', 'desdemona'];
  [iago, hamlet, cordelia, desdemona] = (await Promise.all(names.map((name) => signIn(chat, name)))) as [
    DemoUser,
    DemoUser,
    DemoUser,
    DemoUser,
  ];
});
afterAll(() => cluster.stop());

interface Body {
  readonly id: number;
  readonly msg: string;
  readonly code?: string;
}

const send = (user: DemoUser, form: Record<string, string>) =>
  user.client.post<Body>('/api/v1/messages', { form: { type: 'channel', topic: 'race', content: 'hello', ...form } });

async function makeChannel(name: string, people: readonly DemoUser[], isPrivate = false): Promise<number> {
  const { body } = await iago.client.post<Body>('/api/v1/channels/create', {
    form: {
      name,
      subscribers: JSON.stringify(people.map(({ id }) => id)),
      invite_only: String(isPrivate),
      send_new_subscription_messages: 'false',
    },
  });
  expect(body.msg).toBe('');
  return body.id;
}

/** A database connection with an open transaction that has locked rows. */
interface LockHolder {
  query(text: string, values: unknown[]): Promise<unknown>;
}

/**
 * Starts `request` while another connection has the locks that `statement` takes. Commits the other connection's
 * transaction once the request waits for the locks.
 */
async function whileLocked<T>(
  statement: { readonly text: string; readonly values: unknown[] },
  request: () => Promise<T>,
  meanwhile: (holder: LockHolder) => Promise<unknown> = async () => undefined,
): Promise<T> {
  const client = await chat.runtime.database.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(statement);
    const result = request();
    await waitForWaiting();
    await meanwhile(client);
    await client.query('COMMIT');
    return await result;
  } finally {
    client.release();
  }
}

async function waitForWaiting(): Promise<void> {
  const waiting = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()`;
  await expect.poll(async () => (await chat.runtime.database.query(waiting)).rowCount).toBeGreaterThan(0);
}

const lockUser = ({ id }: DemoUser) => ({ text: 'SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', values: [id] });

async function recipientsOf(messageId: number): Promise<number[]> {
  const { rows } = await chat.runtime.database.query<{ id: number }>(
    'SELECT user_id AS id FROM user_messages WHERE message_id = $1 ORDER BY user_id',
    [messageId],
  );
  return rows.map(({ id }) => id);
}

/** Returns the number of deadlocks that the process has logged so far. */
const deadlocks = (): number => cluster.log.filter((line) => line.includes('deadlock detected')).length;

describe('POST /messages to a channel without messages', () => {
  it('accepts eight concurrent first messages', async () => {
    const channelId = await makeChannel('empty one', [iago, hamlet, cordelia, desdemona]);
    const before = deadlocks();
    const { body: queue } = await desdemona.client.post<{ queue_id: string }>('/api/v1/register', {
      form: { event_types: '["stream"]' },
    });
    const began = performance.now();
    const people = [iago, hamlet, cordelia, desdemona];
    const responses = await Promise.all([...people, ...people].map((user) => send(user, { to: String(channelId) })));
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    expect(performance.now() - began).toBeLessThan(5000);
    expect(deadlocks()).toBe(before);
    await chat.runtime.eventLog.sweep();
    const { body } = await desdemona.client.get<{ events: { property: string; value: unknown }[] }>('/api/v1/events', {
      query: { queue_id: queue.queue_id, last_event_id: -1, dont_block: true },
    });
    const first = body.events.filter(({ property }) => property === 'first_message_id').map(({ value }) => value);
    expect(first).toEqual([Math.min(...responses.map((response) => response.body.id))]);
  });

  it('emits first_message_id when the first message mentions a user', async () => {
    const channelId = await makeChannel('empty two', [iago, hamlet]);
    const responses = await Promise.all(
      [iago, hamlet].map((user) => send(user, { to: String(channelId), content: `@**|${iago.id}** hello` })),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('POST /messages while it waits for a lock', () => {
  it.each([
    ['without mentions', 'hello'],
    ['with a mention', '@**|USER** hello'],
  ])('does not send the message to a subscriber who is removed during the wait, %s', async (name, content) => {
    const channelId = await makeChannel(`secret ${name}`, [iago, hamlet, cordelia], true);
    await send(iago, { to: String(channelId) });
    const text = content.replace('USER', String(iago.id));
    const { status, body } = await whileLocked(
      lockUser(hamlet),
      () => send(hamlet, { to: String(channelId), content: text }),
      async () => {
        const form = { subscriptions: JSON.stringify([`secret ${name}`]), principals: JSON.stringify([cordelia.id]) };
        const removal = await iago.client.delete<Body>('/api/v1/users/me/subscriptions', { form });
        expect(removal.body.msg).toBe('');
      },
    );
    expect(status).toBe(200);
    expect(await recipientsOf(body.id)).toEqual([iago.id, hamlet.id].toSorted((a, b) => a - b));
  });

  it('rejects a sender who is removed from the private channel during the wait', async () => {
    const channelId = await makeChannel('left', [iago, hamlet, cordelia], true);
    const { body } = await whileLocked(
      lockUser(hamlet),
      () => send(hamlet, { to: String(channelId) }),
      () =>
        chat.runtime.database.query(
          'UPDATE subscriptions SET is_active = false WHERE user_id = $1 AND channel_id = $2',
          [hamlet.id, channelId],
        ),
    );
    expect(body.code).toBe('STREAM_DOES_NOT_EXIST');
  });

  const places: [string, () => Promise<Record<string, string>>][] = [
    ['a channel', async () => ({ to: String(await makeChannel('of a leaver', [iago, hamlet])) })],
    [
      'a channel, with a mention',
      async () => ({
        to: String(await makeChannel('of another leaver', [iago, hamlet])),
        content: `@**|${iago.id}** hello`,
      }),
    ],
    ['people', async () => ({ type: 'direct', to: JSON.stringify([iago.id]) })],
  ];
  it.each(places)('rejects a sender who is deactivated during the wait: to %s', async (_name, place) => {
    const form = await place();
    const deactivation = { text: 'UPDATE users SET is_active = false WHERE id = $1', values: [hamlet.id] };
    const { status, body } = await whileLocked(deactivation, () => send(hamlet, form));
    await chat.runtime.database.query('UPDATE users SET is_active = true WHERE id = $1', [hamlet.id]);
    expect({ status, code: body.code }).toEqual({ status: 401, code: 'USER_DEACTIVATED' });
  });

  it('does not send to another channel that takes the name of the addressed channel during the wait', async () => {
    const oldId = await makeChannel('moving name', [iago, hamlet]);
    const newId = await makeChannel('waiting', [iago, hamlet]);
    const { body } = await whileLocked(
      lockUser(hamlet),
      () => send(hamlet, { to: 'moving name' }),
      async () => {
        const patch = (id: number, name: string) =>
          iago.client.patch<Body>(`/api/v1/streams/${id}`, { form: { new_name: name } });
        expect((await patch(oldId, 'other name')).body.msg).toBe('');
        expect((await patch(newId, 'moving name')).body.msg).toBe('');
      },
    );
    // Both channels had the name once. The message goes to the channel that has the name at the time of sending.
    const { rows } = await chat.runtime.database.query<{ channel_id: number }>(
      'SELECT r.channel_id FROM messages m JOIN recipients r ON r.id = m.recipient_id WHERE m.id = $1',
      [body.id],
    );
    expect(rows).toEqual([{ channel_id: newId }]);
  });
});

describe('postNotificationBotMessage', () => {
  it('posts concurrent reports and announcements without deadlocks to a channel without messages', async () => {
    const channelId = await makeChannel('moderation', [iago, desdemona]);
    const settings = { moderation_request_channel_id: channelId, new_stream_announcements_stream_id: channelId };
    for (const [name, value] of Object.entries(settings)) {
      const { body } = await desdemona.client.patch<Body>('/api/v1/realm', { form: { [name]: String(value) } });
      expect(body.msg).toBe('');
    }
    const { body: sent } = await send(iago, { to: 'Verona' });
    const before = deadlocks();
    const report = (user: DemoUser) =>
      user.client.post<Body>(`/api/v1/messages/${sent.id}/report`, { form: { report_type: 'spam' } });
    const make = (user: DemoUser, name: string) =>
      user.client.post<Body>('/api/v1/users/me/subscriptions', {
        form: { subscriptions: JSON.stringify([{ name }, { name: 'Verona' }]), announce: 'true' },
      });
    const responses = await Promise.all([
      report(hamlet),
      report(cordelia),
      make(iago, 'announced one'),
      make(desdemona, 'announced two'),
    ]);
    expect(responses.map(({ body }) => body.msg)).toEqual(['', '', '', '']);
    expect(deadlocks()).toBe(before);
  });
});

describe('POST /user_topics', () => {
  it('does not deadlock with moves of topics that the user mutes', async () => {
    const ids = [await makeChannel('from', [iago, hamlet]), await makeChannel('to', [iago, hamlet])];
    const mute = (topic: string, id: number | undefined, policy: string) =>
      hamlet.client.post<Body>('/api/v1/user_topics', {
        form: { stream_id: String(id), topic, visibility_policy: policy },
      });
    const before = deadlocks();
    for (let round = 0; round < 6; round += 1) {
      const topic = `t${round}`;
      const { body } = await send(iago, { to: String(ids[round % 2]), topic });
      await mute(topic, ids[round % 2], '1');
      const responses = await Promise.all([
        iago.client.patch<Body>(`/api/v1/messages/${body.id}`, {
          form: { topic: `${topic} moved`, propagate_mode: 'change_all' },
        }),
        ...ids.map((id) => mute(`other ${round}`, id, '1')),
      ]);
      expect(responses.map((response) => response.body.msg)).toEqual(['', '', '']);
    }
    expect(deadlocks()).toBe(before);
  });
});

describe('POST /messages/{message_id}/reactions', () => {
  it('does not deadlock with a concurrent deactivation of the reacting user', async () => {
    const channelId = await makeChannel('reactions', [iago, hamlet]);
    const { body: sent } = await send(iago, { to: String(channelId) });
    const before = deadlocks();
    const { body } = await whileLocked(
      lockUser(hamlet),
      () => hamlet.client.post<Body>(`/api/v1/messages/${sent.id}/reactions`, { form: { emoji_name: 'tada' } }),
      // A deactivation locks the channels of an account after locking the account.
      (holder) => holder.query('SELECT 1 FROM recipients WHERE channel_id = $1 FOR NO KEY UPDATE', [channelId]),
    );
    expect(body.msg).toBe('');
    expect(deadlocks()).toBe(before);
  });
});
