import type { SecretBox } from '@switchboard/auth';
import type { Database } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import type { Outbox } from '@switchboard/queue';
import { missedMessageCheckMessage } from '../../core/messages/index.js';
import type { SliceJobs } from '../../events/define-feature-slice.js';
import { MailWriter } from '../../infra/mail/index.js';
import { enqueueMissedMails, missedMailsJob } from './enqueue-missed-message-mails.js';
import { missedMessageDispatcher } from './missed-messages.repository.js';

/** Returns the job that sends emails about missed messages. */
export function missedMessageJobs({
  config,
  database,
  outbox: written,
  secrets,
  clock,
}: {
  readonly config: { readonly MISSED_MESSAGES_CHECK_MS: number };
  readonly database: Database;
  readonly outbox: Pick<Outbox, 'add'>;
  readonly secrets: SecretBox;
  readonly clock: Clock;
}): SliceJobs {
  const missedJob = missedMailsJob(config);
  return {
    definitions: [missedJob],
    attach(jobs, outbox) {
      outbox.dispatch(
        missedMessageCheckMessage,
        missedMessageDispatcher(() => clock.now()),
      );
      const missed = {
        database: database.background('missed messages'),
        mails: new MailWriter(written, secrets),
        clock,
      };
      jobs.handle(missedJob, (_nothing, { signal }) => enqueueMissedMails(missed, signal));
    },
  };
}
