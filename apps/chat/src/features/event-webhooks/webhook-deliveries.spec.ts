import { verifyWebhook } from '@switchboard/webhooks/receiver';
import { waitFor } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { openTestEventQueue } from '../../../test/test-event-queue.js';
import { createWebhook, WebhookReceiver, eventWebhooksPath, type WireWebhook } from '../../../test/webhook-receiver.js';
import { clientCapabilitiesSchema } from '../../events/event-queue-options.js';

type Json = Record<string, unknown>;

interface Delivery {
  readonly id: string;
  readonly event_type: string;
  readonly status: string;
  readonly attempts: number;
  readonly error: string | null;
}

let cluster: ChatCluster;
let chat: ChatProcess;
/** Administrator account that creates the webhooks of these tests. */
let iago: DemoUser;
let desdemona: DemoUser;
let hamlet: DemoUser;
let cordelia: DemoUser;
let receiver: WebhookReceiver;
let made = 0;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  cluster = await chatCluster();
  chat = await cluster.start({
    EVENT_WEBHOOK_ALLOW_LOOPBACK: 'true',
    EVENT_WEBHOOK_RETRIES: '2',
    EVENT_WEBHOOK_RETRY_INITIAL_MS: '1',
    EVENT_WEBHOOK_SWEEP_MS: '100',
  });
  [iago, desdemona, hamlet, cordelia] = (await Promise.all(
    ['iago', 'desdemona', 'hamlet', 'cordelia'].map((name) => signIn(chat, name)),
  )) as [DemoUser, DemoUser, DemoUser, DemoUser];
});
afterEach(async () => {
  receiver.respond = () => 204;
  const { body } = await desdemona.client.get<{ event_webhooks: WireWebhook[] }>(eventWebhooksPath);
  for (const { id } of body.event_webhooks) await desdemona.client.delete(`${eventWebhooksPath}/${id}`);
});
afterAll(async () => {
  await cluster.stop();
  await receiver.stop();
});

/** Returns a name with the given beginning that no other test uses. */
const uniqueName = (kind: string): string => `${kind} ${(made += 1)}`;

/** Creates a channel with the given subscribers, as the first of these subscribers. */
async function createChannel(subscribers: readonly DemoUser[], form: Record<string, string> = {}): Promise<string> {
  const [creator] = subscribers;
  const name = uniqueName('channel');
  const { body } = await creator!.client.post<Json>('/api/v1/users/me/subscriptions', {
    form: {
      subscriptions: JSON.stringify([{ name }]),
      principals: JSON.stringify(subscribers.map(({ id }) => id)),
      ...form,
    },
  });
  expect(body['msg']).toBe('');
  return name;
}

const createPrivateChannel = (subscribers: readonly DemoUser[], hasSharedHistory = false): Promise<string> =>
  createChannel(subscribers, { invite_only: 'true', history_public_to_subscribers: String(hasSharedHistory) });

async function send(user: DemoUser, form: Record<string, string>): Promise<number> {
  const { body } = await user.client.post<{ id: number; msg: string }>('/api/v1/messages', { form });
  expect(body.msg).toBe('');
  return body.id;
}

const sendToChannel = (user: DemoUser, to: string, topic: string, content: string): Promise<number> =>
  send(user, { type: 'channel', to, topic, content });
const sendDirect = (user: DemoUser, others: readonly DemoUser[], content: string): Promise<number> =>
  send(user, { type: 'direct', to: JSON.stringify(others.map(({ id }) => id)), content });

/** Creates a webhook of Iago with a unique URL path at the receiver. */
async function subscribe(eventTypes: readonly string[], form: Record<string, string> = {}) {
  const path = `/${(made += 1)}`;
  return { path, ...(await createWebhook(iago, receiver.url(path), eventTypes, form)) };
}

const query = async <R>(sql: string, values: unknown[] = []) =>
  (await chat.runtime.database.query<R>(sql, values)).rows;

/** Waits until all events that were committed before the call have been delivered or have failed. */
async function settle(): Promise<void> {
  const waiting = () =>
    query(`SELECT 1 FROM queue.outbox WHERE topic LIKE 'event-webhooks.%' UNION ALL
      SELECT 1 FROM webhooks.deliveries WHERE status = 'queued'`);
  await waitFor(async () => (await waiting()).length === 0, { what: 'all deliveries' });
}

