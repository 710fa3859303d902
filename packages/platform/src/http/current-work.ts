import { requestContext } from '../logging/request-context.js';
import type { RequestWork } from './request-work.js';

/**
 * Returns the class and the user under which the current request's database work is admitted; undefined outside a
 * request.
 */
export function currentRequestWork(): RequestWork | undefined {
  return requestContext.getStore()?.work;
}

/**
 * Declares that the rest of the current request is heavy database work: a search, an export or a deep offset. Heavy
 * work has a separate share of the connections, and at most two pieces of heavy work per user run concurrently. Does
 * nothing outside a request.
 */
export function declareHeavyWork(): void {
  const work = currentRequestWork();
  if (work !== undefined) work.kind = 'heavy';
}
