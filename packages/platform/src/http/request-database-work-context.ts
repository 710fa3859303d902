import { requestContextStorage } from '../logging/request-context.js';
import type { RequestDatabaseWork } from './request-database-work.js';

/** Returns the class and the user of the current request's database work. Returns undefined outside a request. */
export function getRequestDatabaseWork(): RequestDatabaseWork | undefined {
  return requestContextStorage.getStore()?.work;
}

/**
 * Declares that the rest of the current request is heavy database work: for example a search, an export or a page far
 * into a list. Heavy work has a separate share of the connections, and at most two pieces of heavy work per user run
 * concurrently. Does nothing outside a request.
 */
export function declareHeavyDatabaseWork(): void {
  const work = getRequestDatabaseWork();
  if (work !== undefined) work.kind = 'heavy';
}