/**
 * Returns one value per event that the receiver got at a URL path: the message content, the emoji name, or the event
 * type.
 */
function seenAt(path: string): unknown[] {
  return receiver.at(path).map(({ type, event }) => {
    const message = event['message'] as { content: string } | undefined;
    return message?.content ?? event['emoji_name'] ?? event['content'] ?? type;
  });
}

const deliveriesOf = async (
  { id }: { readonly id: string },
  parameters: Record<string, string> = {},
): Promise<Delivery[]> =>
  (await iago.client.get<{ deliveries: Delivery[] }>(`${eventWebhooksPath}/${id}/deliveries`, { query: parameters }))
    .body.deliveries;

describe('an event webhook', () => {
  it('receives each message of a public channel once, signed, in the format of GET /events', async () => {
    const webhook = await subscribe(['message']);
    const allCapabilities = Object.fromEntries(Object.keys(clientCapabilitiesSchema.shape).map((name) => [name, true]));
    const queue = await openTestEventQueue(chat, iago, ['message'], {
      all_public_streams: 'true',
      client_gravatar: 'false',
      client_capabilities: JSON.stringify(allCapabilities),
    });
    const channel = await createChannel([hamlet]);
    await sendToChannel(hamlet, channel, 'plans', '**bold**');
    await settle();
    const [hook] = receiver.at(webhook.path);
    expect(receiver.at(webhook.path)).toHaveLength(1);
    const [delivery] = await deliveriesOf(webhook);
    expect(verifyWebhook(hook!.body, hook!.headers, webhook.secret).id).toBe(delivery?.id);
    expect(delivery).toMatchObject({ event_type: 'message', status: 'succeeded', attempts: 1 });
    const events = await queue.read();
    const ofChannel = events.find(({ message }) => (message as Json)['display_recipient'] === channel);
    expect(hook!.event).toEqual(ofChannel);
    expect(JSON.parse(hook!.body)).toEqual({ type: 'message', timestamp: expect.any(String), data: ofChannel });
  });

  it('receives messages as HTML if the webhook requests HTML', async () => {
    const webhook = await subscribe(['message'], { apply_markdown: 'true' });
    await sendToChannel(hamlet, await createChannel([hamlet]), 'plans', '**bold**');
    await settle();
    expect(seenAt(webhook.path)).toEqual(['<p><strong>bold</strong></p>']);
  });

  it('receives events of one conversation in order while attempts fail, and events of other conversations meanwhile', async () => {
    const { path } = await subscribe(['message']);
    const channel = await createChannel([hamlet]);
    let isFirst = true;
    receiver.respond = ({ body }) => {
      const fails = isFirst && body.includes('one 0');
      if (fails) isFirst = false;
      return fails ? 500 : 204;
    };
    for (const index of [0, 1, 2]) {
      await sendToChannel(hamlet, channel, 'one', `one ${index}`);
      await sendToChannel(hamlet, channel, 'ONE', `ONE ${index}`);
      await sendToChannel(hamlet, channel, 'two', `two ${index}`);
    }
    await settle();
    const ofTopic = (topic: RegExp) => seenAt(path).filter((content) => topic.test(String(content)));
    expect(ofTopic(/one/i)).toEqual(['one 0', 'one 0', 'ONE 0', 'one 1', 'ONE 1', 'one 2', 'ONE 2']);
    expect(ofTopic(/two/)).toEqual(['two 0', 'two 1', 'two 2']);
  });

  it('receives edits, reactions and deletions of messages that its owner did not receive', async () => {
    const { path } = await subscribe(['update_message', 'reaction', 'delete_message']);
    const channel = await createChannel([hamlet, cordelia]);
    const id = await sendToChannel(hamlet, channel, 'plans', 'before');
    await hamlet.client.patch(`/api/v1/messages/${id}`, { form: { content: 'after' } });
    await cordelia.client.post(`/api/v1/messages/${id}/reactions`, { form: { emoji_name: 'tada' } });
    await desdemona.client.delete(`/api/v1/messages/${id}`);
    await settle();
    expect(seenAt(path)).toEqual(['after', 'tada', 'delete_message']);
    expect(receiver.at(path)[1]?.event).toMatchObject({ message_id: id, user_id: cordelia.id });
  });

  it('receives changes of channels, groups and users', async () => {
    const { path } = await subscribe(['stream', 'user_group', 'realm_user', 'subscription']);
    const channel = await createChannel([hamlet]);
    await cordelia.client.post('/api/v1/user_groups/create', {
      form: { name: uniqueName('group'), description: '', members: '[]' },
    });
    await iago.client.patch(`/api/v1/users/${hamlet.id}`, { form: { full_name: 'Prince Hamlet' } });
    await iago.client.patch(`/api/v1/users/${hamlet.id}`, { form: { full_name: 'King Hamlet' } });
    await settle();
    const seen = receiver.at(path).map(({ type, event }) => `${type} ${String(event['op'])}`);
    expect(seen.toSorted()).toEqual(
      expect.arrayContaining(['realm_user update', 'stream create', 'subscription peer_add', 'user_group add']),
    );
    const created = receiver.at(path).find(({ event }) => event['op'] === 'create');
    expect(created?.event['streams']).toMatchObject([{ name: channel }]);
    const names = receiver.at(path).flatMap(({ event }) => (event['person'] as Json | undefined)?.['full_name'] ?? []);
    expect(names).toEqual(['Prince Hamlet', 'King Hamlet']);
  });

  it('receives no events of a transaction that is rolled back, and no events of unsubscribed types', async () => {
    const { path } = await subscribe(['reaction']);
    const channel = await createChannel([hamlet]);
    await sendToChannel(hamlet, channel, 'plans', 'not subscribed');
    const { body } = await hamlet.client.post<Json>('/api/v1/messages', {
      form: { type: 'channel', to: channel, topic: 'plans', content: '' },
    });
    expect(body['result']).toBe('error');
    await settle();
    expect(receiver.at(path)).toEqual([]);
  });
});

