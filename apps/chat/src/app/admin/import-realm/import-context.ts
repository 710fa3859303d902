import type { ApiKeyStore } from '../../../core/access/api-keys.js';
import type { ImageProcessor } from '../../../infra/images/process-images.js';
import type { MessageRenderer } from '../../../infra/markdown/index.js';
import type { ChatTransaction } from '../../../infra/open-prisma.js';
import type { StoredFileDeletionSchedule } from '../../../infra/storage/index.js';
import type { RealmArchive } from './archive/open-archive.js';
import type { RealmImportReport } from './import-report.js';

/** Transaction, archive and dependencies that all steps of an import share. */
export interface RealmImportContext {
  /** Database transaction in which the whole import runs. */
  readonly tx: ChatTransaction;
  readonly archive: RealmArchive;
  readonly report: RealmImportReport;
  readonly realmId: number;
  /** Host name of the organization that the import creates. */
  readonly host: string;
  readonly renderer: MessageRenderer;
  readonly pictures: ImageProcessor;
  readonly apiKeys: ApiKeyStore;
  readonly files: StoredFileDeletionSchedule;
}

/** Properties of an imported user that later steps of the import need. */
export interface ImportedUser {
  readonly fullName: string;
  readonly isActive: boolean;
  readonly translatesEmoticons: boolean;
}

/** Imported users by id, including system bots. */
export type ImportedUsers = ReadonlyMap<number, ImportedUser>;

/** Properties of an imported channel that later steps of the import need. */
export interface ImportedChannel {
  readonly name: string;
  readonly isPrivate: boolean;
}

/** Imported channels by id. */
export type ImportedChannels = ReadonlyMap<number, ImportedChannel>;
