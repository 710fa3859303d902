import { z } from 'zod';
import { anyObject, webhookEvent } from '../../define-format.js';
import { commentAction, joined, pushText, shortRef } from '../../git-text.js';
import { bold, capitalized, code, line, link, listOf, paragraphs, quote, sentence } from '../../payload-text.js';
import {
  comment,
  common,
  onDeployment,
  onRepository,
  person,
  repository,
  repositoryLink,
  text,
  userLink,
} from './payloads.js';

/** Defines an event of a GitHub repository whose message is the user's name followed by one sentence. */
const repositoryEvent = <P extends { sender: { login: string }; repository: { name: string } }>(
  payload: z.ZodType<P>,
  rest: (p: P) => string,
) => webhookEvent<P>({ payload, ...onRepository, text: (p) => sentence(`${line(p.sender.login)} ${rest(p)}`) });

const plain = z.object(common);

const push = z.object({
  ...common,
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
      author: z.object({ name: z.string(), username: text }),
    }),
  ),
});

const team = z.object({ name: z.string(), description: text, privacy: text });

/** Events of GitHub organizations and teams. */
export const organizationEvents = {
  membership: webhookEvent({
    payload: z.object({ sender: person, action: z.string(), member: person, team, organization: person }),
    topic: '{organization} organization',
    values: (p) => ({ organization: p.organization.login }),
    text: (p) =>
      `${line(p.sender.login)} ${line(p.action)} ${userLink(p.member)} ${p.action === 'removed' ? 'from' : 'to'} the team ${bold(p.team.name)}.`,
  }),
  team: webhookEvent({
    payload: z.object({ sender: person, team, changes: anyObject }),
    topic: 'team {team}',
    values: (p) => ({ team: p.team.name }),
    text: (p) =>
      `${line(p.sender.login)} changed ${joined(
        Object.keys(p.changes)
          .slice(0, 10)
          .map((name) => line(name)),
      )} of the team ${bold(p.team.name)}.`,
  }),
  team_add: repositoryEvent(
    z.object({ ...common, team }),
    (p) => `added the repository ${repositoryLink(p)} to the team ${bold(p.team.name)}`,
  ),
  ping: webhookEvent({
    payload: z.object({ sender: person, repository: repository.optional(), organization: person.optional() }),
    topic: '{name}',
    values: (p) => ({ name: p.repository?.name ?? p.organization?.login ?? p.sender.login }),
    text: (p) =>
      `GitHub webhook of ${bold(p.repository?.full_name ?? p.organization?.login)} was configured by ${line(p.sender.login)}.`,
  }),
};

