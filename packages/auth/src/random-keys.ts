import { randomInt } from 'node:crypto';

const alphanumericCharacters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Returns a new chat API key: 32 letters and digits, about 190 bits (docs/contract/chat.md 1.2). */
export function generateChatApiKey(): string {
  return createRandomAlphanumericText(32);
}

/**
 * Returns the public half of a new version 2 token: 12 letters and digits. A lookup finds the token by this half
 * (docs/contract/inventory.md 1.2).
 */
export function generateTokenPublicKey(length = 12): string {
  return createRandomAlphanumericText(length);
}

/**
 * Returns the secret half of a new version 2 token, or a whole version 1 token: 40 letters and digits, about 238 bits.
 */
export function generateTokenSecret(length = 40): string {
  return createRandomAlphanumericText(length);
}

function createRandomAlphanumericText(length: number): string {
  // randomInt has no modulo bias; a byte modulo 62 would favor the first eight characters.
  return Array.from({ length }, () => alphanumericCharacters.charAt(randomInt(alphanumericCharacters.length))).join('');
}
