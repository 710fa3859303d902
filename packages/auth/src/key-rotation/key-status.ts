import { describeKey, type StoredKeyProof, type KeyReference } from './stored-key-proofs.js';
import type { PepperDigestCount, KeyUsage } from './key-usage.js';
import type { ServiceKeys } from './stored-secrets.js';

/** Data of `admin secrets status`. */
export interface EncryptionKeyStatus extends KeyUsage {
  readonly keys: ServiceKeys;
  readonly proofs: readonly StoredKeyProof[];
}

/** Summary of a {@link EncryptionKeyStatus}. */
export interface KeyStatusSummary {
  /** `current`: all is under the first key and the current pepper; `problem`: an id is not configured. */
  readonly state: 'current' | 'outdated' | 'problem';
  /** Number of texts that `rewrap` encrypts again. */
  readonly outdatedTexts: number;
  /** Number of digests that `rewrap` computes again. */
  readonly outdatedDigests: number;
  /** Digests that are renewed at their next use. */
  readonly remaining: readonly PepperDigestCount[];
  /** Time from which new digests use the current pepper; null before the first start of a process. */
  readonly since: Date | null;
  /** Ids that rows contain, but that are not configured. */
  readonly missing: readonly KeyReference[];
}

/** Returns the exit code of `admin secrets status`: 0 current, 3 outdated, 1 a problem. */
export function getKeyStatusExitCode({ state }: KeyStatusSummary): number {
  return { current: 0, outdated: 3, problem: 1 }[state];
}

/** Summarizes the numbers of texts and digests. */
export function summarizeKeyUsage({ keys, proofs, texts, digests }: EncryptionKeyStatus): KeyStatusSummary {
  const { box, pepper } = keys;
  const missing = new Map<string, KeyReference>();
  const add = (one: KeyReference): void => void missing.set(describeKey(one), one);
  for (const { keyId } of texts) if (keyId !== null && !box.keyIds.includes(keyId)) add({ kind: 'key', id: keyId });
  for (const { pepperId } of digests) {
    if (pepperId !== null && !pepper.ids.includes(pepperId)) add({ kind: 'pepper', id: String(pepperId) });
  }
  const outdated = digests.filter(({ pepperId }) => pepperId !== pepper.currentId);
  const outdatedTexts = sumCounts(texts.filter(({ keyId }) => keyId !== box.currentKeyId));
  const current = proofs.find(({ kind, id }) => kind === 'pepper' && id === String(pepper.currentId));
  return {
    state: missing.size > 0 ? 'problem' : outdatedTexts + sumCounts(outdated) > 0 ? 'outdated' : 'current',
    outdatedTexts,
    outdatedDigests: sumCounts(outdated.filter(({ isComputable }) => isComputable)),
    remaining: outdated.filter(({ isComputable }) => !isComputable),
    since: current?.createdAt ?? null,
    missing: [...missing.values()],
  };
}

/** Returns the lines of `admin secrets status`. */
export function describeKeyStatus(status: EncryptionKeyStatus): string {
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
    ...describeKeySummary(summarizeKeyUsage(status)),
  ].join('\n');
}

/** Returns one line for each thing that an operator has to know or do. */
export function describeKeySummary(summary: KeyStatusSummary): string[] {
  const { outdatedTexts, outdatedDigests, remaining, since, missing } = summary;
  const lines = missing.map((one) => `${describeKey(one)} is not configured, but rows contain its id.`);
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

/** Returns the JSON text of `admin secrets status --json`. */
export function formatKeyStatusAsJson(status: EncryptionKeyStatus): string {
  const { keys, proofs, texts, digests } = status;
  const { state, outdatedTexts, outdatedDigests, since, missing } = summarizeKeyUsage(status);
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

function sumCounts(counts: readonly { readonly count: number }[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}
