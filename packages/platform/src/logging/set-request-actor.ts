import { requestContextStorage } from './request-context.js';
import type { AuditActor } from './request-origin.js';

/**
 * Records the account that the current request was authenticated as, for its audit lines. Does nothing outside a
 * request.
 */
export function setRequestActor({ realm, id, kind }: AuditActor): void {
  const origin = requestContextStorage.getStore()?.origin;
  if (origin !== undefined) origin.actor = { ...(realm !== undefined && { realm }), id, kind };
}
