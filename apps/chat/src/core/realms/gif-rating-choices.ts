/** Maximum ratings of GIFs that a realm can choose, by their names in the API. */
export const gifRatings = {
  disabled: { id: 0, name: 'GIFs disabled' },
  g: { id: 1, name: 'Allow GIFs rated G (General audience)' },
  pg: { id: 2, name: 'Allow GIFs rated PG (Parental guidance)' },
  'pg-13': { id: 3, name: 'Allow GIFs rated PG-13 (Parental guidance - under 13)' },
  r: { id: 4, name: 'Allow GIFs rated R (Restricted)' },
} as const;
