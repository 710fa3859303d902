import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelDefinition } from '../src/engine/declaration/define-model.js';
import { modelRegistry } from '../src/models/index.js';
import reference from './reference/empty-values.json' with { type: 'json' };
import { FixtureBodies } from './support/fixture-bodies.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

/** Result of a PATCH request that changes one field: the new value of the field, or the error message. */
type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** A field for which this server differs from the reference server, with the results on both servers. */
type Difference = readonly [field: string, expected: unknown, outcome: unknown];

/**
 * Indexes in the recorded list of results, by field. For each field, the first index is the result for `""`, and the
 * second index is the result for null.
 */
type Fields = Readonly<Record<string, readonly number[]>>;

/**
 * Fields for which this service intentionally responds to empty values differently from the reference server, by
 * reason.
 */
const different: Readonly<Record<string, readonly string[]>> = {
  'The reference stores the empty string where an object belongs.': [
    'users/permissions.constraints',
    'extras/custom-fields.validation_schema',
    'extras/config-templates.environment_params',
    'dcim/module-type-profiles.schema',
    'dcim/module-types.attributes',
    'extras/config-context-profiles.schema',
    'extras/event-rules.conditions',
    'extras/export-templates.environment_params',
  ],
  'Not changed after the creation, whatever is sent.': [
    'users/tokens.version',
    'users/tokens.pepper_id',
    'users/tokens.token',
  ],
  'Both are the account that writes.': ['users/tokens.user', 'extras/journal-entries.created_by'],
  'The same refusal in other words.': [
    'extras/custom-field-choice-sets.extra_choices',
    'extras/custom-field-choice-sets.choice_colors',
    'extras/custom-fields.related_object_filter',
    'dcim/rack-types.form_factor',
    'ipam/vlan-translation-rules.policy',
    'wireless/wireless-lans.status',
    'dcim/mac-addresses.mac_address',
    'extras/config-contexts.data',
    'extras/saved-filters.parameters',
  ],
  'Null takes the source away again, which the reference refuses.': [
    'extras/config-templates.data_source',
    'extras/config-templates.data_file',
    'extras/config-context-profiles.data_source',
    'extras/config-context-profiles.data_file',
    'extras/config-contexts.data_source',
    'extras/config-contexts.data_file',
    'extras/export-templates.data_source',
  ],
  'The object of the recording had other values beside the field.': [
    'dcim/rack-types.outer_unit',
    'dcim/rack-types.weight_unit',
    'dcim/racks.weight_unit',
    'dcim/racks.outer_unit',
    'dcim/racks.form_factor',
    'dcim/device-types.subdevice_role',
    'dcim/device-types.weight_unit',
    'dcim/module-types.weight_unit',
    'dcim/power-port-templates.device_type',
    'dcim/power-port-templates.module_type',
    'dcim/power-outlet-templates.device_type',
    'dcim/power-outlet-templates.module_type',
    'virtualization/clusters.scope_type',
    'virtualization/clusters.scope_id',
    'dcim/devices.face',
    'dcim/devices.rack',
    'dcim/devices.vc_position',
    'dcim/devices.location',
    'dcim/inventory-items.component_type',
    'dcim/inventory-items.component_id',
    'ipam/vlan-groups.scope_type',
    'ipam/vlan-groups.scope_id',
    'ipam/prefixes.scope_type',
    'ipam/prefixes.vrf',
    'ipam/prefixes.scope_id',
    'wireless/wireless-lans.scope_type',
    'wireless/wireless-lans.scope_id',
    'dcim/interfaces.mode',
    'dcim/interfaces.poe_mode',
    'dcim/mac-addresses.assigned_object_type',
    'dcim/mac-addresses.assigned_object_id',
    'ipam/ip-addresses.assigned_object_type',
    'ipam/ip-addresses.vrf',
    'ipam/ip-addresses.assigned_object_id',
    'circuits/circuit-terminations.termination_id',
    'virtualization/virtual-machines.site',
    'virtualization/virtual-machines.cluster',
    'virtualization/interfaces.mode',
  ],
  'An empty string removes the picture.': ['dcim/device-types.front_image', 'dcim/device-types.rear_image'],
  'Read only: written through the object that refers to this one.': [
    'dcim/module-bays.installed_module',
    'circuits/circuits.assignments',
  ],
  'Shown as null.': ['ipam/fhrp-groups.auth_type', 'dcim/cables.type', 'extras/webhooks.ca_file_path'],
  'Null and an empty string clear the field, which no request can do on the reference server.': [
    'dcim/cables.profile',
    'vpn/ike-proposals.authentication_algorithm',
    'vpn/ike-policies.mode',
    'vpn/ipsec-proposals.encryption_algorithm',
    'vpn/ipsec-proposals.authentication_algorithm',
    'vpn/ipsec-policies.pfs_group',
  ],
};

