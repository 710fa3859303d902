import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { verifySignatureHeader, verifyWebhook, WebhookHeaderError } from '@switchboard/webhooks/receiver';
import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify';
import { hexadecimalBodySignatureScheme } from './destinations/webhook/signatures.js';

/** Options of the webhook receiver, a test server that prints webhook requests. */
export interface WebhookReceiverOptions {
  /** Secret of the webhook, with which signatures are verified; '' disables the verification. */
  readonly secret: string;
  /** Fraction of the requests that get a response with status 500, from 0 to 1. */
  readonly failRate?: number;
  /** Delay before the webhook receiver sends each response, in milliseconds. */
  readonly delayMs?: number;
  /** Random number generator, which returns a number in [0, 1). */
  readonly random?: () => number;
  /** Function that is called with the printed text of each received request. The text has several lines. */
  print(text: string): void;
}

/** Maximum age of a signed webhook request in seconds, as in the Standard Webhooks libraries. */
const timestampToleranceSeconds = 300;
const largestBodyBytes = 16 * 1024 * 1024;

/**
 * Creates a server that prints every received webhook request and responds with status 200 (inventory-6-7). The options
 * can add delays and responses with status 500. The caller must make the server listen on a port.
 */
export function createWebhookReceiver({
  secret,
  failRate = 0,
  delayMs = 0,
  random = Math.random,
  print,
}: WebhookReceiverOptions): FastifyInstance {
  const server = fastify({ bodyLimit: largestBodyBytes, forceCloseConnections: true });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  let count = 0;
  server.all('/*', async (request, reply) => {
    count += 1;
    const number = count;
    const status = random() < failRate ? 500 : 200;
    print(describeWebhookRequest(request, { count: number, secret, status }));
    if (delayMs > 0) await setTimeout(delayMs);
    const text = status === 200 ? `Webhook ${number} received\n` : `Webhook ${number} failed because of --fail-rate\n`;
    return reply.code(status).type('text/plain').send(text);
  });
  return server;
}

function describeWebhookRequest(
  request: FastifyRequest,
  { count, secret, status }: { count: number; secret: string; status: number },
): string {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${String(value)}`);
  return [
    `[${count}] ${new Date().toISOString()} ${request.method} ${request.url} -> ${status}`,
    ...headers,
    ...(secret === '' ? [] : [`(${describeWebhookSignatures(request, body, secret)})`]),
    '',
    toReadableText(body),
    '-'.repeat(72),
    '',
  ].join('\n');
}

function describeWebhookSignatures({ headers }: FastifyRequest, body: Buffer, secret: string): string {
  const timestamp = Number(headers['webhook-timestamp']);
  return [
    describeSignatureVerdict('x-hook-signature', () =>
      verifySignatureHeader(body, headers, secret, hexadecimalBodySignatureScheme),
    ),
    // The age is reported separately.
    describeSignatureVerdict('webhook-signature', () =>
      verifyWebhook(body, headers, secret, { toleranceSeconds: Infinity }),
    ),
    ...(Math.abs(Date.now() / 1000 - timestamp) > timestampToleranceSeconds
      ? [`webhook-timestamp: MORE THAN ${timestampToleranceSeconds} s from now`]
      : []),
  ].join(', ');
}

function describeSignatureVerdict(name: string, verify: () => unknown): string {
  try {
    verify();
    return `${name}: verified`;
  } catch (error) {
    return `${name}: ${error instanceof WebhookHeaderError ? error.problem : 'WRONG'}`;
  }
}

function toReadableText(body: Buffer): string {
  const text = body.toString('utf8');
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text === '' ? '(no body)' : text;
  }
}

const usageText = `Usage: npm run webhook-receiver -- [options]

Prints every request that it receives and responds 200.

  --port <number>        port to listen on (default: 9000)
  --host <address>       address to listen on (default: 127.0.0.1)
  --secret <text>        secret of the webhook, to verify signatures
  --fail-rate <0 to 1>   share of requests that get a 500 (default: 0)
  --delay <ms>           delay before each response (default: 0)`;

/**
 * Parses the command line of the webhook receiver.
 *
 * @throws TypeError for an unknown option, RangeError for an invalid value
 */
export function readReceiverOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '9000' },
      host: { type: 'string', default: '127.0.0.1' },
      secret: { type: 'string', default: '' },
      'fail-rate': { type: 'string', default: '0' },
      delay: { type: 'string', default: '0' },
    },
  });
  return {
    host: values.host,
    secret: values.secret,
    port: parseBoundedNumber('port', values.port, 65_535),
    failRate: parseBoundedNumber('fail-rate', values['fail-rate'], 1),
    delayMs: parseBoundedNumber('delay', values.delay, 3_600_000),
  };
}

function parseBoundedNumber(name: string, text: string, most: number): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= 0 && value <= most) return value;
  throw new RangeError(`--${name} must be a number from 0 to ${most}, not ${JSON.stringify(text)}`);
}

async function runWebhookReceiver(): Promise<void> {
  const { port, host, ...options } = readReceiverOptions(process.argv.slice(2));
  const print = (text: string): void => void process.stdout.write(`${text}\n`);
  const server = createWebhookReceiver({ ...options, print });
  const address = await server.listen({ port, host });
  print(`Webhook receiver listening on ${address}. Ctrl-C stops it.`);
  const end = (): void => void server.close();
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  runWebhookReceiver().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usageText}\n`);
    process.exitCode = 1;
  });
}
