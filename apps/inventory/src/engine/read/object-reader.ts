import type { Database, SqlStatementExecutor, Tx } from '@switchboard/database';
import { declareHeavyDatabaseWork } from '@switchboard/platform';
import { inventoryErrors } from '../../errors.js';
import type { PermissionGrant } from '../object-access.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ResponseFileStore } from '../responses/response-files.js';
import { defaultResponseInMemoryBytes } from '../responses/response-settings.js';
import { createResponseTooLargeError, UnstoredResponseError } from '../responses/response-writer.js';
import type { StoredResponse } from '../responses/stored-response.js';
import type { SqlText } from '../sql/json-text-sql.js';
import { getCachedSqlText, SqlParameters, createPreparedQuery } from '../sql/parameterized-statement.js';
import { isTextTooLongError, joinJsonFragments, FragmentDecryptor } from './decrypt-fragments.js';
import { readWithCursor } from './read-with-cursor.js';
import type { FieldSelectionParameters } from './object-json-fragments.js';
import { createEntityTagSql, objectRowAlias, type ObjectJsonSqlCache } from './object-json-sql.js';

/** JSON text of one object, and the entity tag of the object. */
export interface ObjectJsonWithEntityTag<Body = string> {
  /** JSON text of the object. */
  readonly body: Body;
  readonly entityTag: string | null;
}

/** Services on which {@link readObjectResponseBody} depends. */
export interface ObjectReaderServices {
  readonly database: Pick<Database, 'query' | 'inTransaction'>;
  readonly shapes: ObjectJsonSqlCache;
  readonly responses: ResponseFileStore;
}

/** Parsed request that reads one object. */
export interface ObjectRequest {
  /** HTTP method of the request. For `HEAD`, reading the object stops when its JSON no longer fits into memory. */
  readonly method?: string;
  readonly model: ModelDefinition;
  readonly id: string;
  readonly grant: PermissionGrant;
  readonly selection: FieldSelectionParameters;
  readonly base: string;
}

/**
 * Reads the JSON text of one object in one SQL statement.
 *
 * @throws ApplicationError OBJECT_NOT_FOUND if the object does not exist or is not visible to the user; RESPONSE_TOO_LARGE if
 *   it is too large for memory
 */
export async function readObject(
  database: Tx,
  shapes: ObjectJsonSqlCache,
  request: ObjectRequest,
): Promise<ObjectJsonWithEntityTag> {
  const { body, entityTag: tag } = await readObjectInOneStatement(
    database,
    shapes,
    request,
    defaultResponseInMemoryBytes,
  );
  if (body === null) throw createResponseTooLargeError(defaultResponseInMemoryBytes);
  return { body, entityTag: tag };
}

/**
 * Reads the JSON text of one object in one SQL statement, or through a database cursor if the text is long. The body is
 * null if the request is a HEAD request and the text does not fit into memory.
 *
 * @throws ApplicationError OBJECT_NOT_FOUND if the object does not exist or is not visible to the user; RESPONSE_TOO_LARGE,
 *   RESPONSE_NOT_STORED
 */
export async function readObjectResponseBody(
  parts: ObjectReaderServices,
  request: ObjectRequest,
): Promise<ObjectJsonWithEntityTag<string | StoredResponse | null>> {
  const { database, shapes, responses } = parts;
  const { body, entityTag: tag } = await readObjectInOneStatement(database, shapes, request, responses.limits.inMemory);
  return body === null ? readObjectThroughCursor(parts, request) : { body, entityTag: tag };
}

async function readObjectInOneStatement(
  database: SqlStatementExecutor,
  shapes: ObjectJsonSqlCache,
  request: ObjectRequest,
  longest: number,
): Promise<ObjectJsonWithEntityTag<string | null>> {
  const { model } = request;
  await shapes.customFields.waitUntilLoaded();
  const parameters = new SqlParameters();
  const { shape, rows } = createObjectSqlClauses(shapes, request, parameters);
  const statement = getCachedSqlText(
    `SELECT CASE WHEN octet_length(o.item) <= ${longest} THEN o.item END, o.tag FROM (SELECT `,
    shape,
    ` AS item, ${createEntityTagSql(model, objectRowAlias)} AS tag ${rows} OFFSET 0) o`,
  );
  try {
    const { rows: found } = await database.query<[string | null, string | null]>(
      createPreparedQuery(statement, parameters.values),
    );
    const row = found[0];
    if (row === undefined) throw createObjectNotFoundError(model);
    return { body: row[0] === null ? null : shapes.decryptJson(model, row[0]), entityTag: row[1] };
  } catch (error) {
    if (isTextTooLongError(error)) return { body: null, entityTag: null };
    throw error;
  }
}

async function readObjectThroughCursor(
  { database, shapes, responses }: ObjectReaderServices,
  request: ObjectRequest,
): Promise<ObjectJsonWithEntityTag<string | StoredResponse | null>> {
  declareHeavyDatabaseWork();
  const { model } = request;
  const parameters = new SqlParameters();
  const { shape, rows } = createObjectSqlClauses(shapes, request, parameters);
  const objects = `SELECT ${shape} AS item, ${objectRowAlias}.id ${rows}`;
  const reading = {
    tables: '',
    objects,
    count: '0::bigint',
    checks: `ARRAY(SELECT ${createEntityTagSql(model, objectRowAlias)} ${rows})`,
  };
  const writer = responses.createResponseWriter(request.method === 'HEAD' ? 'none' : 'file');
  let tag: string | null = null;
  try {
    await database.inTransaction(
      async (tx) => {
        const opener = new FragmentDecryptor(shapes, model);
        await readWithCursor(tx, { ...reading, values: parameters.values }, (pieces, { missing: tags }) => {
          tag = tags?.[0] ?? null;
          return writer.write(joinJsonFragments(opener.decryptFragments(pieces), true));
        });
        await writer.write(joinJsonFragments(opener.decryptLastObject(), true));
      },
      { isolation: 'repeatable read', readOnly: true, attempts: 1 },
    );
    if (writer.writtenBytes === 0) throw createObjectNotFoundError(model);
    return { body: await writer.finish(), entityTag: tag };
  } catch (error) {
    await writer.discard();
    if (error instanceof UnstoredResponseError) return { body: null, entityTag: tag };
    throw isTextTooLongError(error) ? createResponseTooLargeError(responses.limits.largest) : error;
  }
}

/** Returns the SQL expression of an object's JSON, and the FROM and WHERE clauses that select the row of the object. */
function createObjectSqlClauses(
  shapes: ObjectJsonSqlCache,
  { model, id, grant, selection, base }: ObjectRequest,
  parameters: SqlParameters,
): { readonly shape: SqlText; readonly rows: SqlText } {
  parameters.add(base);
  const conditions = [`${objectRowAlias}.id = ${parameters.add(id, 'bigint')}`];
  if (grant.where !== null) conditions.push(`(${grant.where(objectRowAlias, parameters)})`);
  // Whatever is selected, $1 must occur in the text: PostgreSQL cannot infer the type of an unused parameter.
  const rows = `FROM ${model.table} ${objectRowAlias} WHERE $1::text IS NOT NULL AND ${conditions.join(' AND ')}`;
  return { shape: shapes.getSelectedFieldsSql(model, selection), rows };
}

function createObjectNotFoundError({ objectName }: ModelDefinition): Error {
  return inventoryErrors.create('OBJECT_NOT_FOUND', { params: { model: objectName } });
}
