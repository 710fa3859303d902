import { FinalJobError } from '@switchboard/queue';

/** A mail as it leaves. */
export interface Mail {
  /** Stable message id, by which a mail server recognizes repeated attempts. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
}

/** Delivers mails to a mail server. */
export interface MailTransport {
  /**
   * Sends a mail; rejects if it was not accepted and can be retried.
   * @param signal aborted when the job is cancelled
   * @throws MailRefusedError for a permanent rejection
   */
  send(mail: Mail, signal?: AbortSignal): Promise<void>;
  /** Closes connections. Mails being sent fail. */
  close(): void;
}

/** A permanent rejection of a mail, because of its address or content. */
export class MailRefusedError extends FinalJobError {
  override readonly name = 'MailRefusedError';
}

/** Returns the Message-ID: the same for each attempt. */
export function messageId(mail: Pick<Mail, 'id'>, from: string): string {
  const host = /@([^\s@>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  return `<${mail.id}@${host}>`;
}
