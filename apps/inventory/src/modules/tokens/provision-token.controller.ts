import { Public } from '@switchboard/nest';
import { DatabaseWorkOfHandler } from '@switchboard/platform';
import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeFields, createPathOptionsResponse } from '../../engine/meta/options-response.js';
import { inventoryErrors } from '../../errors.js';
import { getPathAndQuery, getUrlBase } from '../../http/request-urls.js';
import { parseRequestBody } from '../../http/request-body.js';
import { INVENTORY_CONTEXT, type InventoryContext } from '../../http/inventory-context.js';
import { sendJson, sendJsonValue } from '../../http/send-response.js';
import { modelRegistry } from '../../models/index.js';
import { tokenModel } from '../../models/users/token.js';
import { ProvisionToken } from './provision-token.action.js';

const loginFieldMetadata = (label: string) => ({ type: 'string', required: true, read_only: false, label });

/**
 * Descriptions of the fields of an API token, without the field `user`. The token always belongs to the user who logs
 * in.
 */
const { user: _user, ...tokenFields } = describeFields(tokenModel, modelRegistry);
const provisionActions = {
  POST: { username: loginFieldMetadata('Username'), password: loginFieldMetadata('Password'), ...tokenFields },
};

/**
 * Endpoint `POST /api/users/tokens/provision/`, which creates an API token. This endpoint is the only write that needs
 * no token.
 */
@Controller('api/users/tokens/provision')
export class ProvisionController {
  readonly #provision: ProvisionToken;

  constructor(@Inject(INVENTORY_CONTEXT) { database, writer, loginAttempts }: InventoryContext) {
    this.#provision = new ProvisionToken({ database, writer, model: tokenModel, loginAttempts });
  }

  /** Creates an API token from a user name and password, and responds with the token. */
  @Public()
  @All()
  @DatabaseWorkOfHandler('authentication')
  async provision(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { method } = request;
    if (method === 'OPTIONS')
      return sendJsonValue(request, reply, createPathOptionsResponse('Token Provision', { actions: provisionActions }));
    if (method !== 'POST') throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
    const body: unknown = await parseRequestBody(request.body);
    const origin = {
      request: { id: request.id, method, path: getPathAndQuery(request).path },
      base: getUrlBase(request),
    };
    const text = await this.#provision.run({ ...Object(body) }, origin, request.ip);
    sendJson(request, reply, { status: 201, body: text, headers: {} });
  }
}
