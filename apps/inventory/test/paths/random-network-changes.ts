import fc from 'fast-check';
import { type NetworkObjectKey, idOf, type Network, nestedId, pathOf, typeOf } from './read-test-network.js';
import type { Surroundings } from './random-network.js';

/** An HTTP request that changes a random network. */
export interface Change {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly json?: unknown;
}

/** A randomly chosen change of a network: the kind of the change, and numbers that select the affected objects. */
export interface Choice {
  readonly kind: keyof typeof kinds;
  readonly numbers: readonly number[];
}

/**
 * Names of lists of objects to which a cable can connect an object, by the list of that object. A list that occurs
 * several times is chosen more often.
 */
const compatible: Readonly<Record<string, readonly string[]>> = {
  interfaces: ['front-ports', 'front-ports', 'front-ports', 'interfaces', 'rear-ports', 'circuit-terminations'],
  'front-ports': ['front-ports', 'front-ports', 'interfaces', 'rear-ports', 'circuit-terminations', 'console-ports'],
  'rear-ports': ['rear-ports', 'rear-ports', 'rear-ports', 'interfaces', 'front-ports', 'circuit-terminations'],
  'circuit-terminations': ['interfaces', 'front-ports', 'rear-ports', 'circuit-terminations'],
  'console-ports': ['console-server-ports', 'front-ports'],
  'console-server-ports': ['console-ports', 'rear-ports'],
  'power-ports': ['power-outlets', 'power-outlets', 'power-feeds'],
};
/**
 * Names of the lists from which the first object of a random cable is selected. A list that occurs twice is chosen
 * twice as often.
 */
const firstEnds = [
  ...Array.from({ length: 6 }, () => 'interfaces'),
  ...Array.from({ length: 6 }, () => 'rear-ports'),
  ...Array.from({ length: 2 }, () => 'front-ports'),
  'circuit-terminations',
  'circuit-terminations',
  'console-ports',
  'console-server-ports',
  'power-ports',
];

/** Cable profiles, each with the number of connectors on side A and on side B. */
const profiles: readonly (readonly [profile: string, a: number, b: number])[] = [
  ['single-1c1p', 1, 1],
  ['single-1c2p', 1, 1],
  ['single-1c4p', 1, 1],
  ['trunk-2c1p', 2, 2],
  ['trunk-2c2p', 2, 2],
  ['trunk-2c4p-shuffle', 2, 2],
  ['trunk-4c4p-shuffle', 4, 4],
  ['breakout-1c2p-2c1p', 1, 2],
  ['breakout-1c4p-4c1p', 1, 4],
  ['breakout-2c4p-8c1p-shuffle', 2, 8],
];
const statuses = ['connected', 'planned', 'decommissioning', 'connected'];

/** Chooses objects of a network. A list of random numbers determines the choices. */
export class Chooser {
  #used = 0;

  constructor(
    readonly network: Network,
    readonly base: Surroundings,
    private readonly numbers: readonly number[],
  ) {}

