import { verifyWebhook, WebhookSignatureError } from '@switchboard/webhooks/receiver';
import { waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { createWebhook, WebhookReceiver, eventWebhooksPath, type WireWebhook } from '../../../test/webhook-receiver.js';
import { allEventTypes } from '../../app/slices.js';
import { subscribableEventTypeSchema } from './subscribable-types.js';

type Json = Record<string, unknown>;

let cluster: ChatCluster;
let chat: ChatProcess;
let iago: DemoUser;
let desdemona: DemoUser;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  cluster = await chatCluster();
  chat = await cluster.start({ EVENT_WEBHOOK_ALLOW_LOOPBACK: 'true', EVENT_WEBHOOKS_PER_REALM: '5' });
  [iago, desdemona] = await Promise.all([signIn(chat, 'iago'), signIn(chat, 'desdemona')]);
});
afterAll(async () => {
  await cluster.stop();
  await receiver.stop();
});

async function list(user = iago): Promise<WireWebhook[]> {
  return (await user.client.get<{ event_webhooks: WireWebhook[] }>(eventWebhooksPath)).body.event_webhooks;
}

const remove = (user: DemoUser, id: string) => user.client.delete<Json>(`${eventWebhooksPath}/${id}`);
const notFound = { status: 404, body: { code: 'NOT_FOUND', msg: 'Event webhook does not exist.' } };
const insufficient = { status: 400, body: { code: 'BAD_REQUEST', msg: 'Insufficient permission' } };

describe('POST /realm/event_webhooks', () => {
  it('creates a webhook whose secret is stored encrypted and appears in no later response', async () => {
    const narrow = [['channel', 'Verona']];
    const created = await createWebhook(iago, receiver.url('/made'), ['message', 'reaction'], {
      description: 'audit',
      narrow: JSON.stringify(narrow),
    });
    const { secret, ...webhook } = created;
    expect(secret).toMatch(/^whsec_/);
    expect(webhook).toMatchObject({ description: 'audit', narrow, enabled: true, user_id: iago.id });
    expect(await list(desdemona)).toEqual([webhook]);
    const { rows } = await chat.runtime.database.query<Json>('SELECT * FROM webhooks.endpoints');
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(cluster.log.join('\n')).not.toContain(secret);
    await remove(iago, created.id);
  });

  it.each<[title: string, form: Record<string, string>, code: string]>([
    ['a URL that is not HTTP', { url: 'ftp://example.com/' }, 'EVENT_WEBHOOK_URL_REFUSED'],
    ['a private address', { url: 'http://10.0.0.1/' }, 'EVENT_WEBHOOK_URL_REFUSED'],
    ['a text that is no URL', { url: 'not a url' }, 'EVENT_WEBHOOK_URL_REFUSED'],
    ['an empty list of event types', { event_types: '[]' }, 'REQUEST_VARIABLE_INVALID'],
    ['an event type with secrets', { event_types: '["realm_bot"]' }, 'BAD_REQUEST'],
    ['an unsupported operator of a narrow', { narrow: '[["search","x"]]' }, 'BAD_REQUEST'],
    ['a long narrow', { narrow: JSON.stringify(Array(20).fill(['topic', '\\'.repeat(200)])) }, 'BAD_REQUEST'],
    ['a NUL character', { description: 'a\0b' }, 'BAD_REQUEST'],
  ])('rejects %s', async (_title, form, code) => {
    const valid = { url: receiver.url('/refused'), event_types: '["message"]' };
    const { status, body } = await iago.client.post<Json>(eventWebhooksPath, { form: { ...valid, ...form } });
    expect({ status, code: body['code'] }).toEqual({ status: 400, code });
    expect(await list()).toEqual([]);
  });

  it('rejects more webhooks than an organization may have', async () => {
    for (let count = 0; count < 5; count += 1) await createWebhook(iago, receiver.url('/many'), ['message']);
    const form = { url: receiver.url('/many'), event_types: '["message"]' };
    const { body } = await iago.client.post<Json>(eventWebhooksPath, { form });
    expect(body).toMatchObject({ code: 'BAD_REQUEST', msg: 'There are 5 webhook endpoints already' });
    for (const { id } of await list()) await remove(iago, id);
  });
});

