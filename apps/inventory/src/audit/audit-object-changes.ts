import type { Tx } from '@switchboard/database';
import { isChangeEmpty, isEmptyChangeSql } from '../changes/change-log.js';
import type { ModelDefinition } from '../engine/declaration/define-model.js';
import type { AuditedFields } from '../engine/declaration/model-option-types.js';
import type { ChangeAuthor, ObjectChange } from '../engine/write/change-sink.js';
import { temporaryChangesTableName } from '../engine/write/staged-changes.js';
import type { SqlText } from '../engine/sql/json-text-sql.js';
import { inventoryAudit } from './audit-trail.js';

type State = Readonly<Record<string, unknown>>;

/** Change of an object of an audited model, as `ObjectChange` and staged changes contain it. */
interface AuditedChange extends Pick<ObjectChange, 'id' | 'event' | 'prechange' | 'postchange'> {
  readonly hidden?: boolean | null;
}

/** Adds the audit lines of recorded changes to the transaction. Changes of other models have no lines. */
export function auditObjectChanges(tx: Tx, changes: Iterable<ObjectChange>, author: ChangeAuthor): void {
  for (const change of changes) {
    const { audit } = change.model;
    if (audit !== null && !isChangeEmpty(change)) addLine(tx, audit, change, author);
  }
}

/**
 * Adds the audit lines of staged changes to the transaction.
 *
 * @param models audited models of the service
 */
export async function auditStagedChanges(
  tx: Tx,
  models: readonly ModelDefinition[],
  author: ChangeAuthor,
): Promise<void> {
  const auditByType = new Map(models.map(({ type, audit }) => [type, audit]));
  const fields = [...new Set(models.flatMap(({ audit }) => audit?.shownFields ?? []))];
  const { rows } = await tx.query<AuditedChange & { type: string }>(
    `SELECT c.type, c.id::float8 AS id, c.event, c.hidden, ${shownFieldsSql('c.prechange')} AS prechange,
       ${shownFieldsSql('c.postchange')} AS postchange
     FROM ${temporaryChangesTableName} c
     WHERE c.type = ANY ($1::text[]) AND NOT c.is_further AND NOT ${isEmptyChangeSql} ORDER BY c.part, c.place`,
    [[...auditByType.keys()], fields, MAX_AUDITED_VALUE_JSON_LENGTH],
  );
  for (const change of rows) {
    const audit = auditByType.get(change.type) ?? null;
    if (audit !== null) addLine(tx, audit, change, author);
  }
}

/** Maximum length of the JSON of another field's value, or of a shown value in full, that a line needs to be compared. */
const MAX_AUDITED_VALUE_JSON_LENGTH = 3000;

/**
 * Returns SQL for the values of an object's state that an audit line needs, as JSON text. These are the shown fields up
 * to a length. Of all other values, the MD5 reveals which fields changed. The values of many objects fit into memory.
 */
function shownFieldsSql(state: SqlText): SqlText {
  return `(SELECT json_object_agg(field.key, CASE
      WHEN field.key = ANY ($2::text[]) AND length(field.value::text) <= $3 THEN field.value
      WHEN field.key = ANY ($2::text[]) THEN to_json(left(field.value::text, $3))
      ELSE to_json(md5(field.value::text)) END)::text FROM json_each(${state}::json) field)`;
}

function addLine(tx: Tx, { noun, ...model }: AuditedFields, change: AuditedChange, { userId }: ChangeAuthor): void {
  const { id } = change;
  const [before, after] = [parseState(change.prechange), parseState(change.postchange)];
  const line = { id, ...(userId !== null && { actor: { id: userId, kind: 'user' } }) };
  if (change.event === 'created') {
    inventoryAudit.add(tx, `${noun}_created`, { ...line, after: selectFields(after, model.shownFields) });
    return;
  }
  if (change.event === 'deleted') {
    inventoryAudit.add(tx, `${noun}_deleted`, { ...line, before: selectFields(before, model.shownFields) });
    return;
  }
  const changed = Object.keys(after).filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]));
  const shown = model.shownFields.filter((name) => changed.includes(name));
  const hidden = change.hidden === true && model.hiddenField !== undefined ? [model.hiddenField] : [];
  inventoryAudit.add(tx, `${noun}_changed`, {
    ...line,
    changed: [...new Set([...changed.filter((name) => name !== 'last_updated'), ...hidden])],
    before: selectFields(before, shown),
    after: selectFields(after, shown),
  });
}

function selectFields(state: State, names: readonly string[]): State {
  return Object.fromEntries(names.map((name) => [name, state[name]]));
}

function parseState(text: string | null): State {
  const value: unknown = JSON.parse(text ?? '{}');
  return { ...Object(value) };
}
