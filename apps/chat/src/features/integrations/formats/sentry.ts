import { z } from 'zod';
import { defineWebhookFormat, defineWebhookEvent } from '../define-webhook-format.js';
import {
  formatBold,
  formatInlineCode,
  formatCodeBlock,
  toMarkdownLine,
  formatMarkdownLink,
  formatMarkdownList,
  joinParagraphs,
  formatBlockQuote,
  formatMarkdownTime,
} from '../format-payload-text.js';
import { createBodySignatureCheck } from '../check-webhook-signatures.js';

const nullableTextSchema = z.string().nullish();
const sourceLinesSchema = z.array(z.string()).nullish();

const sentryStackFrameSchema = z.object({
  filename: nullableTextSchema,
  lineno: z.int().nullish(),
  in_app: z.boolean().nullish(),
  context_line: nullableTextSchema,
  pre_context: sourceLinesSchema,
  post_context: sourceLinesSchema,
});

const sentryOccurrenceSchema = z.object({
  title: z.string(),
  web_url: nullableTextSchema,
  level: nullableTextSchema,
  datetime: nullableTextSchema,
  platform: nullableTextSchema,
  culprit: nullableTextSchema,
  exception: z
    .object({
      values: z
        .array(z.object({ stacktrace: z.object({ frames: z.array(sentryStackFrameSchema).nullish() }).nullish() }))
        .nullish(),
    })
    .nullish(),
});
type SentryOccurrence = z.output<typeof sentryOccurrenceSchema>;

/**
 * Code block languages by Sentry platform name. Other platform names are not used, because they could begin another
 * kind of block, such as `quote`.
 */
const codeLanguageByPlatform: ReadonlyMap<string, string> = new Map([
  ...'c csharp dart elixir go groovy haskell java javascript kotlin objc perl php python ruby rust scala swift'
    .split(' ')
    .map((name) => [name, name] as const),
  ['node', 'javascript'],
  ['cocoa', 'swift'],
]);

/**
 * Returns the source lines around the newest stack frame of the application. Returns an empty string if the event
 * contains no source lines.
 */
function formatSourceExcerpt({ exception, platform }: SentryOccurrence): string {
  const frames = (exception?.values ?? []).flatMap(({ stacktrace }) => stacktrace?.frames ?? []);
  const shown = frames.filter(({ context_line: source }) => source !== null && source !== undefined);
  const found = shown.findLast(({ in_app: isOwn }) => isOwn === true) ?? shown.at(-1);
  if (found === undefined) return '';
  const before = (found.pre_context ?? []).slice(-5).map((one) => `    ${one.slice(0, 300)}`);
  const after = (found.post_context ?? []).slice(0, 5).map((one) => `    ${one.slice(0, 300)}`);
  const language = codeLanguageByPlatform.get(platform?.toLowerCase() ?? '') ?? '';
  const at = found.lineno === null || found.lineno === undefined ? '' : `, line ${found.lineno}`;
  const source = [...before, `--> ${(found.context_line ?? '').slice(0, 300)}`, ...after].join('\n');
  return joinParagraphs(`${formatInlineCode(found.filename)}${at}:`, formatCodeBlock(source, language));
}

const defineOccurrenceEvent = (head: string) =>
  defineWebhookEvent({
    payload: sentryOccurrenceSchema,
    topic: '{title}',
    values: ({ title }) => ({ title }),
    text: (p) =>
      joinParagraphs(
        `**${head}:** ${formatMarkdownLink(p.title, p.web_url)}`,
        formatMarkdownList([
          p.level ? `level: ${toMarkdownLine(p.level)}` : '',
          p.datetime ? `time: ${formatMarkdownTime(p.datetime)}` : '',
          p.culprit ? `in: ${formatInlineCode(p.culprit)}` : '',
        ]),
        formatSourceExcerpt(p),
      ),
  });

const sentryIssuePayloadSchema = z.object({
  actor: z.object({ name: nullableTextSchema }).nullish(),
  data: z.object({
    issue: z.object({
      title: z.string(),
      level: nullableTextSchema,
      lastSeen: nullableTextSchema,
      shortId: nullableTextSchema,
      permalink: nullableTextSchema,
      web_url: nullableTextSchema,
      assignedTo: z.object({ name: z.string(), type: nullableTextSchema }).nullish(),
    }),
  }),
});
type SentryIssuePayload = z.output<typeof sentryIssuePayloadSchema>;

const createIssueLink = ({ data }: SentryIssuePayload) =>
  formatMarkdownLink(data.issue.title, data.issue.web_url ?? data.issue.permalink);
