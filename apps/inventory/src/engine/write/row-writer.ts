import type { Tx } from '@switchboard/database';
import { inventoryErrors } from '../../errors.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import { SqlParameters, createPreparedQuery } from '../sql/parameterized-statement.js';
import type { ObjectChange } from './change-sink.js';
import { stringifyListWithPauses } from './map-with-event-loop-pauses.js';
import type { ParsedRequestObject } from './parse-object-input.js';
import { updateDerivedDataAfterWrite } from './derived-data-updates.js';
import type { CandidateRowValues } from './validation-error.js';
import { readWrittenObjects } from './read-written-objects.js';
import { writeRelatedFields } from './related-assignments.js';
import {
  type RelatedObjectsWriteContext,
  tryRelatedObjectsOfFields,
  writeRelatedObjectsOfFields,
} from './fields-stored-as-objects.js';
import { replaceObjectTags, type WrittenObjectWithTags } from './tag-assignments.js';
import { rejectLongReferencedTexts } from './stored-text-limit.js';
import {
  urlBasePlaceholder,
  type WriteRequest,
  type ObjectWriterOptions,
  type WrittenObject,
} from './write-request.js';
import type { RowWriteStatements, WrittenRow } from './write-statements.js';

/** Written rows as stored at the end of the write, and the changes that the write made to other objects. */
export interface RowsStoredByWrite {
  readonly rows: WrittenRow[];
  readonly changes: readonly ObjectChange[];
}

/** Rows to write (`candidates`), and the parsed objects from which the rows were built. */
interface CandidateRows {
  readonly items: readonly ParsedRequestObject[];
  readonly candidates: readonly CandidateRowValues[];
}

/** Options of the method {@link RowWriter.writeRows}. */
interface RowWriteOptions {
  readonly kind: 'insert' | 'update';
  /** True if the length of texts that written objects show of other objects is limited; see `canShowOtherObjectsTexts`. */
  readonly isMeasured: boolean;
  /**
   * Returns true if written objects must be read again, because the writing statement does not return the final state.
   */
  readonly needsRereading: () => boolean | Promise<boolean>;
}

/** Writes rows of models, including the fields of the objects that are stored in other tables. */
export class RowWriter {
  constructor(
    private readonly options: Pick<ObjectWriterOptions, 'registry' | 'services' | 'shapes'>,
    private readonly statements: RowWriteStatements,
  ) {}

  /** Runs an SQL statement of `RowWriteStatements`, with the given rows as a parameter. */
  async runWriteStatement<R>(tx: Tx, statement: string, rows: readonly CandidateRowValues[]): Promise<R[]> {
    const result = await tx.query<R>(
      createPreparedQuery(statement, [urlBasePlaceholder, await stringifyListWithPauses(rows)]),
    );
    return result.rows;
  }

  /**
   * Inserts or updates rows, and writes the objects' fields that are stored in other tables. Returns the rows in their
   * final state.
   */
  async writeRows(
    tx: Tx,
    model: ModelDefinition,
    { items, candidates }: CandidateRows,
    way: RowWriteOptions,
  ): Promise<RowsStoredByWrite> {
    if (way.isMeasured) return this.#writeWithTextLimit(tx, model, { items, candidates }, way);
    const rows = await this.runWriteStatement<WrittenRow>(tx, this.statements[way.kind](model), candidates);
    const written = rows.map(([objectId], index) => ({ objectId, item: items[index] }));
    const { touched, changes } = await this.writeRelatedTables(tx, model, written);
    if (!touched && !(await way.needsRereading())) return { rows, changes };
    return { rows: await this.#readFinalRows(tx, model, written), changes };
  }

  /**
   * Writes rows like {@link writeRows}. Reads the rows afterwards only if the texts that they show of other objects are not
   * too long.
   */
  async #writeWithTextLimit(
    tx: Tx,
    model: ModelDefinition,
    { items, candidates }: CandidateRows,
    { kind }: Pick<RowWriteOptions, 'kind'>,
  ): Promise<RowsStoredByWrite> {
    const statement =
      kind === 'insert'
        ? this.statements.createInsertReturningIdsStatement(model)
        : this.statements.createUpdateReturningIdsStatement(model);
    const ids = (await this.runWriteStatement<[id: number]>(tx, statement, candidates)).map(([id]) => id);
    const written = ids.map((objectId, index) => ({ objectId, item: items[index] }));
    const { changes } = await this.writeRelatedTables(tx, model, written);
    const limit = this.options.services.limits.updateTextBytes;
    await rejectLongReferencedTexts(tx, { model, ids, limit, inMemory: 'together' });
    return { rows: await this.#readFinalRows(tx, model, written), changes };
  }

  async #readFinalRows(
    tx: Tx,
    model: ModelDefinition,
    written: readonly WrittenObjectWithTags[],
  ): Promise<WrittenRow[]> {
    const ids = written.map(({ objectId }) => objectId);
    const rows: WrittenRow[] = [];
    await readWrittenObjects(tx, this.statements, { model, ids, base: urlBasePlaceholder }, (row) => rows.push(row));
    return rows;
  }

