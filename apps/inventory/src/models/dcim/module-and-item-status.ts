/** Labels of the status of modules and inventory items, by value. */
export const moduleAndItemStatusChoices = {
  offline: 'Offline',
  active: 'Active',
  planned: 'Planned',
  staged: 'Staged',
  failed: 'Failed',
  decommissioning: 'Decommissioning',
};
