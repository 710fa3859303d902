import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { InvitationsController } from './invitations.controller.js';
import { invitationEvents } from './invitations.events.js';
import { InviteUsers } from './invite-users.action.js';
import { InvitationsService } from './invitations.action.js';

/** Feature module (slice) that provides the endpoints and events of invitations. */
export const invitationsFeatureModule = defineFeatureModule('invitations', {
  controllers: [InvitationsController],
  providers: [InviteUsers, InvitationsService],
  events: invitationEvents,
});
