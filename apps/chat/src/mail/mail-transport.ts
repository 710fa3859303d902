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
  /** Rejects when the mail was not taken; it is tried again then. */
  send(mail: Mail): Promise<void>;
}
