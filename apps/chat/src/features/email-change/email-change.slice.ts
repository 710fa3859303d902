import { defineSlice } from '../../events/define-slice.js';
import { ConfirmEmail } from './confirm-email.action.js';
import { EmailChangeController } from './email-change.controller.js';
import { RequestEmail } from './request-email.js';

/** The slice of email address changes: a page. */
export const emailChangeSlice = defineSlice('email-change', {
  controllers: [EmailChangeController],
  providers: [ConfirmEmail, RequestEmail],
});
