import type { Tx } from '@switchboard/database';
import { errors } from '../../errors.js';
import type { Grant } from '../access.js';
import type { ModelDefinition } from '../declaration/model.js';
import { around, Parameters, prepared } from '../sql/statement.js';
import type { Selection } from './representation.js';
import { entityTag, rowAlias, type Shapes } from './shapes.js';

/** One object as it is sent. */
export interface ReadObject {
  /** JSON text. */
  readonly body: string;
  readonly entityTag: string | null;
}

/**
 * Reads one object with one statement.
 *
 * @throws AppError OBJECT_NOT_FOUND when there is none, or none within the grant
 */
export async function readObject(
  database: Tx,
  shapes: Shapes,
  request: { model: ModelDefinition; id: string; grant: Grant; selection: Selection; base: string },
): Promise<ReadObject> {
  const { model, grant } = request;
  await shapes.customFields.ready();
  const parameters = new Parameters();
  parameters.add(request.base);
  const conditions = [`${rowAlias}.id = ${parameters.add(request.id, 'bigint')}`];
  if (grant.where !== null) conditions.push(`(${grant.where(rowAlias, parameters)})`);
  // $1 must appear in the text whatever is selected, or PostgreSQL cannot tell its type.
  const statement = around(
    'SELECT ',
    shapes.selected(model, request.selection),
    `, ${entityTag(model, rowAlias)} FROM ${model.table} ${rowAlias} WHERE $1::text IS NOT NULL AND ${conditions.join(' AND ')}`,
  );
  const { rows } = await database.query<[string, string | null]>(prepared(statement, parameters.values));
  const row = rows[0];
  if (row === undefined) throw errors.create('OBJECT_NOT_FOUND', { params: { model: model.objectName } });
  return { body: shapes.opened(model, row[0]), entityTag: row[1] };
}
