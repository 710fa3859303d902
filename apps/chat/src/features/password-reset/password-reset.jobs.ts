import type { SecretTextEncryptor } from '@switchboard/auth';
import type { FeatureModuleJobs } from '../../events/define-feature-slice.js';
import { createMailStoringOutboxHandler } from '../../infra/mail/index.js';
import { createPasswordResetDispatcher, passwordResetOutboxMessageType } from './password-reset-mails.js';

/** Returns the background work of the password reset feature: the outbox handler that mails reset links. */
export function createPasswordResetJobs({ secrets }: { readonly secrets: SecretTextEncryptor }): FeatureModuleJobs {
  return {
    definitions: [],
    attach(jobs, outbox) {
      outbox.dispatch(
        passwordResetOutboxMessageType,
        createPasswordResetDispatcher(createMailStoringOutboxHandler(jobs, secrets)),
      );
    },
  };
}
