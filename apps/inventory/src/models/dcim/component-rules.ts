import type { ModelConstraint, ValidationMessages, RowValueByColumn } from '../../engine/declaration/define-model.js';

/** Rule of components: a component cannot move to another device. */
export function deviceIsUnchangedRule(
  row: RowValueByColumn,
  { previous }: { readonly previous: RowValueByColumn | null },
): ValidationMessages | null {
  return previous === null || previous['device'] === row['device']
    ? null
    : { device: ['Components cannot be moved to a different device.'] };
}

/** Database constraint of components: the module of a component belongs to the same device. */
export const moduleDeviceConstraint: ModelConstraint = { name: 'dcim_component_module', key: 'module' };
