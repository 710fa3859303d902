import { readdirSync, readFileSync } from 'node:fs';
import { waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openWebhookDelivery, type WebhookDeliveryService } from '../src/webhooks/index.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { fixture } from './support/pager-destination/model-test-fixture.js';
import { Receiver } from './webhooks/test-receiver.js';

const folder = new URL('support/pager-destination/', import.meta.url);
const guide = new URL('../../../docs/adding-a-webhook-destination.md', import.meta.url);

vi.mock('../src/destinations/kinds.js', async (original) => {
  const { eventRuleActions } = await original<typeof import('../src/destinations/kinds.js')>();
  const { pager } = await import('./support/pager-destination/index.js');
  return { eventRuleActions: [...eventRuleActions, pager] };
});

type Json = Record<string, unknown>;

const rules = '/api/extras/event-rules/';
const receiver = new Receiver();
let test: TestInventory;
let webhooks: WebhookDeliveryService;
let pagerId: number;

beforeAll(async () => {
  receiver.response = () => ({ status: 202 });
  await receiver.start();
  test = await startInventory({ WEBHOOK_ALLOW_LOOPBACK: 'true' });
  await test.inventory.database.query(readFileSync(new URL('migration.sql', folder), 'utf8'));
  webhooks = openWebhookDelivery(test.inventory);
  await test.inventory.outbox.start('all');
  webhooks.start('all');
  const json = { ...fixture.create({})[0], service_url: receiver.url };
  const { status, body } = await test.api.post<{ id: number }>('/api/extras/pagers/', { json });
  expect([status, body]).toEqual([201, expect.objectContaining({ access_key: '********' })]);
  pagerId = body.id;
});
afterAll(async () => {
  await test.inventory.outbox.stop();
  await receiver.stop();
  await webhooks.stop();
  await test.close();
});

describe('docs/adding-a-webhook-destination.md', () => {
  it('names the source files of the destination kind that this test suite defines', () => {
    const named = [...readFileSync(guide, 'utf8').matchAll(/^\| `([\w-]+\.(?:ts|sql))` \|/gm)].map(([, name]) => name);
    expect(named.toSorted()).toEqual(readdirSync(folder).toSorted());
  });
});

describe('defineEventDestination', () => {
  it('adds an action type, an object type and the features of the model to the API', async () => {
    const options = await test.api.request<{ actions: { POST: Record<string, { choices: Json[] }> } }>(
      'OPTIONS',
      rules,
    );
    const { action_type: action, action_object_type: object } = options.body.actions.POST;
    expect(action?.choices).toContainEqual({ value: 'pager', display_name: 'Pager' });
    expect(object?.choices.map(({ value }) => value)).toContain('extras.pager');
    const types = await test.api.get<{ results: Json[] }>('/api/core/object-types/', { query: { model: 'pager' } });
    const features = ['change_logging', 'custom_fields', 'custom_validation', 'event_rules', 'tags'];
    expect(types.body.results).toMatchObject([{ features }]);
  });

  it('sends changes to the new destination kind, with its decrypted secret', async () => {
    const json = {
      name: 'pager',
      object_types: ['dcim.site'],
      event_types: ['object_created'],
      action_type: 'pager',
      action_object_type: 'extras.pager',
      action_object_id: pagerId,
    };
    expect((await test.api.post(rules, { json })).status).toBe(201);
    await test.api.post('/api/dcim/sites/', { json: { name: 'Amsterdam', slug: 'amsterdam' } });
    const succeeded = async (): Promise<Json[] | null> => {
      const query = { status: 'succeeded' };
      const { body } = await test.api.get<{ results: Json[] }>('/api/extras/webhook-deliveries/', { query });
      return body.results.length > 0 ? body.results : null;
    };
    const deliveries = await waitFor(succeeded, { what: 'the delivery' });
    expect(deliveries).toMatchObject([
      { action_type: { value: 'pager', label: 'Pager' }, action_object: { id: pagerId, name: 'Delta 10' } },
    ]);
    const [request] = receiver.requests;
    expect(request?.headers['authorization']).toBe('Key abc');
    expect(JSON.parse(request?.body.toString() ?? '')).toMatchObject({ data: { slug: 'amsterdam' } });
  });
});
