import type { Constraint } from '../../engine/declaration/model.js';

/** The tree of bays refuses one below itself, whether the bay or the module in it moves. */
export const bayWithinItself: Constraint = {
  name: 'dcim_modulebay_parent_cycle',
  key: '__all__',
  message: 'A module bay cannot belong to a module installed within it.',
};
