import { UndeliverableError } from '../undeliverable-error.js';
import type { Destination } from './destination.js';
import type { StoredObject } from './stored-object.js';

/**
 * No script is run: a delivery to one fails with the error of a request that runs it by hand
 * (docs/contract/inventory.md 1.5), and stays in the list of deliveries.
 */
export const scriptDestination: Destination<StoredObject> = {
  noun: 'script',
  storedSql: `SELECT json_build_object('id', s.id::text, 'name', s.name)
    FROM extras_script s WHERE s.id = c.action_object_id`,
  receiverSql: null,
  build: () => Promise.reject(new UndeliverableError('Unable to process request: RQ worker process not running.')),
  complaint: () => null,
};
