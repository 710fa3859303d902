import 'reflect-metadata';
import {
  createParamDecorator,
  SetMetadata,
  type CanActivate,
  type CustomDecorator,
  type ExecutionContext,
} from '@nestjs/common';
import type { Actor } from '@switchboard/auth';

const publicHandlerMetadataKey = 'switchboard:auth:public';

type PublicMode = 'anonymous' | 'identify';

/** A request that the authentication guard has accepted. `actor` is null on a public route without credentials. */
export interface AuthenticatedRequest<A extends Actor<number | string> = Actor> {
  actor?: A | null;
}

/** Options of the guard that authenticates all requests of a service. `R` is the request type of the web framework. */
export interface AuthGuardOptions<R, A extends Actor<number | string>> {
  /**
   * Returns the actor of the request, or null if it has no credentials. Throws the service's own error for invalid
   * credentials.
   */
  authenticate(request: R): Promise<A | null>;
  /**
   * Returns the service's error for a request without an actor on a route that requires one. The guard throws it
   * unchanged.
   */
  unauthenticated(request: R): Error;
}

/**
 * Error for a handler that requests the actor although its route has no authentication guard. This is a programming
 * error, reported as 500.
 */
export class GuardMissingError extends Error {
  override readonly name = 'GuardMissingError';
}

/**
 * Creates a Nest guard that authenticates requests and sets `request.actor`. Register it once for the whole service
 * (`APP_GUARD`), and open single routes with {@link Public}: new routes then require credentials by default.
 */
export function createAuthGuard<R extends object, A extends Actor<number | string>>(
  options: AuthGuardOptions<R, A>,
): CanActivate {
  return {
    async canActivate(context: ExecutionContext): Promise<boolean> {
      const request = context.switchToHttp().getRequest<R & AuthenticatedRequest<A>>();
      const mode = getPublicMode(context);
      request.actor = mode === 'anonymous' ? null : await options.authenticate(request);
      if (request.actor === null && mode === undefined) throw options.unauthenticated(request);
      return true;
    },
  };
}

/**
 * Decorator that opens a handler or controller to requests without credentials. Credentials in a request are ignored
 * unless `identify` is set. If it is set, they must be valid.
 */
export function Public(options: { identify?: boolean } = {}): CustomDecorator {
  const mode: PublicMode = options.identify === true ? 'identify' : 'anonymous';
  return SetMetadata(publicHandlerMetadataKey, mode);
}

/**
 * Returns the actor that the authentication guard found, or null on a {@link Public} route.
 *
 * @throws GuardMissingError when no guard has run
 */
export function getRequestActor<A extends Actor<number | string>>(request: AuthenticatedRequest<A>): A | null {
  if (request.actor === undefined) throw new GuardMissingError('No auth guard ran for this route');
  return request.actor;
}

/** Parameter decorator: passes the actor of the request to the handler. On {@link Public} routes it may be null. */
export const CurrentActor = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  getRequestActor(context.switchToHttp().getRequest<AuthenticatedRequest>()),
);

function getPublicMode(context: ExecutionContext): PublicMode | undefined {
  const targets: object[] = [context.getHandler(), context.getClass()];
  for (const target of targets) {
    const mode: unknown = Reflect.getMetadata(publicHandlerMetadataKey, target);
    if (mode === 'anonymous' || mode === 'identify') return mode;
  }
  return undefined;
}
