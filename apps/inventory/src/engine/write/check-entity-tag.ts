import { inventoryErrors } from '../../errors.js';

/**
 * Rejects a write whose `If-Match` header does not contain the current entity tag. Callers must lock the row first, so
 * that the object cannot change between the check and the write.
 *
 * @throws ApplicationError PRECONDITION_FAILED
 */
export function checkEntityTag(accepted: readonly string[], current: string | null): void {
  if (accepted.includes('*') || (current !== null && accepted.includes(current))) return;
  throw inventoryErrors.create('PRECONDITION_FAILED', { headers: current === null ? {} : { etag: current } });
}
