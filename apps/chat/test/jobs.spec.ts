import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChatEvents } from '../src/events/chat-events.js';
import { sendMail, sweepMails, writeMail } from '../src/mail/index.js';
import { removeExpiredSessions } from '../src/modules/authentication/index.js';
import { promoteMembers } from '../src/modules/user-groups/index.js';
import { type ChatCluster, chatCluster, type ChatProcess, signIn } from './chat-server.js';
import { openQueue } from './event-queue.js';
import { Mailbox } from './mailbox.js';

let cluster: ChatCluster;
let chat: ChatProcess;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start({ MAIL_FROM: 'chat@example.com' });
});
afterAll(() => cluster.stop());

const mail = { to: 'hamlet@example.com', subject: 'Grüße', text: 'one\ntwo' };

async function waitingMails(): Promise<string[]> {
  const { rows } = await chat.runtime.database.query<{ id: string }>('SELECT id::text FROM outgoing_mails ORDER BY id');
  return rows.map(({ id }) => id);
}

describe('a mail', () => {
  it('leaves after the commit that wrote it, and only then', async () => {
    const { database, outbox } = chat.runtime;
    await expect(
      database.inTransaction(async (tx) => {
        writeMail(outbox, tx, { ...mail, subject: 'never' });
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    await database.inTransaction(async (tx) => writeMail(outbox, tx, mail));
    const mailbox = new Mailbox(chat);
    const text = await mailbox.newest(mail.to);
    expect(await mailbox.list(mail.to)).toHaveLength(1);
    expect(text).toContain('From: chat@example.com\r\nTo: hamlet@example.com\r\n');
    expect(text).toContain(`Subject: =?utf-8?B?${Buffer.from('Grüße').toString('base64')}?=`);
    expect(text.endsWith('\r\n\r\none\r\ntwo')).toBe(true);
    await expect.poll(waitingMails).toEqual([]);
  });

  it('whose job was lost is found again, and one that was sent is not sent twice', async () => {
    const { database } = chat.runtime;
    const insert = `INSERT INTO outgoing_mails (id, recipient, subject, text, created_at) VALUES ($1, $2, 's', 't', $3)`;
    await database.query(insert, [9001, 'old@example.com', new Date(Date.now() - 120_000)]);
    await database.query(insert, [9002, 'new@example.com', new Date()]);
    const added: unknown[] = [];
    await sweepMails(database, { addBulk: async (_job, work) => void added.push(...work) });
    expect(added).toEqual([{ payload: { id: '9001' }, id: 'mail-9001' }]);
    const sent: unknown[] = [];
    const transport = { send: async (one: object) => void sent.push(one) };
    for (let count = 0; count < 2; count += 1) await sendMail(database, transport, '9001');
    expect(sent).toEqual([{ id: 'mail-9001', to: 'old@example.com', subject: 's', text: 't' }]);
  });

  it('that is not taken stays', async () => {
    const transport = { send: () => Promise.reject(new Error('greylisted')) };
    await expect(sendMail(chat.runtime.database, transport, '9002')).rejects.toThrow('greylisted');
    expect(await waitingMails()).toContain('9002');
  });
});

describe('members', () => {
  it('become full ones when their time has come, and everybody hears of it once', async () => {
    const { database, eventLog, config } = chat.runtime;
    const desdemona = await signIn(chat, 'desdemona');
    const hamlet = await signIn(chat, 'hamlet');
    await desdemona.client.patch('/api/v1/realm', { form: { waiting_period_threshold: 3 } });
    const queue = await openQueue(chat, desdemona, ['user_group']);
    const events = new ChatEvents(eventLog, config);
    await promoteMembers(database, events);
    expect(await queue.read()).toEqual([]);
    await database.query("UPDATE users SET date_joined = now() - interval '4 days' WHERE id = $1", [hamlet.id]);
    for (let count = 0; count < 2; count += 1) await promoteMembers(database, events);
    expect(await queue.read()).toMatchObject([
      { op: 'remove_members', user_ids: [hamlet.id] },
      { op: 'add_members', user_ids: [hamlet.id] },
    ]);
  });
});

describe('sessions', () => {
  it('are removed when their time is over, and not before', async () => {
    const { database } = chat.runtime;
    await signIn(chat, 'iago');
    await signIn(chat, 'iago');
    const count = async () => (await database.query('SELECT 1 FROM sessions')).rowCount;
    const before = await count();
    await database.query(
      'UPDATE sessions SET expires_at = now() WHERE token_digest = (SELECT min(token_digest) FROM sessions)',
    );
    await removeExpiredSessions(database);
    expect(await count()).toBe(before - 1);
  });
});
