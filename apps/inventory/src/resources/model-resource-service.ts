import type { Database } from '@switchboard/database';
import {
  type ObjectAccessPolicy,
  type ObjectAction,
  type PermissionGrant,
  type InventoryActor,
  requirePermissionGrant,
} from '../engine/object-access.js';
import type { ModelDefinition } from '../engine/declaration/define-model.js';
import type { ModelRegistry } from '../engine/declaration/model-registry.js';
import { createModelOptionsResponse } from '../engine/meta/options-response.js';
import type { ListReader } from '../engine/read/list-reader.js';
import type { ResponseFileStore } from '../engine/responses/response-files.js';
import type { StoredResponse } from '../engine/responses/stored-response.js';
import { readObjectResponseBody } from '../engine/read/object-reader.js';
import { parseFieldSelection } from '../engine/read/field-selection.js';
import type { ObjectJsonSqlCache } from '../engine/read/object-json-sql.js';
import type { ObjectRemover } from '../engine/write/object-remover.js';
import type { WriteRequest } from '../engine/write/write-request.js';
import type { ObjectWriter } from '../engine/write/object-writer.js';
import type { ModelHookServices } from '../engine/model-hook-services.js';
import {
  CachedResponse,
  type NewlyBuiltResponse,
  type ReadOnlyResponseDatabase,
  type ResponseCache,
  computeEntityTag,
} from '../response-memory/index.js';
import { inventoryErrors } from '../errors.js';
import { WrittenListResponse } from './list-response.js';
import {
  type BulkObjectChange,
  parseBulkObjectChanges,
  rejectTooLongList,
  getChangelogMessages,
  selectRequestedJsonFields,
} from './model-resource-bodies.js';
import { createResponseBodyHeaders, type ModelResourceResponse } from './model-resource-response.js';

/** A request for a list or an object of a model, in a form that does not depend on HTTP. */
export interface ModelResourceCall {
  readonly model: ModelDefinition;
  readonly actor: InventoryActor;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /**
   * Query string to which the parameters of saved filters are added; see `ListRequest`. Absent if the request uses no
   * saved filters.
   */
  readonly filterQuery?: URLSearchParams;
  readonly requestId: string;
  /** Scheme and host of the request, with which URLs in the response begin. */
  readonly base: string;
  readonly ifMatch: readonly string[] | null;
  /** True if the client asks the service to reject unknown filters. */
  readonly strictFilters: boolean;
  /** Function that parses and returns the request body. Called only for HTTP methods that have a body. */
  readonly body: () => Promise<unknown>;
}

/** Services and settings on which {@link ModelResourceService} depends. */
export interface ResourceServiceOptions {
  readonly database: Database;
  readonly registry: ModelRegistry;
  readonly shapes: ObjectJsonSqlCache;
  readonly policy: ObjectAccessPolicy;
  readonly lists: ListReader;
  readonly responses: ResponseFileStore;
  readonly writer: ObjectWriter;
  readonly remover: ObjectRemover;
  readonly services: Pick<ModelHookServices, 'limits'>;
  readonly memory: ResponseCache;
}

/** Handles requests for lists and single objects of all models. */
export class ModelResourceService {
  constructor(private readonly parts: ResourceServiceOptions) {}

