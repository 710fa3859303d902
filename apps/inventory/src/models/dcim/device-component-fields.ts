import { displayNameField, displayUrlField, idField, apiUrlField } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import type { SqlText } from '../../engine/sql/json-text-sql.js';

/** Field of a component that refers to the device to which the component belongs. */
export const componentDeviceField = referenceField('dcim.device', {
  required: true,
  onDelete: 'cascade',
  filterBy: 'name',
});

/**
 * Field of a component that refers to its device, like {@link componentDeviceField}. Components are sorted by the
 * device's name and id. Database triggers copy the device's name to the row of the component.
 */
export const sortedComponentDeviceField = referenceField('dcim.device', {
  required: true,
  onDelete: 'cascade',
  filterBy: 'name',
  storedOrder: (alias) => [`${alias}._device_name`, `${alias}.device_id`],
});

/** Field with the name of a component. The name is unique within the component's device. */
export const componentNameField = textField({ max: 64, required: true });

/** Field with the label of a component: the text that is printed on the component. */
export const componentLabelField = textField({ max: 64 });

/** Fields that a module bay shows when it is nested in another object. */
export const nestedModuleBayFieldNames = {
  id: idField(),
  url: apiUrlField(),
  display_url: displayUrlField(),
  display: displayNameField(),
  name: componentNameField,
};

/** Field of a component that refers to the module to which the component belongs. */
export const componentModuleField = referenceField('dcim.module', {
  nullable: true,
  onDelete: 'cascade',
  filterBy: null,
  shape: {
    id: idField(),
    url: apiUrlField(),
    display: displayNameField(),
    device: referenceField('dcim.device'),
    module_bay: referenceField('dcim.modulebay', { shape: nestedModuleBayFieldNames }),
  },
});

/**
 * Returns the SQL expression of the display name of a component or component template: the name, then the label, if
 * any, in parentheses.
 */
export function createComponentNameSql(alias: string): SqlText {
  return `${alias}.name || coalesce(' (' || nullif(${alias}.label, '') || ')', '')`;
}
