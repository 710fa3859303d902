import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A webhook receiver that responds immediately, or never. */
export interface BenchmarkWebhookReceiver {
  readonly url: string;
  /** Returns the number of webhook requests received so far. */
  count(): number;
  /**
   * Returns a promise that resolves when a webhook request whose body contains `text` arrives. The value is the arrival
   * time in milliseconds of `performance.now()`.
   */
  arrival(text: string): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a webhook receiver on a free port. With the option `hangs`, the receiver never responds. */
export async function startWebhookReceiver(
  options: { readonly hangs?: boolean } = {},
): Promise<BenchmarkWebhookReceiver> {
  let count = 0;
  const awaited = new Map<string, (atMs: number) => void>();
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      count += 1;
      if (awaited.size > 0) {
        const body = Buffer.concat(chunks).toString('utf8');
        for (const [text, tell] of awaited) {
          if (body.includes(text)) tell(performance.now());
        }
      }
      if (options.hangs !== true) response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    count: () => count,
    arrival: (text) =>
      new Promise((resolve) => {
        awaited.set(text, (atMs) => {
          awaited.delete(text);
          resolve(atMs);
        });
      }),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
