import { randomBytes } from 'node:crypto';

const maxUploadNameLength = 100;

/**
 * Returns the file name that the URL of an uploaded file contains: letters and digits of any script, `.`, `_` and `-`.
 * Blanks become `-`, and all other characters are removed. An empty result becomes `uploaded-file`.
 */
export function sanitizeUploadedFileName(sent: string): string {
  const base = sent
    .normalize('NFC')
    .replace(/^.*[/\\]/s, '')
    .trim();
  const kept = base
    .replaceAll(/\s+/gu, '-')
    .replaceAll(/[^\p{L}\p{M}\p{N}._-]/gu, '')
    .replace(/^[.-]+/, '');
  return [...kept].slice(-maxUploadNameLength).join('') || 'uploaded-file';
}

/**
 * Creates an unguessable path for an uploaded file. Folders of two hexadecimal digits limit the number of entries per
 * folder.
 */
export function generateUploadedFilePath(realmId: number, fileName: string): string {
  const [folder, secret] = [randomBytes(1).toString('hex'), randomBytes(18).toString('base64url')];
  return `${realmId}/${folder}/${secret}/${fileName}`;
}
