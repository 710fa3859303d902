import 'reflect-metadata';
import type { Dispatcher, DispatchSettings, JobDefinition, JobHandler, OutboxMessageType } from '@switchboard/queue';

/** The work of a decorated method: the jobs of one kind, or the outbox messages of one type. */
export type WorkOfHandler =
  | { readonly job: JobDefinition<never, never> }
  | { readonly message: OutboxMessageType<never, never>; readonly settings: DispatchSettings<never> };

/** Decorator of a method whose type extends `F`. */
type HandlerDecorator<F> = <M extends F>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<M>,
) => void;

const handledWorkKey = Symbol('work that a method handles');

/**
 * Decorator of a provider's method that runs the jobs of one kind. The job must be among the definitions of
 * {@link QueueModule}, and has exactly one handler.
 */
export function OnJob<P, I>(job: JobDefinition<P, I>): HandlerDecorator<JobHandler<P>> {
  return (_target, _name, { value }) => addHandledWork(value, { job: job as unknown as JobDefinition<never, never> });
}

/**
 * Decorator of a provider's method that dispatches the outbox messages of one type: it gets a batch of rows and the
 * transaction that deletes them. A type has at most one handler in a process.
 *
 * @param settings sizes and times of the dispatch; defaults are those of the outbox
 */
export function OnOutboxMessage<P, I>(
  message: OutboxMessageType<P, I>,
  settings: DispatchSettings<P> = {},
): HandlerDecorator<Dispatcher<P>> {
  return (_target, _name, { value }) =>
    addHandledWork(value, {
      message: message as unknown as OutboxMessageType<never, never>,
      settings: settings as unknown as DispatchSettings<never>,
    });
}

/** Returns the work that a method handles according to its decorators. */
export function getHandledWork(method: object): readonly WorkOfHandler[] {
  const work: unknown = Reflect.getOwnMetadata(handledWorkKey, method);
  return Array.isArray(work) ? (work as WorkOfHandler[]) : [];
}

function addHandledWork(method: object | undefined, work: WorkOfHandler): void {
  if (method !== undefined) Reflect.defineMetadata(handledWorkKey, [...getHandledWork(method), work], method);
}
