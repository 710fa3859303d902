import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { UndeliverableError } from '../../webhooks/undeliverable-error.js';

const largestBytes = 1024 * 1024;

/**
 * The certificates in a webhook's `ca_file_path`, in PEM form.
 *
 * @throws UndeliverableError when there is no such file, or it is none that can hold certificates. The message does not
 * say which: whoever may write webhooks is not thereby allowed to look around on this machine.
 */
export async function readCaFile(path: string): Promise<string> {
  try {
    // Opening a pipe would otherwise wait until somebody writes to it.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile() || stats.size > largestBytes) throw new RangeError('not a file of certificates');
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw new UndeliverableError('The CA certificate file could not be read.', { cause });
  }
}
