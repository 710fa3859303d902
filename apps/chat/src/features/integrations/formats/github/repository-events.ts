import { z } from 'zod';
import { anyObjectSchema, defineWebhookEvent } from '../../define-webhook-format.js';
import { formatCommentAction, joinNamesWithAnd, formatPush, shortenGitRef } from '../../format-git-messages.js';
import {
  formatBold,
  capitalizeFirstLetter,
  formatInlineCode,
  toMarkdownLine,
  formatMarkdownLink,
  formatMarkdownListItems,
  joinParagraphs,
  formatBlockQuote,
  addFullStop,
} from '../../format-payload-text.js';
import {
  githubCommentSchema,
  commonGithubFields,
  deploymentTopicTemplate,
  repositoryTopicTemplate,
  githubUserSchema,
  githubRepositorySchema,
  createRepositoryLink,
  nullableTextSchema,
  createUserLink,
} from './github-payload-schemas.js';

/** Defines an event about a GitHub repository. The message is the user's name followed by one sentence. */
const defineGithubRepositoryEvent = <P extends { sender: { login: string }; repository: { name: string } }>(
  payload: z.ZodType<P>,
  rest: (p: P) => string,
) =>
  defineWebhookEvent<P>({
    payload,
    ...repositoryTopicTemplate,
    text: (p) => addFullStop(`${toMarkdownLine(p.sender.login)} ${rest(p)}`),
  });

const githubRepositoryPayloadSchema = z.object(commonGithubFields);

const githubPushPayloadSchema = z.object({
  ...commonGithubFields,
  ref: z.string(),
  compare: z.string().optional(),
  created: z.boolean(),
  deleted: z.boolean(),
  forced: z.boolean().default(false),
  commits: z.array(
    z.object({
      id: z.string(),
      message: z.string(),
      url: z.string(),
      author: z.object({ name: z.string(), username: nullableTextSchema }),
    }),
  ),
});

const githubTeamSchema = z.object({ name: z.string(), description: nullableTextSchema, privacy: nullableTextSchema });

/** Definitions of events about GitHub organizations and teams, by name of the event. */
export const organizationEvents = {
  membership: defineWebhookEvent({
    payload: z.object({
      sender: githubUserSchema,
      action: z.string(),
      member: githubUserSchema,
      team: githubTeamSchema,
      organization: githubUserSchema,
    }),
    topic: '{organization} organization',
    values: (p) => ({ organization: p.organization.login }),
    text: (p) =>
      `${toMarkdownLine(p.sender.login)} ${toMarkdownLine(p.action)} ${createUserLink(p.member)} ${p.action === 'removed' ? 'from' : 'to'} the team ${formatBold(p.team.name)}.`,
  }),
  team: defineWebhookEvent({
    payload: z.object({ sender: githubUserSchema, team: githubTeamSchema, changes: anyObjectSchema }),
    topic: 'team {team}',
    values: (p) => ({ team: p.team.name }),
    text: (p) =>
      `${toMarkdownLine(p.sender.login)} changed ${joinNamesWithAnd(
        Object.keys(p.changes)
          .slice(0, 10)
          .map((name) => toMarkdownLine(name)),
      )} of the team ${formatBold(p.team.name)}.`,
  }),
  team_add: defineGithubRepositoryEvent(
    z.object({ ...commonGithubFields, team: githubTeamSchema }),
    (p) => `added the repository ${createRepositoryLink(p)} to the team ${formatBold(p.team.name)}`,
  ),
  ping: defineWebhookEvent({
    payload: z.object({
      sender: githubUserSchema,
      repository: githubRepositorySchema.optional(),
      organization: githubUserSchema.optional(),
    }),
    topic: '{name}',
    values: (p) => ({ name: p.repository?.name ?? p.organization?.login ?? p.sender.login }),
    text: (p) =>
      `GitHub webhook of ${formatBold(p.repository?.full_name ?? p.organization?.login)} was configured by ${toMarkdownLine(p.sender.login)}.`,
  }),
};