describe('GET /realm/event_webhooks', () => {
  it('lists all webhooks, even if they do not fit into one internal page', async () => {
    const { id } = await createWebhook(iago, receiver.url('/listed'), ['message']);
    await chat.runtime.database.query(
      `INSERT INTO webhooks.endpoints (id, owner, url, receiver, event_types, metadata, secret)
       SELECT gen_random_uuid(), owner, url, receiver, event_types, metadata, secret
         FROM webhooks.endpoints, generate_series(1, 299) WHERE id = $1`,
      [id],
    );
    const webhooks = await list();
    await chat.runtime.database.query('DELETE FROM webhooks.endpoints');
    expect(new Set(webhooks.map((webhook) => webhook.id)).size).toBe(300);
  });
});

describe('GET /realm/event_webhooks/{webhook_id}/deliveries/{delivery_id}', () => {
  it('returns the newest 100 attempts of a delivery', async () => {
    const { id } = await createWebhook(iago, receiver.url('/attempts'), ['stream']);
    await iago.client.post(`${eventWebhooksPath}/${id}/test`, { form: {} });
    const { rows } = await waitFor(
      async () => {
        const found = await chat.runtime.database.query<{ id: string }>(
          `SELECT id FROM webhooks.deliveries WHERE endpoint_id = $1 AND status = 'succeeded'`,
          [id],
        );
        return found.rows.length > 0 ? found : null;
      },
      { what: 'the delivery' },
    );
    await chat.runtime.database.query(
      `INSERT INTO webhooks.attempts (delivery_sequence, number, started, duration_ms)
       SELECT sequence, n, now(), 1 FROM webhooks.deliveries, generate_series(2, 120) n WHERE endpoint_id = $1`,
      [id],
    );
    const path = `${eventWebhooksPath}/${id}/deliveries/${rows[0]!.id}`;
    const { body } = await iago.client.get<{ delivery: { attempt_log: { number: number }[] } }>(path);
    const numbers = body.delivery.attempt_log.map(({ number }) => number);
    expect(numbers).toEqual(Array.from({ length: 100 }, (_, index) => index + 21));
    await remove(iago, id);
  });
});

describe('PATCH /realm/event_webhooks/{webhook_id}', () => {
  it('changes the properties in the request and no other properties', async () => {
    const {
      id,
      secret: _secret,
      ...before
    } = await createWebhook(iago, receiver.url('/old'), ['message'], {
      narrow: '[["is","dm"]]',
    });
    const change = async (form: Record<string, string>) =>
      (await iago.client.patch<{ event_webhook: WireWebhook }>(`${eventWebhooksPath}/${id}`, { form })).body
        .event_webhook;
    expect(await change({ url: receiver.url('/new'), apply_markdown: 'true' })).toMatchObject({
      ...before,
      url: receiver.url('/new'),
      apply_markdown: true,
      updated_at: expect.any(Number),
    });
    expect(await change({ narrow: '[]', event_types: '["stream"]' })).toMatchObject({
      narrow: [],
      event_types: ['stream'],
      apply_markdown: true,
    });
    await remove(iago, id);
  });

  it('lets other administrators disable and delete the webhook, but neither change nor test the webhook', async () => {
    const { id } = await createWebhook(iago, receiver.url('/own'), ['message']);
    const patch = (form: Record<string, string>) =>
      desdemona.client.patch<Json>(`${eventWebhooksPath}/${id}`, { form });
    expect(await patch({ url: receiver.url('/stolen') })).toMatchObject(insufficient);
    expect(await patch({ enabled: 'false', url: receiver.url('/stolen') })).toMatchObject(insufficient);
    const own = `${eventWebhooksPath}/${id}`;
    expect(await desdemona.client.post<Json>(`${own}/rotate_secret`, { form: {} })).toMatchObject(insufficient);
    expect(await desdemona.client.post<Json>(`${own}/test`, { form: {} })).toMatchObject(insufficient);
    expect(await desdemona.client.get<Json>(`${own}/deliveries`)).toMatchObject(insufficient);
    expect(await desdemona.client.post<Json>(`${own}/deliveries/requeue`, { form: {} })).toMatchObject(insufficient);
    expect((await patch({ enabled: 'false' })).body).toMatchObject({ event_webhook: { enabled: false } });
    expect(await patch({ enabled: 'true' })).toMatchObject(insufficient);
    expect((await remove(desdemona, id)).status).toBe(200);
    expect(await list()).toEqual([]);
  });

  it.each(['no uuid', '3fa85f64-5717-4562-b3fc-2c963f66afa6'])('responds 404 for the id %s', async (id) => {
    const path = `${eventWebhooksPath}/${encodeURIComponent(id)}`;
    expect(await iago.client.patch<Json>(path, { form: { enabled: 'false' } })).toMatchObject(notFound);
    expect(await iago.client.delete<Json>(path)).toMatchObject(notFound);
    expect(await iago.client.post<Json>(`${path}/test`, { form: {} })).toMatchObject(notFound);
    expect(await iago.client.get<Json>(`${path}/deliveries`)).toMatchObject(notFound);
  });
});

