/** An attached file of a mail. */
export interface MailAttachment {
  readonly name: string;
  readonly contentType: string;
  readonly content: Buffer;
}

/** A parsed mail (RFC 5322). */
export interface ParsedMail {
  /**
   * Header values of the mail by lower-case name, in the order of the mail. Encoded words (RFC 2047) are not decoded.
   */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** Value of the mail's Message-ID header, or null for a mail without the header. */
  readonly messageId: string | null;
  /** Subject of the mail, with encoded words (RFC 2047) decoded. */
  readonly subject: string;
  /** Text of the mail's From header, with encoded words (RFC 2047) decoded. */
  readonly from: string;
  /** Email addresses in the mail's From header, in lower case. */
  readonly fromAddresses: readonly string[];
  /** Text of the mail's plain-text parts; empty for a mail without plain-text parts. */
  readonly text: string;
  /** Text of the mail's HTML parts, with simple Markdown; empty for a mail without HTML parts. */
  readonly html: string;
  /** Text of the mail's HTML parts like {@link html}, but without quoted mails. */
  readonly htmlWithoutQuotes: string;
  /** Attached files of the mail that have a name. */
  readonly attachments: readonly MailAttachment[];
  /** Number of the mail's attachments that were omitted because the maximum number was exceeded. */
  readonly omittedAttachments: number;
}
