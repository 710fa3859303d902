import type { MarkdownIt } from 'markdown-it';
import { pushReferencePlaceholderToken } from './unresolved-references.js';

/** Regular expression of a Markdown link to a channel, optionally with a topic and a message. */
const channelLinkPattern = /#\*\*([^*>\n]{1,100})(?:>([^*\n]{0,200}?)(?:@(\d{1,15}))?)?\*\*/y;

/**
 * Adds the Markdown rule for links to channels, topics and messages: `#**channel**`, `#**channel>topic**` and
 * `#**channel>topic@message**` (docs/contract/chat.md 5.9).
 */
export function addChannelLinkRule(markdown: MarkdownIt): void {
  markdown.inline.ruler.before('emphasis', 'chat_channel_link', (state, silent) => {
    // A link within a link would end the outer one.
    if (state.src[state.pos] !== '#' || state.linkLevel > 0) return false;
    channelLinkPattern.lastIndex = state.pos;
    const found = channelLinkPattern.exec(state.src);
    if (found === null) return false;
    const [source, channel = '', topic, messageId] = found;
    if (!silent) {
      pushReferencePlaceholderToken(state, {
        kind: 'channel',
        channel,
        topic: topic?.trim() ?? null,
        messageId: messageId === undefined ? null : Number(messageId),
      });
    }
    state.pos += source.length;
    return true;
  });
}

/**
 * Encodes a name for the fragment of a URL: percent-encoded, with dots instead of percent signs and `.2E` for dots
 * (docs/contract/chat.md 5.9).
 */
function encodeTextForUrlFragment(text: string): string {
  return encodeURIComponent(text)
    .replaceAll(/[!'()*.]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '.');
}

/** Returns the URL path at which web clients show a channel, a topic or a message. */
export function getChannelWebUrlPath(
  channel: { readonly id: number; readonly name: string },
  topic: string | null,
  place?: { readonly operator: 'with' | 'near'; readonly messageId: number },
): string {
  const parts = [`/#narrow/channel/${channel.id}-${encodeTextForUrlFragment(channel.name.replaceAll(' ', '-'))}`];
  if (topic !== null) parts.push(`topic/${encodeTextForUrlFragment(topic)}`);
  if (place !== undefined) parts.push(`${place.operator}/${place.messageId}`);
  return parts.join('/');
}
