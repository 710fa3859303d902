import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { InProcessApiClient } from '@switchboard/testing';
import type { TracedPath } from './independent-cable-path-tracer.js';
import { idOf, type NetworkObjectKey, pathOf, typeOf } from './read-test-network.js';
import { make, type Surroundings } from './random-network.js';

/**
 * A small test network with its expected cable paths. The name of an object begins with its kind. `i` is an interface,
 * `w` a wireless interface, `con` a console port, `srv` a console server port. `inlet`, `outlet` and `feed` are for
 * power. `f` and `r` are front and rear ports. `x` and `y` are the sides A and Z of a circuit. `b.f1` is a port of the
 * device `b`.
 */
export interface Topology {
  readonly title: string;
  /** Number of positions of each port that has more than one position, in the form `r1=4`. */
  readonly positions?: readonly string[];
  /** Mappings between front ports and rear ports at positions other than 1, in the form `f1:2>r1:3`. */
  readonly mappings?: readonly string[];
  /** Objects at which the sides of circuits end, in the form `x1=site`. */
  readonly circuits?: readonly string[];
  /** Cables of the test network, in a form such as `C1 i1+i2 - f1 (profile) planned`. */
  readonly cables?: readonly string[];
  /** Wireless links of the test network, in a form such as `L1 w1 - w2 planned`. */
  readonly links?: readonly string[];
  /** Names of further objects of the test network, which initially have no cable. */
  readonly others?: readonly string[];
  /**
   * All expected cable paths of the test network. A path is written as its steps from the origin. `open`, `split` or
   * `planned` follows if the path is not complete and active.
   */
  readonly paths: readonly string[];
  readonly changes?: readonly { readonly requests: readonly string[]; readonly paths: readonly string[] }[];
}

