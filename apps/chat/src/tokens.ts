/** Dependency injection tokens (NestJS) for constructor parameters with interface types. */
export const CHAT_CONFIG_TOKEN = Symbol('CHAT_CONFIG');
/** Injection token of the function that returns the OpenAPI document as JSON text. */
export const OPENAPI_TEXT_FUNCTION_TOKEN = Symbol('CONTRACT_TEXT');
export const DATABASE_TOKEN = Symbol('DATABASE');
export const OUTBOX_TOKEN = Symbol('OUTBOX');
export const EVENT_LOG_TOKEN = Symbol('EVENT_LOG');
export const MESSAGE_RENDERER_TOKEN = Symbol('RENDERER');
export const SERVER_GENERATION_TOKEN = Symbol('SERVER_GENERATION');
export const CLOCK_TOKEN = Symbol('CLOCK');
export const CREDENTIALS_TOKEN = Symbol('CREDENTIALS');
export const FILE_STORAGE_TOKEN = Symbol('FILE_STORAGE');
export const IMAGE_PROCESSOR_TOKEN = Symbol('PICTURES');
export const SECRET_BOX_TOKEN = Symbol('SECRETS');
