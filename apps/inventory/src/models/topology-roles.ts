/** Role of an end among the others. */
export const topologyRoles = { peer: 'Peer', hub: 'Hub', spoke: 'Spoke' };
