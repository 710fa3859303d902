import { FinalJobError } from '@switchboard/queue';

/** An email to be sent. */
export interface OutgoingMail {
  /**
   * Id from which the Message-ID header of the email is built. A mail server can recognize repeated attempts to send
   * one email by the header.
   */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  /** Body of the email as plain text. */
  readonly text: string;
}

/** Interface of the object that delivers emails to a mail server. */
export interface MailTransport {
  /**
   * Sends an email. The promise rejects if the mail server did not accept the email; the send can then be retried.
   *
   * @param signal aborted when the job is cancelled
   * @throws MailRefusedError for a permanent rejection
   */
  send(mail: OutgoingMail, signal?: AbortSignal): Promise<void>;
  /** Closes all connections to the mail server. Sends that are still in progress fail. */
  close(): void;
}

/** Error thrown when a mail server permanently rejects an email because of the address or content. */
export class MailRefusedError extends FinalJobError {
  override readonly name = 'MailRefusedError';
}

/** Returns the Message-ID header of an email. All attempts to send one email use an identical header. */
export function createMailMessageIdHeader(mail: Pick<OutgoingMail, 'id'>, from: string): string {
  const host = /@([^\s@>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  return `<${mail.id}@${host}>`;
}
