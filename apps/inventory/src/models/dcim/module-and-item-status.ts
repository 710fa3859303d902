/** Labels of the status of modules and inventory items, by value. */
export const installedStatus = {
  offline: 'Offline',
  active: 'Active',
  planned: 'Planned',
  staged: 'Staged',
  failed: 'Failed',
  decommissioning: 'Decommissioning',
};
