import { replaceLoneSurrogates } from '../normalized-text-key.js';
import { findRawParameter, type RawParameters } from './raw-parameters.js';

const maxClientNameLength = 30;
const productTokenPattern = /^[^/ (]+/;

/**
 * Names of client programs for human users. Messages that they send start as read for the sender (docs/contract/chat.md
 * 1.8).
 */
const clientsThatOnlyRead: ReadonlySet<string> = new Set([
  'website',
  'desktop app',
  'zulipmobile',
  'zulipelectron',
  'zulipdesktop',
  'zulipterminal',
  'zulipios',
  'zulipandroid',
  'snipe',
  'ios',
  'android',
]);

/**
 * Returns the name of the client program: parameter `client`, else the product of the User-Agent (`zulip-js/2.1` gives
 * `zulip-js`), else `Unspecified`; at most 30 characters (docs/contract/chat.md 1.8).
 */
export function getClientName(raw: RawParameters, userAgent: string | undefined): string {
  const stated = replaceLoneSurrogates(findRawParameter(raw, 'client')?.replaceAll('\u0000', '') ?? '').trim();
  const product = productTokenPattern.exec(userAgent?.trim() ?? '')?.[0];
  return [...(stated || product || 'Unspecified')].slice(0, maxClientNameLength).join('');
}

/** Returns true if messages sent by the client program with this name start as read for their sender. */
export function isReadOnlyClient(name: string): boolean {
  return clientsThatOnlyRead.has(name.toLowerCase());
}
