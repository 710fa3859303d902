import type { SecretTextEncryptor } from '@switchboard/auth';
import type { Tx } from '@switchboard/database';
import { defineJob, type OutboxRowsDispatcher, type Jobs } from '@switchboard/queue';
import { z } from 'zod';
import { MailRefusedError, type MailTransport } from './mail-transport.js';
import type { UnencryptedMail } from './mail-writer.js';

/**
 * Background job that sends one email stored in the table `outgoing_mails`. Attempts are repeated for about a day,
 * because mail servers can be unavailable for hours.
 */
export const sendMailJobDefinition = defineJob({
  name: 'mail.send',
  payload: z.strictObject({ id: z.string() }),
  attempts: 40,
  backoff: { initialMs: 2_000, maxMs: 3_600_000 },
  concurrency: 5,
  timeoutMs: 120_000,
});

/** Periodic job that creates a new job for each stored email whose send job was lost (ADR 0010). */
export const recoverLostMailsJobDefinition = defineJob({
  name: 'mail.sweep',
  payload: z.strictObject({}),
  attempts: 1,
  repeat: { everyMs: 60_000, payload: {} },
});

/**
 * Returns the outbox handler that stores emails until the emails are sent, and adds the send jobs. Each batch is stored
 * with one SQL statement. Texts are encrypted, because texts may contain links that give access to an account.
 */
export function createMailStoringOutboxHandler(
  jobs: Pick<Jobs, 'addBulk'>,
  secrets: Pick<SecretTextEncryptor, 'seal'>,
): OutboxRowsDispatcher<UnencryptedMail> {
  return async (rows, tx) => {
    await tx.query(
      `INSERT INTO outgoing_mails (id, recipient, subject, text_sealed)
       SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[])`,
      [
        rows.map(({ id }) => id),
        rows.map(({ payload }) => payload.to),
        rows.map(({ payload }) => payload.subject),
        rows.map(({ id, payload }) => secrets.seal(payload.text, createStoredMailEncryptionPurpose(String(id)))),
      ],
    );
    const work = rows.map(({ id, context }) => ({
      payload: { id: String(id) },
      id: createMailJobId(String(id)),
      context,
    }));
    return { afterCommit: () => jobs.addBulk(sendMailJobDefinition, work) };
  };
}

/** Information about one attempt of a job to send an email. */
export interface MailSendAttempt {
  /** True if the current attempt to send the email is the last attempt. */
  readonly lastAttempt: boolean;
  readonly signal: AbortSignal;
}

export interface SendMailDependencies {
  readonly transport: Pick<MailTransport, 'send'>;
  readonly secrets: Pick<SecretTextEncryptor, 'open'>;
}

/** Row of the table `outgoing_mails`. Rows written by earlier releases contain unencrypted text. */
interface OutgoingMailRow {
  readonly recipient: string;
  readonly subject: string;
  readonly text: string | null;
  readonly sealed: string | null;
}

/**
 * Sends a stored email, and deletes the email after success. An email that failed permanently remains stored for some
 * days, so that operators can inspect the email.
 */
export async function sendStoredMail(
  tx: Tx,
  { transport, secrets }: SendMailDependencies,
  id: string,
  { lastAttempt, signal }: MailSendAttempt,
): Promise<void> {
  const { rows } = await tx.query<OutgoingMailRow>(
    'SELECT recipient, subject, plain_text AS text, text_sealed AS sealed FROM outgoing_mails WHERE id = $1',
    [id],
  );
  const [mail] = rows;
  if (mail === undefined) return;
  try {
    const text =
      mail.sealed === null ? (mail.text ?? '') : secrets.open(mail.sealed, createStoredMailEncryptionPurpose(id));
    await transport.send({ id: `mail-${id}`, to: mail.recipient, subject: mail.subject, text }, signal);
  } catch (error) {
    if (lastAttempt || error instanceof MailRefusedError) {
      await tx.query('UPDATE outgoing_mails SET failed_at = now() WHERE id = $1', [id]);
    }
    throw error;
  }
  await tx.query('DELETE FROM outgoing_mails WHERE id = $1', [id]);
}

/** Maximum number of stored emails that {@link recoverLostMails} checks per batch. */
const recoveredMailsPerBatch = 1000;

/**
 * Number of days after which a permanently failed email is deleted. The failed job of the email is retained for an
 * equal time.
 */
const failedMailRetentionDays = 7;

/**
 * Adds send jobs for stored emails whose job was lost, and deletes emails that failed more than
 * {@link failedMailRetentionDays} days ago. The emails that were checked least recently are checked first.
 */
export async function recoverLostMails(tx: Tx, jobs: Pick<Jobs, 'addBulk' | 'pending'>): Promise<void> {
  await tx.query('DELETE FROM outgoing_mails WHERE failed_at < now() - make_interval(days => $1)', [
    failedMailRetentionDays,
  ]);
  for (;;) {
    const ids = await markUncheckedMailsAsChecked(tx);
    const pending = await jobs.pending(sendMailJobDefinition, ids.map(createMailJobId));
    const lost = ids.filter((id) => !pending.has(createMailJobId(id)));
    await jobs.addBulk(
      sendMailJobDefinition,
      lost.map((id) => ({ payload: { id }, id: createMailJobId(id) })),
    );
    if (ids.length < recoveredMailsPerBatch) return;
  }
}

/**
 * Marks the pending emails that were not checked within the last minute as checked, up to the batch size. Returns the
 * ids of the marked emails.
 */
async function markUncheckedMailsAsChecked(tx: Tx): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `UPDATE outgoing_mails SET swept_at = now() WHERE id IN (
       SELECT id FROM outgoing_mails WHERE swept_at < now() - interval '1 minute' AND failed_at IS NULL
       ORDER BY swept_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING id::text`,
    [recoveredMailsPerBatch],
  );
  return rows.map(({ id }) => id);
}

/**
 * Returns the purpose string with which the text of an email is encrypted, so that the encrypted text cannot be used
 * for another email.
 */
export function createStoredMailEncryptionPurpose(id: string): string {
  return `chat:mail:${id}`;
}

/**
 * Returns the id of the job that sends an email. The job id is derived from the email's id, so that an email has at
 * most one job.
 */
function createMailJobId(id: string): string {
  return `mail-${id}`;
}
