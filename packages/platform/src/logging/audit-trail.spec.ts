import { describe, expect, it } from 'vitest';
import { auditActionTable } from './audit-action-table.js';
import { AuditTrail } from './audit-trail.js';
import { createLogger } from './logger.js';
import { requestContextStorage } from './request-context.js';
import { RequestOrigin } from './request-origin.js';
import { setRequestActor } from './set-request-actor.js';

const trail = new AuditTrail({
  role_changed: { when: 'a change of a role', object: 'user', fields: { before: 'former role', after: 'new role' } },
  signed_out: { when: 'the end of a session', object: 'user' },
});

const roles = { before: { role: 'member' }, after: { role: 'owner' } };

/** Runs work in a request and returns the parsed log lines. */
function runInRequest(work: () => void, level: 'info' | 'error' | 'silent' = 'info'): Record<string, unknown>[] {
  const lines: string[] = [];
  const log = createLogger({ level, name: 'test', destination: { write: (line) => void lines.push(line) } });
  const requestId = 'r-1';
  requestContextStorage.run(
    { requestId, log: log.child({ requestId }), origin: new RequestOrigin('192.0.2.1') },
    () => {
      setRequestActor({ realm: '1', id: 7, kind: 'user' });
      work();
    },
  );
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

const openTx = () => ({ isOpen: true });

describe('AuditTrail', () => {
  it('writes lines of a transaction once, after its commit', () => {
    const steps: number[] = [];
    const lines = runInRequest(() => {
      const tx = openTx();
      trail.add(tx, 'role_changed', { id: 5, ...roles });
      trail.add(tx, 'signed_out', { id: 6 });
      steps.push(1);
      trail.writeCommitted(tx);
      trail.writeCommitted(tx);
    });
    expect(lines).toMatchObject([
      {
        level: 'info',
        module: 'audit',
        action: 'role_changed',
        actor: { realm: '1', id: 7, kind: 'user' },
        address: '192.0.2.1',
        requestId: 'r-1',
        object: { type: 'user', id: 5 },
        ...roles,
      },
      { action: 'signed_out', object: { type: 'user', id: 6 } },
    ]);
  });

  it('writes no line for an attempt of a transaction that is not committed', () => {
    const lines = runInRequest(() => {
      const [failed, repeated] = [openTx(), openTx()];
      trail.add(failed, 'role_changed', { id: 5, ...roles });
      trail.add(repeated, 'role_changed', { id: 5, ...roles });
      trail.writeCommitted(repeated);
    });
    expect(lines).toHaveLength(1);
  });

  it('throws a TypeError when a change is audited without an open transaction', () => {
    expect(() => trail.add({}, 'signed_out', { id: 5 })).toThrow(TypeError);
    expect(() => trail.add({ isOpen: false }, 'signed_out', { id: 5 })).toThrow(TypeError);
  });

  it('writes an action without a transaction immediately, for the given actor', () => {
    const actor = { id: 9, kind: 'bot' };
    const lines = runInRequest(() => trail.write('signed_out', { id: 9, actor }));
    expect(lines).toMatchObject([{ action: 'signed_out', actor, object: { id: 9 } }]);
  });

  it('writes lines when the log level is higher, but not when it is silent', () => {
    expect(runInRequest(() => trail.write('signed_out', { id: 1 }), 'error')).toMatchObject([{ level: 'info' }]);
    expect(runInRequest(() => trail.write('signed_out', { id: 1 }), 'silent')).toEqual([]);
  });

  it('writes nothing outside a request', () => {
    expect(() => trail.write('signed_out', { id: 1 })).not.toThrow();
    const tx = openTx();
    trail.add(tx, 'signed_out', { id: 1 });
    expect(() => trail.writeCommitted(tx)).not.toThrow();
  });

  it('replaces long values of states, and keeps the others', () => {
    const before = { role: 'x'.repeat(3000), name: 'short' };
    const [line] = runInRequest(() => trail.write('role_changed', { id: 1, before, after: {} }));
    expect(line?.['before']).toEqual({ role: expect.stringMatching(/^.{2000}… \(\d+ characters\)$/), name: 'short' });
  });
});

describe('auditActionTable', () => {
  it('returns a row for each action and for admin commands', () => {
    const rows = auditActionTable(trail.actions).trimEnd().split('\n');
    expect(rows.slice(2)).toEqual([
      '| `role_changed` | a change of a role | `user` | `before`: former role; `after`: new role |',
      '| `signed_out` | the end of a session | `user` |  |',
      expect.stringMatching(/^\| `admin_command` \| an admin command ends \|/),
    ]);
  });
});
