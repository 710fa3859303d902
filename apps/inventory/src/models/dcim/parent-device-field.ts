import type { Tx } from '@switchboard/database';
import type { ModelField, FieldSqlContext } from '../../engine/declaration/field.js';
import type {
  ModelDefinition,
  ModelWithIds,
  ColumnValuesBeforeAndAfter,
} from '../../engine/declaration/define-model.js';
import { computedField } from '../../engine/field-types/computed-field.js';
import { createObjectSchema } from '../../engine/meta/openapi-object-schemas.js';
import { createNullableJsonSchema } from '../../engine/meta/json-schema-of-values.js';
import { createObjectJsonFragments } from '../../engine/read/object-json-fragments.js';
import {
  joinJsonFragmentsIntoSql,
  createComputedJsonFragment,
  type SqlText,
  createConstantJsonFragment,
} from '../../engine/sql/json-text-sql.js';

/** Names of a device's fields that the field `parent_device` shows. */
export const parentDeviceFieldNames = ['id', 'url', 'display_url', 'display', 'name'] as const;

/**
 * Returns the SQL query for the JSON of a device's parent device and of the parent's bay in which the device is
 * installed.
 */
function createParentDeviceSql(place: FieldSqlContext, bays: ModelDefinition): SqlText {
  const { model, scope } = place;
  const [bay, device] = [scope.alias(), scope.alias()];
  const parent = createObjectJsonFragments(model, parentDeviceFieldNames, device, scope);
  const members = [
    ...createObjectJsonFragments(bays, ['id', 'url', 'display_url', 'display'], bay, scope).slice(1, -1),
    createConstantJsonFragment(', "device": '),
    ...parent,
    createConstantJsonFragment(', '),
    ...createObjectJsonFragments(bays, ['name'], bay, scope).slice(1, -1),
  ];
  const shown = [
    ...parent.slice(0, -1),
    createConstantJsonFragment(', "device_bay": {'),
    ...members,
    createConstantJsonFragment('}}'),
  ];
  return `SELECT ${joinJsonFragmentsIntoSql(shown)} FROM ${bays.table} ${bay} JOIN ${model.table} ${device} ON ${device}.id = ${bay}.device_id
    WHERE ${bay}.installed_device_id = ${place.alias}.id`;
}

const parentDeviceJsonField = computedField({
  json: (place) => {
    const bays = place.scope.registry.find('dcim.devicebay');
    return [
      bays === null
        ? createConstantJsonFragment('null')
        : createComputedJsonFragment(`coalesce((${createParentDeviceSql(place, bays)}), 'null')`),
    ];
  },
  schema: {},
  metadataType: 'field',
  nullable: true,
});

/**
 * Field that shows the device in which this device is installed, and the device bay that contains this device. Null if
 * this device is not installed in a bay.
 */
export const parentDeviceField: ModelField<never> = {
  ...parentDeviceJsonField,
  schema: {
    read: (registry) => {
      const [devices, bays] = [registry.find('dcim.device'), registry.find('dcim.devicebay')];
      if (devices === null || bays === null) return { type: 'null' };
      const parent = createObjectSchema(devices.fields, parentDeviceFieldNames, registry);
      const bay = createObjectSchema(bays.fields, parentDeviceFieldNames, registry);
      const bayProperties = { ...bay.properties, device: parent };
      const bayOfDevice = { ...bay, properties: bayProperties, required: [...parentDeviceFieldNames, 'device'] };
      const properties = { ...parent.properties, device_bay: bayOfDevice };
      return createNullableJsonSchema({ ...parent, properties, required: [...parentDeviceFieldNames, 'device_bay'] });
    },
    write: () => ({}),
  },
};

/**
 * Returns the devices that are installed in bays of devices whose site, location or rack a write changes. Database
 * triggers copy the change to the installed devices.
 */
export async function listDevicesInMovedBays(
  tx: Tx,
  writes: readonly ColumnValuesBeforeAndAfter[],
): Promise<readonly ModelWithIds[]> {
  const moved = writes.flatMap(({ before, after }) =>
    before !== null && ['site_id', 'location_id', 'rack_id'].some((name) => before[name] !== after[name])
      ? [after['id']]
      : [],
  );
  if (moved.length === 0) return [];
  const { rows } = await tx.query<{ id: number }>(
    `SELECT installed_device_id AS id FROM dcim_devicebay
      WHERE device_id = ANY ($1::bigint[]) AND installed_device_id IS NOT NULL ORDER BY 1`,
    [moved],
  );
  return [{ type: 'dcim.device', ids: rows.map(({ id }) => id) }];
}
