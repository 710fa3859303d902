import type { Pool } from 'pg';
import type { RunningTransactions } from '../running-transactions.js';
import { NestedTransactionError, TransactionClosedError } from '../transaction-errors.js';
import type { OpenTx } from '../transaction-interface.js';
import { createBoundAdapterFactory, type PrismaStatementRunner } from './bound-prisma-adapter.js';
import {
  type GeneratedPrismaClient,
  type OpenPrismaClient,
  type PrismaReadModels,
  prismaReadMethods,
} from './prisma-client-types.js';
import { createDeferredPrismaClient } from './deferred-prisma-client.js';

/**
 * Longest delay of a timer in Node, in milliseconds. It disables Prisma's time limits, because the transaction of this
 * package has its own.
 */
const MAX_TIMER_DELAY_MS = 2 ** 31 - 1;

/** Options of {@link PrismaAccess}. */
export interface PrismaAccessOptions<Client> {
  readonly open: OpenPrismaClient<Client> | undefined;
  readonly pool: Pool;
  readonly transactions: RunningTransactions;
  /** Runs statements outside transactions. */
  readonly runOutsideTransaction: PrismaStatementRunner;
}

interface TransactionPrismaClient<Client> {
  readonly client: Promise<Client>;
  /** Function that ends the transaction in the Prisma client. */
  readonly end: () => void;
}

/**
 * Provides the Prisma client of a database. Each process has one client, created on its first use, because the creation
 * loads Prisma's query compiler. In a transaction, the client's statements run through `tx.query`, so that they commit
 * and roll back with all other statements.
 */
export class PrismaAccess<Client> {
  /** Prisma client for reads outside transactions. */
  readonly reads: PrismaReadModels<Client>;
  readonly #bindings = new WeakMap<OpenTx, TransactionPrismaClient<Client>>();
  #client: Promise<GeneratedPrismaClient<Client>> | undefined;

  constructor(private readonly options: PrismaAccessOptions<Client>) {
    this.reads = createDeferredPrismaClient(
      () => this.#generatedClient(),
      (model, method) => {
        const isRead = model !== null && prismaReadMethods.some((name) => name === method);
        if (!isRead) throw new Error(`Prisma's ${method} needs a transaction: use tx.prisma of inTransaction`);
      },
    );
  }

  /**
   * Returns the Prisma client whose queries belong to the transaction `tx`. Its methods throw TransactionClosedError
   * after the end of `tx`.
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

  /** Ends the transaction in the Prisma client, if Prisma was used in it. */
  endTransaction(tx: OpenTx): void {
    this.#bindings.get(tx)?.end();
  }

  /** Closes the Prisma client, if it was created. The connection pool remains open. */
  async close(): Promise<void> {
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
   * Called when Prisma begins a transaction. Returns the function that runs statements in the surrounding transaction
   * of this package, found by the asynchronous context.
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

  /** Opens a Prisma transaction that lasts as long as `tx`, and returns its client. */
  #openTransactionClient(opened: GeneratedPrismaClient<Client>, tx: OpenTx, ended: Promise<void>): Promise<Client> {
    return new Promise((resolve, reject) => {
      const limits = { maxWait: MAX_TIMER_DELAY_MS, timeout: MAX_TIMER_DELAY_MS };
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
