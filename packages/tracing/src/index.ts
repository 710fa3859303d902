export { findTracer } from './find-tracer.js';
export { getActiveSpanContext, findCommonOrigin, inSpan, recordSpanFailure, type CommonTraceOrigin } from './spans.js';
export { contextWithTraceparent, formatTraceparent, parseTraceparent } from './traceparent.js';
