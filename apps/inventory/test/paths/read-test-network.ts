import { expect } from 'vitest';
import type { InProcessApiClient } from '@switchboard/testing';

/** Key of an object: the name of its list and its id, such as `interfaces 12`. */
export type NetworkObjectKey = string;

/** An object as an API response contains it. */
export type Shown = Readonly<Record<string, unknown>> & { readonly id: number };

/** One end of a cable. If the cable has a profile, also the connector and the positions of the end. */
export interface CableEnd {
  readonly cable: NetworkObjectKey;
  readonly side: 'A' | 'B';
  readonly connector: number | null;
  readonly positions: readonly number[] | null;
}

/** A mapping of a position of a front port to a position of a rear port. */
interface Mapping {
  readonly front: NetworkObjectKey;
  readonly frontPosition: number;
  readonly rear: NetworkObjectKey;
  readonly rearPosition: number;
}

/** One side of a circuit, with the site, region or provider network at which the side ends. */
interface CircuitSide {
  readonly circuit: number;
  readonly side: string;
  readonly at: NetworkObjectKey | null;
}

/** All data of the API on which cable paths depend, read from the lists of objects. */
export interface Network {
  readonly ends: ReadonlyMap<NetworkObjectKey, CableEnd>;
  readonly cables: ReadonlyMap<NetworkObjectKey, { readonly status: string; readonly profile: string | null }>;
  readonly wireless: ReadonlyMap<
    NetworkObjectKey,
    { readonly status: string; readonly ends: readonly [NetworkObjectKey, NetworkObjectKey] }
  >;
  readonly ports: ReadonlyMap<NetworkObjectKey, { readonly device: number; readonly positions: number }>;
  readonly mappings: readonly Mapping[];
  readonly circuits: ReadonlyMap<NetworkObjectKey, CircuitSide>;
  readonly bridges: ReadonlyMap<NetworkObjectKey, NetworkObjectKey>;
  /** Ids of the modules of the network. `bays` contains the module bays, each with the id of its device. */
  readonly modules: readonly number[];
  readonly bays: readonly { readonly id: number; readonly device: number }[];
  /** JSON of the objects at which cable paths can begin or end, by key, as lists of the API show it. */
  readonly endpoints: ReadonlyMap<NetworkObjectKey, Shown>;
}

/** Names of the lists whose objects can be the beginning or end of cable paths. */
export const endpointLists = [
  'interfaces',
  'console-ports',
  'console-server-ports',
  'power-ports',
  'power-outlets',
  'power-feeds',
] as const;

const listsOfTypes: Readonly<Record<string, string>> = {
  'dcim.interface': 'interfaces',
  'dcim.consoleport': 'console-ports',
  'dcim.consoleserverport': 'console-server-ports',
  'dcim.powerport': 'power-ports',
  'dcim.poweroutlet': 'power-outlets',
  'dcim.powerfeed': 'power-feeds',
  'dcim.frontport': 'front-ports',
  'dcim.rearport': 'rear-ports',
  'circuits.circuittermination': 'circuit-terminations',
  'circuits.providernetwork': 'provider-networks',
  'dcim.site': 'sites',
  'dcim.region': 'regions',
  'dcim.location': 'locations',
  'dcim.sitegroup': 'site-groups',
};
const typesOfLists = Object.fromEntries(Object.entries(listsOfTypes).map(([type, list]) => [list, type]));

/** Returns the type (`<app>.<model>`) of the object with a given key. */
export function typeOf(key: NetworkObjectKey): string {
  return typesOfLists[key.split(' ')[0] ?? ''] ?? '';
}

/** Returns the id that the key of an object contains. */
export function idOf(key: NetworkObjectKey): number {
  return Number(key.split(' ')[1]);
}

/** Returns the API path of the object with a given key. If the key has no id, returns the path of the list. */
export function pathOf(key: NetworkObjectKey): string {
  const [list = '', id] = key.split(' ');
  const app = /^(?:circuit|provider)/u.test(list) ? 'circuits' : list.startsWith('wireless') ? 'wireless' : 'dcim';
  return `/api/${app}/${list}/${id === undefined ? '' : `${id}/`}`;
}

/** Returns the key of an object by its type and id. */
export function keyOf(type: unknown, id: unknown): NetworkObjectKey {
  return `${listsOfTypes[String(type)] ?? String(type)} ${String(id)}`;
}

