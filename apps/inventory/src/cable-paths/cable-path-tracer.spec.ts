import { describe, expect, it } from 'vitest';
import { CableGraph, type CableGraphRows, type ObjectTypeAndId } from './cable-graph.js';
import { traceCablePath } from './cable-path-tracer.js';

const none: CableGraphRows = { ends: [], cables: [], wireless: [], ports: [], mappings: [], circuits: [] };
const interfaceOf = (id: number): ObjectTypeAndId => ({ type: 'dcim.interface', id });
const endAt = (object: ObjectTypeAndId, cable: number, side: string) => ({
  ...object,
  cable,
  side,
  connector: null,
  positions: null,
  termination: object.id,
});

describe('traceCablePath', () => {
  it('returns null for an endpoint without a link', () => {
    expect(traceCablePath(new CableGraph(none), [interfaceOf(1)])).toBeNull();
  });

  it('stops at a circular path, and marks the path as split', () => {
    const [front, rear, other] = [
      { type: 'dcim.frontport', id: 2 },
      { type: 'dcim.rearport', id: 3 },
      { type: 'dcim.frontport', id: 4 },
    ] as const;
    const graph = new CableGraph({
      ...none,
      ends: [
        endAt(interfaceOf(1), 1, 'A'),
        endAt(front, 1, 'B'),
        endAt(rear, 2, 'A'),
        endAt({ type: 'dcim.rearport', id: 5 }, 2, 'B'),
        endAt(other, 3, 'A'),
        endAt({ type: 'dcim.rearport', id: 6 }, 3, 'B'),
      ],
      cables: [1, 2, 3].map((id) => ({ id, status: 'connected', profile: null })),
      ports: [
        { ...front, device: 1, positions: 1 },
        { ...rear, device: 1, positions: 1 },
        { ...other, device: 2, positions: 1 },
        { type: 'dcim.rearport', id: 5, device: 2, positions: 1 },
        { type: 'dcim.rearport', id: 6, device: 1, positions: 1 },
      ],
      mappings: [
        { frontPort: 2, frontPosition: 1, rearPort: 3, rearPosition: 1 },
        { frontPort: 4, frontPosition: 1, rearPort: 5, rearPosition: 1 },
        { frontPort: 4, frontPosition: 2, rearPort: 6, rearPosition: 1 },
      ],
      circuits: [],
    });
    expect(traceCablePath(graph, [interfaceOf(1)])).toMatchObject({ isComplete: false, isSplit: true });
  });

  it('marks a circular path as split even if each round adds a port position', () => {
    const [front, rear, innerFront, innerRear] = [
      { type: 'dcim.frontport', id: 2 },
      { type: 'dcim.rearport', id: 3 },
      { type: 'dcim.frontport', id: 4 },
      { type: 'dcim.rearport', id: 5 },
    ] as const;
    const graph = new CableGraph({
      ...none,
      ends: [
        endAt(interfaceOf(1), 1, 'A'),
        endAt(front, 1, 'B'),
        endAt(rear, 2, 'A'),
        endAt(innerRear, 2, 'A'),
        endAt(innerFront, 2, 'B'),
      ],
      cables: [1, 2].map((id) => ({ id, status: 'connected', profile: null })),
      ports: [
        { ...front, device: 1, positions: 1 },
        { ...rear, device: 1, positions: 2 },
        { ...innerFront, device: 2, positions: 1 },
        { ...innerRear, device: 2, positions: 2 },
      ],
      mappings: [
        { frontPort: 2, frontPosition: 1, rearPort: 3, rearPosition: 1 },
        { frontPort: 4, frontPosition: 1, rearPort: 5, rearPosition: 1 },
      ],
    });
    const path = traceCablePath(graph, [interfaceOf(1)]);
    expect(path).toMatchObject({ isComplete: false, isSplit: true });
    expect(path?.steps.length).toBeLessThan(200);
  });

  it('orders the ports of a hop by position, not by the order of their rows', () => {
    const [rear, other] = [
      { type: 'dcim.rearport', id: 2 },
      { type: 'dcim.rearport', id: 3 },
    ] as const;
    const fronts = [9, 8, 7, 6].map((id) => ({ type: 'dcim.frontport', id }));
    const rows: CableGraphRows = {
      ...none,
      ends: [endAt(interfaceOf(1), 1, 'A'), endAt(rear, 1, 'B'), endAt(other, 1, 'B')],
      cables: [{ id: 1, status: 'connected', profile: null }],
      ports: [...fronts, rear, other].map((port) => ({ ...port, device: 1, positions: 1 })),
      mappings: fronts.map(({ id }, index) => ({
        frontPort: id,
        frontPosition: 1,
        rearPort: index < 2 ? 3 : 2,
        rearPosition: (index % 2) + 1,
      })),
    };
    const reversed = Object.fromEntries(
      Object.entries(rows).map(([name, list]) => [name, list.toReversed()]),
    ) as unknown as CableGraphRows;
    const paths = [rows, reversed].map((each) => traceCablePath(new CableGraph(each), [interfaceOf(1)]));
    expect(paths[0]?.steps.at(-1)).toEqual([7, 6, 9, 8].map((id) => ({ type: 'dcim.frontport', id })));
    expect(paths[1]?.steps).toEqual(paths[0]?.steps);
  });
});
