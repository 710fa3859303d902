import { systemClock } from '@switchboard/platform';
import { waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { createWebhook, WebhookReceiver, eventWebhooksPath, type WireWebhook } from '../../../test/webhook-receiver.js';
import { createChatEventEmitter } from '../../app/create-service-slices.js';
import { softDeactivateUsers } from '../../core/soft-deactivation/index.js';
import { realmUserUpdateEvent } from '../../core/users/index.js';
import { StoredFileDeletionSchedule } from '../../infra/storage/index.js';
import { deleteDueRealms } from '../realm-deactivation/index.js';

type Json = Record<string, unknown>;

let cluster: ChatCluster;
let chat: ChatProcess;
let desdemona: DemoUser;
let hamlet: DemoUser;
let receiver: WebhookReceiver;

/** Settings of all processes in these tests. They are equal, because any process may deliver an event. */
const settings = {
  EVENT_WEBHOOK_ALLOW_LOOPBACK: 'true',
  EVENT_WEBHOOK_RETRIES: '1',
  EVENT_WEBHOOK_RETRY_INITIAL_MS: '1',
};

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  cluster = await chatCluster();
  chat = await cluster.start(settings);
  [desdemona, hamlet] = await Promise.all([signIn(chat, 'desdemona'), signIn(chat, 'hamlet')]);
});
afterAll(async () => {
  await cluster.stop();
  await receiver.stop();
});

const query = async <R>(sql: string, values: unknown[] = []) =>
  (await chat.runtime.database.query<R>(sql, values)).rows;

const setRole = (user: DemoUser, role: number) =>
  desdemona.client.patch<Json>(`/api/v1/users/${user.id}`, { form: { role: String(role) } });

async function sendMessage(content: string): Promise<void> {
  const form = { type: 'channel', to: 'Verona', topic: 'owners', content };
  const { body } = await hamlet.client.post<Json>('/api/v1/messages', { form });
  expect(body['msg']).toBe('');
}

/** Waits until all events that were committed before the call have been delivered or have failed. */
async function settle(): Promise<void> {
  const waiting = () =>
    query(`SELECT 1 FROM queue.outbox WHERE topic LIKE 'event-webhooks.%' UNION ALL
      SELECT 1 FROM webhooks.deliveries WHERE status = 'queued'`);
  await waitFor(async () => (await waiting()).length === 0, { what: 'all deliveries' });
}

const listed = async (): Promise<WireWebhook[]> =>
  (await desdemona.client.get<{ event_webhooks: WireWebhook[] }>(eventWebhooksPath)).body.event_webhooks;

const contentsAt = (path: string): unknown[] =>
  receiver.at(path).map(({ event }) => (event['message'] as { content: string }).content);

describe('an event webhook of an administrator', () => {
  it.each<[string, (user: DemoUser) => Promise<{ status: number }>, (user: DemoUser) => Promise<unknown>]>([
    ['demoted', (user) => setRole(user, 400), (user) => setRole(user, 200)],
    [
      'deactivated',
      (user) => desdemona.client.delete(`/api/v1/users/${user.id}`),
      (user) => desdemona.client.post(`/api/v1/users/${user.id}/reactivate`),
    ],
  ])(
    'becomes disabled when its owner is %s, and remains disabled when the owner is restored',
    async (kind, end, restore) => {
      const cordelia = await signIn(chat, 'cordelia');
      expect((await setRole(cordelia, 200)).status).toBe(200);
      const path = `/${kind}`;
      const { id } = await createWebhook(cordelia, receiver.url(path), ['message']);
      receiver.respond = async (hook) => {
        if (hook.path !== path) return 204;
        expect((await end(cordelia)).status).toBe(200);
        return 500;
      };
      await sendMessage('before');
      await settle();
      receiver.respond = () => 204;
      await sendMessage('after');
      await restore(cordelia);
      await sendMessage('restored');
      await settle();
      expect(contentsAt(path)).toEqual(['before']);
      const failed = await query<Json>('SELECT status, error FROM webhooks.deliveries WHERE endpoint_id = $1', [id]);
      expect(failed).toEqual([{ status: 'failed', error: 'The endpoint is disabled.' }]);
      expect((await listed()).find((webhook) => webhook.id === id)).toMatchObject({ enabled: false });
      await desdemona.client.delete(`${eventWebhooksPath}/${id}`);
      await setRole(cordelia, 400);
    },
  );

  it('rejects a creation by an administrator who is demoted while the request waits for a lock', async () => {
    const cordelia = await signIn(chat, 'cordelia');
    await setRole(cordelia, 200);
    const connection = await chat.runtime.database.pool.connect();
    try {
      await connection.query('BEGIN');
      await connection.query('UPDATE users SET role = 400 WHERE id = $1', [cordelia.id]);
      const form = { url: receiver.url('/late'), event_types: '["message"]' };
      const request = cordelia.client.post<Json>(eventWebhooksPath, { form });
      const waiting = `SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()`;
      await waitFor(async () => (await query(waiting)).length > 0);
      await connection.query('COMMIT');
      expect((await request).body).toMatchObject({ code: 'UNAUTHORIZED_PRINCIPAL' });
    } finally {
      connection.release();
    }
    expect(await listed()).toEqual([]);
  });

  it('prevents the soft deactivation of its owner', async () => {
    const { id } = await createWebhook(desdemona, receiver.url('/away'), ['message']);
    await query("UPDATE user_activity SET last_request_at = now() - interval '99 days'");
    await query("UPDATE users SET date_joined = now() - interval '99 days'");
    const { database, eventLog } = chat.runtime;
    await softDeactivateUsers({ database, eventLog, days: 14 }, new AbortController().signal);
    const away = await query<{ user_id: number }>('SELECT user_id FROM soft_deactivations');
    expect(away.map((row) => row.user_id)).not.toContain(desdemona.id);
    expect(away.map((row) => row.user_id)).toContain(hamlet.id);
    await desdemona.client.delete(`${eventWebhooksPath}/${id}`);
  });
});

