import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A parsed email from the folder of {@link FolderMailTransport}. */
export interface MailInFolder {
  /** Decoded headers of the email, by name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

/**
 * Lists the newest emails in the folder of a {@link FolderMailTransport}, newest first. The numbers in the file names
 * ascend with time.
 */
export async function listMailsInFolder(folder: string, limit: number): Promise<MailInFolder[]> {
  const names = await readdir(folder).catch(() => []);
  const numbered = names.flatMap((name) => {
    const number = /^mail-(\d+)\.eml$/.exec(name)?.[1];
    return number === undefined ? [] : [{ name, number: Number(number) }];
  });
  const newest = numbered.toSorted((a, b) => b.number - a.number).slice(0, limit);
  return Promise.all(newest.map(async ({ name }) => parseMailFile(await readFile(join(folder, name), 'utf8'))));
}

/** Parses an email file that {@link FolderMailTransport} wrote. The file has one line per header and one text part. */
function parseMailFile(source: string): MailInFolder {
  const [head = '', ...body] = source.split('\r\n\r\n');
  const headers = new Map(
    head.split('\r\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), decodeMimeEncodedWord(line.slice(colon + 1).trim())];
    }),
  );
  return { headers, text: body.join('\r\n\r\n').replaceAll('\r\n', '\n') };
}

function decodeMimeEncodedWord(value: string): string {
  const encoded = /^=\?utf-8\?B\?([\w+/=]*)\?=$/.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8');
}
