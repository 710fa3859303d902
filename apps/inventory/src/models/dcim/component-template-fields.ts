import type { ModelConstraint, ValidationMessages } from '../../engine/declaration/define-model.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import { componentNameSql } from './component-fields.js';

/** Field of a component template with the device type that it belongs to. */
export const templateDeviceTypeField = referenceField('dcim.devicetype', {
  required: true,
  onDelete: 'cascade',
  filterBy: null,
});

/** Field with the name of a component template, which may contain placeholders. */
export const templateNameField = textField({ max: 64, required: true });

/** Field with the label of a component template, which may contain placeholders. */
export const templateLabelField = textField({ max: 64 });

/** Fields of a component template: its device type or module type, and name and label of the component. */
export const typeAndNameFields = {
  device_type: referenceField('dcim.devicetype', { nullable: true, onDelete: 'cascade', filterBy: null }),
  module_type: referenceField('dcim.moduletype', { nullable: true, onDelete: 'cascade', filterBy: null }),
  name: templateNameField,
  label: templateLabelField,
};

/** Model options of component templates that can belong to a device type or module type. */
export const modularTemplateOptions = {
  relatedTo: ['device_type', 'module_type'],
  display: componentNameSql,
  order: [{ field: 'device_type' }, { field: 'module_type' }, { field: 'name' }],
} as const;

/** Model options of component templates that can belong to a device type only. */
export const deviceTemplateOptions = { relatedTo: 'device_type', display: componentNameSql } as const;

interface TemplateRow {
  readonly device_type?: number | null;
  readonly module_type?: number | null;
}

/** Rule of component templates: a template cannot move to another device type. */
export function typeIsUnchangedRule(
  template: TemplateRow,
  { previous }: { readonly previous: TemplateRow | null },
): ValidationMessages | null {
  return previous !== null && previous.device_type !== template.device_type
    ? { device_type: ['Component templates cannot be moved to a different device type.'] }
    : null;
}

/** Rule of component templates: a template belongs to either a device type or a module type. */
export function hasExactlyOneTypeRule(
  template: TemplateRow,
  { previous }: { readonly previous: TemplateRow | null },
): ValidationMessages | null {
  const { device_type: deviceTypeId = null, module_type: moduleTypeId = null } = template;
  const moved = typeIsUnchangedRule(template, { previous });
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
 * Returns the database constraint that a component template that others refer to cannot move to another module type.
 */
export function usedTemplateTypeConstraint(table: string): ModelConstraint {
  return { name: `${table}_module_type_used`, key: 'module_type' };
}

/** Returns the database constraints that names of component templates are unique within a type. */
export function uniqueNameConstraints(table: string): readonly ModelConstraint[] {
  return (['device_type', 'module_type'] as const).map((type) => ({
    name: `${table}_${type}_id_name_key`,
    fields: [type, 'name'],
  }));
}
