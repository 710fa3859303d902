import { createLogger } from '@switchboard/platform';
import { describe, expect, it } from 'vitest';
import { chatCluster } from '../../../test/chat-server.js';
import { readChatServiceConfig } from '../environment.js';
import { closeChatProcessRuntime, createChatProcessRuntime } from '../runtime.js';
import { createDemoRealm } from './index.js';

describe('demo organization', () => {
  it('contains each object once when ten processes start concurrently', async () => {
    const fresh = await chatCluster({ withDemo: false });
    const silent = createLogger({ level: 'silent', name: 'chat' });
    const runtimes = Array.from({ length: 10 }, () =>
      createChatProcessRuntime(
        readChatServiceConfig({ NODE_ENV: 'test', DATABASE_URL: fresh.database.url, DATABASE_POOL_SIZE: '2' }),
        silent,
      ),
    );
    const made = await Promise.all(
      runtimes.map(({ database, apiKeys, renderer }) =>
        createDemoRealm({ database, apiKeys, renderer, emailDomain: 'example.com', botDomain: 'bots.test' }),
      ),
    );
    expect(made.filter(Boolean)).toHaveLength(1);
    const { rows } = await runtimes[0]!.database.query(
      `SELECT (SELECT count(*) FROM realms) AS realms, (SELECT count(*) FROM users) AS users,
         (SELECT count(*) FROM channels) AS channels, (SELECT count(*) > 200 FROM messages) AS enough,
         (SELECT delivery_email FROM users WHERE delivery_email_key LIKE 'default-bot@%') AS bot`,
    );
    expect(rows).toEqual([{ realms: 1, users: 16, channels: 13, enough: true, bot: 'default-bot@bots.test' }]);
    await Promise.all(runtimes.map(closeChatProcessRuntime));
    await fresh.stop();
  });

  it('appears only in a database without another organization', async () => {
    const cluster = await chatCluster();
    const { runtime } = await cluster.start();
    const { database, apiKeys, renderer } = runtime;
    const parts = { database, apiKeys, renderer, emailDomain: 'example.com', botDomain: 'example.com' };
    expect(await createDemoRealm(parts)).toBe(false);
    await cluster.stop();
  });
});
