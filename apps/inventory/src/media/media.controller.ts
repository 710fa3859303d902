import { getRequestActor, type AuthenticatedRequest } from '@switchboard/nest';
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { actorWithoutCredentials } from '../auth/anonymous-actor.js';
import type { InventoryActor } from '../engine/object-access.js';
import { ModelRegistry } from '../engine/declaration/model-registry.js';
import { SqlParameters } from '../engine/sql/parameterized-statement.js';
import { listFileFieldNames } from '../engine/uploads/uploaded-file-changes.js';
import { pictureTypes } from '../engine/uploads/read-picture-info.js';
import { inventoryErrors } from '../errors.js';
import { INVENTORY_CONTEXT, type InventoryContext } from '../http/inventory-context.js';

type MediaRequest = FastifyRequest<{ Params: { '*': string } }> & AuthenticatedRequest<InventoryActor>;

/**
 * Response headers for a file that a user has uploaded. The headers prevent a browser from running or loading anything
 * from the file.
 */
const scriptPreventingHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'",
  'cache-control': 'private, max-age=3600',
} as const;

/** Serves uploaded files to users who may view the object to which the file belongs. Other users get status 404. */
@Controller('media')
export class MediaController {
  constructor(
    @Inject(ModelRegistry) private readonly registry: ModelRegistry,
    @Inject(INVENTORY_CONTEXT) private readonly parts: InventoryContext,
  ) {}

  /**
   * Responds with the content of one uploaded file.
   *
   * @throws ApplicationError NOT_FOUND
   */
  @Get('*')
  async sendUploadedFile(@Req() request: MediaRequest, @Res() reply: FastifyReply): Promise<void> {
    const path = request.params['*'].replace(/\/$/, '');
    const ending = path.slice(path.lastIndexOf('.') + 1);
    const type = Object.hasOwn(pictureTypes, ending) ? pictureTypes[ending] : undefined;
    if (type === undefined || path.includes('\0')) throw inventoryErrors.create('NOT_FOUND');
    const content = (await this.#isVisible(getRequestActor(request), path)) ? await this.parts.media.read(path) : null;
    if (content === null) throw inventoryErrors.create('NOT_FOUND');
    const headers = { ...scriptPreventingHeaders, 'content-type': type, 'content-length': content.length };
    await reply.headers(headers).send(content);
  }

  /** Returns true if the user may view at least one object that refers to the uploaded file. */
  async #isVisible(actor: InventoryActor | null, path: string): Promise<boolean> {
    const parameters = new SqlParameters();
    const requested = parameters.add(path, 'text');
    const holders = this.registry.models.flatMap((model) => {
      const names = listFileFieldNames(model);
      const grant =
        names.length === 0 ? null : this.parts.policy.getGrant(actor ?? actorWithoutCredentials, model, 'view');
      if (grant === null) return [];
      const held = names.map((name) => `t."${name}" = ${requested}`).join(' OR ');
      const seen = grant.where === null ? '' : ` AND (${grant.where('t', parameters)})`;
      return [`EXISTS (SELECT FROM ${model.table} t WHERE (${held})${seen})`];
    });
    if (holders.length === 0) return false;
    const { rows } = await this.parts.database.query<{ found: boolean }>(
      `SELECT ${holders.join(' OR ')} AS found`,
      parameters.values,
    );
    return rows[0]?.found === true;
  }
}