const getIssueAssignee = ({ data: { issue: one } }: SentryIssuePayload) =>
  one.assignedTo ? `${one.assignedTo.type === 'team' ? 'team ' : ''}${one.assignedTo.name}` : 'nobody';
const formatSentryActor = ({ actor }: SentryIssuePayload) => (actor?.name ? ` by ${formatBold(actor.name)}` : '');

const defineIssueEvent = (message: (p: SentryIssuePayload) => string) =>
  defineWebhookEvent({
    payload: sentryIssuePayloadSchema,
    topic: '{title}',
    values: ({ data }) => ({ title: data.issue.title }),
    text: message,
  });

const sentryMetricAlertEvent = defineWebhookEvent({
  payload: z.object({
    action: z.string(),
    data: z.object({
      description_title: z.string(),
      description_text: nullableTextSchema,
      web_url: nullableTextSchema,
    }),
  }),
  topic: '{alert}',
  values: ({ data }) => ({ alert: data.description_title.replace(/^[A-Za-z]+: /, '') }),
  text: ({ action, data }) =>
    joinParagraphs(
      `**Metric alert ${toMarkdownLine(action)}:** ${formatMarkdownLink(data.description_title, data.web_url)}`,
      data.description_text ? formatBlockQuote(data.description_text) : '',
    ),
});

/** Format of the webhook requests of Sentry: of Sentry integrations, and of the older webhook plugin. */
export const sentryFormat = defineWebhookFormat({
  name: 'sentry',
  displayName: 'Sentry',
  sender: 'Sentry',
  documentation: 'https://docs.sentry.io/organization/integrations/integration-platform/webhooks/',
  payload: z.looseObject({
    action: z.string().optional(),
    data: z
      .looseObject({
        event: z.unknown().optional(),
        error: z.unknown().optional(),
        issue: z.unknown().optional(),
        metric_alert: z.unknown().optional(),
      })
      .optional(),
    message: z.string().optional(),
    project_name: z.string().optional(),
  }),
  signature: createBodySignatureCheck('Sentry-Hook-Signature', { label: 'Client secret of the integration' }),
  route({ payload }) {
    const { data, action = '' } = payload;
    if (data === undefined) return [{ event: payload.project_name === undefined ? 'unknown' : 'plugin', payload }];
    if (data.event !== undefined) return [{ event: 'event_alert', payload: data.event }];
    if (data.error !== undefined) return [{ event: 'error', payload: data.error }];
    if (data.issue !== undefined) return [{ event: `issue.${action}`, payload }];
    if (data.metric_alert !== undefined) return [{ event: 'metric_alert', payload }];
    return [{ event: `${Object.keys(data)[0] ?? 'unknown'}.${action}`, payload }];
  },
  events: {
    event_alert: defineOccurrenceEvent('Issue alert'),
    error: defineOccurrenceEvent('New error'),
    'issue.created': defineIssueEvent((p) =>
      joinParagraphs(
        `**New issue:** ${createIssueLink(p)}`,
        formatMarkdownList([
          p.data.issue.level ? `level: ${toMarkdownLine(p.data.issue.level)}` : '',
          p.data.issue.lastSeen ? `time: ${formatMarkdownTime(p.data.issue.lastSeen)}` : '',
          `assignee: ${toMarkdownLine(getIssueAssignee(p))}`,
        ]),
      ),
    ),
    'issue.assigned': defineIssueEvent(
      (p) => `Issue ${createIssueLink(p)} was assigned to ${formatBold(getIssueAssignee(p))}${formatSentryActor(p)}.`,
    ),
    'issue.resolved': defineIssueEvent((p) => `Issue ${createIssueLink(p)} was resolved${formatSentryActor(p)}.`),
    'issue.unresolved': defineIssueEvent((p) => `Issue ${createIssueLink(p)} is unresolved again.`),
    'issue.archived': defineIssueEvent((p) => `Issue ${createIssueLink(p)} was archived${formatSentryActor(p)}.`),
    'issue.ignored': defineIssueEvent((p) => `Issue ${createIssueLink(p)} was ignored${formatSentryActor(p)}.`),
    metric_alert: sentryMetricAlertEvent,
    plugin: defineWebhookEvent({
      payload: z.object({
        project_name: z.string(),
        message: nullableTextSchema,
        url: nullableTextSchema,
        level: nullableTextSchema,
      }),
      topic: '{project}',
      values: (p) => ({ project: p.project_name }),
      text: (p) =>
        joinParagraphs(
          `New ${formatMarkdownLink('issue', p.url)} (level: ${toMarkdownLine(p.level ?? 'error')}):`,
          formatBlockQuote(p.message ?? '(no message)'),
        ),
    }),
  },
});
