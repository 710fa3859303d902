import type { Tx } from '@switchboard/database';
import { isChangeEmpty, isEmptyChangeSql } from '../changes/change-log.js';
import type { ModelDefinition } from '../engine/declaration/define-model.js';
import type { AuditedFields } from '../engine/declaration/model-option-types.js';
import type { ChangeAuthor, ObjectChange } from '../engine/write/change-sink.js';
import { temporaryChangesTableName } from '../engine/write/staged-changes.js';
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
  const { rows } = await tx.query<AuditedChange & { type: string }>(
    `SELECT c.type, c.id::float8 AS id, c.event, c.prechange, c.postchange, c.hidden FROM ${temporaryChangesTableName} c
     WHERE c.type = ANY ($1::text[]) AND NOT c.is_further AND NOT ${isEmptyChangeSql} ORDER BY c.part, c.place`,
    [[...auditByType.keys()]],
  );
  for (const change of rows) {
    const audit = auditByType.get(change.type) ?? null;
    if (audit !== null) addLine(tx, audit, change, author);
  }
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
