export { invitationsSlice } from './invitations.slice.js';
export { emitInvitesChanged } from './invitations.events.js';
export { createInvitationToken, digestInvitationToken, createInvitationLink } from './invitation-tokens.js';
export { deleteInvitedAddress, revokeInvitationsOfAccounts } from './invitations.repository.js';
export { mayActorInviteToRole } from './check-invitation-terms.js';
