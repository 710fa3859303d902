/** Labels of the status of cables and wireless links, by value. */
export const linkStatus = { connected: 'Connected', planned: 'Planned', decommissioning: 'Decommissioning' };
