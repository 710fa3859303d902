import { z } from 'zod';
import { defineWebhookFormat, defineWebhookEvent } from '../define-webhook-format.js';
import {
  formatBold,
  toSingleLine,
  formatMarkdownLink,
  joinParagraphs,
  formatUpToLimit,
  formatMarkdownTime,
} from '../format-payload-text.js';

const textSchema = z.string().nullish();
const textObjectSchema = z.object({ text: z.string() });
const accessorySchema = z.object({ type: z.string(), image_url: textSchema, alt_text: textSchema });

const blockSchema = z.object({
  type: z.string(),
  text: textObjectSchema.nullish(),
  title: textObjectSchema.nullish(),
  fields: z.array(textObjectSchema).nullish(),
  elements: z
    .array(z.object({ type: z.string(), text: z.unknown().optional(), image_url: textSchema, alt_text: textSchema }))
    .nullish(),
  accessory: accessorySchema.nullish(),
  image_url: textSchema,
  alt_text: textSchema,
});
type SlackBlock = z.output<typeof blockSchema>;

const attachmentSchema = z.object({
  title: textSchema,
  title_link: textSchema,
  pretext: textSchema,
  text: textSchema,
  fallback: textSchema,
  fields: z.array(z.object({ title: textSchema, value: z.union([z.string(), z.number()]).nullish() })).nullish(),
  blocks: z.array(blockSchema).nullish(),
  image_url: textSchema,
  footer: textSchema,
  ts: z.union([z.number(), z.string()]).nullish(),
});
type SlackAttachment = z.output<typeof attachmentSchema>;

const messageSchema = z.object({
  channel: textSchema,
  text: textSchema,
  icon_emoji: textSchema,
  blocks: z.array(blockSchema).nullish(),
  attachments: z.array(attachmentSchema).nullish(),
});

/**
 * Maximum length of one text in UTF-16 code units, maximum number of blocks, and maximum number of attachments in a
 * Slack message.
 */
const [maxTextLength, maxBlocks, maxAttachments] = [12_000, 50, 20];

