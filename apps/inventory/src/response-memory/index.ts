export { CachedResponse, tagOfBytes } from './cached-response.js';
export type { ReadDatabase } from './recorded-reads.js';
export type { BuiltResponse } from './built-response.js';
export { ResponseMemory } from './response-memory.js';