describe('EventWebhookSubscriberCache', () => {
  it('reads the list of webhooks again after another process creates a webhook', async () => {
    const other = await cluster.start(settings);
    await sendMessage('the list is read');
    const desdemonaElsewhere = await signIn(other, 'desdemona');
    await createWebhook(desdemonaElsewhere, receiver.url('/elsewhere'), ['message']);
    await waitFor(() => chat.runtime.eventWebhooks.subscriptions.getCurrentSubscribers() === null, {
      what: 'the invalidation',
    });
    await sendMessage('seen');
    await settle();
    expect(contentsAt('/elsewhere')).toEqual(['seen']);
    for (const { id } of await listed()) await desdemona.client.delete(`${eventWebhooksPath}/${id}`);
  });

  it('reads the list of webhooks again when the list is 10 seconds old, even if no invalidation arrives', async () => {
    let aheadMs = 0;
    const clock = { ...systemClock, now: () => Date.now() + aheadMs };
    const deaf = await cluster.start(settings, clock);
    deaf.runtime.invalidations.close();
    const author = await signIn(deaf, 'hamlet');
    const sendThere = async (content: string) => {
      const form = { type: 'channel', to: 'Verona', topic: 'owners', content };
      expect((await author.client.post('/api/v1/messages', { form })).status).toBe(200);
    };
    await sendThere('the list is read');
    const { id } = await createWebhook(desdemona, receiver.url('/deaf'), ['message']);
    expect(deaf.runtime.eventWebhooks.subscriptions.getCurrentSubscribers()).toEqual(new Map());
    aheadMs = 10_000;
    await sendThere('seen');
    await settle();
    expect(contentsAt('/deaf')).toEqual(['seen']);
    await desdemona.client.delete(`${eventWebhooksPath}/${id}`);
  });
});

describe('EventWebhookEmitter', () => {
  it('preserves the order of events in a transaction even if the list of webhooks is read in between', async () => {
    const { id } = await createWebhook(desdemona, receiver.url('/ordered'), ['realm_user']);
    const { database, eventWebhooks } = chat.runtime;
    const [realm] = await query<{ id: number }>('SELECT realm_id AS id FROM users WHERE id = $1', [desdemona.id]);
    const events = createChatEventEmitter(chat.runtime);
    await database.inTransaction(async (tx) => {
      const write = (name: string) => {
        const payload = { userId: hamlet.id, change: { full_name: name } };
        events.write(tx, realm!.id, realmUserUpdateEvent, { audience: { all: true }, payload });
      };
      await eventWebhooks.subscriptions.invalidate();
      write('first');
      // The process also receives its own invalidation.
      await waitFor(async () => {
        await eventWebhooks.subscriptions.read(database.shared);
        return eventWebhooks.subscriptions.getCurrentSubscribers() !== null;
      });
      write('second');
    });
    await settle();
    const people = receiver.at('/ordered').map(({ event }) => event['person']);
    expect(people).toMatchObject([{ full_name: 'first' }, { full_name: 'second' }]);
    await desdemona.client.delete(`${eventWebhooksPath}/${id}`);
  });
});

describe('event webhooks of a deactivated organization', () => {
  it('receive nothing, and are deleted with its data', async () => {
    await createWebhook(desdemona, receiver.url('/ended'), ['message', 'realm']);
    receiver.respond = async ({ path }) => {
      if (path !== '/ended') return 204;
      expect((await desdemona.client.post('/api/v1/realm/deactivate', { form: {} })).status).toBe(200);
      return 500;
    };
    await sendMessage('last');
    await settle();
    expect(contentsAt('/ended')).toEqual(['last']);
    const errors = await query<Json>(
      "SELECT error FROM webhooks.deliveries WHERE status = 'failed' AND payload LIKE '%last%'",
    );
    expect(errors).toEqual([
      { error: 'The owner of the webhook is no active administrator, or the organization is deactivated.' },
    ]);
    await query('UPDATE realms SET deletion_due_at = now()');
    const { database, files } = chat.runtime;
    await deleteDueRealms(
      { database, files: new StoredFileDeletionSchedule(database, files.storage) },
      new AbortController().signal,
    );
    expect(await query('SELECT 1 FROM webhooks.endpoints UNION ALL SELECT 1 FROM webhooks.deliveries')).toEqual([]);
  });
});
