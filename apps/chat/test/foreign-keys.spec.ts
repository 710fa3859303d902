import { listUnindexedForeignKeys } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster } from './chat-server.js';

describe('foreign keys of the chat database', () => {
  let cluster: ChatCluster;
  beforeAll(async () => {
    cluster = await chatCluster({ withDemo: false });
  });
  afterAll(() => cluster.stop());

  it('each have an index', async () => {
    const { runtime } = await cluster.start();
    expect(await listUnindexedForeignKeys(runtime.database)).toEqual([]);
    await runtime.database.query('CREATE TABLE lone (user_id integer REFERENCES users (id))');
    expect(await listUnindexedForeignKeys(runtime.database)).toEqual(['lone(user_id)']);
    await runtime.database.query('CREATE INDEX ON lone (user_id) WHERE user_id > 7');
    expect(await listUnindexedForeignKeys(runtime.database)).toEqual(['lone(user_id)']);
    await runtime.database.query('CREATE INDEX ON lone (user_id) WHERE user_id IS NOT NULL');
    expect(await listUnindexedForeignKeys(runtime.database)).toEqual([]);
  });
});
