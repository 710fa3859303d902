import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

describe('endpoints of contacts and owners', () => {
  let test: TestInventory;
  const ids: Record<string, number> = {};
  const make = async (name: string, path: string, json: Json): Promise<number> => {
    const { status, body } = await test.api.post<{ id: number }>(path, { json });
    expect([name, status, body]).toMatchObject([name, 201, {}]);
    ids[name] = body.id;
    return body.id;
  };
  const path = '/api/tenancy/contact-assignments/';
  beforeAll(async () => {
    test = await startInventory();
    const groups = '/api/tenancy/contact-groups/';
    await make('north', groups, { name: 'North', slug: 'north' });
    await make('east', groups, { name: 'East', slug: 'east', parent: { slug: 'north' } });
    await make('west', groups, { name: 'West', slug: 'west', parent: { slug: 'north' } });
    await make('role', '/api/tenancy/contact-roles/', { name: 'Guard', slug: 'guard' });
    await make('site', '/api/dcim/sites/', { name: 'Amsterdam', slug: 'amsterdam' });
    await make('alice', '/api/tenancy/contacts/', {
      name: 'Alice',
      groups: [{ slug: 'east' }, { slug: 'west' }],
    });
    await make('bob', '/api/tenancy/contacts/', { name: 'Bob', groups: [{ slug: 'north' }] });
  });
  afterAll(() => test.close());

  const refused = async (json: Json): Promise<unknown> => {
    const { status, body } = await test.api.post(path, { json });
    expect(status).toBe(400);
    return body;
  };
  const assignment = (contact: string, more: Json = {}): Json => ({
    object_type: 'dcim.site',
    object_id: ids['site'],
    contact: ids[contact],
    role: ids['role'],
    ...more,
  });

  it('reject a link that is not a URL', async () => {
    const contact = `/api/tenancy/contacts/${ids['alice']}/`;
    for (const link of [
      'x',
      'javascript:alert(1)',
      '//example.com',
      'http://',
      'https://a b.example',
      'mailto:a@example.com',
    ]) {
      const { status, body } = await test.api.patch(contact, { json: { link } });
      expect([link, status, body]).toEqual([link, 400, { link: ['Enter a valid URL.'] }]);
    }
    for (const link of [
      'https://example.com',
      'http://user:secret@[2001:db8::1]:8080/x?y#z',
      'ftp://192.0.2.1/a',
      'https://bücher.example/',
      'http://localhost:3000',
      '',
    ]) {
      expect([link, (await test.api.patch(contact, { json: { link } })).status]).toEqual([link, 200]);
    }
  });

  it('count a contact once per group, even if the contact is in several descendant groups', async () => {
    const { body } = await test.api.get<{ results: Json[] }>('/api/tenancy/contact-groups/');
    expect(body.results.map(({ name, contact_count: count, _depth: depth }) => [name, count, depth])).toEqual([
      ['North', 2, 0],
      ['East', 1, 1],
      ['West', 1, 1],
    ]);
    const found = await test.api.get<{ count: number }>('/api/tenancy/contacts/?group=north');
    expect(found.body.count).toBe(2);
    const groups = await test.api.get<{ count: number }>(`/api/tenancy/contact-groups/?contact_id=${ids['alice']}`);
    expect(groups.body.count).toBe(2);
  });

  it('reject a contact group below itself or with the name of a sibling', async () => {
    const above = await test.api.patch(`/api/tenancy/contact-groups/${ids['north']}/`, {
      json: { parent: ids['east'] },
    });
    expect([above.status, above.body]).toEqual([
      400,
      { parent: ['Cannot assign self or child contact group as parent.'] },
    ]);
    const twin = await test.api.post('/api/tenancy/contact-groups/', {
      json: { name: 'East', slug: 'east-2', parent: ids['north'] },
    });
    expect([twin.status, twin.body]).toEqual([
      400,
      { __all__: ['Contact group with this Parent and Name already exists.'] },
    ]);
  });

  it('reject repeated assignments and assignments to models without contacts', async () => {
    await make('assignment', path, assignment('alice', { priority: 'primary' }));
    expect(await refused(assignment('alice'))).toEqual({
      __all__: ['Contact assignment with this Object type, Object id, Contact and Role already exists.'],
    });
    expect(await refused(assignment('bob', { object_type: 'tenancy.contactrole', object_id: ids['role'] }))).toEqual({
      __all__: ['Contacts cannot be assigned to this object type (Tenancy | contact role).'],
    });
    expect(await refused(assignment('bob', { object_id: 99_999 }))).toEqual({
      object_id: ['Related object not found using the provided value: 99999.'],
    });
    expect(await refused(assignment('bob', { role: null }))).toEqual({ role: ['This field cannot be null.'] });
  });

  it('filter objects by contact, and record the object of an assignment in the change log', async () => {
    const count = async (query: string): Promise<number> => (await test.api.get<{ count: number }>(query)).body.count;
    expect(await count(`/api/dcim/sites/?contact=${ids['alice']}`)).toBe(1);
    expect(await count(`/api/dcim/sites/?contact=${ids['bob']}`)).toBe(0);
    expect(await count(`/api/dcim/sites/?contact_role=${ids['role']}&contact_group=${ids['north']}`)).toBe(1);
    const log = await test.api.get<{ results: Json[] }>(
      `/api/core/object-changes/?related_object_type=dcim.site&related_object_id=${ids['site']}`,
    );
    expect(log.body.results).toMatchObject([{ object_repr: 'Alice (Primary) -> Amsterdam' }]);
  });

  it('reject the deletion of assigned contacts and roles', async () => {
    for (const what of [`contacts/${ids['alice']}`, `contact-roles/${ids['role']}`]) {
      const { status, body } = await test.api.delete(`/api/tenancy/${what}/`);
      expect([what, status, body]).toEqual([
        what,
        409,
        {
          detail: `Unable to delete object. 1 dependent objects were found: Alice (Primary) -> Amsterdam (${ids['assignment']})`,
        },
      ]);
    }
  });

  it('delete assignments with their object, but no contacts with their group', async () => {
    expect((await test.api.delete(`/api/dcim/sites/${ids['site']}/`)).status).toBe(204);
    expect((await test.api.get<{ count: number }>(path)).body.count).toBe(0);
    expect((await test.api.delete(`/api/tenancy/contact-groups/${ids['north']}/`)).status).toBe(204);
    expect((await test.api.get<{ count: number }>('/api/tenancy/contacts/')).body.count).toBe(2);
  });

  it('reject the deletion of owner groups with owners, and of owners with objects', async () => {
    const group = await make('owners', '/api/users/owner-groups/', { name: 'Network' });
    const owner = await make('owner', '/api/users/owners/', { name: 'Core team', group });
    await make('owned', '/api/tenancy/tenants/', { name: 'Acme', slug: 'acme', owner });
    for (const [what, blocker] of [
      [`/api/users/owner-groups/${group}/`, `Core team (${owner})`],
      [`/api/users/owners/${owner}/`, `Acme (${ids['owned']})`],
    ] as const) {
      const { status, body } = await test.api.delete(what);
      expect([status, body]).toEqual([
        409,
        { detail: `Unable to delete object. 1 dependent objects were found: ${blocker}` },
      ]);
    }
    const counted = await test.api.get<Json>(`/api/users/owner-groups/${group}/`);
    expect(counted.body['member_count']).toBe(1);
    const found = await test.api.get<{ count: number }>('/api/tenancy/tenants/?owner_group=Network');
    expect(found.body.count).toBe(1);
  });

  it('reject a data source of type local with a URL of another machine', async () => {
    const { status, body } = await test.api.post('/api/core/data-sources/', {
      json: { name: 'S', type: 'local', source_url: 'https://example.com/' },
    });
    expect([status, body]).toEqual([
      400,
      { source_url: ['URLs for local sources must start with file:// (or specify no scheme)'] },
    ]);
  });
});
