import { getRequestActor, type AuthenticatedRequest } from '@switchboard/nest';
import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { actorWithoutCredentials } from '../../auth/anonymous-actor.js';
import { enqueueDataSourceSyncJob } from '../../data-sources/index.js';
import { type PermissionGrant, type InventoryActor, requirePermissionGrant } from '../../engine/object-access.js';
import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { createPathOptionsResponse } from '../../engine/meta/options-response.js';
import { readObject, type ObjectJsonWithEntityTag } from '../../engine/read/object-reader.js';
import { allFieldsSelection } from '../../engine/read/object-json-fragments.js';
import { inventoryErrors } from '../../errors.js';
import { getRequestPathAndQuery, getRequestUrlBase, parseObjectIdInPath } from '../../http/request-urls.js';
import { INVENTORY_CONTEXT, type InventoryContext } from '../../http/inventory-context.js';
import { sendJsonText, sendJsonValue } from '../../http/send-response.js';
import { dataSourceModel } from '../../models/core/data-source.js';
import { modelsWithDataFileCopies } from './models-with-file-copies.js';

type DataSynchronizationRequest = FastifyRequest<{ Params: { id: string; model: string } }> &
  AuthenticatedRequest<InventoryActor>;

/** Endpoints `POST …/sync/` that synchronize data sources, and objects that copy the content of data files. */
@Controller('api')
export class DataSynchronizationController {
  constructor(@Inject(INVENTORY_CONTEXT) private readonly parts: InventoryContext) {}

  /**
   * Enqueues a job that synchronizes a data source. The response shows the data source in its state before the request,
   * as in the reference API.
   */
  @All('core/data-sources/:id/sync')
  async synchronizeDataSource(@Req() request: DataSynchronizationRequest, @Res() reply: FastifyReply): Promise<void> {
    if (respondToOptions(request, reply)) return;
    const actor = getRequestActor(request) ?? actorWithoutCredentials;
    const id = parseObjectIdInPath(request.params.id);
    const { body } = await this.#read(dataSourceModel, { actor, id, base: getRequestUrlBase(request) });
    const isQueued = await this.parts.database.inTransaction((tx) => enqueueDataSourceSyncJob(tx, id, actor.id));
    if (!isQueued) throw createMissingObjectError(dataSourceModel);
    sendJsonText(request, reply, { status: 200, body, headers: {} });
  }

  /** Copies the content of an object's data file to the object. Does not change an object without a data file. */
  @All('extras/:model/:id/sync')
  async synchronizeDataFileCopy(@Req() request: DataSynchronizationRequest, @Res() reply: FastifyReply): Promise<void> {
    const model = modelsWithDataFileCopies.find(({ path }) => path === `extras/${request.params.model}`);
    if (model === undefined) throw inventoryErrors.create('NOT_FOUND');
    if (respondToOptions(request, reply)) return;
    const actor = getRequestActor(request) ?? actorWithoutCredentials;
    const id = parseObjectIdInPath(request.params.id);
    const base = getRequestUrlBase(request);
    const found = await this.#read(model, { actor, id, base });
    const hasFile = (JSON.parse(found.body) as { readonly data_file: unknown }).data_file !== null;
    const { method } = request;
    const write = {
      model,
      actor,
      base,
      grant: this.#grant(model, actor),
      request: { id: request.id, method, path: getRequestPathAndQuery(request).path },
    };
    const changes = hasFile ? [{ id, body: {} }] : [];
    const [written] = await this.parts.writer.updateObjects(write, changes, { mode: 'update', ifMatch: null });
    if (hasFile && written === undefined) throw createMissingObjectError(model);
    sendJsonText(request, reply, { status: 200, body: (written ?? found).body, headers: {} });
  }

  /**
   * Checks that the user may synchronize an object.
   *
   * @throws ApplicationError PERMISSION_DENIED; OBJECT_NOT_FOUND for an object that the user may not view and synchronize
   */
  #read(
    model: ModelDefinition,
    { actor, id, base }: { readonly actor: InventoryActor; readonly id: string; readonly base: string },
  ): Promise<ObjectJsonWithEntityTag> {
    const { database, shapes } = this.parts;
    return readObject(database, shapes, {
      model,
      id,
      grant: this.#grant(model, actor),
      selection: allFieldsSelection,
      base,
    });
  }

  /**
   * Returns the objects of a model that the user may both view and synchronize. As in the reference API, the user also
   * needs the permission `add`.
   */
  #grant(model: ModelDefinition, actor: InventoryActor): PermissionGrant {
    const [, ...grants] = (['add', 'sync', 'view'] as const).map((action) =>
      requirePermissionGrant(this.parts.policy, actor, model, action),
    );
    const bounds = grants.flatMap(({ where }) => where ?? []);
    if (bounds.length === 0) return { where: null };
    return {
      where: (alias, parameters) => bounds.map((where) => `(${where(alias, parameters)})`).join(' AND '),
    };
  }
}

/**
 * Responds to OPTIONS and returns true; returns false for POST.
 *
 * @throws ApplicationError METHOD_NOT_ALLOWED for other methods
 */
function respondToOptions(request: FastifyRequest, reply: FastifyReply): boolean {
  const { method } = request;
  if (method === 'OPTIONS') sendJsonValue(request, reply, createPathOptionsResponse('Sync'));
  else if (method !== 'POST') throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
  return method === 'OPTIONS';
}

function createMissingObjectError({ objectName }: ModelDefinition): Error {
  return inventoryErrors.create('OBJECT_NOT_FOUND', { params: { model: objectName } });
}
