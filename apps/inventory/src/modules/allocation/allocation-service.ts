import type { Tx } from '@switchboard/database';
import { convertErrorToDatabaseFault } from '@switchboard/errors';
import { type InventoryActor, requirePermissionGrant } from '../../engine/object-access.js';
import type { ModelRegistry } from '../../engine/declaration/model-registry.js';
import { createNestedObjectFragments } from '../../engine/read/object-json-fragments.js';
import { createStatementScope } from '../../engine/read/sql-statement-scope.js';
import { UnstoredResponseError } from '../../engine/responses/response-writer.js';
import type { StoredResponse } from '../../engine/responses/stored-response.js';
import { joinJsonFragmentsIntoSql } from '../../engine/sql/json-text-sql.js';
import { SqlParameters } from '../../engine/sql/parameterized-statement.js';
import type { ObjectChangeHttpRequest } from '../../engine/write/change-sink.js';
import { mapWithEventLoopPauses } from '../../engine/write/map-with-event-loop-pauses.js';
import { InputProblem, parseEachListItem, getJsonTypeName } from '../../engine/write/invalid-input-problem.js';
import { inventoryErrors } from '../../errors.js';
import { WrittenListResponse } from '../../resources/list-response.js';
import { parseObjectIdInPath } from '../../http/request-urls.js';
import type { InventoryContext } from '../../http/inventory-context.js';
import type { AllocationParent, AllocationPool, AllocationRequestBody } from './allocation-pool.js';

/** Request that lists or allocates free objects: the kind of allocation, the id of the parent, and the user. */
export interface AllocationRequest {
  readonly pool: AllocationPool;
  readonly id: string;
  readonly actor: InventoryActor;
  readonly request: ObjectChangeHttpRequest;
  /** Scheme and host with which URLs in the response begin. */
  readonly base: string;
}

/**
 * Maximum number of attempts of one request to allocate objects. An attempt fails if another request, which locks
 * another parent, takes the same number first. Requests for overlapping ranges try the same lowest numbers, so that
 * every second attempt may fail.
 */
const maxAllocationAttempts = 12;

/**
 * Lists and allocates the free objects of a parent object, such as the addresses of a prefix. Two concurrent requests
 * never allocate the same object (docs/contract/inventory.md 2.1).
 */
export class AllocationService {
  constructor(
    private readonly parts: Pick<InventoryContext, 'database' | 'policy' | 'writer' | 'pageSizes' | 'responses'>,
    private readonly registry: ModelRegistry,
  ) {}

  /**
   * Returns the free objects of a parent as JSON text. Returns null for a HEAD request whose list does not fit into
   * memory.
   *
   * @param limit value of the query parameter; 0 requests the largest page
   * @throws ApplicationError RESPONSE_TOO_LARGE, RESPONSE_NOT_STORED
   */
  async listFreeObjects(call: AllocationRequest, limit: string | null): Promise<string | StoredResponse | null> {
    const { database } = this.parts;
    const parent = await this.#findParent(database, call);
    const [things, context] = await Promise.all([
      call.pool.listFree(database, parent, this.#parseListLimit(limit)),
      this.#readRelatedObject(call, parent),
    ]);
    const [thing, around] = call.pool.shown;
    const family = parent['family'] === undefined ? '' : `"family": ${String(parent['family'])}, `;
    const textOf = (item: string | number): string =>
      `{${family}"${thing}": ${JSON.stringify(item)}, "${around}": ${context}}`;
    return this.#writeFreeObjects(things, textOf, call.request.method);
  }

  /**
   * Writes the list of free objects in batches. A long list is large, because each item of the list repeats the related
   * object.
   */
  async #writeFreeObjects<T>(
    items: readonly T[],
    textOf: (item: T) => string,
    method: string,
  ): Promise<string | StoredResponse | null> {
    const writer = this.parts.responses.createResponseWriter(method === 'HEAD' ? 'none' : 'file');
    try {
      for (let from = 0; from < items.length; from += freeObjectsPerResponseWrite) {
        const texts = await mapWithEventLoopPauses(items.slice(from, from + freeObjectsPerResponseWrite), textOf);
        await writer.write((from === 0 ? '' : ', ') + texts.join(', '));
      }
      return await writer.finish({ head: '[', tail: ']' });
    } catch (error) {
      await writer.discard();
      if (error instanceof UnstoredResponseError) return null;
      throw error;
    }
  }

