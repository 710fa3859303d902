import {
  describeKeyOrPepper,
  type StoredEncryptionKeyUsageProof,
  type KeyOrPepperReference,
} from './stored-encryption-key-proofs.js';
import type { PepperDigestCount, KeyAndPepperUsage } from './encryption-key-usage.js';
import type { ServiceKeysAndPeppers } from './stored-secrets.js';

/** Data that `admin secrets status` prints about encryption keys and peppers. */
export interface EncryptionKeyAndPepperStatus extends KeyAndPepperUsage {
  readonly keys: ServiceKeysAndPeppers;
  readonly proofs: readonly StoredEncryptionKeyUsageProof[];
}

/** Summary of an {@link EncryptionKeyAndPepperStatus}. */
export interface EncryptionKeyAndPepperSummary {
  /**
   * State of the stored secrets: `current` if all encrypted texts use the first key and all digests the current pepper.
   * `outdated` if another configured key or pepper is still used; `problem` if rows contain the id of a key or pepper
   * that is not configured.
   */
  readonly state: 'current' | 'outdated' | 'problem';
  /** Number of texts that `admin secrets rewrap` would encrypt again with the first key. */
  readonly outdatedTexts: number;
  /** Number of digests that `admin secrets rewrap` would compute again under the current pepper. */
  readonly outdatedDigests: number;
  /** Numbers of digests under other peppers that are renewed only when their secret is used. */
  readonly remaining: readonly PepperDigestCount[];
  /** Time from which new digests use the current pepper; null before the first start of a process. */
  readonly since: Date | null;
  /** Ids of keys and peppers that database rows contain, but that are not configured. */
  readonly missing: readonly KeyOrPepperReference[];
}

/** Returns the exit code of `admin secrets status`: 0 for current, 3 for outdated, 1 for a problem. */
export function getEncryptionKeyStatusExitCode({ state }: EncryptionKeyAndPepperSummary): number {
  return { current: 0, outdated: 3, problem: 1 }[state];
}

/** Returns a summary of the numbers of encrypted texts by key and of digests by pepper. */
export function summarizeEncryptionKeyAndPepperUsage({
  keys,
  proofs,
  texts,
  digests,
}: EncryptionKeyAndPepperStatus): EncryptionKeyAndPepperSummary {
  const { box, pepper } = keys;
  const missing = new Map<string, KeyOrPepperReference>();
  const add = (one: KeyOrPepperReference): void => void missing.set(describeKeyOrPepper(one), one);
  for (const { keyId } of texts) if (keyId !== null && !box.keyIds.includes(keyId)) add({ kind: 'key', id: keyId });
  for (const { pepperId } of digests) {
    if (pepperId !== null && !pepper.ids.includes(pepperId)) add({ kind: 'pepper', id: String(pepperId) });
  }
  const outdated = digests.filter(({ pepperId }) => pepperId !== pepper.currentId);
  const outdatedTexts = sumKeyUsageCounts(texts.filter(({ keyId }) => keyId !== box.currentKeyId));
  const current = proofs.find(({ kind, id }) => kind === 'pepper' && id === String(pepper.currentId));
  return {
    state: missing.size > 0 ? 'problem' : outdatedTexts + sumKeyUsageCounts(outdated) > 0 ? 'outdated' : 'current',
    outdatedTexts,
    outdatedDigests: sumKeyUsageCounts(outdated.filter(({ isComputable }) => isComputable)),
    remaining: outdated.filter(({ isComputable }) => !isComputable),
    since: current?.createdAt ?? null,
    missing: [...missing.values()],
  };
}

/** Returns the output lines of `admin secrets status` as one text. */
export function formatEncryptionKeyAndPepperStatus(status: EncryptionKeyAndPepperStatus): string {
  const { box, pepper } = status.keys;
  const otherKeys = box.keyIds.filter((id) => id !== box.currentKeyId);
  const otherPeppers = pepper.ids.filter((id) => id !== pepper.currentId);
  return [
    `Encryption keys: ${[`${box.currentKeyId} (first)`, ...otherKeys].join(', ')}`,
    ...status.texts.map(
      ({ column, keyId, count }) => `  ${column}: ${count} ${keyId === null ? 'not encrypted' : `under ${keyId}`}`,
    ),
    `Peppers: ${[`${pepper.currentId} (current)`, ...otherPeppers].join(', ')}`,
    ...status.digests.map(
      ({ column, pepperId, count }) => `  ${column}: ${count} under ${pepperId ?? 'an unknown pepper'}`,
    ),
    ...formatEncryptionKeyAndPepperSummary(summarizeEncryptionKeyAndPepperUsage(status)),
  ].join('\n');
}

/**
 * Returns the lines of the summary for the operator. There is one line for each missing key, for outdated texts and for
 * remaining digests, or a single line if everything is current.
 */
export function formatEncryptionKeyAndPepperSummary(summary: EncryptionKeyAndPepperSummary): string[] {
  const { outdatedTexts, outdatedDigests, remaining, since, missing } = summary;
  const lines = missing.map((one) => `${describeKeyOrPepper(one)} is not configured, but rows contain its id.`);
  if (outdatedTexts + outdatedDigests > 0) {
    lines.push(
      `${outdatedTexts} texts are not under the first key, and ${outdatedDigests} digests can be computed again. Run: admin secrets rewrap`,
    );
  }
  for (const { column, pepperId, count, lastUsed } of remaining) {
    const sinceText = since === null ? '' : ` since ${since.toISOString()}`;
    const usedText = lastUsed === null ? '' : ` The last use of one was at ${lastUsed.toISOString()}.`;
    lines.push(
      `${column}: ${count} digests under pepper ${pepperId ?? ''} remain${sinceText}. Each is renewed when its secret is used.${usedText}`,
    );
  }
  return lines.length === 0 ? ['All texts are under the first key, and all digests under the current pepper.'] : lines;
}

/** Returns the JSON output of `admin secrets status --json`. */
export function formatEncryptionKeyAndPepperStatusAsJson(status: EncryptionKeyAndPepperStatus): string {
  const { keys, proofs, texts, digests } = status;
  const { state, outdatedTexts, outdatedDigests, since, missing } = summarizeEncryptionKeyAndPepperUsage(status);
  return JSON.stringify({
    state,
    keys: { first: keys.box.currentKeyId, configured: keys.box.keyIds },
    peppers: { current: keys.pepper.currentId, configured: keys.pepper.ids },
    inUse: proofs.map(({ kind, id, createdAt }) => ({ kind, id, since: createdAt })),
    missing,
    texts,
    digests,
    outdatedTexts,
    outdatedDigests,
    currentPepperSince: since,
  });
}

function sumKeyUsageCounts(counts: readonly { readonly count: number }[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}
