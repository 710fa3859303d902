import { FinalJobError } from '@switchboard/queue';

/** A mail as it leaves. */
export interface Mail {
  /** Stable over repeated attempts, so that a receiver can tell a repetition. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
}

/** Hands mails to whoever delivers them. */
export interface MailTransport {
  /**
   * Rejects when the mail was not taken; it is tried again then.
   *
   * @param signal Aborted when nobody waits for it any longer.
   * @throws MailRefusedError when it never will be taken
   */
  send(mail: Mail, signal?: AbortSignal): Promise<void>;
  /** Lets go of connections. Mails that are being sent fail. */
  close(): void;
}

/** A mail was refused for good: by its address or by what it says, not for the state of things. */
export class MailRefusedError extends FinalJobError {
  override readonly name = 'MailRefusedError';
}

/** Returns the Message-ID: the same for each attempt. */
export function messageId(mail: Pick<Mail, 'id'>, from: string): string {
  const host = /@([^\s@>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  return `<${mail.id}@${host}>`;
}
