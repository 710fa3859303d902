import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceBasics, deviceSurroundings } from './support/device-fixtures.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

describe('write of fields with rare types', () => {
  let test: TestInventory;
  const ids: Record<string, number> = {};
  const post = (path: string, json: Json) => test.api.post<Json>(`/api/${path}/`, { json });
  const make = async (name: string, path: string, json: Json): Promise<void> => {
    const { status, body } = await post(path, json);
    expect([path, status, body]).toEqual([path, 201, body]);
    ids[name] = Number(body['id']);
  };

  beforeAll(async () => {
    test = await startInventory();
    for (const { name, path, body } of deviceSurroundings) await make(name, path.slice(5, -1), body);
    await make('device', 'dcim/devices', { name: 'Switch 1', ...deviceBasics });
    await make('moduleType', 'dcim/module-types', { manufacturer: { slug: 'acme' }, model: 'Card' });
  });
  afterAll(() => test.close());

  it('accepts and returns references by ids only', async () => {
    const item = (name: string, more: Json = {}): Json => ({ device: ids['device'], name, ...more });
    await make('item', 'dcim/inventory-items', item('Board'));
    const child = await post('dcim/inventory-items', item('Chip', { parent: String(ids['item']) }));
    expect([child.status, child.body['parent']]).toEqual([201, ids['item']]);
    for (const [parent, message] of [
      [999, 'Invalid pk "999" - object does not exist.'],
      [-1, 'Invalid pk "-1" - object does not exist.'],
      ['abc', 'Incorrect type. Expected pk value, received str.'],
      [{ name: 'Board' }, 'Incorrect type. Expected pk value, received dict.'],
      [true, 'Incorrect type. Expected pk value, received bool.'],
    ] as const) {
      const { status, body } = await post('dcim/inventory-items', item('Fan', { parent }));
      expect([parent, status, body]).toEqual([parent, 400, { parent: [message] }]);
    }
  });

  it('replaces list values as a whole, and reports errors by the index of the list item', async () => {
    const config = { object_type: 'dcim.site', table: 'SiteTable', name: 'Mine' };
    const made = await post('extras/table-configs', { ...config, columns: [' name ', 'slug'], ordering: null });
    expect([made.status, made.body['columns'], made.body['ordering']]).toEqual([201, ['name', 'slug'], null]);
    for (const [columns, message] of [
      [[], ['This list may not be empty.']],
      [null, ['This field may not be null.']],
      ['name', ['Expected a list of items but got type "str".']],
      [['name', '', ['x']], { 1: ['This field may not be blank.'], 2: ['Not a valid string.'] }],
      [['x'.repeat(101)], { 0: ['Ensure this field has no more than 100 characters.'] }],
    ] as const) {
      const { status, body } = await post('extras/table-configs', { ...config, columns });
      expect([status, body]).toEqual([400, { columns: message }]);
    }
  });

  it('merges a JSON object by its keys, and rejects other values', async () => {
    const path = `/api/dcim/module-types/${ids['moduleType']}/`;
    for (const attributes of [[], 'x', 5]) {
      const { status, body } = await test.api.patch<Json>(path, { json: { attributes } });
      expect([status, body['attributes']]).toEqual([400, [expect.stringContaining('Expected a dictionary of items')]]);
    }
  });

  it('records the first non-null parent as the related object of a change', async () => {
    const template = { name: 'eth0', type: '1000base-t' };
    await make('ofDevice', 'dcim/interface-templates', { ...template, device_type: ids['deviceType'] });
    await make('ofModule', 'dcim/interface-templates', { ...template, module_type: ids['moduleType'] });
    await test.api.delete(`/api/dcim/interface-templates/${ids['ofModule']}/`);
    const related = async (type: string, name: string): Promise<unknown[]> => {
      const query = `related_object_type=${type}&related_object_id=${ids[name]}&ordering=id`;
      const { body } = await test.api.get<{ results: Json[] }>(`/api/core/object-changes/?${query}`);
      return body.results.map(({ changed_object_id: id, action }) => [id, Object(action)['value']]);
    };
    expect(await related('dcim.devicetype', 'deviceType')).toEqual([[ids['ofDevice'], 'create']]);
    expect(await related('dcim.moduletype', 'moduleType')).toEqual([
      [ids['ofModule'], 'create'],
      [ids['ofModule'], 'delete'],
    ]);
  });
});
