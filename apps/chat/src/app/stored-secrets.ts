import type { SealedRowTexts, SealedColumn, StoredSecrets } from '@switchboard/auth';
import { endpointSecretPurpose } from '@switchboard/webhooks';
import { apiKeyEncryptionPurpose } from '../core/access/api-keys.js';
import { createCallTokenPurpose } from '../features/video-calls/index.js';
import { outgoingMailMessage, storedMailPurpose, writtenMailPurpose } from '../infra/mail/index.js';

/**
 * Returns the description of an encrypted column. The column is encrypted like the API key of the account whose id is
 * in `userColumn`.
 */
function createAccountColumn(
  column: Pick<SealedColumn, 'table' | 'primaryKey' | 'column' | 'digest' | 'whenLost'>,
  userColumn: string,
): SealedColumn {
  return {
    ...column,
    purposeColumns: [userColumn],
    purpose: (row) => apiKeyEncryptionPurpose(row[userColumn] ?? ''),
  };
}

const inventoryTokenColumns = { column: 'token_sealed', whenLost: 'delete' } as const;

const webhookSecretColumns = {
  table: 'webhooks.endpoints',
  primaryKey: { id: 'uuid' },
  purpose: ({ id = '' }: SealedRowTexts) => endpointSecretPurpose(id),
};

/**
 * All database columns that contain encrypted texts or digests under a pepper. The list omits encrypted links to
 * exports and files, because the links expire. The list omits encrypted event log entries in Redis, because their loss
 * only makes clients register again.
 */
export const chatSecretColumns: StoredSecrets = {
  sealed: [
    createAccountColumn(
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
    createAccountColumn(
      { ...inventoryTokenColumns, table: 'bot_services', primaryKey: { user_id: 'integer' } },
      'user_id',
    ),
    createAccountColumn(
      {
        table: 'bot_config_data',
        primaryKey: { user_id: 'integer', key: 'text' },
        column: 'value_sealed',
        whenLost: 'delete',
      },
      'user_id',
    ),
    createAccountColumn({ ...inventoryTokenColumns, table: 'push_tokens', primaryKey: { id: 'integer' } }, 'user_id'),
    createAccountColumn(
      { ...inventoryTokenColumns, table: 'invitations', primaryKey: { id: 'integer' } },
      'inviter_id',
    ),
    {
      ...inventoryTokenColumns,
      table: 'video_call_tokens',
      primaryKey: { user_id: 'integer', provider: 'text' },
      purpose: ({ user_id: userId = '', provider = '' }) => createCallTokenPurpose(userId, provider),
    },
    {
      table: 'outgoing_mails',
      primaryKey: { id: 'bigint' },
      column: 'text_sealed',
      whenLost: 'delete',
      purpose: ({ id = '' }) => storedMailPurpose(id),
    },
    {
      table: 'queue.outbox',
      primaryKey: { id: 'bigint' },
      column: 'payload',
      json: { type: 'json', property: 'sealed' },
      where: `topic = '${outgoingMailMessage.name}'`,
      purpose: ({ payload = '{}' }) => writtenMailPurpose(String((JSON.parse(payload) as { to?: unknown }).to)),
    },
    { ...webhookSecretColumns, column: 'secret' },
    { ...webhookSecretColumns, column: 'former_secrets', json: { type: 'jsonb', property: 'secret' } },
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
