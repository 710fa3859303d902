import { actorOf, type AuthenticatedRequest } from '@switchboard/auth';
import type { FastifyRequest } from 'fastify';
import type { InventoryActor } from '../../engine/access.js';
import { errors } from '../../errors.js';

/** A request about the background work of the service. */
export type BackgroundRequest = FastifyRequest<{ Params: { name: string } }> & AuthenticatedRequest<InventoryActor>;

const reads: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Background work shows the data of everything, so that no permission but a superuser's rank is enough.
 *
 * @throws AppError NOT_AUTHENTICATED, PERMISSION_DENIED for anybody else and for a change with a token that may only read
 */
export function requireSuperuser(request: BackgroundRequest): void {
  const actor = actorOf(request);
  if (actor === null || actor.kind === 'anonymous') throw errors.create('NOT_AUTHENTICATED');
  if (!actor.isSuperuser || (!reads.has(request.method) && !actor.mayWrite)) throw errors.create('PERMISSION_DENIED');
}
