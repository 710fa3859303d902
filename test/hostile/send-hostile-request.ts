import { Agent, request as httpRequest } from 'node:http';

/** One HTTP call of a {@link HostileRequest}. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'OPTIONS';
  /** Path and query of the call's URL, from the root of the service. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Time in milliseconds after which the client closes the connection of the call without waiting for the response. */
  readonly abandonAfterMs?: number;
}

/** Outcome of an HTTP call. `cut` means that the service closed the connection without a complete response. */
export type Reply =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: string | null;
      readonly text: string;
      readonly tookMs: number;
    }
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'cut'; readonly reason: string; readonly tookMs: number };

const httpAgent = new Agent({ keepAlive: true, maxSockets: 1_000 });

/**
 * Sends an HTTP call and measures the duration. Returns the outcome, and never throws. Stops waiting after `patienceMs`
 * milliseconds.
 */
export function send(origin: string, call: Call, patienceMs: number): Promise<Reply> {
  const { method, path, headers, body, abandonAfterMs } = call;
  const start = performance.now();
  const tookMs = (): number => Math.round(performance.now() - start);
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const signal = AbortSignal.timeout(Math.min(patienceMs, abandonAfterMs ?? patienceMs));
  return new Promise((resolve) => {
    const cut = (error: Error): void =>
      resolve(
        abandonAfterMs !== undefined && signal.aborted
          ? { kind: 'abandoned' }
          : { kind: 'cut', reason: error.message, tookMs: tookMs() },
      );
    const options = { method, headers: { ...headers, ...length }, agent: httpAgent, signal };
    const request = httpRequest(`${origin}${path}`, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', cut);
      response.once('close', () => cut(new Error('the answer ended early')));
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const retryAfter = response.headers['retry-after'] ?? null;
        resolve({ kind: 'answered', status: response.statusCode ?? 0, retryAfter, text, tookMs: tookMs() });
      });
    });
    request.once('error', cut);
    request.end(body);
  });
}
