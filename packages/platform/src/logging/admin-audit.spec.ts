import { describe, expect, it, vi } from 'vitest';
import { runAuditedAdminCommand } from './admin-audit.js';
import { createLogger } from './logger.js';

/** Runs a command and returns its audit lines. */
async function audit(run: Parameters<typeof runAuditedAdminCommand>[1]): Promise<object[]> {
  const lines: string[] = [];
  const logger = createLogger({
    level: 'info',
    name: 'chat',
    destination: { write: (line) => void lines.push(line) },
  });
  const options = { realm: 'acme', password: 'hunter2', email: 'me@example.com', url: undefined };
  await runAuditedAdminCommand(
    { service: 'chat', command: 'create-owner', options, shownOptions: ['realm', 'url'], logger },
    run,
  ).catch(() => {});
  expect(lines.join('')).not.toMatch(/hunter2|me@example/);
  return lines.map((line) => JSON.parse(line) as object);
}

const options = { realm: 'acme', password: '[hidden]', email: '[hidden]' };

describe('runAuditedAdminCommand', () => {
  it('writes one line with the object, the exit code, and the values of shown options only', async () => {
    const lines = await audit(async (setObject) => {
      setObject({ type: 'user', id: 5 });
      return 0;
    });
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'info',
        name: 'chat',
        module: 'audit',
        action: 'admin_command',
        actor: { kind: 'operator', id: expect.any(String) },
        address: null,
        object: { type: 'user', id: 5 },
        command: 'create-owner',
        options,
        exitCode: 0,
      }),
    ]);
  });

  it('writes a line with the exit code 1 when the command throws', async () => {
    const lines = await audit(() => Promise.reject(new Error('refused')));
    expect(lines).toEqual([expect.objectContaining({ object: null, options, exitCode: 1 })]);
  });

  it('writes a line with the number of the signal when a signal ends the command', async () => {
    const exit = vi.spyOn(process, 'exit').mockImplementation(() => {
      throw new Error('ended');
    });
    const lines = await audit(async () => {
      process.emit('SIGHUP', 'SIGHUP');
      return 0;
    });
    expect(exit).toHaveBeenCalledExactlyOnceWith(129);
    exit.mockRestore();
    expect(lines[0]).toMatchObject({ options, exitCode: 129 });
  });
});
