export { invitationsFeatureModule } from './invitations.slice.js';
export { emitInvitesChanged } from './invitations.events.js';
export { createInvitationToken, digestInvitationToken, createInvitationLink } from './invitation-tokens.js';
export { replaceAddressInOldInvitations, revokeInvitationsOfAccounts } from './invitations.repository.js';
export { canActorInviteToRole } from './check-invitation-terms.js';