describe('an event webhook whose owner cannot read a conversation', () => {
  const types = ['message', 'update_message', 'reaction', 'delete_message'];

  it.each([false, true])('receives nothing of a private channel (shared history: %s)', async (hasSharedHistory) => {
    const { path } = await subscribe([...types, 'subscription']);
    const channel = await createPrivateChannel([hamlet, cordelia], hasSharedHistory);
    const id = await sendToChannel(hamlet, channel, 'secret', 'hidden');
    await hamlet.client.patch(`/api/v1/messages/${id}`, { form: { content: 'still hidden' } });
    await cordelia.client.post(`/api/v1/messages/${id}/reactions`, { form: { emoji_name: 'tada' } });
    await hamlet.client.delete(`/api/v1/messages/${id}`);
    await settle();
    expect(seenAt(path).filter((seen) => seen !== 'subscription')).toEqual([]);
    const rows = await query<{ count: number }>(
      "SELECT count(*)::int AS count FROM webhooks.deliveries WHERE payload LIKE '%hidden%'",
    );
    expect(rows).toEqual([{ count: 0 }]);
  });

  it('receives only those messages of a private channel that are sent while the owner subscribes to it', async () => {
    const { path } = await subscribe(['message']);
    const channel = await createPrivateChannel([hamlet]);
    const subscription = JSON.stringify([channel]);
    await sendToChannel(hamlet, channel, 'plans', 'earlier');
    await hamlet.client.post('/api/v1/users/me/subscriptions', {
      form: { subscriptions: JSON.stringify([{ name: channel }]), principals: JSON.stringify([iago.id]) },
    });
    await sendToChannel(hamlet, channel, 'plans', 'meanwhile');
    await settle();
    await iago.client.delete('/api/v1/users/me/subscriptions', { form: { subscriptions: subscription } });
    await sendToChannel(hamlet, channel, 'plans', 'later');
    await settle();
    expect(seenAt(path).filter((content) => ['earlier', 'meanwhile', 'later'].includes(String(content)))).toEqual([
      'meanwhile',
    ]);
  });

  it('receives no further attempt after the owner loses access, and the delivery log hides the event', async () => {
    const webhook = await subscribe(['message']);
    const channel = await createPrivateChannel([hamlet, iago]);
    await settle();
    receiver.respond = async ({ body }) => {
      if (!body.includes('retried')) return 204;
      await iago.client.delete('/api/v1/users/me/subscriptions', {
        form: { subscriptions: JSON.stringify([channel]) },
      });
      return 500;
    };
    await sendToChannel(hamlet, channel, 'plans', 'retried');
    await settle();
    expect(seenAt(webhook.path).filter((content) => content === 'retried')).toHaveLength(1);
    const [failed] = await deliveriesOf(webhook, { status: 'failed' });
    expect(failed).toMatchObject({ attempts: 2, error: 'The owner of the webhook can no longer read the channel.' });
    const response = await iago.client.get<Json>(`${eventWebhooksPath}/${webhook.id}/deliveries/${failed!.id}`);
    expect(response).toMatchObject({ status: 404, body: { code: 'NOT_FOUND', msg: 'Delivery does not exist.' } });
  });

  it('receives no direct messages between other users', async () => {
    const { path } = await subscribe(types);
    const id = await sendDirect(hamlet, [cordelia], 'between us');
    await cordelia.client.post(`/api/v1/messages/${id}/reactions`, { form: { emoji_name: 'tada' } });
    await hamlet.client.delete(`/api/v1/messages/${id}`);
    await sendDirect(hamlet, [iago], 'to you');
    await settle();
    expect(seenAt(path)).toEqual(['to you']);
  });

  it('receives a deletion when messages are moved from a public channel to a private channel', async () => {
    const { path } = await subscribe(types);
    const source = await createChannel([hamlet]);
    const destination = await createPrivateChannel([hamlet, desdemona]);
    const [target] = await query<{ id: number }>('SELECT id FROM channels WHERE name = $1', [destination]);
    const id = await sendToChannel(hamlet, source, 'plans', 'moved');
    const { body } = await desdemona.client.patch<Json>(`/api/v1/messages/${id}`, {
      form: {
        stream_id: String(target!.id),
        propagate_mode: 'change_all',
        send_notification_to_old_thread: 'false',
        send_notification_to_new_thread: 'false',
      },
    });
    expect(body['msg']).toBe('');
    await settle();
    expect(seenAt(path)).toEqual(['moved', 'delete_message']);
    expect(receiver.at(path)[1]?.event).toMatchObject({ message_ids: [id] });
  });
});

