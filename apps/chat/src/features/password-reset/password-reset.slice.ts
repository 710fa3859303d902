import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { PasswordResetController } from './password-reset.controller.js';
import { createPasswordResetJobs } from './password-reset.jobs.js';
import { PasswordResetPages } from './password-reset-pages.action.js';
import { RequestPasswordReset } from './request-password-reset.action.js';
import { ResetPassword } from './reset-password.action.js';

/** Feature module (slice) of forgotten passwords. The module declares pages, and the mails with reset links. */
export const passwordResetFeatureModule = defineFeatureModule('password-reset', {
  controllers: [PasswordResetController],
  providers: [PasswordResetPages, RequestPasswordReset, ResetPassword],
  jobs: createPasswordResetJobs,
});
