import { type DynamicModule, Inject, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { OutboundClient, type OutboundClientOptions } from '@switchboard/outbound';
import { type ModuleAsyncOptions, optionsProvider } from '../module-async-options.js';

/**
 * Option that names the HTTP client of a module, for a service that has several clients with different address
 * policies.
 */
export interface OutboundName {
  /** Name of the client for {@link InjectOutbound}. If undefined, the module provides the client without a name. */
  readonly name?: string;
}

/** Returns the injection token of the HTTP client with the given name. */
export function outboundToken(name?: string): symbol | typeof OutboundClient {
  return name === undefined ? OutboundClient : Symbol.for(`@switchboard/nest:outbound:${name}`);
}

/** Parameter decorator: injects the HTTP client of {@link OutboundModule}, or its client with the given name. */
export function InjectOutbound(name?: string): ReturnType<typeof Inject> {
  return Inject(outboundToken(name));
}

/** Closes an HTTP client when the application has shut down. */
class OutboundShutdown implements OnApplicationShutdown {
  constructor(private readonly client: OutboundClient) {}

  onApplicationShutdown(): Promise<void> {
    return this.client.close();
  }
}

/**
 * Module with an HTTP client that connects only to addresses that its policy allows. The module closes the client when
 * the application has shut down.
 */
@Module({})
export class OutboundModule {
  /**
   * Returns the module of the HTTP client with the given options.
   *
   * @throws RangeError when the application is created, for an invalid network or proxy
   */
  static forRoot({ name, ...options }: OutboundClientOptions & OutboundName): DynamicModule {
    return OutboundModule.forRootAsync({ ...(name !== undefined && { name }), useFactory: () => options });
  }

  /** Returns the module of the HTTP client with options that a factory returns. The factory may use other providers. */
  static forRootAsync({ name, ...options }: ModuleAsyncOptions<OutboundClientOptions> & OutboundName): DynamicModule {
    const token = outboundToken(name);
    const OPTIONS = Symbol('outbound options');
    const providers: Provider[] = [
      optionsProvider(OPTIONS, options),
      { provide: token, inject: [OPTIONS], useFactory: (given: OutboundClientOptions) => new OutboundClient(given) },
      {
        provide: OutboundShutdown,
        inject: [token],
        useFactory: (client: OutboundClient) => new OutboundShutdown(client),
      },
    ];
    return { module: OutboundModule, global: true, imports: options.imports ?? [], providers, exports: [token] };
  }
}
