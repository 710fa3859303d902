/** Fields of a form body, in the order of the request. If a name occurs several times, the last value is used. */
export class FormBody {
  /** @param unreadType Content type of a body that is not a form. Such a body is treated as a form without fields. */
  constructor(
    readonly fields: ReadonlyMap<string, string>,
    readonly unreadType?: string,
  ) {}
}

/** Undecoded texts of the request parameters in the body and the query, by name. */
export interface UndecodedRequestParameters {
  readonly body: ReadonlyMap<string, string>;
  readonly query: ReadonlyMap<string, string>;
  /** Content type of a request body that is not a form and was therefore not read as parameters. */
  readonly unreadType?: string | undefined;
}

interface RequestWithUndecodedParameters {
  readonly method: string;
  readonly query: unknown;
  readonly body?: unknown;
}

const emptyParameterTexts: ReadonlyMap<string, string> = new Map();

/**
 * Returns the parameters of a request: parameters in the body and in the query, or for GET and HEAD only in the query
 * (docs/contract/chat.md 1.3).
 */
export function collectUndecodedParameters(request: RequestWithUndecodedParameters): UndecodedRequestParameters {
  const readsBody = request.method !== 'GET' && request.method !== 'HEAD';
  const body = readsBody && request.body instanceof FormBody ? request.body : undefined;
  return {
    body: body?.fields ?? emptyParameterTexts,
    query: parseQueryFields(request.query),
    unreadType: body?.unreadType,
  };
}

/**
 * Returns the text of a request parameter by name, including parameters that the endpoint does not declare. The body
 * takes precedence over the query.
 */
export function findUndecodedParameter(raw: UndecodedRequestParameters, name: string): string | undefined {
  return raw.body.get(name) ?? raw.query.get(name);
}

function parseQueryFields(query: unknown): ReadonlyMap<string, string> {
  if (typeof query !== 'object' || query === null) return emptyParameterTexts;
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries(query)) {
    const last: unknown = Array.isArray(value) ? value.at(-1) : value;
    if (typeof last === 'string') fields.set(name, last);
  }
  return fields;
}
