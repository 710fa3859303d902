import { z } from 'zod';
import { defineWebhookFormat, defineWebhookEvent } from '../define-webhook-format.js';
import {
  formatBold,
  toMarkdownLine,
  formatMarkdownLink,
  joinParagraphs,
  formatItemsUpToLimit,
  formatMarkdownTime,
} from '../format-payload-text.js';

const nullableTextSchema = z.string().nullish();
const slackTextObjectSchema = z.object({ text: z.string() });
const slackBlockAccessorySchema = z.object({
  type: z.string(),
  image_url: nullableTextSchema,
  alt_text: nullableTextSchema,
});

const slackBlockSchema = z.object({
  type: z.string(),
  text: slackTextObjectSchema.nullish(),
  title: slackTextObjectSchema.nullish(),
  fields: z.array(slackTextObjectSchema).nullish(),
  elements: z
    .array(
      z.object({
        type: z.string(),
        text: z.unknown().optional(),
        image_url: nullableTextSchema,
        alt_text: nullableTextSchema,
      }),
    )
    .nullish(),
  accessory: slackBlockAccessorySchema.nullish(),
  image_url: nullableTextSchema,
  alt_text: nullableTextSchema,
});
type SlackBlock = z.output<typeof slackBlockSchema>;

const slackAttachmentSchema = z.object({
  title: nullableTextSchema,
  title_link: nullableTextSchema,
  pretext: nullableTextSchema,
  text: nullableTextSchema,
  fallback: nullableTextSchema,
  fields: z
    .array(z.object({ title: nullableTextSchema, value: z.union([z.string(), z.number()]).nullish() }))
    .nullish(),
  blocks: z.array(slackBlockSchema).nullish(),
  image_url: nullableTextSchema,
  footer: nullableTextSchema,
  ts: z.union([z.number(), z.string()]).nullish(),
});
type SlackAttachment = z.output<typeof slackAttachmentSchema>;

const slackMessageSchema = z.object({
  channel: nullableTextSchema,
  text: nullableTextSchema,
  icon_emoji: nullableTextSchema,
  blocks: z.array(slackBlockSchema).nullish(),
  attachments: z.array(slackAttachmentSchema).nullish(),
});

/**
 * Maximum length of one text in UTF-16 code units, maximum number of blocks, and maximum number of attachments in a
 * Slack message.
 */
const [maxTextLength, maxBlocks, maxAttachments] = [12_000, 50, 20];

/** Converts Slack markup to Markdown. Code in the text remains unchanged. */
function convertSlackTextToMarkdown(source: string): string {
  const parts = source.slice(0, maxTextLength).split(/(```[^]*?```|`[^`\n]*`)/);
  return parts
    .map((part, index) => unescapeSlackEntities(index % 2 === 1 ? part : convertSlackMarkupOutsideCode(part)))
    .join('');
}

function convertSlackMarkupOutsideCode(part: string): string {
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

function unescapeSlackEntities(part: string): string {
  return part.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function formatSlackImage(
  { image_url: url, alt_text: alt }: { image_url?: unknown; alt_text?: unknown },
  title = '',
): string {
  return typeof url === 'string'
    ? formatMarkdownLink(title || (typeof alt === 'string' ? alt : '') || 'Image', url)
    : '';
}

function formatSlackBlock(one: SlackBlock): string {
  if (one.type === 'divider') return '---';
  if (one.type === 'header') return `## ${toMarkdownLine(one.text?.text)}`;
  if (one.type === 'image') return formatSlackImage(one, one.title?.text ?? '');
  if (one.type === 'context') {
    const elements = formatItemsUpToLimit((one.elements ?? []).slice(0, maxBlocks), (element) =>
      element.type === 'image'
        ? formatSlackImage(element)
        : convertSlackTextToMarkdown(typeof element.text === 'string' ? element.text : ''),
    );
    return joinParagraphs(...elements);
  }
  if (one.type !== 'section') return '';
  const image = one.accessory?.type === 'image' ? formatSlackImage(one.accessory) : '';
  return joinParagraphs(
    convertSlackTextToMarkdown(one.text?.text ?? ''),
    image,
    formatSlackFields((one.fields ?? []).slice(0, maxBlocks).map((field) => field.text)),
  );
}

/**
 * Returns the fields of a Slack section block as a Markdown table with two columns. Slack shows fields in the same
 * arrangement.
 */
function formatSlackFields(fields: readonly string[]): string {
  if (fields.length < 2) return convertSlackTextToMarkdown(fields.join(''));
  const cells = formatItemsUpToLimit(fields, (field) =>
    toMarkdownLine(convertSlackTextToMarkdown(field)).replaceAll('|', ' '),
  );
  const rows = cells.flatMap((cell, index) => (index % 2 === 0 ? [`| ${cell} | ${cells[index + 1] ?? ''} |`] : []));
  return ['| | |', '|-|-|', ...rows].join('\n');
}

function formatSlackAttachment(one: SlackAttachment): string {
  const heading = toMarkdownLine(one.title) === '' ? '' : `## ${formatMarkdownLink(one.title, one.title_link)}`;
  const fields = formatItemsUpToLimit((one.fields ?? []).slice(0, maxBlocks), ({ title, value }) =>
    [formatBold(title), convertSlackTextToMarkdown(String(value ?? ''))].filter((part) => part !== '').join(': '),
  );
  const body = joinParagraphs(
    heading,
    convertSlackTextToMarkdown(one.pretext ?? ''),
    convertSlackTextToMarkdown(one.text ?? ''),
    fields.filter((field) => field !== '').join('\n'),
    ...formatItemsUpToLimit((one.blocks ?? []).slice(0, maxBlocks), formatSlackBlock),
    one.image_url ? formatMarkdownLink('Image', one.image_url) : '',
    toMarkdownLine(one.footer),
    one.ts === null || one.ts === undefined ? '' : formatMarkdownTime(Number(one.ts)),
  );
  return body === '' ? convertSlackTextToMarkdown(one.fallback ?? '') : body;
}

/** Webhook format of messages to Slack's incoming webhooks, which many services can send. */
export const slackIncomingFormat = defineWebhookFormat({
  name: 'slack_incoming',
  displayName: 'Slack-compatible webhook',
  sender: 'SlackIncoming',
  documentation: 'https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks',
  payload: slackMessageSchema,
  isFiltered: false,
  route: ({ payload }) => [{ event: 'message', payload }],
  events: {
    message: defineWebhookEvent({
      payload: slackMessageSchema,
      topic: '{channel}',
      values: ({ channel }) => ({ channel: (channel ?? '').replace(/^[@#]/, '') || '(no topic)' }),
      text(p) {
        const texts = [
          ...(p.blocks ?? []).slice(0, maxBlocks).map((one) => () => formatSlackBlock(one)),
          ...(p.attachments ?? []).slice(0, maxAttachments).map((one) => () => formatSlackAttachment(one)),
        ];
        const parts = joinParagraphs(...formatItemsUpToLimit(texts, (render) => render()));
        if (parts !== '') return parts;
        const icon = /^:[\w+-]+:$/.test(p.icon_emoji ?? '') ? `${p.icon_emoji} ` : '';
        const plain = convertSlackTextToMarkdown(p.text ?? '').trim();
        return plain === '' ? '' : icon + plain;
      },
    }),
  },
});
