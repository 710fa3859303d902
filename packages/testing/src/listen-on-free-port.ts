import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** A test service that listens on a local port. */
export interface ListeningTestService {
  port: number;
  /** URL of the service, of the form `http://127.0.0.1:<port>`. */
  url: string;
  close(): Promise<void>;
}

/** Starts an application on a free loopback port, for clients that need a network connection. */
export async function listenOnFreePort(app: NestFastifyApplication): Promise<ListeningTestService> {
  await app.listen(0, '127.0.0.1');
  const address: unknown = app.getHttpServer().address();
  const port = typeof address === 'object' && address !== null && 'port' in address ? Number(address.port) : 0;
  return { port, url: `http://127.0.0.1:${port}`, close: () => app.close() };
}
