import { z } from 'zod';
import { defineWebhookFormat, type WebhookMessageTextOptions, defineWebhookEvent } from '../define-webhook-format.js';
import {
  branchesFilterOption,
  formatBranches,
  isSelectedBranch,
  formatGitItemMessage,
  formatPush,
  shortenGitRef,
} from '../format-git-messages.js';
import {
  formatBold,
  formatInlineCode,
  toMarkdownLine,
  formatMarkdownLink,
  formatMarkdownList,
  joinParagraphs,
  formatBlockQuote,
  addFullStop,
} from '../format-payload-text.js';
import { createSharedTokenCheck } from '../check-webhook-signatures.js';

const nullableTextSchema = z.string().nullish();
const gitlabUserSchema = z.object({ name: z.string(), username: nullableTextSchema });
const gitlabProjectSchema = z.object({ name: z.string(), web_url: z.string() });
const gitlabObjectAttributesSchema = z.object({
  iid: z.int().nullish(),
  title: nullableTextSchema,
  url: nullableTextSchema,
  description: nullableTextSchema,
  note: nullableTextSchema,
  source_branch: nullableTextSchema,
  target_branch: nullableTextSchema,
  oldrev: nullableTextSchema,
});
const gitlabNumberedObjectSchema = z.object({
  iid: z.int().nullish(),
  id: z.int().nullish(),
  title: nullableTextSchema,
});

const projectTopicTemplate = {
  topic: '{project}',
  values: (p: { project: { name: string } }) => ({ project: p.project.name }),
};

const gitlabPushPayloadSchema = z.object({
  project: gitlabProjectSchema,
  user_name: z.string(),
  ref: z.string(),
  before: z.string(),
  after: z.string(),
  checkout_sha: nullableTextSchema,
  total_commits_count: z.int().optional(),
  commits: z
    .array(z.object({ id: z.string(), message: z.string(), url: z.string(), author: z.object({ name: z.string() }) }))
    .default([]),
});

/** Pattern of the commit id that GitLab sends instead of a missing commit, when a branch is created or deleted. */
const zeroCommitIdPattern = /^0+$/;

/**
 * Payload of a GitLab event about an issue or a merge request. `shows_title` is true if the message must contain the
 * title of the issue or merge request.
 */
const gitlabItemPayloadSchema = z.object({
  project: gitlabProjectSchema,
  user: gitlabUserSchema,
  object_attributes: gitlabObjectAttributesSchema,
  assignees: z.array(gitlabUserSchema).nullish(),
  shows_title: z.boolean().default(true),
});
type GitlabItemPayload = z.output<typeof gitlabItemPayloadSchema>;

const createGitlabItemTopic = (kind: string) => ({
  topic: `{project} / ${kind} #{number} {title}`,
  values: (p: GitlabItemPayload) => ({
    project: p.project.name,
    number: p.object_attributes.iid,
    title: kind === 'MR' && !p.shows_title ? '' : p.object_attributes.title,
  }),
});

function formatAssignees({ assignees }: GitlabItemPayload): string {
  const names = (assignees ?? []).slice(0, 10).map(({ username, name }) => toMarkdownLine(username ?? name));
  return names.length === 0 ? '' : `(assigned to ${names.join(', ')})`;
}

/**
 * Defines an event about a GitLab issue or merge request. With `isFull`, the message shows branches, assignees and the
 * description.
 */
const defineGitlabItemEvent = (
  kind: 'Issue' | 'MR',
  action: string | ((p: GitlabItemPayload) => string),
  isFull = false,
) =>
  defineWebhookEvent({
    payload: gitlabItemPayloadSchema,
    ...createGitlabItemTopic(kind),
    text(p, context) {
      const { iid, title, url, description, source_branch: source, target_branch: target } = p.object_attributes;
      const branches = isFull && source && target ? formatBranches(source, target) : '';
      return formatGitItemMessage(
        {
          user: p.user.name,
          action: typeof action === 'string' ? action : action(p),
          kind,
          number: iid ?? 0,
          title: title ?? '',
          url: url ?? '',
          details: isFull ? `${branches} ${formatAssignees(p)}`.trim() : '',
          body: isFull ? description : null,
        },
        context,
      );
    },
  });

