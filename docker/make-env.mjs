// @ts-check
/** Prints an environment file with new secrets for compose.yaml: node docker/make-env.mjs > docker/.env */
import { randomBytes } from 'node:crypto';

const createPassword = () => randomBytes(24).toString('base64url');
const createEncryptionKeys = () => `1:${randomBytes(32).toString('base64')}`;
const createPeppers = () => `1:${randomBytes(48).toString('base64url')}`;

console.log(
  [
    '# Services that run. `docker compose --profile chat up` runs one alone.',
    'COMPOSE_PROFILES=chat,inventory',
    `POSTGRES_PASSWORD=${createPassword()}`,
    ...['CHAT', 'INVENTORY'].flatMap((service) => [
      `${service}_DATABASE_PASSWORD=${createPassword()}`,
      `${service}_REDIS_PASSWORD=${createPassword()}`,
      `${service}_SECRET_ENCRYPTION_KEYS=${createEncryptionKeys()}`,
      `${service}_SECRET_PEPPERS=${createPeppers()}`,
    ]),
  ].join('\n'),
);
