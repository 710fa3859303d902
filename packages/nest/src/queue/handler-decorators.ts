import 'reflect-metadata';
import type {
  OutboxRowsDispatcher,
  OutboxDispatchSettings,
  JobDefinition,
  JobHandler,
  OutboxMessageType,
} from '@switchboard/queue';

/** Work that a decorated method handles: the jobs of one kind, or the outbox messages of one type. */
export type WorkOfHandler =
  | { readonly job: JobDefinition<never, never> }
  | { readonly message: OutboxMessageType<never, never>; readonly settings: OutboxDispatchSettings<never> };

/** Decorator of a method that handles jobs or outbox messages. The type of the method must extend `F`. */
type HandlerDecorator<F> = <M extends F>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<M>,
) => void;

const handledWorkKey = Symbol('work that a method handles');

/**
 * Decorator for a provider's method that runs the jobs of one kind. The kind of job must be defined in the options of
 * {@link QueueModule}, and must have exactly one handler.
 */
export function OnJob<P, I>(job: JobDefinition<P, I>): HandlerDecorator<JobHandler<P>> {
  return (_target, _name, { value }) => addHandledWork(value, { job: job as unknown as JobDefinition<never, never> });
}

/**
 * Decorator for a provider's method that dispatches the outbox messages of one type. The method gets a batch of message
 * rows and the transaction that deletes these rows. A type has at most one handler in a process.
 *
 * @param settings batch sizes and times of the dispatch; the defaults are the defaults of the outbox
 */
export function OnOutboxMessage<P, I>(
  message: OutboxMessageType<P, I>,
  settings: OutboxDispatchSettings<P> = {},
): HandlerDecorator<OutboxRowsDispatcher<P>> {
  return (_target, _name, { value }) =>
    addHandledWork(value, {
      message: message as unknown as OutboxMessageType<never, never>,
      settings: settings as unknown as OutboxDispatchSettings<never>,
    });
}

/** Returns the work that a method handles according to the decorators of the method. */
export function getHandledWork(method: object): readonly WorkOfHandler[] {
  const work: unknown = Reflect.getOwnMetadata(handledWorkKey, method);
  return Array.isArray(work) ? (work as WorkOfHandler[]) : [];
}

function addHandledWork(method: object | undefined, work: WorkOfHandler): void {
  if (method !== undefined) Reflect.defineMetadata(handledWorkKey, [...getHandledWork(method), work], method);
}
