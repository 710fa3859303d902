import { randomBytes } from 'node:crypto';
import { writeBotConfig } from '../../../core/users/index.js';
import type { ImportContext, ImportedUsers } from './import-context.js';
import { insertRows } from './insert-rows.js';

const botServiceColumns = { user_id: 'int', base_url: 'text', interface: 'int', token_sealed: 'text' };

/**
 * Inserts the webhook services of the imported outgoing webhook bots, with new tokens. Inserts the configuration of
 * bots.
 */
export async function importBots(context: ImportContext, users: ImportedUsers): Promise<void> {
  const { tx, archive, apiKeys, report } = context;
  for await (const rows of archive.tables.readBatches('zerver_service')) {
    const valid = rows.filter((row) => users.has(row.id('user_profile')) && isWebUrl(row.text('base_url')));
    const services = valid.map((row) => ({
      user_id: row.id('user_profile'),
      base_url: row.text('base_url'),
      interface: row.optionalInteger('interface') ?? 1,
      token_sealed: apiKeys.encryptKey(row.id('user_profile'), randomBytes(16).toString('hex')),
    }));
    const inserted = await insertRows(tx, 'bot_services', botServiceColumns, services, { skipsDuplicates: true });
    report.addImported('services of bots', inserted);
    report.addSkipped('services of bots with an invalid address', rows.length - inserted);
  }
  for await (const rows of archive.tables.readBatches('zerver_botconfigdata')) {
    for (const row of rows) {
      if (!users.has(row.id('bot_profile'))) continue;
      await writeBotConfig(tx, apiKeys, row.id('bot_profile'), { [row.text('key')]: row.text('value') });
      report.addImported('configuration values of bots', 1);
    }
  }
}

function isWebUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
