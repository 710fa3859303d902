import type { FactoryProvider, ModuleMetadata, Provider } from '@nestjs/common';

/**
 * Options of a module's method `forRootAsync`: a factory that returns the options of the module, and the providers that
 * the factory needs.
 */
export interface ModuleAsyncOptions<T> extends Pick<ModuleMetadata, 'imports'>, Pick<FactoryProvider<T>, 'inject'> {
  /**
   * Factory that returns the options of the module. The parameters of the factory are the providers listed in `inject`.
   */
  readonly useFactory: FactoryProvider<T>['useFactory'];
}

/** Returns the Nest provider that provides a module's options under an injection token. */
export function optionsProvider<T>(token: symbol, { inject = [], useFactory }: ModuleAsyncOptions<T>): Provider {
  return { provide: token, inject, useFactory };
}
