import type { Constraint } from '../../engine/declaration/model.js';

/**
 * Database constraint: a module bay is not inside itself, neither after a change of the bay nor of the module in it.
 */
export const bayWithinItself: Constraint = {
  name: 'dcim_modulebay_parent_cycle',
  key: '__all__',
  message: 'A module bay cannot belong to a module installed within it.',
};
