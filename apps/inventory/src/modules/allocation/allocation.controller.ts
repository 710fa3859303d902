import { getRequestActor, type AuthenticatedRequest } from '@switchboard/nest';
import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { actorWithoutCredentials } from '../../auth/anonymous-actor.js';
import type { InventoryActor } from '../../engine/object-access.js';
import { ModelRegistry } from '../../engine/declaration/model-registry.js';
import { describeFields, createPathOptionsResponse } from '../../engine/meta/options-response.js';
import { inventoryErrors } from '../../errors.js';
import { getRequestPathAndQuery, getRequestUrlBase } from '../../http/request-urls.js';
import { parseRequestBody } from '../../http/request-body.js';
import { INVENTORY_CONTEXT, type InventoryContext } from '../../http/inventory-context.js';
import { sendJsonText, sendJsonValue } from '../../http/send-response.js';
import { createResponseBodyHeaders } from '../../resources/model-resource-response.js';
import { type AllocationRequest, AllocationService } from './allocation-service.js';
import { allocationPools } from './allocation-pools.js';

type AllocationHttpRequest = FastifyRequest<{ Params: { model: string; id: string; thing: string } }> &
  AuthenticatedRequest<InventoryActor>;

/**
 * Endpoints `/api/ipam/<model>/<id>/available-<objects>/`, which list and allocate free addresses, prefixes and numbers
 * of a parent object.
 */
@Controller('api/ipam')
export class AllocationController {
  readonly #allocations: AllocationService;

  constructor(
    @Inject(INVENTORY_CONTEXT) parts: InventoryContext,
    @Inject(ModelRegistry) private readonly registry: ModelRegistry,
  ) {
    this.#allocations = new AllocationService(parts, registry);
  }

  /** Lists the free objects of a prefix, IP range or group (GET), or allocates free objects (POST). */
  @All(':model/:id/:thing')
  async listOrAllocateFreeObjects(@Req() request: AllocationHttpRequest, @Res() reply: FastifyReply): Promise<void> {
    const call = parseAllocationRequest(request);
    const { method } = request;
    if (method === 'OPTIONS') {
      const actions = { POST: describeFields(call.pool.child, this.registry) };
      return sendJsonValue(
        request,
        reply,
        createPathOptionsResponse(`Available ${call.pool.child.verboseNamePlural}`, { actions }),
      );
    }
    if (method === 'GET' || method === 'HEAD') {
      const body = await this.#allocations.listFreeObjects(call, getRequestPathAndQuery(request).query.get('limit'));
      return sendJsonText(request, reply, { status: 200, body, headers: createResponseBodyHeaders(body) });
    }
    if (method !== 'POST') throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
    const requested: unknown = await parseRequestBody(request.body);
    const body = await this.#allocations.allocateFreeObjects(call, requested);
    sendJsonText(request, reply, { status: 201, body, headers: {} });
  }
}

function parseAllocationRequest(request: AllocationHttpRequest): AllocationRequest {
  const { model, id, thing } = request.params;
  const pool = allocationPools.find((one) => one.parent.path === `ipam/${model}` && one.path === thing);
  if (pool === undefined) throw inventoryErrors.create('NOT_FOUND');
  const { method } = request;
  return {
    pool,
    id,
    actor: getRequestActor(request) ?? actorWithoutCredentials,
    request: { id: request.id, method, path: getRequestPathAndQuery(request).path },
    base: getRequestUrlBase(request),
  };
}
