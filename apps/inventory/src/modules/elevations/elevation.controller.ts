import { actorOf, type AuthenticatedRequest } from '@switchboard/auth';
import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { anonymous } from '../../auth/anonymous.js';
import type { InventoryActor } from '../../engine/access.js';
import { Registry } from '../../engine/declaration/registry.js';
import { viewMetadata } from '../../engine/meta/options.js';
import { pageOfList, Paging } from '../../engine/read/paging.js';
import { errors } from '../../errors.js';
import { addressOf, baseOf } from '../../http/addresses.js';
import { INVENTORY, type InventoryContext } from '../../http/inventory-context.js';
import { sendJson, sendValue } from '../../http/send.js';
import { tagOfBytes } from '../../response-memory/index.js';
import { readElevationParameters } from './elevation-parameters.js';
import { RackContentsReader } from './rack-contents.js';
import { matchesUnit, rackUnits, unitJson } from './rack-units.js';

type ElevationRequest = FastifyRequest<{ Params: { id: string } }> & AuthenticatedRequest<InventoryActor>;

/** `GET /api/dcim/racks/<id>/elevation/`: the half units of a rack with the devices that occupy them. */
@Controller('api/dcim/racks/:id/elevation')
export class ElevationController {
  readonly #paging: Paging;
  readonly #contents: RackContentsReader;

  constructor(@Inject(INVENTORY) parts: InventoryContext, @Inject(Registry) registry: Registry) {
    this.#paging = new Paging(parts.pageSizes);
    this.#contents = new RackContentsReader(parts, registry);
  }

  /** Lists the units of one face. */
  @All()
  async elevation(@Req() request: ElevationRequest, @Res() reply: FastifyReply): Promise<void> {
    const { method } = request;
    if (method === 'OPTIONS') return sendValue(request, reply, viewMetadata('Rack'));
    if (method !== 'GET' && method !== 'HEAD') throw errors.create('METHOD_NOT_ALLOWED', { params: { method } });
    const { path, query } = addressOf(request);
    const base = baseOf(request);
    const parameters = readElevationParameters(query);
    const page = this.#paging.read(query);
    const id = idOf(request.params.id);
    const actor = actorOf(request) ?? anonymous;
    const { rack, devices } = await this.#contents.read({ ...parameters, actor, id, base });
    const units = rackUnits(rack, devices, parameters.expandDevices).filter((unit) => matchesUnit(unit, parameters.q));
    const { shown, frame } = pageOfList(`${base}${path}?${query.toString()}`, page, units);
    const results = shown.map((unit) => unitJson(unit, parameters.face)).join(', ');
    const body = `${JSON.stringify(frame).slice(0, -1)},"results":[${results}]}`;
    sendJson(request, reply, { status: 200, body, headers: {}, tag: tagOfBytes(body) });
  }
}

/** Returns the id of a path without leading zeros; 0, which no object has, if it is too long. */
function idOf(text: string): string {
  if (!/^\d+$/.test(text)) throw errors.create('NOT_FOUND');
  return text.length > 18 ? '0' : text;
}
