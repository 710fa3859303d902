import { getRequestActor, type AuthenticatedRequest } from '@switchboard/nest';
import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { actorWithoutCredentials } from '../../auth/anonymous-actor.js';
import { type InventoryActor, requirePermissionGrant } from '../../engine/object-access.js';
import { ModelRegistry } from '../../engine/declaration/model-registry.js';
import { drawRack } from '../../drawings/rack-drawing.js';
import { createPathOptionsResponse } from '../../engine/meta/options-response.js';
import { paginateList, ListPagingParser } from '../../engine/read/list-paging.js';
import { inventoryErrors } from '../../errors.js';
import { getRequestPathAndQuery, getRequestUrlBase, parseObjectIdInPath } from '../../http/request-urls.js';
import { sendCachedGetResponse } from '../../http/send-cached-reads.js';
import { INVENTORY_CONTEXT, type InventoryContext } from '../../http/inventory-context.js';
import { RepeatedRequestCache } from '../../http/repeated-request-cache.js';
import { sendDrawing, sendJsonValue } from '../../http/send-response.js';
import type { ReadOnlyResponseDatabase } from '../../response-memory/index.js';
import { rackModel } from '../../models/dcim/rack.js';
import { toDrawnDevices } from './drawn-devices.js';
import { type RackElevationParameters, parseRackElevationParameters } from './elevation-parameters.js';
import { type RackContentsRequest, RackContentsReader } from './rack-contents.js';
import { doesRackUnitContainText, listHalfRackUnits, createRackUnitJson } from './rack-units.js';

type RackElevationRequest = FastifyRequest<{ Params: { id: string } }> & AuthenticatedRequest<InventoryActor>;

/**
 * Endpoint `GET /api/dcim/racks/<id>/elevation/`, which responds with the half units of a rack, or with a drawing of
 * the rack.
 */
@Controller('api/dcim/racks/:id/elevation')
export class RackElevationController {
  readonly #paging: ListPagingParser;
  readonly #contents: RackContentsReader;

  constructor(
    @Inject(INVENTORY_CONTEXT) private readonly parts: InventoryContext,
    @Inject(ModelRegistry) registry: ModelRegistry,
    @Inject(RepeatedRequestCache) private readonly repeatedReads: RepeatedRequestCache,
  ) {
    this.#paging = new ListPagingParser(parts.pageSizes);
    this.#contents = new RackContentsReader(registry, parts.policy);
  }

  /** Responds with the half units of one face of a rack, or with a drawing of the face. */
  @All()
  async showRackElevation(@Req() request: RackElevationRequest, @Res() reply: FastifyReply): Promise<void> {
    const { method } = request;
    if (method === 'OPTIONS') return sendJsonValue(request, reply, createPathOptionsResponse('Rack'));
    if (method !== 'GET' && method !== 'HEAD')
      throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
    const { query } = getRequestPathAndQuery(request);
    const parameters = parseRackElevationParameters(query);
    const actor = getRequestActor(request) ?? actorWithoutCredentials;
    requirePermissionGrant(this.parts.policy, actor, rackModel, 'view');
    const wanted = {
      actor,
      id: parseObjectIdInPath(request.params.id),
      face: parameters.face,
      base: getRequestUrlBase(request),
    };
    if (parameters.render === 'svg') return sendDrawing(request, reply, await this.#draw(wanted, parameters));
    const { path: resource } = getRequestPathAndQuery(request);
    const services = { memory: this.parts.memory, repeatedReads: this.repeatedReads };
    const key = { resource, query, base: wanted.base, actor, strictFilters: false };
    await sendCachedGetResponse(request, reply, services, key, (database) =>
      this.#list(database, wanted, parameters, getRequestPathAndQuery(request)),
    );
  }

  async #list(
    database: ReadOnlyResponseDatabase,
    wanted: RackContentsRequest,
    { exclude, expandDevices, q, face }: RackElevationParameters,
    { path, query }: { readonly path: string; readonly query: URLSearchParams },
  ): Promise<string> {
    const page = this.#paging.parsePagingParameters(query);
    const contents = await this.#contents.readRackContents(database, wanted, exclude);
    const units = listHalfRackUnits(contents.rack, contents.devices, expandDevices).filter((unit) =>
      doesRackUnitContainText(unit, q),
    );
    const { shown, frame } = paginateList(`${wanted.base}${path}?${query.toString()}`, page, units);
    const results = shown.map((unit) => createRackUnitJson(unit, face)).join(', ');
    return `${JSON.stringify(frame).slice(0, -1)},"results":[${results}]}`;
  }

  async #draw(wanted: RackContentsRequest, { face, drawing }: RackElevationParameters): Promise<string> {
    const { base } = wanted;
    const contents = await this.#contents.readRackDrawingContents(this.parts.database, wanted);
    const devices = toDrawnDevices(contents.devices, { face, base, ...drawing });
    return drawRack({ ...contents, devices }, { face, base, ...drawing });
  }
}
