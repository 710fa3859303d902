import type { Tx } from '@switchboard/database';
import { errors } from '../../errors.js';
import type { Grant } from '../access.js';
import type { ModelDefinition } from '../declaration/model.js';
import { rowAlias } from '../read/shapes.js';
import { identifier } from '../sql/pieces.js';
import { Parameters, prepared } from '../sql/statement.js';
import { storedFields } from './columns.js';

/** So few objects are not measured: a request may send as much text itself. */
const mostUnmeasured = 10;

/**
 * Refuses to change objects of a list whose stored texts are too long together: each is read, and shown several times.
 * The lengths are read without the texts.
 *
 * @throws AppError VALIDATION_FAILED
 */
export async function refuseLongTexts(
  tx: Tx,
  { model, ids, grant, limit }: { model: ModelDefinition; ids: readonly string[]; grant: Grant; limit: number },
): Promise<void> {
  if (ids.length <= mostUnmeasured) return;
  const lengths = storedFields(model).flatMap(({ column: { name, type } }) => {
    const value = `${rowAlias}.${identifier(name)}`;
    if (type === 'text') return [`coalesce(octet_length(${value}), 0)`];
    return type === 'jsonb' ? [`coalesce(pg_column_size(${value}), 0)`] : [];
  });
  if (lengths.length === 0) return;
  const parameters = new Parameters();
  const wanted = parameters.add(ids, 'bigint[]');
  const inside = grant.where === null ? '' : ` AND (${grant.where(rowAlias, parameters)})`;
  const { rows } = await tx.query<[bytes: string]>(
    prepared(
      `SELECT coalesce(sum((${lengths.join(' + ')})::bigint), 0)::text FROM ${model.table} ${rowAlias}
        WHERE ${rowAlias}.id = ANY (${wanted})${inside}`,
      parameters.values,
    ),
  );
  const bytes = Number(rows[0]?.[0] ?? 0);
  if (bytes <= limit) return;
  const message = `Change objects with at most ${limit} bytes of text in one request (these have ${bytes}).`;
  throw errors.create('VALIDATION_FAILED', { fields: { body: { non_field_errors: [message] } } });
}
