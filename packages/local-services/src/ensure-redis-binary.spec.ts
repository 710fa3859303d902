import { describe, expect, it } from 'vitest';
import { ensureRedisBinary, findProgramOnPath } from './ensure-redis-binary.js';
import { LocalServicesError } from './local-services-errors.js';
import type { MachineDescription } from './decide-redis-source.js';

function bareDebian(uid: number, programs: Set<string>): MachineDescription {
  return {
    platform: 'linux',
    osRelease: 'ID=debian\n',
    uid,
    find: (name) => (programs.has(name) ? `/usr/bin/${name}` : null),
  };
}

describe('ensureRedisBinary', () => {
  it('installs for root on Debian, prints the reason, and finds the binary', async () => {
    const programs = new Set(['apt-get']);
    const lines: string[] = [];
    const path = await ensureRedisBinary({
      machine: bareDebian(0, programs),
      log: (line) => lines.push(line),
      install: () => void programs.add('redis-server'),
    });
    expect(path).toBe('/usr/bin/redis-server');
    expect(lines.join('\n')).toMatch(
      /Neither redis-server nor valkey-server is on PATH.*system service is not started/,
    );
  });

  it('installs nothing for users other than root, and names the command in the error', async () => {
    let installed = false;
    const asking = ensureRedisBinary({
      machine: bareDebian(1000, new Set(['apt-get'])),
      log: () => undefined,
      install: () => void (installed = true),
    });
    await expect(asking).rejects.toThrow(LocalServicesError);
    await expect(asking).rejects.toThrow('sudo apt-get install -y --no-install-recommends redis-server');
    expect(installed).toBe(false);
  });

  it('throws when the installation has left no binary', async () => {
    const trying = ensureRedisBinary({
      machine: bareDebian(0, new Set(['apt-get'])),
      log: () => undefined,
      install: () => undefined,
    });
    await expect(trying).rejects.toThrow('it is not on PATH');
  });
});

describe('findProgramOnPath', () => {
  it('finds only executable files', () => {
    expect(findProgramOnPath('sh', '')).toMatch(/\/sh$/);
    expect(findProgramOnPath('no-such-program-of-ours')).toBeNull();
    // A folder is executable too.
    expect(findProgramOnPath('share', '/usr')).toBeNull();
  });
});
