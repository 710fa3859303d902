import { describe, expect, it } from 'vitest';
import { MessageRenderer } from './message-renderer.js';

const renderer = new MessageRenderer();

/** Source, then the HTML that chat-contract 5.9 asks for. */
const corpus: readonly (readonly [string, string, string])[] = [
  ['line breaks', 'one\ntwo', '<p>one<br>\ntwo</p>'],
  [
    'strong, emphasis, struck, code',
    '**b** *i* ~~x~~ `c`',
    '<p><strong>b</strong> <em>i</em> <del>x</del> <code>c</code></p>',
  ],
  ['underscores as letters', '_snake_case_ __init__', '<p>_snake_case_ __init__</p>'],
  ['links', '[z](https://z.org)', '<p><a href="https://z.org">z</a></p>'],
  ['bare addresses', 'see https://z.org/a_b', '<p>see <a href="https://z.org/a_b">https://z.org/a_b</a></p>'],
  ['raw HTML as text', '<script>x</script>', '<p>&lt;script&gt;x&lt;/script&gt;</p>'],
  ['links that run script as text', '[x](javascript:alert(1))', '<p>[x](javascript:alert(1))</p>'],
  ['lists', '- a\n- b', '<ul>\n<li>a</li>\n<li>b</li>\n</ul>'],
  ['quotes', '> q', '<blockquote>\n<p>q</p>\n</blockquote>'],
  ['quote fences', '```quote\nq\n```', '<blockquote>\n<p>q</p>\n</blockquote>'],
  [
    'code with its language',
    '```py\nx < 1\n```',
    '<div class="codehilite" data-code-language="Python"><pre><span></span><code>x &lt; 1\n</code></pre></div>',
  ],
  [
    'code of no known language',
    '```\nx\n```',
    '<div class="codehilite"><pre><span></span><code>x\n</code></pre></div>',
  ],
  ['names of nobody as text', 'hi @**Nobody**', '<p>hi @**Nobody**</p>'],
  ['addresses with an at sign', 'a@**b**', '<p>a@<strong>b</strong></p>'],
];

describe('MessageRenderer', () => {
  it.each(corpus)('renders %s', (_name, source, html) => {
    expect(renderer.renderPlain(source)).toBe(html);
  });

  it('turns names that are known into mentions and says whom they call upon', () => {
    const parsed = renderer.parse('@**Ada** @**Ada|7** @_**Ada** @*devs* @**all** @**topic** `@**Ada**`');
    const rendered = renderer.render(parsed, {
      users: new Map([
        ['Ada', { id: 5, fullName: 'Ada' }],
        ['|7', { id: 7, fullName: 'Ada' }],
      ]),
      groups: new Map([['devs', { id: 3, name: 'devs' }]]),
    });
    expect(rendered.html).toBe(
      '<p><span class="user-mention" data-user-id="5">@Ada</span> ' +
        '<span class="user-mention" data-user-id="7">@Ada</span> ' +
        '<span class="user-mention silent" data-user-id="5">Ada</span> ' +
        '<span class="user-group-mention" data-user-group-id="3">@devs</span> ' +
        '<span class="user-mention channel-wildcard-mention" data-user-id="*">@all</span> ' +
        '<span class="topic-mention">@topic</span> <code>@**Ada**</code></p>',
    );
    expect(rendered).toMatchObject({ userIds: [5, 7], groupIds: [3], channelWildcard: true, topicWildcard: true });
  });

  it('calls upon nobody by a silent mention', () => {
    const parsed = renderer.parse('@_**Ada** @_**all**');
    const names = { users: new Map([['Ada', { id: 5, fullName: 'Ada' }]]), groups: new Map() };
    expect(renderer.render(parsed, names)).toMatchObject({ userIds: [], channelWildcard: false });
  });

  it('answers deeply nested input in bounded time', () => {
    const started = performance.now();
    renderer.renderPlain(`${'> '.repeat(4000)}x`);
    renderer.renderPlain('*'.repeat(9000));
    renderer.renderPlain('@**'.repeat(3000));
    renderer.renderPlain('['.repeat(9000));
    expect(performance.now() - started).toBeLessThan(3000);
  });
});
