import type { Database } from '@switchboard/database';
import { defineJob } from '@switchboard/queue';
import { z } from 'zod';
import type { OutgoingMailWriter } from '../../infra/mail/index.js';
import { groupIntoMissedMails } from './create-missed-message-mail.js';
import { removeDueMissedMessages } from './missed-messages.repository.js';

export interface EnqueueMissedMailsDependencies {
  readonly database: Database;
  readonly mails: OutgoingMailWriter;
  readonly clock: { now(): number };
}

/** Periodic job that sends emails about missed messages when the emails are due. */
export const missedMailsJob = (config: { readonly MISSED_MESSAGES_CHECK_MS: number }) =>
  defineJob({
    name: 'missed-messages.mail',
    payload: z.strictObject({}),
    attempts: 1,
    concurrency: 1,
    repeat: { everyMs: config.MISSED_MESSAGES_CHECK_MS, payload: {} },
  });

/**
 * Enqueues the due emails about missed messages. One transaction enqueues an email and deletes the entries of its
 * messages.
 */
export async function enqueueMissedMails(
  { database, mails, clock }: EnqueueMissedMailsDependencies,
  signal: AbortSignal,
): Promise<void> {
  for (let isMore = true; isMore && !signal.aborted;) {
    isMore = await database.inTransaction(async (tx) => {
      const messages = await removeDueMissedMessages(tx, new Date(clock.now()));
      for (const mail of groupIntoMissedMails(messages ?? [])) mails.enqueueMail(tx, mail);
      return messages !== null;
    });
  }
}
