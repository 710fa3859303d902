export { ApplicationError, type ApplicationErrorProperties } from './app-error.js';
export {
  defineErrorCatalog,
  type ErrorCatalog,
  type ErrorDefinition,
  type ErrorOccurrenceDetails,
} from './error-catalog.js';
export { createErrorCatalogRenderer, type ErrorCatalogRendererOptions } from './catalog-renderer.js';
export type { DatabaseFault, DatabaseFaultKind } from './database-fault.js';
export { renderErrorCatalogAsMarkdown } from './error-pages.js';
export type { FailedRequestContext, ErrorRenderer, RenderedErrorResponse } from './error-renderer.js';
export {
  type ErrorLogger,
  type ErrorResponseReply,
  ErrorResponder,
  type ErrorResponderOptions,
  type FailedRequest,
} from './error-responder.js';
export { isRetryableTransactionError, convertErrorToDatabaseFault } from './translate-database-error.js';
