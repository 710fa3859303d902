import { ApplicationError } from './app-error.js';
import type { ErrorCatalog, ErrorDefinition } from './error-catalog.js';
import type { ErrorRenderer } from './error-renderer.js';

/** Options of {@link createErrorCatalogRenderer}. `C` is the type of the catalog's definitions. */
export interface ErrorCatalogRendererOptions<C extends Record<string, ErrorDefinition>> {
  readonly catalog: ErrorCatalog<C>;
  /** Code of the catalog for an unexpected error. The response for this code also contains the field `requestId`. */
  readonly unknown: keyof C & string;
  /**
   * Codes of the catalog for errors of the web framework, by HTTP status, such as `{ 404: 'NOT_FOUND' }`. A framework
   * error with another status gets the code `HTTP_<status>`.
   */
  readonly byStatus?: Readonly<Record<number, keyof C & string>>;
  /**
   * Returns the response body of an error. If undefined, the body contains `code`, `message` and the error's additional
   * fields.
   */
  readonly body?: (error: ApplicationError) => unknown;
}

/** Creates a renderer for the errors of a catalog, for services that define no response format for errors. */
export function createErrorCatalogRenderer<const C extends Record<string, ErrorDefinition>>({
  catalog,
  unknown,
  byStatus = {},
  body = ({ code, message, fields }) => ({ code, message, ...fields }),
}: ErrorCatalogRendererOptions<C>): ErrorRenderer {
  return {
    render: (error) => ({ status: error.status, body: body(error) }),
    fromHttp(status, message) {
      const code = byStatus[status];
      return code === undefined
        ? new ApplicationError({ code: `HTTP_${status}`, status, message })
        : catalog.create(code);
    },
    unknown: (requestId) => catalog.create(unknown, { fields: { requestId } }),
  };
}
