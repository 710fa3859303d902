import { waitFor } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openWebhookDelivery, type WebhookDeliveryService } from '../../src/webhooks/index.js';
import { startInventory, type TestInventory } from '../support/test-service.js';

interface Made {
  readonly id: number;
}

type Json = Record<string, unknown>;

const rules = '/api/extras/event-rules/';
const chats = '/api/extras/chat-destinations/';

let test: TestInventory;
let webhooks: WebhookDeliveryService;
const users: Record<string, number> = {};
let group: number;

beforeAll(async () => {
  test = await startInventory();
  webhooks = openWebhookDelivery(test.inventory);
  await test.inventory.outbox.start('all');
  webhooks.start('all');
  const staff = await add('/api/users/groups/', { name: 'Staff' });
  const { rows } = await test.inventory.database.query<{ id: number; username: string }>(
    "INSERT INTO users_user (username, password) VALUES ('ann', ''), ('bob', ''), ('carl', '') RETURNING id, username",
  );
  for (const { id, username } of rows) users[username] = id;
  await test.inventory.database.query(
    'INSERT INTO users_user_groups (user_id, group_id) SELECT unnest($1::bigint[]), $2',
    [[users['ann'], users['bob']], staff],
  );
  group = await add('/api/extras/notification-groups/', { name: 'On call', groups: [staff], users: [users['ann']] });
});
afterEach(async () => {
  await test.inventory.database.query('TRUNCATE extras_eventrule, webhook_deliveries, extras_notification CASCADE');
});
afterAll(async () => {
  await test.inventory.outbox.stop();
  await webhooks.stop();
  await test.close();
});

async function add(path: string, json: Json): Promise<number> {
  const { status, body } = await test.api.post<Made>(path, { json });
  expect([status, body]).toEqual([201, body]);
  return body.id;
}

const rule = (name: string, type: string, objectType: string, objectId: number): Json => ({
  name,
  object_types: ['dcim.site'],
  event_types: ['object_created', 'object_updated', 'object_deleted'],
  action_type: type,
  action_object_type: objectType,
  action_object_id: objectId,
});
const notifying = (name: string): Json => rule(name, 'notification', 'extras.notificationgroup', group);

/** Waits until a user has a notification of the given event. Returns all notifications of the user. */
async function notified(user: string, event: string): Promise<Json[]> {
  const client = await test.clientOf(users[user] ?? 0);
  return waitFor(async () => {
    const { body } = await client.get<{ results: Json[] }>('/api/extras/notifications/');
    return body.results.some(({ event_type: type }) => type === event) ? body.results : null;
  });
}

describe('event rule that notifies a group', () => {
  it('replaces an older notification of the same user and object', async () => {
    await add(rules, notifying('first'));
    await add(rules, notifying('second'));
    const site = await add('/api/dcim/sites/', { name: 'Delta', slug: 'delta' });
    const [told, ...more] = await notified('ann', 'object_created');
    expect(more).toEqual([]);
    expect(told).toMatchObject({
      object_type: 'dcim.site',
      object_id: site,
      object: { slug: 'delta' },
      display: 'Delta',
      user: { username: 'ann' },
      event_type: 'object_created',
      read: null,
    });
    const ann = await test.clientOf(users['ann'] ?? 0);
    await ann.patch(`/api/extras/notifications/${Number(told?.['id'])}/`, { json: { read: '2026-01-02T03:04:05Z' } });
    await test.api.patch(`/api/dcim/sites/${site}/`, { json: { name: 'Echo' } });
    expect(await notified('ann', 'object_updated')).toMatchObject([{ read: null, display: 'Echo' }]);
    expect(await notified('bob', 'object_updated')).toHaveLength(1);
    await test.api.delete(`/api/dcim/sites/${site}/`);
    expect(await notified('bob', 'object_deleted')).toMatchObject([{ object: null, display: 'Echo', read: null }]);
    const { rows } = await test.inventory.database.query(
      `SELECT (SELECT count(*)::int FROM extras_notification) AS notifications,
              (SELECT count(*)::int FROM webhook_deliveries) AS deliveries`,
    );
    expect(rows).toEqual([{ notifications: 2, deliveries: 0 }]);
  });
});

describe('event rule that runs a script', () => {
  it('creates deliveries that fail permanently, because the service runs no scripts', async () => {
    const { rows } = await test.inventory.database.query<Made>(
      `WITH m AS (INSERT INTO extras_scriptmodule (file_path, file_root) VALUES ('a.py', 'scripts') RETURNING id)
       INSERT INTO extras_script (name, module_id) SELECT 'Audit', id FROM m RETURNING id`,
    );
    await add(rules, rule('audit', 'script', 'extras.script', rows[0]?.id ?? 0));
    await add('/api/dcim/sites/', { name: 'Foxtrot', slug: 'foxtrot' });
    const failed = await waitFor(async () => {
      const found = await test.inventory.database.query<Json>(
        "SELECT action_type, status, attempts, error, next_attempt_at FROM webhook_deliveries WHERE status <> 'queued'",
      );
      return found.rows[0];
    });
    expect(failed).toEqual({
      action_type: 'script',
      status: 'failed',
      attempts: 1,
      error: 'Unable to process request: RQ worker process not running.',
      next_attempt_at: null,
    });
  });
});

