// @ts-check
/** Prints an environment file with new secrets for compose.yaml: node docker/make-env.mjs > docker/.env */
import { randomBytes } from 'node:crypto';

const createRandomPassword = () => randomBytes(24).toString('base64url');
const createEncryptionKeysVariable = () => `1:${randomBytes(32).toString('base64')}`;
const createPeppersVariable = () => `1:${randomBytes(48).toString('base64url')}`;

console.log(
  [
    '# Services that run. `docker compose --profile chat up` runs one alone.',
    'COMPOSE_PROFILES=chat,inventory',
    `POSTGRES_PASSWORD=${createRandomPassword()}`,
    ...['CHAT', 'INVENTORY'].flatMap((service) => [
      `${service}_DATABASE_PASSWORD=${createRandomPassword()}`,
      `${service}_REDIS_PASSWORD=${createRandomPassword()}`,
      `${service}_SECRET_ENCRYPTION_KEYS=${createEncryptionKeysVariable()}`,
      `${service}_SECRET_PEPPERS=${createPeppersVariable()}`,
    ]),
  ].join('\n'),
);
