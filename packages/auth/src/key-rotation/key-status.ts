import { describeKey, type KeyInUse, type UsedId } from './keys-in-use.js';
import type { DigestCount, KeyUsage } from './key-usage.js';
import type { KeyRing } from './stored-secrets.js';

/** Data of `admin secrets status`. */
export interface KeyStatus extends KeyUsage {
  readonly keys: KeyRing;
  readonly proofs: readonly KeyInUse[];
}

/** Summary of a {@link KeyStatus}. */
export interface KeySummary {
  /** `current`: all is under the first key and the current pepper; `problem`: an id is not configured. */
  readonly state: 'current' | 'outdated' | 'problem';
  /** Number of texts that `rewrap` encrypts again. */
  readonly outdatedTexts: number;
  /** Number of digests that `rewrap` computes again. */
  readonly outdatedDigests: number;
  /** Digests that are renewed at their next use. */
  readonly remaining: readonly DigestCount[];
  /** Time from which new digests use the current pepper; null before the first start of a process. */
  readonly since: Date | null;
  /** Ids that rows contain, but that are not configured. */
  readonly missing: readonly UsedId[];
}

/** Returns the exit code of `admin secrets status`: 0 current, 3 outdated, 1 a problem. */
export function statusExitCode({ state }: KeySummary): number {
  return { current: 0, outdated: 3, problem: 1 }[state];
}

/** Summarizes the numbers of texts and digests. */
export function summarizeKeys({ keys, proofs, texts, digests }: KeyStatus): KeySummary {
  const { box, pepper } = keys;
  const missing = new Map<string, UsedId>();
  const add = (one: UsedId): void => void missing.set(describeKey(one), one);
  for (const { keyId } of texts) if (keyId !== null && !box.keyIds.includes(keyId)) add({ kind: 'key', id: keyId });
  for (const { pepperId } of digests) {
    if (pepperId !== null && !pepper.ids.includes(pepperId)) add({ kind: 'pepper', id: String(pepperId) });
  }
  const outdated = digests.filter(({ pepperId }) => pepperId !== pepper.currentId);
  const outdatedTexts = sum(texts.filter(({ keyId }) => keyId !== box.currentKeyId));
  const current = proofs.find(({ kind, id }) => kind === 'pepper' && id === String(pepper.currentId));
  return {
    state: missing.size > 0 ? 'problem' : outdatedTexts + sum(outdated) > 0 ? 'outdated' : 'current',
    outdatedTexts,
    outdatedDigests: sum(outdated.filter(({ isComputable }) => isComputable)),
    remaining: outdated.filter(({ isComputable }) => !isComputable),
    since: current?.createdAt ?? null,
    missing: [...missing.values()],
  };
}

/** Returns the lines of `admin secrets status`. */
export function describeKeyStatus(status: KeyStatus): string {
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
    ...describeSummary(summarizeKeys(status)),
  ].join('\n');
}

/** Returns one line for each thing that an operator has to know or do. */
export function describeSummary(summary: KeySummary): string[] {
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
export function keyStatusJson(status: KeyStatus): string {
  const { keys, proofs, texts, digests } = status;
  const { state, outdatedTexts, outdatedDigests, since, missing } = summarizeKeys(status);
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

function sum(counts: readonly { readonly count: number }[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}
