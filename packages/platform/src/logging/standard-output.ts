import { fstatSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { destination as fileDestination, type DestinationStream } from 'pino';

/** Most bytes that wait for a slow reader of standard output; lines past it are dropped. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/**
 * Standard output as a place for log lines. To files and terminals they are written before the call returns. To a pipe
 * or socket as well, as long as there is room: writing with `fs` would hold the whole process, its requests and its
 * response to SIGTERM too, for as long as whoever reads the other end does not.
 */
export function standardOutput(): DestinationStream {
  shared ??= openStandardOutput();
  return shared;
}

/** One for all loggers of the process: each of its own would listen to standard output as long as the process lives. */
let shared: DestinationStream | undefined;

function openStandardOutput(): DestinationStream {
  const output = fstatSync(1);
  return output.isFIFO() || output.isSocket() ? new UnblockedOutput(process.stdout) : fileDestination(1);
}

/** Writes lines to a stream without waiting for a slow or closed reader. */
export class UnblockedOutput implements DestinationStream {
  #dropped = 0;
  #gone = false;

  /** @param maxWaitingBytes of lines that the reader has not taken yet */
  constructor(
    private readonly stream: Writable,
    private readonly maxWaitingBytes: number = MAX_WAITING_BYTES,
  ) {
    stream.on('error', () => {
      this.#gone = true;
    });
  }

  write(line: string): void {
    if (this.#gone) return;
    if (this.stream.writableLength > this.maxWaitingBytes) {
      this.#dropped += 1;
      return;
    }
    if (this.#dropped > 0) {
      const notice = { level: 'warn', time: Date.now(), dropped: this.#dropped, msg: 'log lines were dropped' };
      this.#dropped = 0;
      this.stream.write(`${JSON.stringify(notice)}\n`);
    }
    this.stream.write(line);
  }
}
