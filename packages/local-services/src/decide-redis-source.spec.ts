import { describe, expect, it } from 'vitest';
import { decideRedisSource, type MachineDescription } from './decide-redis-source.js';

const debian = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n';

function machine(known: Partial<Omit<MachineDescription, 'find'>> & { programs?: string[] }): MachineDescription {
  const programs = known.programs ?? [];
  return {
    platform: 'linux',
    osRelease: debian,
    uid: 1000,
    ...known,
    find: (name) => (programs.includes(name) ? `/bin/${name}` : null),
  };
}

describe('decideRedisSource', () => {
  it('prefers redis-server to valkey-server in PATH on any system', () => {
    const both = machine({ programs: ['valkey-server', 'redis-server'] });
    expect(decideRedisSource(both)).toEqual({ kind: 'found', path: '/bin/redis-server' });
    expect(decideRedisSource(machine({ platform: 'sunos', programs: ['valkey-server'] }))).toEqual({
      kind: 'found',
      path: '/bin/valkey-server',
    });
  });

  it.each([
    ['Debian', debian],
    ['Ubuntu', 'ID=ubuntu\nID_LIKE=debian\n'],
    ['a relative of theirs', 'ID=raspbian\nID_LIKE="debian"\n'],
  ])('selects an installation with apt for the root user on %s', (_name, osRelease) => {
    expect(decideRedisSource(machine({ osRelease, uid: 0, programs: ['apt-get'] }))).toMatchObject({
      kind: 'install-with-apt',
      reason: expect.stringContaining('redis-server'),
    });
  });

  it.each([
    [
      'Debian for an ordinary user',
      { programs: ['apt-get', 'sudo'] },
      'sudo apt-get update && sudo apt-get install -y --no-install-recommends redis-server',
    ],
    ['Fedora', { osRelease: 'ID=fedora\n' }, 'sudo dnf install -y redis'],
    ['Fedora for root', { osRelease: 'ID=fedora\n', uid: 0 }, 'dnf install -y redis'],
    ['a relative of RHEL', { osRelease: 'ID="rocky"\nID_LIKE="rhel centos fedora"\n' }, 'sudo dnf install -y redis'],
    ['Alpine for root', { osRelease: 'ID=alpine\n', uid: 0 }, 'apk add redis'],
    ['macOS with Homebrew', { platform: 'darwin', osRelease: '', programs: ['brew'] }, 'brew install redis'],
    ['macOS without Homebrew', { platform: 'darwin', osRelease: '' }, 'docker run '],
    ['a Debian without apt-get', { uid: 0 }, 'docker run '],
    ['another Linux', { osRelease: 'ID=nixos\n' }, 'docker run '],
    ['a Linux that does not say which', { osRelease: '' }, 'docker run '],
    ['another system', { platform: 'win32', osRelease: '', uid: null }, 'docker run '],
  ])('asks the user to install Redis, with the exact command, on %s', (_name, known, command) => {
    const decision = decideRedisSource(machine(known));
    expect(decision).toMatchObject({ kind: 'ask', command: expect.stringContaining(command) });
  });
});
