type Attributes = Readonly<Record<string, string>>;

/**
 * Returns facts about an SVG drawing. The facts have the form in which the recordings of the reference API describe
 * rack drawings.
 */
export function drawingFacts(svg: string): object {
  const root = attributesOf(/<svg(?<attributes>[^>]*)>/u.exec(svg)?.groups?.['attributes'] ?? '');
  const defs = /<defs>.*<\/defs>/su.exec(svg)?.[0] ?? '';
  const body = svg.replace(defs, '');
  const rects = elementsOf(body, 'rect');
  const isPlain = ({ class: name, style }: Attributes): boolean => name === 'slot' && style === undefined;
  const texts = elementsOf(body, 'text');
  const hrefs = [...body.matchAll(/xlink:href="(?<href>[^"]*)"/gu)].map(({ groups }) => groups?.['href'] ?? '');
  const isForm = (href: string): boolean => href.startsWith('/dcim/devices/add/');
  return {
    root,
    elements: countsOf(body, ['rect', 'text', 'a', 'image', 'title', 'line', 'g']),
    defs: countsOf(defs, ['linearGradient', 'clipPath', 'style']),
    classes: [
      ...new Set([...body.matchAll(/ class="(?<name>[^"]*)"/gu)].map(({ groups }) => groups?.['name'])),
    ].toSorted(),
    rects: [...rects.filter((rect) => !isPlain(rect)), { plain_slot_count: rects.filter(isPlain).length }],
    labels: texts
      .filter(({ class: name }) => /label/u.test(name ?? ''))
      .map(({ class: name, x, y, text }) => ({ class: name, x, y, text })),
    units: texts.filter(({ class: name }) => name === 'unit').map(({ text }) => text),
    first_hrefs: hrefs.filter(isForm).slice(0, 2),
    device_hrefs: hrefs.filter((href) => !isForm(href)),
    titles: [...body.matchAll(/<title>(?<text>[^<]*)<\/title>/gu)].map(({ groups }) =>
      unescaped(groups?.['text'] ?? ''),
    ),
  };
}

/** Returns a value in which texts that contain only a number, such as `31.0`, are replaced with numbers. */
export function withNumbers(value: unknown): unknown {
  if (typeof value === 'string') return /^-?\d+(?:\.\d+)?$/u.test(value) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(withNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withNumbers(item)]));
}

function elementsOf(body: string, name: string): Attributes[] {
  const pattern = new RegExp(`<${name} (?<attributes>[^>]*?)/?>(?<text>[^<]*)`, 'gu');
  return [...body.matchAll(pattern)].map(({ groups }) => ({
    ...attributesOf(groups?.['attributes'] ?? ''),
    ...(name === 'text' ? { text: unescaped(groups?.['text'] ?? '') } : {}),
  }));
}

function attributesOf(text: string): Attributes {
  return Object.fromEntries(
    [...text.matchAll(/(?<name>[\w:-]+)="(?<value>[^"]*)"/gu)].map(({ groups }) => [
      groups?.['name'] ?? '',
      unescaped(groups?.['value'] ?? ''),
    ]),
  );
}

function countsOf(text: string, names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, text.match(new RegExp(`<${name}[ >/]`, 'gu'))?.length ?? 0]));
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#10;', '\n')
    .replaceAll('&amp;', '&');
}
