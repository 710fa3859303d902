import type { OpenApiDocument } from '@switchboard/platform';

type OpenApiPathItem = NonNullable<OpenApiDocument['paths']>[string];
/** One operation of an OpenAPI document. */
export type OpenApiOperation = NonNullable<OpenApiPathItem['get']>;

const HTTP_METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

interface OpenApiOperationPath {
  /** URL path template of the operation in the OpenAPI document: `/users/{id}`. */
  path: string;
  segments: string[];
  item: OpenApiPathItem;
}

/** An operation with its location in the OpenAPI document. */
export interface LocatedOpenApiOperation {
  path: string;
  method: (typeof HTTP_METHODS)[number];
  operation: OpenApiOperation;
}

/**
 * Finds the operation of a request in an OpenAPI document. Like in the router, a literal path segment takes precedence
 * over a parameter.
 */
export class OpenApiOperations {
  readonly #templates: OpenApiOperationPath[];

  constructor(document: OpenApiDocument) {
    this.#templates = Object.entries(document.paths ?? {}).map(([path, item]) => ({
      path,
      segments: path.split('/'),
      item,
    }));
  }

  /**
   * Finds the operation for a request in the OpenAPI document. A HEAD request uses the operation of GET unless the
   * document describes HEAD separately.
   */
  findOperation(method: string, url: string): LocatedOpenApiOperation | undefined {
    const requested = HTTP_METHODS.find((candidate) => candidate === method.toLowerCase());
    const segments = (url.split('?', 1)[0] ?? '').split('/');
    const matching = this.#templates
      .filter((template) => matchesPathTemplate(template.segments, segments))
      .toSorted((a, b) => countLiteralPathSegments(b) - countLiteralPathSegments(a));
    for (const { path, item } of matching) {
      const found = requested === 'head' && item.head === undefined ? 'get' : requested;
      const operation = found && item[found];
      if (found !== undefined && operation !== undefined) {
        return { path, method: found, operation };
      }
    }
    return undefined;
  }
}

function matchesPathTemplate(template: string[], segments: string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, index) => (part.includes('{') ? segments[index] !== '' : part === segments[index]))
  );
}

function countLiteralPathSegments({ segments }: OpenApiOperationPath): number {
  return segments.filter((segment) => !segment.includes('{')).length;
}
