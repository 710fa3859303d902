export { findTracer } from './find-tracer.js';
export {
  getActiveSpanContext,
  findCommonOrigin,
  runInSpan,
  recordSpanFailure,
  type CommonTraceOrigin,
} from './spans.js';
export { createContextFromTraceparent, formatTraceparent, parseTraceparent } from './traceparent.js';