  /**
   * Creates one object for each object in the request body. Each created object gets the next free value.
   *
   * @returns JSON text of an object, or of a list if the body is a list
   * @throws ApplicationError INSUFFICIENT_RESOURCES if too few values are free, VALIDATION_FAILED with one entry per object
   */
  async allocateFreeObjects(call: AllocationRequest, body: unknown): Promise<string | StoredResponse> {
    const { pool, actor, request, base } = call;
    const grant = requirePermissionGrant(this.parts.policy, actor, pool.child, 'add');
    const requestedObjects = readRequestedObjects(body);
    const write = { model: pool.child, actor, grant, request, base };
    const bodies = async (tx: Tx): Promise<readonly AllocationRequestBody[]> => {
      const parent = { id: parseObjectIdInPath(call.id), read: () => this.#findParent(tx, call) };
      const given = await pool.allocate(tx, parent, requestedObjects);
      if (given === null) throw inventoryErrors.create('INSUFFICIENT_RESOURCES');
      return given;
    };
    const { writer, responses } = this.parts;
    const { length } = requestedObjects;
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (Array.isArray(body)) {
          const list = new WrittenListResponse(responses, (object) => object.body);
          return await list.buildResponse((response) =>
            writer.createObjectsIntoResponse(write, bodies, length, response),
          );
        }
        const [made] = await writer.createObjects(write, bodies, { kind: 'created list', length });
        return made?.body ?? 'null';
      } catch (error) {
        // Requests that create an object with an explicit number do not wait for the lock, and keep the number.
        const cause = error instanceof Error ? error.cause : null;
        if (attempt >= maxAllocationAttempts || !isValueTakenError(cause)) throw error;
      }
    }
  }

  async #findParent(tx: Tx, { pool, id, actor }: AllocationRequest): Promise<AllocationParent> {
    const model = pool.parent;
    const grant = requirePermissionGrant(this.parts.policy, actor, model, 'view');
    const parameters = new SqlParameters();
    const own = parameters.add(parseObjectIdInPath(id), 'bigint');
    const visible = grant.where === null ? '' : ` AND (${grant.where('t', parameters)})`;
    const { rows } = await tx.query<AllocationParent>(
      `SELECT t.id, ${pool.columns} FROM ${model.table} t WHERE t.id = ${own}${visible}`,
      parameters.values,
    );
    const [parent] = rows;
    if (parent === undefined) throw inventoryErrors.create('OBJECT_NOT_FOUND', { params: { model: model.objectName } });
    return parent;
  }

  async #readRelatedObject({ pool, base }: AllocationRequest, parent: AllocationParent): Promise<string> {
    const { model, column } = pool.context;
    const shape = joinJsonFragmentsIntoSql(
      createNestedObjectFragments(model, 'n', createStatementScope(this.registry, 'c')),
    );
    const { rows } = await this.parts.database.query<{ text: string }>(
      `SELECT ${shape} AS text FROM ${model.table} n WHERE $1::text IS NOT NULL AND n.id = $2`,
      [base, parent[column]],
    );
    return rows[0]?.text ?? 'null';
  }

  #parseListLimit(given: string | null): number {
    const { defaultSize, largest } = this.parts.pageSizes;
    const most = largest ?? maxListedFreeAddresses;
    const requested = given !== null && /^\d{1,9}$/.test(given) ? Number(given) : defaultSize;
    return requested === 0 ? most : Math.min(requested, most);
  }
}

/** Number of free objects that are written to the response at a time. So many objects are at most about 600 kB long. */
const freeObjectsPerResponseWrite = 1000;

/** Returns true if an error means that another request has already taken the number or prefix to allocate. */
function isValueTakenError(cause: unknown): boolean {
  const fault = convertErrorToDatabaseFault(cause);
  return fault?.kind === 'unique' || fault?.constraint === 'ipam_prefix_duplicate';
}

/**
 * Maximum number of free addresses in a list, if the service does not limit page sizes. Listing all free addresses of
 * an IPv6 network would take too long.
 */
const maxListedFreeAddresses = 100_000;

function readRequestedObjects(body: unknown): AllocationRequestBody[] {
  const given: readonly unknown[] = Array.isArray(body) ? body : [body];
  try {
    return parseEachListItem(given, (requestedObject) => {
      if (requestedObject !== null && typeof requestedObject === 'object' && !Array.isArray(requestedObject))
        return { ...requestedObject };
      throw new InputProblem({
        non_field_errors: [`Invalid data. Expected a dictionary, but got ${getJsonTypeName(requestedObject)}.`],
      });
    });
  } catch (error) {
    if (!(error instanceof InputProblem)) throw error;
    throw inventoryErrors.create('VALIDATION_FAILED', { fields: { body: error.messages } });
  }
}
