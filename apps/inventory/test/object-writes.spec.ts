import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

describe('POST and PATCH of objects', () => {
  let test: TestInventory;
  let tenant: number;
  beforeAll(async () => {
    test = await startInventory();
    const made = await test.api.post<{ id: number }>('/api/tenancy/tenants/', { json: { name: 'Acme', slug: 'acme' } });
    tenant = made.body.id;
    await test.api.post('/api/ipam/vrfs/', { json: [{ name: 'Red', rd: '65000:1' }, { name: 'Red' }] });
    await test.api.post('/api/ipam/roles/', { json: { name: 'Servers', slug: 'servers' } });
    await test.api.post('/api/extras/tags/', {
      json: [
        { name: 'Alpha', slug: 'alpha' },
        { name: 'Only racks', slug: 'racks', object_types: ['ipam.vrf'] },
      ],
    });
    await test.api.post('/api/dcim/sites/', { json: { name: 'Taken', slug: 'taken' } });
  });
  afterAll(() => test.close());

  const refused = async (path: string, json: unknown): Promise<unknown> => {
    const { status, body } = await test.api.post(path, { json });
    expect(status).toBe(400);
    return body;
  };

  it.each([
    [{ vrf: 999 }, { vrf: ['Related object not found using the provided numeric ID: 999'] }],
    [
      { vrf: 999, role: 998 },
      {
        vrf: ['Related object not found using the provided numeric ID: 999'],
        role: ['Related object not found using the provided numeric ID: 998'],
      },
    ],
    [{ vrf: { rd: 'nope' } }, { vrf: ["Related object not found using the provided attributes: {'rd': 'nope'}"] }],
    [{ vrf: { name: 'Red' } }, { vrf: ["Multiple objects match the provided attributes: {'name': 'Red'}"] }],
    [{ vrf: {} }, { vrf: ['Multiple objects match the provided attributes: {}'] }],
    [{ vrf: { id: 'x' } }, { vrf: ["Related object not found using the provided attributes: {'id': 'x'}"] }],
    [
      { vrf: 'abc' },
      {
        vrf: [
          'Related objects must be referenced by numeric ID or by dictionary of attributes. Received an unrecognized value: abc',
        ],
      },
    ],
    [{ owner: 5 }, { owner: ['Related object not found using the provided numeric ID: 5'] }],
    [{ tags: null }, { tags: ['This field may not be null.'] }],
    [{ tags: {} }, { tags: { non_field_errors: ['Expected a list of items but got type "dict".'] } }],
    [{ tags: [77] }, { tags: ['Related object not found using the provided numeric ID: 77'] }],
    [
      { tags: ['alpha'] },
      {
        tags: [
          'Related objects must be referenced by numeric ID or by dictionary of attributes. Received an unrecognized value: alpha',
        ],
      },
    ],
    [
      { status: { value: 'active' } },
      { status: ['Value must be passed directly (e.g. "foo": 123); do not use a dictionary or list.'] },
    ],
    [{ status: '' }, { status: ['This field may not be blank.'] }],
    [{ scope_type: 'dcim.site' }, { __all__: ['Please select a site.'] }],
    [{ scope_id: 1 }, { scope_type: ['This field cannot be null.'] }],
    [
      { scope_type: 'dcim.site', scope_id: 99_999 },
      { scope_id: ['Related object not found using the provided value: 99999.'] },
    ],
    [{ scope_type: 'dcim.rack', scope_id: 1 }, { scope_type: ['Invalid content type: dcim.rack'] }],
    [
      { scope_type: 'nonsense', scope_id: 1 },
      { scope_type: ["Invalid value. Specify a content type as '<app_label>.<model_name>'."] },
    ],
    [
      { custom_fields: { nope: 1 } },
      { custom_fields: { nope: "Custom field 'nope' does not exist for this object type." } },
    ],
    [
      { custom_fields: [] },
      {
        custom_fields: [
          'Invalid data format. Custom field data must be passed as a dictionary mapping field names to their values.',
        ],
      },
    ],
    [
      { is_pool: 'maybe', description: 'x'.repeat(201) },
      { is_pool: ['Must be a valid boolean.'], description: ['Ensure this field has no more than 200 characters.'] },
    ],
    [{ description: 'a\0b' }, { description: ['Null characters are not allowed.'] }],
    [{ description: {} }, { description: ['Not a valid string.'] }],
    [{ description: null }, { description: ['This field may not be null.'] }],
    [{ prefix: '10.0.0.1/24' }, { prefix: ['10.0.0.1/24 is not a valid prefix: bits of the host part are set.'] }],
    [{ prefix: '0.0.0.0/0' }, { prefix: ['Cannot create prefix with /0 mask.'] }],
  ])('reject a prefix with the invalid value %j', async (more, body) => {
    expect(await refused('/api/ipam/prefixes/', { prefix: '198.51.100.0/24', ...more })).toEqual(body);
  });

  it('respond to an unknown attribute with its name and the names of existing attributes', async () => {
    const body = await refused('/api/ipam/prefixes/', { prefix: '198.51.100.0/24', role: { foo: 1 } });
    expect(JSON.stringify(body)).toContain("Cannot resolve keyword 'foo' into field. Choices are: ");
  });

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'reject a field with the name %s',
    async (name) => {
      const json = `{"prefix": "10.99.0.0/16", "tenant": {"${name}": "x"}}`;
      const headers = { 'content-type': 'application/json' };
      const { status, body } = await test.api.post('/api/ipam/prefixes/', { payload: json, headers, unchecked: true });
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('tenant')]);
      const listed = await test.api.get(`/api/ipam/prefixes/?ordering=${name}&fields=${name}&${name}=x`, {
        unchecked: true,
      });
      expect(listed.status).toBe(200);
      const constraints = JSON.parse(`{"${name}": "x"}`) as object;
      const permission = { name, object_types: ['ipam.prefix'], actions: ['view'], constraints };
      // Constraints with unknown attributes are accepted and grant nothing.
      const made = await test.api.post('/api/users/permissions/', { json: permission, unchecked: true });
      expect([name, made.status]).toEqual([name, 201]);
    },
  );

  it('identify related objects by nested attributes and by attribute paths', async () => {
    const site = await test.api.post<Json>('/api/dcim/sites/', { json: { name: 'Here', slug: 'here', tenant } });
    expect(site.status).toBe(201);
    const vrf = await test.api.post<Json>('/api/ipam/vrfs/', { json: { name: 'Blue', tenant: { slug: 'acme' } } });
    const found = await test.api.post<Json>('/api/ipam/prefixes/', {
      json: [
        { prefix: '198.51.101.0/24', vrf: { tenant: { name: 'Acme' } } },
        { prefix: '198.51.102.0/24', vrf: { tenant__slug: 'acme' } },
      ],
    });
    expect(found.body).toMatchObject([{ vrf: { id: vrf.body['id'] } }, { vrf: { id: vrf.body['id'] } }]);
  });

  it('identify related objects even if one lookup statement cannot contain all of them', async () => {
    const json = Array.from({ length: 1001 }, (_, index) => ({
      name: `Many ${index}`,
      slug: `many-${index}`,
      tenant: index === 1000 ? { slug: 'nobody' } : { slug: 'acme', id__gte: -index },
    }));
    const refusal = { tenant: ["Related object not found using the provided attributes: {'slug': 'nobody'}"] };
    expect(await refused('/api/dcim/sites/', json)).toEqual(json.map((_, index) => (index === 1000 ? refusal : {})));
  });

  it('report every name conflict, including conflicts between objects of the same request', async () => {
    expect(await refused('/api/dcim/sites/', { name: 'Taken', slug: 'taken' })).toEqual({
      name: ['site with this name already exists.'],
      slug: ['site with this slug already exists.'],
    });
    const twins = [
      { name: 'Twin', slug: 'twin-1' },
      { name: 'Twin', slug: 'twin-2' },
    ];
    const taken = { name: ['site with this name already exists.'] };
    expect(await refused('/api/dcim/sites/', twins)).toEqual([{}, taken]);
    expect(
      await refused('/api/dcim/sites/', [
        { name: 'Fine', slug: 'fine' },
        { name: '', slug: 'q' },
      ]),
    ).toEqual([{}, { name: ['This field may not be blank.'] }]);
    expect((await test.api.get<{ count: number }>('/api/dcim/sites/?name=Fine&name=Twin')).body.count).toBe(0);
    expect(await refused('/api/tenancy/tenants/', { name: 'Acme', slug: 'other' })).toHaveProperty('__all__');
    const vrf = await refused('/api/ipam/vrfs/', { name: 'x', rd: '65000:1' });
    expect(vrf).toEqual({ rd: ['VRF with this route distinguisher already exists.'] });
  });

  it('accept only one of many concurrent requests that create equal objects', async () => {
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => test.api.post('/api/ipam/prefixes/', { json: { prefix: '100.64.0.0/10' } })),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 7 }, () => 400)]);
  });

  it('replace tags as a whole, and reject tags that are restricted to other models', async () => {
    const { body } = await test.api.post<Json>('/api/dcim/sites/', {
      json: { name: 'Tagged', slug: 'tagged', tags: [{ slug: 'alpha' }] },
    });
    expect(body['tags']).toMatchObject([{ name: 'Alpha', color: '9e9e9e' }]);
    const path = `/api/dcim/sites/${String(body['id'])}/`;
    expect((await test.api.patch<Json>(path, { json: { facility: 'F' } })).body['tags']).toHaveLength(1);
    expect((await test.api.patch<Json>(path, { json: { tags: [] } })).body['tags']).toEqual([]);
    expect(await test.api.patch(path, { json: { tags: [{ slug: 'racks' }] } })).toMatchObject({
      status: 400,
      body: { detail: 'Tag Only racks cannot be assigned to site objects.' },
    });
    expect(
      (await test.api.get<{ results: Json[] }>('/api/extras/tags/?slug=alpha')).body.results[0]?.['tagged_items'],
    ).toBe(0);
  });

  it('add and remove single tags', async () => {
    const { body } = await test.api.post<Json>('/api/dcim/sites/', {
      json: { name: 'Some', slug: 'some', add_tags: [{ slug: 'alpha' }] },
    });
    expect(body['tags']).toMatchObject([{ slug: 'alpha' }]);
    const path = `/api/dcim/sites/${String(body['id'])}/`;
    const again = await test.api.patch<Json>(path, { json: { add_tags: [{ slug: 'alpha' }] } });
    expect(again.body['tags']).toHaveLength(1);
    const refusals: [Json, unknown][] = [
      [{ tags: [], add_tags: [] }, { tags: ['Cannot specify "tags" together with "add_tags" or "remove_tags".'] }],
      [
        { add_tags: [{ slug: 'alpha' }], remove_tags: [{ slug: 'alpha' }] },
        { non_field_errors: ['Tags may not be present in both "add_tags" and "remove_tags": Alpha'] },
      ],
      [{ remove_tags: [77] }, { remove_tags: ['Related object not found using the provided numeric ID: 77'] }],
    ];
    for (const [json, problems] of refusals) {
      expect(await test.api.patch(path, { json })).toMatchObject({ status: 400, body: problems });
    }
    expect((await test.api.patch<Json>(path, { json: { remove_tags: [{ slug: 'alpha' }] } })).body['tags']).toEqual([]);
    expect(await refused('/api/dcim/sites/', { name: 'New', slug: 'new', remove_tags: [] })).toEqual({
      remove_tags: ['Cannot use "remove_tags" when creating a new object.'],
    });
  });

  it('return only requested fields, but write all sent fields', async () => {
    const { body } = await test.api.post<Json>('/api/ipam/roles/?fields=id,name', {
      json: { name: 'Short', slug: 'short', weight: 7 },
    });
    expect(Object.keys(body)).toEqual(['id', 'name']);
    expect((await test.api.get<Json>(`/api/ipam/roles/${String(body['id'])}/`)).body['weight']).toBe(7);
  });

  it('encrypt the secret of a webhook, retain the secret for asterisks, and clear the secret for an empty string', async () => {
    const { body } = await test.api.post<Json>('/api/extras/webhooks/', {
      json: { name: 'Hook', payload_url: 'http://localhost/', secret: 'sesame' },
    });
    const path = `/api/extras/webhooks/${String(body['id'])}/`;
    const stored = async (): Promise<string> => {
      const { rows } = await test.inventory.database.query<{ secret: string }>(
        'SELECT secret FROM extras_webhook WHERE id = $1',
        [body['id']],
      );
      return rows[0]?.secret ?? '';
    };
    const sealed = await stored();
    expect(sealed).toMatch(/^v1\./);
    expect(sealed).not.toContain('sesame');
    await test.api.patch(path, { json: { secret: '********', description: 'kept' } });
    expect(await stored()).toBe(sealed);
    expect((await test.api.patch<Json>(path, { json: { secret: '' } })).body['secret']).toBe('');
    expect(await stored()).toBe('');
  });

  it('reject webhook URLs without http, but accept templates', async () => {
    const post = (payload_url: string): Promise<{ status: number; body: unknown }> =>
      test.api.post('/api/extras/webhooks/', { json: { name: payload_url, payload_url } });
    const body = { payload_url: ['Enter a valid URL, beginning with http:// or https://.'] };
    for (const url of ['ftp://x/', 'javascript:alert(1)', 'file:///etc/{{ x }}', 'no address'])
      expect(await post(url)).toMatchObject({ status: 400, body });
    expect((await post('{{ data.url }}')).status).toBe(201);
  });
});

