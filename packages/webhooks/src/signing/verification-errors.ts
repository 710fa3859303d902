/**
 * Base class of the errors for a request that is not a genuine webhook. The service should respond with status 400 or
 * 401.
 */
export abstract class WebhookVerificationError extends Error {
  /** Stable name of the reason why the verification failed, for logs and responses. */
  abstract readonly reason: 'header' | 'timestamp' | 'signature';
}

/** Error for a received webhook request with a missing or malformed header. */
export class WebhookHeaderError extends WebhookVerificationError {
  override readonly name = 'WebhookHeaderError';
  readonly reason = 'header';

  /** @param header lower-case name of the header */
  constructor(
    readonly header: string,
    readonly problem: 'missing' | 'malformed',
  ) {
    super(`The header ${header} is ${problem}`);
  }
}

/** Error for a webhook request that was signed too long ago or in the future. The request may be a replay. */
export class WebhookTimestampError extends WebhookVerificationError {
  override readonly name = 'WebhookTimestampError';
  readonly reason = 'timestamp';

  /** @param ageSeconds age of the request by the clock of the receiver; negative for a time in the future */
  constructor(
    readonly ageSeconds: number,
    toleranceSeconds: number,
  ) {
    super(`The request is ${Math.round(ageSeconds)} s old, and the tolerance is ${toleranceSeconds} s`);
  }
}

/** Error for a webhook request that has no valid signature by any of the secrets. */
export class WebhookSignatureError extends WebhookVerificationError {
  override readonly name = 'WebhookSignatureError';
  readonly reason = 'signature';

  constructor() {
    super('No signature matches the request');
  }
}
