import { displayField, displayUrlField, idField, apiUrlField } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import type { SqlText } from '../../engine/sql/json-text-sql.js';

/** Field of a component with the device that it belongs to. */
export const componentDeviceField = referenceField('dcim.device', {
  required: true,
  onDelete: 'cascade',
  filterBy: 'name',
});

/**
 * Field of a component with its device, like {@link componentDeviceField}. Sorts components by the device's name and id. Triggers
 * copy the name to the component's row.
 */
export const sortedComponentDeviceField = referenceField('dcim.device', {
  required: true,
  onDelete: 'cascade',
  filterBy: 'name',
  storedOrder: (alias) => [`${alias}._device_name`, `${alias}.device_id`],
});

/** Field with the name of a component, unique within the device. */
export const componentNameField = textField({ max: 64, required: true });

/** Field with the text printed on a component. */
export const componentLabelField = textField({ max: 64 });

/** Fields that a nested module bay shows. */
export const nestedBayShape = {
  id: idField(),
  url: apiUrlField(),
  display_url: displayUrlField(),
  display: displayField(),
  name: componentNameField,
};

/** Field of a component with the module that it belongs to. */
export const componentModuleField = referenceField('dcim.module', {
  nullable: true,
  onDelete: 'cascade',
  filterBy: null,
  shape: {
    id: idField(),
    url: apiUrlField(),
    display: displayField(),
    device: referenceField('dcim.device'),
    module_bay: referenceField('dcim.modulebay', { shape: nestedBayShape }),
  },
});

/** Returns the SQL expression of the display name of a component or component template: its name with its label. */
export function componentNameSql(alias: string): SqlText {
  return `${alias}.name || coalesce(' (' || nullif(${alias}.label, '') || ')', '')`;
}
