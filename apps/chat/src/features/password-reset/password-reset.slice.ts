import { defineSlice } from '../../events/define-feature-slice.js';
import { PasswordResetController } from './password-reset.controller.js';
import { passwordResetJobs } from './password-reset.jobs.js';
import { PasswordResetPages } from './password-reset-pages.action.js';
import { RequestReset } from './request-password-reset.action.js';
import { ResetPassword } from './reset-password.action.js';

/** Feature module (slice) of forgotten passwords. The module declares pages, and the mails with reset links. */
export const passwordResetSlice = defineSlice('password-reset', {
  controllers: [PasswordResetController],
  providers: [PasswordResetPages, RequestReset, ResetPassword],
  jobs: passwordResetJobs,
});