const gitlabCommentPayloadSchema = z.object({
  project: gitlabProjectSchema,
  user: gitlabUserSchema,
  object_attributes: gitlabObjectAttributesSchema,
  commit: z.object({ id: z.string(), url: z.string() }).nullish(),
  merge_request: gitlabNumberedObjectSchema.nullish(),
  issue: gitlabNumberedObjectSchema.nullish(),
  snippet: gitlabNumberedObjectSchema.nullish(),
  shows_title: z.boolean().default(true),
});
type CommentPayload = z.output<typeof gitlabCommentPayloadSchema>;
type CommentedObjectKey = 'merge_request' | 'issue' | 'snippet';

/**
 * Defines the event of a comment on a GitLab object. The URL of the object's page begins with the URL of the project.
 */
const defineCommentEvent = (key: CommentedObjectKey, kind: string, path: string) => {
  const numberOf = (p: CommentPayload) => (key === 'snippet' ? p.snippet?.id : p[key]?.iid) ?? 0;
  return defineWebhookEvent({
    payload: gitlabCommentPayloadSchema,
    topic: `{project} / ${kind} #{number} {title}`,
    values: (p) => ({
      project: p.project.name,
      number: numberOf(p),
      title: kind === 'MR' && !p.shows_title ? '' : p[key]?.title,
    }),
    text: (p: CommentPayload, context: WebhookMessageTextOptions) =>
      formatGitItemMessage(
        {
          user: p.user.name,
          action: `${formatMarkdownLink('commented', p.object_attributes.url)} on`,
          kind,
          number: numberOf(p),
          title: p[key]?.title ?? '',
          url: `${p.project.web_url}/-/${path}/${numberOf(p)}`,
          body: p.object_attributes.note,
        },
        context,
      ),
  });
};

const commitCommentEvent = defineWebhookEvent({
  payload: gitlabCommentPayloadSchema,
  ...projectTopicTemplate,
  text: (p) =>
    joinParagraphs(
      `${toMarkdownLine(p.user.name)} ${formatMarkdownLink('commented', p.object_attributes.url)} on ${formatMarkdownLink(p.commit?.id.slice(0, 7), p.commit?.url)}:`,
      formatBlockQuote(p.object_attributes.note ?? ''),
    ),
});

const wikiEvent = (verb: string) =>
  defineWebhookEvent({
    payload: z.object({
      project: gitlabProjectSchema,
      user: gitlabUserSchema,
      object_attributes: gitlabObjectAttributesSchema,
    }),
    ...projectTopicTemplate,
    text: ({ user: { name }, object_attributes: { title, url } }) =>
      addFullStop(`${toMarkdownLine(name)} ${verb} the wiki page ${formatMarkdownLink(title, url)}`),
  });

const gitlabJobEvent = defineWebhookEvent({
  payload: z.object({
    repository: z.object({ name: z.string(), homepage: nullableTextSchema }),
    ref: z.string(),
    build_id: z.int().nullish(),
    build_name: z.string(),
    build_stage: z.string(),
    build_status: z.string(),
  }),
  topic: '{project} / {branch}',
  values: (p) => ({ project: p.repository.name, branch: shortenGitRef(p.ref) }),
  text(p) {
    const url = p.repository.homepage && p.build_id ? `${p.repository.homepage}/-/jobs/${p.build_id}` : null;
    return `Job ${formatMarkdownLink(p.build_name, url)} of the stage ${formatInlineCode(p.build_stage)}: ${formatBold(p.build_status)}.`;
  },
});

const pipelineEvent = defineWebhookEvent({
  payload: z.object({
    project: gitlabProjectSchema,
    object_attributes: z.object({ id: z.int(), ref: z.string(), status: z.string(), url: nullableTextSchema }),
    builds: z.array(z.object({ name: z.string(), stage: z.string(), status: z.string() })).default([]),
  }),
  topic: '{project} / {branch}',
  values: (p) => ({ project: p.project.name, branch: shortenGitRef(p.object_attributes.ref) }),
  text({ project: { web_url: base }, object_attributes: { id, status, url }, builds }) {
    const name = formatMarkdownLink(`Pipeline #${id}`, url ?? `${base}/-/pipelines/${id}`);
    const jobs = builds
      .slice(0, 50)
      .map((one) => `${toMarkdownLine(one.stage)}: ${toMarkdownLine(one.name)}, ${toMarkdownLine(one.status)}`);
    return joinParagraphs(`${name}: ${formatBold(status)}.`, formatMarkdownList(jobs, 50));
  },
});

