import type { AppError } from '@switchboard/errors';
import { chatErrors } from '../../errors.js';
import { ProviderError } from '../../infra/video/index.js';

/** Returns the error for a client when a provider fails; the log says more. Any other error passes. */
export function providerFailure(error: unknown, message: string): AppError {
  if (!(error instanceof ProviderError)) throw error;
  return chatErrors.create('BAD_REQUEST', { message, internal: error.message, cause: error });
}
