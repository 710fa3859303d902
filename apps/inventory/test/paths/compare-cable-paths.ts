import type { InProcessApiClient } from '@switchboard/testing';
import type { TracedPath } from './independent-cable-path-tracer.js';
import { type NetworkObjectKey, keyOfUrl, pathOf, typeOf } from './read-test-network.js';

type Hop = readonly [
  near: readonly NetworkObjectKey[],
  link: readonly NetworkObjectKey[],
  far: readonly NetworkObjectKey[],
];

/** Expected cable paths, and the bridges between interfaces. A trace continues over a bridge. */
export interface Expected {
  readonly paths: readonly TracedPath[];
  readonly bridges: ReadonlyMap<NetworkObjectKey, NetworkObjectKey>;
}

/** Returns the expected cable path that begins at the given object. */
const pathFrom = ({ paths }: Expected, key: NetworkObjectKey): TracedPath | undefined =>
  paths.find(({ steps }) => steps[0]?.includes(key) === true);

const sorted = (keys: readonly NetworkObjectKey[]): string => [...new Set(keys)].toSorted().join(' + ');
const isLink = (key: NetworkObjectKey | undefined): boolean =>
  key !== undefined && /^(?:cables|wireless-links) /u.test(key);

/** Returns the hops of a cable path. Each hop has near ends, a link such as a cable, and far ends. */
function hopsOf({ steps }: TracedPath): Hop[] {
  const hops: Hop[] = [];
  for (let index = 0; index < steps.length; index += 3) {
    const [near = [], second = [], far = []] = steps.slice(index, index + 3);
    // A site or provider network behind a circuit has no link.
    hops.push(second.length === 0 || isLink(second[0]) ? [near, second, far] : [near, [], second]);
  }
  return hops;
}

/**
 * Returns the expected cable trace of an object. If the path ends at a single interface with a bridge, the trace
 * continues over the bridge.
 */
function traceOf(expected: Expected, endpoint: NetworkObjectKey): readonly Hop[] {
  const hops: Hop[] = [];
  const seen = new Set<NetworkObjectKey>();
  let origin: NetworkObjectKey | undefined = endpoint;
  while (origin !== undefined && !seen.has(origin)) {
    seen.add(origin);
    const path = pathFrom(expected, origin);
    if (path === undefined) break;
    hops.push(...hopsOf(path));
    const destinations: readonly NetworkObjectKey[] = path.isComplete ? (path.steps.at(-1) ?? []) : [];
    origin = destinations.length === 1 ? expected.bridges.get(destinations[0] ?? '') : undefined;
  }
  return hops;
}

/**
 * Requests the cable trace of an object. Returns a description of the differences from the expected path, or undefined
 * if there are none.
 */
export async function compareTrace(
  api: InProcessApiClient,
  expected: Expected,
  key: NetworkObjectKey,
): Promise<string | undefined> {
  const { body } = await api.get<readonly (readonly [unknown[], unknown, unknown[]])[]>(`${pathOf(key)}trace/`);
  const got = body.map(([near, link, far]) => ({
    near: sorted(near.map(keyOfUrl)),
    link: Array.isArray(link) ? undefined : keyOfUrl(link),
    far: sorted(far.map(keyOfUrl)),
  }));
  const all = traceOf(expected, key);
  const isEndless = pathFrom(expected, key)?.isEndless === true;
  // The service may cut a ring elsewhere.
  const wanted = isEndless ? all.slice(0, Math.max(got.length - 1, 1)) : all;
  const same =
    (isEndless ? got.length > 0 : got.length === wanted.length) &&
    wanted.every(([near, links, far], index) => {
      const hop = got[index];
      const sameLink = links.length === 0 ? hop?.link === undefined : links.includes(hop?.link ?? '');
      return hop?.near === sorted(near) && hop.far === sorted(far) && sameLink;
    });
  if (same) return undefined;
  const texts = all.map((hop) => hop.map(sorted).join(' | '));
  const found = got.map(({ near, link = '', far }) => [near, link, far].join(' | '));
  return `${key} trace/: ${texts.join('; ')} expected, not ${found.join('; ')}`;
}

/**
 * Returns a cable path as text, for comparison with a response. A path whose last cable leads nowhere is shown without
 * steps, unless the path is split.
 */
function textOf(path: TracedPath): string {
  const { isActive, isComplete, isSplit } = path;
  const steps = path.steps.filter((step) => step.length > 0);
  const shown = steps.length < path.steps.length && !isSplit ? '' : steps.map(sorted).join(' | ');
  return `${shown} active=${isActive} complete=${isComplete} split=${isSplit}`;
}

interface ShownPath {
  readonly path: readonly (readonly unknown[])[];
  readonly is_active: boolean;
  readonly is_complete: boolean;
  readonly is_split: boolean;
}

/**
 * Requests the cable paths that pass through a port or circuit termination. Returns a description of the differences
 * from the expected paths, or undefined if there are none.
 */
export async function compareCablePaths(
  api: InProcessApiClient,
  expected: Expected,
  key: NetworkObjectKey,
): Promise<string | undefined> {
  const { paths } = expected;
  const over = paths.filter(({ steps }) => steps.some((step) => step.includes(key)));
  // A path in a ring is cut somewhere, and may reach the port only after the cut.
  if (over.some(({ isEndless }) => isEndless)) return undefined;
  const { body } = await api.get<readonly ShownPath[]>(`${pathOf(key)}paths/`);
  const shown = body.map(({ path, is_active: isActive, is_complete: isComplete, is_split: isSplit }) =>
    textOf({ steps: path.map((step) => step.map(keyOfUrl)), isActive, isComplete, isSplit, isEndless: false }),
  );
  const [wanted, got] = [over.map(textOf).toSorted().join('; '), shown.toSorted().join('; ')];
  return wanted === got ? undefined : `${key} paths/: ${wanted} expected, not ${got}`;
}

/**
 * Compares the connected endpoints in a response with the expected endpoints. Returns a description of the differences,
 * or undefined if there are none.
 */
export function compareEndpoints(
  expected: Expected,
  key: NetworkObjectKey,
  shown: Readonly<Record<string, unknown>>,
): string | undefined {
  const path = pathFrom(expected, key);
  const ends = path?.isComplete === true ? (path.steps.at(-1) ?? []) : [];
  const list = shown['connected_endpoints'] as readonly unknown[] | null;
  const wanted = [
    sorted(ends),
    ends[0] === undefined ? null : typeOf(ends[0]),
    path?.isComplete === true && path.isActive,
  ];
  const got = [
    list === null ? '' : sorted(list.map(keyOfUrl)),
    shown['connected_endpoints_type'],
    shown['connected_endpoints_reachable'],
  ];
  const [one, other] = [JSON.stringify(wanted), JSON.stringify(got)];
  return one === other ? undefined : `${key} connected_endpoints: ${one} expected, not ${other}`;
}
