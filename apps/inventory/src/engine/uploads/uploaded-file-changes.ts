import type { ModelDefinition, ObjectValuesToStore } from '../declaration/define-model.js';
import type { WorkOutsideTransaction } from '../write/work-outside-transaction.js';
import { type MediaStore, UploadedFile } from './uploaded-file.js';

/**
 * Tracks the uploaded files of one write. The files are stored before the write's transaction ends. If the transaction
 * fails, the new files are removed. If the transaction is committed, the files that the write replaced are removed. If
 * the outcome of the transaction is unknown, callers must call neither {@link removeReplacedFiles} nor
 * {@link removeAddedFiles}: a periodic cleanup then removes unused files.
 */
export class UploadedFileChanges {
  readonly #added: string[] = [];
  readonly #suspected = new Set<string>();
  #kept: string[] = [];
  #replaced: string[] = [];
  #isCommitted = false;

  constructor(private readonly media: MediaStore) {}

  /** Prepares the tracked files for another attempt of the write's transaction. */
  prepareForNextWriteAttempt(): void {
    this.#kept = [];
    this.#replaced = [];
  }

  /**
   * Stores the uploaded files of an object before the transaction continues. Marks the files that the new files replace
   * as suspect, which means possibly unused. Returns the values of the columns for the paths and properties of the
   * files.
   */
  async storeUploads(
    model: ModelDefinition,
    row: ObjectValuesToStore,
    previous: ObjectValuesToStore | null,
    ahead: WorkOutsideTransaction,
  ): Promise<Readonly<Record<string, unknown>>> {
    const columns: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(model.fields)) {
      if (field.upload === undefined) continue;
      const given: unknown = row[name];
      const before: unknown = previous?.[name];
      if (typeof before === 'string' && before !== '' && given !== before) {
        this.#replaced.push(before);
        await ahead.getSlowWorkResult(`suspect ${before}`, () => this.#markAsSuspect([before]).then(() => true));
      }
      if (!(given instanceof UploadedFile)) continue;
      const requested = field.upload.path(row, given);
      const path = await ahead.getSlowWorkResult(given, () => this.#addNewFile(requested, given));
      if (path === undefined) continue;
      this.#kept.push(path);
      Object.assign(columns, { [field.column(name)?.name ?? name]: path }, field.upload.columns(given));
    }
    return columns;
  }

  /**
   * Marks the files of objects as replaced, because the objects are being deleted. `rows` are the stored values of the
   * objects.
   */
  async markFilesOfDeletedObjects(
    model: ModelDefinition,
    rows: readonly Readonly<Record<string, unknown>>[],
  ): Promise<void> {
    await this.#replace(listFilePaths(model, rows));
  }

  /** Removes replaced files after the transaction was committed. The returned promise never rejects. */
  async removeReplacedFiles(): Promise<void> {
    this.#isCommitted = true;
    const gone = new Set([...this.#replaced, ...this.#added.filter((path) => !this.#kept.includes(path))]);
    await this.#removeFiles(gone);
  }

  /**
   * Removes the files that the write added, unless the transaction was committed in the end. The returned promise never
   * rejects.
   */
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

/** Returns the names of a model's fields whose values are uploaded files. */
export function listFileFieldNames(model: ModelDefinition): readonly string[] {
  const known = fileFieldsByModel.get(model);
  if (known !== undefined) return known;
  const names = Object.keys(model.fields).filter((name) => model.fields[name]?.upload !== undefined);
  fileFieldsByModel.set(model, names);
  return names;
}

const fileFieldsByModel = new WeakMap<ModelDefinition, readonly string[]>();

/** Returns the paths of the uploaded files that the given objects refer to. */
function listFilePaths(model: ModelDefinition, rows: readonly Readonly<Record<string, unknown>>[]): string[] {
  const names = listFileFieldNames(model);
  return rows.flatMap((row) =>
    names.flatMap((name) => {
      const path = row[name];
      return typeof path === 'string' && path !== '' ? [path] : [];
    }),
  );
}
