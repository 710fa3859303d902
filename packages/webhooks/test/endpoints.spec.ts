import { waitFor } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { disableEndpoints, type Endpoints, listSubscriptions, type NewWebhookEndpoint } from '../src/index.js';
import { startService, testSettings, type WebhookService } from './webhook-test-support.js';

let service: WebhookService;
let endpoints: Endpoints;
let owners = 0;

beforeAll(async () => {
  service = await startService({
    eventTypes: ['order.placed', 'order.paid'],
    maxEndpointsPerOwner: 3,
    settings: {
      ...testSettings,
      outbound: { ...testSettings.outbound, policy: { ...testSettings.outbound.policy, allowPorts: [443] } },
    },
  });
  ({ endpoints } = service.webhooks);
});
afterAll(() => service.stop());

/** Returns a new owner, who has no endpoints. */
const newOwner = (): string => `owner ${(owners += 1)}`;

/** SQL query that selects the transactions of this database that wait for an advisory lock. */
const waitingLocks = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

const input: NewWebhookEndpoint = { url: 'https://example.com/hooks', eventTypes: ['order.placed'] };

describe('Endpoints.create', () => {
  it('returns the endpoint with a generated secret, which is encrypted at rest and not returned again', async () => {
    const owner = newOwner();
    const created = await endpoints.create(service.pool, owner, { ...input, metadata: { team: 'a\0b' } });
    const { secret, ...endpoint } = created;
    expect(secret).toMatch(/^whsec_/);
    expect(endpoint).toMatchObject({ ...input, description: '', enabled: true, metadata: { team: 'a\0b' } });
    expect(new Date(endpoint.createdAt).toISOString()).toBe(endpoint.createdAt);
    expect(await endpoints.get(service.pool, owner, endpoint.id)).toEqual(endpoint);
    expect(await endpoints.list(service.pool, owner)).toEqual({ endpoints: [endpoint], next: null });
    const { rows } = await service.pool.query('SELECT p::text AS row FROM webhooks.endpoints p');
    expect(JSON.stringify(rows)).not.toContain(secret.slice('whsec_'.length));
  });

  it('accepts a secret of the caller', async () => {
    const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
    expect(await endpoints.create(service.pool, newOwner(), { ...input, secret })).toMatchObject({ secret });
  });

  it.each<[string, object, string]>([
    ['no URL', { url: undefined }, 'WEBHOOK_INPUT_INVALID'],
    ['a path', { url: '/hooks' }, 'WEBHOOK_URL_REFUSED'],
    ['another protocol', { url: 'ftp://example.com/' }, 'WEBHOOK_URL_REFUSED'],
    ['credentials in the URL', { url: 'https://a:b@example.com/' }, 'WEBHOOK_URL_REFUSED'],
    ['a refused port', { url: 'https://example.com:8443/' }, 'WEBHOOK_URL_REFUSED'],
    ['a private address', { url: 'https://10.1.2.3/' }, 'WEBHOOK_URL_REFUSED'],
    ['a metadata address as a number', { url: 'https://2852039166/' }, 'WEBHOOK_URL_REFUSED'],
    ['a long URL', { url: `https://example.com/${'a'.repeat(2_048)}` }, 'WEBHOOK_INPUT_INVALID'],
    ['a NUL character', { description: 'a\0' }, 'WEBHOOK_INPUT_INVALID'],
    ['no event types', { eventTypes: [] }, 'WEBHOOK_INPUT_INVALID'],
    ['an unknown event type', { eventTypes: ['order.lost'] }, 'WEBHOOK_EVENT_TYPE_UNKNOWN'],
    ['metadata that are no object', { metadata: [] }, 'WEBHOOK_INPUT_INVALID'],
    ['long metadata', { metadata: { text: 'a'.repeat(4_096) } }, 'WEBHOOK_INPUT_INVALID'],
    ['deep metadata', { metadata: { list: nested(100_000) } }, 'WEBHOOK_INPUT_INVALID'],
    ['a short secret', { secret: `whsec_${Buffer.alloc(23).toString('base64')}` }, 'WEBHOOK_INPUT_INVALID'],
    ['a secret of another form', { secret: 'correct horse battery staple' }, 'WEBHOOK_INPUT_INVALID'],
    ['an unknown field', { event_types: ['order.placed'] }, 'WEBHOOK_INPUT_INVALID'],
  ])('refuses %s', async (_, change, code) => {
    const owner = newOwner();
    const created = endpoints.create(service.pool, owner, { ...input, ...change });
    await expect(created).rejects.toMatchObject({ name: 'ApplicationError', code, status: 400 });
    expect((await endpoints.list(service.pool, owner)).endpoints).toEqual([]);
  });

  it('refuses more endpoints than the maximum of the owner', async () => {
    const owner = newOwner();
    for (const _ of [1, 2, 3]) await endpoints.create(service.pool, owner, input);
    const fourth = endpoints.create(service.pool, owner, input);
    await expect(fourth).rejects.toMatchObject({ code: 'WEBHOOK_ENDPOINT_LIMIT', status: 409 });
    await endpoints.create(service.pool, newOwner(), input);
  });

  it.each([
    ['COMMIT', 'refuses'],
    ['ROLLBACK', 'creates'],
  ])(
    'waits for an open transaction that creates an endpoint of the same owner, and after %s %s the endpoint',
    async (end, result) => {
      const [owner, bystander] = [newOwner(), newOwner()];
      for (const _ of [1, 2]) await endpoints.create(service.pool, owner, input);
      const client = await service.pool.connect();
      try {
        await client.query('BEGIN');
        await endpoints.create(client, owner, input);
        const concurrent = endpoints.create(service.pool, owner, input).then(
          () => 'creates',
          ({ code }: { code?: string }) => (code === 'WEBHOOK_ENDPOINT_LIMIT' ? 'refuses' : code),
        );
        await waitFor(async () => (await service.pool.query(waitingLocks)).rows.length === 1);
        await endpoints.create(service.pool, bystander, input);
        await client.query(end);
        expect(await concurrent).toBe(result);
      } finally {
        client.release();
      }
      expect((await endpoints.list(service.pool, owner)).endpoints).toHaveLength(3);
    },
  );
});

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let index = 0; index < depth; index += 1) value = [value];
  return value;
}

