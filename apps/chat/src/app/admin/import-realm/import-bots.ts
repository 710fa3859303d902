import { randomBytes } from 'node:crypto';
import { writeBotConfig } from '../../../core/users/index.js';
import type { RealmImportContext, ImportedUsers } from './import-context.js';
import { insertImportedRows } from './insert-rows.js';

const botWebhookServiceColumns = { user_id: 'int', base_url: 'text', interface: 'int', token_sealed: 'text' };

/**
 * Inserts the webhook services of the imported outgoing webhook bots, with new tokens. Inserts the configuration of
 * bots.
 */
export async function importBotWebhookServices(context: RealmImportContext, users: ImportedUsers): Promise<void> {
  const { tx, archive, apiKeys, report } = context;
  for await (const rows of archive.tables.readTableInBatches('zerver_service')) {
    const valid = rows.filter((row) => users.has(row.readId('user_profile')) && isWebUrl(row.readText('base_url')));
    const services = valid.map((row) => ({
      user_id: row.readId('user_profile'),
      base_url: row.readText('base_url'),
      interface: row.readOptionalInteger('interface') ?? 1,
      token_sealed: apiKeys.encryptAccountSecret(row.readId('user_profile'), randomBytes(16).toString('hex')),
    }));
    const inserted = await insertImportedRows(tx, 'bot_services', botWebhookServiceColumns, services, {
      skipsDuplicates: true,
    });
    report.addImportedRowCount('services of bots', inserted);
    report.addSkippedRowCount('services of bots with an invalid address', rows.length - inserted);
  }
  for await (const rows of archive.tables.readTableInBatches('zerver_botconfigdata')) {
    for (const row of rows) {
      if (!users.has(row.readId('bot_profile'))) continue;
      await writeBotConfig(tx, apiKeys, row.readId('bot_profile'), { [row.readText('key')]: row.readText('value') });
      report.addImportedRowCount('configuration values of bots', 1);
    }
  }
}

function isWebUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
