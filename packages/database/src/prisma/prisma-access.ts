import type { Pool } from 'pg';
import type { RunningTransactionTracker } from '../running-transactions.js';
import { NestedTransactionError, TransactionClosedError } from '../transaction-errors.js';
import type { OpenTx } from '../transaction-interface.js';
import { createBoundAdapterFactory, type PrismaStatementRunner } from './bound-prisma-adapter.js';
import {
  type GeneratedPrismaClient,
  type PrismaClientOpener,
  type PrismaReadModels,
  prismaReadMethods,
} from './prisma-client-types.js';
import { createDeferredPrismaClient } from './deferred-prisma-client.js';

/**
 * Longest delay of a timer in Node, in milliseconds. With this value, Prisma's time limits have no effect, because the
 * transactions of this package have their own time limits.
 */
const MAX_NODE_TIMER_DELAY_MS = 2 ** 31 - 1;

export interface PrismaClientProviderOptions<Client> {
  readonly open: PrismaClientOpener<Client> | undefined;
  readonly pool: Pool;
  readonly transactions: RunningTransactionTracker;
  /** Function that runs statements of Prisma outside transactions. */
  readonly runOutsideTransaction: PrismaStatementRunner;
}

interface TransactionPrismaClient<Client> {
  readonly client: Promise<Client>;
  /** Function that ends the transaction in the Prisma client after the database transaction has ended. */
  readonly end: () => void;
}

/**
 * Provides the Prisma client of a database. Each process has one client, created on its first use, because the creation
 * loads Prisma's query compiler. Inside a transaction, the statements of the Prisma client run through `tx.query`. They
 * therefore commit and roll back together with all other statements of the transaction.
 */
export class PrismaClientProvider<Client> {
  /** Prisma client for reads outside transactions. */
  readonly reads: PrismaReadModels<Client>;
  readonly #bindings = new WeakMap<OpenTx, TransactionPrismaClient<Client>>();
  #client: Promise<GeneratedPrismaClient<Client>> | undefined;

  constructor(private readonly options: PrismaClientProviderOptions<Client>) {
    this.reads = createDeferredPrismaClient(
      () => this.#generatedClient(),
      (model, method) => {
        const isRead = model !== null && prismaReadMethods.some((name) => name === method);
        if (!isRead) throw new Error(`Prisma's ${method} needs a transaction: use tx.prisma of inTransaction`);
      },
    );
  }

  /**
   * Returns the Prisma client whose queries belong to the transaction `tx`. The methods of the returned client throw
   * TransactionClosedError after the end of `tx`.
   */
  getClientOfTransaction(tx: OpenTx): Client {
    return createDeferredPrismaClient(
      () => this.#boundClientOf(tx).client,
      (_, method) => {
        if (!tx.isOpen) throw new TransactionClosedError();
        if (method === '$transaction') throw new NestedTransactionError();
      },
    );
  }

  /** Ends the transaction in the Prisma client. Does nothing if the transaction has not used Prisma. */
  endPrismaTransaction(tx: OpenTx): void {
    this.#bindings.get(tx)?.end();
  }

  /** Closes the Prisma client of the database, if the client was created. The connection pool remains open. */
  async closeClient(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client?.$disconnect();
  }

  #generatedClient(): Promise<GeneratedPrismaClient<Client>> {
    this.#client ??= this.#openClient().catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  async #openClient(): Promise<GeneratedPrismaClient<Client>> {
    const { open, pool, runOutsideTransaction } = this.options;
    if (open === undefined) throw new Error('This database was created without the option prisma');
    return open((officialAdapter) =>
      createBoundAdapterFactory(officialAdapter, {
        pool,
        runOutsideTransaction,
        beginTransaction: () => this.#beginTransaction(),
      }),
    );
  }

  /**
   * Returns the function that runs statements of Prisma in the current transaction of this package. Prisma calls this
   * method when it begins a transaction. The async context determines the current transaction.
   */
  #beginTransaction(): PrismaStatementRunner {
    const tx = this.options.transactions.innermostTransaction;
    if (tx === undefined) throw new Error('Prisma may begin no transaction of its own: use inTransaction');
    return (statement) => tx.query(statement);
  }

  #boundClientOf(tx: OpenTx): TransactionPrismaClient<Client> {
    const known = this.#bindings.get(tx);
    if (known !== undefined) return known;
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const client = this.#generatedClient().then((opened) => this.#openTransactionClient(opened, tx, ended));
    const binding = { client, end };
    this.#bindings.set(tx, binding);
    return binding;
  }

  /**
   * Opens a transaction in the Prisma client that lasts until `tx` ends. Returns the Prisma client of this transaction.
   */
  #openTransactionClient(opened: GeneratedPrismaClient<Client>, tx: OpenTx, ended: Promise<void>): Promise<Client> {
    return new Promise((resolve, reject) => {
      const limits = { maxWait: MAX_NODE_TIMER_DELAY_MS, timeout: MAX_NODE_TIMER_DELAY_MS };
      const begun = this.options.transactions.runInsideTransaction(tx, () =>
        opened.$transaction((client) => {
          resolve(client);
          return ended;
        }, limits),
      );
      begun.catch(reject);
    });
  }
}
