import { z } from 'zod';
import { anyObjectSchema, webhookEvent } from '../../define-webhook-format.js';
import { commentAction, joinNames, pushText, shortRef } from '../../format-git-messages.js';
import {
  boldText,
  capitalized,
  inlineCode,
  singleLine,
  markdownLink,
  renderedList,
  paragraphs,
  blockQuote,
  withFullStop,
} from '../../format-payload-text.js';
import {
  commentSchema,
  commonFields,
  deploymentTopic,
  repositoryTopic,
  personSchema,
  repositorySchema,
  repositoryLink,
  textSchema,
  userLink,
} from './github-payload-schemas.js';

/** Defines an event of a GitHub repository whose message is the user's name followed by one sentence. */
const repositoryEvent = <P extends { sender: { login: string }; repository: { name: string } }>(
  payload: z.ZodType<P>,
  rest: (p: P) => string,
) =>
  webhookEvent<P>({
    payload,
    ...repositoryTopic,
    text: (p) => withFullStop(`${singleLine(p.sender.login)} ${rest(p)}`),
  });

const plainRepositoryEvent = z.object(commonFields);

const pushSchema = z.object({
  ...commonFields,
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

/** Events of GitHub organizations and teams. */
export const organizationEvents = {
  membership: webhookEvent({
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
      `${singleLine(p.sender.login)} ${singleLine(p.action)} ${userLink(p.member)} ${p.action === 'removed' ? 'from' : 'to'} the team ${boldText(p.team.name)}.`,
  }),
  team: webhookEvent({
    payload: z.object({ sender: personSchema, team: teamSchema, changes: anyObjectSchema }),
    topic: 'team {team}',
    values: (p) => ({ team: p.team.name }),
    text: (p) =>
      `${singleLine(p.sender.login)} changed ${joinNames(
        Object.keys(p.changes)
          .slice(0, 10)
          .map((name) => singleLine(name)),
      )} of the team ${boldText(p.team.name)}.`,
  }),
  team_add: repositoryEvent(
    z.object({ ...commonFields, team: teamSchema }),
    (p) => `added the repository ${repositoryLink(p)} to the team ${boldText(p.team.name)}`,
  ),
  ping: webhookEvent({
    payload: z.object({
      sender: personSchema,
      repository: repositorySchema.optional(),
      organization: personSchema.optional(),
    }),
    topic: '{name}',
    values: (p) => ({ name: p.repository?.name ?? p.organization?.login ?? p.sender.login }),
    text: (p) =>
      `GitHub webhook of ${boldText(p.repository?.full_name ?? p.organization?.login)} was configured by ${singleLine(p.sender.login)}.`,
  }),
};

/** Events of GitHub repositories, by their names in the reference server. */
export const repositoryEvents = {
  check_run: webhookEvent({
    payload: z.object({
      ...commonFields,
      check_run: z.object({ name: z.string(), html_url: z.string(), conclusion: textSchema, head_sha: z.string() }),
    }),
    topic: '{repository} / checks',
    values: repositoryTopic.values,
    text(p) {
      const { name, html_url: url, conclusion, head_sha: sha } = p.check_run;
      const commit = markdownLink(sha.slice(0, 7), `${p.repository.html_url}/commit/${sha}`);
      return `Check ${markdownLink(name, url)} ${boldText((conclusion ?? '').replaceAll('_', ' '))} (${commit}).`;
    },
  }),
  commit_comment: webhookEvent({
    payload: z.object({ ...commonFields, comment: commentSchema.extend({ commit_id: z.string() }) }),
    ...repositoryTopic,
    text(p) {
      const { html_url: url, commit_id: sha, body } = p.comment;
      const commit = markdownLink(sha.slice(0, 7), url.split('#', 1)[0]);
      return paragraphs(
        `${singleLine(p.sender.login)} ${commentAction('created', url)} commit ${commit}:`,
        blockQuote(body),
      );
    },
  }),
  create: repositoryEvent(
    z.object({ ...commonFields, ref: z.string(), ref_type: z.string() }),
    (p) => `created the ${singleLine(p.ref_type)} ${inlineCode(p.ref)}`,
  ),
  delete: repositoryEvent(
    z.object({ ...commonFields, ref: z.string(), ref_type: z.string() }),
    (p) => `deleted the ${singleLine(p.ref_type)} ${inlineCode(p.ref)}`,
  ),
  deployment: webhookEvent({
    payload: z.object({ ...commonFields, deployment: z.object({ environment: z.string(), ref: z.string() }) }),
    ...deploymentTopic,
    text: (p) => `${singleLine(p.sender.login)} created a deployment of ${inlineCode(p.deployment.ref)}.`,
  }),
  deployment_status: webhookEvent({
    payload: z.object({
      ...commonFields,
      deployment: z.object({ environment: z.string() }),
      deployment_status: z.object({ state: z.string(), target_url: textSchema }),
    }),
    ...deploymentTopic,
    text: ({ deployment_status: { state, target_url: url } }) =>
      `${markdownLink('Deployment', url)} has the status ${boldText(state.replaceAll('_', ' '))}.`,
  }),
  fork: repositoryEvent(
    z.object({ ...commonFields, forkee: repositorySchema }),
    (p) => `forked the repository to ${markdownLink(p.forkee.full_name, p.forkee.html_url)}`,
  ),
  gollum: webhookEvent({
    payload: z.object({
      ...commonFields,
      pages: z.array(z.object({ action: z.string(), title: z.string(), html_url: z.string() })),
    }),
    topic: '{repository} / wiki pages',
    values: repositoryTopic.values,
    text: (p) =>
      paragraphs(
        `${singleLine(p.sender.login)} changed the wiki:`,
        renderedList(p.pages, (page) => `${singleLine(page.action)} ${markdownLink(page.title, page.html_url)}`),
      ),
  }),
  member: repositoryEvent(
    z.object({ ...commonFields, member: personSchema }),
    (p) =>
      `${singleLine(p.action)} ${userLink(p.member)} ${p.action === 'removed' ? 'from' : 'to'} ${repositoryLink(p)}`,
  ),
  page_build: webhookEvent({
    payload: z.object({
      ...commonFields,
      build: z.object({ status: textSchema, error: z.object({ message: textSchema }).nullish() }),
    }),
    ...repositoryTopic,
    text: ({ sender, build: { status, error } }) =>
      paragraphs(
        `Pages build by ${singleLine(sender.login)}: ${boldText(status ?? 'unknown')}.`,
        error?.message ? blockQuote(error.message) : '',
      ),
  }),
  public: repositoryEvent(plainRepositoryEvent, (p) => `made the repository ${repositoryLink(p)} public`),
  push_commits: webhookEvent({
    payload: pushSchema,
    topic: '{repository} / {branch}',
    values: (p) => ({ repository: p.repository.name, branch: shortRef(p.ref) }),
    text: (p) =>
      pushText({
        user: p.sender.login,
        branch: shortRef(p.ref),
        commits: p.commits.map(({ author, ...commit }) => ({ ...commit, author: author.username ?? author.name })),
        compareUrl: p.compare,
        isCreated: p.created,
        isDeleted: p.deleted,
        isForced: p.forced,
      }),
  }),
  push_tags: webhookEvent({
    payload: pushSchema,
    ...repositoryTopic,
    text: (p) =>
      `${singleLine(p.sender.login)} ${p.deleted ? 'deleted' : 'pushed'} the tag ${inlineCode(shortRef(p.ref))}.`,
  }),
  release: repositoryEvent(
    z.object({ ...commonFields, release: z.object({ tag_name: z.string(), name: textSchema, html_url: z.string() }) }),
    (p) =>
      `${singleLine(p.action)} the release ${markdownLink(p.release.name || p.release.tag_name, p.release.html_url)} for the tag ${inlineCode(p.release.tag_name)}`,
  ),
  repository: repositoryEvent(
    plainRepositoryEvent,
    (p) => `${singleLine(p.action)} the repository ${repositoryLink(p)}`,
  ),
  star: repositoryEvent(
    plainRepositoryEvent,
    (p) => `${p.action === 'deleted' ? 'unstarred' : 'starred'} the repository ${repositoryLink(p)}`,
  ),
  status: webhookEvent({
    payload: z.object({
      ...commonFields,
      sha: z.string(),
      state: z.string(),
      target_url: textSchema,
      context: textSchema,
      description: textSchema,
    }),
    ...repositoryTopic,
    text(p) {
      const commit = markdownLink(p.sha.slice(0, 7), `${p.repository.html_url}/commit/${p.sha}`);
      const note = p.description ? `: ${singleLine(p.description)}` : '';
      return withFullStop(
        `${capitalized(markdownLink(p.context || 'Status', p.target_url))} of ${commit} is ${boldText(p.state)}${note}`,
      );
    },
  }),
  watch: repositoryEvent(plainRepositoryEvent, (p) => `starred the repository ${repositoryLink(p)}`),
};
