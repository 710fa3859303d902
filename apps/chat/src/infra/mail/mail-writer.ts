import type { SecretBox } from '@switchboard/auth';
import type { Tx } from '@switchboard/database';
import { defineOutboxMessage, type Dispatcher, type Outbox, transactionHandle } from '@switchboard/queue';
import { z } from 'zod';

const plainMailSchema = z.strictObject({ to: z.string(), subject: z.string(), text: z.string() });

const encryptedMailSchema = z.strictObject({ to: z.string(), subject: z.string(), sealed: z.string() });

/** An email to be sent: plain text to one address. */
export type NewMail = z.infer<typeof plainMailSchema>;

/** An email in the outbox. */
export type WrittenMail = z.infer<typeof outgoingMailMessage.payload>;

/**
 * Outbox message type of emails to be sent. Texts are encrypted, because they may contain links that give access to an
 * account. Rows of version 1 have plain texts; processes that know only this version leave rows of version 2 to others.
 */
export const outgoingMailMessage = defineOutboxMessage({
  name: 'chat.mail',
  version: 2,
  payload: z.union([encryptedMailSchema, plainMailSchema]),
});

/** Enqueues emails in the transactions of the changes that cause them. */
export class MailWriter {
  constructor(
    private readonly outbox: Pick<Outbox, 'add'>,
    private readonly secrets: Pick<SecretBox, 'seal'>,
  ) {}

  /** Enqueues an email. It is sent only if the transaction commits. */
  write(tx: Tx, { to, subject, text }: NewMail): void {
    const sealed = this.secrets.seal(text, writtenMailPurpose(to));
    this.outbox.add(transactionHandle(tx), outgoingMailMessage, { to, subject, sealed });
  }
}

/**
 * Returns the outbox handler of {@link outgoingMailMessage}.
 *
 * @param store outbox handler that stores emails with plain texts
 */
export function writtenMailDispatcher(
  store: Dispatcher<NewMail>,
  secrets: Pick<SecretBox, 'open'>,
): Dispatcher<WrittenMail> {
  return (rows, tx) => {
    const opened = rows.map((row) => ({ ...row, payload: decryptMail(row.payload, secrets) }));
    return store(opened, tx);
  };
}

function decryptMail(mail: WrittenMail, secrets: Pick<SecretBox, 'open'>): NewMail {
  if ('text' in mail) return mail;
  const { to, subject, sealed } = mail;
  return { to, subject, text: secrets.open(sealed, writtenMailPurpose(to)) };
}

/** Returns the purpose to which the encrypted text of an email in the outbox is bound: no other address can get it. */
export function writtenMailPurpose(to: string): string {
  return `chat:new-mail:${to}`;
}
