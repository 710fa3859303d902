import { describe, expect, it } from 'vitest';
import { drawCablePath, type CablePathDrawingHop, type CablePathDrawingObject } from './trace-drawing.js';

const base = 'https://inventory.example';
const options = { width: 400, base };

const object = (path: string, display: string, rest: Partial<CablePathDrawingObject> = {}): CablePathDrawingObject => ({
  url: `${base}/api/${path}/`,
  display,
  ...rest,
});
const port = (id: number, device: number): CablePathDrawingObject =>
  object(`dcim/interfaces/${id}`, `eth${id}`, { device: object(`dcim/devices/${device}`, `switch-${device}`) });
const cable = { id: 7, url: `${base}/api/dcim/cables/7/`, status: 'connected', label: '', color: 'ff9800' };

const countOf = (svg: string, name: string): number => svg.match(new RegExp(`<${name}[ >]`, 'gu'))?.length ?? 0;
const textsOf = (svg: string): (string | undefined)[] =>
  [...svg.matchAll(/<text [^>]*>(?<text>[^<]*)</gu)].map(({ groups }) => groups?.['text']);
const linksOf = (svg: string): (string | undefined)[] =>
  [...svg.matchAll(/xlink:href="(?<address>[^"]*)"/gu)].map(({ groups }) => groups?.['address']);

describe('drawCablePath', () => {
  it('draws a cable between two interfaces with the size and counts of the reference API', () => {
    const details = new Map(
      [1, 2].map((id) => [`${base}/api/dcim/devices/${id}/`, { lines: ['Orbweave Plainbox 1', 'Quillmoor'] }]),
    );
    const svg = drawCablePath([[[port(1, 1)], cable, [port(2, 2)]]], { ...options, details });
    expect(svg).toContain('width="400" height="392.5"');
    expect(['rect', 'text', 'a', 'line', 'g', 'polyline'].map((name) => countOf(svg, name))).toEqual([
      4, 10, 5, 2, 1, 0,
    ]);
    const lines = ['Orbweave Plainbox 1', 'Orbweave Plainbox 1', 'Quillmoor', 'Quillmoor'];
    const names = ['Cable #7', 'Connected', ...lines, 'eth1', 'eth2', 'switch-1', 'switch-2'];
    expect(textsOf(svg).toSorted()).toEqual(names);
    expect(linksOf(svg).toSorted()).toEqual(
      ['cables/7', 'devices/1', 'devices/2', 'interfaces/1', 'interfaces/2'].map((path) => `${base}/dcim/${path}/`),
    );
  });

  it('draws a device only once if one hop ends and the next hop starts at the device', () => {
    const svg = drawCablePath(
      [
        [[port(1, 1)], cable, [port(2, 2)]],
        [[port(3, 2)], cable, [port(4, 3)]],
      ],
      options,
    );
    expect(textsOf(svg).filter((text) => text === 'switch-2')).toHaveLength(1);
  });

  it('draws one line to each termination if a cable end has several', () => {
    const svg = drawCablePath([[[port(1, 1)], cable, [port(2, 2), port(3, 2), port(4, 3)]]], options);
    // Each line has a border.
    expect(countOf(svg, 'polyline')).toBe(6);
    expect(textsOf(svg).filter((text) => text === 'switch-2')).toHaveLength(1);
  });

  it('draws a circuit termination at a site without labels on the link', () => {
    const termination = object('circuits/circuit-terminations/1', 'A', {
      circuit: object('circuits/circuits/1', 'LS-1'),
    });
    const hop: CablePathDrawingHop = [[termination], [], [object('dcim/sites/1', 'Here')]];
    const svg = drawCablePath([hop], options);
    expect(textsOf(svg)).toEqual(['LS-1', 'A', 'Here']);
    expect(svg).toContain('class="attachment"');
  });

  it('draws an incomplete path up to its last port or cable', () => {
    expect(textsOf(drawCablePath([[[port(1, 1)], [], []]], options))).toEqual(['switch-1', 'eth1']);
    expect(textsOf(drawCablePath([[[port(1, 1)], cable, []]], options))).toContain('Cable #7');
  });

  it('draws wireless links dashed, with their SSID', () => {
    const wireless = { id: 3, url: `${base}/api/wireless/wireless-links/3/`, status: 'planned', ssid: 'roof' };
    const svg = drawCablePath([[[port(1, 1)], wireless, [port(2, 2)]]], options);
    expect(svg).toContain('class="wireless-link"');
    expect(textsOf(svg)).toEqual(expect.arrayContaining(['Wireless link roof', 'Planned']));
  });

  it('draws nothing for a trace without hops', () => {
    expect(countOf(drawCablePath([], options), 'rect')).toBe(0);
  });

  it('escapes texts that users wrote and links to no other host', () => {
    const hostile = `<script>"&'</script>`;
    const far = { ...port(2, 2), url: `https://evil.example/x"onload="/api/dcim/interfaces/2/`, display: hostile };
    const away = { ...port(3, 3), url: 'javascript:alert(1)' };
    const svg = drawCablePath([[[port(1, 1)], { ...cable, label: hostile, color: 'red;}' }, [far, away]]], {
      ...options,
      width: 2000,
    });
    expect(svg).not.toContain('<script');
    expect(svg).toContain('&lt;script&gt;&quot;&amp;&#39;&lt;/script&gt;');
    expect(svg).toContain('stroke: #000000"');
    expect(linksOf(svg).filter((address) => !address?.startsWith(`${base}/dcim/`))).toEqual([]);
  });
});
