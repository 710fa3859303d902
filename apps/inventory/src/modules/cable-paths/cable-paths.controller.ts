import { getRequestActor, type AuthenticatedRequest } from '@switchboard/nest';
import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { actorWithoutCredentials } from '../../auth/anonymous-actor.js';
import { type InventoryActor, requirePermissionGrant } from '../../engine/object-access.js';
import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { ModelRegistry } from '../../engine/declaration/model-registry.js';
import { drawCablePath, type CablePathDrawingHop } from '../../drawings/trace-drawing.js';
import { createPathOptionsResponse } from '../../engine/meta/options-response.js';
import { inventoryErrors } from '../../errors.js';
import { getRequestPathAndQuery, getRequestUrlBase, parseObjectIdInPath } from '../../http/request-urls.js';
import { sendCachedGetResponse } from '../../http/send-cached-reads.js';
import { INVENTORY_CONTEXT, type InventoryContext } from '../../http/inventory-context.js';
import { RepeatedRequestCache } from '../../http/repeated-request-cache.js';
import { sendDrawing, sendJsonValue } from '../../http/send-response.js';
import type { ReadOnlyResponseDatabase } from '../../response-memory/index.js';
import { readCablePathObjects } from './read-objects-of-cable-paths.js';
import { pathEndpointTypes } from '../../cable-paths/index.js';
import { cablePassThroughModels } from './pass-through-models.js';
import { createCablePathListJson, createCableTraceJson } from './cable-path-json.js';
import { readCableTraceDetails } from './read-trace-details.js';
import { type CablePathReadRequest, readPathsThroughObject, readStoredCablePaths } from './stored-cable-path-reader.js';

type CablePathHttpRequest = FastifyRequest<{ Params: { app: string; model: string; id: string } }> &
  AuthenticatedRequest<InventoryActor>;

/** Request that reads the cable paths of an object. */
interface CablePathRequest extends CablePathReadRequest {
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
  async traceCablePath(@Req() request: CablePathHttpRequest, @Res() reply: FastifyReply): Promise<void> {
    const model = this.#getModelOfPath(request, pathEndpointTypes);
    if (request.method === 'OPTIONS')
      return sendJsonValue(request, reply, createPathOptionsResponse(capitalizeModelName(model)));
    const call = this.#parsePathRequest(request, model);
    const { query } = getRequestPathAndQuery(request);
    const read = async (database: ReadOnlyResponseDatabase): Promise<string> => {
      const paths = await readStoredCablePaths(database, call);
      return createCableTraceJson(
        paths,
        await readCablePathObjects(database, this.registry, { ...call, paths, isTrace: true }),
      );
    };
    if (query.get('render') !== 'svg') return this.#send(request, reply, call, read);
    const hops: readonly CablePathDrawingHop[] = JSON.parse(await read(this.parts.database));
    const details = await readCableTraceDetails(this.parts.database, hops);
    sendDrawing(
      request,
      reply,
      drawCablePath(hops, { base: call.base, width: parseDrawingWidth(query.get('width')), details }),
    );
  }

  /** Responds with the cable paths that pass through a port or circuit termination. */
  @All(':app/:model/:id/paths')
  async listCablePaths(@Req() request: CablePathHttpRequest, @Res() reply: FastifyReply): Promise<void> {
    const model = this.#getModelOfPath(request, cablePassThroughModels);
    if (request.method === 'OPTIONS')
      return sendJsonValue(request, reply, createPathOptionsResponse(capitalizeModelName(model)));
    const call = this.#parsePathRequest(request, model);
    await this.#send(request, reply, call, async (database) => {
      const paths = await readPathsThroughObject(database, call);
      return createCablePathListJson(
        paths,
        await readCablePathObjects(database, this.registry, { ...call, paths, isTrace: false }),
      );
    });
  }

  #send(
    request: CablePathHttpRequest,
    reply: FastifyReply,
    { actor, base }: CablePathRequest,
    read: (database: ReadOnlyResponseDatabase) => Promise<string>,
  ): Promise<void> {
    const { path: resource, query } = getRequestPathAndQuery(request);
    const services = { memory: this.parts.memory, repeatedReads: this.repeatedReads };
    return sendCachedGetResponse(
      request,
      reply,
      services,
      { resource, query, base, actor, strictFilters: false },
      read,
    );
  }

  /**
   * Parses an HTTP request that reads the cable paths of an object.
   *
   * @throws ApplicationError METHOD_NOT_ALLOWED, NOT_FOUND, PERMISSION_DENIED, NOT_AUTHENTICATED
   */
  #parsePathRequest(request: CablePathHttpRequest, model: ModelDefinition): CablePathRequest {
    const { method } = request;
    if (method !== 'GET' && method !== 'HEAD')
      throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
    const actor = getRequestActor(request) ?? actorWithoutCredentials;
    const grant = requirePermissionGrant(this.parts.policy, actor, model, 'view');
    return { model, id: parseObjectIdInPath(request.params.id), grant, actor, base: getRequestUrlBase(request) };
  }

  /**
   * Returns the model named in the path if it is one of `types`.
   *
   * @throws ApplicationError NOT_FOUND for other models
   */
  #getModelOfPath({ params: { app, model } }: CablePathHttpRequest, types: readonly string[]): ModelDefinition {
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
