/** A file of a mail. */
export interface MailAttachment {
  readonly name: string;
  readonly contentType: string;
  readonly content: Buffer;
}

/** A parsed mail (RFC 5322). */
export interface ParsedMail {
  /** Values of the headers in their order, by name in lower case, with encoded words as they were sent. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** Message-ID, or null if the mail has none. */
  readonly messageId: string | null;
  /** Subject with decoded words. */
  readonly subject: string;
  /** Header From as text, with decoded words. */
  readonly from: string;
  /** Addresses of the header From, in lower case. */
  readonly fromAddresses: readonly string[];
  /** Text of the plain-text parts; empty if there are none. */
  readonly text: string;
  /** Text of the HTML parts, with some Markdown; empty if there are none. */
  readonly html: string;
  /** {@link html} without quoted mails. */
  readonly htmlWithoutQuotes: string;
  /** Attached files that have a name. */
  readonly attachments: readonly MailAttachment[];
  /** Number of further files, which were omitted. */
  readonly omittedAttachments: number;
}
