import { describe, expect, it, vi } from 'vitest';
import { compileLinkifier } from './linkifiers.js';
import { MessageRenderer } from './message-renderer.js';
import { emptyResolvedMessageReferences } from './resolved-names.js';
import { defaultRealmMarkdownSettings } from './realm-markdown-content.js';

const renderer = new MessageRenderer();

describe('MessageRenderer', () => {
  it('lists the mentions of a message', () => {
    const parsed = renderer.parse('@**Ada** @**Ada|7** @_**Eve** @*devs* @**all** @**topic** `@**Bob**`');
    const users = new Map([
      ['Ada', { id: 5, fullName: 'Ada' }],
      ['|7', { id: 7, fullName: 'Ada' }],
      ['Eve', { id: 8, fullName: 'Eve' }],
      ['Bob', { id: 9, fullName: 'Bob' }],
    ]);
    const rendered = renderer.render(parsed, {
      ...emptyResolvedMessageReferences,
      users,
      groups: new Map([['devs', { id: 3, name: 'devs' }]]),
    });
    expect(rendered).toMatchObject({ userIds: [5, 7], groupIds: [3], channelWildcard: true, topicWildcard: true });
  });

  it('ignores mentions that are silent, quoted, or of deactivated users', () => {
    const parsed = renderer.parse('@_**Ada** @_**all** @**Gone**\n\n> @**Ada** @**all** @**topic**');
    const users = new Map([
      ['Ada', { id: 5, fullName: 'Ada' }],
      ['Gone', { id: 6, fullName: 'Gone', isActive: false }],
    ]);
    const rendered = renderer.render(parsed, { ...emptyResolvedMessageReferences, users });
    expect(rendered).toMatchObject({ userIds: [], groupIds: [], channelWildcard: false, topicWildcard: false });
  });

  it('renders a message to the same output when a user or channel has a new name', () => {
    const parsed = renderer.parse('@**Ada** #**design** :)');
    const users = new Map([['Ada', { id: 5, fullName: 'Ada' }]]);
    const first = renderer.render(parsed, { ...emptyResolvedMessageReferences, users });
    expect(renderer.render(parsed, emptyResolvedMessageReferences).html).toBe(
      '<p>@<strong>Ada</strong> #<strong>design</strong> :)</p>',
    );
    expect(renderer.render(parsed, { ...emptyResolvedMessageReferences, users })).toEqual(first);
  });

  it.each([
    ['plain text', 'hello', { hasLink: false, hasImage: false, hasAttachment: false }],
    ['an address', 'see z.org', { hasLink: true, hasImage: false, hasAttachment: false }],
    ['an image elsewhere', 'https://z.org/a.PNG', { hasLink: true, hasImage: true, hasAttachment: false }],
    ['an upload', '[f](/user_uploads/2/ab/f.txt)', { hasLink: true, hasImage: false, hasAttachment: true }],
    ['an image in its place', '![f](/user_uploads/2/ab/f.png)', { hasLink: true, hasImage: true, hasAttachment: true }],
    ['a link to a channel', '#**design**', { hasLink: false, hasImage: false, hasAttachment: false }],
    ['a link in code', '`https://z.org`', { hasLink: false, hasImage: false, hasAttachment: false }],
  ])('detects links, images and attachments in %s', (_name, source, expected) => {
    expect(renderer.render(renderer.parse(source), emptyResolvedMessageReferences)).toMatchObject(expected);
  });

  it('lists each linked uploaded file once', () => {
    const origins = ['https://chat.example.com'];
    const source =
      '[a](/user_uploads/2/a.txt) https://chat.example.com/user_uploads/2/b.png ![](/user_uploads/2/a.txt)';
    expect(renderer.parse(source, { ...defaultRealmMarkdownSettings, origins }).uploadPaths).toEqual([
      '/user_uploads/2/a.txt',
      '/user_uploads/2/b.png',
    ]);
  });

  it('requests no names to look up when the message names no user, group or channel', () => {
    const source = 'Hello **you** :smile: `@**Ada**` https://z.org/#**x** 10:30 #1 $5\n\n```quote\nq\n```';
    expect(renderer.parse(source)).toMatchObject({ candidates: [], uploadPaths: [] });
  });

  it('highlights code without a language in the default language of the realm', () => {
    const realm = { ...defaultRealmMarkdownSettings, codeLanguage: 'sql' };
    const html = (source: string) =>
      renderer.render(renderer.parse(source, realm), emptyResolvedMessageReferences).html;
    expect(html('```\nSELECT\n```')).toContain('data-code-language="SQL"');
    expect(html('```text\nSELECT\n```')).not.toContain('data-code-language');
    expect(html('    SELECT')).not.toContain('data-code-language');
  });

  it('shows previews of files only if the realm enables them', () => {
    const uploads = new Map([['/user_uploads/2/v.mp4', { kind: 'video' } as const]]);
    const html = (showsMedia: boolean) =>
      renderer.render(renderer.parse('[v](/user_uploads/2/v.mp4)', { ...defaultRealmMarkdownSettings, showsMedia }), {
        ...emptyResolvedMessageReferences,
        uploads,
      }).html;
    expect(html(true)).toContain('<video');
    expect(html(false)).toBe('<p><a href="/user_uploads/2/v.mp4">v</a></p>');
  });

  it('renders emoticons as text for users who disable the translation of emoticons', () => {
    expect(renderer.renderPlain('fine :)')).toBe('<p>fine :)</p>');
  });

  it('renders formulas beyond the limit per message as source text, without console output', () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const html = renderer.renderPlain('$$x$$ '.repeat(150));
    expect(html.match(/class="katex"/g)).toHaveLength(100);
    expect(html.match(/class="tex-error"/g)).toHaveLength(50);
    expect(renderer.renderPlain(`$$${'x'.repeat(1001)}$$`)).toContain('tex-error');
    expect(renderer.renderPlain('$$😀$$ $$\\text{😀ሀ}$$ $$é$$')).toContain('tex-error');
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });
});

