import { type CableEnd, endpointLists, type NetworkObjectKey, type Network } from './read-test-network.js';

/** A cable path that was traced independently of the tested service. */
export interface TracedPath {
  /** Objects of each step of the cable path. For each hop, the steps are the near ends, the links and the far ends. */
  readonly steps: readonly (readonly NetworkObjectKey[])[];
  readonly isActive: boolean;
  readonly isComplete: boolean;
  readonly isSplit: boolean;
  /** True if the trace was stopped because the cable path is circular. */
  readonly isEndless: boolean;
}

/** Number of hops after which a cable path is considered circular. */
const longestPath = 80;

type Position = number | null;
type Place = readonly [connector: number | null, position: Position];

const isEndpoint = (key: NetworkObjectKey): boolean => endpointLists.some((list) => key.startsWith(`${list} `));
const unique = (keys: readonly NetworkObjectKey[]): NetworkObjectKey[] => [...new Set(keys)];

/** Returns the connector and the position at the other side of a cable that has a profile. */
function opposite(profile: string, side: string, [connector, position]: Place): Place | undefined {
  if (connector === null || position === null) return undefined;
  if (profile === 'trunk-2c4p-shuffle') {
    const [high, low] = [Math.floor((position - 1) / 2), (position - 1) % 2];
    return [high + 1, (connector - 1) * 2 + low + 1];
  }
  if (profile === 'trunk-4c4p-shuffle') return [position, connector];
  if (profile === 'breakout-2c4p-8c1p-shuffle') {
    const joined = [1, 2, 5, 6, 3, 4, 7, 8];
    if (side === 'A') return [joined[(connector - 1) * 4 + position - 1] ?? 0, 1];
    const index = joined.indexOf(connector);
    return position === 1 ? [Math.floor(index / 4) + 1, (index % 4) + 1] : undefined;
  }
  if (profile.startsWith('breakout-')) {
    if (side === 'A') return connector === 1 ? [position, 1] : undefined;
    return position === 1 ? [1, connector] : undefined;
  }
  return [connector, position];
}

/**
 * Traces one cable path in a network, hop by hop. The code is slow and simple, because the test compares its result
 * with that of the service.
 */
class Walk {
  readonly steps: (readonly NetworkObjectKey[])[] = [];
  readonly #stack: (readonly Position[])[] = [];
  #isActive = true;
  #isSplit = false;

  constructor(private readonly network: Network) {}

  follow(origins: readonly NetworkObjectKey[]): TracedPath | undefined {
    let near = origins;
    for (let hop = 0; hop < longestPath; hop += 1) {
      const next = this.#hop(near);
      if (!Array.isArray(next)) return this.#end(next);
      near = next;
    }
    return { ...this.#end('split'), isEndless: true } as TracedPath;
  }

  #end(how: 'open' | 'complete' | 'split' | 'none'): TracedPath | undefined {
    if (how === 'none') return undefined;
    const isSplit = this.#isSplit || how === 'split';
    return { steps: this.steps, isActive: this.#isActive, isComplete: how === 'complete', isSplit, isEndless: false };
  }

  /** Follows the cable path by one hop. Returns the near ends of the next hop, or the reason why the path ends. */
  #hop(near: readonly NetworkObjectKey[]): NetworkObjectKey[] | 'open' | 'complete' | 'split' | 'none' {
    const [first = ''] = near;
    if (!isEndpoint(first) && this.#parents(near).size > 1) return 'open';
    const links = near.map((key) => this.#linkOf(key));
    const top = this.#stack.at(-1);
    if (new Set(links).size > 1 && top !== undefined && top.length !== near.length) return 'split';
    this.steps.push(near);
    const positions = this.network.ends.get(first)?.positions;
    if (isEndpoint(first) && positions) this.#stack.push(positions);
    const found = unique(links.filter((link) => link !== undefined));
    if (found.length === 0) return this.steps.length === 1 ? 'none' : 'open';
    if (links.includes(undefined)) this.#isSplit = true;
    this.steps.push(found);
    if (found.some((link) => this.#statusOf(link) !== 'connected')) this.#isActive = false;
    const far = this.#farEnds(near, found);
    if (far === undefined || new Set(far.map((key) => key.split(' ')[0])).size > 1) return 'split';
    this.steps.push(far);
    return far.length === 0 ? 'open' : this.#beyond(far, found);
  }

  #parents(keys: readonly NetworkObjectKey[]): Set<unknown> {
    return new Set(keys.map((key) => this.network.ports.get(key)?.device ?? 'circuit'));
  }

  #linkOf(key: NetworkObjectKey): NetworkObjectKey | undefined {
    const wireless = [...this.network.wireless].find(([, { ends }]) => ends.includes(key));
    return this.network.ends.get(key)?.cable ?? wireless?.[0];
  }

  #statusOf(link: NetworkObjectKey): string | undefined {
    return (this.network.cables.get(link) ?? this.network.wireless.get(link))?.status;
  }

  /**
   * Returns the objects at the far ends of a hop's links. Returns undefined if only some of the positions are
   * connected.
   */
  #farEnds(
    near: readonly NetworkObjectKey[],
    links: readonly NetworkObjectKey[],
  ): readonly NetworkObjectKey[] | undefined {
    const wireless = this.network.wireless.get(links[0] ?? '');
    if (wireless) return wireless.ends.filter((key) => key !== near[0]);
    const ends = near.flatMap((key) => this.network.ends.get(key) ?? []);
    const profiled = ends.filter((end) => this.#profileOf(end) !== null);
    const plain = ends.filter((end) => this.#profileOf(end) === null);
    const far = this.#endsWhere(({ cable, side }) => plain.some((end) => end.cable === cable && end.side !== side));
    return profiled.length > 0 ? this.#profiledEnds(profiled, far) : far;
  }

  #profileOf({ cable }: CableEnd): string | null {
    return this.network.cables.get(cable)?.profile ?? null;
  }

  #endsWhere(condition: (end: CableEnd) => boolean): NetworkObjectKey[] {
    return [...this.network.ends].filter(([, end]) => condition(end)).map(([key]) => key);
  }

