/** Reply of the SMTP server that rejects a command or a mail (RFC 5321 4.2). A code below 500 requests a retry. */
export class SmtpRejectionReply extends Error {
  override readonly name = 'SmtpReply';

  /** @param message Text of the reply, which must not contain line breaks. */
  constructor(
    readonly responseCode: number,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Returns the SMTP reply for an internal error. The reply makes the sending server retry later. */
export function createTemporaryFailureReply(cause?: unknown): SmtpRejectionReply {
  return new SmtpRejectionReply(451, 'The mail cannot be processed now, try again later', { cause });
}