describe('linkifier URL templates', () => {
  it.each([
    ['a pattern that is no expression', '[a', 'https://x.org/', /^Bad regular expression/],
    ['a pattern that looks back', '(a)\\1', 'https://x.org/', /^Bad regular expression/],
    ['a pattern that matches nothing', 'a*', 'https://x.org/', /^Bad regular expression/],
    ['a group that the template lacks', '#(?P<id>\\d+)', 'https://x.org/', /^Group 'id' in linkifier pattern/],
    ['a variable that the pattern lacks', '#\\d+', 'https://x.org/{id}', /^Group 'id' in URL template/],
    ['a template that is none', '#(?P<id>\\d+)', 'https://x.org/{id', /^Invalid URL template/],
    ['a template that runs script', '#(?P<id>\\d+)', 'javascript:{id}', /^Invalid URL template/],
    ['a template whose host is a variable alone', '#(?P<id>\\d+)', '{id}', /^Invalid URL template/],
    ['a long pattern', 'a'.repeat(1001), 'https://x.org/', /too long/],
  ])('reject %s', (_name, pattern, template, message) => {
    expect(() => compileLinkifier(pattern, template)).toThrow(message);
  });

  it.each([
    ['{id}', 'https://x.org/7%2Fa'],
    ['{+id}', 'https://x.org/7/a'],
    ['{?id}', 'https://x.org/?id=7%2Fa'],
    ['{#id}', 'https://x.org/#7/a'],
    ['{id:1}', 'https://x.org/7'],
  ])('expand the template %s according to RFC 6570', (part, url) => {
    const linkifiers = [compileLinkifier('#(?P<id>[\\d/a-z]+)', `https://x.org/${part}`)];
    expect(
      renderer.render(
        renderer.parse('#7/a', { ...defaultRealmMarkdownSettings, linkifiers }),
        emptyResolvedMessageReferences,
      ).html,
    ).toBe(`<p><a href="${url}">#7/a</a></p>`);
  });
});
