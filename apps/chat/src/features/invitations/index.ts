export { invitationsSlice } from './invitations.slice.js';
export { tellInvitesChanged } from './invitations.events.js';
export { newToken, tokenDigest, invitationLink } from './invitation-tokens.js';
export { forgetInvitedAddress, revokeInvitationsOf } from './invitations.repository.js';
export { mayInviteTo } from './check-terms.js';
