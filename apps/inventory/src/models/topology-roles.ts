/** Roles of a termination in a network topology. */
export const topologyRoles = { peer: 'Peer', hub: 'Hub', spoke: 'Spoke' };