  number(): number {
    this.#used += 1;
    return this.numbers[(this.#used - 1) % Math.max(this.numbers.length, 1)] ?? 0;
  }

  of<T>(list: readonly T[]): T | undefined {
    return list[this.number() % Math.max(list.length, 1)];
  }

  /** Returns up to `count` randomly chosen items of a list, without repetitions. */
  several<T>(list: readonly T[], count: number): T[] {
    const left = [...list];
    return Array.from({ length: count }).flatMap(() => left.splice(this.number() % Math.max(left.length, 1), 1));
  }

  /** Returns the keys of all objects in the network's list with the given name. */
  list(name: string): NetworkObjectKey[] {
    const { endpoints, ports, circuits, cables, wireless } = this.network;
    const keys = [endpoints, ports, circuits, cables, wireless].flatMap((map): NetworkObjectKey[] => [...map.keys()]);
    return keys.filter((key) => key.startsWith(`${name} `));
  }

  /** Keys of all wireless interfaces of the network. */
  get radios(): NetworkObjectKey[] {
    return this.list('interfaces').filter((key) => /^r\d/u.test(String(this.network.endpoints.get(key)?.['name'])));
  }

  /** Returns the keys of those objects in a list of the network that have no cable yet. */
  free(name: string): NetworkObjectKey[] {
    const { radios } = this;
    return this.list(name).filter((key) => !this.network.ends.has(key) && !radios.includes(key));
  }

  device(key: NetworkObjectKey | undefined): number {
    if (key === undefined) return 0;
    return this.network.ports.get(key)?.device ?? nestedId(this.network.endpoints.get(key)?.['device']) ?? 0;
  }
}

const endsFor = (keys: readonly NetworkObjectKey[]): object[] =>
  keys.map((key) => ({ object_type: typeOf(key), object_id: idOf(key) }));

/**
 * Returns the request body of a new cable between objects without cables. Usually the cable has a profile only if an
 * object can be connected to each connector of the profile.
 */
export function newCable(
  choose: Chooser,
  taken: ReadonlySet<NetworkObjectKey> = new Set(),
): Readonly<Record<string, unknown>> {
  const free = (list: string): NetworkObjectKey[] => choose.free(list).filter((key) => !taken.has(key));
  const a = choose.of(firstEnds.filter((list) => free(list).length > 0)) ?? '';
  const b = choose.of((compatible[a] ?? []).filter((list) => free(list).length > 0)) ?? '';
  const [profile, most, mostFar] = choose.of(profiles) ?? ['', 1, 1];
  const kind = choose.number() % 8;
  const [near, far] = kind < 3 ? [most, mostFar] : kind === 3 ? [2, 2] : kind === 4 ? [1, 2] : [1, 1];
  // Ports at one side of a cable are of one device.
  const ofOneDevice = (keys: readonly NetworkObjectKey[], count: number): NetworkObjectKey[] => {
    const first = choose.of(keys);
    const isPort = first !== undefined && choose.network.ports.has(first);
    const others = keys.filter((key) => key !== first && (!isPort || choose.device(key) === choose.device(first)));
    return first === undefined ? [] : [first, ...choose.several(others, count - 1)];
  };
  const ends = ofOneDevice(free(a), near);
  const others = ofOneDevice(
    free(b).filter((key) => !ends.includes(key)),
    far,
  );
  const isFull = (ends.length === near && others.length === far) || choose.number() % 8 === 0;
  return {
    a_terminations: endsFor(ends),
    b_terminations: endsFor(others),
    ...(kind < 3 && isFull && { profile }),
    ...(choose.number() % 8 === 0 && { status: 'planned' }),
  };
}

const list = pathOf;
const patch = (key: NetworkObjectKey | undefined, json: object): Change | undefined =>
  key === undefined ? undefined : { method: 'PATCH', path: pathOf(key), json };
const remove = (key: NetworkObjectKey | undefined): Change | undefined =>
  key === undefined ? undefined : { method: 'DELETE', path: pathOf(key) };

/** Returns random port mappings for a port, to positions of the same device that are not mapped yet. */
function newMappings(choose: Chooser, port: NetworkObjectKey, other: 'front_port' | 'rear_port'): object[] {
  const isFront = other === 'rear_port';
  const { ports, mappings } = choose.network;
  const taken = mappings
    .filter(({ front, rear }) => (isFront ? front : rear) !== port)
    .map(({ front, frontPosition, rear, rearPosition }) =>
      isFront ? `${rear} ${rearPosition}` : `${front} ${frontPosition}`,
    );
  const open = [...ports]
    .filter(([key, { device }]) => device === choose.device(port) && key.startsWith(other.replace('_', '-')))
    .flatMap(([key, { positions }]) => Array.from({ length: positions }, (_, index) => [key, index + 1] as const))
    .filter(([key, position]) => !taken.includes(`${key} ${position}`));
  const count = choose.number() % ((ports.get(port)?.positions ?? 1) + 1);
  return choose
    .several(open, count)
    .map(([key, position], index) => ({ position: index + 1, [other]: idOf(key), [`${other}_position`]: position }));
}

/**
 * Kinds of random changes, with the functions that create their requests. A function returns undefined if the network
 * contains nothing to change.
 */
const kinds = {
  connect: (choose: Chooser): Change => ({ method: 'POST', path: list('cables'), json: newCable(choose) }),
  disconnect: (choose: Chooser) => remove(choose.of(choose.list('cables'))),
  disconnectSeveral: (choose: Chooser): Change => ({
    method: 'DELETE',
    path: list('cables'),
    json: choose.several(choose.list('cables'), 3).map((key) => ({ id: idOf(key) })),
  }),
  status: (choose: Chooser) => patch(choose.of(choose.list('cables')), { status: choose.of(statuses) }),
  statusOfSeveral: (choose: Chooser): Change => ({
    method: 'PATCH',
    path: list('cables'),
    json: choose.several(choose.list('cables'), 3).map((key) => ({ id: idOf(key), status: choose.of(statuses) })),
  }),
  profile: (choose: Chooser) =>
    patch(choose.of(choose.list('cables')), {
      profile: choose.number() % 3 === 0 ? null : (choose.of(profiles)?.[0] ?? null),
    }),
  terminations: (choose: Chooser) => {
    const cable = choose.of(choose.list('cables'));
    const side = choose.number() % 2 === 0 ? 'A' : 'B';
    const own = [...choose.network.ends].filter(([, end]) => end.cable === cable && end.side === side);
    const kept = choose.several(
      own.map(([key]) => key),
      choose.number() % (own.length + 1),
    );
    const added = choose.several(choose.free(own[0]?.[0].split(' ')[0] ?? 'interfaces'), 1 + (choose.number() % 2));
    return patch(cable, { [`${side.toLowerCase()}_terminations`]: endsFor([...kept, ...added]) });
  },
  exchangeSides: (choose: Chooser) => {
    const cable = choose.of(choose.list('cables'));
    const own = [...choose.network.ends].filter(([, end]) => end.cable === cable);
    const side = (name: string): object[] => endsFor(own.filter(([, end]) => end.side === name).map(([key]) => key));
    return patch(cable, { a_terminations: side('B'), b_terminations: side('A') });
  },
  frontMapping: (choose: Chooser) => {
    const port = choose.of(choose.list('front-ports'));
    return port === undefined ? undefined : patch(port, { rear_ports: newMappings(choose, port, 'rear_port') });
  },
  rearMapping: (choose: Chooser) => {
    const port = choose.of(choose.list('rear-ports'));
    return port === undefined ? undefined : patch(port, { front_ports: newMappings(choose, port, 'front_port') });
  },
  exchangeMappings: (choose: Chooser): Change => {
    const ports = choose.several(choose.list('front-ports'), 2);
    const json = ports.map((port, index) => {
      const mapped = choose.network.mappings.filter(({ front }) => front === ports[1 - index]);
      const rearPorts = mapped.map(({ rear, rearPosition }, position) => ({
        position: position + 1,
        rear_port: idOf(rear),
        rear_port_position: rearPosition,
      }));
      return { id: idOf(port), rear_ports: rearPorts };
    });
    return { method: 'PATCH', path: list('front-ports'), json };
  },
  positions: (choose: Chooser) =>
    patch(choose.of([...choose.list('rear-ports'), ...choose.list('front-ports')]), {
      positions: 1 + (choose.number() % 4),
    }),
  deletePort: (choose: Chooser) => remove(choose.of([...choose.list('front-ports'), ...choose.list('rear-ports')])),
  deleteEndpoint: (choose: Chooser) => remove(choose.of([...choose.network.endpoints.keys()])),
  deleteDevice: (choose: Chooser) => {
    const port = choose.of([...choose.network.ports.keys(), ...choose.network.endpoints.keys()]);
    const device = choose.device(port);
    return device === 0 ? undefined : remove(`devices ${device}`);
  },
  deleteModule: (choose: Chooser) => {
    const [module] = choose.network.modules;
    return module === undefined ? undefined : remove(`modules ${module}`);
  },
  installModule: (choose: Chooser): Change | undefined => {
    const [bay] = choose.network.bays;
    const json = bay && { device: bay.device, module_bay: bay.id, module_type: choose.base.moduleType };
    return json && { method: 'POST', path: list('modules'), json };
  },
  moveCircuit: (choose: Chooser) => {
    const { networks, sites, region } = choose.base;
    const places = [
      ...networks.map((id) => ['circuits.providernetwork', id] as const),
      ...sites.map((id) => ['dcim.site', id] as const),
      ['dcim.region', region] as const,
    ];
    const [type, id] = choose.of(places) ?? [];
    return patch(choose.of(choose.list('circuit-terminations')), { termination_type: type, termination_id: id });
  },
  exchangeCircuitSide: (choose: Chooser) => {
    const key = choose.of(choose.list('circuit-terminations'));
    const side = choose.network.circuits.get(key ?? '')?.side === 'A' ? 'Z' : 'A';
    return patch(key, { term_side: side });
  },
  deleteTermination: (choose: Chooser) => remove(choose.of(choose.list('circuit-terminations'))),
  deleteCircuit: (choose: Chooser) => {
    const circuit = choose.of([...choose.network.circuits.values()])?.circuit;
    return circuit === undefined ? undefined : remove(`circuits ${circuit}`);
  },
  addTermination: (choose: Chooser): Change | undefined => {
    const circuit = choose.of([...choose.network.circuits.values()]);
    return (
      circuit && {
        method: 'POST',
        path: list('circuit-terminations'),
        json: {
          circuit: circuit.circuit,
          term_side: circuit.side === 'A' ? 'Z' : 'A',
          termination_type: 'dcim.site',
          termination_id: choose.base.sites[0],
        },
      }
    );
  },
  markConnected: (choose: Chooser) =>
    patch(choose.of([...choose.network.endpoints.keys(), ...choose.network.ports.keys()]), {
      mark_connected: choose.number() % 2 === 0,
    }),
  bridge: (choose: Chooser) => {
    const one = choose.of(choose.list('interfaces'));
    const others = choose.list('interfaces').filter((key) => key !== one && choose.device(key) === choose.device(one));
    const other = choose.number() % 4 === 0 ? undefined : choose.of(others);
    return patch(one, { bridge: other === undefined ? null : idOf(other) });
  },
  linkRadios: (choose: Chooser): Change => {
    const [a = '', b = ''] = choose.several(choose.radios, 2);
    return { method: 'POST', path: list('wireless-links'), json: { interface_a: idOf(a), interface_b: idOf(b) } };
  },
  statusOfLink: (choose: Chooser) => patch(choose.of(choose.list('wireless-links')), { status: choose.of(statuses) }),
  deleteLink: (choose: Chooser) => remove(choose.of(choose.list('wireless-links'))),
};

/** Names of the kinds of random changes. A kind that occurs several times is chosen more often. */
const weights: readonly (keyof typeof kinds)[] = [
  ...(Object.keys(kinds) as (keyof typeof kinds)[]),
  ...Array.from({ length: 5 }, () => 'connect' as const),
  'terminations',
  'terminations',
  'profile',
  'frontMapping',
  'frontMapping',
  'rearMapping',
  'moveCircuit',
  'disconnect',
];

/** Returns the request for a randomly chosen change. Returns undefined if the network contains nothing to change. */
export function changeFor({ kind }: Choice, choose: Chooser): Change | undefined {
  return kinds[kind](choose);
}

const numbers = fc.array(fc.nat(9_999), { minLength: 12, maxLength: 12 });

/** Generates lists of random numbers that select the objects connected by the first cables. */
export const firstCables = fc.array(numbers, { minLength: 6, maxLength: 20 });

/** Generates random changes of a network: the kind, and numbers that select the objects. */
export const choices: fc.Arbitrary<Choice> = fc.record({ kind: fc.constantFrom(...weights), numbers });
