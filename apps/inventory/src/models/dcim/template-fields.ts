import type { Constraint, Problems } from '../../engine/declaration/model.js';
import { ref } from '../../engine/field-types/relation.js';
import { text } from '../../engine/field-types/text.js';
import { componentName } from './component-fields.js';

/** The device type that has the template. */
export const deviceType = ref('dcim.devicetype', { required: true, onDelete: 'cascade', filterBy: null });

/** Label, possibly with placeholders. */
export const name = text({ max: 64, required: true });

/** Label, possibly with placeholders. */
export const label = text({ max: 64 });

/** The type that has the template, and what the component is called. */
export const ofType = {
  device_type: ref('dcim.devicetype', { nullable: true, onDelete: 'cascade', filterBy: null }),
  module_type: ref('dcim.moduletype', { nullable: true, onDelete: 'cascade', filterBy: null }),
  name,
  label,
};

/** Options of templates that a device type or a module type may have. */
export const modular = {
  relatedTo: ['device_type', 'module_type'],
  display: componentName,
  order: [{ field: 'device_type' }, { field: 'module_type' }, { field: 'name' }],
} as const;

/** Options of templates that only a device type may have. */
export const ofDevices = { relatedTo: 'device_type', display: componentName } as const;

interface Template {
  readonly device_type?: number | null;
  readonly module_type?: number | null;
}

/** A template stays with its type of devices. */
export function staysWithType(
  template: Template,
  { previous }: { readonly previous: Template | null },
): Problems | null {
  return previous !== null && previous.device_type !== template.device_type
    ? { device_type: ['Component templates cannot be moved to a different device type.'] }
    : null;
}

/** A template has one type, of devices or of modules. */
export function hasOneType(template: Template, { previous }: { readonly previous: Template | null }): Problems | null {
  const { device_type: deviceTypeId = null, module_type: moduleTypeId = null } = template;
  const moved = staysWithType(template, { previous });
  if (moved !== null || (deviceTypeId === null) !== (moduleTypeId === null)) return moved;
  return {
    __all__: [
      deviceTypeId === null
        ? 'A component template must be associated with either a device type or a module type.'
        : 'A component template cannot be associated with both a device type and a module type.',
    ],
  };
}

/** A template that others refer to stays with its type of modules. */
export function typeIsUsed(table: string): Constraint {
  return { name: `${table}_module_type_used`, key: 'module_type' };
}

/** Names differ within a type. */
export function uniqueNames(table: string): readonly Constraint[] {
  return (['device_type', 'module_type'] as const).map((type) => ({
    name: `${table}_${type}_id_name_key`,
    fields: [type, 'name'],
  }));
}
