import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import {
  type ErrorCatalogRendererOptions,
  createErrorCatalogRenderer,
  type ErrorDefinition,
  type ErrorLogger,
  type ErrorRenderer,
  type FailedRequest,
} from '@switchboard/errors';
import { type ModuleAsyncOptions, optionsProvider } from '../module-async-options.js';
import { createNestLog } from '../nest-log.js';
import { ErrorFilter } from './error-filter.js';

/** A request that has an id, such as a request of Fastify. */
export type IdentifiedRequest = FailedRequest & { readonly id?: unknown };

/** Options of {@link ErrorsModule}: a catalog of errors, or a renderer with the service's own format. */
export type ErrorsModuleOptions<C extends Record<string, ErrorDefinition> = Record<string, ErrorDefinition>> = (
  | ErrorCatalogRendererOptions<C>
  | { readonly renderer: ErrorRenderer }
) & {
  /**
   * Logger for error details that clients must not receive. If undefined, the logger of the Nest application is used.
   */
  readonly logger?: ErrorLogger;
  /** Returns the id of a request. If undefined, the property `id` of the request is used. */
  readonly requestId?: (request: IdentifiedRequest) => string;
};

const ERRORS_OPTIONS = Symbol('errors options');

/**
 * Module that sends the response to every error of a service. A service imports the module once, in the root module.
 */
@Module({})
export class ErrorsModule {
  /** Returns the module for error responses with the given options. */
  static forRoot<const C extends Record<string, ErrorDefinition>>(options: ErrorsModuleOptions<C>): DynamicModule {
    return ErrorsModule.forRootAsync({ useFactory: () => options });
  }

  /**
   * Returns the module for error responses with options that a factory returns. The factory may use other providers.
   */
  static forRootAsync<const C extends Record<string, ErrorDefinition>>(
    options: ModuleAsyncOptions<ErrorsModuleOptions<C>>,
  ): DynamicModule {
    return {
      module: ErrorsModule,
      imports: options.imports ?? [],
      providers: [
        optionsProvider(ERRORS_OPTIONS, options),
        { provide: APP_FILTER, inject: [ERRORS_OPTIONS], useFactory: createErrorFilter },
      ],
    };
  }
}

function createErrorFilter(options: ErrorsModuleOptions): ErrorFilter<IdentifiedRequest> {
  const renderer = 'renderer' in options ? options.renderer : createErrorCatalogRenderer(options);
  const { logger = createNestLog(ErrorFilter.name), requestId = ({ id }) => String(id) } = options;
  return new ErrorFilter<IdentifiedRequest>(renderer, { logger, requestId });
}
