/** Labels of the possible statuses of a circuit, by stored value. */
export const circuitStatusChoices = {
  planned: 'Planned',
  provisioning: 'Provisioning',
  active: 'Active',
  offline: 'Offline',
  deprovisioning: 'Deprovisioning',
  decommissioned: 'Decommissioned',
};
