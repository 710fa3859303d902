import type { Tx } from '@switchboard/database';
import { ApplicationError } from '@switchboard/errors';
import type { InventoryActor } from '../engine/object-access.js';
import type { ModelDefinition } from '../engine/declaration/define-model.js';
import { getChangeAuthor } from '../engine/write/change-sink.js';
import type { ObjectRemover } from '../engine/write/object-remover.js';
import type { ObjectWriter } from '../engine/write/object-writer.js';
import { dataFileModel } from '../models/core/data-file.js';
import { configContextModel } from '../models/extras/config-context.js';
import { configContextProfileModel } from '../models/extras/config-context-profile.js';
import { configTemplateModel } from '../models/extras/config-template.js';
import { exportTemplateModel } from '../models/extras/export-template.js';
import { maxCopiedDataFileBytes } from '../models/extras/content-of-synced-files.js';
import { SyncError } from './data-source-sync-error.js';

/**
 * Models whose objects copy the content of data files, with the database column of the copy. Profiles precede config
 * contexts, because profiles contain the JSON schemas that validate the config contexts.
 */
const modelsWithFileCopies: readonly { readonly model: ModelDefinition; readonly column: string }[] = [
  { model: configContextProfileModel, column: 'schema' },
  { model: configContextModel, column: 'data' },
  { model: configTemplateModel, column: 'template_code' },
  { model: exportTemplateModel, column: 'template_code' },
];

/** Maximum number of objects that one write updates with copied files. */
const objectsPerFileCopyWrite = 100;

/** Dependencies of the functions that copy file contents to objects and clear file references. */
export interface UpdateCopiesOptions {
  readonly writer: ObjectWriter;
  readonly remover: ObjectRemover;
  /** User who requested the synchronization job. Change records state this user as the author. */
  readonly actor: InventoryActor;
}

/**
 * Copies the content of changed files to the objects that are automatically synchronized with the files. Writes change
 * records and events.
 *
 * @throws SyncError if an object rejects the content, or if the content for all objects exceeds the memory limit
 */
export async function copyChangedFilesToObjects(
  tx: Tx,
  { sourceId, paths }: { readonly sourceId: number; readonly paths: readonly string[] },
  { writer, actor }: UpdateCopiesOptions,
): Promise<void> {
  let bytes = 0;
  for (const { model, column } of modelsWithFileCopies) {
    const { rows } = await tx.query<{ id: number; bytes: number }>(
      `SELECT o.id, greatest(f.size, octet_length(o.${column}::text)) AS bytes
        FROM core_datafile f JOIN ${model.table} o ON o.data_file_id = f.id AND o.auto_sync_enabled
        WHERE f.source_id = $1 AND f.path = ANY ($2::text[]) ORDER BY o.id`,
      [sourceId, paths],
    );
    bytes += rows.reduce((sum, row) => sum + row.bytes, 0);
    if (bytes > maxCopiedDataFileBytes)
      throw new SyncError(`The objects that copy files have more than ${maxCopiedDataFileBytes} bytes.`);
    for (let from = 0; from < rows.length; from += objectsPerFileCopyWrite) {
      const changes = rows.slice(from, from + objectsPerFileCopyWrite).map(({ id }) => ({ id: String(id), body: {} }));
      const write = { model, actor, grant: { where: null }, request: null, base: '' };
      await writer.updateObjectsInTransaction(tx, write, changes).catch((error: unknown) => {
        throw validationToSyncError(error, model);
      });
    }
  }
}

/**
 * Sets all references to the given data files to null before the files are deleted. Writes change records and events.
 */
export async function clearFileReferences(
  tx: Tx,
  ids: readonly number[],
  { remover, actor }: UpdateCopiesOptions,
): Promise<void> {
  await remover.clearReferencesToObjects(tx, { model: dataFileModel, ids }, getChangeAuthor({ actor, request: null }));
}

/**
 * Converts the validation error of an object that was updated from a file to a {@link SyncError}. Returns other errors
 * unchanged.
 */
function validationToSyncError(error: unknown, { verboseName }: ModelDefinition): unknown {
  if (!(error instanceof ApplicationError) || error.code !== 'VALIDATION_FAILED') return error;
  const reason = JSON.stringify(error.fields['body'] ?? error.fields);
  return new SyncError(`A ${verboseName} refuses its file: ${reason}`, { cause: error });
}
