import type { TransactionTransport } from './transaction-transport.js';

/**
 * Sends BEGIN, COMMIT and every statement as separate queries of `pg`. It uses only the documented interface of `pg`,
 * and is the default of `createDatabase`.
 */
export const plainTransport: TransactionTransport = {
  frame: () => undefined,
  inOneWrite: (_client, send) => send(),
};
