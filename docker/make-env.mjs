// @ts-check
/** Prints an environment file with new secrets for compose.yaml: node docker/make-env.mjs > docker/.env */
import { randomBytes } from 'node:crypto';

const password = () => randomBytes(24).toString('base64url');
const encryptionKeys = () => `1:${randomBytes(32).toString('base64')}`;
const peppers = () => `1:${randomBytes(48).toString('base64url')}`;

console.log(
  [
    '# Services that run. `docker compose --profile chat up` runs one alone.',
    'COMPOSE_PROFILES=chat,inventory',
    `POSTGRES_PASSWORD=${password()}`,
    ...['CHAT', 'INVENTORY'].flatMap((service) => [
      `${service}_DATABASE_PASSWORD=${password()}`,
      `${service}_REDIS_PASSWORD=${password()}`,
      `${service}_SECRET_ENCRYPTION_KEYS=${encryptionKeys()}`,
      `${service}_SECRET_PEPPERS=${peppers()}`,
    ]),
  ].join('\n'),
);
