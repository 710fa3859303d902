/** A provider of video calls is away, or answered what is no answer. Holds no secret. */
export class ProviderError extends Error {
  override readonly name: string = 'ProviderError';
}

/** A provider does not take what somebody gave us for it any more. */
export class CredentialRefusedError extends ProviderError {
  override readonly name = 'CredentialRefusedError';
}
