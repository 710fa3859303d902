import type { ModelDefinition, RowValueByColumn } from '../declaration/define-model.js';
import type { WorkOutsideTransaction } from '../write/work-outside-transaction.js';
import { type MediaStore, UploadedFile } from './uploaded-file.js';

/**
 * Tracks the uploaded files of one write. The files are stored before the write's transaction ends. If the transaction
 * fails, the new files are removed. If it is committed, the replaced files are removed. If the outcome is unknown, call
 * neither {@link removeReplacedFiles} nor {@link removeAddedFiles}: a periodic cleanup then decides.
 */
export class UploadedFileChanges {
  readonly #added: string[] = [];
  readonly #suspected = new Set<string>();
  #kept: string[] = [];
  #replaced: string[] = [];
  #isCommitted = false;

  constructor(private readonly media: MediaStore) {}

  /** Starts another attempt of the write's transaction. */
  startAttempt(): void {
    this.#kept = [];
    this.#replaced = [];
  }

  /**
   * Stores the uploaded files of an object before its transaction continues, and marks replaced files as suspect.
   * Returns the columns with the paths and properties of the files.
   */
  async storeUploads(
    model: ModelDefinition,
    row: RowValueByColumn,
    previous: RowValueByColumn | null,
    ahead: WorkOutsideTransaction,
  ): Promise<Readonly<Record<string, unknown>>> {
    const columns: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(model.fields)) {
      if (field.upload === undefined) continue;
      const given: unknown = row[name];
      const before: unknown = previous?.[name];
      if (typeof before === 'string' && before !== '' && given !== before) {
        this.#replaced.push(before);
        await ahead.takeResult(`suspect ${before}`, () => this.#markAsSuspect([before]).then(() => true));
      }
      if (!(given instanceof UploadedFile)) continue;
      const requested = field.upload.path(row, given);
      const path = await ahead.takeResult(given, () => this.#addNewFile(requested, given));
      if (path === undefined) continue;
      this.#kept.push(path);
      Object.assign(columns, { [field.column(name)?.name ?? name]: path }, field.upload.columns(given));
    }
    return columns;
  }

  /** Marks the files of objects that are being deleted as replaced. `rows` are the stored values of the objects. */
  async markDeletedFiles(model: ModelDefinition, rows: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
    await this.#replace(listFilePaths(model, rows));
  }

  /** Removes the replaced files after the transaction was committed. Never rejects. */
  async removeReplacedFiles(): Promise<void> {
    this.#isCommitted = true;
    const gone = new Set([...this.#replaced, ...this.#added.filter((path) => !this.#kept.includes(path))]);
    await this.#removeFiles(gone);
  }

  /** Removes the new files, unless the transaction was committed after all. Never rejects. */
  async removeAddedFiles(): Promise<void> {
    if (!this.#isCommitted) await this.#removeFiles(new Set(this.#added));
  }

  async #removeFiles(gone: ReadonlySet<string>): Promise<void> {
    const kept = [...this.#added, ...this.#suspected].filter((path) => !gone.has(path));
    if (gone.size > 0) await this.media.removeSuspects([...gone]);
    if (kept.length > 0) await this.media.markAsUsed(kept);
  }

  async #addNewFile(requested: string, { content }: UploadedFile): Promise<string> {
    const path = await this.media.add(requested, content);
    this.#added.push(path);
    return path;
  }

  async #replace(paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return;
    this.#replaced.push(...paths);
    await this.#markAsSuspect(paths);
  }

  async #markAsSuspect(paths: readonly string[]): Promise<void> {
    for (const path of paths) this.#suspected.add(path);
    await this.media.markAsSuspect(paths);
  }
}

/** Returns the names of a model's file fields. */
export function fileFields(model: ModelDefinition): readonly string[] {
  const known = fileFieldsByModel.get(model);
  if (known !== undefined) return known;
  const names = Object.keys(model.fields).filter((name) => model.fields[name]?.upload !== undefined);
  fileFieldsByModel.set(model, names);
  return names;
}

const fileFieldsByModel = new WeakMap<ModelDefinition, readonly string[]>();

/** Returns the paths of the files that objects refer to. */
function listFilePaths(model: ModelDefinition, rows: readonly Readonly<Record<string, unknown>>[]): string[] {
  const names = fileFields(model);
  return rows.flatMap((row) =>
    names.flatMap((name) => {
      const path = row[name];
      return typeof path === 'string' && path !== '' ? [path] : [];
    }),
  );
}
