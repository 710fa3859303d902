import { actorOf, type AuthenticatedRequest } from '@switchboard/auth';
import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InventoryActor } from '../engine/access.js';
import { Registry } from '../engine/declaration/registry.js';
import { errors } from '../errors.js';
import { addressOf, baseOf } from './addresses.js';
import { anonymous } from '../auth/anonymous.js';
import { readBody } from './body.js';
import { sendJson } from './send.js';
import { type ResourceCall, ResourceService } from './resource-service.js';

type ResourceRequest = FastifyRequest<{ Params: { app: string; model: string; id?: string } }> &
  AuthenticatedRequest<InventoryActor>;

/** Every list and every object of every model: which models there are is the registry's affair. */
@Controller('api')
export class ResourceController {
  constructor(
    @Inject(ResourceService) private readonly resources: ResourceService,
    @Inject(Registry) private readonly registry: Registry,
  ) {}

  /** List, create, and bulk changes. */
  @All(':app/:model')
  async list(@Req() request: ResourceRequest, @Res() reply: FastifyReply): Promise<void> {
    sendJson(request, reply, await this.resources.list(this.#call(request)));
  }

  /** One object. */
  @All(':app/:model/:id')
  async detail(@Req() request: ResourceRequest, @Res() reply: FastifyReply): Promise<void> {
    sendJson(request, reply, await this.resources.detail(this.#call(request), request.params.id ?? ''));
  }

  #call(request: ResourceRequest): ResourceCall {
    const { app, model: name } = request.params;
    const model = this.registry.findByPath(`${app}/${name}`);
    if (model === null) throw errors.create('NOT_FOUND');
    const ifMatch = request.headers['if-match'];
    return {
      model,
      actor: actorOf(request) ?? anonymous,
      method: request.method,
      ...addressOf(request),
      requestId: request.id,
      base: baseOf(request),
      ifMatch: ifMatch === undefined ? null : ifMatch.split(',').map((tag) => tag.trim()),
      strictFilters: request.headers['x-strict-filters']?.toString().toLowerCase() === 'true',
      body: () => readBody(request.body),
    };
  }
}
