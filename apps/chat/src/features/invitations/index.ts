export { invitationsSlice } from './invitations.slice.js';
export { emitInvitesChanged } from './invitations.events.js';
export { createInvitationToken, tokenDigest, invitationLink } from './invitation-tokens.js';
export { deleteInvitedAddress, revokeInvitationsOf } from './invitations.repository.js';
export { mayInviteToRole } from './check-invitation-terms.js';
