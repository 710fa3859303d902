import { context, ROOT_CONTEXT, SpanKind, type Tracer } from '@opentelemetry/api';
import { getActiveSpanContext, findCommonOrigin, formatTraceparent, runInSpan } from '@switchboard/tracing';
import type { JobAttempt, StoredJobData } from './job-attempt.js';

/**
 * Adds jobs of one kind in a tracing span. The jobs store the `traceparent` of the span. Jobs of several traces are an
 * exception: each job stores the `traceparent` of its own trace. The span joins the trace of the jobs and has a link to
 * the active span, for example the span of a dispatch.
 */
export function addJobsInSpan(
  tracer: Tracer,
  name: string,
  jobs: readonly { readonly data: StoredJobData }[],
  add: () => Promise<unknown>,
): Promise<void> {
  const active = getActiveSpanContext();
  const traceparents = jobs.map(({ data }) => data.context.traceparent);
  const { parent, isCommon, links } = findCommonOrigin(traceparents, context.active());
  if (isCommon && active !== undefined) links.push({ context: active });
  const attributes = { ...createJobSpanAttributes(name, 'add', 'send'), 'messaging.batch.message_count': jobs.length };
  return runInSpan(tracer, `add ${name}`, { kind: SpanKind.PRODUCER, attributes, links }, parent, async (span) => {
    const traceparent = formatTraceparent(span.spanContext());
    for (const { data } of jobs) {
      if (isCommon || data.context.traceparent === undefined) data.context = { ...data.context, traceparent };
    }
    await add();
  });
}

/** Runs an attempt of a job in a tracing span. The span belongs to the trace in which the job was added. */
export function runJobAttemptInSpan<T>(
  tracer: Tracer,
  name: string,
  { id, attempt, traceparent }: JobAttempt,
  run: () => Promise<T>,
): Promise<T> {
  const { parent, links } = findCommonOrigin([traceparent], ROOT_CONTEXT);
  const attributes = {
    ...createJobSpanAttributes(name, 'run', 'process'),
    'messaging.message.id': id,
    'switchboard.job.attempt': attempt,
  };
  return runInSpan(tracer, `run ${name}`, { kind: SpanKind.CONSUMER, attributes, links }, parent, run);
}

function createJobSpanAttributes(name: string, operation: string, type: 'send' | 'process'): Record<string, string> {
  return {
    'messaging.system': 'switchboard.jobs',
    'messaging.destination.name': name,
    'messaging.operation.name': operation,
    'messaging.operation.type': type,
  };
}
