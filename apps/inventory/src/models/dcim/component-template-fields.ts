import type { ModelConstraint, ValidationMessagesByField } from '../../engine/declaration/define-model.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import { createComponentNameSql } from './device-component-fields.js';

/** Field of a component template that refers to the device type to which the template belongs. */
export const componentTemplateDeviceTypeField = referenceField('dcim.devicetype', {
  required: true,
  onDelete: 'cascade',
  filterBy: null,
});

/** Field with the name that a component template gives to components. The name may contain placeholders. */
export const componentTemplateNameField = textField({ max: 64, required: true });

/** Field with the label that a component template gives to components. The label may contain placeholders. */
export const componentTemplateLabelField = textField({ max: 64 });

/**
 * Fields that component templates have in common: the device type or module type of the template, and the name and
 * label for components.
 */
export const templateTypeAndNameFields = {
  device_type: referenceField('dcim.devicetype', { nullable: true, onDelete: 'cascade', filterBy: null }),
  module_type: referenceField('dcim.moduletype', { nullable: true, onDelete: 'cascade', filterBy: null }),
  name: componentTemplateNameField,
  label: componentTemplateLabelField,
};

/** Model options of component templates that belong to either a device type or a module type. */
export const modularTemplateModelOptions = {
  relatedTo: ['device_type', 'module_type'],
  display: createComponentNameSql,
  order: [{ field: 'device_type' }, { field: 'module_type' }, { field: 'name' }],
} as const;

/** Model options of component templates that can belong only to a device type. */
export const deviceTemplateModelOptions = { relatedTo: 'device_type', display: createComponentNameSql } as const;

interface ComponentTemplateRow {
  readonly device_type?: number | null;
  readonly module_type?: number | null;
}

/**
 * Checks the rule that a component template cannot move to another device type. Returns the error messages of a
 * violation, or null.
 */
export function checkTemplateTypeUnchanged(
  template: ComponentTemplateRow,
  { previous }: { readonly previous: ComponentTemplateRow | null },
): ValidationMessagesByField | null {
  return previous !== null && previous.device_type !== template.device_type
    ? { device_type: ['Component templates cannot be moved to a different device type.'] }
    : null;
}

/**
 * Checks the rule that a component template belongs either to a device type or to a module type, but not to both.
 * Returns the error messages of a violation, or null.
 */
export function checkTemplateHasOneType(
  template: ComponentTemplateRow,
  { previous }: { readonly previous: ComponentTemplateRow | null },
): ValidationMessagesByField | null {
  const { device_type: deviceTypeId = null, module_type: moduleTypeId = null } = template;
  const moved = checkTemplateTypeUnchanged(template, { previous });
  if (moved !== null || (deviceTypeId === null) !== (moduleTypeId === null)) return moved;
  return {
    __all__: [
      deviceTypeId === null
        ? 'A component template must be associated with either a device type or a module type.'
        : 'A component template cannot be associated with both a device type and a module type.',
    ],
  };
}

/**
 * Returns a database constraint on component templates. A template to which other templates refer cannot move to
 * another module type.
 */
export function createUsedTemplateTypeConstraint(table: string): ModelConstraint {
  return { name: `${table}_module_type_used`, key: 'module_type' };
}

/**
 * Returns the database constraints that require unique names among the component templates of one device type or module
 * type.
 */
export function createUniqueTemplateNameConstraints(table: string): readonly ModelConstraint[] {
  return (['device_type', 'module_type'] as const).map((type) => ({
    name: `${table}_${type}_id_name_key`,
    fields: [type, 'name'],
  }));
}
