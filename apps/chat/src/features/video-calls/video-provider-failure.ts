import type { AppError } from '@switchboard/errors';
import { chatErrors } from '../../errors.js';
import { ProviderError } from '../../infra/video/index.js';

/**
 * Returns the API error for a failure of a video-call provider. The details of the failure are only logged. Rethrows
 * other errors.
 */
export function toProviderFailureError(error: unknown, message: string): AppError {
  if (!(error instanceof ProviderError)) throw error;
  return chatErrors.create('BAD_REQUEST', { message, internal: error.message, cause: error });
}