describe('POST /realm/event_webhooks/{webhook_id}/rotate_secret', () => {
  it('signs deliveries with the old and the new secret until the old secret expires', async () => {
    const { id, secret: first } = await createWebhook(iago, receiver.url('/rotated'), ['message']);
    const rotate = async (form: Record<string, string>) =>
      (await iago.client.post<{ secret: string }>(`${eventWebhooksPath}/${id}/rotate_secret`, { form })).body.secret;
    const second = await rotate({});
    const sendTest = async (count: number) => {
      await iago.client.post(`${eventWebhooksPath}/${id}/test`, { form: {} });
      return waitFor(() => receiver.at('/rotated')[count - 1], { what: `test ${count}` });
    };
    const signedByBoth = await sendTest(1);
    for (const secret of [first, second]) verifyWebhook(signedByBoth.body, signedByBoth.headers, secret);
    const third = await rotate({ overlap_seconds: '0' });
    const signedByOne = await sendTest(2);
    verifyWebhook(signedByOne.body, signedByOne.headers, third);
    expect(() => verifyWebhook(signedByOne.body, signedByOne.headers, second)).toThrow(WebhookSignatureError);
    await remove(iago, id);
  });
});

describe('POST /realm/event_webhooks/{webhook_id}/test', () => {
  it('sends the webhook an event of the type test, which no webhook can subscribe to', async () => {
    const { id } = await createWebhook(iago, receiver.url('/tested'), ['stream']);
    await createWebhook(iago, receiver.url('/untested'), ['stream']);
    await iago.client.post(`${eventWebhooksPath}/${id}/test`, { form: {} });
    const hook = await waitFor(() => receiver.at('/tested')[0]);
    expect(hook).toMatchObject({ type: 'test', event: { webhook_id: id } });
    expect(receiver.at('/untested')).toEqual([]);
    const isEnabled = await iago.client.patch<Json>(`${eventWebhooksPath}/${id}`, { form: { enabled: 'false' } });
    expect(isEnabled.status).toBe(200);
    const { body } = await iago.client.post<Json>(`${eventWebhooksPath}/${id}/test`, { form: {} });
    expect(body).toMatchObject({ code: 'BAD_REQUEST', msg: 'The event webhook is disabled.' });
    for (const webhook of await list()) await remove(iago, webhook.id);
  });
});

describe('types of events that webhooks can subscribe to', () => {
  const flagged = allEventTypes.filter(({ webhookOrder }) => webhookOrder !== undefined);

  it('equal the types of all events that are defined for webhooks', () => {
    const types = new Set(flagged.flatMap(({ variants }) => variants.map(({ type }) => type)));
    expect([...types].toSorted()).toEqual(subscribableEventTypeSchema.options);
  });

  it('do not differ between the variants of an event', () => {
    for (const { name, variants } of flagged) {
      expect({ name, types: new Set(variants.map(({ type }) => type)).size }).toEqual({ name, types: 1 });
    }
  });
});