/** Converts Slack markup to Markdown. Code in the text remains unchanged. */
function slackMarkupToMarkdown(source: string): string {
  const parts = source.slice(0, maxTextLength).split(/(```[^]*?```|`[^`\n]*`)/);
  return parts.map((part, index) => unescapeEntities(index % 2 === 1 ? part : convertSlackMarkup(part))).join('');
}

function convertSlackMarkup(part: string): string {
  return part
    .replaceAll(/<(https?:\/\/[^|<>\s]+)\|([^<>]*)>/g, (_found, url: string, name: string) =>
      formatMarkdownLink(name, url),
    )
    .replaceAll(/<(https?:\/\/[^|<>\s]+)>/g, '$1')
    .replaceAll(/<mailto:([^|<>]+)(?:\|[^<>]*)?>/g, '$1')
    .replaceAll(
      /<[!@#](?:[^|<>]*\|)?([^<>]*)>/g,
      (found, name: string) => `${found.startsWith('<#') ? '#' : '@'}${name}`,
    )
    .replaceAll(/(?<![\w*])\*(?=\S)([^*\n]*[^*\s])\*(?![\w*])/g, '**$1**')
    .replaceAll(/(?<![\w_])_(?=\S)([^_\n]*[^_\s])_(?![\w_])/g, '*$1*')
    .replaceAll(/(?<![\w~])~(?=\S)([^~\n]*[^~\s])~(?![\w~])/g, '~~$1~~');
}

function unescapeEntities(part: string): string {
  return part.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function formatImage(
  { image_url: url, alt_text: alt }: { image_url?: unknown; alt_text?: unknown },
  title = '',
): string {
  return typeof url === 'string'
    ? formatMarkdownLink(title || (typeof alt === 'string' ? alt : '') || 'Image', url)
    : '';
}

function formatBlock(one: SlackBlock): string {
  if (one.type === 'divider') return '---';
  if (one.type === 'header') return `## ${toSingleLine(one.text?.text)}`;
  if (one.type === 'image') return formatImage(one, one.title?.text ?? '');
  if (one.type === 'context') {
    const elements = formatUpToLimit((one.elements ?? []).slice(0, maxBlocks), (element) =>
      element.type === 'image'
        ? formatImage(element)
        : slackMarkupToMarkdown(typeof element.text === 'string' ? element.text : ''),
    );
    return joinParagraphs(...elements);
  }
  if (one.type !== 'section') return '';
  const image = one.accessory?.type === 'image' ? formatImage(one.accessory) : '';
  return joinParagraphs(
    slackMarkupToMarkdown(one.text?.text ?? ''),
    image,
    formatFields((one.fields ?? []).slice(0, maxBlocks).map((field) => field.text)),
  );
}

/**
 * Returns the fields of a Slack section block as a Markdown table with two columns. Slack shows fields in the same
 * arrangement.
 */
function formatFields(fields: readonly string[]): string {
  if (fields.length < 2) return slackMarkupToMarkdown(fields.join(''));
  const cells = formatUpToLimit(fields, (field) => toSingleLine(slackMarkupToMarkdown(field)).replaceAll('|', ' '));
  const rows = cells.flatMap((cell, index) => (index % 2 === 0 ? [`| ${cell} | ${cells[index + 1] ?? ''} |`] : []));
  return ['| | |', '|-|-|', ...rows].join('\n');
}

function formatAttachment(one: SlackAttachment): string {
  const heading = toSingleLine(one.title) === '' ? '' : `## ${formatMarkdownLink(one.title, one.title_link)}`;
  const fields = formatUpToLimit((one.fields ?? []).slice(0, maxBlocks), ({ title, value }) =>
    [formatBold(title), slackMarkupToMarkdown(String(value ?? ''))].filter((part) => part !== '').join(': '),
  );
  const body = joinParagraphs(
    heading,
    slackMarkupToMarkdown(one.pretext ?? ''),
    slackMarkupToMarkdown(one.text ?? ''),
    fields.filter((field) => field !== '').join('\n'),
    ...formatUpToLimit((one.blocks ?? []).slice(0, maxBlocks), formatBlock),
    one.image_url ? formatMarkdownLink('Image', one.image_url) : '',
    toSingleLine(one.footer),
    one.ts === null || one.ts === undefined ? '' : formatMarkdownTime(Number(one.ts)),
  );
  return body === '' ? slackMarkupToMarkdown(one.fallback ?? '') : body;
}

/** Webhook format of messages to Slack's incoming webhooks, which many services can send. */
export const slackIncomingFormat = defineWebhookFormat({
  name: 'slack_incoming',
  displayName: 'Slack-compatible webhook',
  sender: 'SlackIncoming',
  documentation: 'https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks',
  payload: messageSchema,
  isFiltered: false,
  route: ({ payload }) => [{ event: 'message', payload }],
  events: {
    message: defineWebhookEvent({
      payload: messageSchema,
      topic: '{channel}',
      values: ({ channel }) => ({ channel: (channel ?? '').replace(/^[@#]/, '') || '(no topic)' }),
      text(p) {
        const texts = [
          ...(p.blocks ?? []).slice(0, maxBlocks).map((one) => () => formatBlock(one)),
          ...(p.attachments ?? []).slice(0, maxAttachments).map((one) => () => formatAttachment(one)),
        ];
        const parts = joinParagraphs(...formatUpToLimit(texts, (render) => render()));
        if (parts !== '') return parts;
        const icon = /^:[\w+-]+:$/.test(p.icon_emoji ?? '') ? `${p.icon_emoji} ` : '';
        const plain = slackMarkupToMarkdown(p.text ?? '').trim();
        return plain === '' ? '' : icon + plain;
      },
    }),
  },
});
