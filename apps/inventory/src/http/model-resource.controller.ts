import { getRequestActor, type AuthenticatedRequest } from '@switchboard/nest';
import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InventoryActor } from '../engine/object-access.js';
import { inventoryErrors } from '../errors.js';
import { getRequestPathAndQuery, getRequestUrlBase } from './request-urls.js';
import { ApiPaths } from './api-paths.js';
import { actorWithoutCredentials } from '../auth/anonymous-actor.js';
import { parseRequestBody } from './request-body.js';
import type { ListRequestExtension } from './define-slice.js';
import { INVENTORY_CONTEXT, type InventoryContext } from './inventory-context.js';
import { RepeatedRequestCache } from './repeated-request-cache.js';
import { sendJsonText } from './send-response.js';
import { CachedResponse } from '../response-memory/index.js';
import type { ModelResourceResponse } from '../resources/model-resource-response.js';
import { type ModelResourceCall, ModelResourceService } from '../resources/model-resource-service.js';

type ModelResourceRequest = FastifyRequest<{ Params: { app: string; model: string; id?: string } }> &
  AuthenticatedRequest<InventoryActor>;

/** Endpoints for the list and the objects of each model in the registry. */
@Controller('api')
export class ModelResourceController {
  readonly #extensions: readonly ListRequestExtension[];

  constructor(
    @Inject(ModelResourceService) private readonly resources: ModelResourceService,
    @Inject(ApiPaths) private readonly api: ApiPaths,
    @Inject(RepeatedRequestCache) private readonly repeatedReads: RepeatedRequestCache,
    @Inject(INVENTORY_CONTEXT) parts: InventoryContext,
  ) {
    this.#extensions = api.slices.flatMap(({ lists }) => lists?.(parts) ?? []);
  }

  /** Handles requests for the list of a model: reads, creations, and changes of several objects at once. */
  @All(':app/:model')
  async respondToListRequest(@Req() request: ModelResourceRequest, @Res() reply: FastifyReply): Promise<void> {
    let call = this.#resourceCallOf(request);
    for (const { prepare } of this.#extensions) if (prepare !== undefined) call = await prepare(call);
    for (const { send } of this.#extensions) if (await send?.(call, reply)) return;
    this.#send(request, reply, call, await this.resources.respondWithList(call));
  }

  /** Handles requests for one object of a model: reads, changes and deletion. */
  @All(':app/:model/:id')
  async respondToObjectRequest(@Req() request: ModelResourceRequest, @Res() reply: FastifyReply): Promise<void> {
    const call = this.#resourceCallOf(request);
    this.#send(request, reply, call, await this.resources.respondWithObject(call, request.params.id ?? ''));
  }

  #send(
    request: ModelResourceRequest,
    reply: FastifyReply,
    call: ModelResourceCall,
    response: ModelResourceResponse,
  ): void {
    sendJsonText(request, reply, response);
    // Requests with saved filters are not remembered, because these filters are read from the database each time.
    const isRepeatable = response.body instanceof CachedResponse && call.filterQuery === undefined;
    if (isRepeatable) this.repeatedReads.rememberRequest(request, call.actor, response.body);
  }

  #resourceCallOf(request: ModelResourceRequest): ModelResourceCall {
    const { app, model: name } = request.params;
    const model = this.api.registry.findByPath(`${app}/${name}`);
    if (model === null) throw inventoryErrors.create('NOT_FOUND');
    const ifMatch = request.headers['if-match'];
    return {
      model,
      actor: getRequestActor(request) ?? actorWithoutCredentials,
      method: request.method,
      ...getRequestPathAndQuery(request),
      requestId: request.id,
      base: getRequestUrlBase(request),
      ifMatch: ifMatch === undefined ? null : ifMatch.split(',').map((tag) => tag.trim()),
      strictFilters: request.headers['x-strict-filters']?.toString().toLowerCase() === 'true',
      body: () => parseRequestBody(request.body),
    };
  }
}
