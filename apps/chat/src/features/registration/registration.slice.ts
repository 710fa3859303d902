import { defineSlice } from '../../events/define-slice.js';
import { JoinPages } from './join-pages.action.js';
import { Join } from './join.action.js';
import { RegistrationController } from './registration.controller.js';

/** The slice of registration: sign-up pages. */
export const registrationSlice = defineSlice('registration', {
  controllers: [RegistrationController],
  providers: [Join, JoinPages],
});
