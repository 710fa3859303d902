export { type CachedEncoding, CachedResponse, entityTagOfBytes } from './cached-response.js';
export type { ReadDatabase } from './recorded-reads.js';
export type { NewlyBuiltResponse } from './uncached-response.js';
export { ResponseMemory } from './response-memory.js';
