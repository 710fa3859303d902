import { readEncryptionKeyProofs, verifyEncryptionKeysMatchProofs } from '@switchboard/auth';
import { DatabaseInspection, readIfDatabaseExists } from '@switchboard/database';
import {
  createBucketCheck,
  createDatabaseChecks,
  createFolderCheck,
  createKeyCheck,
  createMigrationCheck,
  createRedisChecks,
  type InstallationCheck,
  type ServiceSchema,
  systemClock,
} from '@switchboard/platform';
import { inspectRedis } from '@switchboard/queue';
import { openConfiguredS3Bucket } from '@switchboard/s3';
import { createServiceKeys } from '../../infra/key-ring.js';
import { createMailCheck } from '../../infra/mail/index.js';
import { incompleteFilesFolder } from '../../infra/storage/index.js';
import type { ChatServiceConfig } from '../environment.js';
import { backedUpDatabaseSchemas } from './chat-backup-source.js';

/** Migrations of the service, and the recipient of a test email. */
export interface ChatCheckOptions {
  readonly schema: Pick<ServiceSchema, 'requireMigrations'>;
  /** Oldest supported major version of PostgreSQL. */
  readonly minimumServerVersion: number;
  /** Address to which the check sends an email. Without it, no email is sent. */
  readonly mailTo?: string | undefined;
}

/** Extensions that the migrations create. */
const requiredExtensions = ['pg_trgm'];

/** Time limit for one connection to Redis, in milliseconds. */
const redisTimeoutMs = 5_000;

/** Returns the checks of an installation of chat, for the admin command `check`. */
export function createChatChecks(config: ChatServiceConfig, options: ChatCheckOptions): InstallationCheck[] {
  const { schema, minimumServerVersion, mailTo } = options;
  return [
    ...createDatabaseChecks({
      database: new DatabaseInspection(config.DATABASE_URL),
      migrationDatabase: new DatabaseInspection(config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL),
      minimumServerVersion,
      schemas: backedUpDatabaseSchemas,
      extensions: requiredExtensions,
      config,
    }),
    createMigrationCheck(schema),
    createKeyCheck(() => verifyKeys(config)),
    ...createRedisChecks(() =>
      inspectRedis(config.REDIS_URL, { prefix: config.REDIS_KEY_PREFIX, timeoutMs: redisTimeoutMs }),
    ),
    createChatFileCheck(config),
    createMailCheck(config, mailTo),
    // Without a mail server, the service writes emails to a folder.
    ...(config.SMTP_URL === undefined ? [createFolderCheck({ name: 'mail-folder', folder: config.MAIL_FOLDER })] : []),
  ];
}

/** Verifies that the configured keys can decrypt the key proofs in the database. Returns the number of proofs. */
async function verifyKeys(config: ChatServiceConfig): Promise<number> {
  const proofs = await readIfDatabaseExists(config.DATABASE_URL, readEncryptionKeyProofs);
  verifyEncryptionKeysMatchProofs(createServiceKeys(config), proofs);
  return proofs.length;
}

function createChatFileCheck(config: ChatServiceConfig): InstallationCheck {
  const bucket = openConfiguredS3Bucket(config, () => systemClock.now());
  return bucket === null
    ? createFolderCheck({ folder: config.UPLOADS_DIR, subfolders: [incompleteFilesFolder] })
    : createBucketCheck(config.S3_BUCKET ?? '', bucket);
}
