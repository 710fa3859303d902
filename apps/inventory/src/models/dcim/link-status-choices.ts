/** Labels of the statuses of cables and wireless links, by stored value. */
export const linkStatusChoices = { connected: 'Connected', planned: 'Planned', decommissioning: 'Decommissioning' };
