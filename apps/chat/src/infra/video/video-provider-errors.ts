/**
 * Error thrown when a video-call provider is unavailable or sends an invalid response. The error message contains no
 * secrets.
 */
export class ProviderError extends Error {
  override readonly name: string = 'ProviderError';
}

/** Error thrown when a video-call provider rejects the stored credentials of a user. */
export class CredentialRefusedError extends ProviderError {
  override readonly name = 'CredentialRefusedError';
}
