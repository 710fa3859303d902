import type { RowTextsByColumn, EncryptedColumn, StoredSecretColumns } from '@switchboard/auth';
import { endpointSecretPurpose } from '@switchboard/webhooks';
import { getApiKeyEncryptionPurpose } from '../core/access/api-keys.js';
import { createCallTokenPurpose } from '../features/video-calls/index.js';
import {
  outgoingMailOutboxMessageType,
  createStoredMailEncryptionPurpose,
  createEnqueuedMailEncryptionPurpose,
} from '../infra/mail/index.js';

/**
 * Returns the description of an encrypted column. The column is encrypted like the API key of the account whose id is
 * in `userColumn`.
 */
function describeEncryptedAccountColumn(
  column: Pick<EncryptedColumn, 'table' | 'primaryKey' | 'column' | 'digest' | 'whenLost'>,
  userColumn: string,
): EncryptedColumn {
  return {
    ...column,
    purposeColumns: [userColumn],
    purpose: (row) => getApiKeyEncryptionPurpose(row[userColumn] ?? ''),
  };
}

const encryptedInventoryTokenColumn = { column: 'token_sealed', whenLost: 'delete' } as const;

const encryptedWebhookSecretColumn = {
  table: 'webhooks.endpoints',
  primaryKey: { id: 'uuid' },
  purpose: ({ id = '' }: RowTextsByColumn) => endpointSecretPurpose(id),
};

/**
 * All database columns that contain encrypted texts or digests under a pepper. The list omits encrypted links to
 * exports and files, because the links expire. The list omits encrypted event log entries in Redis, because their loss
 * only makes clients register again.
 */
export const chatSecretColumns: StoredSecretColumns = {
  sealed: [
    describeEncryptedAccountColumn(
      {
        table: 'users',
        primaryKey: { id: 'integer' },
        column: 'api_key_sealed',
        whenLost: 'clear',
        digest: {
          column: 'api_key_digest',
          pepperIdColumn: 'api_key_pepper_id',
          digestedText: (apiKey) => apiKey,
        },
      },
      'id',
    ),
    describeEncryptedAccountColumn(
      { ...encryptedInventoryTokenColumn, table: 'bot_services', primaryKey: { user_id: 'integer' } },
      'user_id',
    ),
    describeEncryptedAccountColumn(
      {
        table: 'bot_config_data',
        primaryKey: { user_id: 'integer', key: 'text' },
        column: 'value_sealed',
        whenLost: 'delete',
      },
      'user_id',
    ),
    describeEncryptedAccountColumn(
      { ...encryptedInventoryTokenColumn, table: 'push_tokens', primaryKey: { id: 'integer' } },
      'user_id',
    ),
    describeEncryptedAccountColumn(
      { ...encryptedInventoryTokenColumn, table: 'invitations', primaryKey: { id: 'integer' } },
      'inviter_id',
    ),
    {
      ...encryptedInventoryTokenColumn,
      table: 'video_call_tokens',
      primaryKey: { user_id: 'integer', provider: 'text' },
      purpose: ({ user_id: userId = '', provider = '' }) => createCallTokenPurpose(userId, provider),
    },
    {
      table: 'outgoing_mails',
      primaryKey: { id: 'bigint' },
      column: 'text_sealed',
      whenLost: 'delete',
      purpose: ({ id = '' }) => createStoredMailEncryptionPurpose(id),
    },
    {
      table: 'queue.outbox',
      primaryKey: { id: 'bigint' },
      column: 'payload',
      json: { type: 'json', property: 'sealed' },
      where: `topic = '${outgoingMailOutboxMessageType.name}'`,
      purpose: ({ payload = '{}' }) =>
        createEnqueuedMailEncryptionPurpose(String((JSON.parse(payload) as { to?: unknown }).to)),
    },
    { ...encryptedWebhookSecretColumn, column: 'secret' },
    { ...encryptedWebhookSecretColumn, column: 'former_secrets', json: { type: 'jsonb', property: 'secret' } },
  ],
  digests: [
    {
      table: 'api_keys',
      column: 'digest',
      pepperIdColumn: 'pepper_id',
      lastUsedSql: 'coalesce(last_used_at, created_at)',
    },
  ],
};
