/** A file of a mail. */
export interface MailAttachment {
  readonly name: string;
  readonly contentType: string;
  readonly content: Buffer;
}

/** A parsed mail (RFC 5322). */
export interface ParsedMail {
  /** Header values by lower-case name, in the order of the mail. Encoded words (RFC 2047) are not decoded. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** Message-ID, or null for a mail without Message-ID. */
  readonly messageId: string | null;
  /** Subject with decoded words. */
  readonly subject: string;
  /** Header From as text, with decoded words. */
  readonly from: string;
  /** Addresses of the header From, in lower case. */
  readonly fromAddresses: readonly string[];
  /** Text of the plain-text parts; empty for a mail without such parts. */
  readonly text: string;
  /** Text of the HTML parts, with some Markdown; empty for a mail without such parts. */
  readonly html: string;
  /** Same as {@link html}, but without quoted mails. */
  readonly htmlWithoutQuotes: string;
  /** Attached files that have a name. */
  readonly attachments: readonly MailAttachment[];
  /** Number of omitted attachments beyond the maximum. */
  readonly omittedAttachments: number;
}
