import { randomBytes } from 'node:crypto';

const longestName = 100;

/**
 * The name of an uploaded file as it can stand in an address: letters and digits of any script, `.`, `_` and `-`;
 * blanks become `-`, everything else is left out. A name of which nothing is left becomes `uploaded-file`.
 */
export function uploadedFileName(sent: string): string {
  const base = sent
    .normalize('NFC')
    .replace(/^.*[/\\]/s, '')
    .trim();
  const kept = base
    .replaceAll(/\s+/gu, '-')
    .replaceAll(/[^\p{L}\p{M}\p{N}._-]/gu, '')
    .replace(/^[.-]+/, '');
  return [...kept].slice(-longestName).join('') || 'uploaded-file';
}

/** Creates an unguessable path; folders of two digits limit the entries of each folder. */
export function newPathId(realmId: number, fileName: string): string {
  const [folder, secret] = [randomBytes(1).toString('hex'), randomBytes(18).toString('base64url')];
  return `${realmId}/${folder}/${secret}/${fileName}`;
}
