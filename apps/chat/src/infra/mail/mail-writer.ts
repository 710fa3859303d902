import type { SecretBox } from '@switchboard/auth';
import type { Tx } from '@switchboard/database';
import { defineOutboxMessage, type Dispatcher, type Outbox, transactionHandle } from '@switchboard/queue';
import { z } from 'zod';

const plainMailSchema = z.strictObject({ to: z.string(), subject: z.string(), text: z.string() });

const encryptedMailSchema = z.strictObject({ to: z.string(), subject: z.string(), sealed: z.string() });

/** An email to be sent: recipient address, subject and plain text. */
export type NewMail = z.infer<typeof plainMailSchema>;

/** Payload of an outbox row with an email to be sent; the text may be encrypted. */
export type WrittenMail = z.infer<typeof outgoingMailMessage.payload>;

/**
 * Outbox message type of emails to be sent. Email texts are encrypted, because texts may contain links that give access
 * to an account. Rows of version 1 contain plain texts. Processes of earlier releases, which support only version 1,
 * skip rows of version 2.
 */
export const outgoingMailMessage = defineOutboxMessage({
  name: 'chat.mail',
  version: 2,
  payload: z.union([encryptedMailSchema, plainMailSchema]),
});

/** Enqueues emails within the database transactions of the changes that cause the emails. */
export class MailWriter {
  constructor(
    private readonly outbox: Pick<Outbox, 'add'>,
    private readonly secrets: Pick<SecretBox, 'seal'>,
  ) {}

  /** Enqueues an email, which is sent only if the transaction commits. */
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

/**
 * Returns the purpose string with which the text of an enqueued email is encrypted. The purpose contains the
 * recipient's address, so that the text cannot be sent to another address.
 */
export function writtenMailPurpose(to: string): string {
  return `chat:new-mail:${to}`;
}
