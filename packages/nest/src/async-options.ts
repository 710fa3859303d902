import type { FactoryProvider, ModuleMetadata, Provider } from '@nestjs/common';

/** Options of a `forRootAsync`: a factory that returns the options of the module, and the providers that it needs. */
export interface AsyncOptions<T> extends Pick<ModuleMetadata, 'imports'>, Pick<FactoryProvider<T>, 'inject'> {
  /** Returns the options of the module. Its parameters are the providers of `inject`. */
  readonly useFactory: FactoryProvider<T>['useFactory'];
}

/** Returns the provider of a module's options under an injection token. */
export function optionsProvider<T>(token: symbol, { inject = [], useFactory }: AsyncOptions<T>): Provider {
  return { provide: token, inject, useFactory };
}
