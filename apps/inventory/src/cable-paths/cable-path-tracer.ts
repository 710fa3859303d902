import { getOppositeCablePosition } from './far-cable-position.js';
import {
  type CableEnd,
  type CircuitTerminationRow,
  type CableGraph,
  formatObjectTypeAndId,
  type ObjectTypeAndId,
} from './cable-graph.js';

/** Names of the models of the objects at which cable paths begin and end. */
export const pathEndpointTypes: readonly string[] = [
  'dcim.consoleport',
  'dcim.consoleserverport',
  'dcim.interface',
  'dcim.powerfeed',
  'dcim.poweroutlet',
  'dcim.powerport',
];

/** A cable path. The steps of the path are, repeatedly: the near ends of links, the links, and the far ends. */
export interface CablePath {
  readonly steps: readonly (readonly ObjectTypeAndId[])[];
  readonly isActive: boolean;
  readonly isComplete: boolean;
  readonly isSplit: boolean;
}

/** A cable path found by tracing. */
export interface TracedCablePath extends CablePath {
  /** False if the cable path leads to ports of several devices at one end of a cable. The path ends at such a cable. */
  readonly isSupported: boolean;
  /**
   * True if the cable path reaches several ports in one hop, and some of the ports have several positions. The path is
   * then correct only in a graph with all positions of the ports.
   */
  readonly needsAllPositions: boolean;
}

/**
 * Maximum number of hops of a cable path (`maxPathHops`), and of cables and ports that a path has entered and not yet
 * left (`maxPositionStackDepth`). A longer path is treated as circular, even if no object repeats on the path.
 */
const maxPathHops = 500;
const maxPositionStackDepth = 32;

const isPathEndpoint = (object: ObjectTypeAndId): boolean => pathEndpointTypes.includes(object.type);

/** The distinct links (cables or wireless links) that connect the objects of one hop of a cable path. */
interface LinksOfCablePathHop {
  readonly objects: readonly ObjectTypeAndId[];
  readonly statuses: readonly string[];
  /** True if at least one near end of the hop has no link. */
  readonly isPartial: boolean;
}

/**
 * Result of following a cable path by one hop: the objects at which the next hop begins, or the reason why the path
 * ends.
 */
type CablePathHopResult =
  | { readonly next: readonly ObjectTypeAndId[] }
  | { readonly end: 'open' | 'split' | 'complete' };

const openCablePathEnd: CablePathHopResult = { end: 'open' };
const splitCablePathEnd: CablePathHopResult = { end: 'split' };

/**
 * Traces the cable path that begins at the given endpoints, which share one end of a link. Returns null if the
 * endpoints have no link (docs/contract/inventory.md 3.3).
 */
export function traceCablePath(graph: CableGraph, origins: readonly ObjectTypeAndId[]): TracedCablePath | null {
  const trace = new CablePathTrace(graph);
  trace.traceFromOrigins(origins);
  return trace.steps.length < 2 ? null : trace;
}

/** Port or fiber positions through which a cable path entered one cable or one group of ports. */
type PortPositionStack = readonly (number | null)[];

function areAllPositionStacksEqual(one: readonly PortPositionStack[], other: readonly PortPositionStack[]): boolean {
  return (
    one.length === other.length &&
    one.every((positions, depth) => {
      const others = other[depth];
      return positions === others || positions.join() === others?.join();
    })
  );
}

class CablePathTrace implements TracedCablePath {
  readonly steps: (readonly ObjectTypeAndId[])[] = [];
  isActive = true;
  isComplete = false;
  isSplit = false;
  isSupported = true;
  needsAllPositions = false;
  /** Positions through which the path entered the cables and ports that the path has not left yet. */
  readonly #stack: PortPositionStack[] = [];
  /**
   * Position stacks with which the path has already reached a near end, by the key of the near end. The stacks are
   * compared to detect circular paths.
   */
  readonly #visited = new Map<string, (readonly PortPositionStack[])[]>();