describe('an event webhook whose owner can read moved messages', () => {
  it('receives the event of a move to a private channel with protected history, and no deletion event', async () => {
    const { path } = await subscribe(['update_message', 'delete_message']);
    const source = await createChannel([hamlet, iago]);
    const destination = await createPrivateChannel([desdemona, iago]);
    const [target] = await query<{ id: number }>('SELECT id FROM channels WHERE name = $1', [destination]);
    const id = await sendToChannel(hamlet, source, 'plans', 'moved');
    const { body } = await desdemona.client.patch<Json>(`/api/v1/messages/${id}`, {
      form: { stream_id: String(target!.id), propagate_mode: 'change_all', send_notification_to_old_thread: 'false' },
    });
    expect(body['msg']).toBe('');
    await settle();
    expect(seenAt(path)).toEqual(['update_message']);
    expect(receiver.at(path)[0]?.event).toMatchObject({ message_ids: [id], new_stream_id: target!.id });
  });
});

describe('the narrow of an event webhook', () => {
  it('selects messages by all terms, and events about messages only by terms for the conversation', async () => {
    const channel = await createChannel([hamlet, cordelia]);
    const other = await createChannel([hamlet, cordelia]);
    const narrow = JSON.stringify([
      ['channel', channel],
      ['sender', hamlet.email],
    ]);
    const { path } = await subscribe(['message', 'reaction'], { narrow });
    const mine = await sendToChannel(hamlet, channel, 'plans', 'selected');
    await sendToChannel(cordelia, channel, 'plans', 'of another sender');
    const elsewhere = await sendToChannel(hamlet, other, 'plans', 'of another channel');
    await sendDirect(hamlet, [iago], 'direct');
    await cordelia.client.post(`/api/v1/messages/${elsewhere}/reactions`, { form: { emoji_name: 'octopus' } });
    await cordelia.client.post(`/api/v1/messages/${mine}/reactions`, { form: { emoji_name: 'tada' } });
    await settle();
    expect(seenAt(path)).toEqual(['selected', 'tada']);
  });

  it('selects direct messages when the narrow is is:dm', async () => {
    const channel = await createChannel([hamlet, iago]);
    const { path } = await subscribe(['message'], { narrow: '[["is","dm"]]' });
    await sendToChannel(hamlet, channel, 'plans', 'in a channel');
    await sendDirect(hamlet, [iago], 'direct');
    await settle();
    expect(seenAt(path)).toEqual(['direct']);
  });
});

