import type { MarkdownIt } from 'markdown-it';

const underscoreCharacterCode = 0x5f;

/**
 * Adds the Markdown rules that treat underscores as plain text rather than emphasis, and that render strikethrough as
 * `<del>` (docs/contract/chat.md 5.9).
 */
export function addEmphasisRules(markdown: MarkdownIt): void {
  markdown.inline.ruler.before('emphasis', 'chat_underscore', (state, silent) => {
    let end = state.pos;
    while (end < state.posMax && state.src.charCodeAt(end) === underscoreCharacterCode) end += 1;
    if (end === state.pos) return false;
    if (!silent) state.pending += state.src.slice(state.pos, end);
    state.pos = end;
    return true;
  });
  for (const type of ['s_open', 's_close']) {
    markdown.renderer.rules[type] = (tokens, index, options, _env, self) => {
      const token = tokens[index];
      if (token) token.tag = 'del';
      return self.renderToken(tokens, index, options);
    };
  }
}
