import type { Database } from '@switchboard/database';
import type { Clock, Logger, ClockTimer } from '@switchboard/platform';
import type { FaultPointListener } from '@switchboard/queue';
import type { ChatEventWriter } from '../../../events/chat-events.js';
import { StoredFileDeletionSchedule, type FileStorage } from '../../../infra/storage/index.js';
import { emitRealmExportList } from '../list-realm-exports.js';
import { listExportConsentingAccountIds, removeExportParts } from '../realm-exports.repository.js';
import { exportTypeNumbers } from '../wire-export.js';
import { classifyFailure, maxExportAttempts } from './export-attempt-failures.js';
import type { RealmExportContext, ExportProgress, ExportStepResult } from './export-stage.js';
import {
  finishExport,
  leaseOldestPendingExport,
  type LeasedRealmExport,
  LeaseLostError,
  releaseLease,
  renewLease,
  storeExportBounds,
  storeExportProgress,
} from './leased-exports.repository.js';
import { ExportPartWriter } from './export-part-writer.js';
import { exportStages } from './export-stages.js';

export interface RunRealmExportsOptions {
  readonly database: Database;
  readonly storage: FileStorage;
  readonly events: ChatEventWriter;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  readonly leaseMs: number;
  readonly faultPoint: FaultPointListener | undefined;
}

/**
 * Creates the archives of requested exports in steps. Each step stores parts of the archive. The step then records the
 * parts and the position of the next step in one transaction, which requires the worker's lease. After a crash, another
 * worker continues with the step that was not recorded.
 */
export class RunRealmExports {
  readonly #files: StoredFileDeletionSchedule;

  constructor(private readonly options: RunRealmExportsOptions) {
    this.#files = new StoredFileDeletionSchedule(options.database, options.storage);
  }

  /** Works on the next pending export until the export is finished or fails. Returns false if no export is pending. */
  async run(isStopped: () => boolean): Promise<boolean> {
    const { database, leaseMs, logger } = this.options;
    const lease = await leaseOldestPendingExport(database, leaseMs);
    if (lease === null) return false;
    if (lease.attempts > maxExportAttempts) {
      await this.#markFailed(lease);
      return true;
    }
    const renewal = this.#renewLeaseDuringStep(lease);
    let { attempts } = lease;
    try {
      const onProgress = (): void => void (attempts = 1);
      await this.#work(lease, { isStopped: () => isStopped() || renewal.isLost(), onProgress });
      if (isStopped()) await releaseLease(database, lease, { isCounted: false, delayMs: 0 });
    } catch (error) {
      logger.warn({ err: error, exportId: lease.id, attempt: attempts }, 'a step of an export failed');
      if (!(error instanceof LeaseLostError)) await this.#endFailedAttempt({ ...lease, attempts }, error);
    } finally {
      renewal.stop();
    }
    return true;
  }

  /** Handles a failed attempt at an export: schedules another attempt after a delay, or marks the export as failed. */
  async #endFailedAttempt(lease: LeasedRealmExport, error: unknown): Promise<void> {
    const attempt = classifyFailure(error, lease.attempts);
    if (attempt.isCounted && lease.attempts >= maxExportAttempts) await this.#markFailed(lease);
    else await releaseLease(this.options.database, lease, attempt);
  }

  async #work(
    lease: LeasedRealmExport,
    { isStopped, onProgress }: { readonly isStopped: () => boolean; readonly onProgress: () => void },
  ): Promise<void> {
    const context = await this.#prepareContext(lease);
    let progress: ExportProgress = lease;
    for (;;) {
      if (isStopped()) return;
      const stage = exportStages[progress.stage];
      if (stage === undefined) break;
      const { counts, clientIds } = progress;
      const step = await stage.run({ ...context, counts, clientIds }, progress.cursor);
      this.options.faultPoint?.('realm-export.before-commit');
      progress = await this.#recordProgress(lease, progress, step);
      onProgress();
      this.options.faultPoint?.('realm-export.after-commit');
    }
    await this.options.database.inTransaction(async (tx) => {
      await finishExport(tx, lease, 'succeeded');
      await emitRealmExportList(tx, this.options.events, lease.realmId);
    });
  }

  /**
   * Returns the data that the stages of an export need. All attempts use the consenting users and the newest message id
   * of the first attempt.
   */
  async #prepareContext(lease: LeasedRealmExport): Promise<Omit<RealmExportContext, 'counts' | 'clientIds'>> {
    const { database, storage } = this.options;
    const { id: exportId, realmId } = lease;
    const isPublic = lease.exportType === exportTypeNumbers.public;
    let { consentingUserIds: consentingIds, lastMessageId } = lease;
    if (consentingIds === null || lastMessageId === null) {
      consentingIds = isPublic ? [] : await listExportConsentingAccountIds(database, realmId);
      const { rows } = await database.query<{ id: number }>('SELECT coalesce(max(id), 0)::bigint AS id FROM messages');
      lastMessageId = rows[0]?.id ?? 0;
      const bounds = { consentingIds, lastMessageId };
      await database.inTransaction((tx) => storeExportBounds(tx, lease, bounds));
    }
    const parts = new ExportPartWriter(this.#files, `exports/${realmId}/${exportId}`);
    return { exportId, realmId, isPublic, consentingIds, lastMessageId, database, storage, parts };
  }

  async #recordProgress(
    lease: LeasedRealmExport,
    before: ExportProgress,
    step: ExportStepResult,
  ): Promise<ExportProgress> {
    const isDone = step.cursor === null;
    const progress: ExportProgress = {
      stage: isDone ? before.stage + 1 : before.stage,
      cursor: step.cursor,
      counts: { ...before.counts, ...step.counts },
      clientIds: step.clientIds ?? before.clientIds,
    };
    await this.options.database.inTransaction(async (tx) => {
      const keys = step.parts.map(({ key }) => key);
      if (keys.length > 0) await this.#files.cancelFileDeletion(tx, keys);
      await storeExportProgress(tx, lease, progress, step.parts);
    });
    return progress;
  }

  async #markFailed(lease: LeasedRealmExport): Promise<void> {
    const keys = await this.options.database.inTransaction(async (tx) => {
      await finishExport(tx, lease, 'failed');
      const removed = await removeExportParts(tx, lease.id);
      await this.#files.scheduleDeletion(tx, removed);
      await emitRealmExportList(tx, this.options.events, lease.realmId);
      return removed;
    });
    await this.#files.deleteNow(keys);
  }

  /** Renews the lease of an export periodically while a step runs. */
  #renewLeaseDuringStep(lease: LeasedRealmExport): { isLost(): boolean; stop(): void } {
    const { clock, database, leaseMs, logger } = this.options;
    let isLost = false;
    let timer: ClockTimer | undefined;
    const schedule = (): void => {
      timer = clock.setTimeout(() => {
        renewLease(database, lease, leaseMs)
          .then((isRenewed) => {
            isLost = !isRenewed;
          })
          .catch((error: unknown) => logger.warn({ err: error }, 'the lease of an export could not be renewed'))
          .finally(() => {
            if (!isLost && timer !== undefined) schedule();
          });
      }, leaseMs / 3);
    };
    schedule();
    return {
      isLost: () => isLost,
      stop: () => {
        if (timer !== undefined) clock.clearTimeout(timer);
        timer = undefined;
      },
    };
  }
}
