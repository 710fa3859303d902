import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { RedisServers } from '@switchboard/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { connectRedis, silentLogger, waitUntilReady } from '../src/index.js';
import { until } from './queue-test-support.js';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A simulated Sentinel, whose responses the test can delay. */
class SimulatedSentinel {
  /** Connections that have subscribed to announcements. */
  readonly subscribers = new Set<Socket>();
  /** Functions that send delayed responses. Null while responses are sent immediately. */
  delayed: (() => void)[] | null = null;
  masterPort = 0;
  private server: Server | undefined;

  async start(): Promise<number> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('close', () => this.subscribers.delete(socket));
      socket.on('data', (bytes) => {
        for (const command of commandsOf(bytes.toString())) this.respond(socket, command);
      });
    });
    this.server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  /** Sends the responses that were delayed, and delays no further responses. */
  sendDelayed(): void {
    const delayed = this.delayed ?? [];
    this.delayed = null;
    for (const send of delayed) send();
  }

  /** Announces another master to all subscribers. */
  announceMaster(port: number): void {
    this.masterPort = port;
    for (const socket of this.subscribers) socket.write(listOf(['message', '+switch-master', `main ${port}`]));
  }

  stop(): void {
    this.server?.close();
    for (const socket of this.subscribers) socket.destroy();
  }

  private respond(socket: Socket, [name = '', argument = '']: string[]): void {
    const command = `${name} ${argument}`.toLowerCase();
    if (command.startsWith('subscribe')) {
      this.subscribers.add(socket);
      socket.write(`*3\r\n${textOf('subscribe')}${textOf(argument)}:1\r\n`);
    } else if (command === 'sentinel get-master-addr-by-name') {
      const send = (): void => void socket.write(listOf(['127.0.0.1', String(this.masterPort)]));
      if (this.delayed === null) send();
      else this.delayed.push(send);
    } else {
      socket.write(command === 'sentinel sentinels' ? listOf([]) : `-ERR unknown command '${name}'\r\n`);
    }
  }
}

/** Returns the commands in a part of a Redis connection, each as a list of its name and arguments. */
function commandsOf(text: string): string[][] {
  return text
    .split(/^\*\d+\r\n/m)
    .filter((command) => command !== '')
    .map((command) => command.split('\r\n').filter((_, index) => index % 2 === 1));
}

const textOf = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
const listOf = (texts: string[]): string => `*${texts.length}\r\n${texts.map(textOf).join('')}`;

describe('connectRedis with Sentinels', () => {
  it('connects to a master that is announced during a connection attempt', async () => {
    const servers = await RedisServers.open();
    cleanups.push(() => servers.stop());
    const [former, next] = [await servers.start([]), await servers.start([])];
    const sentinel = new SimulatedSentinel();
    sentinel.masterPort = former.port;
    const url = `redis+sentinel://127.0.0.1:${await sentinel.start()}/main`;
    cleanups.push(() => sentinel.stop());
    const client = connectRedis(url, 'dispatch', silentLogger);
    cleanups.push(() => client.disconnect());
    await waitUntilReady(client, 10_000);
    await until(() => sentinel.subscribers.size > 0);

    sentinel.delayed = [];
    await former.kill();
    await until(() => (sentinel.delayed ?? []).length > 0);
    sentinel.announceMaster(next.port);
    await until(() => sentinel.subscribers.size === 0);
    sentinel.sendDelayed();

    await waitUntilReady(client, 10_000);
    await client.set('connected', 'yes');
    expect(await next.admin.get('connected')).toBe('yes');
  });
});
