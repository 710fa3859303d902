import { z } from 'zod';
import { anyObjectSchema, defineWebhookEvent } from '../../define-webhook-format.js';
import { formatCommentAction, joinNamesWithAnd, formatPush, shortenGitRef } from '../../format-git-messages.js';
import {
  formatBold,
  capitalizeFirstLetter,
  formatInlineCode,
  toSingleLine,
  formatMarkdownLink,
  formatListItems,
  joinParagraphs,
  formatBlockQuote,
  addFullStop,
} from '../../format-payload-text.js';
import {
  commentSchema,
  commonGithubFields,
  deploymentTopicTemplate,
  repositoryTopicTemplate,
  personSchema,
  repositorySchema,
  createRepositoryLink,
  textSchema,
  createUserLink,
} from './github-payload-schemas.js';

/** Defines an event about a GitHub repository. The message is the user's name followed by one sentence. */
const repositoryEvent = <P extends { sender: { login: string }; repository: { name: string } }>(
  payload: z.ZodType<P>,
  rest: (p: P) => string,
) =>
  defineWebhookEvent<P>({
    payload,
    ...repositoryTopicTemplate,
    text: (p) => addFullStop(`${toSingleLine(p.sender.login)} ${rest(p)}`),
  });

const plainRepositoryEvent = z.object(commonGithubFields);

const pushSchema = z.object({
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
      author: z.object({ name: z.string(), username: textSchema }),
    }),
  ),
});

const teamSchema = z.object({ name: z.string(), description: textSchema, privacy: textSchema });

/** Definitions of events about GitHub organizations and teams, by name of the event. */
export const organizationEvents = {
  membership: defineWebhookEvent({
    payload: z.object({
      sender: personSchema,
      action: z.string(),
      member: personSchema,
      team: teamSchema,
      organization: personSchema,
    }),
    topic: '{organization} organization',
    values: (p) => ({ organization: p.organization.login }),
    text: (p) =>
      `${toSingleLine(p.sender.login)} ${toSingleLine(p.action)} ${createUserLink(p.member)} ${p.action === 'removed' ? 'from' : 'to'} the team ${formatBold(p.team.name)}.`,
  }),
  team: defineWebhookEvent({
    payload: z.object({ sender: personSchema, team: teamSchema, changes: anyObjectSchema }),
    topic: 'team {team}',
    values: (p) => ({ team: p.team.name }),
    text: (p) =>
      `${toSingleLine(p.sender.login)} changed ${joinNamesWithAnd(
        Object.keys(p.changes)
          .slice(0, 10)
          .map((name) => toSingleLine(name)),
      )} of the team ${formatBold(p.team.name)}.`,
  }),
  team_add: repositoryEvent(
    z.object({ ...commonGithubFields, team: teamSchema }),
    (p) => `added the repository ${createRepositoryLink(p)} to the team ${formatBold(p.team.name)}`,
  ),
  ping: defineWebhookEvent({
    payload: z.object({
      sender: personSchema,
      repository: repositorySchema.optional(),
      organization: personSchema.optional(),
    }),
    topic: '{name}',
    values: (p) => ({ name: p.repository?.name ?? p.organization?.login ?? p.sender.login }),
    text: (p) =>
      `GitHub webhook of ${formatBold(p.repository?.full_name ?? p.organization?.login)} was configured by ${toSingleLine(p.sender.login)}.`,
  }),
};

