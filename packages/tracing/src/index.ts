export { findTracer } from './find-tracer.js';
export { activeSpanContext, commonOrigin, inSpan, recordFailure, type MessageOrigin } from './spans.js';
export { contextWithTraceparent, formatTraceparent, parseTraceparent } from './traceparent.js';
