export { AppError, type AppErrorParts } from './app-error.js';
export { defineErrors, type ErrorCatalog, type ErrorDefinition, type ErrorOptions } from './catalog.js';
export type { DatabaseFault, DatabaseFaultKind } from './database-fault.js';
export {
  type ErrorContext,
  ErrorFilter,
  type ErrorLogger,
  type ErrorRenderer,
  type FilteredRequest,
  type RenderedError,
} from './error-filter.js';
export { errorPages } from './error-pages.js';
export { isRetryable, translateDatabaseError } from './translate-database-error.js';
