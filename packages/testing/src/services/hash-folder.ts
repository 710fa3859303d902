import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** SHA-256 over names and contents of all files below these folders, in hexadecimal; the key of a template database. */
export async function hashFolder(...folders: string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of folders) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    for (const file of files.toSorted()) {
      const content = await readFile(file);
      hash.update(`${relative(folder, file)}\0${content.length}\0`).update(content);
    }
  }
  return hash.digest('hex');
}
