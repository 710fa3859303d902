import type { Database } from '@switchboard/database';
import type { FileStorage } from '../../../infra/storage/index.js';
import type { ExportPartWriter, WrittenExportPart } from './export-part-writer.js';

/**
 * Sequence numbers of the entries in an export archive. Names that end with `Files` refer to several files. The first
 * message file has the number `messages`, and further message files have the following numbers.
 */
export const archiveEntryNumbers = {
  migrationStatus: 1,
  realm: 2,
  analytics: 3,
  attachments: 4,
  stats: 5,
  consents: 6,
  uploadRecords: 10,
  uploadFiles: 11,
  avatarRecords: 12,
  avatarFiles: 13,
  emojiRecords: 14,
  emojiFiles: 15,
  iconRecords: 16,
  iconFiles: 17,
  messages: 100,
} as const;

/** Progress of an export between two steps, from which a worker can continue the export of another worker. */
export interface ExportProgress {
  readonly stage: number;
  /** Position within the current stage of the export; null at the start of the stage. */
  readonly cursor: unknown;
  /** Number of rows written to the archive so far, by name of the table or list. */
  readonly counts: Readonly<Record<string, number>>;
  /** Ids of the client programs that sent the exported messages. */
  readonly clientIds: readonly number[];
}

/** Data and dependencies with which the stages of an export run. */
export interface RealmExportContext {
  readonly exportId: number;
  readonly realmId: number;
  readonly isPublic: boolean;
  /** Ids of the accounts whose private data is exported. */
  readonly consentingIds: readonly number[];
  /** Id of the newest message that may be exported. */
  readonly lastMessageId: number;
  readonly database: Database;
  readonly storage: Pick<FileStorage, 'open'>;
  readonly parts: ExportPartWriter;
  readonly counts: Readonly<Record<string, number>>;
  readonly clientIds: readonly number[];
}

/** Result of one step of an export. The result is committed in one transaction. */
export interface ExportStepResult {
  readonly parts: readonly WrittenExportPart[];
  /** Position at which the next step of the export stage begins; null if the stage is complete. */
  readonly cursor: object | null;
  /** New total numbers of written rows, by name of the table or list, for the lists to which the step added rows. */
  readonly counts?: Readonly<Record<string, number>>;
  readonly clientIds?: readonly number[];
}

/** One stage of an export, divided into steps. Each step takes seconds and a bounded amount of memory. */
export interface ExportStage {
  /**
   * Runs the next step of the stage.
   *
   * @param cursor as an earlier step returned it; null for the first step
   */
  run(context: RealmExportContext, cursor: unknown): Promise<ExportStepResult>;
}
