import type { InProcessApiClient } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encryptStoredTexts } from '../src/secrets/encrypt-stored-texts.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;
interface ListBody {
  readonly results: Json[];
}

const policies = '/api/vpn/ike-policies/';
const groups = '/api/ipam/fhrp-groups/';

describe('encrypted keys, such as pre-shared keys', () => {
  let test: TestInventory;
  let viewer: InProcessApiClient;
  let policy: string;
  beforeAll(async () => {
    test = await startInventory();
    const { body: user } = await test.api.post<{ id: number }>('/api/users/users/', {
      json: { username: 'viewer', password: 'Twelve chars 1' },
    });
    viewer = await test.clientOf(user.id);
    await test.api.post('/api/users/permissions/', {
      json: { name: 'View', object_types: ['vpn.ikepolicy'], actions: ['view'], users: [user.id] },
    });
    const made = await test.api.post<Json>(policies, {
      json: { name: 'Alpha', version: 2, preshared_key: 'open "sesame"\\' },
    });
    expect(made.body['preshared_key']).toBe('open "sesame"\\');
    policy = `${policies}${String(made.body['id'])}/`;
  });
  afterAll(() => test.close());

  const stored = async (table: string, column: string): Promise<readonly { text: string; digest: string }[]> => {
    const { rows } = await test.inventory.database.query<{ text: string; digest: string }>(
      `SELECT ${column} AS text, ${column}_digest AS digest FROM ${table} ORDER BY id`,
    );
    return rows;
  };
  const records = async (type: string): Promise<string> =>
    JSON.stringify((await test.api.get<ListBody>(`/api/core/object-changes/?changed_object_type=${type}`)).body);
  const events = async (): Promise<string> =>
    JSON.stringify((await test.inventory.database.query('SELECT payload FROM queue.outbox')).rows);

  it('appear in every representation of the object, to users who can view it', async () => {
    for (const path of [
      policy,
      `${policy}?fields=preshared_key`,
      policies,
      `${policies}?omit=id`,
      `${policies}?start=0`,
    ]) {
      const { body } = await viewer.get<Json & Partial<ListBody>>(path);
      expect([path, (body.results?.[0] ?? body)['preshared_key']]).toEqual([path, 'open "sesame"\\']);
    }
    expect((await viewer.get<Json>(`${policy}?brief=true`)).body).not.toHaveProperty('preshared_key');
    expect((await viewer.get(groups)).status).toBe(403);
  });

  it('do not appear as plain text in the database, the change log or events', async () => {
    const [own] = await stored('vpn_ikepolicy', 'preshared_key');
    expect(own?.text).toMatch(/^v1\./);
    expect(own?.digest).toMatch(/^[0-9a-f]{64}$/);
    await test.api.delete(`${policies}${await create({ preshared_key: 'short lived' })}/`);
    for (const text of [await records('vpn.ikepolicy'), await events()]) {
      expect(text).toContain('"preshared_key":"********"');
      expect(text).not.toMatch(/sesame|short lived|v1\.|u0000/);
    }
  });

  it('support filters by equality and emptiness only', async () => {
    await create({ preshared_key: '' });
    const names = async (query: string): Promise<unknown> =>
      (await test.api.get<ListBody>(`${policies}?${query}`)).body.results?.map(({ name }) => name);
    expect(await names(`preshared_key=${encodeURIComponent('open "sesame"\\')}`)).toEqual(['Alpha']);
    expect(await names('preshared_key__empty=true')).toEqual(['Beta']);
    expect(await names('preshared_key__n=x')).toEqual(['Alpha', 'Beta']);
    const { status, body } = await test.api.get(`${policies}?preshared_key__ic=open`);
    expect([status, body]).toMatchObject([400, { preshared_key__ic: [expect.stringContaining('stored sealed')] }]);
    const user = await test.api.post<{ id: number }>('/api/users/users/', {
      json: { username: 'constrained', password: 'Correct horse 2 battery' },
    });
    for (const constraints of [{ preshared_key: 'open "sesame"\\' }, { preshared_key__startswith: 'open' }]) {
      const permission = { name: 'P', object_types: ['vpn.ikepolicy'], actions: ['view'], constraints };
      const users = [user.body.id];
      const constraint = await test.api.post('/api/users/permissions/', { json: { ...permission, users } });
      expect(constraint.status).toBe(201);
    }
    const client = await test.clientOf(user.body.id);
    expect((await client.get<ListBody>(policies)).body.results).toEqual([]);
  });

  it('remain unchanged when a request contains asterisks, and enter the change log only when changed', async () => {
    const logged = async (): Promise<number> =>
      (await test.api.get<ListBody>('/api/core/object-changes/?action=update')).body.results.length;
    const patched = async (json: Json): Promise<unknown> =>
      (await test.api.patch<Json>(policy, { json })).body['preshared_key'];
    const before = await logged();
    expect(await patched({ preshared_key: '********' })).toBe('open "sesame"\\');
    expect(await patched({ preshared_key: 'open "sesame"\\' })).toBe('open "sesame"\\');
    expect(await logged()).toBe(before);
    expect(await patched({ preshared_key: 'another' })).toBe('another');
    expect(await logged()).toBe(before + 1);
    expect(await patched({ preshared_key: '' })).toBe('');
    expect(await logged()).toBe(before + 2);
  });

  it('appear as asterisks when the encryption key is lost, and survive an update with asterisks', async () => {
    const id = await create({ name: 'Gone' });
    await test.inventory.database.query(
      `UPDATE vpn_ikepolicy SET preshared_key = 'v1.gone.' || repeat('A', 16) || '.AAAA.' || repeat('A', 22) WHERE id = $1`,
      [id],
    );
    const path = `${policies}${id}/`;
    expect((await test.api.get<Json>(path)).body['preshared_key']).toBe('********');
    expect((await test.api.patch<Json>(path, { json: { preshared_key: '********' } })).body['preshared_key']).toBe(
      '********',
    );
    await encryptStoredTexts({ ...test.inventory, box: test.inventory.keys.box });
    expect((await stored('vpn_ikepolicy', 'preshared_key')).at(-1)).toMatchObject({ digest: '', text: /^v1\.gone\./ });
  });

  it('replace plain text that a migration stored when the service starts', async () => {
    const ids: number[] = [];
    for (const group_id of [1, 2]) {
      const { body } = await test.api.post<{ id: number }>(groups, { json: { protocol: 'carp', group_id } });
      ids.push(body.id);
    }
    await test.inventory.database.query(
      `UPDATE ipam_fhrpgroup SET auth_key = 'plain "' || group_id WHERE id = ANY ($1)`,
      [ids],
    );
    expect((await test.api.get<ListBody>(groups)).body.results.map((group) => group['auth_key'])).toEqual([
      '********',
      '********',
    ]);
    for (let run = 0; run < 2; run += 1) await encryptStoredTexts({ ...test.inventory, box: test.inventory.keys.box });
    expect((await test.api.get<ListBody>(groups)).body.results.map((group) => group['auth_key'])).toEqual([
      'plain "1',
      'plain "2',
    ]);
    expect((await test.api.get<ListBody>(`${groups}?auth_key=plain+"2`)).body.results).toHaveLength(1);
    for (const { text } of await stored('ipam_fhrpgroup', 'auth_key')) expect(text).toMatch(/^v1\./);
  });

  const create = async (json: Json): Promise<number> =>
    (await test.api.post<{ id: number }>(policies, { json: { name: 'Beta', version: 2, ...json } })).body.id;
});
