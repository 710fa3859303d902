import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { JoinPages } from './join-pages.action.js';
import { CreateInvitedAccount } from './join.action.js';
import { RegistrationController } from './registration.controller.js';

/** Feature module (slice) of registration. The module declares sign-up pages. */
export const registrationFeatureModule = defineFeatureModule('registration', {
  controllers: [RegistrationController],
  providers: [CreateInvitedAccount, JoinPages],
});
