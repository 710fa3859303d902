import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listFeatureModuleControllers } from '../../app/create-service-slices.js';
import { OutgoingMailWriter, type UnencryptedMail } from '../../infra/mail/index.js';
import { type ChatCluster, chatCluster, type ChatProcess } from '../../../test/chat-server.js';
import { Mailbox } from '../../../test/test-mailbox.js';
import { DevelopmentMailsController } from './index.js';

let cluster: ChatCluster;
let chat: ChatProcess;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
});
afterAll(() => cluster.stop());

const enqueueMail = (mail: UnencryptedMail): Promise<void> => {
  const { database, outbox, secrets } = chat.runtime;
  return database.inTransaction(async (tx) => new OutgoingMailWriter(outbox, secrets).enqueueMail(tx, mail));
};

describe('GET /emails', () => {
  it('shows emails as text, newest first', async () => {
    const own = { to: 'zoe@example.com', subject: '<b>Grüße</b>', text: '<script>alert(1)</script>' };
    await enqueueMail({ ...own, subject: 'The first', text: 'one' });
    await new Mailbox(chat).newest(own.to);
    await enqueueMail(own);
    await new Mailbox(chat).newest(own.to, 2);
    const { status, text, headers } = await chat.client.get('/emails', { unchecked: true });
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text).toContain('&lt;b&gt;Grüße&lt;/b&gt;');
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).not.toContain('<script');
    expect(text.indexOf('Grüße')).toBeLessThan(text.indexOf('The first'));
  });

  it('does not exist in production', () => {
    expect(listFeatureModuleControllers({ NODE_ENV: 'production' })).not.toContain(DevelopmentMailsController);
    expect(listFeatureModuleControllers({ NODE_ENV: 'development' })).toContain(DevelopmentMailsController);
  });
});
