import { actorOf, type AuthenticatedRequest } from '@switchboard/auth';
import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { anonymousActor } from '../../auth/anonymous.js';
import type { InventoryActor } from '../../engine/access.js';
import type { ModelDefinition } from '../../engine/declaration/model.js';
import { Registry } from '../../engine/declaration/registry.js';
import { drawTrace, type TraceHop } from '../../drawings/trace-drawing.js';
import { viewMetadata } from '../../engine/meta/options.js';
import { errors } from '../../errors.js';
import { addressOf, baseOf } from '../../http/addresses.js';
import { INVENTORY, type InventoryContext } from '../../http/inventory-context.js';
import { sendDrawing, sendJson, sendValue } from '../../http/send.js';
import { tagOfBytes } from '../../response-memory/index.js';
import { readPathObjects } from './path-objects.js';
import { endpointTypes } from '../../cable-paths/index.js';
import { passThroughModels } from './path-models.js';
import { pathsText, traceText } from './path-texts.js';
import { readTraceDetails } from './trace-details.js';
import { StoredPathReader } from './stored-path-reader.js';

type PathHttpRequest = FastifyRequest<{ Params: { app: string; model: string; id: string } }> &
  AuthenticatedRequest<InventoryActor>;

/**
 * Endpoints `GET /api/<app>/<model>/<id>/trace/` and `…/paths/`: cable paths from an endpoint, and over a port or
 * circuit termination.
 */
@Controller('api')
export class CablePathsController {
  readonly #reader: StoredPathReader;

  constructor(
    @Inject(INVENTORY) private readonly parts: InventoryContext,
    @Inject(Registry) private readonly registry: Registry,
  ) {
    this.#reader = new StoredPathReader(parts);
  }

  /** Lists the hops of the cable path that begins at an endpoint. */
  @All(':app/:model/:id/trace')
  async trace(@Req() request: PathHttpRequest, @Res() reply: FastifyReply): Promise<void> {
    const model = this.#modelOf(request, endpointTypes);
    if (request.method === 'OPTIONS') return sendValue(request, reply, viewMetadata(nameOf(model)));
    refuseOtherMethods(request);
    const call = callOf(request, model);
    const paths = await this.#reader.traced(call);
    const { base } = call;
    const objects = await readPathObjects(this.parts.database, this.registry, { paths, base, isTrace: true });
    const text = traceText(paths, objects);
    const { query } = addressOf(request);
    if (query.get('render') === 'svg') sendDrawing(request, reply, await this.#draw(text, base, query.get('width')));
    else send(request, reply, text);
  }

  async #draw(trace: string, base: string, width: string | null): Promise<string> {
    const hops: readonly TraceHop[] = JSON.parse(trace);
    const details = await readTraceDetails(this.parts.database, hops);
    return drawTrace(hops, { base, width: widthOf(width), details });
  }

  /** Lists the cable paths that lead over a port or circuit termination. */
  @All(':app/:model/:id/paths')
  async paths(@Req() request: PathHttpRequest, @Res() reply: FastifyReply): Promise<void> {
    const model = this.#modelOf(request, passThroughModels);
    if (request.method === 'OPTIONS') return sendValue(request, reply, viewMetadata(nameOf(model)));
    refuseOtherMethods(request);
    const call = callOf(request, model);
    const paths = await this.#reader.crossing(call);
    const objects = await readPathObjects(this.parts.database, this.registry, {
      paths,
      base: call.base,
      isTrace: false,
    });
    send(request, reply, pathsText(paths, objects));
  }

  /**
   * Returns the model named in the path if it is one of `types`.
   *
   * @throws AppError NOT_FOUND for other models
   */
  #modelOf({ params: { app, model } }: PathHttpRequest, types: readonly string[]): ModelDefinition {
    const found = types.map((type) => this.registry.find(type)).find((one) => one?.path === `${app}/${model}`);
    if (!found) throw errors.create('NOT_FOUND');
    return found;
  }
}

/** Parses the requested width of a drawing in pixels. Returns the default of the reference API for other texts. */
function widthOf(text: string | null): number {
  return text !== null && /^[1-9]\d{1,3}$/.test(text) ? Number(text) : 400;
}

function refuseOtherMethods({ method }: PathHttpRequest): void {
  if (method !== 'GET' && method !== 'HEAD') throw errors.create('METHOD_NOT_ALLOWED', { params: { method } });
}

function callOf(request: PathHttpRequest, model: ModelDefinition) {
  return { model, id: request.params.id, actor: actorOf(request) ?? anonymousActor, base: baseOf(request) };
}

function nameOf({ verboseName }: ModelDefinition): string {
  return verboseName.replaceAll(/\b\w/g, (letter) => letter.toUpperCase());
}

function send(request: PathHttpRequest, reply: FastifyReply, body: string): void {
  sendJson(request, reply, { status: 200, body, headers: {}, tag: tagOfBytes(body) });
}
