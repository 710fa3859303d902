import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LocalServicesError } from './local-services-errors.js';

/** Passwords that protect the local servers from other users and programs of the machine. */
export interface ServiceCredentials {
  readonly postgresPassword: string;
  readonly redisPassword: string;
}

/** Returns the path of the file that contains the passwords of the local servers (mode 0600). */
function getCredentialsFilePath(serviceFolder: string): string {
  return join(serviceFolder, 'credentials.json');
}

function parseServiceCredentials(text: string, file: string): ServiceCredentials {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && 'postgresPassword' in value && 'redisPassword' in value) {
    const { postgresPassword, redisPassword } = value;
    if (typeof postgresPassword === 'string' && typeof redisPassword === 'string') {
      return { postgresPassword, redisPassword };
    }
  }
  throw new LocalServicesError(
    `${file} contains no valid credentials. Restore it, or remove all data with: npm start -- --reset`,
  );
}

/**
 * Reads the passwords of the local servers, or creates them at the first start (32 random bytes each).
 *
 * @throws LocalServicesError when a cluster exists without passwords, because then no login is possible
 */
export function loadServiceCredentials(serviceFolder: string): ServiceCredentials {
  const file = getCredentialsFilePath(serviceFolder);
  if (existsSync(file)) return parseServiceCredentials(readFileSync(file, 'utf8'), file);
  if (existsSync(join(serviceFolder, 'postgres'))) {
    throw new LocalServicesError(
      `${file} is missing, so that the data in its folder cannot be opened. Restore it, or remove all data with: npm start -- --reset`,
    );
  }
  const made = { postgresPassword: randomBytes(32).toString('hex'), redisPassword: randomBytes(32).toString('hex') };
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return made;
}
