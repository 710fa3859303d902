import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import {
  type OutboxRowsDispatcher,
  type JobHandler,
  type Jobs,
  type Outbox,
  QueueUsageError,
} from '@switchboard/queue';
import { type WorkOfHandler, getHandledWork } from './handler-decorators.js';

type NestProvider = ReturnType<DiscoveryService['getProviders']>[number];

/** A decorated method of a Nest provider, with the work that the method handles. */
interface FoundQueueHandler {
  readonly work: WorkOfHandler;
  /**
   * Name of the decorated method for error messages, with its class and module, such as
   * `Receipts.send of module OrdersModule`.
   */
  readonly name: string;
  readonly run: (...args: never[]) => unknown;
}

/** Finds the decorated methods of all providers, and registers them as handlers of jobs and outbox messages. */
@Injectable()
export class QueueHandlers {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /**
   * Registers all decorated methods as handlers of jobs and outbox messages. Must be called once, when all providers
   * exist.
   *
   * @throws QueueUsageError when two methods handle the same work, or a method handles a job that `definitions` does
   *   not contain. Also when a provider with such a method is not a singleton
   */
  register({ outbox, jobs }: { outbox: Outbox; jobs: Jobs | null }, definitions: ReadonlySet<string> | null): void {
    const first = new Map<string, FoundQueueHandler>();
    for (const handler of this.find()) {
      const title = describeHandledWork(handler.work);
      const other = first.get(title);
      if (other) throw new QueueUsageError(`${title} has two handlers: ${other.name} and ${handler.name}`);
      first.set(title, handler);
      const { work, run } = handler;
      if ('message' in work) {
        outbox.dispatch(work.message, run as OutboxRowsDispatcher<never>, work.settings);
        continue;
      }
      if (jobs === null || definitions?.has(work.job.name) === false) {
        throw new QueueUsageError(
          `${title} has the handler ${handler.name}, but the option jobs of QueueModule does not define it`,
        );
      }
      jobs.handle(work.job, run as JobHandler<never>);
    }
  }

  private find(): FoundQueueHandler[] {
    const seen = new Set<object>();
    return [...this.discovery.getProviders(), ...this.discovery.getControllers()].flatMap((provider) => {
      const prototype = findProviderPrototype(provider);
      const instance: unknown = provider.instance;
      // An alias of another provider has the same instance.
      if (prototype === null || (instance instanceof Object && seen.has(instance))) return [];
      if (instance instanceof Object) seen.add(instance);
      return this.scanner.getAllMethodNames(prototype).flatMap((name) => this.handlersOf(provider, prototype, name));
    });
  }

  private handlersOf(provider: NestProvider, prototype: object, methodName: string): FoundQueueHandler[] {
    const method: unknown = Reflect.get(prototype, methodName);
    if (typeof method !== 'function') return [];
    const handled = getHandledWork(method);
    if (handled.length === 0) return [];
    const name = `${prototype.constructor.name}.${methodName} of module ${provider.host?.name ?? ''}`;
    if (provider.isTransient || !provider.isDependencyTreeStatic()) {
      throw new QueueUsageError(
        `${name} handles ${handled.map(describeHandledWork).join(' and ')}, but its provider has no instance outside a request: ` +
          'remove its scope, and those of the providers that it injects',
      );
    }
    const run = method.bind(provider.instance) as FoundQueueHandler['run'];
    return handled.map((work) => ({ work, name, run }));
  }
}

/**
 * Returns the prototype that contains the methods of a provider. Returns null if the provider is not an object of a
 * class.
 */
function findProviderPrototype({ metatype, instance, inject }: NestProvider): object | null {
  // A factory's function is the metatype of its provider.
  if (typeof metatype === 'function' && !inject && metatype.prototype) return metatype.prototype as object;
  return typeof instance === 'object' && instance !== null ? (Object.getPrototypeOf(instance) as object | null) : null;
}

function describeHandledWork(work: WorkOfHandler): string {
  return 'job' in work ? `Job ${work.job.name}` : `Outbox message ${work.message.name}`;
}
