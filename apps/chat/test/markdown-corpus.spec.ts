import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  compileLinkifier,
  MessageRenderer,
  type RealmMarkdownRenderingSettings,
  type ResolvedMessageReferences,
} from '../src/infra/markdown/index.js';

interface Case {
  readonly name: string;
  readonly source: string;
  readonly html: string;
}

const folder = new URL('markdown-corpus/', import.meta.url);
const corpus = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => ({ topic: file.replace('.json', ''), cases: casesOf(file) }));

function casesOf(file: string): Case[] {
  return JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
}

/** Realm settings with which the corpus of Markdown examples is rendered. */
const realm: RealmMarkdownRenderingSettings = {
  origins: ['https://chat.example.com'],
  linkifiers: [
    compileLinkifier('#D(?P<id>[0-9]{2,8})', 'https://d.example.com/{id}'),
    compileLinkifier('#D77', 'https://second.example.com/'),
    compileLinkifier('(?P<org>[a-z]+)/(?P<repo>[a-z]+)#(?P<id>[0-9]+)', 'https://git.example.com/{org}/{repo}/{id}'),
    compileLinkifier('T-(?P<what>\\S+)', 'https://t.example.com/{?what}'),
  ],
  customEmoji: new Map([
    ['green_tick', { sourceUrl: '/user_avatars/2/emoji/images/1.png' }],
    ['octopus', { sourceUrl: '/user_avatars/2/emoji/images/2.png' }],
  ]),
  codeLanguage: '',
  showsMedia: true,
};

/** Users, groups, channels and messages that the Markdown examples mention. */
const names: ResolvedMessageReferences = {
  users: new Map([
    ['Ada', { id: 5, fullName: 'Ada' }],
    ['|5', { id: 5, fullName: 'Ada' }],
    ['|7', { id: 7, fullName: 'Ada Twin' }],
    ['Gone', { id: 8, fullName: 'Gone', isActive: false }],
    ['<b>&', { id: 9, fullName: '<b>&' }],
  ]),
  groups: new Map([['devs', { id: 3, name: 'devs' }]]),
  channels: new Map([
    ['design', { id: 5, name: 'design' }],
    ['core team.x', { id: 6, name: 'core team.x' }],
  ]),
  topics: new Map([
    ['5 t', { messageId: 123 }],
    ['5 ', { messageId: 124 }],
  ]),
  translatesEmoticons: true,
  uploads: new Map([
    [
      '/user_uploads/2/ab/cat.png',
      {
        kind: 'image',
        thumbnailUrl: '/user_uploads/thumbnail/2/ab/cat.png/840x560.webp',
        width: 16,
        height: 8,
        contentType: 'image/png',
      },
    ],
    ['/user_uploads/2/ab/v.mp4', { kind: 'video' }],
    ['/user_uploads/2/ab/s.mp3', { kind: 'audio' }],
  ]),
};

const renderer = new MessageRenderer();

describe.each(corpus)('Markdown rendering: $topic', ({ cases }) => {
  it.each(cases)('renders $name', ({ source, html }) => {
    expect(renderer.render(renderer.parse(source, realm), names).html).toBe(html);
  });
});

it('the Markdown corpus has at least 150 uniquely named cases', () => {
  const all = corpus.flatMap(({ topic, cases }) => cases.map(({ name }) => `${topic}: ${name}`));
  expect(all.length).toBeGreaterThanOrEqual(150);
  expect(new Set(all).size).toBe(all.length);
});
