import { errors } from '../../errors.js';

/** The check is made under the row's lock: nobody can change the object between it and the write. */
export function refuseStale(accepted: readonly string[], current: string | null): void {
  if (accepted.includes('*') || (current !== null && accepted.includes(current))) return;
  throw errors.create('PRECONDITION_FAILED', { headers: current === null ? {} : { etag: current } });
}
