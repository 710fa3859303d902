import type { TestApiResponse } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelField } from '../src/engine/declaration/field.js';
import { modelRegistry } from '../src/models/index.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { holdReference, untilWaiting } from './support/hold-row-locks.js';

let test: TestInventory;
let names = 0;

beforeAll(async () => {
  test = await startInventory();
  await make('dcim/manufacturers', { name: 'Acme', slug: 'acme' });
  await make('dcim/device-types', { manufacturer: { slug: 'acme' }, model: 'Box', slug: 'box' });
  await make('dcim/device-roles', { name: 'Access', slug: 'access' });
  await make('dcim/sites', { name: 'Amsterdam', slug: 'amsterdam' });
  await make('tenancy/contact-roles', { name: 'On call', slug: 'on-call' });
  await make('tenancy/contacts', { name: 'Ada' });
});
afterAll(() => test.close());

type Json = Record<string, unknown>;

async function make(path: string, body: Json): Promise<number> {
  const { status, body: made } = await test.api.post<{ id: number }>(`/api/${path}/`, { json: body });
  expect([status, made]).toEqual([201, expect.anything()]);
  return made.id;
}

/**
 * Two child objects that are deleted together with their parent object. The test can pause the deletion when it reaches
 * either child.
 */
interface Doomed {
  readonly parent: { readonly path: string; readonly id: number };
  readonly table: string;
  readonly ids: readonly [number, number];
}

async function device(): Promise<number> {
  names += 1;
  const basics = { device_type: { slug: 'box' }, role: { slug: 'access' }, site: { slug: 'amsterdam' } };
  return make('dcim/devices', { name: `device ${names}`, ...basics });
}

const doomed: Readonly<Record<string, () => Promise<Doomed>>> = {
  interface: async () => {
    const parent = await device();
    const one = await make('dcim/interfaces', { device: parent, name: 'one', type: '1000base-t' });
    const two = await make('dcim/interfaces', { device: parent, name: 'two', type: '1000base-t' });
    return { parent: { path: 'dcim/devices', id: parent }, table: 'dcim_interface', ids: [one, two] };
  },
  'rear port': async () => {
    const parent = await device();
    const one = await make('dcim/rear-ports', { device: parent, name: 'one', type: '8p8c' });
    const two = await make('dcim/rear-ports', { device: parent, name: 'two', type: '8p8c' });
    return { parent: { path: 'dcim/devices', id: parent }, table: 'dcim_rearport', ids: [one, two] };
  },
  region: () => tree('dcim/regions', 'dcim_region'),
  'contact group': () => tree('tenancy/contact-groups', 'tenancy_contactgroup'),
  location: async () => {
    const site = { site: { slug: 'amsterdam' } };
    return tree('dcim/locations', 'dcim_location', site);
  },
};

async function tree(path: string, table: string, more: Json = {}): Promise<Doomed> {
  names += 1;
  const node = (name: string, parent: number | null): Promise<number> =>
    make(path, { name, slug: name.replaceAll(' ', '-'), ...(parent === null ? {} : { parent }), ...more });
  const above = await node(`above ${names}`, null);
  const ids = [await node(`one ${names}`, above), await node(`two ${names}`, above)] as const;
  return { parent: { path, id: above }, table, ids };
}

/** Test case: a write that refers to an object while the parent of that object is being deleted. */
interface Case {
  /** Kind of the tested reference, as returned by {@link kindsOf}. */
  readonly kind: string;
  readonly name: string;
  readonly target: keyof typeof doomed;
  write(target: number): Promise<TestApiResponse<Json>>;
  /** SQL query that counts the rows that refer to a deleted object. */
  readonly dangling: string;
  /** Expected change record of the row that refers to the deleted object. */
  readonly logged?: { readonly type: string; readonly action: 'delete' | 'update' };
  /** True if the tested reference prevents the deletion of the object. */
  readonly protects?: boolean;
  /** True if the write also refers to the parent object, whose row the deletion locks first. */
  readonly waitsForParent?: boolean;
}

const post = (path: string, json: unknown): Promise<TestApiResponse<Json>> =>
  test.api.post<Json>(`/api/${path}/`, { json });

const generic = (table: string, type: string, id: string, of: string): string =>
  `SELECT count(*)::int AS n FROM ${table} WHERE ${type} = '${of}' AND ${id} NOT IN (SELECT id FROM ${of.replace('.', '_')})`;