describe('POST /api/extras/event-rules/', () => {
  it('stores every field, and returns the action object of the rule', async () => {
    const tag = await add('/api/extras/tags/', { name: 'Alpha', slug: 'alpha' });
    const owners = await add('/api/users/owner-groups/', { name: 'Teams' });
    const owner = await add('/api/users/owners/', { name: 'Networks', group: owners });
    await add('/api/extras/custom-fields/', { name: 'ticket', type: 'text', object_types: ['extras.eventrule'] });
    const { body } = await test.api.post<Json>(rules, {
      json: {
        ...notifying('all of it'),
        event_types: ['object_created', 'job_started', 'job_completed', 'job_failed', 'job_errored'],
        enabled: false,
        conditions: { and: [{ attr: 'status.value', value: 'active' }] },
        description: 'Tells people',
        owner,
        tags: [{ id: tag }],
        custom_fields: { ticket: 'N-1' },
      },
    });
    expect(body).toMatchObject({
      object_types: ['dcim.site'],
      name: 'all of it',
      enabled: false,
      event_types: ['object_created', 'job_started', 'job_completed', 'job_failed', 'job_errored'],
      conditions: { and: [{ attr: 'status.value', value: 'active' }] },
      action_type: { value: 'notification', label: 'Notification' },
      action_object_type: 'extras.notificationgroup',
      action_object_id: group,
      action_object: { id: group, name: 'On call' },
      description: 'Tells people',
      owner: { name: 'Networks' },
      tags: [{ slug: 'alpha' }],
      custom_fields: { ticket: 'N-1' },
    });
  });

  it('enables a rule by default, accepts a rule without object types, and lists rules by name', async () => {
    await add(rules, { ...notifying('b'), object_types: [] });
    await add(rules, notifying('a'));
    const { body } = await test.api.get<{ results: Json[] }>(rules);
    expect(body.results.map(({ name, enabled }) => [name, enabled])).toEqual([
      ['a', true],
      ['b', true],
    ]);
  });

  it.each([
    ['event_types', ['foo'], { event_types: { 0: ['"foo" is not a valid choice.'] } }],
    ['event_types', [], { event_types: ['This list may not be empty.'] }],
    ['object_types', ['dcim.nothing'], { object_types: ['Invalid content type: dcim.nothing'] }],
    ['object_types', ['users.user'], { object_types: ['Invalid content type: users.user'] }],
    ['action_type', 'mail', { action_type: ['mail is not a valid choice.'] }],
    ['action_object_type', 'dcim.site', { action_object_type: ['Invalid content type: dcim.site'] }],
    ['conditions', { attr: 'a', value: 1, op: 'x' }, { conditions: [expect.stringContaining('Unknown operator: x.')] }],
  ])('rejects the field %s with the value %j', async (field, value, problems) => {
    const refused = await test.api.post(rules, { json: { ...notifying('refused'), [field]: value } });
    expect([refused.status, refused.body]).toEqual([400, problems]);
  });

  it('requires an action object of the correct type, and deletes the rule together with this object', async () => {
    const hook = await add('/api/extras/webhooks/', { name: 'hook', payload_url: 'http://localhost:9000/' });
    const refused = await test.api.post<Json>(rules, { json: rule('x', 'webhook', 'extras.webhook', hook + 1) });
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['action_object_id']]);
    const other = await test.api.post(rules, { json: rule('x', 'notification', 'extras.webhook', hook) });
    expect([other.status, other.body]).toEqual([
      400,
      { action_object_type: ['Rules of action type notification need an object of extras.notificationgroup.'] },
    ]);
    const made = await add(rules, rule('x', 'webhook', 'extras.webhook', hook));
    await test.api.delete(`/api/extras/webhooks/${hook}/`);
    expect((await test.api.get(`${rules}${made}/`)).status).toBe(404);
  });
});

describe('POST and PATCH /api/extras/chat-destinations/', () => {
  const body = { name: 'Team', server_url: 'https://chat.test/', bot_email: 'b@chat.test', channel: 'net' };

  it('never return the bot key, and set a default message template', async () => {
    const { body: made } = await test.api.post<Json>(chats, {
      json: { ...body, name: 'Shown', bot_key: 'open sesame' },
    });
    expect(made).toMatchObject({ bot_key: '********', topic_template: '{{ object_type }} {{ data.display }}' });
    expect(made['message_template']).toMatch(/was \{\{ event \}\}/);
    const stored = await test.inventory.database.query('SELECT * FROM extras_chatdestination');
    const log = await test.inventory.database.query('SELECT * FROM core_objectchange');
    expect(JSON.stringify([stored.rows, log.rows])).not.toContain('open sesame');
  });

  it('require the bot key again when the server URL changes', async () => {
    const id = await add(chats, { ...body, bot_key: 'open sesame' });
    const move = (json: Json) => test.api.patch(`${chats}${id}/`, { json });
    const refusal = { bot_key: ['Enter the key again: it was given for another server.'] };
    for (const json of [{}, { bot_key: '********' }]) {
      const refused = await move({ server_url: 'https://evil.test/', ...json });
      expect([refused.status, refused.body]).toEqual([400, refusal]);
    }
    expect((await move({ server_url: 'https://chat.test/team' })).status).toBe(200);
    expect((await move({ server_url: 'https://other.test/', bot_key: 'another' })).status).toBe(200);
  });

  it.each([
    ['server_url', 'ftp://chat.test/'],
    ['server_url', 'https://me:secret@chat.test/'],
    ['server_url', 'chat.test'],
    ['bot_email', 'nobody'],
    ['bot_key', '********'],
    ['topic_template', '{{ data'],
    ['message_template', '{% if %}'],
  ])('reject the field %s with the value %j', async (field, value) => {
    const json = { ...body, name: 'refused', bot_key: 'k', [field]: value };
    const refused = await test.api.post<Json>(chats, { json });
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, [field]]);
  });
});
