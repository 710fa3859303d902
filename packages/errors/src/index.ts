export { AppError, type AppErrorProperties } from './app-error.js';
export { defineErrors, type ErrorCatalog, type ErrorDefinition, type ErrorOptions } from './error-catalog.js';
export { createCatalogRenderer, type CatalogRendererOptions } from './catalog-renderer.js';
export type { DatabaseFault, DatabaseFaultKind } from './database-fault.js';
export { renderErrorCatalog } from './error-pages.js';
export type { FailedRequestContext, ErrorRenderer, RenderedErrorResponse } from './error-renderer.js';
export {
  type ErrorLogger,
  type ErrorReply,
  ErrorResponder,
  type ErrorResponderOptions,
  type FailedRequest,
} from './error-responder.js';
export { isRetryableError, translateDatabaseError } from './translate-database-error.js';
