import { fstatSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { destination as fileDestination, type DestinationStream } from 'pino';

/**
 * Maximum number of bytes of log lines that are buffered for a slow reader of standard output. Further lines are
 * discarded.
 */
const MAX_BUFFERED_LOG_BYTES = 8 * 1024 * 1024;

/**
 * Returns standard output as the destination of log lines. Lines to files and terminals are written before the log call
 * returns. Lines to a pipe or socket with free space are also written before the call returns. If a pipe or socket is
 * full, writing with `fs` would block the whole process until the reader continues. The process would then serve no
 * request and not react to SIGTERM.
 */
export function getStandardOutput(): DestinationStream {
  sharedLogDestination ??= openStandardOutput();
  return sharedLogDestination;
}

/**
 * Destination of log lines that all loggers of the process share. Each separate destination would listen to events of
 * standard output until the process ends.
 */
let sharedLogDestination: DestinationStream | undefined;

function openStandardOutput(): DestinationStream {
  // Not fstatSync(1): Node keeps the last status of a file in one place, and for a pipe there it no longer resolves the
  // links of the modules that it loads next. The form with bigint has a place of its own.
  const output = fstatSync(1, { bigint: true });
  return output.isFIFO() || output.isSocket() ? new NonBlockingOutput(process.stdout) : fileDestination(1);
}

/** Writes log lines to a stream without waiting for the stream's reader, which may be slow or closed. */
export class NonBlockingOutput implements DestinationStream {
  #droppedLines = 0;
  #isClosed = false;

  /** @param maxWaitingBytes maximum number of bytes that the reader has not accepted yet */
  constructor(
    private readonly stream: Writable,
    private readonly maxWaitingBytes: number = MAX_BUFFERED_LOG_BYTES,
  ) {
    stream.on('error', () => {
      this.#isClosed = true;
    });
  }

  write(line: string): void {
    if (this.#isClosed) return;
    if (this.stream.writableLength > this.maxWaitingBytes) {
      this.#droppedLines += 1;
      return;
    }
    if (this.#droppedLines > 0) {
      const notice = { level: 'warn', time: Date.now(), dropped: this.#droppedLines, msg: 'log lines were dropped' };
      this.#droppedLines = 0;
      this.stream.write(`${JSON.stringify(notice)}\n`);
    }
    this.stream.write(line);
  }
}
