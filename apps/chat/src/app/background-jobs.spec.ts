import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChatEventWriter } from '../events/chat-events.js';
import { defineOutboxMessage, type OutboxRowsDispatcher } from '@switchboard/queue';
import type { Tx } from '@switchboard/database';
import { z } from 'zod';
import {
  createMailStoringOutboxHandler,
  outgoingMailOutboxMessageType,
  OutgoingMailWriter,
  type UnencryptedMail,
  sendStoredMail,
  recoverLostMails,
  createOutgoingMailOutboxHandler,
} from '../infra/mail/index.js';
import { removeExpiredBrowserSessions } from '../features/authentication/index.js';
import { promoteMembersToFullMembers } from '../core/user-groups/index.js';
import { type ChatCluster, chatCluster, type ChatProcess, signIn } from '../../test/chat-server.js';
import { openTestEventQueue } from '../../test/test-event-queue.js';
import { Mailbox } from '../../test/test-mailbox.js';

let cluster: ChatCluster;
let chat: ChatProcess;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start({ MAIL_FROM: 'chat@example.com' });
});
afterAll(() => cluster.stop());

const mail = { to: 'hamlet@example.com', subject: 'Grüße', text: 'one\ntwo' };

const attempt = { lastAttempt: false, signal: new AbortController().signal };

/** Inserts a pending email for which no job exists. */
async function addMail(tx: Tx, id: number, sweptAt: Date): Promise<void> {
  await tx.query(
    `INSERT INTO outgoing_mails (id, recipient, subject, plain_text, swept_at) VALUES ($1, 'hamlet@example.com', 's', 't', $2)`,
    [id, sweptAt],
  );
}

const write = (one: UnencryptedMail): Promise<void> => {
  const { database, outbox, secrets } = chat.runtime;
  return database.inTransaction(async (tx) => new OutgoingMailWriter(outbox, secrets).enqueueMail(tx, one));
};

const secretText = 'https://chat.example.com/secret-link';

/** Enqueues an email with the given text. Returns the outbox row, which is not inserted. */
async function encryptMailForOutbox(text: string): Promise<{ payload: { to: string }; version: number }> {
  const added: { payload: { to: string }; version: number }[] = [];
  const outbox = {
    add: (_tx: unknown, { version }: { version: number }, payload: unknown) =>
      void added.push({ payload: payload as { to: string }, version }),
  };
  const { database, secrets } = chat.runtime;
  await database.inTransaction(async (tx) =>
    new OutgoingMailWriter(outbox, secrets).enqueueMail(tx, { ...mail, text }),
  );
  return added[0]!;
}

const toOutboxRows = (...payloads: object[]) => payloads.map((payload) => ({ payload })) as never;

async function waitingMails(): Promise<string[]> {
  const { rows } = await chat.runtime.database.query<{ id: string }>('SELECT id::text FROM outgoing_mails ORDER BY id');
  return rows.map(({ id }) => id);
}

