import { timingSafeEqual } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify';
import { hookSignature, signatureHeaders } from './webhooks/signatures.js';

/** What a receiver is told. */
export interface WebhookReceiverOptions {
  /** The secret of the webhook; `''` verifies nothing. */
  readonly secret: string;
  /** Receives a text of several lines for each request. */
  print(text: string): void;
}

const largestBodyBytes = 16 * 1024 * 1024;

/** A server that shows every request readable for a person and answers 200 (inventory.md section 6). Not listening yet. */
export function createWebhookReceiver({ secret, print }: WebhookReceiverOptions): FastifyInstance {
  const server = fastify({ bodyLimit: largestBodyBytes, forceCloseConnections: true });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  let count = 0;
  server.all('/*', (request, reply) => {
    count += 1;
    print(describeRequest(request, { count, secret }));
    return reply.code(200).type('text/plain').send(`Webhook ${count} received\n`);
  });
  return server;
}

function describeRequest(request: FastifyRequest, { count, secret }: { count: number; secret: string }): string {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${String(value)}`);
  return [
    `[${count}] ${new Date().toISOString()} ${request.method} ${request.url}`,
    ...headers,
    ...(secret === '' ? [] : [`(${describeSignatures(request, body, secret)})`]),
    '',
    readable(body),
    '-'.repeat(72),
    '',
  ].join('\n');
}

function describeSignatures(request: FastifyRequest, body: Buffer, secret: string): string {
  const header = (name: string): string => String(request.headers[name] ?? '');
  const timestamp = Number(header('webhook-timestamp'));
  const expected = signatureHeaders({ deliveryId: header('webhook-id'), body, secret, nowMs: timestamp * 1000 });
  const verdict = (name: string, wanted: string): string => {
    if (header(name) === '') return `${name}: missing`;
    return `${name}: ${sameText(header(name), wanted) ? 'verified' : 'WRONG'}`;
  };
  return [
    verdict('x-hook-signature', hookSignature(body, secret)),
    verdict('webhook-signature', expected['webhook-signature'] ?? ''),
  ].join(', ');
}

function sameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function readable(body: Buffer): string {
  const text = body.toString('utf8');
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text === '' ? '(no body)' : text;
  }
}

/** `node dist/webhook-receiver.js [--port 9000] [--host 127.0.0.1] [--secret <secret>]` */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '9000' },
      host: { type: 'string', default: '127.0.0.1' },
      secret: { type: 'string', default: '' },
    },
  });
  const print = (text: string): void => void process.stdout.write(`${text}\n`);
  const server = createWebhookReceiver({ secret: values.secret, print });
  const address = await server.listen({ port: Number(values.port), host: values.host });
  print(`Webhook receiver listening on ${address}. Ctrl-C ends it.`);
  const end = (): void => void server.close();
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
