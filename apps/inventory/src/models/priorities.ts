/** How much one of several matters. */
export const priorities = { primary: 'Primary', secondary: 'Secondary', tertiary: 'Tertiary', inactive: 'Inactive' };