let test: TestInventory;
let bodies: FixtureBodies;

beforeAll(async () => {
  test = await startInventory();
  bodies = new FixtureBodies(test.adminId, create);
});

afterAll(() => test.close());

async function create(path: string, json: unknown): Promise<number> {
  const { status, body } = await test.api.request<Json>('POST', path, { json });
  expect([path, json, status, body]).toEqual([path, json, 201, expect.anything()]);
  return Number(body['id']);
}

/**
 * Returns a value from a response in the form in which clients write it: the value of a choice, or the id of an object.
 */
function written(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  return Reflect.get(value, 'value') ?? Reflect.get(value, 'id') ?? value;
}

/** Sends a PATCH request that sets several fields to the same value. Returns the result for each field. */
async function patch(address: string, fields: readonly string[], value: '' | null): Promise<Outcome[]> {
  const json = Object.fromEntries(fields.map((field) => [field, value]));
  const { status, body } = await test.api.request<Json>('PATCH', address, { json, unchecked: true });
  return fields.map((field) => (status === 200 ? { value: written(body[field]) } : { error: body[field] ?? body }));
}

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/**
 * Returns the fields of an object for which this server's result differs from the reference server's. One request
 * contains all fields that should accept the value, and another request contains all other fields. A field whose result
 * differs is then sent again in a separate request.
 */
async function differing(address: string, fields: Fields, value: '' | null): Promise<Difference[]> {
  const expected = new Map(
    Object.entries(fields).map(([field, outcomes]) => [field, reference.outcomes[outcomes[value === '' ? 0 : 1] ?? 0]]),
  );
  const found: Difference[] = [];
  for (const isRefused of [true, false]) {
    const together = [...expected].filter(([, outcome]) => Object.hasOwn(outcome ?? {}, 'error') === isRefused);
    const outcomes = await patch(
      address,
      together.map(([field]) => field),
      value,
    );
    for (const [index, [field, outcome]] of together.entries()) {
      if (same(outcomes[index], outcome)) continue;
      const [alone] = await patch(address, [field], value);
      if (!same(alone, outcome)) found.push([field, outcome, alone]);
    }
  }
  return found;
}

async function replay(model: ModelDefinition, fields: Fields): Promise<Difference[]> {
  const id = await create(`/api/${model.path}/`, await bodies.of(model));
  const address = `/api/${model.path}/${id}/`;
  const found = [...(await differing(address, fields, '')), ...(await differing(address, fields, null))];
  // A required custom field would affect objects of all other models.
  if (model.type === 'extras.customfield') await test.api.delete(address);
  return found.map(([field, expected, outcome]) => [`${model.path}.${field}`, expected, outcome]);
}

describe('PATCH of a field with an empty string or null', () => {
  it.each(Object.entries(reference.fields))('has the result of the reference server for %s', async (path, fields) => {
    const model = modelRegistry.models.find((one) => one.path === path);
    if (model === undefined) throw new Error(`no model is at ${path}`);
    const found = await replay(model, fields);
    const expected = Object.values(different)
      .flat()
      .filter((field) => field.startsWith(`${path}.`));
    expect(found.filter(([field]) => !expected.includes(field))).toEqual([]);
    expect(expected.filter((field) => !found.some(([name]) => name === field))).toEqual([]);
  });
});