describe('Endpoints.list', () => {
  it('returns pages in the order of creation', async () => {
    const owner = newOwner();
    const urls = ['https://a.example/', 'https://b.example/', 'https://c.example/'];
    for (const url of urls) await endpoints.create(service.pool, owner, { ...input, url });
    const first = await endpoints.list(service.pool, owner, { limit: 2 });
    expect(first.endpoints.map(({ url }) => url)).toEqual(urls.slice(0, 2));
    const second = await endpoints.list(service.pool, owner, { limit: 2, after: first.next ?? undefined });
    expect(second.endpoints.map(({ url }) => url)).toEqual(urls.slice(2));
    expect(second.next).toBeNull();
  });
});

describe('Endpoints.update', () => {
  it('changes the given fields only', async () => {
    const owner = newOwner();
    const { secret: _, ...endpoint } = await endpoints.create(service.pool, owner, { ...input, description: 'a' });
    const change = { url: 'https://other.example/', eventTypes: ['*'], enabled: false, metadata: { a: 1 } };
    const updated = await endpoints.update(service.pool, owner, endpoint.id, change);
    expect(updated).toEqual({ ...endpoint, ...change, updatedAt: updated.updatedAt });
    expect(await endpoints.update(service.pool, owner, endpoint.id, { description: '' })).toMatchObject({
      ...change,
      description: '',
    });
    const refused = endpoints.update(service.pool, owner, endpoint.id, { url: 'https://127.0.0.1:80/' });
    await expect(refused).rejects.toMatchObject({ code: 'WEBHOOK_URL_REFUSED' });
  });
});

