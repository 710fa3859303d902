/** Identifies an object by model (`<app>.<model>`) and id. */
export interface ObjectTypeAndId {
  readonly type: string;
  readonly id: number;
}

/** Returns a text that contains an object's model and id, for use as a map key. */
export function formatObjectTypeAndId({ type, id }: ObjectTypeAndId): string {
  return `${type}:${id}`;
}

/** The end of a cable at one object. The fields `connector` and `positions` refer to the profile of the cable. */
export interface CableEnd extends ObjectTypeAndId {
  readonly cable: number;
  readonly side: string;
  readonly connector: number | null;
  readonly positions: readonly number[] | null;
  /** Id of the cable termination. The ends on one side of a cable are ordered by this id. */
  readonly termination: number;
}

/** A cable with the cable's status, profile and ends. */
export interface Cable {
  readonly status: string;
  readonly profile: string | null;
  readonly ends: readonly CableEnd[];
}

export interface InterfaceWirelessLink {
  readonly link: number;
  readonly status: string;
  /** Id of the interface at the other end of the wireless link. */
  readonly peer: number;
}

/** A front or rear port of a patch panel or other device. */
export interface FrontOrRearPort {
  readonly device: number;
  readonly positions: number;
}

/** Connection between a position of a front port and a position of a rear port of one device. */
export interface FrontToRearPortMapping {
  readonly frontPort: number;
  readonly frontPosition: number;
  readonly rearPort: number;
  readonly rearPosition: number;
}

/**
 * One end of a circuit. The field `place` identifies the site, provider network or other object at which the circuit
 * ends.
 */
export interface CircuitTerminationRow {
  readonly id: number;
  readonly circuit: number;
  readonly side: string;
  readonly place: ObjectTypeAndId | null;
}

/** Rows of cables, ports and circuits from which a {@link CableGraph} is built. */
export interface CableGraphRows {
  readonly ends: readonly CableEnd[];
  readonly cables: readonly { readonly id: number; readonly status: string; readonly profile: string | null }[];
  readonly wireless: readonly (InterfaceWirelessLink & { readonly interface: number })[];
  readonly ports: readonly (FrontOrRearPort & ObjectTypeAndId)[];
  readonly mappings: readonly FrontToRearPortMapping[];
  readonly circuits: readonly CircuitTerminationRow[];
}

/** Graph of cables, ports and circuits, indexed for path tracing. */
export class CableGraph {
  readonly #ends: ReadonlyMap<string, CableEnd>;
  readonly #cables: ReadonlyMap<number, Cable>;
  readonly #wireless: ReadonlyMap<number, InterfaceWirelessLink>;
  readonly #ports: ReadonlyMap<string, FrontOrRearPort>;
  readonly #byFront: ReadonlyMap<number, readonly FrontToRearPortMapping[]>;
  readonly #byRear: ReadonlyMap<number, readonly FrontToRearPortMapping[]>;
  readonly #circuits: ReadonlyMap<number, CircuitTerminationRow>;
  readonly #bySide: ReadonlyMap<string, CircuitTerminationRow>;

  constructor(rows: CableGraphRows) {
    this.#ends = new Map(rows.ends.map((end) => [formatObjectTypeAndId(end), end]));
    const ends = groupRowsByKey(rows.ends.toSorted(compareConnectorNumbers), ({ cable }) => cable);
    this.#cables = new Map(
      rows.cables.map(({ id, status, profile }) => [id, { status, profile, ends: ends.get(id) ?? [] }]),
    );
    this.#wireless = new Map(rows.wireless.map((end) => [end.interface, end]));
    this.#ports = new Map(rows.ports.map((port) => [formatObjectTypeAndId(port), port]));
    const byFrontPosition = rows.mappings.toSorted((one, other) => one.frontPosition - other.frontPosition);
    const byRearPosition = rows.mappings.toSorted((one, other) => one.rearPosition - other.rearPosition);
    this.#byFront = groupRowsByKey(byFrontPosition, ({ frontPort }) => frontPort);
    this.#byRear = groupRowsByKey(byRearPosition, ({ rearPort }) => rearPort);
    this.#circuits = new Map(rows.circuits.map((end) => [end.id, end]));
    this.#bySide = new Map(rows.circuits.map((end) => [`${end.circuit} ${end.side}`, end]));
  }

  /** Returns the end of the cable that is connected to an object, or null if no cable is connected. */
  findCableEnd(object: ObjectTypeAndId): CableEnd | null {
    return this.#ends.get(formatObjectTypeAndId(object)) ?? null;
  }

  /** Returns the cable with the given id, or null if the cable is not part of the graph. */
  findCable(id: number): Cable | null {
    return this.#cables.get(id) ?? null;
  }

  /** Returns the wireless link of an object, or null if the object has no wireless link in the graph. */
  findWirelessEnd({ type, id }: ObjectTypeAndId): InterfaceWirelessLink | null {
    return type === 'dcim.interface' ? (this.#wireless.get(id) ?? null) : null;
  }

  /** Returns a front or rear port, or null if the port is not part of the graph. */
  findFrontOrRearPort(object: ObjectTypeAndId): FrontOrRearPort | null {
    return this.#ports.get(formatObjectTypeAndId(object)) ?? null;
  }

  /** Returns the connections of front ports with rear ports, ordered by port and position. */
  listFrontPortMappings(ports: readonly ObjectTypeAndId[]): readonly FrontToRearPortMapping[] {
    return ports.flatMap(({ id }) => this.#byFront.get(id) ?? []);
  }

  /** Returns the connections of rear ports with front ports, ordered by port and position. */
  listRearPortMappings(ports: readonly ObjectTypeAndId[]): readonly FrontToRearPortMapping[] {
    return ports.flatMap(({ id }) => this.#byRear.get(id) ?? []);
  }

  /** Returns the circuit termination with the given id, or null if the termination is not part of the graph. */
  findCircuitTermination(id: number): CircuitTerminationRow | null {
    return this.#circuits.get(id) ?? null;
  }

  /**
   * Returns the termination at the other end of a circuit, given the id of one termination. Returns null if the other
   * end is not part of the graph.
   */
  findOppositeCircuitTermination(id: number): CircuitTerminationRow | null {
    const own = this.#circuits.get(id);
    return own === undefined ? null : (this.#bySide.get(`${own.circuit} ${own.side === 'A' ? 'Z' : 'A'}`) ?? null);
  }
}

function compareConnectorNumbers(one: CableEnd, other: CableEnd): number {
  return (one.connector ?? 0) - (other.connector ?? 0) || one.termination - other.termination;
}

function groupRowsByKey<K, V>(items: readonly V[], key: (item: V) => K): ReadonlyMap<K, readonly V[]> {
  const groups = new Map<K, V[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return groups;
}