describe('OutgoingMailWriter', () => {
  it('sends the email only after the transaction has committed', async () => {
    const { database, outbox, secrets } = chat.runtime;
    await expect(
      database.inTransaction(async (tx) => {
        new OutgoingMailWriter(outbox, secrets).enqueueMail(tx, { ...mail, subject: 'never' });
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    await write(mail);
    const mailbox = new Mailbox(chat);
    const text = await mailbox.newest(mail.to);
    expect(await mailbox.list(mail.to)).toHaveLength(1);
    expect(text).toContain('From: chat@example.com\r\nTo: hamlet@example.com\r\n');
    expect(text).toContain(`Subject: =?utf-8?B?${Buffer.from('Grüße').toString('base64')}?=`);
    expect(text.endsWith('\r\n\r\none\r\ntwo')).toBe(true);
    await expect.poll(waitingMails).toEqual([]);
  });

  it('sends an email by a new job when its first job is lost', async () => {
    const { database, secrets } = chat.runtime;
    const added: unknown[] = [];
    const jobs = {
      addBulk: async (_job: unknown, work: readonly unknown[]) => void added.push(...work),
      pending: async (_job: unknown, ids: readonly string[]) => new Set(ids.filter((id) => id !== 'mail-20001')),
    };
    // In one transaction, so that the job of the service does not recover the emails first.
    await database.inTransaction(async (tx) => {
      await tx.query(
        `INSERT INTO outgoing_mails (id, recipient, subject, plain_text, swept_at)
         SELECT id, 'hamlet@example.com', 's', 't', now() - interval '1 hour' + id * interval '1 second'
         FROM generate_series(9001, 10500) id`,
      );
      await addMail(tx, 20_001, new Date(Date.now() - 120_000));
      await addMail(tx, 20_002, new Date());
      await recoverLostMails(tx, jobs);
    });
    expect(added).toEqual([{ payload: { id: '20001' }, id: 'mail-20001' }]);
    await recoverLostMails(database, jobs);
    expect(added).toHaveLength(1);
    const sent: unknown[] = [];
    const transport = { send: async (one: object) => void sent.push(one) };
    for (let count = 0; count < 2; count += 1) await sendStoredMail(database, { transport, secrets }, '20001', attempt);
    expect(sent).toEqual([{ id: 'mail-20001', to: 'hamlet@example.com', subject: 's', text: 't' }]);
  });

  it('writes the text of an email encrypted to the outbox', async () => {
    const { payload, version } = await encryptMailForOutbox(secretText);
    expect(version).toBe(2);
    expect(JSON.stringify(payload)).not.toContain('secret-link');
  });

  it('decrypts the text of an email when its outbox row is dispatched', async () => {
    const { payload } = await encryptMailForOutbox(secretText);
    const stored: UnencryptedMail[] = [];
    const dispatch = createOutgoingMailOutboxHandler(
      async (rows) => void stored.push(...rows.map((row) => row.payload)),
      chat.runtime.secrets,
    );
    await dispatch(toOutboxRows(payload, mail), undefined as never);
    expect(stored).toEqual([{ ...mail, text: secretText }, mail]);
  });

  it('rejects an outbox row whose recipient was replaced after the text was encrypted', async () => {
    const { payload } = await encryptMailForOutbox(secretText);
    const dispatch = createOutgoingMailOutboxHandler(async () => {}, chat.runtime.secrets);
    const rows = toOutboxRows({ ...payload, to: 'other@example.com' });
    expect(() => dispatch(rows, undefined as never)).toThrow('does not belong here');
  });

  it('reads emails that were written to the outbox in format version 1', () => {
    expect(outgoingMailOutboxMessageType.read(mail, 1)).toEqual(mail);
  });

  it('stores the text of an email encrypted until it is sent', async () => {
    const { database, secrets } = chat.runtime;
    const payload = { ...mail, text: 'https://chat.example.com/secret-link' };
    const rows = [{ id: 20_004, payload, context: null }] as unknown as Parameters<
      OutboxRowsDispatcher<UnencryptedMail>
    >[0];
    const dispatch = createMailStoringOutboxHandler({ addBulk: async () => undefined }, secrets);
    await database.inTransaction(async (tx) => void (await dispatch(rows, tx as never)));
    const stored = await database.query<{ row: string }>(
      'SELECT m::text AS row FROM outgoing_mails m WHERE id = 20004',
    );
    expect(stored.rows[0]?.row).toContain('v1.');
    expect(stored.rows[0]?.row).not.toContain('secret-link');
    const sent: object[] = [];
    const transport = { send: async (one: object) => void sent.push(one) };
    await sendStoredMail(database, { transport, secrets }, '20004', attempt);
    expect(sent).toEqual([{ id: 'mail-20004', ...payload }]);
  });

  it('makes releases without encryption fail to send an encrypted email, instead of sending it empty', async () => {
    const { database, secrets } = chat.runtime;
    const rows = [{ id: 20_005, payload: mail, context: null }] as unknown as Parameters<
      OutboxRowsDispatcher<UnencryptedMail>
    >[0];
    const dispatch = createMailStoringOutboxHandler({ addBulk: async () => undefined }, secrets);
    await database.inTransaction(async (tx) => void (await dispatch(rows, tx as never)));
    // The statement with which the older release reads a stored email.
    const read = database.query('SELECT recipient AS to, subject, text FROM outgoing_mails WHERE id = $1', ['20005']);
    await expect(read).rejects.toThrow('column "text" does not exist');
    const written: { payload: unknown; version: number }[] = [];
    const outbox = {
      add: (_tx: unknown, { version }: { version: number }, payload: unknown) =>
        void written.push({ payload, version }),
    };
    await database.inTransaction(async (tx) => new OutgoingMailWriter(outbox, secrets).enqueueMail(tx, mail));
    const [{ payload, version }] = written as [{ payload: unknown; version: number }];
    // The message type of that release. Its outbox leaves rows of a later version to other processes.
    const earlier = defineOutboxMessage({
      name: outgoingMailOutboxMessageType.name,
      version: 1,
      payload: z.strictObject({ to: z.string(), subject: z.string(), text: z.string() }),
    });
    expect(version).toBeGreaterThan(earlier.version);
    expect(() => earlier.read(payload, version)).toThrow('sealed');
    await database.query('DELETE FROM outgoing_mails WHERE id = 20005');
  });

  it('stores an email that the mail server rejects, and does not retry the email after the last attempt', async () => {
    const { database, secrets } = chat.runtime;
    const transport = { send: () => Promise.reject(new Error('greylisted')) };
    await addMail(database, 20_003, new Date());
    await expect(sendStoredMail(database, { transport, secrets }, '20003', attempt)).rejects.toThrow('greylisted');
    const added: unknown[] = [];
    const jobs = {
      addBulk: async (_job: unknown, work: readonly { id?: string }[]) => void added.push(...work.map(({ id }) => id)),
      pending: async () => new Set<string>(),
    };
    // In one transaction, so that the job of the service does not recover the email first.
    const recover = (): Promise<void> =>
      database.inTransaction(async (tx) => {
        await tx.query(`UPDATE outgoing_mails SET swept_at = now() - interval '2 minutes' WHERE id = 20003`);
        await recoverLostMails(tx, jobs);
      });
    await recover();
    expect(added).toContain('mail-20003');
    await expect(
      sendStoredMail(database, { transport, secrets }, '20003', { ...attempt, lastAttempt: true }),
    ).rejects.toThrow('greylisted');
    added.length = 0;
    await recover();
    expect(added).not.toContain('mail-20003');
    expect(await waitingMails()).toContain('20003');
    await database.query(`UPDATE outgoing_mails SET failed_at = now() - interval '8 days' WHERE id = 20003`);
    await recoverLostMails(database, jobs);
    expect(await waitingMails()).not.toContain('20003');
  });
});

describe('promoteMembersToFullMembers', () => {
  it('makes members full members after the waiting period, with one event to all users', async () => {
    const { database, eventLog, config } = chat.runtime;
    const desdemona = await signIn(chat, 'desdemona');
    const hamlet = await signIn(chat, 'hamlet');
    await desdemona.client.patch('/api/v1/realm', { form: { waiting_period_threshold: 3 } });
    const queue = await openTestEventQueue(chat, desdemona, ['user_group']);
    const events = new ChatEventWriter(eventLog, config);
    await promoteMembersToFullMembers(database, events);
    expect(await queue.read()).toEqual([]);
    await database.query("UPDATE users SET date_joined = now() - interval '4 days' WHERE id = $1", [hamlet.id]);
    for (let count = 0; count < 2; count += 1) await promoteMembersToFullMembers(database, events);
    expect(await queue.read()).toMatchObject([
      { op: 'remove_members', user_ids: [hamlet.id] },
      { op: 'add_members', user_ids: [hamlet.id] },
    ]);
  });
});

describe('removeExpiredBrowserSessions', () => {
  it('ends sessions at the configured age and not before', async () => {
    const { database } = chat.runtime;
    await signIn(chat, 'iago');
    await signIn(chat, 'iago');
    const count = async () => (await database.query('SELECT 1 FROM sessions')).rowCount;
    const before = await count();
    await database.query(
      // One second before now(): the column is rounded to milliseconds, sometimes upwards.
      `UPDATE sessions SET expires_at = now() - interval '1 second'
       WHERE token_digest = (SELECT min(token_digest) FROM sessions)`,
    );
    await removeExpiredBrowserSessions(database);
    expect(await count()).toBe(before - 1);
  });
});
