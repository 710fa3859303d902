import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';

/** A server in a separate process, which a benchmark measures. */
export interface ServerProcess {
  readonly origin: string;
  readonly pid: number;
  hasEnded(): boolean;
  stop(): Promise<void>;
}

/** Returns an unused TCP port below the range of ephemeral ports. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const free = await new Promise<boolean>((resolve) => {
      const probe = createServer();
      probe.once('error', () => resolve(false));
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
    });
    if (free) {
      return port;
    }
  }
  throw new Error('no free port found');
}

/**
 * Starts `node <script>` and waits until `readyPath` responds 200.
 *
 * @throws Error with the output of the process, if the process exits or is not ready within 60 s
 */
export async function startServerProcess(
  script: string,
  env: Record<string, string>,
  readyPath: string,
  requestedPort?: number,
): Promise<ServerProcess> {
  const port = requestedPort ?? (await findFreePort());
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, ...env, HOST: '127.0.0.1', PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4000)));
  child.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4000)));
  const origin = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    if (hasProcessEnded(child)) {
      throw new Error(`${script} ended with ${child.exitCode}:\n${output}`);
    }
    const response = await fetch(`${origin}${readyPath}`).catch(() => null);
    if (response?.ok) {
      return {
        origin,
        pid: child.pid ?? 0,
        hasEnded: () => hasProcessEnded(child),
        stop: () => stopChildProcess(child),
      };
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  await stopChildProcess(child);
  throw new Error(`${script} was not ready within 60 s:\n${output}`);
}

function hasProcessEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function stopChildProcess(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (hasProcessEnded(child)) {
      resolve();
      return;
    }
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
