import type { AppError } from '@switchboard/errors';
import { chatErrors } from '../../errors.js';
import { ProviderError } from '../../infra/video/index.js';

/**
 * Returns the client's error for a failure of a video-call provider, whose details are only logged. Rethrows any other
 * error.
 */
export function toProviderFailureError(error: unknown, message: string): AppError {
  if (!(error instanceof ProviderError)) throw error;
  return chatErrors.create('BAD_REQUEST', { message, internal: error.message, cause: error });
}
