import { getRequestActor, type AuthenticatedRequest } from '@switchboard/nest';
import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { anonymousActor } from '../../auth/anonymous-actor.js';
import { type InventoryActor, requirePermissionGrant } from '../../engine/object-access.js';
import { ModelRegistry } from '../../engine/declaration/model-registry.js';
import { drawRack } from '../../drawings/rack-drawing.js';
import { createPathOptionsResponse } from '../../engine/meta/options-response.js';
import { paginateList, ListPaging } from '../../engine/read/list-paging.js';
import { inventoryErrors } from '../../errors.js';
import { getPathAndQuery, getUrlBase, parsePathId } from '../../http/request-urls.js';
import { sendCachedRead } from '../../http/send-cached-reads.js';
import { INVENTORY_CONTEXT, type InventoryContext } from '../../http/inventory-context.js';
import { RepeatedRequestCache } from '../../http/repeated-request-cache.js';
import { sendDrawing, sendJsonValue } from '../../http/send-response.js';
import type { ReadDatabase } from '../../response-memory/index.js';
import { rackModel } from '../../models/dcim/rack.js';
import { toDrawnDevices } from './drawn-devices.js';
import { type ElevationParameters, readElevationParameters } from './elevation-parameters.js';
import { type RackContentsRequest, RackContentsReader } from './rack-contents.js';
import { unitContainsText, listRackUnits, createUnitJson } from './rack-units.js';

type ElevationRequest = FastifyRequest<{ Params: { id: string } }> & AuthenticatedRequest<InventoryActor>;

/**
 * Endpoint `GET /api/dcim/racks/<id>/elevation/`, which responds with the half units of a rack, or with a drawing of
 * the rack.
 */
@Controller('api/dcim/racks/:id/elevation')
export class ElevationController {
  readonly #paging: ListPaging;
  readonly #contents: RackContentsReader;

  constructor(
    @Inject(INVENTORY_CONTEXT) private readonly parts: InventoryContext,
    @Inject(ModelRegistry) registry: ModelRegistry,
    @Inject(RepeatedRequestCache) private readonly repeatedReads: RepeatedRequestCache,
  ) {
    this.#paging = new ListPaging(parts.pageSizes);
    this.#contents = new RackContentsReader(registry, parts.policy);
  }

  /** Responds with the half units of one face of a rack, or with a drawing of the face. */
  @All()
  async elevation(@Req() request: ElevationRequest, @Res() reply: FastifyReply): Promise<void> {
    const { method } = request;
    if (method === 'OPTIONS') return sendJsonValue(request, reply, createPathOptionsResponse('Rack'));
    if (method !== 'GET' && method !== 'HEAD')
      throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
    const { query } = getPathAndQuery(request);
    const parameters = readElevationParameters(query);
    const actor = getRequestActor(request) ?? anonymousActor;
    requirePermissionGrant(this.parts.policy, actor, rackModel, 'view');
    const wanted = { actor, id: parsePathId(request.params.id), face: parameters.face, base: getUrlBase(request) };
    if (parameters.render === 'svg') return sendDrawing(request, reply, await this.#draw(wanted, parameters));
    const { path: resource } = getPathAndQuery(request);
    const services = { memory: this.parts.memory, repeatedReads: this.repeatedReads };
    const key = { resource, query, base: wanted.base, actor, strictFilters: false };
    await sendCachedRead(request, reply, services, key, (database) =>
      this.#list(database, wanted, parameters, getPathAndQuery(request)),
    );
  }

  async #list(
    database: ReadDatabase,
    wanted: RackContentsRequest,
    { exclude, expandDevices, q, face }: ElevationParameters,
    { path, query }: { readonly path: string; readonly query: URLSearchParams },
  ): Promise<string> {
    const page = this.#paging.read(query);
    const contents = await this.#contents.readUnits(database, wanted, exclude);
    const units = listRackUnits(contents.rack, contents.devices, expandDevices).filter((unit) =>
      unitContainsText(unit, q),
    );
    const { shown, frame } = paginateList(`${wanted.base}${path}?${query.toString()}`, page, units);
    const results = shown.map((unit) => createUnitJson(unit, face)).join(', ');
    return `${JSON.stringify(frame).slice(0, -1)},"results":[${results}]}`;
  }

  async #draw(wanted: RackContentsRequest, { face, drawing }: ElevationParameters): Promise<string> {
    const { base } = wanted;
    const contents = await this.#contents.readDrawing(this.parts.database, wanted);
    const devices = toDrawnDevices(contents.devices, { face, base, ...drawing });
    return drawRack({ ...contents, devices }, { face, base, ...drawing });
  }
}