  /** Handles a request to `/api/<app>/<model>/`, the list of a model's objects, and returns the response. */
  async respondWithList(call: ModelResourceCall): Promise<ModelResourceResponse> {
    const { method, model } = call;
    if (!model.methods.list.includes(method))
      throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
    if (method === 'GET' || method === 'HEAD') {
      const grant = this.#grant(call, 'view');
      return this.#read(call, model.path, async (database) => {
        const body = await this.parts.lists.readPage(database, { ...call, model, grant });
        return {
          body,
          headers: createResponseBodyHeaders(body),
          tag: typeof body === 'string' ? computeEntityTag(body) : undefined,
        };
      });
    }
    if (method === 'POST') return this.#create(call);
    if (method === 'PUT' || method === 'PATCH') return this.#changeMany(call);
    if (method === 'DELETE') return this.#removeMany(call);
    return this.#respondToOptions(call, 'list');
  }

  /** Handles a request to `/api/<app>/<model>/<id>/`, a single object, and returns the response. */
  async respondWithObject(call: ModelResourceCall, id: string): Promise<ModelResourceResponse> {
    const { method, model } = call;
    if (!model.methods.detail.includes(method))
      throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
    if (method === 'OPTIONS') return this.#respondToOptions(call, 'detail');
    if (!/^\d+$/.test(id)) throw inventoryErrors.create('NOT_FOUND');
    if (BigInt(id) >= 2n ** 63n) throw this.#objectNotFound(model);
    if (method === 'GET' || method === 'HEAD') return this.#retrieve(call, id);
    if (method === 'DELETE') return this.#remove(call, id);
    return this.#updateOne(call, id);
  }

  async #retrieve(call: ModelResourceCall, id: string): Promise<ModelResourceResponse> {
    const { model, query, base, method } = call;
    const selection = parseFieldSelection(query, { brief: true });
    const grant = this.#grant(call, 'view');
    return this.#read(call, `${model.path}/${id}`, async (database) => {
      const object = await readObjectResponseBody(
        { ...this.parts, database },
        { model, id, grant, selection, base, method },
      );
      return {
        body: object.body,
        headers: { ...createResponseBodyHeaders(object.body), ...createEntityTagHeader(object.entityTag) },
      };
    });
  }

  /** Returns the cached response to a GET request. If no response is cached, builds and returns the response. */
  async #read(
    call: ModelResourceCall,
    resource: string,
    make: (database: ReadOnlyResponseDatabase) => Promise<NewlyBuiltResponse<string | StoredResponse | null>>,
  ): Promise<ModelResourceResponse> {
    const response = await this.parts.memory.getOrCreate({ ...call, resource }, make);
    const { headers, tag } = response;
    return { status: 200, body: response instanceof CachedResponse ? response : response.body, headers, tag };
  }

  async #create(call: ModelResourceCall): Promise<ModelResourceResponse> {
    const write = this.#runWrite(call, 'add');
    const body = await call.body();
    rejectTooLongList(body, this.parts.services.limits);
    const { writer, responses } = this.parts;
    if (Array.isArray(body)) {
      const list = new WrittenListResponse(responses, (object) => selectRequestedJsonFields(object.body, call));
      return createJsonResponse(
        201,
        await list.buildResponse((response) => writer.createObjectsIntoResponse(write, body, body.length, response)),
      );
    }
    const [only] = await writer.createObjects(write, [body], { kind: 'one' });
    if (only === undefined) throw this.#objectNotFound(call.model);
    const location = `${call.base}/api/${call.model.path}/${only.id}/`;
    return createJsonResponse(201, selectRequestedJsonFields(only.body, call), {
      location,
      ...createEntityTagHeader(only.entityTag),
    });
  }

  async #updateOne(call: ModelResourceCall, id: string): Promise<ModelResourceResponse> {
    const write = this.#runWrite(call, 'change');
    const mode = call.method === 'PUT' ? 'replace' : 'update';
    const [changed] = await this.parts.writer.updateObjects(write, [{ id, body: await call.body() }], {
      mode,
      ifMatch: call.ifMatch,
    });
    if (changed === undefined) throw this.#objectNotFound(call.model);
    return createJsonResponse(
      200,
      selectRequestedJsonFields(changed.body, call),
      createEntityTagHeader(changed.entityTag),
    );
  }

  async #changeMany(call: ModelResourceCall): Promise<ModelResourceResponse> {
    const write = this.#runWrite(call, 'change');
    const changes: readonly BulkObjectChange[] = parseBulkObjectChanges(await call.body(), this.parts.services.limits);
    const mode = call.method === 'PUT' ? 'replace' : 'update';
    const list = new WrittenListResponse(this.parts.responses, (object) =>
      selectRequestedJsonFields(object.body, call),
    );
    const options = { mode, ifMatch: call.ifMatch } as const;
    return createJsonResponse(
      200,
      await list.buildResponse((response) =>
        this.parts.writer.updateObjectsIntoResponse(write, changes, options, response),
      ),
    );
  }

  async #remove(call: ModelResourceCall, id: string): Promise<ModelResourceResponse> {
    const write = this.#runWrite(call, 'delete');
    const messages = getChangelogMessages([{ id, body: await call.body() }]);
    const removed = await this.parts.remover.removeObjects(write, [id], { ifMatch: call.ifMatch, messages });
    if (removed.length === 0) throw this.#objectNotFound(call.model);
    return emptyNoContentResponse;
  }

  async #removeMany(call: ModelResourceCall): Promise<ModelResourceResponse> {
    const write = this.#runWrite(call, 'delete');
    const items = parseBulkObjectChanges(await call.body(), this.parts.services.limits);
    const ids = items.map(({ id }) => id);
    await this.parts.remover.removeObjects(write, ids, {
      ifMatch: call.ifMatch,
      messages: getChangelogMessages(items),
    });
    return emptyNoContentResponse;
  }

  #respondToOptions({ actor, model }: ModelResourceCall, kind: 'list' | 'detail'): ModelResourceResponse {
    const may = (action: ObjectAction): boolean => this.parts.policy.getGrant(actor, model, action) !== null;
    return createJsonResponse(
      200,
      JSON.stringify(
        createModelOptionsResponse(model, kind, { create: may('add'), change: may('change') }, this.parts.registry),
      ),
    );
  }

  #grant({ actor, model }: ModelResourceCall, action: ObjectAction): PermissionGrant {
    return requirePermissionGrant(this.parts.policy, actor, model, action);
  }

  #runWrite(call: ModelResourceCall, action: ObjectAction): WriteRequest {
    const { model, actor, base, requestId, method, path } = call;
    return { model, actor, base, grant: this.#grant(call, action), request: { id: requestId, method, path } };
  }

  #objectNotFound({ objectName }: ModelDefinition): Error {
    return inventoryErrors.create('OBJECT_NOT_FOUND', { params: { model: objectName } });
  }
}

const emptyNoContentResponse: ModelResourceResponse = { status: 204, body: null, headers: {} };

function createJsonResponse(
  status: number,
  body: string | StoredResponse,
  headers: Record<string, string> = {},
): ModelResourceResponse {
  return { status, body, headers };
}

function createEntityTagHeader(entityTag: string | null): Record<string, string> {
  return entityTag === null ? {} : { etag: entityTag };
}
