import createMarkdown, { type MarkdownIt, type Token } from 'markdown-it';
import { codeBlocks } from './code-blocks.js';
import { emphasis } from './emphasis.js';
import { type MentionCandidate, mentions, mentionsIn } from './mentions.js';
import { applyMentions, type Mentioned, noNames, type ResolvedNames } from './resolved-mentions.js';

/** Rises when the same source renders to other HTML: stored messages of an older version may be rendered again. */
export const rendererVersion = 1;

/** Extends the parser; each feature of the dialect is one. */
export type MarkdownPlugin = (markdown: MarkdownIt) => void;

/** A message between parsing and rendering: what it names is not known yet. */
export interface ParsedMessage {
  readonly tokens: readonly Token[];
  readonly mentions: readonly MentionCandidate[];
}

/** A message as clients show it, and what follows from its content. */
export interface RenderedMessage extends Mentioned {
  readonly html: string;
  readonly hasLink: boolean;
  readonly hasImage: boolean;
  readonly hasAttachment: boolean;
}

const imagePath = /\.(bmp|gif|jpe?g|png|webp)$/i;

/**
 * Renders messages from Markdown to the HTML of chat-contract 5.9. Raw HTML stays text. Parsing comes first and touches
 * nothing, so that the names it found can be looked up in the sending transaction before the HTML is made.
 */
export class MessageRenderer {
  readonly #markdown: MarkdownIt;

  constructor(plugins: readonly MarkdownPlugin[] = [emphasis, mentions, codeBlocks]) {
    this.#markdown = createMarkdown({ html: false, linkify: true, breaks: true });
    this.#markdown.disable('image');
    for (const plugin of plugins) plugin(this.#markdown);
  }

  /** Parses a message and finds whom it may mention. */
  parse(content: string): ParsedMessage {
    const tokens = this.#markdown.parse(content, {});
    return { tokens, mentions: mentionsIn(tokens) };
  }

  /** Renders a parsed message; the mentions in it take the form that these names give them. */
  render(parsed: ParsedMessage, names: ResolvedNames): RenderedMessage {
    const mentioned = applyMentions(parsed.mentions, names);
    const links = linksIn(parsed.tokens);
    return {
      ...mentioned,
      html: this.#markdown.renderer.render([...parsed.tokens], this.#markdown.options, {}).trim(),
      hasLink: links.length > 0,
      hasImage: links.some((link) => imagePath.test(link)),
      hasAttachment: links.some((link) => link.startsWith('/user_uploads/')),
    };
  }

  /** Renders a text that mentions nobody, such as a description. */
  renderPlain(content: string): string {
    return this.render(this.parse(content), noNames).html;
  }
}

function linksIn(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => {
    const href = token.type === 'link_open' ? token.attrGet('href') : null;
    return [...(href === null ? [] : [String(href)]), ...linksIn(token.children ?? [])];
  });
}
