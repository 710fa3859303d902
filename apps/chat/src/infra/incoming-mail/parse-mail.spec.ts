import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseMail } from './parse-mail.js';

function bytesOf(...parts: (string | Buffer)[]): Uint8Array<ArrayBuffer> {
  const joined = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const bytes = new Uint8Array(joined.length);
  bytes.set(joined);
  return bytes;
}

const head = (fields: string): string => `From: a@example.org\nSubject: large\n${fields}\n\n`;

/** Lines in quoted-printable encoding that decode to an empty string. */
const nothing = '=\n'.repeat(1_100_000);

describe('parseMail', () => {
  it('decodes the beginning of a text of 5 MB in a charset with several bytes for each character', async () => {
    const line = Buffer.from([0xc4, 0xe3, 0xba, 0xc3, 0x0a]);
    const raw = bytesOf(head('Content-Type: text/plain; charset=gb18030'), Buffer.alloc(5_000_000, line));
    const { text } = await parseMail(raw, 600_000);
    expect(text).toBe('你好\n'.repeat(66_667).slice(0, 200_000));
  }, 600_000);

  it('decodes no delivery status of 5 MB in a charset with several bytes for each character', async () => {
    const line = Buffer.from([0xc4, 0xe3, 0xba, 0xc3, 0x0a]);
    const raw = bytesOf(
      head('Content-Type: multipart/report; boundary=b'),
      '--b\nContent-Type: text/plain\n\nreport\n',
      '--b\nContent-Type: message/delivery-status; charset=gb18030\n\n',
      Buffer.alloc(5_000_000, line),
      '\n--b--\n',
    );
    const { text, attachments } = await parseMail(raw, 600_000);
    expect({ text: text.trim(), attachments }).toEqual({ text: 'report', attachments: [] });
  }, 600_000);

  it('ignores text beyond 2,000,000 bytes, and parses the parts of the mail after that text', async () => {
    const file = randomBytes(3_000_000);
    const parts = [
      `--b\nContent-Type: text/plain\nContent-Transfer-Encoding: quoted-printable\n\nfirst${nothing}last\n`,
      '--b\nContent-Type: text/plain\n\nsecond\n',
      '--b\nContent-Type: text/html\n\n<b>bold</b>\n',
      '--b\nContent-Type: application/octet-stream\nContent-Disposition: attachment; filename=f.bin\n',
      `Content-Transfer-Encoding: base64\n\n${file.toString('base64').replaceAll(/.{76}/g, '$&\n')}\n--b--\n`,
    ];
    const mail = await parseMail(bytesOf(head('Content-Type: multipart/mixed; boundary=b'), ...parts), 600_000);
    expect({ text: mail.text.trim(), html: mail.html.trim() }).toEqual({ text: 'first', html: '**bold**' });
    expect(mail.attachments.map(({ name, content }) => [name, content.equals(file)])).toEqual([['f.bin', true]]);
  }, 600_000);

  it('returns a text file of more than 2,000,000 bytes completely', async () => {
    const content = 'line\n'.repeat(500_000);
    const fields = 'Content-Type: text/plain\nContent-Disposition: attachment; filename=log.txt';
    const { attachments } = await parseMail(bytesOf(head(fields), content), 600_000);
    expect(attachments.map(({ name, content: found }) => [name, found.toString() === content])).toEqual([
      ['log.txt', true],
    ]);
  }, 600_000);

  it('refuses a mail that exceeds its time limit, and then parses the next waiting mail', async () => {
    const slow = parseMail(bytesOf(head(''), 'slow'), 1);
    const next = parseMail(bytesOf(head(''), 'next'), 600_000);
    await expect(slow).rejects.toMatchObject({ responseCode: 451 });
    expect((await next).text.trim()).toBe('next');
  }, 600_000);
});