describe('Endpoints', () => {
  it.each(['get', 'update', 'remove', 'rotateSecret'] as const)(
    'refuses %s for an endpoint of another owner, a deleted endpoint, and an id that is not a UUID',
    async (method) => {
      const owner = newOwner();
      const { id } = await endpoints.create(service.pool, owner, input);
      const notFound = { code: 'WEBHOOK_ENDPOINT_NOT_FOUND', status: 404 };
      await expect(endpoints[method](service.pool, newOwner(), id, {})).rejects.toMatchObject(notFound);
      await expect(endpoints[method](service.pool, owner, "1' OR true", {})).rejects.toMatchObject(notFound);
      await endpoints.remove(service.pool, owner, id);
      await expect(endpoints[method](service.pool, owner, id, {})).rejects.toMatchObject(notFound);
    },
  );
});

describe('Endpoints.rotateSecret', () => {
  it('retains each replaced secret of concurrent rotations, up to the maximum', async () => {
    const owner = newOwner();
    const { id } = await endpoints.create(service.pool, owner, input);
    const rotate = (rotation?: object) => endpoints.rotateSecret(service.pool, owner, id, rotation);
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => rotate()));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    const refused = results.find(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { code: 'WEBHOOK_SECRET_LIMIT', status: 409 } });
    expect((await endpoints.get(service.pool, owner, id)).formerSecrets).toBe(4);
    expect(await rotate({ overlapSeconds: 0 })).toMatchObject({ formerSecrets: 0 });
    await expect(rotate({ overlapSeconds: -1 })).rejects.toMatchObject({ code: 'WEBHOOK_INPUT_INVALID' });
  });

  it('accepts the id in upper case', async () => {
    const owner = newOwner();
    const { id } = await endpoints.create(service.pool, owner, { ...input, url: 'https://localhost/' });
    const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
    await endpoints.rotateSecret(service.pool, owner, id.toUpperCase(), { secret });
    await service.emit({ owner, type: 'order.placed', payload: 1 });
    // The attempt fails for lack of a server. A secret that cannot be decrypted would fail finally.
    const delivery = await waitFor(async () => {
      const page = await service.webhooks.deliveries.list(service.pool, owner);
      return page.deliveries.find(({ attempts }) => attempts > 1);
    });
    expect(delivery.error).not.toContain('decrypted');
  });
});

describe('disableEndpoints', () => {
  it('disables endpoints of one owner that match a metadata field', async () => {
    const [owner, other] = [newOwner(), newOwner()];
    const create = (of: string, user: number) => endpoints.create(service.pool, of, { ...input, metadata: { user } });
    for (const user of [1, 2, 3]) await create(owner, user);
    await create(other, 1);
    const condition = { owner, field: 'user', values: ['1', '3'] };
    expect(await disableEndpoints(service.pool, condition)).toBe(2);
    expect(await disableEndpoints(service.pool, condition)).toBe(0);
    const listed = (await endpoints.list(service.pool, owner)).endpoints;
    expect(listed.map(({ enabled }) => enabled)).toEqual([false, true, false]);
    const enabled = (await listSubscriptions(service.pool)).filter((one) => [owner, other].includes(one.owner));
    expect(enabled).toEqual([
      { owner, eventTypes: ['order.placed'], metadata: { user: 2 } },
      { owner: other, eventTypes: ['order.placed'], metadata: { user: 1 } },
    ]);
  });

  it.each<[string, Record<string, string>]>([
    ['a NUL character', { team: 'a\0b' }],
    ['half of a surrogate pair', { team: 'a\ud800' }],
    ['a field name with a NUL character', { 'a\0b': 'team' }],
  ])('disables an endpoint even if its other metadata contain %s', async (_title, other) => {
    const owner = newOwner();
    await endpoints.create(service.pool, owner, { ...input, metadata: { user: 'u1', ...other } });
    await endpoints.create(service.pool, owner, { ...input, metadata: { user: 'u2', ...other } });
    expect(await disableEndpoints(service.pool, { owner, field: 'user', values: ['u1'] })).toBe(1);
    expect((await endpoints.list(service.pool, owner)).endpoints.map(({ enabled }) => enabled)).toEqual([false, true]);
  });
});
