import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SendingInventory } from '../support/inventory-with-webhooks.js';

let sending: SendingInventory;
beforeAll(async () => {
  sending = await SendingInventory.start();
});
afterAll(() => sending.stop());

interface EventBody {
  readonly event: string;
  readonly data: { readonly custom_fields: unknown };
  readonly snapshots: Record<'prechange' | 'postchange', { readonly custom_fields: unknown } | null>;
}

/** Returns the custom fields in `data` and in both snapshots of the last event that the receiver got. */
function readLastCustomFields(): unknown[] {
  const { event, data, snapshots } = sending.receiver.bodies.at(-1) as unknown as EventBody;
  return [
    event,
    data.custom_fields,
    snapshots.prechange?.custom_fields ?? null,
    snapshots.postchange?.custom_fields ?? null,
  ];
}

describe('event of a site that was created before a custom field with a default', () => {
  it('has the initial value of the custom field in its data and snapshots until the value is cleared', async () => {
    const { api } = sending.test;
    const site = await sending.addSite();
    await sending.tasksOf(site, 'finished');
    const fields = '/api/extras/custom-fields/';
    const json = { name: 'grade', type: 'integer', default: 7, object_types: ['dcim.site'] };
    const field = await api.post<{ id: number }>(fields, { json });
    expect(field.status).toBe(201);
    // A later default applies to new objects only.
    expect((await api.patch(`${fields}${field.body.id}/`, { json: { default: 8 } })).status).toBe(200);

    await api.patch(`/api/dcim/sites/${site}/`, { json: { facility: 'changed' } });
    await sending.tasksOf(site, 'finished', 'finished');
    expect(readLastCustomFields()).toEqual(['updated', { grade: 7 }, { grade: 7 }, { grade: 7 }]);

    await api.patch(`/api/dcim/sites/${site}/`, { json: { custom_fields: { grade: null } } });
    await sending.tasksOf(site, 'finished', 'finished', 'finished');
    expect(readLastCustomFields()).toEqual(['updated', { grade: null }, { grade: 7 }, { grade: null }]);
  });
});
