import type { ServiceFiles } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { openConfiguredS3Bucket, type S3Bucket } from '@switchboard/s3';
import type { ChatConfig } from '../../config.js';
import { messageThumbnailSize } from '../../core/attachments/index.js';

/**
 * SQL query for the storage keys of all files. A test compares the query with the functions that make these keys, such
 * as `getUploadStorageKey` and `getAvatarStoragePath`. Thumbnails are not required to exist, because the service makes
 * missing thumbnails again. An imported emoji whose picture was absent has the file name `missing.png`.
 */
const selectStoredFileKeysSql = `
  SELECT 'uploads/' || path_id AS key, true AS is_required FROM attachments
  UNION ALL SELECT 'thumbnails/' || path_id || '/${messageThumbnailSize.name}', false FROM attachments
  UNION ALL SELECT 'pictures/' || realm_id || '/' || avatar_key || size || '.png', true
    FROM users CROSS JOIN unnest(ARRAY['', '-medium']) AS size WHERE avatar_key IS NOT NULL
  UNION ALL SELECT 'pictures/' || realm_id || '/emoji/images/' || file_name, file_name <> 'missing.png'
    FROM realm_emoji
  UNION ALL SELECT 'pictures/' || realm_id || '/emoji/images/still/' || regexp_replace(file_name, '\\.gif$', '.png'), true
    FROM realm_emoji WHERE is_animated
  UNION ALL SELECT 'pictures/' || id || '/' || folder || '/' || (images -> kind ->> 'key') || '.png', true
    FROM realms CROSS JOIN (VALUES ('icon', 'realm/icon'), ('logo', 'realm/logo'), ('night_logo', 'realm/nightlogo')) AS image (kind, folder)
    WHERE images -> kind ->> 'key' IS NOT NULL
  UNION ALL SELECT key, true FROM resumable_upload_parts
  UNION ALL SELECT key, true FROM realm_export_parts
  UNION ALL SELECT key, false FROM doomed_files`;

/** The stored files of the service, and a function that closes the connection to their bucket. */
interface OpenedStoredFiles {
  readonly files: ServiceFiles;
  close(): Promise<void>;
}

/** Opens the configured folder or bucket of stored files so that a caller can list the files. */
export function openStoredFiles(config: ChatConfig, clock: Clock): OpenedStoredFiles {
  const bucket = openConfiguredS3Bucket(config, () => clock.now());
  if (bucket === null) {
    return {
      files: { keysSql: selectStoredFileKeysSql, store: { kind: 'folder', folder: config.UPLOADS_DIR } },
      close: async () => {},
    };
  }
  const list = (): AsyncGenerator<string> => listStoredFileKeys(bucket);
  const exists = (key: string): Promise<boolean> => bucket.exists(key);
  const { S3_ENDPOINT: endpoint, S3_BUCKET: name = '' } = config;
  const store = { kind: 'bucket', endpoint, bucket: name, list, exists } as const;
  return { files: { keysSql: selectStoredFileKeysSql, store }, close: () => bucket.close() };
}

async function* listStoredFileKeys(bucket: S3Bucket): AsyncGenerator<string> {
  for await (const { key } of bucket.listObjects()) yield key;
}
