import { describe, expect, it } from 'vitest';
import { getTextColorOn } from './drawing-colors.js';
import { drawRack, type VisibleRackDeviceDetails } from './rack-drawing.js';
import { shortenToWidth, createSvgLink, SvgFragment, createSvgDocument } from './svg-elements.js';

const hostile = `</text><script>alert("1")</script>&amp;'`;

describe('Svg.element', () => {
  it('escapes markup in text and in attributes', () => {
    const { markup } = SvgFragment.createSvgElement('text', { class: `a" onload='x' <b>` }, [hostile]);
    expect(markup).toBe(
      '<text class="a&quot; onload=&#39;x&#39; &lt;b&gt;">' +
        '&lt;/text&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;amp;&#39;</text>',
    );
  });

  it('replaces characters that XML forbids', () => {
    const { markup } = SvgFragment.createSvgElement('text', {}, ['a\0b\u{1}c\u{1B}d\u{FFFF}e\uD800f\tg\u{1F600}']);
    expect(markup).toBe('<text>a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}e\u{FFFD}f\tg\u{1F600}</text>');
  });

  it('preserves white space in attributes', () => {
    expect(SvgFragment.createSvgElement('g', { class: 'a\tb\nc\rd' }).markup).toBe('<g class="a&#9;b&#10;c&#13;d"/>');
  });

  it('inserts child elements without escaping, and omits undefined attributes', () => {
    const box = SvgFragment.createSvgElement('rect', { x: 1.5, y: undefined });
    expect(createSvgLink('/x?a=1&b=2', [box], 'one\ntwo').markup).toBe(
      '<a xlink:href="/x?a=1&amp;b=2" target="_parent"><title>one\ntwo</title><rect x="1.5"/></a>',
    );
  });
});

describe('createSvgDocument', () => {
  it('escapes the style sheet, so that the style sheet cannot close the style element', () => {
    expect(createSvgDocument({ width: 1, height: 2, style: 'a > b {} </style>' }, [])).toContain(
      '<style>a &gt; b {} &lt;/style&gt;</style>',
    );
  });
});

describe('shortenToWidth', () => {
  it.each([
    ['short', 100, 'short'],
    ['longer than the box', 70, 'longer th…'],
    ['\u{1F600}\u{1F601}\u{1F602}', 14, '\u{1F600}…'],
    ['nothing fits', 0, '…'],
  ])('shortens %j to %i pixels', (text, width, expected) => {
    expect(shortenToWidth(text, width)).toBe(expected);
  });
});

describe('getTextColorOn', () => {
  it.each([
    ['#ffffff', '#000000'],
    ['#ffeb3b', '#000000'],
    ['#2196f3', '#ffffff'],
    ['#000000', '#ffffff'],
  ])('returns for %s the color %s', (background, expected) => {
    expect(getTextColorOn(background)).toBe(expected);
  });
});

describe('drawRack', () => {
  it('escapes names, descriptions, colors and addresses of images', () => {
    const shown: VisibleRackDeviceDetails = {
      id: 1,
      label: hostile,
      description: hostile,
      color: hostile,
      image: `https://inventory.example/media/${hostile}`,
      isShaded: false,
    };
    const svg = drawRack(
      {
        rack: { id: 1, height: 2, startingUnit: 1, descending: false, site: 1, location: null },
        devices: [{ position: 1, height: 2, shown }],
        reservations: [{ units: [1], shown: { id: 1, description: hostile } }],
      },
      { face: 'front', base: 'https://inventory.example', unitWidth: 220, unitHeight: 22, legendWidth: 30 },
    );
    expect(svg).not.toContain('<script');
    expect(svg).toContain('style="fill: #ffffff"');
    expect(svg.match(/xlink:href="[^"/h]/gu)).toBeNull();
  });
});
