type PrismaClientMethod = (...args: unknown[]) => unknown;

/**
 * Function that checks a method of a Prisma client before it is called, and throws an error to reject the call. `model`
 * is null for methods of the client itself.
 */
export type PrismaMethodCheck = (model: string | null, method: string) => void;

function callMethodByName(owner: unknown, method: string, args: unknown[]): unknown {
  const found: unknown = typeof owner === 'object' && owner !== null ? Reflect.get(owner, method) : undefined;
  if (typeof found !== 'function') throw new TypeError(`The Prisma client has no method ${method}`);
  return Reflect.apply(found, owner, args);
}

/**
 * Returns a Prisma client whose methods wait for `open` first, so that Prisma is loaded only at the first query.
 * Methods return promises; the chained form `findUnique(…).relation()` does not exist.
 */
export function createDeferredPrismaClient<Client>(open: () => Promise<unknown>, check: PrismaMethodCheck): Client {
  const methodOf =
    (model: string | null, method: string): PrismaClientMethod =>
    async (...args) => {
      check(model, method);
      const client = await open();
      const owner: unknown = model === null ? client : Reflect.get(Object(client), model);
      return callMethodByName(owner, method, args);
    };
  const modelOf = (name: string): object =>
    new Proxy(methodOf(null, name), {
      get: (_, method) => (typeof method === 'string' ? methodOf(name, method) : undefined),
    });
  const models = new Map<string, object>();
  const client = new Proxy(
    {},
    {
      get: (_, name) => {
        // `await` would treat a client with a property `then` as a promise.
        if (typeof name !== 'string' || name === 'then') return undefined;
        const model = models.get(name) ?? modelOf(name);
        models.set(name, model);
        return model;
      },
    },
  );
  return client as Client;
}
