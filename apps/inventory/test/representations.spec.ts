import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

describe('GET of one object', () => {
  let test: TestInventory;
  let region: Json;
  let site: Json;
  beforeAll(async () => {
    test = await startInventory();
    region = await create('dcim/regions', { name: 'Europe', slug: 'europe' });
    site = await create('dcim/sites', { name: 'Amsterdam', slug: 'amsterdam', region: region['id'] });
  });
  afterAll(() => test.close());

  const create = async (path: string, json: Json): Promise<Json> => {
    const { status, body } = await test.api.post<Json>(`/api/${path}/`, { json });
    expect(status).toBe(201);
    return body;
  };

  it('returns created, last_updated, tags and custom fields', () => {
    expect(site).toMatchObject({
      id: expect.any(Number),
      url: `http://localhost/api/dcim/sites/${String(site['id'])}/`,
      display: 'Amsterdam',
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      last_updated: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      tags: [],
      custom_fields: {},
    });
  });

  it('nests parent objects in brief form, and omits child objects', async () => {
    expect(site['region']).toEqual({
      id: region['id'],
      url: region['url'],
      display: 'Europe',
      name: 'Europe',
      slug: 'europe',
      description: '',
      site_count: 0,
      _depth: 0,
    });
    const { body } = await test.api.get<Json>(`/api/dcim/regions/${String(region['id'])}/`);
    expect(body).toMatchObject({ site_count: 1 });
    expect(Object.keys(body)).not.toContain('sites');
    expect(JSON.stringify(body)).not.toContain('Amsterdam');
  });

  it('returns choices and generic references as objects', async () => {
    const prefix = await create('ipam/prefixes', {
      prefix: '192.0.2.0/24',
      status: 'container',
      scope_type: 'dcim.site',
      scope_id: site['id'],
    });
    expect(prefix).toMatchObject({
      family: { value: 4, label: 'IPv4' },
      status: { value: 'container', label: 'Container' },
      scope_type: 'dcim.site',
      scope_id: site['id'],
      scope: { id: site['id'], url: site['url'], name: 'Amsterdam', slug: 'amsterdam' },
    });
  });

  it('returns all fields of an IP address, including the addresses of its NAT translation in both directions', async () => {
    const inside = await create('ipam/ip-addresses', { address: '10.0.0.1/24' });
    const outside = await create('ipam/ip-addresses', {
      address: '2001:db8::1/64',
      role: 'anycast',
      dns_name: 'a.example.com',
      nat_inside: inside['id'],
    });
    const keys = [
      ['id', 'url', 'family', 'address', 'vrf', 'tenant', 'status', 'role'],
      ['assigned_object_type', 'assigned_object_id', 'assigned_object', 'nat_inside', 'nat_outside', 'dns_name'],
      ['description', 'tags', 'custom_fields', 'created', 'last_updated'],
    ].flat();
    expect(keys.filter((key) => !(key in outside))).toEqual([]);
    expect(outside).toMatchObject({
      family: { value: 6, label: 'IPv6' },
      address: '2001:db8::1/64',
      role: { value: 'anycast', label: 'Anycast' },
      assigned_object: null,
      nat_inside: { id: inside['id'], address: '10.0.0.1/24' },
      nat_outside: [],
    });
    const { body } = await test.api.get<Json>(`/api/ipam/ip-addresses/${String(inside['id'])}/`);
    expect(body['nat_outside']).toMatchObject([{ id: outside['id'], address: '2001:db8::1/64' }]);
  });

  it('returns all fields of a prefix', async () => {
    const prefix = await create('ipam/prefixes', { prefix: '198.51.100.0/24' });
    const keys = [
      ['id', 'url', 'display_url', 'display', 'family', 'prefix', 'vrf', 'scope_type', 'scope_id', 'scope', 'tenant'],
      ['vlan', 'status', 'role', 'is_pool', 'mark_utilized', 'description', 'comments', 'tags', 'custom_fields'],
      ['created', 'last_updated', 'children', '_depth'],
    ].flat();
    expect(keys.filter((key) => !(key in prefix))).toEqual([]);
    expect(prefix).toMatchObject({ is_pool: false, mark_utilized: false, children: 0, _depth: 0 });
  });

  it('returns the new status after a change from any status to any other', async () => {
    const path = `/api/dcim/sites/${String(site['id'])}/`;
    const statuses = ['planned', 'staging', 'active', 'decommissioning', 'retired'];
    for (const [from, to] of statuses.flatMap((one) => statuses.map((other) => [one, other]))) {
      await test.api.patch(path, { json: { status: from } });
      const { body } = await test.api.patch<Json>(path, { json: { status: to } });
      expect(body['status']).toMatchObject({ value: to });
    }
  });
});
