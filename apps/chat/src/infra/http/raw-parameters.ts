/** The fields of a form body in the order sent; of several values under one name the last counts. */
export class FormBody {
  /** @param unreadType Content type of a body that is no form, whose content counts as no fields. */
  constructor(
    readonly fields: ReadonlyMap<string, string>,
    readonly unreadType?: string,
  ) {}
}

/** Undecoded request parameters. */
export interface RawParameters {
  readonly body: ReadonlyMap<string, string>;
  readonly query: ReadonlyMap<string, string>;
  /** Content type of a body that was sent and is no form. */
  readonly unreadType?: string | undefined;
}

interface ParameterRequest {
  readonly method: string;
  readonly query: unknown;
  readonly body?: unknown;
}

const nothing: ReadonlyMap<string, string> = new Map();

/**
 * Collects the parameters of a request: body and query, except that GET and HEAD have a query alone
 * (docs/contract/chat.md 1.3).
 */
export function rawParameters(request: ParameterRequest): RawParameters {
  const readsBody = request.method !== 'GET' && request.method !== 'HEAD';
  const body = readsBody && request.body instanceof FormBody ? request.body : undefined;
  return { body: body?.fields ?? nothing, query: queryFields(request.query), unreadType: body?.unreadType };
}

/** One parameter by its name, the body before the query. For what is read outside an endpoint's own parameters. */
export function rawParameter(raw: RawParameters, name: string): string | undefined {
  return raw.body.get(name) ?? raw.query.get(name);
}

function queryFields(query: unknown): ReadonlyMap<string, string> {
  if (typeof query !== 'object' || query === null) return nothing;
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries(query)) {
    const last: unknown = Array.isArray(value) ? value.at(-1) : value;
    if (typeof last === 'string') fields.set(name, last);
  }
  return fields;
}
