import { RouteConfig } from '@nestjs/platform-fastify';
import { requestContext } from '../logging/request-context.js';

/** Class of a request's database work; those of `@switchboard/database` that requests can have. */
export type RequestWorkClass = 'authentication' | 'short' | 'heavy';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Class of the database work of this route; `short` when absent. */
    databaseWork?: RequestWorkClass;
  }
}

/** Class and user of a request's database work. `Workload` of `@switchboard/database`. */
export class RequestWork {
  #user: string | undefined;
  readonly #anonymous: () => string;

  /**
   * @param kind class by the route
   * @param anonymous key of the client until its user is known
   */
  constructor(
    public kind: RequestWorkClass,
    anonymous: () => string,
  ) {
    this.#anonymous = anonymous;
  }

  /** Key by which users take turns. */
  get user(): string {
    return (this.#user ??= this.#anonymous());
  }

  /** Sets the user once the request is authenticated. */
  identify(user: string): void {
    this.#user = user;
  }
}

/** Declares the class of the database work of a handler, unless it is `short`. */
export function DatabaseWork(kind: Exclude<RequestWorkClass, 'short'>): MethodDecorator {
  return RouteConfig({ databaseWork: kind });
}

/** Returns the class and the user of the running request's database work, or undefined outside a request. */
export function currentWork(): RequestWork | undefined {
  return requestContext.getStore()?.work;
}

/**
 * Makes the rest of the running request heavy database work: a search, an export or a deep offset. Heavy work has
 * connections of its own, and runs two at a time for one user. Does nothing outside a request.
 */
export function declareHeavy(): void {
  const work = currentWork();
  if (work !== undefined) work.kind = 'heavy';
}
