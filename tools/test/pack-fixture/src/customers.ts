import {
  formatTokenText,
  parseTokenHeader,
  PepperedSecretDigester,
  createStoredInventoryToken,
  type AuthenticatedAccount,
} from '@switchboard/auth';
import { AuthModule } from '@switchboard/nest';
import type { FastifyRequest } from 'fastify';
import { config } from './config.js';
import { errors } from './errors.js';

const pepper = new PepperedSecretDigester({ 1: 'a pepper of this example, which is at least 32 characters' });
const key = 'customer7';
const stored = createStoredInventoryToken(config.CUSTOMER_TOKEN, key, pepper);
const customer: AuthenticatedAccount = { id: 7, kind: 'customer' };

/** Credential of the customer, used as `Bearer <credential>`. */
export const customerCredential = formatTokenText(key, config.CUSTOMER_TOKEN);

/** Module whose guard accepts the only customer. */
export const authentication = AuthModule.forRoot<FastifyRequest, AuthenticatedAccount>({
  authenticate: ({ headers }) => {
    const header = parseTokenHeader(headers.authorization);
    const isCustomer = header.scheme === 'v2' && header.key === key && pepper.matchesDigest(header.secret, stored);
    return Promise.resolve(isCustomer ? customer : null);
  },
  unauthenticated: () => errors.create('NOT_AUTHENTICATED'),
});