  /**
   * Writes the fields of objects that are stored in other tables. Returns true if the objects have values for such
   * fields, and the changes of other objects.
   */
  async writeRelatedTables(
    tx: Tx,
    model: ModelDefinition,
    written: readonly WrittenObjectWithTags[],
  ): Promise<{ readonly touched: boolean; readonly changes: readonly ObjectChange[] }> {
    const touched = await this.writeTagsAndRelatedFields(tx, model, written);
    const changes = await writeRelatedObjectsOfFields(tx, this.createRelatedObjectsContext(model), written);
    if (changes === null) await updateDerivedDataAfterWrite(tx, model, written);
    return { touched: touched || changes !== null, changes: changes ?? [] };
  }

  /**
   * Writes fields like {@link writeRelatedTables}, in a transaction that is rolled back. Does not read the changes of
   * other objects.
   */
  async tryRelatedTables(tx: Tx, model: ModelDefinition, written: readonly WrittenObjectWithTags[]): Promise<void> {
    await this.writeTagsAndRelatedFields(tx, model, written);
    if (await tryRelatedObjectsOfFields(tx, this.createRelatedObjectsContext(model), written)) return;
    await updateDerivedDataAfterWrite(tx, model, written);
  }

  /**
   * Writes the tags of objects, and fields stored in tables without change records. Returns true if the request contains
   * such fields.
   */
  async writeTagsAndRelatedFields(
    tx: Tx,
    model: ModelDefinition,
    written: readonly WrittenObjectWithTags[],
  ): Promise<boolean> {
    const { registry } = this.options;
    const tagged = await replaceObjectTags(tx, { model, registry }, written);
    const related = await writeRelatedFields(tx, model, written);
    return tagged || related;
  }

  /** Returns the data needed to write fields that database functions store as objects of another model. */
  createRelatedObjectsContext(model: ModelDefinition): RelatedObjectsWriteContext {
    const { registry, services } = this.options;
    return { model, registry, statements: this.statements, maxTextBytes: services.limits.updateTextBytes };
  }

  /**
   * Checks that the user's permissions include the rows in their new state (docs/contract/inventory.md 1.3).
   *
   * @throws ApplicationError PERMISSION_DENIED
   */
  async rejectRowsOutsidePermission(tx: Tx, { model, grant }: WriteRequest, written: readonly number[]): Promise<void> {
    if (grant.where === null) return;
    const parameters = new SqlParameters();
    const ids = parameters.add(written);
    const { rows: inside } = await tx.query<{ n: number }>(
      `SELECT count(*) AS n FROM ${model.table} t WHERE t.id = ANY (${ids}::bigint[]) AND (${grant.where('t', parameters)})`,
      parameters.values,
    );
    if (inside[0]?.n !== written.length) throw inventoryErrors.create('PERMISSION_DENIED');
  }

  /** Returns the JSON of a written row for the response, including secret values that only this response shows. */
  toResponseJson(
    { id, data, entityTag }: { readonly id: number; readonly data: string; readonly entityTag: string | null },
    { base, model }: WriteRequest,
    reveal: Readonly<Record<string, unknown>>,
  ): WrittenObject {
    const body = this.options.shapes.decryptJson(model, data.replaceAll(urlBasePlaceholder, base));
    if (Object.keys(reveal).length === 0) return { id, body, entityTag };
    const object: unknown = JSON.parse(body);
    return { id, body: JSON.stringify(Object.assign({}, object, reveal)), entityTag };
  }
}