/** Definitions of events about GitHub repositories, by the event names of the reference server (Zulip). */
export const githubRepositoryEvents = {
  check_run: defineWebhookEvent({
    payload: z.object({
      ...commonGithubFields,
      check_run: z.object({
        name: z.string(),
        html_url: z.string(),
        conclusion: nullableTextSchema,
        head_sha: z.string(),
      }),
    }),
    topic: '{repository} / checks',
    values: repositoryTopicTemplate.values,
    text(p) {
      const { name, html_url: url, conclusion, head_sha: sha } = p.check_run;
      const commit = formatMarkdownLink(sha.slice(0, 7), `${p.repository.html_url}/commit/${sha}`);
      return `Check ${formatMarkdownLink(name, url)} ${formatBold((conclusion ?? '').replaceAll('_', ' '))} (${commit}).`;
    },
  }),
  commit_comment: defineWebhookEvent({
    payload: z.object({ ...commonGithubFields, comment: githubCommentSchema.extend({ commit_id: z.string() }) }),
    ...repositoryTopicTemplate,
    text(p) {
      const { html_url: url, commit_id: sha, body } = p.comment;
      const commit = formatMarkdownLink(sha.slice(0, 7), url.split('#', 1)[0]);
      return joinParagraphs(
        `${toMarkdownLine(p.sender.login)} ${formatCommentAction('created', url)} commit ${commit}:`,
        formatBlockQuote(body),
      );
    },
  }),
  create: defineGithubRepositoryEvent(
    z.object({ ...commonGithubFields, ref: z.string(), ref_type: z.string() }),
    (p) => `created the ${toMarkdownLine(p.ref_type)} ${formatInlineCode(p.ref)}`,
  ),
  delete: defineGithubRepositoryEvent(
    z.object({ ...commonGithubFields, ref: z.string(), ref_type: z.string() }),
    (p) => `deleted the ${toMarkdownLine(p.ref_type)} ${formatInlineCode(p.ref)}`,
  ),
  deployment: defineWebhookEvent({
    payload: z.object({ ...commonGithubFields, deployment: z.object({ environment: z.string(), ref: z.string() }) }),
    ...deploymentTopicTemplate,
    text: (p) => `${toMarkdownLine(p.sender.login)} created a deployment of ${formatInlineCode(p.deployment.ref)}.`,
  }),
  deployment_status: defineWebhookEvent({
    payload: z.object({
      ...commonGithubFields,
      deployment: z.object({ environment: z.string() }),
      deployment_status: z.object({ state: z.string(), target_url: nullableTextSchema }),
    }),
    ...deploymentTopicTemplate,
    text: ({ deployment_status: { state, target_url: url } }) =>
      `${formatMarkdownLink('Deployment', url)} has the status ${formatBold(state.replaceAll('_', ' '))}.`,
  }),
  fork: defineGithubRepositoryEvent(
    z.object({ ...commonGithubFields, forkee: githubRepositorySchema }),
    (p) => `forked the repository to ${formatMarkdownLink(p.forkee.full_name, p.forkee.html_url)}`,
  ),
  gollum: defineWebhookEvent({
    payload: z.object({
      ...commonGithubFields,
      pages: z.array(z.object({ action: z.string(), title: z.string(), html_url: z.string() })),
    }),
    topic: '{repository} / wiki pages',
    values: repositoryTopicTemplate.values,
    text: (p) =>
      joinParagraphs(
        `${toMarkdownLine(p.sender.login)} changed the wiki:`,
        formatMarkdownListItems(
          p.pages,
          (page) => `${toMarkdownLine(page.action)} ${formatMarkdownLink(page.title, page.html_url)}`,
        ),
      ),
  }),
  member: defineGithubRepositoryEvent(
    z.object({ ...commonGithubFields, member: githubUserSchema }),
    (p) =>
      `${toMarkdownLine(p.action)} ${createUserLink(p.member)} ${p.action === 'removed' ? 'from' : 'to'} ${createRepositoryLink(p)}`,
  ),
  page_build: defineWebhookEvent({
    payload: z.object({
      ...commonGithubFields,
      build: z.object({ status: nullableTextSchema, error: z.object({ message: nullableTextSchema }).nullish() }),
    }),
    ...repositoryTopicTemplate,
    text: ({ sender, build: { status, error } }) =>
      joinParagraphs(
        `Pages build by ${toMarkdownLine(sender.login)}: ${formatBold(status ?? 'unknown')}.`,
        error?.message ? formatBlockQuote(error.message) : '',
      ),
  }),
  public: defineGithubRepositoryEvent(
    githubRepositoryPayloadSchema,
    (p) => `made the repository ${createRepositoryLink(p)} public`,
  ),
  push_commits: defineWebhookEvent({
    payload: githubPushPayloadSchema,
    topic: '{repository} / {branch}',
    values: (p) => ({ repository: p.repository.name, branch: shortenGitRef(p.ref) }),
    text: (p) =>
      formatPush({
        user: p.sender.login,
        branch: shortenGitRef(p.ref),
        commits: p.commits.map(({ author, ...commit }) => ({ ...commit, author: author.username ?? author.name })),
        compareUrl: p.compare,
        isCreated: p.created,
        isDeleted: p.deleted,
        isForced: p.forced,
      }),
  }),
  push_tags: defineWebhookEvent({
    payload: githubPushPayloadSchema,
    ...repositoryTopicTemplate,
    text: (p) =>
      `${toMarkdownLine(p.sender.login)} ${p.deleted ? 'deleted' : 'pushed'} the tag ${formatInlineCode(shortenGitRef(p.ref))}.`,
  }),
  release: defineGithubRepositoryEvent(
    z.object({
      ...commonGithubFields,
      release: z.object({ tag_name: z.string(), name: nullableTextSchema, html_url: z.string() }),
    }),
    (p) =>
      `${toMarkdownLine(p.action)} the release ${formatMarkdownLink(p.release.name || p.release.tag_name, p.release.html_url)} for the tag ${formatInlineCode(p.release.tag_name)}`,
  ),
  repository: defineGithubRepositoryEvent(
    githubRepositoryPayloadSchema,
    (p) => `${toMarkdownLine(p.action)} the repository ${createRepositoryLink(p)}`,
  ),
  star: defineGithubRepositoryEvent(
    githubRepositoryPayloadSchema,
    (p) => `${p.action === 'deleted' ? 'unstarred' : 'starred'} the repository ${createRepositoryLink(p)}`,
  ),
  status: defineWebhookEvent({
    payload: z.object({
      ...commonGithubFields,
      sha: z.string(),
      state: z.string(),
      target_url: nullableTextSchema,
      context: nullableTextSchema,
      description: nullableTextSchema,
    }),
    ...repositoryTopicTemplate,
    text(p) {
      const commit = formatMarkdownLink(p.sha.slice(0, 7), `${p.repository.html_url}/commit/${p.sha}`);
      const note = p.description ? `: ${toMarkdownLine(p.description)}` : '';
      return addFullStop(
        `${capitalizeFirstLetter(formatMarkdownLink(p.context || 'Status', p.target_url))} of ${commit} is ${formatBold(p.state)}${note}`,
      );
    },
  }),
  watch: defineGithubRepositoryEvent(
    githubRepositoryPayloadSchema,
    (p) => `starred the repository ${createRepositoryLink(p)}`,
  ),
};
