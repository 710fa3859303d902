import { RouteConfig } from '@nestjs/platform-fastify';

/** Class of a request's database work: one of the classes of `@switchboard/database` that requests may have. */
export type RequestDatabaseWorkClass = 'authentication' | 'short' | 'heavy';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Class of the database work of a route's requests. Default `short`. */
    databaseWork?: RequestDatabaseWorkClass;
  }
}

/** Class and user of a request's database work. Implements `Workload` of `@switchboard/database`. */
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

  /** Key of the request's user. Database connections are shared fairly between users. */
  get user(): string {
    return (this.#user ??= this.#anonymousKey());
  }

  /** Sets the user after the request was authenticated. */
  setUser(user: string): void {
    this.#user = user;
  }
}

/** Decorator that declares the class of the database work of a handler, unless it is `short`. */
export function DatabaseWorkOfHandler(kind: Exclude<RequestDatabaseWorkClass, 'short'>): MethodDecorator {
  return RouteConfig({ databaseWork: kind });
}
