import type { SecretTextEncryptor } from '@switchboard/auth';
import type { Database } from '@switchboard/database';
import { writeWithCurrentCustomFields } from '../engine/custom-fields/custom-field.js';
import type { ObjectJsonSqlCache } from '../engine/read/object-json-sql.js';
import type { ObjectRemover } from '../engine/write/object-remover.js';
import { retryWithoutBatches } from '../engine/write/run-in-row-batches.js';
import type { ObjectWriter } from '../engine/write/object-writer.js';
import { listBucketObjects } from './read-bucket-objects.js';
import { listRepositoryFiles } from './git/repository-files.js';
import { createFileIgnoreCheck } from './file-ignore-rules.js';
import type { DataSourceJobEventEmitter } from './emit-sync-job-events.js';
import { listLocalFiles } from './read-local-folder.js';
import { decryptParameters } from './decrypt-parameters.js';
import type { DataSourceSettings } from './data-source-settings.js';
import { compareSourceFiles, type FileDifferences, type ListedSourceFile } from './compare-source-files.js';
import { readFileHashesByPath, storeDataFiles } from './store-data-files.js';
import {
  type ClaimedSyncJob,
  type ClaimedDataSource,
  storeSyncJobResult,
  lockDataSourceOfJob,
  type SyncJobLogEntry,
  createSyncJobLogEntry,
} from './data-source-sync-jobs.js';
import { JobLostError, SyncError } from './data-source-sync-error.js';

export interface SyncSourceOptions {
  readonly database: Database;
  readonly shapes: ObjectJsonSqlCache;
  readonly writer: ObjectWriter;
  readonly remover: ObjectRemover;
  readonly events: DataSourceJobEventEmitter;
  readonly settings: DataSourceSettings;
  readonly keys: { readonly box: Pick<SecretTextEncryptor, 'open'> };
  /** Signal that is aborted when the process stops or loses the lease of the job. */
  readonly signal: AbortSignal;
}

/**
 * Runs a synchronization job: reads the files of its data source, then stores the differences and the outcome in one
 * transaction. After an error the stored files remain unchanged, and the job is marked as errored, or as failed if its
 * time limit has passed.
 *
 * @throws JobLostError if another process has taken over the job
 * @throws the reason of the signal after an abort
 */
export async function synchronizeDataSource(job: ClaimedSyncJob, parts: SyncSourceOptions): Promise<void> {
  const { settings, signal } = parts;
  const log = [createSyncJobLogEntry('info', `Synchronizing the data source ${job.source.name}`)];
  const timeLimit = AbortSignal.timeout(settings.limits.timeoutMs);
  try {
    const differences = await readFileDifferences(job.source, parts, AbortSignal.any([signal, timeLimit]));
    const { changed, removed } = differences;
    log.push(createSyncJobLogEntry('info', `Files: ${changed.length} new or changed, ${removed.length} removed`));
    await storeSynchronizedFiles(job, differences, { ...parts, log });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SyncError)
      await endSynchronizationWithoutFiles(job, { ...parts, log, status: 'errored', error: error.message });
    else if (timeLimit.aborted && error === timeLimit.reason) {
      const text = `The files could not be read within ${settings.limits.timeoutMs} ms.`;
      await endSynchronizationWithoutFiles(job, { ...parts, log, status: 'failed', error: text });
    } else {
      // The job would otherwise begin again when its lease has ended, and fail in the same way.
      const text = 'The synchronization failed for an unexpected reason.';
      if (!(error instanceof JobLostError))
        await endSynchronizationWithoutFiles(job, { ...parts, log, status: 'errored', error: text });
      throw error;
    }
  }
}

async function readFileDifferences(
  source: ClaimedDataSource,
  { database, settings, keys }: SyncSourceOptions,
  signal: AbortSignal,
): Promise<FileDifferences> {
  const stored = await readFileHashesByPath(database, source.id);
  const { limits } = settings;
  const isIgnored = createFileIgnoreCheck(source.ignoreRules, signal);
  return compareSourceFiles({
    listed: listSourceFiles(source, { settings, keys, signal }),
    stored,
    isIgnored,
    limits,
    signal,
  });
}

/**
 * Lists the files of a data source.
 *
 * @throws SyncError for an unsupported type of source
 */
function listSourceFiles(
  source: ClaimedDataSource,
  { settings, keys, signal }: Pick<SyncSourceOptions, 'settings' | 'keys' | 'signal'>,
): AsyncIterable<ListedSourceFile> {
  const { type, url } = source;
  if (type === 'local') return listLocalFiles(url, settings, signal);
  const parameters = decryptParameters(source, keys.box);
  if (type === 'git') return listRepositoryFiles(url, parameters, settings, signal);
  if (type === 'amazon-s3') return listBucketObjects(url, parameters, settings, signal);
  throw new SyncError(`Data sources of type ${type} cannot be synchronized.`);
}

/** Stores the differences between the read and the stored files, and the outcome of the synchronization job. */
async function storeSynchronizedFiles(
  job: ClaimedSyncJob,
  differences: FileDifferences,
  { database, shapes, writer, remover, events, log }: SyncSourceOptions & { readonly log: readonly SyncJobLogEntry[] },
): Promise<void> {
  const { id, username } = job.user;
  const actor = { id, kind: 'user', username, isSuperuser: true, mayWrite: true, permissions: [] };
  await retryWithoutBatches((begin) =>
    writeWithCurrentCustomFields(shapes.customFields, () =>
      database.inTransaction(async (tx) => {
        begin(tx);
        await lockDataSourceOfJob(tx, job);
        await storeDataFiles(tx, job.source.id, differences, { writer, remover, actor });
        const done = createSyncJobLogEntry('info', 'The synchronization is complete');
        await storeSyncJobResult(tx, job, { status: 'completed', error: '', log: [...log, done] }, events);
      }),
    ),
  );
}

/** Records the end of a synchronization job without changing stored files. */
async function endSynchronizationWithoutFiles(
  job: ClaimedSyncJob,
  {
    database,
    events,
    log,
    status,
    error,
  }: SyncSourceOptions & {
    readonly log: readonly SyncJobLogEntry[];
    readonly status: 'errored' | 'failed';
    readonly error: string;
  },
): Promise<void> {
  await database.inTransaction(async (tx) => {
    await lockDataSourceOfJob(tx, job);
    await storeSyncJobResult(tx, job, { status, error, log: [...log, createSyncJobLogEntry('error', error)] }, events);
  });
}
