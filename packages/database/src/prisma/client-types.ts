import type { Pool } from 'pg';

/** The part of a generated Prisma client that this package calls. `Client` is what it hands to a transaction. */
export interface GeneratedClient<Client> {
  $transaction<T>(
    run: (client: Client) => Promise<T>,
    limits: { readonly maxWait: number; readonly timeout: number },
  ): Promise<T>;
  $disconnect(): Promise<void>;
}

/** Class of the official adapter for `pg`, `PrismaPg`. */
export type PgAdapterClass<Factory> = new (pool: Pool) => Factory;

/** A factory of driver adapters, as the constructor of a generated client takes it. */
export interface AdapterFactory {
  connect(): Promise<object>;
}

/** Returns the adapter for a generated client: the official one, whose statements run where this package says. */
type BindAdapter = <Factory extends AdapterFactory>(officialAdapter: PgAdapterClass<Factory>) => Factory;

/**
 * Loads and makes the Prisma client of a database. Called once, when Prisma is first used:
 *
 * ```ts
 * async (bindAdapter) => {
 *   const { PrismaPg } = await import('@prisma/adapter-pg');
 *   const { PrismaClient } = await import('./generated/prisma/client.js');
 *   return new PrismaClient({ adapter: bindAdapter(PrismaPg) });
 * }
 * ```
 */
export type OpenPrisma<Client> = (bindAdapter: BindAdapter) => Promise<GeneratedClient<Client>>;

/**
 * Methods of a model that only read. Without `findUnique`: of those of one tick Prisma makes one statement, which the
 * disconnect of one client would cancel for others.
 */
export const readMethods = ['findFirst', 'findFirstOrThrow', 'findMany', 'count', 'aggregate', 'groupBy'] as const;

type ReadMethod = (typeof readMethods)[number];

/** The models of a Prisma client with their reading methods alone. */
export type PrismaReads<Client> = {
  readonly [Model in keyof Client as Client[Model] extends { findMany: unknown } ? Model : never]: Pick<
    Client[Model],
    ReadMethod & keyof Client[Model]
  >;
};
