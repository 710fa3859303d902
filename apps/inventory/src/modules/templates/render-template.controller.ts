import { getRequestActor, type AuthenticatedRequest } from '@switchboard/nest';
import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { actorWithoutCredentials } from '../../auth/anonymous-actor.js';
import type { InventoryActor } from '../../engine/object-access.js';
import { createPathOptionsResponse } from '../../engine/meta/options-response.js';
import { getJsonTypeName } from '../../engine/write/invalid-input-problem.js';
import { inventoryErrors } from '../../errors.js';
import { getRequestPathAndQuery, getRequestUrlBase } from '../../http/request-urls.js';
import { parseRequestBody } from '../../http/request-body.js';
import { negotiateResponseFormat } from '../../http/negotiate-response-format.js';
import { INVENTORY_CONTEXT, type InventoryContext } from '../../http/inventory-context.js';
import { sendJsonText, sendJsonValue } from '../../http/send-response.js';
import { deviceModel } from '../../models/dcim/device.js';
import { virtualMachineModel } from '../../models/virtualization/virtual-machine.js';
import {
  type ConfiguredModel,
  ConfigurationRenderer,
  type RenderedConfig,
  type ConfigRenderRequest,
} from './render-configuration.js';

type TemplateRenderRequest = FastifyRequest<{ Params: { id: string } }> & AuthenticatedRequest<InventoryActor>;

const configuredDevice: ConfiguredModel = { model: deviceModel, name: 'device' };
const configuredVirtualMachine: ConfiguredModel = { model: virtualMachineModel, name: 'virtualmachine' };

/**
 * An endpoint that renders a configuration or template: its name in the response to OPTIONS, and the rendering
 * function.
 */
interface TemplateRenderingEndpoint {
  readonly title: string;
  readonly render: (call: ConfigRenderRequest) => Promise<RenderedConfig | string>;
}

/**
 * Endpoints that render configurations and config templates. The response is JSON or, if the client requests plain
 * text, the rendered text.
 */
@Controller('api')
export class TemplateRenderController {
  readonly #rendering: ConfigurationRenderer;

  constructor(@Inject(INVENTORY_CONTEXT) parts: InventoryContext) {
    this.#rendering = new ConfigurationRenderer(parts);
  }

  /** Responds with the rendered configuration of a device. */
  @All('dcim/devices/:id/render-config')
  renderDevice(@Req() request: TemplateRenderRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#respond(request, reply, {
      title: 'Device',
      render: (call) => this.#rendering.renderConfig(configuredDevice, call),
    });
  }

  /** Responds with the rendered configuration of a virtual machine. */
  @All('virtualization/virtual-machines/:id/render-config')
  renderVirtualMachine(@Req() request: TemplateRenderRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#respond(request, reply, {
      title: 'Virtual Machine',
      render: (call) => this.#rendering.renderConfig(configuredVirtualMachine, call),
    });
  }

  /** Responds with the text of a config template that is rendered without an object. */
  @All('extras/config-templates/:id/render')
  renderConfigTemplate(@Req() request: TemplateRenderRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#respond(request, reply, {
      title: 'Config Template',
      render: (call) => this.#rendering.renderConfigTemplate(call),
    });
  }

  async #respond(
    request: TemplateRenderRequest,
    reply: FastifyReply,
    { title, render }: TemplateRenderingEndpoint,
  ): Promise<void> {
    const { method } = request;
    const renders = ['application/json', 'text/plain'];
    if (method === 'OPTIONS') return sendJsonValue(request, reply, createPathOptionsResponse(title, { renders }));
    if (method !== 'POST') throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
    const asText = negotiateResponseFormat(request.headers.accept, getRequestPathAndQuery(request).query, {
      text: true,
    }).asText;
    const actor = getRequestActor(request) ?? actorWithoutCredentials;
    const body = requireBodyObject(await parseRequestBody(request.body));
    const response = await render({ actor, id: request.params.id, base: getRequestUrlBase(request), body });
    if (typeof response === 'string')
      return sendIndentedJson(request, reply, { status: 400, value: { error: response } });
    const { rendered, template } = response;
    const failed = 'failure' in rendered;
    const content = failed ? rendered.failure : rendered.text;
    const status = failed ? 500 : 200;
    if (asText) return void reply.code(status).header('content-type', 'text/plain; charset=utf-8').send(content);
    sendIndentedJson(request, reply, {
      status,
      value: failed ? { detail: content } : { configtemplate: template, content },
    });
  }
}

function sendIndentedJson(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, value }: { status: number; value: object },
): void {
  sendJsonText(request, reply, { status, body: JSON.stringify(value), headers: {} });
}

/**
 * Returns the body of a request if it is a JSON object.
 *
 * @throws ApplicationError VALIDATION_FAILED for any other value
 */
function requireBodyObject(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body };
  const text = `Invalid data. Expected a dictionary, but got ${getJsonTypeName(body)}.`;
  throw inventoryErrors.create('VALIDATION_FAILED', { fields: { body: { non_field_errors: [text] } } });
}
