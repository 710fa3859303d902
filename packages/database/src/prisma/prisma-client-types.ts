import type { Pool } from 'pg';

/**
 * Methods of a generated Prisma client that this package calls. `Client` is the type of the client inside a
 * transaction.
 */
export interface GeneratedPrismaClient<Client> {
  $transaction<T>(
    run: (client: Client) => Promise<T>,
    limits: { readonly maxWait: number; readonly timeout: number },
  ): Promise<T>;
  $disconnect(): Promise<void>;
}

/** Class of Prisma's official adapter for `pg`, `PrismaPg`. */
export type PrismaPgAdapterClass<Factory> = new (pool: Pool) => Factory;

/** Factory of Prisma driver adapters, as passed to the constructor of a generated client. */
export interface PrismaAdapterFactory {
  connect(): Promise<object>;
}

/**
 * Function that returns the driver adapter for a generated Prisma client. The adapter is Prisma's official adapter, but
 * its statements run through this package.
 */
type PrismaAdapterBinder = <Factory extends PrismaAdapterFactory>(
  officialAdapter: PrismaPgAdapterClass<Factory>,
) => Factory;

/**
 * Function that loads and creates the Prisma client of a database. The package calls this function once, on the first
 * use of Prisma:
 *
 * ```ts
 * async (createBoundAdapterFactory) => {
 *   const { PrismaPg } = await import('@prisma/adapter-pg');
 *   const { PrismaClient } = await import('./generated/prisma/client.js');
 *   return new PrismaClient({ adapter: createBoundAdapterFactory(PrismaPg) });
 * }
 * ```
 */
export type PrismaClientOpener<Client> = (bindAdapter: PrismaAdapterBinder) => Promise<GeneratedPrismaClient<Client>>;

/**
 * Names of the methods of a Prisma model that only read. The list excludes `findUnique`, because Prisma combines
 * concurrent calls of this method into one statement. The disconnect of one client would also cancel the statement for
 * other requests.
 */
export const prismaReadMethods = [
  'findFirst',
  'findFirstOrThrow',
  'findMany',
  'count',
  'aggregate',
  'groupBy',
] as const;

type PrismaReadMethod = (typeof prismaReadMethods)[number];

/** Models of a Prisma client, each with only the methods that read. */
export type PrismaReadModels<Client> = {
  readonly [Model in keyof Client as Client[Model] extends { findMany: unknown } ? Model : never]: Pick<
    Client[Model],
    PrismaReadMethod & keyof Client[Model]
  >;
};
