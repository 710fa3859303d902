import { Agent, type IncomingHttpHeaders, request as httpRequest } from 'node:http';

/** An HTTP request that a fault test sends to a service. */
export interface FaultRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
  /**
   * Callback that receives the parts of a response with server-sent events while the parts arrive. The outcome then has
   * an empty body.
   */
  readonly onStreamText?: (text: string) => void;
}

/** Outcome of an HTTP request: a response, or a closed connection, which leaves the result of the request unknown. */
export type RequestOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly requestId: string;
      readonly body: unknown;
      readonly headers?: IncomingHttpHeaders;
    }
  | { readonly kind: 'cut'; readonly reason: string };

/** Time limit of a request in milliseconds. The limit is longer than the longest pause of a database in the tests. */
const patienceMs = 120_000;

const httpAgent = new Agent({ keepAlive: true, maxSockets: 500 });

/** Sends an HTTP request to a service, and returns the outcome. Never throws. */
export function send(origin: string, call: FaultRequest): Promise<RequestOutcome> {
  const { method, path, body, signal, onStreamText } = call;
  // Node does not set Content-Length for DELETE by itself.
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const headers = { ...call.headers, ...length };
  const deadline = AbortSignal.timeout(patienceMs);
  const ending = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
  return new Promise((resolve) => {
    const cut = (error: Error): void => resolve({ kind: 'cut', reason: error.message });
    const request = httpRequest(`${origin}${path}`, { method, headers, agent: httpAgent }, (response) => {
      const chunks: string[] = [];
      const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
      response.setEncoding('utf8');
      response.on('data', (text: string) => (isStream ? onStreamText?.(text) : chunks.push(text)));
      response.on('error', cut);
      response.once('close', () => cut(new Error('the response ended early')));
      response.once('end', () => {
        const requestId = String(response.headers['x-request-id'] ?? '');
        const responseBody = parsedBody(chunks.join(''));
        const { headers: received, statusCode: status = 0 } = response;
        resolve({ kind: 'answered', status, requestId, body: responseBody, headers: received });
      });
    });
    request.on('error', cut);
    // Not the option `signal` of Node: if the server also closes the connection, its error can reach no listener and end
    // this process.
    const disconnect = (): void => void request.destroy();
    if (ending.aborted) disconnect();
    ending.addEventListener('abort', disconnect, { once: true });
    request.once('close', () => ending.removeEventListener('abort', disconnect));
    request.end(body);
  });
}

/** Parses a response body. Text that is not JSON is returned unchanged, so that later checks reject it. */
function parsedBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns a property of a parsed response; undefined if the response is not an object or lacks the property. */
export function member(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
}
