/**
 * Error thrown when a video-call provider is unavailable or sends an invalid response. The error message contains no
 * secrets.
 */
export class VideoCallProviderError extends Error {
  override readonly name: string = 'VideoCallProviderError';
}

/** Error thrown when a video-call provider rejects the stored credentials of a user. */
export class VideoCallCredentialsRejectedError extends VideoCallProviderError {
  override readonly name = 'VideoCallCredentialsRejectedError';
}
