import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { UndeliverableError } from '@switchboard/webhooks';

const maxCertificateAuthorityFileBytes = 1024 * 1024;

/**
 * Reads the CA certificates in the file `ca_file_path` of a webhook, in PEM format.
 *
 * @throws UndeliverableError if the file is missing or contains no certificates. The error message does not distinguish
 * these cases, so that users who can write webhooks cannot find out which files exist on the server.
 */
export async function readCertificateAuthorityFile(path: string): Promise<string> {
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile() || stats.size > maxCertificateAuthorityFileBytes)
        throw new RangeError('not a file of certificates');
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw new UndeliverableError('The CA certificate file could not be read.', { cause });
  }
}
