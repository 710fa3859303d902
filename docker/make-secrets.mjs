// @ts-check
/**
 * Writes the secrets of the services as files for compose.secrets.yaml:
 * node docker/make-secrets.mjs docker/.env docker/secrets
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

const [environmentFile, folder] = process.argv.slice(2);
if (environmentFile === undefined || folder === undefined) {
  console.error('usage: node docker/make-secrets.mjs <environment file> <folder>');
  process.exit(2);
}

const variablesFromEnvironmentFile = parseEnv(readFileSync(environmentFile, 'utf8'));

/** @param {string} name */
function findEnvironmentFileVariable(name) {
  const value = variablesFromEnvironmentFile[name];
  if (value) return value;
  console.error(`${environmentFile} contains no ${name}`);
  process.exit(1);
}

const secretFilesToWrite = ['chat', 'inventory'].flatMap((service) => {
  /** @param {string} name */
  const own = (name) => findEnvironmentFileVariable(`${service.toUpperCase()}_${name}`);
  return [
    [`${service}_database_url`, `postgres://${service}:${own('DATABASE_PASSWORD')}@postgres:5432/${service}`],
    [`${service}_redis_url`, `redis://${service}:${own('REDIS_PASSWORD')}@redis:6379`],
    [`${service}_secret_encryption_keys`, own('SECRET_ENCRYPTION_KEYS')],
    [`${service}_secret_peppers`, own('SECRET_PEPPERS')],
  ];
});

mkdirSync(folder, { recursive: true, mode: 0o700 });
chmodSync(folder, 0o700);
for (const [name = '', value = ''] of secretFilesToWrite) {
  // Docker mounts the files with their permissions, and the user in the containers is another one.
  const path = join(folder, name);
  // A run that was killed may have left a file that cannot be written.
  rmSync(`${path}.new`, { force: true });
  writeFileSync(`${path}.new`, `${value}\n`, { mode: 0o600 });
  chmodSync(`${path}.new`, 0o444);
  renameSync(`${path}.new`, path);
}
