import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';

/**
 * Length in bytes of the message type in PostgreSQL's protocol, which precedes the length of the message. The first
 * message of a connection has no type.
 */
const PROTOCOL_MESSAGE_TYPE_BYTES = 1;
/** Length in bytes of a protocol message's length field. */
const PROTOCOL_MESSAGE_LENGTH_BYTES = 4;

/** An executed SQL statement with its parameter values as text. */
export interface ExecutedSqlStatement {
  readonly text: string;
  readonly values: readonly (string | null)[];
}

/** Proxy between a server and PostgreSQL that records the executed statements, including BEGIN and COMMIT. */
export class SqlStatementRecordingProxy {
  private runs: ExecutedSqlStatement[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    /** URL of the database through this recording proxy. */
    readonly url: string,
  ) {}

  /** @param url URL of the database */
  static async startProxy(url: string): Promise<SqlStatementRecordingProxy> {
    const target = new URL(url);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const through = new URL(url);
    through.hostname = '127.0.0.1';
    through.port = String((server.address() as AddressInfo).port);
    const log = new SqlStatementRecordingProxy(server, through.href);
    server.on('connection', (client) =>
      log.forwardBetweenClientAndDatabase(client, createConnection(Number(target.port), target.hostname)),
    );
    return log;
  }

  /** Returns the SQL texts of the statements that were executed since the last call, one text for each execution. */
  removeAndReturnStatementTexts(): string[] {
    return this.removeAndReturnStatements().map(({ text }) => text);
  }

  /** Returns the statements that were executed since the last call, with their parameter values. */
  removeAndReturnStatements(): ExecutedSqlStatement[] {
    const { runs } = this;
    this.runs = [];
    return runs;
  }

  async stopProxy(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private forwardBetweenClientAndDatabase(client: Socket, database: Socket): void {
    const prepared = new Map<string, string>();
    let kindLength = 0;
    let unread = Buffer.alloc(0);
    client.on('data', (chunk) => {
      unread = Buffer.concat([unread, Buffer.from(chunk)]);
      while (unread.length >= kindLength + PROTOCOL_MESSAGE_LENGTH_BYTES) {
        const end = kindLength + unread.readUInt32BE(kindLength);
        if (unread.length < end) return;
        if (kindLength > 0) this.parseProtocolMessage(unread.subarray(0, end), prepared);
        unread = unread.subarray(end);
        kindLength = PROTOCOL_MESSAGE_TYPE_BYTES;
      }
    });
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      this.sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
      socket.pipe(other);
    }
  }

  /**
   * Parses a message of PostgreSQL's protocol. A Query message (Q) runs its SQL text. A Parse message (P) assigns a
   * name, which may be empty, to an SQL text. A Bind message (B) runs the SQL text with the given name.
   */
  private parseProtocolMessage(message: Buffer, prepared: Map<string, string>): void {
    const [first = '', second = ''] = message
      .toString('utf8', PROTOCOL_MESSAGE_TYPE_BYTES + PROTOCOL_MESSAGE_LENGTH_BYTES)
      .split('\0', 2);
    switch (String.fromCharCode(message[0] ?? 0)) {
      case 'Q':
        this.runs.push({ text: first, values: [] });
        break;
      case 'P':
        prepared.set(first, second);
        break;
      case 'B':
        this.runs.push({ text: prepared.get(second) ?? '', values: parseBindMessageValues(message) });
        break;
      default:
    }
  }
}

/** Returns the parameter values of a Bind message. In the message, the values follow two names and the format codes. */
function parseBindMessageValues(message: Buffer): (string | null)[] {
  let at = message.indexOf(0, message.indexOf(0, PROTOCOL_MESSAGE_TYPE_BYTES + PROTOCOL_MESSAGE_LENGTH_BYTES) + 1) + 1;
  at += 2 + 2 * message.readUInt16BE(at);
  const values = Array.from<string | null>({ length: message.readUInt16BE(at) });
  at += 2;
  return values.map(() => {
    const length = message.readInt32BE(at);
    const start = at + 4;
    at = start + Math.max(0, length);
    return length < 0 ? null : message.toString('utf8', start, at);
  });
}
