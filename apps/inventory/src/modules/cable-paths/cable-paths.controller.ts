import { getRequestActor, type AuthenticatedRequest } from '@switchboard/nest';
import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { anonymousActor } from '../../auth/anonymous-actor.js';
import { type InventoryActor, requirePermissionGrant } from '../../engine/object-access.js';
import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { ModelRegistry } from '../../engine/declaration/model-registry.js';
import { drawTrace, type TraceHop } from '../../drawings/trace-drawing.js';
import { createPathOptionsResponse } from '../../engine/meta/options-response.js';
import { inventoryErrors } from '../../errors.js';
import { getPathAndQuery, getUrlBase, parsePathId } from '../../http/request-urls.js';
import { sendCachedRead } from '../../http/send-cached-reads.js';
import { INVENTORY_CONTEXT, type InventoryContext } from '../../http/inventory-context.js';
import { RepeatedRequestCache } from '../../http/repeated-request-cache.js';
import { sendDrawing, sendJsonValue } from '../../http/send-response.js';
import type { ReadDatabase } from '../../response-memory/index.js';
import { readPathObjects } from './read-path-objects.js';
import { pathEndpointTypes } from '../../cable-paths/index.js';
import { passThroughModels } from './pass-through-models.js';
import { createPathListJson, createTraceJson } from './cable-path-json.js';
import { readTraceDetails } from './read-trace-details.js';
import { type PathRequest, readPathsThroughObject, readTracedPaths } from './stored-path-reader.js';

type PathHttpRequest = FastifyRequest<{ Params: { app: string; model: string; id: string } }> &
  AuthenticatedRequest<InventoryActor>;

/** Request that reads the cable paths of an object. */
interface CablePathRequest extends PathRequest {
  readonly actor: InventoryActor;
  /** Scheme and host with which URLs in the response begin. */
  readonly base: string;
}

/**
 * Endpoints that read cable paths. `GET /api/<app>/<model>/<id>/trace/` reads the path that begins at an object, and
 * `…/paths/` the paths through a port or circuit termination.
 */
@Controller('api')
export class CablePathsController {
  constructor(
    @Inject(INVENTORY_CONTEXT) private readonly parts: InventoryContext,
    @Inject(ModelRegistry) private readonly registry: ModelRegistry,
    @Inject(RepeatedRequestCache) private readonly repeatedReads: RepeatedRequestCache,
  ) {}

  /** Responds with the hops of the cable path that begins at an object. */
  @All(':app/:model/:id/trace')
  async trace(@Req() request: PathHttpRequest, @Res() reply: FastifyReply): Promise<void> {
    const model = this.#getModelOfPath(request, pathEndpointTypes);
    if (request.method === 'OPTIONS')
      return sendJsonValue(request, reply, createPathOptionsResponse(capitalizeModelName(model)));
    const call = this.#parsePathRequest(request, model);
    const { query } = getPathAndQuery(request);
    const read = async (database: ReadDatabase): Promise<string> => {
      const paths = await readTracedPaths(database, call);
      return createTraceJson(paths, await readPathObjects(database, this.registry, { ...call, paths, isTrace: true }));
    };
    if (query.get('render') !== 'svg') return this.#send(request, reply, call, read);
    const hops: readonly TraceHop[] = JSON.parse(await read(this.parts.database));
    const details = await readTraceDetails(this.parts.database, hops);
    sendDrawing(
      request,
      reply,
      drawTrace(hops, { base: call.base, width: parseDrawingWidth(query.get('width')), details }),
    );
  }

  /** Responds with the cable paths that pass through a port or circuit termination. */
  @All(':app/:model/:id/paths')
  async paths(@Req() request: PathHttpRequest, @Res() reply: FastifyReply): Promise<void> {
    const model = this.#getModelOfPath(request, passThroughModels);
    if (request.method === 'OPTIONS')
      return sendJsonValue(request, reply, createPathOptionsResponse(capitalizeModelName(model)));
    const call = this.#parsePathRequest(request, model);
    await this.#send(request, reply, call, async (database) => {
      const paths = await readPathsThroughObject(database, call);
      return createPathListJson(
        paths,
        await readPathObjects(database, this.registry, { ...call, paths, isTrace: false }),
      );
    });
  }

  #send(
    request: PathHttpRequest,
    reply: FastifyReply,
    { actor, base }: CablePathRequest,
    read: (database: ReadDatabase) => Promise<string>,
  ): Promise<void> {
    const { path: resource, query } = getPathAndQuery(request);
    const services = { memory: this.parts.memory, repeatedReads: this.repeatedReads };
    return sendCachedRead(request, reply, services, { resource, query, base, actor, strictFilters: false }, read);
  }

  /**
   * Parses an HTTP request that reads the cable paths of an object.
   *
   * @throws AppError METHOD_NOT_ALLOWED, NOT_FOUND, PERMISSION_DENIED, NOT_AUTHENTICATED
   */
  #parsePathRequest(request: PathHttpRequest, model: ModelDefinition): CablePathRequest {
    const { method } = request;
    if (method !== 'GET' && method !== 'HEAD')
      throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
    const actor = getRequestActor(request) ?? anonymousActor;
    const grant = requirePermissionGrant(this.parts.policy, actor, model, 'view');
    return { model, id: parsePathId(request.params.id), grant, actor, base: getUrlBase(request) };
  }

  /**
   * Returns the model named in the path if it is one of `types`.
   *
   * @throws AppError NOT_FOUND for other models
   */
  #getModelOfPath({ params: { app, model } }: PathHttpRequest, types: readonly string[]): ModelDefinition {
    const found = types.map((type) => this.registry.find(type)).find((one) => one?.path === `${app}/${model}`);
    if (!found) throw inventoryErrors.create('NOT_FOUND');
    return found;
  }
}

/**
 * Parses the requested width of a drawing, in pixels. Returns the default width of the reference API if the text is not
 * a valid width.
 */
function parseDrawingWidth(text: string | null): number {
  return text !== null && /^[1-9]\d{1,3}$/.test(text) ? Number(text) : 400;
}

function capitalizeModelName({ verboseName }: ModelDefinition): string {
  return verboseName.replaceAll(/\b\w/g, (letter) => letter.toUpperCase());
}