/** Events of GitHub repositories, by their names in the reference server. */
export const repositoryEvents = {
  check_run: webhookEvent({
    payload: z.object({
      ...common,
      check_run: z.object({ name: z.string(), html_url: z.string(), conclusion: text, head_sha: z.string() }),
    }),
    topic: '{repository} / checks',
    values: onRepository.values,
    text(p) {
      const { name, html_url: url, conclusion, head_sha: sha } = p.check_run;
      const commit = link(sha.slice(0, 7), `${p.repository.html_url}/commit/${sha}`);
      return `Check ${link(name, url)} ${bold((conclusion ?? '').replaceAll('_', ' '))} (${commit}).`;
    },
  }),
  commit_comment: webhookEvent({
    payload: z.object({ ...common, comment: comment.extend({ commit_id: z.string() }) }),
    ...onRepository,
    text(p) {
      const { html_url: url, commit_id: sha, body } = p.comment;
      const commit = link(sha.slice(0, 7), url.split('#', 1)[0]);
      return paragraphs(`${line(p.sender.login)} ${commentAction('created', url)} commit ${commit}:`, quote(body));
    },
  }),
  create: repositoryEvent(
    z.object({ ...common, ref: z.string(), ref_type: z.string() }),
    (p) => `created the ${line(p.ref_type)} ${code(p.ref)}`,
  ),
  delete: repositoryEvent(
    z.object({ ...common, ref: z.string(), ref_type: z.string() }),
    (p) => `deleted the ${line(p.ref_type)} ${code(p.ref)}`,
  ),
  deployment: webhookEvent({
    payload: z.object({ ...common, deployment: z.object({ environment: z.string(), ref: z.string() }) }),
    ...onDeployment,
    text: (p) => `${line(p.sender.login)} created a deployment of ${code(p.deployment.ref)}.`,
  }),
  deployment_status: webhookEvent({
    payload: z.object({
      ...common,
      deployment: z.object({ environment: z.string() }),
      deployment_status: z.object({ state: z.string(), target_url: text }),
    }),
    ...onDeployment,
    text: ({ deployment_status: { state, target_url: url } }) =>
      `${link('Deployment', url)} has the status ${bold(state.replaceAll('_', ' '))}.`,
  }),
  fork: repositoryEvent(
    z.object({ ...common, forkee: repository }),
    (p) => `forked the repository to ${link(p.forkee.full_name, p.forkee.html_url)}`,
  ),
  gollum: webhookEvent({
    payload: z.object({
      ...common,
      pages: z.array(z.object({ action: z.string(), title: z.string(), html_url: z.string() })),
    }),
    topic: '{repository} / wiki pages',
    values: onRepository.values,
    text: (p) =>
      paragraphs(
        `${line(p.sender.login)} changed the wiki:`,
        listOf(p.pages, (page) => `${line(page.action)} ${link(page.title, page.html_url)}`),
      ),
  }),
  member: repositoryEvent(
    z.object({ ...common, member: person }),
    (p) => `${line(p.action)} ${userLink(p.member)} ${p.action === 'removed' ? 'from' : 'to'} ${repositoryLink(p)}`,
  ),
  page_build: webhookEvent({
    payload: z.object({ ...common, build: z.object({ status: text, error: z.object({ message: text }).nullish() }) }),
    ...onRepository,
    text: ({ sender, build: { status, error } }) =>
      paragraphs(
        `Pages build by ${line(sender.login)}: ${bold(status ?? 'unknown')}.`,
        error?.message ? quote(error.message) : '',
      ),
  }),
  public: repositoryEvent(plain, (p) => `made the repository ${repositoryLink(p)} public`),
  push_commits: webhookEvent({
    payload: push,
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
    payload: push,
    ...onRepository,
    text: (p) => `${line(p.sender.login)} ${p.deleted ? 'deleted' : 'pushed'} the tag ${code(shortRef(p.ref))}.`,
  }),
  release: repositoryEvent(
    z.object({ ...common, release: z.object({ tag_name: z.string(), name: text, html_url: z.string() }) }),
    (p) =>
      `${line(p.action)} the release ${link(p.release.name || p.release.tag_name, p.release.html_url)} for the tag ${code(p.release.tag_name)}`,
  ),
  repository: repositoryEvent(plain, (p) => `${line(p.action)} the repository ${repositoryLink(p)}`),
  star: repositoryEvent(
    plain,
    (p) => `${p.action === 'deleted' ? 'unstarred' : 'starred'} the repository ${repositoryLink(p)}`,
  ),
  status: webhookEvent({
    payload: z.object({
      ...common,
      sha: z.string(),
      state: z.string(),
      target_url: text,
      context: text,
      description: text,
    }),
    ...onRepository,
    text(p) {
      const commit = link(p.sha.slice(0, 7), `${p.repository.html_url}/commit/${p.sha}`);
      const note = p.description ? `: ${line(p.description)}` : '';
      return sentence(
        `${capitalized(link(p.context || 'Status', p.target_url))} of ${commit} is ${bold(p.state)}${note}`,
      );
    },
  }),
  watch: repositoryEvent(plain, (p) => `starred the repository ${repositoryLink(p)}`),
};
