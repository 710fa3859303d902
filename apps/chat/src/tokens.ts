/** Dependency injection tokens (NestJS) for constructor parameters with interface types. */
export const CHAT_CONFIG = Symbol('CHAT_CONFIG');
/** Injection token of the function that returns the OpenAPI document as JSON text. */
export const OPENAPI_TEXT = Symbol('CONTRACT_TEXT');
export const DATABASE = Symbol('DATABASE');
export const OUTBOX = Symbol('OUTBOX');
export const EVENT_LOG = Symbol('EVENT_LOG');
export const RENDERER = Symbol('RENDERER');
export const SERVER_GENERATION = Symbol('SERVER_GENERATION');
export const CLOCK = Symbol('CLOCK');
export const CREDENTIALS = Symbol('CREDENTIALS');
export const FILE_STORAGE = Symbol('FILE_STORAGE');
export const PICTURES = Symbol('PICTURES');
export const SECRET_BOX = Symbol('SECRETS');
