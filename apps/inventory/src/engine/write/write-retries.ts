import { UnknownCommitOutcomeError, type OpenTx } from '@switchboard/database';
import { writeWithCurrentCustomFields } from '../custom-fields/custom-field.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import { UploadedFileChanges } from '../uploads/uploaded-file-changes.js';
import { allowLongStatements } from './allow-long-statements.js';
import { findFirstRejectedRow } from './find-first-rejected-row.js';
import type { ParsedRequestObject } from './parse-object-input.js';
import { type CandidateRowValues, explainConstraintViolation, type ValidationErrorForm } from './validation-error.js';
import type { RowWriter } from './row-writer.js';
import { retryWithoutBatches } from './run-in-row-batches.js';
import { WorkOutsideTransaction } from './work-outside-transaction.js';
import type { ObjectWriterOptions } from './write-request.js';
import type { RowWriteStatements } from './write-statements.js';

/** State of one attempt to run a write in a transaction. */
export interface WriteAttempt {
  readonly candidates: CandidateRowValues[];
  readonly items: ParsedRequestObject[];
  readonly files: UploadedFileChanges;
  readonly ahead: WorkOutsideTransaction;
  /** True if the write uses temporary tables, and therefore may run long statements. */
  isStaged: boolean;
}

/** Result of a write, with the ids of the written objects. */
export interface WriteResult<T> {
  readonly ids: readonly number[];
  readonly result: T;
}

/** Runs writes in transactions, and converts database errors to error responses. */
export class RetryingWriteRunner {
  constructor(
    private readonly options: ObjectWriterOptions,
    private readonly statements: RowWriteStatements,
    private readonly rows: RowWriter,
  ) {}

  /**
   * Runs a write in a transaction, and repeats it after a conflict with another transaction.
   *
   * @throws ApplicationError VALIDATION_FAILED if a database constraint rejects a row
   */
  async runWriteWithRetries<T>(
    model: ModelDefinition,
    shape: ValidationErrorForm,
    run: (tx: OpenTx, attempt: WriteAttempt) => Promise<WriteResult<T>>,
  ): Promise<T> {
    const { database, onCommitted, shapes, media } = this.options;
    const files = new UploadedFileChanges(media);
    const ahead = new WorkOutsideTransaction();
    const createAttempt = (): WriteAttempt => ({ candidates: [], items: [], files, ahead, isStaged: false });
    let attempt = createAttempt();
    const write = (): Promise<WriteResult<T>> =>
      retryWithoutBatches((begin) =>
        writeWithCurrentCustomFields(shapes.customFields, () =>
          database.inTransaction((tx) => {
            begin(tx);
            attempt = createAttempt();
            files.prepareForNextWriteAttempt();
            return run(tx, attempt);
          }),
        ),
      );
    try {
      const { ids, result } = await ahead.runWriteWithSlowWork(write);
      await Promise.all([onCommitted(model, ids), files.removeReplacedFiles()]);
      return result;
    } catch (error) {
      if (error instanceof UnknownCommitOutcomeError) {
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
    { candidates: rows, items, isStaged }: WriteAttempt,
  ): Promise<unknown> {
    const { database, registry } = this.options;
    const isNew = shape.kind === 'created list';
    const statement = isNew
      ? this.statements.createInsertReturningIdsStatement(model)
      : this.statements.createUpdateReturningIdsStatement(model);
    const parts = rows.map((row, index) => ({ row, item: items[index] }));
    const writes = rows.map((after) => ({ before: null, after }));
    const locate = (): Promise<number> =>
      findFirstRejectedRow(database, parts, {
        begin: async (tx) => {
          if (isStaged) await allowLongStatements(tx);
          await model.hooks.lock?.(tx, writes);
        },
        write: async (tx, some) => {
          const candidates = some.map(({ row }) => row);
          const written = await this.rows.runWriteStatement<[id: number]>(tx, statement, candidates);
          const tagged = written.map(([objectId], index) => ({ objectId, item: some[index]?.item }));
          await this.rows.tryRelatedTables(tx, model, tagged);
          // Runs the checks now that the database would run at the end of the transaction.
          await tx.query('SET CONSTRAINTS ALL IMMEDIATE');
        },
      });
    return explainConstraintViolation(database, error, { model, registry, rows, shape, locate });
  }
}
