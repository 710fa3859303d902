import type { Tx } from '@switchboard/database';
import { AppError } from '@switchboard/errors';
import type { InventoryActor } from '../engine/access.js';
import type { ModelDefinition } from '../engine/declaration/model.js';
import { changeContextOf } from '../engine/write/change-sink.js';
import type { Remover } from '../engine/write/remover.js';
import type { Writer } from '../engine/write/writer.js';
import { dataFile } from '../models/core/data-file.js';
import { configContext } from '../models/extras/config-context.js';
import { configContextProfile } from '../models/extras/config-context-profile.js';
import { configTemplate } from '../models/extras/config-template.js';
import { exportTemplate } from '../models/extras/export-template.js';
import { SyncError } from './sync-error.js';

/** Models whose objects copy the content of data files. Profiles come first: they check the data of contexts. */
const copies: readonly ModelDefinition[] = [configContextProfile, configContext, configTemplate, exportTemplate];

/** Number of objects that are changed at a time. */
const objectsAtOnce = 100;

/** Maximum length of an error in the job. */
const maxErrorLength = 2000;

/** Parts of the functions that change objects. */
export interface CopyParts {
  readonly writer: Writer;
  readonly remover: Remover;
  /** User of the job, to whom the changes are attributed. */
  readonly actor: InventoryActor;
}

/**
 * Copies the content of changed files to the objects that are synchronized automatically, with change records and events.
 *
 * @throws SyncError if the content does not suit an object
 */
export async function updateCopies(
  tx: Tx,
  { sourceId, paths }: { readonly sourceId: number; readonly paths: readonly string[] },
  { writer, actor }: CopyParts,
): Promise<void> {
  for (const model of copies) {
    const { rows } = await tx.query<{ id: number }>(
      `SELECT o.id FROM core_datafile f JOIN ${model.table} o ON o.data_file_id = f.id AND o.auto_sync_enabled
        WHERE f.source_id = $1 AND f.path = ANY ($2::text[]) ORDER BY o.id`,
      [sourceId, paths],
    );
    for (let from = 0; from < rows.length; from += objectsAtOnce) {
      const changes = rows.slice(from, from + objectsAtOnce).map(({ id }) => ({ id: String(id), body: {} }));
      const write = { model, actor, grant: { where: null }, request: null, base: '' };
      await writer.updateWithin(tx, write, changes).catch((error: unknown) => {
        throw syncErrorOf(error, model);
      });
    }
  }
}

/** Sets references to files to null, with change records and events, before the files are deleted. */
export async function forgetFiles(tx: Tx, ids: readonly number[], { remover, actor }: CopyParts): Promise<void> {
  await remover.clearReferences(tx, { model: dataFile, ids }, changeContextOf({ actor, request: null }));
}

/** Converts the refusal of an object to the error of a job. */
function syncErrorOf(error: unknown, { verboseName }: ModelDefinition): unknown {
  if (!(error instanceof AppError) || error.code !== 'VALIDATION_FAILED') return error;
  const text = `A ${verboseName} refuses its file: ${JSON.stringify(error.fields['body'] ?? error.fields)}`;
  return new SyncError(text.slice(0, maxErrorLength), { cause: error });
}