/** Reads the test networks that a file of the folder `topologies/` describes. */
export function readTopologies(name: string): readonly Topology[] {
  const file = new URL(`../topologies/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as readonly Topology[];
}

const listsOfKinds: Readonly<Record<string, string>> = {
  i: 'interfaces',
  w: 'interfaces',
  con: 'console-ports',
  srv: 'console-server-ports',
  inlet: 'power-ports',
  outlet: 'power-outlets',
  feed: 'power-feeds',
  f: 'front-ports',
  r: 'rear-ports',
  x: 'circuit-terminations',
  y: 'circuit-terminations',
};

const kindOf = (name: string): string => /^(?:[a-z]\.)?([a-z]+)\d+$/u.exec(name)?.[1] ?? '';
const listOf = (name: string): string => listsOfKinds[kindOf(name)] ?? '';
const deviceOf = (name: string): string => (name.includes('.') ? (name.split('.')[0] ?? '') : 'a');

/** A cable or wireless link, as described in a topology file. */
interface Link {
  readonly name: string;
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly profile?: string;
  readonly status: string;
}

function linkOf(text: string): Link {
  const [, name = '', a = '', b = '', profile, status = 'connected'] =
    /^(\w+) (\S+) - (\S+)(?: \((\S+)\))?(?: (\w+))?$/u.exec(text) ?? [];
  return { name, a: a.split('+'), b: b.split('+'), ...(profile !== undefined && { profile }), status };
}

function mappingOf(text: string) {
  const [, front = '', position = '1', rear = '', rearPosition = '1'] =
    /^([\w.]+)(?::(\d+))?>([\w.]+)(?::(\d+))?$/u.exec(text) ?? [];
  return { front, position: Number(position), rear, rearPosition: Number(rearPosition) };
}

function namesOf({ cables = [], links = [], mappings = [], positions = [], others = [] }: Topology): Set<string> {
  const ends = [...cables, ...links].map(linkOf).flatMap(({ a, b }) => [...a, ...b]);
  const mapped = mappings.map(mappingOf).flatMap(({ front, rear }) => [front, rear]);
  return new Set([...mapped, ...positions.map((text) => text.split('=')[0] ?? ''), ...ends, ...others]);
}

/** A test network (topology) whose objects have been created in the service. */
export class BuiltTopology {
  readonly #keys = new Map<string, NetworkObjectKey>();

  constructor(
    readonly topology: Topology,
    private readonly api: InProcessApiClient,
    private readonly base: Surroundings,
  ) {}

  /** Returns the key of the test network's object with the given name. A key consists of a list name and an id. */
  key(name: string): NetworkObjectKey {
    if (name.startsWith('@')) return this.#place(name.slice(1));
    const key = this.#keys.get(name);
    if (key === undefined) throw new Error(`${this.topology.title}: no object ${name}`);
    return key;
  }

  set(name: string, key: NetworkObjectKey): void {
    this.#keys.set(name, key);
  }

  /** Keys of all existing objects of the test network at which cable paths can begin or end. */
  get endpoints(): readonly NetworkObjectKey[] {
    return [...this.#keys]
      .filter(([name]) => listOf(name) !== '' && !/[fr]\d|^[xy]\d/u.test(name))
      .map(([, key]) => key);
  }

  /** Keys of all existing ports and circuit terminations of the test network. */
  get ports(): readonly NetworkObjectKey[] {
    return [...this.#keys].filter(([name]) => /^(?:[a-z]\.)?[frxy]\d+$/u.test(name)).map(([, key]) => key);
  }

  /** Parses the expected cable paths, in the form of a topology file. */
  paths(texts: readonly string[]): readonly TracedPath[] {
    return texts.map((text) => {
      const [steps = '', state = ''] = text.split(' : ');
      const words = state.split(' ');
      return {
        steps: steps.split(' ').map((step) => (step === '-' ? [] : step.split('+').map((name) => this.key(name)))),
        isComplete: words.includes('complete') || !/open|split/u.test(state),
        isSplit: words.includes('split'),
        isActive: !words.includes('planned'),
        isEndless: false,
      };
    });
  }

  #place(name: string): NetworkObjectKey {
    const { sites, networks, region } = this.base;
    if (name === 'network') return `provider-networks ${networks[0] ?? 0}`;
    return name === 'region' ? `regions ${region}` : `sites ${sites[name === 'site2' ? 1 : 0] ?? 0}`;
  }

  /** Returns the terminations of one side of a cable for a request body, given the names of the connected objects. */
  ends(names: readonly string[]): object[] {
    return names.map((name) => ({ object_type: typeOf(this.key(name)), object_id: idOf(this.key(name)) }));
  }

  /** Returns the request body for a cable of the test network. */
  cable({ a, b, profile, status }: Link): object {
    const ends = { a_terminations: this.ends(a), b_terminations: this.ends(b) };
    return { ...ends, status, ...(profile !== undefined && { profile }) };
  }

  /** Returns the request body for a circuit termination of the test network. */
  side(name: string, place: string): object {
    const at = this.#place(place);
    const circuit = idOf(this.key(`circuit${name.slice(1)}`));
    const end = { termination_type: typeOf(at), termination_id: idOf(at) };
    return { circuit, term_side: name.startsWith('x') ? 'A' : 'Z', ...end };
  }

  /**
   * Sends the request for a change of the test network. The change is a text, such as `delete C1` or `ends C1 i1 - i2`.
   */
  async change(text: string): Promise<void> {
    const [verb, name = '', value] = text.split(' ');
    if (verb === 'connect') {
      const link = linkOf(text.slice(verb.length + 1));
      const [id] = await make(this.api, 'dcim/cables', this.cable(link));
      return this.set(link.name, `cables ${id ?? 0}`);
    }
    if (verb === 'add') {
      const [id] = await make(this.api, 'circuits/circuit-terminations', this.side(name, value ?? ''));
      return this.set(name, `circuit-terminations ${id ?? 0}`);
    }
    if (verb === 'delete') {
      const { status } = await this.api.delete(pathOf(this.key(name)));
      expect([text, status]).toEqual([text, 204]);
      return this.#forget(name);
    }
    const json = this.#patch(text);
    const { status, text: shown } = await this.api.patch(pathOf(this.key(name)), { json });
    expect([text, status === 200 ? '' : shown]).toEqual([text, '']);
  }

  #patch(text: string): object {
    const [verb, name = '', value = ''] = text.split(' ');
    if (verb === 'ends') {
      const { a, b } = linkOf(text.slice(verb.length + 1));
      return { a_terminations: this.ends(a), b_terminations: this.ends(b) };
    }
    if (verb === 'map') {
      const [rear = '', position = '1'] = value.split(':');
      const mapping = { position: 1, rear_port: idOf(this.key(rear || name)), rear_port_position: Number(position) };
      return { rear_ports: rear === '' ? [] : [mapping] };
    }
    if (verb === 'move') {
      const at = this.#place(value);
      return { termination_type: typeOf(at), termination_id: idOf(at) };
    }
    return verb === 'profile' ? { profile: value === 'none' ? null : value } : { status: value };
  }

  /**
   * Removes the key of a deleted object. For a device, also removes the keys of its ports; for a circuit, the keys of
   * its sides.
   */
  #forget(deleted: string): void {
    const circuit = /^circuit(\d+)$/u.exec(deleted)?.[1];
    for (const name of this.#keys.keys()) {
      const isPart =
        name.startsWith(`${deleted}.`) || (circuit !== undefined && /^[xy]/u.test(name) && name.slice(1) === circuit);
      if (name === deleted || isPart) this.#keys.delete(name);
    }
  }
}

/** Creates the objects of all test networks (topologies), with one request for each kind of object. */
export async function buildTopologies(
  api: InProcessApiClient,
  base: Surroundings,
  topologies: readonly Topology[],
): Promise<readonly BuiltTopology[]> {
  const built = topologies.map((topology) => new BuiltTopology(topology, api, base));
  type Item = readonly [built: BuiltTopology, name: string, body: object];
  const create = async (path: string, items: readonly Item[]): Promise<void> => {
    const ids = await make(
      api,
      path,
      items.map(([, , body]) => body),
    );
    for (const [index, [owner, name]] of items.entries())
      owner.set(name, `${path.split('/')[1] ?? ''} ${ids[index] ?? 0}`);
  };
  const named = (list: string, body: (owner: BuiltTopology, name: string) => object): Item[] =>
    built.flatMap((owner) =>
      [...namesOf(owner.topology)]
        .filter((name) => listOf(name) === list)
        .map((name): Item => [owner, name, body(owner, name)]),
    );
  const devices = built.flatMap((owner, index) =>
    [...new Set(['a', ...[...namesOf(owner.topology)].map(deviceOf)])].map((name): Item => {
      const common = { device_type: base.deviceType, role: base.role, site: base.sites[0] };
      return [owner, name, { ...common, name: `${index} ${name}` }];
    }),
  );
  await create('dcim/devices', devices);
  const component = (owner: BuiltTopology, name: string): object => ({ device: idOf(owner.key(deviceOf(name))), name });
  const positions = (owner: BuiltTopology, name: string): number =>
    Number(owner.topology.positions?.find((text) => text.startsWith(`${name}=`))?.split('=')[1] ?? 1);
  await create(
    'dcim/interfaces',
    named('interfaces', (owner, name) => ({
      ...component(owner, name),
      type: kindOf(name) === 'w' ? 'ieee802.11ax' : '1000base-t',
    })),
  );
  for (const list of ['console-ports', 'console-server-ports', 'power-ports', 'power-outlets']) {
    await create(`dcim/${list}`, named(list, component));
  }
  await create(
    'dcim/power-feeds',
    named('power-feeds', (owner, name) => ({
      power_panel: base.powerPanel,
      name: `${name} ${built.indexOf(owner)}`,
    })),
  );
  const port = (owner: BuiltTopology, name: string): object => ({
    ...component(owner, name),
    type: 'lc',
    positions: positions(owner, name),
  });
  await create('dcim/rear-ports', named('rear-ports', port));
  await create(
    'dcim/front-ports',
    named('front-ports', (owner, name) => ({
      ...port(owner, name),
      rear_ports: (owner.topology.mappings ?? [])
        .map(mappingOf)
        .filter(({ front }) => front === name)
        .map(({ position, rear, rearPosition }) => ({
          position,
          rear_port: idOf(owner.key(rear)),
          rear_port_position: rearPosition,
        })),
    })),
  );
  await buildCircuits(built, base, create);
  const links = (owner: BuiltTopology): readonly Link[] => (owner.topology.links ?? []).map(linkOf);
  await create(
    'wireless/wireless-links',
    built.flatMap((owner) =>
      links(owner).map(({ name, a, b, status }): Item => {
        const [one, other] = [idOf(owner.key(a[0] ?? '')), idOf(owner.key(b[0] ?? ''))];
        return [owner, name, { interface_a: one, interface_b: other, status }];
      }),
    ),
  );
  await create(
    'dcim/cables',
    built.flatMap((owner) =>
      (owner.topology.cables ?? []).map(linkOf).map((link): Item => [owner, link.name, owner.cable(link)]),
    ),
  );
  return built;
}

async function buildCircuits(
  built: readonly BuiltTopology[],
  base: Surroundings,
  create: (path: string, items: (readonly [BuiltTopology, string, object])[]) => Promise<void>,
): Promise<void> {
  const sides = built.flatMap((owner) =>
    (owner.topology.circuits ?? []).map((text) => [owner, text.split('=')[0] ?? '', text.split('=')[1] ?? ''] as const),
  );
  const circuits = new Map(
    sides.map(([owner, name]) => [`${built.indexOf(owner)} ${name.slice(1)}`, [owner, name] as const]),
  );
  await create(
    'circuits/circuits',
    [...circuits].map(([cid, [owner, name]]) => {
      return [owner, `circuit${name.slice(1)}`, { cid, provider: base.provider, type: base.circuitType }] as const;
    }),
  );
  await create(
    'circuits/circuit-terminations',
    sides.map(([owner, name, place]) => [owner, name, owner.side(name, place)] as const),
  );
}
