/** Labels of the priorities of contact assignments and circuit group assignments, by stored value. */
export const contactAndCircuitGroupPriorities = {
  primary: 'Primary',
  secondary: 'Secondary',
  tertiary: 'Tertiary',
  inactive: 'Inactive',
};
