import { randomInt } from 'node:crypto';

const alphanumeric = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A chat API key: 32 letters and digits, about 190 bits (docs/contract/chat.md 1.2). */
export function generateApiKey(): string {
  return randomText(32);
}

/**
 * The public half of a version 2 token, by which it is found: 12 letters and digits (docs/contract/inventory.md 1.2).
 */
export function generateTokenKey(length = 12): string {
  return randomText(length);
}

/** The secret half of a version 2 token, or a whole version 1 token: 40 letters and digits, about 238 bits. */
export function generateTokenSecret(length = 40): string {
  return randomText(length);
}

function randomText(length: number): string {
  // randomInt draws without modulo bias; a byte modulo 62 would favour the first eight characters.
  return Array.from({ length }, () => alphanumeric.charAt(randomInt(alphanumeric.length))).join('');
}
