import { Public } from '@switchboard/nest';
import { DatabaseWorkOfHandler } from '@switchboard/platform';
import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeFields, createPathOptionsResponse } from '../../engine/meta/options-response.js';
import { inventoryErrors } from '../../errors.js';
import { getRequestPathAndQuery, getRequestUrlBase } from '../../http/request-urls.js';
import { parseRequestBody } from '../../http/request-body.js';
import { INVENTORY_CONTEXT, type InventoryContext } from '../../http/inventory-context.js';
import { sendJsonText, sendJsonValue } from '../../http/send-response.js';
import { modelRegistry } from '../../models/index.js';
import { tokenModel } from '../../models/users/token.js';
import { ProvisionApiToken } from './provision-token.action.js';

const createLoginFieldMetadata = (label: string) => ({ type: 'string', required: true, read_only: false, label });

/**
 * Descriptions of the fields of an API token, without the field `user`. The token always belongs to the user who logs
 * in.
 */
const { user: _user, ...tokenFields } = describeFields(tokenModel, modelRegistry);
const tokenProvisionActionsMetadata = {
  POST: {
    username: createLoginFieldMetadata('Username'),
    password: createLoginFieldMetadata('Password'),
    ...tokenFields,
  },
};

/**
 * Endpoint `POST /api/users/tokens/provision/`, which creates an API token. This endpoint is the only write that needs
 * no token.
 */
@Controller('api/users/tokens/provision')
export class TokenProvisionController {
  readonly #provision: ProvisionApiToken;

  constructor(@Inject(INVENTORY_CONTEXT) { database, writer, loginAttempts }: InventoryContext) {
    this.#provision = new ProvisionApiToken({ database, writer, model: tokenModel, loginAttempts });
  }

  /** Creates an API token from a user name and password, and responds with the token. */
  @Public()
  @All()
  @DatabaseWorkOfHandler('authentication')
  async provisionApiToken(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { method } = request;
    if (method === 'OPTIONS')
      return sendJsonValue(
        request,
        reply,
        createPathOptionsResponse('Token Provision', { actions: tokenProvisionActionsMetadata }),
      );
    if (method !== 'POST') throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
    const body: unknown = await parseRequestBody(request.body);
    const origin = {
      request: { id: request.id, method, path: getRequestPathAndQuery(request).path },
      base: getRequestUrlBase(request),
    };
    const text = await this.#provision.run({ ...Object(body) }, origin, request.ip);
    sendJsonText(request, reply, { status: 201, body: text, headers: {} });
  }
}
