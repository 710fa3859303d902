/** Labels of the roles of a termination in a network topology, by value. */
export const topologyRoleChoices = { peer: 'Peer', hub: 'Hub', spoke: 'Spoke' };
