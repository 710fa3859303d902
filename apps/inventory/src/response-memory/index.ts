export { type CachedEncoding, CachedResponse, computeEntityTag } from './cached-response.js';
export type { ReadOnlyResponseDatabase } from './record-read-statements.js';
export type { NewlyBuiltResponse } from './newly-built-response.js';
export { ResponseCache } from './response-memory.js';
