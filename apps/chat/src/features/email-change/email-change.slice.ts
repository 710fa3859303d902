import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { ConfirmEmailChange } from './confirm-email-change.action.js';
import { EmailChangeController } from './email-change.controller.js';
import { RequestEmailChange } from './request-email-change.js';

/** Feature module (slice) of email address changes, with one web page. */
export const emailChangeFeatureModule = defineFeatureModule('email-change', {
  controllers: [EmailChangeController],
  providers: [ConfirmEmailChange, RequestEmailChange],
});
