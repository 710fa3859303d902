import 'reflect-metadata';
import {
  createParamDecorator,
  SetMetadata,
  type CanActivate,
  type CustomDecorator,
  type ExecutionContext,
} from '@nestjs/common';
import type { AuthenticatedAccount } from '@switchboard/auth';

const publicHandlerMetadataKey = 'switchboard:auth:public';

type PublicMode = 'anonymous' | 'identify';

/**
 * A request that the authentication guard has accepted. `actor` is the authenticated account; it is null for a request
 * without credentials on a public route.
 */
export interface AuthenticatedRequest<A extends AuthenticatedAccount<number | string> = AuthenticatedAccount> {
  actor?: A | null;
}

/** Options of the guard that authenticates all requests of a service. `R` is the request type of the web framework. */
export interface AuthGuardOptions<R, A extends AuthenticatedAccount<number | string>> {
  /**
   * Returns the authenticated account (actor) of a request, or null if the request has no credentials. Throws the
   * service's own error for invalid credentials.
   */
  authenticate(request: R): Promise<A | null>;
  /**
   * Returns the service's error for a request without credentials on a route that requires authentication. The guard
   * throws the error unchanged.
   */
  unauthenticated(request: R): Error;
}

/**
 * Error for a handler that reads the authenticated account (actor) although the handler's route has no authentication
 * guard. This is a programming error, to which the service responds with status 500.
 */
export class GuardMissingError extends Error {
  override readonly name = 'GuardMissingError';
}

/**
 * Creates a Nest guard that authenticates requests and sets `request.actor` to the authenticated account. A service
 * registers the guard once for all routes (`APP_GUARD`), and opens single routes with {@link Public}. New routes
 * therefore require credentials by default.
 */
export function createAuthGuard<R extends object, A extends AuthenticatedAccount<number | string>>(
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
 * unless `identify` is true. If `identify` is true, credentials in the request must be valid.
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
export function getRequestActor<A extends AuthenticatedAccount<number | string>>(
  request: AuthenticatedRequest<A>,
): A | null {
  if (request.actor === undefined) throw new GuardMissingError('No auth guard ran for this route');
  return request.actor;
}

/**
 * Parameter decorator that passes the authenticated account (actor) of the request to the handler. On {@link Public}
 * routes, the account may be null.
 */
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