/** Returns the key of a nested object, derived from the URL in the object's JSON. */
export function keyOfUrl(nested: unknown): NetworkObjectKey {
  const url = (nested as { readonly url?: string } | null)?.url ?? '';
  const [, list, id] = /\/([a-z-]+)\/(\d+)\/$/u.exec(url) ?? [];
  return `${list ?? url} ${id ?? ''}`;
}

/** Returns the id of a nested object, or null if the value is not an object. */
export const nestedId = (nested: unknown): number | null => (nested as { readonly id?: number } | null)?.id ?? null;

const valueOf = (choice: unknown): string | null => (choice as { readonly value?: string } | null)?.value ?? null;

async function listOf(api: InProcessApiClient, list: string): Promise<readonly Shown[]> {
  const { status, body } = await api.get<{ readonly results: readonly Shown[] }>(`${pathOf(list)}?limit=1000`);
  expect([list, status]).toEqual([list, 200]);
  return body.results;
}

/** Reads the lists of all objects on which cable paths depend. */
export async function readNetwork(api: InProcessApiClient): Promise<Network> {
  const ends = new Map<NetworkObjectKey, CableEnd>();
  // The order of terminations of one side is the order of their connectors, and of their ids.
  const terminations = (await listOf(api, 'cable-terminations')).toSorted((a, b) => a.id - b.id);
  for (const {
    cable,
    cable_end: side,
    termination_type: type,
    termination_id: id,
    connector,
    positions,
  } of terminations) {
    ends.set(keyOf(type, id), { cable: `cables ${String(cable)}`, side, connector, positions } as CableEnd);
  }
  const [cables, wireless, ports, circuits, bridges, endpoints] = [
    new Map<NetworkObjectKey, { status: string; profile: string | null }>(),
    new Map<NetworkObjectKey, { status: string; ends: readonly [NetworkObjectKey, NetworkObjectKey] }>(),
    new Map<NetworkObjectKey, { device: number; positions: number }>(),
    new Map<NetworkObjectKey, CircuitSide>(),
    new Map<NetworkObjectKey, NetworkObjectKey>(),
    new Map<NetworkObjectKey, Shown>(),
  ];
  const mappings: Mapping[] = [];
  for (const { id, status, profile } of await listOf(api, 'cables')) {
    cables.set(`cables ${id}`, { status: valueOf(status) ?? '', profile: valueOf(profile) });
  }
  for (const link of await listOf(api, 'wireless-links')) {
    const both = [keyOfUrl(link['interface_a']), keyOfUrl(link['interface_b'])] as const;
    wireless.set(`wireless-links ${link.id}`, { status: valueOf(link['status']) ?? '', ends: both });
  }
  for (const list of ['rear-ports', 'front-ports']) {
    for (const port of await listOf(api, list)) {
      const front = `${list} ${port.id}`;
      ports.set(front, { device: nestedId(port['device']) ?? 0, positions: Number(port['positions']) });
      if (list === 'rear-ports') continue;
      for (const mapped of port['rear_ports'] as readonly Readonly<Record<string, number>>[]) {
        const rear = `rear-ports ${mapped['rear_port'] ?? 0}`;
        const rearPosition = mapped['rear_port_position'] ?? 0;
        mappings.push({ front, frontPosition: mapped['position'] ?? 0, rear, rearPosition });
      }
    }
  }
  for (const side of await listOf(api, 'circuit-terminations')) {
    const at = side['termination_type'] === null ? null : keyOf(side['termination_type'], side['termination_id']);
    const circuit = nestedId(side['circuit']) ?? 0;
    circuits.set(`circuit-terminations ${side.id}`, { circuit, side: String(side['term_side']), at });
  }
  for (const list of endpointLists) {
    for (const shown of await listOf(api, list)) {
      const key = `${list} ${shown.id}`;
      endpoints.set(key, shown);
      const bridge = nestedId(shown['bridge']);
      if (bridge !== null) bridges.set(key, `interfaces ${bridge}`);
    }
  }
  const modules = (await listOf(api, 'modules')).map(({ id }) => id);
  const bays = (await listOf(api, 'module-bays')).map(({ id, device }) => ({ id, device: nestedId(device) ?? 0 }));
  return { ends, cables, wireless, ports, mappings, circuits, modules, bays, bridges, endpoints };
}
