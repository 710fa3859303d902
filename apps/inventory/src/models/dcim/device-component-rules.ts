import type {
  ModelConstraint,
  ValidationMessagesByField,
  ObjectValuesToStore,
} from '../../engine/declaration/define-model.js';

/**
 * Checks the rule that a component cannot move to another device. Returns the error messages of a violation, or null.
 */
export function checkComponentDeviceUnchanged(
  row: ObjectValuesToStore,
  { previous }: { readonly previous: ObjectValuesToStore | null },
): ValidationMessagesByField | null {
  return previous === null || previous['device'] === row['device']
    ? null
    : { device: ['Components cannot be moved to a different device.'] };
}

/** Database constraint that requires that the module of a component belongs to the component's device. */
export const componentModuleDeviceConstraint: ModelConstraint = { name: 'dcim_component_module', key: 'module' };