describe('POST /realm/event_webhooks/{webhook_id}/deliveries/requeue', () => {
  const requeue = async (webhookId: string, form: Record<string, string>) =>
    (await iago.client.post<Json>(`${eventWebhooksPath}/${webhookId}/deliveries/requeue`, { form })).body;

  it('sends one delivery again under the same id, or all failed deliveries that match a filter', async () => {
    const webhook = await subscribe(['message', 'reaction']);
    const channel = await createChannel([hamlet]);
    receiver.respond = () => 500;
    const id = await sendToChannel(hamlet, channel, 'plans', 'requeued');
    await settle();
    await hamlet.client.post(`/api/v1/messages/${id}/reactions`, { form: { emoji_name: 'tada' } });
    await settle();
    const [reaction, message] = await deliveriesOf(webhook, { status: 'failed' });
    expect([message, reaction]).toMatchObject([{ attempts: 3 }, { attempts: 3 }]);
    receiver.respond = () => 204;
    expect(await requeue(webhook.id, { delivery_id: message!.id })).toMatchObject({ requeued: 1 });
    await settle();
    expect(receiver.at(webhook.path).at(-1)?.headers['webhook-id']).toBe(message!.id);
    expect(await requeue(webhook.id, { delivery_id: message!.id })).toMatchObject({ code: 'BAD_REQUEST' });
    expect(await requeue(webhook.id, { event_type: 'message' })).toMatchObject({ requeued: 0 });
    expect(await requeue(webhook.id, { created_before: '1' })).toMatchObject({ requeued: 0 });
    expect(await requeue(webhook.id, { event_type: 'reaction', created_from: '1' })).toMatchObject({ requeued: 1 });
    await settle();
    expect(await deliveriesOf(webhook, { status: 'failed' })).toEqual([]);
    const { body } = await iago.client.get<{ delivery: Json }>(
      `${eventWebhooksPath}/${webhook.id}/deliveries/${reaction!.id}`,
    );
    expect(body.delivery).toMatchObject({ status: 'succeeded', attempts: 4 });
    expect((body.delivery['attempt_log'] as Json[]).map((attempt) => attempt['response_status'])).toEqual([
      500, 500, 500, 204,
    ]);
  });

  it('finds no delivery of another webhook', async () => {
    const [one, two] = [await subscribe(['message']), await subscribe(['reaction'])];
    await sendToChannel(hamlet, await createChannel([hamlet]), 'plans', 'once');
    await settle();
    const [delivery] = await deliveriesOf(one);
    expect(await requeue(two.id, { delivery_id: delivery!.id })).toMatchObject({ code: 'NOT_FOUND' });
    const path = `${eventWebhooksPath}/${two.id}/deliveries/${delivery!.id}`;
    expect((await iago.client.get<Json>(path)).status).toBe(404);
  });
});

describe('GET /realm/event_webhooks/{webhook_id}/deliveries', () => {
  it('returns pages of deliveries, newest first', async () => {
    const webhook = await subscribe(['message']);
    const channel = await createChannel([hamlet]);
    for (const content of ['1', '2', '3']) await sendToChannel(hamlet, channel, 'plans', content);
    await settle();
    const page = async (parameters: Record<string, number>) =>
      (
        await iago.client.get<{ deliveries: (Delivery & { sequence: number })[]; next_before: number | null }>(
          `${eventWebhooksPath}/${webhook.id}/deliveries`,
          { query: { limit: 2, ...parameters } },
        )
      ).body;
    const first = await page({});
    const second = await page({ before: first.next_before ?? 0 });
    const sequences = [...first.deliveries, ...second.deliveries].map(({ sequence }) => sequence);
    expect(sequences).toHaveLength(3);
    expect(sequences).toEqual(sequences.toSorted((a, b) => b - a));
    expect(second.next_before).toBeNull();
  });
});
