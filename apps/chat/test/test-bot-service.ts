import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '@switchboard/testing';

/** A request that the service of an outgoing webhook bot has received. */
export interface ServiceCall {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * Response of the fake service of a bot: status 200 with a JSON body, or exactly the given response. With null, the
 * service does not respond.
 */
export type ServiceResponse =
  | { readonly json: unknown }
  | { readonly status: number; readonly body: string; readonly headers?: Record<string, string> }
  | null;

/** A fake service of an outgoing webhook bot, with scripted responses and a record of the received requests. */
export class BotService {
  readonly calls: ServiceCall[] = [];
  /** Callback that receives the number of a request, counted from 1, and returns the response of the fake service. */
  response: (nth: number) => ServiceResponse = () => ({ json: { response_not_required: true } });
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => void chunks.push(chunk));
      request.on('end', () => {
        const nth = this.calls.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
        const planned = this.response(nth);
        if (planned === null) return;
        if ('json' in planned) response.end(JSON.stringify(planned.json));
        else response.writeHead(planned.status, planned.headers).end(planned.body);
      });
    });
  }

  static async open(): Promise<BotService> {
    const service = new BotService();
    await new Promise<void>((resolve) => void service.#server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/hook`;
  }

  /** Waits for the request with the given number, counted from 1, and returns the request. */
  nth(count: number): Promise<ServiceCall> {
    return waitFor(() => this.calls[count - 1], { timeoutMs: 15_000, what: `call ${count} of the service` });
  }

  /** Closes all connections without a response. The service accepts new connections. */
  closeConnections(): void {
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.closeConnections();
    await new Promise((resolve) => void this.#server.close(resolve));
  }
}
