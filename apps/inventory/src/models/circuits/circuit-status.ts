/** States of circuits. */
export const circuitStatus = {
  planned: 'Planned',
  provisioning: 'Provisioning',
  active: 'Active',
  offline: 'Offline',
  deprovisioning: 'Deprovisioning',
  decommissioned: 'Decommissioned',
};
