import type { SecretBox } from '@switchboard/auth';
import type { Tx } from '@switchboard/database';
import { defineJob, type Dispatcher, type Jobs } from '@switchboard/queue';
import { z } from 'zod';
import { MailRefusedError, type MailTransport } from './mail-transport.js';
import type { NewMail } from './mail-writer.js';

/**
 * Job that sends one email, stored as a row of `outgoing_mails`. Attempts continue for about a day, because mail
 * servers can be down for hours.
 */
export const sendMailJob = defineJob({
  name: 'mail.send',
  payload: z.strictObject({ id: z.string() }),
  attempts: 40,
  backoff: { initialMs: 2_000, maxMs: 3_600_000 },
  concurrency: 5,
  timeoutMs: 120_000,
});

/** Periodic job that finds stored emails whose job was lost (ADR 0010). */
export const sweepMailsJob = defineJob({
  name: 'mail.sweep',
  payload: z.strictObject({}),
  attempts: 1,
  repeat: { everyMs: 60_000, payload: {} },
});

/**
 * Returns the outbox handler that stores emails until they are sent, with one statement per batch. Their texts are
 * encrypted, because they may contain links that give access to an account.
 */
export function mailDispatcher(jobs: Pick<Jobs, 'addBulk'>, secrets: Pick<SecretBox, 'seal'>): Dispatcher<NewMail> {
  return async (rows, tx) => {
    await tx.query(
      `INSERT INTO outgoing_mails (id, recipient, subject, text_sealed)
       SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[])`,
      [
        rows.map(({ id }) => id),
        rows.map(({ payload }) => payload.to),
        rows.map(({ payload }) => payload.subject),
        rows.map(({ id, payload }) => secrets.seal(payload.text, storedMailPurpose(String(id)))),
      ],
    );
    const work = rows.map(({ id, context }) => ({
      payload: { id: String(id) },
      id: createMailJobId(String(id)),
      context,
    }));
    return { afterCommit: () => jobs.addBulk(sendMailJob, work) };
  };
}

/** One attempt of a job to send an email. */
export interface MailSendAttempt {
  /** True if no further attempt follows this one. */
  readonly lastAttempt: boolean;
  readonly signal: AbortSignal;
}

/** Dependencies of {@link sendMail}. */
export interface SendMailDependencies {
  readonly transport: Pick<MailTransport, 'send'>;
  readonly secrets: Pick<SecretBox, 'open'>;
}

/** A row of `outgoing_mails`. Rows of earlier releases contain the text unencrypted. */
interface StoredMailRow {
  readonly recipient: string;
  readonly subject: string;
  readonly text: string | null;
  readonly sealed: string | null;
}

/**
 * Sends a pending email and deletes it. An email that failed permanently remains stored for some days, for operators.
 */
export async function sendMail(
  tx: Tx,
  { transport, secrets }: SendMailDependencies,
  id: string,
  { lastAttempt, signal }: MailSendAttempt,
): Promise<void> {
  const { rows } = await tx.query<StoredMailRow>(
    'SELECT recipient, subject, plain_text AS text, text_sealed AS sealed FROM outgoing_mails WHERE id = $1',
    [id],
  );
  const [mail] = rows;
  if (mail === undefined) return;
  try {
    const text = mail.sealed === null ? (mail.text ?? '') : secrets.open(mail.sealed, storedMailPurpose(id));
    await transport.send({ id: `mail-${id}`, to: mail.recipient, subject: mail.subject, text }, signal);
  } catch (error) {
    if (lastAttempt || error instanceof MailRefusedError) {
      await tx.query('UPDATE outgoing_mails SET failed_at = now() WHERE id = $1', [id]);
    }
    throw error;
  }
  await tx.query('DELETE FROM outgoing_mails WHERE id = $1', [id]);
}

/** Number of emails that one run of {@link sweepMails} checks. */
const sweepBatchSize = 1000;

/** Days after which a permanently failed email is deleted. Operators can find its failed job for the same time. */
const failedMailRetentionDays = 7;

/**
 * Adds jobs for emails whose job was lost, and deletes emails that failed long ago. Pending emails are checked in
 * rotation, so that each email is checked even if many others have a job.
 */
export async function sweepMails(tx: Tx, jobs: Pick<Jobs, 'addBulk' | 'pending'>): Promise<void> {
  await tx.query('DELETE FROM outgoing_mails WHERE failed_at < now() - make_interval(days => $1)', [
    failedMailRetentionDays,
  ]);
  for (;;) {
    const ids = await claimUncheckedMails(tx);
    const pending = await jobs.pending(sendMailJob, ids.map(createMailJobId));
    const lost = ids.filter((id) => !pending.has(createMailJobId(id)));
    await jobs.addBulk(
      sendMailJob,
      lost.map((id) => ({ payload: { id }, id: createMailJobId(id) })),
    );
    if (ids.length < sweepBatchSize) return;
  }
}

/** Returns the ids of the next pending emails that were not checked within the last minute. */
async function claimUncheckedMails(tx: Tx): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `UPDATE outgoing_mails SET swept_at = now() WHERE id IN (
       SELECT id FROM outgoing_mails WHERE swept_at < now() - interval '1 minute' AND failed_at IS NULL
       ORDER BY swept_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING id::text`,
    [sweepBatchSize],
  );
  return rows.map(({ id }) => id);
}

/**
 * Returns the purpose string with which the text of an email is encrypted, so that it cannot be decrypted for another
 * email.
 */
export function storedMailPurpose(id: string): string {
  return `chat:mail:${id}`;
}

/** Returns the job id of an email. The id is always the same for one email, so that the email has only one job. */
function createMailJobId(id: string): string {
  return `mail-${id}`;
}
