import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { waitFor } from '@switchboard/testing';

/** Returns the path of an installed program; undefined if the program is not installed. */
export function findInstalledProgram(name: string): string | undefined {
  return ['/usr/sbin', ...(process.env['PATH'] ?? '').split(delimiter)]
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** A proxy server in a process of its own, with a temporary folder for its configuration and files. */
export class ProxyProgram {
  readonly folder: string;
  #child: ChildProcess | undefined;

  /** @param program path of the program */
  constructor(private readonly program: string) {
    this.folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  }

  /**
   * Starts the proxy server, and waits until chat can be reached through the given port.
   *
   * @param args returns the arguments of the program, given the path of the configuration file
   */
  async start(configuration: string, args: (file: string) => string[], port: number): Promise<void> {
    const file = join(this.folder, 'config');
    writeFileSync(file, configuration);
    const env = { ...process.env, HOME: this.folder };
    this.#child = spawn(this.program, args(file), { stdio: 'ignore', env });
    await waitFor(async () => (await fetch(`http://127.0.0.1:${port}/health/live`)).ok);
  }

  /** Stops the proxy server and removes its folder. */
  async stop(): Promise<void> {
    if (this.#child?.exitCode === null) {
      this.#child.kill('SIGTERM');
      await once(this.#child, 'exit');
    }
    rmSync(this.folder, { recursive: true });
  }
}

/** Returns the arguments with which Caddy runs with a configuration file in the format of a Caddyfile. */
export const createCaddyArguments = (file: string): string[] => ['run', '--adapter', 'caddyfile', '--config', file];
