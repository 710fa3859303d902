import { defineSlice } from '../../events/define-feature-slice.js';
import { JoinPages } from './join-pages.action.js';
import { JoinByInvitation } from './join.action.js';
import { RegistrationController } from './registration.controller.js';

/** Feature module (slice) of registration. The module declares sign-up pages. */
export const registrationSlice = defineSlice('registration', {
  controllers: [RegistrationController],
  providers: [JoinByInvitation, JoinPages],
});
