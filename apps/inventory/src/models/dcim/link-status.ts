/** States of cables and wireless links. */
export const linkStatus = { connected: 'Connected', planned: 'Planned', decommissioning: 'Decommissioning' };
