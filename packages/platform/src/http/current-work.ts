import { requestContext } from '../logging/request-context.js';
import type { RequestWork } from './request-work.js';

/** Returns the class and the user of the running request's database work, or undefined outside a request. */
export function currentWork(): RequestWork | undefined {
  return requestContext.getStore()?.work;
}

/**
 * Declares the rest of the current request to be heavy database work: a search, an export or a deep offset. Heavy work
 * has a separate share of the connections, and at most two concurrent pieces per user. Does nothing outside a request.
 */
export function declareHeavy(): void {
  const work = currentWork();
  if (work !== undefined) work.kind = 'heavy';
}
