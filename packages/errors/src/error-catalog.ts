import { ApplicationError } from './app-error.js';

/** Definition of an error of an app: its HTTP status, message and description. */
export interface ErrorDefinition {
  /** HTTP status of the error response, 400 to 599. */
  readonly status: number;
  /** Error message that the client receives. Each `{name}` in it is replaced by a parameter of `create`. */
  readonly message: string;
  /** Situation in which the error occurs, in one or two sentences for the documentation of errors. */
  readonly description: string;
}

/** Details of one occurrence of an error, in addition to its definition. */
export interface ErrorOccurrenceDetails {
  /** Values for the `{name}` placeholders in the error message. */
  readonly params?: Readonly<Record<string, string | number>>;
  /**
   * Error message that replaces the message in the catalog. It is needed because the reference API has several messages
   * for some error codes.
   */
  readonly message?: string;
  /** Additional keys of the error response's body, with their API names. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** HTTP headers of the error response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Text about the error that is only logged, never sent to the client. */
  readonly internal?: string;
  /** The underlying error that caused this error. It is logged and never sent to clients. */
  readonly cause?: unknown;
}

/** Definitions of all errors of an app by error code, with a function that creates the errors. */
export interface ErrorCatalog<C extends Record<string, ErrorDefinition>> {
  readonly definitions: C;
  /**
   * Creates an error of the catalog, which the caller throws. A placeholder without a parameter remains in the message.
   * A mistake in a message must not cause a status 500 instead of a 400.
   */
  create(code: keyof C & string, options?: ErrorOccurrenceDetails): ApplicationError;
}

function fillMessagePlaceholders(template: string, params: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(params, name) ? String(params[name]) : placeholder,
  );
}

/**
 * Declares an app's errors with status, text and meaning.
 *
 * @throws RangeError, when the catalog is loaded, for a status outside 400 to 599
 */
export function defineErrorCatalog<const C extends Record<string, ErrorDefinition>>(definitions: C): ErrorCatalog<C> {
  for (const [code, { status }] of Object.entries(definitions)) {
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new RangeError(`Error ${code} has status ${status}, which is not an HTTP error status`);
    }
  }
  return {
    definitions,
    create(code, { params = {}, message, ...rest } = {}) {
      const definition = definitions[code];
      if (definition === undefined) throw new RangeError(`The catalog has no error ${code}`);
      return new ApplicationError({
        code,
        status: definition.status,
        message: message ?? fillMessagePlaceholders(definition.message, params),
        ...rest,
      });
    },
  };
}
