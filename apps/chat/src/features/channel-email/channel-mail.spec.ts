import { createTransport, type SendMailOptions } from 'nodemailer';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { SmtpClient } from '../../../test/smtp-client.js';

let cluster: ChatCluster;
let chat: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;
/** Id of the channel named Verona in the tests. */
let verona = 0;
const clients: SmtpClient[] = [];

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start({
    INCOMING_MAIL_PORT: '0',
    INCOMING_MAIL_MAX_BYTES: '200000',
    INCOMING_MAIL_PARSE_MS: '600000',
    INCOMING_MAIL_CONNECTIONS_PER_ADDRESS: '4',
    MAIL_FROM: 'Chat <noreply@chat.example.com>',
  });
  [hamlet, iago] = await Promise.all([signIn(chat, 'hamlet'), signIn(chat, 'iago')]);
  verona = await channelId('Verona');
});
afterAll(() => cluster.stop());
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

interface Message {
  readonly id: number;
  readonly subject: string;
  readonly content: string;
  readonly sender_email: string;
}

async function channelId(name: string): Promise<number> {
  const { rows } = await chat.runtime.database.query<{ id: number }>('SELECT id FROM channels WHERE name = $1', [name]);
  return rows[0]?.id ?? 0;
}

async function addressOf(channel: number, form: Record<string, number> = {}, user = hamlet): Promise<string> {
  const path = `/api/v1/streams/${channel}/email_address`;
  return (await user.client.get<{ email: string }>(path, { query: form })).body.email;
}

/** Returns the given email address of a channel with other options. */
function withOptions(address: string, ...options: string[]): string {
  const [mailbox = '', domain = ''] = address.split('@');
  return `${[mailbox.replace('.show-sender', ''), ...options].join('.')}@${domain}`;
}

function openClient(): Promise<SmtpClient> {
  return SmtpClient.open(chat.runtime.incomingMail.port ?? 0).then(async (client) => {
    clients.push(client);
    expect(await client.reply()).toMatch(/^220 /);
    return client;
  });
}

async function sendRaw(to: string | string[], text: string, from = 'sender@example.org'): Promise<string> {
  const client = await openClient();
  const reply = await client.send(from, [to].flat(), text);
  client.close();
  return reply;
}

async function sendWithNodemailer(mail: SendMailOptions): Promise<string> {
  const transport = createTransport({ host: '127.0.0.1', port: chat.runtime.incomingMail.port ?? 0, ignoreTLS: true });
  const { response } = await transport.sendMail({ from: 'Jane Doe <jane@example.org>', ...mail });
  transport.close();
  return String(response);
}

async function newest(count = 1, channel = verona): Promise<Message[]> {
  const narrow = JSON.stringify([{ operator: 'channel', operand: channel }]);
  const query = { anchor: 'newest', num_before: String(count), num_after: '0', narrow, apply_markdown: 'false' };
  return (await iago.client.get<{ messages: Message[] }>('/api/v1/messages', { query })).body.messages;
}

/** Sends a mail after a change that is made between the acceptance of the recipients and the text of the mail. */
async function sendAfterChange(recipients: string[], text: string, change: () => Promise<unknown>): Promise<string> {
  const client = await openClient();
  await client.command('EHLO client.example.com');
  await client.command('MAIL FROM:<sender@example.org>');
  for (const to of recipients) expect(await client.command(`RCPT TO:<${to}>`)).toMatch(/^250 /);
  await change();
  await client.command('DATA');
  const reply = await client.command(`${text.replaceAll('\n', '\r\n')}\r\n.`);
  client.close();
  return reply;
}

/** Returns the messages of Notification Bot about refused mails whose subject contains a given text. */
async function notices(subject: string): Promise<{ userId: number; content: string }[]> {
  const { rows } = await chat.runtime.database.query<{ userId: number; content: string }>(
    `SELECT um.user_id AS "userId", x.content FROM message_texts x JOIN user_messages um ON um.message_id = x.message_id
       JOIN users u ON u.id = um.user_id AND NOT u.is_system_bot
     WHERE x.content LIKE 'An email to a channel was not posted%' AND strpos(x.content, $1) > 0`,
    [subject],
  );
  return rows;
}