const otherGitlabEvents = {
  'Test Hook': defineWebhookEvent({
    payload: z.object({ project: gitlabProjectSchema }),
    ...projectTopicTemplate,
    text: (p) => `GitLab webhook of ${formatMarkdownLink(p.project.name, p.project.web_url)} was configured.`,
  }),
  'Release Hook': defineWebhookEvent({
    payload: z.object({
      project: gitlabProjectSchema,
      name: z.string(),
      tag: z.string(),
      action: z.string(),
      url: nullableTextSchema,
    }),
    ...projectTopicTemplate,
    text: ({ name, tag, action, url }) =>
      `Release ${formatMarkdownLink(name, url)} for the tag ${formatInlineCode(tag)} was ${toMarkdownLine(action).replace(/e?$/, 'ed')}.`,
  }),
  'Feature Flag Hook': defineWebhookEvent({
    payload: z.object({
      project: gitlabProjectSchema,
      user: gitlabUserSchema,
      object_attributes: z.object({ name: z.string(), active: z.boolean() }),
    }),
    ...projectTopicTemplate,
    text: ({ user: { name }, object_attributes: flag }) =>
      `${toMarkdownLine(name)} ${flag.active ? 'activated' : 'deactivated'} the feature flag ${formatInlineCode(flag.name)}.`,
  }),
  'Deployment Hook': defineWebhookEvent({
    payload: z.object({
      project: gitlabProjectSchema,
      user: gitlabUserSchema,
      status: z.string(),
      environment: z.string(),
      deployable_url: nullableTextSchema,
      short_sha: nullableTextSchema,
      commit_url: nullableTextSchema,
    }),
    ...projectTopicTemplate,
    text: (p) =>
      `${formatMarkdownLink('Deployment', p.deployable_url)} of ${formatMarkdownLink(p.short_sha, p.commit_url)} to ${formatInlineCode(p.environment)} by ${toMarkdownLine(p.user.name)}: ${formatBold(p.status)}.`,
  }),
  'Resource Access Token Hook': defineWebhookEvent({
    payload: z.object({
      project: gitlabProjectSchema,
      object_attributes: z.object({ name: z.string(), expires_at: nullableTextSchema }),
    }),
    ...projectTopicTemplate,
    text: ({ project: { name, web_url: url }, object_attributes: token }) =>
      `The access token ${formatInlineCode(token.name)} of ${formatMarkdownLink(name, url)} expires on ${toMarkdownLine(token.expires_at ?? 'an unknown day')}.`,
  }),
};

const gitlabIssueEvents = {
  open: defineGitlabItemEvent('Issue', 'created', true),
  close: defineGitlabItemEvent('Issue', 'closed'),
  reopen: defineGitlabItemEvent('Issue', 'reopened'),
  update: defineGitlabItemEvent('Issue', 'updated'),
};

const addEventNamePrefix = <T>(prefix: string, events: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(events).map(([name, one]) => [`${prefix} ${name}`, one]));

const gitlabCommentEvents = {
  Commit: commitCommentEvent,
  MergeRequest: defineCommentEvent('merge_request', 'MR', 'merge_requests'),
  Issue: defineCommentEvent('issue', 'Issue', 'issues'),
  Snippet: defineCommentEvent('snippet', 'Snippet', 'snippets'),
};

