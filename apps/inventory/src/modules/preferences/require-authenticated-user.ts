import { getRequestActor, type AuthenticatedRequest } from '@switchboard/nest';
import type { FastifyRequest } from 'fastify';
import type { InventoryActor } from '../../engine/object-access.js';
import { inventoryErrors } from '../../errors.js';

/** HTTP request that reads or changes data of the requesting user. */
export type OwnDataRequest = FastifyRequest & AuthenticatedRequest<InventoryActor>;

/**
 * Returns the user of a request about their own data, which needs no permission.
 *
 * @throws ApplicationError NOT_AUTHENTICATED, or PERMISSION_DENIED for a write with a read-only token
 */
export function requireAuthenticatedUser(request: OwnDataRequest): InventoryActor {
  const actor = getRequestActor(request);
  if (actor === null || actor.kind === 'anonymous') throw inventoryErrors.create('NOT_AUTHENTICATED');
  if (request.method !== 'GET' && request.method !== 'HEAD' && !actor.mayWrite) {
    throw inventoryErrors.create('PERMISSION_DENIED');
  }
  return actor;
}
