import type { TransactionTransport } from './transaction-transport.js';

/**
 * Transport that sends BEGIN, COMMIT and every other statement as separate queries of `pg`. The transport uses only the
 * documented interface of `pg`, and is the default of `createDatabase`.
 */
export const plainTransactionTransport: TransactionTransport = {
  frame: () => undefined,
  inOneWrite: (_client, send) => send(),
};
