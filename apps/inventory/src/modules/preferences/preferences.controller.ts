import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { createPathOptionsResponse } from '../../engine/meta/options-response.js';
import { inventoryErrors } from '../../errors.js';
import { parseRequestBody } from '../../http/request-body.js';
import { INVENTORY_CONTEXT, type InventoryContext } from '../../http/inventory-context.js';
import { sendJsonValue } from '../../http/send-response.js';
import { parseJsonObjectBody } from './parse-json-object-body.js';
import { MergePreferences } from './merge-preferences.action.js';
import { type OwnDataRequest, requireAuthenticatedUser } from './require-authenticated-user.js';

/**
 * Endpoint `/api/users/config/` for the preferences of the requesting user. Preferences are a JSON object with
 * arbitrary keys.
 */
@Controller('api/users/config')
export class PreferencesController {
  readonly #merge: MergePreferences;

  constructor(@Inject(INVENTORY_CONTEXT) private readonly parts: InventoryContext) {
    this.#merge = new MergePreferences(parts.database);
  }

  /** Responds with the user's preferences, or changes them. */
  @All()
  async readOrChangePreferences(@Req() request: OwnDataRequest, @Res() reply: FastifyReply): Promise<void> {
    const { method } = request;
    if (method === 'OPTIONS') return sendJsonValue(request, reply, createPathOptionsResponse('User Config List'));
    if (!['GET', 'HEAD', 'PATCH'].includes(method))
      throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
    const actor = requireAuthenticatedUser(request);
    if (method === 'PATCH') {
      return sendJsonValue(
        request,
        reply,
        await this.#merge.run(actor, parseJsonObjectBody(await parseRequestBody(request.body))),
      );
    }
    const { rows } = await this.parts.database.query<{ data: unknown }>(
      'SELECT data FROM users_userconfig WHERE user_id = $1',
      [actor.id],
    );
    sendJsonValue(request, reply, rows[0]?.data ?? {});
  }
}
