import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { AdminError } from '../admin-error.js';
import { findArchiveFile } from './archive/archive-path.js';
import { parseArchiveJson } from './archive/archive-row.js';
import { readJsonArrayElements } from './archive/json-elements.js';

/** Maximum size in bytes of an archived image that an import scales. */
const maxScaledArchivedImageBytes = 64 * 1024 * 1024;

/** Schema of a record of a stored file in the archive's file `records.json`. */
const archivedFileRecordSchema = z.object({
  path: z.string(),
  s3_path: z.string(),
  user_profile_id: z.int().nullish(),
  file_name: z.string().nullish(),
  content_type: z.string().nullish(),
});

export type ArchivedFileRecord = z.output<typeof archivedFileRecordSchema>;

/** Reads the file records in one folder of the archive. Yields nothing if the folder is missing. */
export async function* readArchivedFileRecords(
  archiveFolder: string,
  folder: string,
): AsyncGenerator<ArchivedFileRecord> {
  const file = await findArchiveFile(archiveFolder, `${folder}/records.json`);
  if (file === null) return;
  for await (const elements of readJsonArrayElements(file)) {
    for (const { text } of elements) {
      const record = archivedFileRecordSchema.safeParse(parseArchiveJson(text));
      if (!record.success) throw new AdminError(`${folder}/records.json has a record that is not valid.`);
      yield record.data;
    }
  }
}

/** Reads a picture of the archive into memory. Returns null if the file does not exist or is too large. */
export async function readArchivedPicture(archiveFolder: string, path: string): Promise<Buffer | null> {
  const file = await findArchiveFile(archiveFolder, path);
  if (file === null || (await stat(file)).size > maxScaledArchivedImageBytes) return null;
  return readFile(file);
}

/** Yields the content of an archived file in chunks. */
export async function* readArchivedFile(file: string): AsyncGenerator<Buffer> {
  for await (const chunk of createReadStream(file)) yield Buffer.from(chunk);
}
