/** Labels of the statuses of modules and inventory items, by stored value. */
export const moduleAndItemStatusChoices = {
  offline: 'Offline',
  active: 'Active',
  planned: 'Planned',
  staged: 'Staged',
  failed: 'Failed',
  decommissioning: 'Decommissioning',
};
