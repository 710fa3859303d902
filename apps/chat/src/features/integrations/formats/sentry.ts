import { z } from 'zod';
import { defineWebhookFormat, webhookEvent } from '../define-webhook-format.js';
import {
  boldText,
  inlineCode,
  codeBlock,
  singleLine,
  markdownLink,
  markdownList,
  paragraphs,
  blockQuote,
  markdownTime,
} from '../format-payload-text.js';
import { bodySignature } from '../check-webhook-signatures.js';

const textSchema = z.string().nullish();
const linesSchema = z.array(z.string()).nullish();

const frameSchema = z.object({
  filename: textSchema,
  lineno: z.int().nullish(),
  in_app: z.boolean().nullish(),
  context_line: textSchema,
  pre_context: linesSchema,
  post_context: linesSchema,
});

const occurrenceSchema = z.object({
  title: z.string(),
  web_url: textSchema,
  level: textSchema,
  datetime: textSchema,
  platform: textSchema,
  culprit: textSchema,
  exception: z
    .object({
      values: z
        .array(z.object({ stacktrace: z.object({ frames: z.array(frameSchema).nullish() }).nullish() }))
        .nullish(),
    })
    .nullish(),
});
type Occurrence = z.output<typeof occurrenceSchema>;

/**
 * Code block languages by Sentry platform. An arbitrary platform name could start another kind of block, such as
 * `quote`.
 */
const languages: ReadonlyMap<string, string> = new Map([
  ...'c csharp dart elixir go groovy haskell java javascript kotlin objc perl php python ruby rust scala swift'
    .split(' ')
    .map((name) => [name, name] as const),
  ['node', 'javascript'],
  ['cocoa', 'swift'],
]);

/** Returns the source lines around the newest stack frame of the application; an empty text if there are none. */
function sourceExcerpt({ exception, platform }: Occurrence): string {
  const frames = (exception?.values ?? []).flatMap(({ stacktrace }) => stacktrace?.frames ?? []);
  const shown = frames.filter(({ context_line: source }) => source !== null && source !== undefined);
  const found = shown.findLast(({ in_app: isOwn }) => isOwn === true) ?? shown.at(-1);
  if (found === undefined) return '';
  const before = (found.pre_context ?? []).slice(-5).map((one) => `    ${one.slice(0, 300)}`);
  const after = (found.post_context ?? []).slice(0, 5).map((one) => `    ${one.slice(0, 300)}`);
  const language = languages.get(platform?.toLowerCase() ?? '') ?? '';
  const at = found.lineno === null || found.lineno === undefined ? '' : `, line ${found.lineno}`;
  const source = [...before, `--> ${(found.context_line ?? '').slice(0, 300)}`, ...after].join('\n');
  return paragraphs(`${inlineCode(found.filename)}${at}:`, codeBlock(source, language));
}

const defineOccurrenceEvent = (head: string) =>
  webhookEvent({
    payload: occurrenceSchema,
    topic: '{title}',
    values: ({ title }) => ({ title }),
    text: (p) =>
      paragraphs(
        `**${head}:** ${markdownLink(p.title, p.web_url)}`,
        markdownList([
          p.level ? `level: ${singleLine(p.level)}` : '',
          p.datetime ? `time: ${markdownTime(p.datetime)}` : '',
          p.culprit ? `in: ${inlineCode(p.culprit)}` : '',
        ]),
        sourceExcerpt(p),
      ),
  });

const issueSchema = z.object({
  actor: z.object({ name: textSchema }).nullish(),
  data: z.object({
    issue: z.object({
      title: z.string(),
      level: textSchema,
      lastSeen: textSchema,
      shortId: textSchema,
      permalink: textSchema,
      web_url: textSchema,
      assignedTo: z.object({ name: z.string(), type: textSchema }).nullish(),
    }),
  }),
});
type Issue = z.output<typeof issueSchema>;

const issueLink = ({ data }: Issue) => markdownLink(data.issue.title, data.issue.web_url ?? data.issue.permalink);
const assigneeOf = ({ data: { issue: one } }: Issue) =>
  one.assignedTo ? `${one.assignedTo.type === 'team' ? 'team ' : ''}${one.assignedTo.name}` : 'nobody';
const actorText = ({ actor }: Issue) => (actor?.name ? ` by ${boldText(actor.name)}` : '');

const defineIssueEvent = (message: (p: Issue) => string) =>
  webhookEvent({
    payload: issueSchema,
    topic: '{title}',
    values: ({ data }) => ({ title: data.issue.title }),
    text: message,
  });

const metricAlert = webhookEvent({
  payload: z.object({
    action: z.string(),
    data: z.object({ description_title: z.string(), description_text: textSchema, web_url: textSchema }),
  }),
  topic: '{alert}',
  values: ({ data }) => ({ alert: data.description_title.replace(/^[A-Za-z]+: /, '') }),
  text: ({ action, data }) =>
    paragraphs(
      `**Metric alert ${singleLine(action)}:** ${markdownLink(data.description_title, data.web_url)}`,
      data.description_text ? blockQuote(data.description_text) : '',
    ),
});

/** Format of the webhooks of Sentry: those of Sentry integrations, and of the older webhook plugin. */
export const sentry = defineWebhookFormat({
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
  signature: bodySignature('Sentry-Hook-Signature', { label: 'Client secret of the integration' }),
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
      paragraphs(
        `**New issue:** ${issueLink(p)}`,
        markdownList([
          p.data.issue.level ? `level: ${singleLine(p.data.issue.level)}` : '',
          p.data.issue.lastSeen ? `time: ${markdownTime(p.data.issue.lastSeen)}` : '',
          `assignee: ${singleLine(assigneeOf(p))}`,
        ]),
      ),
    ),
    'issue.assigned': defineIssueEvent(
      (p) => `Issue ${issueLink(p)} was assigned to ${boldText(assigneeOf(p))}${actorText(p)}.`,
    ),
    'issue.resolved': defineIssueEvent((p) => `Issue ${issueLink(p)} was resolved${actorText(p)}.`),
    'issue.unresolved': defineIssueEvent((p) => `Issue ${issueLink(p)} is unresolved again.`),
    'issue.archived': defineIssueEvent((p) => `Issue ${issueLink(p)} was archived${actorText(p)}.`),
    'issue.ignored': defineIssueEvent((p) => `Issue ${issueLink(p)} was ignored${actorText(p)}.`),
    metric_alert: metricAlert,
    plugin: webhookEvent({
      payload: z.object({ project_name: z.string(), message: textSchema, url: textSchema, level: textSchema }),
      topic: '{project}',
      values: (p) => ({ project: p.project_name }),
      text: (p) =>
        paragraphs(
          `New ${markdownLink('issue', p.url)} (level: ${singleLine(p.level ?? 'error')}):`,
          blockQuote(p.message ?? '(no message)'),
        ),
    }),
  },
});
