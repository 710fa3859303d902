import createMarkdown, { type MarkdownIt } from 'markdown-it';
import { bareAddresses } from './urls-without-scheme.js';
import { silenceQuotes } from './unresolved-references.js';
import { channelLinks } from './channel-links.js';
import { codeBlocks } from './code-block-rules.js';
import { emojiCharacters, namedEmoji } from './emoji-rules.js';
import { emoticonsIn } from './find-emoticons.js';
import { emphasis } from './emphasis-rules.js';
import { fencedBlocks } from './fenced-blocks.js';
import { linkify } from './linkifiers.js';
import { isSafeLink, relativeLink, withoutEmptyLinks } from './markdown-links.js';
import { inlineMath } from './math-formulas.js';
import { imageSyntax } from './media-previews.js';
import { mentions } from './mention-rule.js';
import { contextOf } from './parse-context.js';
import { tables } from './table-rules.js';
import { timestamps } from './timestamp-rule.js';
import { joinTextTokens, replaceTextTokens } from './create-markdown-tokens.js';

/** Adds one feature of the Markdown dialect to the parser. */
type MarkdownPlugin = (markdown: MarkdownIt) => void;

const markdownPlugins: readonly MarkdownPlugin[] = [
  bareAddresses,
  emphasis,
  fencedBlocks,
  codeBlocks,
  tables,
  timestamps,
  inlineMath,
  mentions,
  channelLinks,
  namedEmoji,
  imageSyntax,
  replaceTextParts,
  quotePattern,
];

/**
 * Creates the Markdown parser of docs/contract/chat.md 5.9: CommonMark with tables and strikethrough, without raw HTML,
 * link definitions, underlined headings and backslash escapes.
 */
export function createParser(): MarkdownIt {
  const markdown = createMarkdown({ html: false, linkify: true, breaks: true, maxNesting: 40 });
  markdown.disable(['reference', 'lheading', 'escape']);
  markdown.validateLink = isSafeLink;
  for (const plugin of markdownPlugins) plugin(markdown);
  markdown.renderer.rules['literal'] = (tokens, index) => markdown.utils.escapeHtml(tokens[index]?.content ?? '');
  markdown.renderer.rules['trusted_html'] = (tokens, index) => tokens[index]?.content ?? '';
  return markdown;
}

/**
 * Markdown rule that replaces parts of texts by links of linkifiers, emoticons and emoji characters. Such texts begin
 * with no special character that would trigger an inline rule.
 */
function replaceTextParts(markdown: MarkdownIt): void {
  markdown.core.ruler.push('chat_texts', (state) => {
    const { realm, linkifierBudget } = contextOf(state.env);
    for (const token of state.tokens) {
      if (token.children === null) continue;
      const linked = replaceTextTokens(
        joinTextTokens(withoutEmptyLinks(token.children)),
        (text) => linkify(text, realm.linkifiers, linkifierBudget),
        {
          inLinks: false,
        },
      );
      const faces = replaceTextTokens(linked, emoticonsIn, { inLinks: false });
      token.children = replaceTextTokens(faces, emojiCharacters, { inLinks: true });
      for (const child of token.children) {
        if (child.type === 'link_open')
          child.attrSet('href', relativeLink(String(child.attrGet('href')), realm.origins));
      }
    }
  });
}

function quotePattern(markdown: MarkdownIt): void {
  markdown.core.ruler.push('chat_quotes', (state) => silenceQuotes(state.tokens));
}
