import type { Database } from '@switchboard/database';
import type { FileStorage } from '../../../infra/storage/index.js';
import type { PartWriter, WrittenPart } from './part-writer.js';

/**
 * Numbers of the entries of the archive, by which they are ordered. Entries that end with `Files` are several files.
 * Files of messages have the numbers from `messages` on.
 */
export const archiveEntry = {
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

/** State of an export between two steps. A worker that continues the export of another one begins with it. */
export interface ExportProgress {
  readonly stage: number;
  /** Position within the stage; null at its beginning. */
  readonly cursor: unknown;
  /** Numbers of rows written so far, by list. */
  readonly counts: Readonly<Record<string, number>>;
  /** Ids of the client programs of the exported messages. */
  readonly clientIds: readonly number[];
}

/** An export with all that its stages need. */
export interface ExportContext {
  readonly exportId: number;
  readonly realmId: number;
  readonly isPublic: boolean;
  /** Accounts whose private data is exported. */
  readonly consentingIds: readonly number[];
  /** Newest message that may be exported. */
  readonly lastMessageId: number;
  readonly database: Database;
  readonly storage: Pick<FileStorage, 'open'>;
  readonly parts: PartWriter;
  readonly counts: Readonly<Record<string, number>>;
  readonly clientIds: readonly number[];
}

/** Result of one step, which is committed in one transaction. */
export interface StepResult {
  readonly parts: readonly WrittenPart[];
  /** Position of the next step; null if the stage is done. */
  readonly cursor: object | null;
  /** Changed numbers of rows. */
  readonly counts?: Readonly<Record<string, number>>;
  readonly clientIds?: readonly number[];
}

/** A part of the work, divided into steps. Each step takes seconds and a bounded amount of memory. */
export interface ExportStage {
  /**
   * Runs the next step.
   *
   * @param cursor as an earlier step returned it; null for the first step
   */
  run(context: ExportContext, cursor: unknown): Promise<StepResult>;
}
