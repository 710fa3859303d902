import { getRequestActor, type AuthenticatedRequest } from '@switchboard/nest';
import type { FastifyRequest } from 'fastify';
import type { InventoryActor } from '../../engine/object-access.js';
import { inventoryErrors } from '../../errors.js';

/** HTTP request to one of the endpoints of background queues, workers and tasks. */
export type BackgroundEndpointRequest = FastifyRequest<{ Params: { name: string } }> &
  AuthenticatedRequest<InventoryActor>;

const readHttpMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Requires a superuser, because background work shows data of all objects.
 *
 * @throws ApplicationError NOT_AUTHENTICATED, or PERMISSION_DENIED for other users and for changes with a read-only token
 */
export function requireSuperuser(request: BackgroundEndpointRequest): void {
  const actor = getRequestActor(request);
  if (actor === null || actor.kind === 'anonymous') throw inventoryErrors.create('NOT_AUTHENTICATED');
  if (!actor.isSuperuser || (!readHttpMethods.has(request.method) && !actor.mayWrite))
    throw inventoryErrors.create('PERMISSION_DENIED');
}
