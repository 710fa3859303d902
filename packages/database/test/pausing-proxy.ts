import { connect, createServer, type Server, type Socket } from 'node:net';

/** TCP proxy in front of a database server that can stop forwarding, as a paused or unreachable server would. */
export class PausingProxy {
  readonly #sockets = new Set<Socket>();
  readonly #pausedSockets = new WeakSet<Socket>();
  #isPaused = false;
  #pausingText: string | undefined;

  private constructor(
    private readonly server: Server,
    /** URL of the database through the proxy. */
    readonly url: string,
  ) {}

  /** Starts a proxy in front of the server of `target`. */
  static async start(target: string): Promise<PausingProxy> {
    const { hostname, port } = new URL(target);
    const server = createServer((client) => proxy.#forward(client, connect(Number(port), hostname)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = new URL(target);
    url.hostname = '127.0.0.1';
    url.port = String(typeof address === 'object' && address !== null ? address.port : 0);
    const proxy = new PausingProxy(server, url.href);
    return proxy;
  }

  /** Number of open connections of clients. */
  get openCount(): number {
    return this.#sockets.size;
  }

  /** Stops forwarding. Connections remain open, and new ones are accepted. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Stops forwarding for the open connections only, as those to a lost server, while new ones lead to another server. */
  pauseOpenConnections(): void {
    for (const socket of this.#sockets) this.#pausedSockets.add(socket);
  }

  /** Stops forwarding as soon as a client sends a message with `text`, which the server does not get. */
  pauseAt(text: string): void {
    this.#pausingText = text;
  }

  /** Forwards again what clients and the server send from now on. */
  resume(): void {
    this.#isPaused = false;
    this.#pausingText = undefined;
  }

  /** Closes all connections and the proxy. */
  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
  }

  #isPausedFor(client: Socket): boolean {
    return this.#isPaused || this.#pausedSockets.has(client);
  }

  #forward(client: Socket, server: Socket): void {
    this.#sockets.add(client);
    client.on('data', (bytes) => {
      if (this.#pausingText !== undefined && bytes.includes(this.#pausingText)) this.#isPaused = true;
      if (!this.#isPausedFor(client)) server.write(bytes);
    });
    server.on('data', (bytes) => {
      if (!this.#isPausedFor(client)) client.write(bytes);
    });
    for (const socket of [client, server]) socket.on('error', () => {});
    client.on('close', () => {
      this.#sockets.delete(client);
      server.destroy();
    });
    server.on('close', () => client.destroy());
  }
}
