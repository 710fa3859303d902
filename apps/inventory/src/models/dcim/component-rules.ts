import type { Constraint, Problems, Row } from '../../engine/declaration/model.js';

/** A component stays with its device. */
export function staysWithDevice(row: Row, { previous }: { readonly previous: Row | null }): Problems | null {
  return previous === null || previous['device'] === row['device']
    ? null
    : { device: ['Components cannot be moved to a different device.'] };
}

/** The module of a component is one of its device. A trigger of the table sees to it. */
export const moduleOfDevice: Constraint = { name: 'dcim_component_module', key: 'module' };
