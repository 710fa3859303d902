import type { ApplicationError } from '@switchboard/errors';
import { chatErrors } from '../../errors.js';
import { VideoCallProviderError } from '../../infra/video/index.js';

/**
 * Returns the API error for a failure of a video-call provider. The details of the failure are only logged. Rethrows
 * other errors.
 */
export function createVideoCallProviderError(error: unknown, message: string): ApplicationError {
  if (!(error instanceof VideoCallProviderError)) throw error;
  return chatErrors.create('BAD_REQUEST', { message, internal: error.message, cause: error });
}
