import { SmtpClient } from '../../../apps/chat/test/smtp-client.js';
import type { Findings } from '../findings.js';
import { member } from '../http.js';
import { pause } from '../abortable-pause.js';
import type { Random } from '../random.js';
import { type ChatLoad, requireResponse } from './chat-load.js';
import type { ChatUser } from './chat-user.js';
import { listMessages } from './list-messages.js';

/** Channel that receives the mails. Only the sender's user subscribes, so no other reader receives the messages. */
const channel = 'mailed by fault tests';

/** Maximum time for which a mail without a reply 250 is sent again, in milliseconds. */
const resendMs = 60_000;

/**
 * Sends numbered mails to a channel, like a mail server: a mail is sent again until the service has replied 250. Each
 * accepted mail must become one message.
 */
export class MailSender implements ChatLoad {
  readonly #accepted = new Set<string>();
  readonly #unknown = new Set<string>();
  #address = '';
  #resent = 0;
  #count = 0;

  constructor(
    private readonly user: ChatUser,
    private readonly name: string,
    private readonly parts: { readonly port: number; readonly random: Random; readonly findings: Findings },
  ) {}

  /** Creates the channel and reads its email address. */
  async begin(): Promise<void> {
    const subscriptions = JSON.stringify([{ name: channel }]);
    await requireResponse(this.user.call('POST', 'users/me/subscriptions', { subscriptions }));
    const found = await requireResponse(this.user.get('get_stream_id', { stream: channel }));
    const id = Number(member(found, 'stream_id'));
    this.#address = String(member(await requireResponse(this.user.get(`streams/${id}/email_address`, {})), 'email'));
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#count += 1;
      await this.#deliver(`${this.name} ${this.#count}`);
      await pause(this.parts.random.integer(50, 400), signal);
    }
  }

  async #deliver(content: string): Promise<void> {
    const head = `From: sender@example.org\nMessage-ID: <${content.replace(' ', '-')}@example.org>\nSubject: mails\n`;
    const deadline = Date.now() + resendMs;
    for (;;) {
      const reply = await this.#send(`${head}\n${content}`);
      if (reply.startsWith('250')) return void this.#accepted.add(content);
      // The service may have stored a mail without a reply, or with a temporary error.
      if (!/^(4|$)/.test(reply)) return this.#find(`mail ${content}: ${reply}`);
      if (Date.now() > deadline) return void this.#unknown.add(content);
      this.#resent += 1;
      await pause(200);
    }
  }

  /** Sends a mail. Returns the last reply of the service; empty if the connection has ended. */
  async #send(text: string): Promise<string> {
    try {
      const client = await SmtpClient.open(this.parts.port);
      try {
        const greeting = await client.reply();
        return greeting.startsWith('220') ? await client.send('sender@example.org', [this.#address], text) : greeting;
      } finally {
        client.close();
      }
    } catch {
      return '';
    }
  }

  /** Checks that each accepted mail is one message, and that no mail is stored twice. */
  async check(): Promise<Readonly<Record<string, number>>> {
    let messages: readonly { readonly content: string }[] | null = null;
    while ((messages = await listMessages(this.user, [['channel', channel]])) === null) await pause(100);
    // The first line of a message names the sender of the mail.
    const contents = messages.map(({ content }) => content.trim().split('\n').at(-1) ?? '');
    for (const content of contents) {
      const wasSent = this.#accepted.has(content) || this.#unknown.has(content);
      if (!wasSent) this.#find(`mail ${content} is stored though it was never sent`);
    }
    for (const content of this.#accepted) {
      const count = contents.filter((one) => one === content).length;
      if (count !== 1) this.#find(`mail ${content} was accepted and is stored ${count} times`);
    }
    for (const content of this.#unknown) {
      const count = contents.filter((one) => one === content).length;
      if (count > 1) this.#find(`mail ${content} is stored ${count} times`);
    }
    return { mails: this.#accepted.size, unknownMails: this.#unknown.size, resentMails: this.#resent };
  }

  #find(line: string): void {
    this.parts.findings.add(line);
  }
}
