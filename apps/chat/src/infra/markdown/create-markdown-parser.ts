import createMarkdown, { type MarkdownIt } from 'markdown-it';
import { addUrlWithoutSchemeRule } from './urls-without-scheme.js';
import { silenceMentionsInQuotes } from './unresolved-references.js';
import { addChannelLinkRule } from './channel-links.js';
import { addCodeBlockRules } from './code-block-rules.js';
import { splitTextAtEmojiCharacters, addNamedEmojiRule } from './emoji-rules.js';
import { splitTextAtEmoticons } from './find-emoticons.js';
import { addEmphasisRules } from './emphasis-rules.js';
import { addFencedBlockRules } from './fenced-blocks.js';
import { splitTextAtLinks } from './linkifiers.js';
import { isSafeLink, removeServerOriginFromLink, removeEmptyLinks } from './markdown-links.js';
import { addInlineMathRule } from './math-formulas.js';
import { addImageSyntaxRule } from './media-previews.js';
import { addMentionRule } from './mention-rule.js';
import { getParseContext } from './parse-context.js';
import { addMarkdownTableRules } from './markdown-table-rules.js';
import { addTimestampRule } from './timestamp-rule.js';
import { joinTextTokens, replaceTextTokens } from './create-markdown-tokens.js';

/** Function that adds one feature of the chat's Markdown dialect to a markdown-it parser. */
type MarkdownPlugin = (markdown: MarkdownIt) => void;

const markdownPlugins: readonly MarkdownPlugin[] = [
  addUrlWithoutSchemeRule,
  addEmphasisRules,
  addFencedBlockRules,
  addCodeBlockRules,
  addMarkdownTableRules,
  addTimestampRule,
  addInlineMathRule,
  addMentionRule,
  addChannelLinkRule,
  addNamedEmojiRule,
  addImageSyntaxRule,
  addTextReplacementRule,
  addSilentQuotedMentionsRule,
];

/**
 * Creates the Markdown parser of docs/contract/chat.md 5.9: CommonMark with tables and strikethrough, without raw HTML,
 * link definitions, underlined headings and backslash escapes.
 */
export function createMarkdownParser(): MarkdownIt {
  const markdown = createMarkdown({ html: false, linkify: true, breaks: true, maxNesting: 40 });
  markdown.disable(['reference', 'lheading', 'escape']);
  markdown.validateLink = isSafeLink;
  for (const plugin of markdownPlugins) plugin(markdown);
  markdown.renderer.rules['literal'] = (tokens, index) => markdown.utils.escapeHtml(tokens[index]?.content ?? '');
  markdown.renderer.rules['trusted_html'] = (tokens, index) => tokens[index]?.content ?? '';
  return markdown;
}

/**
 * Adds the Markdown rule that converts linkifier matches, emoticons and emoji characters in texts. Inline rules of
 * markdown-it cannot convert these texts, because the texts begin with no special character.
 */
function addTextReplacementRule(markdown: MarkdownIt): void {
  markdown.core.ruler.push('chat_texts', (state) => {
    const { realm, linkifierBudget } = getParseContext(state.env);
    for (const token of state.tokens) {
      if (token.children === null) continue;
      const linked = replaceTextTokens(
        joinTextTokens(removeEmptyLinks(token.children)),
        (text) => splitTextAtLinks(text, realm.linkifiers, linkifierBudget),
        {
          inLinks: false,
        },
      );
      const faces = replaceTextTokens(linked, splitTextAtEmoticons, { inLinks: false });
      token.children = replaceTextTokens(faces, splitTextAtEmojiCharacters, { inLinks: true });
      for (const child of token.children) {
        if (child.type === 'link_open')
          child.attrSet('href', removeServerOriginFromLink(String(child.attrGet('href')), realm.origins));
      }
    }
  });
}

function addSilentQuotedMentionsRule(markdown: MarkdownIt): void {
  markdown.core.ruler.push('chat_quotes', (state) => silenceMentionsInQuotes(state.tokens));
}
