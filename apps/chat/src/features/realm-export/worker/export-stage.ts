import type { Database } from '@switchboard/database';
import type { FileStorage } from '../../../infra/storage/index.js';
import type { ExportPartWriter, WrittenExportPart } from './export-part-writer.js';

/**
 * Sequence numbers of the archive entries. Names that end with `Files` mean several files. Message files have the
 * numbers from `messages` on.
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
  /** Position within the stage; null at the start of the stage. */
  readonly cursor: unknown;
  /** Numbers of rows written so far, by name of the list. */
  readonly counts: Readonly<Record<string, number>>;
  /** Ids of the client programs of the exported messages. */
  readonly clientIds: readonly number[];
}

/** Data of an export that its stages need. */
export interface ExportContext {
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

/** Result of an export step, which is committed in one transaction. */
export interface ExportStepResult {
  readonly parts: readonly WrittenExportPart[];
  /** Position of the next step; null if the stage is complete. */
  readonly cursor: object | null;
  /** Numbers of rows that the step has changed, by name of the list. */
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
  run(context: ExportContext, cursor: unknown): Promise<ExportStepResult>;
}
