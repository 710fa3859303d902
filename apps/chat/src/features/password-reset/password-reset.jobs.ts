import type { SecretBox } from '@switchboard/auth';
import type { SliceJobs } from '../../events/define-feature-slice.js';
import { mailDispatcher } from '../../infra/mail/index.js';
import { resetDispatcher, passwordResetMessage } from './password-reset-mails.js';

/** Returns the background work of the password reset feature: the outbox handler that mails reset links. */
export function passwordResetJobs({ secrets }: { readonly secrets: SecretBox }): SliceJobs {
  return {
    definitions: [],
    attach(jobs, outbox) {
      outbox.dispatch(passwordResetMessage, resetDispatcher(mailDispatcher(jobs, secrets)));
    },
  };
}
