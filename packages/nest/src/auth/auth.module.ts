import { type CanActivate, type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { AuthenticatedAccount } from '@switchboard/auth';
import { type ModuleAsyncOptions, optionsProvider } from '../module-async-options.js';
import { type AuthGuardOptions, createAuthGuard } from './auth-guard.js';

/** Options of {@link AuthModule}. `R` is the request type of the web framework. */
export interface AuthModuleOptions<
  R extends object,
  A extends AuthenticatedAccount<number | string>,
> extends AuthGuardOptions<R, A> {
  /**
   * Returns the guard of the service, which calls the guard `authentication` and performs further checks, such as rate
   * limits. If undefined, the service uses only the authentication guard.
   */
  createGuard?(authentication: CanActivate): CanActivate;
}

const AUTH_OPTIONS = Symbol('auth options');

/**
 * Module that authenticates all requests of a service. Every route requires credentials unless the route is marked with
 * {@link Public}. A service imports the module once, in the root module.
 */
@Module({})
export class AuthModule {
  /** Returns the authentication module with the given options. */
  static forRoot<R extends object, A extends AuthenticatedAccount<number | string>>(
    options: AuthModuleOptions<R, A>,
  ): DynamicModule {
    return AuthModule.forRootAsync({ useFactory: () => options });
  }

  /** Returns the authentication module with options that a factory returns. The factory may use other providers. */
  static forRootAsync<R extends object, A extends AuthenticatedAccount<number | string>>(
    options: ModuleAsyncOptions<AuthModuleOptions<R, A>>,
  ): DynamicModule {
    return {
      module: AuthModule,
      imports: options.imports ?? [],
      providers: [
        optionsProvider(AUTH_OPTIONS, options),
        { provide: APP_GUARD, inject: [AUTH_OPTIONS], useFactory: createConfiguredAuthGuard },
      ],
    };
  }
}

function createConfiguredAuthGuard<R extends object, A extends AuthenticatedAccount<number | string>>(
  options: AuthModuleOptions<R, A>,
): CanActivate {
  const authentication = createAuthGuard(options);
  return options.createGuard?.(authentication) ?? authentication;
}