const mergeRequestEvents = {
  open: defineGitlabItemEvent('MR', 'created', true),
  update: defineGitlabItemEvent('MR', (p) => (p.object_attributes.oldrev ? 'added commits to' : 'updated')),
  merge: defineGitlabItemEvent('MR', 'merged'),
  close: defineGitlabItemEvent('MR', 'closed'),
  reopen: defineGitlabItemEvent('MR', 'reopened'),
  approved: defineGitlabItemEvent('MR', 'approved'),
  unapproved: defineGitlabItemEvent('MR', 'unapproved'),
  approval: defineGitlabItemEvent('MR', 'added an approval to'),
  unapproval: defineGitlabItemEvent('MR', 'removed an approval from'),
};

const gitlabPayloadSchema = z.looseObject({
  ref: z.unknown().optional(),
  object_attributes: z
    .looseObject({ action: z.unknown().optional(), noteable_type: z.unknown().optional() })
    .optional(),
});

/** Format of the webhook requests of GitLab. */
export const gitlabFormat = defineWebhookFormat({
  name: 'gitlab',
  displayName: 'GitLab',
  sender: 'GitLab',
  documentation: 'https://docs.gitlab.com/user/project/integrations/webhook_events/',
  eventHeader: 'X-Gitlab-Event',
  payload: gitlabPayloadSchema,
  options: {
    ...branchesFilterOption,
    use_merge_request_title: z
      .boolean()
      .optional()
      .meta({ description: 'Titles of merge requests in topics; on by default' }),
  },
  signature: createSharedTokenCheck('X-Gitlab-Token'),
  route({ payload: body, header, options }) {
    const { action, noteable_type: noted } = body.object_attributes ?? {};
    if (
      header === 'Push Hook' &&
      typeof body.ref === 'string' &&
      !isSelectedBranch(shortenGitRef(body.ref), options.branches)
    ) {
      return [];
    }
    const isNamedByAction = /^(?:Confidential )?(?:Issue|Merge Request|Wiki Page) Hook$/.test(header);
    const isNote = /^(?:Confidential )?Note Hook$/.test(header);
    const suffix = isNamedByAction ? action : isNote ? noted : undefined;
    const event = typeof suffix === 'string' ? `${header} ${suffix}` : header;
    return [{ event, payload: { ...body, shows_title: options.use_merge_request_title ?? true } }];
  },
  events: {
    'Push Hook': defineWebhookEvent({
      payload: gitlabPushPayloadSchema,
      topic: '{project} / {branch}',
      values: (p) => ({ project: p.project.name, branch: shortenGitRef(p.ref) }),
      text: (p) =>
        formatPush({
          user: p.user_name,
          branch: shortenGitRef(p.ref),
          commits: p.commits.map(({ author, ...commit }) => ({ ...commit, author: author.name })),
          total: Math.max(p.total_commits_count ?? 0, p.commits.length),
          compareUrl: zeroCommitIdPattern.test(p.before)
            ? undefined
            : `${p.project.web_url}/-/compare/${p.before}...${p.after}`,
          isCreated: zeroCommitIdPattern.test(p.before),
          isDeleted: zeroCommitIdPattern.test(p.after),
        }),
    }),
    'Tag Push Hook': defineWebhookEvent({
      payload: gitlabPushPayloadSchema,
      ...projectTopicTemplate,
      text: (p) =>
        `${toMarkdownLine(p.user_name)} ${p.checkout_sha ? 'pushed' : 'deleted'} the tag ${formatInlineCode(shortenGitRef(p.ref))}.`,
    }),
    ...addEventNamePrefix('Issue Hook', gitlabIssueEvents),
    ...addEventNamePrefix('Confidential Issue Hook', gitlabIssueEvents),
    ...addEventNamePrefix('Note Hook', gitlabCommentEvents),
    ...addEventNamePrefix('Confidential Note Hook', {
      Issue: gitlabCommentEvents.Issue,
      MergeRequest: gitlabCommentEvents.MergeRequest,
    }),
    ...addEventNamePrefix('Merge Request Hook', mergeRequestEvents),
    ...addEventNamePrefix('Wiki Page Hook', {
      create: wikiEvent('created'),
      update: wikiEvent('updated'),
      delete: wikiEvent('deleted'),
    }),
    'Job Hook': gitlabJobEvent,
    'Build Hook': gitlabJobEvent,
    'Pipeline Hook': pipelineEvent,
    ...otherGitlabEvents,
  },
});
