import { replaceLoneSurrogates } from '../normalized-text-key.js';
import { findUndecodedParameter, type UndecodedRequestParameters } from './raw-parameters.js';

const maxClientNameLength = 30;
const productTokenPattern = /^[^/ (]+/;

/**
 * Names of client programs for human users. Messages sent with these client programs are immediately marked as read for
 * the sender (docs/contract/chat.md 1.8).
 */
const clientsWithMessagesMarkedRead: ReadonlySet<string> = new Set([
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
 * Returns the name of the client program that sent a request, at most 30 characters (docs/contract/chat.md 1.8). The
 * name is the parameter `client`, or the product in the User-Agent header (`zulip-js/2.1` gives `zulip-js`), or
 * `Unspecified`.
 */
export function getClientName(raw: UndecodedRequestParameters, userAgent: string | undefined): string {
  const stated = replaceLoneSurrogates(findUndecodedParameter(raw, 'client')?.replaceAll('\u0000', '') ?? '').trim();
  const product = productTokenPattern.exec(userAgent?.trim() ?? '')?.[0];
  return [...(stated || product || 'Unspecified')].slice(0, maxClientNameLength).join('');
}

/** Returns true if messages sent with the client program of this name are immediately marked as read for the sender. */
export function areClientMessagesMarkedRead(name: string): boolean {
  return clientsWithMessagesMarkedRead.has(name.toLowerCase());
}