  constructor(private readonly graph: CableGraph) {}

  traceFromOrigins(origins: readonly ObjectTypeAndId[]): void {
    let near = origins;
    for (let hops = 0; hops < maxPathHops && this.#stack.length <= maxPositionStackDepth; hops += 1) {
      const step = this.#followHop(near);
      if ('next' in step) near = step.next;
      else {
        if (step.end === 'split') this.isSplit = true;
        if (step.end === 'complete') this.isComplete = true;
        return;
      }
    }
    this.isSplit = true;
  }

  /**
   * Follows the links from the near ends of a hop to the far ends. Returns the objects at which the path continues, or
   * the reason why the path ends.
   */
  #followHop(near: readonly ObjectTypeAndId[]): CablePathHopResult {
    const [first] = near;
    if (first === undefined) return openCablePathEnd;
    if (!canObjectsShareCablePath(this.graph, near)) {
      this.isSupported = false;
      return splitCablePathEnd;
    }
    if (this.#isVisited(near)) return splitCablePathEnd;
    const links = this.#linksOf(near);
    const distinct = new Set(near.map((object) => this.#keyOfLinks(object)));
    const top = this.#stack.at(-1);
    if (distinct.size > 1 && top !== undefined && near.length !== top.length) return splitCablePathEnd;
    this.steps.push(near);
    const positions = this.graph.findCableEnd(first)?.positions ?? null;
    if (isPathEndpoint(first) && positions !== null) this.#stack.push(positions);
    if (links.objects.length === 0) return openCablePathEnd;
    if (links.isPartial) this.isSplit = true;
    this.steps.push(links.objects);
    if (links.statuses.some((status) => status !== 'connected')) this.isActive = false;
    const far = this.#farEnds(near);
    if (far === null) return splitCablePathEnd;
    if (far.length === 0) return openCablePathEnd;
    this.steps.push(far);
    return this.#continueAfterHop(far);
  }

  /**
   * Returns true if the path has reached the given objects with equal positions before. A path that continued would
   * repeat endlessly.
   */
  #isVisited(near: readonly ObjectTypeAndId[]): boolean {
    const key = near.map(formatObjectTypeAndId).join(' ');
    const earlier = this.#visited.get(key) ?? [];
    this.#visited.set(key, earlier);
    if (earlier.some((stack) => areAllPositionStacksEqual(stack, this.#stack))) return true;
    earlier.push([...this.#stack]);
    return false;
  }

  #keyOfLinks(object: ObjectTypeAndId): string | null {
    const end = this.graph.findCableEnd(object);
    if (end !== null) return `dcim.cable:${end.cable}`;
    const wireless = this.graph.findWirelessEnd(object);
    return wireless === null ? null : `wireless.wirelesslink:${wireless.link}`;
  }

  #linksOf(near: readonly ObjectTypeAndId[]): LinksOfCablePathHop {
    const links = new Map<string, { readonly object: ObjectTypeAndId; readonly status: string }>();
    let isPartial = false;
    for (const object of near) {
      const end = this.graph.findCableEnd(object);
      const wireless = end === null ? this.graph.findWirelessEnd(object) : null;
      if (end !== null) {
        const link = { type: 'dcim.cable', id: end.cable };
        links.set(formatObjectTypeAndId(link), {
          object: link,
          status: this.graph.findCable(end.cable)?.status ?? 'connected',
        });
      } else if (wireless === null) isPartial = true;
      else {
        const link = { type: 'wireless.wirelesslink', id: wireless.link };
        links.set(formatObjectTypeAndId(link), { object: link, status: wireless.status });
      }
    }
    const found = [...links.values()];
    return { objects: found.map(({ object }) => object), statuses: found.map(({ status }) => status), isPartial };
  }

  /** Returns the objects at the far ends of the links of a hop, or null if the path ends at the links. */
  #farEnds(near: readonly ObjectTypeAndId[]): readonly ObjectTypeAndId[] | null {
    const ends = near.flatMap((object) => this.graph.findCableEnd(object) ?? []);
    const [first] = ends;
    if (first === undefined) {
      return near.flatMap((object) => {
        const wireless = this.graph.findWirelessEnd(object);
        return wireless === null ? [] : [{ type: 'dcim.interface', id: wireless.peer }];
      });
    }
    const profiled = ends.filter((end) => this.#profileOf(end) !== null);
    const opposite = this.#oppositeEnds(ends.filter((end) => this.#profileOf(end) === null));
    const far = profiled.length === 0 ? opposite : this.#profiledEnds(profiled, opposite);
    if (far === null || far.some(({ type }) => type !== far[0]?.type)) return null;
    return far.map(({ type, id }) => ({ type, id }));
  }

  #oppositeEnds(ends: readonly CableEnd[]): readonly CableEnd[] {
    const sides = new Map(ends.map(({ cable, side }) => [`${cable} ${side}`, { cable, side }]));
    return [...sides.values()]
      .toSorted((one, other) => one.cable - other.cable)
      .flatMap(({ cable, side }) => this.graph.findCable(cable)?.ends.filter((end) => end.side !== side) ?? []);
  }

  #profileOf({ cable }: CableEnd): string | null {
    return this.graph.findCable(cable)?.profile ?? null;
  }

  /**
   * Returns the cable ends to which the profiles of cables lead. Replaces the positions on the stack by the positions
   * at the far ends. Returns null if only some of the positions are connected.
   *
   * @param others far ends of the cables without a profile in the same hop; their positions stay unchanged
   */
  #profiledEnds(ends: readonly CableEnd[], others: readonly CableEnd[]): readonly CableEnd[] | null {
    const entered = this.#stack.pop() ?? ends.flatMap(({ positions }) => positions ?? []);
    const { pairs, left } = matchPositionsWithCableEnds(entered, ends);
    const peers = pairs.map(({ end, position }) => {
      const from = { connector: end.connector ?? 0, position: position ?? 0 };
      const at = position === null ? null : getOppositeCablePosition(this.#profileOf(end) ?? '', end.side, from);
      const peer = this.graph
        .findCable(end.cable)
        ?.ends.find(
          ({ side, connector, positions }) =>
            side !== end.side && connector === at?.connector && positions?.includes(at?.position ?? 0) === true,
        );
      return { end: peer ?? null, position: peer === undefined ? null : (at?.position ?? null) };
    });
    const kept = others.length === 0 ? [] : left;
    this.#stack.push([...peers.map(({ position }) => position), ...kept]);
    const far = new Map(
      [...peers.map(({ end }) => end), ...others].map((end) => [end === null ? '' : formatObjectTypeAndId(end), end]),
    );
    if (far.size === 1 && far.has('')) return [];
    const found = [...far.values()].filter((end) => end !== null);
    return found.length === far.size ? found : null;
  }

  #continueAfterHop(far: readonly ObjectTypeAndId[]): CablePathHopResult {
    const [first] = far;
    if (first === undefined) return openCablePathEnd;
    if (first.type === 'dcim.frontport' || first.type === 'dcim.rearport')
      return this.#continueThroughPorts(first, far);
    if (first.type === 'circuits.circuittermination') return this.#continueThroughCircuits(far);
    return { end: 'complete' };
  }

  /**
   * Continues the path at the other side of a patch panel. If a port has several positions, the position stack must
   * contain the position at which the path continues.
   */
  #continueThroughPorts(first: ObjectTypeAndId, far: readonly ObjectTypeAndId[]): CablePathHopResult {
    const isFront = first.type === 'dcim.frontport';
    let mappings = isFront ? this.graph.listFrontPortMappings(far) : this.graph.listRearPortMappings(far);
    if (far.length > 1 && far.some((port) => this.#hasSeveralPositions(port))) this.needsAllPositions = true;
    if (this.#hasSeveralPositions(first)) {
      const entered = this.#stack.pop();
      if (entered === undefined) return splitCablePathEnd;
      mappings = mappings.filter((mapping) => entered.includes(isFront ? mapping.frontPosition : mapping.rearPosition));
    }
    if (mappings.length === 0) return openCablePathEnd;
    const found = mappings.map((mapping) =>
      isFront ? { type: 'dcim.rearport', id: mapping.rearPort } : { type: 'dcim.frontport', id: mapping.frontPort },
    );
    const next = [...new Map(found.map((object) => [formatObjectTypeAndId(object), object])).values()];
    if (next.some((port) => this.#hasSeveralPositions(port))) {
      this.#stack.push(mappings.map((mapping) => (isFront ? mapping.rearPosition : mapping.frontPosition)));
    }
    return { next };
  }

  #hasSeveralPositions(port: ObjectTypeAndId): boolean {
    return (this.graph.findFrontOrRearPort(port)?.positions ?? 1) > 1;
  }

  /** Continues the path at the other end of the circuits, or ends the path at a circuit's provider network or site. */
  #continueThroughCircuits(far: readonly ObjectTypeAndId[]): CablePathHopResult {
    const found = new Map(
      far.flatMap(({ id }) => {
        const other = this.graph.findOppositeCircuitTermination(id);
        return other === null ? [] : [[other.id, other] as const];
      }),
    );
    const others = [...found.values()].toSorted((one, other) => one.circuit - other.circuit);
    if (others.length === 0) return openCablePathEnd;
    const next = others.map(({ id }) => ({ type: 'circuits.circuittermination', id }));
    const places = others.flatMap(({ place }) => place ?? []);
    if (others.every(({ place }) => place?.type === 'circuits.providernetwork')) {
      this.steps.push(next, places);
      return { end: 'complete' };
    }
    if (others.every((end) => end.place !== null && this.#cableOf(end) === null)) {
      this.steps.push(next, places);
      return openCablePathEnd;
    }
    const used = new Set((this.steps.at(-2) ?? []).map(formatObjectTypeAndId));
    const returns = others.some((end) => used.has(`dcim.cable:${this.#cableOf(end) ?? 0}`));
    return returns ? splitCablePathEnd : { next };
  }

  #cableOf({ id }: CircuitTerminationRow): number | null {
    return this.graph.findCableEnd({ type: 'circuits.circuittermination', id })?.cable ?? null;
  }
}

/**
 * Returns true if one path can lead over all the given objects. The objects need a common model, and ports also need a
 * common device.
 */
function canObjectsShareCablePath(graph: CableGraph, near: readonly ObjectTypeAndId[]): boolean {
  const [first] = near;
  if (near.some(({ type }) => type !== first?.type)) return false;
  const devices = new Set(near.map((object) => graph.findFrontOrRearPort(object)?.device ?? null));
  return devices.size <= 1;
}

/**
 * Result of matching positions with cable ends: pairs of a position and the matching cable end, and the positions that
 * matched no end.
 */
interface PositionsMatchedWithCableEnds {
  readonly pairs: readonly { readonly end: CableEnd; readonly position: number | null }[];
  readonly left: readonly (number | null)[];
}

/**
 * Assigns each entered position to the cable end that has the position. If no position matches a cable end, the first
 * cable end gets all positions.
 */
function matchPositionsWithCableEnds(
  entered: readonly (number | null)[],
  ends: readonly CableEnd[],
): PositionsMatchedWithCableEnds {
  const left = [...entered];
  const pairs: { end: CableEnd; position: number | null }[] = [];
  for (const end of ends) {
    for (const position of end.positions ?? []) {
      const index = left.indexOf(position);
      if (index === -1) continue;
      left.splice(index, 1);
      pairs.push({ end, position });
    }
  }
  const [first] = ends;
  if (pairs.length > 0 || first === undefined) return { pairs, left };
  return { pairs: entered.map((position) => ({ end: first, position })), left: [] };
}
