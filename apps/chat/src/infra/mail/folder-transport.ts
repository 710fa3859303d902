import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type OutgoingMail, type MailTransport, createMailMessageIdHeader } from './mail-transport.js';

/** Mail transport that needs no mail server. The transport writes each email to a folder as one RFC 5322 file. */
export class FolderMailTransport implements MailTransport {
  constructor(
    private readonly folder: string,
    private readonly from: string,
  ) {}

  async send(mail: OutgoingMail): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const path = join(this.folder, `${mail.id}.eml`);
    // The file is renamed when complete, so that readers of the folder never see a partial one.
    await writeFile(`${path}.part`, this.#message(mail));
    await rename(`${path}.part`, path);
  }

  close(): void {}

  #message(mail: OutgoingMail): string {
    const { to, subject, text } = mail;
    const headers = [
      `From: ${this.from}`,
      `To: ${to}`,
      `Subject: =?utf-8?B?${Buffer.from(subject).toString('base64')}?=`,
      `Message-ID: ${createMailMessageIdHeader(mail, this.from)}`,
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 8bit',
    ];
    return `${headers.join('\r\n')}\r\n\r\n${text.replaceAll(/\r?\n/g, '\r\n')}`;
  }
}