/** Definitions of events about GitHub repositories, by the event names of the reference server (Zulip). */
export const repositoryEvents = {
  check_run: defineWebhookEvent({
    payload: z.object({
      ...commonGithubFields,
      check_run: z.object({ name: z.string(), html_url: z.string(), conclusion: textSchema, head_sha: z.string() }),
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
    payload: z.object({ ...commonGithubFields, comment: commentSchema.extend({ commit_id: z.string() }) }),
    ...repositoryTopicTemplate,
    text(p) {
      const { html_url: url, commit_id: sha, body } = p.comment;
      const commit = formatMarkdownLink(sha.slice(0, 7), url.split('#', 1)[0]);
      return joinParagraphs(
        `${toSingleLine(p.sender.login)} ${formatCommentAction('created', url)} commit ${commit}:`,
        formatBlockQuote(body),
      );
    },
  }),
  create: repositoryEvent(
    z.object({ ...commonGithubFields, ref: z.string(), ref_type: z.string() }),
    (p) => `created the ${toSingleLine(p.ref_type)} ${formatInlineCode(p.ref)}`,
  ),
  delete: repositoryEvent(
    z.object({ ...commonGithubFields, ref: z.string(), ref_type: z.string() }),
    (p) => `deleted the ${toSingleLine(p.ref_type)} ${formatInlineCode(p.ref)}`,
  ),
  deployment: defineWebhookEvent({
    payload: z.object({ ...commonGithubFields, deployment: z.object({ environment: z.string(), ref: z.string() }) }),
    ...deploymentTopicTemplate,
    text: (p) => `${toSingleLine(p.sender.login)} created a deployment of ${formatInlineCode(p.deployment.ref)}.`,
  }),
  deployment_status: defineWebhookEvent({
    payload: z.object({
      ...commonGithubFields,
      deployment: z.object({ environment: z.string() }),
      deployment_status: z.object({ state: z.string(), target_url: textSchema }),
    }),
    ...deploymentTopicTemplate,
    text: ({ deployment_status: { state, target_url: url } }) =>
      `${formatMarkdownLink('Deployment', url)} has the status ${formatBold(state.replaceAll('_', ' '))}.`,
  }),
  fork: repositoryEvent(
    z.object({ ...commonGithubFields, forkee: repositorySchema }),
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
        `${toSingleLine(p.sender.login)} changed the wiki:`,
        formatListItems(
          p.pages,
          (page) => `${toSingleLine(page.action)} ${formatMarkdownLink(page.title, page.html_url)}`,
        ),
      ),
  }),
  member: repositoryEvent(
    z.object({ ...commonGithubFields, member: personSchema }),
    (p) =>
      `${toSingleLine(p.action)} ${createUserLink(p.member)} ${p.action === 'removed' ? 'from' : 'to'} ${createRepositoryLink(p)}`,
  ),
  page_build: defineWebhookEvent({
    payload: z.object({
      ...commonGithubFields,
      build: z.object({ status: textSchema, error: z.object({ message: textSchema }).nullish() }),
    }),
    ...repositoryTopicTemplate,
    text: ({ sender, build: { status, error } }) =>
      joinParagraphs(
        `Pages build by ${toSingleLine(sender.login)}: ${formatBold(status ?? 'unknown')}.`,
        error?.message ? formatBlockQuote(error.message) : '',
      ),
  }),
  public: repositoryEvent(plainRepositoryEvent, (p) => `made the repository ${createRepositoryLink(p)} public`),
  push_commits: defineWebhookEvent({
    payload: pushSchema,
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
    payload: pushSchema,
    ...repositoryTopicTemplate,
    text: (p) =>
      `${toSingleLine(p.sender.login)} ${p.deleted ? 'deleted' : 'pushed'} the tag ${formatInlineCode(shortenGitRef(p.ref))}.`,
  }),
  release: repositoryEvent(
    z.object({
      ...commonGithubFields,
      release: z.object({ tag_name: z.string(), name: textSchema, html_url: z.string() }),
    }),
    (p) =>
      `${toSingleLine(p.action)} the release ${formatMarkdownLink(p.release.name || p.release.tag_name, p.release.html_url)} for the tag ${formatInlineCode(p.release.tag_name)}`,
  ),
  repository: repositoryEvent(
    plainRepositoryEvent,
    (p) => `${toSingleLine(p.action)} the repository ${createRepositoryLink(p)}`,
  ),
  star: repositoryEvent(
    plainRepositoryEvent,
    (p) => `${p.action === 'deleted' ? 'unstarred' : 'starred'} the repository ${createRepositoryLink(p)}`,
  ),
  status: defineWebhookEvent({
    payload: z.object({
      ...commonGithubFields,
      sha: z.string(),
      state: z.string(),
      target_url: textSchema,
      context: textSchema,
      description: textSchema,
    }),
    ...repositoryTopicTemplate,
    text(p) {
      const commit = formatMarkdownLink(p.sha.slice(0, 7), `${p.repository.html_url}/commit/${p.sha}`);
      const note = p.description ? `: ${toSingleLine(p.description)}` : '';
      return addFullStop(
        `${capitalizeFirstLetter(formatMarkdownLink(p.context || 'Status', p.target_url))} of ${commit} is ${formatBold(p.state)}${note}`,
      );
    },
  }),
  watch: repositoryEvent(plainRepositoryEvent, (p) => `starred the repository ${createRepositoryLink(p)}`),
};