describe('writes of models that form a tree', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
  });
  afterAll(() => test.close());
  const path = '/api/dcim/regions/';
  const make = async (name: string, parent?: number): Promise<number> => {
    const { body } = await test.api.post<{ id: number }>(path, { json: { name, slug: name.toLowerCase(), parent } });
    return body.id;
  };

  it('sort the tree depth-first by name, move descendants, and reject cycles', async () => {
    const ten = await make('Region10');
    const two = await make('Region2');
    const child = await make('Child', ten);
    const leaf = await make('Leaf', child);
    const order = async (): Promise<string[]> =>
      (await test.api.get<{ results: { name: string; _depth: number }[] }>(path)).body.results.map(
        ({ name, _depth }) => `${name}:${_depth}`,
      );
    expect(await order()).toEqual(['Region2:0', 'Region10:0', 'Child:1', 'Leaf:2']);
    const circle = await test.api.patch(`${path}${ten}/`, { json: { parent: leaf } });
    expect(circle).toMatchObject({ status: 400, body: { parent: ['Cannot assign self or child region as parent.'] } });
    await test.api.patch(`${path}${child}/`, { json: { parent: two } });
    expect(await order()).toEqual(['Region2:0', 'Child:1', 'Leaf:2', 'Region10:0']);
    await test.api.post('/api/dcim/sites/', { json: { name: 'S', slug: 's', region: leaf } });
    const counted = await test.api.get<{ site_count: number }>(`${path}${two}/`);
    expect(counted.body.site_count).toBe(1);
    for (const query of ['region=region2', 'region_id=' + child]) {
      expect((await test.api.get<{ count: number }>(`/api/dcim/sites/?${query}`)).body.count).toBe(1);
    }
    expect((await test.api.get<{ count: number }>(`${path}?parent=region2`)).body.count).toBe(1);
    expect((await test.api.get<{ count: number }>(`${path}?ancestor=region2`)).body.count).toBe(2);
    const top = await test.api.post(path, { json: { name: 'Region2', slug: 'x' } });
    expect(top.body).toEqual({ __all__: ['A top-level region with this name already exists.'] });
    const sibling = await test.api.post(path, { json: { name: 'Child', slug: 'y', parent: two } });
    expect(sibling.body).toEqual({ __all__: ['Region with this Parent and Name already exists.'] });
  });

  it('return a reference to a parent that a database trigger assigned', async () => {
    await test.api.post('/api/ipam/roles/', { json: { name: 'Servers', slug: 'servers' } });
    await test.inventory.database.query(`
      CREATE FUNCTION give_role() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN NEW.role_id := (SELECT id FROM ipam_role WHERE slug = 'servers'); RETURN NEW; END $$;
      CREATE TRIGGER give_role BEFORE INSERT ON ipam_vlan FOR EACH ROW
        WHEN (NEW.name LIKE 'Server%') EXECUTE FUNCTION give_role()`);
    const roleOf = async (name: string, vid: number): Promise<unknown> => {
      const { status, body } = await test.api.post<Json>('/api/ipam/vlans/', { json: { name, vid } });
      return [status, body['role']];
    };
    expect(await roleOf('Plain', 10)).toEqual([201, null]);
    for (const vid of [11, 12]) {
      expect(await roleOf(`Server ${vid}`, vid)).toMatchObject([201, { slug: 'servers' }]);
    }
    expect(await roleOf('Plain again', 13)).toEqual([201, null]);
    const stored = await test.api.get<{ count: number }>('/api/ipam/vlans/?role=servers');
    expect(stored.body.count).toBe(2);
  });

  it('reject a deletion after which two sibling objects would have the same name', async () => {
    const { body: group } = await test.api.post<{ id: number }>('/api/tenancy/tenant-groups/', {
      json: { name: 'Apart', slug: 'apart' },
    });
    const twins = [
      { name: 'Twin', slug: 'twin-1' },
      { name: 'Twin', slug: 'twin-2', group: group.id },
    ];
    expect((await test.api.post('/api/tenancy/tenants/', { json: twins })).status).toBe(201);
    const { status, body } = await test.api.delete(`/api/tenancy/tenant-groups/${group.id}/`);
    expect([status, body]).toEqual([
      409,
      { detail: 'Unable to delete object. 1 dependent objects were found: one that cannot be without it' },
    ]);
  });
});
