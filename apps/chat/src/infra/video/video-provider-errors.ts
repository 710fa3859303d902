/** Thrown if a video-call provider is unavailable or sends an invalid response. The message contains no secret. */
export class ProviderError extends Error {
  override readonly name: string = 'ProviderError';
}

/** Thrown if a video-call provider rejects the stored credentials of a user. */
export class CredentialRefusedError extends ProviderError {
  override readonly name = 'CredentialRefusedError';
}
