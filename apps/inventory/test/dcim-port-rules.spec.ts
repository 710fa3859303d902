import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceBasics, deviceSurroundings } from './support/device-fixtures.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

/**
 * The two sides of a patch panel: front and rear. For each side, names the side of the tested ports and the opposite
 * side.
 */
const sides = [
  { own: 'front', other: 'rear' },
  { own: 'rear', other: 'front' },
] as const;

/**
 * Kinds of tested objects: ports of devices, and port templates. The same rules apply to both kinds, but their parent
 * objects differ.
 */
const kinds = [
  { kind: 'ports', suffix: '-ports', owner: 'device', apart: 'device', others: 'ports' },
  {
    kind: 'templates',
    suffix: '-port-templates',
    owner: 'device_type',
    apart: 'device type',
    others: 'port templates',
  },
] as const;

describe('mappings between front ports and rear ports', () => {
  let test: TestInventory;
  const owners: Record<string, [number, number]> = {};

  const make = async (path: string, json: Json): Promise<number> => {
    const { status, body } = await test.api.post<{ id: number }>(`/api/${path}/`, { json });
    expect([path, status, body]).toEqual([path, 201, body]);
    return body.id;
  };

  beforeAll(async () => {
    test = await startInventory();
    for (const { path, body } of deviceSurroundings) await test.api.post(path, { json: body });
    const other = { manufacturer: { slug: 'acme' }, model: 'Box 2', slug: 'box-2' };
    owners['device_type'] = [1, await make('dcim/device-types', other)];
    const device = async (name: string): Promise<number> => make('dcim/devices', { ...deviceBasics, name });
    owners['device'] = [await device('One'), await device('Two')];
  });
  afterAll(() => test.close());

  describe.each(kinds)('$kind', ({ suffix, owner, apart, others }) => {
    let made = 0;
    const port = async (side: string, more: Json = {}, which: 0 | 1 = 0): Promise<number> => {
      made += 1;
      const own = { [owner]: owners[owner]?.[which], name: `P${made}`, type: 'lc' };
      return make(`dcim/${side}${suffix}`, { ...own, ...more });
    };
    const path = (side: string, id: number): string => `/api/dcim/${side}${suffix}/${id}/`;

    it.each(sides)(
      'stores mappings through the $own port, and returns each mapping with both ports',
      async ({ own, other }) => {
        const [key, back] = [`${other}_ports`, `${own}_ports`];
        const [first, second] = [await port(other, { positions: 4 }), await port(other, { positions: 4 })];
        const lead = (position: number, id: number, at?: number): Json => ({
          position,
          [`${other}_port`]: id,
          ...(at === undefined ? {} : { [`${other}_port_position`]: at }),
        });
        const id = await port(own, { positions: 3, [key]: [lead(2, first, 4), lead(1, second)] });
        const shown = async (): Promise<unknown> => (await test.api.get<Json>(path(own, id))).body[key];
        expect(await shown()).toEqual([lead(1, second, 1), lead(2, first, 4)]);
        const { body: opposite } = await test.api.get<Json>(path(other, first));
        expect(opposite[back]).toEqual([{ position: 4, [`${own}_port`]: id, [`${own}_port_position`]: 2 }]);

        const kept = await test.api.patch<Json>(path(own, id), { json: { label: 'x' } });
        expect(kept.body[key]).toEqual([lead(1, second, 1), lead(2, first, 4)]);
        const swapped = [lead(1, first, 4), lead(2, second, 1), lead(3, second, 2)];
        const { status, body } = await test.api.patch<Json>(path(own, id), { json: { [key]: swapped } });
        expect([status, body[key]]).toEqual([200, swapped]);
        const again = await test.api.patch<Json>(path(own, id), { json: { [key]: body[key] } });
        expect([again.status, again.body[key]]).toEqual([200, swapped]);

        const query = {
          changed_object_type: `dcim.${own}port${suffix.includes('template') ? 'template' : ''}`,
          changed_object_id: id,
        };
        const changes = await test.api.get<{ results: { prechange_data: Json; postchange_data: Json }[] }>(
          '/api/core/object-changes/',
          { query },
        );
        // Writing the same mappings again changes nothing.
        expect(changes.body.results).toHaveLength(3);
        expect(changes.body.results[0]?.postchange_data[key]).toEqual(swapped);

        expect((await test.api.delete(path(other, second))).status).toBe(204);
        expect(await shown()).toEqual([lead(1, first, 4)]);
        await test.api.patch(path(own, id), { json: { [key]: [] } });
        expect(await shown()).toEqual([]);
      },
    );

    it.each(sides)('returns errors at the list index of the invalid mapping ($own side)', async ({ own, other }) => {
      const key = `${other}_ports`;
      const id = await port(own);
      const [target, at] = [`${other}_port`, `${other}_port_position`];
      const required = ['This field is required.'];
      const cases: [unknown, unknown][] = [
        [null, ['This field may not be null.']],
        [{}, { non_field_errors: ['Expected a list of items but got type "dict".'] }],
        [[5], [{ non_field_errors: ['Invalid data. Expected a dictionary, but got int.'] }]],
        [[{}], [{ position: required, [target]: required }]],
        [
          [{ position: 0, [target]: 'x' }],
          [
            {
              position: ['Ensure this value is greater than or equal to 1.'],
              [target]: ['Incorrect type. Expected pk value, received str.'],
            },
          ],
        ],
        [
          [{ position: 1, [target]: null, [at]: 1025 }],
          [
            {
              [target]: ['This field may not be null.'],
              [at]: ['Ensure this value is less than or equal to 1024.'],
            },
          ],
        ],
        [[{ position: 1, [target]: 999_999 }], [{ [target]: ['Invalid pk "999999" - object does not exist.'] }]],
      ];
      for (const [value, messages] of cases) {
        const { status, body } = await test.api.patch<Json>(path(own, id), { json: { [key]: value } });
        expect([value, status, body]).toEqual([value, 400, { [key]: messages }]);
      }
      const lost = [{ [target]: ['Invalid pk "999999" - object does not exist.'] }];
      const one = { [owner]: owners[owner]?.[0], type: 'lc' };
      const { body } = await test.api.post(`/api/dcim/${own}${suffix}/`, {
        json: [
          { ...one, name: 'Sound' },
          { ...one, name: 'Lost', [key]: [{ position: 1, [target]: 999_999 }] },
        ],
      });
      expect(body).toEqual([{}, { [key]: lost }]);
    });

    it.each(sides)(
      'requires that both ports have the same parent, and that the mapped port positions exist ($own side)',
      async ({ own, other }) => {
        const key = `${other}_ports`;
        const [target, at] = [`${other}_port`, `${other}_port_position`];
        const id = await port(own, { positions: 2 });
        const [mine, elsewhere] = [await port(other, { positions: 3 }), await port(other, { label: 'L' }, 1)];
        const refused = async (rows: Json[], message: string | RegExp): Promise<void> => {
          const { status, body } = await test.api.patch<Json>(path(own, id), { json: { [key]: rows } });
          expect([status, body]).toEqual([400, { [key]: [expect.stringMatching(message)] }]);
        };
        await refused(
          [{ position: 1, [target]: elsewhere }],
          new RegExp(`^Rear port \\(P\\d+.*\\) must belong to the same ${apart}$`),
        );
        await refused(
          [{ position: 1, [target]: mine, [at]: 4 }],
          new RegExp(`^Invalid ${other} port position \\(4\\): .* has only 3 positions\\.$`),
        );
        await refused(
          [{ position: 3, [target]: mine }],
          new RegExp(`^Invalid ${own} port position \\(3\\): .* has only 2 positions\\.$`),
        );
        const twice = [
          { position: 1, [target]: mine, [at]: 1 },
          { position: 1, [target]: mine, [at]: 2 },
        ];
        await refused(twice, `A position of a ${own} port can be mapped only once.`);
        await test.api.patch(path(own, id), { json: { [key]: [{ position: 2, [target]: mine, [at]: 3 }] } });
        const rival = await port(own);
        const { body } = await test.api.patch<Json>(`/api/dcim/${own}${suffix}/`, {
          json: [
            { id, label: 'unharmed' },
            { id: rival, [key]: [{ position: 1, [target]: mine, [at]: 3 }] },
          ],
        });
        const taken = { [key]: [`A position of a ${other} port can be mapped only once.`] };
        expect(body).toEqual(taken);

        const positions = async (side: string, port: number, count: number): Promise<unknown> =>
          (await test.api.patch<Json>(path(side, port), { json: { positions: count } })).body['positions'];
        const highest = (n: number): string[] => [
          `The number of positions cannot be less than the highest mapped position (${n})`,
        ];
        expect(await positions(own, id, 1)).toEqual(highest(2));
        expect(await positions(other, mine, 2)).toEqual(highest(3));
        const both = [
          { position: 1, [target]: mine, [at]: 1 },
          { position: 2, [target]: mine, [at]: 3 },
        ];
        await test.api.patch(path(own, id), { json: { [key]: both } });
        expect(await positions(own, id, 1)).toEqual([
          `The number of positions cannot be less than the number of mapped ${other} ${others} (2)`,
        ]);
        expect(await positions(own, id, 5)).toBe(5);
      },
    );
  });

  it('rejects a mapping between ports of two devices', async () => {
    const [one, two] = owners['device'] ?? [];
    for (const side of ['front', 'rear']) {
      const id = await make(`dcim/${side}-ports`, { device: one, name: 'Fixed', type: 'lc' });
      expect(await test.api.patch(`/api/dcim/${side}-ports/${id}/`, { json: { device: two } })).toMatchObject({
        status: 400,
        body: { device: ['Components cannot be moved to a different device.'] },
      });
    }
  });
});