const cases: readonly Case[] = [
  {
    kind: 'generic cascade',
    name: 'an address of an interface',
    target: 'interface',
    write: (id) =>
      post('ipam/ip-addresses', {
        address: `10.0.${names >> 8}.${names & 255}/24`,
        assigned_object_type: 'dcim.interface',
        assigned_object_id: id,
      }),
    dangling: generic('ipam_ipaddress', 'assigned_object_type', 'assigned_object_id', 'dcim.interface'),
    logged: { type: 'ipam.ipaddress', action: 'delete' },
  },
  {
    kind: 'generic cascade',
    name: 'a journal entry of an interface',
    target: 'interface',
    write: (id) =>
      post('extras/journal-entries', {
        assigned_object_type: 'dcim.interface',
        assigned_object_id: id,
        comments: 'Seen',
      }),
    dangling: generic('extras_journalentry', 'assigned_object_type', 'assigned_object_id', 'dcim.interface'),
    logged: { type: 'extras.journalentry', action: 'delete' },
  },
  {
    kind: 'generic cascade',
    name: 'a bookmark of an interface',
    target: 'interface',
    write: (id) => post('extras/bookmarks', { object_type: 'dcim.interface', object_id: id, user: test.adminId }),
    dangling: generic('extras_bookmark', 'object_type', 'object_id', 'dcim.interface'),
  },
  {
    kind: 'generic keepOnTargetDelete',
    name: 'a subscription to an interface',
    target: 'interface',
    write: (id) => post('extras/subscriptions', { object_type: 'dcim.interface', object_id: id, user: test.adminId }),
    dangling: generic('extras_subscription', 'object_type', 'object_id', 'dcim.interface'),
  },
  {
    kind: 'generic cascade',
    name: 'a contact of a location',
    target: 'location',
    write: (id) =>
      post('tenancy/contact-assignments', {
        object_type: 'dcim.location',
        object_id: id,
        contact: { name: 'Ada' },
        role: { slug: 'on-call' },
      }),
    dangling: generic('tenancy_contactassignment', 'object_type', 'object_id', 'dcim.location'),
    logged: { type: 'tenancy.contactassignment', action: 'delete' },
  },
  {
    kind: 'stored parts',
    name: 'a cable to an interface',
    target: 'interface',
    write: async (id) => {
      const other = await make('dcim/interfaces', { device: await device(), name: 'far', type: '1000base-t' });
      return post('dcim/cables', {
        a_terminations: [{ object_type: 'dcim.interface', object_id: id }],
        b_terminations: [{ object_type: 'dcim.interface', object_id: other }],
      });
    },
    dangling: generic('dcim_cabletermination', 'termination_type', 'termination_id', 'dcim.interface'),
  },
  {
    kind: 'ref cascade',
    name: 'a child of a region',
    target: 'region',
    write: (id) => post('dcim/regions', { name: `child ${names}`, slug: `child-${names}`, parent: id }),
    dangling: 'SELECT 0 AS n',
    logged: { type: 'dcim.region', action: 'delete' },
  },
  {
    kind: 'ref set_null',
    name: 'a site of a region',
    target: 'region',
    write: (id) => post('dcim/sites', { name: `site ${names}`, slug: `site-${names}`, region: id }),
    dangling: 'SELECT 0 AS n',
    logged: { type: 'dcim.site', action: 'update' },
  },
  {
    kind: 'ref protect',
    name: 'a device in a location',
    target: 'location',
    write: (id) =>
      post('dcim/devices', {
        name: `guard ${names}`,
        device_type: { slug: 'box' },
        role: { slug: 'access' },
        site: { slug: 'amsterdam' },
        location: id,
      }),
    dangling: 'SELECT 0 AS n',
    protects: true,
  },
  {
    kind: 'pairs',
    name: 'a contact in a contact group',
    target: 'contact group',
    write: (id) => post('tenancy/contacts', { name: `contact ${names}`, groups: [id] }),
    dangling: 'SELECT 0 AS n',
  },
  {
    kind: 'rows',
    name: 'a front port of a rear port',
    target: 'rear port',
    write: async (id) => {
      const { rows } = await test.inventory.database.query<{ device_id: number }>(
        'SELECT device_id FROM dcim_rearport WHERE id = $1',
        [id],
      );
      return post('dcim/front-ports', {
        device: rows[0]?.device_id,
        name: 'front',
        type: '8p8c',
        rear_ports: [{ position: 1, rear_port: id, rear_port_position: 1 }],
      });
    },
    dangling: 'SELECT 0 AS n',
    waitsForParent: true,
  },
];

