/** Priorities of one among several assignments. */
export const priorities = { primary: 'Primary', secondary: 'Secondary', tertiary: 'Tertiary', inactive: 'Inactive' };
