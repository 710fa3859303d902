/** Labels of the priorities of contact and circuit group assignments, by value. */
export const priorities = { primary: 'Primary', secondary: 'Secondary', tertiary: 'Tertiary', inactive: 'Inactive' };
