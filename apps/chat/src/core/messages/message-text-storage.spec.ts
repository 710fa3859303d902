import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rendererVersion } from '../../infra/markdown/index.js';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { withEarlierSchema } from '../../../test/earlier-database-schema.js';
import { send } from '../../../test/event-queue-requests.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
  [hamlet, iago] = await Promise.all([signIn(chat, 'hamlet'), signIn(chat, 'iago')]);
});
afterAll(() => cluster.stop());

async function textsOf(ids: readonly number[]): Promise<Record<string, unknown>[]> {
  const { rows } = await chat.runtime.database.query(
    `SELECT content, rendered_content, rendered_version, xmin::text AS written_by FROM message_texts
     WHERE message_id = ANY($1) ORDER BY message_id`,
    [ids],
  );
  return rows;
}

const text = (word: string) => ({
  content: word,
  rendered_content: `<p>${word}</p>`,
  rendered_version: rendererVersion,
});

describe('table `message_texts`', () => {
  it('contains the texts of channel messages and direct messages', async () => {
    const ids = [
      await send(hamlet, { content: 'plain' }),
      await send(hamlet, { content: '@**all**' }),
      await send(hamlet, { type: 'direct', to: JSON.stringify([iago.id]), content: 'direct' }),
    ];
    expect(await textsOf(ids)).toMatchObject([text('plain'), { content: '@**all**' }, text('direct')]);
    const { rows } = await chat.runtime.database.query(
      `SELECT column_name FROM information_schema.columns WHERE table_name = 'messages'
       AND column_name IN ('content', 'rendered_content', 'rendered_version')`,
    );
    expect(rows).toEqual([]);
  });

  it('changes when a message is edited or deleted, but not when it is moved', async () => {
    const id = await send(hamlet, { content: 'before' });
    await iago.client.patch(`/api/v1/messages/${id}`, { form: { topic: 'elsewhere' } });
    const [unmoved] = await textsOf([id]);
    await hamlet.client.patch(`/api/v1/messages/${id}`, { form: { content: 'after' } });
    const [edited] = await textsOf([id]);
    expect([unmoved, edited]).toMatchObject([text('before'), text('after')]);
    await iago.client.patch(`/api/v1/messages/${id}`, { form: { topic: 'there' } });
    expect(await textsOf([id])).toEqual([edited]);
    await iago.client.delete(`/api/v1/messages/${id}`);
    expect(await textsOf([id])).toEqual([]);
  });
});

describe('migrations of message_texts', () => {
  it('copies all rendered messages that are not copied yet', async () => {
    await withEarlierSchema('message_renderings', async ({ client, migrate }) => {
      // Texts as earlier migrations have copied them.
      await client.query(
        `INSERT INTO messages (id, realm_id, sender_id, recipient_id, client_id, content, rendered_content, rendered_version)
         SELECT n, 1, 1, 1, 1, 'text ' || n, '<p>text ' || n || '</p>', 1 FROM generate_series(1, 5000) n`,
      );
      await client.query('INSERT INTO message_texts (message_id, content) SELECT id, content FROM messages');
      await client.query(
        `UPDATE message_texts SET rendered_content = 'edited', rendered_version = 2 WHERE message_id = 7`,
      );
      await migrate();
      const { rows } = await client.query(
        `SELECT rendered_version, count(*)::int FROM message_texts
         WHERE rendered_content = CASE message_id WHEN 7 THEN 'edited' ELSE '<p>' || content || '</p>' END
         GROUP BY 1 ORDER BY 1`,
      );
      expect(rows).toEqual([
        { rendered_version: 1, count: 4999 },
        { rendered_version: 2, count: 1 },
      ]);
    });
  });
});
