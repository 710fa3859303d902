/** Labels of the roles that a termination can have in a network topology, such as hub, by stored value. */
export const topologyRoleChoices = { peer: 'Peer', hub: 'Hub', spoke: 'Spoke' };