const plain = (subject: string, body: string, headers = '') =>
  `From: sender@example.org\nSubject: ${subject}\n${headers}\n${body}`;

describe('SMTP server for mail to channels', () => {
  it('posts a mail with its subject as topic, and replies 250 after the message is committed', async () => {
    const to = await addressOf(verona, { sender_id: hamlet.id });
    expect(await sendRaw(to, plain('Re: Fwd: Lunch today', 'At noon?\n\n-- \nJane\n'))).toMatch(/^250 /);
    const [message] = await newest();
    expect(message).toMatchObject({ subject: 'Lunch today', content: 'From: sender@example.org\nAt noon?' });
    const { rows } = await chat.runtime.database.query('SELECT sender_id FROM messages WHERE id = $1', [message?.id]);
    expect(rows).toEqual([{ sender_id: hamlet.id }]);
  });

  it('posts as Notification Bot by default, and uses a default topic', async () => {
    expect(await sendRaw(await addressOf(verona), plain('Re:', 'without subject'))).toMatch(/^250 /);
    const [message] = await newest();
    expect(message).toMatchObject({ subject: 'Email with no subject', sender_email: /^notification-bot@/ });
  });

  it('creates a topic as a bot whose owner may create topics', async () => {
    const bot = await hamlet.client.post<{ user_id: number }>('/api/v1/bots', {
      form: { full_name: 'Clerk', short_name: 'clerk', bot_type: '2' },
    });
    const group = await hamlet.client.post<{ group_id: number }>('/api/v1/user_groups/create', {
      form: { name: 'clerks', description: '', members: JSON.stringify([hamlet.id]) },
    });
    const channel = await channelId('Denmark');
    await chat.runtime.database.query(
      'UPDATE channels SET can_send_message_group_id = $2, can_create_topic_group_id = $2 WHERE id = $1',
      [channel, group.body.group_id],
    );
    const to = await addressOf(channel, { sender_id: bot.body.user_id });
    expect(await sendRaw(to, plain('New topic', 'by a bot'))).toMatch(/^250 /);
    expect(await newest(1, channel)).toMatchObject([{ subject: 'New topic' }]);
  });

  it('stores attachments as uploads of the sender, and links them', async () => {
    const to = await addressOf(verona, { sender_id: hamlet.id });
    const attachments = [
      { filename: 'Grüße [1].txt', content: 'Hallo' },
      { filename: 'empty.txt', content: '' },
    ];
    expect(await sendWithNodemailer({ to, subject: 'Übersicht 議論', text: 'See below', attachments })).toMatch(/^250/);
    const [message] = await newest();
    expect(message?.subject).toBe('Übersicht 議論');
    expect(message?.content).toContain('From: "Jane Doe" <jane@example.org>\nSee below\n');
    expect(message?.content).toContain('empty.txt (empty)');
    const [, name, url = ''] = /\[(.*)\]\((\/user_uploads\/.*)\)/.exec(message?.content ?? '') ?? [];
    expect(name).toBe('Grüße 1.txt');
    const { status, text } = await iago.client.get(url, { unchecked: true });
    expect({ status, text }).toEqual({ status: 200, text: 'Hallo' });
  });

  it('converts HTML to Markdown, and removes quoted text unless the address or a forwarded mail requires quotes', async () => {
    const address = await addressOf(verona);
    const html =
      '<style>p{color:red}</style><p>A <b>bold</b> <a href="https://example.com/x">link</a></p>' +
      '<div class="gmail_quote">On Monday Jim wrote:<blockquote>earlier</blockquote></div>';
    await sendWithNodemailer({ to: withOptions(address), subject: 'html', html });
    expect((await newest())[0]?.content).toBe('A **bold** link (https://example.com/x)');
    await sendWithNodemailer({ to: withOptions(address, 'include-quotes'), subject: 'html', html });
    expect((await newest())[0]?.content).toContain('> earlier');
    const both = { text: 'plain', html: '<p>formatted</p>', subject: 'both' };
    await sendWithNodemailer({ to: withOptions(address), ...both });
    expect((await newest())[0]?.content).toBe('plain');
    await sendWithNodemailer({ to: withOptions(address, 'prefer-html'), ...both });
    expect((await newest())[0]?.content).toBe('formatted');
    const reply = 'Yes.\n\nOn Mon, 1 Jan 2026, Jim <jim@example.com> wrote:\n> Shall we?\n';
    await sendRaw(withOptions(address), plain('Re: quoted', reply));
    expect((await newest())[0]?.content).toBe('Yes.');
    await sendRaw(withOptions(address), plain('Fwd: quoted', reply));
    expect((await newest())[0]?.content).toContain('> Shall we?');
    await sendRaw(withOptions(address, 'include-footer'), plain('footer', 'Hi\n--\nJane'));
    expect((await newest())[0]?.content).toBe('Hi\n--\nJane');
  });

  it('cuts a long text so that the message contains the links to the attachments', async () => {
    const to = withOptions(await addressOf(verona));
    const attachments = [{ filename: 'a.txt', content: 'a' }];
    await sendWithNodemailer({ to, subject: 'long', text: 'x'.repeat(20_000), attachments });
    const content = (await newest())[0]?.content ?? '';
    expect(content).toHaveLength(10_000);
    expect(content).toMatch(/x\n\[message truncated\]\n\[a\.txt\]\(\/user_uploads\/\S+\)$/);
  });

  it('posts a mail only once to each address when the mail is sent twice, even without a Message-ID', async () => {
    const [own, bots] = [await addressOf(verona, { sender_id: hamlet.id }), await addressOf(verona)];
    const text = plain('repeated', 'once', 'Message-ID: <one@example.org>\n');
    expect(await sendRaw(own, text)).toMatch(/^250 /);
    expect(await sendRaw([own, withOptions(own), bots], text)).toMatch(/^250 /);
    const twice = await Promise.all([1, 2].map(() => sendRaw(own, text.replace('<one@', '<two@'))));
    for (const reply of twice) expect(reply).toMatch(/^250 /);
    const withoutId = plain('without id', 'once');
    for (const _attempt of [1, 2]) expect(await sendRaw(own, withoutId)).toMatch(/^250 /);
    const subjects = (await newest(6)).map(({ subject }) => subject);
    expect(subjects.filter((subject) => subject === 'repeated')).toHaveLength(3);
    expect(subjects.filter((subject) => subject === 'without id')).toHaveLength(1);
  });

  it('posts two mails that differ in content but have the same Message-ID', async () => {
    const to = await addressOf(verona, { sender_id: hamlet.id });
    const id = 'Message-ID: <guessed@example.org>\n';
    for (const text of ['first', 'second']) expect(await sendRaw(to, plain('same id', text, id))).toMatch(/^250 /);
    const received = 'Received: from b.example.org by a.example.org; Sun, 29 Nov 2026 00:00:00 +0000\n';
    expect(await sendRaw(to, plain('same id', 'second', received + id))).toMatch(/^250 /);
    expect((await newest(6)).filter(({ subject }) => subject === 'same id')).toHaveLength(2);
  });

  it.each([
    ['Auto-Submitted: auto-replied\n', 'sender@example.org'],
    ['', ''],
  ])('replies 250 to an automatic reply and posts no message: %j from <%s>', async (headers, from) => {
    const before = await newest();
    expect(await sendRaw(await addressOf(verona), plain('Absent', 'I am away', headers), from)).toMatch(/^250 /);
    expect(await newest()).toEqual(before);
  });

  it('posts no message for a mail that this service itself has sent', async () => {
    const before = await newest();
    const text = 'From: Chat <NoReply@chat.example.com>\nSubject: missed\n\nYou missed a message';
    expect(await sendRaw(await addressOf(verona), text)).toMatch(/^250 /);
    expect(await newest()).toEqual(before);
  });

  it('refuses unknown addresses, and addresses whose digest is wrong', async () => {
    const address = await addressOf(verona);
    const forged = address.replace(/[0-9a-f](\.show-sender)/, (_found, rest: string) => `x${rest}`);
    const client = await openClient();
    await client.command('EHLO client.example.com');
    await client.command('MAIL FROM:<sender@example.org>');
    for (const to of ['nobody@localhost', forged, address.replace('-', '-1'), 'postmaster@localhost']) {
      expect(await client.command(`RCPT TO:<${to}>`)).toBe('550 No such channel address');
    }
    expect(await client.command('DATA')).toMatch(/^503 /);
    expect(await client.command(`RCPT TO:<${address.toUpperCase()}>`)).toMatch(/^250 /);
  });

  it('refuses addresses of archived channels, of deactivated creators, and of senders without permission to post', async () => {
    const { body } = await iago.client.post<{ id: number }>('/api/v1/channels/create', {
      form: { name: 'mailed', subscribers: JSON.stringify([iago.id, hamlet.id]) },
    });
    const id = body.id;
    const cordelia = await signIn(chat, 'cordelia');
    const ofCordelia = await addressOf(verona, {}, cordelia);
    const ofHamlet = await addressOf(id, { sender_id: hamlet.id });
    expect(await sendRaw([ofCordelia, ofHamlet], plain('before', 'x'))).toMatch(/^250 /);
    await iago.client.delete(`/api/v1/users/${cordelia.id}`);
    expect(await sendRaw(ofCordelia, plain('after', 'x'))).toBe('550 No such channel address');
    const { body: groups } = await iago.client.get<{ user_groups: { id: number; name: string }[] }>(
      '/api/v1/user_groups',
      {
        query: { include_deactivated_groups: false },
      },
    );
    const admins = groups.user_groups.find(({ name }) => name === 'role:administrators')?.id ?? 0;
    const form = { can_send_message_group: JSON.stringify({ new: admins }) };
    expect((await iago.client.patch(`/api/v1/streams/${id}`, { form })).status).toBe(200);
    expect(await sendRaw(ofHamlet, plain('after', 'x'))).toBe('550 The mail cannot be posted to this channel');
    const ofIago = await addressOf(id, { sender_id: iago.id }, iago);
    expect(await sendRaw(ofIago, plain('after', 'x'))).toMatch(/^250 /);
    await iago.client.delete(`/api/v1/streams/${id}`);
    expect(await sendRaw(ofIago, plain('after', 'x'))).toBe('550 No such channel address');
  });

  it('posts a mail to the channel that accepts it, and notifies the creator of the address that refuses it', async () => {
    const { body } = await iago.client.post<{ id: number }>('/api/v1/channels/create', {
      form: { name: 'refusing', subscribers: JSON.stringify([iago.id, hamlet.id]) },
    });
    const [refusing, accepting] = [await addressOf(body.id), await addressOf(verona)];
    const text = plain('Partly `refused`', 'hello', 'Message-ID: <partly@example.org>\n');
    const both = [refusing, accepting];
    const archived = (value: boolean) =>
      chat.runtime.database.query('UPDATE channels SET is_archived = $2 WHERE id = $1', [body.id, value]);
    expect(await sendAfterChange(both, text, () => archived(true))).toMatch(/^250 /);
    expect(await newest()).toMatchObject([{ subject: 'Partly `refused`' }]);
    const content =
      'An email to a channel was not posted: No such channel address\n\n' +
      `\`\`\`text\nFrom: sender@example.org\nSubject: Partly \`refused\`\nTo: ${refusing}\n\`\`\``;
    expect(await notices('Partly')).toEqual([{ userId: hamlet.id, content }]);
    // The client repeats the mail, as if it had not received the reply.
    await archived(false);
    expect(await sendAfterChange(both, text, () => archived(true))).toMatch(/^250 /);
    await archived(false);
    expect(await sendAfterChange([refusing], text, () => archived(true))).toMatch(/^550 /);
    expect(await notices('Partly')).toHaveLength(1);
  });

  it('notifies the owners of a refused mail if the creator of the address was deactivated', async () => {
    const [zoe, desdemona] = await Promise.all([signIn(chat, 'ZOE'), signIn(chat, 'desdemona')]);
    const recipients = [await addressOf(verona, {}, zoe), await addressOf(verona)];
    const deactivate = () => iago.client.delete(`/api/v1/users/${zoe.id}`);
    expect(await sendAfterChange(recipients, plain('To owners', 'hello'), deactivate)).toMatch(/^250 /);
    expect(await notices('To owners')).toMatchObject([{ userId: desdemona.id }]);
  });

  it('refuses mails above the size limit, and closes the connection of a mail that never ends', async () => {
    const to = await addressOf(verona);
    const client = await openClient();
    expect(await client.command('EHLO client.example.com')).toContain('SIZE 200000');
    expect(await client.command('MAIL FROM:<sender@example.org> SIZE=200001')).toMatch(/^552 /);
    expect(await client.send('sender@example.org', [to], plain('large', 'x\n'.repeat(150_000)))).toMatch(/^552 /);
    await client.command('MAIL FROM:<sender@example.org>');
    await client.command(`RCPT TO:<${to}>`);
    await client.command('DATA');
    for (let count = 0; count < 2000 && !client.isClosed; count += 1) await client.write(`${'y'.repeat(8190)}\r\n`);
    await expect.poll(() => client.isClosed, { timeout: 15_000 }).toBe(true);
  });

  it('refuses more than 20 recipients, and too many connections from one IP address', async () => {
    const address = await addressOf(verona);
    const [first, ...others] = await Promise.all([1, 2, 3, 4].map(() => openClient()));
    const fifth = await SmtpClient.open(chat.runtime.incomingMail.port ?? 0);
    expect(await fifth.reply()).toBe('421 Too many connections from your address');
    for (const other of others) other.close();
    await first?.command('EHLO client.example.com');
    await first?.command('MAIL FROM:<sender@example.org>');
    const replies: (string | undefined)[] = [];
    for (let count = 0; count < 21; count += 1) {
      replies.push(await first?.command(`RCPT TO:<name${count}.${address.replace(/^verona\./, '')}>`));
    }
    expect(replies.slice(0, 20).every((reply) => reply?.startsWith('250'))).toBe(true);
    expect(replies[20]).toMatch(/^452 /);
  });

  it('closes a connection after 20 refused recipients, and supports no authentication', async () => {
    const client = await openClient();
    expect(await client.command('EHLO client.example.com')).not.toMatch(/AUTH|STARTTLS/);
    expect(await client.command('AUTH PLAIN')).toMatch(/^50/);
    await client.command('MAIL FROM:<sender@example.org>');
    for (let count = 0; count < 20; count += 1)
      expect(await client.command(`RCPT TO:<${count}@x.org>`)).toMatch(/^550/);
    expect(await client.command('RCPT TO:<last@x.org>')).toMatch(/^421 /);
  });

  it('counts the outcomes of mails as a metric', async () => {
    const { text } = await chat.metrics.render();
    expect(text).toMatch(/channel_mails_total\{outcome="posted"\} [1-9]/);
    expect(text).toMatch(/channel_mails_total\{outcome="ignored"\} [1-9]/);
    expect(text).toMatch(/channel_mails_total\{outcome="refused"\} [1-9]/);
  });
});
