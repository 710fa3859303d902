import { describe, expect, it } from 'vitest';
import { hashPassword, needsNewPasswordHash, verifyPassword } from './passwords.js';

describe('password hash', () => {
  it('matches its own password and no other', async () => {
    const stored = await hashPassword('correct horse');
    expect(stored).toMatch(/^\$scrypt\$ln=15,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(await verifyPassword('correct horse', stored)).toBe(true);
    expect(await verifyPassword('correct horsf', stored)).toBe(false);
    expect(needsNewPasswordHash(stored)).toBe(false);
  });

  it('verifies regardless of Unicode normalization form', async () => {
    const stored = await hashPassword('pa\u00dfwo\u0308rter');
    expect(await verifyPassword('pa\u00dfw\u00f6rter', stored)).toBe(true);
  });

  it('matches with lower cost parameters, and requests a rehash', async () => {
    // RFC 7914 section 12 uses costs outside the accepted range, so this test has its own values with N = 2^10.
    const salt = Buffer.from('0123456789abcdef');
    const { scryptSync } = await import('node:crypto');
    const hash = scryptSync('old', salt, 32, { N: 1024, r: 8, p: 1 });
    const text = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
    const stored = `$scrypt$ln=10,r=8,p=1$${text(salt)}$${text(hash)}`;
    expect(await verifyPassword('old', stored)).toBe(true);
    expect(needsNewPasswordHash(stored)).toBe(true);
  });

  it.each([
    null,
    undefined,
    '',
    '!',
    'argon2$x',
    '$scrypt$ln=30,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY',
    '$scrypt$ln=0,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY',
  ])('never matches the stored text %j', async (stored) => {
    expect(await verifyPassword('', stored)).toBe(false);
    expect(needsNewPasswordHash(stored ?? '')).toBe(true);
  });

  it('takes about as long to verify as null, the value for a nonexistent account', async () => {
    const stored = await hashPassword('x');
    const timed = async (hash: string | null): Promise<number> => {
      const times: number[] = [];
      for (let count = 0; count < 3; count += 1) {
        const started = performance.now();
        await verifyPassword('y', hash);
        times.push(performance.now() - started);
      }
      return Math.min(...times);
    };
    // The work is the same scrypt call; the bound is wide because the machine is shared.
    expect(await timed(null)).toBeGreaterThan((await timed(stored)) / 3);
  });
});
