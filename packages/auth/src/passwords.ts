import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

interface ScryptCost {
  /** Base-2 logarithm of scrypt's cost parameter N. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

interface ParsedPasswordHash {
  readonly cost: ScryptCost;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/**
 * Current cost of password hashes: scrypt with `N = 2^15, r = 8, p = 1`. A call takes about 90 ms and 32 MiB on a CPU
 * core of the 2020s.
 */
const currentScryptCost: ScryptCost = { ln: 15, r: 8, p: 1 };
const passwordSaltBytes = 16;
const passwordHashBytes = 32;

// Maximum accepted costs, so that a manipulated row cannot make one login allocate gigabytes.
const maxAcceptedScryptCost: ScryptCost = { ln: 20, r: 16, p: 4 };

const storedPasswordHashPattern =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/**
 * Hashes a password with scrypt (RFC 7914) on the thread pool, with a new random salt.
 *
 * The result is in PHC string form, `$scrypt$ln=15,r=8,p=1$<salt>$<hash>` (base64 without padding), so that the scrypt
 * cost can increase later without a migration: see {@link needsNewPasswordHash}. Passwords are normalized to NFKC first
 * (NIST SP 800-63B 5.1.1.2), because keyboards encode the same letter differently.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(passwordSaltBytes);
  const hash = await deriveScryptKey(password, salt, currentScryptCost, passwordHashBytes);
  const { ln, r, p } = currentScryptCost;
  return `$scrypt$ln=${ln},r=${r},p=${p}$${encodeBase64WithoutPadding(salt)}$${encodeBase64WithoutPadding(hash)}`;
}

/**
 * Returns true if the password matches a hash made by {@link hashPassword}. The comparison takes constant time. For
 * `null` or an unreadable hash, returns false after as much work as for a valid hash. The duration therefore does not
 * reveal which accounts exist.
 */
export async function verifyPassword(password: string, storedHash: string | null | undefined): Promise<boolean> {
  const parsed = storedHash ? parseStoredPasswordHash(storedHash) : null;
  if (!parsed) {
    await simulatePasswordVerification(password);
    return false;
  }
  const candidate = await deriveScryptKey(password, parsed.salt, parsed.cost, parsed.hash.length);
  return timingSafeEqual(candidate, parsed.hash);
}

/**
 * Does as much work as the verification of a password, without a stored hash. The caller uses this function when no
 * account was found, so that the response time does not reveal whether the account exists.
 */
export async function simulatePasswordVerification(password: string): Promise<void> {
  await deriveScryptKey(password, Buffer.alloc(passwordSaltBytes), currentScryptCost, passwordHashBytes);
}

/**
 * Returns true if a stored password hash is unreadable or was made with a scrypt cost other than the current cost. The
 * caller then hashes the password again after the next successful login.
 */
export function needsNewPasswordHash(storedHash: string): boolean {
  const parsed = parseStoredPasswordHash(storedHash);
  if (!parsed) return true;
  const { ln, r, p } = parsed.cost;
  const sameCost = ln === currentScryptCost.ln && r === currentScryptCost.r && p === currentScryptCost.p;
  return !sameCost || parsed.hash.length !== passwordHashBytes || parsed.salt.length !== passwordSaltBytes;
}

function parseStoredPasswordHash(storedHash: string): ParsedPasswordHash | null {
  const [, ln, r, p, salt, hash] = storedPasswordHashPattern.exec(storedHash) ?? [];
  if (salt === undefined || hash === undefined) return null;
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  if (cost.ln < 1 || cost.r < 1 || cost.p < 1) return null;
  if (cost.ln > maxAcceptedScryptCost.ln || cost.r > maxAcceptedScryptCost.r || cost.p > maxAcceptedScryptCost.p)
    return null;
  return { cost, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
}

function deriveScryptKey(password: string, salt: Buffer, { ln, r, p }: ScryptCost, length: number): Promise<Buffer> {
  const N = 2 ** ln;
  // Node rejects more than 32 MiB by default. scrypt needs 128 * N * r bytes, plus some for each parallel lane.
  const maxmem = 256 * r * (N + p);
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, length, { N, r, p, maxmem }, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}

function encodeBase64WithoutPadding(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
