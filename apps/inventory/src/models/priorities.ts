/** Priorities of assignments. */
export const priorities = { primary: 'Primary', secondary: 'Secondary', tertiary: 'Tertiary', inactive: 'Inactive' };
