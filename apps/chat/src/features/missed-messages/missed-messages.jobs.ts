import type { SecretTextEncryptor } from '@switchboard/auth';
import type { Database } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import type { Outbox } from '@switchboard/queue';
import { missedMessageCheckOutboxMessage } from '../../core/messages/index.js';
import type { FeatureModuleJobs } from '../../events/define-feature-slice.js';
import { OutgoingMailWriter } from '../../infra/mail/index.js';
import { enqueueMissedMails, missedMailsJob } from './enqueue-missed-message-mails.js';
import { createMissedMessageDispatcher } from './missed-messages.repository.js';

/** Returns the job that sends emails about missed messages. */
export function createMissedMessageJobs({
  config,
  database,
  outbox: written,
  secrets,
  clock,
}: {
  readonly config: { readonly MISSED_MESSAGES_CHECK_MS: number };
  readonly database: Database;
  readonly outbox: Pick<Outbox, 'add'>;
  readonly secrets: SecretTextEncryptor;
  readonly clock: Clock;
}): FeatureModuleJobs {
  const missedJob = missedMailsJob(config);
  return {
    definitions: [missedJob],
    attach(jobs, outbox) {
      outbox.dispatch(
        missedMessageCheckOutboxMessage,
        createMissedMessageDispatcher(() => clock.now()),
      );
      const missed = {
        database: database.background('missed messages'),
        mails: new OutgoingMailWriter(written, secrets),
        clock,
      };
      jobs.handle(missedJob, (_nothing, { signal }) => enqueueMissedMails(missed, signal));
    },
  };
}
