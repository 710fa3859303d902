import { FinalJobError } from '@switchboard/queue';

/** An email to be sent. */
export interface OutgoingMail {
  /** Message id of the email, by which a mail server recognizes repeated attempts to send it. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  /** Body of the email as plain text. */
  readonly text: string;
}

/** Delivers emails to a mail server. */
export interface MailTransport {
  /**
   * Sends an email. Rejects if it was not accepted, and can be retried.
   *
   * @param signal aborted when the job is cancelled
   * @throws MailRefusedError for a permanent rejection
   */
  send(mail: OutgoingMail, signal?: AbortSignal): Promise<void>;
  /** Closes all connections to the mail server. Emails that are being sent fail. */
  close(): void;
}

/** Thrown if an email is permanently rejected because of its address or content. */
export class MailRefusedError extends FinalJobError {
  override readonly name = 'MailRefusedError';
}

/** Returns the Message-ID header of an email, the same for each attempt to send it. */
export function createMessageId(mail: Pick<OutgoingMail, 'id'>, from: string): string {
  const host = /@([^\s@>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  return `<${mail.id}@${host}>`;
}
