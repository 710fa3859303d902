import { RouteConfig } from '@nestjs/platform-fastify';

/**
 * Class of a request's database work: one of those classes of `@switchboard/database` that are permitted for requests.
 */
export type RequestDatabaseWorkClass = 'authentication' | 'short' | 'heavy';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Class of the database work for all requests of a route. Default `short`. */
    databaseWork?: RequestDatabaseWorkClass;
  }
}

/** Class and user of a request's database work. Implements `DatabaseWorkClassAndUser` of `@switchboard/database`. */
export class RequestDatabaseWork {
  #user: string | undefined;
  readonly #anonymousKey: () => string;

  /**
   * @param kind class declared by the route
   * @param anonymous returns a key of the client until its user is known
   */
  constructor(
    public kind: RequestDatabaseWorkClass,
    anonymous: () => string,
  ) {
    this.#anonymousKey = anonymous;
  }

  /** Key that identifies the user of the request. Database connections are shared fairly between users. */
  get user(): string {
    return (this.#user ??= this.#anonymousKey());
  }

  /** Sets the user of the database work after the request was authenticated. */
  setUser(user: string): void {
    this.#user = user;
  }
}

/**
 * Decorator that declares the class of a handler's database work. Handlers without the decorator have the class
 * `short`.
 */
export function DatabaseWorkOfHandler(kind: Exclude<RequestDatabaseWorkClass, 'short'>): MethodDecorator {
  return RouteConfig({ databaseWork: kind });
}