/** Returns the kinds of references that a model field contains. */
function kindsOf({ relation, rows, storedBy }: ModelField): string[] {
  const kinds: string[] = [];
  if (rows?.columns.some(({ to }) => to !== undefined) === true) kinds.push('rows');
  if (storedBy !== undefined) kinds.push('stored parts');
  if (relation?.kind === 'many') kinds.push('pairs');
  if (relation?.kind === 'ref' && relation.keepOnTargetDelete !== true) kinds.push(`ref ${relation.onDelete}`);
  if (relation?.kind === 'generic')
    kinds.push(`generic ${relation.keepOnTargetDelete === true ? 'keepOnTargetDelete' : relation.onDelete}`);
  return kinds;
}

async function countOf(sql: string, values: unknown[] = []): Promise<number> {
  return (await test.inventory.database.query<{ n: number }>(sql, values)).rows[0]?.n ?? -1;
}

/**
 * Deletes a parent object and pauses the deletion at one of its two children. Meanwhile sends a request that refers to
 * the first child.
 */
async function race(
  { target, write }: Case,
  stopAt: 0 | 1,
): Promise<{ written: TestApiResponse<Json>; removed: TestApiResponse<Json> }> {
  const made = await doomed[target]?.();
  if (made === undefined) throw new Error(`nothing makes a ${target}`);
  const { parent, table, ids } = made;
  const { database } = test.inventory;
  const hold = await holdReference(database, table, ids[stopAt]);
  const removal = test.api.delete<Json>(`/api/${parent.path}/${parent.id}/`);
  await untilWaiting(database, 1);
  const writing = write(ids[0]);
  await Promise.race([writing, untilWaiting(database, 2)]);
  await hold.release();
  return { written: await writing, removed: await removal };
}

describe('DELETE with a concurrent reference to the object', () => {
  it('has a test for every kind of reference in the model declarations', () => {
    const declared = new Set(modelRegistry.models.flatMap(({ fields }) => Object.values(fields).flatMap(kindsOf)));
    expect(new Set(cases.map(({ kind }) => kind))).toEqual(declared);
  });

  describe.each(cases)('$kind: $name', (one) => {
    it('leaves no dangling reference when another transaction commits a reference while the deletion waits for a lock', async () => {
      const { written, removed } = await race(one, 0);
      expect(written.status).toBe(one.waitsForParent === true ? 400 : 201);
      expect(removed.status).toBe(one.protects === true ? 409 : 204);
      expect(await countOf(one.dangling)).toBe(0);
      if (one.logged === undefined) return;
      const logged = `SELECT count(*)::int AS n FROM core_objectchange
        WHERE changed_object_type = $1 AND changed_object_id = $2 AND action = $3`;
      expect(await countOf(logged, [one.logged.type, written.body['id'], one.logged.action])).toBe(1);
    });

    it('rejects a reference that is written after the deletion has locked the object', async () => {
      const { written, removed } = await race(one, 1);
      expect([written.status, removed.status]).toEqual([400, 204]);
      expect(await countOf(one.dangling)).toBe(0);
    });
  });
});

describe('foreign keys between tables of models', () => {
  it('prevent a deletion that would leave a dangling reference, or cascade, or set the reference to null', async () => {
    const tables = new Set(modelRegistry.models.map(({ table }) => table));
    const { rows } = await test.inventory.database.query<{ name: string; from: string; to: string }>(
      `SELECT conname AS name, conrelid::regclass::text AS from, confrelid::regclass::text AS to
        FROM pg_constraint WHERE contype = 'f' AND (confdeltype NOT IN ('a', 'r') OR NOT convalidated)`,
    );
    const acting = rows.filter(({ from, to }) => tables.has(from) && tables.has(to)).map(({ name }) => name);
    // This reference has no field, and neither model has a change log.
    expect(acting).toEqual(['extras_scriptmodule_data_file_id_fkey']);
  });
});
