/** Labels of the priorities of contact and circuit group assignments, by value. */
export const assignmentPriorities = {
  primary: 'Primary',
  secondary: 'Secondary',
  tertiary: 'Tertiary',
  inactive: 'Inactive',
};
