/** Labels of the status of cables and wireless links, by value. */
export const linkStatusChoices = { connected: 'Connected', planned: 'Planned', decommissioning: 'Decommissioning' };
