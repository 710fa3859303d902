import type { SecretTextEncryptor } from '@switchboard/auth';
import type { Tx } from '@switchboard/database';
import { defineOutboxMessage, type OutboxRowsDispatcher, type Outbox, transactionHandle } from '@switchboard/queue';
import { z } from 'zod';

const unencryptedMailSchema = z.strictObject({ to: z.string(), subject: z.string(), text: z.string() });

const encryptedMailSchema = z.strictObject({ to: z.string(), subject: z.string(), sealed: z.string() });

/** An email to be sent: recipient address, subject and plain text. */
export type UnencryptedMail = z.infer<typeof unencryptedMailSchema>;

/** Payload of an outbox row with an email to be sent; the text may be encrypted. */
export type EnqueuedMailPayload = z.infer<typeof outgoingMailOutboxMessageType.payload>;

/**
 * Outbox message type of emails to be sent. Email texts are encrypted, because texts may contain links that give access
 * to an account. Rows of version 1 contain plain texts. Processes of earlier releases, which support only version 1,
 * skip rows of version 2.
 */
export const outgoingMailOutboxMessageType = defineOutboxMessage({
  name: 'chat.mail',
  version: 2,
  payload: z.union([encryptedMailSchema, unencryptedMailSchema]),
});

/** Enqueues emails within the database transactions of the changes that cause the emails. */
export class OutgoingMailWriter {
  constructor(
    private readonly outbox: Pick<Outbox, 'add'>,
    private readonly secrets: Pick<SecretTextEncryptor, 'seal'>,
  ) {}

  /** Enqueues an email, which is sent only if the transaction commits. */
  enqueueMail(tx: Tx, { to, subject, text }: UnencryptedMail): void {
    const sealed = this.secrets.seal(text, createEnqueuedMailEncryptionPurpose(to));
    this.outbox.add(transactionHandle(tx), outgoingMailOutboxMessageType, { to, subject, sealed });
  }
}

/**
 * Returns the outbox handler of {@link outgoingMailOutboxMessageType}.
 *
 * @param store outbox handler that stores emails with plain texts
 */
export function createOutgoingMailOutboxHandler(
  store: OutboxRowsDispatcher<UnencryptedMail>,
  secrets: Pick<SecretTextEncryptor, 'open'>,
): OutboxRowsDispatcher<EnqueuedMailPayload> {
  return (rows, tx) => {
    const opened = rows.map((row) => ({ ...row, payload: decryptMail(row.payload, secrets) }));
    return store(opened, tx);
  };
}

function decryptMail(mail: EnqueuedMailPayload, secrets: Pick<SecretTextEncryptor, 'open'>): UnencryptedMail {
  if ('text' in mail) return mail;
  const { to, subject, sealed } = mail;
  return { to, subject, text: secrets.open(sealed, createEnqueuedMailEncryptionPurpose(to)) };
}

/**
 * Returns the purpose string with which the text of an enqueued email is encrypted. The purpose contains the
 * recipient's address, so that the text cannot be sent to another address.
 */
export function createEnqueuedMailEncryptionPurpose(to: string): string {
  return `chat:new-mail:${to}`;
}
