// @ts-check
/** Prints an environment file with fresh secrets for compose.yaml: node docker/make-env.mjs > docker/.env */
import { randomBytes } from 'node:crypto';

const password = () => randomBytes(24).toString('base64url');
const encryptionKeys = () => `1:${randomBytes(32).toString('base64')}`;
const peppers = () => `1:${randomBytes(48).toString('base64url')}`;

console.log(
  [
    `POSTGRES_PASSWORD=${password()}`,
    `REDIS_PASSWORD=${password()}`,
    `CHAT_SECRET_ENCRYPTION_KEYS=${encryptionKeys()}`,
    `CHAT_SECRET_PEPPERS=${peppers()}`,
    `INVENTORY_SECRET_ENCRYPTION_KEYS=${encryptionKeys()}`,
    `INVENTORY_SECRET_PEPPERS=${peppers()}`,
  ].join('\n'),
);
