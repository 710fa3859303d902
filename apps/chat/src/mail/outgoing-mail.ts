import type { Tx } from '@switchboard/database';
import { defineJob, defineTopic, type Dispatcher, type Jobs, type Outbox } from '@switchboard/queue';
import { z } from 'zod';
import type { MailTransport } from './mail-transport.js';

const mailPayload = z.strictObject({ to: z.string(), subject: z.string(), text: z.string() });

/** A mail about to be written: plain text to one address. */
export type NewMail = z.infer<typeof mailPayload>;

/** Mails that a transaction wrote. */
export const mailTopic = defineTopic({ name: 'chat.mail', version: 1, payload: mailPayload });

/** Sends one mail of `outgoing_mails`. A day of attempts, for mail servers are away for hours at times. */
export const sendMailJob = defineJob({
  name: 'mail.send',
  payload: z.strictObject({ id: z.string() }),
  attempts: 40,
  backoff: { initialMs: 2_000, maxMs: 3_600_000 },
  concurrency: 5,
});

/** Finds mails whose job was lost. */
export const sweepMailsJob = defineJob({
  name: 'mail.sweep',
  payload: z.strictObject({}),
  attempts: 1,
  repeat: { everyMs: 60_000, payload: {} },
});

/** Writes a mail in the transaction of what causes it: it leaves after the commit, or not at all. */
export function writeMail(outbox: Pick<Outbox, 'add'>, tx: Tx, mail: NewMail): void {
  outbox.add(tx, mailTopic, mail);
}

/** Keeps the mails of outbox rows until they are sent: one statement a batch. */
export function mailDispatcher(jobs: Pick<Jobs, 'addBulk'>): Dispatcher<NewMail> {
  return async (rows, tx) => {
    await tx.query(
      `INSERT INTO outgoing_mails (id, recipient, subject, text)
       SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[])`,
      [
        rows.map(({ id }) => id),
        rows.map(({ payload }) => payload.to),
        rows.map(({ payload }) => payload.subject),
        rows.map(({ payload }) => payload.text),
      ],
    );
    const work = rows.map(({ id, context }) => ({ payload: { id: String(id) }, id: `mail-${id}`, context }));
    return { afterCommit: () => jobs.addBulk(sendMailJob, work) };
  };
}

/** Sends a mail that is still to be sent, and forgets it. */
export async function sendMail(tx: Tx, transport: MailTransport, id: string): Promise<void> {
  const { rows } = await tx.query<{ recipient: string; subject: string; text: string }>(
    'SELECT recipient, subject, text FROM outgoing_mails WHERE id = $1',
    [id],
  );
  const [mail] = rows;
  if (mail === undefined) return;
  await transport.send({ id: `mail-${id}`, to: mail.recipient, subject: mail.subject, text: mail.text });
  await tx.query('DELETE FROM outgoing_mails WHERE id = $1', [id]);
}

/** Adds the jobs of mails that have waited a minute; those that have one keep it, for their ids are the same. */
export async function sweepMails(tx: Tx, jobs: Pick<Jobs, 'addBulk'>): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(
    `SELECT id::text FROM outgoing_mails WHERE created_at < now() - interval '1 minute' ORDER BY id LIMIT 1000`,
  );
  await jobs.addBulk(
    sendMailJob,
    rows.map(({ id }) => ({ payload: { id }, id: `mail-${id}` })),
  );
}
