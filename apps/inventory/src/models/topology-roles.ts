/** What an end is among the others. */
export const topologyRoles = { peer: 'Peer', hub: 'Hub', spoke: 'Spoke' };
