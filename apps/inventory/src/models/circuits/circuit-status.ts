/** Values of the status of circuits, with labels. */
export const circuitStatusChoices = {
  planned: 'Planned',
  provisioning: 'Provisioning',
  active: 'Active',
  offline: 'Offline',
  deprovisioning: 'Deprovisioning',
  decommissioned: 'Decommissioned',
};