  #profiledEnds(
    ends: readonly CableEnd[],
    others: readonly NetworkObjectKey[],
  ): readonly NetworkObjectKey[] | undefined {
    const own = ends.flatMap(({ positions }) => positions ?? []);
    const wanted = [...(this.#stack.pop() ?? own)];
    const pairs: (readonly [CableEnd, Position])[] = [];
    for (const end of ends) {
      for (const position of end.positions ?? []) {
        const index = wanted.indexOf(position);
        if (index === -1) continue;
        wanted.splice(index, 1);
        pairs.push([end, position]);
      }
    }
    const [first] = ends;
    if (pairs.length === 0 && first) {
      const all = wanted.splice(0);
      for (const position of all.length === 0 ? [null] : all) pairs.push([first, position]);
    }
    const peers: (NetworkObjectKey | undefined)[] = [];
    const reached: Position[] = [];
    for (const [{ cable, side, connector }, position] of pairs) {
      const place = opposite(this.network.cables.get(cable)?.profile ?? '', side, [connector, position]);
      const [peer] = this.#endsWhere(
        (end) =>
          end.cable === cable &&
          end.side !== side &&
          end.connector === place?.[0] &&
          end.positions?.includes(place?.[1] ?? 0) === true,
      );
      peers.push(peer);
      reached.push(peer === undefined ? null : (place?.[1] ?? null));
    }
    // Cables without profile keep the positions that no other cable of the hop has.
    this.#stack.push(others.length === 0 ? reached : [...reached, ...wanted]);
    const found = [...peers.filter((peer) => peer !== undefined), ...others];
    return found.length > 0 && peers.includes(undefined) ? undefined : unique(found);
  }

  /** Returns the near ends of the next hop on the other side of a panel or circuit, or the reason why the path ends. */
  #beyond(
    far: readonly NetworkObjectKey[],
    links: readonly NetworkObjectKey[],
  ): NetworkObjectKey[] | 'open' | 'complete' | 'split' {
    const [first = ''] = far;
    if (first.startsWith('circuit-terminations ')) return this.#overCircuits(far, links);
    if (!this.network.ports.has(first)) return 'complete';
    const isFront = first.startsWith('front-ports ');
    let positions: readonly Position[] | undefined;
    if ((this.network.ports.get(first)?.positions ?? 1) > 1) {
      positions = this.#stack.pop();
      if (positions === undefined) return 'split';
    }
    const mappings = this.network.mappings
      .map(({ front, frontPosition, rear, rearPosition }) =>
        isFront
          ? { from: front, position: frontPosition, to: rear, toPosition: rearPosition }
          : { from: rear, position: rearPosition, to: front, toPosition: frontPosition },
      )
      .filter(({ from, position }) => far.includes(from) && (positions?.includes(position) ?? true));
    if (mappings.length === 0) return 'open';
    const next = unique(mappings.map(({ to }) => to));
    if (next.some((key) => (this.network.ports.get(key)?.positions ?? 1) > 1)) {
      this.#stack.push(mappings.map(({ toPosition }) => toPosition));
    }
    return next;
  }

  #overCircuits(
    far: readonly NetworkObjectKey[],
    links: readonly NetworkObjectKey[],
  ): NetworkObjectKey[] | 'open' | 'complete' | 'split' {
    const entered = far.flatMap((key) => this.network.circuits.get(key) ?? []);
    const others = [...this.network.circuits].filter(([, { circuit, side }]) =>
      entered.some((end) => end.circuit === circuit && end.side !== side),
    );
    if (others.length === 0) return 'open';
    const keys = others.map(([key]) => key);
    const places = others.map(([, { at }]) => at ?? '');
    if (places.every((at) => at.startsWith('provider-networks '))) {
      this.steps.push(keys, unique(places));
      return 'complete';
    }
    if (keys.every((key) => !this.network.ends.has(key))) {
      this.steps.push(keys, unique(places));
      return 'open';
    }
    if (keys.some((key) => links.includes(this.network.ends.get(key)?.cable ?? ''))) return 'split';
    return keys;
  }
}

/**
 * Returns the origins of all cable paths, in groups that share a path. A group contains the objects at one connector or
 * at one side of a cable.
 */
function originsOf(network: Network): readonly (readonly NetworkObjectKey[])[] {
  const groups = new Map<string, NetworkObjectKey[]>();
  for (const [key, { cable, side, connector }] of network.ends) {
    if (!isEndpoint(key)) continue;
    const name = `${cable} ${side} ${String(connector)}`;
    groups.set(name, [...(groups.get(name) ?? []), key]);
  }
  const wireless = [...network.wireless.values()].flatMap(({ ends }) => ends.map((key) => [key]));
  return [...groups.values(), ...wireless];
}

/** Returns all cable paths of a network. */
export function tracePaths(network: Network): readonly TracedPath[] {
  return originsOf(network).flatMap((origins) => new Walk(network).follow(origins) ?? []);
}
