export { invitationEvents, tellInvitesChanged } from './invitations.events.js';
export { InvitationsController } from './invitations.controller.js';
export { newToken, tokenDigest, invitationLink } from './invitation-tokens.js';
export { forgetInvitedAddress, revokeInvitationsOf } from './invitations.repository.js';
export { mayInviteTo } from './check-terms.js';
export { Invite } from './invite.action.js';
export { ManageInvitations } from './manage-invitations.action.js';
