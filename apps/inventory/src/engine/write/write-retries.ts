import { CommitUnknownError, type OpenTx } from '@switchboard/database';
import { runWithCustomFields } from '../custom-fields/custom-field.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import { UploadedFileChanges } from '../uploads/uploaded-file-changes.js';
import { findFirstRejectedRow } from './find-first-rejected-row.js';
import type { ParsedObject } from './parse-object-input.js';
import { type CandidateRow, explainConstraintViolation, type ValidationErrorForm } from './validation-error.js';
import type { RowWriter } from './row-writer.js';
import { retryWithoutBatches } from './run-in-row-batches.js';
import { WorkOutsideTransaction } from './work-outside-transaction.js';
import type { WriterOptions } from './write-request.js';
import type { WriteStatements } from './write-statements.js';

/** State of one attempt to run a write in a transaction. */
export interface WriteAttempt {
  readonly candidates: CandidateRow[];
  readonly items: ParsedObject[];
  readonly files: UploadedFileChanges;
  readonly ahead: WorkOutsideTransaction;
}

/** Result of a write, with the ids of the written objects. */
export interface WriteResult<T> {
  readonly ids: readonly number[];
  readonly result: T;
}

/** Runs writes in transactions, and converts database errors to error responses. */
export class WriteRetries {
  constructor(
    private readonly options: WriterOptions,
    private readonly statements: WriteStatements,
    private readonly rows: RowWriter,
  ) {}

  /**
   * Runs a write in a transaction, and repeats it after a conflict with another transaction.
   *
   * @throws AppError VALIDATION_FAILED if a database constraint rejects a row
   */
  async runWithRetries<T>(
    model: ModelDefinition,
    shape: ValidationErrorForm,
    run: (tx: OpenTx, attempt: WriteAttempt) => Promise<WriteResult<T>>,
  ): Promise<T> {
    const { database, onCommitted, shapes, media } = this.options;
    const files = new UploadedFileChanges(media);
    const ahead = new WorkOutsideTransaction();
    let attempt: WriteAttempt = { candidates: [], items: [], files, ahead };
    const write = (): Promise<WriteResult<T>> =>
      retryWithoutBatches((begin) =>
        runWithCustomFields(shapes.customFields, () =>
          database.inTransaction((tx) => {
            begin(tx);
            attempt = { candidates: [], items: [], files, ahead };
            files.startAttempt();
            return run(tx, attempt);
          }),
        ),
      );
    try {
      const { ids, result } = await ahead.runWithWork(write);
      await Promise.all([onCommitted(model, ids), files.removeReplacedFiles()]);
      return result;
    } catch (error) {
      if (error instanceof CommitUnknownError) {
        await onCommitted(
          model,
          attempt.items.flatMap(({ id }) => id ?? []),
        );
        throw error;
      }
      await files.removeAddedFiles();
      throw await this.#toResponseError(error, model, shape, attempt);
    }
  }

  async #toResponseError(
    error: unknown,
    model: ModelDefinition,
    shape: ValidationErrorForm,
    { candidates: rows, items }: WriteAttempt,
  ): Promise<unknown> {
    const { database, registry } = this.options;
    const isNew = shape.kind === 'created list';
    const statement = isNew ? this.statements.insertReturningIds(model) : this.statements.updateReturningIds(model);
    const parts = rows.map((row, index) => ({ row, item: items[index] }));
    const writes = rows.map((after) => ({ before: null, after }));
    const locate = (): Promise<number> =>
      findFirstRejectedRow(database, parts, {
        begin: async (tx) => model.hooks.lock?.(tx, writes),
        write: async (tx, some) => {
          const candidates = some.map(({ row }) => row);
          const written = await this.rows.runStatement<[id: number]>(tx, statement, candidates);
          const tagged = written.map(([objectId], index) => ({ objectId, item: some[index]?.item }));
          await this.rows.writeRelatedTables(tx, model, tagged);
          // Runs the checks now that the database would run at the end of the transaction.
          await tx.query('SET CONSTRAINTS ALL IMMEDIATE');
        },
      });
    return explainConstraintViolation(database, error, { model, registry, rows, shape, locate });
  }
}
